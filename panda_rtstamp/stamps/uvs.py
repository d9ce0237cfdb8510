"""What a UV set is like: whether marks can be laid out by it."""

import zlib
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from panda3d.core import GeomEnums, GeomVertexData

from panda_rtstamp.core.geometry import column

# The vertex column that marks are laid out by.
COLUMN = "rtstamp_uv"
# Where overlap is measured: texel centres of a square of this size.
_GRID = 512
# Candidate texels looked at; beyond that the part seen so far speaks for the whole.
_MOST_CANDIDATES = 4_000_000
_AT_ONCE = 40_000
_ON_EDGE = 1e-12
_TOLERANCE = 1e-3
_NO_AREA = 1e-9
_MOST_MEASURED = 1000
# Of triangles or area: what is less than this is no fault.
WORST_SHARE = 0.005

Uvs = npt.NDArray[np.float64]
Triangles = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Layout:
    """How UVs are laid out.

    Attributes:
        outside: the share of triangles that are not wholly in the tile 0..1.
        flat: the share of triangles without an area.
        overlap: the share of the covered area that is covered more than once.
    """

    outside: float
    flat: float
    overlap: float

    @property
    def faultless(self) -> bool:
        """True if a mark shows everywhere, and nowhere twice."""
        return self.outside == 0.0 and self.flat < WORST_SHARE and self.overlap < WORST_SHARE


def column_names(vertices: GeomVertexData) -> list[str]:
    """The UV sets of vertex data: stamp UVs that were made before, then `texcoord`, then the others."""
    layout = vertices.get_format()
    columns = [
        array.get_column(number) for array in layout.get_arrays() for number in range(array.get_num_columns())
    ]
    names = [
        str(info.get_name().get_name()) for info in columns if info.get_contents() == GeomEnums.C_texcoord
    ]
    return sorted(names, key=lambda name: (name != COLUMN, name != "texcoord"))


def read(vertices: GeomVertexData, name: str) -> Uvs | None:
    """The UVs of a set as (rows, 2); None if there is no such set, or it is not finite or has no area."""
    values = column(vertices, name)
    if values is None or values.shape[1] < 2 or not len(values):
        return None
    uvs = values[:, :2].astype(np.float64)
    # Panda's loader adds a `texcoord` of zeros where a texture stage asks for what the model does not have.
    if not np.isfinite(uvs).all() or not (np.ptp(uvs, axis=0) > 0.0).all():
        return None
    return uvs


def inside(uvs: Triangles) -> bool:
    """True if all are finite and in the tile 0..1."""
    return bool(np.isfinite(uvs).all()) and not _beyond(uvs).any()


def _beyond(uvs: Triangles) -> npt.NDArray[np.bool_]:
    result: npt.NDArray[np.bool_] = (uvs < -_TOLERANCE) | (uvs > 1.0 + _TOLERANCE)
    return result


_measured: dict[int, Layout] = {}


def measure(uvs: Triangles) -> Layout:
    """How the triangles (n, 3, 2) lie in the tile. The same triangles are measured once."""
    key = _key(uvs)
    if key not in _measured:
        deque(measuring(uvs), 0)
    return _measured[key]


def measuring(uvs: Triangles) -> Iterator[None]:
    """Work out what `measure` says of the triangles, some milliseconds of it in each step."""
    key = _key(uvs)
    if key in _measured:
        return
    outside = np.asarray(_beyond(uvs).any(axis=(1, 2)))
    flat: npt.NDArray[np.bool_] = np.abs(_side(uvs[:, 0], uvs[:, 1], uvs[:, 2])) < _NO_AREA
    claims = np.zeros(_GRID * _GRID, np.int64)
    for _ in _counting(uvs, claims):
        yield
    if len(_measured) >= _MOST_MEASURED:
        _measured.clear()
    _measured[key] = Layout(_share(outside), _share(flat), _overlap(claims))


def _key(uvs: Triangles) -> int:
    return zlib.crc32(uvs.tobytes()) << 32 | len(uvs)


def _share(marked: npt.NDArray[np.bool_]) -> float:
    return np.count_nonzero(marked) / max(len(marked), 1)


def overlap(uvs: Triangles) -> float:
    """Texel centres that two or more triangles claim / texel centres claimed, on a grid of 512 x 512."""
    claims = np.zeros(_GRID * _GRID, np.int64)
    deque(_counting(uvs, claims), 0)
    return _overlap(claims)


def _counting(uvs: Triangles, claims: Numbers) -> Iterator[None]:
    """Count, some triangles in each step, how many claim each texel of the grid."""
    for _, texels in covered_texels(uvs, _GRID, _MOST_CANDIDATES):
        claims += np.bincount(texels, minlength=len(claims))
        yield


def _overlap(claims: Numbers) -> float:
    claimed = np.count_nonzero(claims)
    return float(np.count_nonzero(claims > 1) / claimed) if claimed else 0.0


def covered_texels(uvs: Triangles, size: int, most: int | None = None) -> Iterator[tuple[Numbers, Numbers]]:
    """The texels whose centres lie strictly inside triangles: neighbours with a common edge share none.

    Args:
        uvs: (n, 3, 2).
        size: texels along an edge.
        most: texels looked at; those of later triangles are left out.

    Yields:
        The number of the triangle and that of the texel, row * size + column, for each, some at a time.
    """
    low = np.clip(np.floor(uvs.min(axis=1) * size - 0.5), 0, size - 1).astype(np.int64)
    high = np.clip(np.ceil(uvs.max(axis=1) * size - 0.5), 0, size - 1).astype(np.int64)
    widths, heights = (high - low + 1).T
    counts = widths * heights
    ends = np.cumsum(counts)
    kept = len(uvs) if most is None else int(np.searchsorted(ends, most, side="right"))
    start = 0
    while start < kept:
        stop = max(int(np.searchsorted(ends, ends[start] + _AT_ONCE)), start + 1)
        stop = min(stop, kept)
        chunk = slice(start, stop)
        owner, texels = _inside(uvs[chunk], low[chunk], widths[chunk], counts[chunk], size)
        yield owner + start, texels
        start = stop


def _inside(
    uvs: Triangles, low: Numbers, widths: Numbers, counts: Numbers, size: int
) -> tuple[Numbers, Numbers]:
    owner = np.repeat(np.arange(len(uvs)), counts)
    within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    x = low[owner, 0] + within % widths[owner]
    y = low[owner, 1] + within // widths[owner]
    points = (np.stack([x, y], axis=1) + 0.5) / size
    first, second, third = (uvs[owner, corner] for corner in range(3))
    sides = np.stack(
        [_side(first, second, points), _side(second, third, points), _side(third, first, points)]
    )
    inside = (sides > _ON_EDGE).all(axis=0) | (sides < -_ON_EDGE).all(axis=0)
    return owner[inside], (y * size + x)[inside]


def _side(start: Uvs, end: Uvs, points: Uvs) -> npt.NDArray[np.float64]:
    along, to = end - start, points - start
    result: npt.NDArray[np.float64] = along[:, 0] * to[:, 1] - along[:, 1] * to[:, 0]
    return result
