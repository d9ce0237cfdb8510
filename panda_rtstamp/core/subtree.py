"""The GeomNodes below a node, looked at anew only where something changed.

Panda counts changes at and below each node for the sake of its bounds: what was added, removed or moved, and
what states were set, since clip planes bound things. A branch whose count stands still is not walked.
"""

from collections.abc import Iterator

from panda3d.core import GeomNode, PandaNode, RenderState, UpdateSeq

from panda_rtstamp.core.anchor import address

# By their addresses.
GeomNodes = dict[int, GeomNode]


class Subtree:
    """What lies below a node, as it was when last looked at. Of the node itself, nothing is held."""

    def __init__(self) -> None:
        self._changes: UpdateSeq | None = None
        self._state: RenderState | None = None
        # Held, so that no others can be in their places in memory; and what lies below each of them.
        self._children: list[PandaNode] = []
        self._branches: list[Subtree] = []

    def look(self, node: PandaNode, anew: bool, found: GeomNodes, gone: GeomNodes) -> None:
        """Collect the GeomNodes that came, and those below which or on which a state was set.

        Args:
            node: the node; always the same one.
            anew: take them all.
            found: is given them. The node itself is among them only if `anew`.
            gone: is given those that went from a place below the node, and may hang at another one.
        """
        changes = UpdateSeq()
        node.get_bounds(changes)
        if not anew and changes == self._changes:
            return
        self._changes = changes
        if anew and isinstance(node, GeomNode):
            found[address(node)] = node
        children = list(node.get_children())
        # As a rule something only moved: that must be cheap among many that did not.
        if children != self._children:
            self._take(children, gone)
        for child, branch in self._below():
            state = child.get_state()
            set_anew = anew or state != branch._state
            branch._state = state
            branch.look(child, set_anew, found, gone)

    def _take(self, children: list[PandaNode], gone: GeomNodes) -> None:
        """These are the children now."""
        known = {address(child): (child, branch) for child, branch in self._below()}
        self._branches = [known.pop(key)[1] if key in known else Subtree() for key in map(address, children)]
        self._children = children
        for child, branch in known.values():
            branch._leave(child, gone)

    def _leave(self, node: PandaNode, gone: GeomNodes) -> None:
        if isinstance(node, GeomNode):
            gone[address(node)] = node
        for child, branch in self._below():
            branch._leave(child, gone)

    def _below(self) -> Iterator[tuple[PandaNode, "Subtree"]]:
        return zip(self._children, self._branches, strict=True)


def hangs_below(part: PandaNode, node: PandaNode) -> bool:
    """Whether a node is this one, or below it by any way on which nothing is stashed."""
    return part == node or any(
        above.find_child(part) >= 0 and hangs_below(above, node) for above in part.get_parents()
    )
