"""Colours of a picture, as files and programs want them: on numbers."""

import numpy as np

from panda_rtstamp.overlay.pixels import to_image, to_straight


def test_colour_over_next_to_nothing() -> None:
    """Beyond all numbers, as alpha is so small: held to 1, without a warning."""
    with np.errstate(all="raise", under="ignore"):
        for texel in ((1.0, 1.0, 1.0, 1e-39), (1e30, 0.0, 0.0, 1e-20)):
            texels = np.array([[texel]], np.float32)
            assert to_image(texels, 2.2)[0, 0].tolist() == [0, 0, 0, 0]
            assert to_straight(texels)[0, 0, 0] == 255


def test_gamma_of_known_numbers() -> None:
    def convert(gamma: float, *texel: float) -> list[int]:
        numbers: list[int] = to_image(np.array([[texel]], np.float32), gamma)[0, 0].tolist()
        return numbers

    assert convert(1.0, 0.5, 0.5, 0.5, 1.0) == [128, 128, 128, 255]
    assert convert(2.2, 0.5, 0.5, 0.5, 1.0) == [186, 186, 186, 255]
    assert convert(2.2, 0.0031308, 1.7, 0.0, 1.0) == [19, 255, 0, 255]
    # The colour is 0.5 in each; premultiplied it is 0.25.
    assert convert(2.2, 0.25, 0.25, 0.25, 0.5) == [93, 93, 93, 128]
    assert convert(1.0, 0.25, 0.25, 0.25, 0.5) == [64, 64, 64, 128]
    assert convert(2.2, 0.5, 0.0, -1.0, 0.0) == [0, 0, 0, 0]
    assert convert(2.2, np.nan, np.inf, -np.inf, 1.0) == [0, 255, 0, 255]
    assert convert(1.0, 1.0, 0.5, 0.0) == [255, 128, 0, 255]


def test_eight_bits_come_out_as_they_went_in() -> None:
    values = np.arange(256, dtype=np.float32)
    texels = np.repeat(values[:, None] / np.float32(255), 4, axis=1)[None]
    assert np.array_equal(to_image(texels)[0], np.repeat(values[:, None], 4, axis=1))


def test_straight_colour() -> None:
    stored = np.array([[(128 / 255, 0, 0, 128 / 255), (0, 0, 0, 0), (0.3, 0, 0, 0.1)]], np.float32)
    assert to_straight(stored)[0].tolist() == [[255, 0, 0, 128], [0, 0, 0, 0], [255, 0, 0, 26]]
