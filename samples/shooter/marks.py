"""All that this game does with the add-on: what is hit remembers it. Copy this file and call its methods.

`lit.vert` and `lit.frag` show the marks as burns that glow, cool and vanish, and `LOOKS` has the ways that
need no shader of one's own.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from panda3d.core import LColor, NodePath, Point3

from panda_rtstamp import StampBinding, StampConfig, StampSystem

LOOKS: dict[str, dict[str, Any]] = {
    "burn": {"display": "shader"},
    "paint": {"display": "overlay", "look": "paint"},
    "stain": {"display": "overlay", "look": "tint"},
    "glow": {"display": "overlay", "look": "glow"},
}
# Surfaces nearer than the one distance get 1024 x 1024 texels, nearer than the other 512 x 512, others 256.
QUALITIES: dict[str, dict[str, Any]] = {
    "high": {"high_res_distance": 60.0, "med_res_distance": 60.0},
    "medium": {"high_res_distance": 0.0, "med_res_distance": 60.0},
    "low": {"high_res_distance": 0.0, "med_res_distance": 0.0},
}


SOOT = LColor(0.02, 0.015, 0.01, 1)


class Marks:
    """Marks on everything that was given to `remember`."""

    def __init__(self, base: Any) -> None:
        # Four times the radius is there for twice as long.
        config = StampConfig(
            fade_duration=15, scale_fade_by_radius=True, base_radius=0.15, radius_fade_exponent=0.5,
            hardness=0.35, max_pool_size=32, **LOOKS["burn"], **QUALITIES["medium"],
        )  # fmt: skip
        self.stamps = StampSystem(base, config)
        self.stamps.set_default_inputs(base.render)
        self.stamps.warm_up(slots=4)
        self.hits = 0
        self.look = "burn"
        self.quality = "medium"
        self._hits_of: dict[StampBinding, int] = {}

    def remember(self, node: NodePath, resolution: int | None = None) -> None:
        """Let this node, with all below it, be marked when it is hit."""
        node.set_tag("rtstamp", "")
        if resolution is not None:
            node.set_tag("rtstamp-resolution", str(resolution))

    def strike(self, result: Any, radius: float, color: LColor) -> None:
        """Mark what a CollisionEntry or the result of a Bullet ray says was hit."""
        self._count(self.stamps.hit_entry(result, radius=radius, color=color))

    def burst(self, nodes: Iterable[NodePath], point: Point3, radius: float, color: LColor) -> None:
        """Mark all these nodes, as far as they reach into a sphere around a point of the world.

        The mark is soot, which fades late, and heat in its middle.
        """
        for node in nodes:
            self._count(self.stamps.hit(node, point, radius=radius, color=SOOT, hardness=0.2))
            self._count(self.stamps.hit(node, point, radius=0.45 * radius, color=color, hardness=0))

    def fade(self, node: NodePath, seconds: float) -> None:
        """End a node's marks, in this time; big marks take longer, as always."""
        self.stamps.start_fade(node, seconds)

    def fade_all(self, seconds: float = 1.0) -> None:
        """End all marks, in this time; big marks take longer, as always."""
        self.stamps.start_fade_all(seconds)

    def change(self, **settings: Any) -> None:
        """Go on with other settings of the StampConfig; marks stay."""
        self.stamps.set_config(replace(self.stamps.config, **settings))

    def next_look(self) -> None:
        """Show marks, the living ones too, in the next way of `LOOKS`."""
        self.look = _after(self.look, list(LOOKS))
        self.change(**LOOKS[self.look])

    def next_quality(self) -> str:
        """Give the surfaces that are hit from now on more or fewer texels."""
        self.quality = _after(self.quality, list(QUALITIES))
        self.change(**QUALITIES[self.quality])
        return self.quality

    @property
    def holding(self) -> bool:
        """Whether marks stay until `fade_all`."""
        return not self.stamps.config.auto_fade

    def toggle_hold(self) -> None:
        """Let new marks fade by themselves, or stay."""
        self.change(auto_fade=self.holding)

    @property
    def living(self) -> int:
        """How many marks lie on the surfaces that are marked now."""
        self._hits_of = {binding: hits for binding, hits in self._hits_of.items() if not binding.released}
        return sum(self._hits_of.values())

    def _count(self, binding: StampBinding | None) -> None:
        if binding is not None:
            self.hits += 1
            self._hits_of[binding] = self._hits_of.get(binding, 0) + 1


def _after(name: str, names: list[str]) -> str:
    return names[(names.index(name) + 1) % len(names)]
