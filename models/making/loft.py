"""Parts of a character: tubes with superelliptic cross sections, unrolled into a UV rectangle each.

A tube's island is as wide in every row as the tube is round there, so texels are about equally large.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
# Positions (n, 3) to the weight (n,) of each joint, by name.
Skin = Callable[[Floats], dict[str, Floats]]

_SAME_PLACE = 1e-5
_SAME_LENGTH = 1e-9


@dataclass(frozen=True)
class Part:
    """A closed surface in the bind pose. `uv` is in metres, from the lower left corner of its rectangle."""

    name: str
    material: str
    positions: Floats
    normals: Floats
    uv: Floats
    triangles: Ints
    skin: dict[str, Floats]
    smooth: float

    @property
    def size(self) -> Floats:
        """The UV rectangle's width and height, metres."""
        size: Floats = self.uv.max(axis=0)
        return size


def rigid(joint: str) -> Skin:
    """All of a part moves with one joint."""
    return lambda positions: {joint: np.ones(len(positions))}


def shared(**weights: float) -> Skin:
    """All of a part moves with several joints, by fixed weights."""
    return lambda positions: {joint: np.full(len(positions), weight) for joint, weight in weights.items()}


def chain(first: str, *links: tuple[str, ArrayLike, ArrayLike, float]) -> Skin:
    """A limb: (joint, pivot, direction, blend) takes over from the joint before it beyond its pivot.

    `blend` is half the length, in metres, along which the two joints mix.
    """

    def weigh(positions: Floats) -> dict[str, Floats]:
        last, rest = first, np.ones(len(positions))
        weights: dict[str, Floats] = {}
        for joint, pivot, direction, blend in links:
            towards = np.asarray(direction, np.float64)
            beyond = (positions - np.asarray(pivot, np.float64)) @ (towards / np.linalg.norm(towards))
            share = smoothstep(-blend, blend, beyond)
            weights[last] = rest * (1 - share)
            last, rest = joint, rest * share
        weights[last] = rest
        return weights

    return weigh


def smoothstep(low: float, high: float, x: ArrayLike) -> Floats:
    """0 below `low`, 1 above `high`, smooth between them."""
    t = np.clip((np.asarray(x, np.float64) - low) / (high - low), 0, 1)
    result: Floats = t * t * (3 - 2 * t)
    return result


def loft(
    name: str,
    rows: Sequence[Sequence[float]],
    skin: Skin,
    *,
    material: str,
    sides: int = 8,
    across: ArrayLike = (1, 0, 0),
    start: float = 0.0,
    smooth: float = 60.0,
) -> Part:
    """A tube through rows of (x, y, z, radius, other radius[, power]); a radius of 0 makes a tip.

    The first radius is measured in the direction `across`. Power 2 is an ellipse, more is a rounded
    rectangle. `start` is the angle of the UV seam in degrees, from `across`. Edges sharper than `smooth`
    degrees stay hard. An end without a tip is open: it is for ends inside other parts.
    """
    table = np.array([[*row, 2.0][:6] for row in rows], np.float64)
    rings = _rings(table, sides, np.asarray(across, np.float64), start)
    uv_rings = _unroll(rings)
    positions: list[Floats] = []
    uv, index = [], []
    for row, (ring, uv_ring) in enumerate(zip(rings, uv_rings, strict=True)):
        tip = table[row, 3] == 0
        first = sum(len(done) for done in positions)
        positions.append(ring[:1] if tip else ring)
        uv.append(uv_ring[:1] if tip else uv_ring)
        index.append(np.full(sides + 1, first) if tip else np.arange(first, first + sides + 1))
    points = np.concatenate(positions)
    triangles = _stitch(points, index)
    return shade(Part(name, material, points, points, np.concatenate(uv), triangles, skin(points), smooth))


def box(
    name: str,
    low: Sequence[float],
    high: Sequence[float],
    skin: Skin,
    *,
    material: str,
    bevel: float = 0.0,
    taper: float = 1.0,
    axis: int = 2,
) -> Part:
    """A box, its edges bevelled if `bevel` is not 0; `taper` scales its far end along the axis."""
    lower, upper = np.asarray(low, np.float64), np.asarray(high, np.float64)
    middle, half = (lower + upper) / 2, (upper - lower) / 2
    side = 1 if axis == 0 else 0
    other = 3 - axis - side
    ends = [(lower[axis], bevel, 1.0), (upper[axis], bevel, taper)]
    if bevel:
        ends[1:1] = [(lower[axis] + bevel, 0.0, 1.0), (upper[axis] - bevel, 0.0, taper)]
    rows = []
    for place, inset, scale in ends:
        center = middle.copy()
        center[axis] = place
        rows.append([*center, half[side] * scale - inset, half[other] * scale - inset, -bevel])
    rows = [[*rows[0][:3], 0, 0], *rows, [*rows[-1][:3], 0, 0]]
    sides = 8 if bevel else 4
    return loft(name, rows, skin, material=material, sides=sides, across=np.eye(3)[side], smooth=20)


def _rings(table: Floats, sides: int, across: Floats, start: float) -> list[Floats]:
    """The points (sides + 1, 3) of every row; the last is the first again."""
    centers = table[:, :3]
    tangents = _tangents(centers, table[:, 3])
    angles = np.radians(start) + np.arange(sides + 1) * (2 * np.pi / sides)
    rings = []
    for center, tangent, row in zip(centers, tangents, table, strict=True):
        right = across - (across @ tangent) * tangent
        right /= np.linalg.norm(right)
        other = np.cross(tangent, right)
        x, y = _section(angles, row[3], row[4], row[5])
        rings.append(center + x[:, None] * right + y[:, None] * other)
    return rings


