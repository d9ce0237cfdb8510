"""Who gets a pair of textures, and whose marks must move or go for that."""

from collections.abc import Callable, Iterable, Mapping

from panda_rtstamp.core.anchor import Key
from panda_rtstamp.core.log import warn_once
from panda_rtstamp.stamps.binding import StampBinding
from panda_rtstamp.stamps.config import RESOLUTIONS, StampConfig
from panda_rtstamp.stamps.pool import SMALLEST, Pool, Slot, pair_bytes
from panda_rtstamp.stamps.shrink import Shrinker


class Slots:
    """Keeps marks within `max_pool_size` and `max_memory`.

    Args:
        config: settings.
        pool: the textures.
        shrinker: moves marks to smaller ones.
        bindings: all that have a pair.
        release: ends the marks of one of them; is told why.
    """

    def __init__(
        self,
        config: StampConfig,
        pool: Pool,
        shrinker: Shrinker,
        bindings: Mapping[Key, StampBinding],
        release: Callable[[StampBinding, str], None],
    ) -> None:
        self._config = config
        self._pool = pool
        self._shrinker = shrinker
        self._bindings = bindings
        self._release = release
        self._largest = 4096  # texels along an edge that the driver makes
        self._unseen: list[StampBinding] = []  # still to be asked whether their nodes are alive

    def apply(self, config: StampConfig) -> None:
        """Decide by other settings from now on."""
        self._config = config

    def take(self, size: int) -> Slot | None:
        """A pair of so many texels along an edge, or fewer. None, which is logged, if there can be none."""
        if self._pool.full and self._bindings:
            self.release_dead()
        if self._pool.full and self._bindings:
            self._release(self._weakest(), "evicted")
        format = self._config.target_format
        size = self._pool.size_within(min(size, self._largest), format)
        if not size:
            warn_once(
                "max_memory", f"max_memory has no room for a pair of {SMALLEST} texels: nothing is marked"
            )
            return None
        self.free_memory(pair_bytes(size, format), self._bindings.values())
        slot = self._pool.allocate(size, format)
        # Not made by the driver, which nobody else's end would change; but it may make a smaller one.
        while slot is None and size > RESOLUTIONS[-1] and not self._pool.full:
            size //= 2
            self._largest = size
            slot = self._pool.allocate(size, format)
        return slot

    def free_memory(self, more: int, bindings: Iterable[StampBinding]) -> None:
        """Have some of these marks move to smaller textures, or else go, until so many bytes have room."""
        if self._pool.shortage(more) <= 0:
            return
        chosen = list(bindings)
        self.release_dead()
        weakest_first = sorted((other for other in chosen if not other.released), key=self._strength)
        while weakest_first and (short := self._pool.shortage(more)) > 0:
            if not self._shrinker.free(short, weakest_first, self._config.shrink_below):
                self._release(weakest_first.pop(0), "evicted")

    def make_room(self, wanted: int) -> int:
        """Evict the weakest until so many more have room, or nobody is left; how many do have room then."""
        room = min(wanted, self._config.max_pool_size)
        while len(self._bindings) > self._config.max_pool_size - room:
            self._release(self._weakest(), "evicted")
        return room

    def release_dead(self, most: int | None = None) -> None:
        """Release bindings whose nodes are destroyed, of so many that are looked at in turn; None: of all."""
        if most is None or not self._unseen:
            self._unseen = list(self._bindings.values())
        looked_at = self._unseen[:most]
        del self._unseen[:most]
        # Those that were released since have let go of their nodes, too.
        for binding in [binding for binding in looked_at if not binding.has_node()]:
            if not binding.released:
                self._release(binding, "released")

    def _weakest(self) -> StampBinding:
        return min(self._bindings.values(), key=self._strength)

    def _strength(self, binding: StampBinding) -> tuple[bool, bool, float]:
        """Who goes last when the pool is full: detached ones first, one with a waiting hit last."""
        alpha = binding.alpha - binding.age * self._config.age_weight
        return binding.waiting, not binding.detached, alpha
