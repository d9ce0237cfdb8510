"""The mask: what viewers see from above, against sight in numpy."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from panda_rtstamp.vision.config import VisionConfig
from vision_gpu import MASK_SIZE, Drawn, centres, eye_at, sights_of
from vision_support import Bools, Floats, random_walls, sees

pytestmark = pytest.mark.profiles

WALL = np.array([((-1.0, 5.0), (1.0, 5.0))])
# Percent of the mask's texels: of 512 x 512 that is 13.
WORST = 0.005
TEXEL = 100.0 / MASK_SIZE


def grid(seen: Bools) -> Bools:
    return seen.reshape(MASK_SIZE, MASK_SIZE)


def beside_an_edge(seen: Bools) -> Bools:
    """Texels of which one of the nine around is seen, and another is not."""
    padded = np.pad(seen, 1, mode="edge")
    size = len(seen)
    around = [padded[y : y + size, x : x + size] for y in range(3) for x in range(3)]
    changes: Bools = np.any(around, axis=0) & ~np.all(around, axis=0)
    return changes


def value_at(mask: Floats, x: float, y: float) -> float:
    """Of the texel that holds a point of the world."""
    column, row = (int((along + 50.0) / TEXEL) for along in (x, y))
    return float(mask[row, column])


def wrong(mask: Floats, expected: Bools) -> Bools:
    """The texels that are not as expected, all of which must be 0 or 1."""
    assert np.isin(mask, (0.0, 1.0)).all()
    found: Bools = (mask > 0.5) != expected
    return found


def test_a_wall_and_what_is_behind_it(base: Any) -> None:
    with Drawn(base) as drawn:
        mask = drawn.seen(sights_of([eye_at(view_range=10.0)], WALL))
    expected = grid(sees(centres(), (0.0, 0.0), WALL, 10.0))
    assert not wrong(mask, expected).any()
    # 0.1 is half a texel: what is told of a point is told of its texel.
    for x, y, seen in (
        (0.0, 4.8, 1),
        (1.5, 6.0, 1),
        (1.0, 6.0, 0),
        (0.0, 6.0, 0),
        (0.0, 5.2, 0),
        (0.0, -6.0, 1),
    ):
        assert value_at(mask, x, y) == seen, (x, y)
    assert value_at(mask, 0.0, 11.0) == 0.0


@pytest.mark.parametrize(
    "seed", [*range(12), *(pytest.param(n, marks=pytest.mark.full) for n in range(12, 100))]
)
def test_random_scenes(base: Any, seed: int) -> None:
    ends = random_walls(seed)
    expected = grid(sees(centres(), (0.0, 0.0), ends))
    with Drawn(base) as drawn:
        found = wrong(drawn.seen(sights_of([eye_at()], ends)), expected)
    assert 100.0 * found.mean() <= WORST
    assert not (found & ~beside_an_edge(expected)).any()


@pytest.mark.parametrize("count", [12, pytest.param(100, marks=pytest.mark.full)])
def test_random_scenes_by_the_map(base: Any, count: int) -> None:
    shares = []
    with Drawn(base, columns=2048) as drawn:
        for seed in range(count):
            ends = random_walls(seed)
            expected = grid(sees(centres(), (0.0, 0.0), ends))
            shares.append(
                100.0 * wrong(drawn.seen(sights_of([eye_at()], ends), by_map=True), expected).mean()
            )
    assert np.mean(shares) <= 0.01


def test_the_textbook_compare_leaks_as_documented(base: Any) -> None:
    """`exact=False`: with a bias of 0.005, texels up to that share of the range behind a wall are seen."""
    config = VisionConfig(exact=False)
    ends = random_walls(0)
    points = centres()
    expected = grid(sees(points, (0.0, 0.0), ends))
    with Drawn(base) as drawn:
        found = drawn.seen(sights_of([eye_at()], ends), config, by_map=True) > 0.5
    assert 0.01 < 100.0 * (found != expected).mean() < 2.0
    # A texel that is seen in vain is no deeper behind a wall than the bias, or beside the edge of a shadow.
    nearer = grid(
        sees(points * (1.0 - 0.005 * 50.0 / np.hypot(*points.T).clip(1.0))[:, None], (0.0, 0.0), ends)
    )
    assert not (found & ~nearer & ~beside_an_edge(expected) & ~beside_an_edge(nearer)).any()


def test_the_range_and_the_eye(base: Any) -> None:
    with Drawn(base) as drawn:
        mask = drawn.seen(sights_of([eye_at(7.0, -3.0, 20.0)], np.empty((0, 2, 2))))
    points = centres()
    assert not wrong(mask, grid(np.hypot(points[:, 0] - 7.0, points[:, 1] + 3.0) <= 20.0)).any()


@pytest.mark.parametrize("fov", [20.0, 90.0, 180.0, 270.0])
@pytest.mark.parametrize("forward", [(0.0, 1.0), (0.6, -0.8)])
def test_the_cone(base: Any, fov: float, forward: Sequence[float]) -> None:
    with Drawn(base) as drawn:
        mask = drawn.seen(sights_of([eye_at(2.0, 1.0, 30.0, fov=fov, forward=forward)], np.empty((0, 2, 2))))
    half_cosine = float(np.cos(np.radians(fov / 2.0)))
    expected = grid(sees(centres(), (2.0, 1.0), np.empty((0, 2, 2)), 30.0, forward, half_cosine))
    found = wrong(mask, expected)
    # On the very edge, 32-bit floats may say otherwise.
    assert found.sum() <= 2
    assert not (found & ~beside_an_edge(expected)).any()


def test_the_exact_edge_of_the_cone_and_the_eyes_own_texel_are_seen(base: Any) -> None:
    """The eye in a texel's centre, and an edge along centres: numbers that floats hold exactly."""
    eye = eye_at(TEXEL / 2, TEXEL / 2, 25.0, fov=90.0)
    eye = type(eye)(
        eye.x, eye.y, 0.0, 25.0, (0.0, 1.0), float(np.float32(np.sqrt(0.5)) * np.float32(0.9999)), 1.0
    )
    with Drawn(base) as drawn:
        mask = drawn.seen(sights_of([eye], np.empty((0, 2, 2))))
    middle = MASK_SIZE // 2
    assert mask[middle, middle] == 1.0
    steps = np.arange(1, 60)
    assert (mask[middle + steps, middle + steps] == 1.0).all()
    assert (mask[middle - steps, middle + steps] == 0.0).all()


