"""Charts placed in the square 0..1: the larger ones fitted into each other's outlines, the rest in rows."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from panda_rtstamp.core.unwrap.mesh import Floats, Ints

# Empty space around every chart, as a share of the square: 8 texels of 1024 between two, 4 to the border.
_MARGIN = 4 / 1024
# No chart is narrower than this: 2 texels of 256.
_LEAST_SIDE = 2 / 256
# Both shrink, down to an eighth, where else they would take more than this share of the area from the charts;
# and further where there is no room at all.
_MOST_TAKEN = 0.5
_LEAST_SHARE = 1 / 8
# The share of the square that cells of charts, boxes with their margins, are expected to fill.
_EXPECTED = 0.85
# More charts than this are not fitted one by one, and so many in four directions instead of two.
_MOST_FITTED = 500
_MOST_TURNED = 150
# How often the scale is corrected, how often if nothing fits, and the height that is close enough.
_ATTEMPTS = 6
_MOST_ATTEMPTS = 30
_GOOD_HEIGHT = 0.985


@dataclass(frozen=True)
class Outlines:
    """The outlines of charts, as edges.

    Attributes:
        edges: (k, 2, 2), in scene units, each chart's box beginning at (0, 0).
        charts: (k,), the chart of each edge, from 0.
        sizes: (charts, 2), of the charts' boxes.
    """

    edges: Floats
    charts: Ints
    sizes: Floats


@dataclass(frozen=True)
class Placing:
    """Where charts go: uv = origin + turned(scale * chart).

    Attributes:
        origins: (charts, 2).
        scales: (charts, 2), along each chart's own axes, before the turn.
        turns: (charts,), quarter turns counter-clockwise; the box keeps its origin.
        margin: the space around each chart, as a share of the square.
        height: of the square, how much is used; more than 1 if the charts do not fit.
    """

    origins: Floats
    scales: Floats
    turns: Ints
    margin: float
    height: float

    def apply(self, uvs: Floats, charts: Ints, sizes: Floats) -> Floats:
        """UVs of triangles (n, 3, 2), each in its chart's box of `sizes` (charts, 2), in their place."""
        scaled = uvs * self.scales[charts][:, None]
        box = (sizes * self.scales)[charts]
        return _turn(scaled, self.turns[charts], box) + self.origins[charts][:, None]


def pack(outlines: Outlines, progress: Callable[[float], None]) -> Placing:
    """Place charts at the largest common scale; where that gets too small, with less margin."""
    if not len(outlines.sizes):
        return Placing(np.empty((0, 2)), np.empty((0, 2)), np.empty(0, np.int64), _MARGIN, 0.0)
    free = _estimate_scale(outlines.sizes, 0.0)
    share = 1.0
    while True:
        scale = _estimate_scale(outlines.sizes, share)
        roomy = scale**2 >= (1.0 - _MOST_TAKEN) * free**2
        best = _search(outlines, scale, share, progress) if roomy or 0.0 < share <= _LEAST_SHARE else None
        if best is not None:
            return best
        share = _LEAST_SHARE if _LEAST_SHARE < share < 1.3 * _LEAST_SHARE else 0.75 * share


def _estimate_scale(sizes: Floats, share: float) -> float:
    """The scale at which all cells together have the expected area; 0 if margins alone take more."""
    low, high = 0.0, 1.0 / float(sizes.max())
    for _ in range(40):
        middle = (low + high) / 2
        cells = np.maximum(middle * sizes, share * _LEAST_SIDE) + 2 * share * _MARGIN
        if cells.prod(axis=1).sum() <= _EXPECTED:
            low = middle
        else:
            high = middle
    return low


