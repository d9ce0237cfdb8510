"""A hit with a normal marks what faces it, and nothing behind; without one, all that its sphere touches."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from direct.actor.Actor import Actor
from panda3d.bullet import BulletRigidBodyNode, BulletTriangleMesh, BulletTriangleMeshShape, BulletWorld
from panda3d.core import (
    CollisionHandlerQueue,
    CollisionNode,
    CollisionRay,
    CollisionTraverser,
    GeomNode,
    NodePath,
    Point3,
    ShaderAttrib,
)

from panda_rtstamp import ConfigError, StampSystem
from pictures import PLAIN_FRAGMENT, SKINNED_VERTEX, Bools, glsl, stamps_on, world_triangles
from rasters import HAIR
from shapes import Floats, box, make_geom, make_node, quads, sphere
from stamp_support import STEP, mask_formula
from support import compare_images, make_card, screenshot, step
from surfaces import Mesh, integral, mark_area, mesh_of, texels

UNWRAPPING = {"unwrapper": "own", "unwrap_at_once": 1_000_000}
# 0.1 thick, its large faces towards -Y, the front, and +Y.
SLAB = (4.0, 0.1, 4.0)
FRONT = (0.0, -0.05, 0.0)
TOWARDS_US = (0.0, -1.0, 0.0)
RADIUS = 0.5
TEXELS = "512"


def mask_of(base: Any, stamps: StampSystem, node: NodePath) -> Floats:
    """The mask that the player sees, texel by texel."""
    step(base)
    image = stamps.image(node)
    assert image is not None
    return image[..., 3].astype(np.float64)


def make_slab(scene: NodePath, **kind: Any) -> NodePath:
    """A slab in the scene, of six faces that all use 0..1: it must be unwrapped."""
    slab = box(SLAB, **kind)
    slab.reparent_to(scene)
    slab.set_tag("rtstamp-resolution", TEXELS)
    return slab


def face(mesh: Mesh, y: float) -> Bools:
    """The triangles that lie wholly in the plane of this Y."""
    return np.asarray((np.abs(mesh.points[..., 1] - y) < 1e-6).all(axis=1))


def expected_area(points: Floats) -> float:
    """The area of the mark of a hit on the front, on these triangles."""
    return integral(points, lambda at: mask_formula(np.linalg.norm(at - FRONT, axis=1), RADIUS, 0.1), 128)


def check_front_alone(mesh: Mesh, mask: Floats) -> None:
    """The front is marked as it is to be, and no texel of any other face."""
    areas = mark_area(mesh, mask)
    front = face(mesh, -0.05)
    assert front.sum() == 2
    assert areas[front].sum() == pytest.approx(expected_area(mesh.points[front]), rel=0.02)
    assert areas[~front].sum() == 0.0


KINDS = {
    "normals": {},
    "no-normals": {"normals": False},
    "flipped-with-right-normals": {"flipped": True},
}


@pytest.mark.profiles
@pytest.mark.parametrize("scale", [(1, 1, 1), (-1, 1, 1), (1, -1, 1), (-1, -1, -1)])
@pytest.mark.parametrize("kind", KINDS)
def test_the_back_of_a_thin_slab(
    base: Any, scene: NodePath, kind: str, scale: tuple[float, float, float]
) -> None:
    slab = make_slab(scene, **KINDS[kind])
    slab.set_scale(scale)
    with stamps_on(base, **UNWRAPPING) as stamps:
        assert stamps.hit(slab, FRONT, radius=RADIUS, normal=TOWARDS_US) is not None
        mask, mesh = mask_of(base, stamps, slab), mesh_of(slab)
        check_front_alone(mesh, mask)
        stamps.clear_all()
        # Without a normal, each face gets its own part.
        assert stamps.hit(slab, FRONT, radius=RADIUS) is not None
        mask, mesh = mask_of(base, stamps, slab), mesh_of(slab)
        areas = mark_area(mesh, mask)
        for y in (-0.05, 0.05):
            side = face(mesh, y)
            assert areas[side].sum() == pytest.approx(expected_area(mesh.points[side]), rel=0.02)


def test_a_closed_slab_that_is_drawn_from_both_sides(base: Any, scene: NodePath) -> None:
    slab = make_slab(scene)
    slab.set_two_sided(True)
    with stamps_on(base, **UNWRAPPING) as stamps:
        assert stamps.hit(slab, FRONT, radius=RADIUS, normal=TOWARDS_US) is not None
        check_front_alone(mesh_of(slab), mask_of(base, stamps, slab))


@pytest.mark.parametrize("normals", [True, False])
@pytest.mark.parametrize("two_sided", [True, False])
@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_an_open_sheet_from_either_side(
    base: Any, scene: NodePath, normals: bool, two_sided: bool, side: float
) -> None:
    """One polygon faces -Y. Seen from both sides it is marked from both, else from its front alone."""
    sheet = make_card(4.0, 4.0)
    if not normals:
        corners = [(-2.0, 0.0, -2.0), (2.0, 0.0, -2.0), (2.0, 0.0, 2.0), (-2.0, 0.0, 2.0)]
        uvs = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]
        columns = {"vertex": np.array(corners), "texcoord": np.array(uvs)}
        sheet = make_node("sheet", make_geom(columns, quads(1)))
    sheet.reparent_to(scene)
    sheet.set_tag("rtstamp-resolution", TEXELS)
    sheet.set_two_sided(two_sided)
    with stamps_on(base) as stamps:
        assert stamps.hit(sheet, (0, 0, 0), radius=RADIUS, normal=(0.0, side, 0.0)) is not None
        mask, mesh = mask_of(base, stamps, sheet), mesh_of(sheet)
    if two_sided or side < 0:
        found = texels(mesh, len(mask))
        expected = mask_formula(np.linalg.norm(found.at(mesh.points), axis=1), RADIUS, 0.1)
        assert np.abs(mask[found.row, found.column] - expected).max() <= STEP
    else:
        assert mask.max() == 0.0


# How soft the edge is.


def check_facing(mesh: Mesh, mask: Floats, point: Any, radius: float, normal: Any, softness: float) -> None:
    """Every texel holds formula * clamp(dot(surface normal, normal) / softness, 0, 1); both in the world."""
    found = texels(mesh, len(mask))
    # Of triangles without an area, as at a pole, there is no normal; near edges, the gutter may be right.
    found = found[(found.margin > HAIR) & (mesh.areas[found.triangle] > 0.0)]
    surface = found.at(mesh.normals)
    facing = surface @ (np.array(normal) / np.linalg.norm(normal)) / np.linalg.norm(surface, axis=1)
    # At a step, either side of it is right where the surface turns from one to the other.
    decided = np.abs(facing) > (1e-4 if softness == 0.0 else -1.0)
    share = np.clip(facing / softness, 0.0, 1.0) if softness else (facing > 0.0).astype(np.float64)
    distance = np.linalg.norm(found.at(mesh.points) - np.array(point), axis=1)
    expected = mask_formula(distance, radius, 0.1) * share
    off = np.abs(mask[found.row, found.column] - expected)[decided]
    assert decided.sum() > 0.99 * len(decided)
    assert off.max() <= 2 / 255
    assert (share[decided] == 0.0).sum() > 1000
    assert (expected[decided] > 0.3).sum() > 1000


@pytest.mark.profiles
@pytest.mark.parametrize("laid_out", [True, False])
@pytest.mark.parametrize("softness", [0.0, 0.25, 1.0])
def test_the_edge_is_as_soft_as_the_config_says(
    base: Any, scene: NodePath, softness: float, laid_out: bool
) -> None:
    """On a sphere, hit in the middle, where the formula alone would mark it all around."""
    ball = sphere(laid_out)
    ball.reparent_to(scene)
    ball.set_tag("rtstamp-resolution", TEXELS)
    normal = (3.0, -4.0, 1.0)
    with stamps_on(base, facing_softness=softness, **UNWRAPPING) as stamps:
        assert stamps.hit(ball, (0, 0, 0), radius=2.0, normal=normal) is not None
        mask, mesh = mask_of(base, stamps, ball), mesh_of(ball)
    check_facing(mesh, mask, (0, 0, 0), 2.0, normal, softness)


# Whose space the normal is in.

SCALES = [(1.0, 1.0, 1.0), (1.0, 3.0, 0.5), (-1.0, 2.0, 1.0)]


@pytest.mark.parametrize("scale", SCALES)
def test_surface_normals_under_a_turned_and_stretched_node(
    base: Any, scene: NodePath, scale: tuple[float, float, float]
) -> None:
    """The normal is given in the world; the surface's come there by the inverse transpose."""
    ball = sphere(laid_out := True)
    assert laid_out
    ball.reparent_to(scene)
    ball.set_tag("rtstamp-resolution", TEXELS)
    ball.set_pos_hpr_scale((3.0, -2.0, 1.0), (20.0, 30.0, 40.0), scale)
    normal = (1.0, -2.0, 0.5)
    with stamps_on(base) as stamps:
        assert stamps.hit(ball, (3, -2, 1), radius=6.0, normal=normal) is not None
        mask, mesh = mask_of(base, stamps, ball), mesh_of(ball)
    check_facing(mesh, mask, (3, -2, 1), 6.0, normal, 0.25)


