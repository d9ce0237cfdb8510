"""Triangles and pixels in numpy: which pixel centres lie inside which triangles, and what a camera sees."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from panda3d.core import Lens, NodePath

from panda_rtstamp.core.geometry import matrix, net_matrix

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Rows = NDArray[np.int64]

# Rasterisers snap corners to 1/256 of a pixel: nearer to an edge than this, either side is right.
HAIR = 1 / 128
_PAIRS_AT_ONCE = 1_000_000


@dataclass(frozen=True)
class Fragments:
    """Pixel centres inside triangles, one row for each pair of the two.

    Attributes:
        row, column: of the pixel.
        triangle: its number.
        shares: (n, 3), how much of each corner there is at this place of the triangle; sums to 1.
        depth: what the corners' w is there.
        margin: pixels to the nearest of the triangle's edges.
    """

    row: Rows
    column: Rows
    triangle: Rows
    shares: Floats
    depth: Floats
    margin: Floats

    def at(self, corners: Floats) -> Floats:
        """Values of the triangles' corners, (triangles, 3, k), at each fragment, (n, k)."""
        result: Floats = np.einsum("ni,nik->nk", self.shares, corners[self.triangle])
        return result

    def __getitem__(self, which: Bools | Rows) -> "Fragments":
        return Fragments(*(getattr(self, name)[which] for name in self.__dataclass_fields__))


def fragments(corners: Floats, width: int, height: int, nearest_w: float = 0.0) -> Fragments:
    """Which pixel centres of a picture lie inside which triangles.

    Args:
        corners: (n, 3, 3): x * w, y * w, w, where x and y are in pixels, and pixel (0, 0) is 0..1. A w <= 0
            is behind the eye.
        nearest_w: fragments with less are clipped; > 0 if any corner is behind the eye.

    After Olano and Greer, Triangle scan conversion using 2D homogeneous coordinates (1997): with the corners
    as the rows of a matrix, a pixel (x, y, 1) times its inverse is the shares divided by w.
    """
    edges = np.stack([np.cross(corners[:, (i + 1) % 3], corners[:, (i + 2) % 3]) for i in range(3)], axis=2)
    size = np.einsum("ni,ni->n", corners[:, 0], edges[:, :, 0])
    fit = np.flatnonzero(np.isfinite(size) & (size != 0.0) & (corners[:, :, 2] > nearest_w).any(axis=1))
    edges = edges[fit] / size[fit, None, None]
    low, counts = _boxes(corners[fit], width, height, nearest_w)
    ends = np.cumsum(counts.prod(axis=1))
    found = []
    start = 0
    while start < len(fit):
        limit = (ends[start - 1] if start else 0) + _PAIRS_AT_ONCE
        stop = max(int(np.searchsorted(ends, limit, side="right")), start + 1)
        chunk = slice(start, stop)
        part = _inside(edges[chunk], low[chunk], counts[chunk], nearest_w)
        part.triangle[:] = fit[chunk][part.triangle]
        found.append(part)
        start = stop
    if not found:
        found.append(_inside(edges, low, counts, nearest_w))
    names = Fragments.__dataclass_fields__
    return Fragments(*(np.concatenate([getattr(part, name) for part in found]) for name in names))


def _boxes(corners: Floats, width: int, height: int, nearest_w: float) -> tuple[Rows, Rows]:
    """The first column and row of pixel centres about each triangle, and how many: both (n, 2).

    About what of it is not clipped: that lies between the corners that are not, and where edges are cut.
    """
    size = np.array([width, height])
    others = np.roll(corners, -1, axis=1)
    w, other_w = corners[..., 2], others[..., 2]
    with np.errstate(divide="ignore", invalid="ignore"):
        cuts = corners + ((nearest_w - w) / (other_w - w))[..., None] * (others - corners)
        ends = np.concatenate([corners, cuts], axis=1)
        places = ends[..., :2] / ends[..., 2:]
    valid = np.concatenate([w > nearest_w, (w > nearest_w) != (other_w > nearest_w)], axis=1)[..., None]
    low = np.ceil(np.clip(np.where(valid, places, np.inf).min(axis=1), 0, size) - 0.5)
    high = np.floor(np.clip(np.where(valid, places, -np.inf).max(axis=1), 0, size) - 0.5)
    high = np.minimum(high, size - 1)
    return low.astype(np.int64), np.maximum(high - low + 1, 0).astype(np.int64)


