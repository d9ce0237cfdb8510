"""What clips and dims put into the states of Geoms, and how it is taken out.

A Geom that a shader in GLSL draws gets that shader wrapped. One that fixed function or Panda's shader
generator draws gets texture stages, whose texture coordinates are places in the world.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from panda3d.core import (
    LVecBase4f,
    PTA_LVecBase4f,
    RenderAttrib,
    RenderState,
    SamplerState,
    Shader,
    ShaderAttrib,
    TexGenAttrib,
    TexMatrixAttrib,
    Texture,
    TextureAttrib,
    TextureStage,
    TransformState,
)

from panda_rtstamp.core.layers import with_attrib
from panda_rtstamp.core.shader import load_shader
from panda_rtstamp.core.wrap import Addition, wrap
from panda_rtstamp.errors import SurfaceError
from panda_rtstamp.vision.precise_sight import PreciseSight

_VERTEX = "rtstamp/vision/world.vert"
_PLAIN = ("rtstamp/vision/plain.vert", "rtstamp/vision/plain.frag")
_STAGE = "rtstamp-vision-"
# All inputs of what is appended to shaders.
_INPUTS = (
    "rtstamp_mask",
    "rtstamp_mask_rect",
    "rtstamp_mask_beyond",
    "rtstamp_mask_threshold",
    "rtstamp_dark",
    "rtstamp_sight_ends",
    "rtstamp_sight_walls",
    "rtstamp_sight_viewers",
)

# What our wrapped shaders were made of; and those, by what they were made of, what was appended, and how. For
# ever: Panda itself keeps every shader that is made of a text.
_sources: dict[Shader, Shader] = {}
_wrapped: dict[tuple[Shader, str, str], Shader] = {}


@dataclass(frozen=True)
class MaskInputs:
    """What consumers read of a mask.

    Attributes:
        texture: 1 is seen and 0 is not, in all channels; u along the world's +X, v along its +Y.
        rect: one entry, (center x, center y, width, height) of what the texture covers, in world units.
            Changed in place when the mask's window moves.
        beyond: what is outside: 0 hidden, 1 seen.
        threshold: clips show what is seen at least as much as this; above 0, up to 1.
        fixed_function: False in a core profile: there, Panda draws what has no shader by a simple one of its
            own, which knows no texture stages.
        precise: gives what the mask is made of, for precise clips; None: there is but the mask.
    """

    texture: Texture
    rect: PTA_LVecBase4f
    beyond: float
    threshold: float = 0.5
    fixed_function: bool = True
    precise: Callable[[], PreciseSight] | None = None

    @property
    def values(self) -> dict[str, Texture | PTA_LVecBase4f | float]:
        """The inputs of mask.glsl, by name."""
        return {
            "rtstamp_mask": self.texture,
            "rtstamp_mask_rect": self.rect,
            "rtstamp_mask_beyond": self.beyond,
        }

    @cached_property
    def sampler(self) -> SamplerState:
        """How texture stages read the mask. What is outside is the border's colour."""
        sampler = SamplerState()
        sampler.set_minfilter(SamplerState.FT_linear)
        sampler.set_magfilter(SamplerState.FT_linear)
        sampler.set_wrap_u(SamplerState.WM_border_color)
        sampler.set_wrap_v(SamplerState.WM_border_color)
        sampler.set_border_color(LVecBase4f(self.beyond))
        return sampler

    @property
    def transform(self) -> TransformState:
        """From the world's X and Y to u and v, as the window lies now."""
        x, y, width, height = self.rect[0]
        offset = (0.5 - x / width, 0.5 - y / height, 0.0)
        return TransformState.make_pos_hpr_scale(offset, (0.0, 0.0, 0.0), (1.0 / width, 1.0 / height, 1.0))


def mask_stage(name: str, sort: int) -> TextureStage:
    """A texture stage for a mask, which hands on what is below it unless it is told what to do."""
    stage = TextureStage(_STAGE + name)
    stage.set_sort(sort)
    # A name that no model has: flattening must not take the stage's transform for that of the model's UVs.
    stage.set_texcoord_name("rtstamp-world")
    stage.set_combine_rgb(TextureStage.CM_replace, TextureStage.CS_previous, TextureStage.CO_src_color)
    stage.set_combine_alpha(TextureStage.CM_replace, TextureStage.CS_previous, TextureStage.CO_src_alpha)
    return stage


def shader_to_wrap(net: RenderState, inputs: MaskInputs) -> Shader | None:
    """The shader that draws what is in this state; None where texture stages are the way."""
    attrib = net.get_attrib(ShaderAttrib)
    if isinstance(attrib, ShaderAttrib):
        if attrib.auto_shader():
            return None
        shader = attrib.get_shader()
        if isinstance(shader, Shader):
            return shader
    return None if inputs.fixed_function else load_shader(*_PLAIN)


