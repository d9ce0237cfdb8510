"""Shell fur: coats of many layers, drawn at once."""
