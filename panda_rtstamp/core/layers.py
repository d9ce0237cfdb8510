"""Layers: changes to how GeomNodes are drawn that stand in the states of their Geoms, and go without a trace.

What users set stands on nodes, and is left alone there. A layer is laid over the state of each Geom: several
on one node in the order in which they came, and each may go at any time. Who wants to know a Geom's state as
it is without layers asks `state_without`.
"""

from collections.abc import Iterable
from typing import Protocol

from panda3d.core import (
    AlphaTestAttrib,
    ColorBlendAttrib,
    GeomNode,
    PandaNode,
    RenderAttrib,
    RenderState,
    ShaderAttrib,
    TexGenAttrib,
    TextureAttrib,
    TransparencyAttrib,
)

from panda_rtstamp.core.anchor import address
from panda_rtstamp.core.log import warn_once
from panda_rtstamp.errors import ShaderError, SurfaceError

# Of a state, what decides how layers are laid: these attributes, and how strongly these are set.
_DECISIVE = (TransparencyAttrib, AlphaTestAttrib, ColorBlendAttrib)
_OVERRIDDEN = (ShaderAttrib, TextureAttrib, TexGenAttrib, AlphaTestAttrib)

Look = tuple[object, ...]


class Layer(Protocol):
    """A change to how Geoms are drawn."""

    def on(self, net: RenderState, own: RenderState, number: int) -> RenderState:
        """A Geom's own state with this layer.

        Args:
            net: all that draws the Geom so far.
            own: the Geom's own part of it.
            number: how many layers lie below.

        Raises:
            SurfaceError, ShaderError: the layer cannot be laid over what draws the Geom.
        """

    def off(self, own: RenderState) -> RenderState:
        """A Geom's own state without layers of this kind, as far as can be told from the state alone."""


def look_of(net: RenderState) -> Look:
    """What decides, in the state that a node is drawn in, how layers are laid: equal if they stay the same.

    Shader inputs do not: games set them on `render` in every frame.
    """
    shader = net.get_attrib(ShaderAttrib)
    drawn_by: Look = None, False, 0
    if isinstance(shader, ShaderAttrib):
        drawn_by = shader.get_shader(), shader.auto_shader(), shader.get_shader_priority()
    attribs = (net.get_attrib(kind.get_class_slot()) for kind in _DECISIVE)
    return drawn_by, *attribs, *(net.get_override(kind.get_class_slot()) for kind in _OVERRIDDEN)


def with_attrib(net: RenderState, own: RenderState, attrib: RenderAttrib) -> RenderState:
    """The state `own` with an attribute that stands beside, or instead of, what `net` has of its kind."""
    # With an equal override, Panda composes the two; with another one, one of them would go.
    return own.set_attrib(attrib, net.get_override(attrib.get_slot()))


