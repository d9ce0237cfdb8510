"""Screens of pictures that a FilterManager of the game draws, whenever it comes, changes and goes."""

from collections.abc import Iterator
from typing import Any

import pytest
from direct.filter.CommonFilters import CommonFilters
from direct.filter.FilterManager import FilterManager
from panda3d.core import NodePath, Texture

from mask_support import Cut, released, tilted_card
from pictures import PLAIN_VERTEX, glsl, rgb
from screen_support import assert_cut, next_picture, screen_of, unchanged
from support import PROFILE, screenshot, step

pytestmark = pytest.mark.profiles

QUAD_FRAGMENT = """#version 330
uniform sampler2D color;
out vec4 o_color;
void main() {
    o_color = texelFetch(color, ivec2(gl_FragCoord.xy), 0).grba;
}
"""


def invert(manager: FilterManager) -> None:
    """Draw the scene with red and green in each other's place."""
    color = Texture("game-color")
    quad = manager.render_scene_into(colortex=color)
    assert quad is not None
    quad.set_shader(glsl(PLAIN_VERTEX, QUAD_FRAGMENT))
    quad.set_shader_input("color", color)


@pytest.fixture
def manager(base: Any) -> Iterator[FilterManager]:
    """A game's FilterManager, made when it is asked for."""
    result = FilterManager(base.win, base.cam)
    yield result
    result.cleanup()
    result.ignore_all()


def test_a_filter_manager_that_was_there(base: Any, scene: NodePath, manager: FilterManager) -> None:
    card = tilted_card(base, scene)
    plain = screenshot(base)
    invert(manager)
    cut = Cut(base, card)
    with unchanged(base, scene) as before, released(screen_of(base)):
        assert (rgb(before)[cut.shown] == (0, 255, 0)).all()
        assert len(base.graphics_engine.get_windows()) == 2
        assert_cut(screenshot(base), before, cut)
    with released(screen_of(base)) as screen:
        # Made anew, as CommonFilters does for each filter.
        manager.cleanup()
        invert(manager)
        assert_cut(next_picture(base, screen), before, cut)
        manager.cleanup()
        assert_cut(next_picture(base, screen), plain, cut)
        invert(manager)
        assert_cut(next_picture(base, screen), before, cut)
    assert (screenshot(base) == before).all()


def test_a_filter_manager_that_comes_later(base: Any, scene: NodePath) -> None:
    card = tilted_card(base, scene)
    cut = Cut(base, card)
    with unchanged(base, scene):
        with released(screen_of(base)) as screen:
            step(base)
            later = FilterManager(base.win, base.cam)
            invert(later)
            picture = next_picture(base, screen)
        whole = screenshot(base)
        assert (rgb(whole)[cut.shown] == (0, 255, 0)).all()
        assert_cut(picture, whole, cut)
        later.cleanup()
        later.ignore_all()


def test_a_depth_that_the_game_reads(base: Any, scene: NodePath, manager: FilterManager) -> None:
    """It is read, and stays where it is."""
    card = tilted_card(base, scene)
    depth = Texture("game-depth")
    quad = manager.render_scene_into(depthtex=depth)
    assert quad is not None
    quad.clear_color()
    with unchanged(base, scene) as before, released(screen_of(base)):
        assert manager.buffers[0].count_textures() == 2
        assert_cut(screenshot(base), before, Cut(base, card))


@pytest.fixture
def filters(base: Any) -> Iterator[CommonFilters]:
    """A game's CommonFilters; none of them is on yet."""
    result = CommonFilters(base.win, base.cam)
    yield result
    result.cleanup()
    result.manager.cleanup()
    result.manager.ignore_all()


def bloom(filters: CommonFilters) -> None:
    """Let all that is bright glow."""
    assert filters.set_bloom(intensity=1.0, mintrigger=0.1, desat=0.0)


@pytest.mark.skipif(PROFILE != "x11", reason="CommonFilters are written in Cg")
def test_common_filters(base: Any, scene: NodePath, filters: CommonFilters) -> None:
    """They come, change and go while there is a screen; and one is made when they are there."""
    card = tilted_card(base, scene)
    cut, plain = Cut(base, card), screenshot(base)
    with unchanged(base, scene), released(screen_of(base)) as screen:
        bloom(filters)
        glowing = next_picture(base, screen)
        filters.set_inverted()
        inverted = next_picture(base, screen)
        filters.del_bloom()
        filters.del_inverted()
        assert_cut(next_picture(base, screen), plain, cut)
    bloom(filters)
    with unchanged(base, scene) as before, released(screen_of(base)):
        assert (rgb(before) != rgb(plain)).any()
        assert_cut(screenshot(base), before, cut)
        assert_cut(glowing, before, cut)
    filters.set_inverted()
    assert_cut(inverted, screenshot(base), cut)
