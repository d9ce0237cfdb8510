"""Who shows the marks of a bound node: an overlay, the model's own shader wrapped by us, or the user's
shader.
"""

from functools import lru_cache
from typing import Protocol

from panda3d.core import (
    BitMask32,
    ColorBlendAttrib,
    CullBinAttrib,
    CullBinManager,
    CullFaceAttrib,
    DepthOffsetAttrib,
    DepthTestAttrib,
    DepthWriteAttrib,
    Fog,
    FogAttrib,
    GeomNode,
    NodePath,
    PandaNode,
    RenderAttrib,
    RenderState,
    Shader,
    ShaderAttrib,
    TransformState,
    TransparencyAttrib,
)

from panda_rtstamp.core import wrap
from panda_rtstamp.core.anchor import Anchor
from panda_rtstamp.core.log import warn_once
from panda_rtstamp.core.shader import load_shader
from panda_rtstamp.errors import ShaderError
from panda_rtstamp.stamps.capture import CAPTURE_BIT
from panda_rtstamp.stamps.config import StampConfig
from panda_rtstamp.stamps.inputs import NAMES, MarkInputs
from panda_rtstamp.stamps.surface import OVERLAY_TAG, Prepared, Surface

OVERLAY_VERTEX = "rtstamp/stamps/overlay.vert"
OVERLAY_FRAGMENT = "rtstamp/stamps/overlay.frag"
LOOKS = ("paint", "tint", "glow")

# Above what games use on their models, below what they use to force something on everything.
_PRIORITY = 1000
_BIN = "rtstamp"
_BIN_SORT = 25  # between Panda's 'opaque' (20) and 'transparent' (30)

_BLENDS = {
    "paint": ColorBlendAttrib.make(
        ColorBlendAttrib.M_add, ColorBlendAttrib.O_one, ColorBlendAttrib.O_one_minus_incoming_alpha
    ),
    "tint": ColorBlendAttrib.make(
        ColorBlendAttrib.M_add, ColorBlendAttrib.O_zero, ColorBlendAttrib.O_incoming_color
    ),
    "glow": ColorBlendAttrib.make(ColorBlendAttrib.M_add, ColorBlendAttrib.O_one, ColorBlendAttrib.O_one),
}
_FOG_MODES = {Fog.M_linear: 1, Fog.M_exponential: 2, Fog.M_exponential_squared: 3}


class Display(Protocol):
    """What shows one node's marks."""

    def update(self, inputs: MarkInputs) -> None:
        """Show these from now on."""

    def remove(self) -> None:
        """Leave the node as it was found. Idempotent."""


def make_display(config: StampConfig, anchor: Anchor, surface: Surface, inputs: MarkInputs) -> Display:
    """The display that the config asks for, showing `inputs`.

    A part whose shader cannot be wrapped (fixed function, the shader generator, Cg) gets an overlay instead.
    """
    if config.display == "shader":
        return UserShader(anchor, inputs)
    members: list[Display] = []
    if config.display != "none":
        for part, path in surface.standing():
            wrapped = wrapped_shader(path, config.look) if config.display == "wrap" else None
            if wrapped is not None:
                members.append(Wrap(part.anchor, path, wrapped, inputs))
            elif any(part.prepared.marked):
                members.append(Overlay(path, part.prepared, config.look, inputs))
    return Displays(members)


class Displays:
    """Several displays as one."""

    def __init__(self, members: list[Display]) -> None:
        self._members = members

    def update(self, inputs: MarkInputs) -> None:
        """Show these from now on."""
        for member in self._members:
            member.update(inputs)

    def remove(self) -> None:
        """Leave the nodes as they were found."""
        for member in self._members:
            member.remove()
        self._members = []


def overlay_shader(look: str) -> Shader:
    """The shader that draws marks over a model."""
    return load_shader(OVERLAY_VERTEX, OVERLAY_FRAGMENT, overlay_defines(look))


def overlay_defines(look: str) -> dict[str, int]:
    """The structure of the overlay's shader for a look."""
    return {"LOOK": LOOKS.index(look)}


class Overlay:
    """A GeomNode below the model's, with the same Geoms: it follows transforms, hiding and skinning by
    itself.
    """

    def __init__(self, path: NodePath, prepared: Prepared, look: str, inputs: MarkInputs) -> None:
        base = path.node()
        assert isinstance(base, GeomNode)
        self._shader = ShaderAttrib.make(overlay_shader(look), _PRIORITY)
        self._shader = self._shader.set_shader_input("u_fog_mode", _fog_mode(path), _PRIORITY)
        self._state = _overlay_state(path, look)
        self.node = _overlay_node(path, base, prepared)
        parent, transform, state = _attachment(path)
        self.node.set_transform(transform)
        self._state = state.compose(self._state)
        parent.add_child(self.node)
        # By the node path: it keeps the bit that says whether any camera may see the node.
        NodePath(self.node).hide(BitMask32.bit(CAPTURE_BIT))
        self.update(inputs)

    def update(self, inputs: MarkInputs) -> None:
        """Show these from now on."""
        self.node.set_state(self._state.set_attrib(inputs.on(self._shader, _PRIORITY), _PRIORITY))

    def remove(self) -> None:
        """Take the overlay away."""
        for parent in list(self.node.get_parents()):
            parent.remove_child(self.node)


