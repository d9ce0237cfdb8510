"""Where overlays lie: pixels, shares of the window, corners with margins, and scale."""

from typing import Any

import numpy as np
import pytest

from panda_rtstamp.errors import ConfigError
from panda_rtstamp.overlay.placement import ANCHORS, Bounds, Length, Placement

# Of a window, width and height.
SIZES = ((256, 256), (800, 600), (1023, 767), (1, 1))


@pytest.mark.parametrize("size", SIZES)
def test_ints_are_pixels_and_floats_are_shares(size: tuple[int, int]) -> None:
    width, height = size
    whole = Bounds(0, 0, width, height)
    assert Placement.by_rect((0.0, 0.0, 1.0, 1.0)).at(width, height, 1.0) == whole
    assert Placement.by_rect((10, 20, 110, 70)).at(width, height, 1.0) == Bounds(10, 20, 110, 70)
    # As others write them.
    pixels = np.array([10, 20, 110, 70])
    assert Placement.by_rect(pixels).at(width, height, 1.0) == Bounds(10, 20, 110, 70)
    assert Placement.by_rect(np.array([0.0, 0.0, 1.0, 1.0])).at(width, height, 1.0) == whole


def test_halves_are_rounded_up_and_rectangles_that_touch_do() -> None:
    for width in range(1, 200):
        for share in (0.1, 0.25, 1 / 3, 0.5, 0.7):
            left = Placement.by_rect((0.0, 0.0, share, 1.0)).at(width, 10, 1.0)
            right = Placement.by_rect((share, 0.0, 1.0, 1.0)).at(width, 10, 1.0)
            assert left.right == right.left == int(share * width + 0.5 + 1e-9)
    assert Length.of("rect", 15).at(0, 1.5) == 23
    assert Length.of("rect", -1).at(0, 1.5) == -1


@pytest.mark.parametrize("scale", [1.0, 1.5, 2.0])
@pytest.mark.parametrize("anchor", ANCHORS)
def test_anchored(anchor: str, scale: float) -> None:
    bounds = Placement.by_anchor((100, 40), anchor, (8, 4)).at(800, 600, scale)
    width, height, across, down = (int(value * scale) for value in (100, 40, 8, 4))
    assert (bounds.width, bounds.height) == (width, height)
    left = {"left": across, "right": 800 - across - width}
    top = {"top": down, "bottom": 600 - down - height}
    expected_left = next((left[side] for side in left if side in anchor), (800 - width) // 2)
    expected_top = next((top[side] for side in top if side in anchor), (600 - height) // 2)
    assert (bounds.left, bounds.top) == (expected_left, expected_top)


def test_shares_know_no_scale() -> None:
    placement = Placement.by_anchor((0.25, 50), "bottom-right", (0.125, 10))
    assert placement.at(800, 600, 2.0) == Bounds(500, 480, 700, 580)


def test_moved() -> None:
    placement = Placement.by_anchor((101, 51), "bottom-right", 3)
    for scale in (1.0, 1.5, 2.0):
        found = placement.at(801, 601, scale)
        for steps in range(1, 60):
            moved = placement.moved(Length(pixels=-steps / scale), Length(pixels=steps / scale))
            there = moved.at(801, 601, scale)
            assert (there.left, there.top) == (found.left - steps, found.top + steps)
            assert (there.width, there.height) == (found.width, found.height)


@pytest.mark.parametrize(
    "rect",
    [
        *(None, "abcd", 3, (0, 0, 1), (0, 0, 1, 1, 1), (0, 0, "1", 1), (0, 0, True, 1)),
        *((0.5, 0.0, 0.5, 1.0), (10, 0, 5, 10), (0.0, 1.0, 1.0, 0.0), (0, 0, 0.0, 1.0)),
        *((0.0, 0.0, float("nan"), 1.0), (0.0, 0.0, float("inf"), 1.0), (0, 0, 10**7, 10)),
    ],
)
def test_bad_rectangles(rect: Any) -> None:
    with pytest.raises(ConfigError, match="rect"):
        Placement.by_rect(rect)


def test_bad_anchors() -> None:
    for size in (None, 3, (0, 10), (10, -1), (0.0, 0.5), (1, 2, 3), ("a", 1), (float("nan"), 1.0)):
        with pytest.raises(ConfigError, match="size"):
            Placement.by_anchor(size, "top", 0)
    for anchor in (None, "middle", "", 3, ["top"]):
        with pytest.raises(ConfigError, match="anchor"):
            Placement.by_anchor((10, 10), anchor, 0)
    for margin in (None, "1", (1, 2, 3), (1,), float("nan"), True):
        with pytest.raises(ConfigError, match="margin"):
            Placement.by_anchor((10, 10), "top", margin)