@pytest.mark.parametrize("scale", [*SCALES, (1.0, 1.0, 10.0)])
def test_a_normal_in_the_nodes_space_stays_the_surfaces(
    base: Any, scene: NodePath, scale: tuple[float, float, float]
) -> None:
    """A slanted sheet, hit along its own normal: wholly marked, however it is stretched."""
    corners = np.array([(-1.0, -1.0, -1.0), (1.0, -1.0, -1.0), (1.0, 1.0, 1.0), (-1.0, 1.0, 1.0)])
    uvs = np.array([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)])
    normal = np.array((0.0, -1.0, 1.0)) / np.sqrt(2.0)
    columns = {"vertex": corners, "normal": np.tile(normal, (4, 1)), "texcoord": uvs}
    sheet = make_node("slanted", make_geom(columns, quads(1)))
    sheet.reparent_to(scene)
    sheet.set_tag("rtstamp-resolution", TEXELS)
    sheet.set_pos_hpr_scale((1.0, 2.0, 3.0), (70.0, -20.0, 10.0), scale)
    with stamps_on(base, facing_softness=1.0) as stamps:
        assert stamps.hit(sheet, (0, 0, 0), other=sheet, radius=5.0, normal=5 * normal) is not None
        mask, mesh = mask_of(base, stamps, sheet), mesh_of(sheet)
    found = texels(mesh, len(mask))
    expected = mask_formula(np.linalg.norm(found.at(mesh.points) - (1, 2, 3), axis=1), 5.0, 0.1)
    assert np.abs(mask[found.row, found.column] - expected).max() <= 2 / 255


