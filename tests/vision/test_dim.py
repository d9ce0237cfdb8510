"""Dims: what the mask does not show is darker by the factor that was asked for, and nothing else changes."""

from typing import Any

import numpy as np
import pytest
from panda3d.core import ColorBlendAttrib, NodePath, PointLight, TransparencyAttrib, UnalignedLVecBase4f

from mask_support import (
    RENDERERS,
    SIZE,
    STAGED,
    Cut,
    differences,
    draw_by,
    inputs_of,
    line_mask,
    pictures_of,
    plain_texture,
    released,
    side,
    texture_of,
    tilted_card,
)
from panda_rtstamp.vision.dimming import Dim
from pictures import Bools, Bytes, Floats, assert_same_scene, rgb, snapshot
from support import PROFILE, run_case, screenshot

pytestmark = pytest.mark.profiles

DARK = 0.4


def assert_dimmed(
    picture: Bytes, before: Bytes, factor: Floats | float, where: Bools, tolerance: float
) -> None:
    """Assert that a picture is the one before times a factor, at some pixels; tolerance of 255."""
    expected = rgb(before) * np.asarray(factor)[..., None]
    assert where.sum() > 2000
    assert np.abs(rgb(picture) - expected)[where].max() <= tolerance


@pytest.mark.parametrize("renderer", RENDERERS)
def test_what_is_unseen_is_darker(base: Any, scene: NodePath, renderer: str) -> None:
    card = tilted_card(base, scene)
    card.set_color(0.9, 0.5, 0.2, 1.0)
    draw_by(card, renderer)
    found = snapshot(scene)
    picture, before, _, after = pictures_of(base, card, lambda: Dim(scene, inputs_of(line_mask()), DARK))
    cut = Cut(base, card)
    assert (rgb(picture)[cut.shown] == rgb(before)[cut.shown]).all()
    assert_dimmed(picture, before, DARK, cut.hidden, 1.0)
    assert (rgb(picture) == rgb(before))[~cut.surface.hit].all()
    assert (after == before).all()
    assert_same_scene(snapshot(scene), found)


@pytest.mark.parametrize("dark", [0.0, 0.15, 1.0])
@pytest.mark.parametrize("renderer", RENDERERS)
def test_between(base: Any, scene: NodePath, renderer: str, dark: float) -> None:
    """mix(dark, 1, seen), where the mask rises along X from 0 to 1."""
    card = tilted_card(base, scene)
    draw_by(card, renderer)
    ramp = np.tile((np.arange(SIZE) + 0.5) / SIZE, (SIZE, 1))
    picture, before, _, _ = pictures_of(base, card, lambda: Dim(scene, inputs_of(texture_of(ramp)), dark))
    cut = Cut(base, card)
    seen = np.nan_to_num(cut.surface.points[..., 0] / 10.0 + 0.5)
    # Half a step of the mask, and one of the picture and of what is combined.
    assert_dimmed(picture, before, dark + (1.0 - dark) * seen, cut.shown | cut.hidden, 1.6)


@pytest.mark.parametrize("renderer", STAGED)
def test_lit_and_textured(base: Any, scene: NodePath, renderer: str) -> None:
    """Light falls off over the card, by which a texture is multiplied, and both are dimmed."""
    card = tilted_card(base, scene)
    texture = plain_texture()
    texture.set_ram_image(bytes([255, 128, 200, 255]))
    card.set_texture(texture)
    light = scene.attach_new_node(PointLight("lamp"))
    light.set_pos(0.5, -0.5, 2.0)
    card.set_light(light)
    fixed = screenshot(base)
    draw_by(card, renderer)
    picture, before, _, _ = pictures_of(base, card, lambda: Dim(scene, inputs_of(line_mask()), DARK))
    if renderer == "generator":
        # By pixel, where fixed function lights by vertex.
        assert (differences(before, fixed) > 8).sum() > 1000
    cut = Cut(base, card)
    assert (rgb(picture)[cut.shown] == rgb(before)[cut.shown]).all()
    assert_dimmed(picture, before, DARK, cut.hidden, 1.0)


@pytest.mark.parametrize("renderer", RENDERERS)
def test_glass_keeps_its_alpha(base: Any, scene: NodePath, renderer: str) -> None:
    """What is behind it is not dimmed."""
    card = tilted_card(base, scene)
    card.set_color(1.0, 0.4, 0.2, 0.5)
    card.set_transparency(TransparencyAttrib.M_alpha)
    draw_by(card, renderer, alpha=0.5)
    picture, before, empty, _ = pictures_of(base, card, lambda: Dim(scene, inputs_of(line_mask()), DARK))
    cut = Cut(base, card)
    behind = 0.5 * rgb(empty)
    expected = behind + DARK * (rgb(before) - behind)
    assert np.abs(rgb(picture) - expected)[cut.hidden].max() <= 1.5
    assert (rgb(picture)[cut.shown] == rgb(before)[cut.shown]).all()


@pytest.mark.parametrize("renderer", RENDERERS)
def test_shadows_are_not_dimmed_twice(base: Any, scene: NodePath, renderer: str) -> None:
    """What multiplies the picture is left as it is."""
    card = tilted_card(base, scene)
    blend = ColorBlendAttrib.make(
        ColorBlendAttrib.M_add, ColorBlendAttrib.O_zero, ColorBlendAttrib.O_incoming_color
    )
    card.set_attrib(blend)
    draw_by(card, renderer)
    base.win.set_clear_color((0.8, 0.8, 0.8, 1.0))
    picture, before, empty, _ = pictures_of(base, card, lambda: Dim(scene, inputs_of(line_mask()), DARK))
    assert (picture == before).all()
    assert differences(before, empty).max() > 50


@pytest.mark.parametrize("renderer", RENDERERS)
def test_a_window_that_moves(base: Any, scene: NodePath, renderer: str) -> None:
    card = tilted_card(base, scene)
    draw_by(card, renderer)
    inputs = inputs_of(line_mask())
    before = screenshot(base)
    with released(Dim(scene, inputs, DARK)) as dim:
        inputs.rect[0] = UnalignedLVecBase4f(0.7, 0.4, 10.0, 10.0)
        dim.update()
        picture = screenshot(base)
    cut = Cut(base, card, distance=lambda points: side(points[..., :2] - (0.7, 0.4)))
    assert (rgb(picture)[cut.shown] == rgb(before)[cut.shown]).all()
    assert_dimmed(picture, before, DARK, cut.hidden, 1.0)


@pytest.mark.skipif(PROFILE == "x11", reason="runs without a window")
def test_simplepbr(base: Any) -> None:
    assert run_case("tests/vision/simplepbr_case.py", args=["dim"]).split() == ["done"]
