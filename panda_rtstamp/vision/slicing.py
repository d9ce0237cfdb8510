"""Cutting triangles at a height: what stands in the way at that height, as line segments seen from above."""

import numpy as np
import numpy.typing as npt

from panda_rtstamp.core.geometry import Array

Numbers = npt.NDArray[np.int64]

# Of x, y and z, those after and before: for cross products. numpy's own takes long for few vectors.
_NEXT, _LAST = [1, 2, 0], [2, 0, 1]
# The sine of the angle by which segments may turn and still count as one. Rounding to 64 bits makes less.
_STRAIGHT = 1e-9


def slice_triangles(points: Array, height: float) -> Array:
    """The segments in which triangles meet the plane z = height.

    A vertex is above if z >= height, so every triangle has a segment, or none, and a mesh that is closed has
    closed outlines: two triangles that share an edge, its ends equal to the bit, share an end point to the
    bit. Lying triangles, triangles without area and such that are not finite give nothing.

    Args:
        points: corners, (n, 3, 3).
        height: in the same space.

    Returns:
        Ends as x, y: (k, 2, 2), float64. None of the segments is of length 0. Seen from the side that the
        triangle shows its face to, counter-clockwise, the first end is on the left.
    """
    above = points[:, :, 2] >= height
    count = above.sum(axis=1)
    cut = np.flatnonzero((count == 1) | (count == 2))
    cut = cut[np.isfinite(points[cut]).all(axis=(1, 2))]
    cut = cut[_normals(points[cut]).any(axis=1)]
    points, above, single = points[cut], above[cut], count[cut] == 1

    # Of three corners one is alone on its side: the plane cuts the two edges that end there.
    alone = np.where(single[:, None], above, ~above).argmax(axis=1)
    rows = np.arange(len(points))
    ends = np.stack(
        [_crossing(points[rows, alone], points[rows, (alone + step) % 3], single, height) for step in (1, 2)],
        axis=1,
    )
    ends = np.where(single[:, None, None], ends, ends[:, ::-1])
    result: Array = ends[(ends[:, 0] != ends[:, 1]).any(axis=1)]
    return result


def _normals(points: Array) -> Array:
    first, second = points[:, 1] - points[:, 0], points[:, 2] - points[:, 0]
    result: Array = first[:, _NEXT] * second[:, _LAST] - first[:, _LAST] * second[:, _NEXT]
    return result


def _crossing(alone: Array, other: Array, alone_is_above: Array, height: float) -> Array:
    """Where edges cross the height, as x, y: worked out from the upper end, whichever triangle asks."""
    swap = alone_is_above[:, None]
    upper, lower = np.where(swap, alone, other), np.where(swap, other, alone)
    # An upper end at the very height is met to the bit; a lower one never lies there.
    share = (upper[:, 2] - height) / (upper[:, 2] - lower[:, 2])
    result: Array = upper[:, :2] + share[:, None] * (lower[:, :2] - upper[:, :2])
    return result


def join_straight(ends: Array) -> Array:
    """The same segments, but those that go straight on where just two of them meet are one.

    A quad is two triangles, and a wall many quads. What is left are end points that were there before, to the
    bit: outlines that were closed stay closed.

    Args:
        ends: as from `slice_triangles`, (n, 2, 2).

    Returns:
        (k, 2, 2), k <= n.
    """
    # A walk along segment k arrives at its first end, number 2 k, or at its second one, 2 k + 1.
    arrivals = ends.reshape(-1, 2)
    first, second = _straight_meetings(ends)
    # Where a walk arrives next, if it goes on: what arrives at the same place goes the other way there.
    onward = np.arange(len(arrivals))
    onward[first], onward[second] = second ^ 1, first ^ 1
    # Each round doubles how far it looks, so a line of 1000 pieces takes ten.
    while not np.array_equal(farther := onward[onward], onward):
        onward = farther
    outermost = onward.reshape(-1, 2)
    # All pieces of a line find its two ends; that whose number is the lower one speaks for it.
    speaks = outermost.min(axis=1) // 2 == np.arange(len(ends))
    result: Array = arrivals[outermost[speaks]]
    return result


def _straight_meetings(ends: Array) -> tuple[Numbers, Numbers]:
    """The ends at places where just two segments meet and go straight on: numbers of both, (m,) each."""
    places = np.ascontiguousarray(ends).view(np.complex128).ravel()
    order = np.argsort(places, kind="stable")
    is_new = np.append(True, np.diff(places[order]) != 0.0)
    start = np.flatnonzero(is_new)
    of_two = start[np.diff(start, append=len(places)) == 2]
    first, second = order[of_two], order[of_two + 1]
    along = ends[:, 1] - ends[:, 0]
    to_ends = np.stack([-along, along], axis=1).reshape(-1, 2)
    (x, y), (other_x, other_y) = to_ends[first].T, to_ends[second].T
    # Both faces look to the same side: an end that is a first one meets a second one.
    alike = (first ^ second) & 1 == 1
    # From opposite sides. What is too short for its products says nothing: 0 is not less than 0.
    straight = np.abs(x * other_y - y * other_x) < -_STRAIGHT * (x * other_x + y * other_y)
    return first[alike & straight], second[alike & straight]
