"""Measures the hero's weapons, and prints it as JSON; `test_parts.py` judges it."""

import json
from typing import Any, NamedTuple

import numpy as np
from panda3d.core import LVector3, NodePath, Point3

from samples.common.ray import Ray
from samples.shooter.arena import HALF_SIZE, HATCHES, PIECES, Piece, bounds
from samples.shooter.enemies import RADIUS
from samples.shooter.hero import START
from samples.shooter.marks import QUALITIES
from samples.shooter.orders import Orders
from samples.shooter.weapons import BLAST_COOLDOWN, RIFLE
from shooter_support import frames, hull_distance, instead, make_unseen_game, set_frame_rate, vertices

SKY = Point3(0, 0, 100)  # to hit nothing
RATES = (25, 60, 240)
SECONDS = 6.5  # for both magazines, reloading, and some more
CONTAINER = Point3(-4.6, 1.2, 0.7)
BESIDE_CONTAINER = Point3(-4.0, -0.6, 0)
FOOT_OF_CONTAINER = Point3(-4.4, 0.55, 0.0)
SHOTS = 300
HEIGHT = 1.9  # of an enemy's capsule
# Where blasts are thrown from, and at what; an enemy stands at each of the places below.
BLASTS = (
    (START, Point3(0.3, 1.4, 0)),
    (START, Point3(2.2, 1.0, 0.6)),
    (START, Point3(-3.9, 0.6, 0)),
    (Point3(-8, 3, 0), Point3(-9, 5.0, 1.0)),
    (Point3(6, -3, 0), Point3(7, -4.9, 0)),
    (Point3(-12, -13, 0), Point3(-14.5, -14.5, 0)),
    (Point3(12, 8, 0), Point3(9.8, 8, 1.0)),
    (Point3(4, -1, 0), Point3(4.9, -2.2, 0.5)),
    (Point3(2, 5, 0), Point3(2.9, 3.9, 0)),
    (Point3(-5, -5, 0), Point3(-6.6, -4.6, 0)),
)
PLACES = (Point3(1.6, -0.6, 0), Point3(-2.2, -0.2, 0), Point3(8.9, -2.6, 0), Point3(-9.3, -3.5, 0))


class Body(NamedTuple):
    """What a blast did to a body: distances in metres."""

    name: str
    least: float
    most: float
    struck: bool
    strength: float
    state: str


game = make_unseen_game()
weapons = game.weapons
stamps = game.marks.stamps


def where(path: NodePath) -> str:
    """A name for a body, of which there is no other."""
    return f"{path.get_name()} {path.get_x():.2f} {path.get_y():.2f}"


def hold_both_triggers(rate: int) -> dict[str, Any]:
    """When each round is fired, in seconds at the end of its frame; and what is left in the end."""
    game.reset()
    set_frame_rate(rate)
    game.orders = Orders(aim=SKY, rifle=True, shotgun=True)
    times: dict[str, list[float]] = {name: [] for name in weapons.rounds}
    before = dict(weapons.rounds)
    for number in frames(game, round(SECONDS * rate)):
        for name, rounds in weapons.rounds.items():
            # A magazine that was put in has fired once in the same frame.
            if rounds != before[name]:
                times[name].append((number + 1) / rate)
        before = dict(weapons.rounds)
    return {"times": times, "rounds": before, "shots": weapons.shots, "hits": game.marks.hits}


def reload_by_hand() -> dict[str, Any]:
    """Rounds of the rifle in each frame: five shots, then an order to reload, with the trigger held on."""
    game.reset()
    set_frame_rate(25)
    game.orders = Orders(aim=SKY, reload=True)
    for _ in frames(game, 5):
        pass
    with_full_magazines = dict(weapons.reloading)
    game.orders = Orders(aim=SKY, rifle=True)
    for _ in frames(game, 100):
        if weapons.rounds["rifle"] == 25:
            break
    game.orders = Orders(aim=SKY, rifle=True, reload=True)
    rounds, reloading = [], []
    for _ in frames(game, 40):
        rounds.append(weapons.rounds["rifle"])
        reloading.append(weapons.reloading["rifle"])
        if weapons.reloading["rifle"]:
            game.orders.reload = False
    return {"full": with_full_magazines, "rounds": rounds, "reloading": reloading}


def tap_reload() -> list[bool]:
    """Whether the shotgun is being loaded, in the frames after it fired; R is pressed between two shots."""
    game.reset()
    set_frame_rate(25)
    reloading = []
    for number in frames(game, 12):
        game.orders = Orders(aim=SKY, shotgun=number == 0, reload=number in (4, 5))
        reloading.append(weapons.reloading["shotgun"])
    return reloading


def what_is_marked() -> dict[str, bool]:
    """For each model of the arena, whether a bullet that falls on it from above leaves a mark."""
    game.reset()
    models = {}
    for place in (*PIECES, Piece("wall", 4, HALF_SIZE), Piece("hatch", *HATCHES[1].xy), Piece("floor", 0, 0)):
        before = game.marks.hits
        entry = Ray(game.arena.root).first_hit(Point3(place.x, place.y, 50), LVector3(0, 0, -1))
        game.marks.strike(entry, 0.2, RIFLE.color)
        binding = stamps.binding(entry.get_into_node_path()) if entry is not None else None
        name = binding.node.get_name() if binding is not None and game.marks.hits == before + 1 else ""
        models[place.model] = name == place.model
    return models


