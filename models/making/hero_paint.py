"""The hero's colours."""

from collections.abc import Sequence

import numpy as np

from models.making.loft import Floats, Part, smoothstep
from models.making.paint import Texels, from_edges, noise

WHITE = (0.86, 0.84, 0.79)
ORANGE = (0.93, 0.38, 0.06)
SUIT = (0.23, 0.25, 0.32)
METAL = (0.30, 0.31, 0.34)
GUN = (0.23, 0.24, 0.28)
STRAP = (0.36, 0.28, 0.19)

BASE = {
    "armour": WHITE,
    "orange": ORANGE,
    "crest": ORANGE,
    "pauldron": ORANGE,
    "metal": METAL,
    "gun": GUN,
    "shroud": WHITE,
    "glove": (0.28, 0.27, 0.29),
    "boot": (0.30, 0.29, 0.31),
    "pouch": STRAP,
    "pack": WHITE,
    "canister": ORANGE,
    "torso": WHITE,
    "arm": WHITE,
    "leg": WHITE,
}


def paint(texels: Texels, parts: Sequence[Part]) -> Floats:
    """Colours (n, 3) of texels."""
    colors = np.array([BASE.get(part.material, WHITE) for part in parts])[texels.part]
    material = np.array([part.material for part in parts])[texels.part]
    x, y, z = texels.position.T
    v = texels.unrolled[:, 1]
    hard = np.ones(len(colors), bool)

    def cover(where: np.ndarray, color: Sequence[float]) -> None:
        colors[where] = color

    torso = material == "torso"
    suit = (
        (torso & ((z < 1.153) | (z > 1.503)))
        | ((material == "arm") & (v < 0.345))
        | ((material == "leg") & (z > 0.427))
    )
    cover(suit, SUIT)
    cover(torso & (z > 0.93) & (z < 0.99), STRAP)
    cover(torso & (np.abs(x) < 0.05) & (y > 0) & (z > 1.2) & (z < 1.42), ORANGE)
    cover((material == "leg") & (z > 0.60) & (z < 0.80) & (np.abs(x) > 0.135), WHITE)
    cover((material == "canister") & ((z > 1.383) | (z < 1.12)), METAL)
    cover((material == "pauldron") & (v < 0.085), WHITE)
    cover((material == "boot") & (z < 0.03), (0.10, 0.10, 0.11))
    hard &= ~suit
    return _weather(texels, colors, hard, *from_edges(texels, parts))


def _weather(texels: Texels, colors: Floats, hard: np.ndarray, edge: Floats, groove: Floats) -> Floats:
    """Seams, worn edges, dirt and shade in the corners."""
    dirt = noise(texels.position, 0.18, 3)
    grain = noise(texels.position, 0.025, 4, 2)
    worn = smoothstep(0.011, 0.004, edge + 0.012 * (grain - 0.5)) * hard
    seam = smoothstep(0.004, 0.001, groove)
    line = smoothstep(0.0035, 0.0015, np.abs(edge - 0.022)) * hard
    shade = 0.90 + 0.20 * dirt + 0.10 * (grain - 0.5)
    result = colors * shade[:, None]
    result += worn[:, None] * (0.25 * colors + 0.10)
    result *= (1 - 0.45 * line)[:, None]
    result *= (1 - 0.6 * seam)[:, None]
    result *= (0.42 + 0.58 * texels.openness)[:, None]
    return np.clip(result, 0, 1)
