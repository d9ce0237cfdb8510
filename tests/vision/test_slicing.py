"""Slices of triangles: where they are, which side counts as above, and that outlines have no cracks."""

from collections import Counter
from typing import Any

import numpy as np
import pytest

from panda_rtstamp.vision.slicing import slice_triangles
from shapes import box_columns, grid_faces, quads
from vision_support import Floats

# A box of 4 x 2 x 3 that stands on the ground.
BOX = (box_columns((4, 2, 3))["vertex"] + (0, 0, 1.5))[quads(6)]


@pytest.fixture(autouse=True)
def _no_warnings() -> Any:
    with np.errstate(all="raise"):
        yield


def length(ends: Floats) -> float:
    """Of all segments together."""
    return float(np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1).sum())


def loose_ends(ends: Floats) -> int:
    """At how many places an odd number of segments ends, to the bit."""
    counts = Counter(map(tuple, ends.reshape(-1, 2).tolist()))
    return sum(count % 2 for count in counts.values())


def bumpy_ball(rng: np.random.Generator) -> Floats:
    """A closed mesh of odd shape, turned at random: (n, 3, 3). Its poles are single points."""
    across, along = 24, 12
    turns, rises = np.meshgrid(np.linspace(0, 2 * np.pi, across + 1), np.linspace(0, np.pi, along + 1))
    radii = rng.uniform(0.7, 1.3, turns.shape)
    radii[:, -1], radii[0], radii[-1] = radii[:, 0], 1.0, 1.0
    turns[:, -1] = turns[:, 0]
    ring = np.where(np.isin(np.arange(along + 1), (0, along))[:, None], 0.0, np.sin(rises))
    points = np.stack([ring * np.cos(turns), ring * np.sin(turns), np.cos(rises)], axis=2) * radii[..., None]
    frame = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    # Point by point: equal points stay equal to the bit.
    x, y, z = points.reshape(-1, 3).T[:, :, None]
    moved: Floats = x * frame[0] + y * frame[1] + z * frame[2]
    return moved[grid_faces(across, along)]


@pytest.mark.parametrize("height", [0.001, 0.7, 1.5, 2.999, 3.0])
def test_a_box_gives_its_outline(height: float) -> None:
    ends = slice_triangles(BOX, height)
    assert length(ends) == pytest.approx(12.0, abs=1e-12)
    on_sides = (np.abs(ends[:, :, 0]) == 2.0).all(axis=1) | (np.abs(ends[:, :, 1]) == 1.0).all(axis=1)
    assert on_sides.all()
    assert loose_ends(ends) == 0


@pytest.mark.parametrize("height", [-5.0, -0.001, 0.0, 3.001, 50.0])
def test_above_and_below_there_is_nothing(height: float) -> None:
    # At 0 as well: there, all of the box counts as above.
    assert slice_triangles(BOX, height).shape == (0, 2, 2)


def test_a_triangle_is_cut_where_its_edges_cross() -> None:
    points = np.array([[(0, 0, 0), (4, 0, 4), (0, 8, 4)]], float)
    assert slice_triangles(points, 1.0).tolist() == [[[0, 2], [1, 0]]]
    # From above: a corner alone on the upper side.
    assert slice_triangles(points * (1, 1, -1), -1.0).tolist() == [[[1, 0], [0, 2]]]


def test_a_corner_at_the_height_counts_as_above() -> None:
    points = np.array([[(0, 0, 0), (4, 0, 2), (0, 4, 2)], [(0, 0, 4), (4, 0, 2), (0, 4, 2)]], float)
    assert slice_triangles(points[:1], 2.0).tolist() == [[[0, 4], [4, 0]]]
    assert len(slice_triangles(points[1:], 2.0)) == 0
    # Both together are one edge, not two.
    assert len(slice_triangles(points, 2.0)) == 1
    # Of a single corner there, no segment is left.
    assert len(slice_triangles(points * (1, 1, -1), 0.0)) == 0
    assert len(slice_triangles(points[:1] * (1, 1, -1), -1.0)) == 1


@pytest.mark.parametrize("order", [(0, 1, 2), (1, 2, 0), (2, 0, 1), (0, 2, 1), (2, 1, 0), (1, 0, 2)])
def test_the_order_of_corners_does_not_matter(order: tuple[int, ...]) -> None:
    rng = np.random.default_rng(5)
    points = rng.uniform(-1.0, 1.0, (200, 3, 3))
    expected = np.sort(slice_triangles(points, 0.1), axis=1)
    found = np.sort(slice_triangles(points[:, order], 0.1), axis=1)
    assert len(expected) > 100
    assert found.tolist() == expected.tolist()


