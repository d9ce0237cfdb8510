"""RenderPicture: on cards, in GUI and in materials, it looks as what it shows does there."""

from typing import Any

import numpy as np
import pytest
from panda3d.core import (
    LVecBase4f,
    NodePath,
    TextureStage,
    TransparencyAttrib,
)

from panda_rtstamp.overlay.picture import RenderPicture
from picture_support import FORMATS, HALF_RED, FlatScene, drawn, show_flat
from pictures import flat_card, rgb
from support import screenshot

PINK = (255, 128, 128)


def center(base: Any) -> list[int]:
    """The colour in the middle of the window."""
    middle: list[int] = rgb(screenshot(base, frames=2))[128, 128].astype(int).tolist()
    return middle


def near(color: Any, expected: Any) -> bool:
    """Within one step."""
    return bool(np.abs(np.subtract(color, expected)).max() <= 1)


@pytest.mark.profiles
@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("where", ["gui", "card", "material"])
def test_shown_on_white(base: Any, scene: NodePath, where: str, format: str) -> None:
    """As the half red card itself looks there."""
    base.win.set_clear_color(LVecBase4f(1))
    show_flat(base)
    direct = flat_card(scene, 1, HALF_RED)
    direct.set_transparency(TransparencyAttrib.M_alpha)
    expected = center(base)
    assert near(expected, PINK)
    direct.remove_node()
    flat = FlatScene(HALF_RED)
    with drawn(base, flat, format=format, update="visible") as picture:
        if where == "gui":
            shown: NodePath = picture.onscreen_image(scale=0.5)
        elif where == "card":
            shown = picture.card()
            shown.reparent_to(scene)
        else:
            shown = flat_card(scene, 1)
            picture.apply_to(shown)
        assert center(base) == expected
        assert rgb(screenshot(base))[5, 5].tolist() == [255, 255, 255]
        shown.remove_node()


def bounds_of(node: NodePath) -> list[float]:
    """The lowest and the highest corner."""
    corners = node.get_tight_bounds()
    assert corners is not None
    return [component for corner in corners for component in corner]


def test_a_card_has_the_shape_of_the_picture(base: Any) -> None:
    scene = FlatScene()
    with RenderPicture(base, scene.root, scene.camera, size=(40, 10)) as picture:
        assert bounds_of(picture.card(2.0)) == [-1, 0, -0.25, 1, 0, 0.25]
        image = picture.onscreen_image(pos=(0.5, 0, 0), scale=0.25)
        assert bounds_of(image) == [-0.5, 0, -0.25, 1.5, 0, 0.25]
        image.destroy()


@pytest.mark.profiles
def test_an_opaque_picture_needs_no_blend(base: Any) -> None:
    scene = FlatScene()
    for options in ({"format": "r11g11b10f"}, {"background": (0, 0, 0)}):
        with RenderPicture(base, scene.root, scene.camera, size=16, **options) as picture:
            assert picture.card().get_transparency() == TransparencyAttrib.M_none
    with RenderPicture(base, scene.root, scene.camera, size=16) as picture:
        assert picture.card().get_transparency() == TransparencyAttrib.M_premultiplied_alpha


@pytest.mark.profiles
def test_before_it_is_drawn_it_shows_its_background(base: Any, scene: NodePath) -> None:
    base.win.set_clear_color(LVecBase4f(1))
    show_flat(base)
    flat = FlatScene()
    for background, expected in ((None, (255, 255, 255)), ((0, 0, 1), (0, 0, 255))):
        with RenderPicture(
            base, flat.root, flat.camera, size=16, update="manual", background=background
        ) as picture:
            card = picture.card(2.0)
            card.reparent_to(scene)
            assert center(base) == list(expected)
            card.remove_node()


@pytest.mark.profiles
def test_a_stage_of_its_own(base: Any, scene: NodePath) -> None:
    """The model's other texture stays; and all of it is given back."""
    show_flat(base)
    stage = TextureStage("screen")
    flat = FlatScene((0, 1, 0, 1))
    node = flat_card(scene, 1, (1, 1, 0, 1))
    found = node.get_state()
    with drawn(base, flat) as picture:
        picture.apply_to(node, stage)
        assert center(base) == [0, 255, 0]
        picture.release(node)
        assert node.get_state() == found
        picture.release(node)
        assert center(base) == [255, 255, 0]
