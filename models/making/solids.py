"""Solids with bevels: an outline in the XY plane, and a profile that it follows upwards and inwards."""

from collections.abc import Sequence

import numpy as np

from models.making.mesh import Array, Mesh, Vector, merge
from models.making.outlines import Outline, Points, rectangle, soften

# Metres that a repeating texture covers.
TILE = 4.0
# Longer than any edge, so that it decides the normal.
_FAR = 100.0


def _grid(outline: Outline, profile: Points) -> tuple[Array, Array, Array]:
    """Positions and normals (rings, columns, 3) of a swept outline, and how far along the profile rings are.

    The first column comes again as the last one.
    """
    rings, ring_normals = soften(np.array(profile, dtype=np.float64))
    along = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(rings, axis=0), axis=1))])
    columns = [*range(len(outline.points)), 0]
    flat = outline.points[None] - rings[:, None, :1] * outline.mitres[None]
    heights = np.broadcast_to(rings[:, None, 1:], (*flat.shape[:2], 1))
    positions = np.concatenate([flat, heights], axis=2)[:, columns]
    level = outline.normals[None] * ring_normals[:, None, :1]
    ups = np.broadcast_to(ring_normals[:, None, 1:], (*level.shape[:2], 1))
    normals = np.concatenate([level, ups], axis=2)[:, columns]
    return positions, normals, along


def _quads(rings: int, columns: int) -> list[tuple[int, int, int]]:
    """Triangles between neighbours in a grid of vertices."""
    triangles = []
    for ring in range(rings - 1):
        for column in range(columns - 1):
            a = ring * columns + column
            triangles += [(a, a + 1, a + columns + 1), (a, a + columns + 1, a + columns)]
    return triangles


def band(outline: Outline, profile: Points, pieces: int = 1, shades: Sequence[float] | None = None) -> Mesh:
    """The side of a solid, unrolled: its outline swept along a profile of (inset, height), upwards.

    pieces: how many islands of as many columns each. shades: brightness at each point of the profile.
    """
    positions, normals, along = _grid(outline, profile)
    middle = outline.points - np.mean([inset for inset, _ in profile]) * outline.mitres
    steps = np.linalg.norm(np.roll(middle, -1, axis=0) - middle, axis=1)
    around = np.concatenate([[0], np.cumsum(steps)])
    # Where the texture repeats several times on its way round it is made to meet itself.
    repeats = around[-1] / TILE
    whole = round(repeats) / repeats if repeats > 2 else 1.0
    shade = _shade(profile, along, shades)
    parts = []
    for columns in np.array_split(np.arange(len(steps)), pieces):
        chosen = [*columns, columns[-1] + 1]
        size = (len(along), len(chosen))
        uv = np.stack([np.broadcast_to(around[chosen], size), np.broadcast_to(along[:, None], size)], axis=2)
        triangles = _quads(*size)
        parts.append(
            _part(positions[:, chosen], normals[:, chosen], uv, uv * (whole, 1), shade[:, None], triangles)
        )
    return merge(parts)


def cap(
    outline: Outline, profile: Points, shades: Sequence[float] | None = None, *, filled: bool = True
) -> Mesh:
    """The top of a solid as one island, seen from above: its outline swept inwards, and the rest filled.

    Steep parts of the profile, (inset, height), get their room: the island is larger than the top by them.
    """
    # What is filled is flat, and its edge has normals like any other.
    level = [(profile[-1][0] + _FAR, profile[-1][1])] if filled else []
    positions, normals, along = (
        part[: -1 if filled else None] for part in _grid(outline, [*profile, *level])
    )
    rings, columns = positions.shape[:2]
    inset = profile[-1][0] - (along[-1] - along)
    flat = outline.points[None] - inset[:, None, None] * outline.mitres[None]
    flat = flat[:, [*range(columns - 1), 0]]
    triangles = _quads(rings, columns)
    if filled:
        last = (rings - 1) * columns
        triangles += [(last, last + k, last + k + 1) for k in range(1, columns - 2)]
    metres = flat - outline.points.min(axis=0)
    return _part(positions, normals, flat, metres, _shade(profile, along, shades)[:, None], triangles)


def _shade(profile: Points, along: Array, shades: Sequence[float] | None) -> Array:
    """Brightness of each ring, from that at each point of the profile."""
    if shades is None or len(profile) == 1:
        return np.ones(len(along))
    at_points = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(np.array(profile), axis=0), axis=1))])
    return np.interp(along, at_points, shades)


def _part(
    positions: Array,
    normals: Array,
    uv: Array,
    metres: Array,
    shade: Array,
    triangles: list[tuple[int, int, int]],
) -> Mesh:
    """A mesh with one island from grids of vertices, (rings, columns, ...).

    shade: (rings, columns), or 1 instead of either.
    """
    colors = np.broadcast_to(shade[:, :, None], positions.shape)
    return Mesh(
        positions.reshape(-1, 3),
        normals.reshape(-1, 3),
        uv.reshape(-1, 2),
        metres.reshape(-1, 2) / TILE,
        colors.reshape(-1, 3).copy(),
        np.zeros(positions[..., 0].size, dtype=np.int64),
        np.array(triangles, dtype=np.int64).reshape(-1, 3),
    ).cleaned()


