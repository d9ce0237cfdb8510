"""Overlays in the picture: over all of the main scene, where they draw, and nowhere else."""

from typing import Any

import numpy as np
import pytest
from panda3d.core import (
    Camera,
    NodePath,
    PerspectiveLens,
    TransparencyAttrib,
)

from panda_rtstamp.overlay.viewport import Overlay
from pictures import flat_card
from support import screenshot
from viewport_support import GREEN, PIXELS, RED, box_of, card_scene, filled, main_scene, pixel_camera

pytestmark = [pytest.mark.profiles, pytest.mark.threads]


def test_an_empty_overlay_changes_no_byte(base: Any, scene: NodePath) -> None:
    main_scene(base, scene)
    before = screenshot(base)
    with Overlay(base, NodePath("empty")):
        assert (screenshot(base) == before).all()
    assert (screenshot(base) == before).all()


def test_what_is_farther_is_over_the_main_scene(base: Any, scene: NodePath) -> None:
    """All of the main scene is between the camera and the card."""
    main_scene(base, scene)
    before = screenshot(base)
    cards = NodePath("cards")
    card = flat_card(cards, 100.0, RED)
    card.set_y(500.0)
    lens = PerspectiveLens()
    lens.set_near_far(1.0, 1000.0)
    camera = cards.attach_new_node(Camera("camera", lens))
    with Overlay(base, cards, camera):
        picture = screenshot(base)
        drawn = filled(picture, RED)
        left, top, right, bottom = box_of(drawn)
        assert right - left == bottom - top > 70
        assert (picture[~drawn] == before[~drawn]).all()
        card.hide()
        assert (screenshot(base) == before).all()


def test_only_objects_in_the_rect_are_drawn(base: Any, scene: NodePath) -> None:
    main_scene(base, scene)
    before = screenshot(base)
    cards = card_scene()
    # More than the rect would hold.
    far = flat_card(cards, 30.0, GREEN)
    far.set_pos(60.0, 0.0, 0.0)
    camera = pixel_camera(cards, 100.0, 80.0)
    with Overlay(base, cards, camera, rect=(10, 20, 110, 100)) as overlay:
        picture = screenshot(base)
        assert overlay.rect == (10, 20, 110, 100)
        assert box_of(filled(picture, RED)) == (40, 40, 80, 80)
        assert box_of(filled(picture, GREEN)) == (105, 45, 110, 75)
        drawn = filled(picture, RED) | filled(picture, GREEN)
        assert (picture[~drawn] == before[~drawn]).all()


@pytest.mark.parametrize("rect", [(-30, -20, 70, 60), (200, 190, 300, 270)])
def test_beyond_the_window(base: Any, scene: NodePath, rect: tuple[int, int, int, int]) -> None:
    """What is outside is cut off, and nothing is squeezed."""
    main_scene(base, scene)
    before = screenshot(base)
    cards = card_scene(size=78.0)
    with Overlay(base, cards, pixel_camera(cards, 98.0, 78.0), rect=rect, border=1, border_color=GREEN):
        picture = screenshot(base)
    left, top, right, bottom = rect
    padded = np.zeros((3 * PIXELS, 3 * PIXELS, 3), np.uint8)
    area = padded[top + PIXELS : bottom + PIXELS, left + PIXELS : right + PIXELS]
    area[:] = (0, 255, 0)
    area[1:-1, 1:-1] = (0, 0, 255)
    area[1:-1, 11:-11] = (255, 0, 0)
    expected = padded[PIXELS : 2 * PIXELS, PIXELS : 2 * PIXELS]
    drawn = expected[..., :2].any(axis=-1)
    assert (picture[drawn, :3] == expected[drawn]).all()
    assert (picture[~drawn] == before[~drawn]).all()


def test_half_transparent(base: Any, scene: NodePath) -> None:
    base.win.set_clear_color((1.0, 1.0, 1.0, 1.0))
    cards = card_scene((1.0, 0.0, 0.0, 0.5))
    cards.set_transparency(TransparencyAttrib.M_alpha)
    with Overlay(base, cards, pixel_camera(cards, PIXELS, PIXELS)):
        picture = screenshot(base)
    assert np.abs(picture[128, 128, :3].astype(int) - (255, 128, 128)).max() <= 1
    assert (picture[10, 10, :3] == 255).all()


def test_opaque_beside_transparent(base: Any, scene: NodePath) -> None:
    main_scene(base, scene)
    before = screenshot(base)
    cards = card_scene()
    camera = pixel_camera(cards, 100.0, 80.0)
    rect = (10, 20, 110, 100)
    with Overlay(base, cards, camera, rect=rect, transparent=False, background=(0.0, 0.0, 1.0)):
        picture = screenshot(base)
    area = picture[20:100, 10:110]
    card = filled(area, RED)
    assert box_of(card) == (30, 20, 70, 60)
    assert (area[~card, :3] == (0, 0, 255)).all()
    picture[20:100, 10:110] = before[20:100, 10:110]
    assert (picture == before).all()


def test_border(base: Any, scene: NodePath) -> None:
    main_scene(base, scene)
    before = screenshot(base)
    cards = card_scene(size=500.0)
    camera = pixel_camera(cards, 100.0, 80.0)
    with Overlay(base, cards, camera, rect=(10, 20, 110, 100), border=3, border_color=(0, 1, 0)) as overlay:
        picture = screenshot(base)
        assert box_of(filled(picture, RED)) == (13, 23, 107, 97)
        overlay.scale = 1.5
        assert box_of(filled(screenshot(base), RED)) == (20, 35, 160, 145)
        overlay.scale = 1.0
        overlay.hide()
        assert (screenshot(base) == before).all()
        overlay.show()
        # Nothing is left for the scene.
        overlay.place(rect=(10, 20, 16, 26))
        assert not (screenshot(base) != before).any()
    border = filled(picture, GREEN)
    assert border.sum() == 100 * 80 - 94 * 74
    drawn = border | filled(picture, RED)
    assert drawn.sum() == 100 * 80
    assert (picture[~drawn] == before[~drawn]).all()
