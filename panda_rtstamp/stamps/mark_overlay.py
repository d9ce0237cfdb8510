"""The overlay: a second draw of a model's geometry that shows its marks, whatever draws the model."""

from panda3d.core import (
    AlphaTestAttrib,
    BitMask32,
    ColorAttrib,
    ColorBlendAttrib,
    CullBinAttrib,
    CullBinManager,
    CullFaceAttrib,
    DepthOffsetAttrib,
    DepthTestAttrib,
    DepthWriteAttrib,
    FadeLODNode,
    Fog,
    FogAttrib,
    GeomNode,
    NodePath,
    PandaNode,
    RenderAttrib,
    RenderState,
    Shader,
    ShaderAttrib,
    TexMatrixAttrib,
    TransformState,
    TransparencyAttrib,
)

from panda_rtstamp.core.anchor import Anchor, instance_path
from panda_rtstamp.core.layers import state_without
from panda_rtstamp.core.shader import load_shader
from panda_rtstamp.core.tags import OVERLAY_TAG
from panda_rtstamp.stamps.cutout import cutout_of
from panda_rtstamp.stamps.inputs import MarkInputs
from panda_rtstamp.stamps.prepared import Prepared

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


def overlay_shader(look: str, stages: int = 0) -> Shader:
    """The shader that draws marks over a model in which alpha of so many textures cuts holes."""
    return load_shader(OVERLAY_VERTEX, OVERLAY_FRAGMENT, overlay_defines(look, stages))


def overlay_defines(look: str, stages: int = 0) -> dict[str, int]:
    """The structure of the overlay's shader for a look."""
    return {"LOOK": LOOKS.index(look), "STAGES": stages}


class Overlay:
    """A GeomNode below the model's with the same Geoms: it follows transforms, hiding, skinning by itself."""

    def __init__(
        self, anchor: Anchor, path: NodePath, prepared: Prepared, look: str, inputs: MarkInputs
    ) -> None:
        base = path.node()
        assert isinstance(base, GeomNode)
        self._anchor = anchor
        self._look = look
        self._inputs = inputs
        self._net = path.get_net_state()
        self._fade_bin = _fade_bin(path)
        self._placement: list[object] | None = None
        self._geoms = [index for index in range(base.get_num_geoms()) if prepared.marked[index]]
        self.node = _overlay_node(base, prepared)
        parent, transform, self._between = _attachment(path)
        # Above the node that it covers, whose transform it must be given.
        self.hangs = parent != base
        self.node.set_transform(transform)
        parent.add_child(self.node)
        self._rebuild(base)
        self.follow_transform()

    def follow(self) -> None:
        """Notice a model that turned transparent, came into fog or changed its bin."""
        path = self._anchor.node()
        if path.is_empty() or self.node.get_num_parents() == 0:
            return
        self.follow_transform()
        net = path.get_net_state()
        base = path.node()
        if net != self._net and isinstance(base, GeomNode) and base.get_num_geoms() > max(self._geoms):
            self._net = net
            self._rebuild(base)

    def follow_transform(self) -> None:
        """Go where the node went, and away where it is not drawn, for an overlay that hangs above it."""
        placement = self._anchor.placement if self.hangs else self._placement
        if placement == self._placement:
            return
        self._placement = placement
        path = self._anchor.node()
        gone = path.is_empty() or path.is_hidden() or path.is_stashed()
        if gone != self.node.is_overall_hidden():
            self.node.set_overall_hidden(gone)
        if not gone:
            transform = _attachment(path)[1]
            if transform != self.node.get_transform():
                self.node.set_transform(transform)

    def _rebuild(self, base: GeomNode) -> None:
        self._state = self._between.compose(_overlay_state(self._net, self._look))
        self._shader = ShaderAttrib.make()
        for name, value in (("u_fog_mode", _fog_mode(self._net)), ("u_fog_clip", _is_generated(self._net))):
            self._shader = self._shader.set_shader_input(name, value, _PRIORITY)
        for number, index in enumerate(self._geoms):
            state = _geom_state(self._net, state_without(base, index), self._look)
            if self._fade_bin is not None:
                state = state.set_attrib(self._fade_bin, _PRIORITY)
            self.node.set_geom_state(number, state)
        self.update(self._inputs)

    def update(self, inputs: MarkInputs) -> None:
        """Show these from now on."""
        self._inputs = inputs
        self.node.set_state(self._state.set_attrib(inputs.on(self._shader, _PRIORITY), _PRIORITY))

    def remove(self) -> None:
        """Take the overlay away."""
        for parent in list(self.node.get_parents()):
            parent.remove_child(self.node)


