"""One touch of the brush: which points of the surface it reaches, and what becomes of them."""

from dataclasses import dataclass

import numpy as np

from panda_rtstamp.core.geometry import Array
from panda_rtstamp.fur.brush import AXES, FurBrush, Goals, mixed
from panda_rtstamp.fur.column import FurColumn
from panda_rtstamp.fur.frames import along, dot, flat, in_frame
from panda_rtstamp.fur.looking import Look
from panda_rtstamp.fur.nearest import nearest
from panda_rtstamp.fur.points import Numbers
from panda_rtstamp.fur.sight import Hit
from panda_rtstamp.fur.vertices import Values

# Of the model's diagonal: so near to where its mirror image should be, a point is taken for it. Where models
# are exact, the first of these finds all at once.
_SYMMETRIC = (1e-5, 1e-3, 1e-2)


@dataclass(frozen=True)
class Dab:
    """Where the brush touches the model.

    Attributes:
        hit: the place.
        way: how it goes over the model there, (3,), in the world; None where it only stands.
    """

    hit: Hit
    way: Array | None


def mirror_of(column: FurColumn, axis: str) -> Numbers:
    """For each point the one opposite to it, along an axis of the node's space; -1 where there is none."""
    first = column.points.first
    positions, normals = column.rest[first], column.normals[first]
    turned = _flip(axis)
    size = float(np.linalg.norm(np.ptp(positions, axis=0)))
    result = np.full(len(first), -1, np.int64)
    for share in _SYMMETRIC:
        left = np.flatnonzero(result < 0)
        images, towards = positions[left] * turned, normals[left] * turned
        result[left] = nearest(images, towards, positions, normals, max(size * share, 1e-9))
    return result


def _flip(axis: str) -> Array:
    return np.where(np.arange(3) == AXES.index(axis), -1.0, 1.0)


def paint(
    column: FurColumn, look: Look, brush: FurBrush, dab: Dab, mirror: Numbers | None
) -> tuple[Numbers, Values]:
    """The rows that a dab changes, and their new values, (n, 4).

    Args:
        mirror: see `mirror_of`, where the brush is symmetric.
    """
    weights = _reached(column, look, brush, dab.hit)
    leans = _combed(column, look, brush, dab, weights) if brush.tool == "comb" else None
    if mirror is not None and brush.symmetry is not None:
        other = np.where(mirror >= 0, weights[mirror], 0.0)
        if leans is not None:
            both = np.maximum(weights + other, 1e-12)[:, None]
            turned = leans[mirror] * _flip(brush.symmetry)
            leans = (leans * weights[:, None] + turned * other[:, None]) / both
        weights = np.maximum(weights, other)
    points = np.flatnonzero(weights > 0.0)
    goals = _goals(column, brush, points, leans)
    rows, places = column.points.rows_of(points)
    wanted = Goals(goals.leans[places], goals.lengths[places], goals.densities[places])
    values = wanted.values(column.tangents[rows], column.binormals[rows])
    return rows, mixed(brush.tool, column.values[rows], values, weights[points][places])


def _reached(column: FurColumn, look: Look, brush: FurBrush, hit: Hit) -> Array:
    """The weight of each point: of faces that are turned to the camera, where nothing hides it."""
    apart = look.sight.positions - hit.point
    distances = np.sqrt(dot(apart, apart))
    near = np.flatnonzero((distances < brush.radius) & column.paintable[column.points.first])
    near = near[look.sight.visible(near)]
    weights = np.zeros(len(distances))
    weights[near] = brush.weights(distances[near])
    # A brush is never smaller than the triangle that it is on.
    for corner, share in zip(hit.corners, hit.shares, strict=True):
        if column.paintable[column.points.first[corner]]:
            weights[corner] = max(weights[corner], brush.strength * share)
    return weights


def _combed(column: FurColumn, look: Look, brush: FurBrush, dab: Dab, weights: Array) -> Array:
    """Where strands lean that lie the way the brush goes, (points, 3); weights of others become 0."""
    leans = np.zeros((len(weights), 3))
    if dab.way is None:
        weights[:] = 0.0
        return leans
    points = np.flatnonzero(weights)
    normals, tangents, binormals = (vectors[points] for vectors in look.frames)
    components = in_frame(flat(dab.way, normals), tangents, binormals)
    size = np.sqrt((components**2).sum(axis=1))
    lies = size > 1e-6 * float(np.linalg.norm(dab.way))
    weights[points[~lies]] = 0.0
    components = components / np.where(lies, size, 1.0)[:, None] * brush.lean
    first = column.points.first[points]
    leans[points] = along(components, column.tangents[first], column.binormals[first])
    return leans


def _goals(column: FurColumn, brush: FurBrush, points: Numbers, leans: Array | None) -> Goals:
    count = len(points)
    if leans is not None:
        return Goals(leans[points], np.ones(count), np.ones(count))
    if brush.tool in ("length", "density"):
        wanted = np.full(count, brush.value)
        return Goals(np.zeros((count, 3)), wanted, wanted)
    if brush.tool == "smooth":
        means = column.points.neighbour_means(points, fur_of(column))
        upright = flat(means[:, :3], column.normals[column.points.first[points]])
        return Goals(upright, means[:, 3], means[:, 4])
    return Goals.plain(count)


def fur_of(column: FurColumn) -> Array:
    """The fur of all points, (n, 5): what of the direction lies in the surface, length, density."""
    first = column.points.first
    values = column.values[first].astype(np.float64)
    leans = along(values[:, :2], column.tangents[first], column.binormals[first])
    return np.column_stack([leans, values[:, 2:]])
