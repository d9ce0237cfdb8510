"""Exact sight among walls, in numpy: which points a viewer sees.

A segment from a to b hides a point p from the eye e if the line from e to p meets it before p. With every
point taken from e, and cross products whose sign says on which side of a line a point lies, that is: p lies
between a and b, and beyond the line through them. Two walls that share a corner share the sign there, to the
bit, so nothing leaks between them; and nothing is divided, so nothing is lost where walls are seen edge on.
"""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from panda_rtstamp.core.geometry import Array

Bools = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.int64]

# Pairs of a point and a segment that are looked at in one go: some 20 MB.
_PAIRS = 1 << 18
# Radians, and a share of the range: far above what angles and lengths are rounded by, far below any wall.
_SLACK = 1e-9
_TURN = 2.0 * np.pi


def visible(
    points: Array,
    eye: Array,
    ends: Array,
    view_range: float,
    forward: Array | None = None,
    half_cosine: float = -1.0,
) -> Bools:
    """Which points the eye sees: in range, in the cone, and behind no wall. The eye's own point is seen.

    A point on a wall is seen; a wall whose line goes through the eye hides nothing. What is not finite is not
    seen.

    Args:
        points: (n, 2), in the world.
        eye: (2,).
        ends: of the walls' segments, (k, 2, 2).
        view_range: how far the eye sees; what is at this very distance is seen.
        forward: of length 1, (2,); None where there is no cone.
        half_cosine: of half the cone's angle; what is at this very angle is seen.

    Returns:
        (n,).
    """
    to_points = points - eye
    distances = np.sqrt(_dot(to_points, to_points))
    result = distances <= view_range
    if forward is not None:
        result &= _dot(to_points, forward) >= half_cosine * distances
    asked = np.flatnonzero(result & (distances > 0.0))
    result[asked] = ~_hidden(points[asked], eye, _facing(ends, eye, view_range))
    return result


def _hidden(points: Array, eye: Array, ends: Array) -> Bools:
    """Which points lie behind one of the segments, whose second end is to the left of the first."""
    result = np.zeros(len(points), np.bool_)
    to_points, to_ends, along = points - eye, ends - eye, ends[:, 1] - ends[:, 0]
    for segments, numbers in _pairs(_angles(to_points), _angles(to_ends)):
        undecided = ~result[numbers]
        segments, numbers = segments[undecided], numbers[undecided]
        point = to_points[numbers]
        hit = _cross(to_ends[segments, 0], point) >= 0.0
        hit &= _cross(point, to_ends[segments, 1]) >= 0.0
        # Not from the eye: so a point that is the end of a wall is on its line to the bit.
        hit &= _cross(points[numbers] - ends[segments, 0], along[segments]) > 0.0
        result[numbers[hit]] = True
    return result


def _facing(ends: Array, eye: Array, view_range: float) -> Array:
    """The segments that may hide what is in range, turned so that the second end is to the left."""
    first, second = ends[:, 0] - eye, ends[:, 1] - eye
    # Of the box around a segment, the point that is nearest to the eye.
    nearest = np.maximum(np.minimum(first, second), 0.0) + np.minimum(np.maximum(first, second), 0.0)
    near = _dot(nearest, nearest) <= (view_range * (1.0 + _SLACK)) ** 2
    side = _cross(first, second)
    left, right = ends[near & (side > 0.0)], ends[near & (side < 0.0)]
    return np.concatenate([left, right[:, ::-1]])


def _pairs(of_points: Array, of_ends: Array) -> Iterator[tuple[Numbers, Numbers]]:
    """Every segment with each point in its arc, in runs: numbers of the segments and of the points.

    Args:
        of_points: angles, (n,), -pi to pi.
        of_ends: angles of the arcs' first and last ends, (k, 2). Arcs go to the left.
    """
    order = np.argsort(of_points)
    # Once more a turn on: an arc that goes through +-pi is one run.
    turns = np.concatenate([of_points[order], of_points[order] + _TURN])
    start = (of_ends[:, 0] - _SLACK + np.pi) % _TURN - np.pi
    length = (of_ends[:, 1] - of_ends[:, 0]) % _TURN
    first = np.searchsorted(turns, start)
    last = np.searchsorted(turns, start + length + 2.0 * _SLACK, side="right")
    bounds = np.concatenate([[0], np.cumsum(last - first)])
    segments = np.arange(len(of_ends))
    for begin in range(0, int(bounds[-1]), _PAIRS):
        end = min(begin + _PAIRS, int(bounds[-1]))
        owners = np.repeat(segments, np.diff(np.clip(bounds, begin, end)))
        places = np.arange(begin, end) - bounds[owners] + first[owners]
        yield owners, order[places % len(order)]


def _angles(vectors: Array) -> Array:
    angles: Array = np.arctan2(vectors[..., 1], vectors[..., 0])
    return angles


def _dot(first: Array, second: Array) -> Array:
    # Not by einsum or @: they may round the same vectors differently, by where these stand in the array.
    result: Array = first[..., 0] * second[..., 0] + first[..., 1] * second[..., 1]
    return result


def _cross(first: Array, second: Array) -> Array:
    """Above 0 where the second vector is to the left of the first."""
    result: Array = first[..., 0] * second[..., 1] - first[..., 1] * second[..., 0]
    return result
