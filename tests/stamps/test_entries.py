"""Hits by what was hit: collision entries and Bullet's rays, on what is tagged `rtstamp` and nothing else."""

from typing import Any

import numpy as np
import pytest
from panda3d.bullet import (
    BulletBoxShape,
    BulletGhostNode,
    BulletRigidBodyNode,
    BulletSphereShape,
    BulletWorld,
)
from panda3d.core import (
    BitMask32,
    CollisionBox,
    CollisionEntry,
    CollisionHandlerQueue,
    CollisionNode,
    CollisionRay,
    CollisionSphere,
    CollisionTraverser,
    GeomNode,
    NodePath,
    Point3,
    TransformState,
    Vec3,
)

from panda_rtstamp import ConfigError, StampSystem
from stamp_support import Floats, hit_middle, image_of, mask_formula, small_card, system
from support import step

AHEAD = Vec3(0.0, 1.0, 0.0)


def centre_of_mark(stamps: StampSystem, node: NodePath) -> Floats:
    """Where on a small card the middle of its mark is, in units from its own middle."""
    mask = image_of(stamps, node)[..., 3]
    across = ((np.arange(64) + 0.5) / 64 - 0.5) * 2.0
    sums = [float((mask.sum(axis=axis) * across).sum()) for axis in (0, 1)]
    return np.array(sums, np.float64) / float(mask.sum())


def ray_hits(
    scene: NodePath, x: float = 0.0, z: float = 0.0, mask: BitMask32 | None = None
) -> list[CollisionEntry]:
    """What a ray straight ahead hits, nearest first: collision solids, or visible geometry by its mask."""
    node = CollisionNode("gun")
    node.add_solid(CollisionRay(Point3(x, 0.0, z), AHEAD))
    node.set_from_collide_mask(mask or BitMask32.bit(1))
    node.set_into_collide_mask(BitMask32.all_off())
    gun = scene.attach_new_node(node)
    traverser, queue = CollisionTraverser(), CollisionHandlerQueue()
    traverser.add_collider(gun, queue)
    traverser.traverse(scene)
    queue.sort_entries()
    gun.remove_node()
    return list(queue.get_entries())


def solid_below(node: NodePath, solid: Any = None) -> NodePath:
    """A collision node below a model, that the ray hits."""
    collision = CollisionNode("solid")
    collision.add_solid(solid or CollisionBox(Point3(0.0), 1.0, 0.1, 1.0))
    collision.set_into_collide_mask(BitMask32.bit(1))
    return node.attach_new_node(collision)


# Collision entries.


def test_an_entry_marks_the_tagged_node_where_it_was_hit(base: Any, scene: NodePath) -> None:
    card = small_card(scene)
    card.set_tag("rtstamp", "")
    solid_below(card)
    (entry,) = ray_hits(scene, 0.25, -0.5)
    with system(base, auto_fade=False, format="rgba16f") as stamps:
        binding = stamps.hit_entry(entry, radius=0.25)
        assert binding is not None
        assert binding.node == card
        step(base)
        # The box is 0.1 thick: the mark lies 0.1 before the card.
        across = ((np.arange(64) + 0.5) / 64 - 0.5) * 2.0
        x, z = np.meshgrid(across, across)
        distance = np.sqrt((x - 0.25) ** 2 + (z + 0.5) ** 2 + 0.1**2)
        difference = np.abs(image_of(stamps, card)[..., 3] - mask_formula(distance, 0.25, 0.1))
        assert difference.max() <= 2e-3


@pytest.mark.parametrize("value", ["", "1", "0", "whatever"])
def test_the_tag_may_have_any_value(base: Any, scene: NodePath, value: str) -> None:
    card = small_card(scene)
    card.set_tag("rtstamp", value)
    solid_below(card)
    with system(base) as stamps:
        assert stamps.hit_entry(ray_hits(scene)[0]) is not None


def test_what_has_no_tag_is_ignored(base: Any, scene: NodePath) -> None:
    card = small_card(scene)
    solid_below(card)
    (entry,) = ray_hits(scene)
    with system(base) as stamps:
        assert stamps.hit_entry(entry) is None
        step(base)
        assert (stamps.active_count, stamps.capture_count) == (0, 0)


