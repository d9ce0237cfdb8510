"""The rectangle of the world that a mask covers."""

from dataclasses import dataclass

import numpy as np

from panda_rtstamp.core.geometry import Array
from panda_rtstamp.vision.config import VisionConfig


@dataclass(frozen=True)
class Area:
    """A rectangle seen from above, along the world's X and Y.

    Attributes:
        center: (x, y).
        size: (width, height).
    """

    center: tuple[float, float]
    size: tuple[float, float]

    def near(self, x: float, y: float, texels: int) -> "Area":
        """This one, moved by whole texels so that its middle is nearest to a place.

        Texels then lie where they lay before: what stands still does not flicker.

        Args:
            texels: along an edge.
        """
        moves = self._in_texels((x - self.center[0], y - self.center[1]), texels)
        center = np.array(self.center) + np.round(moves) * np.array(self.size) / texels
        return Area((float(center[0]), float(center[1])), self.size)

    def shift_from(self, before: "Area", texels: int) -> tuple[int, int] | None:
        """By how many texels it has moved along X and Y; None if no texel lies where one lay before."""
        delta = (self.center[0] - before.center[0], self.center[1] - before.center[1])
        moves = self._in_texels(delta, texels)
        steps = np.round(moves)
        if self.size != before.size or np.abs(steps).max() >= texels or np.abs(moves - steps).max() > 1e-3:
            return None
        return int(steps[0]), int(steps[1])

    def _in_texels(self, way: tuple[float, float], texels: int) -> Array:
        texel = np.array(self.size) / texels
        moves: Array = np.array(way) / texel
        return moves

    def places_in(self, other: "Area") -> tuple[float, float, float, float]:
        """What to multiply 0..1 over this one by, and to add, to get to 0..1 over the other: both (x, y)."""
        size, whole = np.array(self.size), np.array(other.size)
        low = np.array(self.center) - size / 2.0 - (np.array(other.center) - whole / 2.0)
        width, height, x, y = np.concatenate([size / whole, low / whole]).tolist()
        return width, height, x, y

    def relative_to(self, origin: Array) -> "Area":
        """The same place, in coordinates that have their origin there, (2,)."""
        x, y = (np.array(self.center) - origin).tolist()
        return Area((x, y), self.size)

    def is_far_from(self, point: Array) -> bool:
        """True if a point, (2,), lies outside, by more than half of the size."""
        return bool((np.abs(point - np.array(self.center)) > np.array(self.size)).any())


def mask_area(config: VisionConfig) -> Area:
    """What the mask covers, unless it follows a node."""
    return Area(config.center, config.size)


def explored_area(config: VisionConfig) -> Area:
    """What is remembered: it stays where it is."""
    return Area(config.center, config.explored_size or config.size)
