"""Who shows a picture: nodes that are made for it, that it was put on, or that were named."""

from panda3d.core import CardMaker, NodePath, Texture, TextureStage

from panda_rtstamp.core.anchor import Anchor, address
from panda_rtstamp.overlay.applied import Application, show
from panda_rtstamp.overlay.views import Place, View, places_of


def make_card(texture: Texture, width: float, height: float, transparent: bool) -> NodePath:
    """A card around the origin, in the XZ plane and facing -Y, that shows a texture by nobody's light."""
    maker = CardMaker("rtstamp-picture")
    maker.set_frame(-width / 2.0, width / 2.0, -height / 2.0, height / 2.0)
    card = NodePath(maker.generate())
    card.set_light_off()
    show(card, texture, TextureStage.get_default(), transparent)
    return card


class Showing:
    """All nodes that are known to show one picture.

    Args:
        counts: False where the picture is drawn whoever shows it: then those are nobody's concern.
    """

    def __init__(self, counts: bool) -> None:
        self._counts = counts
        # By the node's address. Whichever of its instances is seen, the picture is.
        self._known: dict[int, Anchor] = {}
        self._applied: list[Application] = []
        self._places: list[Place] = []

    def add(self, node: NodePath) -> None:
        """Know that this node shows the picture."""
        anchor = self._known.get(address(node.node()))
        if self._counts and (anchor is None or anchor.panda_node is None):
            self._known[address(node.node())] = Anchor(NodePath(node.node()))

    def apply(self, node: NodePath, texture: Texture, stage: TextureStage, transparent: bool) -> None:
        """Put the picture on a user's node, in place of what it has on this stage."""
        replaced = [use for use in self._applied if use.is_on(node) and use.stage == stage]
        for use in [*replaced, *(use for use in self._applied if use.anchor.panda_node is None)]:
            self._take_off(use)
        self._applied.append(Application(node, texture, stage, transparent))
        self.add(node)

    def release(self, node: NodePath) -> None:
        """Give a node back as it was found, and forget it."""
        for use in reversed([use for use in self._applied if use.is_on(node)]):
            self._take_off(use)
        anchor = self._known.get(address(node.node()))
        if anchor is not None and anchor.panda_node is not None:
            self._forget(address(node.node()))

    def begin(self) -> None:
        """Find where they are in this frame."""
        self._places.clear()
        for key, anchor in list(self._known.items()):
            node = anchor.panda_node
            if node is None:
                del self._known[key]
                # Flattening has made it a part of another one, which shows the picture from now on.
                rest = anchor.remains()
                if not rest.is_empty():
                    self.add(rest)
                    node = rest.node()
                anchor.release()
            if node is not None:
                self._places += places_of(node)

    def seen_in(self, view: View) -> bool:
        """True if one of them is seen there."""
        return any(view.sees(place) for place in self._places)

    def __bool__(self) -> bool:
        """True if there are any, in this frame."""
        return bool(self._places)

    def _forget(self, key: int) -> None:
        self._known.pop(key).release()

    def _take_off(self, use: Application) -> None:
        use.release()
        self._applied.remove(use)

    def destroy(self) -> None:
        """Give all nodes back. Idempotent."""
        # The last first: a node may carry several.
        for use in reversed(list(self._applied)):
            self._take_off(use)
        for key in list(self._known):
            self._forget(key)
        self._places.clear()
