"""What is on screen is so: ammunition, frames a second, living marks, pool and memory."""

import json
import time
from collections.abc import Iterator
from typing import Any

import pytest
from panda3d.core import ClockObject

from samples.common.clock import FrameRate, set_speed
from samples.shooter.arena import FLOOR_RESOLUTION
from samples.shooter.marks import QUALITIES, READY_SURFACES, SURFACES
from samples.shooter.weapons import RIFLE, SHOTGUN
from support import run_case

CASE = """
import json, sys
from panda3d.core import Point3
from samples.shooter.orders import Orders
from shooter_support import frames, make_unseen_game

game = make_unseen_game()
hud = game.hud
found = {}

def read():
    # Two more frames than between two updates of the counts.
    for _ in frames(game, 7):
        pass
    return {
        "counts": hud.counts(),
        "shown": hud._counts.get_text().splitlines(),
        "bars": {name: [bar["text"], bar["value"]] for name, bar in hud._bars.items()},
        "message": hud._message.get_text(),
        "rounds": dict(game.weapons.rounds),
        "memory": game.marks.stamps.memory_bytes,
        "marked": game.marks.stamps.active_count,
    }

game.base.task_mgr.step()
found["begin"] = read()
crate = Point3(2.2, 1.0, 0.7)
game.orders = Orders(aim=crate, rifle=True)
living = []
for number in frames(game, 925):
    if number % 25 == 24:
        living.append([game.marks.hits, game.marks.living])
found["living"] = living
game.orders = Orders(aim=crate)
found["after"] = read()
game.marks.fade_all(0.5)
for _ in frames(game, 30):
    pass
found["faded"] = read()
game.marks.clear()
for _ in frames(game, 3):
    pass
for _ in range(3):
    game.marks.next_quality()
    found[f"free {game.marks.quality}"] = [
        slot.size for slot in game.marks.stamps._window.held.pool._free
    ]
game.hero.hurt(1000)
found["down"] = read()
game.reset()
game.enemies.start_waves()
for _ in frames(game, 30):
    pass
found["wave"] = read()
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def hud() -> Any:
    """What is on screen in some moments of a game."""
    return json.loads(run_case(CASE).splitlines()[-1])


def test_at_the_beginning(hud: Any) -> None:
    begin = hud["begin"]
    assert begin["shown"] == begin["counts"]
    assert begin["counts"] == [
        "wave 0", "0 enemies", "0 killed", "25 fps", "0 living marks", f"pool: 0 of {SURFACES}",
        f"memory: {begin['memory'] / 2**20:.0f} MB", "look: burn", "quality: medium", "marks fade",
    ]  # fmt: skip
    assert begin["memory"] == 2 * 4 * (2048**2 + 12 * 512**2)
    assert begin["bars"] == {
        "health": ["health", 100], RIFLE.name: [f"rifle {RIFLE.magazine}", 100],
        SHOTGUN.name: [f"shotgun {SHOTGUN.magazine}", 100], "blast": ["blast", 100],
    }  # fmt: skip


def test_living_marks(hud: Any) -> None:
    """Under steady fire on one surface marks die as they are made: there are those of one life."""
    life = 15 * (RIFLE.radius / 0.15) ** 0.5
    magazine_time = RIFLE.magazine * RIFLE.interval + RIFLE.reload_time
    for second, (hits, living) in enumerate(hud["living"], 1):
        expected = RIFLE.magazine * min(second, life) / magazine_time
        # Reloading is a gap that lies inside the life, or outside.
        assert abs(living - expected) <= RIFLE.reload_time / RIFLE.interval + 2, (second, hits, living)
        assert living == hits or second > life - 1
    assert hud["living"][-1][0] > 1.8 * hud["living"][-1][1]


def test_ammunition_and_surfaces(hud: Any) -> None:
    after = hud["after"]
    rounds = after["rounds"]["rifle"]
    assert 0 < rounds < RIFLE.magazine
    assert after["bars"]["rifle"] == [f"rifle {rounds}", 100 * rounds / RIFLE.magazine]
    assert after["marked"] == 1
    assert f"pool: 1 of {SURFACES}" in after["shown"]
    assert "0 living marks" in hud["faded"]["shown"]
    assert f"pool: 0 of {SURFACES}" in hud["faded"]["shown"]


def test_textures_are_ready_in_every_quality(hud: Any) -> None:
    """Also those of the floor, which keeps its resolution."""
    for quality, texels in QUALITIES.items():
        free = hud[f"free {quality}"]
        assert free.count(texels) >= READY_SURFACES, quality
        assert free.count(FLOOR_RESOLUTION) == 1, quality


def test_messages(hud: Any) -> None:
    assert [hud[moment]["message"] for moment in ("begin", "after", "wave")] == ["", "", "wave 1"]
    assert hud["down"]["message"].startswith("you are down")
    assert hud["down"]["bars"]["health"] == ["health", 0]


@pytest.fixture
def real_time(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[float]]:
    """The real time that the frame rate is measured by, to be set."""
    now = [0.0]
    monkeypatch.setattr(time, "perf_counter", lambda: now[0])
    clock = ClockObject.get_global_clock()
    mode = clock.mode
    clock.mode = ClockObject.M_normal
    yield now
    clock.mode = mode


def test_frame_rate_whatever_the_game_s_speed(real_time: list[float]) -> None:
    """Frames of real time are counted, in a pause and in slow motion too."""
    rate = FrameRate()
    for speed in (1, 0, 0.25, 1, 0):
        set_speed(speed)
        for _ in range(200):
            real_time[0] += 1 / 96
            rate.count()
        assert rate.value == pytest.approx(96, rel=0.03)
    for _ in range(20):
        real_time[0] += 1 / 8
        rate.count()
    assert rate.value == pytest.approx(8, rel=0.3)


def test_frame_rate_of_a_fixed_clock(real_time: list[float]) -> None:
    """Pictures are the same in every run, so they say the rate of their clock."""
    clock = ClockObject.get_global_clock()
    clock.mode = ClockObject.M_non_real_time
    clock.dt = 1 / 25
    rate = FrameRate()
    rate.count()
    assert rate.value == pytest.approx(25)
