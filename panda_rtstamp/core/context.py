"""The window, its graphics and the clock, as one ShowBase has them now."""

from typing import Any

from panda3d.core import (
    ClockObject,
    GraphicsEngine,
    GraphicsOutput,
    GraphicsPipe,
    GraphicsStateGuardian,
    LMatrix4f,
    NodePath,
    Thread,
    get_default_coordinate_system,
)


class Context:
    """What render targets need of a ShowBase: valid while the window it was made for is open.

    Args:
        base: a ShowBase whose `win` is open (see `window_of`).
    """

    def __init__(self, base: Any) -> None:
        self.base = base
        self.window: GraphicsOutput = base.win
        self.gsg: GraphicsStateGuardian = base.win.get_gsg()
        self.pipe: GraphicsPipe = base.win.get_pipe()
        self.engine: GraphicsEngine = base.graphics_engine
        self._clock = ClockObject.get_global_clock()
        self._look_at_threads()
        # Counts the owner's ticks that a frame was drawn after.
        self.frame = 0
        self._drawn = -1

    @staticmethod
    def window_of(base: Any) -> GraphicsOutput | None:
        """The main window of `base` if there is one, open and able to draw; else None."""
        window = getattr(base, "win", None)
        if window is None or not window.is_valid() or window.get_gsg() is None:
            return None
        return window  # type: ignore[no-any-return]

    @property
    def valid(self) -> bool:
        """False once the window was closed or replaced."""
        return getattr(self.base, "win", None) is self.window and self.window.is_valid()

    def _look_at_threads(self) -> None:
        """The graphics context may get another threading model with the next buffer that is made."""
        # True without a threading model: then the graphics context is current in the calling thread.
        self.draws_in_app_thread = (
            not Thread.is_threading_supported() or self.gsg.get_threading_model().get_draw_name() == ""
        )
        # After how many frames nothing made for one is in use any more. As long, a display region keeps its
        # scene alive: without threads no longer than need be.
        self.frames_in_flight = 1 if self.draws_in_app_thread else 4

    def advance(self) -> bool:
        """Begin a frame, and count it in `frame`. False if none was drawn since the last call."""
        drawn = self._clock.get_frame_count()
        # In slave mode Panda counts no frames: there, each call is taken for one.
        if drawn == self._drawn and self._clock.get_mode() != ClockObject.M_slave:
            return False
        self._drawn = drawn
        self._look_at_threads()
        self.frame += 1
        return True

    @property
    def undrawn(self) -> bool:
        """True if no frame was drawn since the last call of `advance` that began one."""
        slave = self._clock.get_mode() == ClockObject.M_slave
        return self._clock.get_frame_count() == self._drawn and not slave

    @property
    def camera(self) -> NodePath:
        """The main camera; an empty NodePath if there is none."""
        return getattr(self.base, "cam", None) or NodePath()

    def view_to_world_axes(self) -> LMatrix4f:
        """Turns vectors of the API's view space into Panda's axes, for a camera that is not rotated."""
        system = self.gsg.get_internal_coordinate_system()
        return LMatrix4f.convert_mat(system, get_default_coordinate_system())
