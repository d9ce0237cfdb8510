"""A brush's picture lies on the surface as numpy projects it, texel by texel, whichever way that faces."""

from typing import Any

import numpy as np
import pytest
from panda3d.core import (
    CollisionHandlerQueue,
    CollisionNode,
    CollisionPlane,
    CollisionRay,
    CollisionTraverser,
    NodePath,
    Plane,
    Point3,
    Vec3,
)

import shapes
from brush_support import (
    POINT,
    RADIUS,
    RIGHT,
    TEXELS,
    TOWARDS_US,
    UP,
    Projection,
    Vector,
    as_texture,
    brush_image,
    check,
    make_card,
    make_picture,
    make_slopes,
    on_card,
    turned,
)
from panda_rtstamp import Brush
from rasters import HAIR
from stamp_support import Floats, image_of, system, world_points
from support import compare_images, step
from surfaces import mesh_of, texels

pytestmark = pytest.mark.profiles


@pytest.fixture(scope="module")
def picture() -> Floats:
    return make_picture()


@pytest.mark.parametrize("rotation", [0.0, 90.0, -30.0])
def test_every_texel_of_a_picture(base: Any, scene: NodePath, picture: Floats, rotation: float) -> None:
    """Upright at 0, and turned counter-clockwise as we see it."""
    card = make_card(scene)
    image = brush_image(base, card, Brush(as_texture(picture), rotation=rotation))
    axes = turned(RIGHT, UP, rotation)
    expected = Projection(picture, POINT, *axes, (RADIUS, RADIUS))
    check(image, expected, on_card(card), f"brush-rotation-{rotation:g}")


@pytest.mark.parametrize(("aspect", "half"), [(2.0, (1.0, 0.5)), (0.5, (0.5, 1.0))])
def test_the_longer_edge_is_twice_the_radius(
    base: Any, scene: NodePath, picture: Floats, aspect: float, half: tuple[float, float]
) -> None:
    card = make_card(scene)
    # So wide that the shorter edge, too, has more texels than the picture: nothing is minified.
    radius = 2.0 * RADIUS
    image = brush_image(base, card, Brush(as_texture(picture), rotation=0.0, aspect=aspect), radius=radius)
    expected = Projection(picture, POINT, RIGHT, UP, (half[0] * radius, half[1] * radius))
    check(image, expected, on_card(card), f"brush-aspect-{aspect:g}")


def test_colour_and_opacity_multiply(base: Any, scene: NodePath, picture: Floats) -> None:
    card = make_card(scene)
    brush = Brush(as_texture(picture), rotation=0.0)
    image = brush_image(base, card, brush, color=(0.5, 1.0, 0.25, 0.8), opacity=0.5)
    expected = Projection(picture, POINT, RIGHT, UP, (RADIUS, RADIUS))
    check(image, expected, on_card(card), "brush-colour", 0.4 * np.array([0.5, 1.0, 0.25, 1.0]))


def test_without_a_colour_the_picture_keeps_its_own(base: Any, scene: NodePath, picture: Floats) -> None:
    """Whatever the config's colour is."""
    card = make_card(scene)
    brush = Brush(as_texture(picture), rotation=0.0)
    with system(base, format="rgba16f", auto_fade=False, stamp_color=(1.0, 0.0, 0.0)) as stamps:
        stamps.hit(card, POINT, radius=RADIUS, normal=TOWARDS_US, brush=brush, hardness=0.9)
        step(base)
        image = image_of(stamps, card)
    check(image, Projection(picture, POINT, RIGHT, UP, (RADIUS, RADIUS)), on_card(card), "brush-white")


