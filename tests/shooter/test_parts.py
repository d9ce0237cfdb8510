"""The parts of the shooter do what they say: weapons, enemies, waves, walls, and a new game.

The game runs in two processes (weapons_case.py, enemies_case.py), by its own task and a fixed clock, without
its picture. What they measure is read here.
"""

import json
from itertools import pairwise
from math import ceil, exp, floor, radians, tan
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from samples.shooter import enemies, hero
from samples.shooter.arena import HALF_SIZE, HATCHES
from samples.shooter.marks import QUALITIES
from samples.shooter.weapons import BLAST_RADIUS, RIFLE, SHOTGUN, Gun
from support import run_case

Measured = dict[str, Any]
HERE = Path(__file__).resolve().parent
FRAME = 1 / 25
SECONDS = 6.5  # that both triggers are held for, in weapons_case.py
WALL = 0.8  # metres thick
# Bullet's margin of 4 cm around hulls, and a centimetre of the distances in weapons_case.py.
BLAST_TOLERANCE = 0.05
# How far into a piece a body may be at the end of a frame: Panda pushes it out once in each.
PUSH_TOLERANCE = 0.02
ROUNDING = 1e-4  # of positions, in metres and in 32 bits
GUNS = [pytest.param(gun, id=gun.name) for gun in (RIFLE, SHOTGUN)]


@pytest.fixture(scope="module")
def weapons() -> Measured:
    """What weapons_case.py measures."""
    result: Measured = json.loads(run_case(HERE / "weapons_case.py"))
    return result


@pytest.fixture(scope="module")
def fights() -> Measured:
    """What enemies_case.py measures."""
    result: Measured = json.loads(run_case(HERE / "enemies_case.py"))
    return result


@pytest.mark.parametrize("rate", [25, 60, 240])
@pytest.mark.parametrize("gun", GUNS)
def test_rate_of_fire(weapons: Measured, gun: Gun, rate: int) -> None:
    """Each round leaves in the first frame after its moment, however long frames are."""
    times = weapons["rate"][str(rate)]["times"][gun.name]
    # A frame may pass before it notices that the magazine is empty, and one after it was filled.
    reloaded = gun.magazine * gun.interval + gun.reload_time
    late = 2 / rate
    count = gun.magazine + floor((SECONDS - reloaded - late) / gun.interval) + 1
    assert count <= len(times) <= count + ceil(late / gun.interval)
    for number, time in enumerate(times[: gun.magazine]):
        assert number * gun.interval - 1e-6 <= time < max(number * gun.interval, 1e-6) + 1 / rate + 1e-6
    first = times[gun.magazine]
    assert reloaded - 1e-6 <= first < reloaded + late + 1 / rate
    for number, time in enumerate(times[gun.magazine :]):
        assert abs(time - first - number * gun.interval) < 1 / rate + 1e-6


@pytest.mark.parametrize("rate", [25, 60, 240])
def test_magazines(weapons: Measured, rate: int) -> None:
    """What was fired is missing from the magazines, and each round is so many bullets."""
    measured = weapons["rate"][str(rate)]
    fired = {name: len(times) for name, times in measured["times"].items()}
    for gun in (RIFLE, SHOTGUN):
        assert fired[gun.name] > gun.magazine
        assert measured["rounds"][gun.name] == 2 * gun.magazine - fired[gun.name]
    assert measured["shots"] == sum(gun.pellets * fired[gun.name] for gun in (RIFLE, SHOTGUN))
    # It shot at the sky.
    assert measured["hits"] == 0


def test_reload_by_hand(weapons: Measured) -> None:
    """A full magazine stays; one that was begun is full after a while, in which nothing is fired."""
    measured = weapons["reload"]
    assert measured["full"] == {"rifle": False, "shotgun": False}
    begin = measured["reloading"].index(True)
    end = begin + measured["reloading"][begin:].index(False)
    assert begin == 0
    assert (end - begin) * FRAME == pytest.approx(RIFLE.reload_time, abs=FRAME)
    assert set(measured["rounds"][:end]) == {25}
    # The trigger is held: in the frame in which it is full it fires.
    assert measured["rounds"][end] == RIFLE.magazine - 1


def test_a_tap_reloads_between_two_shots(weapons: Measured) -> None:
    """The order of one or two frames is not lost while a gun waits for its next shot."""
    assert SHOTGUN.interval > 6 * FRAME
    reloading = weapons["tap_reload"]
    assert not any(reloading[:4])
    assert all(reloading[6:])


def test_everything_that_is_seen_can_be_marked(weapons: Measured) -> None:
    models = {"bunker", "silo", "container", "crate", "pillar", "barrel", "lamp", "wall", "hatch", "floor"}
    assert weapons["marked"] == dict.fromkeys(models, True)