@pytest.mark.parametrize(
    ("tagged", "marked"),
    [(("model",), "model"), (("rig",), "rig"), (("rig", "model"), "model"), (("solid",), None), ((), None)],
)
def test_the_nearest_tagged_ancestor_is_marked(
    base: Any, scene: NodePath, tagged: tuple[str, ...], marked: str | None, notify: Any
) -> None:
    """A tag on the collision node itself leads to a node without geometry: one warning, no mark."""
    notify.allow("has no geometry to mark|cannot be marked")
    rig = scene.attach_new_node("rig")
    model = small_card(rig, "model")
    found = {"rig": rig, "model": model, "solid": solid_below(model.attach_new_node("joint"))}
    for name in tagged:
        found[name].set_tag("rtstamp", "")
    rig.set_tag("rtstamp-resolution", "64")
    (entry,) = ray_hits(scene)
    with system(base) as stamps:
        binding = stamps.hit_entry(entry)
        assert (None if binding is None else binding.node.get_name()) == marked


def test_points_go_through_transforms(base: Any, scene: NodePath) -> None:
    """The entry's own space is what counts, however the model is turned."""
    rig = scene.attach_new_node("rig")
    rig.set_pos_hpr_scale((3.0, 20.0, 1.0), (0.0, 0.0, 90.0), (2.0, 2.0, 2.0))
    card = small_card(rig)
    card.set_pos(0.0, 0.0, 0.0)
    card.set_tag("rtstamp", "")
    solid_below(card, CollisionBox(Point3(0.0), 1.0, 0.001, 1.0))
    # (4, 1) in the world is half a unit above the card's middle in X, and turned by a quarter: in its -Z.
    (entry,) = ray_hits(scene, 4.0, 1.0)
    point = entry.get_surface_point(card)
    with system(base, auto_fade=False) as stamps:
        assert stamps.hit_entry(entry, radius=0.5) is not None
        step(base)
        assert np.allclose(centre_of_mark(stamps, card), [point.x, point.z], atol=0.02)
        assert abs(abs(point.z) - 0.5) < 1e-4
        assert abs(point.x) < 1e-4


def test_options_are_those_of_a_hit(base: Any, scene: NodePath) -> None:
    card = small_card(scene)
    card.set_tag("rtstamp", "")
    solid_below(card, CollisionBox(Point3(0.0), 1.0, 0.001, 1.0))
    (entry,) = ray_hits(scene)
    with system(base, auto_fade=False, format="rgba16f") as stamps:
        stamps.hit_entry(entry, radius=0.5, opacity=0.5, hardness=1.0, color=(1.0, 0.5, 0.0))
        step(base)
        assert np.allclose(image_of(stamps, card)[32, 32], [0.5, 0.25, 0.0, 0.5], atol=2e-3)


def test_visible_geometry(base: Any, scene: NodePath) -> None:
    """Rays that collide with triangles: the tag may be on the model or above it."""
    mask = GeomNode.get_default_collide_mask()
    rig = scene.attach_new_node("rig")
    card = small_card(rig)
    with system(base) as stamps:
        (entry,) = ray_hits(scene, 0.5, 0.25, mask)
        assert stamps.hit_entry(entry) is None
        rig.set_tag("rtstamp", "")
        binding = stamps.hit_entry(entry)
        assert binding is not None
        assert binding.node == rig
        card.set_tag("rtstamp", "")
        # The rig's marks cover the card by now.
        assert stamps.hit_entry(entry) is binding


def test_overlays_are_not_hit(base: Any, scene: NodePath) -> None:
    mask = GeomNode.get_default_collide_mask()
    card = small_card(scene)
    card.set_tag("rtstamp", "")
    with system(base, auto_fade=False) as stamps:
        hit_middle(stamps, card)
        step(base)
        assert card.get_num_children() == 1
        entries = ray_hits(scene, 0.5, 0.25, mask)
        assert [entry.get_into_node_path() for entry in entries] == [card]


