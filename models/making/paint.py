"""Painting a character's texture by what is where: every texel knows its place on the model in the bind pose.

Since colours depend on places in space, the UV seams do not show.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from models.making.loft import Floats, Ints, Part, face_normals, places

# Texels are painted this many times finer than they are stored, each way.
FINER = 2
# An edge is sharp if its faces differ by more than this, degrees.
_SHARP = 25.0
# How far light is kept away by what is near, metres.
_OCCLUSION_REACH = 0.35
_OCCLUSION_GRAIN = 0.04


@dataclass(frozen=True)
class Texels:
    """What is known of each texel that a part covers."""

    size: int
    index: Ints
    part: Ints
    position: Floats
    normal: Floats
    # In metres on the part's unrolled surface, from the corner of its rectangle.
    unrolled: Floats
    # 0 where everything around keeps light away, 1 in the open.
    openness: Floats


def rasterise(parts: Sequence[Part], uvs: Sequence[Floats], size: int) -> Texels:
    """The texels of a square atlas that parts cover; `size` is that of the stored texture."""
    size *= FINER
    found = []
    for number, (part, uv) in enumerate(zip(parts, uvs, strict=True)):
        index, corners, weights = _cover(uv * size, part.triangles, size)
        place = np.einsum("nc,ncx->nx", weights, part.positions[corners])
        normal = np.einsum("nc,ncx->nx", weights, part.normals[corners])
        normal /= np.linalg.norm(normal, axis=1, keepdims=True)
        unrolled = np.einsum("nc,ncx->nx", weights, part.uv[corners])
        found.append((index, np.full(len(index), number), place, normal, unrolled))
    index, part_of, place, normal, unrolled = (np.concatenate(column) for column in zip(*found, strict=True))
    return Texels(size, index, part_of, place, normal, unrolled, _openness(parts, place, normal))


def from_edges(texels: Texels, parts: Sequence[Part]) -> tuple[Floats, Floats]:
    """Metres (n,) to the nearest sharp edge of the part that stands out, and to the nearest groove."""
    result = np.zeros((2, len(texels.index)))
    for number, part in enumerate(parts):
        here = texels.part == number
        for row, segments in zip(result, _sharp_edges(part), strict=True):
            row[here] = _distance(texels.position[here], segments)
    return result[0], result[1]


def _cover(uv: Floats, triangles: Ints, size: int) -> tuple[Ints, Ints, Floats]:
    """Texels' flat indices (n,), and their triangles' corners and weights (n, 3)."""
    index, corners, weights = [], [], []
    for triangle in triangles:
        a, b, c = uv[triangle]
        low = np.floor(np.min([a, b, c], axis=0)).astype(int)
        high = np.ceil(np.max([a, b, c], axis=0)).astype(int)
        x, y = np.meshgrid(np.arange(low[0], high[0] + 1), np.arange(low[1], high[1] + 1))
        point = np.column_stack([x.ravel(), y.ravel()]) + 0.5
        matrix = np.column_stack([b - a, c - a])
        share = np.linalg.solve(matrix, (point - a).T).T
        mix = np.column_stack([1 - share.sum(axis=1), share])
        inside = (mix >= -1e-9).all(axis=1)
        index.append((y.ravel() * size + x.ravel())[inside])
        corners.append(np.tile(triangle, (int(inside.sum()), 1)))
        weights.append(mix[inside])
    return np.concatenate(index), np.concatenate(corners), np.concatenate(weights)


def _sharp_edges(part: Part) -> tuple[Floats, Floats]:
    """The ends (m, 2, 3) of edges that stand out, and of edges that are grooves."""
    place = places(part.positions)
    normals = face_normals(part.positions, part.triangles)
    middles = part.positions[part.triangles].mean(axis=1)
    seen: dict[tuple[int, int], int] = {}
    out: list[Floats] = []
    inward: list[Floats] = []
    for face, triangle in enumerate(part.triangles):
        for i in range(3):
            ends = triangle[i], triangle[(i + 1) % 3]
            low, high = sorted((int(place[ends[0]]), int(place[ends[1]])))
            other = seen.setdefault((low, high), face)
            if other == face or normals[face] @ normals[other] > np.cos(np.radians(_SHARP)):
                continue
            kind = out if (middles[other] - middles[face]) @ normals[face] < 0 else inward
            kind.append(part.positions[list(ends)])
    return np.array(out).reshape(-1, 2, 3), np.array(inward).reshape(-1, 2, 3)


def _distance(points: Floats, segments: Floats) -> Floats:
    """From points (n, 3) to the nearest of segments (m, 2, 3); large where there is none."""
    best = np.full(len(points), 10.0)
    for a, b in segments:
        along = b - a
        t = np.clip((points - a) @ along / (along @ along), 0, 1)
        best = np.minimum(best, np.linalg.norm(points - a - t[:, None] * along, axis=1))
    return best


def _openness(parts: Sequence[Part], positions: Floats, normals: Floats) -> Floats:
    """How much of the sky over each point is free of other surfaces, counted in discs that stand for them."""
    centers, areas, facing = (np.concatenate(column) for column in zip(*map(_discs, parts), strict=True))
    cells, number = np.unique(np.round(positions / _OCCLUSION_GRAIN).astype(int), axis=0, return_inverse=True)
    number = number.reshape(-1)
    count = np.bincount(number).astype(np.float64)
    points = np.column_stack([np.bincount(number, column) for column in positions.T]) / count[:, None]
    mean = np.column_stack([np.bincount(number, column) for column in normals.T])
    mean = mean / np.maximum(np.linalg.norm(mean, axis=1, keepdims=True), 1e-9)
    blocked = np.zeros(len(cells))
    # As (x - p) . n = x . n - p . n, everything here is products of matrices.
    rest = np.einsum("dx,dx->d", centers, facing)
    for first in range(0, len(cells), 512):
        point, up = points[first : first + 512], mean[first : first + 512]
        square = (point**2).sum(axis=1)[:, None] + (centers**2).sum(axis=1) - 2 * point @ centers.T
        square = np.maximum(square, 1e-4)
        over = np.clip(up @ centers.T - (point * up).sum(axis=1)[:, None], 0, None)
        towards = np.clip(point @ facing.T - rest, 0, None)
        near = np.clip(1 - np.sqrt(square) / _OCCLUSION_REACH, 0, 1)
        share = over * towards * near * areas / (square * (np.pi * square + areas))
        blocked[first : first + 512] = share.sum(axis=1)
    result: Floats = np.exp(-1.6 * blocked)[number]
    return result


def _discs(part: Part) -> tuple[Floats, Floats, Floats]:
    """Middles, areas and normals of a part's triangles, large ones cut into four."""
    corners = part.positions[part.triangles]
    for _ in range(2):
        a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
        large = np.linalg.norm(np.cross(b - a, c - a), axis=1) > 0.008
        ab, bc, ca = (a + b)[large] / 2, (b + c)[large] / 2, (c + a)[large] / 2
        a, b, c = a[large], b[large], c[large]
        cut = [np.stack(triple, axis=1) for triple in ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))]
        corners = np.concatenate([corners[~large], *cut])
    cross = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    double = np.linalg.norm(cross, axis=1)
    return corners.mean(axis=1), double / 2, cross / np.maximum(double, 1e-12)[:, None]


