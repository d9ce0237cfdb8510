"""The canvas of the window that is open now: made when there is one, gone when it is closed."""

from typing import Any

from panda_rtstamp.core.capabilities import Capabilities
from panda_rtstamp.core.context import Context
from panda_rtstamp.core.window import WindowFollower
from panda_rtstamp.vision.canvas import Canvas
from panda_rtstamp.vision.config import VisionConfig
from panda_rtstamp.vision.uses import Uses


class WindowCanvas(WindowFollower[Canvas]):
    """Follows the main window of a ShowBase.

    Attributes:
        config: settings of the next one.
        readers: what reads the textures.
    """

    def __init__(self, base: Any, config: VisionConfig) -> None:
        super().__init__(base)
        self.config = config
        self.readers: tuple[Uses, ...] = ()

    def make(self, context: Context) -> Canvas:
        """See WindowFollower."""
        Capabilities.of(context.gsg).require_vision()
        return Canvas(context, self.config)

    def suspend(self) -> None:
        """Leave all that reads the textures as it was found, until there are others, or other inputs."""
        for uses in self.readers:
            uses.suspend()

    def leave(self, held: Canvas) -> None:
        """See WindowFollower."""
        self.suspend()
