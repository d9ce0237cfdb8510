"""What a system holds for the main window that is open now: made when there is one, gone with it."""

from abc import ABC, abstractmethod
from typing import Any, Generic, Protocol, TypeVar

from panda3d.core import GraphicsOutput

from panda_rtstamp.core.context import Context
from panda_rtstamp.core.log import warn
from panda_rtstamp.errors import RtStampError, UnsupportedGpuError


class Held(Protocol):
    """What is held for one window."""

    context: Context

    def destroy(self) -> None:
        """Give everything back."""


HeldT = TypeVar("HeldT", bound=Held)


class WindowFollower(ABC, Generic[HeldT]):
    """Follows the main window of a ShowBase.

    Args:
        base: the ShowBase.

    Attributes:
        held: for the window that was looked at last; None if there was none, or it is unfit.
    """

    def __init__(self, base: Any) -> None:
        self.held: HeldT | None = None
        self._base = base
        self._closed = False
        self._unfit: GraphicsOutput | None = None

    @abstractmethod
    def make(self, context: Context) -> HeldT:
        """What is held for a window. Raises UnsupportedGpuError if its graphics cannot do it."""

    @abstractmethod
    def leave(self, held: HeldT) -> None:
        """Before what is held is destroyed."""

    @property
    def enabled(self) -> bool:
        """True if there is a window that is not known to be unfit."""
        window = None if self._closed else Context.window_of(self._base)
        return window is not None and window is not self._unfit

    def open(self) -> None:
        """Hold what there is for the window that is open now, if one is, and nothing is held yet.

        An unfit window is one warning. Raises all else that `make` does.
        """
        if self.held is not None or not self.enabled:
            return
        try:
            self.held = self.make(Context(self._base))
        except UnsupportedGpuError as error:
            self._give_up(error)

    def follow(self) -> HeldT | None:
        """What is held for the window that is open now. Whatever a new one lacks, it is one warning."""
        if self.held is not None and not self.held.context.valid:
            self.drop()
        try:
            self.open()
        except RtStampError as error:
            # Nobody's call brought this window: a game goes on without.
            self._give_up(error)
        return self.held

    def _give_up(self, error: RtStampError) -> None:
        self._unfit = Context.window_of(self._base)
        warn(str(error))

    def drop(self) -> None:
        """Give back what is held; what is asked for next is made anew."""
        if self.held is None:
            return
        held, self.held = self.held, None
        self.leave(held)
        held.destroy()

    def close(self) -> None:
        """Give back what is held, and hold nothing more. Idempotent."""
        self.drop()
        self._closed = True
