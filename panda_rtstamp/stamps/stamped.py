"""Copies of Geoms with one vertex column more: where their triangles lie on the texture of the marks."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from panda3d.core import Geom, GeomNode, GeomVertexData

from panda_rtstamp.core.geometry import with_column, with_rows, with_triangles
from panda_rtstamp.stamps import uvs
from panda_rtstamp.stamps.mesh import Piece, shared_vertices

# The column's third component, as shaders/stamps/unwrap.vert reads it. Where there is no column at all,
# shaders read zeros.
_NOWHERE = 0.0
_ONE_SIDE = 1.0
_BOTH_SIDES = 2.0
# What tells the places of one vertex on the texture apart: a sixteenth of a texel at 4096.
_STEPS = 65535.0

Corners = npt.NDArray[np.float32]
Bools = npt.NDArray[np.bool_]


def stamped_copies(
    node: GeomNode,
    pieces: Sequence[Piece],
    corners: Sequence[Corners],
    marked: Sequence[bool],
    both_sides: Sequence[Bools],
    set_name: str | None,
) -> list[Geom]:
    """Copies of all Geoms of a node, with the column in them.

    Args:
        pieces: of the Geoms.
        corners: the UVs of each one's triangles, (n, 3, 2).
        marked: whether it can be marked. One that cannot is nowhere on the texture.
        both_sides: for each of its triangles, (n,), whether it is a sheet that is seen from both sides.
        set_name: the UV set that `corners` are; None if they are no set, and vertices lie in several places.
    """
    copies: dict[int, Geom] = {}
    for group in shared_vertices(pieces):
        usable = [number for number in group if marked[number]]
        others = [number for number in group if not marked[number]]
        geoms = {number: node.get_geom(number) for number in group}
        copies |= _unmarked(geoms, others)
        if usable and set_name is not None:
            copies |= _by_set(geoms, usable, pieces, both_sides, set_name)
        elif usable:
            copies |= _by_atlas(geoms, usable, pieces, corners, both_sides)
    return [copies[index] for index in range(len(pieces))]


def _unmarked(geoms: dict[int, Geom], numbers: Sequence[int]) -> dict[int, Geom]:
    if not numbers:
        return {}
    vertices = geoms[numbers[0]].get_vertex_data()
    column = np.full((vertices.get_num_rows(), 3), _NOWHERE, np.float32)
    return _with_vertices(geoms, numbers, with_column(vertices, uvs.COLUMN, column))


def _by_set(
    geoms: dict[int, Geom],
    numbers: Sequence[int],
    pieces: Sequence[Piece],
    both_sides: Sequence[Bools],
    name: str,
) -> dict[int, Geom]:
    """Copies that share all but the column, with the values of a UV set in it."""
    vertices = geoms[numbers[0]].get_vertex_data()
    values = uvs.read(vertices, name)
    assert values is not None
    column = np.column_stack([values, np.full(len(values), _ONE_SIDE)]).astype(np.float32)
    for number in numbers:
        column[pieces[number].triangles[both_sides[number]], 2] = _BOTH_SIDES
    return _with_vertices(geoms, numbers, with_column(vertices, uvs.COLUMN, column))


def _with_vertices(
    geoms: dict[int, Geom], numbers: Sequence[int], vertices: GeomVertexData
) -> dict[int, Geom]:
    copies = {number: geoms[number].make_copy() for number in numbers}
    for copy in copies.values():
        copy.set_vertex_data(vertices)
    return copies


def _by_atlas(
    geoms: dict[int, Geom],
    numbers: Sequence[int],
    pieces: Sequence[Piece],
    corners: Sequence[Corners],
    both_sides: Sequence[Bools],
) -> dict[int, Geom]:
    """Copies with a row of their own for each place where a vertex lies on the texture."""
    rows = np.concatenate([pieces[number].triangles for number in numbers]).reshape(-1)
    places = np.concatenate([corners[number] for number in numbers]).reshape(-1, 2)
    sheets = np.repeat(np.concatenate([both_sides[number] for number in numbers]), 3)
    steps = np.round(places.astype(np.float64) * _STEPS).astype(np.int64)
    _, first, inverse = np.unique((rows << 32) | (steps[:, 0] << 16) | steps[:, 1], True, True)
    sides = np.where(sheets[first], _BOTH_SIDES, _ONE_SIDE)
    column = np.column_stack([places[first], sides]).astype(np.float32)
    vertices = with_rows(geoms[numbers[0]].get_vertex_data(), rows[first])
    vertices = with_column(vertices, uvs.COLUMN, column)
    ends = np.cumsum([len(pieces[number].triangles) for number in numbers])
    indices = np.split(inverse.reshape(-1, 3), ends[:-1])
    return {
        number: with_triangles(geoms[number], vertices, index)
        for number, index in zip(numbers, indices, strict=True)
    }
