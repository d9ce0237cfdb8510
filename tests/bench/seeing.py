"""Experiments on the vision mask: what a frame in which eyes move takes more than one without any."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from panda3d.core import NodePath

from bench.apart import Watched
from bench.figures import Floats, figure
from bench.plan import Bench
from bench.report import Curve, Outcome, Row, against, lines
from bench.rivals.full_pass import FullPass
from bench.rivals.polygon import Polygon
from bench.rivals.rays import Rays
from bench.sights import Looking, Ours, Seer, View
from bench.timing import Lengths, compare
from panda_rtstamp.vision.config import VisionConfig
from panda_rtstamp.vision.system import VisionMask
from shapes import box

_NO_LIMIT = 1_000_000
# More take the rays seconds a frame.
_RAYS_MOST = 1000
_RAYS_MOST_VIEWERS = 8

# Where a cost is lost in noise.
_LEAST = 1e-3

Line = Sequence[tuple[float, float]]
Makers = Mapping[str, Callable[[], Seer]]


def exact() -> Ours:
    """Walls throw shadows, however many there are."""
    return Ours(exact_limit=_NO_LIMIT)


def by_map() -> Ours:
    """What many walls get: each texel asks the wall that the map has in its direction."""
    return Ours(exact_limit=0)


def textbook() -> Ours:
    """Each texel is compared with the distance that the map has in its direction."""
    return Ours(exact=False)


SEERS: Makers = {
    "exact": exact,
    "by map": by_map,
    "textbook": textbook,
    "rays": Rays,
    "polygon": Polygon,
    "limit": FullPass,
}


def costs_of(bench: Bench, views: Mapping[str, tuple[View, Callable[[], Seer]]]) -> dict[str, Floats]:
    """What frames take more than frames without masks, (rounds, frames)."""
    plan = bench.plan
    cases = [Looking(name, view, maker) for name, (view, maker) in views.items()]
    nobody = Looking("nobody", View(segments=4), None)
    times = compare(bench.stage, [*cases, nobody], Lengths(plan.sweep_rounds, 4, plan.frames), bench.tell)
    idle = np.median(times.pop("nobody"), axis=1, keepdims=True)
    return {name: block - idle for name, block in times.items()}


def crossing(first: Line, second: Line) -> float | None:
    """Where the first line comes to lie above the second one for good, on logarithmic axes; None: nowhere.

    Both have points (x, y) at the same x.
    """
    x, high = np.log(np.maximum(first, _LEAST)).T
    _, low = np.log(np.maximum(second, _LEAST)).T
    apart = high - low
    below = np.flatnonzero(apart <= 0)
    if len(below) == 0 or below[-1] == len(x) - 1:
        return None
    last = below[-1]
    return float(np.exp(np.interp(0.0, apart[last : last + 2], x[last : last + 2])))


def sweep(
    bench: Bench, makers: Makers, views: Mapping[int, View], what: str, title: str, axis: str
) -> Outcome:
    """Exact masks against all others.

    Args:
        views: by the points of the sweep.
        what: is measured, with {} for the point.
        title: of the curve.
        axis: what the points are.
    """
    cases = {
        f"{name} {point}": (view, maker)
        for point, view in views.items()
        for name, maker in makers.items()
        if maker is not Rays or (view.segments <= _RAYS_MOST and view.viewers <= _RAYS_MOST_VIEWERS)
    }
    costs = costs_of(bench, cases)
    rows = [
        against(what.format(point), costs[f"exact {point}"], name, costs[f"{name} {point}"])
        for point in views
        for name in makers
        if name != "exact" and f"{name} {point}" in costs
    ]
    return Outcome(rows, [Curve(title, axis, "ms", lines(costs, makers, list(views)))])


def walls(bench: Bench) -> Outcome:
    """Sweep: how many segments the walls have, with one eye that moves."""
    outcome = Outcome()
    for size in bench.plan.masks:
        views = {count: View(segments=count, size=size) for count in bench.plan.segments}
        what = f"a mask of {size} px, {{}} segments, exact"
        outcome += sweep(bench, SEERS, views, what, f"A mask of {size} px, one eye moves", "segments")
        drawn = outcome.curves[-1].lines
        met = crossing(drawn["exact"], drawn["by map"])
        where = "nowhere in this sweep" if met is None else f"at {met:.0f} segments"
        outcome.notes.append(f"mask of {size} px: exact comes to cost more than by map {where}")
    return outcome


def viewers(bench: Bench) -> Outcome:
    """Sweep: how many eyes there are, all of them moving among 100 segments."""
    outcome = Outcome()
    makers = {name: SEERS[name] for name in SEERS if name != "by map"}
    for size in bench.plan.masks:
        views = {count: View(viewers=count, size=size) for count in bench.plan.viewers}
        what = f"a mask of {size} px, {{}} eyes among 100 segments, exact"
        outcome += sweep(bench, makers, views, what, f"A mask of {size} px, 100 segments", "eyes")
    return outcome


def moving(bench: Bench) -> Outcome:
    """What moves: nothing, eyes, or all walls as well."""
    rows = []
    for count in bench.plan.segments:
        still = View(segments=count, moves=False)
        views = {
            "still": (still, Ours),
            "eyes": (replace(still, moves=True), Ours),
            "walls": (replace(still, moves=True, walls_move=True), Ours),
        }
        plan = bench.plan
        cases: list[Looking] = [Looking(name, view, maker) for name, (view, maker) in views.items()]
        cases.append(Looking("nobody", still, None))
        times = compare(bench.stage, cases, Lengths(plan.rounds, 4, plan.frames), bench.tell)
        words = f"{count} segments, {{}}, a whole frame"
        rows += [
            against(words.format(name), times[key], "no add-on", times["nobody"])
            for key, name in (("still", "nothing moves"), ("eyes", "an eye moves"), ("walls", "all moves"))
        ]
    return Outcome(rows)


def sight_python(bench: Bench) -> Outcome:
    """Our Python in frames in which nothing moves, an eye does, or all walls do too."""
    rows = []
    for count in bench.plan.segments:
        for words, moves, walls_move in (
            ("nothing moves", False, False),
            ("an eye moves", True, False),
            ("all moves", True, True),
        ):
            case = Looking("ours", View(segments=count, moves=moves, walls_move=walls_move), Ours)
            case.setup(bench.stage)
            times = task_times(bench, case.frame)
            case.teardown()
            rows.append(Row(f"Python of a mask, {count} segments, {words}", figure(times)))
    return Outcome(rows)


def task_times(bench: Bench, frame: Callable[[int], None]) -> Floats:
    """Milliseconds of our tasks in each frame."""
    watched = Watched(bench.stage.base.task_mgr)
    frames = 4 * bench.plan.frames
    times = np.empty(frames)
    for index in range(frames):
        frame(index)
        watched.seconds = 0.0
        bench.stage.step()
        times[index] = watched.seconds * 1e3
    return times


def consumers(bench: Bench) -> Outcome:
    """Our Python in a frame with many models that are clipped or dimmed, by one call for all of them."""
    count = bench.plan.clipped
    rows = []
    ways: Mapping[str, Callable[[VisionMask, NodePath], Any]] = {
        "clipped": VisionMask.clip,
        "dimmed": VisionMask.dim,
    }
    for way, use in ways.items():
        root = bench.stage.root.attach_new_node("models")
        root.hide()
        nodes = [box((1, 1, 1)).copy_to(root) for _ in range(count)]
        with VisionMask(bench.stage.base, VisionConfig()) as vision:
            use(vision, root)
            bench.stage.step(4)
            changes: Mapping[str, Sequence[NodePath]] = {
                "nothing moves": [], "one moves": nodes[:1], "all move": nodes
            }  # fmt: skip
            for words, moved in changes.items():
                times = task_times(bench, partial(_move, moved))
                rows.append(Row(f"Python of {count} {way} models, {words}", figure(times)))
        root.remove_node()
    return Outcome(rows)


def _move(nodes: Sequence[NodePath], index: int) -> None:
    for node in nodes:
        node.set_x(float(index))
