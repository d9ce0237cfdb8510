"""The enemies: they climb out of the hatches, walk to the hero and beat it. All are made beforehand."""

import random
from typing import Any

from panda3d.bullet import BulletCapsuleShape, ZUp
from panda3d.core import LVector3, Point3

from samples.common.figure import Figure
from samples.shooter.arena import BODIES, HATCHES, Arena
from samples.shooter.hero import Hero
from samples.shooter.marks import Marks

NUMBER = 10
SPEED = 1.9  # metres a second
PACE = 1.7  # of the animation
TURNING = 6.0  # how soon it looks where it should, a second
RADIUS = 0.6
HEALTH = 100.0
REACH = 1.5  # of its fists, in metres
DAMAGE = 14.0
STRIKE_TIME = 0.45  # from the beginning of the attack, in seconds
ATTACK_TIME = 0.9
EMERGE_TIME = 0.9
LIE_TIME = 3.0
DEPTH = 2.2  # how far below the ground it comes from
SECONDS_BETWEEN_SPAWNS = 0.9
SECONDS_BETWEEN_WAVES = 3.0


class Enemy:
    """One of them.

    Attributes:
        state: away, emerging, walking, attacking or dying.
        age: seconds in that state.
        health: 100 when it comes; at 0 it dies.
        deaths: how often it was killed.
    """

    def __init__(self, arena: Arena, marks: Marks, number: int) -> None:
        self.deaths = 0
        self.state = "away"
        self.age = 0.0
        self.health = 0.0
        self._step = 0.0
        self._detour = 0.0
        self._side = 1
        self._last = Point3(0)
        self._marks = marks
        self._random = random.Random(number)
        self.path = arena.add_body("enemy", BulletCapsuleShape(RADIUS, 0.7, ZUp), Point3(0, 0, 0.95))
        node: Any = self.path.node()
        node.set_kinematic(True)
        self.path.set_python_tag("enemy", self)
        self.figure = Figure(self.path, "brute", ("idle", "walk"), ("attack", "die"))
        self.figure.actor.set_play_rate(SPEED / PACE, "walk")
        self._walker = arena.add_walker(self.path, RADIUS, BODIES)
        self._world = arena.world
        self._root = arena.root
        self._leave()

    def spawn(self, place: Point3) -> None:
        """Come out of the ground here."""
        self._enter("emerging")
        self.health = HEALTH
        self.path.reparent_to(self._root)
        self._walker.reparent_to(self.path)
        self._world.attach(self.path.node())
        self.path.set_pos(place - (0, 0, DEPTH))
        self.figure.animate("walk")

    def hurt(self, damage: float) -> None:
        """Take damage; more than there is health kills."""
        self.health -= damage
        if self.health <= 0 and self.state not in ("dying", "away"):
            self.deaths += 1
            self._enter("dying")
            self.path.set_z(0)
            self._walker.detach_node()
            self.figure.animate("die")
            self._marks.fade(self.path, LIE_TIME)

    def update(self, dt: float, hero: Hero) -> None:
        """Go on for this long."""
        if self.state == "away":
            return
        self.age += dt
        match self.state:
            case "emerging":
                self._emerge(dt, hero)
            case "walking":
                self._walk(dt, hero)
            case "attacking":
                self._attack(dt, hero)
            case "dying" if self.age >= LIE_TIME:
                self._leave()

    def leave(self) -> None:
        """Be gone at once."""
        if self.state != "away":
            self._leave()

    def _emerge(self, dt: float, hero: Hero) -> None:
        height = min(self.age / EMERGE_TIME, 1) - 1
        self.path.set_z(DEPTH * height)
        self.figure.turn_to(hero.position, dt, TURNING)
        if height == 0:
            self._enter("walking")

    def _walk(self, dt: float, hero: Hero) -> None:
        if hero.is_down:
            self.figure.animate("idle")
            return
        to_hero = (hero.position - self.path.get_pos()).xy
        if to_hero.length() < REACH:
            self._enter("attacking")
            self.figure.animate("attack")
            return
        self._get_round_obstacles(dt)
        to_hero.normalize()
        direction = LVector3(to_hero.x, to_hero.y, 0)
        if self._detour:
            # Sideways, along what is in the way.
            direction = LVector3(-to_hero.y, to_hero.x, 0) * self._side + direction * 0.2
        self._step = SPEED * dt
        self.path.set_pos(self.path.get_pos() + direction * self._step)
        self.figure.turn_to(self.path.get_pos() + direction, dt, TURNING)

    def _attack(self, dt: float, hero: Hero) -> None:
        self.figure.turn_to(hero.position, dt, TURNING)
        near = (hero.position - self.path.get_pos()).length() < REACH * 1.2
        if self.age - dt < STRIKE_TIME <= self.age and near:
            hero.hurt(DAMAGE)
        if self.age >= ATTACK_TIME and near:
            self._enter("attacking")
            self.figure.animate("attack")
        elif self.age >= ATTACK_TIME:
            self._enter("walking")
            self.figure.animate("walk")

    def _get_round_obstacles(self, dt: float) -> None:
        """Notice when there is no way ahead, and try to the side for a while."""
        self._detour = max(self._detour - dt, 0)
        moved = (self.path.get_pos() - self._last).length()
        self._last = self.path.get_pos()
        if not self._detour and self._step and moved < 0.3 * self._step:
            self._detour = self._random.uniform(0.8, 1.6)
            self._side = self._random.choice((-1, 1))

    def _enter(self, state: str) -> None:
        self.state = state
        self.age = 0.0
        self._last = Point3(self.path.get_pos())
        self._step = 0.0
        self._detour = 0.0

    def _leave(self) -> None:
        self._enter("away")
        self.health = 0.0
        # The next to come with this body has no marks.
        self._marks.fade(self.path, 0.01)
        self._world.remove(self.path.node())
        self.path.detach_node()