def test_an_overlay_is_its_parent(base: Any, scene: NodePath) -> None:
    """A user may give a model a collide mask with all that is below it, our overlay too."""
    mask = BitMask32.bit(3)
    card = small_card(scene)
    card.set_tag("rtstamp", "")
    with system(base, auto_fade=False) as stamps:
        binding = hit_middle(stamps, card)
        step(base)
        overlay = card.get_child(0)
        overlay.set_collide_mask(mask)
        (entry,) = ray_hits(scene, 0.5, 0.25, mask)
        assert entry.get_into_node_path() == overlay
        assert stamps.hit_entry(entry) is binding
        assert stamps.hit(overlay, (0.0, 20.0, 0.0)) is binding
        assert stamps.binding(overlay) is binding
        step(base)
        assert stamps.active_count == 1
        # A tag of its own would make it a node of its own.
        overlay.set_tag("rtstamp", "")
        assert stamps.hit_entry(entry) is binding


def test_a_sphere_that_touches(base: Any, scene: NodePath) -> None:
    card = small_card(scene)
    card.set_tag("rtstamp", "")
    solid_below(card, CollisionSphere(0.0, 0.0, 0.0, 1.0))
    node = CollisionNode("ball")
    node.add_solid(CollisionSphere(0.0, 18.5, 0.0, 0.6))
    node.set_from_collide_mask(BitMask32.bit(1))
    ball = scene.attach_new_node(node)
    traverser, queue = CollisionTraverser(), CollisionHandlerQueue()
    traverser.add_collider(ball, queue)
    traverser.traverse(scene)
    with system(base) as stamps:
        binding = stamps.hit_entry(queue.get_entry(0), radius=2.0)
        assert binding is not None
        step(base)
        assert image_of(stamps, card)[32, 32, 3] > 0.5


def test_an_entry_whose_node_is_gone(base: Any, scene: NodePath) -> None:
    """The entry itself holds what it hit, which no longer hangs in the scene."""
    card = small_card(scene)
    card.set_tag("rtstamp", "")
    solid_below(card)
    entries = ray_hits(scene)
    card.remove_node()
    with system(base) as stamps:
        stamps.hit_entry(entries[0])
        entries.clear()
        step(base, 8)
        assert stamps.active_count == 0


@pytest.mark.parametrize("entry", [None, 5, "entry", (0.0, 0.0, 0.0), [], NodePath("node")], ids=repr)
def test_what_is_no_entry(base: Any, entry: Any) -> None:
    with (
        system(base) as stamps,
        pytest.raises(ConfigError, match=r"^entry must be a CollisionEntry"),
    ):
        stamps.hit_entry(entry)


@pytest.mark.parametrize("tagged", [False, True])
@pytest.mark.parametrize(
    "options", [{"radius": -1.0}, {"opacity": 2.0}, {"hardness": "1"}, {"color": "red"}], ids=str
)
def test_wrong_options_are_refused_whatever_was_hit(
    base: Any, scene: NodePath, tagged: bool, options: dict[str, Any]
) -> None:
    card = small_card(scene)
    if tagged:
        card.set_tag("rtstamp", "")
    solid_below(card)
    (entry,) = ray_hits(scene)
    with system(base) as stamps:
        with pytest.raises(ConfigError, match=f"^{next(iter(options))} must be "):
            stamps.hit_entry(entry, **options)
        assert stamps.active_count == 0


# Bullet.


