"""Who walks about: the hero, and guards on their rounds."""

from panda3d.core import LVector2, LVector3, NodePath, Point2, Point3

from panda_rtstamp import load_shader
from samples.common.figure import Figure, approach
from samples.vision.town import is_free, place

HERO_SPEED = 4.2  # metres a second
HERO_RADIUS = 0.36
HERO_SCALE = 0.8
GUARD_SPEED = 1.5
GUARD_SCALE = 0.7
SOON = 10.0  # how soon the hero has its speed, a second
TURNING = 9.0  # how soon people look where they go, a second
THERE = 0.05  # metres
START = place(14, 8)
# Columns and rows of the plan.
ROUNDS = (
    ((3, 3.5), (11, 3.5), (11, 8), (27, 8), (11, 8), (11, 3.5)),
    ((22.5, 3), (22.5, 11), (13, 11), (13, 9), (20, 8), (22.5, 7)),
    ((27, 15.5), (19, 15.5), (19, 20), (2, 20), (19, 20), (19, 15.5)),
    ((2, 8), (8.5, 11), (8.5, 15), (8.5, 11), (2, 11)),
)  # fmt: skip


class Person:
    """A figure that looks where it goes.

    Attributes:
        path: its place in the world.
    """

    def __init__(self, parent: NodePath, name: str, loops: tuple[str, ...], scale: float) -> None:
        self.path = parent.attach_new_node(name)
        self.path.set_shader(load_shader("lit.vert", "lit.frag"))
        self.figure = Figure(self.path, name, loops, ())
        self.figure.actor.set_scale(scale)
        self.figure.animate(loops[0])

    @property
    def position(self) -> Point3:
        """Where it stands."""
        return self.path.get_pos()

    def look_along(self, way: LVector3, dt: float) -> None:
        """Turn that way, for so long."""
        self.figure.turn_to(self.position + way, dt, TURNING)


class Hero(Person):
    """The hero. Set `move`, the way to run; its length, up to 1, is the share of full speed."""

    def __init__(self, parent: NodePath) -> None:
        super().__init__(parent, "hero", ("idle", "run"), HERO_SCALE)
        self.path.set_pos(START.x, START.y, 0)
        self.move = LVector2(0)
        self._velocity = LVector2(0)

    def update(self, dt: float) -> None:
        """Run for so long, along what is in the way."""
        wanted = self.move.normalized() if self.move.length() > 1 else self.move
        self._velocity += (wanted * HERO_SPEED - self._velocity) * approach(SOON, dt)
        if self._velocity.length() < THERE and not wanted.length():
            self._velocity = LVector2(0)
        for step in (LVector3(self._velocity.x, 0, 0), LVector3(0, self._velocity.y, 0)):
            there = self.position + step * dt
            if is_free(there, HERO_RADIUS):
                self.path.set_pos(there)
        running = self._velocity.length() > 0.5
        self.figure.animate("run" if running else "idle")
        if running:
            self.look_along(LVector3(self._velocity, 0), dt)


class Guard(Person):
    """A guard, who goes from corner to corner of its round for ever."""

    def __init__(self, parent: NodePath, corners: tuple[tuple[float, float], ...]) -> None:
        super().__init__(parent, "brute", ("walk",), GUARD_SCALE)
        self._corners = [place(*corner) for corner in corners]
        self._next = 1
        start, first = self._corners[0], self._corners[1]
        self.path.set_pos(start.x, start.y, 0)
        self.path.set_h(LVector2(0, 1).signed_angle_deg(first - start))

    def update(self, dt: float) -> None:
        """Walk for so long."""
        to_corner = self._corners[self._next] - Point2(self.position.xy)
        if to_corner.length() < GUARD_SPEED * dt + THERE:
            self._next = (self._next + 1) % len(self._corners)
            return
        way = LVector3(to_corner.normalized(), 0)
        self.path.set_pos(self.position + way * GUARD_SPEED * dt)
        self.look_along(way, dt)


def make_guards(parent: NodePath) -> list[Guard]:
    """All of them."""
    return [Guard(parent, corners) for corners in ROUNDS]
