"""The camera: looks down on the hero, a little ahead of it, and shakes when something bursts."""

import random
from math import cos, radians, sin
from typing import Any

from panda3d.core import LVector3, Point3

from samples.common.figure import approach
from samples.shooter.arena import HALF_SIZE

PITCH = 54.0  # degrees above the ground
DISTANCE = 21.0
BEYOND = LVector3(0, 0.8, 0)  # what is farther away is smaller, so more of it is shown
FIELD_OF_VIEW = 21.9  # degrees, over the shorter side of the window
LEAD = 0.25  # how far it goes from the hero towards the aim,
FARTHEST_AIM = 8.0  # up to this distance, in metres
SOON = 6.0  # how soon it is where it should be, a second
MARGIN = 5.0  # it does not look beyond the walls more than it must
REST = 0.002  # metres; nearer than this it is there
CALM = 5.0  # how soon a shake is over, a second


class Camera:
    """Moves `base.camera`.

    Attributes:
        focus: the point on the ground that it looks at.
    """

    def __init__(self, base: Any) -> None:
        base.disable_mouse()
        base.camLens.set_min_fov(FIELD_OF_VIEW)
        base.camLens.set_near_far(2, 120)
        self._camera = base.camera
        self.jump(Point3(0), Point3(0))

    def jump(self, hero: Point3, aim: Point3) -> None:
        """Be where `update` would go in time, and shake no more."""
        self.focus = _focus(hero, aim)
        self._shake = 0.0
        self._random = random.Random(5)
        self._place(LVector3(0))

    def shake(self, strength: float) -> None:
        """Tremble, for a moment, by so many metres."""
        self._shake = max(self._shake, strength)

    def update(self, dt: float, hero: Point3, aim: Point3) -> None:
        """Follow the hero for this long."""
        way = _focus(hero, aim) - self.focus
        self.focus += way * (approach(SOON, dt) if way.length() > REST else 1)
        self._shake = self._shake * (1 - approach(CALM, dt)) if self._shake > REST else 0.0
        self._place(LVector3(*(self._random.uniform(-1, 1) for _ in range(3))) * self._shake)

    def _place(self, offset: LVector3) -> None:
        pitch = radians(PITCH)
        self._camera.set_pos(self.focus + LVector3(0, -cos(pitch), sin(pitch)) * DISTANCE + offset)
        self._camera.set_hpr(0, -PITCH, 0)


def _focus(hero: Point3, aim: Point3) -> Point3:
    to_aim = LVector3(aim.x - hero.x, aim.y - hero.y, 0)
    if to_aim.length() > FARTHEST_AIM:
        to_aim *= FARTHEST_AIM / to_aim.length()
    wanted = hero + to_aim * LEAD + BEYOND
    limit = HALF_SIZE - MARGIN
    return Point3(min(max(wanted.x, -limit), limit), min(max(wanted.y, -limit), limit), 0)