def test_a_normal_in_another_nodes_space(base: Any, scene: NodePath) -> None:
    gun = scene.attach_new_node("gun")
    gun.set_hpr(90.0, 0.0, 0.0)
    gun.set_pos(0.0, -3.0, 0.0)
    slab = make_slab(scene)
    with stamps_on(base, **UNWRAPPING) as stamps:
        point, normal = gun.get_relative_point(scene, FRONT), gun.get_relative_vector(scene, TOWARDS_US)
        assert stamps.hit(slab, point, other=gun, radius=RADIUS, normal=normal) is not None
        check_front_alone(mesh_of(slab), mask_of(base, stamps, slab))


def test_hits_of_one_frame_each_have_their_own_normal(base: Any, scene: NodePath) -> None:
    """Apart from each other, one from each side, and one from nowhere in particular."""
    slab = make_slab(scene)
    hits = [((-1.2, -0.05, 0), (0, -1, 0)), ((0, 0.05, 0), (0, 1, 0)), ((1.2, -0.05, 0), None)]
    with stamps_on(base, **UNWRAPPING) as stamps:
        for point, normal in hits:
            assert stamps.hit(slab, point, radius=RADIUS, normal=normal) is not None
        mask, mesh = mask_of(base, stamps, slab), mesh_of(slab)
        assert stamps.capture_count == 1
    found = texels(mesh, len(mask))
    found = found[found.margin > HAIR]
    places = found.at(mesh.points)
    expected = np.zeros(len(places))
    for point, normal in hits:
        facing = np.ones(len(places)) if normal is None else found.at(mesh.normals) @ np.array(normal)
        distance = np.linalg.norm(places - point, axis=1)
        expected = np.maximum(expected, mask_formula(distance, RADIUS, 0.1) * np.clip(facing / 0.25, 0, 1))
    assert np.abs(mask[found.row, found.column] - expected).max() <= 2 / 255


# Animated models.


