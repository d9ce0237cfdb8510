"""Where alpha cuts a model away: what an overlay must know so as not to mark what is not drawn."""

from dataclasses import dataclass

from panda3d.core import (
    AlphaTestAttrib,
    LVecBase2f,
    RenderAttrib,
    RenderState,
    ShaderAttrib,
    Texture,
    TextureAttrib,
    TextureStage,
    TransparencyAttrib,
)

# How many textures an overlay's shader can look at.
MOST_STAGES = 3

_ALWAYS = (RenderAttrib.M_always, 0.0)
# What Panda adds to states of these transparencies by itself; it blends all others.
_OF_TRANSPARENCY = {
    TransparencyAttrib.M_none: _ALWAYS,
    TransparencyAttrib.M_binary: (RenderAttrib.M_greater_equal, 0.5),
    TransparencyAttrib.M_multisample_mask: (RenderAttrib.M_greater_equal, 0.5),
}
# Texture stages that leave the alpha before them as it is.
_NO_ALPHA = (
    TextureStage.M_decal,
    TextureStage.M_normal,
    TextureStage.M_height,
    TextureStage.M_normal_height,
    TextureStage.M_normal_gloss,
    TextureStage.M_emission,
)


@dataclass(frozen=True)
class Cutout:
    """How alpha decides what is drawn of a Geom.

    Attributes:
        test: how alpha is compared, and with what.
        blends: alpha thins out what passes.
        vertex_alpha: the alpha of the vertices and the colour scale counts.
        textures: the stages and the textures whose alphas count.
    """

    test: tuple[int, float]
    blends: bool
    vertex_alpha: bool
    textures: tuple[tuple[TextureStage, Texture], ...]

    @property
    def stages(self) -> int:
        """How many textures count."""
        return len(self.textures)

    def on(self, state: RenderState, priority: int) -> RenderState:
        """The state of an overlay's Geom, which has a shader, with what the shader needs for this."""
        shader = state.get_attrib(ShaderAttrib)
        assert isinstance(shader, ShaderAttrib)
        inputs = {
            "u_alpha_test": LVecBase2f(*self.test),
            "u_alpha_blends": int(self.blends),
            "u_vertex_alpha": int(self.vertex_alpha),
        }
        for name, value in inputs.items():
            shader = shader.set_shader_input(name, value, priority)
        # Only the stages that count, so that the shader finds them as its first ones.
        textures = TextureAttrib.make_all_off()
        for stage, texture in self.textures:
            textures = textures.add_on_stage(stage, texture)
        return state.set_attrib(shader, priority).set_attrib(textures, priority)


def cutout_of(base: RenderState) -> Cutout:
    """The cut-out of what is drawn in this state, without a shader or with one that does alike."""
    transparency = base.get_attrib(TransparencyAttrib)
    mode = (
        transparency.get_mode() if isinstance(transparency, TransparencyAttrib) else TransparencyAttrib.M_none
    )
    test = _OF_TRANSPARENCY.get(mode, (RenderAttrib.M_greater, 0.0))
    own = base.get_attrib(AlphaTestAttrib)
    if isinstance(own, AlphaTestAttrib) and own.get_mode() != RenderAttrib.M_none:
        test = own.get_mode(), own.get_reference_alpha()
    blends = mode not in _OF_TRANSPARENCY
    if test == _ALWAYS and not blends:
        return Cutout(_ALWAYS, False, False, ())
    replaced, textures = _alpha_textures(base)
    return Cutout(test, blends, not replaced, tuple(textures[:MOST_STAGES]))


def _alpha_textures(base: RenderState) -> tuple[bool, list[tuple[TextureStage, Texture]]]:
    """The textures whose alphas are multiplied; and if one of them replaces the alpha of the vertices."""
    attrib = base.get_attrib(TextureAttrib)
    found: list[tuple[TextureStage, Texture]] = []
    replaced = False
    if isinstance(attrib, TextureAttrib):
        for number in range(attrib.get_num_on_stages()):
            stage = attrib.get_on_stage(number)
            texture = attrib.get_on_texture(stage)
            if stage.get_mode() in _NO_ALPHA or texture.get_texture_type() != Texture.TT_2d_texture:
                continue
            if stage.get_mode() == TextureStage.M_replace:
                found, replaced = [], True
            found.append((stage, texture))
    return replaced, found
