"""Rival 1: marks in render targets, as the textbook has it.

Each node has two full textures. A hit draws the node, unwrapped, into the first one (the capture: all of it
is cleared and drawn, the hit is in uniforms) and adds that to the second one by a card over the whole
texture (the merge). A mark fades by another card, over the whole texture and in each frame, which
multiplies it by a little less than 1. The textures are RGBA16F: in 8 bits such a fade comes to rest long
before the mark is gone.

Made as its users make it: buffers, cards and cameras at the node's first hit, and kept; several hits in one
frame are several captures, one over the other, and one merge.
"""

from collections.abc import Sequence
from typing import Any

from panda3d.core import (
    Camera,
    CardMaker,
    ColorBlendAttrib,
    LColor,
    NodePath,
    OmniBoundingVolume,
    OrthographicLens,
    RenderState,
    ShaderAttrib,
    Texture,
)

from bench.ours import COLOR, HARDNESS
from bench.scenario import FOREVER, Scenario
from bench.stage import FRAME_RATE, Stage, load_shader
from bench.walls import Points

CAPTURE_SORT = -2000
MERGE_SORT = -1999
# What is left of a mark in the end.
THRESHOLD = 0.01
_OVER = ColorBlendAttrib.make(
    ColorBlendAttrib.M_add, ColorBlendAttrib.O_one, ColorBlendAttrib.O_one_minus_incoming_alpha
)
_OVERRIDE = 10000


def make_card(shader: Any, sort: int = 0) -> NodePath:
    """A card over the whole target, drawn in the order of `sort`."""
    maker = CardMaker("card")
    maker.set_frame(-1, 1, -1, 1)
    card = NodePath(maker.generate())
    card.set_shader(shader)
    card.set_two_sided(True)
    card.set_depth_test(False)
    card.set_depth_write(False)
    card.set_bin("fixed", sort)
    return card


def make_camera(scene: NodePath) -> Camera:
    """A camera that draws all of a scene; where things are is up to the shaders."""
    camera = Camera("pass", OrthographicLens())
    camera.set_scene(scene)
    camera.set_cull_bounds(OmniBoundingVolume())
    return camera


class Layer:
    """The textures of one node, and the passes over them."""

    def __init__(self, stage: Stage, wall: NodePath, size: int, fade: float | None) -> None:
        self._stage = stage
        self._wall = wall
        self.left = 0
        self._is_cleared = False
        self._life = round((fade or FOREVER) * FRAME_RATE)
        half = (16, 16, 16, 16)
        self._capture, primary = stage.make_buffer("capture", size, CAPTURE_SORT, half, is_float=True)
        self._capture.set_clear_color((0, 0, 0, 0))
        self._capture.set_clear_color_active(True)
        self._merge, self.texture = stage.make_buffer("merge", size, MERGE_SORT, half, is_float=True)
        self._merge.set_clear_color((0, 0, 0, 0))
        self._merge.set_clear_color_active(True)
        self._cameras: list[Camera] = []
        self._shader = load_shader("unwrap.vert", "unwrap.frag")
        self._passes = NodePath("passes")
        self._merge_card = self._add_merge(primary)
        if fade is not None:
            self._add_fade(THRESHOLD ** (1 / self._life))
        self._merge.make_display_region().set_camera(NodePath(make_camera(self._passes)))
        wall.set_shader(load_shader("wall.vert", "marked.frag"))
        wall.set_shader_input("u_marks", self.texture)

    def _add_merge(self, primary: Texture) -> NodePath:
        card = make_card(load_shader("card.vert", "copy.frag"), 1)
        card.set_attrib(_OVER)
        card.set_shader_input("u_source", primary)
        card.reparent_to(self._passes)
        card.hide()
        return card

    def _add_fade(self, factor: float) -> None:
        card = make_card(load_shader("card.vert", "constant.frag"), 0)
        card.set_attrib(
            ColorBlendAttrib.make(
                ColorBlendAttrib.M_add,
                ColorBlendAttrib.O_zero,
                ColorBlendAttrib.O_constant_color,
                LColor(factor, factor, factor, factor),
            )
        )
        card.set_shader_input("u_color", (0, 0, 0, 0))
        card.reparent_to(self._passes)

    def hit(self, points: Points, radius: float) -> None:
        """Capture each hit, and merge them, in this frame."""
        while len(self._cameras) < len(points):
            camera = make_camera(self._wall)
            self._capture.make_display_region().set_camera(NodePath(camera))
            self._cameras.append(camera)
        for index, camera in enumerate(self._cameras):
            used = index < len(points)
            camera.set_active(used)
            if used:
                camera.set_initial_state(self._capture_state(points[index], radius))
        self._capture.set_one_shot(True)
        self._merge_card.show()
        self._merge.set_active(True)
        self.left = self._life

    def _capture_state(self, point: Points, radius: float) -> RenderState:
        inputs: Any = ShaderAttrib.make(self._shader, _OVERRIDE)
        inputs = inputs.set_shader_input("u_hit", (*point, radius))
        inputs = inputs.set_shader_input("u_color", COLOR)
        inputs = inputs.set_shader_input("u_hardness", HARDNESS)
        pass_state = make_card(self._shader).get_state()
        return pass_state.set_attrib(inputs, _OVERRIDE).set_attrib(_OVER, _OVERRIDE)

    def advance(self, hit_in_this_frame: bool) -> None:
        """Begin a frame: fade, unless the marks are gone."""
        self.left -= 1
        if not hit_in_this_frame:
            self._merge_card.hide()
        self._merge.set_clear_color_active(not self._is_cleared)
        self._is_cleared = True
        if self.left <= 0:
            self._merge.set_active(False)

    def destroy(self) -> None:
        """Free the buffers."""
        self._stage.remove_buffer(self._capture)
        self._stage.remove_buffer(self._merge)


class Textbook:
    """A contender: see the module."""

    def __init__(self) -> None:
        self._layers: dict[NodePath, Layer] = {}
        self._struck: set[NodePath] = set()

    def begin(self, stage: Stage, walls: Sequence[NodePath], scenario: Scenario) -> None:
        self._stage = stage
        self._scenario = scenario
        stage.base.task_mgr.add(self._tick, "textbook", sort=48)

    def hit(self, wall: NodePath, points: Points, radius: float) -> None:
        if wall not in self._layers:
            self._layers[wall] = Layer(self._stage, wall, self._scenario.resolution, self._scenario.fade)
        self._layers[wall].hit(points, radius)
        self._struck.add(wall)

    def _tick(self, task: Any) -> int:
        for wall, layer in self._layers.items():
            layer.advance(wall in self._struck)
        self._struck.clear()
        return int(task.cont)

    def image(self, wall: NodePath) -> Texture:
        """The texture that shows a wall's marks."""
        return self._layers[wall].texture

    def end(self) -> None:
        self._stage.base.task_mgr.remove("textbook")
        for layer in self._layers.values():
            layer.destroy()
        self._layers.clear()
