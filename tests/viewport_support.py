"""What tests of overlays share: a main scene, cameras whose units are pixels, and what a picture shows."""

from typing import Any

from panda3d.core import Camera, Fog, NodePath, OrthographicLens

from pictures import Bools, Bytes, flat_card, look_from
from shapes import box

# Of the tests' window, across and down.
PIXELS = 256
RED, GREEN, BLUE = (1.0, 0.0, 0.0, 1.0), (0.0, 1.0, 0.0, 1.0), (0.0, 0.0, 1.0, 1.0)


def main_scene(base: Any, scene: NodePath) -> NodePath:
    """Boxes of many colours that turn about, near the camera, on a grey background."""
    base.win.set_clear_color((0.3, 0.35, 0.4, 1.0))
    look_from(base, (0.0, -6.0, 1.0))
    for number in range(8):
        part = box((1.0, 1.5, 0.7))
        part.reparent_to(scene)
        part.set_pos_hpr(number % 3 - 1.0, 0.3 * number, number / 3 - 1.0, 37.0 * number, 20.0 * number, 0.0)
        part.set_color(number % 2, number / 8.0, 1.0 - number / 8.0, 1.0)
    return scene


def pixel_camera(parent: NodePath, width: float, height: float) -> NodePath:
    """A camera at its parent's origin, whose picture is so large: with as many pixels, a unit is one."""
    lens = OrthographicLens()
    lens.set_film_size(width, height)
    lens.set_near_far(-1000.0, 1000.0)
    return parent.attach_new_node(Camera("pixels", lens))


def card_scene(color: Any = RED, size: float = 40.0) -> NodePath:
    """A scene of one card around its origin."""
    scene = NodePath("cards")
    flat_card(scene, size, color)
    return scene


def filled(picture: Bytes, color: Any) -> Bools:
    """Where a picture has this colour, to the byte."""
    found: Bools = (picture[..., :3] == [round(255 * part) for part in color[:3]]).all(axis=-1)
    return found


def box_of(mask: Bools) -> tuple[int, int, int, int]:
    """(left, top, right, bottom) of what is set; it is all of that."""
    rows, columns = mask.nonzero()
    left, top, right, bottom = columns.min(), rows.min(), columns.max() + 1, rows.max() + 1
    assert mask[top:bottom, left:right].all()
    return int(left), int(top), int(right), int(bottom)


def fog(color: Any = (1.0, 1.0, 0.0, 1.0)) -> Fog:
    """That hides everything."""
    result = Fog("fog")
    result.set_color(color)
    result.set_linear_range(0.0, 1e-3)
    return result
