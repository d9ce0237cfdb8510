"""Meshes as arrays, and Panda3D's nodes from them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from panda3d.core import (
    Geom,
    GeomEnums,
    GeomNode,
    GeomTriangles,
    GeomVertexArrayFormat,
    GeomVertexData,
    GeomVertexFormat,
    InternalName,
)

from models.making.pack import pack

Array = NDArray[np.float64]
Vector = tuple[float, float, float]

# How much of the atlas stays free between two islands.
PADDING = 0.01
# A vertex as it is stored.
_ROW = [("vertex", "<f4", 3), ("normal", "<f4", 3), ("color", "u1", 4), ("uv", "<f4", 2), ("tile", "<f4", 2)]
# Triangles with less area (square metres) than this are left out: they are where points fall together.
_LEAST_AREA = 1e-8


@dataclass(frozen=True)
class Mesh:
    """Triangles, and what each vertex has.

    positions and normals: (n, 3). uv: (n, 2), metres within an island until `lay_out`, then in the atlas.
    tile: (n, 2), of the repeating texture. colors: (n, 3), 0..1. islands: (n,), numbers from 0.
    triangles: (t, 3), counterclockwise as seen from outside.
    """

    positions: Array
    normals: Array
    uv: Array
    tile: Array
    colors: Array
    islands: NDArray[np.int64]
    triangles: NDArray[np.int64]

    def moved(self, offset: Vector) -> "Mesh":
        """The mesh, moved by metres."""
        return replace(self, positions=self.positions + np.array(offset))

    def turned(self, rotation: Array) -> "Mesh":
        """The mesh, turned by a (3, 3) matrix without scale, whose columns are the new axes."""
        return replace(self, positions=self.positions @ rotation.T, normals=self.normals @ rotation.T)

    def tinted(self, color: Vector) -> "Mesh":
        """The mesh, its colours multiplied by one."""
        return replace(self, colors=self.colors * np.array(color))

    def rescaled(self, share: float) -> "Mesh":
        """The mesh, its repeating texture larger: coordinates multiplied by a share."""
        return replace(self, tile=self.tile * share)

    def tiled(self, offset: tuple[float, float]) -> "Mesh":
        """The mesh, its repeating texture shifted by shares of the texture."""
        return replace(self, tile=self.tile + np.array(offset))

    def cleaned(self) -> "Mesh":
        """The mesh without triangles that have no area, and without vertices that no triangle uses."""
        corners = self.positions[self.triangles]
        cross = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        triangles = self.triangles[np.linalg.norm(cross, axis=1) > 2 * _LEAST_AREA]
        used, inverse = np.unique(triangles, return_inverse=True)
        return Mesh(
            self.positions[used],
            self.normals[used],
            self.uv[used],
            self.tile[used],
            self.colors[used],
            np.unique(self.islands[used], return_inverse=True)[1],
            inverse.reshape(-1, 3),
        )


def around_z(degrees: float) -> Array:
    """The matrix of a turn around the Z axis, counterclockwise from above."""
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])


def merge(meshes: Sequence[Mesh]) -> Mesh:
    """One mesh of several; each keeps its islands."""
    vertices = np.cumsum([0, *(len(mesh.positions) for mesh in meshes)])
    islands = np.cumsum([0, *(int(mesh.islands.max()) + 1 for mesh in meshes)])
    return Mesh(
        np.concatenate([mesh.positions for mesh in meshes]),
        np.concatenate([mesh.normals for mesh in meshes]),
        np.concatenate([mesh.uv for mesh in meshes]),
        np.concatenate([mesh.tile for mesh in meshes]),
        np.concatenate([mesh.colors for mesh in meshes]),
        np.concatenate([mesh.islands + start for mesh, start in zip(meshes, islands[:-1], strict=True)]),
        np.concatenate([mesh.triangles + start for mesh, start in zip(meshes, vertices[:-1], strict=True)]),
    )


def lay_out(meshes: Sequence[Mesh]) -> list[Mesh]:
    """The meshes with their islands packed into one atlas that they share."""
    whole = merge(meshes)
    count = int(whole.islands.max()) + 1
    low = np.full((count, 2), np.inf)
    high = np.full((count, 2), -np.inf)
    np.minimum.at(low, whole.islands, whole.uv)
    np.maximum.at(high, whole.islands, whole.uv)
    sizes = high - low
    # Tall islands are laid down, since shelves are filled best by what is flat.
    tall = sizes[:, 1] > sizes[:, 0]
    scale, offsets = pack(np.where(tall[:, None], sizes[:, ::-1], sizes), PADDING)
    local = whole.uv - low[whole.islands]
    lying = np.stack([local[:, 1], sizes[whole.islands, 0] - local[:, 0]], axis=1)
    uv = np.where(tall[whole.islands, None], lying, local) * scale + offsets[whole.islands]
    ends = np.cumsum([len(mesh.positions) for mesh in meshes])
    return [replace(mesh, uv=part) for mesh, part in zip(meshes, np.split(uv, ends[:-1]), strict=True)]


def make_node(mesh: Mesh, name: str) -> GeomNode:
    """A node with the mesh as its one Geom."""
    array = GeomVertexArrayFormat()
    array.add_column(InternalName.get_vertex(), 3, GeomEnums.NT_float32, GeomEnums.C_point)
    array.add_column(InternalName.get_normal(), 3, GeomEnums.NT_float32, GeomEnums.C_normal)
    array.add_column(InternalName.get_color(), 4, GeomEnums.NT_uint8, GeomEnums.C_color)
    array.add_column(InternalName.get_texcoord(), 2, GeomEnums.NT_float32, GeomEnums.C_texcoord)
    tile = InternalName.get_texcoord_name("tile")
    array.add_column(tile, 2, GeomEnums.NT_float32, GeomEnums.C_texcoord)
    vertex_format = GeomVertexFormat.register_format(GeomVertexFormat(array))
    rows = np.zeros(len(mesh.positions), _ROW)
    rows["vertex"] = mesh.positions
    rows["normal"] = mesh.normals
    rows["color"][:, :3] = np.round(np.clip(mesh.colors, 0, 1) * 255)
    rows["color"][:, 3] = 255
    rows["uv"] = mesh.uv
    rows["tile"] = mesh.tile
    data = GeomVertexData(name, vertex_format, Geom.UH_static)
    data.unclean_set_num_rows(len(rows))
    data.modify_array_handle(0).copy_data_from(rows.tobytes())
    triangles = GeomTriangles(Geom.UH_static)
    for triangle in mesh.triangles:
        triangles.add_vertices(*(int(vertex) for vertex in triangle))
    geom = Geom(data)
    geom.add_primitive(triangles)
    node = GeomNode(name)
    node.add_geom(geom)
    return node
