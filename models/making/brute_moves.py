"""How the brute stands, walks, strikes and dies."""

import numpy as np
from numpy.typing import ArrayLike

from models.making.brute_shape import ARM_L, ARM_R, LEG_L, LEG_R, SKELETON
from models.making.loft import Floats
from models.making.motion import Frame, Keys, Pose, curve, cycle, loop, number, once, rotation, wave

# Of a step's cycle, the share in which the foot is on the ground.
STANCE = 0.52
PACE = 1.7
ANKLE = 0.10
# How everything is while it stands: pelvis lowered, chest bent, fists before the knees.
CROUCH = -0.055
BEND = -12.0
FIST = np.array([0.60, 0.22, 0.46])
FOOT_R, FOOT_L = (0.29, -0.14, ANKLE), (-0.29, 0.10, ANKLE)


def idle() -> list[Frame]:
    """Heavy breathing."""
    return loop(2.0, _idle_pose)


def walk() -> list[Frame]:
    """A heavy walk at 1.7 m/s, arms swinging."""
    return loop(1.0, _walk_pose)


def attack() -> list[Frame]:
    """Both arms go up and smash down, at 0.45 s."""
    return once(0.9, _attack_pose)


def die() -> list[Frame]:
    """A stagger, the knees give way, and down onto the face."""
    return once(1.4, _die_pose)


def _stand(pose: Pose, right: ArrayLike, left: ArrayLike) -> None:
    pose.reach(LEG_R, right, (0.30, 1, 0))
    pose.reach(LEG_L, left, (-0.30, 1, 0))


def _arms(pose: Pose, right: ArrayLike, left: ArrayLike) -> None:
    pose.reach(ARM_R, right, (0.75, -0.7, 0.15))
    pose.reach(ARM_L, left, (-0.75, -0.7, 0.15))


def _idle_pose(phase: float) -> Pose:
    breath, late = wave(phase), wave(phase, -0.12)
    pose = Pose(SKELETON)
    pose.move("pelvis", (0.012 * wave(phase, 0.1), 0, CROUCH + 0.008 * breath))
    pose.turn("pelvis", pitch=-4, heading=-5)
    pose.face("spine", rotation(pitch=-8 + 1.2 * breath, heading=-4))
    pose.face("chest", rotation(pitch=BEND + 2.6 * breath, heading=-2))
    pose.face("head", rotation(pitch=-4 + 2.5 * late, heading=5 * wave(phase, 0.3)))
    _stand(pose, FOOT_R, FOOT_L)
    pose.face("foot.r", rotation(heading=-16))
    pose.face("foot.l", rotation(heading=14))
    lift = (0.012 * breath, 0.01 * late, 0.022 * late)
    _arms(pose, FIST + lift, (FIST + lift) * (-1, 1, 1) + (0, 0.05, 0))
    return pose


def _walk_pose(phase: float) -> Pose:
    pose = Pose(SKELETON)
    # Right foot forward at 0, so right hip forward, right arm back.
    swing = float(np.cos(2 * np.pi * phase))
    over = wave(phase, 0.02)
    drop = np.cos(4 * np.pi * (phase - 0.09))
    pose.move("pelvis", (0.05 * over, 0.01, -0.075 - 0.028 * drop))
    pose.turn("pelvis", pitch=-6, roll=-5 * over, heading=13 * swing)
    pose.face("spine", rotation(pitch=-12, roll=2 * over, heading=2 * swing))
    pose.face("chest", rotation(pitch=-18 - 2.5 * drop, roll=6 * over, heading=-13 * swing))
    pose.face(
        "head",
        rotation(pitch=-5 + 2.5 * np.cos(4 * np.pi * (phase - 0.18)), roll=2 * over, heading=-3 * swing),
    )
    _stand(pose, _foot(phase, 1), _foot(phase + 0.5, -1))
    pose.face("foot.r", rotation(pitch=_foot_pitch(phase), heading=-10))
    pose.face("foot.l", rotation(pitch=_foot_pitch(phase + 0.5), heading=10))
    _arms(pose, _fist(phase + 0.5, 1), _fist(phase, -1))
    return pose


