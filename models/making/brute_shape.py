"""The brute's joints, and what its parts and its moves both need to know."""

import numpy as np

from models.making.loft import Floats
from models.making.motion import Limb
from models.making.rig import Bone, Skeleton, both_sides

SHOULDER = np.array([0.40, 0.03, 1.40])
# Arms hang out like this in the bind pose.
ARM = np.array([0.66, 0.0, -0.7513])
UPPER, LOWER, FIST = 0.42, 0.42, 0.14
ELBOW = SHOULDER + UPPER * ARM
KNUCKLES = SHOULDER + (UPPER + LOWER + FIST) * ARM


def _at(point: Floats) -> tuple[float, float, float]:
    x, y, z = (float(value) for value in point)
    return (x, y, z)


SKELETON = Skeleton(
    [
        Bone("pelvis", "", (0, -0.08, 0.78)),
        Bone("spine", "pelvis", (0, -0.05, 0.98)),
        Bone("chest", "spine", (0, 0.02, 1.22)),
        Bone("head", "chest", (0, 0.26, 1.53)),
        *both_sides(
            [
                Bone("upper.r", "chest", _at(SHOULDER)),
                Bone("fore.r", "upper.r", _at(ELBOW)),
                Bone("thigh.r", "pelvis", (0.19, -0.05, 0.78)),
                Bone("shin.r", "thigh.r", (0.235, 0.01, 0.43)),
                Bone("foot.r", "shin.r", (0.245, -0.05, 0.10)),
            ]
        ),
    ]
)

ARM_R = Limb("upper.r", "fore.r", KNUCKLES, (0, -1, 0))
ARM_L = Limb("upper.l", "fore.l", KNUCKLES * (-1, 1, 1), (0, -1, 0))
LEG_R = Limb("thigh.r", "shin.r", SKELETON.pivot("foot.r"), (0, 1, 0))
LEG_L = Limb("thigh.l", "shin.l", SKELETON.pivot("foot.l"), (0, 1, 0))
