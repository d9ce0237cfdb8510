"""When a region was really drawn, which under a threading model is frames after it was handed over."""

from collections import deque
from typing import Any

from panda3d.core import DisplayRegion, PythonCallbackObject

from panda_rtstamp.core.context import Context
from panda_rtstamp.core.readback import ReadFuture


class Draws:
    """Tells who wants to know.

    By the region's draw callback, while anybody does. Not under a threading model: there, the drawing thread
    would wait for Python's lock, and for ever where the application waits for that thread meanwhile, as for
    a screenshot. But frames are drawn in order there, and how many ahead the application may be is known.

    Args:
        context: whose frames are counted.
        region: what is drawn.
    """

    def __init__(self, context: Context, region: DisplayRegion) -> None:
        self._context = context
        self._region: DisplayRegion | None = region
        # By the frame in which they were handed over, those that somebody wants to know of.
        self._handed_over: deque[tuple[int, list[ReadFuture]]] = deque()
        self._callback: PythonCallbackObject | None = PythonCallbackObject(self._drawn)
        self._called_back = False
        self._is_news = False

    @property
    def busy(self) -> bool:
        """True while somebody waits, or has not been told."""
        return bool(self._handed_over) or self._called_back or self._is_news

    def begin(self) -> None:
        """Answer who waits for what other threads have drawn. To be called once a frame."""
        if not self._context.draws_in_app_thread:
            ahead = self._context.gsg.get_threading_model().get_draw_stage()
            self._answer(self._context.frame - ahead - 1)

    def expect(self, active: bool, waiting: list[ReadFuture], listened: bool) -> None:
        """The frame at hand is handed over.

        Args:
            active: the region is drawn in it.
            waiting: are told when it was.
            listened: somebody wants to know of every draw.
        """
        if active and (waiting or listened):
            self._handed_over.append((self._context.frame, waiting))
        wanted = bool(self._handed_over) and self._context.draws_in_app_thread
        if self._region is None or wanted == self._called_back:
            return
        self._called_back = wanted
        if wanted and self._callback is not None:
            self._region.set_draw_callback(self._callback)
        else:
            self._region.clear_draw_callback()

    def _drawn(self, data: Any) -> None:
        data.upcall()
        self._answer(self._context.frame)

    def _answer(self, frame: int) -> None:
        while self._handed_over and self._handed_over[0][0] <= frame:
            self._is_news = True
            for future in self._handed_over.popleft()[1]:
                future.set_result(True)

    def take_news(self) -> bool:
        """True if there were such draws since the last call."""
        news, self._is_news = self._is_news, False
        return news

    def destroy(self) -> None:
        """Nothing is drawn any more: answer who still waits. Idempotent."""
        # It holds us, and Python's collector does not see that.
        self._callback = self._region = None
        while self._handed_over:
            for future in self._handed_over.popleft()[1]:
                future.set_result(False)
