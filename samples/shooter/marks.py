"""All that this game does with the add-on: what is hit remembers it. Copy this file and call its methods.

The look "burn", of marks that glow, cool and vanish, is the work of the game's own shader (`arena.frag`). All
others need nothing but this file.
"""

import math
from collections import Counter, deque
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from panda3d.core import ClockObject, LColor, NodePath, Point3

from panda_rtstamp import StampBinding, StampConfig, StampSystem

LOOKS: dict[str, dict[str, Any]] = {
    "burn": {"display": "shader"},
    "paint": {"display": "overlay", "look": "paint"},
    "stain": {"display": "overlay", "look": "tint"},
    "glow": {"display": "overlay", "look": "glow"},
}
# Texels along an edge of the textures that a surface's marks are in; where its first mark is small, more.
QUALITIES = {"high": 1024, "medium": 512, "low": 256}
# How many surfaces can be marked at once, and for how many the textures are made beforehand.
SURFACES, READY_SURFACES = 32, 12
SOOT = LColor(0.02, 0.015, 0.01, 1)


@dataclass
class Hits:
    """The hits on one surface: when they were, in seconds, and how long their marks live."""

    times: deque[float] = field(default_factory=deque)
    largest_radius: float = 0.0
    life: float = 0.0


class Marks:
    """Marks on everything that was given to `remember`.

    Attributes:
        hits: how many marks were made.
        look: one of `LOOKS`.
        quality: one of `QUALITIES`.
    """

    def __init__(self, base: Any, look: str = "paint", quality: str = "medium") -> None:
        self.hits = 0
        self.look = look
        self.quality = quality
        self._debug = False
        self._hits_on: dict[StampBinding, Hits] = {}
        self._own_resolutions: list[int] = []
        # A surface's largest mark decides for all of its marks: at four times the radius, twice the time.
        config = StampConfig(
            fade_duration=15, scale_fade_by_radius=True, base_radius=0.15, radius_fade_exponent=0.5,
            hardness=0.35, max_pool_size=SURFACES, **LOOKS[look], **_resolution(QUALITIES[quality]),
        )  # fmt: skip
        self.stamps = StampSystem(base, config)
        self.stamps.set_default_inputs(base.render)

    def remember(self, node: NodePath, resolution: int | None = None) -> None:
        """Let this node, with all below it, be marked when it is hit."""
        node.set_tag("rtstamp", "")
        if resolution is not None:
            node.set_tag("rtstamp-resolution", str(resolution))
            self._own_resolutions.append(resolution)

    def warm_up(self) -> None:
        """Make textures beforehand: for each node with a resolution of its own, and some of the quality's."""
        slots = Counter(self._own_resolutions)
        slots[QUALITIES[self.quality]] += READY_SURFACES
        self.stamps.warm_up(slots)

    def strike(self, result: Any, radius: float, color: LColor) -> None:
        """Mark what a CollisionEntry or the result of a Bullet ray says was hit."""
        self._count(self.stamps.hit_entry(result, radius=radius, color=color), radius)

    def burst(self, nodes: Iterable[NodePath], point: Point3, radius: float, color: LColor) -> None:
        """Mark all these nodes, as far as they reach into a sphere around a point of the world.

        The mark is soot, which fades late, and heat in its middle.
        """
        for node in nodes:
            self._count(self.stamps.hit(node, point, radius=radius, color=SOOT, hardness=0.2), radius)
            self._count(self.stamps.hit(node, point, radius=0.45 * radius, color=color, hardness=0), radius)

    def fade(self, node: NodePath, seconds: float) -> None:
        """End a node's marks, in this time; big marks take longer, as always."""
        self.stamps.start_fade(node, seconds)

    def fade_all(self, seconds: float = 1.0) -> None:
        """End all marks, in this time; big marks take longer, as always."""
        self.stamps.start_fade_all(seconds)

    def clear(self) -> None:
        """End all marks at once."""
        self.stamps.clear_all()

    def change(self, **settings: Any) -> None:
        """Go on with other settings of the StampConfig; marks stay."""
        self.stamps.set_config(replace(self.stamps.config, **settings))

    def next_look(self) -> None:
        """Show marks, the living ones too, in the next way of `LOOKS`."""
        self.look = _after(self.look, list(LOOKS))
        self.change(**LOOKS[self.look])

    def next_quality(self) -> str:
        """Give the surfaces that are hit from now on more or fewer texels; the name of the new quality."""
        self.quality = _after(self.quality, list(QUALITIES))
        self.change(**_resolution(QUALITIES[self.quality]))
        self.warm_up()
        return self.quality

    @property
    def holding(self) -> bool:
        """Whether marks stay until `fade_all`."""
        return not self.stamps.config.auto_fade

    def toggle_hold(self) -> None:
        """Let new marks fade by themselves, or stay."""
        self.change(auto_fade=not self.stamps.config.auto_fade)

    def toggle_debug(self) -> None:
        """Show or hide the textures that the marks are in."""
        self._debug = not self._debug
        self.stamps.show_debug(self._debug)

    @property
    def living(self) -> int:
        """How many marks there are to be seen."""
        now = ClockObject.get_global_clock().frame_time
        self._hits_on = {binding: hits for binding, hits in self._hits_on.items() if not binding.released}
        for hits in self._hits_on.values():
            while hits.times and hits.times[0] + hits.life < now:
                hits.times.popleft()
        return sum(len(hits.times) for hits in self._hits_on.values())

    def _count(self, binding: StampBinding | None, radius: float) -> None:
        if binding is None:
            return
        self.hits += 1
        hits = self._hits_on.setdefault(binding, Hits())
        hits.times.append(ClockObject.get_global_clock().frame_time)
        hits.largest_radius = max(hits.largest_radius, radius)
        config = self.stamps.config
        hits.life = math.inf if self.holding else config.duration_of(0, hits.largest_radius)


def _resolution(texels: int) -> dict[str, Any]:
    """Settings that give every surface this resolution; without them it would go by the camera's distance."""
    far = 1e6
    return {
        "high_res_distance": far if texels >= 1024 else 0,
        "med_res_distance": far if texels >= 512 else 0,
    }


def _after(name: str, names: list[str]) -> str:
    return names[(names.index(name) + 1) % len(names)]
