"""The benchmarks: their statistics on known numbers, the rivals' marks, and a run of all that ends well."""

import cProfile
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from bench.apart import Watched, profiled_calls
from bench.chart import draw_chart
from bench.figures import Figure, cost_of_hits, figure, ratio
from bench.report import Curve, Outcome, Row, against, as_json, last_rows, lines, table
from bench.rivals.cpu_paint import find_uv
from bench.rivals.cut_mesh import cut
from bench.rivals.polygon import count_corners, visibility_polygon
from bench.rivals.rays import directions
from bench.seeing import crossing
from bench.sights import make_ends
from support import TESTS, run_case, run_python

RUN = TESTS / "bench" / "run.py"
RIVALS_CASE = TESTS / "bench" / "rivals_case.py"
SIGHTS_CASE = TESTS / "bench" / "sights_case.py"
# What the rows that have an aim are about.
AIMS = (
    *("in view", "out of view", "one hit, 64 texels", "equal texels", "hits in one frame", "a mark's life"),
    *("Python in a frame", "slots of", "memory_bytes", "the first hit, after warm_up()"),
)


def test_figure() -> None:
    found = figure(np.array([[3.0, 1.0], [2.0, 100.0]]))
    assert found.median == 2.5
    # Deviations: 0.5, 1.5, 0.5, 97.5.
    assert found.spread == 1.0
    assert found.samples == 4
    assert figure(np.arange(101.0)).p99 == 99.0


def test_a_slow_round_leaves_the_ratio_alone() -> None:
    ours = np.array([[1.0, 1.0, 9.0], [10.0, 10.0, 10.0]])
    theirs = np.array([[2.0, 2.0, 2.0], [20.0, 20.0, 90.0]])
    assert ratio(ours, theirs) == Figure(0.5, 0.5, 0.0, 2, "x")


def test_cost_of_hits() -> None:
    # Two hits of 5 and 7 ms and an aftermath of 1 ms, over idle frames of 2 ms.
    period = [7.0, 9.0, 3.0, 2.0, 2.0, 2.0]
    frames = np.array([period * 4, period * 4])
    assert np.array_equal(cost_of_hits(frames, period=6, burst=2), np.full((2, 3), 6.5))


def test_a_stolen_frame_is_no_idle_frame() -> None:
    period = [7.0, 2.0, 2.0, 50.0]
    assert np.array_equal(cost_of_hits(np.array([period * 2]), period=4, burst=1), [[53.0]])
    assert np.array_equal(cost_of_hits(np.full((1, 8), 2.0), period=4, burst=1), [[0.0]])


def test_marks_that_pile_up_are_no_cost_of_hits() -> None:
    # Each hit makes all frames from then on 1 ms slower, and costs nothing but that from its own frame on.
    frames = np.repeat(np.arange(1.0, 5.0), 4)[None]
    # All four frames are half a millisecond above the mean of before and after.
    assert np.array_equal(cost_of_hits(frames, period=4, burst=1), np.full((1, 3), 2.0))


def test_an_aim_is_the_most() -> None:
    ours, theirs = np.array([[1.0]]), np.array([[2.0]])
    assert against("what", ours, "whose", theirs).met is None
    assert against("what", ours, "whose", theirs, 0.5).met is True
    assert against("what", ours, "whose", theirs, 0.49).met is False
    assert Row("what", figure(ours), aim=1.0).met is True
    assert Row("what", figure(ours), aim=0.9).met is False


def test_table_and_json() -> None:
    rows = [
        against("a hit", np.array([[1.0]]), "rival", np.array([[4.0]]), 0.2),
        Row("calls", figure(np.ones(1))),
    ]
    head, _, first, second = table(rows).splitlines()
    assert head.startswith("what")
    assert " ".join(first.split()) == "a hit 1 ±0 ms 1 rival 4 ±0 ms 0.25 ±0 x <= 0.2 NOT MET"
    assert second.split() == ["calls", "1", "±0", "ms", "1"]
    found = json.loads(json.dumps(as_json(Outcome(rows), {"renderer": "none"})))
    assert found["machine"] == {"renderer": "none"}
    assert [row["met"] for row in found["rows"]] == [False, None]
    assert found["rows"][0]["ratio"]["median"] == 0.25


