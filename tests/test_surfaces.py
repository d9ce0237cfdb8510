"""The numpy helpers that tests of marks rely on, against shapes whose answers are known."""

import numpy as np
import pytest
from panda3d.core import Camera, NodePath, PerspectiveLens

from panda_rtstamp.core.geometry import matrix, net_matrix
from rasters import Eye
from shapes import box, cylinder, sphere
from surfaces import integral, mark_area, mesh_of, overlap, seams, texels, unit, winding_normals

SIZE = 256


def camera_at(*place: float) -> tuple[NodePath, PerspectiveLens]:
    """A camera that looks at the origin."""
    lens = PerspectiveLens()
    lens.set_fov(40.0)
    lens.set_near_far(0.1, 100.0)
    camera = NodePath(Camera("eye", lens))
    camera.set_pos(*place)
    camera.look_at(0, 0, 0)
    return camera, lens


def test_rays_meet_a_sphere_where_the_formula_says() -> None:
    mesh = mesh_of(sphere(True, 512, 256), "texcoord")
    camera, lens = camera_at(3.0, -4.0, 2.0)
    sight = Eye(mesh.points, mesh.two_sided, camera, lens, SIZE).look()
    across = (np.arange(SIZE) + 0.5) / SIZE * 2 - 1
    x, y = (part.ravel() for part in np.meshgrid(across, across))
    clip = np.stack([x, y, np.ones_like(x), np.ones_like(x)], axis=1)
    far = clip @ np.linalg.inv(matrix(lens.get_projection_mat())) @ net_matrix(camera)
    start = net_matrix(camera)[3, :3]
    ways = unit(far[:, :3] / far[:, 3:] - start)
    middle = ways @ start
    inside = middle**2 - (start @ start - 1.0)
    # Within 1e-3 of the silhouette the mesh and the sphere are not the same.
    np.testing.assert_array_equal(
        np.isin(np.flatnonzero(np.abs(inside) > 1e-3), sight.pixel), inside[np.abs(inside) > 1e-3] > 0
    )
    clear = inside[sight.pixel] > 0.01
    expected = start + ways * (-middle - np.sqrt(np.maximum(inside, 0.0)))[:, None]
    off = np.linalg.norm(sight.points - expected[sight.pixel], axis=1)[clear]
    assert off.max() < 1e-3


def test_rays_from_the_inside_meet_what_is_seen_from_both_sides() -> None:
    """The eye is inside a box: some triangles reach behind it, and nothing is missed."""
    mesh = mesh_of(box((2.0, 2.0, 2.0)), "texcoord")
    camera, lens = camera_at(0.3, 0.2, 0.1)
    both = Eye(mesh.points, np.ones(12, bool), camera, lens, SIZE).look()
    assert len(both.pixel) == SIZE**2
    assert np.abs(np.abs(both.points).max(axis=1) - 1.0).max() < 1e-12
    assert len(Eye(mesh.points, mesh.two_sided, camera, lens, SIZE).look().pixel) == 0


def test_ties_are_told_from_what_lies_behind() -> None:
    mesh = mesh_of(box((2.0, 2.0, 2.0)), "texcoord")
    camera, lens = camera_at(0.0, -5.0, 0.0)
    for gap, expected in ((1e-7, True), (1e-2, False)):
        points = np.concatenate([mesh.points, mesh.points + (0.0, gap, 0.0)])
        assert bool(len(Eye(points, np.zeros(24, bool), camera, lens, SIZE).ties())) == expected


@pytest.mark.parametrize(
    ("node", "area"), [(box((1, 2, 3)), 22.0), (cylinder(True), 4 * np.pi), (sphere(True), 4 * np.pi)]
)
def test_areas(node: NodePath, area: float) -> None:
    mesh = mesh_of(node, "texcoord")
    assert mesh.areas.sum() == pytest.approx(area, rel=5e-3)
    assert integral(mesh.points, lambda at: np.ones(len(at)), 4) == pytest.approx(mesh.areas.sum())
    wide = mesh.areas > 0.0
    assert (winding_normals(mesh.points)[wide] * mesh.normals[wide, 0]).sum(axis=1).min() > 0.9
    if node.get_name() != "box":
        marked = mark_area(mesh, np.ones((SIZE, SIZE)))
        assert marked.sum() == pytest.approx(mesh.areas.sum(), rel=1e-6)


def test_an_integral() -> None:
    """Of z ** 2 over a unit sphere: a third of its area."""
    mesh = mesh_of(sphere(True), "texcoord")
    assert integral(mesh.points, lambda at: at[:, 2] ** 2, 8) == pytest.approx(4 / 3 * np.pi, rel=5e-3)


def test_overlap_and_seams() -> None:
    """A sphere's layout is one to one, a cylinder's parts along one line, a box's faces share the tile."""
    tube = mesh_of(cylinder(True, 64, 8), "texcoord")
    ball, cube = mesh_of(sphere(True, 64, 32), "texcoord"), mesh_of(box((2, 2, 2)), "texcoord")
    assert overlap(ball) == 0
    assert len(texels(ball, SIZE).row) == SIZE**2
    assert len(seams(tube)) == 8
    assert overlap(cube) > 0.99 * 512**2
    assert len(seams(cube)) == 12
    assert all(abs(seam.normal @ unit(seam.middle) - 1.0) < 1e-9 for seam in seams(cube))