def _inside(edges: Floats, low: Rows, counts: Rows, nearest_w: float) -> Fragments:
    number = counts.prod(axis=1)
    owner = np.repeat(np.arange(len(edges)), number)
    within = np.arange(number.sum()) - np.repeat(np.cumsum(number) - number, number)
    places = low[owner] + np.stack([within % counts[owner, 0], within // counts[owner, 0]], axis=1)
    edge = edges[owner]
    # The shares divided by w.
    parts = (places[:, :1] + 0.5) * edge[:, 0] + (places[:, 1:] + 0.5) * edge[:, 1] + edge[:, 2]
    inverse_w = parts.sum(axis=1)
    clear = np.flatnonzero((parts >= 0.0).all(axis=1) & (inverse_w > 0.0))
    clear = clear[inverse_w[clear] * nearest_w < 1.0]
    parts, inverse_w = parts[clear], inverse_w[clear]
    margins = parts / np.maximum(np.linalg.norm(edge[clear, :2], axis=1), 1e-300)
    return Fragments(
        places[clear, 1],
        places[clear, 0],
        owner[clear],
        parts / inverse_w[:, None],
        1.0 / inverse_w,
        margins.min(axis=1),
    )


@dataclass(frozen=True)
class Sight:
    """What a camera sees at the pixel centres of a square picture, one row for each that shows a triangle.

    Attributes:
        pixel: its number, row by row from the bottom.
        triangle: the number of the triangle.
        points: (n, 3), in the world.
    """

    pixel: Rows
    triangle: Rows
    points: Floats


@dataclass(frozen=True)
class Eye:
    """A camera, and what of triangles it can see.

    Attributes:
        points: of triangles (n, 3, 3), in the world, counter-clockwise where seen from the front.
        two_sided: (n,), which of them are seen from behind too.
        camera: looks along its Y axis.
        lens: one with perspective.
        size: of its square picture, in pixels.
    """

    points: Floats
    two_sided: Bools
    camera: NodePath
    lens: Lens
    size: int

    def look(self, offset: tuple[float, float] = (0.0, 0.0)) -> Sight:
        """Cast rays through the pixels' centres, or so many pixels beside them."""
        found, pixel = self._fragments(offset)
        # The nearest of each pixel: the first one of it.
        pixel, first = np.unique(pixel, return_index=True)
        nearest = found[first]
        return Sight(pixel, nearest.triangle, nearest.at(self.points))

    def ties(self) -> Rows:
        """The pixels where the two nearest surfaces are as good as equally far: rounding decides.

        A depth buffer of 24 bits, and 32-bit floats before it, tell apart less than a millionth of the depth.
        """
        found, pixel = self._fragments((0.0, 0.0))
        # On an edge that two triangles share, both show the same.
        clear = found.margin > 1e-6
        order = np.argsort(pixel[clear], kind="stable")
        pixel, depth = pixel[clear][order], found.depth[clear][order]
        first = np.append(True, pixel[1:] != pixel[:-1])
        second = first[:-1] & (pixel[1:] == pixel[:-1])
        close = depth[1:] - depth[:-1] < 1e-5 * depth[1:]
        result: Rows = pixel[1:][second & close]
        return result

    def _fragments(self, offset: tuple[float, float]) -> tuple[Fragments, Rows]:
        """What is in each pixel, the nearest first, and the number of the pixel."""
        to_clip = np.linalg.inv(net_matrix(self.camera)) @ matrix(self.lens.get_projection_mat())
        clip = self.points @ to_clip[:3] + to_clip[3]
        w = clip[..., 3]
        places = [(clip[..., axis] + w) / 2 * self.size - offset[axis] * w for axis in range(2)]
        corners = np.stack([*places, w], axis=2)
        seen = np.flatnonzero((np.linalg.det(corners) > 0.0) | self.two_sided)
        found = fragments(corners[seen], self.size, self.size, self.lens.get_near())
        found.triangle[:] = seen[found.triangle]
        found = found[np.argsort(found.depth, kind="stable")]
        return found, found.row * self.size + found.column
