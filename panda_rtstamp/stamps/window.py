"""The marks of the window that is open now: made when there is one, lost when it is closed."""

from typing import Any

from panda3d.core import GraphicsOutput

from panda_rtstamp.core.capabilities import Capabilities
from panda_rtstamp.core.context import Context
from panda_rtstamp.core.log import warn
from panda_rtstamp.errors import ShaderError, UnsupportedGpuError
from panda_rtstamp.stamps.brush import Brushes
from panda_rtstamp.stamps.config import StampConfig
from panda_rtstamp.stamps.inputs import Clock
from panda_rtstamp.stamps.marks import Marks
from panda_rtstamp.stamps.warmup import compile_shaders, find_shaders


class WindowMarks:
    """Follows the main window of a ShowBase.

    Args:
        base: the ShowBase.
        config: settings.
        clock: tells the time.
        brushes: the pictures that hits name.

    Raises:
        ShaderError: a shader file of the config is missing or does not compile.
    """

    def __init__(self, base: Any, config: StampConfig, clock: Clock, brushes: Brushes) -> None:
        self.config = config
        self.marks: Marks | None = None
        self._base = base
        self._clock = clock
        self._brushes = brushes
        self._captured_before = 0
        self._closed = False
        self._unfit: GraphicsOutput | None = None
        find_shaders(config)
        if self.enabled:
            self._open(Context(base))

    @property
    def enabled(self) -> bool:
        """True if there is a window that marks can be made with."""
        window = None if self._closed else Context.window_of(self._base)
        return window is not None and window is not self._unfit

    @property
    def capture_count(self) -> int:
        """Captures so far, with this window and those before."""
        return self._captured_before + (self.marks.drawing.capture_count if self.marks is not None else 0)

    def follow(self) -> Marks | None:
        """The marks of the window that is open now, if there is one."""
        if self.marks is not None and not self.marks.context.valid:
            self._drop()
        if self.marks is None and self.enabled:
            try:
                self._open(Context(self._base))
            except ShaderError as error:
                # Nobody's call brought this window: a game goes on without marks.
                self._give_up(str(error))
        return self.marks

    def _open(self, context: Context) -> None:
        try:
            Capabilities.of(context.gsg).require_stamps()
        except UnsupportedGpuError as error:
            self._give_up(str(error))
            return
        compile_shaders(context, self.config)
        self.marks = Marks(context, self.config, self._clock, self._brushes)

    def _give_up(self, reason: str) -> None:
        self._unfit = Context.window_of(self._base)
        warn(reason)

    def _drop(self) -> None:
        if self.marks is not None:
            self._captured_before += self.marks.drawing.capture_count
            self.marks.destroy()
            self.marks = None

    def set_config(self, config: StampConfig) -> None:
        """Go on with other settings. Raises ShaderError as above; nothing was changed then."""
        costs = self.config.costs_of_change(config)
        find_shaders(config)
        if self.marks is not None:
            compile_shaders(self.marks.context, config)
        self.config = config
        if self.marks is not None:
            self.marks.apply(config, costs)

    def close(self) -> None:
        """End all marks and make no more. Idempotent."""
        self._drop()
        self._closed = True
