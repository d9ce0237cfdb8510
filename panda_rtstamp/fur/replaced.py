"""Copies of a node's Geoms in the place of the user's, until these are put back."""

from collections.abc import Mapping

from panda3d.core import Geom, GeomNode

from panda_rtstamp.core.geoms import replace_geoms, single_geom


class Replaced:
    """Geoms of a node that gave place to copies.

    Args:
        copies: by the number of the Geom; the others stay.
    """

    def __init__(self, node: GeomNode, copies: Mapping[int, Geom]) -> None:
        self._node = node
        # Each in a node of its own: Python cannot hold them otherwise, since Panda gives them out as const.
        self._originals = [single_geom(node, number) for number in range(node.get_num_geoms())]
        # Held by a node, too: what the user edits then becomes another Geom.
        self._ours = GeomNode("rtstamp-furred")
        for number, original in enumerate(self._originals):
            if number in copies:
                self._ours.add_geom(copies[number])
            else:
                self._ours.add_geoms_from(original)
        replace_geoms(node, [self._ours])

    def put_back(self) -> None:
        """Give the node its Geoms back, where what took their place stands untouched."""
        node, ours = self._node, self._ours
        stands = [
            number < ours.get_num_geoms() and node.get_geom(number) == ours.get_geom(number)
            for number in range(node.get_num_geoms())
        ]
        if any(stands):
            sources = [
                self._originals[number] if is_ours else single_geom(node, number)
                for number, is_ours in enumerate(stands)
            ]
            replace_geoms(node, sources)
