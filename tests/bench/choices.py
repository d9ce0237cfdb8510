"""Experiments on what was decided by measuring: how textures are kept, and what a capture draws."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest
from panda3d.core import NodePath

from bench.figures import figure
from bench.hitting import SINGLE, costs_of
from bench.ours import COLOR, Ours
from bench.plan import Bench
from bench.report import Outcome, Row, against
from bench.rivals.textbook import CAPTURE_SORT, MERGE_SORT, make_camera, make_card
from bench.scenario import Scenario, Shooting
from bench.stage import Stage, load_shader
from bench.timing import Lengths, compare
from panda_rtstamp.core.rect import Rect
from panda_rtstamp.stamps.indexed import IndexedGeom
from panda_rtstamp.stamps.spatial_index import Numbers

_BITS = (8, 8, 8, 8)
# Nodes that are hit in one frame, and the edge of what each hit touches.
_NODES = 16
_EDGE = 128
# Nodes that are captured in one frame, of those that are hit in one.
_BUDGETS = (2, 4, 8, 16, 64)


class Rectangles:
    """A case: the passes of 16 hits in one frame, each a rectangle written once and copied once.

    Args:
        firsts, seconds: how many buffers they are written into, and copied into. The same for all hits: an
            atlas, with a display region for each hit.
        size: texels along the edge of each buffer.
    """

    def __init__(self, name: str, firsts: int, seconds: int, size: int) -> None:
        self.name = name
        self._counts = firsts, seconds
        self._size = size
        self._buffers: list[Any] = []
        self._regions: list[Any] = []

    def setup(self, stage: Stage) -> None:
        self._stage = stage
        firsts, sources = self._make(stage, "first", self._counts[0], CAPTURE_SORT)
        seconds, _ = self._make(stage, "second", self._counts[1], MERGE_SORT)
        for number in range(_NODES):
            write = make_card(load_shader("card.vert", "constant.frag"))
            write.set_shader_input("u_color", (*COLOR, 1))
            copy = make_card(load_shader("card.vert", "copy.frag"))
            copy.set_shader_input("u_source", sources[number % len(sources)])
            self._add(firsts[number % len(firsts)], write, number)
            self._add(seconds[number % len(seconds)], copy, number)
        stage.step()

    def _make(self, stage: Stage, name: str, count: int, sort: int) -> tuple[list[Any], list[Any]]:
        made = [stage.make_buffer(f"{name}-{number}", self._size, sort, _BITS) for number in range(count)]
        for buffer, _ in made:
            buffer.set_clear_color_active(False)
            buffer.set_clear_depth_active(False)
            self._buffers.append(buffer)
        return [buffer for buffer, _ in made], [texture for _, texture in made]

    def _add(self, buffer: Any, card: NodePath, number: int) -> None:
        region = buffer.make_display_region()
        across = self._size // _EDGE
        left, bottom = (number % across) / across, (number // across % across) / across
        region.set_dimensions(left, left + 1 / across, bottom, bottom + 1 / across)
        scene = NodePath("scene")
        card.reparent_to(scene)
        region.set_camera(NodePath(make_camera(scene)))
        self._regions.append(region)

    def frame(self, index: int) -> None:
        for buffer in self._buffers:
            buffer.set_one_shot(True)

    def teardown(self) -> None:
        for buffer in self._buffers:
            self._stage.remove_buffer(buffer)
        self._buffers.clear()
        self._regions.clear()


def textures(bench: Bench) -> Outcome:
    """A pair of textures for each node; or all in one atlas; or one texture that all hits are drawn into."""
    size = bench.plan.resolution
    cases = [
        Rectangles("a pair each", _NODES, _NODES, size),
        Rectangles("one atlas", 1, 1, size),
        Rectangles("one first texture", 1, _NODES, size),
    ]
    times = compare(bench.stage, cases, Lengths(bench.plan.rounds, 2, bench.plan.frames), bench.tell)
    words = f"{_NODES} nodes hit in one frame, a pair of textures each"
    return Outcome(
        [
            against(words, times["a pair each"], "one atlas for all", times["one atlas"]),
            against(words, times["a pair each"], "one Primary for all", times["one first texture"]),
        ]
    )


class WholeMesh(Ours):
    """Ours, but that captures draw all triangles, as they would without an index."""

    def begin(
        self, stage: Stage, walls: Sequence[NodePath], scenario: Scenario, warm_up: bool = True
    ) -> None:
        self._patch = pytest.MonkeyPatch()
        self._patch.setattr(IndexedGeom, "on_texture", _everything)
        super().begin(stage, walls, scenario, warm_up)

    def end(self) -> None:
        super().end()
        self._patch.undo()


def _everything(indexed: IndexedGeom, rect: Rect, size: int) -> Numbers:
    return np.arange(len(indexed.corners))


def drawn(bench: Bench) -> Outcome:
    """Captures of the triangles where a hit is, against captures of all that a model has."""
    counts: Sequence[int] = bench.plan.triangles
    rows = []
    for count in counts:
        scenario = replace(SINGLE, triangles=count, resolution=bench.plan.resolution)
        found = costs_of(bench, {"chosen": (scenario, Ours), "all": (scenario, WholeMesh)}, bench.plan.rounds)
        words = f"one hit, {count} triangles, those drawn that lie there"
        rows.append(against(words, found["chosen"], "all of them", found["all"]))
    return Outcome(rows)


def budget(bench: Bench) -> Outcome:
    """All walls are hit in one frame, under several `captures_per_frame`: how long the longest frame is."""
    plan = bench.plan
    scenario = Scenario(walls=plan.walls, resolution=plan.resolution, volley=True, period=60)
    names = {f"captures_per_frame {count}": count for count in _BUDGETS}
    cases = [Shooting(name, scenario, partial(Ours, captures_per_frame=names[name])) for name in names]
    times = compare(bench.stage, cases, Lengths(plan.sweep_rounds, 60, 120), bench.tell)
    words = f"{plan.walls} nodes hit in one frame, {{}}: the longest frame less the median one"
    extra = {name: block.reshape(len(block), -1, 60) for name, block in times.items()}
    rows = [
        Row(words.format(name), figure(block.max(axis=2) - np.median(block, axis=2)))
        for name, block in extra.items()
    ]
    return Outcome(rows)
