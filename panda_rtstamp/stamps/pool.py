"""The pairs of textures that marks live in: how many, how big, of what format. Knows nothing of marks."""

from panda3d.core import ConfigVariableBool

from panda_rtstamp.core.context import Context
from panda_rtstamp.core.log import warn
from panda_rtstamp.core.target import Format, RenderTarget

# Early enough for FilterManager's buffers (-1000) and simplepbr's (-9) to see this frame's marks.
PRIMARY_SORT = -2002
TEMP_SORT = -2001

# Primaries beside those of the pairs.
_MOST_EXTRAS = 8

_debug = ConfigVariableBool(
    "rtstamp-pool-debug", False, "Log every allocation, re-creation, eviction and release of texture pairs."
)


class Slot:
    """A pair lent out: `primary` is drawn by a capture, `temp` accumulates. Ends with `Pool.release`."""

    def __init__(self, primary: RenderTarget, temp: RenderTarget) -> None:
        self.primary = primary
        self.temp = temp

    @property
    def size(self) -> int:
        """Texels along an edge."""
        return self.primary.size

    @property
    def format(self) -> Format:
        """Of both textures."""
        return self.primary.format

    @property
    def memory_bytes(self) -> int:
        """Graphics memory of both textures."""
        return self.primary.memory_bytes + self.temp.memory_bytes

    def __str__(self) -> str:
        return f"{self.primary.texture.get_name()} ({self.size} x {self.size} {self.format.name})"


class Pool:
    """At most `max_size` pairs, reused.

    Args:
        context: whose graphics the textures belong to.
        max_size: pairs, those in use and those free together.
    """

    def __init__(self, context: Context, max_size: int) -> None:
        self._context = context
        self._max_size = max_size
        self._free: list[Slot] = []
        self._used: list[Slot] = []
        self._extras: list[RenderTarget] = []
        self._made = 0

    @property
    def active_count(self) -> int:
        """Pairs in use."""
        return len(self._used)

    @property
    def free_count(self) -> int:
        """Pairs made and not in use."""
        return len(self._free)

    @property
    def max_size(self) -> int:
        """How many pairs there may be."""
        return self._max_size

    @property
    def full(self) -> bool:
        """True if `allocate` has no room: all pairs there may be are lent out."""
        return not self._free and self.active_count >= self._max_size

    @property
    def memory_bytes(self) -> int:
        """Graphics memory of all pairs, used and free."""
        pairs = sum(slot.memory_bytes for slot in self._used + self._free)
        return pairs + sum(target.memory_bytes for target in self._extras)

    def is_valid(self, slot: Slot) -> bool:
        """True while the slot is lent out and can be drawn into."""
        return slot in self._used and slot.primary.valid and slot.temp.valid

    def allocate(self, size: int, format: Format) -> Slot | None:
        """Lend out a pair, or None if all are in use.

        A free one of the same size and format; else a free one, re-created; else a new one if there is room.

        Args:
            size: texels along an edge, a power of two.
        """
        fitting = next((slot for slot in self._free if slot.size == size and slot.format == format), None)
        if fitting is not None:
            self._free.remove(fitting)
            return self._lend(Slot(fitting.primary, fitting.temp), "allocated")
        if self._free:
            other = self._free.pop(0)
            self._destroy(other)
            return self._make(size, format, f"re-created from {other}")
        if self.active_count < self._max_size:
            return self._make(size, format, "made")
        return None

    def _make(self, size: int, format: Format, how: str) -> Slot | None:
        self._made += 1
        primary = RenderTarget(self._context, f"rtstamp-primary-{self._made}", size, format, PRIMARY_SORT)
        temp = RenderTarget(self._context, f"rtstamp-temp-{self._made}", size, format, TEMP_SORT)
        slot = Slot(primary, temp)
        if not (primary.buffer and temp.buffer):
            self._destroy(slot)
            return None
        return self._lend(slot, how)

    def _lend(self, slot: Slot, how: str) -> Slot:
        self._used.append(slot)
        self._log(slot, how)
        return slot

    def release(self, slot: Slot, what: str = "released") -> None:
        """Take a pair back for the next `allocate`. A slot that is not lent out is left alone."""
        if slot in self._used:
            self._used.remove(slot)
            if self.active_count + self.free_count < self._max_size:
                self._free.append(slot)
            else:
                self._destroy(slot)
            self._log(slot, what)

    def force_release(self, slot: Slot) -> None:
        """Take a pair back and free its graphics memory at once."""
        if slot in self._used:
            self._used.remove(slot)
            self._destroy(slot)
            self._log(slot, "destroyed")

    @property
    def extras(self) -> list[RenderTarget]:
        """All that `extra` lent out."""
        return list(self._extras)

    def extra(self, slot: Slot) -> RenderTarget | None:
        """One more Primary like the slot's, for the passes of this frame; None if too many are in use.

        It goes back by itself when its passes are done.
        """
        like = slot.primary
        idle = [target for target in self._extras if not target.busy]
        fitting = [target for target in idle if target.size == like.size and target.format == like.format]
        if fitting:
            return fitting[0]
        if len(self._extras) >= _MOST_EXTRAS:
            if not idle:
                return None
            self._extras.remove(idle[0])
            idle[0].destroy()
        made = RenderTarget(self._context, "rtstamp-primary-extra", like.size, like.format, PRIMARY_SORT)
        self._extras.append(made)
        return made

    def reinit_size(self, slot: Slot, size: int) -> bool:
        """Give a lent slot new, empty textures of another size. False if that cannot be done."""
        if slot not in self._used:
            return False
        self._used.remove(slot)
        made = self._make(size, slot.format, f"re-created from {slot}")
        if made is None:
            self._used.append(slot)
            return False
        self._used.remove(made)
        self._destroy(slot)
        slot.primary, slot.temp = made.primary, made.temp
        self._used.append(slot)
        return True

    def resize(self, max_size: int) -> None:
        """Change the number of pairs there may be, and destroy free ones beyond it. Those in use stay."""
        self._max_size = max_size
        while self._free and self.active_count + self.free_count > max_size:
            self._destroy(self._free.pop(0))

    def destroy(self) -> None:
        """Free all graphics memory. Idempotent."""
        for slot in self._used + self._free:
            self._destroy(slot)
        for target in self._extras:
            target.destroy()
        self._used.clear()
        self._free.clear()
        self._extras.clear()

    @staticmethod
    def _destroy(slot: Slot) -> None:
        slot.primary.destroy()
        slot.temp.destroy()

    def _log(self, slot: Slot, what: str) -> None:
        if _debug:
            warn(f"pool: {slot} {what}; {self.active_count} used, {self.free_count} free of {self._max_size}")
