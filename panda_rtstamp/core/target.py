"""A texture that is drawn into now and then, by passes that are each made once and never changed.

Under a threading model the last frames are still being culled and drawn while the application prepares the
next one, and cameras, initial states and shader inputs are not part of what Panda keeps apart for them. So
every pass has a camera of its own, handed to a display region that no other pass uses until no thread does.
And a buffer's regions must not come and go then: Panda's threads look through them without a lock.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from panda3d.core import (
    ATS_none,
    DisplayRegion,
    FrameBufferProperties,
    GraphicsOutput,
    GraphicsPipe,
    LVecBase4f,
    NodePath,
    SamplerState,
    Texture,
    WindowProperties,
)

from panda_rtstamp.core.card import pass_camera
from panda_rtstamp.core.context import Context
from panda_rtstamp.core.log import warn_once
from panda_rtstamp.core.rect import Rect, gather

# Of what is drawn into first: render pictures of a game, whose sorts are -100,000 and above, and what filters
# put before those, show what was drawn there in the same frame.
FIRST_SORT = -200_000
# Rectangles that tell where a texture may hold something.
_MOST_USED = 8


@dataclass(frozen=True)
class Format:
    """A format that can be rendered to."""

    name: str
    bits: tuple[int, int, int, int]
    is_float: bool
    component: Literal[0, 1, 2, 3, 4, 5, 6, 7]
    format: int
    texel_bytes: int

    @property
    def channels(self) -> int:
        """1 or 4."""
        return sum(bits > 0 for bits in self.bits)


FORMATS = {
    entry.name: entry
    for entry in (
        Format("rgba8", (8, 8, 8, 8), False, Texture.T_unsigned_byte, Texture.F_rgba, 4),
        Format("rgba16f", (16, 16, 16, 16), True, Texture.T_half_float, Texture.F_rgba16, 8),
        # One channel of 8 bits does not exist as a render target: Panda makes it RGB8.
        Format("r16", (16, 0, 0, 0), False, Texture.T_unsigned_short, Texture.F_r16, 2),
        Format("r16f", (16, 0, 0, 0), True, Texture.T_half_float, Texture.F_r16, 2),
    )
}
# For distances and numbers: not one of those that colours may be kept in.
RG32F = Format("rg32f", (32, 32, 0, 0), True, Texture.T_float, Texture.F_rg32, 8)


@dataclass(frozen=True)
class _Pass:
    """What a region shows, from `frame` on; nothing at all if it is `empty`."""

    frame: int
    region: DisplayRegion
    empty: bool


class RenderTarget:
    """A texture and the buffer that renders into it, idle until `draw` is called.

    Args:
        context: whose graphics to use.
        name: for the texture, the buffer and the profiler.
        size: texels across, and upwards too where `height` is None.
        format: of the texture.
        sort: among the window's buffers; lower is drawn earlier in the frame.
        height: texels upwards.
        depth: passes test depth, against 0 (the nearest) where they clear.
        to_ram: what is drawn is brought to RAM at once, and is nowhere else.
    """

    def __init__(
        self,
        context: Context,
        name: str,
        size: int,
        format: Format,
        sort: int,
        height: int | None = None,
        depth: bool = False,
        to_ram: bool = False,
    ) -> None:
        self.size = size
        self.height = size if height is None else height
        self.format = format
        self._depth = depth
        self.to_ram = to_ram
        self.texture = Texture(name)
        # Panda would pad or scale what is no power of two.
        self.texture.set_auto_texture_scale(ATS_none)
        self.texture.setup_2d_texture(size, self.height, format.component, format.format)
        self.texture.set_wrap_u(SamplerState.WM_clamp)
        self.texture.set_wrap_v(SamplerState.WM_clamp)
        # Whatever the game sets for its own textures: mip maps would all be made anew after each pass.
        self.texture.set_minfilter(SamplerState.FT_linear)
        # Where it may hold something. A new texture holds anything.
        self.used = [self._whole]
        self._context = context
        self._passes: list[_Pass] = []
        self._spare: list[DisplayRegion] = []
        self.buffer = self._make_buffer(name, sort)
        if self.buffer is not None:
            self.buffer.add_render_texture(self.texture, self._mode, GraphicsOutput.RTP_color)
            # A copy would take one by the number of channels.
            self.texture.set_match_framebuffer_format(False)
            self.buffer.set_clear_color_active(False)
            self.buffer.set_clear_depth_active(False)
            self.buffer.set_one_shot(True)
            self._spare = [self._make_region(self.buffer) for _ in range(self._regions_needed())]

    @property
    def _mode(self) -> Literal[1, 2, 3]:
        """Bound, a texture is padded to powers of two unless `textures-power-2` is none: then U is wrong."""
        if self.to_ram:
            return GraphicsOutput.RTM_copy_ram
        exact = all(size & (size - 1) == 0 for size in (self.size, self.height))
        return GraphicsOutput.RTM_bind_or_copy if exact else GraphicsOutput.RTM_copy_texture

    def _regions_needed(self) -> int:
        """How many regions passes in every frame need; none are kept where they can be made and removed."""
        context = self._context
        return 0 if context.draws_in_app_thread else 4 * context.frames_in_flight + 4

    @staticmethod
    def _make_region(buffer: GraphicsOutput) -> DisplayRegion:
        region = buffer.make_display_region()
        region.set_active(False)
        region.set_clear_color(LVecBase4f(0.0))
        region.set_clear_depth(0.0)
        return region

    def _make_buffer(self, name: str, sort: int) -> GraphicsOutput | None:
        properties = FrameBufferProperties()
        properties.set_rgba_bits(*self.format.bits)
        properties.set_float_color(self.format.is_float)
        properties.set_depth_bits(24 if self._depth else 0)
        size = WindowProperties()
        size.set_size(self.size, self.height)
        context = self._context
        flags = GraphicsPipe.BF_refuse_window
        buffer = context.engine.make_output(
            context.pipe, name, sort, properties, size, flags, context.gsg, context.window
        )
        if buffer is None:
            warn_once(
                "make_output", f"the driver made no {self.size} x {self.height} {self.format.name} buffer"
            )
        return buffer

    @property
    def valid(self) -> bool:
        """True if it can be drawn into."""
        return self.buffer is not None and self.buffer.is_valid()

    @property
    def memory_bytes(self) -> int:
        """Graphics memory of the texture."""
        return self.size * self.height * self.format.texel_bytes

    @property
    def _whole(self) -> Rect:
        return Rect(0, 0, self.size, self.height)

    @property
    def busy(self) -> bool:
        """True while passes of the last frames may still be in use."""
        return bool(self._passes)

    def draw(
        self,
        camera: NodePath,
        *,
        clear: bool = False,
        rect: Rect | None = None,
        changed: Sequence[Rect] | None = None,
    ) -> None:
        """Draw what `camera` sees in this frame, once.

        Args:
            camera: fresh, and never changed from now on.
            clear: start from zeros.
            rect: the texels that its picture fills, and that are cleared; None for all of them.
            changed: the texels where it may leave something; None for all of `rect`.
        """
        if self.buffer is None:
            return
        rect = rect or self._whole
        region = self._spare.pop() if self._spare else self._make_region(self.buffer)
        across = (rect.left / self.size, rect.right / self.size)
        region.set_dimensions(*across, rect.bottom / self.height, rect.top / self.height)
        region.set_clear_color_active(clear)
        region.set_clear_depth_active(clear and self._depth)
        self._show(region, camera)
        kept = [part for part in self.used if not (clear and rect.contains(part))]
        self.used = gather([rect] if changed is None else changed, _MOST_USED, kept)

    def take_used(self) -> list[Rect]:
        """Where it may hold something. The pass that is made next must wipe that."""
        used, self.used = self.used, []
        return used

    def _show(self, region: DisplayRegion, camera: NodePath, empty: bool = False) -> None:
        frame = self._context.frame
        # In the order in which they were asked for, whichever region each of them got.
        region.set_sort(sum(other.frame == frame for other in self._passes))
        region.set_camera(camera)
        region.set_active(True)
        self._passes.append(_Pass(frame, region, empty))
        if self.buffer is not None:
            self.buffer.set_one_shot(True)

    def collect(self) -> None:
        """End the passes of earlier frames, and drop those that no thread draws any more.

        To be called once a frame while `busy`, before the frame's passes are made.
        """
        frame = self._context.frame
        for done in self._passes:
            if done.frame < frame:
                done.region.set_active(False)
        while self._passes and self._passes[0].frame + self._context.frames_in_flight <= frame:
            self._retire(self._passes.pop(0))

    def _retire(self, done: _Pass) -> None:
        if self.buffer is None:
            return
        if self._context.draws_in_app_thread:
            self.buffer.remove_display_region(done.region)
        elif done.empty:
            self._spare.append(done.region)
        else:
            # A region keeps the last scene that it showed alive until it has shown another one; by a camera
            # of its own, since Panda culls but once for all regions that share one.
            done.region.set_clear_color_active(False)
            done.region.set_clear_depth_active(False)
            nothing = pass_camera("rtstamp-nothing", NodePath("rtstamp-nothing"))
            self._show(done.region, nothing, empty=True)

    def destroy(self) -> None:
        """Free the buffer and the texture. Idempotent."""
        self._passes.clear()
        self._spare.clear()
        if self.buffer is not None:
            self._context.engine.remove_window(self.buffer)
            self.buffer = None
        self.texture.release_all()
