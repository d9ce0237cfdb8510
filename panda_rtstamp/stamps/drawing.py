"""The passes of each frame: who draws, in which order, and what is busy until the frame is done."""

from panda_rtstamp.core.context import Context
from panda_rtstamp.core.log import warn_once
from panda_rtstamp.core.rounding import RoundingProbe
from panda_rtstamp.core.target import RenderTarget
from panda_rtstamp.stamps.binding import StampBinding
from panda_rtstamp.stamps.brush import Brushes
from panda_rtstamp.stamps.capture import Capturer, HitBuffers
from panda_rtstamp.stamps.config import StampConfig
from panda_rtstamp.stamps.fade import Merger
from panda_rtstamp.stamps.inputs import Clock
from panda_rtstamp.stamps.passes import Passes
from panda_rtstamp.stamps.pool import PRIMARY_SORT, Pool
from panda_rtstamp.stamps.surface import SurfaceStore
from panda_rtstamp.stamps.warmup import warm_passes

# Rectangles that a capture is made of: a mark across a seam lies in several places on the texture.
_MOST_RECTS = 6


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

    def use(self, config: StampConfig) -> None:
        """Draw by these settings from now on. To be called before anything else."""
        capturer = Capturer(self._context, config, self._brushes, self._hit_buffers)
        merger = Merger(config, self._probe.texture)
        # Under a threading model each pass takes display regions out of use for many frames.
        most_rects = _MOST_RECTS if self._context.draws_in_app_thread else 1
        self._passes = Passes(capturer, merger, self._pool, most_rects, config.has_our_shaders)

    def begin(self) -> None:
        """End the passes of earlier frames. To be called once a frame, before this frame's are made."""
        for target in [target for target in self._busy if not target.busy]:
            self._busy.discard(target)
        for target in self._busy:
            target.collect()
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
        self._busy |= {binding.slot.primary, binding.slot.temp, *self._pool.extras}
        return True

    def warm(self, size: int, config: StampConfig, clock: Clock, store: SurfaceStore) -> None:
        """Draw with each shader once, into a free pair."""
        slot = self._pool.allocate(size, config.target_format)
        if slot is not None:
            warm_passes(config, self._passes, slot, clock, store)
            self._busy |= {slot.primary, slot.temp}
            self._pool.release(slot)

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
