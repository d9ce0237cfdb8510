"""Anchors: a hold on a node that does not keep it alive, and notices when it goes."""

import gc
from collections.abc import Callable

import pytest
from panda3d.core import GeomNode, NodePath, PandaNode, WeakNodePath

from panda_rtstamp.core.anchor import Anchor, key_of
from support import make_card


@pytest.fixture
def root() -> NodePath:
    """The top of a scene of its own."""
    return NodePath("root")


def tree_of(node: NodePath, depth: int = 0) -> list[str]:
    """A node and all below it, stashed ones too, with states, transforms and tags."""
    tags = " ".join(f"{key}={node.get_tag(key)}" for key in sorted(node.get_tag_keys() or ()))
    here = f"{'  ' * depth}{node.get_name()} {node.get_state()} {node.get_transform()} {tags}"
    below = [*node.get_children(), *node.get_stashed_children()]
    return [here, *(line for child in below for line in tree_of(child, depth + 1))]


# Life and death.


def test_it_survives_the_loss_of_all_handles(root: NodePath) -> None:
    anchor = Anchor(root.attach_new_node("model"))
    gc.collect()
    assert anchor.alive
    assert anchor.node() == root.find("model")


def test_it_does_not_keep_the_node_alive(root: NodePath) -> None:
    node = root.attach_new_node("model")
    anchor = Anchor(node)
    weak = WeakNodePath(node)
    node.remove_node()
    assert weak.was_deleted()
    assert not anchor.alive
    assert anchor.node().is_empty()


def test_the_death_of_an_ancestor_is_noticed(root: NodePath) -> None:
    level = root.attach_new_node("level")
    anchor = Anchor(level.attach_new_node("room").attach_new_node("model"))
    assert anchor.alive
    level.remove_node()
    assert not anchor.alive
    assert anchor.node().is_empty()


def test_children_that_are_deleted_are_no_death(root: NodePath) -> None:
    node = root.attach_new_node("model")
    node.attach_new_node("part")
    anchor = Anchor(node)
    node.get_children().detach()
    assert anchor.node() == node


def test_detached_nodes_live_while_somebody_holds_them(root: NodePath) -> None:
    node = root.attach_new_node("model")
    anchor = Anchor(node)
    node.detach_node()
    assert anchor.alive
    assert anchor.node() == node
    del node
    gc.collect()
    assert not anchor.alive


def test_it_follows_the_node_to_its_new_place(root: NodePath) -> None:
    node = root.attach_new_node("model")
    anchor = Anchor(node)
    other = root.attach_new_node("a").attach_new_node("b")
    node.reparent_to(other)
    node.set_pos(1.0, 2.0, 3.0)
    assert anchor.node() == node
    assert anchor.node().get_pos(root) == (1.0, 2.0, 3.0)
    assert str(anchor.node()) == "root/a/b/model"


def test_stashed_and_hidden_nodes_are_found(root: NodePath) -> None:
    node = root.attach_new_node("model")
    anchor = Anchor(node)
    node.hide()
    assert anchor.node() == node
    node.stash()
    assert anchor.alive
    assert anchor.node() == node


def pair_below_mid(root: NodePath) -> list[NodePath]:
    """Two cards below a node that moves them."""
    mid = root.attach_new_node("mid")
    mid.set_pos(1.0, 0.0, 0.0)
    cards = [make_card(1.0, 1.0, f"card-{index}") for index in range(2)]
    for card in cards:
        card.reparent_to(mid)
    return [mid, *cards]


FLATTEN = [NodePath.flatten_light, NodePath.flatten_medium, NodePath.flatten_strong]


