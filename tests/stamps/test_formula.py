"""A mark is what the formula says, texel by texel, wherever the node stands and however it is scaled."""

from typing import Any

import numpy as np
import pytest
from panda3d.core import NodePath, Point3

from stamp_support import STEP, Floats, card_at, card_points, mask_formula, primary_mask, system, world_points
from support import compare_images, read_target, step

SIZE = 100.0
TEXELS = 512
RADIUS = 20.0
# Of 32-bit floats, where an unmarked texel is decoded.
ROUNDING = 1e-8
TOLERANCE = {"rgba8": STEP, "r16": STEP, "rgba16f": 2e-3, "r16f": 2e-3}
pytestmark = pytest.mark.profiles


def expected_mask(
    card: NodePath, point: tuple[float, float, float], hardness: float, opacity: float
) -> Floats:
    """The mask on a card after a hit at this point of the world."""
    distance = np.linalg.norm(world_points(card, card_points(SIZE, TEXELS)) - point, axis=-1)
    return mask_formula(distance, RADIUS, hardness, opacity)


@pytest.mark.parametrize("format", TOLERANCE)
@pytest.mark.parametrize(
    ("hardness", "opacity"), [(0.1, 1.0), (0.9, 1.0), (1.0, 1.0), (0.1, 0.5), (1.0, 0.5)]
)
def test_every_texel_of_a_mark(
    base: Any, scene: NodePath, format: str, hardness: float, opacity: float
) -> None:
    card = card_at(scene, SIZE, TEXELS)
    point = (5.03, 200.0, -10.02)
    with system(base, format=format) as stamps:
        binding = stamps.hit(card, point, radius=RADIUS, hardness=hardness, opacity=opacity)
        assert binding is not None
        step(base)
        mask = primary_mask(base, binding)
    expected = expected_mask(card, point, hardness, opacity)
    compare_images(mask, expected, TOLERANCE[format], f"formula-{format}-{hardness}-{opacity}")
    assert mask.max() == pytest.approx(expected.max(), abs=TOLERANCE[format])
    outside = np.linalg.norm(world_points(card, card_points(SIZE, TEXELS)) - point, axis=-1) > RADIUS
    assert mask[outside].max() < ROUNDING


def test_colour_is_stored_straight(base: Any, scene: NodePath) -> None:
    card = card_at(scene, SIZE, TEXELS)
    point = (0.0, 200.0, 0.0)
    color = np.array([1.0, 0.5, 0.25])
    with system(base, format="rgba16f") as stamps:
        binding = stamps.hit(card, point, radius=RADIUS, color=(*color, 0.5))
        assert binding is not None
        step(base)
        stored = read_target(base, binding.primary)
        image = stamps.image(card)
        alpha = binding.alpha
    mask = expected_mask(card, point, 0.1, 0.5)
    marked = mask > 0.01
    assert np.abs(stored[marked][:, :3] - color).max() <= 2e-3
    assert image is not None
    compare_images(image[..., :3] / alpha, mask[..., None] * color, 2e-3, "premultiplied")


@pytest.mark.parametrize("format", ["rgba8", "rgba16f"])
def test_a_mark_is_a_sphere_in_the_world_under_nested_scales(base: Any, scene: NodePath, format: str) -> None:
    outer = scene.attach_new_node("outer")
    outer.set_pos_hpr_scale((3.0, 20.0, 1.0), (20.0, 30.0, 40.0), (3.0, 1.0, 0.5))
    middle = outer.attach_new_node("middle")
    middle.set_pos_hpr((1.0, -2.0, 3.0), (-50.0, 10.0, 5.0))
    card = card_at(middle, SIZE, TEXELS, 7.0)
    card.set_hpr(15.0, -25.0, 35.0)
    with system(base, format=format, auto_fade=False) as stamps:
        for index, local in enumerate([(10.0, 0.0, -5.0), (-12.0, 0.0, 8.0)]):
            point = tuple(world_points(card, np.array(local)))
            binding = stamps.hit(card, point, radius=RADIUS)
            assert binding is not None
            step(base)
            expected = expected_mask(card, point, 0.1, 1.0)
            compare_images(
                primary_mask(base, binding), expected, TOLERANCE[format], f"nested-{format}-{index}"
            )
            outer.set_pos(outer.get_pos() + (40.0, -7.0, 11.0))
            outer.set_h(outer.get_h() + 33.0)


def test_a_mark_stays_where_it_struck_when_the_node_moves_before_the_frame(
    base: Any, scene: NodePath
) -> None:
    card = card_at(scene, SIZE, TEXELS)
    struck = (5.0, 200.0, -10.0)
    expected = expected_mask(card, struck, 0.1, 1.0)
    with system(base, format="rgba16f") as stamps:
        binding = stamps.hit(card, struck, radius=RADIUS)
        assert binding is not None
        card.set_pos(card.get_pos() + (500.0, 0.0, 300.0))
        step(base)
        compare_images(primary_mask(base, binding), expected, 2e-3, "moved")


def test_a_million_units_from_the_origin(base: Any, scene: NodePath) -> None:
    local = Point3(1.5, 0.0, -2.25)
    images = {}
    for place in (0.0, 1e6):
        card = card_at(scene, 10.0, TEXELS)
        card.set_pos(place, place, -place)
        card.set_hpr(10.0, 20.0, 30.0)
        with system(base, auto_fade=False) as stamps:
            stamps.hit(card, local, other=card, radius=2.0, color=(1.0, 0.5, 0.2))
            step(base)
            images[place] = stamps.image(card)
        card.remove_node()
    near, far = images[0.0], images[1e6]
    assert near is not None
    assert far is not None
    assert near[..., 3].max() > 0.98
    compare_images(far, near, 2 / 255, "far-away")


def test_a_hit_that_touches_nothing_leaves_nothing(base: Any, scene: NodePath) -> None:
    card = card_at(scene, SIZE, TEXELS)
    with system(base) as stamps:
        binding = stamps.hit(card, (0.0, 200.0 + 2 * RADIUS, 0.0), radius=RADIUS)
        assert binding is not None
        step(base)
        assert primary_mask(base, binding).max() < ROUNDING
        image = stamps.image(card)
        assert image is not None
        assert image.max() == 0.0
