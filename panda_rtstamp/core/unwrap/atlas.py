"""Triangles in, an atlas out."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from panda_rtstamp.core.unwrap import backends, charts, facing, overlaps
from panda_rtstamp.core.unwrap.mesh import Bools, Floats, Ints, Mesh, number_vertices, renumber, weld
from panda_rtstamp.core.unwrap.packing import pack

METHODS = ("uvunwrap", "xatlas", "own")
_TEXELS = 1024
_GRIDS = (512, 1024)
_MOST_REPAIRS = 4

Uvs = npt.NDArray[np.float32]
Progress = Callable[[float], None]


@dataclass(frozen=True)
class Atlas:
    """UVs that no two triangles share.

    Attributes:
        corners: float32 (n, 3, 2), the UVs of each triangle's corners, in 0..1. Triangles run as they do in
            space: one that is counter-clockwise to whom it faces is so in its UVs.
        charts: int32 (n,), the chart of each triangle, from 0; -1 for those without an area, whose corners
            lie together at a place that a neighbour covers.
        method: which of METHODS the charts are from.
        padding: the texels of a texture of 1024 x 1024 that lie between two charts; half of it at the border.
    """

    corners: npt.NDArray[np.float32]
    charts: npt.NDArray[np.int32]
    method: str
    padding: float


def unwrap(
    positions: npt.ArrayLike,
    parts: npt.ArrayLike,
    method: str = "auto",
    seconds: float = 30.0,
    progress: Progress | None = None,
) -> Atlas:
    """Lay triangles out in the square 0..1.

    Args:
        positions: (n, 3, 3), the corners of the triangles, in any unit.
        parts: integers (n,): corners are welded, and charts spread, only within a part.
        method: one of METHODS, or "auto": the first that is installed. Where it fails, takes longer than
            `seconds` or gives nonsense, the next one takes over; "own" always works.
        seconds: what a method other than "own" may take.
        progress: called now and then with the share that is done, 0..1.

    Raises:
        ValueError: a method that there is not, or arrays of other shapes.
    """
    corners, numbers = check_arrays(positions, parts)
    return make_atlas(corners, numbers, methods_of(method), seconds, progress or (lambda share: None))


def methods_of(method: str) -> tuple[str, ...]:
    """What to try for a method, in order."""
    if method not in ("auto", *METHODS):
        raise ValueError(f"method must be 'auto' or one of {METHODS}, got {method!r}")
    return METHODS if method == "auto" else (method, "own")


def check_arrays(positions: npt.ArrayLike, parts: npt.ArrayLike) -> tuple[Floats, Ints]:
    """The arguments of `unwrap` as arrays, (n, 3, 3) and (n,)."""
    corners = np.asarray(positions, np.float64)
    numbers = np.asarray(parts, np.int64)
    if corners.size == 0:
        corners = corners.reshape(0, 3, 3)
    if corners.shape != (len(corners), 3, 3):
        raise ValueError(f"positions must be (n, 3, 3), got {corners.shape}")
    if numbers.shape != (len(corners),):
        raise ValueError(f"parts must be ({len(corners)},), got {numbers.shape}")
    return corners, numbers


def make_atlas(
    positions: Floats, parts: Ints, methods: Sequence[str], seconds: float, report: Progress
) -> Atlas:
    """As `unwrap`, by the first of the methods that works. `report` may raise to stop."""
    report = _rising(report)
    mesh, kept = weld(positions, parts)
    report(0.05)
    labels, uvs, method = _make_charts(mesh, methods, seconds, lambda share: report(0.05 + 0.5 * share))
    placed, labels, padding = _lay_out(mesh, labels, uvs, lambda share: report(0.6 + 0.35 * share))
    report(0.95)
    result = _whole(positions, parts, kept, labels, placed, method, padding)
    report(1.0)
    return result


def _rising(report: Progress) -> Progress:
    """A report that never falls: a method may fail after it seemed well on its way."""
    most = 0.0

    def rise(share: float) -> None:
        nonlocal most
        most = max(most, share)
        report(most)

    return rise


def _make_charts(
    mesh: Mesh, methods: Sequence[str], seconds: float, report: Progress
) -> tuple[Ints, Floats, str]:
    deadline = time.monotonic() + seconds
    for name in methods:
        if name == "own":
            break
        found = backends.run(name, mesh, deadline - time.monotonic(), report)
        if found is not None:
            labels, uvs = _repair(mesh, *found)
            return labels, uvs, name
    return *facing.cut(mesh, np.ones(len(mesh), bool), report), "own"


def _repair(mesh: Mesh, labels: Ints, uvs: Floats) -> tuple[Ints, Floats]:
    """A backend's charts, and what cannot be used of them cut anew."""
    uvs = charts.even_out(mesh, labels, charts.set_upright(labels, uvs))
    bad = charts.find_unsound(mesh, labels, uvs)
    if not bad.any():
        return labels, uvs
    fresh, projected = facing.cut(mesh, bad)
    labels = renumber(np.where(bad, fresh + int(labels.max()) + 1, labels))
    return labels, np.where(bad[:, None, None], projected, uvs)


