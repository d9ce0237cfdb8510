"""What happens to the walls, whoever leaves the marks."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from panda3d.core import NodePath

from bench.stage import Stage
from bench.walls import EDGE, Points, build_walls, random_points, turn_away

FOREVER = 3600.0


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """Walls, and the hits that they get.

    Attributes:
        walls: how many there are. Each gets `marks` first marks before anything is timed.
        triangles: of each wall.
        resolution: texels along the edge of a wall's textures.
        radius: of a mark, in texels.
        spread: how far from a place drawn at random the hits of a frame lie, in texels.
        hits: hits of a frame on each wall that is hit.
        volley: whether all walls are hit at once, or the first alone.
        period, burst: each `period` of frames begins with `burst` frames with hits.
        in_view: whether the camera sees the walls. If not, it sees as many others, which are never hit.
        zoom: how large the walls are in the picture; 1 fills it.
        fade: seconds that marks last; None: they stay.
        marks: first marks of each wall.
    """

    walls: int = 1
    triangles: int = 1000
    resolution: int = 1024
    radius: float = 64.0
    spread: float = 0.0
    hits: int = 1
    volley: bool = False
    period: int = 6
    burst: int = 1
    in_view: bool = True
    zoom: float = 1.0
    fade: float | None = FOREVER
    marks: int = 1


class Contender(Protocol):
    """A way to leave marks on walls: ours, or a rival."""

    def begin(self, stage: Stage, walls: Sequence[NodePath], scenario: Scenario) -> None:
        """Get ready, as a game does while it loads a level."""

    def hit(self, wall: NodePath, points: Points, radius: float) -> None:
        """Leave round marks on a wall at points, (n, 3), in its space; all of a frame in one call."""

    def end(self) -> None:
        """Take everything away again."""


class Shooting:
    """A case: a scenario and who leaves the marks in it; None: nobody, the walls alone."""

    def __init__(self, name: str, scenario: Scenario, contender: Callable[[], Contender] | None) -> None:
        self.name = name
        self.scenario = scenario
        self._make = contender
        self._contender: Contender | None = None
        self._scene: NodePath = NodePath()
        self._walls: list[NodePath] = []
        self._random = np.random.default_rng(0)

    def setup(self, stage: Stage) -> None:
        scenario = self.scenario
        self._random = np.random.default_rng(0)
        self._scene, self._walls = build_walls(stage, scenario.walls, scenario.triangles, scenario.zoom)
        if not scenario.in_view:
            turn_away(stage, self._scene, self._walls)
        stage.step(2)
        if self._make is not None:
            self._contender = self._make()
            self._contender.begin(stage, self._walls, scenario)
            stage.step(2)
            for _ in range(scenario.marks):
                self._shoot(self._walls, 1)
                stage.step(1)
        # Whoever spreads a frame's work over later ones is done with it by then.
        stage.step(8 + scenario.walls // 8)

    def frame(self, index: int) -> None:
        if self.scenario.burst > index % self.scenario.period:
            self._shoot(self._walls if self.scenario.volley else self._walls[:1], self.scenario.hits)

    def _shoot(self, walls: Sequence[NodePath], hits: int) -> None:
        texel = EDGE / self.scenario.resolution
        for wall in walls:
            points = random_points(self._random, hits, self.scenario.spread * texel)
            if self._contender is not None:
                self._contender.hit(wall, points, self.scenario.radius * texel)

    def teardown(self) -> None:
        if self._contender is not None:
            self._contender.end()
            self._contender = None
        self._scene.remove_node()
        self._walls = []
