"""Finds the nodes that a game has tagged to be hit, a few at a time."""

from panda3d.core import NodePath, PandaNode

from panda_rtstamp.core.anchor import address

# Nodes that are looked at in one step.
_AT_ONCE = 12
# Steps between two rounds through the scene.
_PAUSE = 60

_Trait = tuple[int, str, int]


class TaggedNodes:
    """Goes round and round through a scene, depth first.

    Between steps it holds no node, only the numbers of the children that lead to where it was.

    Args:
        root: the scene.
        tag: what the nodes are tagged with, whatever its value.
    """

    def __init__(self, root: NodePath, tag: str) -> None:
        self._root = root
        self._tag = tag
        self._way: list[int] = []
        self._pause = 0
        # By what tells them apart without a hold on them: those found in this round, and in the last one.
        self._found: set[_Trait] = set()
        self._before: set[_Trait] = set()

    @property
    def pausing(self) -> bool:
        """True between two rounds."""
        return self._pause > 0

    def advance(self) -> NodePath | None:
        """Look at a few more nodes, up to the first that is tagged and was not found before."""
        if self._pause:
            self._pause -= 1
            return None
        nodes = self._resume()
        for _ in range(_AT_ONCE):
            if not self._go_on(nodes):
                self._pause = _PAUSE
                self._before, self._found = self._found, set()
                break
            if nodes[-1].has_tag(self._tag) and self._is_new(nodes[-1]):
                return self._path()
        return None

    def _resume(self) -> list[PandaNode]:
        """The nodes down to the one where it was; or, where that is gone, to the last of those before it."""
        nodes = [self._root.node()]
        for depth, number in enumerate(self._way):
            count = nodes[-1].get_num_children()
            if number >= count:
                # A number too far leads on to what comes after the parent.
                self._way[depth:] = [count]
                nodes.append(PandaNode(""))
                break
            nodes.append(nodes[-1].get_child(number))
        return nodes

    def _go_on(self, nodes: list[PandaNode]) -> bool:
        """Go to the next node; False at the end."""
        number = 0
        while number >= nodes[-1].get_num_children():
            if not self._way:
                return False
            number = self._way.pop() + 1
            nodes.pop()
        self._way.append(number)
        nodes.append(nodes[-1].get_child(number))
        return True

    def _is_new(self, node: PandaNode) -> bool:
        trait = _trait(node)
        known = trait in self._before or trait in self._found
        self._found.add(trait)
        return not known

    def _path(self) -> NodePath:
        path = self._root
        for number in self._way:
            path = path.get_child(number)
        return path


def _trait(node: PandaNode) -> _Trait:
    # An address alone is soon another node's.
    return address(node), node.get_name(), node.get_nested_vertices()
