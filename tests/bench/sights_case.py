"""A process of test_bench.py: rivals of the vision mask see what is seen, but for texels at its edges."""

from collections.abc import Callable
from typing import Any

import numpy as np

from bench.rivals.polygon import Polygon
from bench.rivals.rays import Rays
from bench.sights import Looking, Ours, View, make_ends, places
from bench.stage import Stage
from support import read_target
from vision_support import SCENE_SIZE, VIEW_RANGE, Bools, sees

SIZE = 256
VIEW = View(segments=96, size=SIZE, viewers=2)
# How far from an edge a texel may be wrong: a column of 720 is as wide as two texels at the range, and what
# is within the bias behind a wall is seen, which is a texel.
MAKERS: dict[Callable[[], Any], int] = {Ours: 0, Polygon: 1, Rays: 3}


def expected() -> Bools:
    """What either eye sees, by brute force: (v, u)."""
    across = ((np.arange(SIZE) + 0.5) / SIZE - 0.5) * SCENE_SIZE
    points = np.stack(np.meshgrid(across, across), axis=2).reshape(-1, 2)
    ends = make_ends(VIEW.segments)
    seen = [sees(points, eye, ends, VIEW_RANGE) for eye in places(VIEW, 5)]
    return np.logical_or(*seen).reshape(SIZE, SIZE)


def near_edge(mask: Bools, reach: int) -> Bools:
    """Texels with another value among those at most so far away."""
    padded = np.pad(mask, reach, mode="edge")
    steps = range(2 * reach + 1)
    around = [padded[y : y + SIZE, x : x + SIZE] for y in steps for x in steps]
    result: Bools = np.any(around, axis=0) != np.all(around, axis=0)
    return result


stage = Stage()
truth = expected()
assert 0.1 < truth.mean() < 0.8
for make, reach in MAKERS.items():
    case = Looking("case", VIEW, make)
    case.setup(stage)
    case.frame(5)
    stage.step()
    seer: Any = case.seer
    wrong = (read_target(stage.base, seer.mask)[..., 0] > 0.5) != truth
    case.teardown()
    assert not (wrong & ~near_edge(truth, reach)).any(), make.__name__
print("alike")
