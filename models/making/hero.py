"""The hero: an armoured soldier with a rifle. Facing +Y, about 1.85 m high."""

from pathlib import Path

import numpy as np

from models.making.character import make_character
from models.making.hero_moves import fall, idle, run
from models.making.hero_paint import paint
from models.making.hero_shape import ARM, ELBOW, SHOULDER, SKELETON
from models.making.loft import Part, box, chain, loft, mirror, rigid, shared

GLOW = {"visor": (0.35, 0.95, 1.0), "lamp": (1.0, 0.55, 0.15), "cell": (0.35, 0.95, 1.0)}


def make(folder: Path) -> list[Path]:
    """Write hero.bam, hero.jpg and the hero's animations; returns what was written."""
    moves = {"idle": idle(), "run": run(), "fall": fall()}
    return make_character(folder, "hero", SKELETON, _parts(), paint, GLOW, moves)


def _parts() -> list[Part]:
    right = [_arm(), _hand(), _pauldron(), _leg(), _knee(), _boot(), _canister(), _ear(), _pouch()]
    both = [part for pair in ((part, mirror(part)) for part in right) for part in pair]
    return [_torso(), *_helmet(), *_backpack(), *_rifle(), *both]


def _torso() -> Part:
    rows = (
        (0, 0, 0.84, 0.10, 0.075, 2.4),
        (0, 0, 0.90, 0.168, 0.122, 2.4),
        (0, 0, 0.985, 0.174, 0.128, 2.4),
        (0, 0, 0.995, 0.155, 0.11, 2.4),
        (0, 0.005, 1.15, 0.158, 0.114, 2.4),
        (0, 0.005, 1.155, 0.194, 0.150, 2.6),
        (0, 0.008, 1.28, 0.224, 0.170, 2.7),
        (0, -0.01, 1.40, 0.217, 0.157, 2.6),
        (0, -0.015, 1.49, 0.140, 0.12, 2.3),
        (0, -0.015, 1.495, 0.088, 0.088),
        (0, -0.01, 1.57, 0.078, 0.078),
    )
    up = (0, 0, 1)
    skin = chain(
        "pelvis",
        ("spine", (0, 0, 1.02), up, 0.05),
        ("chest", (0, 0, 1.14), up, 0.04),
        ("head", (0, 0, 1.54), up, 0.04),
    )
    return loft("torso", rows, skin, material="torso", sides=10, start=-90, smooth=35)


def _helmet() -> list[Part]:
    skin = rigid("head")
    shell = (
        (0, 0.01, 1.535, 0.108, 0.122, 2.3),
        (0, 0.012, 1.56, 0.142, 0.162, 2.3),
        (0, 0.012, 1.645, 0.164, 0.186, 2.4),
        (0, 0.005, 1.735, 0.162, 0.184, 2.4),
        (0, -0.003, 1.805, 0.128, 0.146, 2.3),
        (0, -0.006, 1.848, 0.066, 0.076),
        (0, -0.006, 1.858, 0, 0),
    )
    visor = (
        (-0.160, 0.085, 1.675, 0.026, 0.018, 4),
        (-0.105, 0.160, 1.678, 0.052, 0.032, 4),
        (0.0, 0.192, 1.676, 0.058, 0.036, 4),
        (0.105, 0.160, 1.678, 0.052, 0.032, 4),
        (0.160, 0.085, 1.675, 0.026, 0.018, 4),
    )
    crest = (
        (0, 0.170, 1.755, 0.030, 0.020, 4),
        (0, 0.080, 1.842, 0.042, 0.026, 4),
        (0, -0.05, 1.868, 0.044, 0.028, 4),
        (0, -0.150, 1.795, 0.038, 0.026, 4),
        (0, -0.188, 1.69, 0.030, 0.020, 4),
    )
    antenna = (
        (-0.175, -0.05, 1.69, 0.016, 0.016),
        (-0.20, -0.14, 2.01, 0.005, 0.005),
        (-0.201, -0.142, 2.015, 0, 0),
    )
    return [
        loft("helmet", shell, skin, material="armour", sides=10, start=-90, smooth=40),
        loft("visor", visor, skin, material="visor", sides=6, across=(0, 0, 1), start=90, smooth=50),
        loft("crest", crest, skin, material="crest", sides=6, start=-90, smooth=30),
        loft("antenna", antenna, skin, material="metal", sides=3),
    ]


def _arm_row(along: float, *rest: float) -> tuple[float, ...]:
    return (*(SHOULDER + along * ARM), *rest)


def _arm() -> Part:
    rows = [
        _arm_row(along, radius, other)
        for along, radius, other in (
            (-0.02, 0.062, 0.062),
            (0.09, 0.076, 0.076),
            (0.23, 0.062, 0.061),
            (0.28, 0.060, 0.058),
            (0.315, 0.060, 0.058),
            (0.32, 0.082, 0.080),
            (0.41, 0.084, 0.082),
            (0.515, 0.062, 0.060),
        )
    ]
    skin = chain("upper.r", ("fore.r", ELBOW, ARM, 0.045))
    return loft("arm.r", rows, skin, material="arm", sides=7, across=(0, 1, 0), start=-45, smooth=38)


def _hand() -> Part:
    sizes = ((0.51, 0.052, 0.044), (0.60, 0.070, 0.058), (0.675, 0.050, 0.046))
    rows = [_arm_row(*size, 3) for size in (*sizes, (0.685, 0, 0))]
    return loft(
        "hand.r", rows, rigid("fore.r"), material="glove", sides=6, across=(0, 1, 0), start=-45, smooth=45
    )


