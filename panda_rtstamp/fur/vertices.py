"""Vertex data with columns for fur: shared with what is drawn, and open to being painted on."""

import numpy as np
import numpy.typing as npt
from panda3d.core import (
    GeomEnums,
    GeomVertexArrayFormat,
    GeomVertexData,
    GeomVertexFormat,
    InternalName,
)

from panda_rtstamp.core.geometry import AddedColumn, Array, column, with_columns, without_columns
from panda_rtstamp.fur.frames import normalized, tangents

# x, y: the tangent and binormal parts of a strand's direction, which is of length 1; length; density.
COLUMN = "rtstamp_fur"
# As they are without the column: straight along the normal, full length, full density.
PLAIN = (0.0, 0.0, 1.0, 1.0)
_FRAME = ("tangent", "binormal")
# Of a colour's channel: half a step of 8 bits, within which the middle is no direction at all.
_MIDDLE = 0.5 / 255 + 1e-6

Values = npt.NDArray[np.float32]


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
    return without_columns(vertices, [str(InternalName.get_color())])


def furred(vertices: GeomVertexData, values: Values) -> tuple[GeomVertexData, int]:
    """A copy that shares all it can, with the column, and with tangents where they are missing.

    Args:
        values: of the column, (rows, 4).

    Returns:
        The copy, and the number of the array that the column has to itself.
    """
    result = vertices
    if any(column(vertices, name) is None for name in _FRAME):
        result = with_columns(result, _missing_frame(vertices))
    result = with_columns(result, {COLUMN: AddedColumn(values, GeomEnums.C_other)})
    return result, result.get_format().get_array_with(COLUMN)


def _missing_frame(vertices: GeomVertexData) -> dict[str, AddedColumn]:
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
    return {
        name: AddedColumn(values.astype(np.float32), GeomEnums.C_vector) for name, values in frame.items()
    }
