"""Panda's vertex data as arrays: columns, triangles, and a column more that shares all others."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from direct.actor.Actor import Actor
from panda3d.core import (
    Geom,
    GeomEnums,
    GeomLines,
    GeomNode,
    GeomPoints,
    GeomPrimitive,
    GeomTriangles,
    GeomTrifans,
    GeomTristrips,
    GeomVertexArrayFormat,
    GeomVertexData,
    GeomVertexFormat,
    GeomVertexReader,
    GeomVertexWriter,
    LMatrix4f,
    NodePath,
    Thread,
)

from panda_rtstamp.core.anchor import address
from panda_rtstamp.core.geometry import column, matrix, net_matrix, triangles, with_column


def vertex_data(rows: int, layout: GeomVertexFormat | None = None) -> GeomVertexData:
    """Vertex data whose row i lies at (i, 2 i, 3 i)."""
    data = GeomVertexData("test", layout or GeomVertexFormat.get_v3(), GeomEnums.UH_static)
    data.set_num_rows(rows)
    writer = GeomVertexWriter(data, "vertex")
    for row in range(rows):
        writer.set_data3(row, 2 * row, 3 * row)
    return data


def geom_of(
    kind: Callable[[Any], GeomPrimitive], primitives: Sequence[Sequence[int]], rows: int = 12
) -> Geom:
    """A Geom of one primitive object that holds these strips, fans, triangles, lines or points."""
    primitive = kind(GeomEnums.UH_static)
    for indices in primitives:
        for index in indices:
            primitive.add_vertex(index)
        primitive.close_primitive()
    geom = Geom(vertex_data(rows))
    geom.add_primitive(primitive)
    return geom


def turned(rows: "np.typing.NDArray[np.int64]") -> set[tuple[int, ...]]:
    """Triangles regardless of the corner they begin with; which way round they go counts."""
    starts = rows.argmin(axis=1)
    return {tuple(np.roll(row, -start).tolist()) for row, start in zip(rows, starts, strict=True)}


# Matrices.


def test_matrix_is_for_row_vectors() -> None:
    values = np.arange(16.0).reshape(4, 4)
    assert np.array_equal(matrix(LMatrix4f(*values.ravel().tolist())), values)


def test_net_matrix_goes_to_the_world() -> None:
    root = NodePath("root")
    outer = root.attach_new_node("outer")
    outer.set_pos(10.0, 0.0, 0.0)
    outer.set_h(90.0)
    inner = outer.attach_new_node("inner")
    inner.set_pos(1.0, 0.0, 0.0)
    inner.set_scale(2.0, 3.0, 4.0)
    # (1, 1, 1) is (3, 3, 4) in outer, and a quarter turn makes that (-3, 3, 4).
    assert np.allclose(np.array([1.0, 1.0, 1.0, 1.0]) @ net_matrix(inner), [7.0, 3.0, 4.0, 1.0], atol=1e-5)
    assert np.array_equal(net_matrix(root), np.eye(4))


# Columns.


def test_columns_of_interleaved_data() -> None:
    data = vertex_data(5, GeomVertexFormat.get_v3n3t2())
    writer = GeomVertexWriter(data, "texcoord")
    for row in range(5):
        writer.set_data2(0.1 * row, 1.0 - 0.1 * row)
    positions, uvs = column(data, "vertex"), column(data, "texcoord")
    rows = np.arange(5)[:, None]
    assert positions is not None
    assert uvs is not None
    assert positions.dtype == np.float32
    assert np.array_equal(positions, rows * [1.0, 2.0, 3.0])
    assert np.allclose(uvs, np.hstack([0.1 * rows, 1.0 - 0.1 * rows]), atol=1e-7)


@pytest.mark.parametrize(
    ("numeric", "kind", "largest"),
    [
        (GeomEnums.NT_uint8, np.uint8, 255),
        (GeomEnums.NT_uint16, np.uint16, 65535),
        (GeomEnums.NT_uint32, np.uint32, 2**24),
        (GeomEnums.NT_float32, np.float32, 1.5),
        (GeomEnums.NT_float64, np.float64, 1.5),
    ],
)
@pytest.mark.parametrize("components", [1, 2, 3, 4])
def test_columns_of_every_type(numeric: Any, kind: type[np.generic], largest: float, components: int) -> None:
    array = GeomVertexArrayFormat("pad", 1, GeomEnums.NT_uint8, GeomEnums.C_other)
    array.add_column("wanted", components, numeric, GeomEnums.C_other)
    layout = GeomVertexFormat()
    layout.add_array(array)
    data = GeomVertexData("test", GeomVertexFormat.register_format(layout), GeomEnums.UH_static)
    data.set_num_rows(3)
    writer = GeomVertexWriter(data, "wanted")
    for row in range(3):
        writer.set_data4(largest * (row == 1), 0, 0, 0)
    values = column(data, "wanted")
    assert values is not None
    assert values.dtype == kind
    assert values.shape == (3, components)
    assert np.array_equal(values[:, 0], np.array([0, largest, 0], kind))


def test_a_column_that_is_not_there() -> None:
    assert column(vertex_data(3), "texcoord") is None


def test_a_packed_column_is_none_of_plain_numbers() -> None:
    assert column(vertex_data(3, GeomVertexFormat.get_v3cp()), "color") is None


def test_a_column_is_a_copy() -> None:
    data = vertex_data(3)
    values = column(data, "vertex")
    assert values is not None
    GeomVertexWriter(data, "vertex").set_data3(7, 7, 7)
    assert values[0].tolist() == [0, 0, 0]


def test_columns_of_an_animated_model(base: Any) -> None:
    """Its arrays have gaps between the columns, and a memoryview of them raises."""
    actor = Actor("models/panda-model")
    compared = 0
    for path in actor.find_all_matches("**/+GeomNode"):
        node = path.node()
        assert isinstance(node, GeomNode)
        for index in range(node.get_num_geoms()):
            data = node.get_geom(index).get_vertex_data()
            values = column(data, "vertex")
            reader = GeomVertexReader(data, "vertex")
            wanted = np.array([tuple(reader.get_data3()) for _ in range(data.get_num_rows())])
            assert values is not None
            assert np.array_equal(values[:, :3], wanted.astype(np.float32))
            compared += len(wanted)
    assert compared > 1000
    actor.cleanup()
    actor.remove_node()


# Triangles.


@pytest.mark.parametrize(
    ("kind", "primitives", "expected"),
    [
        (GeomTriangles, [(0, 1, 2), (4, 3, 2)], {(0, 1, 2), (2, 4, 3)}),
        (GeomTristrips, [(0, 1, 2, 3, 4)], {(0, 1, 2), (1, 3, 2), (2, 3, 4)}),
        (GeomTristrips, [(0, 1, 2), (6, 7, 8, 9)], {(0, 1, 2), (6, 7, 8), (7, 9, 8)}),
        (GeomTrifans, [(0, 1, 2, 3)], {(0, 1, 2), (0, 2, 3)}),
        (GeomTrifans, [(5, 1, 2, 3), (9, 8, 7)], {(1, 2, 5), (2, 3, 5), (7, 9, 8)}),
    ],
)
def test_triangles_of_every_primitive(
    kind: Callable[[Any], GeomPrimitive], primitives: list[tuple[int, ...]], expected: set[tuple[int, ...]]
) -> None:
    found = triangles(geom_of(kind, primitives))
    assert found.shape == (len(expected), 3)
    assert turned(found) == expected


def test_triangles_without_an_index() -> None:
    primitive = GeomTriangles(GeomEnums.UH_static)
    primitive.add_next_vertices(9)
    geom = Geom(vertex_data(9))
    geom.add_primitive(primitive)
    assert not geom.get_primitive(0).is_indexed()
    assert triangles(geom).tolist() == [[0, 1, 2], [3, 4, 5], [6, 7, 8]]


def test_triangles_without_an_index_that_begin_in_the_middle() -> None:
    primitive = GeomTriangles(GeomEnums.UH_static)
    primitive.add_consecutive_vertices(3, 6)
    geom = Geom(vertex_data(9))
    geom.add_primitive(primitive)
    assert triangles(geom).tolist() == [[3, 4, 5], [6, 7, 8]]


def test_strips_without_an_index() -> None:
    primitive = GeomTristrips(GeomEnums.UH_static)
    primitive.add_consecutive_vertices(2, 4)
    primitive.close_primitive()
    geom = Geom(vertex_data(9))
    geom.add_primitive(primitive)
    assert turned(triangles(geom)) == {(2, 3, 4), (3, 5, 4)}


@pytest.mark.parametrize("index_type", [GeomEnums.NT_uint8, GeomEnums.NT_uint16, GeomEnums.NT_uint32])
def test_triangles_of_every_index_type(index_type: Any) -> None:
    primitive = GeomTriangles(GeomEnums.UH_static)
    primitive.set_index_type(index_type)
    primitive.add_vertices(0, 1, 2)
    primitive.add_vertices(2, 1, 200)
    geom = Geom(vertex_data(256))
    geom.add_primitive(primitive)
    assert triangles(geom).tolist() == [[0, 1, 2], [2, 1, 200]]


def test_triangles_of_more_rows_than_16_bits_count() -> None:
    geom = geom_of(GeomTriangles, [(0, 1, 70_000)], rows=70_001)
    assert triangles(geom).tolist() == [[0, 1, 70_000]]


def test_triangles_of_several_primitives() -> None:
    geom = geom_of(GeomTristrips, [(0, 1, 2, 3)])
    more = GeomTristrips(GeomEnums.UH_static)
    for index in (4, 5, 6):
        more.add_vertex(index)
    more.close_primitive()
    geom.add_primitive(more)
    assert turned(triangles(geom)) == {(0, 1, 2), (1, 3, 2), (4, 5, 6)}


@pytest.mark.parametrize(("kind", "indices"), [(GeomLines, (0, 1)), (GeomPoints, (0,))])
def test_lines_and_points_have_no_triangles(
    kind: Callable[[Any], GeomPrimitive], indices: tuple[int, ...]
) -> None:
    found = triangles(geom_of(kind, [indices]))
    assert found.shape == (0, 3)


def test_an_empty_geom_has_no_triangles() -> None:
    assert triangles(Geom(vertex_data(0))).shape == (0, 3)
    geom = Geom(vertex_data(3))
    geom.add_primitive(GeomTriangles(GeomEnums.UH_static))
    assert triangles(geom).shape == (0, 3)


def test_triangles_of_real_models(base: Any) -> None:
    """As many as Panda counts, and none beyond the rows there are."""
    for name in ("models/teapot", "models/smiley", "models/panda"):
        model = base.loader.load_model(name)
        for path in model.find_all_matches("**/+GeomNode"):
            node = path.node()
            for index in range(node.get_num_geoms()):
                geom = node.get_geom(index)
                plain = geom.decompose()
                faces = sum(primitive.get_num_faces() for primitive in plain.get_primitives())
                found = triangles(geom)
                assert len(found) == faces
                assert faces > 0
                assert found.max() < geom.get_vertex_data().get_num_rows()


# A column more.

UVS = np.array([[0.25 * row, 1.0 - 0.125 * row] for row in range(4)], np.float32)


def read_uvs(data: GeomVertexData, name: str = "rtstamp_uv") -> "np.typing.NDArray[np.float32]":
    """A texture coordinate column as Panda reads it."""
    reader = GeomVertexReader(data, name)
    assert reader.has_column()
    return np.array([tuple(reader.get_data2()) for _ in range(data.get_num_rows())], np.float32)


def test_the_added_column_reads_back() -> None:
    result = with_column(vertex_data(4), "rtstamp_uv", UVS)
    assert np.array_equal(read_uvs(result), UVS)
    added = result.get_format().get_column("rtstamp_uv")
    assert added.get_contents() == GeomEnums.C_texcoord
    # In an array of its own, so that no other one had to be copied.
    array = result.get_format().get_array(result.get_format().get_array_with("rtstamp_uv"))
    assert array.get_num_columns() == 1
    assert result.get_num_rows() == 4


def test_all_other_arrays_are_shared() -> None:
    layout = GeomVertexFormat(GeomVertexFormat.get_v3n3t2())
    layout.add_array(GeomVertexArrayFormat("extra", 1, GeomEnums.NT_float32, GeomEnums.C_other))
    data = vertex_data(4, GeomVertexFormat.register_format(layout))
    result = with_column(data, "rtstamp_uv", UVS)
    assert result.get_num_arrays() == data.get_num_arrays() + 1
    for index in range(data.get_num_arrays()):
        assert address(result.get_array(index)) == address(data.get_array(index))


def test_the_original_is_left_alone() -> None:
    data = vertex_data(4, GeomVertexFormat.get_v3n3t2())
    before = data.get_modified()
    layout = data.get_format()
    with_column(data, "rtstamp_uv", UVS)
    assert data.get_modified() == before
    assert data.get_format() == layout
    assert not data.has_column("rtstamp_uv")


def test_the_values_are_copied() -> None:
    values = UVS.copy()
    result = with_column(vertex_data(4), "rtstamp_uv", values)
    values[:] = 9.0
    assert np.array_equal(read_uvs(result), UVS)


def test_values_of_any_layout_and_precision() -> None:
    wide = np.zeros((4, 4), np.float32)
    wide[:, ::2] = UVS
    result = with_column(vertex_data(4), "rtstamp_uv", wide[:, ::2])
    assert np.array_equal(read_uvs(result), UVS)
    turned_around = np.asfortranarray(UVS)
    assert np.array_equal(read_uvs(with_column(vertex_data(4), "rtstamp_uv", turned_around)), UVS)


def test_data_that_has_the_column_already() -> None:
    """A model that was saved while it was marked: the new values count, and nothing else changes."""
    once = with_column(vertex_data(4, GeomVertexFormat.get_v3t2()), "rtstamp_uv", UVS)
    twice = with_column(once, "rtstamp_uv", 1.0 - UVS)
    assert np.array_equal(read_uvs(twice), 1.0 - UVS)
    assert np.array_equal(read_uvs(once), UVS)
    positions = column(twice, "vertex")
    assert positions is not None
    assert np.array_equal(positions, np.arange(4)[:, None] * [1.0, 2.0, 3.0])


def test_data_without_rows() -> None:
    result = with_column(vertex_data(0), "rtstamp_uv", np.empty((0, 2), np.float32))
    assert result.get_num_rows() == 0
    assert result.has_column("rtstamp_uv")


def test_animation_is_kept(base: Any) -> None:
    """Blend tables, sliders and what the CPU makes of them."""
    actor = Actor("models/panda-model", {"walk": "models/panda-walk4"})
    node = actor.find("**/+GeomNode").node()
    assert isinstance(node, GeomNode)
    data = node.get_geom(0).get_vertex_data()
    uvs = np.full((data.get_num_rows(), 2), 0.5, np.float32)
    result = with_column(data, "rtstamp_uv", uvs)
    assert address(result.get_transform_blend_table()) == address(data.get_transform_blend_table())
    actor.pose("walk", 7)
    actor.update(force=True)
    posed, wanted = (
        column(each.animate_vertices(True, Thread.get_current_thread()), "vertex") for each in (result, data)
    )
    rest = column(data, "vertex")
    assert posed is not None
    assert wanted is not None
    assert rest is not None
    assert np.array_equal(posed, wanted)
    assert math.dist(posed[0], rest[0]) > 1e-3
    actor.cleanup()
    actor.remove_node()


def test_morph_sliders_are_kept(base: Any) -> None:
    model = base.loader.load_model("models/ripple")
    found = 0
    for path in model.find_all_matches("**/+GeomNode"):
        node = path.node()
        for index in range(node.get_num_geoms()):
            data = node.get_geom(index).get_vertex_data()
            table = data.get_slider_table()
            if table is not None:
                result = with_column(data, "rtstamp_uv", np.zeros((data.get_num_rows(), 2), np.float32))
                assert address(result.get_slider_table()) == address(table)
                found += 1
    assert found > 0