def fire_while_down() -> int:
    """Shots of a hero that lies on the ground."""
    game.reset()
    game.hero.hurt(1000)
    game.orders = Orders(aim=SKY, rifle=True, shotgun=True, blast=True)
    for _ in frames(game, 25):
        pass
    return weapons.shots


def fire_in_one_frame(stand: Point3, aim: Point3, rifle: bool = False) -> dict[str, Any]:
    """The bodies that were hit, one for each bullet, and what that cost."""
    game.reset()
    set_frame_rate(25)
    game.hero.stop_at(stand)
    for _ in frames(game, 5):
        pass
    hit: list[str] = []
    captured = stamps.capture_count
    real = game.marks.strike

    def strike(result: Any, *options: Any) -> None:
        hit.append(where(result.get_into_node_path().find_net_tag("rtstamp")))
        real(result, *options)

    game.orders = Orders(aim=aim, shotgun=True, rifle=rifle)
    with instead(game.marks, "strike", strike):
        for _ in frames(game, 1):
            pass
    game.orders = Orders()
    for _ in frames(game, 3):
        pass
    return {"hit": hit, "captures": stamps.capture_count - captured, "marked": stamps.active_count}


def texels() -> dict[str, int]:
    """The resolution of a piece's marks, by the quality."""
    found = {}
    for _ in QUALITIES:
        quality = game.marks.next_quality()
        fire_in_one_frame(BESIDE_CONTAINER, CONTAINER)
        found[quality] = stamps.bindings[0].resolution
    return found


def spread() -> dict[str, list[tuple[float, float]]]:
    """How far off its aim each bullet goes, across and up: tangents."""
    game.reset()
    game.hero.stop_at(Point3(0, 0, 0))
    forward = LVector3(-1, -0.2, -0.04).normalized()
    right = forward.cross(LVector3.up()).normalized()
    up = right.cross(forward)
    off: dict[str, list[tuple[float, float]]] = {}
    for name in weapons.rounds:
        found: list[tuple[float, float]] = []

        def strike(result: Any, *_: Any, found: list[tuple[float, float]] = found) -> None:
            way = result.get_surface_point(game.arena.root) - game.hero.chest
            found.append((way.dot(right) / way.dot(forward), way.dot(up) / way.dot(forward)))

        orders = Orders(aim=game.hero.chest + forward * 12)
        setattr(orders, name, True)
        with instead(game.marks, "strike", strike):
            while len(found) < SHOTS:
                # Longer than any wait.
                weapons.update(2.0, orders)
        off[name] = found
    return off


def distance(body: NodePath, point: Point3) -> tuple[float, float]:
    """From a point to a body: no less than to its box, no more than to what Bullet knows of it."""
    low, high = bounds(body)
    local = body.get_relative_point(game.arena.root, point)
    to_box = (local - local.fmin(high).fmax(low)).length()
    if body.get_name() == "floor":
        return to_box, point.z
    if body.get_name() == "enemy":
        middle = Point3(0, 0, min(max(local.z, RADIUS), HEIGHT - RADIUS))
        return to_box, (local - middle).length() - RADIUS
    return to_box, hull_distance(vertices(body, game.arena.root), np.array(tuple(point)))


def blast(stand: Point3, aim: Point3) -> dict[str, Any]:
    """For each body: how far it is from the blast, whether it was struck, and how strong its marks are."""
    game.reset()
    set_frame_rate(25)
    enemies = [game.enemies.spawn(0) for _ in PLACES]
    for _ in frames(game, 30):
        pass
    for enemy, place in zip(enemies, PLACES, strict=True):
        assert enemy is not None
        assert enemy.state == "walking"
        enemy.path.set_pos(place)
    game.hero.stop_at(stand)
    points: list[Point3] = []
    struck: list[NodePath] = []
    real = game.marks.burst

    def burst(nodes: Any, point: Point3, *options: Any) -> None:
        struck.extend(nodes)
        points.append(Point3(point))
        real(nodes, point, *options)

    bodies = [NodePath.any_path(node) for node in game.arena.world.get_rigid_bodies()]
    # Without fragments, which fly farther.
    with instead(game.marks, "burst", burst), instead(game.marks, "strike", lambda *_: None):
        weapons.update(BLAST_COOLDOWN, Orders(aim=aim, blast=True))
    distances = [distance(body, points[0]) for body in bodies]
    states = {where(enemy.path): enemy.state for enemy in game.enemies.all if enemy in enemies}
    names = [where(body) for body in bodies]
    for _ in frames(game, 1):
        pass
    found = []
    for name, body, (least, most) in zip(names, bodies, distances, strict=True):
        # The floor's texture is large.
        image = stamps.image(body) if body.get_name() != "floor" else None
        strength = float(image[..., 3].max()) if image is not None else 0.0
        found.append(Body(name, least, most, body in struck, strength, states.get(name, ""))._asdict())
    return {"bodies": found, "struck": len(struck), "marked": stamps.active_count}


print(
    json.dumps(
        {
            "rate": {rate: hold_both_triggers(rate) for rate in RATES},
            "reload": reload_by_hand(),
            "tap_reload": tap_reload(),
            "marked": what_is_marked(),
            "down": fire_while_down(),
            "one_body": fire_in_one_frame(BESIDE_CONTAINER, CONTAINER),
            "two_bodies": fire_in_one_frame(BESIDE_CONTAINER, FOOT_OF_CONTAINER),
            "both_guns": fire_in_one_frame(BESIDE_CONTAINER, CONTAINER, rifle=True),
            "texels": texels(),
            "spread": spread(),
            "blasts": [blast(*places) for places in BLASTS],
        }
    )
)
