"""A hold on a user's node that does not keep it alive, and notices when it goes.

A NodePath would keep the node alive for ever, and a WeakNodePath dies as soon as the last *handle* to the
node does, though the node still stands in the scene. So an empty, stashed node hangs below the user's: we
keep that one, and it loses its parent when, and only when, the user's node is destroyed (or collapsed away by
flattening).
"""

from panda3d.core import NodePath, PandaNode

Key = tuple[int, ...]


def address(thing: object) -> int:
    """What identifies one of Panda's objects while it lives."""
    return int(thing.this)  # type: ignore[attr-defined]


def key_of(node: NodePath) -> Key:
    """What identifies a node: its address; for one of several instances, those of the path down to it as
    well.
    """
    return tuple(address(part.node()) for part in _instance_path(node))


def _instance_path(node: NodePath) -> list[NodePath]:
    """The node and its ancestors up to the parent of the topmost one that has several parents."""
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
        path = _instance_path(node)
        self.key: Key = tuple(address(part.node()) for part in path)
        self.name = str(node)
        # Which child leads from the anchored node down to ours; empty but for instances. Held by index, not
        # by NodePath, which would keep the nodes alive.
        self._way_down = [
            path[i + 1].node().find_child(path[i].node()) for i in reversed(range(len(path) - 1))
        ]
        self._sentinel = PandaNode("rtstamp-anchor")
        path[-1].node().add_stashed(self._sentinel)

    @property
    def alive(self) -> bool:
        """False once the node is destroyed."""
        return self._sentinel.get_num_parents() > 0

    def node(self) -> NodePath:
        """The node, by its present path; an empty NodePath when it, or the way to it, is gone."""
        if not self.alive:
            return NodePath()
        node = NodePath(self._sentinel).get_parent()
        for index in self._way_down:
            if not 0 <= index < node.get_num_children():
                return NodePath()
            node = node.get_child(index)
        return node

    def release(self) -> None:
        """Let go. Safe to call twice and after the node's death."""
        if self.alive:
            parent = self._sentinel.get_parent(0)
            parent.remove_stashed(parent.find_stashed(self._sentinel))
