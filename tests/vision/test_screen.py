"""Screens: the finished picture is darker where the mask does not show the world; nothing else changes."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from panda3d.core import (
    Camera,
    DisplayRegion,
    NodePath,
    OrthographicLens,
    PerspectiveLens,
    TransparencyAttrib,
    UnalignedLVecBase4f,
)

from mask_support import SIZE, Cut, inputs_of, line_mask, released, side, texture_of, tilted_card
from panda_rtstamp.errors import ConfigError
from panda_rtstamp.vision.config import VisionConfig
from panda_rtstamp.vision.screen import Screen
from panda_rtstamp.vision.system import VisionMask
from pictures import Bools, rgb
from screen_support import DARK, assert_cut, assert_dimmed, next_picture, outside, screen_of, unchanged
from support import PROFILE, make_card, run_case, screenshot, step

pytestmark = pytest.mark.profiles


def orthographic(base: Any) -> None:
    """Look from where the camera is, but without perspective."""
    lens = OrthographicLens()
    lens.set_film_size(12.0, 12.0)
    lens.set_near_far(1.0, 100.0)
    base.cam.node().set_lens(lens)


@pytest.mark.parametrize("beyond", [0.0, 1.0])
@pytest.mark.parametrize("lens", ["perspective", "orthographic"])
def test_the_ground(base: Any, scene: NodePath, lens: str, beyond: float) -> None:
    """The cut is within a texel and a pixel of where the mask has it; the sky is what is beyond."""
    card = tilted_card(base, scene)
    if lens == "orthographic":
        orthographic(base)
    cut = Cut(base, card)
    with unchanged(base, scene) as before, released(screen_of(base, beyond=beyond)):
        picture = screenshot(base)
        # It is drawn once.
        regions = base.cam.node().get_display_regions()
        assert sum(region.is_active() for region in regions) == 1
    assert_cut(picture, before, cut, DARK if beyond == 0.0 else 1.0)


def test_between(base: Any, scene: NodePath) -> None:
    """mix(dark, 1, seen), where the mask rises along X from 0 to 1."""
    card = tilted_card(base, scene)
    ramp = texture_of(np.tile((np.arange(SIZE) + 0.5) / SIZE, (SIZE, 1)))
    cut = Cut(base, card)
    with unchanged(base, scene) as before, released(screen_of(base, ramp)):
        picture = screenshot(base)
    seen = np.nan_to_num(cut.surface.points[..., 0] / 10.0 + 0.5)
    # Half a step of the mask, and one of the picture.
    assert_dimmed(picture, before, DARK + (1.0 - DARK) * seen, cut.shown | cut.hidden, 1.6)


def test_what_moves(base: Any, scene: NodePath) -> None:
    """The camera, its lens, and the mask's window: each frame is right."""
    card = tilted_card(base, scene)
    inputs = inputs_of(line_mask())
    with released(Screen(base.cam, inputs, base, DARK)) as screen:
        base.cam.set_pos(base.cam, 1.0, 0.5, 0.3)
        picture = next_picture(base, screen)
        moved = Cut(base, card)
        lens = PerspectiveLens()
        lens.set_fov(35.0, 45.0)
        lens.set_film_offset(0.05, 0.0)
        lens.set_near_far(0.5, 1000.0)
        base.cam.node().set_lens(lens)
        other = next_picture(base, screen)
        wider = Cut(base, card)
        inputs.rect[0] = UnalignedLVecBase4f(0.7, 0.4, 10.0, 10.0)
        shifted = next_picture(base, screen)
    whole = screenshot(base)
    assert_cut(other, whole, wider)
    assert_cut(shifted, whole, Cut(base, card, distance=lambda points: side(points[..., :2] - (0.7, 0.4))))
    assert (rgb(picture)[moved.shown] == (255, 0, 0)).all()
    assert (rgb(picture)[moved.hidden] == (102, 0, 0)).all()


def test_what_writes_no_depth(base: Any, scene: NodePath) -> None:
    """It is taken for what is behind it: here, the ground."""
    card = tilted_card(base, scene)
    glass = make_card(3.0, 3.0)
    glass.reparent_to(scene)
    glass.set_pos(0.0, -1.0, 3.0)
    glass.set_p(-90.0)
    glass.set_color(0.0, 1.0, 0.0, 0.25)
    glass.set_transparency(TransparencyAttrib.M_alpha)
    glass.set_depth_write(False)
    with unchanged(base, scene) as before, released(screen_of(base)):
        assert_cut(screenshot(base), before, Cut(base, card))


@pytest.fixture
def second(base: Any, scene: NodePath) -> Iterator[DisplayRegion]:
    """The right half of the window; it shows what the main camera does, in half the width, before green."""
    main = base.cam.node().get_display_region(0)
    # Later than a region of sort 0, which a card of any other sort but theirs would be below or above.
    main.set_sort(2)
    region = base.win.make_display_region(0.5, 1.0, 0.0, 1.0)
    region.set_sort(5)
    region.set_clear_color_active(True)
    region.set_clear_color((0.0, 0.5, 0.0, 1.0))
    region.set_clear_depth_active(True)
    node = Camera("second", OrthographicLens())
    camera = base.cam.attach_new_node(node)
    region.set_camera(camera)
    region.set_lens_index(1)
    yield region
    base.win.remove_display_region(region)
    camera.remove_node()
    main.set_sort(0)


def half_as_wide(where: Bools) -> Bools:
    """Where it holds for both of the pixels that are one in half the width."""
    result: Bools = where[:, ::2] & where[:, 1::2]
    return result


