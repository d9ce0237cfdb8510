"""How overlays look: as their own scene says, and as the main one where that is asked for."""

from typing import Any

import pytest
from panda3d.core import (
    DirectionalLight,
    NodePath,
    PointLight,
    Shader,
)

from panda_rtstamp.overlay.viewport import Overlay
from pictures import PLAIN_VERTEX, assert_same_scene, flat_card, glsl, plain_shader, snapshot
from shapes import box
from support import PROFILE, screenshot
from viewport_support import BLUE, GREEN, PIXELS, RED, box_of, filled, fog, pixel_camera

pytestmark = pytest.mark.profiles

# What the main scene may have that an overlay doesn't.
LOOKS = ("lights", "fog", "shader", "render_mode")


def lit_scene() -> NodePath:
    """A box that is lit by a light of its own scene."""
    scene = NodePath("lit")
    part = box((40.0, 40.0, 40.0))
    part.reparent_to(scene)
    part.set_hpr(30.0, 40.0, 0.0)
    light = scene.attach_new_node(DirectionalLight("its own"))
    light.set_hpr(20.0, -30.0, 0.0)
    scene.set_light(light)
    return scene


def change(base: Any, look: str) -> None:
    """Give the main scene another look; the scene fixture takes it back."""
    if look == "lights":
        lamp = PointLight("lamp")
        lamp.set_color((1.0, 0.5, 0.2, 1.0))
        path = base.render.find("scene").attach_new_node(lamp)
        path.set_pos(50.0, -500.0, 50.0)
        base.render.set_light(path)
    elif look == "fog":
        base.render.set_fog(fog())
    elif look == "shader":
        base.render.set_shader(color_shader(BLUE))
    else:
        base.render.set_render_mode_wireframe()


def color_shader(color: tuple[float, ...]) -> Shader:
    """That draws everything in one colour."""
    fragment = f"#version 330\nout vec4 o_color;\nvoid main() {{ o_color = vec4{color}; }}\n"
    return glsl(PLAIN_VERTEX, fragment)


@pytest.mark.parametrize("where", ["its own scene", "a part of the main one", "the main one"])
@pytest.mark.parametrize("look", LOOKS)
def test_the_main_scene_s_look_is_not_the_overlay_s(
    base: Any, scene: NodePath, look: str, where: str
) -> None:
    base.win.set_clear_color((0.0, 0.0, 0.0, 1.0))
    main = box((1.0, 1.0, 1.0))
    main.reparent_to(scene)
    shown = lit_scene()
    camera = pixel_camera(shown, 128.0, 128.0)
    if where != "its own scene":
        shown.reparent_to(scene)
        # Out of the main camera's sight.
        shown.set_z(1000.0)
    if where == "the main one":
        shown = base.render
    found, state = snapshot(shown), base.render.get_state()
    with Overlay(base, shown, camera, rect=(0, 0, 128, 128)):
        before = screenshot(base)
        assert (before[:128, :128, :3] > 0).any(axis=-1).sum() > 1000
        change(base, look)
        after = screenshot(base)
    assert (after[:128, :128] == before[:128, :128]).all()
    base.render.set_state(state)
    scene.find_all_matches("lamp").detach()
    assert_same_scene(snapshot(shown)[: len(found)], found)


@pytest.mark.threads
@pytest.mark.parametrize("look", LOOKS)
def test_what_is_inherited_follows_the_main_scene(base: Any, scene: NodePath, look: str) -> None:
    if look in ("lights", "fog") and PROFILE == "core":
        pytest.skip("the core profile has neither without a shader")
    shown = lit_scene()
    camera = pixel_camera(shown, 128.0, 128.0)
    with Overlay(base, shown, camera, inherit=[look]) as overlay:
        before = screenshot(base)
        for other in LOOKS:
            if other != look:
                change(base, other)
        assert (screenshot(base) == before).all()
        base.render.clear_fog()
        change(base, look)
        after = screenshot(base)
        assert not (after == before).all()
        if look == "fog":
            assert (filled(after, (1, 1, 0)) == (before[..., :3] != before[0, 0, :3]).any(axis=-1)).all()
        if look == "shader":
            assert filled(after, (0, 0, 1)).sum() > 1000
        base.render.clear_shader()
        base.render.clear_light()
        base.render.clear_fog()
        base.render.clear_render_mode()
        assert (screenshot(base) == before).all()
        # What stands on the scene itself goes before it.
        if look == "shader":
            shown.set_shader(plain_shader())
            own = screenshot(base)
            change(base, look)
            assert (screenshot(base) == own).all()
        assert overlay.scene == shown


def test_in_the_main_scene_nodes_keep_what_is_their_own(base: Any, scene: NodePath) -> None:
    """Of the main scene as a whole, only what stands on its root is left out."""
    card = flat_card(scene, 40.0, RED)
    other = flat_card(scene, 40.0, RED)
    other.set_x(80.0)
    other.set_shader(color_shader(BLUE))
    camera = pixel_camera(scene, PIXELS, PIXELS)
    with Overlay(base, base.render, camera):
        before = screenshot(base)
        assert box_of(filled(before, RED)) == (108, 108, 148, 148)
        assert box_of(filled(before, BLUE)) == (188, 108, 228, 148)
        base.render.set_shader(color_shader(GREEN), 5)
        base.render.set_render_mode_wireframe(7)
        base.win.set_clear_color((0.0, 0.0, 0.0, 1.0))
        picture = screenshot(base)
        assert box_of(filled(picture, RED)[:, :160]) == (108, 108, 148, 148)
        assert not filled(picture, GREEN).any()
        # Weaker than what is left out: as weak as it is beside that.
        assert not filled(picture, BLUE).any()
        other.set_shader(color_shader(BLUE), 6)
        assert box_of(filled(screenshot(base), BLUE)) == (188, 108, 228, 148)
        card.hide()
    with Overlay(base, base.render, camera, inherit=("shader",)):
        picture = screenshot(base)
        assert not filled(picture, RED).any()
        assert box_of(filled(picture, BLUE)) == (188, 108, 228, 148)


def test_the_background_is_inherited(base: Any, scene: NodePath) -> None:
    base.win.set_clear_color((0.0, 0.0, 1.0, 1.0))
    with Overlay(base, NodePath("empty"), transparent=False, inherit={"background"}, rect=(0, 0, 9, 9)):
        assert filled(screenshot(base), (0, 0, 1)).all()
        base.win.set_clear_color((0.0, 1.0, 0.0, 1.0))
        assert filled(screenshot(base), GREEN).all()
