"""What all coats together need in a frame: one task, which swings coats and looks at the switches."""

from collections import deque
from typing import Protocol

from direct.task import Task
from direct.task.TaskManagerGlobal import taskMgr
from panda3d.core import ClockObject

from panda_rtstamp.fur.levels import switches

_TASK = "rtstamp-fur"
# After what games move things by, before the frame is drawn.
_SORT = 48
# Of the coats that are at rest, so many are looked at in a frame: one of a great many begins to swing some
# frames late.
_LOOKS = 16


class Kept(Protocol):
    """A coat, as this sees it."""

    @property
    def alive(self) -> bool:
        """False once its node was destroyed."""

    @property
    def swings(self) -> bool:
        """True if `swing` is to be called."""

    def swing(self, time: float) -> bool:
        """Go on until this time. False if nothing moves."""

    def show(self) -> None:
        """Follow the switches."""

    def destroy(self) -> None:
        """Leave all as it was found."""


class Upkeep:
    """The task, which runs while there are coats."""

    def __init__(self) -> None:
        self._coats: list[Kept] = []
        # Those that swing if their bodies move: which do; and which are at rest, the next to be asked first.
        self._swinging: list[Kept] = []
        self._resting: deque[Kept] = deque()
        self._on = self._switched()

    def add(self, coat: Kept) -> None:
        """Look after a coat, until it is removed or its node is destroyed."""
        self._sweep()
        if not self._coats:
            self._on = self._switched()
            taskMgr.add(self._tick, _TASK, sort=_SORT)
        self._coats.append(coat)
        self.follow(coat)

    def follow(self, coat: Kept) -> None:
        """Notice whether a coat swings."""
        self._leave(coat)
        if coat.alive and coat.swings:
            self._resting.appendleft(coat)

    def _leave(self, coat: Kept) -> None:
        self._swinging = [other for other in self._swinging if other is not coat]
        self._resting = deque(other for other in self._resting if other is not coat)

    def remove(self, coat: Kept) -> None:
        """Let a coat be."""
        self._coats = [other for other in self._coats if other is not coat]
        self._leave(coat)
        if not self._coats:
            taskMgr.remove(_TASK)

    def _sweep(self) -> None:
        """End the coats of nodes that were destroyed."""
        for coat in [coat for coat in self._coats if not coat.alive]:
            coat.destroy()

    @staticmethod
    def _switched() -> tuple[bool, ...]:
        return tuple(switch.get_value() for switch in switches.values())

    def _tick(self, _: Task.Task) -> int:
        on = self._switched()
        if on != self._on:
            self._on = on
            self._sweep()
            for coat in self._coats:
                coat.show()
        now = ClockObject.get_global_clock().get_frame_time()
        looked = [self._resting.popleft() for _ in range(min(_LOOKS, len(self._resting)))]
        asked, self._swinging = self._swinging + looked, []
        for coat in asked:
            if not coat.alive:
                coat.destroy()
            elif coat.swing(now):
                self._swinging.append(coat)
            else:
                self._resting.append(coat)
        return Task.cont


UPKEEP = Upkeep()
