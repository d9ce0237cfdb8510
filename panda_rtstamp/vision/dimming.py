"""Dims: what a mask does not show is drawn darker."""

from itertools import count

from panda3d.core import ColorBlendAttrib, LVecBase4f, NodePath, RenderState, TextureStage

from panda_rtstamp.vision.additions import MaskInputs, mask_stage, with_stages
from panda_rtstamp.vision.consumer import Consumer

_FRAGMENT = "rtstamp/vision/dim.frag"
# Before all textures of the model: there, the lit colour can be read twice. One dim after another.
_sorts = count(-1_000_000, 2)


class Dim(Consumer):
    """Multiplies the colour of a node's subtree by mix(dark, 1, seen), until it is released.

    Shaders in GLSL do that to what they give out. Without one it is done to the lit colour, by which the
    model's textures are multiplied then: a texture that replaces or adds to that colour stays bright, and of
    several dims the last one counts.

    Args:
        dark: what is left of the light where nothing is seen, 0..1.

    Other args, Raises: as for Consumer.
    """

    def __init__(self, node: NodePath, inputs: MaskInputs, dark: float = 0.15) -> None:
        sort = next(_sorts)
        darkened = mask_stage("dim-dark", sort)
        darkened.set_color(LVecBase4f(dark, dark, dark, 1.0))
        darkened.set_combine_rgb(
            TextureStage.CM_modulate,
            TextureStage.CS_primary_color,
            TextureStage.CO_src_color,
            TextureStage.CS_constant,
            TextureStage.CO_src_color,
        )
        mixed = mask_stage("dim", sort + 1)
        mixed.set_combine_rgb(
            TextureStage.CM_interpolate,
            TextureStage.CS_primary_color,
            TextureStage.CO_src_color,
            TextureStage.CS_previous,
            TextureStage.CO_src_color,
            TextureStage.CS_texture,
            TextureStage.CO_src_alpha,
        )
        super().__init__(node, inputs, _FRAGMENT, {"rtstamp_dark": dark}, (darkened, mixed))

    def on(self, net: RenderState, own: RenderState, number: int) -> RenderState:
        """See core.layers.Layer. What darkens what is behind it, as blob shadows do, is left as it is."""
        return own if _multiplies(net) else super().on(net, own, number)

    def _staged(self, net: RenderState, own: RenderState) -> RenderState:
        return with_stages(net, own, self.inputs, self._stages)


def _multiplies(net: RenderState) -> bool:
    """True if what is drawn is a factor of what is there, which is dimmed already."""
    blend = net.get_attrib(ColorBlendAttrib)
    if not isinstance(blend, ColorBlendAttrib) or blend.get_mode() != ColorBlendAttrib.M_add:
        return False
    operands = blend.get_operand_a(), blend.get_operand_b()
    return operands in (
        (ColorBlendAttrib.O_zero, ColorBlendAttrib.O_incoming_color),
        (ColorBlendAttrib.O_fbuffer_color, ColorBlendAttrib.O_zero),
    )
