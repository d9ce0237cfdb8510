"""How many texels a node's marks get."""

from panda3d.core import NodePath

from panda_rtstamp.core.geometry import Array
from panda_rtstamp.core.log import warn_once
from panda_rtstamp.stamps import arguments as check
from panda_rtstamp.stamps.config import StampConfig
from panda_rtstamp.stamps.space import distance_to, scale_of
from panda_rtstamp.stamps.surface import Surface

RESOLUTION_TAG = "rtstamp-resolution"
# Across the radius of a mark: what is coarser looks like steps.
_FEWEST_TEXELS = 8


def resolution_of(
    node: NodePath, surface: Surface, local: Array, radius: float, config: StampConfig, camera: NodePath
) -> int:
    """Texels along an edge: by the node's tag; else by the distance, or more where marks would be too coarse.

    Args:
        local: (3,) where the node is hit, in its own space.
        radius: of the hit, in the world.
        camera: the distance is measured from here.
    """
    tagged = check.tag_value(node, RESOLUTION_TAG)
    if tagged is not None:
        return int(tagged)
    size = config.resolution_at(distance_to(camera, node, local))
    texels = _texels_across(node, surface, radius)
    most = max(size, config.max_resolution)
    while 0.0 < texels * size < _FEWEST_TEXELS and size < most:
        size *= 2
    warn_if_coarse(node, surface, radius, size)
    return size


def warn_if_coarse(node: NodePath, surface: Surface, radius: float, size: int) -> None:
    """Say once that marks of this radius look like steps on a texture of `size` texels along an edge."""
    texels = _texels_across(node, surface, radius) * size
    if 0.0 < texels < _FEWEST_TEXELS:
        warn_once(
            f"coarse {node.get_name()} {type(node.node())}",
            f"{node} is so large that a mark of radius {radius:g} has {texels:.1f} texels across "
            f"its radius at {size} x {size}, where {_FEWEST_TEXELS} would look well: mark parts of it "
            "instead of the whole, or raise max_resolution",
        )


def _texels_across(node: NodePath, surface: Surface, radius: float) -> float:
    """Across a radius, of a texture of one texel."""
    return radius / scale_of(node) * surface.density
