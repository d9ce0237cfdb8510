"""A process of test_overlay_window: overlays in a window of 20 sizes. Writes "done" if all is right."""

from typing import Any

import numpy as np
from panda3d.core import NodePath, WindowProperties

from panda_rtstamp.overlay.viewport import Overlay
from support import make_base, screenshot, step
from viewport_support import BLUE, GREEN, RED, box_of, card_scene, filled, pixel_camera

# Frames that a window may take to get another size.
LONGEST = 200


def main() -> None:
    base = make_base()
    random = np.random.default_rng(7)
    sizes = [(int(width), int(height)) for width, height in random.integers(200, 900, (19, 2))]
    overlays = make(base)
    held = []
    for number, (width, height) in enumerate([*sizes, (256, 256)]):
        resize(base, width, height)
        scale = (1.0, 1.5, 2.0)[number % 3]
        for overlay in overlays:
            overlay.scale = scale
        check(base, overlays, width, height, scale)
        held.append(counts(base))
    assert len(set(held)) == 1, held
    for overlay in overlays:
        overlay.destroy()
    step(base, 8)
    assert base.win.get_num_display_regions() == held[0][1] - len(overlays)
    base.destroy()
    print("done")


def make(base: Any) -> list[Overlay]:
    """One in a corner, one of shares, one of both."""
    scenes = [card_scene(color, size=1000.0) for color in (RED, GREEN, BLUE)]
    corner, shares, both = scenes
    return [
        Overlay(base, corner, camera_of(corner), size=(41, 31), anchor="bottom-right", margin=(7, 5)),
        Overlay(base, shares, camera_of(shares), rect=(0.0, 0.0, 0.3, 0.25)),
        Overlay(base, both, camera_of(both), rect=(3, 0.5, 0.25, 0.75)),
    ]


def camera_of(scene: NodePath) -> NodePath:
    """It sees nothing but the card."""
    return pixel_camera(scene, 10.0, 10.0)


def resize(base: Any, width: int, height: int) -> None:
    """As a player does it."""
    base.win.request_properties(WindowProperties(size=(width, height)))
    for _ in range(LONGEST):
        step(base)
        if (base.win.get_x_size(), base.win.get_y_size()) == (width, height):
            return
    raise AssertionError(f"the window does not become {width} x {height}")


def check(base: Any, overlays: list[Overlay], width: int, height: int, scale: float) -> None:
    """Each of them lies where it should, in what it says and in the picture."""

    def whole(value: float) -> int:
        return int(value + 0.5 + 1e-6)

    right, bottom = whole(width - 7 * scale), whole(height - 5 * scale)
    expected = [
        (whole(width - 48 * scale), whole(height - 36 * scale), right, bottom),
        (0, 0, whole(0.3 * width), whole(0.25 * height)),
        (whole(3 * scale), whole(0.5 * height), whole(0.25 * width), whole(0.75 * height)),
    ]
    picture = screenshot(base)
    assert picture.shape[:2] == (height, width)
    for overlay, color, rect in zip(overlays, (RED, GREEN, BLUE), expected, strict=True):
        assert overlay.rect == rect, (overlay.rect, rect, width, height, scale)
        assert box_of(filled(picture, color)) == rect, (color, rect, width, height, scale)


def counts(base: Any) -> tuple[int, ...]:
    """What could become more."""
    return (
        base.graphics_engine.get_num_windows(),
        base.win.get_num_display_regions(),
        base.render.find_all_matches("**").get_num_paths(),
        len(base.task_mgr.getAllTasks()),
        base.win.get_gsg().get_prepared_objects().get_num_prepared_textures(),
    )


if __name__ == "__main__":
    main()
