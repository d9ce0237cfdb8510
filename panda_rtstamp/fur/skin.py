"""What a coat takes over from the skin that it stands on: colour, sides, fog, and when it is drawn."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from panda3d.core import (
    ColorAttrib,
    CullBinAttrib,
    CullBinManager,
    CullFaceAttrib,
    DepthTestAttrib,
    Fog,
    FogAttrib,
    Geom,
    GeomVertexData,
    InternalName,
    LVecBase4f,
    MaterialAttrib,
    RenderAttrib,
    RenderState,
    ShaderAttrib,
    TexMatrixAttrib,
    Texture,
    TextureAttrib,
    TextureStage,
    TransparencyAttrib,
)

from panda_rtstamp.core.geometry import column, triangles

# What shaders/common/skinning.glsl has room for.
_MOST_JOINTS, _MOST_WEIGHTS = 100, 4
_TAKEN = (CullFaceAttrib, ColorAttrib, TexMatrixAttrib)
_COLORING = (
    TextureStage.M_modulate,
    TextureStage.M_replace,
    TextureStage.M_decal,
    TextureStage.M_blend,
    TextureStage.M_modulate_glow,
    TextureStage.M_modulate_gloss,
)
_FOG_MODES = {Fog.M_linear: 1, Fog.M_exponential: 2, Fog.M_exponential_squared: 3}
_WHITE = Texture("rtstamp-fur-white")
_WHITE.setup_2d_texture(1, 1, Texture.T_unsigned_byte, Texture.F_rgba)
_WHITE.set_clear_color((1.0, 1.0, 1.0, 1.0))
_WHITE.clear_image()


@dataclass(frozen=True)
class Skin:
    """A Geom's look.

    Attributes:
        taken: the part of its own state that goes for the coat too.
        stage, texture: what gives it its colour.
        albedo: of its material.
        vertex_color: whether the colours of its vertices count.
        alpha: whether the alpha of those and of the texture does.
    """

    taken: RenderState
    stage: TextureStage
    texture: Texture
    albedo: LVecBase4f
    vertex_color: bool
    alpha: bool


def skin_of(net: RenderState, own: RenderState) -> Skin:
    """The look of a Geom that is drawn in the state `net`, of which `own` is its own part."""
    taken = RenderState.make_empty()
    for kind in _TAKEN:
        attrib = own.get_attrib(kind)
        taken = taken if attrib is None else taken.set_attrib(attrib, own.get_override(kind.get_class_slot()))
    stage, texture = _coloring(net)
    albedo = _albedo(net)
    transparency = net.get_attrib(TransparencyAttrib)
    alpha = (
        isinstance(transparency, TransparencyAttrib) and transparency.get_mode() != TransparencyAttrib.M_none
    )
    return Skin(taken, stage, texture, albedo or LVecBase4f(1.0), albedo is None, alpha)


def _coloring(net: RenderState) -> tuple[TextureStage, Texture]:
    attrib = net.get_attrib(TextureAttrib)
    if not isinstance(attrib, TextureAttrib):
        return TextureStage.get_default(), _WHITE
    for stage in attrib.get_on_stages():
        texture = attrib.get_on_texture(stage)
        colors = stage.get_mode() in _COLORING
        if colors and texture.get_texture_type() == Texture.TT_2d_texture:
            return stage, texture
    return TextureStage.get_default(), _WHITE


def _albedo(net: RenderState) -> LVecBase4f | None:
    """The material's colour; None where that of the vertices takes its place, as for fixed function."""
    attrib = net.get_attrib(MaterialAttrib)
    material = attrib.get_material() if isinstance(attrib, MaterialAttrib) else None
    if material is None:
        return None
    if material.has_base_color():
        return LVecBase4f(material.get_base_color())
    return LVecBase4f(material.get_diffuse()) if material.has_diffuse() else None


def fog_mode(net: RenderState) -> int:
    """The fog's, as common/lighting.glsl numbers it."""
    attrib = net.get_attrib(FogAttrib)
    fog = attrib.get_fog() if isinstance(attrib, FogAttrib) else None
    return _FOG_MODES[fog.get_mode()] if fog is not None else 0


