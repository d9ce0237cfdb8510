"""When marks end: a heap, so that no mark is looked at before its time."""

import heapq
import itertools
import math
from collections.abc import Collection

from panda_rtstamp.stamps.binding import StampBinding

# Frame times are sums of floats: a mark that is this close to its end has ended.
_TIME_ROUNDING = 1e-6
# Entries of released bindings that may lie about.
_MOST_STALE = 64


class Endings:
    """The expiry times of bindings."""

    def __init__(self) -> None:
        self._heap: list[tuple[float, int, StampBinding]] = []
        self._order = itertools.count()

    def __len__(self) -> int:
        return len(self._heap)

    def schedule(self, binding: StampBinding, living: Collection[StampBinding]) -> None:
        """Look at a binding when its marks will end, unless that is planned for that time or before."""
        expiry = binding.expiry
        if expiry >= binding.scheduled:
            return
        binding.scheduled = expiry
        heapq.heappush(self._heap, (expiry, next(self._order), binding))
        if len(self._heap) > 2 * len(living) + _MOST_STALE:
            self._heap = [entry for entry in self._heap if not entry[2].released]
            heapq.heapify(self._heap)

    def take_due(self, now: float, living: Collection[StampBinding]) -> list[StampBinding]:
        """The bindings whose marks have ended. A hit that waits is to be seen for one frame at least."""
        due: list[StampBinding] = []
        later: list[StampBinding] = []
        while self._heap and self._heap[0][0] <= now + _TIME_ROUNDING:
            _, _, binding = heapq.heappop(self._heap)
            if binding.released:
                continue
            binding.scheduled = math.inf
            ended = binding.expiry <= now + _TIME_ROUNDING and not binding.waiting
            (due if ended else later).append(binding)
        # Only now, or the loop could meet one again and again.
        for binding in later:
            self.schedule(binding, living)
        return due

    def clear(self) -> None:
        """Forget all."""
        self._heap.clear()
