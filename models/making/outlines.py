"""Outlines and profiles: the lines that solids are swept along."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from models.making.mesh import Array

Points = Sequence[tuple[float, float]]

# Where two edges turn by more than this (degrees) the surface has a sharp edge.
_SHARP = 62.0


@dataclass(frozen=True)
class Outline:
    """A closed convex polygon, counterclockwise; points (n, 2) come twice where the edge there is sharp.

    normals: (n, 2), outwards. mitres: (n, 2), how a point moves, outwards, when the polygon grows by 1.
    """

    points: Array
    normals: Array
    mitres: Array


def facets(corners: Points, chamfer: float = 0.0) -> Outline:
    """A convex polygon with flat sides between corners, counterclockwise; a chamfer above 0 blunts them."""
    ends = np.array(corners, dtype=np.float64)
    edges = np.roll(ends, -1, axis=0) - ends
    tangents = edges / np.linalg.norm(edges, axis=1)[:, None]
    normals = np.stack([tangents[:, 1], -tangents[:, 0]], axis=1)
    before = np.roll(normals, 1, axis=0)
    mitres = (normals + before) / (1 + np.sum(normals * before, axis=1))[:, None]
    starts = ends + tangents * chamfer
    stops = np.roll(ends, -1, axis=0) - tangents * chamfer
    return Outline(
        np.stack([starts, stops], axis=1).reshape(-1, 2),
        np.repeat(normals, 2, axis=0),
        np.stack([mitres, np.roll(mitres, -1, axis=0)], axis=1).reshape(-1, 2),
    )


def rectangle(width: float, depth: float, chamfer: float = 0.0) -> Outline:
    """A rectangle around the origin."""
    x, y = width / 2, depth / 2
    return facets([(-x, -y), (x, -y), (x, y), (-x, y)], chamfer)


def circle(radius: float, sides: int) -> Outline:
    """A polygon that passes for a circle: its normals are round."""
    angles = np.arange(sides) * (2 * np.pi / sides) - np.pi / 2
    around = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    return Outline(around * radius, around, around)


def polygon(radius: float, sides: int, chamfer: float = 0.0) -> Outline:
    """A regular polygon, one side of which faces -Y; radius is to the middle of a side."""
    angles = (np.arange(sides) - 0.5) * (2 * np.pi / sides) - np.pi / 2
    outer = radius / np.cos(np.pi / sides)
    return facets([(float(np.cos(a)) * outer, float(np.sin(a)) * outer) for a in angles], chamfer)


def soften(points: Array) -> tuple[Array, Array]:
    """A profile's points and its normals (outwards, up): sharp points twice, blunt ones with one normal.

    The longer edge at a point decides the normal there, so that bevels look round and faces flat.
    """
    edges = np.diff(points, axis=0)
    lengths = np.linalg.norm(edges, axis=1)
    # x is the inset, so that outwards is -x.
    normals = np.stack([edges[:, 1], edges[:, 0]], axis=1) / lengths[:, None]
    result_points = [points[0]]
    result_normals = [normals[0]]
    for k in range(1, len(edges)):
        before, after = normals[k - 1], normals[k]
        if before @ after < np.cos(np.radians(_SHARP)):
            result_points += [points[k], points[k]]
            result_normals += [before, after]
        else:
            mixed = before * lengths[k - 1] ** 2 + after * lengths[k] ** 2
            result_points.append(points[k])
            result_normals.append(mixed / np.linalg.norm(mixed))
    return np.array([*result_points, points[-1]]), np.array([*result_normals, normals[-1]])