@pytest.mark.parametrize(
    "wall",
    [
        ((-3.0, 0.0), (3.0, 0.0)),  # through the eye
        ((0.0, 2.0), (0.0, 4.0)),  # in line with a ray
        ((0.0, 0.0), (0.0, 3.0)),  # from the eye on
    ],
)
def test_walls_in_line_with_the_eye_hide_nothing(base: Any, wall: Any) -> None:
    with Drawn(base) as drawn:
        mask = drawn.seen(sights_of([eye_at(view_range=10.0)], np.array([wall])))
    points = centres()
    assert not wrong(mask, grid(np.hypot(*points.T) <= 10.0)).any()


@pytest.mark.parametrize("distance", [1e-6, 1e-3, 0.05, 0.2])
def test_a_wall_right_before_the_eye_hides_half_of_the_world(base: Any, distance: float) -> None:
    wall = np.array([((-30.0, distance), (30.0, distance))])
    with Drawn(base) as drawn:
        mask = drawn.seen(sights_of([eye_at(view_range=20.0)], wall))
    assert not wrong(mask, grid(sees(centres(), (0.0, 0.0), wall, 20.0))).any()


JOINTS = {
    "shared corner": [((-3.0, 5.0), (0.0, 4.0)), ((0.0, 4.0), (3.0, 5.0))],
    "T": [((-3.0, 5.0), (3.0, 5.0)), ((0.0, 5.0), (0.0, 9.0))],
    "T towards the eye": [((-3.0, 5.0), (3.0, 5.0)), ((0.0, 2.0), (0.0, 5.0))],
    "collinear": [((-3.0, 5.0), (0.0, 5.0)), ((0.0, 5.0), (3.0, 5.0))],
    "collinear with a gap": [((-3.0, 5.0), (-0.5, 5.0)), ((0.5, 5.0), (3.0, 5.0))],
    "twice": [((-3.0, 5.0), (3.0, 5.0)), ((3.0, 5.0), (-3.0, 5.0))],
    "nearly collinear": [((-3.0, 5.0), (0.0, 5.0)), ((0.0, 5.0), (3.0, 5.0 + 1e-6))],
    "a thin pillar": [((-0.01, 5.0), (0.01, 5.0))],
    "a box around the eye": [
        ((-4.0, -4.0), (4.0, -4.0)), ((4.0, -4.0), (4.0, 4.0)), ((4.0, 4.0), (-4.0, 4.0)),
        ((-4.0, 4.0), (-4.0, -4.0)),
    ],
}  # fmt: skip


