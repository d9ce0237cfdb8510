"""Instances: each place of shared geometry has marks of its own, as a copy would have."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from panda3d.core import Filename, GeomNode, NodePath

from panda_rtstamp import StampSystem
from pictures import (
    Bytes,
    Floats,
    assert_same_scene,
    changed,
    look_from,
    plain_shader,
    rgb,
    snapshot,
    stamps_on,
    world_triangles,
)
from shapes import COOP
from stamp_support import what_is_held
from support import NotifyLog, compare_images, make_card, screenshot, step

MARK = (1.0, 0.0, 0.5)
OTHER = (0.1, 0.3, 1.0)
PLACES = (-2.2, 0.0, 2.2)
# Longer than anything waits for the frames in flight.
SETTLED = 12
# Good UVs; all faces on the same UVs; no UVs, and two nodes below one another.
SHARED = ("card", "models/box", "models/misc/rgbCube", "pair")


@contextmanager
def stamping(base: Any, **fields: Any) -> Iterator[StampSystem]:
    """A stamp system that makes atlases by itself, at once, and keeps none."""
    settings = {"unwrapper": "own", "unwrap_at_once": 1_000_000, "unwrap_cache": False, **fields}
    with stamps_on(base, **settings) as stamps:
        yield stamps


def make_shared(base: Any, kind: str) -> NodePath:
    """What is to stand in several places: about 2 units wide, lit by nobody."""
    if kind == "card":
        result = make_card(2.0, 2.0, "shared")
    elif kind == "pair":
        result = NodePath("shared")
        for name, z in (("low", -0.5), ("high", 0.5)):
            part = base.loader.load_model("models/box")
            part.reparent_to(result.attach_new_node(name))
            part.set_pos_hpr_scale((-0.5, -0.5, z - 0.45), (0, 0, 0), 0.9)
    else:
        result = base.loader.load_model(kind)
        result.set_scale(0.8)
    result.set_light_off()
    result.set_tag("rtstamp-resolution", "256")
    return result


def stand(base: Any, scene: NodePath, shared: NodePath, share: bool) -> list[NodePath]:
    """Put it into three places, as instances or as copies; the camera sees them all."""
    look_from(base, (0.5, -12.0, 3.0), (0, 0, 0.2))
    places = []
    for index, x in enumerate(PLACES):
        place = scene.attach_new_node(f"place-{index}")
        place.set_pos_hpr((x, 0, 0), (20 * index, 0, 0))
        places.append(shared.instance_to(place) if share else shared.copy_to(place))
    return places


def front(node: NodePath) -> Any:
    """A point at the front of what stands in a place, in the world."""
    points = world_triangles(node).reshape(-1, 3)
    return tuple(points[np.argmin(points[:, 1])] * 0.7 + points.mean(axis=0) * 0.3)


def hit(stamps: StampSystem, node: NodePath, color: Any = MARK) -> Any:
    """A mark at the front of one place."""
    binding = stamps.hit(node, front(node), radius=1.0, hardness=0.5, color=color)
    assert binding is not None
    return binding


# Several places.


@pytest.mark.parametrize("kind", SHARED)
def test_each_place_is_marked_as_a_copy_would_be(base: Any, scene: NodePath, kind: str) -> None:
    """One mark after the other, then one release after the other; the first place never is marked."""
    pictures: dict[bool, list[Bytes]] = {}
    for share in (False, True):
        shared = make_shared(base, kind)
        places = stand(base, scene, shared, share)
        found = [screenshot(base)]
        with stamping(base) as stamps:
            for place, color in ((places[1], MARK), (places[2], OTHER), (places[1], OTHER)):
                hit(stamps, place, color)
                found.append(screenshot(base))
            assert stamps.active_count == 2
            assert stamps.binding(places[0]) is None
            stamps.start_fade(places[1], 0.05)
            step(base, 5)
            assert stamps.active_count == 1
            found.append(screenshot(base))
        found.append(screenshot(base))
        pictures[share] = found
        for place in places:
            place.get_parent().remove_node()
    for number, (actual, expected) in enumerate(zip(pictures[True], pictures[False], strict=True)):
        compare_images(rgb(actual), rgb(expected), 1, f"instance-{kind.replace('/', '-')}-{number}")
    plain = pictures[True][0]
    for number in range(1, 5):
        assert changed(pictures[True][number], plain).sum() > 100
    assert pictures[True][-1].tobytes() == plain.tobytes()


@pytest.mark.parametrize("kind", SHARED)
def test_the_geometry_is_put_back_when_the_last_goes(base: Any, scene: NodePath, kind: str) -> None:
    places = stand(base, scene, make_shared(base, kind), True)
    before = snapshot(scene)
    with stamping(base) as stamps:
        for place in places:
            hit(stamps, place)
        step(base)
        for place in places:
            assert any(fact for fact in snapshot(scene) if fact not in before)
            stamps.start_fade(place, 0.02)
            step(base, 3)
        assert stamps.active_count == 0
        assert_same_scene(snapshot(scene), before)


def test_a_part_of_an_instance_that_moves(base: Any, scene: NodePath) -> None:
    """What turns below the shared node turns in all places, and takes the mark of each along."""
    pictures = []
    for share in (False, True):
        shared = make_shared(base, "pair")
        places = stand(base, scene, shared, share)
        with stamping(base) as stamps:
            for place in places[1:]:
                hit(stamps, place)
            step(base)
            for root in [shared] if share else places:
                root.find("low").set_h(40)
                root.find("high").set_z(0.4)
            pictures.append(screenshot(base))
        for place in places:
            place.get_parent().remove_node()
    compare_images(rgb(pictures[1]), rgb(pictures[0]), 1, "instance-moves")


def test_instances_of_instances(base: Any, scene: NodePath) -> None:
    """A wheel twice below a car, the car twice in the scene: four wheels."""
    base.win.set_clear_color((0, 0, 0, 1))
    wheel = make_shared(base, "models/misc/rgbCube")
    wheel.set_scale(0.4)
    car = NodePath("car")
    for x in (-0.6, 0.6):
        wheel.instance_to(car.attach_new_node(f"axle {x}")).get_parent().set_x(x)
    wheels = []
    for x in (-1.5, 1.5):
        place = scene.attach_new_node("place")
        place.set_x(x)
        wheels += list(car.instance_to(place).find_all_matches("**/rgbCube*"))
    assert len(wheels) == 4
    look_from(base, (0.0, -9.0, 2.0))
    plain = screenshot(base)
    regions = []
    with stamping(base) as stamps:
        for one in wheels:
            hit(stamps, one)
            regions.append(changed(screenshot(base), plain))
            stamps.clear_all()
        for one in wheels:
            hit(stamps, one)
        assert stamps.active_count == 4
        everything = changed(screenshot(base), plain)
    assert all(region.sum() > 100 for region in regions)
    # Each was marked in its own place, and no two in the same.
    assert np.sum(regions, axis=0).max() == 1
    assert np.array_equal(everything, np.any(regions, axis=0))


def test_a_hit_above_the_instances_marks_them_all(base: Any, scene: NodePath, notify: NotifyLog) -> None:
    """They are one surface to it: what is shared is marked in all places, which is said once."""
    notify.allow("drawn in several places")
    places = stand(base, scene, make_shared(base, "card"), True)
    plain = screenshot(base)
    with stamping(base) as stamps:
        assert stamps.hit(scene, front(places[0]), radius=50.0, color=MARK, hardness=1.0) is not None
        marked = screenshot(base)
        assert stamps.hit(scene, front(places[1])) is not None
    there = changed(marked, plain)
    assert there.sum() > 3000
    assert (np.abs(rgb(marked)[there] - 255 * np.array(MARK)) <= 2.01).all()
    assert notify.text.count("drawn in several places") == 1


# One geometry cannot be laid out in two ways.


def test_two_layouts_of_one_geometry(base: Any, scene: NodePath, notify: NotifyLog) -> None:
    """A part alone is marked in one place; all of it in another needs another layout of that part."""
    notify.allow("shares geometry with another instance")
    shared = NodePath("shared")
    for name in ("left", "right"):
        make_card(1.0, 1.0, name).reparent_to(shared)
    places = stand(base, scene, shared, True)
    part = places[0].find("**/left")
    before = snapshot(scene)
    with stamping(base) as stamps:
        assert stamps.hit(part, front(part), color=MARK) is not None
        step(base)
        marked, meanwhile = screenshot(base), snapshot(scene)
        held = what_is_held(base)
        for _ in range(3):
            assert stamps.hit(places[1], front(places[1])) is None
        assert screenshot(base).tobytes() == marked.tobytes()
        assert_same_scene(snapshot(scene), meanwhile)
        assert what_is_held(base) == held
        assert stamps.active_count == 1
        said = [line for line in notify.text.splitlines() if "shares geometry" in line]
        assert len(said) == 1
        assert str(places[1]) in said[0]
        # Once the other is gone, nothing stands against it.
        stamps.clear_all()
        assert stamps.hit(places[1], front(places[1])) is not None
        stamps.clear_all()
        assert_same_scene(snapshot(scene), before)


# An island of 523 paths to 20 GeomNodes, with coordinates of 1.3e7.


def test_three_trees_of_an_island(base: Any, scene: NodePath) -> None:
    file = Filename.from_os_specific(str(COOP / "scenes" / "volcano_island.bam"))
    island = base.loader.load_model(file)
    island.reparent_to(scene)
    island.set_light_off(1)
    trees = [path for path in island.find_all_matches("**/+GeomNode") if path.node().get_num_parents() == 135]
    chosen = [trees[3], trees[40], trees[100]]
    geoms = trees[0].node()
    assert isinstance(geoms, GeomNode)
    originals = [geoms.get_geom(index) for index in range(geoms.get_num_geoms())]
    _, size = middle_of(chosen[0])
    with stamping(base) as stamps:
        pictures = [portrait(base, tree) for tree in chosen]
        for number, tree in enumerate(chosen):
            local = tree.get_relative_point(base.render, tuple(middle_of(tree)[0]))
            assert stamps.hit(tree, local, other=tree, radius=size, color=MARK, hardness=1.0) is not None
            step(base)
            for index, other in enumerate(chosen):
                differs = changed(portrait(base, other), pictures[index]).sum()
                assert differs > 500 if index <= number else differs == 0
        assert stamps.active_count == 3
        for number, tree in enumerate(chosen):
            stamps.start_fade(tree, 0.02)
            step(base, 4)
            for index, other in enumerate(chosen):
                differs = changed(portrait(base, other), pictures[index]).sum()
                assert differs > 500 if index > number else differs == 0
        assert stamps.active_count == 0
        for index, original in enumerate(originals):
            assert geoms.get_geom(index) == original


def middle_of(path: NodePath) -> tuple[Floats, float]:
    """The middle and size of one instance, in the world."""
    points = world_triangles(path).reshape(-1, 3)
    low, high = points.min(axis=0), points.max(axis=0)
    return (low + high) / 2, float(np.linalg.norm(high - low))


def portrait(base: Any, path: NodePath) -> Bytes:
    """A picture of one instance."""
    center, size = middle_of(path)
    look_from(base, center + (size, -size, size), center)
    return screenshot(base)


# Shaders are part of what instances share.


def shaded(base: Any, scene: NodePath) -> list[NodePath]:
    """Three places of a card that has a shader of its own."""
    shared = make_shared(base, "card")
    shared.set_shader(plain_shader())
    shared.set_texture(base.loader.load_texture("maps/color-grid.rgb"))
    return stand(base, scene, shared, True)


@pytest.mark.parametrize("above", [False, True])
def test_a_wrapped_shader_that_is_shared(base: Any, scene: NodePath, above: bool) -> None:
    """The mark is in its own place alone, whether the instance is hit or the node above it."""
    places = shaded(base, scene)
    node = places[1].get_parent() if above else places[1]
    node.set_tag("rtstamp-resolution", "256")
    plain, before = screenshot(base), snapshot(scene)
    with stamping(base, display="wrap") as stamps:
        hit(stamps, node)
        differs = changed(screenshot(base), plain)
        stamps.clear_all()
        assert_same_scene(snapshot(scene), before)
    places[1].get_parent().hide()
    there = changed(plain, screenshot(base))
    assert differs.sum() > 100
    assert not differs[~there].any()


def test_inputs_of_a_shader_that_is_shared(base: Any, scene: NodePath, notify: NotifyLog) -> None:
    """They reach all places, so one alone cannot be marked; but a node above what is shared can."""
    notify.allow("is one of several instances")
    places = shaded(base, scene)
    plain, before = screenshot(base), snapshot(scene)
    with stamping(base, display="shader") as stamps:
        for _ in range(2):
            assert stamps.hit(places[1], front(places[1]), color=MARK) is None
        assert screenshot(base).tobytes() == plain.tobytes()
        assert_same_scene(snapshot(scene), before)
        assert stamps.hit(places[1].get_parent(), front(places[1]), color=MARK) is not None
    said = [line for line in notify.text.splitlines() if "is one of several instances" in line]
    assert len(said) == 1
    assert str(places[1]) in said[0]