@pytest.mark.parametrize(
    ("hpr", "right", "up"),
    [
        # A wall that looks east, a floor, a ceiling, a slope that looks up, one that leans to a side.
        ((90.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
        ((0.0, -90.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)),
        ((0.0, 90.0, 0.0), (-1.0, 0.0, 0.0), (0.0, 1.0, 0.0)),
        ((0.0, -40.0, 0.0), (1.0, 0.0, 0.0), None),
        ((25.0, -35.0, 50.0), None, None),
    ],
)
def test_up_is_the_worlds_wherever_a_card_faces(
    base: Any,
    scene: NodePath,
    picture: Floats,
    hpr: tuple[float, float, float],
    right: Vector | None,
    up: Vector | None,
) -> None:
    card = make_card(scene)
    card.set_hpr(*hpr)
    normal = np.array(scene.get_relative_vector(card, Vec3(*TOWARDS_US)))
    point = world_points(card, np.array([4.0, 0.0, -7.0]))
    image = brush_image(base, card, Brush(as_texture(picture), rotation=0.0), point, normal=5.0 * normal)
    steepest = np.array(UP) - normal * normal[2]
    upwards = np.array(up) if up is not None else steepest / np.linalg.norm(steepest)
    rightwards = np.array(right) if right is not None else np.cross(upwards, normal)
    np.testing.assert_allclose(np.cross(rightwards, upwards), normal, atol=1e-6)
    expected = Projection(picture, point, rightwards, upwards, (RADIUS, RADIUS))
    check(image, expected, on_card(card), f"brush-hpr-{'-'.join(f'{angle:g}' for angle in hpr)}")


def test_point_and_normal_in_another_space(base: Any, scene: NodePath, picture: Floats) -> None:
    """A card that is turned, mirrored and scaled: the normal stays upright on it, lengths are the world's."""
    card = make_card(scene)
    card.set_hpr(20.0, -30.0, 0.0)
    card.set_scale(-1.5, 0.5, 1.0)
    brush = Brush(as_texture(picture), rotation=0.0)
    image = brush_image(base, card, brush, (3.0, 0.0, -2.0), normal=(0.0, -7.0, 0.0), other=card, radius=45.0)
    right = np.array(scene.get_relative_vector(card, Vec3(-1.0, 0.0, 0.0)))
    up = np.array(scene.get_relative_vector(card, Vec3(0.0, 0.0, 1.0)))
    axes = (right / np.linalg.norm(right), up / np.linalg.norm(up))
    point = world_points(card, np.array([3.0, 0.0, -2.0]))
    check(image, Projection(picture, point, *axes, (45.0, 45.0)), on_card(card), "brush-other")


def test_onto_a_sphere_along_the_normal(base: Any, scene: NodePath) -> None:
    """Straight through, as a slide projector does it; and nothing on the far side."""
    ball = shapes.sphere(uvs=True)
    ball.reparent_to(scene)
    ball.set_pos(0.0, 20.0, 0.0)
    ball.set_tag("rtstamp-resolution", str(TEXELS))
    picture, point, softness = make_slopes(), (0.0, 19.0, 0.0), 0.25
    with system(base, format="rgba16f", auto_fade=False, facing_softness=softness) as stamps:
        stamps.hit(ball, point, radius=0.5, normal=TOWARDS_US, brush=Brush(as_texture(picture), rotation=0.0))
        step(base)
        image = image_of(stamps, ball)
        mesh = mesh_of(ball)
    found = texels(mesh, TEXELS)
    found = found[found.margin > HAIR]
    places, normals = found.at(mesh.points), found.at(mesh.normals)
    facing = np.clip(normals @ np.array(TOWARDS_US) / softness, 0.0, 1.0)
    got = image[found.row, found.column]
    expected = Projection(picture, point, RIGHT, UP, (0.5, 0.5))
    check(got[None], expected, places[None], "brush-sphere", facing[None, :, None])
    far = places[:, 1] > 20.0
    assert far.any()
    assert got[far].max() == 0.0


def test_a_random_rotation_is_another_for_each_hit(base: Any, scene: NodePath) -> None:
    """And the same in the record, wherever that is applied."""
    first, second = make_card(scene), make_card(scene)
    records: list[bytes] = []
    with system(base, format="rgba16f", auto_fade=False) as stamps:
        stamps.on_hit(records.append)
        for name, card in (("first", first), ("second", second)):
            card.set_tag("rtstamp-id", name)
            stamps.hit(card, (0.0, 200.0, 0.0), radius=RADIUS, normal=TOWARDS_US, brush="splat")
        step(base)
        images = [image_of(stamps, card) for card in (first, second)]
        stamps.clear_all()
        for record in records:
            assert stamps.apply(record) is not None
        step(base)
        again = [image_of(stamps, card) for card in (first, second)]
    assert np.abs(images[0] - images[1]).max() > 0.5
    for index in range(2):
        assert images[index][..., 3].mean() == pytest.approx(images[0][..., 3].mean(), rel=0.01)
        compare_images(again[index], images[index], 2 / 255, f"brush-record-{index}")


def test_a_brush_takes_the_normal_of_an_entry(base: Any, scene: NodePath, picture: Floats) -> None:
    card = make_card(scene)
    card.set_hpr(0.0, -40.0, 0.0)
    card.set_tag("rtstamp", "")
    solid = CollisionNode("solid")
    solid.add_solid(CollisionPlane(Plane(Vec3(*TOWARDS_US), Point3(0.0))))
    card.attach_new_node(solid)
    gun = CollisionNode("gun")
    gun.add_solid(CollisionRay(Point3(0.0), Vec3(0.0, 1.0, 0.0)))
    gun.set_into_collide_mask(0)
    traverser, queue = CollisionTraverser(), CollisionHandlerQueue()
    traverser.add_collider(scene.attach_new_node(gun), queue)
    traverser.traverse(scene)
    with system(base, format="rgba16f", auto_fade=False) as stamps:
        brush = Brush(as_texture(picture), rotation=0.0)
        assert stamps.hit_entry(queue.get_entry(0), radius=RADIUS, brush=brush) is not None
        step(base)
        image = image_of(stamps, card)
    up = np.array(scene.get_relative_vector(card, Vec3(*UP)))
    expected = Projection(picture, (0.0, 200.0, 0.0), RIGHT, up, (RADIUS, RADIUS))
    check(image, expected, on_card(card), "brush-entry")
