"""What one window's graphics holds of a picture: the buffer that its texture is drawn in.

The buffer is made once, and all that happens to it in play is that it is active in a frame or not: that,
Panda keeps apart for frames which other threads still cull or draw.
"""

from collections.abc import Callable, Iterator

from direct.task import Task
from panda3d.core import (
    ATS_none,
    FrameBufferProperties,
    GraphicsOutput,
    GraphicsPipe,
    LVecBase4f,
    NodePath,
    SamplerState,
    Texture,
    WindowProperties,
)

from panda_rtstamp.core.capabilities import Capabilities
from panda_rtstamp.core.card import copy_of
from panda_rtstamp.core.context import Context
from panda_rtstamp.core.log import warn_once
from panda_rtstamp.core.readback import Readback, ReadFuture, read_texture
from panda_rtstamp.overlay.draws import Draws
from panda_rtstamp.overlay.exact_sizes import EXACT_SIZES
from panda_rtstamp.overlay.formats import LAST_SORT, PictureKind
from panda_rtstamp.overlay.pixels import Texels
from panda_rtstamp.overlay.views import View, views_of

# After all pictures.
_READ_SORT = -1000
_DEPTH_BITS = 24
# Right after igLoop (50), which draws.
_DRAWN_SORT = 51
# So far are pictures moved before others.
_FIRST_SORT = LAST_SORT - 1000


class Canvas:
    """A picture in a window.

    Args:
        context: the window.
        buffer: of `make_buffer`.
        texture: the picture's; its size and format are set already.
        kind: what it is like.
        camera: whose view is drawn.
    """

    def __init__(
        self,
        context: Context,
        buffer: GraphicsOutput,
        texture: Texture,
        kind: PictureKind,
        camera: NodePath,
    ) -> None:
        self.buffer = buffer
        self._context = context
        self._texture = texture
        self._kind = kind
        self._readback = Readback(context, _READ_SORT)
        # The first frame of all, whether it may still be drawn, and the first frame that draws the scene.
        self._made: int | None = None
        self._making = False
        self._first: int | None = None
        self._active = self._once = False
        buffer.add_render_texture(texture, GraphicsOutput.RTM_bind_or_copy, GraphicsOutput.RTP_color)
        buffer.set_active(False)
        # The buffer clears, not the region: pipelines that are put over it take its colour for theirs.
        buffer.set_clear_color(LVecBase4f(*kind.background))
        self._region = buffer.make_display_region()
        self._region.set_camera(camera)
        # Or Panda might put something else in the place of what is not loaded yet, in a single draw.
        self._region.set_incomplete_render(False)
        self._draws = Draws(context, self._region)

    @property
    def valid(self) -> bool:
        """False once the window was closed or replaced."""
        return self._context.valid

    @property
    def drawn(self) -> bool:
        """True if it was drawn at least once."""
        context = self._context
        return self._first is not None and (context.frame > self._first or not context.undrawn)

    @property
    def keeps_account(self) -> bool:
        """True if `used` can be asked: without a threading model."""
        return self._context.draws_in_app_thread

    @property
    def used(self) -> bool:
        """True if the last frame sampled the texture."""
        objects = self._context.gsg.get_prepared_objects()
        if not self._texture.is_prepared(objects):
            return False
        held = self._texture.prepare_now(0, objects, self._context.gsg)
        return held is not None and held.active

    @property
    def busy(self) -> bool:
        """True while `collect` and `draw` are to be called."""
        return self._active or self._making or self._draws.busy or self._readback.busy

    def views(self) -> Iterator[View]:
        """What it shows itself."""
        return views_of(self.buffer)

    def draw_before(self, other: GraphicsOutput) -> None:
        """Be drawn earlier in the frame than another buffer. Of those that show each other, one isn't."""
        sort = max(other.get_sort() - 1, _FIRST_SORT)
        if self.buffer.get_sort() > sort:
            self.buffer.set_sort(sort)

    def draw(self, active: bool, once: bool, waiting: list[ReadFuture], listened: bool) -> bool:
        """Decide on this frame. To be called once in each.

        Args:
            active: draw.
            once: not in frames that the game draws without a decision in between.
            waiting: are told when it is drawn.
            listened: somebody wants to know of every draw.

        Returns:
            True if this frame makes the texture, which is a use of it.
        """
        making = self._make()
        blank = making and not active
        self._region.set_active(not blank)
        self._active = active or blank
        self.buffer.set_active(self._active)
        once = blank or (active and once)
        if once or self._once:
            self.buffer.set_one_shot(once)
            self._once = once
        if active and self._first is None:
            self._first = self._context.frame
        self._draws.expect(active, waiting, listened)
        return making

    def _make(self) -> bool:
        """True in the first frame, which makes the texture: cleared at least, as it may be shown already."""
        frame = self._context.frame
        if self._made is None:
            self._made = frame
            self._making = True
            EXACT_SIZES.begin()
            if self._context.draws_in_app_thread:
                task_mgr = self._context.base.task_mgr
                task_mgr.add(self._end_when_drawn, "rtstamp-picture-size", sort=_DRAWN_SORT)
        elif self._making and frame >= self._made + self._context.frames_in_flight:
            self._end_making()
        return frame == self._made

    def _end_when_drawn(self, task: Task.Task) -> int:
        """Textures that the game loads in its next frame are as the game wants them."""
        if self._making and self._context.undrawn:
            return int(Task.cont)
        self._end_making()
        return int(Task.done)

    def _end_making(self) -> None:
        if not self._making:
            return
        self._making = False
        EXACT_SIZES.end()
        got, wanted = self.buffer.get_fb_properties().get_multisamples(), self._kind.samples
        if got < wanted and self._context.valid:
            warn_once(f"picture samples {wanted}", f"the driver gave {got} samples for {wanted}")

    def take_news(self) -> bool:
        """True if it was drawn since the last call, as far as somebody wanted to know."""
        return self._draws.take_news()

    def read(self) -> Texels | None:
        """What the texture holds now: (height, width, channels), top row first. None if it cannot be read.

        Under a threading model some frames are drawn, this picture not among them.
        """
        if self._context.draws_in_app_thread:
            texels = read_texture(self._context, self._texture)
        else:
            texels = self._read_copy()
        return None if texels is None else texels[::-1]

    def _read_copy(self) -> Texels | None:
        # What is read of a texture may go to the graphics card again, over what was drawn in the meantime.
        kind = self._kind
        if not self._context.undrawn:
            # Until the next frame is decided on.
            self.buffer.set_active(False)
        return self._readback.read(copy_of(self._texture), kind.width, kind.format, kind.height)

    def request(self, finish: Callable[[Texels], object], future: ReadFuture) -> None:
        """Read what the texture holds after this frame, some frames later, when nobody has to wait for it."""
        kind = self._kind
        self._readback.request(
            copy_of(self._texture),
            kind.width,
            kind.format,
            lambda texels: finish(texels[::-1]),
            future,
            height=kind.height,
        )

    def collect(self) -> None:
        """Answer what is due. To be called once a frame, before `draw` and `request`."""
        if self._readback.busy:
            self._readback.tick()
        self._draws.begin()

    def destroy(self) -> None:
        """Free the buffer and what the texture holds."""
        self._readback.destroy()
        # So that the camera knows at once that nobody shows it.
        self._region.set_camera(NodePath())
        self._context.engine.remove_window(self.buffer)
        self._draws.destroy()
        if self._making:
            self._making = False
            EXACT_SIZES.end()
        self._texture.release_all()


