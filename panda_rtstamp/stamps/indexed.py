"""One Geom's triangles, found by what spheres touch them and by where they lie on the texture."""

import numpy as np
import numpy.typing as npt
from panda3d.core import Geom, GeomVertexData

from panda_rtstamp.core.geometry import Array, column, inverse, is_posed, posed, triangles
from panda_rtstamp.core.rect import Rect
from panda_rtstamp.stamps import uvs
from panda_rtstamp.stamps.spatial_index import Numbers, SpatialIndex, joined, planes_of, touched

# A posed Geom of more triangles may be touched anywhere: to look at all of them takes longer than to draw.
_MOST_POSED = 20_000
# Pairs of a triangle and a sphere that are looked at; of more, the boxes of runs are enough.
_MOST_PAIRS = 100_000
# In UVs: boxes that are farther from each other than this are not joined.
_APART = 1 / 32
_ANYWHERE = np.array([[0.0, 0.0, 0.0], [1e30, 1e30, 1e30]])


class IndexedGeom:
    """The triangles of a Geom that can be marked.

    Attributes:
        corners: their rows of the Geom's vertices, (n, 3).
        is_posed: joints or morphs move its vertices.
        box: around the corners, in the vertices' space: middle and half the edges, (2, 3). A posed one may be
            anywhere.
    """

    def __init__(self, geom: Geom) -> None:
        vertices = geom.get_vertex_data()
        values = column(vertices, uvs.COLUMN)
        corners = triangles(geom) if values is not None else np.empty((0, 3), np.int64)
        places = np.zeros((1, 3), np.float32) if values is None else values.astype(np.float32)
        corners = corners[(places[corners][..., 2] > 0.5).all(axis=1)]
        self._index = SpatialIndex(corners, places[corners][..., :2])
        self.corners = self._index.corners
        self.is_posed = is_posed(vertices)
        self._rest = None if self.is_posed else _positions(vertices)
        self._boxes = None if self._rest is None else self._index.boxes(self._rest)
        self.box = _ANYWHERE if self._boxes is None else _box_around(self._boxes)
        # Filled in where spheres come near: of all triangles it would take long, and much memory.
        self._planes = np.empty((len(self.corners), 3, 4))
        self._has_planes = np.zeros(len(self.corners), bool)

    @property
    def runs(self) -> Array:
        """Where on the texture it lies: boxes of UVs, (n, 4), as `touched` gives them."""
        return self._index.runs

    def on_texture(self, rect: Rect, size: int) -> Numbers:
        """The numbers of the triangles that touch these texels of a texture of `size` along an edge."""
        return self._index.on_texture(rect, size)

    def touched(self, vertices: GeomVertexData, to_scene: Array, centers: Array, radii: Array) -> Array:
        """Where on the texture spheres touch it: one box or more for each sphere that does.

        Args:
            vertices: of the Geom, as they are now.
            to_scene: 4 x 4, from their space to that of the spheres.
            centers: of the spheres, (n, 3).
            radii: (n,).

        Returns:
            (n, 4): the lowest U and V, and the highest, negated (see spatial_index.py).
        """
        if not len(self.corners):
            return np.empty((0, 4))
        if self.is_posed and len(self.corners) > _MOST_POSED:
            return self._index.extent
        linear = inverse(to_scene[:3, :3])
        if linear is None:
            return self._index.extent
        positions = _positions(posed(vertices)) if self._rest is None else self._rest
        boxes = self._index.boxes(positions) if self._boxes is None else self._boxes
        # Of a sphere, which is an ellipsoid in the vertices' space, the box there.
        local = (centers - to_scene[3, :3]) @ linear
        reach = radii[:, None] * np.sqrt((linear * linear).sum(axis=0))
        limits = np.concatenate([local + reach, reach - local], axis=1)
        # Of a run with a vertex that is no number nothing is known.
        spheres, runs = np.nonzero(~(boxes > limits[:, None]).any(axis=2))
        if len(runs) * self._index.run > _MOST_PAIRS:
            return self._index.runs[np.unique(runs)]
        numbers, places = self._index.members(runs)
        planes = self._planes_of(numbers, positions)
        owners = spheres[places]
        found = self._index.cut_off(numbers, touched(planes, linear, local[owners], radii[owners]))
        # A run of a model with few triangles is spread over the whole texture.
        return joined(found, owners, _APART)

    def _planes_of(self, numbers: Numbers, positions: npt.NDArray[np.float32]) -> Array:
        """Of these triangles, with the vertices at these positions; kept, unless the Geom is posed."""
        new = numbers if self.is_posed else numbers[~self._has_planes[numbers]]
        if len(new):
            points = positions[self.corners[new]].astype(np.float64)
            self._planes[new] = planes_of(points, self._index.uvs[new])
            self._has_planes[new] = True
        return self._planes[numbers]


def _box_around(boxes: Array) -> Array:
    box = boxes.min(axis=0) if len(boxes) else np.zeros(6)
    return np.stack([box[:3] - box[3:], -box[:3] - box[3:]]) / 2.0


def _positions(vertices: GeomVertexData) -> npt.NDArray[np.float32]:
    values = column(vertices, "vertex")
    if values is None:
        return np.zeros((vertices.get_num_rows(), 3), np.float32)
    return values[:, :3].astype(np.float32)
