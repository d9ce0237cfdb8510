"""A second scene over the main picture, or in a texture."""
