"""The triangles below a wall's node, in its space."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from panda3d.core import Geom, GeomEnums, GeomNode, GeomVertexData, NodePath, Thread

from panda_rtstamp.core.geometry import Array, column, is_posed, matrix, posed, triangles
from panda_rtstamp.core.tags import OVERLAY_TAG

# Whether a node is another wall's.
IsTaken = Callable[[NodePath], bool]


class _Posed:
    """A Geom whose vertices joints or morphs move."""

    def __init__(self, geom: Geom, to_wall: Array) -> None:
        self._vertices = geom.get_vertex_data()
        self._corners = triangles(geom)
        self._to_wall = to_wall

    @property
    def pose(self) -> list[object]:
        """Another list after joints or morphs moved."""
        thread = Thread.get_current_thread()
        tables = self._vertices.get_transform_blend_table(), self._vertices.get_slider_table()
        return [table.get_modified(thread) for table in tables if table is not None]

    def triangles(self) -> Array:
        """As they are posed now."""
        return moved(_corners(posed(self._vertices), self._corners), self._to_wall)


class WallMesh:
    """All triangles below a node, but those at or below taken nodes. Stashed ones do not count."""

    def __init__(self, node: NodePath, is_taken: IsTaken) -> None:
        rigid: list[Array] = [np.empty((0, 3, 3))]
        self._posed: list[_Posed] = []
        for path in _geom_nodes(node, is_taken):
            to_wall = matrix(path.get_mat(node))
            for geom in _geoms(path):
                if is_posed(geom.get_vertex_data()):
                    self._posed.append(_Posed(geom, to_wall))
                else:
                    rigid.append(moved(_corners(geom.get_vertex_data(), triangles(geom)), to_wall))
        self._rigid = np.concatenate(rigid)

    @property
    def pose(self) -> list[object]:
        """Another list after any joints or morphs moved."""
        return [part for geom in self._posed for part in geom.pose]

    def triangles(self) -> Array:
        """Their corners in the node's space, (n, 3, 3)."""
        return np.concatenate([self._rigid, *(geom.triangles() for geom in self._posed)])


def has_triangles(node: NodePath) -> bool:
    """Whether there are any below the node."""
    return any(
        geom.get_primitive_type() == GeomEnums.PT_polygons and geom.get_num_primitives() > 0
        for path in _geom_nodes(node, lambda path: False)
        for geom in _geoms(path)
    )


def moved(points: Array, to_space: Array) -> Array:
    """Corners of triangles, (n, 3, 3), by a matrix of Panda's: equal ones are equal to the bit afterwards.

    Where the matrix mirrors, corners are swapped, so that faces stay on the outside.
    """
    if np.linalg.det(to_space[:3, :3]) < 0.0:
        points = points[:, ::-1]
    # A product of matrices may round by place: corners that triangles share would part.
    x, y, z = points[..., :1], points[..., 1:2], points[..., 2:]
    result: Array = x * to_space[0, :3] + y * to_space[1, :3] + z * to_space[2, :3] + to_space[3, :3]
    return result


def _geom_nodes(node: NodePath, is_taken: IsTaken) -> list[NodePath]:
    """The paths to all GeomNodes at and below the node; of an instanced one, to each instance."""
    found, left = [], [node]
    while left:
        path = left.pop()
        if isinstance(path.node(), GeomNode) and not path.node().has_tag(OVERLAY_TAG):
            found.append(path)
        left += [child for child in path.get_children() if not is_taken(child)]
    return found


def _geoms(path: NodePath) -> list[Geom]:
    node = path.node()
    assert isinstance(node, GeomNode)
    return [node.get_geom(number) for number in range(node.get_num_geoms())]


def _corners(vertices: GeomVertexData, rows: npt.NDArray[np.int64]) -> Array:
    values = column(vertices, "vertex")
    if values is None:
        return np.empty((0, 3, 3))
    corners: Array = values[:, :3].astype(np.float64)[rows]
    return corners
