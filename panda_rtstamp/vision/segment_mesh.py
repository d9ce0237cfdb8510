"""Walls as the graphics card gets them: segments at one height, drawn into the wall map and onto the mask."""

from dataclasses import dataclass

import numpy as np
from panda3d.core import (
    Geom,
    GeomEnums,
    GeomVertexArrayFormat,
    GeomVertexData,
    GeomVertexFormat,
    InternalName,
    Texture,
)

from panda_rtstamp.core.geometry import Array, indexed_triangles

# Which end, which side, which part: of two quads on four vertices each.
_CORNERS = np.array([(end, side, part, 1) for part in (0, 1) for side in (-1, 1) for end in (0, 1)])
_QUAD = np.array([0, 1, 2, 2, 1, 3])
_VERTICES = len(_CORNERS)


def _make_format() -> GeomVertexFormat:
    array = GeomVertexArrayFormat()
    array.add_column(InternalName.get_vertex(), 4, GeomEnums.NT_float32, GeomEnums.C_other)
    array.add_column(InternalName.make("segment"), 4, GeomEnums.NT_float32, GeomEnums.C_other)
    return GeomVertexFormat.register_format(GeomVertexFormat(array))


_FORMAT = _make_format()


@dataclass(frozen=True)
class SegmentMesh:
    """Segments on the graphics card.

    Attributes:
        count: how many there are.
        arcs: draws each as two quads, for wall_map.vert.
        shadows: draws each as one quad, for shadow.vert.
        ends: a buffer texture of their ends, by number.
    """

    count: int
    arcs: Geom
    shadows: Geom
    ends: Texture


def make_mesh(ends: Array, origin: Array) -> SegmentMesh:
    """Segments for the graphics card.

    Args:
        ends: (n, 2, 2), in the world.
        origin: (2,), which the card measures from: 32-bit floats are exact near it.
    """
    segments = (ends - origin).reshape(-1, 4).astype(np.float32)
    rows = np.empty((len(segments), _VERTICES, 8), np.float32)
    rows[..., :4] = _CORNERS
    rows[..., 4:] = segments[:, None]
    vertices = GeomVertexData("rtstamp-walls", _FORMAT, GeomEnums.UH_static)
    vertices.unclean_set_num_rows(len(segments) * _VERTICES)
    vertices.modify_array_handle(0).set_data(rows.tobytes())
    first = _VERTICES * np.arange(len(segments))[:, None]
    both = np.concatenate([_QUAD, _QUAD + 4])
    return SegmentMesh(
        len(segments), _geom(vertices, first + both), _geom(vertices, first + _QUAD), _buffer(segments)
    )


def _geom(vertices: GeomVertexData, corners: "np.typing.NDArray[np.int64]") -> Geom:
    geom = Geom(vertices)
    geom.add_primitive(indexed_triangles(corners.reshape(-1, 3)))
    return geom


def _buffer(segments: "np.typing.NDArray[np.float32]") -> Texture:
    texture = Texture("rtstamp-segments")
    # One at least: there are no textures of nothing.
    rows = segments if len(segments) else np.zeros((1, 4), np.float32)
    texture.setup_buffer_texture(len(rows), Texture.T_float, Texture.F_rgba32, GeomEnums.UH_static)
    texture.set_ram_image(rows.tobytes())
    return texture
