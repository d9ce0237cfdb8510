"""Measures enemies, waves and what stops bodies, and prints it as JSON; `test_parts.py` judges it."""

import json
from typing import Any

import numpy as np
from panda3d.core import LVector2, Point3

from samples.shooter.arena import HATCHES
from samples.shooter.enemies import EMERGE_TIME, Enemy
from samples.shooter.hero import CHEST, START
from samples.shooter.orders import Orders
from samples.shooter.weapons import hurt
from shooter_support import Plan, frames, make_unseen_game, set_frame_rate

RATE = 25
SLOWEST = 10  # frames a second; slower ones slow the game down
LONGEST_CHASE = 60  # seconds
# Where the hero waits for them: in the open, and behind things.
WAITING = (START, Point3(-9, 12.5, 0), Point3(13, -8, 0), Point3(4, 5, 0))
TURNS = 60
WAVES = 6  # the last have more than there are bodies

game = make_unseen_game()
plan = Plan(game)
stamps = game.marks.stamps


def come(hatch: int, waiting: Point3 = START) -> Enemy:
    """A new game, in which the hero waits and one enemy comes."""
    game.reset()
    game.hero.stop_at(waiting)
    enemy = game.enemies.spawn(hatch)
    assert enemy is not None
    return enemy


def emerge() -> dict[str, Any]:
    """How high an enemy is in each frame, while it comes out, and how far it walks in each after that."""
    enemy = come(1)
    heights: list[float] = []
    steps: list[float] = []
    place = enemy.path.get_pos()
    for _ in frames(game, 50):
        if enemy.state == "emerging" or not heights:
            heights.append(enemy.path.get_z())
        else:
            steps.append((enemy.path.get_pos() - place).length())
        place = enemy.path.get_pos()
    return {"heights": heights, "steps": steps}