def test_sweeps() -> None:
    values = {"ours 1": np.array([[1.0]]), "ours 2": np.array([[2.0]]), "rival 1": np.array([[3.0]])}
    assert lines(values, ["ours", "rival", "nobody"], [1, 2]) == {"ours": [(1, 1), (2, 2)], "rival": [(1, 3)]}
    assert last_rows(values, ["ours", "rival"], 2, "px") == []
    assert [row.against for row in last_rows(values, ["ours", "rival"], 1, "px")] == ["rival"]


def test_chart(tmp_path: Path) -> None:
    curves = [
        Curve(
            "sweep", "px", "ms", {"ours": [(256, 1.0), (2048, 1.2)], "1 textbook": [(256, 2.0), (2048, 90.0)]}
        ),
        Curve("one point", "px", "ms", {"ours": [(1, 1.0)]}),
        Curve("nothing to show", "px", "ms", {"ours": [(1, -1.0)]}),
    ]
    draw_chart(curves, tmp_path / "chart.png")
    colors = np.asarray(Image.open(tmp_path / "chart.png").convert("RGB"))
    left, right = np.hsplit(colors, 2)
    ours, textbook = (214, 39, 40), (31, 119, 180)
    assert (left == ours).all(axis=2).any()
    assert (left == textbook).all(axis=2).any()
    assert (right == ours).all(axis=2).any()
    assert not (right == textbook).all(axis=2).any()


def test_a_ray_finds_the_nearest_triangle() -> None:
    triangle = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    positions = np.stack([triangle + (0, 2, 0), triangle + (0, 1, 0)])
    uvs = np.stack([np.zeros((3, 2)), np.array([[0.0, 0.0], [0.5, 0.0], [0.0, 0.5]])])
    ahead = np.array([0.0, 1.0, 0.0])
    found = find_uv(positions, uvs, np.array([0.25, 0.0, 0.5]), ahead)
    assert found is not None
    assert np.allclose(found, [0.125, 0.25])
    assert find_uv(positions, uvs, np.array([0.9, 0.0, 0.9]), ahead) is None
    assert find_uv(positions, uvs, np.array([0.25, 3.0, 0.5]), ahead) is None


def test_decals_are_cut_to_the_box() -> None:
    wall = np.array([[-9.0, 0.0, -9.0], [9.0, 0.0, -9.0], [-9.0, 0.0, 9.0]])
    pieces = cut(wall[None], np.array([-2.0, 0.0, -2.0]), 0.5)
    sides = np.cross(pieces[:, 1] - pieces[:, 0], pieces[:, 2] - pieces[:, 0])
    # The box is 2 wide in its own space, and the triangle fills the section through its middle.
    assert np.linalg.norm(sides, axis=1).sum() / 2 == pytest.approx(4.0)
    assert np.abs(pieces).max() <= 1 + 1e-12
    assert len(cut(wall[None], np.array([0.0, 2.0, 0.0]), 0.5)) == 0


def test_where_lines_cross() -> None:
    flat = [(1.0, 10.0), (100.0, 10.0), (10_000.0, 10.0)]
    assert crossing([(1.0, 1.0), (100.0, 5.0), (10_000.0, 20.0)], flat) == pytest.approx(1000.0)
    # Of several places the last one.
    assert crossing([(1.0, 20.0), (100.0, 5.0), (10_000.0, 20.0)], flat) == pytest.approx(1000.0)
    assert crossing([(1.0, 20.0), (100.0, 20.0), (10_000.0, 5.0)], flat) is None
    assert crossing([(1.0, 20.0), (100.0, 20.0), (10_000.0, 20.0)], flat) is None
    # A cost that is lost in noise is as good as none.
    assert crossing([(1.0, -0.1), (100.0, 20.0)], flat[:2]) == pytest.approx(80.0, rel=0.1)


