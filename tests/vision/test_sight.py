"""Exact sight: the cases by hand, whole numbers to the bit, and random scenes against brute force."""

from typing import Any

import numpy as np
import pytest

from panda_rtstamp.vision import sight
from panda_rtstamp.vision.sight import visible
from vision_support import (
    VIEW_RANGE,
    Bools,
    Floats,
    random_points,
    random_walls,
    sees,
)

WALL = ((-1, 5), (1, 5))
AHEAD = (0, 1)


def see(
    points: Any,
    *walls: Any,
    eye: Any = (0, 0),
    view_range: float = 10.0,
    forward: Any = None,
    half_cosine: float = -1.0,
) -> list[bool]:
    """Which of a few points are seen."""
    ends = np.array(walls, np.float64).reshape(-1, 2, 2)
    found = visible(
        np.array(points, np.float64),
        np.array(eye, np.float64),
        ends,
        view_range,
        None if forward is None else np.array(forward, np.float64),
        half_cosine,
    )
    return [bool(seen) for seen in found]


def check(points: Floats, eye: Floats, ends: Floats, view_range: float, **cone: Any) -> Bools:
    """All points are seen, or not, as brute force says."""
    found = visible(points, eye, ends, view_range, **cone)
    expected = sees(points, eye.tolist(), ends, view_range, **cone)
    assert np.flatnonzero(found != expected).tolist() == []
    return found


def lattice(rng: np.random.Generator, *shape: int, size: int = 6) -> Floats:
    """Points of whole numbers."""
    return rng.integers(-size, size + 1, (*shape, 2)).astype(np.float64)


def test_a_wall_hides_what_is_behind_it() -> None:
    assert see([(0, 4.9), (1.5, 6)], WALL) == [True, True]
    assert see([(1.1, 6), (0, 6), (0, 5.01)], WALL) == [False, False, False]


def test_a_wall_behind_the_viewer_hides_nothing_ahead() -> None:
    ahead = [(0, 4.9), (1.5, 6), (1.1, 6), (0, 6)]
    assert see(ahead, ((-1, -5), (1, -5))) == [True] * 4


@pytest.mark.parametrize("turn", [(1, 0), (0, 1), (-1, 0), (0, -1)])
def test_every_side_is_alike(turn: tuple[int, int]) -> None:
    # One of them lies across the seam at +-180 degrees.
    matrix = np.array([turn, (-turn[1], turn[0])])
    points = np.array([(4.9, 0), (6, 1.5), (6, 1.1), (6, 0), (6, -1.1), (6, -1.5), (-6, 0)]) @ matrix
    wall = np.array([(5, -1), (5, 1)]) @ matrix
    expected = [True, True, False, False, False, True, True]
    assert see(points, wall) == expected
    assert see(points, wall[::-1]) == expected


def test_without_walls_the_range_decides() -> None:
    assert see([(0, 0), (6, 8), (6, 8.001), (10, 0), (0, -10.001)]) == [True, True, False, True, False]


def test_a_wall_out_of_range_hides_nothing() -> None:
    assert see([(0, 9), (0, 10)], ((-5, 10), (5, 10))) == [True, True]
    assert see([(0, 9), (0, 10)], ((-5, 9.5), (5, 9.5))) == [True, False]


def test_a_wall_whose_ends_are_out_of_range_hides_too() -> None:
    assert see([(0, 4), (0, 6)], ((-900, 5), (900, 5))) == [True, False]


def test_a_point_on_a_wall_is_seen() -> None:
    assert see([(-1, 5), (0, 5), (0.3, 5), (1, 5)], WALL) == [True] * 4


@pytest.mark.parametrize("seed", range(20))
def test_the_ends_of_any_wall_are_seen(seed: int) -> None:
    rng = np.random.default_rng(seed)
    ends, eye = rng.uniform(-20.0, 20.0, (1, 2, 2)), rng.uniform(-20.0, 20.0, 2)
    assert visible(ends[0], eye, ends, 100.0).all()


def test_a_wall_through_the_viewer_hides_nothing() -> None:
    around = [(x, y) for x in (-2, 0, 2) for y in (-2, 0, 2)]
    for wall in (
        ((-1, 0), (1, 0)),
        ((0, -3), (0, 1)),
        ((-1, -1), (2, 2)),
        ((0, 0), (5, 1)),
        ((0, 0), (0, 0)),
    ):
        assert see(around, wall) == [True] * 9


