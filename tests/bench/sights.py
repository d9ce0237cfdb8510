"""What is seen in the benchmarks of vision masks: walls of many segments, eyes among them, and who looks."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import ceil, cos, pi, sin, sqrt
from typing import Any, Protocol

import numpy as np
from panda3d.core import NodePath, Texture

from bench.stage import Stage
from panda_rtstamp.vision.config import VisionConfig
from panda_rtstamp.vision.system import VisionMask
from shapes import make_geom, make_node, quads
from vision_support import BOXES, SCENE_SIZE, VIEW_RANGE, Floats, outlines, random_boxes

EYE_HEIGHT = 1.6
_WALL_HEIGHT = 3.0
# No box stands within 6 of the middle.
_AROUND = 4.0


@dataclass(frozen=True, kw_only=True)
class View:
    """Walls and who looks at them.

    Attributes:
        segments: of walls, as seen from above.
        viewers: how many eyes; all of them see all around, and as far as the walls stand.
        size: texels along an edge of the mask.
        moves: whether all eyes move in each frame.
        walls_move: whether all walls do.
    """

    segments: int = 100
    viewers: int = 1
    size: int = 512
    moves: bool = True
    walls_move: bool = False


class Seer(Protocol):
    """A way to make masks of what eyes see: ours, or a rival."""

    def begin(self, stage: Stage, wall: NodePath, ends: Floats, view: View) -> None:
        """Get ready, as a game does while it loads a level.

        Args:
            wall: all walls in one model.
            ends: the same as segments, (n, 2, 2); four in turn are a box.
        """

    def look(self, places: Sequence[tuple[float, float]]) -> None:
        """Let the eyes be at these places in the next frame."""

    def end(self) -> None:
        """Take everything away again."""


def make_ends(segments: int) -> Floats:
    """Sides of boxes all over the scene: the more, the smaller, so that they cover as much of it."""
    count = ceil(segments / 4)
    scale = min(1.0, sqrt(BOXES / count))
    boxes = [replace(box, size=(box.size[0] * scale, box.size[1] * scale)) for box in random_boxes(0, count)]
    return outlines(boxes)[:segments]


def make_wall(ends: Floats) -> NodePath:
    """A model of standing quads, one on each segment."""
    corners = np.zeros((len(ends), 4, 3))
    corners[:, :2, :2], corners[:, 2:, :2] = ends, ends[:, ::-1]
    corners[:, 2:, 2] = _WALL_HEIGHT
    return make_node("wall", make_geom({"vertex": corners.reshape(-1, 3)}, quads(len(ends))))


def places(view: View, index: int) -> list[tuple[float, float]]:
    """Where all eyes are in a frame: they go around the middle."""
    turns = [2 * pi * number / view.viewers + 0.02 * index * view.moves for number in range(view.viewers)]
    return [(_AROUND * sin(turn), _AROUND * cos(turn)) for turn in turns]


class Ours:
    """A VisionMask. What is not asked for here is left at its default."""

    def __init__(self, **settings: Any) -> None:
        self._settings = settings
        self._eyes: list[NodePath] = []
        self.vision: VisionMask | None = None

    def begin(self, stage: Stage, wall: NodePath, ends: Floats, view: View) -> None:
        config = VisionConfig(
            size=(SCENE_SIZE, SCENE_SIZE), mask_size=view.size, eye_height=EYE_HEIGHT, **self._settings
        )
        self.vision = VisionMask(stage.base, config)
        self.vision.add_wall(wall, moving=view.walls_move)
        for _ in range(view.viewers):
            eye = stage.root.attach_new_node("eye")
            self.vision.add_viewer(eye, view_range=VIEW_RANGE)
            self._eyes.append(eye)

    def look(self, places: Sequence[tuple[float, float]]) -> None:
        for eye, (x, y) in zip(self._eyes, places, strict=True):
            eye.set_pos(x, y, 0.0)

    @property
    def mask(self) -> Texture | None:
        """What is seen."""
        return None if self.vision is None else self.vision.mask

    def end(self) -> None:
        if self.vision is not None:
            self.vision.destroy()
        for eye in self._eyes:
            eye.remove_node()
        self._eyes.clear()


class Looking:
    """A case: a view and who makes the masks; None: nobody.

    The walls are hidden: what is drawn is the mask alone.
    """

    def __init__(self, name: str, view: View, seer: Callable[[], Seer] | None) -> None:
        self.name = name
        self.view = view
        self._make = seer
        self.seer: Seer | None = None
        self._wall: NodePath = NodePath()

    def setup(self, stage: Stage) -> None:
        ends = make_ends(self.view.segments)
        self._wall = make_wall(ends)
        self._wall.reparent_to(stage.root)
        self._wall.hide()
        if self._make is not None:
            self.seer = self._make()
            self.seer.begin(stage, self._wall, ends, self.view)
        self.frame(0)
        stage.step(3)

    def frame(self, index: int) -> None:
        if self.view.walls_move:
            self._wall.set_x(0.01 * (index % 50))
        if self.seer is not None:
            self.seer.look(places(self.view, index))

    def teardown(self) -> None:
        if self.seer is not None:
            self.seer.end()
            self.seer = None
        self._wall.remove_node()
