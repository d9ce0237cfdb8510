"""A hold on a user's node that does not keep it alive, and notices when it goes.

A NodePath would keep the node alive for ever, and a WeakNodePath dies as soon as the last *handle* to the
node does, though the node still stands in the scene. So an empty, stashed node hangs below the user's: we
keep that one, and it loses its parent when, and only when, the user's node is destroyed (or collapsed away by
flattening).
"""

import itertools
from collections.abc import Callable

from panda3d.core import NodePath, PandaNode

Key = tuple[int, ...]


def address(thing: object) -> int:
    """What identifies one of Panda's objects while it lives."""
    return int(thing.this)  # type: ignore[attr-defined]


def key_of(node: NodePath) -> Key:
    """What identifies a node: its address, and for one of several instances those of the path down to it."""
    return tuple(address(part.node()) for part in instance_path(node))


def instance_path(node: NodePath) -> list[NodePath]:
    """The node and its ancestors up to the parent of the topmost one that has several parents.

    The node alone if it is not one of several instances.
    """
    path = [NodePath(node)]
    length = 1
    while path[-1].has_parent():
        shared = path[-1].node().get_num_parents() > 1
        path.append(path[-1].get_parent())
        if shared:
            length = len(path)
    return path[:length]


class Anchor:
    """A hold on the node `node`, released by `release`, which leaves the node as it was found."""

    def __init__(self, node: NodePath) -> None:
        path = instance_path(node)
        self.key: Key = tuple(address(part.node()) for part in path)
        self.name = str(node)
        # One below the node, and for an instance one below each node above it up to where instances part.
        self._sentinels = [PandaNode("rtstamp-anchor") for _ in path]
        # 0 once the node is destroyed. Held as a bound method: it is asked of every anchor in every frame.
        self.has_node: Callable[[], int] = self._sentinels[0].get_num_parents
        if len(path) > 1:
            self.has_node = lambda: min(sentinel.get_num_parents() for sentinel in self._sentinels)
        for part, sentinel in zip(path, self._sentinels, strict=True):
            part.node().add_stashed(sentinel)

    @property
    def alive(self) -> bool:
        """False once the node is destroyed."""
        return len(self._nodes()) > 0

    def _nodes(self) -> list[PandaNode]:
        """The node and, for an instance, those above it; empty once one of them is destroyed."""
        if not self.has_node():
            return []
        nodes = [sentinel.get_parent(0) for sentinel in self._sentinels]
        # Flattening moves the children of what it removes to another node.
        return nodes if tuple(address(node) for node in nodes) == self.key else []

    def node(self) -> NodePath:
        """The node, by its present path; an empty NodePath when it, or the way to it, is gone."""
        nodes = self._nodes()
        if not nodes:
            return NodePath()
        path = NodePath.any_path(nodes[-1])
        for part in reversed(nodes[:-1]):
            path = _child(path, part)
            if path.is_empty():
                break
        return path

    @property
    def placement(self) -> list[object]:
        """What places the node below where instances part: another list after any of it was changed."""
        if not self.has_node():
            return []
        nodes = [sentinel.get_parent(0) for sentinel in self._sentinels]
        found: list[object] = []
        for node, above in itertools.pairwise(nodes):
            # Equal transforms are one object in Panda. What is stashed or elsewhere is no child.
            found += [address(node.get_transform()), node.is_overall_hidden(), above.find_child(node)]
        return found

    @property
    def panda_node(self) -> PandaNode | None:
        """The node, wherever it hangs now; None once it is destroyed or flattened away."""
        if not self._sentinels[0].get_num_parents():
            return None
        node = self._sentinels[0].get_parent(0)
        return node if address(node) == self.key[0] else None

    def remains(self) -> NodePath:
        """The node; or, where flattening has done away with it, the one that took its children over."""
        node = self.node()
        if node.is_empty() and len(self._sentinels) == 1 and self.has_node():
            return NodePath.any_path(self._sentinels[0].get_parent(0))
        return node

    def release(self) -> None:
        """Let go. Safe to call twice and after the node's death."""
        for sentinel in self._sentinels:
            for parent in list(sentinel.get_parents()):
                parent.remove_stashed(parent.find_stashed(sentinel))


def _child(parent: NodePath, part: PandaNode) -> NodePath:
    """The child of this path that is this node, stashed ones too; an empty NodePath if there is none."""
    index = parent.node().find_child(part)
    if index >= 0:
        return parent.get_child(index)
    index = parent.node().find_stashed(part)
    return parent.get_stashed_children()[index] if index >= 0 else NodePath()