def _lay_out(mesh: Mesh, labels: Ints, uvs: Floats, report: Progress) -> tuple[Uvs, Ints, float]:
    """Charts packed; triangles that overlap another one even so become charts of their own."""
    placed = np.empty((0, 3, 2), np.float32)
    padding = 0.0
    for _ in range(_MOST_REPAIRS):
        uvs = charts.even_out(mesh, labels, uvs)
        uvs, outlines = charts.lay_square(mesh, labels, uvs)
        placing = pack(outlines, report)
        placed = placing.apply(uvs, labels, outlines.sizes).astype(np.float32)
        padding = 2 * placing.margin * _TEXELS
        over = _find_overlaps(placed)
        if not over.any():
            break
        alone = labels.max() + 1 + np.cumsum(over)
        labels = renumber(np.where(over, alone, labels))
        uvs = np.where(over[:, None, None], facing.project(mesh, labels), uvs)
    return placed, labels, padding


def _find_overlaps(placed: Uvs) -> Bools:
    """Triangles that lie over another one on a row of texel centres."""
    over = np.zeros(len(placed), bool)
    one = np.zeros(len(placed), np.int64)
    for grid in _GRIDS:
        spacing = np.array([1.0 / grid])
        over |= overlaps.overlapping(placed.astype(np.float64), one, spacing / 2, spacing)
    return over


def _whole(
    positions: Floats,
    parts: Ints,
    kept: Bools,
    labels: Ints,
    uvs: Uvs,
    method: str,
    padding: float,
) -> Atlas:
    corners = np.zeros((len(positions), 3, 2), np.float32)
    numbers = np.full(len(positions), -1, np.int32)
    lost = charts.signed_areas(uvs.astype(np.float64)) <= 0.0
    corners[kept] = np.where(lost[:, None, None], uvs[:, :1], uvs)
    numbers[kept] = renumber(np.where(lost, -1, labels))
    if kept.any() and not kept.all():
        corners[~kept] = _nearby(positions, parts, kept, uvs)[:, None]
    return Atlas(corners, numbers, method, padding)


def _nearby(positions: Floats, parts: Ints, kept: Bools, uvs: Uvs) -> Uvs:
    """For each triangle that is not kept a covered UV: of a corner at the same place, or else any."""
    places = number_vertices(np.nan_to_num(positions), parts)
    covered = np.zeros((int(places.max()) + 1, 2), np.float32)
    known = np.zeros(len(covered), bool)
    covered[places[kept].reshape(-1)] = uvs.reshape(-1, 2)
    known[places[kept].reshape(-1)] = True
    lost = places[~kept]
    corner = known[lost].argmax(axis=1)
    place = lost[np.arange(len(lost)), corner]
    result: Uvs = np.where(known[place, None], covered[place], uvs[0, 0])
    return result
