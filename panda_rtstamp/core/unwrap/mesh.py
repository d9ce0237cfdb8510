"""Triangles as a mesh: which corners are one vertex, which triangles are neighbours, which one piece."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

# A triangle whose height is less than this share of its longest edge has no area: 32-bit positions, which
# models have, cannot tell it from a line.
_FLAT = 1e-6
# Nor has one that is this small beside the whole model: as UVs it would be a point.
_SMALL = 1e-7
# More triangles than this around one edge are not told apart: none of them are neighbours there.
_MOST_AROUND = 8
# Over an edge sharper than this, by the cosine between the normals, there are no neighbours: at the rim of a
# doubled sheet, front and back are two surfaces.
_KNIFE = -0.99


@dataclass(frozen=True)
class Mesh:
    """Triangles that have an area, welded.

    Attributes:
        corners: (n, 3, 3), moved and scaled so that the longest side of their box is 1.
        vertices: (n, 3), the number of the vertex at each corner.
        parts: (n,), the part that each triangle belongs to, from 0.
        opposite: (n, 3), for the edge from corner k to k + 1 the same edge of the neighbour, as 3 * triangle
            + k, or -1. Neighbours have the same winding: they run along their edge in opposite directions.
        normals: (n, 3), unit vectors, by the winding.
        areas: (n,).
        lengths: (n, 3), of the edges.
    """

    corners: Floats
    vertices: Ints
    parts: Ints
    opposite: Ints
    normals: Floats
    areas: Floats
    lengths: Floats

    def __len__(self) -> int:
        return len(self.corners)


def weld(positions: Floats, parts: Ints) -> tuple[Mesh, Bools]:
    """The mesh of the triangles that have an area, and which of those given they are.

    Args:
        positions: (n, 3, 3), the triangles' corners, in any unit; may hold numbers that are not finite.
        parts: (n,), corners at one place are one vertex only within a part.
    """
    kept: Bools = np.asarray(np.isfinite(positions).all(axis=(1, 2)))
    corners = _normalise(positions[kept])
    edges = np.roll(corners, -1, axis=1) - corners
    lengths = np.linalg.norm(edges, axis=2)
    across = np.cross(edges[:, 0], edges[:, 1])
    doubled = np.linalg.norm(across, axis=1)
    longest = lengths.max(axis=1, initial=0.0)
    solid = (doubled > _FLAT * longest**2) & (doubled > _SMALL**2)
    kept[kept] = solid
    corners, across, doubled, lengths = corners[solid], across[solid], doubled[solid], lengths[solid]
    numbers = np.unique(parts[kept], return_inverse=True)[1].reshape(-1)
    vertices = number_vertices(corners, numbers)
    normals = across / doubled[:, None]
    opposite = _find_opposites(vertices, normals)
    return Mesh(corners, vertices, numbers, opposite, normals, doubled / 2, lengths), kept


def _normalise(corners: Floats) -> Floats:
    """The corners in a box around the origin whose longest side is 1."""
    if not len(corners):
        return corners.reshape(0, 3, 3)
    # First into a range where nothing overflows.
    corners = corners / (np.abs(corners).max() or 1.0)
    low, high = corners.min(axis=(0, 1)), corners.max(axis=(0, 1))
    result: Floats = (corners - (low + high) / 2) / ((high - low).max() or 1.0)
    return result


def number_vertices(corners: Floats, parts: Ints) -> Ints:
    """Equal numbers for corners of one part at exactly the same place, (n, 3)."""
    # Adding 0 makes -0 and 0 the same.
    points = corners.reshape(-1, 3) + 0.0
    keys = [*points.T, np.repeat(parts, 3)]
    order = np.lexsort(keys)
    differs = np.zeros(len(order), bool)
    for key in keys:
        differs[1:] |= key[order[1:]] != key[order[:-1]]
    numbers = np.empty(len(order), np.int64)
    numbers[order] = np.cumsum(differs)
    return numbers.reshape(-1, 3)


def _find_opposites(vertices: Ints, normals: Floats) -> Ints:
    starts = vertices.reshape(-1)
    ends = np.roll(vertices, -1, axis=1).reshape(-1)
    low, high = np.minimum(starts, ends), np.maximum(starts, ends)
    forward = starts == low
    keys = low * (vertices.max(initial=0) + 1) + high
    order = np.argsort(keys, kind="stable")
    firsts = np.flatnonzero(np.diff(keys[order], prepend=-1))
    counts = np.diff(firsts, append=len(order))
    result = np.full(len(order), -1, np.int64)
    pairs = firsts[counts == 2]
    one, two = order[pairs], order[pairs + 1]
    same = (forward[one] != forward[two]) & (
        np.einsum("nk,nk->n", normals[one // 3], normals[two // 3]) > _KNIFE
    )
    result[one[same]], result[two[same]] = two[same], one[same]
    crowded = (counts > 2) & (counts <= _MOST_AROUND)
    for count in np.unique(counts[crowded]):
        around = order[firsts[counts == count][:, None] + np.arange(count)]
        _pair_up(around, forward, normals, result)
    return result.reshape(-1, 3)


def _pair_up(around: Ints, forward: Bools, normals: Floats, result: Ints) -> None:
    """Of the edges at one place, (places, count), pair those over which the surface goes on the flattest.

    Thus the two sides of a doubled sheet stay apart.
    """
    facing = normals[around // 3]
    flatness = np.einsum("pik,pjk->pij", facing, facing)
    ways = forward[around]
    flatness[(ways[:, :, None] == ways[:, None, :]) | (flatness <= _KNIFE)] = -np.inf
    for _ in range(around.shape[1] // 2):
        best = flatness.argmax(axis=2)
        found = np.isfinite(flatness.max(axis=2))
        mutual = found & (np.take_along_axis(best, best, axis=1) == np.arange(around.shape[1]))
        partners = np.take_along_axis(around, best, axis=1)
        result[around[mutual]] = partners[mutual]
        # Where surfaces coincide, those left over pair up next.
        flatness[mutual] = -np.inf
        flatness.swapaxes(1, 2)[mutual] = -np.inf


def neighbours(mesh: Mesh) -> tuple[Ints, Floats]:
    """The pairs of neighbouring triangles, (k, 2), each once, and the length of their edge."""
    edges = np.arange(3 * len(mesh))
    opposite = mesh.opposite.reshape(-1)
    once = opposite > edges
    pairs = np.stack([edges[once] // 3, opposite[once] // 3], axis=1)
    return pairs, mesh.lengths.reshape(-1)[once]


def components(count: int, pairs: Ints) -> Ints:
    """For each of `count` nodes the number of its connected component, (count,), from 0 by the lowest member.

    By hooking roots onto lower ones and pointer jumping (Shiloach and Vishkin, 1982): log(count) rounds.
    """
    roots = np.arange(count)
    while len(pairs):
        ends = np.sort(roots[pairs], axis=1)
        pairs, ends = pairs[ends[:, 0] != ends[:, 1]], ends[ends[:, 0] != ends[:, 1]]
        np.minimum.at(roots, ends[:, 1], ends[:, 0])
        while True:
            further = roots[roots]
            if np.array_equal(further, roots):
                break
            roots = further
    return renumber(roots)


def sum_by(labels: Ints, values: Floats, count: int) -> Floats:
    """Sums of values (n,) by label, (count,)."""
    return np.bincount(labels, values, count).astype(np.float64)


def sum_rows(labels: Ints, values: Floats, count: int) -> Floats:
    """Sums of rows (n, k) by label, (count, k)."""
    return np.stack([sum_by(labels, column, count) for column in values.T], axis=1)


def unit(vectors: Floats) -> Floats:
    """Vectors (n, k) of length 1; 0 where they are."""
    result: Floats = vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-300)
    return result


def chart_normals(mesh: Mesh, labels: Ints) -> Floats:
    """The mean normal of the triangles of each label from 0, by area, (labels, 3)."""
    taken = labels >= 0
    return unit(
        sum_rows(labels[taken], (mesh.normals * mesh.areas[:, None])[taken], int(labels.max(initial=-1)) + 1)
    )


def renumber(labels: Ints) -> Ints:
    """Labels from 0 without gaps, in order; -1 stays."""
    result: Ints = labels.copy()
    taken = labels >= 0
    result[taken] = np.unique(labels[taken], return_inverse=True)[1].reshape(-1)
    return result


def manifold_vertices(mesh: Mesh) -> Ints:
    """Numbers of the corners, (n, 3), equal only where triangles that meet there are neighbours.

    Thus surfaces that touch along an edge or at a point, or lie on each other, come apart.
    """
    corner = np.flatnonzero(mesh.opposite.reshape(-1) >= 0)
    beyond = mesh.opposite.reshape(-1)[corner]
    pairs = np.stack([corner, following(beyond)], axis=1)
    return components(3 * len(mesh), pairs).reshape(-1, 3)


def following(edges: Ints) -> Ints:
    """The edge, as in `Mesh.opposite`, or the corner, that comes next around its triangle."""
    return edges // 3 * 3 + (edges + 1) % 3


def split_apart(mesh: Mesh, labels: Ints) -> Ints:
    """Labels that tell the connected components of each label's triangles apart, from 0."""
    pairs, _ = neighbours(mesh)
    return components(len(mesh), pairs[labels[pairs[:, 0]] == labels[pairs[:, 1]]])
