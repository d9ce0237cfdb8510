"""Rival of the vision mask: 720 CollisionRays an eye, sent out by a CollisionTraverser in each frame.

What they hit first goes into a texture of distances, and each texel of the mask is compared with the one in
its direction. The walls are CollisionPolygons, a CollisionNode for each box, sorted into squares, so that
the traverser can leave most of them out.
"""

from collections.abc import Sequence
from math import floor

import numpy as np
from panda3d.core import (
    BitMask32,
    CollisionHandlerQueue,
    CollisionNode,
    CollisionPolygon,
    CollisionRay,
    CollisionTraverser,
    NodePath,
    Point3,
    Texture,
)

from bench.rivals.mask_target import MaskTarget
from bench.rivals.textbook import make_card
from bench.sights import EYE_HEIGHT, View
from bench.stage import Stage, load_shader
from panda_rtstamp.core.anchor import address
from vision_support import SCENE_SIZE, VIEW_RANGE, Floats

COLUMNS = 720
_WALLS = BitMask32.bit(1)
_HEIGHT = 3.0
_SQUARE = 10.0
# How far behind a wall is still seen, as a share of the range.
_BIAS = 0.005


def directions() -> Floats:
    """Of the columns' centres: (720, 2), the first near -Y, and then over -X to +Y."""
    turns = ((np.arange(COLUMNS) + 0.5) / COLUMNS - 0.5) * 2 * np.pi
    return np.stack([np.sin(turns), np.cos(turns)], axis=1)


class _Eye:
    """The rays of one eye, and the card that compares."""

    def __init__(self, root: NodePath, target: MaskTarget, size: int) -> None:
        node = CollisionNode("rays")
        node.set_from_collide_mask(_WALLS)
        node.set_into_collide_mask(0)
        for x, y in directions():
            node.add_solid(CollisionRay(0, 0, EYE_HEIGHT, x, y, 0))
        self._numbers = {address(solid): number for number, solid in enumerate(node.get_solids())}
        self.path = root.attach_new_node(node)
        self.queue = CollisionHandlerQueue()
        self._columns = Texture("columns")
        self._columns.setup_2d_texture(COLUMNS, 1, Texture.T_float, Texture.F_r32)
        self._card = make_card(load_shader("card.vert", "columns.frag"))
        self._card.set_shader_inputs(
            u_columns=self._columns, u_range=VIEW_RANGE, u_size=SCENE_SIZE, u_texels=float(size), u_bias=_BIAS
        )
        self._card.reparent_to(target.scene)

    def compare(self) -> None:
        """Take over what the rays hit."""
        distances = np.ones(COLUMNS, np.float32)
        self.queue.sort_entries()
        # The nearest ones come first, so the last word is theirs.
        for entry in reversed(list(self.queue.entries)):
            number = self._numbers[address(entry.get_from())]
            distances[number] = entry.get_surface_point(self.path).get_xy().length() / VIEW_RANGE
        self._columns.set_ram_image(distances.tobytes())
        self._card.set_shader_input("u_eye", self.path.get_pos().xy)


class Rays:
    """A seer: see the module."""

    def begin(self, stage: Stage, wall: NodePath, ends: Floats, view: View) -> None:
        self._target = MaskTarget(stage, view.size)
        self._root = stage.root.attach_new_node("rays")
        self._add_walls(ends)
        self._traverser = CollisionTraverser("rays")
        self._eyes = [_Eye(self._root, self._target, view.size) for _ in range(view.viewers)]
        for eye in self._eyes:
            self._traverser.add_collider(eye.path, eye.queue)

    def _add_walls(self, ends: Floats) -> None:
        squares: dict[tuple[int, ...], NodePath] = {}
        for first in range(0, len(ends), 4):
            box = CollisionNode("box")
            box.set_from_collide_mask(0)
            box.set_into_collide_mask(_WALLS)
            for (ax, ay), (bx, by) in ends[first : first + 4].tolist():
                corners = (ax, ay, 0), (bx, by, 0), (bx, by, _HEIGHT), (ax, ay, _HEIGHT)
                box.add_solid(CollisionPolygon(*(Point3(*corner) for corner in corners)))
            square = tuple(floor(value / _SQUARE) for value in ends[first, 0].tolist())
            if square not in squares:
                squares[square] = self._root.attach_new_node("square")
            squares[square].attach_new_node(box)

    def look(self, places: Sequence[tuple[float, float]]) -> None:
        for eye, (x, y) in zip(self._eyes, places, strict=True):
            eye.path.set_pos(x, y, 0)
        self._traverser.traverse(self._root)
        for eye in self._eyes:
            eye.compare()
        self._target.draw()

    @property
    def mask(self) -> Texture:
        """What is seen."""
        return self._target.texture

    def end(self) -> None:
        self._traverser.clear_colliders()
        self._target.end()
        self._root.remove_node()
