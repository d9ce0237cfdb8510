"""Charts made alike: which way up they are, whether they are sound, their size, their outline."""

import numpy as np

from panda_rtstamp.core.unwrap.mesh import Bools, Floats, Ints, Mesh, following, sum_by
from panda_rtstamp.core.unwrap.overlaps import find_overlaps
from panda_rtstamp.core.unwrap.packing import Outlines

# A triangle may be stretched so often, along its longest way, beside its chart's mean.
_MOST_STRETCH = 4.0
# And this share of a chart's area more than that.
_MOST_STRETCHED = 0.02
# Directions in which the smallest box is looked for: a quarter turn in so many steps, then ever finer.
_STEPS = 32
_ROUNDS = 6


def signed_areas(uvs: Floats) -> Floats:
    """Areas of triangles (n, 3, 2), negative where they run clockwise."""
    one, two = uvs[:, 1] - uvs[:, 0], uvs[:, 2] - uvs[:, 0]
    result: Floats = (one[:, 0] * two[:, 1] - one[:, 1] * two[:, 0]) / 2
    return result


def set_upright(labels: Ints, uvs: Floats) -> Floats:
    """Charts that lie mirrored, turned over."""
    count = int(labels.max(initial=-1)) + 1
    mirrored = sum_by(labels, np.nan_to_num(signed_areas(uvs)), count) < 0.0
    result: Floats = uvs.copy()
    result[mirrored[labels], :, 0] *= -1.0
    return result


def find_unsound(mesh: Mesh, labels: Ints, uvs: Floats) -> Bools:
    """Which triangles cannot lie as they do, (n,). Charts must be upright and evened out.

    Those that are flipped or have no finite UVs, and all of a chart that is stretched or overlaps itself.
    """
    wrong: Bools = np.asarray(~np.isfinite(uvs).all(axis=(1, 2)))
    uvs = np.where(wrong[:, None, None], 0.0, uvs)
    wrong |= signed_areas(uvs) <= 0.0
    count = int(labels.max(initial=-1)) + 1
    stretched = np.where(wrong, 0.0, mesh.areas * (stretch(mesh, uvs) > _MOST_STRETCH))
    bad = sum_by(labels, stretched, count) > _MOST_STRETCHED * sum_by(labels, mesh.areas, count)
    bad[labels[find_overlaps(mesh, np.where(wrong, -1, labels), uvs)]] = True
    result: Bools = wrong | bad[labels]
    return result


def stretch(mesh: Mesh, uvs: Floats) -> Floats:
    """How much longer or shorter than true a way across each triangle becomes at worst, (n,): 1 is best.

    By the singular values of the map from the triangle's plane to its UVs (Sander et al., "Texture mapping
    progressive meshes", 2001).
    """
    first = mesh.corners[:, 1] - mesh.corners[:, 0]
    second = mesh.corners[:, 2] - mesh.corners[:, 0]
    length = np.linalg.norm(first, axis=1)
    x = np.einsum("nk,nk->n", first, second) / length
    y = 2 * mesh.areas / length
    one, two = uvs[:, 1] - uvs[:, 0], uvs[:, 2] - uvs[:, 0]
    along = one / length[:, None]
    across = (two - along * x[:, None]) / y[:, None]
    square = (along**2 + across**2).sum(axis=1) / 2
    product = np.abs(along[:, 0] * across[:, 1] - along[:, 1] * across[:, 0])
    most = np.sqrt(square + np.sqrt(np.maximum(square**2 - product**2, 0.0)))
    least = product / np.maximum(most, 1e-300)
    result: Floats = np.maximum(most, 1.0 / np.maximum(least, 1e-300))
    return result


def outline(mesh: Mesh, labels: Ints, uvs: Floats) -> Bools:
    """Which edges (n, 3) are where their chart ends: beyond lies none of it, or not at the same UVs."""
    opposite = mesh.opposite
    other = np.maximum(opposite, 0)
    same = labels[other // 3] == labels[:, None]
    flat = uvs.reshape(-1, 2)
    meets = (uvs == flat[following(other)]).all(axis=2) & (np.roll(uvs, -1, axis=1) == flat[other]).all(
        axis=2
    )
    result: Bools = (opposite < 0) | ~same | ~meets
    return result


def even_out(mesh: Mesh, labels: Ints, uvs: Floats) -> Floats:
    """Charts of which each has the area, as UVs, of its triangles."""
    count = int(labels.max(initial=-1)) + 1
    wanted = sum_by(labels, mesh.areas, count)
    given = sum_by(labels, signed_areas(uvs), count)
    scale = np.sqrt(wanted / np.where(given > 0.0, given, 1.0))
    result: Floats = uvs * scale[labels, None, None]
    return result


def lay_square(mesh: Mesh, labels: Ints, uvs: Floats) -> tuple[Floats, Outlines]:
    """Each chart turned so that its box is small, and moved to (0, 0); and the outlines."""
    count = int(labels.max(initial=-1)) + 1
    edge = outline(mesh, labels, uvs)
    chart = np.repeat(labels, 3)[edge.reshape(-1)]
    ends = np.stack([uvs, np.roll(uvs, -1, axis=1)], axis=2).reshape(-1, 2, 2)[edge.reshape(-1)]
    order = np.argsort(chart, kind="stable")
    chart, ends = chart[order], ends[order]
    starts = np.searchsorted(chart, np.arange(count))
    angles = _best_angles(ends[:, 0], chart, starts)
    uvs = _rotate(uvs, angles[labels])
    ends = _rotate(ends, angles[chart])
    low = np.minimum.reduceat(ends[:, 0], starts, axis=0) if count else np.empty((0, 2))
    high = np.maximum.reduceat(ends[:, 0], starts, axis=0) if count else np.empty((0, 2))
    sizes = np.maximum(high - low, 1e-12)
    return uvs - low[labels][:, None], Outlines(ends - low[chart][:, None], chart, sizes)


def _best_angles(points: Floats, charts: Ints, starts: Ints) -> Floats:
    if not len(starts):
        return np.empty(0)
    best = np.zeros(len(starts))
    smallest = np.full(len(starts), np.inf)
    step = np.pi / 2 / _STEPS
    offsets = np.arange(_STEPS) * step
    for _ in range(_ROUNDS):
        centre = best.copy()
        for offset in offsets:
            angles = centre + offset
            turned = _rotate(points[:, None], angles[charts])[:, 0]
            extent = np.maximum.reduceat(turned, starts, axis=0) - np.minimum.reduceat(turned, starts, axis=0)
            area = extent.prod(axis=1)
            better = area < smallest * (1 - 1e-9)
            best[better], smallest[better] = angles[better], area[better]
        offsets = np.linspace(-1.0, 1.0, 9) * step
        step /= 4
    return best


def _rotate(points: Floats, angles: Floats) -> Floats:
    """Points (n, m, 2), each row turned counter-clockwise by an angle (n,) in radians."""
    cosine, sine = np.cos(angles)[:, None], np.sin(angles)[:, None]
    u, v = points[:, :, 0], points[:, :, 1]
    return np.stack([u * cosine - v * sine, u * sine + v * cosine], axis=2)
