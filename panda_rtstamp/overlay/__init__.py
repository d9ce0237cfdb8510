"""Other scenes over the main one, or in textures: overlays and render pictures."""
