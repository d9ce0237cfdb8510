"""Segments that go straight on are one: what is joined and what is not, and that sight stays what it was."""

from typing import Any

import numpy as np
import pytest

from panda_rtstamp.vision.sight import visible
from panda_rtstamp.vision.slicing import join_straight
from vision_support import VIEW_RANGE, Floats, outlines, random_boxes, random_points, random_walls, sees


@pytest.fixture(autouse=True)
def _no_warnings() -> Any:
    with np.errstate(all="raise"):
        yield


def joined(*segments: Any) -> list[Any]:
    """What a few segments are joined to; all from the lower to the higher end, the lowest first."""
    return in_order(join_straight(np.array(segments, np.float64)))


def in_order(ends: Floats) -> list[Any]:
    return sorted(sorted(map(tuple, segment)) for segment in ends.tolist())


def in_pieces(rng: np.random.Generator, ends: Floats, most: int = 9) -> Floats:
    """Segments cut into some pieces each, which are shuffled."""
    pieces = []
    for a, b in ends:
        shares = np.sort(rng.uniform(0.0, 1.0, rng.integers(0, most)))[:, None]
        corners = np.concatenate([a[None], a + shares * (b - a), b[None]])
        pieces.append(np.stack([corners[:-1], corners[1:]], axis=1))
    return rng.permutation(np.concatenate(pieces))


def test_what_goes_straight_on_is_one() -> None:
    assert joined([(0, 0), (1, 0)], [(1, 0), (3, 0)]) == [[(0, 0), (3, 0)]]
    # Whichever way they go, in any order, along any line.
    assert joined([(4, 8), (3, 6)], [(2, 4), (1, 2)], [(3, 6), (2, 4)]) == [[(1, 2), (4, 8)]]


def test_faces_stay_on_their_side() -> None:
    """Where the first end was on the left, it still is; what looks to the other side is not joined."""
    pieces = np.array([[(1, 0), (0, 0)], [(3, 0), (1, 0)]], float)
    assert join_straight(pieces).tolist() == [[[3, 0], [0, 0]]]
    assert join_straight(pieces[:, ::-1]).tolist() == [[[0, 0], [3, 0]]]
    pieces[0] = pieces[0, ::-1]
    assert len(join_straight(pieces)) == 2


@pytest.mark.parametrize(
    "segments",
    [
        # A corner, however flat.
        ([(0, 0), (1, 0)], [(1, 0), (1, 1)]),
        ([(0, 0), (1, 0)], [(1, 0), (2, 1e-8)]),
        # There and back.
        ([(0, 0), (2, 0)], [(2, 0), (1, 0)]),
        ([(0, 0), (2, 0)], [(2, 0), (0, 0)]),
        ([(0, 0), (2, 0)], [(0, 0), (2, 0)]),
        # A gap, and one that laps over.
        ([(0, 0), (1, 0)], [(1 + 1e-15, 0), (2, 0)]),
        ([(0, 0), (1, 0)], [(0.5, 0), (2, 0)]),
        # Beside each other.
        ([(0, 0), (1, 0)], [(1, 1e-15), (2, 1e-15)]),
    ],
)
def test_all_else_stays_as_it_was(segments: Any) -> None:
    assert joined(*segments) == in_order(np.array(segments, np.float64))


def test_where_a_third_one_ends_nothing_is_joined() -> None:
    """There, its end would no longer be on the line to the bit, and light could leak."""
    line = [[(0, 0), (1, 0)], [(1, 0), (2, 0)]]
    assert joined(*line, [(1, 0), (1, 5)]) == [*map(sorted, [line[0], [(1, 0), (1, 5)], line[1]])]
    # Two lines that cross at such a place.
    assert len(joined(*line, [(1, -1), (1, 0)], [(1, 0), (1, 5)])) == 4


def test_zero_has_no_sign() -> None:
    assert joined([(-1, 0.0), (0.0, -0.0)], [(-0.0, 0.0), (1, 0)]) == [[(-1, 0), (1, 0)]]


def test_nothing_and_next_to_nothing() -> None:
    assert join_straight(np.empty((0, 2, 2))).shape == (0, 2, 2)
    assert joined([(0, 0), (1, 0)]) == [[(0, 0), (1, 0)]]
    # A ring so small that no product of its lengths is above 0.
    corners = np.array([(0, 0), (1, 0), (0, 1)]) * 1e-170
    ring = np.stack([corners, np.roll(corners, -1, axis=0)], axis=1)
    with np.errstate(under="ignore"):
        assert in_order(join_straight(ring)) == in_order(ring)


@pytest.mark.parametrize("count", [2, 3, 100, 1024, 1025])
def test_lines_of_many_pieces(count: int) -> None:
    corners = np.random.default_rng(count).permutation(count)[:, None] * np.array([3.0, -7.0])
    pieces = np.stack([corners, corners + (3.0, -7.0)], axis=1)
    assert in_order(join_straight(pieces)) == [[(0, 0), (3.0 * count, -7.0 * count)]]


@pytest.mark.parametrize("seed", range(10))
def test_pieces_of_outlines_are_the_outlines_again(seed: int) -> None:
    """To the bit: only end points that were there are left."""
    sides = outlines(random_boxes(seed))
    pieces = in_pieces(np.random.default_rng(seed), sides)
    assert len(pieces) > 3 * len(sides)
    assert in_order(join_straight(pieces)) == in_order(sides)


@pytest.mark.parametrize("seed", range(5))
def test_sight_stays_what_it_was(seed: int) -> None:
    rng = np.random.default_rng(seed)
    whole, points, eye = random_walls(seed), random_points(seed + 1000, 20_000), np.zeros(2)
    pieces = in_pieces(rng, whole)
    found = visible(points, eye, join_straight(pieces), VIEW_RANGE)
    # None of these points is on a line of sight past an end, or on a wall.
    assert (found == sees(points, (0.0, 0.0), pieces)).all()
    assert (found == visible(points, eye, pieces, VIEW_RANGE)).all()
    assert 0.1 < found.mean() < 0.8
