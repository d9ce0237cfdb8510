"""GeomNodes below a node, and copies of their Geoms in the place of the user's, until these are put back."""

from collections.abc import Mapping

from panda3d.core import Geom, GeomNode, NodePath

from panda_rtstamp.core.anchor import address
from panda_rtstamp.core.tags import OVERLAY_TAG


def geom_paths(node: NodePath) -> list[NodePath]:
    """The paths to the GeomNodes at and below a node, each once, but not to second draws of ours."""
    paths = list(node.find_all_matches("**/+GeomNode"))
    if isinstance(node.node(), GeomNode):
        paths.insert(0, node)
    found: dict[int, NodePath] = {}
    for path in paths:
        if not path.node().has_tag(OVERLAY_TAG):
            found.setdefault(address(path.node()), path)
    return list(found.values())


def geom_node(path: NodePath) -> GeomNode:
    """The GeomNode at the end of a path."""
    node = path.node()
    assert isinstance(node, GeomNode)
    return node


class Replaced:
    """Geoms of a node that gave place to copies.

    Args:
        copies: by the number of the Geom; the others stay.
    """

    def __init__(self, node: GeomNode, copies: Mapping[int, Geom]) -> None:
        self._node = node
        # Each in a node of its own: Python cannot hold them otherwise, since Panda gives them out as const.
        self._originals = [_single(node, number) for number in range(node.get_num_geoms())]
        # Held by a node, too: what the user edits then becomes another Geom.
        self._ours = GeomNode("rtstamp-furred")
        for number, original in enumerate(self._originals):
            if number in copies:
                self._ours.add_geom(copies[number])
            else:
                self._ours.add_geoms_from(original)
        _fill(node, [self._ours])

    def put_back(self) -> None:
        """Give the node its Geoms back, where what took their place stands untouched."""
        node, ours = self._node, self._ours
        stands = [
            number < ours.get_num_geoms() and node.get_geom(number) == ours.get_geom(number)
            for number in range(node.get_num_geoms())
        ]
        if any(stands):
            sources = [
                self._originals[number] if is_ours else _single(node, number)
                for number, is_ours in enumerate(stands)
            ]
            _fill(node, sources)


def _single(node: GeomNode, index: int) -> GeomNode:
    """A GeomNode with just this Geom."""
    single = GeomNode("rtstamp-original")
    single.add_geoms_from(node)
    for number in reversed(range(single.get_num_geoms())):
        if number != index:
            single.remove_geom(number)
    return single


def _fill(node: GeomNode, sources: list[GeomNode]) -> None:
    """Give a node the Geoms of others, one after another, each in the state of the one at its place."""
    states = node.get_geom_states()
    node.remove_all_geoms()
    for source in sources:
        node.add_geoms_from(source)
    for number, state in enumerate(states):
        node.set_geom_state(number, state)
