"""RenderPicture: on cards, in GUI and in materials, it looks as what it shows does there."""

from typing import Any

import numpy as np
import pytest
from panda3d.core import (
    AmbientLight,
    LVecBase4f,
    NodePath,
    SamplerState,
    Texture,
    TextureAttrib,
    TextureStage,
    TransparencyAttrib,
)

from panda_rtstamp.overlay.picture import RenderPicture
from panda_rtstamp.overlay.viewport import Overlay
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


@pytest.mark.profiles
@pytest.mark.parametrize("first", ["one", "other"])
def test_two_pictures_on_a_node(base: Any, scene: NodePath, first: str) -> None:
    """Taken off in any order, and the node is as it was found."""
    show_flat(base)
    node = flat_card(scene, 1, (1, 1, 0, 1))
    node.set_texture(Texture("mine"), 2)
    found = node.get_state()
    with drawn(base, FlatScene((1, 0, 0, 1))) as one, drawn(base, FlatScene((0, 1, 0, 1))) as other:
        one.apply_to(node)
        other.apply_to(node)
        assert center(base) == [0, 255, 0]
        (one if first == "one" else other).release(node)
        assert center(base) == ([0, 255, 0] if first == "one" else [255, 0, 0])
        (other if first == "one" else one).release(node)
        assert node.get_state() == found


@pytest.mark.profiles
def test_two_stages_of_a_node(base: Any, scene: NodePath) -> None:
    """One picture on both; and a texture that the game puts on a third one meanwhile is kept."""
    node = flat_card(scene, 1)
    found = node.get_state()
    stages = [TextureStage(name) for name in ("one", "two", "mine")]
    stages[1].set_sort(1)
    mine = Texture("mine")
    with drawn(base, FlatScene()) as picture:
        for stage in stages[:2]:
            picture.apply_to(node, stage)
        for stage in stages[:2]:
            assert node.get_texture(stage) == picture.texture
        node.set_texture(stages[2], mine)
        picture.release(node)
        assert list(node.find_all_textures()) == [mine]
        assert not node.has_transparency()
        node.clear_texture(stages[2])
        node.clear_texture()
        assert node.get_state() == found


@pytest.mark.profiles
def test_what_a_stage_had_is_given_back(base: Any, scene: NodePath) -> None:
    """A texture with a sampler of its own, or that there is to be none; though another stage was changed."""
    sampler = SamplerState()
    sampler.set_wrap_u(SamplerState.WM_mirror)
    stage, other = TextureStage("screen"), TextureStage("other")
    mine, later = Texture("mine"), Texture("later")
    textured, emptied = flat_card(scene, 1), flat_card(scene, 1)
    textured.set_texture(stage, mine, sampler, 3)
    emptied.set_texture_off(stage)
    with drawn(base, FlatScene()) as picture:
        for node in (textured, emptied):
            picture.apply_to(node, stage)
            node.set_texture(other, later)
            picture.release(node)
            assert node.get_texture(other) == later
        attribs = [node.get_state().get_attrib(TextureAttrib) for node in (textured, emptied)]
        given: Any = attribs[0]
        assert given.get_on_texture(stage) == mine
        assert given.get_on_sampler(stage) == sampler
        assert given.get_on_stage_override(stage) == 3
        empty: Any = attribs[1]
        assert empty.has_off_stage(stage)


@pytest.mark.profiles
def test_the_order_of_stages_is_given_back(base: Any, scene: NodePath) -> None:
    """Those of one sort are in the order in which they came."""
    node = flat_card(scene, 1)
    stages = TextureStage("one"), TextureStage("two")
    for stage in stages:
        node.set_texture(stage, Texture("mine"))
    found = node.get_state()
    with drawn(base, FlatScene()) as picture:
        picture.apply_to(node, stages[0])
        picture.release(node)
        assert node.get_state() == found


@pytest.mark.profiles
def test_no_light_falls_on_a_card(base: Any, scene: NodePath) -> None:
    show_flat(base)
    light = scene.attach_new_node(AmbientLight("dark"))
    light.node().set_color((0.1, 0.1, 0.1, 1))
    base.render.set_light(light)
    with drawn(base, FlatScene((1, 0, 0, 1))) as picture:
        card = picture.card()
        card.reparent_to(scene)
        assert center(base) == [255, 0, 0]
    base.render.clear_light(light)


@pytest.mark.profiles
def test_as_an_overlay_of_the_scene(base: Any, scene: NodePath) -> None:
    """Half red over half blue: by a card, and drawn straight over the picture."""
    base.win.set_clear_color(LVecBase4f(1))
    show_flat(base)
    flat = FlatScene(HALF_RED)
    behind = flat_card(flat.root, 2, (0, 0, 1, 0.5))
    behind.set_transparency(TransparencyAttrib.M_alpha)
    behind.set_y(1)
    with Overlay(base, flat.root, flat.camera):
        direct = center(base)
    assert near(direct, (191, 64, 128))
    with drawn(base, flat) as picture:
        card = picture.card(2.0)
        card.reparent_to(scene)
        assert near(center(base), direct)