def _overlay_node(base: GeomNode, prepared: Prepared) -> GeomNode:
    node = GeomNode(OVERLAY_TAG)
    node.set_tag(OVERLAY_TAG, "1")
    node.set_preserved(True)
    node.set_into_collide_mask(BitMask32.all_off())
    node.add_geoms_from(base)
    for index in reversed(range(node.get_num_geoms())):
        if not prepared.marked[index]:
            node.remove_geom(index)
    return node


def _geom_state(net: RenderState, geom: RenderState, look: str) -> RenderState:
    """What an overlay takes over from the Geom it covers: its sides, its holes, and when it is drawn."""
    base = net.compose(geom)
    cutout = cutout_of(base)
    shader = ShaderAttrib.make(overlay_shader(look, cutout.stages), _PRIORITY)
    state = RenderState.make(_bin_attrib(base), shader, _PRIORITY)
    for kind in (CullFaceAttrib, ColorAttrib, TexMatrixAttrib):
        attrib = geom.get_attrib(kind)
        state = state if attrib is None else state.set_attrib(attrib)
    return cutout.on(state, _PRIORITY)


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


def _fade_bin(path: NodePath) -> CullBinAttrib | None:
    """Where a level of detail is drawn while it fades; None if none does: its marks are to come after it."""
    while not path.is_empty():
        node = path.node()
        if isinstance(node, FadeLODNode):
            return CullBinAttrib.make(node.get_fade_bin_name(), node.get_fade_bin_draw_order() + 1)
        path = path.get_parent()
    return None


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


def _overlay_state(net: RenderState, look: str) -> RenderState:
    attribs: list[RenderAttrib] = [
        _BLENDS[look],
        TransparencyAttrib.make(TransparencyAttrib.M_none),
        AlphaTestAttrib.make(RenderAttrib.M_always, 1.0),
        DepthWriteAttrib.make(DepthWriteAttrib.M_off),
        DepthOffsetAttrib.make(1),
    ]
    depth = net.get_attrib(DepthTestAttrib)
    if not isinstance(depth, DepthTestAttrib) or depth.get_mode() == RenderAttrib.M_less:
        attribs.append(DepthTestAttrib.make(RenderAttrib.M_less_equal))
    state = RenderState.make_empty()
    for attrib in attribs:
        state = state.add_attrib(attrib, _PRIORITY)
    return state


def _attachment(path: NodePath) -> tuple[PandaNode, TransformState, RenderState]:
    """Where an overlay hangs: below the GeomNode, or, for one of several instances, above what they share."""
    above = instance_path(path)[-1]
    if above == path:
        return path.node(), TransformState.make_identity(), RenderState.make_empty()
    return above.node(), path.get_transform(above), path.get_state(above)


def _fog_mode(net: RenderState) -> int:
    attrib = net.get_attrib(FogAttrib)
    fog = attrib.get_fog() if isinstance(attrib, FogAttrib) else None
    return _FOG_MODES[fog.get_mode()] if fog is not None else 0


def _is_generated(net: RenderState) -> int:
    """1 if Panda's shader generator draws the model: its fog goes by the Z of clip space."""
    attrib = net.get_attrib(ShaderAttrib)
    return int(isinstance(attrib, ShaderAttrib) and attrib.auto_shader())
