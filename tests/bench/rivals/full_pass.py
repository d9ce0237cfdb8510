"""The limit of the vision mask: one card of a single colour over the whole mask, in each frame.

It shows nothing; what looks at each texel of the mask cannot be faster.
"""

from collections.abc import Sequence

from panda3d.core import NodePath

from bench.rivals.mask_target import MaskTarget
from bench.rivals.textbook import make_card
from bench.sights import View
from bench.stage import Stage, load_shader
from vision_support import Floats


class FullPass:
    """A seer: see the module."""

    def begin(self, stage: Stage, wall: NodePath, ends: Floats, view: View) -> None:
        self._target = MaskTarget(stage, view.size)
        card = make_card(load_shader("card.vert", "constant.frag"))
        card.set_shader_input("u_color", (1, 1, 1, 1))
        card.reparent_to(self._target.scene)

    def look(self, places: Sequence[tuple[float, float]]) -> None:
        self._target.draw()

    def end(self) -> None:
        self._target.end()
