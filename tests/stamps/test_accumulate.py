"""Marks accumulate: one capture a node and frame, none dropped, together or one by one."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from panda3d.core import NodePath

from stamp_support import Floats, card_at, card_points, mask_formula, system
from support import compare_images, read_target, step

SIZE = 100.0
TEXELS = 256
HITS = 40
ORANGE = (1.0, 0.5, 0.0)
# Hits a frame, and the captures they make.
GROUPS = {"one a frame": [1] * HITS, "all in one frame": [HITS], "groups of 8": [8] * 5}
Shot = tuple[tuple[float, float, float], tuple[float, float, float]]


def shots(count: int = HITS) -> list[Shot]:
    """Overlapping hits: point, colour."""
    random = np.random.default_rng(7)
    found: list[Shot] = []
    for _ in range(count):
        x, z = random.uniform(-50.0, 50.0, 2)
        red, green, blue = random.uniform(0.0, 1.0, 3)
        found.append(((x, 200.0, z), (red, green, blue)))
    return found


def expected_temp(all_shots: Sequence[Shot], adds: bool, channels: int) -> Floats:
    """What is seen after these hits, as floats: premultiplied colour and mask, or the mask alone."""
    points = card_points(SIZE, TEXELS) + (0.0, 200.0, 0.0)
    result = np.zeros((TEXELS, TEXELS, 4))
    for point, color in all_shots:
        mask = mask_formula(np.linalg.norm(points - point, axis=-1), 20.0, 0.1)[..., None]
        result = result * (1.0 if adds else 1.0 - mask) + mask * (*color, 1.0)
    result = np.minimum(result, 1.0)
    return result if channels == 4 else result[..., 3:]


@pytest.mark.parametrize("format", ["rgba8", "rgba16f", "r16", "r16f"])
@pytest.mark.parametrize("blend", ["over", "add"])
@pytest.mark.parametrize("grouping", GROUPS)
def test_hits_accumulate_alike_however_they_come(
    base: Any, scene: NodePath, format: str, blend: str, grouping: str
) -> None:
    card = card_at(scene, SIZE, TEXELS)
    remaining = shots()
    with system(base, format=format, blend=blend, auto_fade=False) as stamps:
        for count in GROUPS[grouping]:
            for point, color in remaining[:count]:
                stamps.hit(card, point, radius=20.0, color=color)
            remaining = remaining[count:]
            step(base)
        binding = stamps.binding(card)
        assert binding is not None
        captures = stamps.capture_count
        assert captures == len(GROUPS[grouping])
        headroom = 1.0 / binding.share
        temp = read_target(base, binding.temp)
    # Temp holds the marks times the headroom of its format; the figures are those of Temp itself.
    expected = expected_temp(shots(), blend == "add", temp.shape[2]) * headroom
    tolerance = 2e-3 if format != "rgba8" else (0.5 * captures + 0.5) / 255
    compare_images(temp, expected, tolerance, f"accumulate-{format}-{blend}-{grouping.replace(' ', '-')}")


@pytest.mark.parametrize("format", ["rgba8", "rgba16f"])
def test_orange_stays_orange_after_ten_hits(base: Any, scene: NodePath, format: str) -> None:
    card = card_at(scene, SIZE, TEXELS)
    count = 10
    with system(base, format=format, auto_fade=False) as stamps:
        for _ in range(count):
            stamps.hit(card, (0.0, 200.0, 0.0), radius=30.0, hardness=0.5, color=ORANGE)
            step(base)
        binding = stamps.binding(card)
        assert binding is not None
        headroom = 1.0 / binding.share
        image = stamps.image(card)
    assert image is not None
    distance = np.linalg.norm(card_points(SIZE, TEXELS), axis=-1)
    mask = 1.0 - (1.0 - mask_formula(distance, 30.0, 0.5)) ** count
    expected = mask[..., None] * (*ORANGE, 1.0)
    # In 8 bits each capture rounds twice: Primary's mask, of which Temp takes `headroom`, and Temp.
    tolerance = 2e-3 if format != "rgba8" else (0.5 + 0.5 * headroom) * (count + 1) / 255 / headroom
    compare_images(image, expected, tolerance, f"orange-{format}")
    full = distance < 14.0
    assert full.any()
    assert np.abs(image[full] - expected[full]).max() <= 2 / 255


def test_one_capture_a_frame_for_any_number_of_hits(base: Any, scene: NodePath) -> None:
    card = card_at(scene, SIZE, TEXELS)
    with system(base, format="r16f", auto_fade=False) as stamps:
        for index in range(300):
            x = -45.0 + 90.0 * (index % 20) / 19
            z = -45.0 + 90.0 * (index // 20) / 14
            stamps.hit(card, (x, 200.0, z), radius=1.5, hardness=1.0)
        step(base)
        image = stamps.image(card)
        assert stamps.capture_count == 1
    assert image is not None
    points = card_points(SIZE, TEXELS)
    for index in range(300):
        center = (-45.0 + 90.0 * (index % 20) / 19, 0.0, -45.0 + 90.0 * (index // 20) / 14)
        inside = np.linalg.norm(points - center, axis=-1) < 1.4
        assert image[inside][:, 3].min() == pytest.approx(1.0, abs=2e-3)


def test_a_new_mark_starts_clean_in_a_reused_pair(base: Any, scene: NodePath) -> None:
    first, second = card_at(scene, SIZE, TEXELS), card_at(scene, SIZE, TEXELS)
    with system(base, auto_fade=False) as stamps:
        stamps.hit(first, (-20.0, 200.0, 0.0), radius=20.0)
        step(base)
        pair = stamps.bindings[0].temp
        stamps.clear_all()
        stamps.hit(second, (20.0, 200.0, 0.0), radius=20.0)
        step(base)
        assert stamps.bindings[0].temp == pair
        image = stamps.image(second)
    assert image is not None
    left = card_points(SIZE, TEXELS)[..., 0] < -1.0
    assert image[left].max() == 0.0
    assert image[~left].max() > 0.9