@pytest.mark.parametrize("joint", JOINTS)
def test_joints(base: Any, joint: str) -> None:
    ends = np.array(JOINTS[joint])
    with Drawn(base) as drawn:
        mask = drawn.seen(sights_of([eye_at(0.013, -0.021, 30.0)], ends))
    expected = grid(sees(centres(), (0.013, -0.021), ends, 30.0))
    found = wrong(mask, expected)
    assert 100.0 * found.mean() <= WORST
    assert not (found & ~beside_an_edge(expected)).any()
    assert expected.any()
    assert not expected.all()


def test_two_viewers_add_up_to_one(base: Any) -> None:
    eyes = [eye_at(-4.0, 0.0, 10.0, strength=0.6), eye_at(4.0, 0.0, 10.0, strength=0.6)]
    walls = np.array([((-1.0, 5.0), (1.0, 5.0)), ((0.0, -3.0), (0.0, -6.0))])
    with Drawn(base) as drawn:
        mask = drawn.seen(sights_of(eyes, walls))
    first, second = (grid(sees(centres(), (eye.x, eye.y), walls, 10.0)) for eye in eyes)
    expected = np.minimum(0.6 * first + 0.6 * second, 1.0)
    # Each viewer's shadows keep out that viewer alone.
    assert (first & ~second).any()
    assert (second & ~first).any()
    assert np.abs(mask - expected).max() <= 0.5 / 255


def test_many_viewers(base: Any) -> None:
    rng = np.random.default_rng(1)
    walls = random_walls(1)
    spots = rng.uniform(-40.0, 40.0, (32, 2))
    eyes = [eye_at(float(x), float(y), 15.0, strength=0.2) for x, y in spots]
    with Drawn(base) as drawn:
        mask = drawn.seen(sights_of(eyes, walls))
    count = np.sum([grid(sees(centres(), (eye.x, eye.y), walls, 15.0)) for eye in eyes], axis=0)
    off = np.abs(mask - np.minimum(0.2 * count, 1.0)) > 0.5 / 255 * 5
    assert 100.0 * off.mean() <= 32 * WORST
    assert 100.0 * off.mean() <= WORST * count.max()


def test_what_was_drawn_before_is_gone(base: Any) -> None:
    with Drawn(base) as drawn:
        drawn.seen(sights_of([eye_at()], random_walls(2)))
        assert drawn.seen([]).max() == 0.0
        again = drawn.seen(sights_of([eye_at(view_range=5.0)], WALL * 0.5))
    assert not wrong(again, grid(sees(centres(), (0.0, 0.0), WALL * 0.5, 5.0))).any()


def test_far_from_the_origin(base: Any) -> None:
    shift = np.array([1e6, -1e6])
    ends = random_walls(3)
    with Drawn(base) as drawn:
        near = drawn.seen(sights_of([eye_at()], ends))
        far = drawn.seen(sights_of([eye_at(*shift)], ends + shift, shift.tolist()))
    assert (near != far).sum() <= 2


