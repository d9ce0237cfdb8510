"""How fast the game's time goes: marks, animations and tasks all follow Panda's clock."""

import time

from panda3d.core import ClockObject


def set_speed(speed: float) -> None:
    """Let time go at this share of its pace from now on: 0 pauses, 0.25 is slow motion, 1 is real time."""
    clock = ClockObject.get_global_clock()
    if speed == 1:
        # Real time has gone on meanwhile; without this the game would jump to catch up with it.
        clock.set_real_time(clock.frame_time)
        clock.mode = ClockObject.M_normal
        return
    clock.degrade_factor = speed
    clock.mode = ClockObject.M_degrade


class FrameRate:
    """Frames in a second of real time, whatever the game's time does; Panda's own figure goes by that.

    Attributes:
        value: frames a second, over the last half second or so; under a fixed clock, what that says.
    """

    INTERVAL = 0.5

    def __init__(self) -> None:
        self.value = 0.0
        self._frames = 0
        self._since = time.perf_counter()

    def count(self) -> None:
        """Count a frame."""
        clock = ClockObject.get_global_clock()
        if clock.mode == ClockObject.M_non_real_time:
            self.value = 1 / clock.dt if clock.dt else 0.0
            return
        self._frames += 1
        now = time.perf_counter()
        if now - self._since >= self.INTERVAL:
            self.value = self._frames / (now - self._since)
            self._frames = 0
            self._since = now
