"""Experiments on marks that are there while nothing is hit: what they cost in a frame."""

from dataclasses import replace

from bench.ours import Ours
from bench.plan import Bench
from bench.report import Curve, Outcome, against, last_rows, lines
from bench.rivals.cpu_paint import CpuPaint
from bench.rivals.cut_mesh import CutMesh
from bench.rivals.projected import MOST, Projected
from bench.rivals.textbook import Textbook
from bench.scenario import Scenario, Shooting
from bench.timing import Lengths, compare


def fading(bench: Bench) -> Outcome:
    """Fading marks against marks that do not fade, against no add-on, and by overlay against wrap."""
    plan = bench.plan
    seen = Scenario(walls=plan.walls, resolution=plan.resolution, burst=0)
    kept, unseen = replace(seen, fade=None), replace(seen, in_view=False)
    cases = [
        Shooting("fading", seen, Ours),
        Shooting("not fading", kept, Ours),
        Shooting("wrap", seen, lambda: Ours(display="wrap")),
        Shooting("textbook", seen, Textbook),
        Shooting("no add-on", seen, None),
        Shooting("unseen", unseen, Ours),
        Shooting("unseen, no add-on", unseen, None),
    ]
    times = compare(bench.stage, cases, Lengths(plan.rounds, 2, plan.frames), bench.tell)
    marks = f"{plan.walls} fading marks of {plan.resolution} px"
    nodes = f"{plan.walls} marked nodes in view"
    return Outcome(
        [
            against(f"{marks}, in view", times["fading"], "the same, not fading", times["not fading"], 1.05),
            against(f"{marks}, out of view", times["unseen"], "no add-on", times["unseen, no add-on"], 1.05),
            against(f"{marks}, in view", times["fading"], "1 textbook", times["textbook"]),
            against(f"{nodes}, by overlay", times["fading"], "no add-on", times["no add-on"]),
            against(f"{nodes}, by wrap", times["wrap"], "no add-on", times["no add-on"]),
            against(f"{nodes}, by overlay", times["fading"], "by wrap", times["wrap"]),
        ]
    )


def living(bench: Bench) -> Outcome:
    """Sweep: how many marked nodes there are, one mark each, in view and fading."""
    makers = {
        "ours": Ours, "1 textbook": Textbook, "3 projected": Projected, "4 cut mesh": CutMesh,
        "no marks": None,
    }  # fmt: skip
    plan = bench.plan
    cases = [
        Shooting(f"{name} {count}", Scenario(walls=count, resolution=256, radius=16, burst=0), maker)
        for count in plan.marks
        for name, maker in makers.items()
    ]
    times = compare(bench.stage, cases, Lengths(plan.sweep_rounds, 2, plan.frames), bench.tell)
    return Outcome(
        last_rows(times, list(makers), plan.marks[-1], "marked nodes of 256 px, in view"),
        [Curve("A frame with marked nodes (256 px)", "nodes", "ms", lines(times, makers, plan.marks))],
    )


def one_wall(bench: Bench) -> Outcome:
    """Sweep: how many marks there are on one wall, in view and fading."""
    makers = {"ours": Ours, "2 painting": CpuPaint, "3 projected": Projected, "4 cut mesh": CutMesh}
    plan = bench.plan
    cases = [
        Shooting(f"{name} {count}", Scenario(radius=16, burst=0, marks=count), maker)
        for count in plan.marks
        for name, maker in makers.items()
        if maker is not Projected or count <= MOST
    ]
    times = compare(bench.stage, cases, Lengths(plan.sweep_rounds, 2, plan.frames), bench.tell)
    return Outcome(
        last_rows(times, list(makers), plan.marks[-1], "marks on one node, in view"),
        [Curve("A frame with marks on one node", "marks", "ms", lines(times, makers, plan.marks))],
    )
