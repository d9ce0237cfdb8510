"""What the hero and the enemies have in common: an animated model that stands and looks somewhere."""

from collections.abc import Sequence
from math import exp
from typing import Any

from direct.actor.Actor import Actor
from panda3d.core import LVector2, NodePath, Point3

from samples.common.models import let_glow


class Figure:
    """An Actor below `path`, from the files NAME.bam and NAME-ANIMATION.bam.

    Args:
        loops: the animations that go on until another begins.
        once: those that are played once.
    """

    def __init__(self, path: NodePath, name: str, loops: Sequence[str], once: Sequence[str]) -> None:
        self.path = path
        self.actor: Any = Actor(f"{name}.bam", {each: f"{name}-{each}.bam" for each in (*loops, *once)})
        self.actor.reparent_to(path)
        let_glow(self.actor)
        self._loops = loops
        self._animation = ""

    def animate(self, name: str) -> None:
        """Begin an animation; one that loops goes on if it does so already."""
        if name in self._loops:
            if name != self._animation:
                self.actor.loop(name)
        else:
            self.actor.play(name)
        self._animation = name

    def turn_to(self, point: Point3, dt: float, soon: float) -> None:
        """Turn towards a point of the arena for this long; `soon`: how soon it looks there, a second."""
        to_point = (point - self.path.get_pos()).xy
        if to_point.normalize():
            left = LVector2(0, 1).signed_angle_deg(to_point) - self.path.get_h()
            self.path.set_h(self.path.get_h() + ((left + 180) % 360 - 180) * approach(soon, dt))


def approach(soon: float, dt: float) -> float:
    """The share of its way that something goes in this time, if it slows down as it comes near."""
    return 1 - exp(-soon * dt)
