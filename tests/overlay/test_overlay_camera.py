"""By which cameras overlays are seen: the game's own, which are followed and left alone, and made ones."""

from typing import Any

import numpy as np
import pytest
from panda3d.core import (
    LMatrix4,
    NodePath,
)

from panda_rtstamp.overlay.viewport import Overlay
from pictures import assert_same_scene, flat_card, look_from, snapshot
from support import screenshot
from viewport_support import RED, box_of, filled, main_scene

pytestmark = [pytest.mark.profiles, pytest.mark.threads]


def test_the_camera_is_followed_and_left_alone(base: Any, scene: NodePath) -> None:
    """The main camera, whose lens has the window's shape, in a rect that has another one."""
    main_scene(base, scene)
    look_from(base, (0.0, -6.0, 0.0))
    cards = NodePath("cards")
    card = flat_card(cards, 1.0, RED)
    plain = screenshot(base)
    before = snapshot(base.camera)
    lens = base.cam.node().get_lens()
    matrix, place = LMatrix4(lens.get_projection_mat()), base.cam.get_transform()
    with Overlay(base, cards, base.cam, rect=(0.0, 0.0, 1.0, 0.5)):
        left, top, right, bottom = box_of(filled(screenshot(base), RED))
        # A lens of 40 degrees in 128 pixels.
        size = 128 / (2 * 6 * np.tan(np.radians(20)))
        assert abs((right - left) - size) <= 1
        assert abs((bottom - top) - size) <= 1
        assert abs(left + right - 256) <= 1
        assert abs(top + bottom - 128) <= 1
        card.hide()
        assert (screenshot(base) == plain).all()
        card.show()
        base.cam.set_x(base.cam, 1.0)
        moved = box_of(filled(screenshot(base), RED))
        assert abs((left - moved[0]) - size) <= 1
        base.cam.set_transform(place)
        lens.set_fov(20.0)
        closer = box_of(filled(screenshot(base), RED))
        assert (closer[2] - closer[0]) > 2 * (right - left) - 2
        lens.set_fov(40.0)
        assert box_of(filled(screenshot(base), RED)) == (left, top, right, bottom)
        base.cam.node().set_active(False)
        assert not filled(screenshot(base), RED).any()
        base.cam.node().set_active(True)
    assert lens.get_projection_mat() == matrix
    assert_same_scene(snapshot(base.camera), before)
    assert (screenshot(base) == plain).all()


def test_the_same_lens_shows_the_same(base: Any, scene: NodePath) -> None:
    """The main scene over itself, by its own camera: to the bit."""
    main_scene(base, scene)
    before = screenshot(base)
    with Overlay(base, scene, base.cam):
        assert (screenshot(base) == before).all()


def test_a_made_camera_shows_all_of_the_scene(base: Any, scene: NodePath) -> None:
    cards = NodePath("cards")
    card = flat_card(cards, 3.0, RED)
    card.set_pos(100.0, 50.0, -7.0)
    with Overlay(base, cards, rect=(0, 0, 200, 100)) as overlay:
        left, top, right, bottom = box_of(filled(screenshot(base), RED))
        assert right - left == pytest.approx(bottom - top, abs=1)
        assert 70 <= bottom - top <= 98
        assert abs(left + right - 200) <= 1
        assert abs(top + bottom - 100) <= 1
        card.set_x(0.0)
        assert not filled(screenshot(base), RED).any()
        overlay.frame()
        assert box_of(filled(screenshot(base), RED)) == (left, top, right, bottom)
        camera = overlay.camera
        assert camera.get_parent().is_empty()
    assert camera.is_empty()


def test_a_part_of_the_main_scene(base: Any, scene: NodePath) -> None:
    """It is left as it was found, and seen by a made camera."""
    main_scene(base, scene)
    part = scene.get_child(0)
    part.set_light_off()
    before = snapshot(base.render)
    with Overlay(base, part, rect=(0, 0, 64, 64), transparent=False) as overlay:
        picture = screenshot(base)[:64, :64]
        assert overlay.camera.get_top() == base.render
        assert (picture[..., :3] > 0).any(axis=-1).sum() > 900
    assert_same_scene(snapshot(base.render), before)