@pytest.mark.parametrize("way", ["exact", "fine map", "map"])
def test_walls_are_seen_as_deep_as_they_are_thick(base: Any, way: str) -> None:
    """And no deeper, at right angles to the wall's face; its shadow's sides are where they were."""
    options: dict[str, Any] = {"exact": way != "map", "bias": 0.0, "size": (16.0, 16.0)}
    with Drawn(base) as drawn:
        seen = [
            drawn.seen(
                sights_of([eye_at(view_range=10.0)], WALL),
                VisionConfig(wall_thickness=thickness, **options),
                by_map=way != "exact",
            )
            > 0.5
            for thickness in (0.0, 0.5)
        ]
    points = centres(extent=16.0)
    behind = sees(points, (0.0, 0.0), WALL, 10.0) ^ sees(points, (0.0, 0.0), np.empty((0, 2, 2)), 10.0)
    # The map knows distances along the line of sight alone.
    depth = points[:, 1] - 5.0 if way != "map" else np.hypot(*points.T) * (1.0 - 5.0 / points[:, 1])
    shown = (behind & (depth <= 0.5)).reshape(MASK_SIZE, MASK_SIZE)
    gained = seen[1] & ~seen[0]
    assert shown.sum() > 200
    assert not (seen[0] & ~seen[1]).any()
    # A column of the map is wider than a texel where the wall ends.
    assert (gained != shown).sum() <= (0 if way != "map" else 0.05 * shown.sum())


def test_backs_of_walls_have_no_thickness(base: Any) -> None:
    sights = sights_of([eye_at(view_range=10.0)], WALL[:, ::-1])
    with Drawn(base) as drawn:
        masks = [drawn.seen(sights, VisionConfig(wall_thickness=thickness)) for thickness in (0.0, 0.5)]
    assert (masks[0] == masks[1]).all()


@pytest.mark.parametrize("sides", [128, 600])
def test_finely_built_walls_shade_by_the_map(base: Any, sides: int) -> None:
    """Round pillars of segments narrower than a column: what is wrong lies beside an edge."""
    turns = np.linspace(0.0, 2.0 * np.pi, sides + 1)
    ring = 2.0 * np.stack([np.cos(turns), -np.sin(turns)], axis=1)
    ring[-1] = ring[0]
    pillar = np.stack([ring[:-1], ring[1:]], axis=1)
    ends = np.concatenate([pillar + middle for middle in ((10.0, 3.0), (-20.0, 8.0), (5.0, -30.0))])
    with Drawn(base, columns=2048) as drawn:
        found = drawn.seen(sights_of([eye_at()], ends), by_map=True) > 0.5
    points = centres()
    eye, wrong = (0.0, 0.0), points[(found != grid(sees(points, (0.0, 0.0), ends, 50.0))).ravel()]
    assert len(wrong) < 0.05 * len(points)
    column = 1.51 * 2.0 * np.pi / 2048
    turned = [
        sees(wrong @ np.array([(np.cos(turn), np.sin(turn)), (-np.sin(turn), np.cos(turn))]), eye, ends, 51.0)
        for turn in (-column, 0.0, column)
    ]
    assert (np.any(turned, axis=0) & ~np.all(turned, axis=0)).all()


@pytest.mark.parametrize("far", [1000.0, 3000.0])
def test_an_eye_far_beside_the_mask(base: Any, far: float) -> None:
    """Walls of 0.2 to 2 units in a world of 40, seen from far away."""
    rng = np.random.default_rng(3)
    first = rng.uniform(-18.0, 18.0, (40, 1, 2))
    ends = np.concatenate([first, first + rng.uniform(-1.4, 1.4, (40, 1, 2))], axis=1)
    with Drawn(base, size=256) as drawn:
        sights = sights_of([eye_at(-far, 0.3 * far, 2.0 * far)], ends)
        found = drawn.seen(sights, VisionConfig(size=(40.0, 40.0))) > 0.5
    points = centres(256, 40.0)
    expected = sees(points, (-far, 0.3 * far), ends, 2.0 * far).reshape(256, 256)
    wrong = found != expected
    assert wrong.sum() <= 2
    assert beside_an_edge(expected)[wrong].all()
