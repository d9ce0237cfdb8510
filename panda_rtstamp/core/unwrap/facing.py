"""Charts of ours: neighbouring triangles that face about the same way, laid onto a plane."""

from collections.abc import Callable

import numpy as np

from panda_rtstamp.core.unwrap.clusters import gather, least_facing
from panda_rtstamp.core.unwrap.mesh import (
    Bools,
    Floats,
    Ints,
    Mesh,
    chart_normals,
    renumber,
    split_apart,
    unit,
)
from panda_rtstamp.core.unwrap.overlaps import find_overlaps

# How much an edge over a crease holds its two triangles together, beside one over a flat place.
_LEAST_BOND = 0.05
_SMOOTHING_ROUNDS = 6
_SMOOTHING_TURNS = 3
# Where an outline was smoothed, triangles may turn away from their chart so much more than clusters do.
_SLACK = 0.9


def cut(
    mesh: Mesh, chosen: Bools, progress: Callable[[float], None] = lambda share: None
) -> tuple[Ints, Floats]:
    """Charts of the chosen triangles: their numbers from 0, (n,), -1 elsewhere, and UVs (n, 3, 2).

    The UVs are true to size but for foreshortening, and a triangle is counter-clockwise in them.
    """
    labels = _smooth(mesh, gather(mesh, chosen, progress))
    labels = _split_overlaps(mesh, labels)
    return labels, project(mesh, labels)


def project(mesh: Mesh, labels: Ints) -> Floats:
    """Each labelled chart on the plane of its mean normal, as UVs (n, 3, 2)."""
    taken = labels >= 0
    normals = chart_normals(mesh, labels)
    # The axis that lies flattest in the plane is made u.
    axis = np.eye(3)[np.abs(normals).argmin(axis=1)]
    right = unit(np.cross(axis, normals))
    up = np.cross(normals, right)
    result = np.zeros((len(mesh), 3, 2))
    chart = labels[taken]
    for column, direction in enumerate((right, up)):
        result[taken, :, column] = np.einsum("nck,nk->nc", mesh.corners[taken], direction[chart])
    return result


def _smooth(mesh: Mesh, labels: Ints) -> Ints:
    """Give triangles at a ragged outline to the chart beside them, as long as that makes seams shorter."""
    labels = labels.copy()
    opposite = np.maximum(mesh.opposite, 0) // 3
    bond = np.einsum("nk,nmk->nm", mesh.normals, mesh.normals[opposite])
    # A seam along a crease shows less.
    bond = np.where(mesh.opposite >= 0, np.maximum(bond, _LEAST_BOND) * mesh.lengths, 0.0)
    least = least_facing(mesh)
    # Neighbours do not move in the same round.
    turn = np.arange(len(mesh)) * 2654435761 % 4294967296 // 65536 % _SMOOTHING_TURNS
    for number in range(_SMOOTHING_ROUNDS * _SMOOTHING_TURNS):
        beside = np.where(mesh.opposite >= 0, labels[opposite], -1)
        foreign = (beside >= 0) & (beside != labels[:, None])
        edge = np.flatnonzero((labels >= 0) & foreign.any(axis=1) & (turn == number % _SMOOTHING_TURNS))
        if not len(edge):
            continue
        near, weight, own = beside[edge], bond[edge], labels[edge]
        kept = np.where(near == own[:, None], weight, 0.0).sum(axis=1)
        gained = np.einsum("nk,njk->nj", weight, near[:, :, None] == near[:, None, :])
        gained[~foreign[edge]] = -1.0
        best = gained.argmax(axis=1)
        wanted = near[np.arange(len(edge)), best]
        faces = np.einsum("nk,nk->n", mesh.normals[edge], chart_normals(mesh, labels)[wanted])
        moves = (gained.max(axis=1) > 1.001 * kept) & (faces >= least[edge])
        labels[edge[moves]] = wanted[moves]
    # A chart's normal moved with its triangles: those that turn away now leave it.
    away = (labels >= 0) & (_facing(mesh, labels) < _SLACK * least)
    labels = np.where(away, labels + int(labels.max(initial=-1)) + 1, labels)
    return renumber(np.where(labels >= 0, split_apart(mesh, labels), -1))


def _facing(mesh: Mesh, labels: Ints) -> Floats:
    """The cosine by which each labelled triangle faces its chart's plane, (n,)."""
    if not (labels >= 0).any():
        return np.zeros(len(mesh))
    cosines: Floats = np.einsum("nk,nk->n", mesh.normals, chart_normals(mesh, labels)[labels])
    return cosines


def _split_overlaps(mesh: Mesh, labels: Ints) -> Ints:
    """Halve the charts that overlap, or hold a triangle seen from behind, until none does."""
    unsure = labels
    while True:
        uvs = project(mesh, labels)
        over = find_overlaps(mesh, unsure, uvs) | ((unsure >= 0) & (_facing(mesh, labels) <= 0.0))
        if not over.any():
            return labels
        count = int(labels.max()) + 1
        bad = np.zeros(count + 1, bool)
        bad[labels[over]] = True
        again = bad[labels]
        halves = _halve(uvs, labels, again, count)
        pieces = split_apart(mesh, np.where(again, 2 * labels + halves, -1))
        combined = np.where(again, pieces + count, labels)
        labels = renumber(combined)
        unsure = np.where(again, labels, -1)


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
