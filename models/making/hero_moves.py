"""How the hero stands, runs and falls."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from models.making.hero_shape import ARM_L, ARM_R, GRIP, LEG_L, LEG_R, SKELETON
from models.making.motion import Frame, Keys, Pose, curve, cycle, loop, number, once, rotation, wave

# Where hands hold the rifle in the bind pose.
RIGHT_HOLD = (0.125, 0.225, 1.05)
LEFT_HOLD = (0.11, 0.56, 1.095)
# Of a step's cycle, the share in which the foot is on the ground.
STANCE = 0.27
PACE = 5.0
RUN_SECONDS = 0.66


def idle() -> list[Frame]:
    """Breathing, the rifle ready."""
    return loop(2.0, _idle_pose)


def run() -> list[Frame]:
    """Running at 5 m/s, the rifle ready."""
    return loop(RUN_SECONDS, _run_pose)


def fall() -> list[Frame]:
    """Thrown onto the back."""
    return once(1.2, _fall_pose)


def _idle_pose(phase: float) -> Pose:
    breath = wave(phase)
    pose = Pose(SKELETON)
    pose.move("pelvis", (0, -0.01, -0.045 + 0.004 * breath))
    pose.turn("pelvis", heading=-12)
    pose.face("spine", rotation(pitch=-4, heading=-16))
    pose.face("chest", rotation(pitch=-7 + 1.2 * breath, heading=-24))
    pose.face("head", rotation(pitch=-3 + 0.6 * breath, heading=2 * wave(phase, 0.15)))
    _step(pose, (0.15, -0.16, 0.115), (-0.16, 0.15, 0.115), (0, 0))
    pose.face("foot.r", rotation(heading=-22))
    pose.face("foot.l", rotation(heading=6))
    _hold(pose, (0, 0, 0.006 * wave(phase, -0.05)), rotation(pitch=0.6 * breath))
    return pose


def _run_pose(phase: float) -> Pose:
    pose = Pose(SKELETON)
    bounce = np.cos(4 * np.pi * (phase - STANCE / 2))
    swing = wave(phase, 0.25 - STANCE / 2)
    pose.move("pelvis", (0.012 * swing, 0, -0.075 - 0.032 * bounce))
    pose.turn("pelvis", pitch=-9, roll=3 * swing, heading=9 * swing - 4)
    pose.face("spine", rotation(pitch=-12, roll=-1.5 * swing, heading=2 * swing - 10))
    pose.face("chest", rotation(pitch=-15 + 1.5 * bounce, roll=-2 * swing, heading=-20 - 6 * swing))
    pose.face("head", rotation(pitch=-6, heading=-1.5 * swing))
    _step(pose, _foot(phase, 1), _foot(phase + 0.5, -1), (_foot_pitch(phase), _foot_pitch(phase + 0.5)))
    sway = (0.012 * swing, 0.05, -0.05 - 0.018 * np.cos(4 * np.pi * (phase - STANCE / 2 - 0.06)))
    _hold(pose, sway, rotation(pitch=-2 + 1.5 * bounce, heading=2.5 * swing))
    return pose


def _foot(phase: float, side: int) -> Sequence[float]:
    """The ankle's place: on the ground it moves back as fast as the hero runs."""
    reach = PACE * RUN_SECONDS * STANCE
    front, back = 0.45 * reach, -0.55 * reach
    keys: Keys = {
        0.0: (front, 0.125),
        STANCE / 2: ((front + back) / 2, 0.115),
        STANCE: (back, 0.245),
        0.40: (back - 0.06, 0.46),
        0.58: (-0.10, 0.52),
        0.75: (0.32, 0.38),
        0.90: (front + 0.09, 0.22),
    }
    y, z = cycle(phase, keys)
    return (side * 0.085, float(y), float(z))


def _foot_pitch(phase: float) -> float:
    keys: Keys = {0.0: 12, 0.06: 0, 0.16: -4, STANCE: -48, 0.42: -80, 0.60: -50, 0.80: 2, 0.92: 16}
    return float(cycle(phase, keys)[0])


def _step(pose: Pose, right: ArrayLike, left: ArrayLike, pitches: tuple[float, float]) -> None:
    pose.reach(LEG_R, right, (0.12, 1, 0))
    pose.reach(LEG_L, left, (-0.12, 1, 0))
    pose.face("foot.r", rotation(pitch=pitches[0], heading=-6))
    pose.face("foot.l", rotation(pitch=pitches[1], heading=6))


def _hold(pose: Pose, shift: ArrayLike, turn: np.ndarray) -> None:
    """Put the rifle where it is held in the bind pose, moved a little, and both hands onto it."""
    pose.put("rifle", turn, np.asarray(GRIP) + np.asarray(shift))
    pose.reach(ARM_R, pose.point("rifle", RIGHT_HOLD), (0.75, -0.5, -0.5))
    pose.reach(ARM_L, pose.point("rifle", LEFT_HOLD), (-0.75, 0.1, -0.65))


