"""Where the picture of a camera is drawn, so that its depth can be read.

A window's depth cannot be read, so it has to be that of a buffer. Where a FilterManager of the game draws the
scene into one, as those of CommonFilters and simplepbr do, that one is read. Else the scene is drawn into a
buffer of ours, as a FilterManager does it, but for one thing: the camera stays in its region of the window,
which is only inactive meanwhile. There, a FilterManager that the game makes later finds it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from direct.filter.FilterManager import FilterManager
from panda3d.core import (
    Camera,
    DisplayRegion,
    FrameBufferProperties,
    GraphicsBuffer,
    GraphicsOutput,
    GraphicsPipe,
    NodePath,
    SamplerState,
    Texture,
    WindowProperties,
)

from panda_rtstamp.core.context import Context
from panda_rtstamp.errors import ConfigError, UnsupportedGpuError

# Before the window, where a FilterManager's buffers are.
_SORT = -1000
_DEPTHS = (GraphicsOutput.RTP_depth, GraphicsOutput.RTP_depth_stencil)
_CLEARED = (GraphicsOutput.RTP_color, GraphicsOutput.RTP_depth, GraphicsOutput.RTP_stencil)


@dataclass(frozen=True)
class Place:
    """Where a camera's picture is.

    Attributes:
        region: of the window, which shows it.
        buffer: of a FilterManager, which it is drawn into before; None: it is drawn into the region itself.
    """

    region: DisplayRegion
    buffer: GraphicsOutput | None


def check_camera(base: Any, camera: Any) -> NodePath:
    """The camera, if the window shows what it sees, or there is no window.

    Raises:
        ConfigError: `camera` is no NodePath of a Camera, or it is in no region of the window, and in no
            FilterManager's buffer either.
    """
    if not isinstance(camera, NodePath) or camera.is_empty() or not isinstance(camera.node(), Camera):
        raise ConfigError(f"camera must be the NodePath of a Camera, got {camera!r}")
    window = Context.window_of(base)
    if window is not None and find_place(base, window, camera) is None:
        raise ConfigError(f"camera must be in a display region of the window, and {camera} is in none")
    return camera


def find_place(base: Any, window: GraphicsOutput, camera: NodePath) -> Place | None:
    """Where the picture of a camera is now; None if the window does not show it."""
    for manager in _filter_managers(base):
        shows = manager.region.get_camera() != camera
        if manager.win == window and manager.camera == camera and shows:
            for buffer in manager.buffers:
                if _region_of(buffer, camera) is not None:
                    return Place(manager.region, buffer)
    region = _region_of(window, camera)
    return None if region is None else Place(region, None)


def _filter_managers(base: Any) -> Iterator[FilterManager]:
    """All FilterManagers that there are: each of them listens to the window."""
    for method, *_ in (base.messenger.who_accepts("window-event") or {}).values():
        owner = getattr(method, "__self__", None)
        if isinstance(owner, FilterManager):
            yield owner


def _region_of(output: GraphicsOutput, camera: NodePath) -> DisplayRegion | None:
    regions = (region for region in output.get_display_regions() if region.get_camera() == camera)
    return next(regions, None)


class JoinedPicture:
    """What a FilterManager of the game draws the scene into, with a depth added if it has none."""

    color: Texture | None = None

    def __init__(self, place: Place) -> None:
        assert place.buffer is not None
        self._shown = place.region
        self._buffer = place.buffer
        self._added: Texture | None = None
        depths = [texture for texture, plane, _ in _textures(place.buffer) if plane in _DEPTHS]
        if not depths:
            self._added = _add_texture(place.buffer, "depth", GraphicsOutput.RTP_depth)
        self.depth = self._added or depths[0]

    @property
    def size(self) -> tuple[int, int]:
        """Pixels of the picture."""
        return self._buffer.get_x_size(), self._buffer.get_y_size()

    @property
    def active(self) -> bool:
        """Whether the picture is to be seen."""
        return self._shown.is_active()

    def update(self) -> None:
        """The FilterManager takes care of its buffer."""

    def release(self) -> None:
        """Take the depth out of the buffer, if it was added and is there still."""
        textures = _textures(self._buffer)
        if self._added is None or all(texture != self._added for texture, *_ in textures):
            return
        # There is no way to take out one alone.
        self._buffer.clear_render_textures()
        for texture, plane, mode in textures:
            if texture != self._added:
                self._buffer.add_render_texture(texture, mode, plane)


class OwnPicture:
    """A buffer that the scene is drawn into instead of the window: as large, with as many samples.

    Raises:
        UnsupportedGpuError: the driver makes no such buffer. Nothing was changed.
    """

    def __init__(self, place: Place, context: Context, camera: NodePath) -> None:
        self._shown = place.region
        self._context = context
        self.active = False
        self._buffer = self._make_buffer()
        self.color = _add_texture(self._buffer, "color", GraphicsOutput.RTP_color)
        self.depth = _add_texture(self._buffer, "depth", GraphicsOutput.RTP_depth)
        region = self._buffer.make_display_region()
        region.set_camera(camera)
        region.set_lens_index(place.region.get_lens_index())

    def _make_buffer(self) -> GraphicsBuffer:
        context = self._context
        properties = FrameBufferProperties(context.window.get_fb_properties())
        properties.set_back_buffers(0)
        properties.set_stereo(False)
        properties.set_float_depth(False)
        # Of 32 bits that are no floats, Panda cannot resolve the samples.
        properties.set_depth_bits(24)
        flags = GraphicsPipe.BF_refuse_window | GraphicsPipe.BF_resizeable
        size = WindowProperties()
        size.set_size(*self.size)
        sort = context.window.get_sort() + _SORT
        buffer = context.engine.make_output(
            context.pipe, "rtstamp-screen", sort, properties, size, flags, context.gsg, context.window
        )
        if not isinstance(buffer, GraphicsBuffer):
            raise UnsupportedGpuError(f"the driver made no buffer of {self.size} pixels for the scene")
        return buffer

    @property
    def size(self) -> tuple[int, int]:
        """Pixels of the picture."""
        return max(1, self._shown.get_pixel_width()), max(1, self._shown.get_pixel_height())

    def update(self) -> None:
        """Draw instead of the region, as large as it is now and cleared as it would be."""
        buffer, region, window = self._buffer, self._shown, self._context.window
        if region.is_active():
            self.active = True
            region.set_active(False)
        if (buffer.get_x_size(), buffer.get_y_size()) != self.size:
            buffer.set_size(*self.size)
        for plane in _CLEARED:
            clearing = region if region.get_clear_active(plane) else window
            buffer.set_clear_active(plane, clearing.get_clear_active(plane))
            buffer.set_clear_value(plane, clearing.get_clear_value(plane))

    def release(self) -> None:
        """Let the region draw the scene again."""
        self._shown.set_active(self.active or self._shown.is_active())
        self._context.engine.remove_window(self._buffer)


Picture = JoinedPicture | OwnPicture


def _add_texture(buffer: GraphicsOutput, name: str, plane: Any) -> Texture:
    """Let a plane of a buffer be drawn into a texture."""
    texture = Texture(f"rtstamp-{name}")
    texture.set_minfilter(SamplerState.FT_nearest)
    texture.set_magfilter(SamplerState.FT_nearest)
    buffer.add_render_texture(texture, GraphicsOutput.RTM_bind_or_copy, plane)
    return texture


def _textures(buffer: GraphicsOutput) -> list[tuple[Texture, Any, Any]]:
    """What a buffer is drawn into: textures, their planes, and how they get there."""
    numbers = range(buffer.count_textures())
    return [(buffer.get_texture(i), buffer.get_texture_plane(i), buffer.get_rtm_mode(i)) for i in numbers]