def plane(width: float, depth: float, shade: Array) -> Mesh:
    """A rectangle around the origin that faces up; shade: the brightness of its vertices, (rows, columns)."""
    rows, columns = shade.shape
    y, x = np.meshgrid(np.linspace(0, depth, rows), np.linspace(0, width, columns), indexing="ij")
    flat = np.stack([x, y], axis=2)
    positions = np.stack([x - width / 2, y - depth / 2, np.zeros(shade.shape)], axis=2)
    normals = np.broadcast_to((0.0, 0.0, 1.0), positions.shape)
    return _part(positions, normals, flat, flat, shade, _quads(rows, columns))


def ridges(line: Points, height: float) -> Mesh:
    """A folded sheet that faces up: a line of (x, z), along X, extruded along Y from 0 to `height`."""
    points, slopes = soften(np.array(line, dtype=np.float64))
    along = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    low = np.stack([points[:, 0], np.zeros(len(points)), points[:, 1]], axis=1)
    normals = np.stack([-slopes[:, 0], np.zeros(len(points)), slopes[:, 1]], axis=1)
    uv = np.stack([along, np.zeros(len(points))], axis=1)
    deepest = points[:, 1].min()
    shade = np.where(points[:, 1] > deepest + 1e-6, 1.0, 0.68)
    positions = np.stack([low, low + (0, height, 0)])
    flat = np.stack([uv, uv + (0, height)])
    return _part(positions, np.stack([normals, normals]), flat, flat, shade[None], _quads(2, len(points)))


def rib(line: Points, width: float, height: float) -> Mesh:
    """A bar that stands out of a bent surface by `height`, along a line of (x, z), upwards and towards -X."""
    path = np.array(line, dtype=np.float64)
    edges = np.diff(path, axis=0)
    lengths = np.linalg.norm(edges, axis=1)
    slopes = np.stack([edges[:, 1], -edges[:, 0]], axis=1) / lengths[:, None]
    outwards = (slopes[[0, *range(len(slopes))]] + slopes[[*range(len(slopes)), -1]]) / 2
    outwards /= np.linalg.norm(outwards, axis=1)[:, None]
    section = [
        (-width / 2, -0.02),
        (0.012 - width / 2, height),
        (width / 2 - 0.012, height),
        (width / 2, -0.02),
    ]
    points, normals = soften(np.array(section))
    places = path[:, None] + outwards[:, None] * points[None, :, 1:]
    facing = outwards[:, None] * normals[None, :, 1:]
    size = places.shape[:2]
    y = np.broadcast_to(points[:, 0], size)
    side = np.broadcast_to(-normals[:, 0], size)
    across = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    along = np.concatenate([[0], np.cumsum(lengths)])
    uv = np.stack([np.broadcast_to(across, size), np.broadcast_to(along[:, None], size)], axis=2)
    return _part(
        np.stack([places[..., 0], y, places[..., 1]], axis=2),
        np.stack([facing[..., 0], side, facing[..., 1]], axis=2),
        uv,
        uv,
        np.ones((1, 1)),
        _quads(*size),
    )


def prism(
    outline: Outline,
    side: Points,
    top: Points = (),
    pieces: int = 1,
    shades: Sequence[float] | None = None,
) -> Mesh:
    """A solid without a bottom: a band along `side`, (inset, height), and a cap that goes on along `top`."""
    return merge([band(outline, side, pieces, shades), cap(outline, [side[-1], *top])])


# Each face's axes in space: its own X and Y, and where it faces.
_FACES: dict[str, tuple[Vector, Vector, Vector]] = {
    "+x": ((0, 1, 0), (0, 0, 1), (1, 0, 0)),
    "-x": ((0, -1, 0), (0, 0, 1), (-1, 0, 0)),
    "+y": ((-1, 0, 0), (0, 0, 1), (0, 1, 0)),
    "-y": ((1, 0, 0), (0, 0, 1), (0, -1, 0)),
    "+z": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "-z": ((1, 0, 0), (0, -1, 0), (0, 0, -1)),
}
SIDES = ("+x", "-x", "+y", "-y")
UPPER = (*SIDES, "+z")


def box(
    low: Vector,
    high: Vector,
    bevel: float,
    faces: Sequence[str] = UPPER,
    recess: dict[str, tuple[float, float]] | None = None,
) -> Mesh:
    """A box between two corners, an island a face. Where it has no face it reaches half a bevel further.

    recess: for a face, the width of a frame that stays and how deep the panel within it lies.
    """
    start, end = np.array(low, dtype=np.float64), np.array(high, dtype=np.float64)
    for name, (_, _, facing) in _FACES.items():
        if name not in faces:
            start += np.minimum(facing, 0) * bevel / 2
            end += np.maximum(facing, 0) * bevel / 2
    parts = []
    for name in faces:
        rotation = np.array(_FACES[name]).T.astype(np.float64)
        width, height, depth = np.abs(rotation.T @ (end - start))
        profile = [(0.0, -bevel / 2), (bevel / 2, 0.0)] if bevel else [(0.0, 0.0)]
        shades = [0.94, 1.0][-len(profile) :]
        if recess and name in recess:
            frame, deep = recess[name]
            profile += [(frame, 0.0), (frame + deep * 0.4, -deep)]
            shades += [0.92, 0.7]
        face = cap(rectangle(width - bevel, height - bevel), profile, shades)
        parts.append(face.moved((0, 0, depth / 2)).turned(rotation))
    middle = (start + end) / 2
    return merge(parts).moved((middle[0], middle[1], middle[2]))
