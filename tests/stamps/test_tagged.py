"""The walk that finds tagged nodes, a few steps at a time."""

import numpy as np
from panda3d.core import NodePath, WeakNodePath

from panda_rtstamp.stamps import tagged
from panda_rtstamp.stamps.tagged import TaggedNodes

TAG = "rtstamp"


def make_scene(seed: int, size: int, tagged_nodes: int) -> tuple[NodePath, set[str]]:
    """A tree of nodes named by their numbers, and the names of those that are tagged."""
    random = np.random.default_rng(seed)
    nodes = [NodePath("root")]
    for number in range(size):
        nodes.append(nodes[random.integers(len(nodes))].attach_new_node(str(number)))
    chosen = random.choice(size, tagged_nodes, replace=False)
    for number in chosen:
        nodes[1 + number].set_tag(TAG, "")
    return nodes[0], {str(number) for number in chosen}


def walk(nodes: TaggedNodes, steps: int) -> list[str]:
    """The names of what is found in so many steps."""
    found = [nodes.advance() for _ in range(steps)]
    return [node.get_name() for node in found if node is not None]


def test_each_is_found_once() -> None:
    for seed in range(5):
        root, names = make_scene(seed, 300, 20)
        found = walk(TaggedNodes(root, TAG), 2000)
        assert set(found) == names
        assert len(found) == len(names)


def test_the_path_leads_to_the_node_of_the_scene() -> None:
    root, _ = make_scene(1, 100, 1)
    nodes = TaggedNodes(root, TAG)
    found = next(node for node in iter(nodes.advance, 0) if node is not None)
    assert root.is_ancestor_of(found)
    assert found.has_tag(TAG)


def test_a_step_looks_at_few_nodes() -> None:
    root = NodePath("root")
    for number in range(5 * tagged._AT_ONCE):
        root.attach_new_node(str(number))
    root.get_child(5 * tagged._AT_ONCE - 1).set_tag(TAG, "")
    nodes = TaggedNodes(root, TAG)
    assert walk(nodes, 4) == []
    assert walk(nodes, 1) == [str(5 * tagged._AT_ONCE - 1)]


def test_what_comes_later_is_found_in_a_later_round() -> None:
    root, names = make_scene(2, 50, 5)
    nodes = TaggedNodes(root, TAG)
    assert set(walk(nodes, 20)) == names
    root.attach_new_node("later").set_tag(TAG, "")
    assert walk(nodes, tagged._PAUSE - 20) == []
    assert walk(nodes, 40) == ["later"]


def test_what_went_and_came_back_is_found_again() -> None:
    root, _ = make_scene(3, 20, 0)
    node = root.attach_new_node("node")
    node.set_tag(TAG, "")
    nodes = TaggedNodes(root, TAG)
    length = tagged._PAUSE + 5
    assert walk(nodes, length) == ["node"]
    node.detach_node()
    assert walk(nodes, length) == []
    node.reparent_to(root)
    assert walk(nodes, length) == ["node"]


def test_a_scene_that_changes_all_the_time() -> None:
    """Nodes that stay are found in the end, and no node is kept alive."""
    random = np.random.default_rng(4)
    root, names = make_scene(4, 60, 10)
    nodes = TaggedNodes(root, TAG)
    found: set[str] = set()
    for _ in range(3000):
        visitor = root.get_child(int(random.integers(root.get_num_children()))).attach_new_node("visitor")
        visitor.attach_new_node("below").set_tag(TAG, "")
        node = nodes.advance()
        if node is not None:
            found.add(node.get_name())
            node.clear()
        weak = WeakNodePath(visitor)
        visitor.remove_node()
        assert weak.was_deleted()
    assert names <= found


def test_an_empty_scene() -> None:
    assert walk(TaggedNodes(NodePath("root"), TAG), 1000) == []
