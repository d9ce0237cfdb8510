"""Walls: what of the scene blocks, which options go for which part of it, and bad input."""

from typing import Any

import numpy as np
import pytest
from panda3d.core import Geom, GeomLines, GeomNode, GeomVertexData, GeomVertexFormat, LODNode, NodePath

from panda_rtstamp.errors import ConfigError, SurfaceError
from panda_rtstamp.vision.walls import Walls
from shapes import make_geom, make_node, quads
from support import make_card
from vision_support import build, crate, length, limits, outlines, random_boxes

# Models hold 32-bit floats.
ROUNDING = 1e-5


# What blocks


def test_boxes_give_their_outlines(world: NodePath, walls: Walls) -> None:
    boxes = random_boxes(4)
    for node in build(boxes, world):
        walls.add(node)
    ends = walls.at(1.6).ends
    # Each side is one, though it is two triangles.
    assert ends.shape == (4 * len(boxes), 2, 2)
    sides = outlines(boxes)
    along = sides[:, 1] - sides[:, 0]
    for number, side in enumerate(ends.reshape(len(boxes), -1, 2)):
        of_box = slice(4 * number, 4 * number + 4)
        across = np.stack([-along[of_box, 1], along[of_box, 0]], axis=1)
        across /= np.linalg.norm(across, axis=1, keepdims=True)
        away = ((side[:, None] - sides[of_box, 0]) * across).sum(axis=2)
        assert np.abs(away).min(axis=1).max() < ROUNDING
        assert away.min() > -ROUNDING
    assert length(walls, 1.6) == pytest.approx(np.linalg.norm(along, axis=1).sum(), abs=ROUNDING * len(ends))


def test_what_is_lower_than_the_eye_does_not_block(world: NodePath, walls: Walls) -> None:
    walls.add(crate(world, height=1.0))
    assert limits(walls, 0.9) == [-1, -1, 1, 1]
    assert limits(walls, 1.1) == []
    assert limits(walls, -0.1) == []


def test_nested_transforms_are_followed(world: NodePath, walls: Walls) -> None:
    level = world.attach_new_node("level")
    level.set_pos_hpr_scale(10, 20, 0, 90, 0, 0, 2, 2, 2)
    room = level.attach_new_node("room")
    crate(room, x=1)
    walls.add(room)
    assert limits(walls) == pytest.approx([8, 20, 12, 24], abs=ROUNDING)


def test_strips_block(world: NodePath, walls: Walls) -> None:
    card = make_card(4, 4)
    card.reparent_to(world)
    walls.add(card)
    assert limits(walls, 0.5) == [-2, 0, 2, 0]


def test_all_instances_block(world: NodePath, walls: Walls) -> None:
    shared = NodePath("shared")
    crate(shared)
    left, right = world.attach_new_node("left"), world.attach_new_node("right")
    left.set_x(-10)
    right.set_x(10)
    copies = [shared.instance_to(parent) for parent in (left, right)]
    walls.add(left)
    walls.add(right)
    assert limits(walls) == [-11, -1, 11, 1]
    walls.remove(right)
    assert limits(walls) == [-11, -1, -9, 1]
    # One instance alone.
    walls.remove(left)
    walls.add(copies[1])
    assert limits(walls) == [9, -1, 11, 1]


def test_hidden_walls_block_and_stashed_ones_do_not(world: NodePath, walls: Walls) -> None:
    room = world.attach_new_node("room")
    crate(room).hide()
    crate(room, x=10).stash()
    walls.add(room)
    assert limits(walls) == [-1, -1, 1, 1]
    room.hide()
    walls.add(room)
    assert limits(walls) == [-1, -1, 1, 1]


def test_all_levels_of_detail_block(world: NodePath, walls: Walls) -> None:
    detail = world.attach_new_node(LODNode("detail"))
    crate(detail)
    crate(detail, x=10)
    walls.add(detail)
    assert limits(walls) == [-1, -1, 11, 1]


def test_overlays_that_show_marks_do_not_count(world: NodePath, walls: Walls) -> None:
    node = crate(world)
    walls.add(node)
    alone = length(walls)
    overlay = node.attach_new_node(node.node().make_copy())
    overlay.clear_transform()
    walls.add(node)
    assert length(walls) == 2 * alone
    overlay.set_tag("rtstamp-overlay", "1")
    walls.add(node)
    assert length(walls) == alone


