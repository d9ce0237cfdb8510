"""The hero's joints, and what his parts and his moves both need to know."""

import numpy as np

from models.making.motion import Limb
from models.making.rig import Bone, Skeleton, both_sides

SHOULDER = np.array([0.215, -0.01, 1.42])
# Arms hang out at 45 degrees in the bind pose.
ARM = np.array([0.5**0.5, 0.0, -(0.5**0.5)])
ELBOW = SHOULDER + 0.28 * ARM
PALM = SHOULDER + 0.61 * ARM
GRIP = (0.12, 0.27, 1.13)
MUZZLE = (0.12, 0.87, 1.145)


def _at(point: np.ndarray) -> tuple[float, float, float]:
    x, y, z = (float(value) for value in point)
    return (x, y, z)


SKELETON = Skeleton(
    [
        Bone("pelvis", "", (0, 0, 0.95)),
        Bone("spine", "pelvis", (0, 0, 1.02)),
        Bone("chest", "spine", (0, 0, 1.14)),
        Bone("head", "chest", (0, -0.01, 1.54)),
        *both_sides(
            [
                Bone("upper.r", "chest", _at(SHOULDER)),
                Bone("fore.r", "upper.r", _at(ELBOW)),
                Bone("thigh.r", "pelvis", (0.11, 0.0, 0.90)),
                Bone("shin.r", "thigh.r", (0.125, 0.01, 0.50)),
                Bone("foot.r", "shin.r", (0.13, -0.015, 0.115)),
            ]
        ),
        Bone("rifle", "chest", GRIP),
        Bone("muzzle", "rifle", MUZZLE),
    ]
)

ARM_R = Limb("upper.r", "fore.r", PALM, (0, -1, 0))
ARM_L = Limb("upper.l", "fore.l", PALM * (-1, 1, 1), (0, -1, 0))
LEG_R = Limb("thigh.r", "shin.r", SKELETON.pivot("foot.r"), (0, 1, 0))
LEG_L = Limb("thigh.l", "shin.l", SKELETON.pivot("foot.l"), (0, 1, 0))
