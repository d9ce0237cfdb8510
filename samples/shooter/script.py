"""A match that always goes the same way: what the pictures show, and what the tests measure.

Shots are fired at fixed times at fixed points of the arena, so that it is known where marks are, and when.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from panda3d.core import LVector2, Point3

from samples.common.run import FRAME_RATE
from samples.shooter.game import Game
from samples.shooter.hero import CHEST, START
from samples.shooter.orders import Orders

SECONDS = 10.0
SIZE = (800, 450)  # of the pictures
AHEAD = Point3(0, 5, CHEST)  # where the hero looks at the beginning and at the end
FADE_DURATION = 6.0  # shorter than in play, so that ten seconds show a whole life
FADE_ALL = (7.7, 0.5)  # when, and how long it takes
SPAWNS = ((0.2, 0), (1.0, 2), (1.6, 0))  # when, and which hatch


@dataclass(frozen=True)
class Act:
    """A trigger that is held for a while.

    Attributes:
        start, end: seconds.
        weapon: the name of an order.
        aim: from one point to another meanwhile; or the number of an enemy.
    """

    start: float
    end: float
    weapon: str
    aim: tuple[Point3, Point3] | int


ACTS = (
    # A line of burns across the container.
    Act(0.5, 1.4, "rifle", (Point3(-5.6, 0.2, 0.8), Point3(-3.6, 0.9, 0.8))),
    Act(1.8, 1.9, "shotgun", (Point3(2.2, 1.0, 0.7), Point3(2.2, 1.0, 0.7))),
    # A line across the floor.
    Act(2.3, 2.9, "rifle", (Point3(-0.8, -1.2, 0), Point3(1.2, -0.8, 0))),
    Act(3.2, 3.7, "rifle", 0),
    Act(4.0, 4.1, "blast", (Point3(0.3, 1.6, 0), Point3(0.3, 1.6, 0))),
    Act(4.7, 5.2, "rifle", 1),
    Act(5.4, 5.5, "shotgun", 1),
    Act(6.1, 6.2, "shotgun", 2),
    Act(6.9, 7.0, "shotgun", 2),
)
# From when on the hero runs where.
WAYPOINTS = (
    (0.0, START),
    (1.5, Point3(1.6, -2.2, 0)),
    (2.9, Point3(-1.4, -2.8, 0)),
    (5.0, Point3(1.0, -3.8, 0)),
    (6.6, START),
)
# Nearer than this to a waypoint the hero is put on it.
NEAR = 0.03


def script(game: Game) -> Iterator[None]:
    """Play the match, a step for each picture."""
    game.reset()
    game.look_from(AHEAD)
    game.marks.change(fade_duration=FADE_DURATION)
    for number in range(round(SECONDS * FRAME_RATE)):
        now = number / FRAME_RATE
        for moment, hatch in SPAWNS:
            if _tick(moment) == number:
                game.enemies.spawn(hatch)
        if _tick(FADE_ALL[0]) == number:
            game.marks.fade_all(FADE_ALL[1])
        game.orders = _orders(game, now)
        yield


def _tick(seconds: float) -> int:
    return round(seconds * FRAME_RATE)


def _orders(game: Game, now: float) -> Orders:
    orders = Orders(aim=Point3(AHEAD))
    target = [point for start, point in WAYPOINTS if start <= now][-1]
    way = (target - game.hero.position).xy
    if way.length() < NEAR:
        game.hero.stop_at(target)
    else:
        orders.move = LVector2(way * 2)
    for act in ACTS:
        # The hero turns to what it will shoot at.
        if act.start - 0.3 <= now < act.end:
            orders.aim = _aim(game, act, now)
        if act.start <= now < act.end:
            setattr(orders, act.weapon, True)
    return orders


def _aim(game: Game, act: Act, now: float) -> Point3:
    if isinstance(act.aim, int):
        return Point3(game.enemies.all[act.aim].path.get_pos() + (0, 0, CHEST))
    start, end = act.aim
    share = min(max((now - act.start) / (act.end - act.start), 0), 1)
    return Point3(start + (end - start) * share)