def make_buffer(context: Context, name: str, kind: PictureKind) -> GraphicsOutput | None:
    """A buffer for a picture. None, with a warning, if the driver makes none of this kind."""
    what = f"{kind.width} x {kind.height} {kind.format.name} buffer"
    largest = Capabilities.of(context.gsg).max_texture_size
    if max(kind.width, kind.height) > largest:
        warn_once(
            f"picture {what}", f"{what}: the driver draws up to {largest}; a render picture stays empty"
        )
        return None
    properties = FrameBufferProperties()
    properties.set_rgba_bits(*kind.format.bits)
    properties.set_float_color(kind.format.is_float)
    properties.set_depth_bits(_DEPTH_BITS)
    properties.set_multisamples(kind.samples)
    size = WindowProperties()
    size.set_size(kind.width, kind.height)
    flags = GraphicsPipe.BF_refuse_window
    buffer = context.engine.make_output(
        context.pipe,
        name,
        LAST_SORT if kind.sort is None else kind.sort,
        properties,
        size,
        flags,
        context.gsg,
        context.window,
    )
    if buffer is None:
        warn_once(f"picture {what}", f"the driver made no {what}: a render picture stays empty")
    return buffer


def make_texture(kind: PictureKind) -> Texture:
    """The texture of a picture: the same one in all windows."""
    texture = Texture("rtstamp-picture")
    # Panda would pad or scale what is no power of two.
    texture.set_auto_texture_scale(ATS_none)
    texture.setup_2d_texture(kind.width, kind.height, kind.format.component, kind.format.format)
    texture.set_wrap_u(SamplerState.WM_clamp)
    texture.set_wrap_v(SamplerState.WM_clamp)
    # Whatever the game sets for its own textures: mip maps would be made anew after each draw.
    texture.set_minfilter(SamplerState.FT_linear)
    return texture
