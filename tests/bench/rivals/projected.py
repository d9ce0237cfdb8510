"""Rival 3: projected decals, a TexProjector and a texture stage for each.

Each mark is a lens that projects a picture onto the wall. Panda computes the stage's matrix anew in each
frame, and each pixel of the wall looks at all of its stages, whether a decal is there or not. A wall can
have 32 of them, which is more than fixed function allows (8); the oldest gives way. The core profile has no
fixed function, so the wall's shader adds the stages up. All have the same picture, so they need but one
texture unit; Panda sends shaders no more than the first stages' textures anyway.
"""

from collections import deque
from collections.abc import Sequence
from typing import Any

import numpy as np
from panda3d.core import LensNode, NodePath, OrthographicLens, PTA_float, SamplerState, Texture, TextureStage

from bench.ours import COLOR, HARDNESS
from bench.scenario import FOREVER, Scenario
from bench.stage import FRAME_RATE, Stage, load_shader
from bench.walls import Points

MOST = 32
THRESHOLD = 0.01


def make_picture(size: int = 64) -> Texture:
    """A disc with a soft edge, transparent outside."""
    across = (np.arange(size) + 0.5) / size * 2 - 1
    distance = np.hypot(*np.meshgrid(across, across))
    image = np.empty((size, size, 4), np.uint8)
    image[:] = np.rint(np.array([*COLOR[::-1], 0.0]) * 255)
    image[:, :, 3] = np.rint(np.clip((1 - distance) / (1 - HARDNESS), 0, 1) * 255)
    picture = Texture("picture")
    picture.setup_2d_texture(size, size, Texture.T_unsigned_byte, Texture.F_rgba)
    picture.set_ram_image(image)
    picture.set_wrap_u(SamplerState.WM_border_color)
    picture.set_wrap_v(SamplerState.WM_border_color)
    picture.set_border_color((0, 0, 0, 0))
    return picture


class _Decals:
    """The decals of one wall, oldest first."""

    def __init__(self, wall: NodePath, life: int) -> None:
        self._wall = wall
        self._life = life
        self._found: deque[tuple[TextureStage, NodePath, int]] = deque()
        self._next = 0
        self._alpha = PTA_float.empty_array(MOST)
        wall.set_shader(load_shader("wall.vert", "projected.frag"))
        wall.set_shader_input("u_alpha", self._alpha)
        wall.set_shader_input("u_count", 0)

    def add(self, picture: Texture, point: Points, radius: float, frame: int) -> None:
        """Project a picture at a point of the wall."""
        if len(self._found) == MOST:
            self._remove_oldest()
        lens = OrthographicLens()
        lens.set_film_size(2 * radius, 2 * radius)
        lens.set_near_far(0, 2 * radius)
        projector = self._wall.get_parent().attach_new_node(LensNode("projector", lens))
        projector.set_pos(self._wall, (point[0], point[1] - radius, point[2]))
        stage = TextureStage("decal")
        stage.set_sort(self._next)
        self._next += 1
        self._wall.project_texture(stage, picture, projector)
        self._found.append((stage, projector, frame))
        self._wall.set_shader_input("u_count", len(self._found))

    def _remove_oldest(self) -> None:
        stage, projector, _ = self._found.popleft()
        self._wall.clear_project_texture(stage)
        projector.remove_node()

    def advance(self, frame: int) -> None:
        """Fade, and end what has faded."""
        while self._found and frame - self._found[0][2] > self._life:
            self._remove_oldest()
            self._wall.set_shader_input("u_count", len(self._found))
        for index, (_, _, born) in enumerate(self._found):
            self._alpha[index] = THRESHOLD ** ((frame - born) / self._life)

    def destroy(self) -> None:
        """Remove the projectors."""
        while self._found:
            self._remove_oldest()


class Projected:
    """A contender: see the module."""

    def begin(self, stage: Stage, walls: Sequence[NodePath], scenario: Scenario) -> None:
        self._stage = stage
        self._frame = 0
        self._picture = make_picture()
        life = round((scenario.fade or FOREVER) * FRAME_RATE)
        self._decals = {wall: _Decals(wall, life) for wall in walls}
        stage.base.task_mgr.add(self._tick, "projected", sort=48)

    def hit(self, wall: NodePath, points: Points, radius: float) -> None:
        for point in points:
            self._decals[wall].add(self._picture, point, radius, self._frame)

    def _tick(self, task: Any) -> int:
        self._frame += 1
        for decals in self._decals.values():
            decals.advance(self._frame)
        return int(task.cont)

    def end(self) -> None:
        self._stage.base.task_mgr.remove("projected")
        for decals in self._decals.values():
            decals.destroy()
