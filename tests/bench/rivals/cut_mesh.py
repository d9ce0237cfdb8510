"""Rival 4: decals cut out of the mesh.

All triangles that reach into the sphere's box are clipped to it, and become a Geom of their own that lies
over the wall, as three.js DecalGeometry does (examples/jsm/geometries/DecalGeometry.js; clipping after
Sutherland and Hodgman, "Reentrant polygon clipping", 1974). numpy finds the triangles that can reach the
box. Marks fade by a colour scale, set in each frame for each of them.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from panda3d.core import DepthOffsetAttrib, NodePath, TransparencyAttrib

from bench.rivals.cpu_paint import read_triangles
from bench.rivals.projected import THRESHOLD, make_picture
from bench.scenario import FOREVER, Scenario
from bench.stage import FRAME_RATE, Stage, load_shader
from bench.walls import Points
from shapes import make_geom, make_node


def clip(polygon: list[Points], axis: int, side: float) -> list[Points]:
    """The part of a convex polygon where side * coordinate <= 1."""
    result = []
    for start, end in zip(polygon, polygon[1:] + polygon[:1], strict=True):
        inside, next_inside = side * start[axis] <= 1, side * end[axis] <= 1
        if inside:
            result.append(start)
        if inside != next_inside:
            share = (side - start[axis]) / (end[axis] - start[axis])
            result.append(start + share * (end - start))
    return result


def cut(positions: Points, point: Points, radius: float) -> Points:
    """Triangles (n, 3, 3) of what lies in the box around a point, in the box's space, -1..1."""
    local = (positions - point) / radius
    reaching = (local.min(axis=1) <= 1).all(axis=1) & (local.max(axis=1) >= -1).all(axis=1)
    triangles = []
    for triangle in local[reaching]:
        polygon = list(triangle)
        for axis in range(3):
            for side in (-1.0, 1.0):
                polygon = clip(polygon, axis, side)
        triangles += [(polygon[0], *polygon[i : i + 2]) for i in range(1, len(polygon) - 1)]
    return np.array(triangles).reshape(-1, 3, 3)


def make_decal(triangles: Points, point: Points, radius: float) -> NodePath:
    """A node of these triangles, with the picture's UVs and flat normals."""
    corners = triangles.reshape(-1, 3)
    normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)
    columns = {
        "vertex": corners * radius + point,
        "normal": np.repeat(normals, 3, axis=0),
        "texcoord": corners[:, [0, 2]] * 0.5 + 0.5,
    }
    return make_node("decal", make_geom(columns, np.arange(len(corners)).reshape(-1, 3)))


class CutMesh:
    """A contender: see the module."""

    def begin(self, stage: Stage, walls: Sequence[NodePath], scenario: Scenario) -> None:
        self._stage = stage
        self._frame = 0
        self._life = round((scenario.fade or FOREVER) * FRAME_RATE)
        self._meshes = {wall: read_triangles(wall)[0] for wall in walls}
        self._decals: list[tuple[NodePath, int]] = []
        self._picture = make_picture()
        self._shader = load_shader("wall.vert", "cut.frag")
        stage.base.task_mgr.add(self._tick, "cut mesh", sort=48)

    def hit(self, wall: NodePath, points: Points, radius: float) -> None:
        for point in points:
            triangles = cut(self._meshes[wall], point, radius)
            if len(triangles):
                self._show(make_decal(triangles, point, radius), wall)

    def _show(self, decal: NodePath, wall: NodePath) -> None:
        decal.reparent_to(wall)
        decal.set_shader(self._shader)
        decal.set_texture(self._picture)
        decal.set_transparency(TransparencyAttrib.M_alpha)
        decal.set_depth_write(False)
        decal.set_attrib(DepthOffsetAttrib.make(1))
        self._decals.append((decal, self._frame))

    def _tick(self, task: Any) -> int:
        self._frame += 1
        while self._decals and self._frame - self._decals[0][1] > self._life:
            self._decals.pop(0)[0].remove_node()
        for decal, born in self._decals:
            decal.set_alpha_scale(THRESHOLD ** ((self._frame - born) / self._life))
        return int(task.cont)

    def end(self) -> None:
        self._stage.base.task_mgr.remove("cut mesh")
        for decal, _ in self._decals:
            decal.remove_node()
        self._decals.clear()
