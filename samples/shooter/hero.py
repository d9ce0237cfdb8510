"""The hero: runs, looks where it aims, can be hurt."""

from typing import Any

from panda3d.core import BitMask32, LVector2, LVector3, NodePath, Point3

from samples.common.figure import Figure, approach
from samples.shooter.arena import Arena
from samples.shooter.orders import Orders

START = Point3(0, -3, 0)
SPEED = 5.2  # metres a second
PACE = 5.0  # of the animation
ACCELERATION = 9.0  # how soon it has that speed, a second
TURNING = 14.0  # how soon it looks where it should, a second
RADIUS = 0.45
HEALTH = 100
HEALING = 2.5  # a second
CHEST = 1.15  # metres above the ground; shots start here


class Hero:
    """The hero.

    Attributes:
        path: its place in the arena.
        health: 0 to 100; at 0 it lies on the ground.
    """

    def __init__(self, arena: Arena) -> None:
        self._root = arena.root
        self.path: NodePath = arena.root.attach_new_node("hero")
        self.figure = Figure(self.path, "hero", ("idle", "run"), ("fall",))
        actor = self.figure.actor
        # Its own shots pass it.
        actor.set_collide_mask(BitMask32.all_off())
        self._muzzle: Any = actor.expose_joint(actor.attach_new_node("muzzle"), "modelRoot", "muzzle")
        arena.add_walker(self.path, RADIUS, BitMask32.all_off())
        self.reset()

    def reset(self) -> None:
        """Stand where it all begins, in good health."""
        self.path.set_pos_hpr(START, (0, 0, 0))
        self.velocity = LVector2(0)
        self.health = float(HEALTH)
        self.figure.animate("idle")

    @property
    def position(self) -> Point3:
        """Where it stands."""
        return self.path.get_pos()

    @property
    def chest(self) -> Point3:
        """Where shots start."""
        return Point3(self.position + (0, 0, CHEST))

    @property
    def muzzle(self) -> Point3:
        """Where shots are seen to start."""
        return Point3(self._muzzle.get_pos(self._root))

    @property
    def is_down(self) -> bool:
        """Whether it was beaten."""
        return self.health <= 0

    def stop_at(self, point: Point3) -> None:
        """Stand here, at once."""
        self.path.set_pos(point)
        self.velocity = LVector2(0)

    def hurt(self, damage: float) -> None:
        """Take damage; more than there is health makes it fall."""
        if self.is_down:
            return
        self.health -= damage
        if self.is_down:
            self.figure.animate("fall")

    def update(self, dt: float, orders: Orders) -> None:
        """Follow the orders for this long."""
        if self.is_down:
            return
        self.health = min(self.health + HEALING * dt, HEALTH)
        wanted = LVector2(orders.move)
        if wanted.length() > 1:
            wanted.normalize()
        self.velocity += (wanted * SPEED - self.velocity) * approach(ACCELERATION, dt)
        self.path.set_pos(self.position + LVector3(self.velocity, 0) * dt)
        if (orders.aim - self.position).xy.length() > RADIUS:
            self.figure.turn_to(orders.aim, dt, TURNING)
        self._run()

    def _run(self) -> None:
        speed = self.velocity.length()
        if speed < 0.6:
            self.figure.animate("idle")
            return
        self.figure.animate("run")
        # Backwards, the same steps go backwards.
        ahead = self.path.get_quat().get_forward().xy.dot(self.velocity)
        self.figure.actor.set_play_rate(speed / PACE * (-1 if ahead < -0.3 * speed else 1), "run")
