"""The texture of strands: how much of the skin is covered at each height, and to the eye from afar."""

import numpy as np
import pytest
from panda3d.core import Texture

from panda_rtstamp.fur.strands import SLICES, coverage, strand_texture

HEIGHTS = (np.arange(SLICES) + 0.5) / SLICES


@pytest.mark.parametrize("density", [0.0, 0.3, 0.7, 1.0])
@pytest.mark.parametrize("taper", [0.0, 0.5, 1.0])
def test_as_much_is_covered_as_asked_for(density: float, taper: float) -> None:
    """At the height t, density * (1 - taper * t)^2 of the skin."""
    covered = coverage(density, taper, 0.0).mean(axis=(1, 2))
    assert covered == pytest.approx(density * (1 - taper * HEIGHTS) ** 2, abs=0.012)


def test_all_of_it_leaves_no_gap() -> None:
    assert coverage(1.0, 0.0, 0.0).min() == 1.0
    assert coverage(0.0, 0.0, 0.0).max() == 0.0


def test_strands_are_of_different_lengths() -> None:
    """Evenly from 1 - variation to 1: in the upper half fewer and fewer are left."""
    covered = coverage(1.0, 0.0, 0.5).mean(axis=(1, 2))
    expected = np.clip((1.0 - HEIGHTS) / 0.5, 0.0, 1.0)
    assert covered == pytest.approx(expected, abs=0.03)


def test_strands_do_not_widen_upwards() -> None:
    layers = coverage(0.9, 0.6, 0.4)
    assert (np.diff(layers, axis=0) <= 1e-6).all()


def test_equal_strands_are_one_texture() -> None:
    first, second = strand_texture(0.5, 0.5, 0.0), strand_texture(0.5, 0.5, 0.0)
    assert first == second
    assert first != strand_texture(0.5, 0.5, 0.25)
    assert first.get_texture_type() == Texture.TT_2d_texture_array
    assert first.get_z_size() == SLICES + 1
    assert first.uses_mipmaps()
