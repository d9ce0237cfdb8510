"""What tests of screens share: what a screen may touch, and the cut that it makes in a picture.

The mask of these tests shows what lies on one side of a line; see mask_support.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from panda3d.core import GraphicsOutput, NodePath, Texture

from mask_support import Cut, inputs_of, line_mask
from panda_rtstamp.vision.screen import Screen
from pictures import Bools, Bytes, Floats, assert_same_scene, rgb, snapshot
from support import screenshot

DARK = 0.4


def screen_of(base: Any, texture: Texture | None = None, beyond: float = 0.0) -> Screen:
    """A screen of the main camera, of the mask of one side of a line unless another is given."""
    return Screen(base.cam, inputs_of(texture or line_mask(), beyond=beyond), base, DARK)


def window_state(base: Any) -> list[object]:
    """All that a screen may touch of the window, its regions, the buffers and the camera."""
    window, engine = base.win, base.graphics_engine
    regions = [
        (region, region.get_dimensions(), region.get_sort(), region.is_active(), region.get_camera())
        for region in window.get_display_regions()
    ]
    clears = [
        (output.get_clear_active(plane), output.get_clear_value(plane))
        for output in (window, *window.get_display_regions())
        for plane in range(GraphicsOutput.RTP_COUNT)
    ]
    textures = [
        (output.get_texture(i), output.get_texture_plane(i), output.get_rtm_mode(i))
        for output in engine.get_windows()
        for i in range(output.count_textures())
    ]
    return [regions, clears, textures, list(engine.get_windows()), base.cam.node().get_initial_state()]


@contextmanager
def unchanged(base: Any, scene: NodePath) -> Iterator[Bytes]:
    """The picture before; afterwards it is the same, and so are the window and the scene."""
    before, found, state = screenshot(base), snapshot(scene), window_state(base)
    yield before
    assert (screenshot(base) == before).all()
    assert_same_scene(snapshot(scene), found)
    assert window_state(base) == state


def next_picture(base: Any, screen: Screen) -> Bytes:
    """A frame of a game: the screen follows, then it is drawn."""
    screen.update()
    return screenshot(base)


def assert_dimmed(
    picture: Bytes, before: Bytes, factor: Floats | float, where: Bools, tolerance: float = 1.0
) -> None:
    """Assert that a picture is the one before times a factor, at some pixels; tolerance of 255."""
    assert where.sum() > 200
    expected = rgb(before) * np.broadcast_to(np.asarray(factor), where.shape)[..., None]
    assert np.abs(rgb(picture) - expected)[where].max() <= tolerance


def assert_cut(picture: Bytes, before: Bytes, cut: Cut, sky: float = DARK) -> None:
    """Assert that a screen of the mask that shows one side of a line was drawn."""
    assert (rgb(picture)[cut.shown] == rgb(before)[cut.shown]).all()
    assert_dimmed(picture, before, DARK, cut.hidden)
    assert_dimmed(picture, before, sky, outside(cut))


def outside(cut: Cut) -> Bools:
    """Where the sky is, one pixel from the ground's border, and the pictures' frame."""
    hit = np.pad(cut.surface.hit, 1, constant_values=True)
    height, width = cut.surface.hit.shape
    near = [hit[y : y + height, x : x + width] for y in range(3) for x in range(3)]
    result: Bools = ~np.any(near, axis=0)
    return result
