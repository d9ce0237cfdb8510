"""Overlays as a game calls them: sorts, moving, the end, and bad arguments."""

import gc
from typing import Any

import pytest
from panda3d.core import (
    LensNode,
    NodePath,
    PandaNode,
    WeakNodePath,
)

from panda_rtstamp.errors import ConfigError
from panda_rtstamp.overlay.viewport import Overlay
from support import PROFILE, frames_behind, run_case, screenshot, step
from viewport_support import (
    GREEN,
    PIXELS,
    RED,
    box_of,
    card_scene,
    filled,
    main_scene,
    pixel_camera,
)

pytestmark = [pytest.mark.profiles, pytest.mark.threads]


def test_several_stack(base: Any, scene: NodePath) -> None:
    scenes = [card_scene(color) for color in (RED, GREEN)]
    cameras = [pixel_camera(each, PIXELS, PIXELS) for each in scenes]
    first, second = (Overlay(base, *both) for both in zip(scenes, cameras, strict=True))
    assert (first.sort, second.sort) == (1, 2)
    assert box_of(filled(screenshot(base), GREEN)) == (108, 108, 148, 148)
    second.hide()
    assert box_of(filled(screenshot(base), RED)) == (108, 108, 148, 148)
    second.show()
    first.destroy()
    again = Overlay(base, scenes[0], cameras[0])
    assert again.sort == 3
    assert box_of(filled(screenshot(base), RED)) == (108, 108, 148, 148)
    lowest = Overlay(base, scenes[1], cameras[1], sort=1)
    assert lowest.sort == 1
    for overlay in (second, again, lowest):
        overlay.destroy()


def test_the_next_free_sort(base: Any, scene: NodePath) -> None:
    """The game has regions of its own."""
    region = base.win.make_display_region()
    region.set_sort(9)
    overlays = [Overlay(base, NodePath("empty")) for _ in range(8)]
    assert [overlay.sort for overlay in overlays] == [8, 7, 6, 5, 4, 3, 2, 1]
    before = base.win.get_num_display_regions()
    with pytest.raises(ConfigError, match="sorts"):
        Overlay(base, NodePath("empty"))
    assert base.win.get_num_display_regions() == before
    with Overlay(base, NodePath("empty"), sort=4) as shared:
        assert shared.sort == 4
    overlays.pop(3).destroy()
    again = Overlay(base, NodePath("empty"))
    assert again.sort == 5
    for overlay in [*overlays, again]:
        overlay.destroy()
    base.win.remove_display_region(region)


def test_show_hide_and_move(base: Any, scene: NodePath) -> None:
    before = screenshot(base)
    cards = card_scene()
    with Overlay(base, cards, pixel_camera(cards, 64, 64), size=(64, 64), anchor="bottom-right") as overlay:
        assert overlay.visible
        assert box_of(filled(screenshot(base), RED)) == (204, 204, 244, 244)
        overlay.move(-20, -10)
        assert box_of(filled(screenshot(base), RED)) == (184, 194, 224, 234)
        overlay.move(-0.25, 0.0)
        assert box_of(filled(screenshot(base), RED)) == (120, 194, 160, 234)
        overlay.place(size=(64, 64), anchor="left", margin=4)
        assert box_of(filled(screenshot(base), RED)) == (16, 108, 56, 148)
        overlay.hide()
        assert not overlay.visible
        assert (screenshot(base) == before).all()
        overlay.show()
        assert box_of(filled(screenshot(base), RED)) == (16, 108, 56, 148)
    overlay.destroy()
    overlay.show()
    overlay.move(1, 1)
    overlay.place()
    overlay.frame()
    overlay.hide()
    step(base)
    assert overlay.rect is None


def test_destroy_gives_the_region_back(base: Any, scene: NodePath) -> None:
    count = base.win.get_num_display_regions()
    overlay = Overlay(base, card_scene(), border=2)
    assert base.win.get_num_display_regions() == count + 5
    overlay.destroy()
    # Where threads draw, when they are done with it.
    step(base, 6 if frames_behind(base) else 0)
    assert base.win.get_num_display_regions() == count


def test_made_and_destroyed_in_every_frame(base: Any, scene: NodePath) -> None:
    main_scene(base, scene)
    before = screenshot(base)
    for number in range(60):
        cards = card_scene()
        overlay = Overlay(base, cards, border=number % 2)
        step(base, number % 3)
        overlay.destroy()
    assert (screenshot(base, 6) == before).all()


