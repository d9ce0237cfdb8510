"""The game: all its parts, and what happens in a frame, in order.

A new part is made in `__init__`, begins anew in `reset`, and goes on in `_update`.
"""

from typing import Any

from panda3d.core import ClockObject, LVector2, Point3

from samples.common.ray import Ray
from samples.shooter.arena import Arena
from samples.shooter.camera import Camera
from samples.shooter.effects import Effects
from samples.shooter.enemies import Enemies
from samples.shooter.hero import Hero
from samples.shooter.hud import Hud
from samples.shooter.light import Light
from samples.shooter.marks import Marks
from samples.shooter.orders import Orders
from samples.shooter.weapons import Weapons

LONGEST_STEP = 0.1  # seconds; a longer frame slows the game down


class Game:
    """All parts of the game. Set `orders` before a frame; they hold until they are changed."""

    def __init__(self, base: Any) -> None:
        self.base = base
        self.orders = Orders()
        self.marks = Marks(base, look="burn")
        self.arena = Arena(base, self.marks)
        self.light = Light(base, self.arena)
        self.effects = Effects(base.render, self.light)
        self.camera = Camera(base)
        self.hero = Hero(self.arena)
        self.weapons = Weapons(self.arena, self.hero, self.marks, self.effects, self.camera)
        self.enemies = Enemies(self.arena, self.hero, self.marks)
        self.hud = Hud(base, self.hero, self.weapons, self.enemies, self.marks)
        self._sight = Ray(self.arena.root)
        self.marks.warm_up()
        self.reset()
        # Before the task of the marks (48), so that hits show in the same frame.
        base.task_mgr.add(self._update, "shooter", sort=10)

    def reset(self) -> None:
        """Begin anew: nobody comes before `enemies.start_waves`."""
        self.orders = Orders()
        self.hero.reset()
        self.weapons.reset()
        self.enemies.reset()
        self.marks.clear()
        self.look_from(self.hero.position)

    def look_from(self, aim: Point3) -> None:
        """Let the camera look at once as it does when the hero aims at this point."""
        self.camera.jump(self.hero.position, aim)
        self.light.follow(self.camera.focus)

    def pick(self, point: LVector2) -> Point3 | None:
        """What is seen at a point of the window, -1..1: a point of the arena."""
        entry = self._sight.seen_at(self.base.cam, point.x, point.y)
        return entry.get_surface_point(self.arena.root) if entry else None

    def read_orders(self) -> None:
        """Called at the beginning of each frame; a player's orders are read here."""

    def _update(self, task: Any) -> Any:
        dt = min(ClockObject.get_global_clock().dt, LONGEST_STEP)
        self.hud.update()
        if dt == 0:  # paused
            return task.cont
        self.read_orders()
        self.hero.update(dt, self.orders)
        self.enemies.update(dt)
        self.arena.update()
        self.weapons.update(dt, self.orders)
        self.effects.update(dt)
        self.camera.update(dt, self.hero.position, self.orders.aim)
        self.light.follow(self.camera.focus)
        return task.cont