def bin_of(net: RenderState) -> CullBinAttrib:
    """The bin that draws a coat after its skin: with what is transparent, or where a later skin is, next."""
    own = net.get_attrib(CullBinAttrib)
    manager = CullBinManager.get_global_ptr()
    number = manager.find_bin(own.get_bin_name()) if isinstance(own, CullBinAttrib) else -1
    later = manager.get_bin_sort(manager.find_bin("transparent"))
    if isinstance(own, CullBinAttrib) and number >= 0 and manager.get_bin_sort(number) > later:
        return CullBinAttrib.make(own.get_bin_name(), own.get_draw_order() + 1)
    return CullBinAttrib.make("transparent", 0)


def depth_test(net: RenderState) -> DepthTestAttrib | None:
    """What keeps a coat behind what is before it, and off where it touches the skin; None: as the skin."""
    own = net.get_attrib(DepthTestAttrib)
    usual = (RenderAttrib.M_less, RenderAttrib.M_less_equal)
    if isinstance(own, DepthTestAttrib) and own.get_mode() not in usual:
        return None
    return DepthTestAttrib.make(RenderAttrib.M_less)


def keeps_rest_pose(vertices: GeomVertexData, net: RenderState) -> bool:
    """Whether a shader can be given vertices as they are at rest: what is static, or skinned as it allows.

    Morphs are worked out on the processor alone, and so is what has too many joints.
    """
    attrib = net.get_attrib(ShaderAttrib)
    if isinstance(attrib, ShaderAttrib) and attrib.get_flag(ShaderAttrib.F_hardware_skinning):
        return True
    blends, sliders = vertices.get_transform_blend_table(), vertices.get_slider_table()
    if sliders is not None and sliders.get_num_sliders() > 0:
        return False
    if blends is None:
        return True
    weights = blends.get_max_simultaneous_transforms()
    return blends.get_num_transforms() <= _MOST_JOINTS and weights <= _MOST_WEIGHTS


def strand_texcoord(vertices: GeomVertexData, colored: TextureStage) -> InternalName | None:
    """The texture coordinates that can place strands: those of the colour, or others; None without any."""
    layout = vertices.get_format()
    names = [layout.get_texcoord(number) for number in range(layout.get_num_texcoords())]
    if colored.get_texcoord_name() in names:
        return colored.get_texcoord_name()
    return names[0] if names else None


def strand_stage(vertices: GeomVertexData, colored: TextureStage) -> TextureStage:
    """The stage of the strands' texture, which comes right after the one that gives the skin its colour."""
    return _stage(str(strand_texcoord(vertices, colored) or "texcoord"), colored.get_sort() + 1)


@lru_cache
def _stage(name: str, sort: int) -> TextureStage:
    stage = TextureStage("rtstamp-fur-strands")
    stage.set_texcoord_name(InternalName.make(name))
    stage.set_sort(sort)
    return stage


def units_per_uv(geom: Geom, name: str) -> tuple[float, float]:
    """How far on the surface one unit of u and one of v reach, in the Geom's space: the mean by area."""
    vertices = geom.get_vertex_data()
    points, uvs = column(vertices, "vertex"), column(vertices, name)
    corners = triangles(geom)
    if points is None or uvs is None or not len(corners):
        return 1.0, 1.0
    p, t = points[corners, :3].astype(float), uvs[corners, :2].astype(float)
    edges, ways = p[:, 1:] - p[:, :1], t[:, 1:] - t[:, :1]
    size = ways[:, 0, 0] * ways[:, 1, 1] - ways[:, 0, 1] * ways[:, 1, 0]
    kept = np.abs(size) > 1e-12
    if not kept.any():
        return 1.0, 1.0
    edges, ways, size = edges[kept], ways[kept], size[kept, None]
    along_u = (edges[:, 0] * ways[:, 1, 1:] - edges[:, 1] * ways[:, 0, 1:]) / size
    along_v = (edges[:, 1] * ways[:, 0, :1] - edges[:, 0] * ways[:, 1, :1]) / size
    area = np.linalg.norm(np.cross(edges[:, 0], edges[:, 1]), axis=1)
    total = max(float(area.sum()), 1e-12)
    means = [float((np.linalg.norm(way, axis=1) * area).sum() / total) for way in (along_u, along_v)]
    return max(means[0], 1e-9), max(means[1], 1e-9)
