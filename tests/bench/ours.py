"""The add-on, as its README says to use it."""

from collections.abc import Sequence
from typing import Any

from panda3d.core import NodePath

from bench.scenario import FOREVER, Scenario
from bench.stage import Stage
from bench.walls import Points
from panda_rtstamp import StampConfig, StampSystem

COLOR = (0.9, 0.2, 0.1)
HARDNESS = 0.8


class Ours:
    """A StampSystem. What is not asked for here is left at its default."""

    def __init__(self, **settings: Any) -> None:
        self._settings = settings
        self.stamps: StampSystem | None = None

    def begin(
        self, stage: Stage, walls: Sequence[NodePath], scenario: Scenario, warm_up: bool = True
    ) -> None:
        for wall in walls:
            wall.set_tag("rtstamp", "")
            wall.set_tag("rtstamp-resolution", str(scenario.resolution))
        config = StampConfig(
            max_pool_size=len(walls),
            auto_fade=scenario.fade is not None,
            fade_duration=scenario.fade or FOREVER,
            hardness=HARDNESS,
            **self._settings,
        )
        self.stamps = StampSystem(stage.base, config)
        if warm_up:
            self.stamps.warm_up({scenario.resolution: len(walls)}, nodes=walls)

    def hit(self, wall: NodePath, points: Points, radius: float) -> None:
        assert self.stamps is not None
        for x, y, z in points:
            made = self.stamps.hit(wall, (x, y, z), other=wall, radius=radius, color=COLOR)
            if made is None:
                raise RuntimeError(f"a hit on {wall.get_name()} left no mark")

    def end(self) -> None:
        if self.stamps is not None:
            self.stamps.destroy()
            self.stamps = None