def test_a_region_beside_another(base: Any, scene: NodePath, second: DisplayRegion) -> None:
    """Each has a screen of its own, or none."""
    card = tilted_card(base, scene)
    second.get_camera().node().set_lens(1, base.cam.node().get_lens())  # type: ignore[attr-defined]
    inputs, cut = inputs_of(line_mask()), Cut(base, card)
    left, right = (slice(None), slice(0, 128)), (slice(None), slice(128, 256))
    with unchanged(base, scene) as before:
        with released(Screen(base.cam, inputs, base, DARK)):
            picture = screenshot(base)
        assert (picture[right] == before[right]).all()
        assert (rgb(picture[left]) == rgb(before[left]))[cut.shown[left]].all()
        assert_dimmed(picture[left], before[left], DARK, cut.hidden[left] | outside(cut)[left])
        with released(Screen(second.get_camera(), inputs, base, DARK)):
            picture = screenshot(base)
        assert (picture[left] == before[left]).all()
        for where, factor in ((cut.shown, 1.0), (cut.hidden, DARK), (outside(cut), DARK)):
            assert_dimmed(picture[right], before[right], factor, half_as_wide(where))


def test_a_region_that_changes(base: Any, scene: NodePath, second: DisplayRegion) -> None:
    """It is made narrower, and is switched off and on."""
    card = tilted_card(base, scene)
    second.get_camera().node().set_lens(1, base.cam.node().get_lens())  # type: ignore[attr-defined]
    inputs, cut = inputs_of(line_mask()), Cut(base, card)
    narrow = (slice(None), slice(128, 192))
    second.set_active(False)
    with unchanged(base, scene) as without:
        with released(Screen(second.get_camera(), inputs, base, DARK)):
            assert (screenshot(base) == without).all()
        assert not second.is_active()
        with released(Screen(second.get_camera(), inputs, base, DARK)) as screen:
            second.set_active(True)
            second.set_dimensions(0.5, 0.75, 0.0, 1.0)
            picture = next_picture(base, screen)
            second.set_dimensions(0.5, 1.0, 0.0, 1.0)
        second.set_active(False)
    for where, color in ((cut.shown, (255, 0, 0)), (cut.hidden, (102, 0, 0)), (outside(cut), (0, 51, 0))):
        here = half_as_wide(half_as_wide(where))
        assert here.sum() > 200
        assert (rgb(picture[narrow])[here] == color).all()
    second.set_active(True)


def test_the_gui_is_not_dimmed(base: Any, scene: NodePath) -> None:
    card = tilted_card(base, scene)
    panel = make_card(0.5, 0.5)
    panel.reparent_to(base.render2d)
    panel.set_color(1.0, 1.0, 1.0, 1.0)
    nothing = texture_of(np.zeros((SIZE, SIZE)))
    with unchanged(base, scene) as before, released(screen_of(base, nothing)):
        picture = screenshot(base)
    white = (rgb(before) == 255).all(axis=-1)
    assert_dimmed(picture, before, np.where(white, 1.0, DARK), Cut(base, card).surface.hit | white)
    assert white.sum() == 64 * 64
    panel.remove_node()


def test_a_camera_that_is_not_shown_for_a_while(base: Any, scene: NodePath) -> None:
    cut = Cut(base, tilted_card(base, scene))
    region = base.cam.node().get_display_region(0)
    with unchanged(base, scene) as before, released(screen_of(base)) as screen:
        region.set_camera(NodePath())
        screen.update()
        assert len(base.graphics_engine.get_windows()) == 1
        region.set_camera(base.cam)
        assert_cut(next_picture(base, screen), before, cut)


def test_arguments(base: Any, scene: NodePath) -> None:
    elsewhere = scene.attach_new_node(Camera("elsewhere"))
    with VisionMask(base) as vision, unchanged(base, scene):
        for wrong in (NodePath(), scene, "camera", elsewhere):
            with pytest.raises(ConfigError, match="camera"):
                vision.screen(camera=wrong)  # type: ignore[arg-type]
        for dark in (-0.1, 1.1, None):
            with pytest.raises(ConfigError, match="dark"):
                vision.screen(dark=dark)  # type: ignore[arg-type]
        with pytest.raises(ConfigError, match="group"):
            vision.screen(group=256)
        vision.release_screen()


def test_as_a_game_asks_for_it(base: Any, scene: NodePath) -> None:
    card = tilted_card(base, scene)
    with unchanged(base, scene) as before, VisionMask(base, VisionConfig(size=(10.0, 10.0))) as vision:
        hero = scene.attach_new_node("hero")
        vision.add_viewer(hero, view_range=2.0)
        cut = Cut(base, card, distance=lambda points: np.hypot(points[..., 0], points[..., 1]) - 2.0)
        vision.screen(dark=DARK)
        assert_cut(screenshot(base, 2), before, cut)
        vision.release(base.cam)
        vision.set_config(VisionConfig(size=(10.0, 10.0), beyond="seen"))
        assert_cut(screenshot(base), before, cut, 1.0)
        vision.screen(dark=1.0)
        assert (rgb(screenshot(base)) == rgb(before)).all()
        vision.screen(dark=DARK, group=1)
        # Nobody of that group sees anything.
        assert_dimmed(screenshot(base), before, DARK, cut.shown | cut.hidden)
        vision.release_screen()
        assert (screenshot(base) == before).all()
        vision.screen()
        step(base)
        hero.remove_node()


@pytest.mark.parametrize("case", ["simplepbr", "multisampled", "reopened"])
def test_in_a_process_of_its_own(base: Any, case: str) -> None:
    assert run_case("tests/vision/screen_case.py", args=[case]).split() == ["done"]


@pytest.mark.skipif(PROFILE != "x11", reason="resizes the window")
def test_resized(base: Any) -> None:
    assert run_case("tests/vision/screen_case.py", args=["resized"]).split() == ["done"]
