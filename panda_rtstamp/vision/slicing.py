"""Cutting triangles at a height: what stands in the way at that height, as line segments seen from above."""

import numpy as np

from panda_rtstamp.core.geometry import Array

# Of x, y and z, those after and before: for cross products. numpy's own takes long for few vectors.
_NEXT, _LAST = [1, 2, 0], [2, 0, 1]


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
