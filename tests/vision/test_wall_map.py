"""The wall map: which columns a wall is in, and how far away, against rays in numpy."""

from typing import Any

import numpy as np
import pytest

from vision_gpu import Drawn, eye_at, sights_of
from vision_support import Floats, random_walls

pytestmark = pytest.mark.profiles

COLUMNS = 720
WALL = ((-1.0, 5.0), (1.0, 5.0))


def directions(columns: int = COLUMNS) -> Floats:
    """Of the columns' centres, (columns, 2): +Y in the middle, +X at three quarters."""
    angles = ((np.arange(columns) + 0.5) / columns - 0.5) * 2.0 * np.pi
    # As 32-bit floats hold them: so a graphics card has the same ones.
    return np.stack([np.sin(angles), np.cos(angles)], axis=1).astype(np.float32).astype(np.float64)


def nearest(ends: Floats, columns: int = COLUMNS) -> tuple[Floats, Floats]:
    """How far it is from the origin along each column to the nearest wall, inf for none; and its number."""
    rays = directions(columns)[:, None]
    first, along = ends[:, 0], ends[:, 1] - ends[:, 0]
    whole = rays[..., 0] * along[:, 1] - rays[..., 1] * along[:, 0]
    with np.errstate(divide="ignore", invalid="ignore"):
        far = (first[:, 0] * along[:, 1] - first[:, 1] * along[:, 0]) / whole
        at = (first[:, 0] * rays[..., 1] - first[:, 1] * rays[..., 0]) / whole
    far = np.where((far > 0.0) & (at >= 0.0) & (at <= 1.0), far, np.inf)
    return far.min(axis=1), np.where(np.isfinite(far.min(axis=1)), far.argmin(axis=1) + 1, 0)


@pytest.mark.parametrize(
    ("wall", "u"),
    [
        (((-0.1, 5.0), (0.1, 5.0)), 0.5),
        (((5.0, -0.1), (5.0, 0.1)), 0.75),
        (((-5.0, -0.1), (-5.0, 0.1)), 0.25),
    ],
)
def test_directions(base: Any, wall: Any, u: float) -> None:
    with Drawn(base) as drawn:
        distances = drawn.wall_map(sights_of([eye_at(view_range=10.0)], np.array([wall])))[0, :, 0]
    found = np.flatnonzero(distances < 1.0)
    assert abs((found.mean() + 0.5) / COLUMNS - u) <= 0.5 / COLUMNS
    assert 4 <= len(found) <= 6
    assert np.abs(distances[found] - 0.5).max() < 1e-3


def test_a_wall_behind_leaves_the_other_columns_alone(base: Any) -> None:
    """Across the seam: in two parts, and 1 everywhere else."""
    behind = -np.array([WALL])
    with Drawn(base) as drawn:
        found = drawn.wall_map(sights_of([eye_at(view_range=10.0)], behind))[0]
    far, numbers = nearest(behind)
    assert (found[:, 1] == numbers).all()
    assert (numbers > 0).sum() in (45, 46)
    assert (found[numbers == 0, 0] == 1.0).all()
    assert numbers[0] == numbers[-1] == 1
    assert numbers[COLUMNS // 2] == 0
    assert np.abs(found[numbers > 0, 0] - far[numbers > 0] / 10.0).max() < 1e-5


@pytest.mark.parametrize("order", [(0.7, 0.3), (0.3, 0.7)])
def test_the_nearest_wall_wins_in_any_order(base: Any, order: tuple[float, float]) -> None:
    ends = np.array([((-1.0, 10.0 * far), (1.0, 10.0 * far)) for far in order])
    with Drawn(base) as drawn:
        found = drawn.wall_map(sights_of([eye_at(view_range=10.0)], ends))[0, COLUMNS // 2]
    assert abs(found[0] - 0.3) < 1e-5
    assert found[1] == 1 + order.index(0.3)


@pytest.mark.parametrize("seed", range(30))
def test_random_scenes(base: Any, seed: int) -> None:
    """Exactly the columns whose centres lie in an arc, and distances within 1e-5 of the exact ones."""
    ends = random_walls(seed)
    far, numbers = nearest(ends)
    far, numbers = np.minimum(far / 50.0, 1.0), np.where(far < 50.0, numbers, 0)
    with Drawn(base) as drawn:
        found = drawn.wall_map(sights_of([eye_at()], ends))[0]
    assert ((found[:, 1] > 0) == (numbers > 0)).all()
    assert np.abs(found[:, 0] - far).max() < 1e-5
    assert (found[:, 1] == numbers).all()


def test_a_row_for_each_viewer(base: Any) -> None:
    ends = np.array([WALL])
    eyes = [eye_at(view_range=10.0), eye_at(0.0, 3.0, 10.0), eye_at(0.0, 6.0, 10.0)]
    with Drawn(base) as drawn:
        found = drawn.wall_map(sights_of(eyes, ends))
        assert found.shape == (4, COLUMNS, 2)
        assert np.abs(found[:3, [COLUMNS // 2, 0], 0] - [[0.5, 1.0], [0.2, 1.0], [1.0, 0.1]]).max() < 1e-4
        assert (found[3, :, 0] == 1.0).all()
        # Fewer viewers: the rows of those that are gone are empty.
        found = drawn.wall_map(sights_of(eyes[:1], ends))
        assert (found[1:, :, 0] == 1.0).all()


def test_a_pillar_of_a_tenth_of_a_column(base: Any) -> None:
    """It is in the column whose centre it covers; between two centres it is missed, and documented to be."""
    width = 0.1 * 2.0 * np.pi / COLUMNS * 5.0
    for shift, seen in ((0.5, 1), (0.0, 0)):
        middle = 5.0 * np.tan(shift * 2.0 * np.pi / COLUMNS)
        ends = np.array([((middle - width / 2, 5.0), (middle + width / 2, 5.0))])
        with Drawn(base) as drawn:
            found = drawn.wall_map(sights_of([eye_at(view_range=10.0)], ends))[0, :, 0]
        assert (found < 1.0).sum() == seen


@pytest.mark.parametrize(
    "wall", [((-1.0, 0.0), (1.0, 0.0)), ((0.0, 2.0), (0.0, 4.0)), ((0.0, 0.0), (0.0, 3.0))]
)
def test_walls_in_line_with_the_eye_are_in_no_column(base: Any, wall: Any) -> None:
    with Drawn(base) as drawn:
        found = drawn.wall_map(sights_of([eye_at(view_range=10.0)], np.array([wall])))[0, :, 0]
    assert (found == 1.0).all()


def test_shared_corners_leave_no_column_open(base: Any) -> None:
    """A ring of walls around the eye, whose corners lie on columns' centres and beside them."""
    for count in (7, 90, 720):
        angles = (np.arange(count) + 0.5) / count * 2.0 * np.pi
        corners = 5.0 * np.stack([np.sin(angles), np.cos(angles)], axis=1)
        ends = np.stack([corners, np.roll(corners, -1, axis=0)], axis=1)
        with Drawn(base) as drawn:
            found = drawn.wall_map(sights_of([eye_at(view_range=10.0)], ends))[0, :, 0]
        assert (found < 0.51).all()


def test_far_from_the_origin(base: Any) -> None:
    """Measured from the middle of the mask, walls are exact a million units away."""
    shift = np.array([1e6, -1e6])
    ends = random_walls(3)
    far, _ = nearest(ends)
    with Drawn(base) as drawn:
        found = drawn.wall_map(sights_of([eye_at(*shift)], ends + shift, shift.tolist()))[0, :, 0]
    assert np.abs(found - np.minimum(far / 50.0, 1.0)).max() < 1e-5
