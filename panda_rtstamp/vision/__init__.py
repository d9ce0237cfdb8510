"""What viewers see among walls: the vision mask."""