def test_a_wall_in_line_with_a_ray_hides_nothing() -> None:
    assert see([(4, 0), (6, 0), (8, 0), (8, 0.1), (8, -0.1)], ((5, 0), (7, 0))) == [True] * 5


def test_a_wall_nearly_in_line_hides_what_is_between_its_ends() -> None:
    wall = ((5, 0), (7, 7e-9))
    assert see([(8, 4e-9), (8, 9e-9), (8, -1e-9), (4, 1e-9)], wall) == [False, True, True, True]


def test_nothing_leaks_where_walls_share_a_corner() -> None:
    walls = [((-3, 4), (0, 6)), ((0, 6), (3, 4))]
    assert see([(0, 6), (0, 6.001), (0, 9), (0.001, 9), (-0.001, 9)], *walls) == [True, *[False] * 4]
    # A corner seen edge on: one wall goes on away from the viewer, in the ray.
    assert see([(0, 8), (0.1, 8), (-0.1, 8)], ((0, 5), (3, 5)), ((0, 5), (0, 7))) == [False, False, True]


def test_nothing_leaks_where_one_wall_ends_on_another() -> None:
    stem = ((2, 5), (6, 9))
    assert see([(2, 5), (2.4, 6), (4, 9), (-2.4, 6)], ((0, 4), (4, 6)), stem) == [True, False, False, True]
    # Two walls that end on the stem's middle, from both sides.
    sides = [((-4, 6), (0, 6)), ((0, 6), (4, 6))]
    assert see([(0, 7), (0, 5.9), (0.5, 7)], *sides, ((0, 4.5), (0, 9))) == [False, True, False]


def test_walls_on_one_line() -> None:
    # Lapping over, touching, and with a gap from 3 to 4, whose edges belong to the walls.
    walls = [((-3, 4), (1, 4)), ((0, 4), (2, 4)), ((2, 4), (3, 4)), ((4, 4), (5, 4))]
    points = [(0, 8), (1, 8), (4, 8), (6, 8), (6.5, 8), (7.5, 8), (8, 8)]
    assert see(points, *walls, view_range=20) == [False, False, False, False, True, True, False]


def test_a_closed_ring_of_walls_lets_nothing_through() -> None:
    rng = np.random.default_rng(7)
    turns = np.sort(rng.uniform(-np.pi, np.pi, 300))
    corners = rng.uniform(5.0, 9.0, (300, 1)) * np.stack([np.cos(turns), np.sin(turns)], axis=1)
    for eye in (np.zeros(2), np.array([0.3, -0.7]), np.array([-1.1, 1.3])):
        # Straight through the corners, to the bit or to rounding, and in between.
        rays = np.concatenate([corners - eye, rng.normal(0.0, 1.0, (20_000, 2))])
        rays *= 30.0 / np.linalg.norm(rays, axis=1, keepdims=True)
        beyond = np.concatenate([eye + rays, eye + 2 * (corners - eye), eye + 4 * (corners - eye)])
        ring = np.stack([corners, np.roll(corners, -1, axis=0)], axis=1)
        assert not visible(beyond, eye, ring, 1000.0).any()
        # Without some of them there is a gap.
        assert visible(beyond, eye, ring[20:], 1000.0).any()


def test_the_edges_of_the_cone_are_seen() -> None:
    # Half an angle whose cosine is 0.6: with 3-4-5 triangles the comparison is exact.
    points = [(4, 3), (-4, 3), (4.001, 3), (-4.001, 3), (0, 5), (0, -5), (0, 0)]
    assert see(points, forward=AHEAD, half_cosine=0.6) == [True, True, False, False, True, False, True]


def test_a_cone_of_half_a_turn_and_more() -> None:
    for half_cosine, points, expected in (
        (0.0, [(5, 0), (-5, 0), (5, -0.001), (0, 5)], [True, True, False, True]),
        (-0.6, [(4, -3), (-4, -3), (3.999, -3), (0, -5), (5, 0)], [True, True, False, False, True]),
        (-1.0, [(0, -5), (0, 0), (5, 0)], [True, True, True]),
    ):
        assert see(points, forward=AHEAD, half_cosine=half_cosine) == expected