def noise(points: Floats, size: float, seed: int, octaves: int = 4) -> Floats:
    """Smooth noise 0..1 at points (n, 3); `size` is that of the largest spots, metres."""
    lattice = np.random.default_rng(seed).random((32, 32, 32))
    total, weight = np.zeros(len(points)), 0.0
    for octave in range(octaves):
        scaled = points / size * 2**octave + 17.3 * octave
        low = np.floor(scaled).astype(int)
        t = scaled - low
        t = t * t * (3 - 2 * t)
        value = np.zeros(len(points))
        ends = [((low + side) % 32).T for side in (0, 1)]
        shares = [(1 - t).T, t.T]
        for i, j, k in np.ndindex(2, 2, 2):
            share = shares[i][0] * shares[j][1] * shares[k][2]
            value += share * lattice[ends[i][0], ends[j][1], ends[k][2]]
        total += value / 2**octave
        weight += 1 / 2**octave
    result: Floats = total / weight
    return result


def cells(points: Floats, size: float, seed: int) -> tuple[Floats, Floats]:
    """Scattered cells: distance from a cell's middle, and from its border, both in cell sizes (n,)."""
    jitter = np.random.default_rng(seed).random((32, 32, 32, 3))
    scaled = points / size
    low = np.floor(scaled).astype(int)
    first = np.full(len(points), 9.0)
    second = np.full(len(points), 9.0)
    for step in np.ndindex(3, 3, 3):
        cell = low + step - np.ones(3, int)
        distance = np.linalg.norm(cell + jitter[tuple((cell % 32).T)] - scaled, axis=1)
        second = np.minimum(second, np.maximum(first, distance))
        first = np.minimum(first, distance)
    return first, (second - first) / 2


def to_image(texels: Texels, colors: Floats) -> Floats:
    """The stored texture (size, size, 3), row 0 at v = 0, from colours (n, 3) of texels; gaps are filled."""
    full = np.zeros((texels.size**2, 4))
    full[texels.index, :3] = colors
    full[texels.index, 3] = 1
    image = full.reshape(texels.size, texels.size, 4)
    for _ in range(FINER.bit_length() - 1):
        image = _halve(image)
    filled = _fill(image)
    result: Floats = np.clip(filled[:, :, :3] / filled[:, :, 3:], 0, 1)
    return result


def _halve(image: Floats) -> Floats:
    half: Floats = (image[::2, ::2] + image[1::2, ::2] + image[::2, 1::2] + image[1::2, 1::2]) / 4
    return half


def _fill(image: Floats) -> Floats:
    """Weighted colours for all texels: where there is none, from the next coarser image that has one."""
    if len(image) == 1:
        return image
    coarse = _fill(_halve(image)).repeat(2, axis=0).repeat(2, axis=1)
    coarse = coarse / np.maximum(coarse[:, :, 3:], 1e-9)
    return np.where(image[:, :, 3:] > 0, image, coarse)
