"""Cameras that are framed to a scene, and lenses in pictures of other shapes."""

from itertools import product

import numpy as np
import pytest
from panda3d.core import Camera, Lens, NodePath, OrthographicLens, PerspectiveLens, Point2, Point3

from panda_rtstamp.overlay.framing import fitted, frame
from pictures import Floats, flat_card
from shapes import box
from support import run_case

ASPECTS = (0.2, 0.75, 1.0, 4 / 3, 3.0)
SIZES = ((1.0, 1.0, 1.0), (0.5, 0.5, 2.0), (1.0, 4.0, 1.0), (4.0, 0.1, 0.1), (300.0, 1.0, 200.0), (1e-3,) * 3)


def shown(camera: NodePath, lens: Lens, model: NodePath) -> Floats:
    """Where the corners of a model's box are in the picture, -1 to 1, (8, 2); NaN beyond near and far."""
    bounds = model.get_tight_bounds(model)
    assert bounds is not None
    low, high = bounds
    found = []
    for corner in product(*zip(low, high, strict=True)):
        place = Point2()
        inside = lens.project(camera.get_relative_point(model, Point3(*corner)), place)
        found.append(tuple(place) if inside or max(map(abs, place)) > 1.0 else (np.nan, np.nan))
    return np.array(found)


def framed(scene: NodePath) -> tuple[NodePath, Lens]:
    camera = NodePath(Camera("camera", PerspectiveLens()))
    frame(camera, scene)
    return camera, camera.node().get_lens()


@pytest.mark.parametrize("size", SIZES)
def test_all_is_in_the_picture_however_it_is_turned(size: tuple[float, float, float]) -> None:
    scene = NodePath("scene")
    model = box(size)
    model.reparent_to(scene)
    camera, lens = framed(scene)
    for aspect, turn in product(ASPECTS, range(0, 360, 15)):
        model.set_h(turn)
        corners = shown(camera, fitted(lens, aspect), model)
        assert np.abs(corners).max() < 1.0
    # And not small in it: of the shape of the scene, one of both directions is filled.
    best = [shown(camera, lens, model) for turn in range(0, 180, 5) if not model.set_h(turn)]
    assert np.abs(best).max(axis=(0, 1)).max() > 0.75


def test_wherever_it_stands() -> None:
    """Also below a node that is elsewhere, turned and scaled."""
    root = NodePath("root")
    parent = root.attach_new_node("parent")
    parent.set_pos_hpr_scale((50.0, -20.0, 7.0), (130.0, 20.0, 0.0), (2.0, 2.0, 2.0))
    scene = parent.attach_new_node("scene")
    scene.set_pos(3.0, 4.0, 5.0)
    box((1.0, 2.0, 3.0)).reparent_to(scene)
    camera = root.attach_new_node(Camera("camera", PerspectiveLens()))
    frame(camera, scene)
    assert np.abs(shown(camera, camera.node().get_lens(), scene)).max() < 1.0
    assert scene.get_relative_vector(camera, (0, 1, 0)).normalized().almost_equal((0, 1, 0), 1e-4)


def test_a_scene_that_is_flat_or_has_nothing_in_it() -> None:
    empty = NodePath("empty")
    _, lens = framed(empty)
    assert lens.get_projection_mat().is_nan() is False
    card = flat_card(empty, 2.0)
    camera, lens = framed(empty)
    assert np.abs(shown(camera, lens, card)).max() < 1.0
    card.set_p(-90.0)
    camera, lens = framed(empty)
    assert np.abs(shown(camera, lens, card)).max() < 1.0
    point = NodePath("point")
    box((1.0, 1.0, 1.0)).copy_to(point).set_scale(1e-30)
    _, lens = framed(point)
    assert not lens.get_projection_mat().is_nan()


def perspective() -> Lens:
    lens = PerspectiveLens()
    lens.set_fov(60.0, 40.0)
    return lens


def from_above() -> Lens:
    lens = OrthographicLens()
    lens.set_film_size(40.0, 30.0)
    return lens


def default() -> Lens:
    return PerspectiveLens()


@pytest.mark.parametrize("make", [perspective, from_above, default])
def test_lenses_show_more_and_never_less(make: "type[Lens]") -> None:
    lens = make()
    width, height = lens.get_film_size()
    focal = lens.get_focal_length()
    for aspect in ASPECTS:
        other = fitted(lens, aspect)
        across, up = other.get_film_size()
        assert across / up == pytest.approx(aspect, rel=1e-5)
        assert across >= width * (1 - 1e-6)
        assert up >= height * (1 - 1e-6)
        assert across == pytest.approx(width, rel=1e-5) or up == pytest.approx(height, rel=1e-5)
        assert other.get_focal_length() == pytest.approx(focal)
        # What both of them show is at the same place in it.
        for matrix in (lens, other):
            film = np.array(matrix.get_film_size())
            point = Point2()
            assert matrix.project(Point3(0.5, 5.0, -0.25), point)
            place = np.array(point) * film
            assert place == pytest.approx(expected_place(lens), rel=1e-4)
    assert lens.get_film_size() == (width, height)


def expected_place(lens: Lens) -> Floats:
    point = Point2()
    lens.project(Point3(0.5, 5.0, -0.25), point)
    place: Floats = np.array(point) * np.array(lens.get_film_size())
    return place


def test_of_the_same_shape_it_is_the_same_to_the_bit() -> None:
    lens = PerspectiveLens()
    for width, height in ((800, 600), (1920, 1080), (333, 777)):
        lens.set_aspect_ratio(width / height)
        assert fitted(lens, width / height).get_projection_mat() == lens.get_projection_mat()


@pytest.mark.parametrize("system", ["zup-right", "zup-left", "yup-right", "yup-left"])
def test_coordinate_systems(system: str) -> None:
    """In a game of each, a slab that stands upright is seen from its side, in the middle of the overlay."""
    lines = run_case(
        f"""
from panda3d.core import LVector3, NodePath, load_prc_file_data
load_prc_file_data("", "coordinate-system {system}")
from panda_rtstamp.overlay.viewport import Overlay
from shapes import box
from support import run_case
from support import make_base, screenshot

base = make_base()
scene = NodePath("scene")
size = LVector3.right() * 2 + LVector3.forward() * 2 + LVector3.up() * 8
slab = box([abs(part) for part in size])
slab.reparent_to(scene)
slab.set_color(1, 0, 0, 1)
slab.set_two_sided(True)
overlay = Overlay(base, scene)
red = (screenshot(base, 2)[..., :3] == (255, 0, 0)).all(axis=-1)
rows, columns = red.any(axis=1).nonzero()[0], red.any(axis=0).nonzero()[0]
print(rows[0] + rows[-1], columns[0] + columns[-1], len(rows) > 200, len(rows) > 3 * len(columns))
base.destroy()
""",
        timeout=60,
    ).splitlines()
    assert lines == ["255 255 True True"]