class Layered:
    """A GeomNode with layers. See `add`."""

    def __init__(self, node: GeomNode) -> None:
        self.key = address(node)
        # The node itself, if it were held, would never be destroyed: see anchor.py. There, instances differ.
        self._sentinel = PandaNode("rtstamp-layers")
        node.add_stashed(self._sentinel)
        self._layers: list[Layer] = []
        self._look: Look | None = None
        # Of each Geom, the state that it had and the one that was set.
        self._found: tuple[RenderState, ...] = ()
        self._set: tuple[RenderState, ...] = ()

    @property
    def _node(self) -> GeomNode | None:
        if not self._sentinel.get_num_parents():
            return None
        node = self._sentinel.get_parent(0)
        # Flattening moves the children of what it removes to another node.
        return node if isinstance(node, GeomNode) and address(node) == self.key else None

    @property
    def alive(self) -> bool:
        """False once the GeomNode was destroyed."""
        return self._node is not None

    @property
    def intact(self) -> bool:
        """True if the Geoms have the states that were set, or are gone."""
        node = self._node
        return node is None or node.get_geom_states() == self._set

    def state_without(self, index: int, state: RenderState) -> RenderState:
        """What the state that a Geom has now is without layers."""
        if index < len(self._set) and state == self._set[index]:
            return self._found[index]
        if state in _originals:
            return _originals[state]
        # Flattening makes new states, of those of nodes and Geoms.
        for layer in self._layers:
            state = layer.off(state)
        return state

    def add(self, layer: Layer) -> None:
        """Lay a layer over the others."""
        self._layers.append(layer)
        self._lay_anew()

    def remove(self, layer: Layer) -> None:
        """Take a layer away. Without any, the Geoms have the states again that they were found with."""
        self._layers = [other for other in self._layers if other is not layer]
        self._lay_anew()
        if not self._layers:
            for parent in list(self._sentinel.get_parents()):
                parent.remove_stashed(parent.find_stashed(self._sentinel))
            if _layered.get(self.key) is self:
                del _layered[self.key]

    def _lay_anew(self) -> None:
        self._look = None
        self.refresh()

    def refresh(self) -> None:
        """Take over what changed in how the node is drawn, or in the states of the Geoms."""
        node = self._node
        if node is None:
            return
        net = _net_state(node)
        look = look_of(net)
        states = node.get_geom_states()
        if look == self._look and states == self._set:
            return
        found = tuple(self.state_without(index, state) for index, state in enumerate(states))
        self._look, self._found = look, found
        self._set = tuple(self._laid(node, net, state) for state in found)
        for index, state in enumerate(self._set):
            if state != states[index]:
                node.set_geom_state(index, state)
            if state != found[index]:
                _originals[state] = found[index]

    def _laid(self, node: GeomNode, net: RenderState, own: RenderState) -> RenderState:
        for number, layer in enumerate(self._layers):
            try:
                own = layer.on(net.compose(own), own, number)
            except (SurfaceError, ShaderError) as error:
                name = _name(node)
                warn_once(f"layer {name}", f"{name}: {error}")
        return own


def _lineage(node: PandaNode) -> list[PandaNode]:
    """The node and those above it; by the first parent of each, where there are instances."""
    found = [node]
    while found[-1].get_num_parents():
        found.append(found[-1].get_parent(0))
    return found


def _net_state(node: PandaNode) -> RenderState:
    """What draws a node. For an instance, NodePath would ask for the one that is meant."""
    state = node.get_state()
    for above in _lineage(node)[1:]:
        state = above.get_state().compose(state)
    return state


def _name(node: PandaNode) -> str:
    return "/".join(above.get_name() for above in reversed(_lineage(node)))


# By the address of the GeomNode.
_layered: dict[int, Layered] = {}
# Of states that were set, those that they were made of: copies of a node with layers come with them.
_originals: dict[RenderState, RenderState] = {}


def add(node: GeomNode, layer: Layer) -> Layered:
    """Lay a layer over a GeomNode. Where it cannot be laid, it is left out, with a warning."""
    covered = _layered.get(address(node))
    if covered is None or not covered.alive:
        covered = _layered[address(node)] = Layered(node)
    covered.add(layer)
    return covered


def clean(nodes: Iterable[GeomNode], layer: Layer) -> None:
    """Take layers like this one out of nodes that came by them as copies or by flattening; forget them."""
    for node in nodes:
        if address(node) not in _layered:
            for index, state in enumerate(node.get_geom_states()):
                without = _originals.get(state) or layer.off(state)
                if without != state:
                    node.set_geom_state(index, without)
    for state in list(_originals):
        # Held by us alone, and by what Panda remembers of results.
        if state.get_ref_count() - state.get_cache_ref_count() <= 1:
            del _originals[state]


def check(node: GeomNode, layer: Layer) -> None:
    """Raise what `layer` raises if it cannot be laid over this GeomNode; the error names the node."""
    net = _net_state(node)
    try:
        for index in range(node.get_num_geoms()):
            own = layer.off(state_without(node, index))
            layer.on(net.compose(own), own, 0)
    except (SurfaceError, ShaderError) as error:
        raise type(error)(f"{_name(node)}: {error}") from None


def state_without(node: GeomNode, index: int) -> RenderState:
    """The state of a Geom as it is without layers."""
    state = node.get_geom_state(index)
    covered = _layered.get(address(node))
    return _originals.get(state, state) if covered is None else covered.state_without(index, state)