def test_no_cone_and_no_width_see_the_eye_itself() -> None:
    assert see([(0, 0), (0, 5), (1, 5)], forward=AHEAD, half_cosine=1.0) == [True, True, False]
    assert see([(0, 0)], ((-1, 0), (1, 0)), ((0, 0), (1, 1)), view_range=0.0) == [True]


def test_the_eyes_own_point_is_seen_on_any_wall() -> None:
    """That the eye lies on the wall is so but for rounding: to one side of it, or the other."""
    rng = np.random.default_rng(3)
    for _ in range(2000):
        wall = rng.uniform(-1.0, 1.0, (1, 2, 2))
        eye = wall[0, 0] + rng.uniform() * (wall[0, 1] - wall[0, 0])
        assert visible(eye[None], eye, wall, 10.0).all()


def test_what_is_not_finite_is_not_seen() -> None:
    with np.errstate(all="ignore"):
        assert see([(np.nan, 0), (np.inf, 0), (0, -np.inf), (1, 0)], WALL) == [False, False, False, True]


def test_no_points_and_no_walls() -> None:
    assert see(np.empty((0, 2)), WALL) == []
    assert see(np.empty((0, 2))) == []


@pytest.mark.parametrize("origin", [0.0, 1e6, -3e9])
def test_whole_numbers_are_exact_anywhere(origin: float) -> None:
    """Walls, points and eyes on a lattice: in line, on walls, at shared corners, all the time."""
    rng = np.random.default_rng(11)
    counts = np.zeros(2, int)
    for _ in range(300):
        ends, eye = lattice(rng, 8, 2), lattice(rng)
        points = np.concatenate([lattice(rng, 200), ends.reshape(-1, 2), eye[None]])
        expected = sees(points, eye.tolist(), ends, 8.0)
        found = visible(points + origin, eye + origin, ends + origin, 8.0)
        assert np.flatnonzero(found != expected).tolist() == []
        counts += found.sum(), (~found).sum()
    assert counts.min() > 1000


def test_it_is_the_same_in_pieces_and_by_single_points(monkeypatch: pytest.MonkeyPatch) -> None:
    ends, points = random_walls(5), random_points(5, 400)
    eye = np.zeros(2)
    expected = visible(points, eye, ends, VIEW_RANGE)
    assert [bool(visible(point[None], eye, ends, VIEW_RANGE)[0]) for point in points] == expected.tolist()
    monkeypatch.setattr(sight, "_PAIRS", 7)
    assert visible(points, eye, ends, VIEW_RANGE).tolist() == expected.tolist()


def test_points_are_compared_only_with_walls_in_their_direction() -> None:
    ends, points = random_walls(5), random_points(5, 10_000)
    turned = sight._facing(ends, np.zeros(2), VIEW_RANGE)
    assert len(sight._facing(ends, np.zeros(2), VIEW_RANGE / 4)) < len(ends) / 4
    pairs = sum(len(numbers) for _, numbers in sight._pairs(sight._angles(points), sight._angles(turned)))
    assert 0 < pairs < len(points) * len(ends) / 20


@pytest.mark.parametrize("seed", range(3))
def test_random_scenes_are_as_brute_force_says(seed: int) -> None:
    found = check(random_points(seed + 1000, 20_000), np.zeros(2), random_walls(seed), VIEW_RANGE)
    assert 0.1 < found.mean() < 0.8


@pytest.mark.parametrize("seed", range(3))
def test_random_viewers_with_cones_are_as_brute_force_says(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for fov in (10.0, 90.0, 200.0, 350.0):
        eye, turn = rng.uniform(-40.0, 40.0, 2), rng.uniform(0.0, 2 * np.pi)
        forward = np.array([np.cos(turn), np.sin(turn)])
        half_cosine = float(np.cos(np.radians(fov / 2)))
        points = random_points(seed, 5000)
        check(points, eye, random_walls(seed), VIEW_RANGE, forward=forward, half_cosine=half_cosine)


@pytest.mark.full
@pytest.mark.parametrize("seed", range(100))
def test_100000_points_of_each_scene_are_as_brute_force_says(seed: int) -> None:
    check(random_points(seed + 1000, 100_000), np.zeros(2), random_walls(seed), VIEW_RANGE)
