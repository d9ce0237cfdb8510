"""What tests of precise clips share: what is seen from near, and where sight among walls must cut it."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np
from panda3d.core import NodePath

from mask_support import BLUE, draw_by, plain_texture, without
from panda_rtstamp.vision.config import VisionConfig
from panda_rtstamp.vision.system import VisionMask
from pictures import Bools, Bytes, look_from, rgb, see_node
from support import make_card, screenshot
from vision_support import Box, Floats, build, outlines

# Texels of 1.6 by 1.6: of a mask, no edge of these tests is where it should be.
MASK_SIZE = 64
HERO = (1.5, -2.5)
BOXES = 16
GLSL = partial(draw_by, renderer="330")


@contextmanager
def coarse(base: Any, **fields: Any) -> Iterator[VisionMask]:
    """A vision mask of few texels, for a while."""
    with VisionMask(base, VisionConfig(**{"mask_size": MASK_SIZE, **fields})) as vision:
        yield vision


def hero_at(scene: NodePath, x: float = HERO[0], y: float = HERO[1], heading: float = 0.0) -> NodePath:
    """A node that stands there."""
    node = scene.attach_new_node("hero")
    node.set_pos_hpr(x, y, 0.0, heading, 0.0, 0.0)
    return node


def boxes_at(scene: NodePath, vision: VisionMask, seed: int = 0) -> Floats:
    """Boxes where the camera of `lay_ground` looks, as walls that it does not see. Returns their sides."""
    hidden = scene.attach_new_node("boxes")
    hidden.hide()
    rng = np.random.default_rng(seed)
    places, sizes = rng.uniform((-7.0, 0.5), (11.0, 13.0), (BOXES, 2)), rng.uniform(0.2, 1.2, (BOXES, 2))
    turns = rng.uniform(0.0, 180.0, BOXES)
    boxes = [Box(*each) for each in zip(places.tolist(), sizes.tolist(), turns.tolist(), strict=True)]
    for node in build(boxes, hidden):
        vision.add_wall(node)
    return outlines(boxes)


def lay_ground(
    base: Any,
    scene: NodePath,
    draw: Callable[[NodePath], None],
    eye: Sequence[float] = (-2.0, -5.5, 2.5),
    target: Sequence[float] = (2.0, 2.0, 0.0),
) -> "View":
    """A red card of 100 by 100 on the ground, seen from near it.

    Args:
        base: a ShowBase.
        scene: where it lies.
        draw: lets something draw it.
        eye, target: of the camera, in the world.
    """
    card = make_card(100.0, 100.0)
    card.reparent_to(scene)
    card.set_p(-90.0)
    card.set_color(1.0, 0.0, 0.0, 1.0)
    card.set_texture(plain_texture())
    draw(card)
    look_from(base, eye, target, fov=60.0)
    return View(base, card)


class View:
    """What a camera sees of a node, pixel by pixel, before blue.

    Args:
        base: a ShowBase; its camera stands already.
        node: what is looked at.
        jump: pixels count whose neighbours' points lie no farther apart than this; of a flat node, all but
            those along its border.
    """

    def __init__(self, base: Any, node: NodePath, jump: float = np.inf) -> None:
        self._base = base
        self.node = node
        base.win.set_clear_color(BLUE)
        surface = see_node(base, node)
        self._here = surface.inner(jump)
        self.points = surface.points[..., :2].reshape(-1, 2)
        self.whole = screenshot(base, frames=4)
        self.empty = without(base, node)

    def wrong(self, picture: Bytes, seen: Bools) -> Bools:
        """The pixels that are drawn and not seen, or seen and not drawn; between the two there is nothing."""
        wanted = seen.reshape(self._here.shape)
        assert (wanted & self._here).sum() > 500
        assert (~wanted & self._here).sum() > 500
        drawn = (rgb(picture) == rgb(self.whole)).all(axis=-1)
        gone = (rgb(picture) == rgb(self.empty)).all(axis=-1)
        assert (drawn != gone)[self._here].all()
        found: Bools = (drawn != wanted) & self._here
        return found

    def far_off(self, picture: Bytes, seen: Bools) -> int:
        """How many pixels are wrong with no edge within 1.5 px: the eight around are on the same side.

        Args:
            picture: as it is drawn.
            seen: whether each of `points` is.
        """
        wanted = seen.reshape(self._here.shape)
        return int((self.wrong(picture, seen) & ~beside_an_edge(wanted)).sum())

    def check(self, seen: Bools) -> None:
        """Assert that the next frame is cut within 1.5 px of the edge everywhere."""
        assert self.far_off(screenshot(self._base), seen) == 0


def beside_an_edge(seen: Bools) -> Bools:
    """Pixels of which one of the nine around is seen, and another is not."""
    padded = np.pad(seen, 1, mode="edge")
    height, width = seen.shape
    around = [padded[y : y + height, x : x + width] for y in range(3) for x in range(3)]
    changes: Bools = np.any(around, axis=0) & ~np.all(around, axis=0)
    return changes


def clipped(base: Any, vision: VisionMask, ground: View, precise: bool) -> Bytes:
    """The ground, clipped for a while."""
    vision.clip(ground.node, precise=precise)
    picture = screenshot(base, frames=2)
    vision.release(ground.node)
    return picture
