"""Models that tests build, of any columns and triangles, and models that nobody here made."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import assetcoop
import numpy as np
from numpy.typing import NDArray
from panda3d.core import (
    Filename,
    Geom,
    GeomEnums,
    GeomNode,
    GeomTriangles,
    GeomVertexArrayFormat,
    GeomVertexData,
    GeomVertexFormat,
    InternalName,
    NodePath,
    Thread,
)

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]

COOP = Path(assetcoop.__file__).parent / "bam" / "models"

_CONTENTS: dict[str, Any] = {
    "vertex": GeomEnums.C_point,
    "normal": GeomEnums.C_normal,
    "tangent": GeomEnums.C_vector,
    "binormal": GeomEnums.C_vector,
    "color": GeomEnums.C_color,
}


def make_geom(columns: Mapping[str, Floats], faces: Rows) -> Geom:
    """A Geom of these columns, (rows, components) each, and triangles, (n, 3). Unknown names are UV sets."""
    layout = GeomVertexArrayFormat()
    for name, values in columns.items():
        contents = _CONTENTS.get(name, GeomEnums.C_texcoord)
        layout.add_column(InternalName.make(name), int(values.shape[1]), GeomEnums.NT_float32, contents)
    kind = GeomVertexFormat.register_format(GeomVertexFormat(layout))
    vertices = GeomVertexData("made", kind, GeomEnums.UH_static)
    rows = np.concatenate(list(columns.values()), axis=1).astype(np.float32)
    vertices.unclean_set_num_rows(len(rows))
    vertices.modify_array_handle(0).set_data(rows.tobytes())
    primitive = GeomTriangles(GeomEnums.UH_static)
    primitive.set_index_type(GeomEnums.NT_uint32)
    primitive.modify_vertices().unclean_set_num_rows(faces.size)
    handle = primitive.modify_vertices_handle(Thread.get_current_thread())
    handle.set_data(faces.astype(np.uint32).tobytes())
    geom = Geom(vertices)
    geom.add_primitive(primitive)
    return geom


def make_node(name: str, *geoms: Geom) -> NodePath:
    """A GeomNode of these Geoms."""
    node = GeomNode(name)
    for geom in geoms:
        node.add_geom(geom)
    return NodePath(node)


def quads(count: int) -> Rows:
    """The triangles of quads that have four rows each, counter-clockwise."""
    corners: Rows = (np.arange(count)[:, None, None] * 4 + np.array([[0, 1, 2], [0, 2, 3]])).reshape(-1, 3)
    return corners


def box_columns(size: Sequence[float]) -> dict[str, Floats]:
    """A box around the origin; each of its six faces has the UVs 0..1. Its triangles are quads(6)."""
    points, normals = [], []
    for axis in range(3):
        for side in (-1.0, 1.0):
            right, up = np.eye(3)[(axis + 1) % 3], np.eye(3)[(axis + 2) % 3]
            out = side * np.eye(3)[axis]
            signs = [(-1, -1), (1, -1), (1, 1), (-1, 1)]
            points += [out + side * x * right + y * up for x, y in signs]
            normals += [out] * 4
    uvs = np.tile([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)], (6, 1))
    return {"vertex": np.array(points) * np.array(size) / 2, "normal": np.array(normals), "texcoord": uvs}


def box(size: Sequence[float], normals: bool = True, flipped: bool = False) -> NodePath:
    """`box_columns` as a model; flipped: wound the wrong way round."""
    columns = box_columns(size)
    if not normals:
        del columns["normal"]
    faces = quads(6)
    return make_node("box", make_geom(columns, faces[:, ::-1] if flipped else faces))


def grid_faces(across: int, along: int) -> Rows:
    """The triangles of a grid of so many cells, of (across + 1) * (along + 1) rows, row by row."""
    corner = np.arange(along)[:, None] * (across + 1) + np.arange(across)
    steps = np.array([[0, 1, across + 2], [0, across + 2, across + 1]])
    rows: Rows = (corner.reshape(-1, 1, 1) + steps).reshape(-1, 3)
    return rows


def _grid(across: int, along: int) -> tuple[Floats, Floats]:
    u, v = np.meshgrid(np.linspace(0, 1, across + 1), np.linspace(0, 1, along + 1))
    return u.ravel(), v.ravel()


def cylinder(uvs: bool, across: int = 64, along: int = 8) -> NodePath:
    """The mantle of a cylinder of radius 1, 2 high, about the Z axis."""
    u, v = _grid(across, along)
    # The last column is the first again, to the bit.
    turn = (u % 1.0) * 2 * np.pi
    normals = np.stack([np.cos(turn), np.sin(turn), np.zeros_like(u)], axis=1)
    columns = {"vertex": normals + np.stack([0 * u, 0 * u, 2 * v - 1], axis=1), "normal": normals}
    if uvs:
        columns["texcoord"] = np.stack([u, v], axis=1)
    return make_node("cylinder", make_geom(columns, grid_faces(across, along)))


def sphere(uvs: bool, across: int = 64, along: int = 32) -> NodePath:
    """A sphere of radius 1 around the origin, its poles on the Z axis."""
    u, v = _grid(across, along)
    # To the bit, the poles are one point, and the last column is the first.
    turn, rise = (u % 1.0) * 2 * np.pi, (v - 0.5) * np.pi
    ring = np.where((v == 0.0) | (v == 1.0), 0.0, np.cos(rise))
    points = np.stack([ring * np.cos(turn), ring * np.sin(turn), np.sin(rise)], axis=1)
    columns = {"vertex": points, "normal": points}
    if uvs:
        columns["texcoord"] = np.stack([u, v], axis=1)
    return make_node("sphere", make_geom(columns, grid_faces(across, along)))


def load(base: Any, scene: NodePath, file: str, name: str) -> NodePath:
    """A model below Panda's `models`, or, where the name ends in .bam, one of assetcoop's.

    Args:
        name: the node's, since what is warned about once is known by it.
    """
    path = Filename.from_os_specific(str(COOP / file)) if file.endswith(".bam") else file
    model: NodePath = base.loader.load_model(path)
    model.reparent_to(scene)
    model.set_name(name)
    return model
