"""The pairs of textures that marks live in: how many, how big, of what format. Knows nothing of marks."""

from collections import deque

from panda3d.core import ConfigVariableBool

from panda_rtstamp.core.context import Context
from panda_rtstamp.core.log import warn
from panda_rtstamp.core.target import FIRST_SORT, Format, RenderTarget
from panda_rtstamp.stamps.config import StampConfig
from panda_rtstamp.stamps.extras import Extras
from panda_rtstamp.stamps.inputs import Clock

# Early enough for FilterManager's buffers (-1000) and simplepbr's (-9) to see this frame's marks.
PRIMARY_SORT = FIRST_SORT + 11
TEMP_SORT = FIRST_SORT + 12

SMALLEST = 64  # texels along an edge
# After how long what lies idle is given back.
_IDLE_SECONDS = 60.0

_debug = ConfigVariableBool(
    "rtstamp-pool-debug", False, "Log every allocation, re-creation, eviction and release of texture pairs."
)


def pair_bytes(size: int, format: Format) -> int:
    """Graphics memory of a pair."""
    return 2 * size * size * format.texel_bytes


class Slot:
    """A pair lent out: `primary` is drawn by a capture, `temp` accumulates. Ends with `Pool.release`."""

    def __init__(self, primary: RenderTarget, temp: RenderTarget) -> None:
        self.primary = primary
        self.temp = temp
        self.freed = 0.0  # when it was given back, by the clock

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
    """At most `max_pool_size` pairs and `max_memory` megabytes, reused.

    Args:
        context: whose graphics the textures belong to.
        config: gives the limits, on what is in use and what is free together.
        clock: tells how long pairs have lain free.
    """

    def __init__(self, context: Context, config: StampConfig, clock: Clock) -> None:
        self._context = context
        self._config = config
        self._clock = clock
        self._free: list[Slot] = []  # in the order in which they were given back
        self._used: list[Slot] = []
        # What marks have left, until the frames that read it are drawn; and in which frame that was.
        self._left: deque[tuple[int, Slot]] = deque()
        self._extras = Extras(context, PRIMARY_SORT)
        self._crowded = False  # extras that were busy are to go as soon as they are idle
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
        return self._config.max_pool_size

    @property
    def full(self) -> bool:
        """True if all pairs there may be are lent out."""
        return not self._free and self.active_count >= self.max_size

    @property
    def memory_bytes(self) -> int:
        """Graphics memory of all pairs, used, free and just left, and of all extras."""
        return self._bytes_to_stay + sum(slot.memory_bytes for _, slot in self._left)

    @property
    def _bytes_to_stay(self) -> int:
        return sum(slot.memory_bytes for slot in self._used + self._free) + self._extras.memory_bytes

    def shortage(self, more: int = 0) -> float:
        """By how many bytes pairs in use, and so many more, exceed max_memory; below 0 if they do not."""
        return sum(slot.memory_bytes for slot in self._used) + more - self._config.max_bytes

    def size_within(self, size: int, format: Format) -> int:
        """The largest size up to this of which max_memory holds a pair; 0 if there is none."""
        while size >= SMALLEST and pair_bytes(size, format) > self._config.max_bytes:
            size //= 2
        return size if size >= SMALLEST else 0

    def is_valid(self, slot: Slot) -> bool:
        """True while the slot is lent out and can be drawn into."""
        return slot in self._used and slot.primary.valid and slot.temp.valid

    def allocate(self, size: int, format: Format) -> Slot | None:
        """Lend out a pair, or None if all are in use, or the driver makes none.

        A free one of the same size and format; else a free one, re-created; else a new one if there is room.

        Args:
            size: texels along an edge, a power of two.
        """
        fitting = self._take_free(size, format)
        if fitting is not None:
            return fitting
        more = pair_bytes(size, format)
        if self.full or self.shortage(more) > 0:
            return None
        how = "made"
        if self._free:
            other = self._free.pop(0)
            self._destroy(other)
            how = f"re-created from {other}"
        self._make_way(more)
        made = self._make(size, format, how)
        if made is None and self._free:
            # The driver may have room without them.
            self._destroy_free(0)
            made = self._make(size, format, how)
        return made

    def halve(self, slot: Slot) -> Slot | None:
        """Lend out a pair of half the size in the place of this one; None if the driver makes none.

        The old one is to be read in the next frame, and ends when that is drawn.
        """
        size = slot.size // 2
        smaller = self._take_free(size, slot.format)
        smaller = smaller or self._make(size, slot.format, f"made in the place of {slot}")
        if smaller is not None:
            self._used.remove(slot)
            self._left.append((self._context.frame, slot))
        return smaller

    def _take_free(self, size: int, format: Format) -> Slot | None:
        fitting = next((slot for slot in self._free if slot.size == size and slot.format == format), None)
        if fitting is None:
            return None
        self._free.remove(fitting)
        return self._lend(Slot(fitting.primary, fitting.temp), "allocated")

    def _make_way(self, more: int) -> None:
        """Destroy what is idle, the oldest first, until so many bytes more are within max_memory."""
        while self._bytes_to_stay + more > self._config.max_bytes:
            if self._extras.destroy_idle():
                continue
            if not self._free:
                break
            self._destroy(self._free.pop(0))
        self._crowded = self._bytes_to_stay + more > self._config.max_bytes

    def _destroy_free(self, kept: int) -> None:
        """Destroy free pairs, the oldest first, until so many are left."""
        while len(self._free) > kept:
            self._destroy(self._free.pop(0))

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
            has_room = self._bytes_to_stay + slot.memory_bytes <= self._config.max_bytes
            if has_room and self.active_count + self.free_count < self.max_size:
                slot.freed = self._clock.now
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
        return self._extras.targets

    def extra(self, slot: Slot) -> RenderTarget | None:
        """One more Primary like the slot's, for the passes of this frame; None if there is no room for it.

        It goes back by itself when its passes are done.
        """
        like = slot.primary
        fitting = self._extras.find(like, self._clock.now)
        if fitting is not None:
            return fitting
        if self.shortage(self._extras.busy_bytes + like.memory_bytes) > 0:
            return None
        self._make_way(like.memory_bytes)
        return self._extras.make(like)

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

    def apply(self, config: StampConfig) -> None:
        """Change the limits, and destroy free pairs beyond them. Those in use stay."""
        self._config = config
        self._destroy_free(max(self.max_size - self.active_count, 0))
        self._make_way(0)

    def tick(self, quiet: bool) -> None:
        """Give back what marks have left; and if the frame is `quiet`, one thing that has lain idle for long.

        To be called once a frame.
        """
        drawn = self._context.frame - self._context.frames_in_flight
        # Who leaves a pair after one tick reads it in the passes of the next.
        while self._left and self._left[0][0] + 1 <= drawn:
            self._destroy(self._left.popleft()[1])
        if self._crowded:
            self._make_way(0)
        if quiet and (self._free or self._extras.memory_bytes):
            self._trim(self._clock.now - _IDLE_SECONDS)

    def _trim(self, since: float) -> None:
        """Destroy one pair, of more than free_pairs, or one extra, that has lain idle since then."""
        if len(self._free) > self._config.free_pairs and self._free[0].freed <= since:
            slot = self._free.pop(0)
            self._destroy(slot)
            self._log(slot, "given back")
        else:
            self._extras.destroy_idle(since)

    def destroy(self) -> None:
        """Free all graphics memory. Idempotent."""
        for slot in [*self._used, *self._free, *(slot for _, slot in self._left)]:
            self._destroy(slot)
        self._used.clear()
        self._free.clear()
        self._left.clear()
        self._extras.destroy()

    @staticmethod
    def _destroy(slot: Slot) -> None:
        slot.primary.destroy()
        slot.temp.destroy()

    def _log(self, slot: Slot, what: str) -> None:
        if _debug:
            warn(f"pool: {slot} {what}; {self.active_count} used, {self.free_count} free of {self.max_size}")
