"""A process of test_screen: screens on what simplepbr draws, on many samples, in other windows.

Argument: simplepbr, multisampled, resized or reopened. Writes "done" if all is as it should be.
"""

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from direct.filter.FilterManager import FilterManager
from panda3d.core import (
    AmbientLight,
    AntialiasAttrib,
    Material,
    NodePath,
    WindowProperties,
    load_prc_file_data,
)

from mask_support import BLUE, Cut, inputs_of, line_mask, released, tilted_card
from panda_rtstamp.vision.config import VisionConfig
from panda_rtstamp.vision.screen import Screen
from panda_rtstamp.vision.system import VisionMask
from pictures import look_from, rgb
from screen_support import assert_cut, screen_of
from support import make_base, screenshot, step


def set_up() -> tuple[Any, NodePath]:
    """A ShowBase, and the ground."""
    base = make_base()
    return base, tilted_card(base, base.render.attach_new_node("scene"))


def simplepbr() -> None:
    """Before the screen and after it, with four samples; then with none, in buffers that are made anew."""
    import simplepbr

    base, card = set_up()
    cut = Cut(base, card)
    material = Material("red")
    material.set_base_color((0.8, 0.2, 0.1, 1.0))
    card.set_material(material)
    base.render.set_light(base.render.attach_new_node(AmbientLight("light")))
    early = screen_of(base)
    step(base)
    pipeline = simplepbr.init(enable_shadows=False, msaa_samples=4)
    early.update()
    picture = screenshot(base, 4)
    early.release()
    before = screenshot(base, 4)
    assert_cut(picture, before, cut)
    for samples in (4, 0):
        with released(screen_of(base)) as screen:
            pipeline.msaa_samples = samples
            screen.update()
            picture = screenshot(base, 4)
        assert_cut(picture, screenshot(base), cut)
    pipeline.msaa_samples = 4
    assert (screenshot(base, 4) == before).all()


def multisampled() -> None:
    """With as many samples as the window asks for: borders are smooth, and the cut is where it was."""
    load_prc_file_data("", "framebuffer-multisample true\nmultisamples 4\ndepth-bits 24")
    base, card = set_up()
    base.render.set_antialias(AntialiasAttrib.M_multisample)
    cut, plain = Cut(base, card), screenshot(base)
    with released(screen_of(base)):
        picture = screenshot(base)
    assert_cut(picture, plain, cut)
    # At the border of the card, the colours of card and sky, both of them dark, are mixed.
    assert ((picture[..., 0] > 40) & (picture[..., 2] > 40)).any()
    assert (screenshot(base) == plain).all()
    manager = FilterManager(base.win, base.cam)
    quad = manager.render_scene_into()
    assert quad is not None
    quad.clear_color()
    before = screenshot(base)
    with released(screen_of(base)):
        assert_cut(screenshot(base), before, cut)
    with released(Screen(base.cam, inputs_of(line_mask()), base, 1.0)):
        assert (screenshot(base) == before).all()
    assert (screenshot(base) == before).all()


def resized() -> None:
    """No power of two, larger and smaller."""
    base, card = set_up()
    with released(screen_of(base)) as screen:
        for size in ((300, 220), (180, 260)):
            wanted = WindowProperties()
            wanted.set_size(*size)
            base.win.request_properties(wanted)
            for _ in range(100):
                screen.update()
                step(base)
                if (base.win.get_x_size(), base.win.get_y_size()) == size:
                    break
            screen.update()
            picture = screenshot(base)
            assert picture.shape[:2] == size[::-1]
            cut = Cut(base, card)
            assert (rgb(picture)[cut.shown] == (255, 0, 0)).all()
            assert (rgb(picture)[cut.hidden] == (102, 0, 0)).all()
    assert_cut(picture, screenshot(base), cut)
    manager = FilterManager(base.win, base.cam)
    quad = manager.render_scene_into()
    assert quad is not None
    quad.clear_color()
    with released(screen_of(base)):
        picture = screenshot(base)
    assert_cut(picture, screenshot(base), cut)


def reopened() -> None:
    """In the next window, which the same camera looks into."""
    base, card = set_up()
    with VisionMask(base, VisionConfig(size=(10.0, 10.0))) as vision:
        vision.add_viewer(base.render.attach_new_node("hero"), view_range=2.0)
        vision.screen(dark=0.4)
        base.close_window(base.win, keepCamera=True)
        step(base)
        base.open_main_window(keepCamera=True)
        base.win.set_clear_color(BLUE)
        look_from(base, (1.0, -4.0, 14.0))
        cut = Cut(base, card, distance=lambda points: np.hypot(points[..., 0], points[..., 1]) - 2.0)
        picture = screenshot(base, 3)
        vision.release_screen()
        assert_cut(picture, screenshot(base), cut)


if __name__ == "__main__":
    cases: dict[str, Callable[[], None]] = {
        case.__name__: case for case in (simplepbr, multisampled, resized, reopened)
    }
    cases[sys.argv[1]]()
    print("done")