def with_wrapped(
    net: RenderState,
    own: RenderState,
    shader: Shader,
    fragment: str,
    values: Mapping[str, float | Texture | PTA_LVecBase4f],
    number: int,
) -> RenderState:
    """A Geom's own state with a shader wrapped.

    Args:
        net: all that draws the Geom.
        own: the Geom's own part of it.
        shader: what draws it by now.
        fragment: the file that is appended to its fragment stage.
        values: the inputs of that.
        number: how often the shader was wrapped before.

    Raises:
        SurfaceError: it cannot be wrapped.
        ShaderError: Panda refuses the result.
    """
    used, attrib = net.get_attrib(ShaderAttrib), own.get_attrib(ShaderAttrib)
    priority = used.get_shader_priority() if isinstance(used, ShaderAttrib) else 0
    result = attrib if isinstance(attrib, ShaderAttrib) else ShaderAttrib.make()
    result = result.set_shader(_wrap(shader, fragment, f"_{number}"), priority)
    for name, value in values.items():
        result = result.set_shader_input(f"{name}_{number}", value, priority)
    return with_attrib(net, own, result)


def with_stages(
    net: RenderState, own: RenderState, inputs: MaskInputs, stages: Iterable[TextureStage]
) -> RenderState:
    """A Geom's own state with these stages of `mask_stage` turned on, at places in the world."""
    textures, generated = own.get_attrib(TextureAttrib), own.get_attrib(TexGenAttrib)
    on = textures if isinstance(textures, TextureAttrib) else TextureAttrib.make()
    by = generated if isinstance(generated, TexGenAttrib) else TexGenAttrib.make()
    for stage in stages:
        on = on.add_on_stage(stage, inputs.texture, inputs.sampler)
        by = by.add_stage(stage, TexGenAttrib.M_world_position)
    return with_attrib(net, with_attrib(net, own, on), by)


def mask_stages(own: RenderState) -> list[TextureStage]:
    """The stages of `mask_stage` that a state turns on."""
    textures = own.get_attrib(TextureAttrib)
    stages = textures.get_on_stages() if isinstance(textures, TextureAttrib) else ()
    return [stage for stage in stages if stage.get_name().startswith(_STAGE)]


def without_wrapped(own: RenderState) -> RenderState:
    """A Geom's own state with the shader that was wrapped, however often it was."""
    attrib = own.get_attrib(ShaderAttrib)
    shader = attrib.get_shader() if isinstance(attrib, ShaderAttrib) else None
    number = 0
    while isinstance(attrib, ShaderAttrib) and shader in _sources:
        shader = _sources[shader]
        attrib = attrib.set_shader(shader, attrib.get_shader_priority())
        for name in _INPUTS:
            attrib = attrib.clear_shader_input(f"{name}_{number}")
        number += 1
    return _with(own, attrib, ShaderAttrib.make()) if number and attrib is not None else own


def without_stages(own: RenderState) -> RenderState:
    """A Geom's own state without any stages of `mask_stage`."""
    for stage in mask_stages(own):
        textures, generated = own.get_attrib(TextureAttrib), own.get_attrib(TexGenAttrib)
        # Flattening moves those of nodes into Geoms.
        placed = own.get_attrib(TexMatrixAttrib)
        if isinstance(textures, TextureAttrib):
            own = _with(own, textures.remove_on_stage(stage), TextureAttrib.make())
        if isinstance(generated, TexGenAttrib):
            own = _with(own, generated.remove_stage(stage), TexGenAttrib.make())
        if isinstance(placed, TexMatrixAttrib):
            own = _with(own, placed.remove_stage(stage), TexMatrixAttrib.make())
    return own


def _with(own: RenderState, attrib: RenderAttrib, nothing: RenderAttrib) -> RenderState:
    """A state with this attribute, as strong as the one before; without it, if it says nothing."""
    slot = attrib.get_slot()
    if attrib == nothing:
        return own.remove_attrib(slot)
    return own.set_attrib(attrib, own.get_override(slot))


def _wrap(shader: Shader, fragment: str, suffix: str) -> Shader:
    key = shader, fragment, suffix
    if key not in _wrapped:
        wrapped = wrap(shader, Addition(_VERTEX, suffix=suffix), Addition(fragment, suffix=suffix))
        if wrapped is None:
            raise SurfaceError(f"its shader {_refusal(shader)}: it cannot be clipped or dimmed")
        _wrapped[key] = wrapped
        _sources[wrapped] = shader
    return _wrapped[key]


def _refusal(shader: Shader) -> str:
    """Why a shader cannot be wrapped."""
    if shader.get_language() == Shader.SL_Cg:
        return "is written in Cg, and only GLSL can be wrapped"
    if shader.get_language() != Shader.SL_GLSL:
        return "is not written in GLSL"
    if shader.get_text(Shader.ST_geometry):
        return "has a geometry stage"
    if shader.get_text(Shader.ST_tess_evaluation):
        return "has tessellation stages"
    return "has no main, or no plain colour output"