class World:
    """A Bullet world with tagged cards on bodies at y = 20, 40 and so on."""

    def __init__(self, scene: NodePath, count: int) -> None:
        self.bullet = BulletWorld()
        self.cards = [self._body(scene, index) for index in range(count)]

    def _body(self, scene: NodePath, index: int) -> NodePath:
        node = BulletRigidBodyNode(f"body-{index}")
        node.add_shape(BulletBoxShape(Vec3(1.0, 0.01, 1.0)))
        body = scene.attach_new_node(node)
        body.set_y(20.0 * (index + 1))
        body.set_tag("rtstamp", "")
        body.set_tag("rtstamp-resolution", "64")
        card = small_card(body, f"card-{index}")
        card.set_pos(0.0, 0.0, 0.0)
        self.bullet.attach(node)
        return body

    def closest(self, x: float = 0.0, z: float = 0.0) -> Any:
        """The first thing on a line straight ahead."""
        return self.bullet.ray_test_closest(Point3(x, 0.0, z), Point3(x, 1000.0, z), BitMask32.all_on())

    def all(self, x: float = 0.0, z: float = 0.0) -> Any:
        """All things on it."""
        return self.bullet.ray_test_all(Point3(x, 0.0, z), Point3(x, 1000.0, z), BitMask32.all_on())


def test_bullets_closest_hit(base: Any, scene: NodePath) -> None:
    world = World(scene, 2)
    with system(base, auto_fade=False) as stamps:
        binding = stamps.hit_entry(world.closest(0.25, -0.5), radius=0.25)
        assert binding is not None
        assert binding.node == world.cards[0]
        step(base)
        assert stamps.active_count == 1
        assert np.allclose(centre_of_mark(stamps, world.cards[0]), [0.25, -0.5], atol=0.02)


def test_all_hits_of_bullet(base: Any, scene: NodePath) -> None:
    """All are marked, and the first one's marks are returned."""
    world = World(scene, 3)
    with system(base, auto_fade=False) as stamps:
        binding = stamps.hit_entry(world.all(-0.5, 0.25), radius=0.25)
        assert binding is not None
        assert binding.node == world.cards[0]
        assert [made.node for made in stamps.bindings] == world.cards
        step(base)
        for card in world.cards:
            assert np.allclose(centre_of_mark(stamps, card), [-0.5, 0.25], atol=0.02)


def test_bullets_nearest_tagged_one_is_returned(base: Any, scene: NodePath) -> None:
    world = World(scene, 3)
    world.cards[0].clear_tag("rtstamp")
    with system(base) as stamps:
        assert stamps.hit_entry(world.closest()) is None
        binding = stamps.hit_entry(world.all())
        assert binding is not None
        assert binding.node == world.cards[1]
        assert [made.node for made in stamps.bindings] == world.cards[1:]


def test_a_ray_that_hits_nothing(base: Any, scene: NodePath) -> None:
    world = World(scene, 1)
    with system(base) as stamps:
        assert stamps.hit_entry(world.closest(50.0)) is None
        assert stamps.hit_entry(world.all(50.0)) is None
        assert stamps.active_count == 0


def test_bullets_tag_on_an_ancestor(base: Any, scene: NodePath) -> None:
    rig = scene.attach_new_node("rig")
    world = World(rig, 1)
    world.cards[0].clear_tag("rtstamp")
    rig.set_tag("rtstamp", "")
    with system(base) as stamps:
        binding = stamps.hit_entry(world.closest())
        assert binding is not None
        assert binding.node == rig


def test_bullets_ghosts_without_geometry(base: Any, scene: NodePath) -> None:
    """Triggers are hit by rays too: no tag, no mark."""
    ghost = BulletGhostNode("trigger")
    ghost.add_shape(BulletSphereShape(2.0))
    scene.attach_new_node(ghost).set_y(10.0)
    world = World(scene, 1)
    world.bullet.attach(ghost)
    with system(base) as stamps:
        binding = stamps.hit_entry(world.all())
        assert binding is not None
        assert binding.node == world.cards[0]


def test_a_sweep_is_as_good_as_a_ray(base: Any, scene: NodePath) -> None:
    world = World(scene, 1)
    start, end = (TransformState.make_pos(Point3(0.25, y, 0.0)) for y in (0.0, 100.0))
    found = world.bullet.sweep_test_closest(BulletSphereShape(0.1), start, end, BitMask32.all_on(), 0.0)
    with system(base, auto_fade=False) as stamps:
        assert stamps.hit_entry(found, radius=0.25) is not None
        step(base)
        assert np.allclose(centre_of_mark(stamps, world.cards[0]), [0.25, 0.0], atol=0.02)
