"""The brush: what it does to the values of the column, as plain numbers."""

from dataclasses import dataclass

import numpy as np

from panda_rtstamp.core.config import Checked, Rule, number, text
from panda_rtstamp.core.geometry import Array
from panda_rtstamp.fur.frames import in_frame
from panda_rtstamp.fur.vertices import PLAIN, Values, clamped

# Which of the column's four numbers a tool changes.
COMPONENTS = {
    "comb": slice(0, 2),
    "length": slice(2, 3),
    "density": slice(3, 4),
    "smooth": slice(0, 4),
    "erase": slice(0, 4),
}
AXES = ("x", "y", "z")
_LEAST_FALLOFF = 1e-4

_TOOL = Rule(text, f"one of {', '.join(COMPONENTS)}", choices=tuple(COMPONENTS))
_RADIUS = Rule(number, "a number of scene units > 0, up to 1e9", low=1e-9, high=1e9)
_SHARE = Rule(number, "a number, 0 to 1", low=0.0, high=1.0)
_SYMMETRY = Rule(text, "'x', 'y', 'z' or None", choices=AXES, optional=True)


class FurBrush:
    """The settings of a painter's brush, which may be set at any time.

    A stroke is made of dabs, a quarter of the radius apart. A dab brings what it changes nearer to where the
    tool wants it by strength * clamp((1 - distance / radius) / falloff, 0, 1).

    Attributes:
        tool: 'comb' lays strands the way that the brush goes; 'length' and 'density' bring these to `value`;
            'smooth' brings all to the mean of the neighbours; 'erase' back to straight, long and dense.
        radius: of the brush, in the world.
        strength: of a dab at its middle, 0..1.
        falloff: the part of the radius within which the strength fades to 0, 0..1; 0: a hard edge.
        value: what 'length' and 'density' paint, 0..1.
        lean: how far combed strands lean: the length of (x, y), 0 upright to 1 flat on the skin.
        symmetry: 'x', 'y' or 'z' paints on both sides of the model at once, mirrored along this axis of the
            painter's node; None: on one.

    Raises (where an attribute is set):
        ConfigError: the value is not allowed; nothing was changed.
    """

    tool = Checked[str](_TOOL)
    radius = Checked[float](_RADIUS)
    strength = Checked[float](_SHARE)
    falloff = Checked[float](_SHARE)
    value = Checked[float](_SHARE)
    lean = Checked[float](_SHARE)
    symmetry = Checked[str | None](_SYMMETRY)

    def __init__(self, radius: float) -> None:
        self.tool = "comb"
        self.radius = radius
        self.strength = 0.5
        self.falloff = 0.75
        self.value = 1.0
        self.lean = 0.8
        self.symmetry = None

    def weights(self, distances: Array) -> Array:
        """How strong a dab is at these distances from its middle, 0..strength."""
        fade = (1.0 - distances / self.radius) / max(self.falloff, _LEAST_FALLOFF)
        return self.strength * np.clip(fade, 0.0, 1.0)


@dataclass(frozen=True)
class Goals:
    """Where a tool wants the fur of some points; what it leaves alone has no meaning.

    Attributes:
        leans: (n, 3), what of the strands' direction lies in the surface, at rest, in the node's space.
        lengths, densities: (n,).
    """

    leans: Array
    lengths: Array
    densities: Array

    @staticmethod
    def plain(count: int) -> "Goals":
        """Straight, of full length and density."""
        return Goals(np.zeros((count, 3)), np.full(count, PLAIN[2]), np.full(count, PLAIN[3]))

    def values(self, tangents: Array, binormals: Array) -> Array:
        """The column's numbers in these frames, (n, 4)."""
        return np.column_stack([in_frame(self.leans, tangents, binormals), self.lengths, self.densities])


def mixed(tool: str, values: Values, goals: Array, weights: Array) -> Values:
    """Values (n, 4) nearer to goals (n, 4), by weights (n,); what the tool does not change stays as it is."""
    result: Values = values.copy()
    part = COMPONENTS[tool]
    nearer = values.astype(np.float64)
    nearer[:, part] += (goals[:, part] - nearer[:, part]) * weights[:, None]
    result[:, part] = clamped(nearer)[:, part]
    return result
