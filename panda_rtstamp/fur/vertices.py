"""Vertex data with columns for fur: shared with what is drawn, and open to being painted on."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from panda3d.core import (
    GeomEnums,
    GeomVertexArrayData,
    GeomVertexArrayFormat,
    GeomVertexData,
    GeomVertexFormat,
    InternalName,
)

from panda_rtstamp.core.geometry import Array, column
from panda_rtstamp.fur.frames import normalized, tangents

# x, y: the tangent and binormal parts of a strand's direction, which is of length 1; length; density.
COLUMN = "rtstamp_fur"
# As they are without the column: straight along the normal, full length, full density.
PLAIN = (0.0, 0.0, 1.0, 1.0)
_FRAME = ("tangent", "binormal")
# Of a colour's channel: half a step of 8 bits, within which the middle is no direction at all.
_MIDDLE = 0.5 / 255 + 1e-6

Values = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Added:
    """A column to be added, or to take the place of one of its name.

    Attributes:
        values: (rows, components).
        contents: what Panda takes it for: it moves vectors with joints, and leaves other data alone.
    """

    values: Values
    contents: Any


def has_fur_column(vertices: GeomVertexData) -> bool:
    """True if there is the column, of four numbers."""
    found = column(vertices, COLUMN)
    return found is not None and found.shape[1] == len(PLAIN)


def fur_values(vertices: GeomVertexData) -> Values:
    """What the column says, (rows, 4), brought into range; PLAIN where there is none."""
    found = column(vertices, COLUMN) if has_fur_column(vertices) else None
    if found is None:
        return np.tile(np.array(PLAIN, np.float32), (vertices.get_num_rows(), 1))
    return clamped(np.where(np.isfinite(found), found, PLAIN))


def clamped(values: Array) -> Values:
    """Values of the column, (rows, 4), in 32 bits, in their range."""
    result = values.astype(np.float32)
    size = np.sqrt((values[:, :2] ** 2).sum(axis=1))
    leans = size > 1.0
    result[leans, :2] = values[leans, :2] / size[leans, None]
    result[:, 2:] = np.clip(result[:, 2:], 0.0, 1.0)
    return result


def color_values(vertices: GeomVertexData) -> Values | None:
    """The values that the vertex colours stand for, (rows, 4); None without vertex colours.

    Red and green are x and y, as 0..1 stands for -1..1 (128 of 255 for 0), blue is the length, alpha the
    density.
    """
    name = InternalName.get_color()
    if not vertices.has_column(name):
        return None
    layout = GeomVertexFormat()
    layout.add_array(GeomVertexArrayFormat(name, 4, GeomEnums.NT_float32, GeomEnums.C_color))
    plain = vertices.convert_to(GeomVertexFormat.register_format(layout))
    colors = column(plain, "color")
    assert colors is not None
    values = colors.astype(np.float64)
    centred = values[:, :2] - 0.5
    values[:, :2] = np.where(np.abs(centred) <= _MIDDLE, 0.0, centred * 2.0)
    return clamped(values)


def without_colors(vertices: GeomVertexData) -> GeomVertexData:
    """A copy without vertex colours, which is drawn white."""
    return _without(vertices, [str(InternalName.get_color())])


def _without(vertices: GeomVertexData, names: list[str]) -> GeomVertexData:
    draft = GeomVertexFormat(vertices.get_format())
    for name in names:
        if draft.has_column(name):
            draft.remove_column(InternalName.make(name))
    draft.remove_empty_arrays()
    return GeomVertexData(vertices.convert_to(GeomVertexFormat.register_format(draft)))


def furred(vertices: GeomVertexData, values: Values) -> tuple[GeomVertexData, int]:
    """A copy that shares all it can, with the column, and with tangents where they are missing.

    Args:
        values: of the column, (rows, 4).

    Returns:
        The copy, and the number of the array that the column has to itself.
    """
    result = vertices
    if any(column(vertices, name) is None for name in _FRAME):
        result = _with_columns(result, _missing_frame(vertices))
    result = _with_columns(result, {COLUMN: Added(values, GeomEnums.C_other)})
    return result, result.get_format().get_array_with(COLUMN)


def _missing_frame(vertices: GeomVertexData) -> dict[str, Added]:
    """Tangents and binormals; binormals alone where the model has tangents."""
    normals, own = column(vertices, "normal"), column(vertices, "tangent")
    assert normals is not None
    upright = normalized(normals[:, :3].astype(np.float64))
    if own is None:
        frame = dict(zip(_FRAME, tangents(upright), strict=True))
    else:
        # In a fourth component, some formats say which way round the UVs are.
        side = own[:, 3:4].astype(np.float64) if own.shape[1] > 3 else 1.0
        frame = {"binormal": np.cross(upright, own[:, :3].astype(np.float64)) * side}
    return {name: Added(values.astype(np.float32), GeomEnums.C_vector) for name, values in frame.items()}


def _with_columns(vertices: GeomVertexData, added: Mapping[str, Added]) -> GeomVertexData:
    """A copy that shares the arrays, with these columns in one of their own."""
    names = list(added)
    if any(vertices.has_column(name) for name in names):
        vertices = _without(vertices, names)
    part = GeomVertexArrayFormat()
    for name, one in added.items():
        components = int(one.values.shape[1])
        part.add_column(InternalName.make(name), components, GeomEnums.NT_float32, one.contents)
    draft = GeomVertexFormat(vertices.get_format())
    number = draft.add_array(part)
    layout = GeomVertexFormat.register_format(draft)
    array = GeomVertexArrayData(layout.get_array(number), vertices.get_usage_hint())
    array.unclean_set_num_rows(vertices.get_num_rows())
    rows = np.concatenate([one.values for one in added.values()], axis=1)
    array.modify_handle().set_data(np.ascontiguousarray(rows, np.float32).tobytes())
    result = GeomVertexData(vertices, layout)
    for index in range(vertices.get_num_arrays()):
        result.set_array(index, vertices.get_array(index))
    result.set_array(number, array)
    return result
