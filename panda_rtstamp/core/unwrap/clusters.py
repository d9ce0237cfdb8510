"""Neighbouring triangles gathered into clusters that face about the same way."""

from collections.abc import Callable

import numpy as np

from panda_rtstamp.core.unwrap.mesh import (
    Bools,
    Floats,
    Ints,
    Mesh,
    neighbours,
    renumber,
    sum_by,
    sum_rows,
    unit,
)

# A cluster's triangles turn from its mean normal by 1 - cos = this at most in the mean: a cap of 53 degrees
# on a ball does; two sides of a cube are too much.
_MEAN_TURN = 0.2
# And each by this cosine at least: on a plane it is stretched 2.5 times at most.
_LEAST_FACING = 0.4
# Slivers, whose normals are half noise, need only not be flipped: those this many times longer than high.
_SLIVER = 50.0
_LEAST_SLIVER_FACING = 0.1
# What a ragged outline costs, beside what turning away costs.
_ROUGHNESS = 0.02
_MOST_ROUNDS = 400


def least_facing(mesh: Mesh) -> Floats:
    """The cosine by which each triangle must at least face the way its cluster does, (n,)."""
    sliver = 2 * mesh.areas * _SLIVER < mesh.lengths.max(axis=1, initial=0.0) ** 2
    return np.where(sliver, _LEAST_SLIVER_FACING, _LEAST_FACING)


def gather(mesh: Mesh, chosen: Bools, progress: Callable[[float], None]) -> Ints:
    """Clusters of the chosen triangles, (n,), from 0; -1 elsewhere.

    By hierarchical face clustering (Garland, Willmott and Heckbert, 2001), many pairs a round: each triangle
    begins as a cluster; in a round, two clusters become one if each is the other's best neighbour.
    """
    faces = np.flatnonzero(chosen)
    normals, least = mesh.normals[faces], least_facing(mesh)[faces]
    state = _Clusters(mesh, chosen)
    owner = np.arange(len(faces))
    for _ in range(_MOST_ROUNDS):
        target = state.propose()
        joins = target != np.arange(len(target))
        if not joins.any():
            break
        joins[target[joins]] = True
        changing = joins[owner]
        home = target[owner[changing]]
        facing = np.einsum("nk,nk->n", normals[changing], unit(state.normals(target))[home])
        refused = np.zeros(len(target), bool)
        refused[home[facing < least[changing]]] = True
        owner = state.merge(target, refused)[owner]
        progress(1.0 - len(state) / len(faces))
    labels = np.full(len(mesh), -1, np.int64)
    labels[faces] = owner
    return labels


class _Clusters:
    """What clusters sum up to, and which border on each other.

    For each cluster its area, perimeter and sum of normals by area; for each pair the length of their border
    and whether it was refused.
    """

    def __init__(self, mesh: Mesh, chosen: Bools) -> None:
        numbers = np.where(chosen, np.cumsum(chosen) - 1, -1)
        pairs, lengths = neighbours(mesh)
        inside = chosen[pairs].all(axis=1)
        self._areas = mesh.areas[chosen]
        self._perimeters = mesh.lengths.sum(axis=1)[chosen]
        self._normals = (mesh.normals * mesh.areas[:, None])[chosen]
        self._pairs = numbers[pairs[inside]]
        self._lengths = lengths[inside]
        self._refused = np.zeros(len(self._pairs), bool)
        self._join_pairs()

    def __len__(self) -> int:
        return len(self._areas)

    def propose(self) -> Ints:
        """For each cluster the one of a lower number that it should join, or itself."""
        costs = self._costs()
        pairs, costs = self._pairs[np.isfinite(costs)], costs[np.isfinite(costs)]
        # Equal costs in an order without a pattern, lest a regular mesh is merged one pair a round.
        scattered = (pairs[:, 0] * 2654435761 ^ pairs[:, 1] * 40503) % 4294967291
        rank = np.empty(len(costs), np.int64)
        rank[np.lexsort((scattered, costs))] = np.arange(len(costs))
        best = np.full(len(self), len(costs), np.int64)
        np.minimum.at(best, pairs[:, 0], rank)
        np.minimum.at(best, pairs[:, 1], rank)
        agreed = (best[pairs] == rank[:, None]).all(axis=1)
        target = np.arange(len(self))
        target[pairs[agreed, 1]] = pairs[agreed, 0]
        return target

    def _costs(self) -> Floats:
        first, second = self._pairs.T
        area = self._areas[first] + self._areas[second]
        turn = 1.0 - np.linalg.norm(self._normals[first] + self._normals[second], axis=1) / area
        perimeter = np.maximum(self._perimeters[first] + self._perimeters[second] - 2 * self._lengths, 0.0)
        roughness = perimeter / np.sqrt(4 * np.pi * area)
        return np.where(self._refused | (turn > _MEAN_TURN), np.inf, turn + _ROUGHNESS * roughness)

    def normals(self, target: Ints) -> Floats:
        """The sums of normals, (clusters, 3), once clusters have joined their targets."""
        return sum_rows(target, self._normals, len(self))

    def merge(self, target: Ints, refused: Bools) -> Ints:
        """Join clusters to their targets, but to those that refuse. The new number of each old cluster."""
        own = np.arange(len(self))
        first, second = self._pairs.T
        self._refused |= (target[second] == first) & refused[first]
        target = np.where(refused[target], own, target)
        grown = np.zeros(len(self), bool)
        grown[target[target != own]] = True
        # Who has changed may be asked again.
        self._refused &= ~(grown[target[first]] | grown[target[second]])
        new = renumber(target)
        count = int(new.max()) + 1
        inner = new[first] == new[second]
        lost = sum_by(new[first[inner]], 2 * self._lengths[inner], count)
        self._areas = sum_by(new, self._areas, count)
        self._perimeters = sum_by(new, self._perimeters, count) - lost
        self._normals = sum_rows(new, self._normals, count)
        self._pairs = new[self._pairs[~inner]]
        self._lengths, self._refused = self._lengths[~inner], self._refused[~inner]
        self._join_pairs()
        return new

    def _join_pairs(self) -> None:
        """One row for each pair of clusters, the lower number first."""
        pairs = np.sort(self._pairs, axis=1)
        keys = pairs[:, 0] * len(self) + pairs[:, 1]
        _, index, inverse = np.unique(keys, return_index=True, return_inverse=True)
        inverse = inverse.reshape(-1)
        self._pairs = pairs[index]
        self._lengths = sum_by(inverse, self._lengths, len(index))
        self._refused = np.bincount(inverse, self._refused, len(index)) > 0
