"""Overlays that the mouse drags: the input goes the way that a window's does."""

from collections.abc import Iterator
from typing import Any

import pytest
from direct.gui.DirectGui import DirectButton
from panda3d.core import MouseButton, NodePath

from panda_rtstamp.overlay.viewport import Overlay
from support import step
from viewport_support import card_scene

pytestmark = [pytest.mark.x11, pytest.mark.threads]

LEFT = MouseButton.one()


class Mouse:
    """The window's mouse, moved by hand."""

    def __init__(self, base: Any) -> None:
        self.base = base
        self.device = base.win.get_input_device(0)

    def at(self, x: int, y: int) -> None:
        """Move it to a pixel's middle, from the window's left and top; a frame passes."""
        self.device.set_pointer_in_window(x + 0.5, y + 0.5)
        step(self.base)

    def press(self) -> None:
        self.device.button_down(LEFT)
        step(self.base)

    def release(self) -> None:
        self.device.button_up(LEFT)
        step(self.base)

    def drag(self, start: tuple[int, int], *ways: tuple[int, int]) -> None:
        """Press there, move on and let go."""
        self.at(*start)
        self.press()
        for way in ways:
            self.at(*way)
        self.release()


@pytest.fixture
def mouse(base: Any) -> Iterator[Mouse]:
    result = Mouse(base)
    result.at(250, 250)
    yield result
    result.device.button_up(LEFT)
    result.device.set_pointer_out_of_window()
    step(base)


def test_dragged(base: Any, scene: NodePath, mouse: Mouse) -> None:
    with Overlay(base, card_scene(), rect=(20, 30, 120, 110), draggable=True) as overlay:
        step(base)
        mouse.drag((60, 60), (70, 65), (100, 80))
        assert overlay.rect == (60, 50, 160, 130)
        # Let go.
        mouse.at(150, 120)
        assert overlay.rect == (60, 50, 160, 130)
        # Not gripped: pressed outside of it, and then moved over it.
        mouse.drag((10, 10), (100, 100), (150, 100))
        assert overlay.rect == (60, 50, 160, 130)
        # No part of it leaves the window; and it follows again when the mouse comes back to where it did not.
        mouse.drag((100, 100), (0, 0), (255, 100), (100, 100), (105, 100))
        assert overlay.rect == (65, 50, 165, 130)
        mouse.drag((100, 100), (0, 0))
        assert overlay.rect == (0, 0, 100, 80)
        overlay.hide()
        step(base)
        mouse.drag((50, 50), (80, 80))
        assert overlay.rect == (0, 0, 100, 80)


@pytest.mark.parametrize("scale", [1.5, 2.0])
def test_of_another_scale_it_keeps_its_size(base: Any, scene: NodePath, mouse: Mouse, scale: float) -> None:
    with Overlay(base, card_scene(), size=(41, 31), anchor="center", scale=scale, draggable=True) as overlay:
        step(base)
        assert overlay.rect is not None
        left, top, right, bottom = overlay.rect
        mouse.at(128, 128)
        mouse.press()
        for number in range(1, 40):
            mouse.at(128 + number, 128 - number)
            assert overlay.rect == (left + number, top - number, right + number, bottom - number)
        mouse.release()


def test_the_one_above_is_dragged(base: Any, scene: NodePath, mouse: Mouse) -> None:
    """Of the game's buttons, it takes the mouse's; the GUI goes before it."""
    heard: list[str] = []
    base.accept("mouse1", heard.append, ["game"])
    button = DirectButton(text="OK", scale=0.2, command=heard.append, extraArgs=["button"])
    # In the middle of the window.
    button.set_pos(0.0, 0.0, 0.0)
    lower = Overlay(base, card_scene(), rect=(50, 50, 200, 200), draggable=True)
    upper = Overlay(base, card_scene(), rect=(60, 60, 190, 190), draggable=True)
    fixed = Overlay(base, card_scene(), rect=(0.0, 0.0, 1.0, 1.0))
    step(base)
    mouse.drag((70, 70), (75, 70))
    assert (upper.rect, lower.rect) == ((65, 60, 195, 190), (50, 50, 200, 200))
    mouse.drag((55, 55), (65, 65))
    assert (upper.rect, lower.rect) == ((65, 60, 195, 190), (60, 60, 210, 210))
    assert heard == []
    mouse.drag((128, 128), (128, 129))
    assert heard == ["button"]
    assert upper.rect == (65, 60, 195, 190)
    mouse.drag((5, 5), (6, 6))
    assert heard == ["button", "game"]
    for overlay in (lower, upper, fixed):
        overlay.destroy()
    mouse.drag((70, 70), (75, 70))
    assert heard == ["button", "game", "game"]
    base.ignore("mouse1")
    button.destroy()