class Enemies:
    """All enemies, and the waves that they come in.

    Attributes:
        wave: the number of the last one; 0 before the first.
    """

    def __init__(self, arena: Arena, hero: Hero, marks: Marks) -> None:
        self._hero = hero
        self._random = random.Random(3)
        self.all = [Enemy(arena, marks, number) for number in range(NUMBER)]
        self.reset()

    def reset(self) -> None:
        """None is left, and none comes until `start_waves`."""
        for enemy in self.all:
            enemy.leave()
            enemy.deaths = 0
        self.wave = 0
        self._to_come = 0
        self._wait: float | None = None

    @property
    def alive(self) -> list[Enemy]:
        """Those that can be shot."""
        return [enemy for enemy in self.all if enemy.state not in ("away", "dying")]

    def start_waves(self) -> None:
        """Let them come, in ever larger waves."""
        self._wait = 1.0

    def spawn(self, hatch: int) -> Enemy | None:
        """Let one come out of a hatch; None if all are there."""
        for enemy in self.all:
            if enemy.state == "away":
                enemy.spawn(HATCHES[hatch])
                return enemy
        return None

    @property
    def is_coming(self) -> bool:
        """Whether a wave is about to come."""
        return self._to_come > 0 and not self.alive

    @property
    def killed(self) -> int:
        """How many were killed since the game began."""
        return sum(enemy.deaths for enemy in self.all)

    def update(self, dt: float) -> None:
        """Go on for this long."""
        for enemy in self.all:
            enemy.update(dt, self._hero)
        if self._wait is not None and not self._hero.is_down:
            self._wait -= dt
            if self._wait <= 0:
                self._send_next()

    def _send_next(self) -> None:
        if self._to_come:
            if self.spawn(self._random.randrange(len(HATCHES))) is not None:
                self._to_come -= 1
            self._wait = SECONDS_BETWEEN_SPAWNS
        elif not self.alive:
            self.wave += 1
            self._to_come = 2 + 2 * self.wave
            self._wait = SECONDS_BETWEEN_WAVES
