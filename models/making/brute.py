"""The brute: a broad, hunched beast with heavy arms. Facing +Y, about 1.9 m high."""

from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from models.making.brute_moves import attack, die, idle, walk
from models.making.brute_paint import paint
from models.making.brute_shape import ARM, ELBOW, SHOULDER, SKELETON
from models.making.character import make_character
from models.making.loft import Part, Skin, chain, loft, mirror, rigid

GLOW = {"eye": (1.0, 0.62, 0.12)}
DOWN = (0, 0, -1)
TORSO = chain(
    "pelvis",
    ("spine", (0, -0.05, 0.96), (0, 0.1, 1), 0.10),
    ("chest", (0, 0.02, 1.20), (0, 0.2, 1), 0.10),
    ("head", (0, 0.27, 1.53), (0, 1, 0.3), 0.07),
)


def make(folder: Path) -> list[Path]:
    """Write brute.bam, brute.jpg and the brute's animations; returns what was written."""
    moves = {"idle": idle(), "walk": walk(), "attack": attack(), "die": die()}
    return make_character(folder, "brute", SKELETON, _parts(), paint, GLOW, moves)


def _parts() -> list[Part]:
    right = [
        _arm(),
        _fist(),
        *_fist_spikes(),
        *_arm_spikes(),
        _leg(),
        _foot(),
        *_claws(),
        _horn(),
        _tusk(),
        _eye(),
    ]
    both = [part for pair in ((part, mirror(part)) for part in right) for part in pair]
    return [_torso(), _head(), _jaw(), _brow(), *_back_spikes(), *both]


def _torso() -> Part:
    rows = (
        (0, -0.12, 0.64, 0, 0),
        (0, -0.12, 0.66, 0.15, 0.13),
        (0, -0.10, 0.76, 0.26, 0.22, 2.2),
        (0, -0.06, 0.90, 0.31, 0.28, 2.2),
        (0, -0.03, 1.05, 0.34, 0.30, 2.2),
        (0, 0.00, 1.21, 0.41, 0.32, 2.2),
        (0, 0.05, 1.37, 0.45, 0.31, 2.2),
        (0, 0.14, 1.50, 0.36, 0.25, 2.1),
        (0, 0.24, 1.55, 0.23, 0.19),
        (0, 0.34, 1.56, 0.15, 0.13),
    )
    return loft("torso", rows, TORSO, material="hide", sides=12, start=90, smooth=80)


def _head() -> Part:
    rows = (
        (0, 0.22, 1.56, 0.12, 0.12),
        (0, 0.31, 1.575, 0.175, 0.165, 2.2),
        (0, 0.44, 1.56, 0.18, 0.155, 2.3),
        (0, 0.54, 1.515, 0.145, 0.115, 2.4),
        (0, 0.63, 1.475, 0.115, 0.085, 2.6),
        (0, 0.665, 1.47, 0.08, 0.055, 2.6),
        (0, 0.67, 1.47, 0, 0),
    )
    return loft("head", rows, rigid("head"), material="hide", sides=10, start=90, smooth=70)


def _jaw() -> Part:
    rows = (
        (0, 0.36, 1.42, 0.12, 0.06, 2.6),
        (0, 0.50, 1.405, 0.15, 0.065, 2.6),
        (0, 0.62, 1.41, 0.13, 0.055, 2.8),
        (0, 0.68, 1.42, 0.08, 0.035, 2.8),
        (0, 0.69, 1.42, 0, 0),
    )
    return loft("jaw", rows, rigid("head"), material="hide", sides=8, start=90, smooth=60)


def _brow() -> Part:
    rows = (
        (-0.15, 0.485, 1.605, 0.030, 0.035),
        (-0.08, 0.535, 1.605, 0.042, 0.045),
        (0.0, 0.52, 1.585, 0.040, 0.040),
        (0.08, 0.535, 1.605, 0.042, 0.045),
        (0.15, 0.485, 1.605, 0.030, 0.035),
    )
    return loft("brow", rows, rigid("head"), material="hide", sides=6, across=(0, 0, 1), start=90, smooth=70)


def _spike(
    name: str,
    base: ArrayLike,
    tip: ArrayLike,
    radius: float,
    skin: Skin,
    *,
    other: float = 0,
    sides: int = 5,
) -> Part:
    """A thorn whose foot is a little under the skin."""
    low, high = np.asarray(base, np.float64), np.asarray(tip, np.float64)
    other = other or radius
    middle = low + 0.5 * (high - low)
    rows = [(*low, radius, other), (*middle, 0.62 * radius, 0.62 * other), (*high, 0, 0)]
    if sides < 5:
        del rows[1]
    across = (1, 0, 0) if abs(high[0] - low[0]) < 0.9 * np.linalg.norm(high - low) else (0, 1, 0)
    return loft(name, rows, skin, material="bone", sides=sides, across=across, smooth=75)


def _back_spikes() -> list[Part]:
    spikes = (
        ((0, 0.12, 1.70), (0, -0.02, 1.93), 0.050, 0.08),
        ((0, -0.07, 1.63), (0, -0.27, 1.86), 0.060, 0.095),
        ((0, -0.22, 1.44), (0, -0.50, 1.62), 0.062, 0.10),
        ((0, -0.27, 1.22), (0, -0.54, 1.33), 0.056, 0.09),
        ((0, -0.29, 1.02), (0, -0.50, 1.07), 0.046, 0.075),
        ((0, -0.29, 0.86), (0, -0.43, 0.86), 0.036, 0.06),
    )
    middle = [
        _spike(f"back{i}", base, tip, radius, TORSO, other=other, sides=6)
        for i, (base, tip, radius, other) in enumerate(spikes)
    ]
    flank = _spike("flank.r", (0.19, -0.09, 1.56), (0.27, -0.25, 1.72), 0.05, rigid("chest"))
    lower = _spike("rib.r", (0.22, -0.20, 1.32), (0.31, -0.38, 1.42), 0.045, rigid("chest"))
    return [*middle, flank, mirror(flank), lower, mirror(lower)]


