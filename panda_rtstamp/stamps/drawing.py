"""The passes of each frame: who draws, in which order, and what is busy until the frame is done."""

from collections.abc import Iterable

from panda_rtstamp.core.card import card_camera, wipe
from panda_rtstamp.core.context import Context
from panda_rtstamp.core.log import warn_once
from panda_rtstamp.core.rounding import RoundingProbe
from panda_rtstamp.core.target import RenderTarget
from panda_rtstamp.stamps.binding import StampBinding
from panda_rtstamp.stamps.brush import Brushes
from panda_rtstamp.stamps.capture import Capturer, HitBuffers
from panda_rtstamp.stamps.config import StampConfig
from panda_rtstamp.stamps.fade import Merger
from panda_rtstamp.stamps.passes import Passes
from panda_rtstamp.stamps.pool import PRIMARY_SORT, Pool, Slot
from panda_rtstamp.stamps.warmup import ShaderWarmup


class Drawing:
    """Draws the marks of one window.

    Args:
        context: the window.
        pool: the textures.
        brushes: the pictures that hits name.
    """

    def __init__(self, context: Context, pool: Pool, brushes: Brushes) -> None:
        self.capture_count = 0
        self._context = context
        self._pool = pool
        self._brushes = brushes
        self._busy: set[RenderTarget] = set()
        self._probe = RoundingProbe(context, PRIMARY_SORT - 1)
        self._probed = False
        self._hit_buffers = HitBuffers(context)
        self._warmup = ShaderWarmup(context, brushes)

    def use(self, config: StampConfig) -> None:
        """Draw by these settings from now on. To be called before anything else."""
        capturer = Capturer(self._context, config, self._brushes, self._hit_buffers)
        merger = Merger(config, self._probe.texture)
        self._passes = Passes(capturer, merger, self._pool, config.has_our_shaders)
        self._warmup.use(config, self._passes)

    def begin(self) -> None:
        """End the passes of earlier frames. To be called once a frame, before this frame's are made."""
        for target in list(self._busy):
            target.collect()
            if not target.busy:
                self._busy.remove(target)
        self._warmup.begin()
        if not self._probed:
            self._probed = True
            self._probe.draw()
            self._busy.add(self._probe.target)

    def draw(self, binding: StampBinding) -> bool:
        """Make this frame's passes of a node. False if that went wrong, which is logged."""
        try:
            self.capture_count += binding.draw(self._passes)
        except Exception as error:  # Whatever it is, a game must not stop for a mark.
            warn_once(f"draw {error}", f"{binding.name}: its marks cannot be drawn and are dropped: {error}")
            return False
        self.watch(binding.slot)
        self._busy.update(self._pool.extras)
        return True

    def watch(self, slot: Slot) -> None:
        """End the passes of a slot when they are drawn."""
        self._busy |= {slot.primary, slot.temp}

    def warm_up(self, slots: Iterable[Slot]) -> None:
        """Draw with every shader once, and clear free pairs, in this frame."""
        self._warmup.draw_all()
        for slot in slots:
            self.clear(slot)

    def clear(self, slot: Slot) -> None:
        """Clear a free pair in this frame, so that the first hit has nothing to clear."""
        for target in (slot.primary, slot.temp):
            used = target.take_used()
            if used:
                target.draw(card_camera("rtstamp-clear", [wipe(used)], target.size), changed=[])
        self.watch(slot)

    def warm_up_step(self) -> bool:
        """Draw with one more shader, in this frame. False if nothing is left to do."""
        if self._warmup.done:
            return False
        self._warmup.step()
        return True

    def finish(self) -> None:
        """Have drawn what the last frames handed over: whoever reads a texture now would miss it else."""
        context = self._context
        frames = int(context.undrawn) if context.draws_in_app_thread else context.frames_in_flight
        for _ in range(frames if self._busy else 0):
            context.engine.render_frame()

    def destroy(self) -> None:
        """Free what is not the pool's. Idempotent."""
        self._busy.clear()
        self._probe.destroy()
        self._warmup.destroy()