def walk_at_other_rates() -> list[float]:
    """How far an enemy with a free way walks in each second's share, while the frame rate changes."""
    enemy = come(3)
    while enemy.state != "walking":
        game.base.task_mgr.step()
    paces = []
    for rate in (240, 60, 240, 25, 10, 60):
        set_frame_rate(rate)
        # The clock's new step counts from the next frame on.
        game.base.task_mgr.step()
        start = enemy.path.get_pos()
        for _ in frames(game, rate // 5):
            pass
        paces.append((enemy.path.get_pos() - start).length() / (rate // 5) * rate)
    set_frame_rate(RATE)
    return paces


def die_below_the_ground() -> list[float]:
    """The height of an enemy before and after it dies while it comes out."""
    enemy = come(1)
    for _ in frames(game, 5):
        pass
    before = enemy.path.get_z()
    enemy.hurt(1000)
    for _ in frames(game, 2):
        pass
    return [before, enemy.path.get_z()]


def chase(hatch: int, waiting: Point3) -> dict[str, Any]:
    """How long an enemy takes to reach a hero that stands still, and how it keeps clear of pieces."""
    enemy = come(hatch, waiting)
    clearances = []
    seconds = None
    for number in frames(game, LONGEST_CHASE * RATE):
        game.hero.stop_at(waiting)
        if enemy.state == "walking":
            clearances.append(plan.clearances(enemy.path.get_pos()))
        elif enemy.state == "attacking":
            seconds = (number + 1) / RATE
            break
    return {"seconds": seconds, "distance": (HATCHES[hatch] - waiting).length(), "clearances": clearances}


def strike() -> dict[str, Any]:
    """The hero's health in each frame of three attacks, and when each began."""
    enemy = come(3)
    begun: list[int] = []
    health: list[float] = []
    for _ in frames(game, LONGEST_CHASE * RATE):
        if enemy.state == "attacking" and enemy.age == 0:
            begun.append(len(health))
        if begun:
            health.append(game.hero.health)
        if len(begun) == 4:
            break
    return {"begun": begun, "health": health}


def kill() -> dict[str, Any]:
    """An enemy is shot until it dies, lies there, goes, and comes again."""
    enemy = come(3)
    for _ in frames(game, round(RATE * EMERGE_TIME) + 5):
        pass
    states: list[str] = []
    alphas: list[float | None] = []
    lives: list[float] = []
    shots = 0
    for _ in frames(game, 10 * RATE):
        states.append(enemy.state)
        binding = stamps.binding(enemy.path)
        alphas.append(binding.alpha if binding is not None else None)
        shooting = enemy.state != "dying"
        aim = Point3(enemy.path.get_pos() + (0, 0, CHEST))
        game.orders = Orders(aim=aim, rifle=shooting)
        if enemy.health != (lives[-1] if lives else 100):
            lives.append(enemy.health)
        if enemy.state == "away":
            break
        shots = game.weapons.shots
    again = game.enemies.spawn(3)
    assert again is not None
    for _ in frames(game, 3):
        pass
    hurt(again.figure.actor, 1)
    return {
        "states": states,
        "alphas": alphas,
        "lives": lives,
        "shots": shots,
        "killed": game.enemies.killed,
        "alive": len(game.enemies.alive),
        "is_same": again is enemy,
        "marks_again": stamps.binding(again.path) is not None or stamps.image(again.path) is not None,
        "health_again": again.health,
    }


def leave_with_marks() -> list[bool]:
    """Whether an enemy has marks: when it is hit; when a new game begins; and when it comes in that."""
    enemy = come(3)
    for _ in frames(game, round(RATE * EMERGE_TIME) + 5):
        pass
    game.orders = Orders(aim=Point3(enemy.path.get_pos() + (0, 0, CHEST)), rifle=True)
    for _ in frames(game, 2):
        pass
    marked = [stamps.binding(enemy.path) is not None]
    game.reset()
    marked.append(stamps.binding(enemy.path) is not None)
    game.enemies.spawn(3)
    for _ in frames(game, 2):
        pass
    marked.append(stamps.binding(enemy.path) is not None)
    return marked


def waves() -> list[tuple[int, int]]:
    """The number of the wave that each one belongs to, and which it is, when each is killed once it walks."""
    game.restart()
    set_frame_rate(SLOWEST)
    came: list[tuple[int, int]] = []
    there: set[int] = set()
    for _ in frames(game, 200 * SLOWEST):
        if game.enemies.wave > WAVES:
            break
        alive = {number for number, enemy in enumerate(game.enemies.all) if enemy in game.enemies.alive}
        came += [(game.enemies.wave, number) for number in sorted(alive - there)]
        there = alive
        for enemy in game.enemies.alive:
            if enemy.state == "walking":
                enemy.hurt(1000)
    set_frame_rate(RATE)
    return came


def standing() -> dict[str, Any]:
    """What a new game begins with."""
    return {
        "health": game.hero.health,
        "position": tuple(game.hero.position),
        "heading": game.hero.path.get_h(),
        "velocity": tuple(game.hero.velocity),
        "rounds": dict(game.weapons.rounds),
        "reloading": dict(game.weapons.reloading),
        "blast": game.weapons.blast_ready_in,
        "shots": game.weapons.shots,
        "wave": game.enemies.wave,
        "killed": game.enemies.killed,
        "alive": len(game.enemies.alive),
        "states": [enemy.state for enemy in game.enemies.all],
        "marked": stamps.active_count,
        "living": game.marks.living,
        "focus": tuple(game.camera.focus),
        "animation": game.hero.figure.actor.get_current_anim(),
        "nodes": game.arena.root.find_all_matches("**").get_num_paths(),
        "bodies": game.arena.world.get_num_rigid_bodies(),
    }


def fall() -> dict[str, Any]:
    """The hero fights, is beaten, lies there, and begins anew."""
    fight = Orders(move=LVector2(1, 0.3), aim=Point3(3, 3, 0.5), rifle=True, shotgun=True, blast=True)
    game.restart()
    fresh = standing()
    for _ in frames(game, 5):
        pass
    game.orders = fight
    for _ in frames(game, RATE):
        pass
    fought = standing()
    game.orders = Orders()
    set_frame_rate(SLOWEST)
    for _ in frames(game, 120 * SLOWEST):
        if game.hero.is_down:
            break
    down = standing()
    game.orders = fight
    # Those that were striking end that.
    for _ in frames(game, 2 * SLOWEST):
        pass
    enemies = [tuple(enemy.path.get_pos()) for enemy in game.enemies.all]
    for _ in frames(game, 5 * SLOWEST):
        pass
    later = standing()
    enemies_later = [tuple(enemy.path.get_pos()) for enemy in game.enemies.all]
    set_frame_rate(RATE)
    game.restart()
    again = standing()
    for _ in frames(game, 5):
        pass
    marked = stamps.active_count
    game.orders = fight
    for _ in frames(game, RATE):
        pass
    return {
        "fresh": fresh,
        "fought": fought,
        "down": down,
        "later": later,
        "enemies": [enemies, enemies_later],
        "again": again,
        "marked": marked,
        "fought_again": standing(),
    }


def run_about(rate: int, turns: int) -> dict[str, Any]:
    """The hero runs this way and that; how it keeps clear of what stands there, and where it gets to."""
    game.reset()
    set_frame_rate(rate)
    random = np.random.default_rng(rate)
    clearances, heights, farthest = [], [], 0.0
    for _ in range(turns):
        way = random.uniform(0, 2 * np.pi)
        game.orders = Orders(move=LVector2(np.cos(way), np.sin(way)))
        for _ in frames(game, round(random.uniform(0.3, 4.0) * rate)):
            place = game.hero.position
            clearances.append(plan.clearances(place))
            heights.append(place.z)
            farthest = max(farthest, abs(place.x), abs(place.y))
    set_frame_rate(RATE)
    return {"clearances": clearances, "height": max(map(abs, heights)), "farthest": farthest}


set_frame_rate(RATE)
print(
    json.dumps(
        {
            "emerge": emerge(),
            "chases": [chase(hatch, place) for place in WAITING for hatch in range(len(HATCHES))],
            "paces": walk_at_other_rates(),
            "graves": die_below_the_ground(),
            "strike": strike(),
            "kill": kill(),
            "leave": leave_with_marks(),
            "waves": waves(),
            "fall": fall(),
            "runs": {rate: run_about(rate, TURNS) for rate in (SLOWEST, RATE)},
        }
    )
)
