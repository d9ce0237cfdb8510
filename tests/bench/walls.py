"""The surface that is shot at: a bumpy wall whose UVs are laid out already, so that nothing is unwrapped."""

from collections.abc import Iterable
from functools import cache
from math import ceil, radians, sqrt, tan

import numpy as np
from numpy.typing import NDArray
from panda3d.core import NodePath

from bench.stage import Stage, load_shader
from shapes import grid_faces, make_geom, make_node

Points = NDArray[np.float64]

# Edge of a wall in world units: its texture's texels are this / resolution wide.
EDGE = 2.0
_GAP = 0.2
_HALF_VIEW = radians(20)


def height(x: Points, z: Points) -> Points:
    """How far the wall stands back at a place: bumps, low enough to keep texels square within 1 %."""
    bumps: Points = 0.02 * np.sin(3 * x + 1) * np.cos(2 * z)
    return bumps


@cache
def _wall(triangles: int) -> NodePath:
    cells = round(sqrt(triangles / 2))
    u, v = (axis.ravel() for axis in np.meshgrid(*2 * [np.linspace(0, 1, cells + 1)]))
    x, z = EDGE * (u - 0.5), EDGE * (v - 0.5)
    slope_x = 0.06 * np.cos(3 * x + 1) * np.cos(2 * z)
    slope_z = -0.04 * np.sin(3 * x + 1) * np.sin(2 * z)
    normals = np.stack([slope_x, np.full_like(x, -1.0), slope_z], axis=1)
    columns = {
        "vertex": np.stack([x, height(x, z), z], axis=1),
        "normal": normals / np.linalg.norm(normals, axis=1, keepdims=True),
        "texcoord": np.stack([u, v], axis=1),
    }
    return make_node("wall", make_geom(columns, grid_faces(cells, cells)))


def build_walls(
    stage: Stage, count: int, triangles: int, zoom: float = 1.0
) -> tuple[NodePath, list[NodePath]]:
    """So many walls side by side before the camera. They face -Y and have a plain GLSL shader.

    Args:
        stage: where.
        count: how many.
        triangles: of each.
        zoom: how much of the picture's width they take.

    Returns:
        The node above them, to be removed in the end, and the walls.
    """
    columns = ceil(sqrt(count))
    pitch = EDGE + _GAP
    scene = stage.root.attach_new_node("walls")
    scene.set_shader(load_shader("wall.vert", "wall.frag"))
    walls = []
    for index in range(count):
        wall = _wall(triangles).copy_to(scene)
        wall.set_name(f"wall-{index}")
        row, column = divmod(index, columns)
        wall.set_pos((column - (columns - 1) / 2) * pitch, 0, (row - (columns - 1) / 2) * pitch)
        walls.append(wall)
    stage.look(columns * pitch / 2 / tan(_HALF_VIEW) / zoom + 0.5)
    return scene, walls


def turn_away(stage: Stage, scene: NodePath, walls: Iterable[NodePath]) -> None:
    """Put walls behind the camera, and others in their places: frames cost the same, but for the marks."""
    behind = scene.attach_new_node("behind")
    behind.set_y(3 * stage.base.camera.get_y())
    for wall in walls:
        wall.copy_to(scene)
        wall.reparent_to(behind)


def uv_of(points: Points) -> Points:
    """Where points of a wall, (n, 3) in its own space, lie on its texture: (n, 2)."""
    uv: Points = points[:, [0, 2]] / EDGE + 0.5
    return uv


def random_points(random: np.random.Generator, count: int, spread: float) -> Points:
    """Points on a wall, (n, 3) in its own space, within `spread` of a place that is not near its border."""
    middle = random.uniform(-0.225 * EDGE, 0.225 * EDGE, 2)
    x, z = (middle + random.uniform(-spread, spread, (count, 2))).T
    return np.stack([x, height(x, z), z], axis=1)
