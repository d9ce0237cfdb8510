"""An experiment on overlays: what the same nodes cost in an overlay and in the main scene."""

from panda3d.core import NodePath

from bench.plan import Bench
from bench.report import Outcome, against
from bench.stage import Stage
from bench.timing import Lengths, compare
from bench.walls import build_walls
from panda_rtstamp.overlay.viewport import Overlay


class Shown:
    """A case: walls that the main camera sees, in the main scene or in an overlay.

    Args:
        name: of the case.
        walls: how many there are.
        in_overlay: or in the main scene.
        overlays: how many empty overlays there are beside.
    """

    def __init__(self, name: str, walls: int, in_overlay: bool = False, overlays: int = 0) -> None:
        self.name = name
        self._walls = walls
        self._in_overlay = in_overlay
        self._empty = overlays
        self._scene: NodePath = NodePath()
        self._overlays: list[Overlay] = []

    def setup(self, stage: Stage) -> None:
        self._scene, _ = build_walls(stage, self._walls, 1000)
        self._overlays = [Overlay(stage.base, NodePath("empty")) for _ in range(self._empty)]
        if self._in_overlay:
            self._scene.detach_node()
            self._overlays.append(Overlay(stage.base, self._scene, stage.base.cam))
        stage.step(2)

    def frame(self, index: int) -> None:
        """Nothing: the scene stands still."""

    def teardown(self) -> None:
        for overlay in self._overlays:
            overlay.destroy()
        self._overlays.clear()
        self._scene.remove_node()


def overlay(bench: Bench) -> Outcome:
    """Nodes in an overlay against the same nodes in the main scene; and what overlays cost by themselves."""
    plan = bench.plan
    cases = [
        Shown("main", plan.walls),
        Shown("overlay", plan.walls, in_overlay=True),
        Shown("empty", plan.walls, overlays=1),
        Shown("stack", plan.walls, overlays=8),
    ]
    times = compare(bench.stage, cases, Lengths(plan.rounds, 4, 4 * plan.frames), bench.tell)
    nodes, main = f"{plan.walls} nodes", times["main"]
    return Outcome(
        [
            against(f"{nodes}, in an overlay", times["overlay"], "in the main scene", main),
            against(f"{nodes} and an empty overlay", times["empty"], "without", main),
            against(f"{nodes} and 8 empty overlays", times["stack"], "without", main),
        ]
    )
