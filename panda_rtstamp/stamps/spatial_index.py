"""Finds triangles by where they are on the model, and by where they lie on the texture.

Triangles are kept in the order of a curve through the texture, so that those beside each other are so on the
texture too, and for the most part on the model. Boxes around each run of them spare looking at the others.
"""

import numpy as np
import numpy.typing as npt

from panda_rtstamp.core.geometry import Array
from panda_rtstamp.core.rect import Rect

# Triangles in a run.
_RUN = 32
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

    run = _RUN

    def __init__(self, corners: Numbers, uvs: Singles) -> None:
        order = np.argsort(_morton(uvs.mean(axis=1)), kind="stable")
        self.corners = corners[order]
        self.uvs = uvs[order]
        self._starts = np.arange(0, len(order), _RUN)
        self._low, self._high = self.uvs.min(axis=1), self.uvs.max(axis=1)
        self._run_low = self._of_runs(np.minimum, self._low)
        self._run_high = self._of_runs(np.maximum, self._high)

    def _of_runs(self, reduce: np.ufunc, values: Singles) -> Array:
        found = reduce.reduceat(values, self._starts, axis=0) if len(values) else values
        return found.astype(np.float64)

    def boxes(self, positions: Singles) -> tuple[Array, Array]:
        """The boxes of all runs, (runs, 3) each: lowest and highest, of vertex positions (rows, 3)."""
        points = positions[self.corners]
        return self._of_runs(np.minimum, points.min(axis=1)), self._of_runs(np.maximum, points.max(axis=1))

    def extent(self, runs: Numbers | None = None) -> Array:
        """Where on the texture these runs lie, or one box for all: (n, 4), lowest and highest UVs."""
        boxes = np.concatenate([self._run_low, self._run_high], axis=1)
        if runs is not None:
            return boxes[runs]
        return np.concatenate([boxes[:, :2].min(axis=0), boxes[:, 2:].max(axis=0)])[None]

    def members(self, runs: Numbers) -> tuple[Numbers, Numbers]:
        """The triangles of these runs, and for each its place in `runs`."""
        ends = np.minimum(self._starts[runs] + _RUN, len(self.corners))
        counts = ends - self._starts[runs]
        place = np.repeat(np.arange(len(runs)), counts)
        within = np.arange(len(place)) - np.repeat(np.cumsum(counts) - counts, counts)
        return self._starts[runs][place] + within, place

    def on_texture(self, rect: Rect, size: int) -> Numbers:
        """The triangles that touch these texels of a texture of `size` texels along an edge."""
        low = np.array([rect.left, rect.bottom]) / size
        high = np.array([rect.right, rect.top]) / size
        runs = np.flatnonzero(((self._run_low <= high) & (self._run_high >= low)).all(axis=1))
        found, _ = self.members(runs)
        result: Numbers = found[((self._low[found] <= high) & (self._high[found] >= low)).all(axis=1)]
        return result


def _morton(points: Singles) -> Numbers:
    """Places of points of the unit square, (n, 2), along a Z-order curve (Morton, 1966)."""
    cells = np.clip(points * 2**_BITS, 0, 2**_BITS - 1).astype(np.int64)
    result = np.zeros(len(points), np.int64)
    for bit in range(_BITS):
        for axis in range(2):
            result |= (cells[:, axis] >> bit & 1) << (2 * bit + axis)
    return result


def touched(points: Array, uvs: Singles, centers: Array, radii: Array) -> Array:
    """Where on the texture spheres may touch triangles: boxes, lowest and highest UVs, (n, 4).

    Each sphere cuts the plane of its triangle in a disc, which the affine map from the plane to the texture
    makes an ellipse; the result is the box of that, cut off by the triangle's own. It is empty (highest below
    lowest) where they do not touch.

    Args:
        points: of the triangles' corners, (n, 3, 3).
        uvs: of the same, (n, 3, 2).
        centers: of a sphere for each, (n, 3).
        radii: (n,).
    """
    first, second = points[:, 1] - points[:, 0], points[:, 2] - points[:, 0]
    to_center = centers - points[:, 0]
    normal = _cross(first, second)
    squared = _dot(normal, normal)
    flat = squared <= _FLAT * (_dot(first, first) + _dot(second, second)) ** 2
    squared[flat] = 1.0
    height = _dot(to_center, normal) / np.sqrt(squared)
    disc = radii**2 - height**2
    # How the barycentric coordinates of the second and third corner change along the plane.
    slopes = _cross(second, normal) / squared[:, None], _cross(normal, first) / squared[:, None]
    edges = uvs[:, 1] - uvs[:, 0], uvs[:, 2] - uvs[:, 0]
    low, high = uvs.min(axis=1), uvs.max(axis=1)
    result = np.empty((len(points), 4))
    for axis in range(2):
        gradient = edges[0][:, axis, None] * slopes[0] + edges[1][:, axis, None] * slopes[1]
        middle = uvs[:, 0, axis] + _dot(gradient, to_center)
        reach = np.sqrt(_dot(gradient, gradient) * np.maximum(disc, 0.0))
        result[:, axis] = np.maximum(low[:, axis], middle - reach)
        result[:, axis + 2] = np.minimum(high[:, axis], middle + reach)
    result[disc < 0.0, 2:] = -np.inf
    # Of a triangle without an area nothing is known.
    result[flat] = np.concatenate([low[flat], high[flat]], axis=1)
    return result


def _dot(first: Array, second: Array) -> Array:
    result: Array = np.einsum("ij,ij->i", first, second)
    return result


def _cross(first: Array, second: Array) -> Array:
    """What np.cross gives, for few rows in a fraction of its time."""
    return first[:, _NEXT] * second[:, _LAST] - first[:, _LAST] * second[:, _NEXT]
