"""Tags of nodes that more than one system asks for."""

# On second draws of a model, which show its marks: the same triangles once more.
OVERLAY_TAG = "rtstamp-overlay"
