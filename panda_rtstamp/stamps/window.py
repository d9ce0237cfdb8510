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


class WindowMarks(WindowFollower[Marks]):
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
        super().__init__(base)
        self.config = config
        self._clock = clock
        self._brushes = brushes
        self._captured_before = 0
        find_shaders(config)
        self.open()

    @property
    def capture_count(self) -> int:
        """Captures so far, with this window and those before."""
        return self._captured_before + (0 if self.held is None else self.held.drawing.capture_count)

    def make(self, context: Context) -> Marks:
        """See WindowFollower."""
        Capabilities.of(context.gsg).require_stamps()
        compile_shaders(context, self.config)
        return Marks(context, self.config, self._clock, self._brushes)

    def leave(self, held: Marks) -> None:
        """See WindowFollower."""
        self._captured_before += held.drawing.capture_count

    def set_config(self, config: StampConfig) -> None:
        """Go on with other settings. Raises ShaderError as above; nothing was changed then."""
        costs = self.config.costs_of_change(config)
        find_shaders(config)
        if self.held is not None:
            compile_shaders(self.held.context, config)
        self.config = config
        if self.held is not None:
            self.held.apply(config, costs)
