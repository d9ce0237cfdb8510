"""How a coat lags behind its body: the spring alone, and the strands that it bends."""

import math
from typing import Any

import numpy as np
import pytest
from panda3d.core import LVecBase3f, NodePath, TransformState

from fur_support import STILL, Floats, layer_positions, offsets, roots, shells_of
from panda_rtstamp.fur.coat import FurCoat
from panda_rtstamp.fur.config import FurConfig
from panda_rtstamp.fur.inputs import Motion
from panda_rtstamp.fur.motion import Lag, decay
from shapes import sphere
from support import FRAME_RATE, step

SPRINGS = [(120.0, 10.0), (100.0, 20.0), (20.0, 30.0), (0.01, 0.0), (1e6, 1e4)]


def lag_after(rate: int, stiffness: float, damping: float) -> tuple[Floats, Floats]:
    """Of a body that goes, turns, stands still and goes back, a quarter of a second each."""
    motion = Motion()
    lag = Lag(TransformState.make_identity(), 0.0, motion)
    frame = 0
    place, turn, speeds = np.zeros(3), 0.0, ((2.0, 1.0, 0.0), (0.0, 0.0, 0.0), (-1.0, 0.0, 3.0))
    for speed in speeds:
        for _ in range(rate // 4):
            place = place + np.array(speed) / rate
            frame += 1
            turn += (40.0 if any(speed) else 0.0) / rate
            where = TransformState.make_pos_hpr(LVecBase3f(*place), (turn, 0, 0))
            lag.advance(where, frame / rate, stiffness, damping, 10.0)
    return np.array(motion.lag[0]), np.array(motion.turn[0])


@pytest.mark.parametrize(("stiffness", "damping"), SPRINGS)
def test_it_is_the_same_at_every_frame_rate(stiffness: float, damping: float) -> None:
    expected = lag_after(20, stiffness, damping)
    for rate in (60, 140, 240):
        for found, wanted in zip(lag_after(rate, stiffness, damping), expected, strict=True):
            assert found == pytest.approx(wanted, abs=2e-5)


@pytest.mark.parametrize(("stiffness", "damping"), SPRINGS)
def test_it_solves_the_equation(stiffness: float, damping: float) -> None:
    """In a thousand steps as in one, and by small steps of Euler's where these can be told apart."""
    once, part, start = (np.reshape(decay(stiffness, damping, time), (2, 2)) for time in (0.1, 1e-4, 1e-8))
    assert np.linalg.matrix_power(part, 1000) == pytest.approx(once, rel=1e-6, abs=1e-6)
    slope = (start - np.eye(2)) / 1e-8
    expected = np.array([[0.0, 1.0], [-stiffness, -damping]])
    assert slope == pytest.approx(expected, rel=1e-3, abs=1e-2)


def test_it_lags_behind_and_comes_to_rest() -> None:
    motion = Motion()
    lag = Lag(TransformState.make_identity(), 0.0, motion)
    behind = []
    for frame in range(1, 300):
        x = 0.02 * min(frame, 30)
        lag.advance(TransformState.make_pos((x, 0, 0)), frame / 60, 120.0, 10.0, 1.0)
        behind.append(motion.lag[0].x)
    assert min(behind[:10]) < -0.02
    # It swings on when the body stops.
    assert max(behind[30:]) > 0.02
    assert behind[-1] == 0.0
    assert tuple(motion.lag[0]) == (0.0, 0.0, 0.0)


def test_a_jump_is_soon_over() -> None:
    motion = Motion()
    lag = Lag(TransformState.make_identity(), 0.0, motion)
    lag.advance(TransformState.make_pos((1e4, 0, 0)), 1 / 60, 120.0, 10.0, 0.1)
    assert abs(motion.lag[0].x) <= 0.4 + 1e-6
    for frame in range(2, 122):
        lag.advance(TransformState.make_pos((1e4, 0, 0)), frame / 60, 120.0, 10.0, 0.1)
    assert abs(motion.lag[0].x) < 1e-4


def test_a_place_that_is_none_is_left_out() -> None:
    motion = Motion()
    lag = Lag(TransformState.make_identity(), 0.0, motion)
    lag.advance(TransformState.make_pos((math.inf, 0, 0)), 0.1, 100.0, 10.0, 1.0)
    lag.advance(TransformState.make_pos((1, 0, 0)), 0.2, 100.0, 10.0, 1.0)
    assert np.isfinite(np.array(motion.lag[0])).all()
    assert np.array(motion.lag[0])[0] < 0.0


def test_a_pause_changes_nothing() -> None:
    motion = Motion()
    lag = Lag(TransformState.make_identity(), 0.0, motion)
    place = TransformState.make_pos((1, 0, 0))
    lag.advance(place, 0.1, 100.0, 10.0, 1.0)
    before = LVecBase3f(motion.lag[0])
    for _ in range(3):
        lag.advance(place, 0.1, 100.0, 10.0, 1.0)
    assert motion.lag[0] == before
    assert before.x < 0.0


def test_it_goes_on_where_the_clock_is_set_back() -> None:
    motion = Motion()
    lag = Lag(TransformState.make_identity(), 100.0, motion)
    lag.advance(TransformState.make_pos((1, 0, 0)), 100.1, 100.0, 10.0, 1.0)
    for frame in range(600):
        lag.advance(TransformState.make_pos((1, 0, 0)), frame / 60, 100.0, 10.0, 1.0)
    assert lag.still
    assert np.abs(np.array(motion.lag[0])).max() == 0.0


def test_a_turn_lags_the_other_way() -> None:
    motion = Motion()
    lag = Lag(TransformState.make_pos((5, 0, 0)), 0.0, motion)
    for frame in range(1, 6):
        place = TransformState.make_pos_hpr((5, 0, 0), (10.0 * frame, 0, 0))
        lag.advance(place, frame / 60, 120.0, 10.0, 1.0)
    assert motion.turn[0].z < -0.05
    assert tuple(motion.lag[0]) == (0.0, 0.0, 0.0)
    assert tuple(motion.pivot[0]) == (5.0, 0.0, 0.0)


@pytest.mark.profiles
@pytest.mark.parametrize(("speed", "largest"), [(0.05, 10.0), (3.0, 0.5)])
def test_strands_are_bent_by_the_lag(
    base: Any, scene: NodePath, monkeypatch: pytest.MonkeyPatch, speed: float, largest: float
) -> None:
    """By how far their tips are behind, in lengths, and no farther than the largest bend."""
    ball = sphere(uvs=True, across=16, along=8)
    ball.reparent_to(scene)
    with FurCoat(ball, FurConfig(parent=STILL, largest_bend=largest)) as coat:
        step(base)
        for _ in range(3):
            ball.set_x(ball.get_x() + speed / FRAME_RATE)
            step(base)
        motion = coat._motion
        behind = np.array(motion.lag[0]) / 0.3
        (shell,) = shells_of(ball)
        # Reading back takes two frames, in which the tips would swing on.
        monkeypatch.setattr(coat, "swing", lambda time: True)
        points, normals = roots(shell)
        with layer_positions(base, shell, 4) as found:
            size = np.linalg.norm(behind)
            assert behind[0] < 0.0
            force = behind * min(1.0, largest / size)
            assert np.abs(found - points - offsets(normals, force, 5 / 6, 1.5, 0.3)).max() < 1e-4


def test_without_a_bend_nothing_is_worked_out(base: Any, scene: NodePath) -> None:
    ball = sphere(uvs=True, across=16, along=8)
    ball.reparent_to(scene)
    with FurCoat(ball, FurConfig(largest_bend=0.0)) as coat:
        step(base)
        ball.set_x(1.0)
        step(base, 2)
        assert tuple(coat._motion.lag[0]) == (0.0, 0.0, 0.0)
        coat.set_config(FurConfig(largest_bend=1.0))
        step(base)
        ball.set_x(2.0)
        step(base)
        assert coat._motion.lag[0].x < 0.0


def test_coats_at_rest_are_looked_at_in_turns(
    base: Any, scene: NodePath, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So a frame costs no more however many there are; and all of them swing in the end."""
    asked: list[FurCoat] = []
    swing = FurCoat.swing

    def noted(coat: FurCoat, time: float) -> bool:
        asked.append(coat)
        return swing(coat, time)

    monkeypatch.setattr(FurCoat, "swing", noted)
    balls = [scene.attach_new_node("empty") for _ in range(40)]
    coats = [FurCoat(ball) for ball in balls]
    step(base, 3)
    asked.clear()
    step(base)
    assert len(asked) == 16
    step(base, 2)
    assert set(map(id, asked)) == set(map(id, coats))
    for ball in balls:
        ball.set_x(1.0)
    step(base, 3)
    assert all(coat._motion.lag[0].x != 0.0 for coat in coats)
    asked.clear()
    step(base)
    assert len(asked) == 40
    for coat in coats:
        coat.destroy()


def test_a_section_can_swing_alone(base: Any, scene: NodePath) -> None:
    ball = sphere(uvs=True, across=12, along=6)
    ball.reparent_to(scene)
    with FurCoat(ball, STILL) as coat:
        assert not coat.swings
        coat.set_config(FurConfig(largest_bend=1.0), coat.sections[0])
        assert coat.swings
