"""A stroke of the brush: dabs at even distances along the way of the mouse, however fast that is."""

from collections.abc import Iterator

import numpy as np

from panda_rtstamp.core.geometry import Array
from panda_rtstamp.fur.points import Numbers
from panda_rtstamp.fur.sight import Bools, Sight
from panda_rtstamp.fur.vertices import Values

# Of the radius, between two dabs.
SPACING = 0.25
# In one move of the mouse. A brush that is tiny beside its way leaves gaps.
_MOST_DABS = 256


class Stroke:
    """A stroke that goes on.

    Args:
        before: the values of all rows as they were.
        points: how many points there are.
        at: where it begins in the picture, (2,), -1..1.

    Attributes:
        reached: for each point, whether a dab reached it.
    """

    def __init__(self, before: Values, points: int, at: Array) -> None:
        self.before = before
        self.reached: Bools = np.zeros(points, bool)
        self._last = at
        # How much of the way to the next dab is done, 0..1.
        self._done = 0.0
        # What was under the brush last: how far away the way is to be measured.
        self._under: Array | None = None

    def touched(self, before: Numbers, mark: int) -> Numbers:
        """Which mark touched each point last, after this stroke of the number `mark`."""
        return np.where(self.reached, mark, before)

    def dabs_to(self, to: Array, sight: Sight, radius: float) -> Iterator[tuple[Array, Array]]:
        """Go on straight to a place: for each dab its place, and the way that the brush goes, (2,) each."""
        start, way = self._last, to - self._last
        self._last = to
        hit = sight.hit(to) or sight.hit(start)
        if hit is not None:
            self._under = hit.point
        elif self._under is None:
            # From one side of the model to the other one.
            self._under = sight.positions.mean(axis=0)
        ends = [sight.unproject(place, self._under) for place in (start, to)]
        length = float(np.linalg.norm(ends[1] - ends[0])) / (radius * SPACING)
        done, self._done = self._done, (self._done + length) % 1.0
        count = int(done + length)
        for number in np.linspace(1, count, min(count, _MOST_DABS)):
            yield start + way * ((number - done) / length), way
