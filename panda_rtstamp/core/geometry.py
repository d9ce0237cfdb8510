"""Panda's vertex data as numpy arrays, and vertex data with other rows or with a column more."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from panda3d.core import (
    Geom,
    GeomEnums,
    GeomPrimitive,
    GeomTriangles,
    GeomVertexArrayData,
    GeomVertexArrayFormat,
    GeomVertexData,
    GeomVertexFormat,
    InternalName,
    LMatrix4f,
    NodePath,
    SliderTable,
    SparseArray,
    Thread,
    TransformBlendTable,
)

Array = npt.NDArray[np.float64]

_TYPES: dict[int, type[np.generic]] = {
    GeomEnums.NT_uint8: np.uint8,
    GeomEnums.NT_uint16: np.uint16,
    GeomEnums.NT_uint32: np.uint32,
    GeomEnums.NT_float32: np.float32,
    GeomEnums.NT_float64: np.float64,
}

# Of a matrix whose entries are up to 1, the determinant up to which it counts as flattening.
_SINGULAR = 1e-14


def matrix(source: LMatrix4f) -> Array:
    """A Panda matrix (row vectors: point @ matrix) as 4 x 4 floats."""
    return np.array(source, np.float64)


def as_matrix(source: Array) -> LMatrix4f:
    """4 x 4 floats as a Panda matrix."""
    return LMatrix4f(*source.ravel().tolist())


def determinant(linear: Array) -> float:
    """Of 3 x 3 floats. For one matrix numpy takes ten times as long."""
    (a, b, c), (d, e, f), (g, h, i) = linear.tolist()
    return float(a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g))


def inverse(linear: Array) -> Array | None:
    """Of 3 x 3 floats, by cofactors; None of a matrix that flattens, or all but does."""
    (a, b, c), (d, e, f), (g, h, i) = linear.tolist()
    first, second, third = e * i - f * h, f * g - d * i, d * h - e * g
    size = a * first + b * second + c * third
    if abs(size) <= _SINGULAR * max(map(abs, (a, b, c, d, e, f, g, h, i))) ** 3:
        return None
    rows = (first, c * h - b * i, b * f - c * e), (second, a * i - c * g, c * d - a * f)
    result: Array = np.array([*rows, (third, b * g - a * h, a * e - b * d)]) / size
    return result


def net_matrix(node: NodePath) -> Array:
    """From the node's space to its topmost ancestor's, the world's."""
    return matrix(node.get_net_transform().get_mat())


def column(vertices: GeomVertexData, name: str) -> npt.NDArray[np.generic] | None:
    """The rows of a vertex column, (rows, components); None if there is none of a plain number type."""
    internal = InternalName.make(name)
    array = vertices.get_format().get_array_with(internal)
    if array < 0:
        return None
    info = vertices.get_format().get_column(internal)
    kind = _TYPES.get(info.get_numeric_type())
    if kind is None:
        return None
    return _column_of_array(vertices.get_array(array), info.get_start(), info.get_num_components(), kind)


def _column_of_array(
    array: GeomVertexArrayData, start: int, components: int, kind: type[np.generic]
) -> npt.NDArray[np.generic]:
    stride = array.get_array_format().get_stride()
    # Through the handle: a memoryview of the array itself fails on animated models.
    rows = np.frombuffer(array.get_handle().get_data(), np.uint8).reshape(-1, stride)
    width = components * np.dtype(kind).itemsize
    return np.ascontiguousarray(rows[:, start : start + width]).view(kind)


def is_posed(vertices: GeomVertexData) -> bool:
    """True if joints or morphs move them."""
    return bool(vertices.get_transform_blend_table() or vertices.get_slider_table())


def posed(vertices: GeomVertexData) -> GeomVertexData:
    """Where joints and morphs put the vertices now. Panda keeps the result for whoever draws them."""
    return vertices.animate_vertices(True, Thread.get_current_thread())


def triangles(geom: Geom) -> npt.NDArray[np.int64]:
    """The vertex rows of all triangles, (n, 3); lines and points have none."""
    if geom.get_primitive_type() != GeomEnums.PT_polygons:
        return np.empty((0, 3), np.int64)
    plain = geom.decompose()
    lists = [_indices(plain.get_primitive(number)) for number in range(plain.get_num_primitives())]
    return np.concatenate(lists).reshape(-1, 3) if lists else np.empty((0, 3), np.int64)


def _indices(primitive: GeomPrimitive) -> npt.NDArray[np.int64]:
    if not primitive.is_indexed():
        first = primitive.get_first_vertex()
        return np.arange(first, first + primitive.get_num_vertices(), dtype=np.int64)
    kind = _TYPES[primitive.get_index_type()]
    data = primitive.get_vertices().get_handle().get_data()
    return np.frombuffer(data, kind).astype(np.int64)


@dataclass(frozen=True)
class AddedColumn:
    """A column to be added, or to take the place of one of its name.

    Attributes:
        values: (rows, components), float32.
        contents: what Panda takes it for: it moves vectors with joints, and leaves other data alone.
    """

    values: npt.NDArray[np.float32]
    contents: Any


