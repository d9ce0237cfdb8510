"""How fast the game's time goes: marks, animations and tasks all follow Panda's clock."""

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


def frame_rate() -> float:
    """Frames in a second of real time, lately; under a fixed clock, of its time."""
    clock = ClockObject.get_global_clock()
    speed = clock.degrade_factor if clock.mode == ClockObject.M_degrade else 1.0
    return clock.get_average_frame_rate() * speed