def _pauldron() -> Part:
    way = np.array([0.78, 0.0, 0.62])
    way /= np.linalg.norm(way)
    base = SHOULDER + np.array([-0.01, 0.0, -0.005])
    sizes = (
        (-0.045, 0.120, 0.124),
        (-0.025, 0.160, 0.164),
        (0.012, 0.158, 0.162),
        (0.070, 0.132, 0.134),
        (0.112, 0.078, 0.080),
        (0.127, 0, 0),
    )
    rows = [(*(base + along * way), radius, other, 2.3) for along, radius, other in sizes]
    skin = shared(**{"chest": 0.45, "upper.r": 0.55})
    return loft(
        "pauldron.r", rows, skin, material="pauldron", sides=8, across=(0, 1, 0), start=180, smooth=42
    )


def _leg() -> Part:
    rows = (
        (0.105, 0, 0.90, 0.095, 0.108, 2.3),
        (0.115, 0.003, 0.76, 0.104, 0.114, 2.3),
        (0.122, 0.01, 0.56, 0.080, 0.088),
        (0.125, 0.015, 0.50, 0.075, 0.081),
        (0.125, 0.012, 0.44, 0.073, 0.079),
        (0.126, 0.012, 0.43, 0.096, 0.102, 2.4),
        (0.128, 0.0, 0.31, 0.100, 0.110, 2.4),
        (0.13, -0.013, 0.13, 0.074, 0.078, 2.4),
    )
    down = (0, 0, -1)
    skin = chain("thigh.r", ("shin.r", (0.125, 0.01, 0.50), down, 0.055))
    return loft("leg.r", rows, skin, material="leg", sides=7, start=180, smooth=38)


def _knee() -> Part:
    rows = (
        (0.125, 0.045, 0.50, 0.066, 0.085, 4),
        (0.125, 0.095, 0.50, 0.062, 0.080, 4),
        (0.125, 0.112, 0.505, 0.034, 0.048, 4),
        (0.125, 0.112, 0.505, 0, 0),
    )
    skin = shared(**{"thigh.r": 0.5, "shin.r": 0.5})
    return loft("knee.r", rows, skin, material="orange", sides=6, start=90, smooth=30)


def _boot() -> Part:
    rows = (
        (0.13, -0.112, 0.065, 0, 0),
        (0.13, -0.108, 0.070, 0.062, 0.070, 4),
        (0.13, 0.020, 0.082, 0.082, 0.082, 4),
        (0.134, 0.110, 0.058, 0.082, 0.058, 4),
        (0.139, 0.200, 0.042, 0.052, 0.036, 4),
        (0.139, 0.206, 0.042, 0, 0),
    )
    return loft("boot.r", rows, rigid("foot.r"), material="boot", sides=8, start=112.5, smooth=35)


def _canister() -> Part:
    sizes = ((1.10, 0), (1.10, 0.045), (1.13, 0.057), (1.40, 0.057), (1.44, 0.032), (1.44, 0))
    rows = [(0.175, -0.235, z, radius, radius) for z, radius in sizes]
    return loft("canister.r", rows, rigid("chest"), material="canister", sides=6, start=90, smooth=40)


def _ear() -> Part:
    rows = (
        (0.140, -0.015, 1.665, 0.060, 0.060),
        (0.178, -0.015, 1.665, 0.060, 0.060),
        (0.194, -0.015, 1.665, 0.036, 0.036),
        (0.194, -0.015, 1.665, 0, 0),
    )
    return loft("ear.r", rows, rigid("head"), material="metal", sides=6, across=(0, 1, 0), smooth=30)


def _pouch() -> Part:
    return box("pouch.r", (0.145, -0.06, 0.90), (0.225, 0.06, 1.01), rigid("pelvis"), material="pouch")


def _backpack() -> list[Part]:
    skin = rigid("chest")
    return [
        box(
            "pack", (-0.15, -0.325, 1.10), (0.15, -0.12, 1.47), skin, material="pack", bevel=0.03, taper=0.86
        ),
        box("lid", (-0.10, -0.35, 1.16), (0.10, -0.31, 1.36), skin, material="orange"),
        box("strip", (-0.085, -0.265, 1.465), (0.085, -0.205, 1.482), skin, material="lamp"),
        box("roll", (-0.06, -0.175, 0.90), (0.06, -0.10, 1.0), rigid("pelvis"), material="pouch"),
    ]


def _rifle() -> list[Part]:
    skin = rigid("rifle")
    barrel = ((0.70, 0.02), (0.79, 0.02), (0.79, 0.032), (0.855, 0.032), (0.86, 0.018), (0.84, 0))
    sights = ((0.10, 0), (0.10, 0.03), (0.34, 0.036), (0.33, 0))
    return [
        box("receiver", (0.078, 0.03, 1.085), (0.162, 0.46, 1.19), skin, material="gun", axis=1),
        box("stock", (0.092, -0.14, 1.05), (0.148, 0.045, 1.16), skin, material="gun", axis=1),
        box("shroud", (0.085, 0.44, 1.105), (0.155, 0.72, 1.185), skin, material="shroud", axis=1),
        box("magazine", (0.095, 0.33, 0.95), (0.145, 0.42, 1.10), skin, material="gun"),
        box("grip", (0.098, 0.20, 0.96), (0.142, 0.26, 1.10), skin, material="gun"),
        box("cell", (0.105, 0.47, 1.178), (0.135, 0.68, 1.196), skin, material="cell", axis=1),
        loft("barrel", [(0.12, y, 1.145, r, r) for y, r in barrel], skin, material="gun", sides=6, smooth=35),
        loft(
            "sights", [(0.12, y, 1.222, r, r) for y, r in sights], skin, material="shroud", sides=6, smooth=35
        ),
    ]