def _tangents(centers: Floats, radii: Floats) -> Floats:
    """The spine's direction at every row. Rows in one place (caps, steps) look where their neighbours do."""
    moved = np.linalg.norm(np.diff(centers, axis=0), axis=1) > _SAME_PLACE
    steps = np.where(moved[:, None], np.diff(centers, axis=0), 0)
    steps = steps / np.maximum(np.linalg.norm(steps, axis=1, keepdims=True), 1e-12)
    result = np.zeros_like(centers)
    for row in range(len(centers)):
        before = next((steps[i] for i in range(row - 1, -1, -1) if moved[i]), None)
        after = next((steps[i] for i in range(row, len(steps)) if moved[i]), None)
        known = [step for step in (before, after) if step is not None]
        total = np.sum(known, axis=0)
        # Where a tube turns back into itself, the way it came.
        result[row] = total if np.linalg.norm(total) > 0.1 else known[0]
    normed: Floats = result / np.linalg.norm(result, axis=1, keepdims=True)
    return normed


def _section(angles: Floats, across: float, other: float, power: float) -> tuple[Floats, Floats]:
    """A superellipse; or, for no power or less, a rectangle, its corners cut by minus that much."""
    if power > 0:
        cos, sin = np.cos(angles), np.sin(angles)
        size = (np.abs(cos) ** power + np.abs(sin) ** power) ** (-1 / power)
        return across * cos * size, other * sin * size
    x, y = np.array([-1.0, 1, 1, -1]) * across, np.array([-1.0, -1, 1, 1]) * other
    if power < 0:
        x = np.repeat(x, 2) - power * np.array([0, 1, -1, 0, 0, -1, 1, 0])
        y = np.repeat(y, 2) - power * np.array([1, 0, 0, 1, -1, 0, 0, -1])
    return np.append(x, x[0]), np.append(y, y[0])


def _unroll(rings: Sequence[Floats]) -> list[Floats]:
    """Each row's UVs in metres: laid out straight, in the middle, above the row before."""
    lengths = [np.append(0, np.cumsum(np.linalg.norm(np.diff(ring, axis=0), axis=1))) for ring in rings]
    width = max(length[-1] for length in lengths)
    result, height = [], 0.0
    for row, length in enumerate(lengths):
        if row:
            height += float(np.linalg.norm(rings[row] - rings[row - 1], axis=1).mean())
        result.append(np.column_stack([width / 2 + length - length[-1] / 2, np.full(len(length), height)]))
    return result


def _stitch(points: Floats, index: Sequence[Ints]) -> Ints:
    """Triangles between rows of vertex numbers, split along the shorter diagonal, or else the first."""
    triangles = []
    for lower, upper in pairwise(index):
        for i in range(len(lower) - 1):
            a, b, c, d = lower[i], lower[i + 1], upper[i + 1], upper[i]
            # Which one rounding makes the shorter of two alike depends on the processor.
            longer = np.linalg.norm(points[a] - points[c]) - np.linalg.norm(points[b] - points[d])
            pair = [(a, b, c), (a, c, d)] if longer < _SAME_LENGTH else [(a, b, d), (b, c, d)]
            triangles += [triangle for triangle in pair if len(set(triangle)) == 3]
    return np.array(triangles, np.int64)


def mirror(part: Part) -> Part:
    """The part on the other side: x becomes -x, and joints that end in .r become those that end in .l."""
    flip = np.array([-1.0, 1.0, 1.0])
    return replace(
        part,
        name=_left(part.name),
        positions=part.positions * flip,
        normals=part.normals * flip,
        # Turned over too, lest the texture is seen from behind.
        uv=part.uv * (-1, 1) + (part.size[0], 0),
        triangles=part.triangles[:, ::-1].copy(),
        skin={_left(joint): weight for joint, weight in part.skin.items()},
    )


def _left(name: str) -> str:
    return f"{name[:-2]}.l" if name.endswith(".r") else name


def face_normals(positions: Floats, triangles: Ints) -> Floats:
    """Unit normals (m, 3)."""
    a, b, c = (positions[triangles[:, corner]] for corner in range(3))
    normals = np.cross(b - a, c - a)
    result: Floats = normals / np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)
    return result


def places(positions: Floats) -> Ints:
    """A number for each position (n,), the same where two are in one place."""
    _, number = np.unique(np.round(positions / _SAME_PLACE).astype(np.int64), axis=0, return_inverse=True)
    return number.reshape(-1)


def shade(part: Part) -> Part:
    """The part with normals: smooth, but for edges sharper than `part.smooth`, where vertices split."""
    corners = part.triangles.reshape(-1)
    a, b, c = (part.positions[part.triangles[:, corner]] for corner in range(3))
    areas = np.repeat(np.linalg.norm(np.cross(b - a, c - a), axis=1), 3)
    faces = np.repeat(face_normals(part.positions, part.triangles), 3, axis=0)
    place = places(part.positions)[corners]
    normals = np.zeros_like(faces)
    limit = np.cos(np.radians(part.smooth))
    for number in np.unique(place):
        here = np.flatnonzero(place == number)
        near = (faces[here] @ faces[here].T >= limit) * areas[here]
        normals[here] = near @ faces[here]
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)
    keys = np.column_stack([corners, np.round(normals * 1000).astype(np.int64)])
    _, first, number = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    return replace(
        part,
        positions=part.positions[corners[first]],
        normals=normals[first],
        uv=part.uv[corners[first]],
        triangles=number.reshape(-1, 3),
        skin={joint: weight[corners[first]] for joint, weight in part.skin.items()},
    )