def test_outlines_have_no_cracks_wherever_they_stand(world: NodePath, walls: Walls) -> None:
    rng = np.random.default_rng(2)
    for _ in range(50):
        node = crate(world)
        node.set_pos_hpr_scale((*rng.uniform(-30, 30, 2), 0.3), (*rng.uniform(-180, 180, 3),), (1.3, 0.7, 3))
        walls.add(node)
    ends = walls.at(0.3).ends.reshape(-1, 2)
    _, counts = np.unique(ends, axis=0, return_counts=True)
    # A plane cuts three sides of a box at least.
    assert len(counts) >= 50 * 3
    assert (counts == 2).all()


# Parts with options of their own


def test_a_window_in_a_wall_is_open(world: NodePath, walls: Walls) -> None:
    wall = crate(world)
    window = crate(wall, x=2)
    window.set_z(0)
    walls.add(wall)
    assert limits(walls) == [-1, -1, 3, 1]
    walls.add(window, see_through=True)
    assert limits(walls) == [-1, -1, 1, 1]
    walls.add(wall)
    assert limits(walls) == [-1, -1, 1, 1]
    walls.remove(window)
    assert limits(walls) == [-1, -1, 3, 1]
    # In the other order.
    walls.remove(wall)
    walls.add(window, see_through=True)
    walls.add(wall)
    assert limits(walls) == [-1, -1, 1, 1]


def test_adding_again_is_by_the_last_options(world: NodePath, walls: Walls) -> None:
    node = crate(world)
    walls.add(node, see_through=True)
    assert limits(walls) == []
    walls.add(node, moving=True)
    node.set_x(5)
    walls.update()
    assert limits(walls) == [4, -1, 6, 1]
    walls.add(node)
    node.set_x(9)
    assert limits(walls) == [8, -1, 10, 1]
    node.set_x(0)
    walls.update()
    assert limits(walls) == [8, -1, 10, 1]
    walls.remove(node)
    assert limits(walls) == []


# Bad input


@pytest.mark.parametrize("node", [None, "wall", 3, NodePath()])
def test_what_is_no_node_is_refused(walls: Walls, node: Any) -> None:
    with pytest.raises(ConfigError, match="node must"):
        walls.add(node)
    with pytest.raises(ConfigError, match="node must"):
        walls.remove(node)
    assert not walls.update()


@pytest.mark.parametrize("options", [{"moving": 1}, {"see_through": None}, {"moving": "yes"}])
def test_a_bad_option_changes_nothing(world: NodePath, walls: Walls, options: Any) -> None:
    node = crate(world)
    walls.add(node)
    walls.at(1.0)
    walls.update()
    with pytest.raises(ConfigError, match="must be True or False"):
        walls.add(node, **options)
    assert not walls.update()
    assert limits(walls) == [-1, -1, 1, 1]


def test_a_node_without_triangles_is_refused(world: NodePath, walls: Walls) -> None:
    lines = GeomNode("lines")
    geom = Geom(GeomVertexData("lines", GeomVertexFormat.get_v3(), Geom.UH_static))
    geom.add_primitive(GeomLines(Geom.UH_static))
    lines.add_geom(geom)
    empty = world.attach_new_node("empty")
    empty.attach_new_node(lines)
    empty.attach_new_node("camp")
    crate(empty).stash()
    with pytest.raises(SurfaceError, match="world/empty: there are no triangles below it"):
        walls.add(empty)
    assert empty.get_stashed_children().get_num_paths() == 1
    assert not walls.update()


def test_to_remove_what_is_no_wall_does_nothing(world: NodePath, walls: Walls) -> None:
    node, other = crate(world), crate(world, x=5)
    walls.add(node)
    walls.update()
    for _ in range(2):
        walls.remove(other)
    assert not walls.update()
    walls.remove(node)
    assert walls.update()
    walls.remove(node)
    assert not walls.update()


def test_triangles_without_area_give_nothing(world: NodePath, walls: Walls) -> None:
    points = np.array([(0, 0, 0), (1, 1, 1), (3, 3, 3), (3, 3, 3)], float)
    node = make_node("flat", make_geom({"vertex": points}, quads(1)))
    node.reparent_to(world)
    walls.add(node)
    assert limits(walls, 0.5) == []
