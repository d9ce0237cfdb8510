"""What a camera sees of triangles: the one under a point of the picture, and which vertices are hidden."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from panda_rtstamp.core.geometry import Array
from panda_rtstamp.fur.frames import dot, normalized
from panda_rtstamp.fur.points import Numbers, expanded

Bools = npt.NDArray[np.bool_]

# Of the way from the camera: what is nearer by less hides nothing, for vertices are in 32 bits.
_SAME_DEPTH = 1e-4
# Of a triangle's side: so far beyond the edge a ray still hits, and finds no gap between neighbours.
_ON_EDGE = 1e-9
_MOST_CELLS = 64


@dataclass(frozen=True)
class Hit:
    """Where a ray meets a triangle.

    Attributes:
        point: (3,), in the world.
        corners: (3,), rows of the triangle's corners.
        shares: (3,), barycentric coordinates: point = shares @ corners' positions.
        normal: (3,), of length 1, of the triangle; towards the camera.
    """

    point: Array
    corners: Numbers
    shares: Array
    normal: Array


class Sight:
    """What a camera sees of some triangles.

    Args:
        positions: of the vertex rows, (n, 3), in the world.
        triangles: (m, 3) rows.
        sides: (m,), which of their sides are drawn: 1 the one whose corners are counter-clockwise in the
            picture, -1 the other one, 0 both.
        to_clip: 4 x 4, from the world to the camera's clip space, for row vectors.
    """

    def __init__(self, positions: Array, triangles: Numbers, sides: Numbers, to_clip: Array) -> None:
        self.positions = positions
        self._to_clip = to_clip
        self._from_clip = np.linalg.inv(to_clip)
        clip = positions @ to_clip[:3] + to_clip[3]
        self._before = clip[:, 3] > 0.0
        self._picture = clip[:, :2] / np.where(self._before, clip[:, 3], 1.0)[:, None]
        # Counter-clockwise in the picture: also of what is partly behind the camera.
        one, two, three = (clip[triangles[:, corner]][:, [0, 1, 3]] for corner in range(3))
        turn = dot(one, np.cross(two, three))
        drawn = self._before[triangles].any(axis=1) & (turn != 0.0) & (sides * turn >= 0.0)
        self._triangles = triangles[drawn]
        corners = self._picture[self._triangles]
        # What is partly behind may be anywhere in the picture.
        whole = self._before[self._triangles].all(axis=1)[:, None]
        self._low = np.where(whole, corners.min(axis=1), -np.inf)
        self._high = np.where(whole, corners.max(axis=1), np.inf)
        self._faces = np.zeros(len(positions), bool)
        self._faces[self._triangles] = True

    def unproject(self, place: Array, like: Array) -> Array:
        """The point of the world at a place of the picture, (2,), as deep in it as the point `like`."""
        clip = like @ self._to_clip[:3] + self._to_clip[3]
        world = np.concatenate([place * clip[3], clip[2:]]) @ self._from_clip
        result: Array = world[:3] / world[3]
        return result

    def _starts(self, clip: Array) -> Array:
        """Where rays to points in clip space, (n, 4), leave the camera's near plane: (n, 3), in the world."""
        near = np.concatenate([clip[:, :2] / clip[:, 3:], np.full((len(clip), 1), -1.0)], axis=1)
        world = near @ self._from_clip[:3] + self._from_clip[3]
        result: Array = world[:, :3] / world[:, 3:]
        return result

    def hit(self, place: Array) -> Hit | None:
        """The nearest thing drawn at a place of the picture, (2,), -1..1; None if nothing is."""
        under = np.flatnonzero(((self._low <= place) & (self._high >= place)).all(axis=1))
        if not len(under):
            return None
        start = self._starts(np.array([[*place, 0.0, 1.0]]))
        way = np.array([[*place, 1.0, 1.0]]) @ self._from_clip
        way = way[:, :3] / way[:, 3:] - start
        shares, depths = _meet(start, way, self.positions[self._triangles[under]])
        nearest = int(np.argmin(depths))
        if not np.isfinite(depths[nearest]):
            return None
        corners = self._triangles[under[nearest]]
        places = self.positions[corners]
        normal = normalized(np.cross(places[1] - places[0], places[2] - places[0])[None])[0]
        if normal @ way[0] > 0.0:
            normal = -normal
        return Hit(shares[nearest] @ places, corners, shares[nearest], normal)

    def visible(self, rows: Numbers) -> Bools:
        """For each of these rows, whether it is before the camera, of something drawn, and not hidden."""
        seen: Bools = self._before[rows] & self._faces[rows]
        kept = np.flatnonzero(seen)
        points = self.positions[rows[kept]]
        ours, theirs = _boxes_around(self._picture[rows[kept]], self._low, self._high)
        corners = self.positions[self._triangles[theirs]]
        # What a vertex is a corner of does not hide it, nor what only touches it, at a seam.
        apart = (corners != points[ours][:, None]).any(axis=2).all(axis=1)
        ours, corners = ours[apart], corners[apart]
        starts = self._starts(points @ self._to_clip[:3] + self._to_clip[3])
        _, depths = _meet(starts[ours], (points - starts)[ours], corners)
        seen[kept[ours[depths < 1.0 - _SAME_DEPTH]]] = False
        return seen


