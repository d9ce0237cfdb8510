"""Which pictures of a game are drawn in a frame: found once, just before it is drawn."""

from collections.abc import Callable, Iterator
from typing import Any, Protocol

from direct.task import Task
from panda3d.core import GraphicsOutput

from panda_rtstamp.core.anchor import address
from panda_rtstamp.core.capabilities import Capabilities
from panda_rtstamp.core.context import Context
from panda_rtstamp.core.log import warn, warn_once
from panda_rtstamp.errors import UnsupportedGpuError
from panda_rtstamp.overlay.views import View, views_of

# After the game's own tasks have moved everything; igLoop (50) draws it.
_TASK_SORT = 49
# After overlays, which show or hide what pictures are seen in.
_TASK_PRIORITY = -1


class Scheduled(Protocol):
    """A picture, as the schedule knows it."""

    @property
    def buffer(self) -> GraphicsOutput | None:
        """What it is drawn in."""

    def open(self, context: Context) -> None:
        """There is a window that can draw."""

    def close(self) -> None:
        """It is gone."""

    def begin(self) -> bool:
        """Begin a frame; True if it is to be drawn, whoever sees it."""

    def awaits_views(self) -> bool:
        """True if it is to be drawn where a node that shows it is seen."""

    def seen_in(self, view: View) -> bool:
        """True if such a node is."""

    def draw_before(self, other: GraphicsOutput) -> None:
        """Be drawn earlier in the frame than what shows it."""

    def views(self) -> Iterator[View]:
        """What it shows itself."""

    def hand_over(self, active: bool) -> None:
        """Draw in this frame, or not."""

    def tell(self) -> None:
        """Tell the game of draws."""

    @property
    def idle(self) -> bool:
        """True while nothing is to be done in a frame, until something is asked for."""


class Schedule:
    """The pictures of one ShowBase, and the task that draws them."""

    def __init__(self, base: Any) -> None:
        self._base = base
        # Sets that keep their order: all pictures, and those that are not idle.
        self._pictures: dict[Scheduled, None] = {}
        self._awake: dict[Scheduled, None] = {}
        self._context: Context | None = None
        self._unfit: GraphicsOutput | None = None
        self._task: Task.Task | None = None

    def add(self, picture: Scheduled) -> None:
        """Take a picture in."""
        if self._task is None:
            self._task = self._base.task_mgr.add(
                self._tick, "rtstamp-pictures", sort=_TASK_SORT, priority=_TASK_PRIORITY
            )
        self._follow()
        self._pictures[picture] = None
        self.wake(picture)
        if self._context is not None:
            picture.open(self._context)

    def wake(self, picture: Scheduled) -> None:
        """Something is asked of a picture."""
        if picture in self._pictures:
            self._awake[picture] = None

    def remove(self, picture: Scheduled) -> None:
        """Let a picture go; it is closed. Idempotent."""
        if picture not in self._pictures:
            return
        del self._pictures[picture]
        self._awake.pop(picture, None)
        picture.close()
        if not self._pictures and self._task is not None:
            self._base.task_mgr.remove(self._task)
            self._task = None
            _schedules.pop(self._base, None)

    def _follow(self) -> None:
        """Look which window is open now, and open and close all pictures by that."""
        if self._context is not None and not self._context.valid:
            self._context = None
            for picture in self._pictures:
                picture.close()
        window = Context.window_of(self._base)
        if self._context is not None or window is None or window is self._unfit:
            return
        context = Context(self._base)
        try:
            Capabilities.of(context.gsg).require_pictures()
        except UnsupportedGpuError as error:
            self._unfit = window
            warn(str(error))
            return
        self._context = context
        for picture in self._pictures:
            picture.open(context)
            self.wake(picture)

    def _tick(self, task: Task.Task) -> int:
        try:
            self._follow()
            # Otherwise what was decided last is not drawn yet.
            if self._context is not None and self._context.advance():
                self._draw(self._context)
        except Exception as error:  # Whatever it is, a game must not stop for a picture.
            warn_once(f"pictures {error!r}", f"a frame's render pictures went wrong: {error!r}")
        for picture in list(self._awake):
            picture.tell()
            if picture.idle:
                self._awake.pop(picture, None)
        return int(Task.cont)

    def _draw(self, context: Context) -> None:
        pictures = list(self._awake)
        # Dicts, as sets that keep their order.
        chosen = {picture: None for picture in pictures if _says(picture.begin)}
        rest = {picture: None for picture in pictures if _says(picture.awaits_views)}
        order = list(chosen)
        for view, shower in self._views(context, order) if rest else ():
            if not rest:
                break
            for picture in [picture for picture in rest if _says(picture.seen_in, view)]:
                del rest[picture]
                if shower not in (None, picture) and shower.buffer is not None:
                    picture.draw_before(shower.buffer)
                if picture not in chosen:
                    chosen[picture] = None
                    # The views of these are yet to come.
                    order.append(picture)
        for picture in pictures:
            _says(picture.hand_over, picture in chosen)

    def _views(self, context: Context, chosen: list[Scheduled]) -> Iterator[tuple[View, Scheduled | None]]:
        """What is drawn in this frame: by the game, and by those pictures that are chosen, as they are."""
        buffers = (picture.buffer for picture in self._awake)
        own = {address(buffer) for buffer in buffers if buffer is not None}
        for output in [context.window, *context.engine.get_windows()]:
            if output.is_active() and address(output) not in own:
                own.add(address(output))
                for view in views_of(output):
                    yield view, None
        for picture in chosen:
            for view in picture.views():
                yield view, picture


def _says(call: Callable[..., object], *args: object) -> bool:
    """What a picture answers. Where it fails the others go on, as does the game."""
    try:
        return bool(call(*args))
    except Exception as error:
        warn_once(f"picture {error!r}", f"a render picture could not be drawn: {error!r}")
        return False


# By ShowBase, while it has pictures.
_schedules: dict[Any, Schedule] = {}


def schedule_of(base: Any) -> Schedule:
    """The one of a ShowBase."""
    return _schedules.setdefault(base, Schedule(base))
