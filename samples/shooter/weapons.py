"""The hero's weapons: two guns, whose bullets Panda's CollisionTraverser traces, and a blast, by Bullet."""

import random
from dataclasses import dataclass
from math import radians, tan
from typing import Any

from panda3d.bullet import BulletGhostNode, BulletSphereShape
from panda3d.core import (
    LColor,
    LVector3,
    NodePath,
    Point3,
)

from samples.common.ray import Ray
from samples.shooter.arena import Arena
from samples.shooter.camera import Camera
from samples.shooter.effects import Effects
from samples.shooter.hero import Hero
from samples.shooter.marks import Marks
from samples.shooter.orders import Orders

REACH = 60.0  # metres


@dataclass(frozen=True)
class Gun:
    """What a gun is like: times in seconds, `spread` in degrees, `radius` of its marks in metres."""

    name: str
    interval: float
    pellets: int
    spread: float
    magazine: int
    reload_time: float
    damage: float
    radius: float
    color: LColor


RIFLE = Gun("rifle", 0.11, 1, 0.8, 30, 1.2, 16, 0.16, LColor(0.15, 0.75, 1.0, 1))
SHOTGUN = Gun("shotgun", 0.75, 9, 5.0, 6, 1.8, 13, 0.13, LColor(1.0, 0.55, 0.10, 1))

BLAST_RADIUS = 2.3
BLAST_DAMAGE = 150.0
BLAST_COOLDOWN = 4.0
FRAGMENTS = 24
FRAGMENT_REACH = 6.0  # metres
EMBER = LColor(1.0, 0.45, 0.9, 1)
BLAST_COLOR = LColor(0.80, 0.20, 1.0, 1)


class Weapons:
    """All weapons of the hero.

    Attributes:
        shots: how many bullets, pellets and blasts were fired.
        rounds: for each gun, what is left in its magazine.
        blast_ready_in: seconds.
    """

    def __init__(self, arena: Arena, hero: Hero, marks: Marks, effects: Effects, camera: Camera) -> None:
        self.arena = arena
        self.hero = hero
        self.marks = marks
        self.effects = effects
        self.camera = camera
        self._ray = Ray(arena.root)
        self._blast = BulletGhostNode("blast")
        self._blast.add_shape(BulletSphereShape(BLAST_RADIUS))
        self.reset()

    def reset(self) -> None:
        """Load everything."""
        self.shots = 0
        self.random = random.Random(7)
        self.rounds = {gun.name: gun.magazine for gun in (RIFLE, SHOTGUN)}
        self._wait = {gun.name: 0.0 for gun in (RIFLE, SHOTGUN)}
        self.reloading = {gun.name: False for gun in (RIFLE, SHOTGUN)}
        self.blast_ready_in = 0.0

    def update(self, dt: float, orders: Orders) -> None:
        """Fire what is ordered and ready."""
        self._update_gun(RIFLE, orders.rifle, dt, orders)
        self._update_gun(SHOTGUN, orders.shotgun, dt, orders)
        self.blast_ready_in = max(self.blast_ready_in - dt, 0)
        if orders.blast and not self.blast_ready_in and not self.hero.is_down:
            self.blast_ready_in = BLAST_COOLDOWN
            self._fire_blast(orders.aim)

    def _update_gun(self, gun: Gun, trigger: bool, dt: float, orders: Orders) -> None:
        # What is left of the wait counts for the next one: the rate of fire is the same at any frame rate.
        self._wait[gun.name] = max(self._wait[gun.name] - dt, -dt)
        asked = orders.reload and not self.reloading[gun.name] and self.rounds[gun.name] < gun.magazine
        if self.hero.is_down or (self._wait[gun.name] > 0 and not asked):
            return
        if self.reloading[gun.name]:
            self.reloading[gun.name] = False
            self.rounds[gun.name] = gun.magazine
        if asked or not self.rounds[gun.name]:
            self.reloading[gun.name] = True
            self._wait[gun.name] = gun.reload_time
        elif trigger:
            self.rounds[gun.name] -= 1
            self._wait[gun.name] += gun.interval
            self._fire(gun, orders.aim)

    def _fire(self, gun: Gun, aim: Point3) -> None:
        self.effects.flash(self.hero.muzzle, gun.color, 1 if gun.pellets == 1 else 1.8)
        for _ in range(gun.pellets):
            self.shots += 1
            entry = self._ray.first_hit(self.hero.chest, self._direction(aim, gun.spread))
            if entry is None:
                continue
            self.marks.strike(entry, gun.radius, gun.color)
            point = entry.get_surface_point(self.arena.root)
            self.effects.tracer(self.hero.muzzle, point, gun.color)
            self.effects.spark(point, gun.color)
            hurt(entry.get_into_node_path(), gun.damage)

    def _fire_blast(self, aim: Point3) -> None:
        """Strike what is aimed at and all that lies within reach, and throw fragments about."""
        self.shots += 1
        self.arena.update_world()
        start = self.hero.chest
        result = self.arena.world.ray_test_closest(start, start + self._direction(aim, 0) * REACH)
        if not result.has_hit():
            return
        point = result.get_hit_pos()
        reached = self._within_blast(point)
        self.marks.burst(reached, point, BLAST_RADIUS, BLAST_COLOR)
        for path in reached:
            hurt(path, BLAST_DAMAGE)
        for _ in range(FRAGMENTS):
            self._throw_fragment(point)
        self.effects.tracer(self.hero.muzzle, point, BLAST_COLOR)
        self.effects.burst(point, BLAST_COLOR, BLAST_RADIUS * 1.2)
        self.camera.shake(0.25)

    def _throw_fragment(self, point: Point3) -> None:
        away = LVector3(*(self.random.gauss(0, 1) for _ in range(3))).normalized()
        start = Point3(point + (0, 0, 0.7))
        end = start + LVector3(away.x, away.y, -abs(away.z) / 2) * FRAGMENT_REACH
        self.marks.strike(
            self.arena.world.ray_test_closest(start, end), self.random.uniform(0.1, 0.26), EMBER
        )

    def _within_blast(self, point: Point3) -> list[NodePath]:
        """All bodies that a blast at this point reaches, in an order that is always the same."""
        NodePath(self._blast).set_pos(point)
        contacts = self.arena.world.contact_test(self._blast).get_contacts()
        # Which of the two is the blast depends on the shapes.
        nodes = {node for contact in contacts for node in (contact.get_node0(), contact.get_node1())}
        paths = [NodePath.any_path(node) for node in nodes if node != self._blast]
        # Bullet reports what is near, too.
        reached = [path for path in paths if self.arena.distance(path, point) < BLAST_RADIUS]
        return sorted(reached, key=lambda path: (path.get_name(), path.get_pos()))

    def _direction(self, aim: Point3, spread: float) -> LVector3:
        """From the chest to the aim, or ahead if that is too near; at random about `spread` degrees off."""
        direction = aim - self.hero.chest
        if direction.length() < 0.8:
            direction = self.hero.path.get_quat().get_forward()
        direction.normalize()
        off = LVector3(*(self.random.gauss(0, 1) for _ in range(3))) * tan(radians(spread)) / 2
        return (direction + off).normalized()


def hurt(path: NodePath, damage: float) -> None:
    """Hurt the enemy that a node belongs to, if it belongs to one."""
    enemy: Any = path.get_net_python_tag("enemy")
    if enemy is not None:
        enemy.hurt(damage)
