#!/usr/bin/env python3
"""The first hit of a process: run by run.py, once for each sample. Prints JSON, times in milliseconds.

python tests/bench/first_hit.py warm|idle|cold [--resolution 1024] [--gpu]
"""

import argparse
import gc
import json
import sys
from pathlib import Path
from time import perf_counter

# The checkout's folders, so that nothing needs to be installed.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np
from panda3d.core import NodePath

from bench.ours import Ours
from bench.scenario import Scenario
from bench.stage import FRAME_RATE, Stage, configure
from bench.walls import EDGE, build_walls, random_points
from panda_rtstamp import StampSystem

LATER = 20


def timed_hit(stage: Stage, stamps: StampSystem, wall: NodePath, radius: float, seed: int) -> float:
    """Milliseconds of a frame with one hit, and frames to get over it."""
    ((x, y, z),) = random_points(np.random.default_rng(seed), 1, 0.0)
    start = perf_counter()
    stamps.hit(wall, (x, y, z), other=wall, radius=radius)
    stage.step()
    milliseconds = (perf_counter() - start) * 1e3
    stage.step(4)
    return milliseconds


def main() -> None:
    """Warm up, or not; hit; and print the first frame and later ones."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("way", choices=("warm", "idle", "cold"))
    parser.add_argument("--resolution", type=int, default=1024)
    parser.add_argument("--gpu", action="store_true")
    options = parser.parse_args()
    configure(options.gpu)
    stage = Stage()
    _, (wall,) = build_walls(stage, 1, 1000)
    stage.step(10)
    ours = Ours()
    ours.begin(stage, [wall], Scenario(resolution=options.resolution), warm_up=options.way == "warm")
    assert ours.stamps is not None
    if options.way != "cold":
        stage.step(2 * FRAME_RATE)
    gc.disable()
    radius = 64 * EDGE / options.resolution
    first, *later = (timed_hit(stage, ours.stamps, wall, radius, seed) for seed in range(LATER + 1))
    print(json.dumps({"first": first, "later": later}))


if __name__ == "__main__":
    main()
