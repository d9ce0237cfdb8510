"""Finds triangles by where they are on the model, and by where they lie on the texture.

Triangles are kept in the order of a curve through the texture, so that those beside each other are so on the
texture too, and for the most part on the model. Boxes around each run of them spare looking at the others.

All boxes are (lowest, -highest), of UVs or of positions: so the box around two is their minimum, what both
have in common their maximum, and one meets another where nowhere it is above the other's (highest, -lowest).
"""

import numpy as np
import numpy.typing as npt

from panda_rtstamp.core.geometry import Array
from panda_rtstamp.core.rect import Rect

# Triangles in a run: 8 of few, more of many, so that there are about as many runs as it is worth looking at.
_SHORTEST_RUN = 8
_BITS = 10
# The sine of its angle, squared, of a triangle that counts as having no area.
_FLAT = 1e-24
_NEXT, _LAST = [1, 2, 0], [2, 0, 1]

Singles = npt.NDArray[np.float32]
Numbers = npt.NDArray[np.int64]


class SpatialIndex:
    """Triangles, as they lie on the texture.

    Args:
        corners: their rows of a Geom's vertices, (n, 3).
        uvs: of their corners, (n, 3, 2).

    Attributes:
        corners, uvs: the same, in the order of the index.
        run: how many triangles stand together.
    """

    def __init__(self, corners: Numbers, uvs: Singles) -> None:
        order = np.argsort(_morton(uvs.mean(axis=1)), kind="stable")
        self.corners = corners[order]
        self.uvs = uvs[order]
        self.run = _SHORTEST_RUN << max(0, (len(order).bit_length() - 12) // 2)
        self._starts = np.arange(0, len(order), self.run)
        self._within = np.arange(self.run)
        self._boxes = _boxes_around(self.uvs)
        self._run_boxes = self._of_runs(self._boxes)

    def _of_runs(self, boxes: Array) -> Array:
        return np.minimum.reduceat(boxes, self._starts, axis=0) if len(boxes) else boxes

    def boxes(self, positions: Singles) -> Array:
        """The boxes of all runs, (runs, 6), of vertex positions (rows, 3)."""
        return self._of_runs(_boxes_around(positions[self.corners]))

    @property
    def runs(self) -> Array:
        """Where on the texture the runs lie: boxes of UVs, (runs, 4)."""
        return self._run_boxes

    @property
    def extent(self) -> Array:
        """One box of UVs around all, (1, 4)."""
        return np.minimum.reduce(self._run_boxes, axis=0, keepdims=True)

    def members(self, runs: Numbers) -> tuple[Numbers, Numbers]:
        """The triangles of these runs, and for each its place in `runs`."""
        numbers = (self._starts[runs][:, None] + self._within).ravel()
        places = np.repeat(np.arange(len(runs)), self.run)
        # The last run may be shorter.
        there = numbers < len(self.corners)
        return numbers[there], places[there]

    def cut_off(self, numbers: Numbers, boxes: Array) -> Array:
        """Boxes of UVs, (n, 4), one for each of these triangles, no larger than the triangle's own."""
        return np.maximum(boxes, self._boxes[numbers])

    def on_texture(self, rect: Rect, size: int) -> Numbers:
        """The triangles that touch these texels of a texture of `size` texels along an edge."""
        found, _ = self.members(np.flatnonzero(meets(self._run_boxes, rect, size)))
        result: Numbers = found[meets(self._boxes[found], rect, size)]
        return result


def meets(boxes: Array, rect: Rect, size: int) -> npt.NDArray[np.bool_]:
    """Which boxes of UVs, (n, 4), touch these texels of a texture of `size` texels along an edge."""
    limits = np.array([rect.right, rect.top, -rect.left, -rect.bottom]) / size
    result: npt.NDArray[np.bool_] = np.asarray((boxes <= limits).all(axis=1))
    return result


def _boxes_around(points: npt.NDArray[np.floating]) -> Array:
    """Of triangles, given by their corners (n, 3, axes): (n, 2 axes)."""
    return np.concatenate([points.min(axis=1), -points.max(axis=1)], axis=1, dtype=np.float64)


def _morton(points: Singles) -> Numbers:
    """Places of points of the unit square, (n, 2), along a Z-order curve (Morton, 1966)."""
    cells = np.clip(points * 2**_BITS, 0, 2**_BITS - 1).astype(np.int64)
    result = np.zeros(len(points), np.int64)
    for bit in range(_BITS):
        for axis in range(2):
            result |= (cells[:, axis] >> bit & 1) << (2 * bit + axis)
    return result


def planes_of(points: Array, uvs: Singles) -> Array:
    """What triangles are on the texture, as `touched` wants it: (n, 3, 4).

    Three linear functions of space, as (x, y, z, constant): in the triangle's plane the first two are its U
    and V, and the third is 0. All are 0 for a triangle without an area, of which nothing is known.

    Args:
        points: of the triangles' corners, (n, 3, 3).
        uvs: of the same, (n, 3, 2).
    """
    edges = points[:, 1:] - points[:, :1]
    first, second = edges[:, 0], edges[:, 1]
    normal = _cross(first, second)
    squared = _dot(normal, normal)
    flat = squared <= _FLAT * (_dot(first, first) + _dot(second, second)) ** 2
    squared[flat] = 1.0
    # How the barycentric coordinates of the second and third corner change along the plane.
    slopes = np.stack([_cross(second, normal), _cross(normal, first)], axis=1) / squared[:, None, None]
    result = np.empty((len(points), 3, 4))
    result[:, :2, :3] = (uvs[:, 1:] - uvs[:, :1]).transpose(0, 2, 1) @ slopes
    result[:, 2, :3] = normal / np.sqrt(squared)[:, None]
    result[:, :, 3] = -(result[:, :, :3] @ points[:, 0, :, None])[..., 0]
    result[:, :2, 3] += uvs[:, 0]
    result[flat] = 0.0
    return result


def touched(planes: Array, to_local: Array, local: Array, radii: Array) -> Array:
    """Where on the texture spheres may touch triangles: boxes of UVs, (n, 4).

    A sphere cuts the plane of a triangle in a disc, which the affine map from the plane to the texture makes
    an ellipse; the result is the box of that. Its lowest is infinite where they do not touch.

    Args:
        planes: of the triangles, in their own space, (n, 3, 4).
        to_local: 3 x 3, for vectors, from the space of the spheres to that one.
        local: the centres of a sphere for each, (n, 3), in that one.
        radii: (n,), in the space of the spheres.
    """
    values = np.einsum("nij,nj->ni", planes[:, :, :3], local) + planes[:, :, 3]
    gradients = planes[:, :, :3] @ to_local.T
    normal = gradients[:, 2]
    products = np.einsum("nij,nj->ni", gradients, normal)
    squared = products[:, 2]
    flat = squared == 0.0
    squared[flat] = 1.0
    # Where the disc's middle is on the texture: in the spheres' space U and V may change along the normal.
    along = products[:, :2] / squared[:, None]
    middle = values[:, :2] - along * values[:, 2:]
    disc = radii**2 - values[:, 2] ** 2 / squared
    # By vectors: of their squares, where a space is all but flat, the difference would be lost.
    within = gradients[:, :2] - along[:, :, None] * normal[:, None]
    slopes = np.einsum("nij,nij->ni", within, within)
    reach = np.sqrt(np.maximum(slopes * disc[:, None], 0.0))
    result = np.concatenate([middle - reach, -middle - reach], axis=1)
    result[disc < 0.0] = np.inf
    result[flat] = -np.inf
    return result


def joined(boxes: Array, owners: Numbers, apart: float) -> Array:
    """One box around each stretch of them that have one owner and lie beside each other, without empty ones.

    Args:
        boxes: (n, 4).
        owners: (n,).
        apart: what is farther from the one before is not beside it.
    """
    kept = (boxes[:, :2] + boxes[:, 2:] <= 0.0).all(axis=1)
    boxes, owners = boxes[kept], owners[kept]
    if not len(boxes):
        return boxes
    # From the one before to the next, and the other way round.
    gaps = np.maximum(boxes[1:, :2] + boxes[:-1, 2:], boxes[:-1, :2] + boxes[1:, 2:]).max(axis=1)
    begins = np.ones(len(boxes), bool)
    begins[1:] = (gaps > apart) | (owners[1:] != owners[:-1])
    return np.minimum.reduceat(boxes, np.flatnonzero(begins))


def _dot(first: Array, second: Array) -> Array:
    result: Array = np.einsum("ij,ij->i", first, second)
    return result


def _cross(first: Array, second: Array) -> Array:
    """What np.cross gives, for few rows in a fraction of its time."""
    return first[:, _NEXT] * second[:, _LAST] - first[:, _LAST] * second[:, _NEXT]