def _overlay_node(path: NodePath, base: GeomNode, prepared: Prepared) -> GeomNode:
    node = GeomNode(OVERLAY_TAG)
    node.set_tag(OVERLAY_TAG, "1")
    node.set_preserved(True)
    node.set_into_collide_mask(BitMask32.all_off())
    node.add_geoms_from(base)
    net = path.get_net_state()
    for index in reversed(range(node.get_num_geoms())):
        if prepared.marked[index]:
            node.set_geom_state(index, _geom_state(net, base.get_geom_state(index)))
        else:
            node.remove_geom(index)
    return node


def _geom_state(net: RenderState, geom: RenderState) -> RenderState:
    """What an overlay takes over from the Geom it covers: which sides are seen, and when it is drawn."""
    state = RenderState.make(_bin_attrib(net.compose(geom)), _PRIORITY)
    sides = geom.get_attrib(CullFaceAttrib)
    return state if sides is None else state.set_attrib(sides)


def _bin_attrib(base: RenderState) -> CullBinAttrib:
    """The bin that draws an overlay after its base.

    One of ours over what is opaque; the base's own if it draws in the order of the scene; a later one else.
    """
    own = base.get_attrib(CullBinAttrib)
    manager = CullBinManager.get_global_ptr()
    number = manager.find_bin(own.get_bin_name()) if isinstance(own, CullBinAttrib) else -1
    if isinstance(own, CullBinAttrib) and number >= 0:
        if manager.get_bin_type(number) in (CullBinManager.BT_fixed, CullBinManager.BT_unsorted):
            return CullBinAttrib.make(own.get_bin_name(), own.get_draw_order())
        sort = manager.get_bin_sort(number)
        if sort >= manager.get_bin_sort(manager.find_bin("fixed")):
            return CullBinAttrib.make(_bin(f"{_BIN}-{sort + 1}", sort + 1), 0)
        if sort >= _BIN_SORT:
            return CullBinAttrib.make("fixed", 0)
    if _is_transparent(base):
        return CullBinAttrib.make("fixed", 0)
    return CullBinAttrib.make(_bin(_BIN, _BIN_SORT), 0)


def _is_transparent(state: RenderState) -> bool:
    attrib = state.get_attrib(TransparencyAttrib)
    return isinstance(attrib, TransparencyAttrib) and attrib.get_mode() not in (
        TransparencyAttrib.M_none,
        TransparencyAttrib.M_binary,
        TransparencyAttrib.M_multisample_mask,
    )


def _bin(name: str, sort: int) -> str:
    manager = CullBinManager.get_global_ptr()
    if manager.find_bin(name) < 0:
        manager.add_bin(name, CullBinManager.BT_state_sorted, sort)
    return name


def _overlay_state(path: NodePath, look: str) -> RenderState:
    attribs: list[RenderAttrib] = [
        _BLENDS[look],
        TransparencyAttrib.make(TransparencyAttrib.M_none),
        DepthWriteAttrib.make(DepthWriteAttrib.M_off),
        DepthOffsetAttrib.make(1),
    ]
    depth = path.get_net_state().get_attrib(DepthTestAttrib)
    if not isinstance(depth, DepthTestAttrib) or depth.get_mode() == RenderAttrib.M_less:
        attribs.append(DepthTestAttrib.make(RenderAttrib.M_less_equal))
    state = RenderState.make_empty()
    for attrib in attribs:
        state = state.add_attrib(attrib, _PRIORITY)
    return state


def _attachment(path: NodePath) -> tuple[PandaNode, TransformState, RenderState]:
    """Where an overlay hangs: below the GeomNode, or, for one of several instances, above what they share."""
    above = path
    node = path
    while node.has_parent():
        if node.node().get_num_parents() > 1:
            above = node.get_parent()
        node = node.get_parent()
    if above == path:
        return path.node(), TransformState.make_identity(), RenderState.make_empty()
    return above.node(), path.get_transform(above), path.get_state(above)


def _fog_mode(path: NodePath) -> int:
    attrib = path.get_net_state().get_attrib(FogAttrib)
    fog = attrib.get_fog() if isinstance(attrib, FogAttrib) else None
    return _FOG_MODES[fog.get_mode()] if fog is not None else 0


