"""The GeomNodes below a node, looked at anew only where something changed.

Panda counts changes at and below each node for the sake of its bounds: what was added, removed or moved, and
what states were set, since clip planes bound things. A branch whose count stands still is not walked.
"""

from collections.abc import Iterator

from panda3d.core import GeomNode, PandaNode, RenderState, UpdateSeq

from panda_rtstamp.core.anchor import address


class Subtree:
    """What lies below a node, as it was when last looked at. Of the node itself, nothing is held."""

    def __init__(self) -> None:
        self._changes: UpdateSeq | None = None
        self._state: RenderState | None = None
        # Held, so that no others can be in their places in memory.
        self._children: dict[int, tuple[PandaNode, Subtree]] = {}

    def look(self, node: PandaNode, anew: bool, found: dict[int, GeomNode]) -> bool:
        """Collect the GeomNodes that came, and those below which or on which a state was set.

        Args:
            node: the node; always the same one.
            anew: take them all.
            found: is given them, by address. The node itself is among them only if `anew`.

        Returns:
            True if something went from below the node.
        """
        changes = UpdateSeq()
        node.get_bounds(changes)
        if not anew and changes == self._changes:
            return False
        self._changes = changes
        if anew and isinstance(node, GeomNode):
            found[address(node)] = node
        before, self._children = self._children, {}
        gone = False
        for child in node.get_children():
            key, state = address(child), child.get_state()
            _, branch = before.pop(key, (child, Subtree()))
            self._children[key] = child, branch
            set_anew = anew or state != branch._state
            branch._state = state
            gone |= branch.look(child, set_anew, found)
        return gone or bool(before)

    def geom_nodes(self) -> Iterator[int]:
        """The addresses of the GeomNodes below the node."""
        for key, (child, branch) in self._children.items():
            if isinstance(child, GeomNode):
                yield key
            yield from branch.geom_nodes()
