"""Walls: nodes that are destroyed, heights that nobody asks for any more, and the end."""

import numpy as np
import pytest
from panda3d.core import NodePath

from panda_rtstamp.vision import walls as module
from panda_rtstamp.vision.walls import Walls
from vision_support import crate, length, limits


def test_a_destroyed_wall_is_noticed(world: NodePath, walls: Walls) -> None:
    still, moving = crate(world), crate(world, x=10)
    walls.add(still)
    walls.add(moving, moving=True)
    walls.at(1.0)
    walls.update()
    still.remove_node()
    assert walls.update()
    assert limits(walls) == [9, -1, 11, 1]
    moving.remove_node()
    assert walls.update()
    assert limits(walls) == []
    assert not walls.update()


def test_of_many_static_walls_some_are_looked_at_each_time(world: NodePath, walls: Walls) -> None:
    nodes = [crate(world, x=5.0 * x) for x in range(3 * module.CHECKED)]
    for node in nodes:
        walls.add(node)
    whole = length(walls)
    walls.update()
    for node in nodes[::2]:
        node.remove_node()
    updates = 2 * len(nodes) // module.CHECKED
    lengths = []
    for _ in range(updates):
        walls.update()
        lengths.append(length(walls))
    assert lengths[-1] == pytest.approx(whole / 2, abs=1e-3)
    assert max(-np.diff([whole, *lengths])) <= whole * module.CHECKED / len(nodes)


def test_a_wall_that_is_added_again_before_its_turn_stays(world: NodePath, walls: Walls) -> None:
    nodes = [crate(world, x=5.0 * x) for x in range(3 * module.CHECKED)]
    for _ in range(2):
        for node in nodes:
            walls.add(node)
        walls.update()
    whole = length(walls)
    for _ in range(6):
        walls.update()
    assert length(walls) == whole


def test_what_is_made_after_walls_are_destroyed_blocks(world: NodePath, walls: Walls) -> None:
    """Their addresses may be given to what a new wall is made of, before it is noticed that they are gone."""
    nodes = [crate(world) for _ in range(4 * module.CHECKED)]
    for node in nodes:
        walls.add(node)
    walls.at(1.0)
    while nodes:
        nodes.pop().remove_node()
    house = world.attach_new_node("house")
    for number in range(4 * module.CHECKED):
        crate(house, x=100.0 + 5 * number)
    walls.add(house)
    found = walls.at(1.0).ends[:, :, 0]
    assert len(found[found.min(axis=1) > 90.0]) == 4 * 4 * module.CHECKED


def test_a_destroyed_wall_can_be_read_until_it_is_noticed(world: NodePath, walls: Walls) -> None:
    wall = crate(world)
    part = crate(wall, x=2)
    part.set_z(0)
    walls.add(wall)
    walls.at(1.0)
    # So the wall is to be read anew. No handle is left that would keep it.
    walls.add(part, see_through=True)
    del part
    wall.remove_node()
    assert limits(walls) == []
    assert limits(walls, 1.5) == []


def test_heights_that_nobody_asks_for_are_forgotten(
    world: NodePath, walls: Walls, slices: list[float]
) -> None:
    walls.add(crate(world))
    walls.at(0.5)
    for number in range(module.KEPT):
        walls.update()
        walls.at(1.0 + 1e-6 * number)
    walls.at(0.5)
    assert slices.count(0.5) == 1
    for number in range(2 * module.KEPT):
        walls.update()
        walls.at(2.0 - 1e-3 * (number % 2))
    for kept in (walls._asked, walls._known, walls._still._joined, walls._moving._joined):
        assert sorted(kept) == [1.999, 2.0]
    walls.at(0.5)
    assert slices.count(0.5) == 2


def test_destroy_leaves_nodes_as_they_were(world: NodePath) -> None:
    node, door = crate(world), crate(world, x=5)
    walls = Walls(world)
    walls.add(node)
    walls.add(door, moving=True)
    walls.at(1.0)
    elsewhere = crate(NodePath("elsewhere"))
    walls.add(elsewhere)
    for _ in range(2):
        walls.destroy()
        assert limits(walls) == []
    assert not walls._waiting
    for path in (node, door, elsewhere):
        assert path.get_stashed_children().get_num_paths() == 0
        assert path.get_num_children() == 0