@lru_cache(maxsize=64)
def _wrap(shader: Shader, look: str) -> Shader | None:
    vertex = wrap.Addition("rtstamp/stamps/wrap.vert")
    fragment = wrap.Addition("rtstamp/stamps/wrap.frag", (("RTSTAMP_LOOK", f"rtstamp_{look}"),))
    return wrap.wrap(shader, vertex, fragment)


def wrapped_shader(path: NodePath, look: str) -> Shader | None:
    """The shader that draws this GeomNode, with the marks added; None where that cannot be done."""
    attrib = path.get_net_state().get_attrib(ShaderAttrib)
    if not isinstance(attrib, ShaderAttrib) or attrib.auto_shader() or attrib.get_shader() is None:
        return None
    node = path.node()
    assert isinstance(node, GeomNode)
    if any(node.get_geom_state(index).has_attrib(ShaderAttrib) for index in range(node.get_num_geoms())):
        return None
    shader = attrib.get_shader()
    assert isinstance(shader, Shader)
    try:
        wrapped = _wrap(shader, look)
    except ShaderError as error:
        warn_once(
            f"wrap {path}", f"{path}: its shader cannot be wrapped, an overlay shows its marks: {error}"
        )
        return None
    if wrapped is None:
        warn_once(
            f"wrap {path}",
            f"{path}: only GLSL of a vertex and a fragment stage can be wrapped, an overlay shows its marks",
        )
    return wrapped


class OwnShaderAttrib:
    """A node's own ShaderAttrib, changed for a while, then put back but for what the user did."""

    def __init__(self, anchor: Anchor) -> None:
        self._anchor = anchor
        self._found, self._found_override = _own_attrib(anchor.node().node())
        self._set: ShaderAttrib | None = None

    @property
    def current(self) -> ShaderAttrib:
        """The attribute as it is now; an empty one if there is none."""
        path = self._anchor.node()
        own = None if path.is_empty() else _own_attrib(path.node())[0]
        return own if own is not None else ShaderAttrib.make()

    @property
    def changed(self) -> bool:
        """True once `put` was called."""
        return self._set is not None

    def put(self, attrib: ShaderAttrib, override: int) -> None:
        """Set the attribute."""
        path = self._anchor.node()
        if not path.is_empty():
            self._set = attrib
            path.node().set_attrib(attrib, override)

    def restore(self, shader: Shader | None) -> None:
        """Undo: wholly if nobody else changed it, else just our inputs, and our `shader` if it is still
        there.
        """
        path = self._anchor.node()
        own = None if path.is_empty() else _own_attrib(path.node())[0]
        if own is None or self._set is None:
            return
        if own != self._set:
            path.node().set_attrib(self._undone(own, shader), self._found_override)
        elif self._found is None:
            path.node().clear_attrib(ShaderAttrib.get_class_slot())
        else:
            path.node().set_attrib(self._found, self._found_override)
        self._set = None

    def _undone(self, own: ShaderAttrib, shader: Shader | None) -> ShaderAttrib:
        if shader is not None and own.get_shader() == shader:
            found = self._found.get_shader() if self._found is not None else None
            own = own.clear_shader() if found is None else own.set_shader(found)
        for name in NAMES:
            own = own.clear_shader_input(name)
        return own


def _own_attrib(node: PandaNode) -> tuple[ShaderAttrib | None, int]:
    slot = ShaderAttrib.get_class_slot()
    own = node.get_attrib(slot)
    return (own if isinstance(own, ShaderAttrib) else None), node.get_state().get_override(slot)


class Wrap:
    """The model's own shader, wrapped: one pass, whatever the vertices do."""

    def __init__(self, anchor: Anchor, path: NodePath, shader: Shader, inputs: MarkInputs) -> None:
        net = path.get_net_state()
        used = net.get_attrib(ShaderAttrib)
        assert isinstance(used, ShaderAttrib)
        self._shader = shader
        self._priority = used.get_shader_priority()
        self._override = net.get_override(ShaderAttrib.get_class_slot())
        self._own = OwnShaderAttrib(anchor)
        self.update(inputs)

    def update(self, inputs: MarkInputs) -> None:
        """Show these from now on."""
        current = self._own.current
        if self._own.changed and current.get_shader() != self._shader:
            return  # The user set another shader meanwhile, and that stands.
        self._own.put(inputs.on(current.set_shader(self._shader, self._priority)), self._override)

    def remove(self) -> None:
        """Give the node back its shader."""
        self._own.restore(self._shader)


class UserShader:
    """The user's own shader shows the marks: the inputs are set on the bound node."""

    def __init__(self, anchor: Anchor, inputs: MarkInputs) -> None:
        self._own = OwnShaderAttrib(anchor)
        self.update(inputs)

    def update(self, inputs: MarkInputs) -> None:
        """Show these from now on."""
        self._own.put(inputs.on(self._own.current), 0)

    def remove(self) -> None:
        """Take the inputs away."""
        self._own.restore(None)