def _search(
    outlines: Outlines, scale: float, share: float, progress: Callable[[float], None]
) -> Placing | None:
    """The placing of the largest scale found that fits; None if margins and thin charts alone do not."""
    best: Placing | None = None
    low, high = 0.0, np.inf
    for attempt in range(_MOST_ATTEMPTS):
        if best is not None and (attempt >= _ATTEMPTS or best.height >= _GOOD_HEIGHT):
            break
        progress(attempt / _MOST_ATTEMPTS)
        placing = _place(outlines, scale, share)
        if placing.height <= 1.0:
            best, low = placing, scale
        else:
            high = scale
        scale = _next_scale(placing.height, scale, low, high, careful=attempt >= _ATTEMPTS // 2)
    return best


def _next_scale(height: float, scale: float, low: float, high: float, careful: bool) -> float:
    """The scale to try after one that gave a height, between one that fitted and one that did not."""
    if not np.isfinite(height):
        following = 0.7 * scale
    elif careful and height > 1.0:
        # Fits, if charts come to lie as they did.
        following = 0.98 * scale / height
    else:
        following = scale * np.sqrt(0.995 / height)
    if low < following < high:
        return float(following)
    return (low + high) / 2 if np.isfinite(high) else 1.05 * low


def _place(outlines: Outlines, scale: float, share: float) -> Placing:
    sizes = outlines.sizes
    margin = share * _MARGIN
    scales = np.maximum(scale * sizes, share * _LEAST_SIDE) / sizes
    boxes = sizes * scales
    order = np.argsort(-boxes.max(axis=1), kind="stable")
    fitted, rest = order[:_MOST_FITTED], order[_MOST_FITTED:]
    origins = np.zeros_like(sizes)
    turns = np.zeros(len(sizes), np.int64)
    floor = _fill_rows(boxes, rest, margin, origins, turns)
    fit = _Fit(margin, floor)
    directions = 4 if len(fitted) <= _MOST_TURNED else 2
    edges = outlines.edges * scales[outlines.charts][:, None]
    profiles = [_profiles(edges, outlines.charts, boxes, fitted, turn, fit) for turn in range(directions)]
    for place, chart in enumerate(fitted):
        candidates = [profiles[turn][place] for turn in range(directions)]
        turns[chart], origins[chart] = fit.add(candidates)
        if not np.isfinite(fit.height):
            break
    return Placing(origins, scales, turns, margin, fit.height)


def _fill_rows(boxes: Floats, rest: Ints, margin: float, origins: Floats, turns: Ints) -> float:
    """Lay charts side by side in rows from below, lying flat, the highest row first. The height they take."""
    cells = boxes[rest] + 2 * margin
    upright = cells[:, 1] > cells[:, 0]
    turns[rest] = upright
    cells[upright] = cells[upright][:, ::-1]
    order = np.argsort(-cells[:, 1], kind="stable")
    rest, cells = rest[order], cells[order]
    ends = np.cumsum(cells[:, 0])
    floor = 0.0
    begin = 0
    while begin < len(rest):
        left = ends[begin - 1] if begin else 0.0
        end = max(int(np.searchsorted(ends, left + 1.0, side="right")), begin + 1)
        row = slice(begin, end)
        origins[rest[row], 0] = ends[row] - cells[row, 0] - left + margin
        origins[rest[row], 1] = floor + margin
        floor += float(cells[begin, 1])
        begin = end
    return floor


class _Fit:
    """The skyline of what was placed, and where a chart fits best onto it.

    After the packing of Levy, Petitjean, Ray and Maillot, "Least squares conformal maps" (2002).
    """

    def __init__(self, margin: float, floor: float) -> None:
        # A margin is two columns, or one where it is small.
        self.dilation = 2 if margin > 0.5 * _MARGIN else 1
        self.width = margin / self.dilation
        self.margin = margin
        self._skyline = np.full(int(1.0 / self.width + 1e-6), floor)
        self.height = floor

    def add(self, candidates: list[tuple[Floats, Floats]]) -> tuple[int, Floats]:
        """Place a chart of which the lower and upper profile in each turn are given: its turn and origin."""
        best = (np.inf, 0, 0, 0.0)
        for turn, (lower, upper) in enumerate(candidates):
            if len(lower) > len(self._skyline):
                continue
            windows = np.lib.stride_tricks.sliding_window_view(self._skyline, len(lower))
            gaps = windows - lower
            rest = gaps.max(axis=1)
            waste = rest - gaps.mean(axis=1)
            score = rest + upper.max() + 0.5 * waste
            at = int(score.argmin())
            if score[at] < best[0]:
                best = (float(score[at]), turn, at, float(rest[at]))
        score, turn, at, rest = best
        if not np.isfinite(score):
            self.height = np.inf
            return 0, np.zeros(2)
        upper = candidates[turn][1]
        self._skyline[at : at + len(upper)] = rest + upper
        self.height = max(self.height, float(rest + upper.max()))
        return turn, np.array([(at + self.dilation) * self.width, rest])


def _profiles(
    edges: Floats, charts: Ints, boxes: Floats, fitted: Ints, turn: int, fit: _Fit
) -> list[tuple[Floats, Floats]]:
    """The lowest and the highest point over each column, margins included, of each fitted chart, turned."""
    number = np.full(len(boxes), -1, np.int64)
    number[fitted] = np.arange(len(fitted))
    mine = number[charts] >= 0
    chart = number[charts[mine]]
    edges = _turn(edges[mine], np.full(len(chart), turn), boxes[charts[mine]])
    widths = boxes[fitted, turn % 2]
    columns = np.maximum(np.ceil(widths / fit.width - 1e-9), 1).astype(np.int64)
    # Room for the margins, and as much again that keeps neighbours in the array apart.
    slots = columns + 4 * fit.dilation
    starts = np.cumsum(slots) - slots
    last_column = columns[chart] - 1
    first = np.clip(np.floor(edges[:, :, 0].min(axis=1) / fit.width), 0, last_column).astype(np.int64)
    last = np.clip(np.floor(edges[:, :, 0].max(axis=1) / fit.width), 0, last_column).astype(np.int64)
    counts = last - first + 1
    owner = np.repeat(np.arange(len(edges)), counts)
    column = first[owner] + np.arange(len(owner)) - np.repeat(np.cumsum(counts) - counts, counts)
    slot = starts[chart[owner]] + 2 * fit.dilation + column
    low, high = np.full(int(slots.sum()), np.inf), np.full(int(slots.sum()), -np.inf)
    one, two = edges[owner, 0], edges[owner, 1]
    run = two[:, 0] - one[:, 0]
    steep = np.abs(run) < 1e-12
    for side in (0, 1):
        share = ((column + side) * fit.width - one[:, 0]) / np.where(steep, 1.0, run)
        share = np.where(steep, float(side), np.clip(share, 0.0, 1.0))
        v = one[:, 1] + share * (two[:, 1] - one[:, 1])
        np.minimum.at(low, slot, v)
        np.maximum.at(high, slot, v)
    lower = _widen(low, np.minimum, fit.dilation) - fit.margin
    upper = _widen(high, np.maximum, fit.dilation) + fit.margin
    inner = [
        slice(begin, begin + count) for begin, count in zip(starts, columns + 2 * fit.dilation, strict=True)
    ]
    return [(lower[part], upper[part]) for part in inner]


def _widen(profile: Floats, extreme: np.ufunc, dilation: int) -> Floats:
    """The extreme of as many columns on either side; shorter by all of these."""
    length = len(profile) - 2 * dilation
    shifted = [profile[shift : shift + length] for shift in range(2 * dilation + 1)]
    widened: Floats = extreme.reduce(shifted)
    return widened


def _turn(points: Floats, turns: Ints, boxes: Floats) -> Floats:
    """Points (n, m, 2) in boxes (n, 2) after quarter turns (n,) counter-clockwise; boxes begin at (0, 0)."""
    u, v = points[:, :, 0], points[:, :, 1]
    width, height = boxes[:, :1], boxes[:, 1:]
    turn = turns[:, None] % 4
    x = np.choose(turn, [u, height - v, width - u, v])
    y = np.choose(turn, [v, u, height - v, width - u])
    return np.stack([x, y], axis=2)
