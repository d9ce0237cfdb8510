"""Rival 5, the limit: the plainest passes that write the rectangle that a hit touches, twice.

No mesh, no mask, no gutter, no fade: one card of a single colour into one texture, and a card that brings
it into the other, each in a display region as large as the rectangle. Everything is made once and only set.
It leaves squares; what does more than that in a pass after a pass cannot be faster.
"""

from collections.abc import Sequence

from panda3d.core import NodePath, Texture

from bench.ours import COLOR
from bench.rivals.textbook import CAPTURE_SORT, MERGE_SORT, make_camera, make_card
from bench.scenario import Scenario
from bench.stage import Stage, load_shader
from bench.walls import EDGE, Points, uv_of

_BITS = (8, 8, 8, 8)


class _Pair:
    """The two targets of one wall, with a region each."""

    def __init__(self, stage: Stage, wall: NodePath, size: int) -> None:
        first, source = stage.make_buffer("first", size, CAPTURE_SORT, _BITS)
        second, self.texture = stage.make_buffer("second", size, MERGE_SORT, _BITS)
        self.buffers = (first, second)
        write = make_card(load_shader("card.vert", "constant.frag"))
        write.set_shader_input("u_color", (*COLOR, 1))
        copy = make_card(load_shader("card.vert", "copy.frag"))
        copy.set_shader_input("u_source", source)
        self._regions = [buffer.make_display_region() for buffer in self.buffers]
        for buffer, region, card in zip(self.buffers, self._regions, (write, copy), strict=True):
            scene = NodePath("scene")
            card.reparent_to(scene)
            region.set_camera(NodePath(make_camera(scene)))
            # What is nowhere written is to be empty, not whatever the memory held.
            buffer.set_clear_color((0, 0, 0, 0))
            buffer.set_clear_color_active(True)
            region.set_active(False)
        wall.set_shader(load_shader("wall.vert", "marked.frag"))
        wall.set_shader_input("u_marks", self.texture)

    def start(self) -> None:
        """From now on the buffers are cleared no more, and drawn only when told."""
        for buffer in self.buffers:
            buffer.set_clear_color_active(False)
            buffer.set_one_shot(True)

    def write(self, left: float, right: float, bottom: float, top: float) -> None:
        """Write a rectangle, 0..1, in the next frame."""
        for buffer, region in zip(self.buffers, self._regions, strict=True):
            region.set_dimensions(left, right, bottom, top)
            region.set_active(True)
            buffer.set_one_shot(True)


class Limit:
    """A contender: see the module."""

    def begin(self, stage: Stage, walls: Sequence[NodePath], scenario: Scenario) -> None:
        self._stage = stage
        self._pairs = {wall: _Pair(stage, wall, scenario.resolution) for wall in walls}
        stage.step()
        for pair in self._pairs.values():
            pair.start()

    def hit(self, wall: NodePath, points: Points, radius: float) -> None:
        uv = uv_of(points)
        left, bottom = uv.min(axis=0) - radius / EDGE
        right, top = uv.max(axis=0) + radius / EDGE
        self._pairs[wall].write(left, right, bottom, top)

    def image(self, wall: NodePath) -> Texture:
        """The texture that shows a wall's marks."""
        return self._pairs[wall].texture

    def end(self) -> None:
        for pair in self._pairs.values():
            for buffer in pair.buffers:
                self._stage.remove_buffer(buffer)
        self._pairs.clear()
