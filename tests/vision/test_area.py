"""Where the rectangle of a mask lies: it goes by whole texels."""

import numpy as np
import pytest

from panda_rtstamp.vision.area import Area

AREA = Area((5.0, -3.0), (64.0, 32.0))


def test_it_goes_to_the_nearest_texel() -> None:
    """Of half a unit along X and a quarter along Y."""
    assert AREA.near(5.0, -3.0, 128) == AREA
    assert AREA.near(5.24, -3.12, 128) == AREA
    assert AREA.near(5.26, -3.13, 128) == Area((5.5, -3.25), AREA.size)
    assert AREA.near(-20.1, 40.1, 128) == Area((-20.0, 40.0), AREA.size)


@pytest.mark.parametrize("scale", [1.0, 1e5])
def test_the_way_it_went_is_known(scale: float) -> None:
    for x, y in np.random.default_rng(0).uniform(-scale, scale, (100, 2)):
        before = AREA.near(x, y, 128)
        after = before.near(before.center[0] + 7.1, before.center[1] - 3.05, 128)
        assert after.shift_from(before, 128) == (14, -12)


@pytest.mark.parametrize(
    "other",
    [
        Area((5.0, -3.0), (64.0, 33.0)),  # of another size
        Area((5.2, -3.0), (64.0, 32.0)),  # between texels
        Area((5.0 + 64.0, -3.0), (64.0, 32.0)),  # beside it
    ],
)
def test_nothing_lies_where_it_lay(other: Area) -> None:
    assert other.shift_from(AREA, 128) is None


def test_places_in_another() -> None:
    whole = Area((0.0, 0.0), (128.0, 128.0))
    width, height, x, y = AREA.places_in(whole)
    # Corners: (-27, -19) and (37, 13).
    assert np.allclose([x, y], [37.0 / 128.0, 45.0 / 128.0])
    assert np.allclose([width + x, height + y], [101.0 / 128.0, 77.0 / 128.0])
    assert AREA.places_in(AREA) == (1.0, 1.0, 0.0, 0.0)
