"""What a painter sees: a strand on every vertex as it is painted, and a ring where the brush is."""

from typing import Any

import numpy as np
from panda3d.core import (
    BitMask32,
    CullBinAttrib,
    DepthTestAttrib,
    DepthWriteAttrib,
    Geom,
    GeomLines,
    GeomLinestrips,
    GeomNode,
    GeomVertexData,
    GeomVertexFormat,
    NodePath,
    Point3,
    RenderAttrib,
    RenderState,
    ShaderAttrib,
    TransparencyAttrib,
    Vec3,
)

from panda_rtstamp.core.geometry import Array, with_column, with_rows
from panda_rtstamp.core.shader import load_shader
from panda_rtstamp.core.tags import OVERLAY_TAG
from panda_rtstamp.fur.column import FurColumn, Part
from panda_rtstamp.fur.points import Numbers
from panda_rtstamp.fur.sight import Hit

_SHADERS = ("rtstamp/fur/lines.vert", "rtstamp/fur/lines.frag")
_END = "rtstamp_strand"
_PRIORITY = 10000
_LAST = CullBinAttrib.make("fixed", 1000)
_RING_SIDES = 48
# Above the surface, so that it is not half in it; of the radius.
_RING_HEIGHT = 0.02


class _Strands:
    """The strands of one part: lines from root to tip, which joints and morphs move as they move the part."""

    def __init__(self, column: FurColumn, part: Part, length: float) -> None:
        self.part = part
        # One strand for each point, though it has several rows; and only where there is a surface.
        used = np.unique(np.concatenate(part.triangles))
        _, first = np.unique(column.points.of_row[used], return_index=True)
        self._rows = np.repeat(used[first], 2)
        vertices = with_rows(part.vertices, self._rows - part.rows.start)
        ends = np.tile(np.array([[0.0], [1.0]], np.float32), (len(self._rows) // 2, 1))
        self._vertices = with_column(vertices, _END, ends)
        lines = GeomLines(Geom.UH_static)
        lines.add_next_vertices(len(self._rows))
        geom = Geom(self._vertices)
        geom.add_primitive(lines)
        node = GeomNode("rtstamp-strands")
        shader = ShaderAttrib.make(load_shader(*_SHADERS, {"STRANDS": 1}), _PRIORITY)
        # Joints and morphs are applied on the CPU, whatever is the way of the game.
        shader = shader.set_flag(ShaderAttrib.F_hardware_skinning, False)
        opaque = TransparencyAttrib.make(TransparencyAttrib.M_none)
        node.add_geom(geom, RenderState.make(shader.set_shader_input("u_length", length), opaque, _PRIORITY))
        node.set_into_collide_mask(BitMask32.all_off())
        node.set_tag(OVERLAY_TAG, "fur")
        self.node = NodePath(node)
        self.update(column)

    def update(self, column: FurColumn) -> None:
        """Show the values as they are."""
        handle = self._vertices.modify_array_handle(self.part.array)
        handle.set_data(column.values[self._rows].tobytes())


class PainterView:
    """Strands and ring; nothing is left of them after `destroy`.

    Args:
        base: a ShowBase.
        length: of a strand that is painted as long as can be, in the world.
    """

    def __init__(self, base: Any, column: FurColumn, length: float) -> None:
        self._column = column
        self._strands = [
            _Strands(column, part, length)
            for part in column.parts
            if part.has_fur and any(len(corners) for corners in part.triangles)
        ]
        self._ring = NodePath(_ring())
        self._ring.reparent_to(base.render)
        self._ring.hide()
        self.show(True)

    def show(self, shown: bool) -> None:
        """Draw the strands, or do not."""
        for strands in self._strands:
            if shown and not strands.part.path.is_empty():
                strands.node.reparent_to(strands.part.path)
            else:
                strands.node.detach_node()

    def update(self, rows: Numbers) -> None:
        """Show the values of these rows as they are now."""
        for strands in self._strands:
            part = strands.part.rows
            if ((rows >= part.start) & (rows < part.stop)).any():
                strands.update(self._column)

    def put_ring(self, hit: Hit | None, radius: float) -> None:
        """Put the ring where the brush touches; nowhere if that is None."""
        if hit is None:
            self._ring.hide()
            return
        self._ring.show()
        self._ring.set_pos(*(hit.point + hit.normal * radius * _RING_HEIGHT).tolist())
        ahead, up = hit.point + hit.normal * radius, _across(hit.normal)
        self._ring.look_at(Point3(*ahead.tolist()), Vec3(*up.tolist()))
        self._ring.set_scale(radius)

    def destroy(self) -> None:
        """Take everything away. Idempotent."""
        for strands in self._strands:
            strands.node.remove_node()
        self._strands = []
        self._ring.remove_node()


def _across(normal: Array) -> Array:
    """Some direction that is not the normal's."""
    result: Array = np.eye(3)[int(np.argmin(np.abs(normal)))]
    return result


def _ring() -> GeomNode:
    """A circle of radius 1 about the Y axis, drawn over everything."""
    turn = np.linspace(0.0, 2 * np.pi, _RING_SIDES + 1)
    rows = np.stack([np.cos(turn), 0 * turn, np.sin(turn)], axis=1).astype(np.float32)
    vertices = GeomVertexData("ring", GeomVertexFormat.get_v3(), Geom.UH_static)
    vertices.unclean_set_num_rows(len(rows))
    vertices.modify_array_handle(0).set_data(rows.tobytes())
    strip = GeomLinestrips(Geom.UH_static)
    strip.add_next_vertices(len(rows))
    strip.close_primitive()
    geom = Geom(vertices)
    geom.add_primitive(strip)
    node = GeomNode("rtstamp-brush-ring")
    state = RenderState.make(
        ShaderAttrib.make(load_shader(*_SHADERS), _PRIORITY),
        DepthTestAttrib.make(RenderAttrib.M_none),
        DepthWriteAttrib.make(DepthWriteAttrib.M_off),
        _LAST,
        _PRIORITY,
    )
    node.add_geom(geom, state)
    node.set_into_collide_mask(BitMask32.all_off())
    return node
