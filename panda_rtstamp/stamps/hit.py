"""The record of a hit, and how a capture gets it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from panda_rtstamp.core.config import Color
from panda_rtstamp.core.geometry import Array

# Texels of the hit buffer for each hit, as shaders/stamps/hits.glsl reads them.
TEXELS = 3
# What 32-bit floats can divide by.
_LEAST_RADIUS = 1e-30


@dataclass(frozen=True, slots=True)
class Hit:
    """One hit on a bound node.

    Attributes:
        point: (3,) in the node's own space, so that the mark stays where it struck when the node moves on.
        radius: in the world.
        opacity, hardness: 0..1.
        color: (r, g, b).
    """

    point: Array
    radius: float
    opacity: float
    hardness: float
    color: Color


def pack(hits: Sequence[Hit], points: Array) -> npt.NDArray[np.float32]:
    """The hits as rows of the hit buffer, (hits * TEXELS, 4).

    Args:
        points: (hits, 3), in the space that the capture measures distances in.
    """
    rows = np.zeros((len(hits), TEXELS, 4), np.float32)
    rows[:, 0, :3] = points
    for row, hit in zip(rows, hits, strict=True):
        row[0, 3] = max(hit.radius, _LEAST_RADIUS)
        row[1] = (*hit.color, hit.opacity)
        row[2, 0] = hit.hardness
    return rows.reshape(-1, 4)