def test_a_fallen_hero_fires_nothing(weapons: Measured) -> None:
    assert weapons["down"] == 0


def test_bullets_of_a_frame_are_captured_together(weapons: Measured) -> None:
    """One capture for each body, however many bullets hit it, and of however many guns."""
    one, two, both = weapons["one_body"], weapons["two_bodies"], weapons["both_guns"]
    assert len(one["hit"]) == SHOTGUN.pellets
    assert len(set(one["hit"])) == one["captures"] == one["marked"] == 1
    assert len(two["hit"]) == SHOTGUN.pellets
    assert len(set(two["hit"])) == two["captures"] == two["marked"] == 2
    assert len(both["hit"]) == SHOTGUN.pellets + RIFLE.pellets
    assert len(set(both["hit"])) == both["captures"] == both["marked"] == 1


def test_quality(weapons: Measured) -> None:
    """What is hit from then on has so many texels; a rifle's mark has too few of them at the lowest."""
    assert weapons["texels"] == {**QUALITIES, "low": 512}


@pytest.mark.parametrize("gun", GUNS)
def test_spread(weapons: Measured, gun: Gun) -> None:
    """Bullets go off at random in all directions, by half of tan(spread) in each; none goes far off."""
    off = np.array(weapons["spread"][gun.name])
    count = len(off)
    deviation = tan(radians(gun.spread)) / 2
    # Four standard errors of a mean, and of a standard deviation.
    assert np.abs(off.mean(axis=0)).max() < 4 * deviation / count**0.5
    assert off.std(axis=0) == pytest.approx(deviation, rel=4 / (2 * count) ** 0.5)
    # Of ten thousand such volleys, one has a bullet beyond.
    farthest = np.hypot(*off.T).max()
    assert count * exp(-((farthest / deviation) ** 2) / 2) > 1e-4
    assert len({tuple(one) for one in off}) == count


def test_blast(weapons: Measured) -> None:
    """Every body within the radius is struck, and none beyond; enemies die of it."""
    near_misses = 0
    struck_enemies = 0
    for measured in weapons["blasts"]:
        bodies = measured["bodies"]
        assert measured["struck"] == measured["marked"] == sum(body["struck"] for body in bodies)
        for body in bodies:
            if body["most"] < BLAST_RADIUS - BLAST_TOLERANCE:
                assert body["struck"], body
            if body["least"] > BLAST_RADIUS + BLAST_TOLERANCE:
                assert not body["struck"], body
                near_misses += body["least"] < BLAST_RADIUS + 1
            if body["name"].startswith("enemy"):
                struck_enemies += body["struck"]
                assert body["state"] == ("dying" if body["struck"] else "walking"), body
            # Models are as large as their hulls, nearly.
            if body["most"] < 0.9 * BLAST_RADIUS and not body["name"].startswith("floor"):
                assert body["strength"] > 0.05, body
    assert near_misses >= 5
    assert struck_enemies >= 5


def test_emerging(fights: Measured) -> None:
    """It rises evenly from below the ground, and then walks at its speed."""
    heights, steps = fights["emerge"]["heights"], fights["emerge"]["steps"]
    frames = floor(enemies.EMERGE_TIME / FRAME + 1e-9)
    assert heights == pytest.approx(
        [enemies.DEPTH * ((number + 1) * FRAME / enemies.EMERGE_TIME - 1) for number in range(frames)],
        abs=ROUNDING,
    )
    # The first step is up, to the ground.
    assert steps[1:] == pytest.approx([enemies.SPEED * FRAME] * len(steps[1:]), abs=2 * ROUNDING)
    assert len(steps) > 20


def test_enemies_reach_the_hero(fights: Measured) -> None:
    """From every hatch, at once where the way is free, and round what stands there."""
    chases = fights["chases"]
    assert len(chases) == 4 * len(HATCHES)
    detours = 0
    for chase in chases:
        assert chase["seconds"] is not None
        straight = enemies.EMERGE_TIME + (chase["distance"] - enemies.REACH) / enemies.SPEED
        assert chase["seconds"] > straight - 2 * FRAME
        detours += chase["seconds"] > straight + 2
    assert detours >= 3


def test_no_detour_without_an_obstacle(fights: Measured) -> None:
    """Whatever the frame rate does, an enemy with a free way goes straight on at its speed."""
    assert fights["paces"] == pytest.approx([enemies.SPEED] * 6, rel=0.01)


def test_nobody_lies_below_the_ground(fights: Measured) -> None:
    before, after = fights["graves"]
    assert before < -1
    assert after == 0


