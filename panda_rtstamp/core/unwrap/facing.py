"""Charts of ours: neighbouring triangles that face about the same way, laid onto a plane."""

import numpy as np

from panda_rtstamp.core.unwrap import overlaps
from panda_rtstamp.core.unwrap.mesh import Bools, Floats, Ints, Mesh, neighbours, split_apart

# A chart's triangles face its plane by 1 - cos = this at most in the mean: 53 degrees around a ball, a flat
# side of a cube each.
MEAN_TURN = 0.2
# And each by this cosine at least: it is stretched 2.5 times at most.
LEAST_FACING = 0.4
# Slivers, whose normals are half noise, need only not be flipped.
_SLIVER = 0.02
_LEAST_SLIVER_FACING = 0.1
# What a ragged outline costs, beside what turning away costs.
_ROUGHNESS = 0.02
_MOST_ROUNDS = 400
# Lines that each chart is cut by to see whether it overlaps: this many at least.
_LEAST_LINES = 48
# And so many across the square of the whole surface's area.
_LINES = 1024


def cut(mesh: Mesh, chosen: Bools) -> tuple[Ints, Floats]:
    """Charts of the chosen triangles: their numbers from 0, (n,), -1 elsewhere, and UVs (n, 3, 2).

    The UVs are true to size but for foreshortening, and a triangle is counter-clockwise in them.
    """
    labels = _gather(mesh, chosen)
    labels = _split_overlaps(mesh, labels)
    return labels, project(mesh, labels)


def project(mesh: Mesh, labels: Ints) -> Floats:
    """Each labelled chart on the plane of its mean normal, as UVs (n, 3, 2)."""
    taken = labels >= 0
    count = int(labels.max(initial=-1)) + 1
    normals = _sums(labels[taken], (mesh.normals * mesh.areas[:, None])[taken], count)
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)
    # The axis that lies flattest in the plane is made u.
    axis = np.eye(3)[np.abs(normals).argmin(axis=1)]
    right = np.cross(axis, normals)
    right /= np.maximum(np.linalg.norm(right, axis=1, keepdims=True), 1e-300)
    up = np.cross(normals, right)
    result = np.zeros((len(mesh), 3, 2))
    chart = labels[taken]
    for column, direction in enumerate((right, up)):
        result[taken, :, column] = np.einsum("nck,nk->nc", mesh.corners[taken], direction[chart])
    return result


def _sums(labels: Ints, values: Floats, count: int) -> Floats:
    """Sums of rows (n, k) by label, (count, k)."""
    columns = [np.bincount(labels, values[:, column], count) for column in range(values.shape[1])]
    return np.stack(columns, axis=1)


def _gather(mesh: Mesh, chosen: Bools) -> Ints:
    """Hierarchical face clustering (Garland, Willmott and Heckbert, 2001), many pairs a round.

    Each triangle begins as a chart. In a round, two charts become one if each is the other's best neighbour.
    """
    charts = np.where(chosen, np.cumsum(chosen) - 1, -1)
    pairs, lengths = neighbours(mesh)
    inside = chosen[pairs].all(axis=1)
    pairs, lengths = charts[pairs[inside]], lengths[inside]
    state = _Clusters(
        np.stack([mesh.areas, mesh.lengths.sum(axis=1), *(mesh.normals * mesh.areas[:, None]).T], axis=1)[
            chosen
        ],
        pairs,
        lengths,
    )
    faces = np.flatnonzero(chosen)
    owner = np.arange(len(faces))
    sliver = 4 * mesh.areas[faces] < _SLIVER * mesh.lengths[faces].max(axis=1) ** 2
    least = np.where(sliver, _LEAST_SLIVER_FACING, LEAST_FACING)
    for _ in range(_MOST_ROUNDS):
        merged = state.propose()
        if merged is None:
            break
        target, changed = merged
        touched = changed[owner]
        sums = state.merged_sums(target)
        axes = sums[:, 2:5] / np.maximum(np.linalg.norm(sums[:, 2:5], axis=1, keepdims=True), 1e-300)
        home = target[owner[touched]]
        facing = np.einsum("nk,nk->n", mesh.normals[faces[touched]], axes[home])
        bad = np.zeros(len(target), bool)
        bad[home[facing < least[touched]]] = True
        owner = state.merge(target, bad)[owner]
    labels = np.full(len(mesh), -1, np.int64)
    labels[faces] = owner
    return labels


