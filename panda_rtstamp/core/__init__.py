"""What the systems share. Nothing in here knows of any system."""
