"""A process of test_bench.py: what the rivals leave is what their modules say, and nothing elsewhere."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.ours import HARDNESS, Ours
from bench.rivals.cpu_paint import CpuPaint
from bench.rivals.cut_mesh import CutMesh
from bench.rivals.limit import Limit
from bench.rivals.projected import Projected
from bench.rivals.textbook import Textbook
from bench.scenario import Contender, Scenario
from bench.stage import Stage
from bench.walls import EDGE, Points, build_walls, height
from support import read_target, screenshot

SIZE = 128
RADIUS = 16 * EDGE / SIZE
SCENARIO = Scenario(walls=2, resolution=SIZE, marks=0, fade=None)
POINT = np.array([[0.25, height(np.array(0.25), np.array(-0.125)), -0.125]])


def expected_mask() -> Points:
    """The mask of one hit at POINT by its formula, (v, u)."""
    across = EDGE * ((np.arange(SIZE) + 0.5) / SIZE - 0.5)
    x, z = np.meshgrid(across, across)
    place = np.stack([x, height(x, z), z], axis=2)
    distance = np.linalg.norm(place - POINT[0], axis=2) / RADIUS
    mask: Points = np.clip((1 - distance) / (1 - HARDNESS), 0, 1)
    return mask


def shoot(stage: Stage, make: Callable[[], Any], look: Callable[[Any, list[Any]], Any]) -> Any:
    """Hit the first of two walls once; what `look` makes of it in the frame of the hit."""
    scene, walls = build_walls(stage, 2, 1000)
    contender: Contender = make()
    contender.begin(stage, walls, SCENARIO)
    stage.step(2)
    contender.hit(walls[0], POINT, RADIUS)
    stage.step()
    result = look(contender, walls)
    contender.end()
    scene.remove_node()
    stage.step(2)
    return result


def check_masks(stage: Stage) -> None:
    """Textures of the textbook and of painting, against the formula; of the limit, against its rectangle."""

    def mask(contender: Any, walls: list[Any]) -> Points:
        texture = contender.image(walls[0])
        return read_target(stage.base, texture)[:, :, 3].astype(np.float64)

    formula = expected_mask()
    textbook = shoot(stage, Textbook, mask)
    # Half floats; and the mesh's straight triangles lie a little beside the bumps of the formula.
    assert np.abs(textbook - formula).max() < 1e-3
    painted = shoot(stage, CpuPaint, lambda made, walls: made.array(walls[0])[:, :, 3] / 255)
    # 8 bits; and a disc on the texture is not quite a sphere on bumps.
    assert np.abs(painted - formula).max() < 1 / 255 + 1e-3
    limit = shoot(stage, Limit, mask)
    rows, columns = np.nonzero(limit)
    middle = (POINT[0, [0, 2]] / EDGE + 0.5) * SIZE
    corners = np.array([columns.min(), rows.min(), columns.max() + 1, rows.max() + 1])
    assert np.array_equal(corners, np.concatenate([middle - 16, middle + 16]))
    assert len(rows) == 32 * 32


def check_pictures(stage: Stage) -> None:
    """What the player sees: red where the wall was hit, and nowhere else, with all of them alike."""

    def reddened(contender: Any, walls: list[Any]) -> NDArray[np.intp]:
        picture = screenshot(stage.base, frames=0).astype(int)
        return np.argwhere(picture[:, :, 0] > 2 * picture[:, :, 1])

    found = {
        make.__name__: shoot(stage, make, reddened) for make in (Ours, Textbook, CpuPaint, Projected, CutMesh)
    }
    truth = found["Ours"]
    assert len(truth) > 50
    for name, places in found.items():
        # Edges differ by a pixel, as their masks are sampled at other places.
        assert np.abs(places.min(axis=0) - truth.min(axis=0)).max() <= 1, name
        assert np.abs(places.max(axis=0) - truth.max(axis=0)).max() <= 1, name


stage = Stage()
check_masks(stage)
check_pictures(stage)
print("alike")
