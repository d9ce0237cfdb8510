"""What the tests of the shooter share: the game without its picture, what it is made of, and distances to it.

For cases in a process of their own (`support.run_case`), but for the numbers.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray
from panda3d.core import ClockObject, GeomVertexReader, NodePath, Point3

from samples.common import run
from samples.shooter.arena import ROUND
from samples.shooter.main import Shooter

Floats = NDArray[np.float64]
ITERATIONS = 1000


def make_unseen_game() -> Shooter:
    """The game, marks and all, but its picture is not drawn: a frame takes 2 ms, and 1/25 s of its time."""
    run.configure("test", 32, 18)
    base = run.open_base(["offscreen"])
    run.step_the_clock()
    game = Shooter(base)
    game.light.set_shadows(False)
    for camera in (base.camNode, base.cam2d.node()):
        camera.set_active(False)
    base.task_mgr.step()
    return game


def set_frame_rate(rate: float) -> None:
    """So many frames make a second of the game's time from now on."""
    ClockObject.get_global_clock().dt = 1 / rate


def frames(game: Shooter, most: int) -> Iterator[int]:
    """Runs frames, and gives the number of each, from 0; a loop that leaves earlier runs no more."""
    for number in range(most):
        game.base.task_mgr.step()
        yield number


@contextmanager
def instead(owner: Any, name: str, function: Any) -> Iterator[None]:
    """Let calls of a method come to a function, for a while."""
    setattr(owner, name, function)
    try:
        yield
    finally:
        delattr(owner, name)


def vertices(path: NodePath, space: NodePath) -> Floats:
    """All vertices at and below a node, in a space: (n, 3)."""
    found = []
    for part in path.find_all_matches("**/+GeomNode"):
        node: Any = part.node()
        matrix = part.get_mat(space)
        for geom in node.get_geoms():
            reader = GeomVertexReader(geom.get_vertex_data(), "vertex")
            while not reader.is_at_end():
                found.append(tuple(matrix.xform_point(Point3(reader.get_data3()))))
    return np.array(found)


def hull_distance(points: Floats, point: Floats) -> float:
    """From a point to the convex hull of others, or a little more: at most a centimetre, outside of it.

    Gilbert's way: go from the nearest known point of the hull towards the corner that lies farthest ahead.
    """
    ahead = points - point
    nearest: Floats = ahead[np.argmin((ahead**2).sum(axis=1))]
    for _ in range(ITERATIONS):
        size = float(np.linalg.norm(nearest))
        corner = ahead[np.argmin(ahead @ nearest)]
        # The whole hull lies beyond the plane through that corner.
        if size < 1e-3 or float(corner @ nearest) / size > size - 0.01:
            break
        way = corner - nearest
        nearest = nearest + np.clip(-(nearest @ way) / (way @ way), 0.0, 1.0) * way
    return float(np.linalg.norm(nearest))


class Plan:
    """The arena from above: what stands in the way of a body."""

    def __init__(self, game: Shooter) -> None:
        self._pieces: list[tuple[bool, Floats, float, Floats, Floats]] = []
        for model in game.arena.walls:
            body = model.get_parent()
            corners = vertices(model, model)[:, :2]
            place = np.array(tuple(body.get_pos()))[:2]
            is_round = body.get_name() in ROUND
            turn = float(np.radians(body.get_h()))
            self._pieces.append((is_round, place, turn, corners.min(axis=0), corners.max(axis=0)))

    def clearances(self, position: Point3) -> tuple[float, float]:
        """From a point to the nearest piece's outline, and to the second nearest; negative inside."""
        first, second = sorted(
            self._distance(np.array((position.x, position.y)), *piece) for piece in self._pieces
        )[:2]
        return first, second

    @staticmethod
    def _distance(
        point: Floats, is_round: bool, place: Floats, turn: float, low: Floats, high: Floats
    ) -> float:
        x, y = point - place
        across = x * np.cos(turn) + y * np.sin(turn)
        along = y * np.cos(turn) - x * np.sin(turn)
        if is_round:
            return float(np.hypot(across, along) - (high[0] - low[0]) / 2)
        out = np.maximum(low - (across, along), np.array((across, along)) - high)
        return float(np.hypot(*np.maximum(out, 0.0)) if (out > 0).any() else out.max())
