"""Experiments that take no turns: the add-on's own Python, its memory, and the first hit of a process."""

import cProfile
import json
import os
import pstats
import subprocess
import sys
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from panda3d.core import Texture

from bench.figures import Figure, Floats, figure
from bench.ours import Ours
from bench.plan import Bench
from bench.report import Outcome, Row, against
from bench.scenario import Scenario, Shooting
from bench.walls import build_walls

FIRST_HIT = Path(__file__).with_name("first_hit.py")
# Of a pair in RGBA16F, the textbook's format: two textures of four half floats.
_HALF_FLOAT_PAIR = 2 * 4 * 2
# What processes of first_hit.py do before the hit, and the aim of it.
_WAYS = {
    "warm": ("after warm_up()", 2.0),
    "idle": ("after 2 s of idle frames, tagged", 2.0),
    "cold": ("at once, not warmed", None),
}


class Watched:
    """Our tasks, found by their names, with every call of them timed or profiled."""

    def __init__(self, task_mgr: Any) -> None:
        self.tasks = [task for task in task_mgr.getAllTasks() if task.name.startswith("rtstamp")]
        self.seconds = 0.0
        self.profile: cProfile.Profile | None = None
        for task in self.tasks:
            task.set_function(self._watch(task.get_function()))

    def _watch(self, function: Any) -> Any:
        def watched(task: Any) -> Any:
            if self.profile is not None:
                return self.profile.runcall(function, task)
            start = perf_counter()
            result = function(task)
            self.seconds += perf_counter() - start
            return result

        return watched


def python_time(bench: Bench) -> Outcome:
    """Python of the add-on in a frame with many living marks, none of them hit.

    Frames draw as many other nodes, so that the processor's caches are as cold as in a game; and then
    nothing, which shows what the Python itself takes.
    """
    plan = bench.plan
    case = Shooting("ours", Scenario(walls=plan.many, resolution=64, radius=8, burst=0, in_view=False), Ours)
    case.setup(bench.stage)
    watched = Watched(bench.stage.base.task_mgr)
    frames = 8 * plan.frames
    # Until its first round through the scene is over.
    bench.stage.step(2 * plan.many)
    in_game = _times_of(watched, bench, frames)
    bench.stage.root.hide()
    alone = _times_of(watched, bench, frames)
    watched.profile = cProfile.Profile()
    bench.stage.step(frames)
    bench.stage.root.show()
    calls = profiled_calls(watched.profile, frames)
    case.teardown()
    what = f"Python in a frame, {plan.many} living marks, no hit"
    total = Figure(sum(calls.values()), sum(calls.values()), 0.0, frames, "calls")
    most = sorted(calls.items(), key=lambda item: -item[1])[:8]
    return Outcome(
        [
            Row(what, figure(in_game), aim=0.05),
            Row(f"{what}, nothing drawn", figure(alone), aim=0.05),
            Row(f"{what}: calls", total),
        ],
        notes=[f"{what}, by calls:", *(f"  {count:8.2f}  {name}" for name, count in most)],
    )


def _times_of(watched: Watched, bench: Bench, frames: int) -> Floats:
    """Milliseconds of our tasks in each of so many frames."""
    times = np.empty(frames)
    for index in range(frames):
        watched.seconds = 0.0
        bench.stage.step()
        times[index] = watched.seconds * 1e3
    return times


def profiled_calls(profile: cProfile.Profile, frames: int) -> dict[str, float]:
    """Calls a frame by function, without the profiler's own."""
    found: dict[str, float] = {}
    for (file, _, name), entry in pstats.Stats(profile).stats.items():  # type: ignore[attr-defined]
        if "_lsprof.Profiler" not in name:
            found[f"{Path(file).name}: {name}" if file != "~" else name] = entry[1] / frames
    return found


def memory(bench: Bench) -> Outcome:
    """Graphics memory of slots in use, and whether `memory_bytes` says how much that is."""
    plan = bench.plan
    textbook = plan.slots * plan.resolution**2 * _HALF_FLOAT_PAIR / 2**20
    rows = []
    for format, aim in (("rgba8", 0.5), ("r16", None)):
        told, held = _memory_of(bench, format)
        what = f"{plan.slots} slots of {plan.resolution} px, {format}"
        off = _exact(abs(told / held - 1) * 100, "%")
        rows += [
            Row(what, _exact(told), "RGBA16F pairs", _exact(textbook), _exact(told / textbook, "x"), aim),
            Row(f"{what}: memory_bytes, off what its textures take", off, aim=1.0),
        ]
    return Outcome(rows)


def _memory_of(bench: Bench, format: str) -> tuple[float, float]:
    """MB, as `memory_bytes` has it and as the textures that bindings show have it."""
    plan = bench.plan
    scene, walls = build_walls(bench.stage, plan.slots, 1000)
    ours = Ours(format=format)
    ours.begin(bench.stage, walls, Scenario(walls=plan.slots, resolution=plan.resolution))
    assert ours.stamps is not None
    for wall in walls:
        ours.hit(wall, np.zeros((1, 3)), 0.1)
    bench.stage.step(8 + len(walls))
    textures = {each for binding in ours.stamps.bindings for each in (binding.primary, binding.temp)}
    told = ours.stamps.memory_bytes
    held = sum(_size(texture) for texture in textures)
    ours.end()
    scene.remove_node()
    bench.stage.step(2)
    return told / 2**20, held / 2**20


def _size(texture: Texture) -> int:
    texel = texture.get_num_components() * texture.get_component_width()
    return int(texture.get_x_size() * texture.get_y_size() * texture.get_z_size() * texel)


def _exact(value: float, unit: str = "MB") -> Figure:
    return Figure(value, value, 0.0, 1, unit)


def first_hit(bench: Bench) -> Outcome:
    """The first hit of a process against later ones; each sample is a process of its own."""
    rows = []
    for way, (words, aim) in _WAYS.items():
        firsts, laters = [], []
        for number in range(bench.plan.processes):
            bench.tell(f"process {number + 1} of {bench.plan.processes}: {way}")
            found = _run_first_hit(way, bench)
            firsts.append(found["first"])
            laters.append(found["later"])
        later = np.array(laters)
        first = np.array(firsts)[:, None]
        rows.append(against(f"frame of the first hit, {words}", first, "later hits", later, aim))
    return Outcome(rows)


def _run_first_hit(way: str, bench: Bench) -> dict[str, Any]:
    command = [sys.executable, str(FIRST_HIT), way, "--resolution", str(bench.plan.resolution)]
    if bench.gpu:
        command.append("--gpu")
    # Of shaders that were compiled in an earlier run the driver would keep what it made.
    environment = {**os.environ, "MESA_SHADER_CACHE_DISABLE": "true"}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result
