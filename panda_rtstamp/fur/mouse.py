"""The mouse as a brush."""

from typing import Any, Protocol

from direct.showbase.DirectObject import DirectObject
from direct.task import Task

# Before the frame is drawn, after the mouse was read.
_SORT = 45


class Painting(Protocol):
    """What a mouse moves: places are in the window, -1..1."""

    def press(self, x: float, y: float) -> None:
        """Begin a stroke."""

    def drag(self, x: float, y: float) -> None:
        """Go on with it."""

    def lift(self) -> None:
        """End it."""

    def point_at(self, x: float, y: float) -> bool:
        """Show where the brush is."""


class Mouse(DirectObject):
    """Paints while a button is down, until `destroy`.

    Args:
        base: a ShowBase.
        button: the name of its event.
    """

    def __init__(self, base: Any, painting: Painting, button: str) -> None:
        super().__init__()
        self._base = base
        self._painting = painting
        self.accept(button, self._press)
        self.accept(f"{button}-up", painting.lift)
        self._task = base.task_mgr.add(self._follow, "rtstamp-fur-mouse", sort=_SORT)

    def _where(self) -> tuple[float, float] | None:
        watcher = getattr(self._base, "mouseWatcherNode", None)
        if watcher is None or not watcher.has_mouse():
            return None
        return watcher.get_mouse_x(), watcher.get_mouse_y()

    def _press(self) -> None:
        where = self._where()
        if where is not None:
            self._painting.press(*where)

    def _follow(self, _: object) -> int:
        where = self._where()
        if where is not None:
            self._painting.drag(*where)
            self._painting.point_at(*where)
        return int(Task.cont)

    def destroy(self) -> None:
        """Let go of the mouse; a stroke ends. Idempotent."""
        self.ignore_all()
        self._base.task_mgr.remove(self._task)
        self._painting.lift()
