"""Who shows a picture: nodes that are made for it, that it was put on, or that were named."""

from panda3d.core import (
    CardMaker,
    NodePath,
    RenderState,
    Texture,
    TextureAttrib,
    TextureStage,
    TransparencyAttrib,
)

from panda_rtstamp.core.anchor import Anchor
from panda_rtstamp.overlay.views import View

# Over what a model's own Geoms say.
_PRIORITY = 1
_SLOTS = (TextureAttrib.get_class_slot(), TransparencyAttrib.get_class_slot())


def make_card(texture: Texture, width: float, height: float, transparent: bool) -> NodePath:
    """A card around the origin, in the XZ plane and facing -Y, that shows a texture by nobody's light."""
    maker = CardMaker("rtstamp-picture")
    maker.set_frame(-width / 2.0, width / 2.0, -height / 2.0, height / 2.0)
    card = NodePath(maker.generate())
    card.set_light_off()
    show(card, texture, TextureStage.get_default(), transparent)
    return card


def show(node: NodePath, texture: Texture, stage: TextureStage, transparent: bool) -> None:
    """Put a texture of premultiplied colour on a node."""
    node.set_texture(stage, texture, _PRIORITY)
    if transparent:
        node.set_transparency(TransparencyAttrib.M_premultiplied_alpha, _PRIORITY)
    else:
        node.set_transparency(TransparencyAttrib.M_none, _PRIORITY)


class _Application:
    """A texture on a user's node, until `release`."""

    def __init__(self, node: NodePath, texture: Texture, stage: TextureStage, transparent: bool) -> None:
        self.anchor = Anchor(node)
        self._found = node.get_state()
        show(node, texture, stage, transparent)
        self._given = node.get_state()

    def release(self) -> None:
        """Give back what was found, where it is still what was given."""
        node = self.anchor.panda_node
        if node is not None:
            state = node.get_state()
            for slot in _SLOTS:
                if state.get_attrib(slot) == self._given.get_attrib(slot):
                    state = _with_slot_of(state, self._found, slot)
            node.set_state(state)
        self.anchor.release()


def _with_slot_of(state: RenderState, other: RenderState, slot: int) -> RenderState:
    """A state with another one's attribute of this kind, or without, if it has none."""
    attrib = other.get_attrib(slot)
    return state.remove_attrib(slot) if attrib is None else state.set_attrib(attrib, other.get_override(slot))


class Showing:
    """All nodes that are known to show one picture."""

    def __init__(self) -> None:
        self._known: list[Anchor] = []
        self._applied: list[_Application] = []

    def add(self, node: NodePath) -> None:
        """Know that this node shows the picture."""
        if not any(anchor.node() == node for anchor in self._known):
            self._known.append(Anchor(node))

    def apply(self, node: NodePath, texture: Texture, stage: TextureStage, transparent: bool) -> None:
        """Put the picture on a user's node."""
        self._applied.append(_Application(node, texture, stage, transparent))
        self.add(node)

    def release(self, node: NodePath) -> None:
        """Give a node back as it was found, and forget it."""
        for use in [use for use in self._applied if use.anchor.node() == node]:
            self._take_off(use)
        for anchor in [anchor for anchor in self._known if anchor.node() == node]:
            self._forget(anchor)

    def seen_in(self, view: View) -> bool:
        """True if one of them is seen there."""
        return any(view.sees(node) for node in self._nodes())

    def __bool__(self) -> bool:
        """True if there are any."""
        return bool(self._known)

    def _nodes(self) -> list[NodePath]:
        found = []
        for anchor in list(self._known):
            if anchor.alive:
                node = anchor.node()
                # The way to an instance may be gone for a while.
                found += [] if node.is_empty() else [node]
            else:
                self._forget(anchor)
        return found

    def _forget(self, anchor: Anchor) -> None:
        anchor.release()
        self._known.remove(anchor)

    def _take_off(self, use: _Application) -> None:
        use.release()
        self._applied.remove(use)

    def destroy(self) -> None:
        """Give all nodes back. Idempotent."""
        # The last first: a node may carry several.
        for use in reversed(list(self._applied)):
            self._take_off(use)
        for anchor in list(self._known):
            self._forget(anchor)
