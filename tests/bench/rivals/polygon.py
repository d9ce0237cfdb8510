"""Rival of the vision mask: the visibility polygon, found in numpy in each frame and drawn as triangles.

Rays go to both sides of each end of a wall, sorted by their angles, and to the range in between. Of each wall
it is looked up which rays lie in its arc; those are cut off where they meet it, and the rest is left alone.
The polygon's corners are where rays end.
"""

from collections.abc import Sequence

import numpy as np
from panda3d.core import GeomNode, NodePath, Texture

from bench.rivals.mask_target import MaskTarget
from bench.sights import View
from bench.stage import Stage, load_shader
from shapes import make_geom, make_node
from vision_support import SCENE_SIZE, VIEW_RANGE, Floats

# To the range, where there is no wall.
ROUND = 180
_BESIDE = 1e-5
_TURN = 2 * np.pi


def count_corners(segments: int) -> int:
    """Of the polygon around an eye among so many walls."""
    return ROUND + 4 * segments


def visibility_polygon(eye: Floats, ends: Floats, view_range: float) -> Floats:
    """Its corners, (count_corners, 2), in the order of their angles.

    Args:
        eye: (2,).
        ends: of the walls, (n, 2, 2).
        view_range: how far the eye sees.
    """
    first, second = ends[:, 0] - eye, ends[:, 1] - eye
    swap = (_cross(first, second) < 0)[:, None]
    first, second = np.where(swap, second, first), np.where(swap, first, second)
    start, stop = _angles(first), _angles(second)
    beside = [angles + side for angles in (start, stop) for side in (-_BESIDE, _BESIDE)]
    rays = np.sort(np.concatenate([np.arange(ROUND) * _TURN / ROUND, *beside]) % _TURN)

    # Once more a turn on: an arc across the seam is one run of rays.
    turns = np.concatenate([rays, rays + _TURN])
    from_ray = np.searchsorted(turns, start)
    counts = np.searchsorted(turns, start + (stop - start) % _TURN, side="right") - from_ray
    walls = np.repeat(np.arange(len(ends)), counts)
    runs = np.cumsum(counts) - counts
    numbers = (np.arange(len(walls)) - runs[walls] + from_ray[walls]) % len(rays)

    ways = np.stack([np.cos(rays), np.sin(rays)], axis=1)
    along = (second - first)[walls]
    distances = np.full(len(rays), view_range)
    np.minimum.at(distances, numbers, _cross(first[walls], along) / _cross(ways[numbers], along))
    corners: Floats = eye + ways * distances[:, None]
    return corners


def _angles(vectors: Floats) -> Floats:
    angles: Floats = np.arctan2(vectors[:, 1], vectors[:, 0]) % _TURN
    return angles


def _cross(first: Floats, second: Floats) -> Floats:
    product: Floats = first[:, 0] * second[:, 1] - first[:, 1] * second[:, 0]
    return product


class Polygon:
    """A seer: see the module."""

    def begin(self, stage: Stage, wall: NodePath, ends: Floats, view: View) -> None:
        self._target = MaskTarget(stage, view.size)
        self._ends = ends
        corners = count_corners(len(ends))
        around = np.arange(corners)
        fan = np.stack([np.zeros_like(around), 1 + around, 1 + (around + 1) % corners], axis=1)
        self._nodes: list[GeomNode] = []
        for _ in range(view.viewers):
            path = make_node("polygon", make_geom({"vertex": np.zeros((1 + corners, 3))}, fan))
            path.set_shader(load_shader("plan.vert", "constant.frag"))
            path.set_shader_inputs(u_size=SCENE_SIZE, u_color=(1, 1, 1, 1))
            path.set_depth_test(False)
            path.set_depth_write(False)
            path.set_two_sided(True)
            path.reparent_to(self._target.scene)
            node = path.node()
            assert isinstance(node, GeomNode)
            self._nodes.append(node)

    def look(self, places: Sequence[tuple[float, float]]) -> None:
        for node, place in zip(self._nodes, places, strict=True):
            eye = np.array(place)
            rows = np.zeros((1 + count_corners(len(self._ends)), 3), np.float32)
            rows[0, :2], rows[1:, :2] = eye, visibility_polygon(eye, self._ends, VIEW_RANGE)
            vertices = node.modify_geom(0).modify_vertex_data()
            vertices.modify_array_handle(0).set_data(rows.tobytes())
        self._target.draw()

    @property
    def mask(self) -> Texture:
        """What is seen."""
        return self._target.texture

    def end(self) -> None:
        self._target.end()
        self._nodes.clear()
