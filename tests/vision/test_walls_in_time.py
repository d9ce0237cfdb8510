"""Walls in the course of frames: what is sliced again and when, and what is followed."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from direct.actor.Actor import Actor
from panda3d.core import NodePath

from panda_rtstamp.vision import walls as module
from panda_rtstamp.vision.walls import Walls
from support import make_card
from vision_support import Floats, crate, limits


def test_what_goes_straight_on_is_joined_once_but_not_in_each_frame(world: NodePath, walls: Walls) -> None:
    node = crate(world)
    walls.add(node)
    assert len(walls.at(1.0).ends) == 4
    walls.add(node, moving=True)
    # Each side is two triangles.
    assert len(walls.at(1.0).ends) == 8


def test_walls_that_do_not_move_are_sliced_once(
    world: NodePath, walls: Walls, slices: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    for x in range(20):
        walls.add(crate(world, x=5.0 * x))
    first = walls.at(1.0)
    assert len(slices) == 20
    assert walls.update()

    def follow(_: Any, __: Any) -> bool:
        raise AssertionError("a static wall was looked at")

    monkeypatch.setattr(module._Wall, "follow", follow)
    for _ in range(10):
        assert not walls.update()
        assert walls.at(1.0) is first
    assert len(slices) == 20
    # Another height once more, and then no more.
    for _ in range(3):
        walls.at(1.5)
        assert not walls.update()
    assert len(slices) == 40


def test_only_what_moved_is_sliced_again(world: NodePath, walls: Walls, slices: list[float]) -> None:
    nodes = [crate(world, x=5.0 * x) for x in range(6)]
    for number, node in enumerate(nodes):
        walls.add(node, moving=number >= 3)
    before = walls.at(1.0)
    walls.update()
    assert not walls.update()
    assert walls.at(1.0) is before
    slices.clear()
    nodes[4].set_y(3)
    nodes[0].set_y(3)  # That one is said not to move.
    assert walls.update()
    after = walls.at(1.0)
    assert len(slices) == 1
    assert after.version != before.version
    assert limits(walls) == [-1, -1, 26, 4]
    assert not walls.update()
    assert walls.at(1.0) is after


def test_ancestors_move_a_wall_too(world: NodePath, walls: Walls) -> None:
    ship = world.attach_new_node("ship")
    walls.add(crate(ship), moving=True)
    walls.at(1.0)
    walls.update()
    ship.set_y(3)
    assert walls.update()
    assert limits(walls) == [-1, 2, 1, 4]


def test_versions_change_with_the_ends_alone(world: NodePath, walls: Walls) -> None:
    low, tall = crate(world, height=0.5), crate(world, x=5)
    walls.add(low, moving=True)
    walls.add(tall, moving=True)
    at_low, at_tall = walls.at(0.4), walls.at(1.5)
    low.set_y(2)
    assert walls.update()
    assert walls.at(0.4).version != at_low.version
    # Up there, nothing changed.
    assert walls.at(1.5) is at_tall
    tall.set_y(2)
    tall.set_y(0)
    assert not walls.update()
    tall.set_y(2)
    walls.update()
    moved = walls.at(1.5)
    assert moved.version not in (at_low.version, at_tall.version)
    assert not np.array_equal(moved.ends, at_tall.ends)
    with pytest.raises(ValueError, match="read-only"):
        moved.ends[0] = 0


def test_a_wall_is_there_before_the_next_update(world: NodePath, walls: Walls) -> None:
    assert limits(walls) == []
    walls.add(crate(world))
    walls.add(crate(world, x=10), moving=True)
    assert limits(walls) == [-1, -1, 11, 1]
    assert walls.update()
    assert not walls.update()


def test_a_static_wall_is_read_when_it_first_is_in_the_world(world: NodePath, walls: Walls) -> None:
    node = crate(NodePath("elsewhere"))
    walls.add(node)
    walls.update()
    assert limits(walls) == []
    node.reparent_to(world)
    node.set_x(5)
    assert walls.update()
    assert limits(walls) == [4, -1, 6, 1]
    node.set_x(0)
    assert not walls.update()
    assert limits(walls) == [4, -1, 6, 1]


def test_a_moving_wall_is_followed_out_of_the_world_and_back(world: NodePath, walls: Walls) -> None:
    parent = world.attach_new_node("parent")
    node = crate(parent)
    walls.add(node, moving=True)
    there = [-1, -1, 1, 1]
    assert limits(walls) == there
    ways: list[tuple[Callable[[], object], Callable[[], object]]] = [
        (node.stash, node.unstash),
        (parent.stash, parent.unstash),
        (node.detach_node, lambda: node.reparent_to(parent)),
    ]
    for leave, come in ways:
        walls.update()
        leave()
        assert walls.update()
        assert limits(walls) == []
        assert not walls.update()
        come()
        assert walls.update()
        assert limits(walls) == there
    node.hide()
    assert not walls.update()
    assert limits(walls) == there


@pytest.mark.parametrize("scale", [(0, 0, 0), (0, 1, 1), (1, 0, 1)])
def test_a_wall_scaled_to_nothing_blocks_nothing(world: NodePath, walls: Walls, scale: Any) -> None:
    node = crate(world)
    walls.add(node, moving=True)
    assert limits(walls) == [-1, -1, 1, 1]
    node.set_scale(scale)
    assert walls.update()
    assert limits(walls) == []
    node.set_scale(1)
    assert walls.update()
    assert limits(walls) == [-1, -1, 1, 1]


def test_a_wall_without_a_finite_place_blocks_nothing(world: NodePath, walls: Walls) -> None:
    card = make_card(4, 4)
    card.reparent_to(world)
    walls.add(card, moving=True)
    card.set_scale(1, float("inf"), 1)
    assert walls.update()
    with np.errstate(all="raise"):
        assert limits(walls) == []
    card.set_scale(1)
    assert walls.update()
    assert limits(walls) == [-2, 0, 2, 0]


def test_the_pose_of_actors_is_followed(base: Any, scene: NodePath) -> None:
    walls = Walls(base.render)
    actor = Actor("models/panda-model", {"walk": "models/panda-walk4"})
    actor.reparent_to(scene)
    found: list[Floats] = []
    for frame in (0, 15, 0):
        actor.pose("walk", frame)
        actor.update(force=True)
        if frame == 0 and not found:
            walls.add(actor, moving=True)
            walls.at(150.0)
        assert walls.update()
        assert not walls.update()
        found.append(walls.at(150.0).ends)
    assert len(found[0]) > 10
    assert np.abs(np.ptp(found[0], axis=(0, 1)) - np.ptp(found[1], axis=(0, 1))).max() > 1.0
    assert np.array_equal(found[0], found[2])
    walls.destroy()
    actor.cleanup()


def test_a_door_in_a_wall_moves_alone(world: NodePath, walls: Walls, slices: list[float]) -> None:
    house = world.attach_new_node("house")
    crate(house)
    door = crate(house, x=2)
    walls.add(house)
    walls.add(door, moving=True)
    assert limits(walls) == [-1, -1, 3, 1]
    assert len(slices) == 2
    door.set_x(7)
    assert walls.update()
    assert limits(walls) == [-1, -1, 8, 1]
    assert len(slices) == 3
