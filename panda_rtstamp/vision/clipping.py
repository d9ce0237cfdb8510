"""Clips: what a mask does not show is not drawn, to the pixel."""

from panda3d.core import (
    AlphaTestAttrib,
    ColorBlendAttrib,
    NodePath,
    RenderAttrib,
    RenderState,
    Texture,
    TextureStage,
    TransparencyAttrib,
)

from panda_rtstamp.core.layers import with_attrib
from panda_rtstamp.vision.additions import MaskInputs, mask_stage, mask_stages, with_stages
from panda_rtstamp.vision.consumer import Consumer

_FRAGMENT = "rtstamp/vision/clip.frag"
_PRECISE_FRAGMENT = "rtstamp/vision/clip_precise.frag"
# After all textures of the model, any of which may replace the alpha.
_SORT = 1000
# Passes what has any alpha left.
_ANY_LEFT = AlphaTestAttrib.make(RenderAttrib.M_greater, 0.0)
_ALPHA_FACTORS = (ColorBlendAttrib.O_incoming_alpha, ColorBlendAttrib.O_one_minus_incoming_alpha)


class Clip(Consumer):
    """Draws of a node's subtree only what the mask shows, until it is released.

    Shaders in GLSL discard fragments where the mask is below the threshold. Without one, the alpha test does
    that to what is opaque. Where alpha has a meaning there, it is multiplied by the mask: what is transparent
    fades where the mask is soft.

    Args, Raises: as for Consumer; beside them
        precise: shaders in GLSL test the walls at each fragment. Everything else goes by the mask.
    """

    def __init__(self, node: NodePath, inputs: MaskInputs, precise: bool = False) -> None:
        self._replacing = mask_stage("clip-opaque", _SORT)
        self._replacing.set_combine_alpha(
            TextureStage.CM_replace, TextureStage.CS_texture, TextureStage.CO_src_alpha
        )
        self._modulating = mask_stage("clip", _SORT)
        self._modulating.set_combine_alpha(
            TextureStage.CM_modulate,
            TextureStage.CS_previous,
            TextureStage.CO_src_alpha,
            TextureStage.CS_texture,
            TextureStage.CO_src_alpha,
        )
        self._sight = inputs.precise() if precise and inputs.precise is not None else None
        values: dict[str, float | Texture] = {"rtstamp_mask_threshold": inputs.threshold}
        if self._sight is not None:
            values.update(self._sight.inputs)
        fragment = _FRAGMENT if self._sight is None else _PRECISE_FRAGMENT
        super().__init__(node, inputs, fragment, values, (self._replacing, self._modulating))
        if self._sight is not None:
            self._sight.add_user(self)

    def release(self) -> None:
        """See Consumer."""
        super().release()
        if self._sight is not None:
            self._sight.remove_user(self)

    def _staged(self, net: RenderState, own: RenderState) -> RenderState:
        if _has_alpha_test(net):
            # It holds back what has no alpha left.
            return with_stages(net, own, self.inputs, [self._modulating])
        if _uses_alpha(net):
            return with_attrib(net, with_stages(net, own, self.inputs, [self._modulating]), _ANY_LEFT)
        test = AlphaTestAttrib.make(RenderAttrib.M_greater_equal, self.inputs.threshold)
        return with_attrib(net, with_stages(net, own, self.inputs, [self._replacing]), test)

    def off(self, own: RenderState) -> RenderState:
        """See core.layers.Layer."""
        names = {stage.get_name() for stage in mask_stages(own)}
        slot = AlphaTestAttrib.get_class_slot()
        replaced, modulated = self._replacing.get_name() in names, self._modulating.get_name() in names
        if replaced or (modulated and own.get_attrib(slot) == _ANY_LEFT):
            own = own.remove_attrib(slot)
        return super().off(own)


def _has_alpha_test(net: RenderState) -> bool:
    test = net.get_attrib(AlphaTestAttrib)
    return isinstance(test, AlphaTestAttrib) and test.get_mode() not in (
        RenderAttrib.M_none,
        RenderAttrib.M_always,
    )


def _uses_alpha(net: RenderState) -> bool:
    """True if what is drawn depends on its alpha."""
    transparency, blend = net.get_attrib(TransparencyAttrib), net.get_attrib(ColorBlendAttrib)
    if isinstance(blend, ColorBlendAttrib) and blend.get_mode() != ColorBlendAttrib.M_none:
        return blend.get_operand_a() in _ALPHA_FACTORS or blend.get_operand_b() in _ALPHA_FACTORS
    return (
        isinstance(transparency, TransparencyAttrib) and transparency.get_mode() != TransparencyAttrib.M_none
    )
