"""Tangent frames: where a strand of fur points, as numbers that do not depend on how the model is turned.

All work row by row on arrays of vectors, and element by element: equal rows give equal results to the bit.
"""

import numpy as np

from panda_rtstamp.core.geometry import Array

_TINY = 1e-12


def dot(one: Array, other: Array) -> Array:
    """Of each pair of vectors, (n, 3) and (n, 3) or (3,): (n,)."""
    product = one * other
    result: Array = product[..., 0] + product[..., 1] + product[..., 2]
    return result


def normalized(vectors: Array) -> Array:
    """Vectors (n, 3) of length 1; where there is no length, zeros."""
    lengths = np.sqrt(dot(vectors, vectors))[:, None]
    return np.where(lengths > _TINY, vectors / np.maximum(lengths, _TINY), 0.0)


def transformed(vectors: Array, linear: Array) -> Array:
    """Row vectors (n, 3) times 3 x 3, summed in one order whatever the row."""
    result: Array = vectors[:, :1] * linear[0] + vectors[:, 1:2] * linear[1] + vectors[:, 2:3] * linear[2]
    return result


def tangents(normals: Array) -> tuple[Array, Array]:
    """Tangents and binormals, (n, 3) each, of normals of length 1: they need no UVs, and have no seams.

    The frame is right-handed: binormal = normal x tangent. From Duff and others, "Building an Orthonormal
    Basis, Revisited", Journal of Computer Graphics Techniques 6 (1), 2017.
    """
    x, y, z = normals.T
    sign = np.copysign(1.0, z)
    a = -1.0 / (sign + z)
    b = x * y * a
    tangent = np.stack([1.0 + sign * x * x * a, sign * b, -sign * x], axis=1)
    binormal = np.stack([b, sign + y * y * a, -y], axis=1)
    return tangent, binormal


def flat(vectors: Array, normals: Array) -> Array:
    """What of vectors (n, 3) or (3,) lies in the planes that these normals of length 1 stand on."""
    result: Array = vectors - normals * dot(normals, vectors)[:, None]
    return result


def in_frame(vectors: Array, tangent: Array, binormal: Array) -> Array:
    """The (x, y), (n, 2), with x * tangent + y * binormal nearest to each vector (n, 3).

    The frame need not be square: a model's own tangents follow its UVs. Zeros where it spans no plane.
    """
    tt, tb, bb = dot(tangent, tangent), dot(tangent, binormal), dot(binormal, binormal)
    vt, vb = dot(vectors, tangent), dot(vectors, binormal)
    size = tt * bb - tb * tb
    spans = size > _TINY
    size = np.where(spans, size, 1.0)
    result: Array = np.stack([(vt * bb - vb * tb) / size, (vb * tt - vt * tb) / size], axis=1)
    return np.where(spans[:, None], result, 0.0)


def along(components: Array, tangent: Array, binormal: Array) -> Array:
    """The vectors x * tangent + y * binormal, (n, 3), of (x, y), (n, 2)."""
    result: Array = components[:, :1] * tangent + components[:, 1:2] * binormal
    return result