@pytest.mark.parametrize("flatten", FLATTEN)
def test_a_node_that_is_flattened_away_is_dead(root: NodePath, flatten: Callable[[NodePath], int]) -> None:
    """Though what was below it, our anchor too, goes on below another node."""
    anchors = [Anchor(node) for node in pair_below_mid(root)]
    gc.collect()
    flatten(root)
    left = {key_of(path): path for path in root.find_all_matches("**")}
    assert [anchor.alive for anchor in anchors] == [anchor.key in left for anchor in anchors]
    assert [anchor.node() for anchor in anchors] == [left.get(anchor.key, NodePath()) for anchor in anchors]
    if flatten is NodePath.flatten_strong:
        assert len(left) < 4


@pytest.mark.parametrize("flatten", FLATTEN)
def test_an_anchored_node_is_flattened_as_any_other(flatten: Callable[[NodePath], int]) -> None:
    def flattened(anchor: bool) -> list[str]:
        root = NodePath("root")
        anchors = [Anchor(node) for node in pair_below_mid(root) if anchor]
        gc.collect()
        flatten(root)
        for held in anchors:
            held.release()
        return tree_of(root)

    assert flattened(anchor=True) == flattened(anchor=False)


def test_release_lets_go(root: NodePath) -> None:
    node = root.attach_new_node("model")
    anchor = Anchor(node)
    anchor.release()
    assert not anchor.alive
    assert anchor.node().is_empty()
    anchor.release()


def test_release_after_death(root: NodePath) -> None:
    node = root.attach_new_node("model")
    anchor = Anchor(node)
    node.remove_node()
    anchor.release()
    assert not anchor.alive


def test_name_is_the_path_it_was_made_with(root: NodePath) -> None:
    node = root.attach_new_node("room").attach_new_node("model")
    anchor = Anchor(node)
    node.remove_node()
    assert anchor.name == "root/room/model"


# The node is left as it was found.


def test_the_node_is_left_as_it_was_found(root: NodePath) -> None:
    node = make_card(1.0, 1.0, "model")
    node.reparent_to(root)
    node.set_tag("mine", "1")
    node.attach_new_node("visible")
    node.attach_new_node("hidden").stash()
    before = tree_of(root)
    saved = bytes(node.encode_to_bam_stream())
    anchors = [Anchor(node), Anchor(node), Anchor(node.find("visible"))]
    for anchor in anchors:
        anchor.release()
    assert tree_of(root) == before
    assert bytes(node.encode_to_bam_stream()) == saved


def test_an_anchored_node_behaves_as_before(root: NodePath) -> None:
    node = make_card(1.0, 1.0, "model")
    node.reparent_to(root)
    bounds = node.get_tight_bounds()
    anchor = Anchor(node)
    assert node.get_num_children() == 0
    assert node.find_all_matches("**").get_num_paths() == 1
    assert node.get_tight_bounds() == bounds
    assert isinstance(node.node(), GeomNode)
    anchor.release()


def test_several_anchors_on_one_node_are_independent(root: NodePath) -> None:
    node = root.attach_new_node("model")
    first, second = Anchor(node), Anchor(node)
    assert first.key == second.key
    first.release()
    assert not first.alive
    assert second.node() == node
    second.release()
    assert node.get_stashed_children().get_num_paths() == 0


# Instances.


class Twins:
    """One node below two others, each with a sibling."""

    def __init__(self, root: NodePath) -> None:
        self.left = root.attach_new_node("left")
        self.right = root.attach_new_node("right")
        self.older = [self.left.attach_new_node("older"), self.right.attach_new_node("older")]
        self.shared = NodePath("shared")
        self.part = self.shared.attach_new_node("part")
        self.on_left = self.shared.instance_to(self.left)
        self.on_right = self.shared.instance_to(self.right)


@pytest.fixture
def twins(root: NodePath) -> Twins:
    result = Twins(root)
    result.shared = NodePath()
    return result


def test_instances_differ(twins: Twins) -> None:
    left, right = Anchor(twins.on_left), Anchor(twins.on_right)
    assert left.key != right.key
    assert key_of(twins.on_left) == left.key
    assert key_of(twins.on_right) == right.key
    assert str(left.node()) == "root/left/shared"
    assert str(right.node()) == "root/right/shared"