@pytest.mark.profiles
def test_an_actor_hit_with_a_normal_however_it_is_skinned(base: Any, scene: NodePath) -> None:
    """The mark is on the side that is turned towards the shot in the pose of that frame."""
    images = {}
    for skinning in ("software", "hardware"):
        bear = Actor("models/panda-model", {"walk": "models/panda-walk4"})
        bear.reparent_to(scene)
        bear.set_scale(0.004)
        bear.set_tag("rtstamp-resolution", TEXELS)
        attrib = ShaderAttrib.make(glsl(SKINNED_VERTEX, PLAIN_FRAGMENT))
        bear.set_attrib(attrib.set_flag(ShaderAttrib.F_hardware_skinning, skinning == "hardware"))
        bear.pose("walk", 9)
        bear.update(force=True)
        screenshot(base)
        corners = world_triangles(bear)
        leftmost = corners[np.argmin(corners.mean(axis=1)[:, 0])].mean(axis=0)
        with stamps_on(base, **UNWRAPPING) as stamps:
            assert stamps.hit(bear, tuple(leftmost), radius=0.8, normal=(-1, 0, 0)) is not None
            mask, mesh = mask_of(base, stamps, bear), mesh_of(bear)
            if skinning == "software":
                check_some_facing(mesh, mask, leftmost)
            images[skinning] = mask
        bear.cleanup()
        bear.remove_node()
    compare_images(images["hardware"], images["software"], 1 / 255, "skinned-facing")


def check_some_facing(mesh: Mesh, mask: Floats, point: Floats) -> None:
    """What lies within the radius and faces left is marked; what faces right is not."""
    found = texels(mesh, len(mask))
    found = found[found.margin > HAIR]
    distance = np.linalg.norm(found.at(mesh.points) - point, axis=1)
    facing = -found.at(mesh.normals)[:, 0]
    got = mask[found.row, found.column]
    towards, away = (distance < 0.4) & (facing > 0.3), facing < -0.01
    assert towards.sum() > 100
    assert (away & (distance < 0.7)).sum() > 100
    assert got[towards].min() > 0.4
    assert got[away].max() == 0.0


# What a game hands in.


@pytest.mark.parametrize(
    "normal", [(0, 0, 0), (np.nan, 0, 1), (np.inf, 0, 0), (1, 0), (1, 0, 0, 0), 5, "up", (1, "x", 0)]
)
def test_a_normal_that_is_none(base: Any, scene: NodePath, normal: Any) -> None:
    slab = make_slab(scene)
    with stamps_on(base, **UNWRAPPING) as stamps:
        with pytest.raises(ConfigError) as caught:
            stamps.hit(slab, FRONT, normal=normal)
        assert "normal" in str(caught.value)
        assert "three numbers" in str(caught.value)
        assert repr(normal) in str(caught.value)
        assert stamps.active_count == 0


@contextmanager
def collision_entry(base: Any, slab: NodePath) -> Iterator[Any]:
    """What a ray from the front reports, against the slab's own triangles."""
    ray = CollisionNode("ray")
    ray.add_solid(CollisionRay((0.0, -5.0, 0.0), (0.0, 1.0, 0.0)))
    ray.set_from_collide_mask(GeomNode.get_default_collide_mask())
    ray.set_into_collide_mask(0)
    path = slab.get_parent().attach_new_node(ray)
    queue, traverser = CollisionHandlerQueue(), CollisionTraverser()
    traverser.add_collider(path, queue)
    traverser.traverse(slab.get_parent())
    queue.sort_entries()
    yield queue.get_entry(0)
    path.remove_node()


@contextmanager
def bullet_entry(base: Any, slab: NodePath) -> Iterator[Any]:
    """The same by Bullet: the slab hangs below its body meanwhile."""
    world = BulletWorld()
    mesh = BulletTriangleMesh()
    geoms = slab.node()
    assert isinstance(geoms, GeomNode)
    mesh.add_geom(geoms.get_geom(0))
    body = BulletRigidBodyNode("body")
    body.add_shape(BulletTriangleMeshShape(mesh, dynamic=False))
    path = slab.get_parent().attach_new_node(body)
    world.attach(body)
    slab.reparent_to(path)
    path.set_tag("rtstamp", "")
    yield world.ray_test_closest(Point3(0, -5, 0), Point3(0, 5, 0))
    world.remove(body)


@pytest.mark.parametrize("engine", [collision_entry, bullet_entry])
@pytest.mark.parametrize("facing", [True, False])
def test_the_normal_of_an_entry(base: Any, scene: NodePath, engine: Any, facing: bool) -> None:
    slab = make_slab(scene)
    slab.set_tag("rtstamp", "")
    with stamps_on(base, **UNWRAPPING) as stamps, engine(base, slab) as entry:
        binding = stamps.hit_entry(entry, radius=RADIUS, facing=facing)
        assert binding is not None
        step(base)
        image = stamps.image(binding.node)
        assert image is not None
        mask, mesh = image[..., 3].astype(np.float64), mesh_of(slab)
    if facing:
        check_front_alone(mesh, mask)
    else:
        assert mark_area(mesh, mask)[face(mesh, 0.05)].sum() > 0.1
