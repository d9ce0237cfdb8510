"""Experiments on hits: what a frame with them costs more than one without."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from bench.figures import Floats, cost_of_hits, figure, ratio
from bench.ours import Ours
from bench.plan import Bench
from bench.report import Curve, Outcome, Row, against, last_rows, lines
from bench.rivals.cpu_paint import CpuPaint
from bench.rivals.cut_mesh import CutMesh
from bench.rivals.limit import Limit
from bench.rivals.projected import MOST, Projected
from bench.rivals.textbook import Textbook
from bench.scenario import Contender, Scenario, Shooting
from bench.stage import FRAME_RATE
from bench.timing import Lengths, compare

Makers = Mapping[str, Callable[[], Contender]]

RIVALS: Makers = {
    "1 textbook": Textbook,
    "2 painting": CpuPaint,
    "3 projected": Projected,
    "4 cut mesh": CutMesh,
    "5 limit": Limit,
}
EVERYBODY: Makers = {"ours": Ours, **RIVALS}
# One hit, and time to get over it; or eight in a row. Seen from afar, so that the marks' drawing, which has
# rows of its own, does not hide what hits cost. Not out of view: what nobody sees is not uploaded.
SINGLE = Scenario(period=6, burst=1, zoom=0.25)
REPEATED = Scenario(period=12, burst=8, zoom=0.25)


def costs_of(
    bench: Bench, scenarios: Mapping[str, tuple[Scenario, Callable[[], Contender]]], rounds: int
) -> dict[str, Floats]:
    """What a frame with hits costs in each scenario, (rounds, periods), all of the same period."""
    periods = {scenario.period for scenario, _ in scenarios.values()}
    assert len(periods) == 1
    cases = [Shooting(name, scenario, maker) for name, (scenario, maker) in scenarios.items()]
    times = compare(bench.stage, cases, bench.plan.hit_lengths(periods.pop(), rounds), bench.tell)
    return {
        name: cost_of_hits(times[name], scenario.period, scenario.burst)
        for name, (scenario, _) in scenarios.items()
    }


def one_hit(bench: Bench) -> Outcome:
    """One hit of 64 texels radius, alone or one in each frame, against everybody."""
    size = bench.plan.resolution
    aims = {"1 textbook": 1 / 6, "5 limit": 2.0}
    rows = []
    kinds: Sequence[tuple[str, Scenario, Mapping[str, float]]] = (
        ("one hit", SINGLE, aims),
        ("a hit in each frame", REPEATED, {}),
    )
    for words, fire, known in kinds:
        scenario = replace(fire, resolution=size)
        scenarios = {name: (scenario, maker) for name, maker in EVERYBODY.items()}
        costs = costs_of(bench, scenarios, bench.plan.rounds)
        what = f"{words}, 64 texels radius, {size} px"
        rows += [against(what, costs["ours"], name, costs[name], known.get(name)) for name in RIVALS]
    return Outcome(rows)


def sizes(bench: Bench) -> Outcome:
    """Sweep: the texture's size, the hit's texels staying what they are."""
    plan = bench.plan
    makers = {name: EVERYBODY[name] for name in ("ours", "1 textbook", "2 painting", "5 limit")}
    scenarios = {
        f"{name} {size}": (replace(SINGLE, resolution=size, radius=min(64, size / 4)), maker)
        for size in plan.sizes
        for name, maker in makers.items()
    }
    costs = costs_of(bench, scenarios, plan.rounds)
    small, large = plan.sizes[0], plan.sizes[-1]
    what = f"one hit, {large} px, equal texels"
    return Outcome(
        [
            against(what, costs[f"ours {large}"], f"ours, {small} px", costs[f"ours {small}"], 1.5),
            *last_rows(costs, list(makers), large, "px, one hit of equal texels"),
        ],
        [Curve("A hit of 64 texels radius", "texture, px", "ms", lines(costs, makers, plan.sizes))],
    )


def triangles(bench: Bench) -> Outcome:
    """Sweep: how fine the mesh is."""
    plan = bench.plan
    makers = {name: maker for name, maker in EVERYBODY.items() if name != "3 projected"}
    scenarios = {
        f"{name} {count}": (replace(SINGLE, triangles=count, resolution=plan.resolution), maker)
        for count in plan.triangles
        for name, maker in makers.items()
    }
    costs = costs_of(bench, scenarios, plan.sweep_rounds)
    return Outcome(
        last_rows(costs, list(makers), plan.triangles[-1], "triangles, one hit"),
        [Curve("A hit, by the mesh", "triangles", "ms", lines(costs, makers, plan.triangles))],
    )


def hits(bench: Bench) -> Outcome:
    """Sweep: hits in one frame, within a rectangle of 128 texels; and the same rectangle by one hit."""
    plan = bench.plan
    whole = replace(SINGLE, resolution=plan.resolution)
    many = replace(whole, radius=16, spread=48)
    scenarios = {
        f"{name} {count}": (replace(many, hits=count), maker)
        for count in plan.hits
        for name, maker in EVERYBODY.items()
        if maker is not Projected or count <= MOST
    }
    one = "ours, one hit of that rectangle"
    scenarios[one] = (whole, Ours)
    costs = costs_of(bench, scenarios, plan.sweep_rounds)
    count = max(count for count in plan.hits if count <= MOST)
    what = f"{count} hits in one frame, in 128 texels"
    return Outcome(
        [
            against(what, costs[f"ours {count}"], one, costs[one], 1.5),
            *last_rows(costs, list(EVERYBODY), plan.hits[-1], "hits in one frame, in 128 texels"),
        ],
        [Curve("Hits in one frame, in 128 texels", "hits", "ms", lines(costs, EVERYBODY, plan.hits))],
    )


def life(bench: Bench) -> Outcome:
    """One mark from the hit to its end, all frames together, less the same frames without marks."""
    plan = bench.plan
    rows = []
    for words, in_view, aim in (("out of view", False, 1 / 20), ("in view", True, None)):
        # The first of the lives is there to warm up.
        period = plan.life + 10
        scenario = Scenario(
            resolution=plan.resolution,
            period=period,
            fade=plan.life / FRAME_RATE,
            in_view=in_view,
            zoom=1.0 if in_view else SINGLE.zoom,
            marks=0,
        )
        makers = {"ours": Ours, "1 textbook": Textbook, "4 cut mesh": CutMesh, "nobody": None}
        cases = [Shooting(name, scenario, maker) for name, maker in makers.items()]
        times = compare(bench.stage, cases, Lengths(plan.rounds, period, period), bench.tell)
        idle = np.median(times.pop("nobody"), axis=1)
        sums = {name: (block.sum(axis=1) - period * idle)[:, None] for name, block in times.items()}
        what = f"a mark's life of {plan.life} frames, {words}"
        rows += [
            against(what, sums["ours"], name, sums[name], aim if name == "1 textbook" else None)
            for name in ("1 textbook", "4 cut mesh")
        ]
    return Outcome(rows)


def volley(bench: Bench) -> Outcome:
    """All walls are hit in one frame: the worst frame of the next 60 beside the median one."""
    plan = bench.plan
    scenario = Scenario(walls=plan.walls, resolution=plan.resolution, volley=True, period=60)
    cases = [Shooting("ours", scenario, Ours), Shooting("1 textbook", scenario, Textbook)]
    times = compare(bench.stage, cases, Lengths(plan.sweep_rounds, 0, 60), bench.tell)
    what = f"{plan.walls} nodes of {plan.resolution} px hit in one frame: the worst of 60 frames"
    worst = {name: block.max(axis=1, keepdims=True) for name, block in times.items()}
    return Outcome(
        [
            Row(
                what,
                figure(worst["ours"]),
                "ours, the median frame",
                figure(times["ours"]),
                ratio(worst["ours"], times["ours"]),
            ),
            against(what, worst["ours"], "1 textbook", worst["1 textbook"]),
        ]
    )