def test_nodes_below_instances_differ_too(twins: Twins) -> None:
    left, right = (Anchor(side.find("part")) for side in (twins.on_left, twins.on_right))
    assert left.key != right.key
    assert str(left.node()) == "root/left/shared/part"
    assert str(right.node()) == "root/right/shared/part"


def test_nodes_above_instances_are_plain(twins: Twins) -> None:
    assert len(Anchor(twins.left).key) == 1


def test_the_key_of_a_plain_node_does_not_change_with_its_place(root: NodePath) -> None:
    node = root.attach_new_node("model")
    before = key_of(node)
    node.reparent_to(root.attach_new_node("elsewhere"))
    assert key_of(node) == before


def test_an_instance_that_is_removed_is_gone_alone(twins: Twins) -> None:
    left, right = Anchor(twins.on_left), Anchor(twins.on_right)
    twins.on_left.remove_node()
    assert left.node().is_empty()
    assert str(right.node()) == "root/right/shared"


def test_an_instance_whose_parent_is_removed_is_gone_alone(twins: Twins) -> None:
    left, right = Anchor(twins.on_left), Anchor(twins.on_right)
    twins.on_left = NodePath()
    twins.older.clear()
    twins.left.remove_node()
    gc.collect()
    assert not left.alive
    assert left.node().is_empty()
    assert right.node() == twins.on_right


@pytest.mark.parametrize("part", [False, True])
def test_siblings_that_come_and_go_change_nothing(twins: Twins, part: bool) -> None:
    """Children are told by what they are, not by how many stand before them."""
    node = twins.on_left.find("part") if part else twins.on_left
    anchor = Anchor(node)
    twins.older[0].remove_node()
    assert anchor.node() == node
    twins.left.attach_new_node(PandaNode("in front"), -10)
    assert anchor.node() == node
    twins.on_left.attach_new_node(PandaNode("in front of part"), -10)
    assert anchor.node() == node
    twins.left.attach_new_node("behind")
    assert anchor.node() == node


def test_a_removed_instance_is_not_taken_for_its_sibling(twins: Twins) -> None:
    anchor = Anchor(twins.on_left)
    twins.left.attach_new_node("younger")
    twins.on_left.remove_node()
    assert anchor.node().is_empty()


def test_a_part_that_is_removed_below_an_instance(twins: Twins) -> None:
    anchor = Anchor(twins.on_left.find("part"))
    twins.on_left.attach_new_node("younger")
    twins.part.remove_node()
    assert anchor.node().is_empty()


def test_an_instance_follows_its_parent(root: NodePath, twins: Twins) -> None:
    anchor = Anchor(twins.on_left)
    twins.left.reparent_to(root.attach_new_node("room"))
    assert str(anchor.node()) == "root/room/left/shared"


def test_a_node_that_becomes_an_instance_later(root: NodePath) -> None:
    """Which path it is found by is open then, but not which node; and nothing is warned about."""
    node = root.attach_new_node("model")
    anchor = Anchor(node)
    other = node.instance_to(root.attach_new_node("elsewhere"))
    assert anchor.alive
    assert anchor.node() in (node, other)
    node.remove_node()
    assert anchor.node() == other


def test_an_instance_that_is_stashed(twins: Twins) -> None:
    anchor = Anchor(twins.on_left.find("part"))
    twins.on_left.stash()
    assert anchor.alive
    found = anchor.node()
    assert found.node() == twins.part.node()
    assert found.get_parent() == twins.on_left


def test_instances_are_left_as_they_were_found(root: NodePath, twins: Twins) -> None:
    before = tree_of(root)
    anchors = [Anchor(twins.on_left), Anchor(twins.on_right), Anchor(twins.on_left.find("part"))]
    for anchor in anchors:
        anchor.release()
    assert tree_of(root) == before