def _fall_pose(time: float) -> Pose:
    start = _idle_pose(0.0)
    pose = Pose(SKELETON)
    hips: Keys = {
        0.0: (0, -0.01, -0.045),
        0.16: (0, -0.10, -0.03),
        0.40: (0, -0.32, -0.26),
        0.66: (0, -0.52, -0.70),
        0.78: (0, -0.55, -0.66),
        0.92: (0, -0.56, -0.70),
        1.2: (0, -0.56, -0.705),
    }
    pose.move("pelvis", curve(time, hips))
    lean = number(time, (0, 0), (0.16, 16), (0.40, 40), (0.66, 68), (0.78, 62), (0.92, 68), (1.2, 68))
    bow = number(
        time, (0, -7), (0.12, 12), (0.40, 14), (0.62, 56), (0.72, 76), (0.80, 69), (0.95, 73), (1.2, 73)
    )
    nod = number(time, (0, -3), (0.10, 22), (0.40, 10), (0.66, 50), (0.78, 92), (0.88, 84), (1.2, 86))
    pose.turn("pelvis", pitch=lean, heading=-12)
    pose.face("spine", rotation(pitch=(lean + bow) / 2, heading=-16))
    pose.face("chest", rotation(pitch=bow, heading=-24))
    pose.face("head", rotation(pitch=nod, heading=number(time, (0, 0), (0.7, 18), (1.2, 18))))
    _fall_legs(pose, time)
    _fall_arms(pose, start, time)
    return pose


def _fall_legs(pose: Pose, time: float) -> None:
    right: Keys = {
        0.0: (0.15, -0.16, 0.115),
        0.2: (0.16, -0.22, 0.12),
        0.42: (0.18, 0.05, 0.20),
        0.7: (0.22, 0.20, 0.13),
        1.2: (0.24, 0.21, 0.10),
    }
    left: Keys = {
        0.0: (-0.16, 0.15, 0.115),
        0.2: (-0.16, 0.2, 0.2),
        0.45: (-0.2, 0.32, 0.42),
        0.7: (-0.2, 0.02, 0.24),
        0.85: (-0.22, -0.08, 0.115),
        1.2: (-0.22, -0.08, 0.115),
    }
    pose.reach(LEG_R, curve(time, right), (0.35, 0.6, 0.8))
    pose.reach(LEG_L, curve(time, left), (-0.35, 0.4, 0.9))
    pose.face(
        "foot.r",
        rotation(
            pitch=number(time, (0, 0), (0.25, 10), (0.7, 62), (1.2, 66)),
            heading=number(time, (0, -22), (1.2, -30)),
        ),
    )
    pose.face(
        "foot.l",
        rotation(
            pitch=number(time, (0, 0), (0.45, 50), (0.85, 0), (1.2, 0)),
            heading=number(time, (0, 6), (1.2, 16)),
        ),
    )


def _fall_arms(pose: Pose, start: Pose, time: float) -> None:
    grip: Keys = {
        0.0: start.place("rifle")[1],
        0.2: (0.30, 0.25, 1.25),
        0.42: (0.60, 0.05, 0.95),
        0.68: (0.72, -0.28, 0.06),
        0.76: (0.73, -0.3, 0.09),
        0.85: (0.73, -0.31, 0.045),
        1.2: (0.73, -0.31, 0.045),
    }
    turn = curve(
        time, {0.0: (0, 0, 0), 0.2: (25, 20, -10), 0.42: (30, 60, -28), 0.68: (0, 90, -48), 1.2: (0, 90, -50)}
    )
    pose.put("rifle", rotation(*turn), curve(time, grip))
    free = float(np.clip((time - 0.3) / 0.25, 0, 1))
    held = pose.point("rifle", RIGHT_HOLD)
    right = curve(
        time,
        {0.0: held, 0.3: held, 0.68: (0.66, -0.80, 0.16), 0.8: (0.66, -0.82, 0.06), 1.2: (0.66, -0.82, 0.06)},
    )
    pose.reach(ARM_R, held + (right - held) * free, (0.75, -0.3, -0.3))
    left: Keys = {
        0.0: start.point("rifle", LEFT_HOLD),
        0.2: (-0.25, 0.45, 1.4),
        0.42: (-0.6, 0.15, 1.3),
        0.7: (-0.66, -0.95, 0.3),
        0.82: (-0.66, -1.1, 0.06),
        1.2: (-0.66, -1.1, 0.06),
    }
    pose.reach(ARM_L, curve(time, left), (-0.75, -0.1, -0.4))
