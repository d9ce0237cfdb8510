"""Where triangles of one chart lie over each other."""

import numpy as np

from panda_rtstamp.core.unwrap.mesh import Bools, Floats, Ints, Mesh

# Each chart is looked at along this many lines at least, and by so many across the square of the whole area.
_LEAST_LINES = 48
_LINES = 1024
# More lines than this no chart gets, however far a bad one is stretched.
_MOST_LINES = 4096
# Spans at once: the memory in use stays in the tens of megabytes.
_MOST_SPANS = 4_000_000


def find_overlaps(mesh: Mesh, labels: Ints, uvs: Floats) -> Bools:
    """Which labelled triangles overlap another one of their chart."""
    result = np.zeros(len(mesh), bool)
    if not (labels >= 0).any():
        return result
    sizes = np.bincount(labels[labels >= 0])
    several = (labels >= 0) & (sizes[labels] > 1)
    if not several.any():
        return result
    chart = labels[several]
    low, high = np.full(len(sizes), np.inf), np.full(len(sizes), -np.inf)
    np.minimum.at(low, chart, uvs[several, :, 1].min(axis=1))
    np.maximum.at(high, chart, uvs[several, :, 1].max(axis=1))
    height = np.where(sizes > 1, high - low, 1.0)
    low = np.where(sizes > 1, low, 0.0)
    texel = np.sqrt(mesh.areas.sum()) / _LINES
    spacing = np.minimum(height / _LEAST_LINES, texel)
    spacing = np.maximum(spacing, np.maximum(height / _MOST_LINES, 1e-12))
    result[several] = overlapping(uvs[several], chart, low + 0.37 * spacing, spacing)
    return result


def overlapping(uvs: Floats, charts: Ints, starts: Floats, spacing: Floats) -> Bools:
    """Which triangles lie over another one of their chart: (n,), of each such pair one.

    Each chart is cut by lines v = start + k * spacing. On a line, a triangle covers a span of u, exact but
    for rounding; where a span begins before one that began earlier has ended, the two overlap.

    Args:
        uvs: (n, 3, 2).
        charts: (n,), from 0.
        starts: (charts,), where the first line of each chart is; lines may lie below and above it.
        spacing: (charts,), between the lines of each chart.
    """
    start, gap = starts[charts], spacing[charts]
    first = np.ceil((uvs[:, :, 1].min(axis=1) - start) / gap).astype(np.int64)
    last = np.floor((uvs[:, :, 1].max(axis=1) - start) / gap).astype(np.int64)
    counts = np.maximum(last - first + 1, 0)
    result = np.zeros(len(uvs), bool)
    # Charts at a time: a chart's spans must be seen together.
    order = np.argsort(charts, kind="stable")
    ends = np.cumsum(counts[order])
    bounds = np.flatnonzero(np.diff(charts[order], append=-1)) + 1
    begin = 0
    while begin < len(order):
        limit = (ends[begin - 1] if begin else 0) + _MOST_SPANS
        fitting = bounds[(bounds > begin) & (ends[bounds - 1] <= limit)]
        end = int(fitting[-1]) if len(fitting) else int(bounds[np.searchsorted(bounds, begin, side="right")])
        chosen = order[begin:end]
        _mark(result, chosen, uvs, charts, first, counts, start, gap)
        begin = end
    return result


def _mark(
    result: Bools,
    chosen: Ints,
    uvs: Floats,
    charts: Ints,
    first: Ints,
    counts: Ints,
    start: Floats,
    gap: Floats,
) -> None:
    counts = counts[chosen]
    owner = np.repeat(chosen, counts)
    if not len(owner):
        return
    line = first[owner] + np.arange(len(owner)) - np.repeat(np.cumsum(counts) - counts, counts)
    low, high = _spans(uvs[owner], start[owner] + line * gap[owner])
    wide = high > low
    owner, line, low, high = owner[wide], line[wide], low[wide], high[wide]
    order = np.lexsort((high, low, line, charts[owner]))
    owner, line, low, high = owner[order], line[order], low[order], high[order]
    begins = np.ones(len(owner), bool)
    begins[1:] = (charts[owner[1:]] != charts[owner[:-1]]) | (line[1:] != line[:-1])
    reach = _running_maximum(high, begins)
    # Shared edges are cut at the very same place, see _spans: only what two roundings differ by is forgiven.
    over = ~begins[1:] & (low[1:] < reach[:-1] - 1e-12)
    result[owner[1:][over]] = True


def _running_maximum(values: Floats, begins: Bools) -> Floats:
    """The largest value so far, anew from each beginning."""
    # By ranks, which grow from group to group, one pass over all does.
    order = np.argsort(values, kind="stable")
    ranks = np.empty(len(values), np.int64)
    ranks[order] = np.arange(len(values))
    base = np.cumsum(begins) * len(values)
    running = np.maximum.accumulate(base + ranks) - base
    result: Floats = values[order[running]]
    return result


def _spans(uvs: Floats, lines: Floats) -> tuple[Floats, Floats]:
    """From where to where each line v = const lies in its triangle."""
    low, high = np.full(len(uvs), np.inf), np.full(len(uvs), -np.inf)
    for corner in range(3):
        one, two = uvs[:, corner], uvs[:, (corner + 1) % 3]
        # The same arithmetic for both triangles at an edge: from its lower end to its upper.
        swapped = (one[:, 1] > two[:, 1]) | ((one[:, 1] == two[:, 1]) & (one[:, 0] > two[:, 0]))
        bottom = np.where(swapped[:, None], two, one)
        top = np.where(swapped[:, None], one, two)
        crossed = (bottom[:, 1] <= lines) & (lines <= top[:, 1]) & (bottom[:, 1] < top[:, 1])
        height = np.where(crossed, top[:, 1] - bottom[:, 1], 1.0)
        at = bottom[:, 0] + (top[:, 0] - bottom[:, 0]) * ((lines - bottom[:, 1]) / height)
        low = np.minimum(low, np.where(crossed, at, np.inf))
        high = np.maximum(high, np.where(crossed, at, -np.inf))
    return low, high
