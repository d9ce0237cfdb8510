"""The marks of the window that is open now: made when there is one, lost when it is closed."""

from typing import Any

from panda_rtstamp.core.capabilities import Capabilities
from panda_rtstamp.core.context import Context
from panda_rtstamp.core.window import WindowFollower
from panda_rtstamp.stamps.brush import Brushes
from panda_rtstamp.stamps.config import StampConfig
from panda_rtstamp.stamps.inputs import Clock
from panda_rtstamp.stamps.marks import Marks
from panda_rtstamp.stamps.shaders import compile_shaders, find_shaders


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
        self._clock = clock
        self._brushes = brushes
        self._captured_before = 0
        self._window = WindowFollower(base, self._make, self._count)
        find_shaders(config)
        self._window.open()

    @property
    def enabled(self) -> bool:
        """True if there is a window that marks can be made with."""
        return self._window.enabled

    @property
    def marks(self) -> Marks | None:
        """The marks of the window that was followed last."""
        return self._window.held

    @property
    def capture_count(self) -> int:
        """Captures so far, with this window and those before."""
        return self._captured_before + (self.marks.drawing.capture_count if self.marks is not None else 0)

    def follow(self) -> Marks | None:
        """The marks of the window that is open now, if there is one."""
        return self._window.follow()

    def _make(self, context: Context) -> Marks:
        Capabilities.of(context.gsg).require_stamps()
        compile_shaders(context, self.config)
        return Marks(context, self.config, self._clock, self._brushes)

    def _count(self, marks: Marks) -> None:
        self._captured_before += marks.drawing.capture_count

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
        self._window.close()
