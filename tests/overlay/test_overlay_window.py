"""Overlays and the window: other sizes, none, a new one, and what is left when they go."""

import pytest

from support import PROFILE, TESTS, run_case

pytestmark = [pytest.mark.profiles, pytest.mark.threads]

PREPARE = """
from direct.showbase.ShowBase import ShowBase
from panda3d.core import NodePath
from panda_rtstamp.overlay.viewport import Overlay
from support import frames_behind, make_base, screenshot, step
from viewport_support import GREEN, RED, box_of, card_scene, filled, pixel_camera

def red_at(base):
    # In the first frame of a process, Panda leaves out what an orthographic lens sees first.
    return box_of(filled(screenshot(base, 2), RED))

cards, others = card_scene(), card_scene(GREEN)
camera, other = pixel_camera(cards, 100, 80), pixel_camera(others, 256, 256)
"""


@pytest.mark.skipif(PROFILE not in ("x11", "threads"), reason="needs a window")
def test_resized_20_times() -> None:
    assert run_case(TESTS / "overlay" / "overlay_resize_case.py").split() == ["done"]


def test_a_window_that_is_closed_and_opened_again() -> None:
    """With overlays alive, which come back where they were."""
    lines = run_case(
        PREPARE
        + """
base = make_base()
first = Overlay(base, cards, camera, rect=(10, 20, 110, 100), border=2, draggable=True)
second = Overlay(base, others, other, transparent=False)
third = Overlay(base, NodePath("empty"), base.cam)
print(first.rect, first.sort, second.sort, third.sort)
second.hide()
print(red_at(base))
base.close_window(base.win)
base.win = None
print(first.rect, first.sort)
step(base, 3)
first.move(5, 5)
second.show()
first.hide()
third.destroy()
print(camera.get_num_children(), other.get_num_children(), base.graphics_engine.get_num_windows())
base.open_default_window()
step(base, 3)
print(first.rect, first.sort, second.sort, base.win.get_num_display_regions())
first.show()
second.hide()
print(red_at(base))
first.destroy()
second.destroy()
step(base, 8)
print(base.win.get_num_display_regions(), cards.get_num_children(), camera.get_num_children())
base.destroy()
"""
    ).splitlines()
    assert lines[:-3] == [
        "(10, 20, 110, 100) 1 2 3",
        "(41, 41, 79, 79)",
        "None 1",
        "0 0 0",
    ]
    regions, left = lines[-3], lines[-1]
    assert regions.startswith("(15, 25, 115, 105) 1 2 ")
    assert lines[-2] == "(46, 46, 84, 84)"
    assert left == f"{int(regions.split()[-1]) - 6} 2 0"


def test_the_game_ends_with_overlays_alive() -> None:
    lines = run_case(
        PREPARE
        + """
base = make_base()
overlays = [Overlay(base, cards, camera, border=3), Overlay(base, base.render, base.cam)]
step(base, 3)
base.destroy()
print([overlay.rect for overlay in overlays], camera.get_num_children())
for overlay in overlays:
    overlay.destroy()
"""
    ).splitlines()
    assert lines == ["[None, None] 0"]


def test_without_a_window() -> None:
    """`window-type none`: a game's server."""
    lines = run_case(
        PREPARE
        + """
base = ShowBase(windowType="none")
overlay = Overlay(base, cards, camera, draggable=True)
step(base, 3)
overlay.hide()
overlay.show()
overlay.move(1, 1)
print(overlay.rect, overlay.sort, base.graphics_engine.get_num_windows())
overlay.destroy()
base.destroy()
"""
    ).splitlines()
    assert lines == ["None None 0"]


def test_a_window_that_has_no_sort_left() -> None:
    lines = run_case(
        PREPARE
        + """
base = make_base()
window = base.win
base.win = None
overlay = Overlay(base, cards, camera, rect=(10, 20, 110, 100))
base.win = window
regions = [window.make_display_region() for _ in range(9)]
for sort, region in enumerate(regions, start=1):
    region.set_sort(sort)
step(base, 3)
print(overlay.rect, overlay.sort)
window.remove_display_region(regions[4])
step(base, 2)
print(overlay.rect, overlay.sort, red_at(base))
base.destroy()
""",
        allow=["an overlay is not shown: of the window's sorts 1 to 9 none is free"],
    ).splitlines()
    assert lines == ["None None", "(10, 20, 110, 100) 5 (40, 40, 80, 80)"]
