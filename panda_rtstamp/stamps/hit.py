"""The record of a hit, and how a capture gets it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from panda_rtstamp.core.config import Color
from panda_rtstamp.core.geometry import Array
from panda_rtstamp.stamps.brush import Brush

# Texels of the hit buffer for each hit, as shaders/stamps/hits.glsl reads them.
TEXELS = 5
# How a hit meets the marks before it, as the shaders number them.
BLENDS = ("over", "add", "max", "erase")
# What 32-bit floats can divide by.
_LEAST_RADIUS = 1e-30
# From the middle of a brush's box to its corner.
_BRUSH_REACH = 3.0**0.5
_NO_BRUSH = -1


@dataclass(frozen=True, slots=True)
class Hit:
    """One hit on a bound node.

    Attributes:
        point: (3,) in the node's own space, so that the mark stays where it struck when the node moves on.
        radius: in the world.
        opacity, hardness: 0..1.
        color: (r, g, b).
        blend: one of BLENDS; "" until it is known whose textures take the hit.
        softness: of the fading out towards surfaces that do not face the normal.
        normal: (3,) of the surface, in the node's own space: a covector, turned by the inverse transpose of
            what turns points. None: the hit marks whatever it touches.
        brush: what is projected along the normal; None for the sphere.
        right: (3,) where the brush's picture has its right, a vector in the node's own space.
    """

    point: Array
    radius: float
    opacity: float
    hardness: float
    color: Color
    blend: str = "over"
    softness: float = 0.0
    normal: Array | None = None
    brush: Brush | None = None
    right: Array | None = None

    def moved(self, point: Array, normal: Array | None, right: Array | None, blend: str) -> "Hit":
        """The same hit in another space, and of this blend."""
        # Not by dataclasses.replace, which takes four times as long: a burst has many.
        return Hit(
            point,
            self.radius,
            self.opacity,
            self.hardness,
            self.color,
            blend,
            self.softness,
            normal,
            self.brush,
            right,
        )

    @property
    def reach(self) -> float:
        """How far from the point the mark may go, in the world."""
        return self.radius * (_BRUSH_REACH if self.brush is not None else 1.0)


def pack(hits: Sequence[Hit], to_capture: Array, layer_of: Callable[[Brush], int]) -> npt.NDArray[np.float32]:
    """The hits as rows of the hit buffer, (hits * TEXELS, 4).

    Args:
        to_capture: 4 x 4, from the node's own space to the one that the capture measures in.
        layer_of: the layer of a brush's picture.
    """
    rows = np.zeros((len(hits), TEXELS, 4), np.float32)
    linear = to_capture[:3, :3]
    rows[:, 0, :3] = np.array([hit.point for hit in hits]) @ linear + to_capture[3, :3]
    for row, hit in zip(rows, hits, strict=True):
        brush = _NO_BRUSH if hit.brush is None else layer_of(hit.brush)
        row[0, 3] = max(hit.radius, _LEAST_RADIUS)
        row[1] = (*hit.color, hit.opacity)
        row[2] = (hit.hardness, hit.softness, hit.normal is not None, brush)
        if hit.normal is not None:
            normal = unit(turn_normal(hit.normal, linear))
            row[3, :3] = normal
            if hit.brush is not None and hit.right is not None:
                right = hit.right @ linear
                row[4, :3] = unit(right - normal * (right @ normal))
                row[3, 3], row[4, 3] = hit.brush.half_size
    return rows.reshape(-1, 4)


def turn_normal(normal: Array, linear: Array) -> Array:
    """A normal by a 3 x 3 matrix for row vectors: by its inverse transpose, so it stays upright.

    Of a matrix that flattens, by the cofactors, which the inverse is but for a factor.
    """
    cofactors = np.stack([np.cross(linear[(row + 1) % 3], linear[(row + 2) % 3]) for row in range(3)])
    turned: Array = normal @ cofactors
    return turned if np.linalg.det(linear) >= 0.0 else -turned


def unit(vector: Array) -> Array:
    """The vector at length 1; zero stays zero."""
    size = float(np.linalg.norm(vector))
    return vector / size if size > 0.0 else vector