def test_a_visibility_polygon_ends_at_walls_and_at_the_range() -> None:
    eye, wall = np.array([1.0, 2.0]), np.array([[[-1.0, 4.0], [3.0, 4.0]]])
    corners = visibility_polygon(eye, wall, 10.0) - eye
    assert corners.shape == (count_corners(1), 2)
    turns = np.arctan2(corners[:, 1], corners[:, 0])
    behind = np.abs(turns - np.pi / 2) < np.pi / 4
    assert corners[behind][:, 1] == pytest.approx(np.full(behind.sum(), 2.0))
    assert np.linalg.norm(corners[~behind], axis=1) == pytest.approx(np.full((~behind).sum(), 10.0))
    # Either way round, and across the angle where turns begin.
    assert visibility_polygon(eye, wall[:, ::-1], 10.0) == pytest.approx(corners + eye)
    across = visibility_polygon(eye, np.array([[[3.0, 0.0], [3.0, 4.0]]]), 10.0) - eye
    ahead = np.abs(np.arctan2(across[:, 1], across[:, 0])) < np.pi / 4
    assert across[ahead][:, 0] == pytest.approx(np.full(ahead.sum(), 2.0))


def test_walls_and_rays_of_the_vision_mask() -> None:
    for count in (10, 100, 1000):
        ends = make_ends(count)
        assert ends.shape == (count, 2, 2)
        assert 0.0 < np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1).mean() < 5.0
    # -X is a quarter of the way around, +Y half.
    assert directions()[179:181].mean(axis=0) == pytest.approx([-1.0, 0.0], abs=1e-4)
    assert directions()[359:361].mean(axis=0) == pytest.approx([0.0, 1.0], abs=1e-4)


def test_watched_tasks(base: Any) -> None:
    def busy(task: Any) -> int:
        for _ in range(3):
            len("a")
        return int(task.cont)

    tasks = [base.task_mgr.add(busy, "rtstamp-busy"), base.task_mgr.add(lambda task: task.cont, "not ours")]
    watched = Watched(base.task_mgr)
    assert watched.tasks == tasks[:1]
    base.task_mgr.step()
    assert watched.seconds > 0
    watched.profile = cProfile.Profile()
    base.task_mgr.step()
    base.task_mgr.step()
    assert profiled_calls(watched.profile, 2) == {
        "test_bench.py: busy": 1,
        "<built-in method builtins.len>": 3,
    }
    for task in tasks:
        base.task_mgr.remove(task)


def test_rivals_leave_the_marks_that_they_should() -> None:
    assert run_case(RIVALS_CASE, profile="core").strip() == "alike"


def test_rivals_of_the_vision_mask_see_what_they_should() -> None:
    assert run_case(SIGHTS_CASE, profile="core").strip() == "alike"


def test_all_of_it_runs(tmp_path: Path) -> None:
    out, chart = tmp_path / "out.json", tmp_path / "chart.png"
    done = run_python(str(RUN), "--smoke", "--json", str(out), "--chart", str(chart))
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(out.read_text(encoding="utf-8"))
    assert set(found["machine"]) == {"renderer", "OpenGL", "Panda3D", "pipe", "Python", "system", "cores"}
    text = " ".join(row["what"] for row in found["rows"])
    for words in AIMS:
        assert any(words in row["what"] and row["aim"] for row in found["rows"]), words
    for words in (
        "in view, by overlay",
        "in view, by wrap",
        "a hit in each frame",
        "hit in one frame: the worst",
        "a mask of",
        "eyes among",
        "nothing moves, a whole frame",
        "Python of a mask",
        "clipped models",
        "dimmed models",
        "layers, a large model",
        "vertices of 8 layers",
    ):
        assert words in text
    rivals = {row["against"] for row in found["rows"]}
    assert rivals >= {"1 textbook", "2 painting", "3 projected", "4 cut mesh", "5 limit"}
    assert rivals >= {"by map", "textbook", "rays", "polygon", "limit", "no add-on", "copies", "baked"}
    assert len(found["curves"]) == 10
    assert Image.open(chart).size[0] > 1000
    assert str(Path.home()) not in out.read_text(encoding="utf-8")