@pytest.mark.skipif(PROFILE != "threads", reason="only where threads draw")
def test_destroyed_while_threads_draw() -> None:
    """They look through the window's regions without a lock: one that is removed then ends the process."""
    code = """
from panda3d.core import ClockObject, NodePath
from panda_rtstamp.overlay.viewport import Overlay
from support import make_base, step

base = make_base()
# As fast as can be: the sooner the tasks of the next frame run, the likelier the threads are at the regions.
ClockObject.get_global_clock().set_mode(ClockObject.M_normal)
count = base.win.get_num_display_regions()
scene = NodePath("scene")
overlays = []
for frame in range(4000):
    overlays.append(Overlay(base, scene, border=frame % 2, size=(0.2, 0.2), sort=1))
    if len(overlays) > 6:
        overlays.pop(0).destroy()
    if frame % 3 == 0:
        for overlay in overlays:
            overlay.hide() if overlay.visible else overlay.show()
    step(base)
for overlay in overlays:
    overlay.destroy()
step(base, 8)
print(base.win.get_num_display_regions() - count)
"""
    assert run_case(code).split() == ["0"]


def test_nothing_is_kept(base: Any, scene: NodePath) -> None:
    """Neither the scene nor textures, shaders or what else the graphics card holds."""
    objects = base.win.get_gsg().get_prepared_objects()

    def held() -> tuple[int, ...]:
        shaders = objects.get_num_prepared_shaders() + objects.get_num_queued_shaders()
        textures = objects.get_num_prepared_textures() + objects.get_num_queued_textures()
        return textures, shaders, base.graphics_engine.get_num_windows()

    screenshot(base)
    before = held()
    cards = card_scene()
    weak = WeakNodePath(cards)
    overlay = Overlay(base, cards, border=1, inherit=("fog",))
    step(base, 3)
    assert held() == before
    overlay.destroy()
    del cards, overlay
    gc.collect()
    step(base, 8)
    assert weak.was_deleted()
    assert held() == before


def test_bad_arguments(base: Any, scene: NodePath) -> None:
    count = base.win.get_num_display_regions()
    cards = card_scene()
    with pytest.raises(ConfigError, match="base"):
        Overlay(None, cards)
    for wrong in (None, "scene", NodePath(), PandaNode("node")):
        with pytest.raises(ConfigError, match="scene"):
            Overlay(base, wrong)  # type: ignore[arg-type]
    for camera in ("camera", NodePath(), NodePath("node"), NodePath(LensNode("no camera"))):
        with pytest.raises(ConfigError, match="camera"):
            Overlay(base, cards, camera)  # type: ignore[arg-type]
    wrong_values: dict[str, tuple[Any, ...]] = {
        "rect": ((0, 0, 1), "rect", (0.5, 0.0, 0.25, 1.0)),
        "size": ((0, 1), 3, (1, float("nan"))),
        "scale": (0.0, -1.0, 17.0, "2", None, float("nan")),
        "sort": (0, 10, 1.5, "1"),
        "transparent": (1, None, "no"),
        "background": ((1, 1), "red", (2, 0, 0), None),
        "inherit": ("fog", None, ("smoke",), (3,), ([],), {"background"}),
        "border": (-1, 0.5, None, 10_000),
        "border_color": ((1, 1), None),
        "draggable": (1, None),
    }
    for name, values in wrong_values.items():
        for value in values:
            with pytest.raises(ConfigError, match=name):
                Overlay(base, cards, **{name: value})
    with pytest.raises(ConfigError, match="rect and size"):
        Overlay(base, cards, rect=(0, 0, 1, 1), size=(1, 1))
    with pytest.raises(ConfigError, match="anchor"):
        Overlay(base, cards, size=(1, 1), anchor="middle")
    for lone in ({"anchor": "top"}, {"margin": 3}, {"anchor": "top", "rect": (0, 0, 1, 1)}):
        with pytest.raises(ConfigError, match="anchor and margin go with size"):
            Overlay(base, cards, **lone)
    assert base.win.get_num_display_regions() == count
    with Overlay(base, cards, pixel_camera(cards, 10, 10), rect=(5, 6, 9, 9)) as overlay:
        with pytest.raises(ConfigError, match="rect"):
            overlay.place(rect=(1, 2, 3))
        with pytest.raises(ConfigError, match="right"):
            overlay.move("1", 2)  # type: ignore[arg-type]
        with pytest.raises(ConfigError, match="scale"):
            overlay.scale = 0.0
        with pytest.raises(ConfigError, match="PerspectiveLens"):
            overlay.frame()
        assert (overlay.rect, overlay.scale) == ((5, 6, 9, 9), 1.0)