@pytest.mark.parametrize("seed", range(10))
def test_outlines_of_closed_meshes_have_no_cracks(seed: int) -> None:
    points = bumpy_ball(np.random.default_rng(seed))
    corners = points.reshape(-1, 3)[:, 2]
    # Anywhere, and at the very height of corners, of which the lowest has nothing below.
    for height in (*np.linspace(-0.6, 0.6, 7), *np.unique(corners)[1::20]):
        ends = slice_triangles(points, float(height))
        assert len(ends) > 0
        assert loose_ends(ends) == 0
    # An open one has two loose ends where it is cut, or none where it is not.
    opened = np.delete(points, np.argmin(np.abs(points[:, :, 2]).max(axis=1)), axis=0)
    assert {loose_ends(slice_triangles(opened, height)) for height in np.linspace(-0.6, 0.6, 101)} == {0, 2}


@pytest.mark.parametrize("seed", range(5))
def test_segments_lie_in_their_triangles(seed: int) -> None:
    points = np.random.default_rng(seed).uniform(-1.0, 1.0, (1, 3, 3))
    height = float(np.sort(points[0, :, 2])[1] - 1e-3)
    (ends,) = slice_triangles(points, height)
    for x, y in ends:
        shares = np.linalg.solve(np.vstack([points[0].T, np.ones(3)])[[0, 1, 3]], (x, y, 1.0))
        assert shares.min() == pytest.approx(0.0, abs=1e-12)
        assert shares @ points[0, :, 2] == pytest.approx(height, abs=1e-12)


def test_lying_triangles_give_nothing() -> None:
    points = np.array([[(0, 0, 1), (4, 0, 1), (0, 4, 1)]], float)
    for height in (0.999, 1.0, 1.001):
        assert len(slice_triangles(points, height)) == 0


@pytest.mark.parametrize(
    "corners",
    [
        [(0, 0, 0), (1, 1, 1), (3, 3, 3)],
        [(0, 0, 0), (2, 1, 1), (2, 1, 1)],
        [(2, 1, 1), (0, 0, 0), (2, 1, 1)],
        [(0.1, 0.2, 0.3), (0.1, 0.2, 0.9), (0.1, 0.2, 0.7)],
        [(5, 5, 0.5)] * 3,
        [(np.nan, 0, 0), (1, 1, 1), (3, 0, 3)],
        [(0, 0, 0), (1, np.nan, 1), (3, 0, 3)],
        [(0, 0, np.nan), (1, 1, 1), (3, 0, 3)],
        [(0, 0, 0), (1, 1, np.inf), (3, 0, 3)],
        [(0, 0, -np.inf), (1, -np.inf, 1), (3, 0, 3)],
    ],
)
def test_degenerate_triangles_give_nothing(corners: Any) -> None:
    fine = np.array([(0, 0, 0), (4, 0, 4), (0, 8, 4)], float)
    points = np.array([corners, fine], float)
    assert slice_triangles(points, 0.5).tolist() == [[[0, 1], [0.5, 0]]]


def test_what_rounding_would_leave_of_triangles_without_area_is_nothing() -> None:
    points = np.array([[(0, 0, 0), (1, 2, 1), (2, 4, 2)]], float)
    assert len(slice_triangles(points, 0.1)) == 0
    # With an area, the very same edges do give something.
    points[0, 2] += (1e-9, 0, 0)
    assert len(slice_triangles(points, 0.1)) == 1


def test_no_triangles() -> None:
    assert slice_triangles(np.empty((0, 3, 3)), 1.0).shape == (0, 2, 2)


@pytest.mark.parametrize("seed", range(5))
def test_the_first_end_is_on_the_left_of_who_sees_the_face(seed: int) -> None:
    points = np.random.default_rng(seed).normal(size=(200, 3, 3))
    for triangle in points:
        ends = slice_triangles(triangle[None], 0.0)
        normal = np.cross(triangle[1] - triangle[0], triangle[2] - triangle[0])[:2]
        if len(ends):
            along = ends[0, 1] - ends[0, 0]
            # To the right of the way from the first end to the second is where the face looks.
            assert along[1] * normal[0] - along[0] * normal[1] > 0.0
