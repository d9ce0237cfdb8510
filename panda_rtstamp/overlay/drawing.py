"""When one picture is drawn and read: what was asked for, and what each frame makes of it."""

from collections.abc import Callable, Iterator
from typing import Any

from panda3d.core import GraphicsOutput, Texture

from panda_rtstamp.core.context import Context
from panda_rtstamp.core.log import warn
from panda_rtstamp.core.readback import ReadFuture
from panda_rtstamp.overlay.aim import Aim
from panda_rtstamp.overlay.canvas import Canvas, make_buffer
from panda_rtstamp.overlay.formats import ALWAYS, MANUAL, VISIBLE, PictureKind
from panda_rtstamp.overlay.pixels import Texels
from panda_rtstamp.overlay.showing import Showing
from panda_rtstamp.overlay.views import View

_NO_WINDOW, _NEVER_DRAWN = "there is no window that can draw it", "it was never drawn"

Finish = Callable[[Texels], Any]


class Drawing:
    """One picture, as Schedule knows it.

    Args:
        texture: the picture's.
        kind: what it is like.
        aim: its camera.
        update: the update mode.
        showing: the nodes that are known to show it.
        is_listened_to: says whether the game wants to know of every draw.
        tell: tells the game of draws.
    """

    def __init__(
        self,
        texture: Texture,
        kind: PictureKind,
        aim: Aim,
        update: str,
        showing: Showing,
        is_listened_to: Callable[[], bool],
        tell: Callable[[], None],
    ) -> None:
        self.queued = False
        # Whether anybody has the texture, to use it in ways that are not known.
        self.handed_out = False
        self._texture = texture
        self._kind = kind
        self._aim = aim
        self._update = update
        self._showing = showing
        self._is_listened_to = is_listened_to
        self._tell = tell
        self._canvas: Canvas | None = None
        self._destroyed = False
        # Of the draw that is not handed over yet, if anybody asked; and of the last one that was asked for.
        self._next: ReadFuture | None = None
        self._latest: ReadFuture | None = None
        self._reads: list[tuple[Finish, ReadFuture]] = []
        # Whether something that is not known shows it; and whether what we know explains that the last frame
        # used the texture.
        self._others = self._explained = False
        # Over how many frames there was no account, as each was read.
        self._reads_in_a_row = 0
        self._said: set[str] = set()

    def queue(self) -> ReadFuture:
        """See RenderPicture.queue_update."""
        if self._destroyed:
            return self.updated
        self.queued = True
        return self._await_next()

    @property
    def updated(self) -> ReadFuture:
        """See RenderPicture.updated."""
        if self._latest is not None and (self._update == MANUAL or self._destroyed):
            return self._latest
        future = self._await_next()
        if self._destroyed:
            self._give_up()
        return future

    def _await_next(self) -> ReadFuture:
        if self._next is None:
            self._next = self._latest = ReadFuture()
        return self._next

    def _give_up(self) -> None:
        if self._next is not None:
            self._next.set_result(False)
            self._next = None

    def read(self) -> Texels | None:
        """What the texture holds now, top row first; None if it holds nothing or cannot be read."""
        canvas = self._open_canvas
        if canvas is None or not canvas.drawn:
            self._say(_NO_WINDOW if canvas is None else _NEVER_DRAWN)
            return None
        self._take_account()
        # Reading is a use of the texture too.
        self._explained = True
        texels = canvas.read()
        if texels is None:
            self._say("the driver cannot read it")
        return texels

    def request(self, finish: Finish) -> ReadFuture:
        """What `finish` makes of what the texture holds after the next frame, some frames later; or None."""
        future = ReadFuture()
        if self._open_canvas is None:
            self._say(_NO_WINDOW)
            future.set_result(None)
        else:
            self._reads.append((finish, future))
        return future

    def _say(self, reason: str) -> None:
        """Log why there is nothing, each reason once."""
        if reason not in self._said:
            self._said.add(reason)
            warn(f"a render picture gives no image: {reason}")

    @property
    def _open_canvas(self) -> Canvas | None:
        """None where the window was closed too, of which the next frame would tell."""
        return self._canvas if self._canvas is not None and self._canvas.valid else None

    # What Schedule calls.

    @property
    def buffer(self) -> GraphicsOutput | None:
        """What it is drawn in."""
        return None if self._open_canvas is None else self._open_canvas.buffer

    def open(self, context: Context) -> None:
        """There is a window that can draw."""
        buffer = make_buffer(context, self._texture.get_name(), self._kind)
        if buffer is not None:
            self._canvas = Canvas(context, buffer, self._texture, self._kind, self._aim.camera)

    def close(self) -> None:
        """It is gone."""
        if self._canvas is None:
            return
        # What was drawn by request is wanted in the next window too.
        self.queued = self.queued or (self._update == MANUAL and self._canvas.drawn)
        self._canvas.destroy()
        self._canvas = None
        self._answer_reads()
        self._others = self._explained = False

    def begin(self) -> bool:
        """Begin a frame; True if it is to be drawn, whoever sees it."""
        if self._canvas is None:
            return self.queued
        self._canvas.collect()
        self._take_account()
        self._explained = False
        chosen = self.queued or self._update == ALWAYS or (self._update == VISIBLE and self._others)
        return chosen and self._aims()

    def _take_account(self) -> None:
        """Find out whether something that is not known showed it in the last frame."""
        canvas = self._canvas
        if canvas is None or self._update != VISIBLE:
            return
        if not canvas.keeps_account or self._reads_in_a_row > 1:
            self._others = self.handed_out
        elif not self._explained:
            self._others = canvas.used

    def _aims(self) -> bool:
        """True if the camera, as it is now, shows anything at all."""
        if self._aim.active:
            self._aim.follow()
        return self._aim.active

    def awaits_views(self) -> bool:
        """True if it is to be drawn where a node that shows it is seen."""
        if self._update != VISIBLE:
            return False
        self._showing.begin()
        return self._aim.active and bool(self._showing)

    def seen_in(self, view: View) -> bool:
        """True if such a node is."""
        seen = self._showing.seen_in(view)
        self._explained = self._explained or seen
        return seen and self._aims()

    def draw_before(self, other: GraphicsOutput) -> None:
        """Be drawn earlier in the frame than what shows it, if the game does not say when."""
        if self._canvas is not None and self._kind.sort is None:
            self._canvas.draw_before(other)

    def views(self) -> Iterator[View]:
        """What it shows itself."""
        return iter(()) if self._canvas is None else self._canvas.views()

    def hand_over(self, active: bool) -> None:
        """Draw in this frame, or not."""
        canvas = self._canvas
        self.queued = self.queued and not active
        if canvas is None:
            self._give_up()
            self._answer_reads()
            return
        waiting = []
        if active and self._next is not None:
            waiting.append(self._next)
            self._next = None
        made = canvas.draw(active, self._update == MANUAL, waiting, self._is_listened_to())
        self._explained = self._explained or made or bool(self._reads)
        self._reads_in_a_row = self._reads_in_a_row + 1 if self._reads else 0
        if self._reads and not (active or canvas.drawn):
            self._say(_NEVER_DRAWN)
            self._answer_reads()
        for finish, future in self._reads:
            canvas.request(finish, future)
        self._reads.clear()

    def _answer_reads(self) -> None:
        """There is nothing to read."""
        for _, future in self._reads:
            future.set_result(None)
        self._reads.clear()

    @property
    def idle(self) -> bool:
        """True while nothing is to be done in a frame, until something is asked for."""
        canvas = self._canvas
        waits = self.queued or bool(self._reads) or (canvas is not None and canvas.busy)
        return self._update == MANUAL and not waits

    def tell(self) -> None:
        """Tell the game of draws."""
        if self._canvas is not None and self._canvas.take_news():
            self._tell()

    def destroy(self) -> None:
        """Nothing is drawn any more: answer who still waits. Idempotent."""
        self._destroyed = True
        self.queued = False
        self._give_up()
