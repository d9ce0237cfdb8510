"""The brute's colours: a dark back, a light belly, spots on the flanks, bone."""

from collections.abc import Sequence

import numpy as np

from models.making.brute_shape import ARM, SHOULDER
from models.making.loft import Floats, Part, smoothstep
from models.making.paint import Texels, cells, noise

BACK = np.array([0.10, 0.26, 0.38])
FLANK = np.array([0.10, 0.57, 0.52])
BELLY = np.array([0.66, 0.66, 0.46])
SPOT = np.array([0.52, 0.95, 0.62])
BONE = np.array([0.86, 0.79, 0.62])
ROOT = np.array([0.30, 0.20, 0.15])


def paint(texels: Texels, parts: Sequence[Part]) -> Floats:
    """Colours (n, 3) of texels."""
    bone = np.array([part.material == "bone" for part in parts])[texels.part]
    colors = _hide(texels)
    colors[bone] = _bone(texels, parts)[bone]
    fist = np.array([part.material == "fist" for part in parts])[texels.part]
    colors *= (1 - 0.65 * fist * _between_fingers(texels))[:, None]
    result: Floats = np.clip(colors * (0.40 + 0.60 * texels.openness)[:, None], 0, 1)
    return result


def _hide(texels: Texels) -> Floats:
    place, normal = texels.position, texels.normal
    x, y, z = place.T
    large = noise(place, 0.30, 11)
    fine = noise(place, 0.05, 12, 3)
    # How much a point belongs to the back: it looks back or up, or lies on the outside of an arm.
    limb = smoothstep(0.42, 0.6, np.abs(x))
    outside = np.sign(x) * normal[:, 0] * 0.55 + normal[:, 2] * 0.75
    back = (1 - limb) * (0.75 * normal[:, 2] - 0.75 * normal[:, 1]) + limb * outside + 0.9 * (large - 0.5)
    dark = smoothstep(0.10, 0.75, back)
    light = smoothstep(-0.25, -0.95, back) * (1 - 0.85 * limb)
    colors = _mix(_mix(np.tile(FLANK, (len(x), 1)), BACK, dark), BELLY, light)
    stripe = smoothstep(0.12, 0.45, np.sin(2 * np.pi * (z / 0.21 + 1.1 * large + 0.25 * y)) - 0.25)
    colors = _mix(colors, BACK, 0.75 * stripe * (1 - light) * (1 - dark) * smoothstep(0.06, 0.2, np.abs(x)))
    middle, _ = cells(place, 0.14, 13)
    spot = smoothstep(0.34, 0.24, middle) * smoothstep(0.05, 0.4, back) * smoothstep(0.45, 0.62, large + 0.1)
    colors = _mix(colors, SPOT, 0.85 * spot)
    _, border = cells(place, 0.035, 14)
    pores = smoothstep(0.10, 0.02, border)
    hands = smoothstep(0.50, 0.25, z) * 0.2
    colors *= ((0.80 + 0.45 * fine) * (1 - 0.28 * pores) * (1 - hands))[:, None]
    return colors


def _between_fingers(texels: Texels) -> Floats:
    """Two dark lines over the front of a fist."""
    x, y, z = texels.position.T
    line = smoothstep(0.014, 0.004, np.abs(np.abs(y - SHOULDER[1]) - 0.048))
    beyond = (np.abs(x) - SHOULDER[0]) * ARM[0] + (z - SHOULDER[2]) * ARM[2]
    shown: Floats = line * smoothstep(0.90, 0.96, beyond)
    return shown


def _bone(texels: Texels, parts: Sequence[Part]) -> Floats:
    """Brown at the root, pale at the tip, with rings."""
    length = np.array([part.size[1] for part in parts])[texels.part]
    along = texels.unrolled[:, 1] / length
    rings = 0.5 + 0.5 * np.sin(
        texels.unrolled[:, 1] * 2 * np.pi / 0.035 + 4 * noise(texels.position, 0.06, 15, 2)
    )
    colors = _mix(np.tile(ROOT, (len(along), 1)), BONE, smoothstep(0.30, 0.70, along))
    shaded: Floats = (
        colors * (0.80 + 0.20 * rings)[:, None] * (0.85 + 0.3 * noise(texels.position, 0.03, 16, 2))[:, None]
    )
    return shaded


def _mix(below: Floats, above: Floats, share: Floats) -> Floats:
    result: Floats = below + (above - below) * share[:, None]
    return result