def _meet(starts: Array, ways: Array, corners: Array) -> tuple[Array, Array]:
    """Where rays meet triangles (n, 3, 3): shares of the corners (n, 3), and depths (n,), inf beside them.

    A depth is the part of the way. From Moeller and Trumbore, "Fast, Minimum Storage Ray-Triangle
    Intersection", Journal of Graphics Tools 2 (1), 1997.
    """
    one, other = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    across = np.cross(ways, other)
    size = dot(one, across)
    flat = size == 0.0
    size = np.where(flat, 1.0, size)
    offset = starts - corners[:, 0]
    second = dot(offset, across) / size
    turned = np.cross(offset, one)
    third = dot(np.broadcast_to(ways, turned.shape), turned) / size
    depths = dot(other, turned) / size
    shares = np.stack([1.0 - second - third, second, third], axis=1)
    meets = (shares >= -_ON_EDGE).all(axis=1) & (depths > 0.0) & ~flat
    return shares, np.where(meets, depths, np.inf)


def _boxes_around(points: Array, low: Array, high: Array) -> tuple[Numbers, Numbers]:
    """All pairs of a point (n, 2) and a box (m, 2) that it lies in, through a grid over the points."""
    if not len(points):
        return np.empty(0, np.int64), np.empty(0, np.int64)
    origin, far = points.min(axis=0), points.max(axis=0)
    side = int(np.clip(np.sqrt(len(points)), 1, _MOST_CELLS))
    cell = np.maximum((far - origin) / side, 1e-300)
    boxes = np.flatnonzero(((high >= origin) & (low <= far)).all(axis=1))
    first, last = (
        np.clip((edge[boxes] - origin) / cell, 0, side - 1).astype(np.int64) for edge in (low, high)
    )
    width, height = (last - first + 1).T
    box, within = expanded(np.zeros(len(boxes), np.int64), width * height)
    cells = (first[box, 1] + within // width[box]) * side + first[box, 0] + within % width[box]
    order = np.argsort(cells, kind="stable")
    at = np.clip((points - origin) / cell, 0, side - 1).astype(np.int64)
    number = at[:, 1] * side + at[:, 0]
    ends = np.searchsorted(cells[order], np.stack([number, number + 1]))
    ours, places = expanded(ends[0], ends[1])
    theirs = boxes[box[order[places]]]
    inside = ((low[theirs] <= points[ours]) & (high[theirs] >= points[ours])).all(axis=1)
    return ours[inside], theirs[inside]