def _foot(phase: float, side: int) -> tuple[float, float, float]:
    """The ankle's place: on the ground it moves back as fast as the brute walks."""
    reach = PACE * STANCE
    front, back = 0.44 * reach, -0.56 * reach
    keys: Keys = {
        0.0: (front, ANKLE + 0.03),
        0.06: (front - PACE * 0.06, ANKLE),
        STANCE / 2: ((front + back) / 2, ANKLE),
        STANCE - 0.1: (back + PACE * 0.1, ANKLE + 0.043),
        STANCE: (back, ANKLE + 0.155),
        0.64: (back + 0.16, ANKLE + 0.25),
        0.80: (front - 0.22, ANKLE + 0.19),
        0.93: (front + 0.04, ANKLE + 0.08),
    }
    y, z = cycle(phase, keys)
    return (side * 0.25, float(y), float(z))


def _foot_pitch(phase: float) -> float:
    keys: Keys = {
        0.0: 14,
        0.06: 0,
        STANCE - 0.16: 0,
        STANCE - 0.1: -10,
        STANCE: -31,
        0.64: -42,
        0.82: 4,
        0.93: 18,
    }
    return float(cycle(phase, keys)[0])


def _fist(phase: float, side: int) -> tuple[float, float, float]:
    """Forward at 0."""
    swing = float(np.cos(2 * np.pi * (phase - 0.03)))
    return (side * (0.60 - 0.08 * swing), 0.20 + 0.38 * swing, 0.50 + 0.13 * swing**2 + 0.05 * swing)


def _attack_pose(time: float) -> Pose:
    start = _idle_pose(0.0)
    pose = Pose(SKELETON)
    hips: Keys = {
        0.0: (0, 0, CROUCH),
        0.26: (0, -0.06, -0.02),
        0.45: (0, 0.10, -0.25),
        0.58: (0, 0.10, -0.24),
        0.9: (0, 0, CROUCH),
    }
    pose.move("pelvis", curve(time, hips))
    tilt = number(time, (0, -4), (0.27, 5), (0.45, -20), (0.58, -20), (0.9, -4))
    bend = number(time, (0, BEND), (0.28, 16), (0.45, -60), (0.50, -56), (0.60, -57), (0.9, BEND))
    nod = number(time, (0, -4), (0.28, 8), (0.45, -26), (0.60, -18), (0.9, -4))
    pose.turn("pelvis", pitch=tilt, heading=-5)
    pose.face("spine", rotation(pitch=(tilt + bend) / 2, heading=-4))
    pose.face("chest", rotation(pitch=bend, heading=-2))
    pose.face("head", rotation(pitch=nod))
    _stand(pose, FOOT_R, FOOT_L)
    pose.face("foot.r", rotation(heading=-16))
    pose.face("foot.l", rotation(heading=14))
    for limb, side in ((ARM_R, 1), (ARM_L, -1)):
        rest = start.point(limb.lower, limb.end)
        keys: Keys = {
            0.0: rest,
            0.14: (side * 0.72, 0.30, 1.15),
            0.30: (side * 0.34, -0.12, 2.30),
            0.36: (side * 0.30, 0.35, 2.15),
            0.45: (side * 0.26, 0.92, 0.24),
            0.48: (side * 0.26, 0.90, 0.20),
            0.60: (side * 0.30, 0.86, 0.21),
            0.9: rest,
        }
        pose.reach(
            limb, curve(time, keys), (side * 0.9, number(time, (0, -0.7), (0.28, 0.3), (0.9, -0.7)), 0.15)
        )
    return pose


