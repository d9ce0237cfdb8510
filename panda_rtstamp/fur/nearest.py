"""The nearest of many points in space, through a grid of cells."""

import itertools

import numpy as np

from panda_rtstamp.core.geometry import Array
from panda_rtstamp.fur.frames import dot
from panda_rtstamp.fur.points import SAME_NORMAL, Numbers, expanded

# Cells along an axis at most, so that a cell's number fits into 63 bits.
_MOST_CELLS = 2**20
# Of two normals: less is the other side of a hard edge, or of a sheet.
_SAME_SIDE = 1.0 - SAME_NORMAL / 2.0
# Beside the squared distance, which is 1 at most: little, as normals that are far apart are out anyway.
_NORMALS_COUNT = 0.2


def nearest(of: Array, of_normals: Array, among: Array, among_normals: Array, within: float) -> Numbers:
    """For each point the number of the nearest other one that lies on the same side of the surface.

    Args:
        of, of_normals: the points (n, 3), and their normals of length 1.
        among, among_normals: the others (m, 3).
        within: the largest distance, > 0.

    Returns:
        (n,); -1 where there is none so near.
    """
    found = np.full(len(of), -1, np.int64)
    if not len(of) or not len(among):
        return found
    low = np.minimum(of.min(axis=0), among.min(axis=0))
    high = np.maximum(of.max(axis=0), among.max(axis=0))
    cell = max(within, float((high - low).max()) / _MOST_CELLS)
    here, there = (np.floor((points - low) / cell).astype(np.int64) + 1 for points in (of, among))
    order = np.argsort(_key(there), kind="stable")
    keys = _key(there)[order]
    best = np.full(len(of), np.inf)
    for x, y in itertools.product((-1, 0, 1), repeat=2):
        # Cells above one another have numbers in a row.
        lowest = _key(here + np.array([x, y, -1]))
        ends = np.searchsorted(keys, np.stack([lowest, lowest + 3]))
        ours, at = expanded(ends[0], ends[1])
        theirs = order[at]
        apart = of[ours] - among[theirs]
        distance = dot(apart, apart) / within**2
        cosine = dot(of_normals[ours], among_normals[theirs])
        # Of several points at one place, on a hard edge, the one that looks the same way.
        score = distance + _NORMALS_COUNT * (1.0 - cosine)
        good = (distance <= 1.0) & (cosine >= _SAME_SIDE) & (score < best[ours])
        ours, theirs, score = ours[good], theirs[good], score[good]
        # The last one written counts: the best, and of equally good ones the first.
        last = np.lexsort((-theirs, -score))
        best[ours[last]] = score[last]
        found[ours[last]] = theirs[last]
    return found


def _key(cells: Numbers) -> Numbers:
    result: Numbers = (cells[:, 0] << 42) | (cells[:, 1] << 21) | cells[:, 2]
    return result