def _arm_row(along: float, *rest: float) -> tuple[float, ...]:
    return (*(SHOULDER + along * ARM), *rest)


def _arm() -> Part:
    sizes = (
        (-0.17, 0, 0),
        (-0.13, 0.115, 0.11),
        (-0.02, 0.20, 0.19),
        (0.12, 0.19, 0.175),
        (0.28, 0.14, 0.13),
        (0.38, 0.122, 0.118),
        (0.45, 0.128, 0.124),
        (0.57, 0.175, 0.165),
        (0.70, 0.165, 0.155),
        (0.82, 0.118, 0.112),
    )
    skin = chain("upper.r", ("fore.r", ELBOW, ARM, 0.09))
    rows = [_arm_row(*size) for size in sizes]
    return loft("arm.r", rows, skin, material="hide", sides=8, across=(0, 1, 0), start=0, smooth=80)


def _fist() -> Part:
    sizes = (
        (0.80, 0.11, 0.10),
        (0.87, 0.165, 0.15),
        (0.98, 0.18, 0.165),
        (1.06, 0.15, 0.135),
        (1.085, 0.09, 0.08),
        (1.09, 0, 0),
    )
    rows = [_arm_row(*size, 2.8) for size in sizes]
    return loft(
        "fist.r", rows, rigid("fore.r"), material="fist", sides=8, across=(0, 1, 0), start=0, smooth=80
    )


def _fist_spikes() -> list[Part]:
    outward = np.array([0.7513, 0.0, 0.66])
    result = []
    for i, side in enumerate((-0.09, 0.0, 0.09)):
        foot = SHOULDER + 1.0 * ARM + 0.13 * outward + (0, side, 0)
        tip = foot + 0.09 * ARM + 0.09 * outward
        result.append(_spike(f"knuckle{i}.r", foot, tip, 0.045, rigid("fore.r"), sides=4))
    return result


def _arm_spikes() -> list[Part]:
    outward = np.array([0.7513, 0.0, 0.66])
    upper = SHOULDER + 0.02 * ARM + 0.16 * outward
    lower = SHOULDER + 0.58 * ARM + 0.14 * outward
    return [
        _spike("shoulder.r", upper, upper + 0.19 * outward - 0.05 * ARM, 0.062, rigid("upper.r")),
        _spike("elbow.r", lower, lower + 0.15 * outward - 0.10 * ARM, 0.052, rigid("fore.r")),
    ]


def _leg() -> Part:
    rows = (
        (0.18, -0.06, 0.84, 0.13, 0.14),
        (0.20, -0.04, 0.70, 0.175, 0.185),
        (0.225, 0.0, 0.52, 0.14, 0.15),
        (0.235, 0.015, 0.43, 0.122, 0.128),
        (0.24, 0.0, 0.33, 0.125, 0.132),
        (0.245, -0.04, 0.17, 0.11, 0.112),
        (0.245, -0.05, 0.10, 0.095, 0.095),
        (0.245, -0.05, 0.045, 0, 0),
    )
    skin = chain("thigh.r", ("shin.r", (0.235, 0.01, 0.43), DOWN, 0.08))
    return loft("leg.r", rows, skin, material="hide", sides=8, start=180, smooth=80)


def _foot() -> Part:
    rows = (
        (0.25, -0.18, 0.07, 0, 0),
        (0.25, -0.17, 0.07, 0.08, 0.06, 2.6),
        (0.25, -0.06, 0.10, 0.12, 0.10, 2.6),
        (0.26, 0.06, 0.08, 0.135, 0.08, 2.6),
        (0.265, 0.16, 0.055, 0.13, 0.055, 2.8),
        (0.265, 0.20, 0.05, 0.09, 0.04, 2.8),
        (0.265, 0.205, 0.05, 0, 0),
    )
    return loft("foot.r", rows, rigid("foot.r"), material="hide", sides=8, start=90, smooth=60)


def _claws() -> list[Part]:
    return [
        _spike(
            f"claw{i}.r",
            (x, 0.15, 0.055),
            (x + 0.3 * (x - 0.265), 0.29, 0.015),
            0.036,
            rigid("foot.r"),
            sides=4,
        )
        for i, x in enumerate((0.18, 0.265, 0.35))
    ]


def _horn() -> Part:
    rows = (
        (0.11, 0.36, 1.66, 0.062, 0.062),
        (0.22, 0.33, 1.745, 0.054, 0.054),
        (0.315, 0.375, 1.835, 0.042, 0.042),
        (0.345, 0.48, 1.90, 0.026, 0.026),
        (0.33, 0.59, 1.93, 0, 0),
    )
    return loft("horn.r", rows, rigid("head"), material="bone", sides=6, across=(0, 1, 0), start=0, smooth=75)


def _tusk() -> Part:
    rows = (
        (0.105, 0.60, 1.41, 0.030, 0.030),
        (0.13, 0.655, 1.49, 0.022, 0.022),
        (0.125, 0.67, 1.58, 0, 0),
    )
    return loft("tusk.r", rows, rigid("head"), material="bone", sides=5, across=(1, 0, 0), smooth=75)


def _eye() -> Part:
    rows = (
        (0.045, 0.575, 1.545, 0.020, 0.026),
        (0.09, 0.572, 1.565, 0.034, 0.036),
        (0.138, 0.535, 1.58, 0.018, 0.024),
    )
    return loft("eye.r", rows, rigid("head"), material="eye", sides=6, across=(0, 0, 1), start=90, smooth=80)