def _die_pose(time: float) -> Pose:
    pose = Pose(SKELETON)
    hips: Keys = {
        0.0: (0, 0, CROUCH),
        0.20: (0.02, -0.12, -0.03),
        0.50: (0.03, -0.06, -0.30),
        0.62: (0.03, 0.0, -0.36),
        0.95: (0.03, 0.12, -0.46),
        1.05: (0.03, 0.12, -0.43),
        1.2: (0.03, 0.12, -0.46),
        1.4: (0.03, 0.12, -0.46),
    }
    pose.move("pelvis", curve(time, hips))
    tilt = number(time, (0, -4), (0.2, 8), (0.55, -4), (0.95, -84), (1.05, -78), (1.2, -83), (1.4, -83))
    bend = number(
        time,
        (0, BEND),
        (0.18, 14),
        (0.50, -8),
        (0.62, -12),
        (0.92, -66),
        (1.03, -58),
        (1.18, -65),
        (1.4, -65),
    )
    nod = number(
        time, (0, -4), (0.15, 26), (0.45, 6), (0.70, -20), (0.95, 18), (1.05, -2), (1.2, 3), (1.4, 3)
    )
    roll = number(time, (0, 0), (0.5, 4), (0.95, 12), (1.4, 12))
    pose.turn("pelvis", pitch=tilt, heading=-5)
    pose.face("spine", rotation(pitch=(tilt + bend) / 2, heading=-4))
    pose.face("chest", rotation(pitch=bend, roll=roll, heading=4))
    pose.face(
        "head",
        rotation(
            pitch=nod,
            roll=number(time, (0, 0), (0.7, 0), (1.0, 20), (1.4, 24)),
            heading=number(time, (0, 0), (0.2, 14), (1.0, 24), (1.4, 26)),
        ),
    )
    _die_legs(pose, time)
    _die_arms(pose, time)
    return pose


def _die_legs(pose: Pose, time: float) -> None:
    right: Keys = {
        0.0: FOOT_R,
        0.2: (0.30, -0.30, ANKLE),
        0.55: (0.30, -0.42, 0.34),
        0.95: (0.32, -0.58, 0.24),
        1.4: (0.32, -0.59, 0.17),
    }
    left: Keys = {
        0.0: FOOT_L,
        0.25: (-0.30, 0.0, ANKLE),
        0.60: (-0.32, -0.34, 0.34),
        0.95: (-0.36, -0.50, 0.24),
        1.4: (-0.36, -0.51, 0.17),
    }
    down = number(time, (0, 0), (0.5, 0.6), (0.9, 1), (1.4, 1))
    pose.reach(LEG_R, curve(time, right), (0.35 + 0.4 * down, 1 - 0.5 * down, -0.7 * down))
    pose.reach(LEG_L, curve(time, left), (-0.35 - 0.4 * down, 1 - 0.5 * down, -0.7 * down))
    point = number(time, (0, 0), (0.25, -4), (0.55, -62), (0.95, -140), (1.2, -163), (1.4, -163))
    pose.face("foot.r", rotation(pitch=point, heading=-16))
    pose.face("foot.l", rotation(pitch=point, heading=14))


def _die_arms(pose: Pose, time: float) -> None:
    start = _idle_pose(0.0)
    rest: list[Floats] = [start.point(limb.lower, limb.end) for limb in (ARM_R, ARM_L)]
    right: Keys = {
        0.0: rest[0],
        0.18: (0.85, -0.1, 1.0),
        0.5: (0.62, 0.35, 0.55),
        0.85: (0.75, 0.85, 0.40),
        0.98: (0.80, 0.98, 0.17),
        1.4: (0.80, 0.99, 0.17),
    }
    left: Keys = {
        0.0: rest[1],
        0.18: (-0.9, 0.0, 1.1),
        0.5: (-0.66, 0.3, 0.6),
        0.85: (-0.95, 0.35, 0.35),
        0.98: (-0.98, 0.25, 0.17),
        1.4: (-0.98, 0.24, 0.17),
    }
    pose.reach(ARM_R, curve(time, right), (0.8, -0.4, 0.4))
    pose.reach(ARM_L, curve(time, left), (-0.8, -0.4, 0.4))
