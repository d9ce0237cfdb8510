"""What tests of whole vision masks share: one for a while, heroes, walls, and its mask as numbers."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from panda3d.core import NodePath

from panda_rtstamp.vision.config import VisionConfig
from panda_rtstamp.vision.system import VisionMask
from shapes import box
from support import frames_behind, read_target, step
from vision_support import Floats


@contextmanager
def looking(base: Any, **fields: Any) -> Iterator[VisionMask]:
    """A vision mask for a while."""
    vision = VisionMask(base, VisionConfig(**fields))
    try:
        yield vision
    finally:
        vision.destroy()


def mask_of(base: Any, vision: VisionMask, group: int = 0) -> Floats:
    """The mask as of now, (size, size)."""
    texture = vision.mask_of(group)
    assert texture is not None
    step(base, 1 + frames_behind(base))
    return np.asarray(read_target(base, texture)[..., 0], np.float64)


def hero_at(scene: NodePath, x: float = 0.0, y: float = 0.0, heading: float = 0.0) -> NodePath:
    """A node that stands there."""
    node = scene.attach_new_node("hero")
    node.set_pos_hpr(x, y, 0.0, heading, 0.0, 0.0)
    return node


def wall_at(
    scene: NodePath, x: float, y: float, size: tuple[float, float, float] = (4.0, 0.5, 3.0)
) -> NodePath:
    """A box that stands on the ground."""
    node = box(size)
    node.reparent_to(scene)
    node.set_pos(x, y, size[2] / 2)
    return node


def sides_of(x: float, y: float, width: float = 4.0, depth: float = 0.5) -> Floats:
    """The sides of such a box, (4, 2, 2)."""
    corners = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * (width / 2, depth / 2) + (x, y)
    return np.stack([corners, np.roll(corners, -1, axis=0)], axis=1)
