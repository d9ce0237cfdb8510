"""Inputs of the coat's shader that the model and its config do not give: marks on it, and its motion."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from panda3d.core import LVecBase3f, PTA_LVecBase3f


@dataclass(frozen=True)
class Marks:
    """Marks that cut or burn strands.

    Attributes:
        column: of the vertices: the marks' UVs, (u, v), or (u, v, 0) where there are none and (u, v, 1) else.
        inputs: of common/mark.glsl, by name.
        cut, burn: how much of a strand's length a full mark takes, and how much it blackens, 0..1.
    """

    column: str
    inputs: Mapping[str, Any] = field(hash=False)
    cut: float
    burn: float


@dataclass(frozen=True)
class Motion:
    """How strands lag behind the body, in the world's axes; arrays of one entry, changed in place.

    Attributes:
        lag: how far behind the tips are, in world units.
        turn: the angle that they are behind by about the pivot, in radians.
        pivot: in the world.
    """

    lag: PTA_LVecBase3f = field(default_factory=lambda: PTA_LVecBase3f([LVecBase3f(0.0)]))
    turn: PTA_LVecBase3f = field(default_factory=lambda: PTA_LVecBase3f([LVecBase3f(0.0)]))
    pivot: PTA_LVecBase3f = field(default_factory=lambda: PTA_LVecBase3f([LVecBase3f(0.0)]))
