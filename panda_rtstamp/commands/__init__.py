"""What `python -m panda_rtstamp` does: one file a command, and what they share."""