class _Clusters:
    """Clusters and who borders on whom."""

    def __init__(self, sums: Floats, pairs: Ints, lengths: Floats) -> None:
        self._sums = sums
        self._pairs = pairs
        self._lengths = lengths
        self._barred = np.zeros(len(pairs), bool)
        self._combine()

    def propose(self) -> tuple[Ints, Bools] | None:
        """For each cluster the one that it would join (itself if none), and which would change."""
        cost = np.where(self._barred, np.inf, self._costs())
        usable = np.isfinite(cost)
        if not usable.any():
            return None
        pairs, cost = self._pairs[usable], cost[usable]
        count = len(self._sums)
        # Equal costs in an order without pattern, lest a regular mesh is merged one pair a round.
        scattered = (pairs[:, 0] * 2654435761 ^ pairs[:, 1] * 40503) % 4294967291
        rank = np.empty(len(cost), np.int64)
        rank[np.lexsort((scattered, cost))] = np.arange(len(cost))
        best = np.full(count, len(cost), np.int64)
        np.minimum.at(best, pairs[:, 0], rank)
        np.minimum.at(best, pairs[:, 1], rank)
        agreed = (best[pairs[:, 0]] == rank) & (best[pairs[:, 1]] == rank)
        target = np.arange(count)
        target[pairs[agreed, 1]] = pairs[agreed, 0]
        changed = np.zeros(count, bool)
        changed[pairs[agreed]] = True
        return target, changed

    def _costs(self) -> Floats:
        first, second = self._sums[self._pairs[:, 0]], self._sums[self._pairs[:, 1]]
        both = first + second
        perimeter = both[:, 1] - 2 * self._lengths
        turn = 1.0 - np.linalg.norm(both[:, 2:5], axis=1) / both[:, 0]
        rough = perimeter**2 / (4 * np.pi * both[:, 0])
        cost = turn + _ROUGHNESS * np.sqrt(np.maximum(rough, 0.0))
        result: Floats = np.where(turn <= MEAN_TURN, cost, np.inf)
        return result

    def merged_sums(self, target: Ints) -> Floats:
        return _sums(target, self._sums, len(target))

    def merge(self, target: Ints, bad: Bools) -> Ints:
        """Join the clusters as proposed, but those whose target is bad. The new number of each old cluster."""
        joins = target != np.arange(len(target))
        refused = joins & bad[target]
        bar = (target[self._pairs[:, 1]] == self._pairs[:, 0]) & refused[self._pairs[:, 1]]
        self._barred |= bar
        target = np.where(refused, np.arange(len(target)), target)
        joined = joins & ~refused
        grown = np.zeros(len(target), bool)
        grown[target[joined]] = True
        numbers, new = np.unique(target, return_inverse=True)
        new = new.reshape(-1).astype(np.int64)
        perimeter_lost = np.zeros(len(target))
        inner = target[self._pairs[:, 0]] == target[self._pairs[:, 1]]
        np.add.at(perimeter_lost, target[self._pairs[inner, 0]], 2 * self._lengths[inner])
        sums = self.merged_sums(target)
        sums[:, 1] -= perimeter_lost
        self._sums = sums[numbers]
        self._barred &= ~grown[target[self._pairs]].any(axis=1)
        keep = ~inner
        self._pairs, self._lengths, self._barred = (
            new[self._pairs[keep]],
            self._lengths[keep],
            self._barred[keep],
        )
        self._combine()
        return new

    def _combine(self) -> None:
        """One row for each pair of clusters."""
        pairs = np.sort(self._pairs, axis=1)
        keys = pairs[:, 0] * (len(self._sums) + 1) + pairs[:, 1]
        _, index, inverse = np.unique(keys, return_index=True, return_inverse=True)
        inverse = inverse.reshape(-1)
        self._lengths = np.bincount(inverse, self._lengths, len(index))
        self._barred = np.bincount(inverse, self._barred, len(index)) > 0
        self._pairs = pairs[index]


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
    spacing = np.maximum(spacing, 1e-12)
    result[several] = overlaps.overlapping(uvs[several], chart, low + 0.37 * spacing, spacing)
    return result


def _split_overlaps(mesh: Mesh, labels: Ints) -> Ints:
    """Halve the charts that overlap until none does."""
    while True:
        uvs = project(mesh, labels)
        over = find_overlaps(mesh, labels, uvs)
        if not over.any():
            return labels
        count = int(labels.max()) + 1
        bad = np.zeros(count + 1, bool)
        bad[labels[over]] = True
        again = bad[labels]
        halves = _halve(uvs, labels, again, count)
        pieces = split_apart(mesh, np.where(again, 2 * labels + halves, -1))
        combined = np.where(again, pieces + count, labels)
        fresh = np.unique(combined[labels >= 0], return_inverse=True)[1]
        labels = labels.copy()
        labels[labels >= 0] = fresh.reshape(-1)


def _halve(uvs: Floats, labels: Ints, again: Bools, count: int) -> Ints:
    """0 or 1 for each triangle: on which side of the middle of its chart's longer extent it is."""
    centres = uvs.mean(axis=1)
    chart = labels[again]
    spread = []
    for column in range(2):
        low, high = np.full(count, np.inf), np.full(count, -np.inf)
        np.minimum.at(low, chart, centres[again, column])
        np.maximum.at(high, chart, centres[again, column])
        spread.append(high - low)
    along = (spread[1] > spread[0]).astype(np.int64)
    at = np.take_along_axis(centres[again], along[chart][:, None], axis=1)[:, 0]
    order = np.lexsort((at, chart))
    sizes = np.bincount(chart, minlength=count)
    rank = np.empty(len(chart), np.int64)
    rank[order] = np.arange(len(chart)) - (np.cumsum(sizes) - sizes)[chart[order]]
    side = np.zeros(len(uvs), np.int64)
    side[again] = 2 * rank >= sizes[chart]
    return side
