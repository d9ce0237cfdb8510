"""How much is measured: the full run, a quick look, and whether it works at all."""

from collections.abc import Callable
from dataclasses import dataclass

from bench.stage import Stage
from bench.timing import Lengths


@dataclass(frozen=True)
class Plan:
    """Sizes and lengths.

    Attributes:
        rounds: of comparisons that have aims; of sweeps, which have many cases; and processes for first hits.
        periods: of hits that are timed in a block.
        frames: that are timed in a block without hits.
        life: frames of a mark's life.
        resolution: texels of the rows that have aims.
        walls, many, slots: how many nodes are marked in the rows that say 64, 256 and 16.
        sizes, triangles, marks, hits: what the sweeps go through.
        segments, viewers, masks: what sweeps of the vision mask go through; the last: texels along an edge.
        clipped: how many models are clipped or dimmed.
    """

    rounds: int
    sweep_rounds: int
    processes: int
    periods: int
    frames: int
    life: int
    resolution: int
    walls: int
    many: int
    slots: int
    sizes: tuple[int, ...]
    triangles: tuple[int, ...]
    marks: tuple[int, ...]
    hits: tuple[int, ...]
    segments: tuple[int, ...]
    viewers: tuple[int, ...]
    masks: tuple[int, ...]
    clipped: int

    def hit_lengths(self, period: int, rounds: int) -> Lengths:
        """For cases that hit once in `period` frames."""
        return Lengths(rounds, period, (self.periods + 1) * period)


FULL = Plan(
    rounds=5, sweep_rounds=3, processes=5, periods=12, frames=16, life=300,
    resolution=1024, walls=64, many=256, slots=16,
    sizes=(256, 512, 1024, 2048), triangles=(1000, 10_000, 50_000, 200_000),
    marks=(1, 4, 16, 64, 256), hits=(1, 2, 4, 8, 16, 32, 64),
    segments=(10, 100, 300, 1000, 2000, 5000, 20_000), viewers=(1, 8, 32), masks=(512, 1024), clipped=1000,
)  # fmt: skip
QUICK = Plan(
    rounds=2, sweep_rounds=1, processes=1, periods=4, frames=6, life=60,
    resolution=1024, walls=16, many=256, slots=16,
    sizes=(256, 1024), triangles=(1000, 50_000), marks=(1, 32), hits=(1, 32),
    segments=(10, 100, 1000), viewers=(1, 8), masks=(512,), clipped=1000,
)  # fmt: skip
SMOKE = Plan(
    rounds=1, sweep_rounds=1, processes=1, periods=1, frames=2, life=8,
    resolution=256, walls=2, many=4, slots=2,
    sizes=(128, 256), triangles=(100, 400), marks=(1, 2), hits=(1, 4),
    segments=(10, 20), viewers=(1, 2), masks=(64,), clipped=4,
)  # fmt: skip


@dataclass(frozen=True)
class Bench:
    """What an experiment is given: where, how much, by the graphics card or not, and whom to tell of it."""

    stage: Stage
    plan: Plan
    gpu: bool
    tell: Callable[[str], None]
