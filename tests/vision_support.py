"""What tests of the vision mask share: walls, random scenes of boxes, and sight worked out by brute force.

`sees` and `outlines` use nothing of the package: they are what it is compared with.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from panda3d.core import NodePath

from panda_rtstamp.vision.walls import Walls
from shapes import box

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

# Of a random scene: a square around the origin, where the viewer stands.
SCENE_SIZE = 100.0
VIEW_RANGE = 50.0
BOXES = 24


@dataclass(frozen=True)
class Box:
    """A box that stands in a scene, seen from above.

    Attributes:
        center: (x, y).
        size: along its own X and Y.
        turn: in degrees, to the left.
    """

    center: tuple[float, float]
    size: tuple[float, float]
    turn: float

    def corners(self) -> Floats:
        """(4, 2), to the left around it."""
        turn = np.radians(self.turn)
        across = np.array([np.cos(turn), np.sin(turn)]) * self.size[0] / 2
        along = np.array([-np.sin(turn), np.cos(turn)]) * self.size[1] / 2
        signs = ((-1, -1), (1, -1), (1, 1), (-1, 1))
        return np.array([x * across + y * along for x, y in signs]) + self.center


def random_boxes(seed: int, count: int = BOXES) -> list[Box]:
    """Boxes of 0.5 to 5 along an edge, all over the scene, but none within 6 of the origin."""
    rng = np.random.default_rng(seed)
    found: list[Box] = []
    while len(found) < count:
        x, y = rng.uniform(-45.0, 45.0, 2).tolist()
        if np.hypot(x, y) >= 6.0:
            width, depth = rng.uniform(0.5, 5.0, 2).tolist()
            found.append(Box((x, y), (width, depth), float(rng.uniform(0.0, 180.0))))
    return found


def outlines(boxes: Sequence[Box]) -> Floats:
    """The sides of boxes as segments, (4 n, 2, 2), as 32-bit floats hold them: so a GPU has the same ones."""
    corners = np.array([box.corners() for box in boxes]).reshape(-1, 4, 2)
    sides = np.stack([corners, np.roll(corners, -1, axis=1)], axis=2)
    return sides.reshape(-1, 2, 2).astype(np.float32).astype(np.float64)


def random_walls(seed: int) -> Floats:
    """The segments of a random scene."""
    return outlines(random_boxes(seed))


def random_points(seed: int, count: int) -> Floats:
    """Points all over a random scene, and somewhat beyond the range of who stands in its middle: (n, 2)."""
    return np.random.default_rng(seed).uniform(-SCENE_SIZE / 2, SCENE_SIZE / 2, (count, 2))


def build(boxes: Sequence[Box], parent: NodePath, height: float = 3.0) -> list[NodePath]:
    """The boxes as models that stand on the ground."""
    nodes = []
    for item in boxes:
        node = box((*item.size, height))
        node.reparent_to(parent)
        node.set_pos_hpr(*item.center, height / 2, item.turn, 0, 0)
        nodes.append(node)
    return nodes


def crate(
    parent: NodePath, x: float = 0.0, y: float = 0.0, height: float = 2.0, width: float = 2.0
) -> NodePath:
    """A box that stands on the ground."""
    node = box((width, 2.0, height))
    node.reparent_to(parent)
    node.set_pos(x, y, height / 2)
    return node


def limits(walls: Walls, height: float = 1.0) -> list[float]:
    """The lowest x and y of the segments, and the highest; empty if there are none."""
    ends = walls.at(height).ends.reshape(-1, 2)
    return [*ends.min(axis=0).tolist(), *ends.max(axis=0).tolist()] if len(ends) else []


def length(walls: Walls, height: float = 1.0) -> float:
    """Of all segments together."""
    ends = walls.at(height).ends
    return float(np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1).sum())


def sees(
    points: Floats,
    eye: Sequence[float],
    ends: Floats,
    view_range: float = VIEW_RANGE,
    forward: Sequence[float] | None = None,
    half_cosine: float = -1.0,
) -> Bools:
    """Which points an eye sees, by the definition, segment by segment: no pruning, no order, no angles.

    The line eye + t (point - eye) meets a + u (b - a) at t = t_part / whole and u = u_part / whole, and the
    point is hidden if 0 < t < 1 and 0 <= u <= 1. All is multiplied out, so whole numbers are exact.
    """
    x, y = (points - np.array(eye)).T
    distance = np.hypot(x, y)
    result: Bools = distance <= view_range
    if forward is not None:
        result = result & (x * forward[0] + y * forward[1] >= half_cosine * distance)
    for (ax, ay), (bx, by) in ends - np.array(eye):
        along_x, along_y = bx - ax, by - ay
        whole = x * along_y - y * along_x
        sign = np.sign(whole)
        t_part, u_part = sign * (ax * along_y - ay * along_x), sign * (ax * y - ay * x)
        whole = np.abs(whole)
        result = result & ~((t_part > 0) & (t_part < whole) & (u_part >= 0) & (u_part <= whole))
    return result
