"""What rivals of the vision mask draw into: a texture over the whole scene, where what is seen is white."""

from typing import Any

from panda3d.core import ColorBlendAttrib, NodePath

from bench.rivals.textbook import make_camera
from bench.stage import Stage

_SORT = -2000
_ADD = ColorBlendAttrib.make(ColorBlendAttrib.M_add, ColorBlendAttrib.O_one, ColorBlendAttrib.O_one)


class MaskTarget:
    """A cleared buffer; what hangs below `scene` is added up in it."""

    def __init__(self, stage: Stage, size: int) -> None:
        self._stage = stage
        self._buffer, self.texture = stage.make_buffer("mask", size, _SORT, (8, 8, 8, 8))
        self._buffer.set_clear_color((0, 0, 0, 0))
        self.scene = NodePath("scene")
        self.scene.set_attrib(_ADD)
        region: Any = self._buffer.make_display_region()
        region.set_camera(NodePath(make_camera(self.scene)))

    def draw(self) -> None:
        """In the next frame, and in no other."""
        self._buffer.set_one_shot(True)

    def end(self) -> None:
        """Free it."""
        self._stage.remove_buffer(self._buffer)