def with_columns(vertices: GeomVertexData, added: Mapping[str, AddedColumn]) -> GeomVertexData:
    """A copy of `vertices` that shares every array, with these columns in one of their own.

    Args:
        added: by name; of each, one row for each of `vertices`.
    """
    if any(vertices.has_column(name) for name in added):
        # Of two columns of one name, Panda reads the first.
        vertices = without_columns(vertices, list(added))
    part = GeomVertexArrayFormat()
    for name, one in added.items():
        part.add_column(InternalName.make(name), one.values.shape[1], GeomEnums.NT_float32, one.contents)
    draft = GeomVertexFormat(vertices.get_format())
    number = draft.add_array(part)
    layout = GeomVertexFormat.register_format(draft)
    array = GeomVertexArrayData(layout.get_array(number), GeomEnums.UH_static)
    array.unclean_set_num_rows(vertices.get_num_rows())
    rows = np.concatenate([one.values for one in added.values()], axis=1)
    array.modify_handle().set_data(np.ascontiguousarray(rows, np.float32).tobytes())
    result = GeomVertexData(vertices, layout)
    for index in range(vertices.get_num_arrays()):
        result.set_array(index, vertices.get_array(index))
    result.set_array(number, array)
    return result


def with_column(vertices: GeomVertexData, name: str, values: npt.NDArray[np.float32]) -> GeomVertexData:
    """As `with_columns`, of one column of UVs."""
    return with_columns(vertices, {name: AddedColumn(values, GeomEnums.C_texcoord)})


def without_columns(vertices: GeomVertexData, names: Sequence[str]) -> GeomVertexData:
    """A copy without these columns, if it has them."""
    draft = GeomVertexFormat(vertices.get_format())
    for name in names:
        if draft.has_column(name):
            draft.remove_column(InternalName.make(name))
    draft.remove_empty_arrays()
    return GeomVertexData(vertices.convert_to(GeomVertexFormat.register_format(draft)))


def with_rows(vertices: GeomVertexData, rows: npt.NDArray[np.int64]) -> GeomVertexData:
    """A copy of `vertices` whose row i is the original's row rows[i], in every column, skinned like it."""
    result = GeomVertexData(vertices)
    for number in range(vertices.get_num_arrays()):
        array = vertices.get_array(number)
        stride = array.get_array_format().get_stride()
        source = np.frombuffer(array.get_handle().get_data(), np.uint8).reshape(-1, stride)
        gathered = GeomVertexArrayData(array.get_array_format(), array.get_usage_hint())
        gathered.unclean_set_num_rows(len(rows))
        gathered.modify_handle().set_data(source[rows].tobytes())
        result.set_array(number, gathered)
    # Both tables say which rows they are for: left as they are, the new rows would stay in the bind pose.
    blends = vertices.get_transform_blend_table()
    if blends is not None:
        moved = TransformBlendTable(blends)
        moved.set_rows(SparseArray.lower_on(len(rows)))
        result.set_transform_blend_table(moved)
    sliders = vertices.get_slider_table()
    if sliders is not None:
        result.set_slider_table(_sliders_of_rows(sliders, rows))
    return result


def _sliders_of_rows(sliders: SliderTable, rows: npt.NDArray[np.int64]) -> SliderTable:
    result = SliderTable()
    for number in range(sliders.get_num_sliders()):
        before, after = sliders.get_slider_rows(number), SparseArray()
        moved = np.zeros(int(rows.max(initial=-1)) + 1, bool)
        for part in range(before.get_num_subranges()):
            moved[before.get_subrange_begin(part) : before.get_subrange_end(part)] = True
        # Ranges and not single bits: morphs move whole parts of a model.
        edges = np.flatnonzero(np.diff(moved[rows].astype(np.int8), prepend=0, append=0))
        for start, end in edges.reshape(-1, 2):
            after.set_range(int(start), int(end - start))
        result.add_slider(sliders.get_slider(number), after)
    return SliderTable.register_table(result)


def with_triangles(geom: Geom, vertices: GeomVertexData, corners: npt.NDArray[np.int64]) -> Geom:
    """A copy of `geom` that draws these triangles, (n, 3) rows of `vertices`, in its shade model."""
    triangles = indexed_triangles(corners)
    triangles.set_shade_model(geom.get_shade_model())
    result = geom.make_copy()
    result.clear_primitives()
    result.set_vertex_data(vertices)
    result.add_primitive(triangles)
    return result


def indexed_triangles(corners: npt.NDArray[np.integer[Any]]) -> GeomTriangles:
    """A primitive of triangles, given by rows of vertices: (n, 3)."""
    result = GeomTriangles(GeomEnums.UH_static)
    result.set_index_type(GeomEnums.NT_uint32)
    indices = result.modify_vertices()
    indices.unclean_set_num_rows(corners.size)
    indices.modify_handle().set_data(np.ascontiguousarray(corners, np.uint32).tobytes())
    return result
