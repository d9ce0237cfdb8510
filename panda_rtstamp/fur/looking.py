"""What the main camera sees of a model now, as it is posed."""

from functools import cached_property
from typing import Any

import numpy as np
from panda3d.core import (
    Camera,
    GeomNode,
    LODNode,
    NodePath,
    SequenceNode,
    SwitchNode,
)

from panda_rtstamp.core.geometry import Array, matrix, net_matrix
from panda_rtstamp.core.geoms import drawn_side
from panda_rtstamp.fur.column import FurColumn, Part
from panda_rtstamp.fur.points import Numbers
from panda_rtstamp.fur.sight import Sight

# For each part, which sides of each of its Geoms are drawn (see Sight); none where it is hidden.
_Sides = tuple[tuple[int, ...], ...]


class Look:
    """A model as it is posed and seen at one moment.

    Attributes:
        sight: of its points and their triangles.
    """

    def __init__(self, column: FurColumn, sides: _Sides, to_clip: Array) -> None:
        self._column = column
        first, of_row = column.points.first, column.points.of_row
        corners, drawn = _triangles(column, sides)
        self.sight = Sight(column.world()[first], of_row[corners], drawn, to_clip)

    @cached_property
    def frames(self) -> tuple[Array, Array, Array]:
        """The points' normals, tangents and binormals in the world, (n, 3) each."""
        first = self._column.points.first
        normals, tangents, binormals = (
            self._column.world_vectors(name)[first] for name in ("normal", "tangent", "binormal")
        )
        return normals, tangents, binormals


class Looker:
    """Looks at a model through the main camera, anew only where something moved."""

    def __init__(self, base: Any, column: FurColumn) -> None:
        self._base = base
        self._column = column
        self._seen: tuple[object, Look] | None = None

    def look(self) -> Look | None:
        """The model now; None where there is no camera to see it, or nothing of it is drawn."""
        camera = getattr(self._base, "cam", None) or NodePath()
        if camera.is_empty() or not isinstance(camera.node(), Camera):
            return None
        view = np.linalg.inv(net_matrix(camera))
        to_clip = view @ matrix(camera.node().get_lens().get_projection_mat())
        sides = tuple(_sides(part, camera) for part in self._column.parts)
        if not any(sides):
            return None
        key = self._column.pose, sides, to_clip.tobytes()
        if self._seen is None or self._seen[0] != key:
            self._seen = key, Look(self._column, sides, to_clip)
        return self._seen[1]


def _triangles(column: FurColumn, sides: _Sides) -> tuple[Numbers, Numbers]:
    """The triangles of all that is drawn, (n, 3) rows; and which of their sides are, (n,)."""
    corners, drawn = [np.empty((0, 3), np.int64)], [np.empty(0, np.int64)]
    for part, of_part in zip(column.parts, sides, strict=True):
        for triangles, side in zip(part.triangles, of_part, strict=False):
            corners.append(triangles)
            drawn.append(np.full(len(triangles), side))
    return np.concatenate(corners), np.concatenate(drawn)


def _sides(part: Part, camera: NodePath) -> tuple[int, ...]:
    # Models may be taken out of the scene, or be removed, while somebody paints.
    if part.path.is_empty() or part.path.get_top() != camera.get_top():
        return ()
    node = part.path.node()
    if part.path.is_hidden() or not isinstance(node, GeomNode) or not _is_chosen(part.path, camera):
        return ()
    net = part.path.get_net_state()
    return tuple(drawn_side(net.compose(node.get_geom_state(number))) for number in part.geoms)


def _is_chosen(path: NodePath, camera: NodePath) -> bool:
    """False below a level of detail, or a switch, that shows another child now."""
    while path.has_parent():
        child, path = path, path.get_parent()
        node = path.node()
        number = node.find_child(child.node())
        if isinstance(node, SwitchNode) and number != node.get_visible_child():
            return False
        if isinstance(node, SequenceNode) and number != node.get_frame():
            return False
        if isinstance(node, LODNode) and number < node.get_num_switches():
            # As Panda has it, scales are of the squared distance.
            scale = camera.node().get_lod_scale() * node.get_lod_scale()  # type: ignore[attr-defined]
            distance = camera.get_relative_point(path, node.get_center()).length_squared() * scale
            if not node.get_out(number) ** 2 <= distance < node.get_in(number) ** 2:
                return False
    return True