def test_strikes(fights: Measured) -> None:
    """Each attack hurts once, a while after it began; what was hurt heals."""
    begun, health = fights["strike"]["begun"], fights["strike"]["health"]
    assert len(begun) == 4
    hurts = [number for number in range(1, len(health)) if health[number] < health[number - 1]]
    assert len(hurts) == 3
    expected = [float(hero.HEALTH)]
    for number in range(1, len(health)):
        healed = min(expected[-1] + hero.HEALING * FRAME, hero.HEALTH)
        expected.append(healed - enemies.DAMAGE * (number in hurts))
    assert health == pytest.approx(expected)
    for start, moment in zip(begun, hurts, strict=False):
        assert (moment - start) * FRAME == pytest.approx(enemies.STRIKE_TIME, abs=FRAME + 1e-6)
    for first, second in pairwise(begun):
        # A frame to end the attack, and one to begin the next.
        assert (second - first) * FRAME == pytest.approx(enemies.ATTACK_TIME, abs=2 * FRAME + 1e-6)


def test_dying(fights: Measured) -> None:
    """It dies of so many bullets, lies there while its marks fade, and comes again without any."""
    kill = fights["kill"]
    assert kill["shots"] == ceil(enemies.HEALTH / RIFLE.damage)
    states = kill["states"]
    assert list(dict.fromkeys(states)) == ["walking", "dying", "away"]
    assert states.count("dying") * FRAME == pytest.approx(enemies.LIE_TIME, abs=FRAME + 1e-6)
    begin = states.index("dying")
    fading = kill["alphas"][begin:-1]
    assert None not in kill["alphas"][1:begin]
    assert all(later < earlier for earlier, later in pairwise(fading))
    assert kill["killed"] == 1
    assert kill["is_same"]
    assert not kill["marks_again"]
    assert kill["health_again"] == enemies.HEALTH - 1
    assert kill["alive"] == 1


def test_marks_do_not_outlive_a_game(fights: Measured) -> None:
    """An enemy that was hit in one game comes into the next without marks."""
    assert fights["leave"] == [True, False, False]


def test_waves_grow(fights: Measured) -> None:
    came = [wave for wave, _ in fights["waves"]]
    assert {wave: came.count(wave) for wave in came} == {1: 4, 2: 6, 3: 8, 4: 10, 5: 12, 6: 14}
    assert came == sorted(came)
    # The first that is away comes.
    assert {number for _, number in fights["waves"]} <= set(range(enemies.NUMBER))


def test_the_hero_falls(fights: Measured) -> None:
    """A wave kills a hero that only stands there; after that nobody moves, shoots or comes."""
    fresh, fought, down, later = (fights["fall"][name] for name in ("fresh", "fought", "down", "later"))
    assert fought["shots"] > 0
    assert fought["position"] != fresh["position"]
    assert down["health"] <= 0
    assert down["animation"] == "fall"
    assert later["position"] == down["position"]
    assert later["shots"] == down["shots"] == fought["shots"]
    assert later["wave"] == down["wave"] >= 1
    assert later["alive"] == down["alive"] >= 1
    before, after = fights["fall"]["enemies"]
    assert after == before


def test_a_new_game(fights: Measured) -> None:
    """It begins like the first one, and goes like it, as long as nobody comes."""
    fall = fights["fall"]
    assert fall["down"]["marked"] > 0
    assert fall["again"] == fall["fresh"]
    assert fall["marked"] == 0
    assert fall["fought_again"] == fall["fought"]


@pytest.mark.parametrize("who", ["hero at 10", "hero at 25", "enemies"])
def test_nothing_walks_through_walls(fights: Measured, who: str) -> None:
    """Bodies stay outside of what stands there; where there is room for them, with all they have."""
    if who == "enemies":
        radius = enemies.RADIUS
        measured = [pair for chase in fights["chases"] for pair in chase["clearances"]]
    else:
        radius = hero.RADIUS
        run = fights["runs"][who.split()[-1]]
        measured = run["clearances"]
        assert run["height"] < ROUNDING
        # It gets as far as the walls, and no farther.
        inside = HALF_SIZE - WALL / 2 - radius
        assert run["farthest"] == pytest.approx(inside, abs=PUSH_TOLERANCE)
    first, second = np.array(measured).T
    assert len(first) > 1000
    assert first.min() > 0
    has_room = first + second > 2 * (radius + PUSH_TOLERANCE)
    assert has_room.mean() > 0.8
    assert first[has_room].min() > radius - PUSH_TOLERANCE
    # It did run into things.
    assert (first[has_room] < radius + PUSH_TOLERANCE).mean() > 0.02
