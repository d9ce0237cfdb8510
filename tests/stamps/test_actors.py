"""Actors in the ways that games build them: of parts, as copies, flattened, with weapons in their hands."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from direct.actor.Actor import Actor
from panda3d.core import NodePath

from pictures import changed, rgb, see, stamps_on
from stamp_support import image_of
from support import compare_images, screenshot, step
from surfaces import Mesh, mesh_of
from walkers import SETTINGS, SKINNED, carried, check_mask, load, place, pose

MARK = (1.0, 0.0, 0.5)
BEAR = SKINNED["panda-model"]
FILES = dict(BEAR.files)


def bear(base: Any, scene: NodePath) -> Actor:
    """A bear in the middle of a step."""
    actor = load(base, scene, BEAR)
    pose(base, actor, BEAR, BEAR.frames[0])
    return actor


def skin_point(node: NodePath, share: float) -> Any:
    """A point on the skin; 0 the tail's end, 1 the nose's. It is that of a triangle of some size."""
    mesh = mesh_of(node, "texcoord")
    big = np.flatnonzero(mesh.areas > np.median(mesh.areas))
    middles = mesh.points[big].mean(axis=1)
    order = np.argsort(-middles[:, 1])
    return middles[order[int(share * (len(order) - 1))]]


def check_hit(base: Any, node: NodePath, share: float, radius: float = 0.5) -> None:
    """Mark a node in the pose it is in, and compare with the formula."""
    point = skin_point(node, share)
    with stamps_on(base, **SETTINGS) as stamps:
        assert stamps.hit(node, tuple(point), radius=radius) is not None
        step(base)
        check_mask(stamps, node, mesh_of(node), point, radius)


# Parts.


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_an_actor_of_two_parts(base: Any, scene: NodePath, share: float) -> None:
    """Two models below one actor, each in a pose of its own."""
    files: Any = {"first": BEAR.file, "second": BEAR.file}
    actor = Actor(files, dict.fromkeys(files, FILES))
    part = actor.get_part("second")
    assert part is not None
    part.set_x(300.0)
    place(base, scene, actor, BEAR.scale)
    actor.pose("walk", 3, partName="first")
    actor.pose("walk", 16, partName="second")
    actor.update(force=True)
    step(base)
    # Big enough to lie on both.
    check_hit(base, actor, share, radius=1.5)
    actor.cleanup()


def test_an_actor_of_subparts(base: Any, scene: NodePath) -> None:
    """One model, whose legs and body play different frames."""
    actor = Actor(BEAR.file, FILES)
    actor.make_subpart("back", ["Dummy_hips"])
    actor.make_subpart("front", ["Dummy_shoulders"])
    place(base, scene, actor, BEAR.scale)
    actor.pose("walk", 2, partName="back")
    actor.pose("walk", 14, partName="front")
    actor.update(force=True)
    step(base)
    for share in (0.1, 0.9):
        check_hit(base, actor, share)
    actor.cleanup()


def test_blended_animations(base: Any, scene: NodePath) -> None:
    """The pose is half one's, half the other's."""
    actor = Actor(BEAR.file, {"walk": FILES["walk"], "other": FILES["walk"]})
    place(base, scene, actor, BEAR.scale)
    actor.enable_blend()
    for name, frame in (("walk", 2), ("other", 15)):
        actor.set_control_effect(name, 0.5)
        actor.pose(name, frame)
    actor.update(force=True)
    step(base)
    check_hit(base, actor, 0.8)
    actor.cleanup()


# Flattened.

FLATTENINGS: dict[str, Callable[[NodePath], object]] = {
    "light": NodePath.flatten_light,
    "medium": NodePath.flatten_medium,
    "strong": NodePath.flatten_strong,
}


@pytest.mark.parametrize("strength", FLATTENINGS)
def test_an_actor_that_was_flattened(base: Any, scene: NodePath, strength: str) -> None:
    actor = bear(base, scene)
    FLATTENINGS[strength](actor)
    pose(base, actor, BEAR, BEAR.frames[1])
    check_hit(base, actor, 0.8)
    actor.cleanup()


@pytest.mark.parametrize("strength", FLATTENINGS)
def test_a_marked_actor_that_is_flattened(base: Any, scene: NodePath, strength: str) -> None:
    """The mark stays on the skin, and when it goes, nothing of it is left in any pose.

    Flattening may change a pose, by Panda's own doing: a twin without marks shows what is to be seen.
    """
    actor, twin = bear(base, scene), bear(base, scene)
    FLATTENINGS[strength](twin)
    plain = []
    for frame in BEAR.frames:
        pose(base, twin, BEAR, frame)
        actor.hide()
        plain.append(screenshot(base))
        actor.show()
    twin.hide()
    before = mesh_of(actor, "texcoord")
    point = skin_point(actor, 0.8)
    options: Any = {"radius": 0.6, "color": MARK, "hardness": 0.5}
    with stamps_on(base, **SETTINGS) as stamps:
        assert stamps.hit(actor, tuple(point), **options) is not None
        step(base)
        FLATTENINGS[strength](actor)
        for frame, picture in zip(BEAR.frames, plain, strict=True):
            pose(base, actor, BEAR, frame)
            check_skin(base, actor, before, point, picture)
        # And it may be hit again.
        assert stamps.hit(actor, tuple(skin_point(actor, 0.8)), **options) is not None
        assert (np.abs(rgb(screenshot(base)) - 255 * np.array(MARK)).max(axis=-1) <= 2.01).sum() > 50
        stamps.clear_all()
        for frame, picture in zip(BEAR.frames, plain, strict=True):
            pose(base, actor, BEAR, frame)
            compare_images(rgb(screenshot(base)), rgb(picture), 1, f"flatten-{strength}-after")
    for one in (actor, twin):
        one.cleanup()


def check_skin(base: Any, actor: Actor, before: Mesh, point: Any, plain: Any) -> None:
    """The skin that was within 0.3 of the point is marked in full, and what was beyond 0.6 is not marked."""
    seen = see(base, mesh_of(actor, "texcoord").points)
    struck = carried(seen.points[seen.hit], seen.triangle[seen.hit], seen.triangles, before.points)
    distance = np.full(seen.hit.shape, np.inf)
    distance[seen.hit] = np.linalg.norm(struck - point, axis=-1)
    picture = screenshot(base)
    # By a texel less, and more.
    full, off = distance < 0.28, distance > 0.62
    assert full.sum() > 100
    assert (np.abs(rgb(picture)[full] - 255 * np.array(MARK)) <= 2.01).all()
    assert (np.abs(rgb(picture).astype(int) - rgb(plain))[off] <= 1).all()


# Copies.


def test_a_copy_of_a_marked_actor(base: Any, scene: NodePath) -> None:
    """It plays by itself, and gets marks of its own."""
    actor = bear(base, scene)
    with stamps_on(base, **SETTINGS) as stamps:
        point = skin_point(actor, 0.8)
        assert stamps.hit(actor, tuple(point), radius=0.5) is not None
        step(base)
        before = image_of(stamps, actor)
        copy = Actor(other=actor)
        copy.reparent_to(scene)
        copy.set_x(actor, 600.0)
        copy.set_tag("rtstamp-resolution", "512")
        copy.pose("walk", 15)
        copy.update(force=True)
        step(base)
        assert stamps.binding(copy) is None
        spot = skin_point(copy, 0.3)
        assert stamps.hit(copy, tuple(spot), radius=0.5) is not None
        step(base)
        check_mask(stamps, copy, mesh_of(copy), spot, 0.5)
        assert np.array_equal(image_of(stamps, actor), before)
        assert stamps.active_count == 2
    for one in (actor, copy):
        one.cleanup()


def test_two_actors_of_one_model_do_not_share_marks(base: Any, scene: NodePath) -> None:
    first, second = bear(base, scene), bear(base, scene)
    pose(base, second, BEAR, BEAR.frames[1])
    second.set_x(first, 600.0)
    with stamps_on(base, **SETTINGS) as stamps:
        spots = [skin_point(one, share) for one, share in ((first, 0.8), (second, 0.2))]
        for one, spot in zip((first, second), spots, strict=True):
            assert stamps.hit(one, tuple(spot), radius=0.5) is not None
        step(base)
        for one, spot in zip((first, second), spots, strict=True):
            check_mask(stamps, one, mesh_of(one), spot, 0.5)
    for one in (first, second):
        one.cleanup()


# What hangs on joints.


def armed_bear(base: Any, scene: NodePath) -> tuple[Actor, NodePath]:
    """A bear with a box on one foot, and the box."""
    actor: Any = Actor(BEAR.file, FILES)
    joint = actor.expose_joint(None, "modelRoot", "Bone_rf_foot")
    shield = base.loader.load_model("models/misc/rgbCube")
    shield.reparent_to(joint)
    shield.set_scale(150.0)
    shield.set_hpr(60, 20, 0)
    place(base, scene, actor, BEAR.scale)
    pose(base, actor, BEAR, BEAR.frames[0])
    return actor, shield


def test_a_weapon_in_hand_is_marked_with_its_bearer(base: Any, scene: NodePath) -> None:
    """As one node, where the weapon is in this pose; and the mark stays on it in any other."""
    actor, shield = armed_bear(base, scene)
    point = mesh_of(shield, "texcoord").points[0].mean(axis=0)
    with stamps_on(base, **SETTINGS) as stamps:
        assert stamps.hit(actor, tuple(point), radius=0.9) is not None
        step(base)
        check_mask(stamps, actor, mesh_of(actor), point, 0.9)
        before = image_of(stamps, actor)
        pose(base, actor, BEAR, BEAR.frames[1])
        step(base, 2)
        assert np.array_equal(image_of(stamps, actor), before)
        assert stamps.capture_count == 1
    actor.cleanup()


def test_a_weapon_alone(base: Any, scene: NodePath) -> None:
    """The weapon is hit by itself, below an actor that is not marked, or is later."""
    actor, shield = armed_bear(base, scene)
    shield.set_tag("rtstamp-resolution", "512")
    plain = screenshot(base)
    with stamps_on(base, **SETTINGS) as stamps:
        # Its lowest triangle, which the foot does not hide.
        middles = mesh_of(shield, "texcoord").points.mean(axis=1)
        point = middles[np.argmin(middles[:, 2])]
        assert stamps.hit(shield, tuple(point), radius=0.4, color=MARK) is not None
        step(base)
        check_mask(stamps, shield, mesh_of(shield), point, 0.4)
        assert changed(screenshot(base), plain).sum() > 30
        spot = skin_point(actor, 0.4)
        assert stamps.hit(actor, tuple(spot), radius=0.4) is not None
        step(base)
        assert stamps.active_count == 2
        check_mask(stamps, shield, mesh_of(shield), point, 0.4)
    assert screenshot(base).tobytes() == plain.tobytes()
    actor.cleanup()
