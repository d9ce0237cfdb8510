"""Rectangles against bitmaps: few of them, none twice, and no texel lost."""

import numpy as np
import pytest
from numpy.typing import NDArray

from panda_rtstamp.core.rect import Rect, gather

SIZE = 1024
# Two rectangles are joined where that leaves fewer than SIDE x SIDE texels to draw in vain.
SIDE = 64


def bitmap(*rects: Rect, size: int = SIZE) -> NDArray[np.uint8]:
    """How many rectangles each texel lies in."""
    result = np.zeros((size, size), np.uint8)
    for rect in rects:
        result[rect.bottom : rect.top, rect.left : rect.right] += 1
    return result


def random_rects(rng: np.random.Generator, count: int, longest: int) -> list[Rect]:
    """Rectangles on the texture; some of them are empty."""
    low = rng.integers(0, SIZE, (count, 2))
    high = np.minimum(low + rng.integers(0, longest + 1, (count, 2)), SIZE)
    return [Rect(*map(int, corner)) for corner in np.concatenate([low, high], axis=1)]


@pytest.mark.parametrize("most", [1, 2, 6, 100])
@pytest.mark.parametrize("count", [1, 2, 7, 40])
@pytest.mark.parametrize("longest", [3, 60, 500])
def test_nothing_is_lost_and_nothing_is_there_twice(most: int, count: int, longest: int) -> None:
    rng = np.random.default_rng([most, count, longest])
    for _ in range(3):
        given = random_rects(rng, count, longest)
        found = gather(given, most)
        asked, drawn = bitmap(*given) > 0, bitmap(*found)
        assert len(found) <= most
        assert drawn.max(initial=0) <= 1
        assert not (asked & (drawn == 0)).any()
        # None reaches beyond what it stands for: on each of its edges lies a texel that was asked for.
        for rect in found:
            part = asked[rect.bottom : rect.top, rect.left : rect.right]
            assert all(edge.any() for edge in (part[0], part[-1], part[:, 0], part[:, -1]))


@pytest.mark.parametrize("count", [3, 12, 40])
def test_no_two_are_left_that_had_better_be_one(count: int) -> None:
    found = gather(random_rects(np.random.default_rng(count), count, 60), 100)
    wastes = [
        first.union(second).area - first.area - second.area
        for number, first in enumerate(found)
        for second in found[:number]
    ]
    assert min(wastes, default=SIDE**2) >= SIDE**2


def test_what_is_gathered_stays_as_it_is() -> None:
    found = gather(random_rects(np.random.default_rng(5), 30, 60), 8)
    assert len(found) > 1
    assert set(gather(found, 8)) == set(found)


def test_neighbours_become_one() -> None:
    assert gather([Rect(100, 100, 164, 164), Rect(170, 100, 234, 164)], 6) == [Rect(100, 100, 234, 164)]


def test_those_that_overlap_become_one_however_much_that_wastes() -> None:
    assert gather([Rect(0, 500, SIZE, 510), Rect(500, 0, 510, SIZE)], 6) == [Rect.whole(SIZE)]


def test_those_far_apart_stay_apart() -> None:
    given = [Rect(0, 0, 64, 64), Rect(960, 960, 1024, 1024), Rect(0, 960, 64, 1024)]
    assert set(gather(given, 6)) == set(given)


def test_a_rectangle_is_worth_just_so_many_texels() -> None:
    """Two of one row, with a gap between them of as many rows as they are long, or one fewer."""
    low = Rect(0, 0, SIDE, 1)
    assert len(gather([low, Rect(0, 1 + SIDE, SIDE, 2 + SIDE)], 6)) == 2
    assert len(gather([low, Rect(0, SIDE, SIDE, 1 + SIDE)], 6)) == 1


def test_too_many_are_joined_where_that_wastes_least() -> None:
    left, right, far = Rect(0, 0, 10, 10), Rect(300, 0, 310, 100), Rect(900, 900, 910, 910)
    assert len(gather([left, right, far], 3)) == 3
    assert set(gather([left, right, far], 2)) == {left.union(right), far}


def test_nothing_gathered_is_nothing() -> None:
    assert gather([], 6) == []
    assert gather([Rect(5, 5, 5, 9), Rect(9, 9, 3, 12), Rect(4, 8, 9, 2)], 6) == []


def test_relations_of_two() -> None:
    rng = np.random.default_rng(1)
    for _ in range(300):
        corners = np.sort(rng.integers(0, 9, (2, 2, 2)), axis=1)
        first, second = (Rect(*map(int, corner.ravel())) for corner in corners)
        if not (first.area and second.area):
            continue
        one, other = bitmap(first, size=9) > 0, bitmap(second, size=9) > 0
        assert first.area == one.sum()
        assert first.overlaps(second) == (one & other).any()
        assert first.contains(second) == (one | ~other).all()
        rows, columns = np.nonzero(one | other)
        hull = Rect(int(columns.min()), int(rows.min()), int(columns.max()) + 1, int(rows.max()) + 1)
        assert first.union(second) == hull


@pytest.mark.parametrize(
    ("rect", "expected"),
    [
        (Rect(10, 20, 30, 40), Rect(8, 18, 32, 42)),
        (Rect(0, 1, 63, 64), Rect(0, 0, 64, 64)),
        (Rect(-5, -1, 70, 65), Rect(0, 0, 64, 64)),
    ],
)
def test_grown_as_far_as_the_texture_goes(rect: Rect, expected: Rect) -> None:
    assert rect.grown(2, 64) == expected


def test_off_the_texture_is_nothing() -> None:
    assert Rect(-20, 3, -10, 9).grown(2, 64).area == 0
