"""Cut-outs: where alpha cuts a model away, nothing is marked, and where it does not, everything is.

What the base draws is what decides: its own picture is the expectation. Colours are unlit, marks full.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from panda3d.core import (
    AlphaTestAttrib,
    GeomNode,
    GeomVertexFormat,
    GeomVertexReader,
    GeomVertexWriter,
    InternalName,
    NodePath,
    RenderAttrib,
    SamplerState,
    Texture,
    TextureStage,
    TransparencyAttrib,
)

from pictures import (
    PLAIN_VERTEX,
    Bytes,
    Floats,
    changed,
    flat_card,
    glsl,
    grid_card,
    look_from,
    rgb,
    shown,
    stamps_on,
)
from support import compare_images, screenshot

SKY = (0.5, 0.25, 0.75, 1.0)
MARK = (1.0, 0.0, 0.5)
# The picture before is rounded, the one after, and the blend between them.
TOLERANCE = 2.01
SIZE = 4.0
STAIRS = np.arange(0, 256, 17, dtype=np.uint8)


def image(alpha: Bytes, color: tuple[int, int, int] = (40, 160, 90), smooth: bool = False) -> Texture:
    """A texture of this colour and alpha (rows, columns), row 0 at v = 0."""
    height, width = alpha.shape
    texture = Texture("cut")
    texture.setup_2d_texture(width, height, Texture.T_unsigned_byte, Texture.F_rgba)
    pixels = np.empty((height, width, 4), np.uint8)
    pixels[..., :3] = color[::-1]
    pixels[..., 3] = alpha
    texture.set_ram_image(pixels.tobytes())
    filter_type: Any = SamplerState.FT_linear if smooth else SamplerState.FT_nearest
    texture.set_minfilter(filter_type)
    texture.set_magfilter(filter_type)
    return texture


def fence() -> Bytes:
    """Alpha of one bit: pickets and two rails, 64 x 64."""
    row, column = np.mgrid[0:64, 0:64]
    there = (column % 8 < 3) | (row % 24 < 4)
    result: Bytes = np.where(there, 255, 0).astype(np.uint8)
    return result


def stairs() -> Bytes:
    """Alpha that rises from column to column, 0 to 255 in steps of 17."""
    return np.tile(STAIRS, (16, 1))


def card(base: Any, scene: NodePath, texture: Texture | None) -> NodePath:
    """A card, seen from a slant, before a sky of its own colour."""
    result = flat_card(scene, SIZE, (1, 1, 1, 1))
    if texture is not None:
        result.set_texture(texture)
    base.win.set_clear_color(SKY)
    look_from(base, (1.3, -6.0, 1.1))
    return result


def three_pictures(base: Any, node: NodePath, **fields: Any) -> tuple[Bytes, Bytes, Bytes]:
    """Without the node, with it, and with all of it marked."""
    node.hide()
    nothing = screenshot(base)
    node.show()
    plain = screenshot(base)
    with stamps_on(base, **fields) as stamps:
        full: Any = {"radius": 1e3, "hardness": 1.0, "color": MARK}
        assert stamps.hit(node, (0, 0, 0), other=node, **full) is not None
        marked = screenshot(base)
        stamps.clear_all()
        assert screenshot(base).tobytes() == plain.tobytes()
    return nothing, plain, marked


def full_mark(shape: tuple[int, ...]) -> Floats:
    """A mark over everything, premultiplied."""
    return np.broadcast_to(np.array([*MARK, 1.0]), (*shape, 4))


def check_cut(base: Any, node: NodePath, look: str = "paint", some: bool = True, **fields: Any) -> None:
    """Marked wherever the base is drawn; the same to the byte where it is not.

    Args:
        some: both kinds of pixels are there, many of each.
    """
    nothing, plain, marked = three_pictures(base, node, look=look, **fields)
    there = changed(plain, nothing)
    if some:
        assert there.sum() > 1000
        assert (~there).sum() > 1000
    assert not changed(marked, plain)[~there].any()
    expected = np.where(there[..., None], shown(plain, full_mark(plain.shape[:2]), look), rgb(plain))
    compare_images(rgb(marked), expected, TOLERANCE, f"cut-{look}")


# A fence of 1-bit alpha.


def cut_binary(node: NodePath) -> None:
    node.set_transparency(TransparencyAttrib.M_binary)


def cut_by_test(node: NodePath) -> None:
    node.set_attrib(AlphaTestAttrib.make(RenderAttrib.M_greater, 0.5))


def cut_dual(node: NodePath) -> None:
    node.set_transparency(TransparencyAttrib.M_dual)


def cut_by_blending(node: NodePath) -> None:
    node.set_transparency(TransparencyAttrib.M_alpha)


def cut_at_the_geom(node: NodePath) -> None:
    geoms = node.node()
    assert isinstance(geoms, GeomNode)
    state = geoms.get_geom_state(0)
    geoms.set_geom_state(0, state.set_attrib(TransparencyAttrib.make(TransparencyAttrib.M_binary)))


@pytest.mark.parametrize("look", ["paint", "tint", "glow"])
@pytest.mark.parametrize("cut", [cut_binary, cut_by_test, cut_dual, cut_by_blending, cut_at_the_geom])
def test_a_fence(base: Any, scene: NodePath, cut: Callable[[NodePath], None], look: str) -> None:
    node = card(base, scene, image(fence()))
    cut(node)
    check_cut(base, node, look)


def test_a_smooth_edge(base: Any, scene: NodePath) -> None:
    """Where filtering makes the alpha between texels, it is cut at the same half."""
    node = card(base, scene, image(fence(), smooth=True))
    cut_binary(node)
    check_cut(base, node)


def test_what_stands_behind_a_fence_is_not_marked(base: Any, scene: NodePath) -> None:
    wall = flat_card(scene, 2 * SIZE, (0.9, 0.8, 0.1, 1.0))
    wall.set_y(1.0)
    node = card(base, scene, image(fence()))
    cut_binary(node)
    check_cut(base, node)


def test_a_cut_that_comes_after_the_mark(base: Any, scene: NodePath) -> None:
    """The overlay follows at the next hit."""
    node = card(base, scene, image(fence()))
    with stamps_on(base) as stamps:
        full: Any = {"radius": 1e3, "hardness": 1.0, "color": MARK}
        stamps.hit(node, (0, 0, 0), other=node, **full)
        screenshot(base)
        cut_binary(node)
        stamps.hit(node, (0, 0, 0), other=node, **full)
        marked = screenshot(base)
    plain = screenshot(base)
    node.hide()
    there = changed(plain, screenshot(base))
    assert there.sum() > 1000
    assert not changed(marked, plain)[~there].any()
    assert (np.abs(rgb(marked)[there] - 255 * np.array(MARK)) <= TOLERANCE).all()


# Every comparison.

TESTS: dict[str, Any] = {
    "never": RenderAttrib.M_never,
    "less": RenderAttrib.M_less,
    "equal": RenderAttrib.M_equal,
    "less_equal": RenderAttrib.M_less_equal,
    "greater": RenderAttrib.M_greater,
    "not_equal": RenderAttrib.M_not_equal,
    "greater_equal": RenderAttrib.M_greater_equal,
    "always": RenderAttrib.M_always,
}
COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "never": lambda alpha, limit: np.zeros_like(alpha, bool),
    "less": np.less,
    "equal": np.equal,
    "less_equal": np.less_equal,
    "greater": np.greater,
    "not_equal": np.not_equal,
    "greater_equal": np.greater_equal,
    "always": lambda alpha, limit: np.ones_like(alpha, bool),
}


# 204 is an alpha of the picture; 60 lies between two, where no rounding decides.
@pytest.mark.parametrize("limit", [204, 60])
@pytest.mark.parametrize("mode", TESTS)
def test_every_alpha_test(base: Any, scene: NodePath, mode: str, limit: int) -> None:
    node = card(base, scene, image(stairs()))
    node.set_attrib(AlphaTestAttrib.make(TESTS[mode], limit / 255))
    passing = COMPARE[mode](STAIRS.astype(int), limit)
    check_cut(base, node, some=bool(0 < passing.sum() < len(STAIRS)))


def test_a_binary_cut_at_one_half(base: Any, scene: NodePath) -> None:
    node = card(base, scene, image(stairs()))
    cut_binary(node)
    check_cut(base, node)


@pytest.mark.parametrize("mode", [TransparencyAttrib.M_alpha, TransparencyAttrib.M_dual])
def test_transparency_weighs_the_mark(base: Any, scene: NodePath, mode: Any) -> None:
    node = card(base, scene, image(stairs()))
    node.set_transparency(mode)
    _, plain, marked = three_pictures(base, node)
    # Which column each pixel is of: by the picture of its alpha.
    node.set_transparency(TransparencyAttrib.M_none)
    columns = image(stairs())
    pixels = np.dstack([stairs()] * 3 + [np.full_like(stairs(), 255)])
    columns.set_ram_image(pixels.tobytes())
    node.set_texture(columns)
    alpha = screenshot(base)[..., 0] / 255.0
    node.hide()
    there = changed(plain, screenshot(base))
    weight = np.where(there, alpha, 0.0)[..., None]
    compare_images(rgb(marked), shown(plain, full_mark(plain.shape[:2]) * weight), TOLERANCE, "cut-weighted")
    assert not changed(marked, plain)[~there].any()


# Where the alpha comes from.


def second_stage(node: NodePath, alpha: Bytes) -> TextureStage:
    """Give a card a second texture that cuts it, over a first of no alpha."""
    first = image(np.full((2, 2), 255, np.uint8))
    node.set_texture(first)
    stage = TextureStage("cut")
    stage.set_sort(10)
    node.set_texture(stage, image(alpha, (255, 255, 255)))
    return stage


def test_a_texture_on_the_second_stage(base: Any, scene: NodePath) -> None:
    node = card(base, scene, None)
    second_stage(node, fence())
    cut_binary(node)
    check_cut(base, node)


def test_two_textures_that_cut(base: Any, scene: NodePath) -> None:
    """Their alphas are multiplied."""
    node = card(base, scene, None)
    second_stage(node, fence())
    node.set_texture(image(stairs()))
    cut_binary(node)
    check_cut(base, node)


def test_a_decal_does_not_cut(base: Any, scene: NodePath) -> None:
    """Its alpha says how much it covers; the first texture's stays."""
    node = card(base, scene, None)
    second_stage(node, fence()).set_mode(TextureStage.M_decal)
    cut_binary(node)
    check_cut(base, node, some=False)


def test_a_first_texture_that_a_second_replaces(base: Any, scene: NodePath) -> None:
    node = card(base, scene, None)
    second_stage(node, fence()).set_mode(TextureStage.M_replace)
    node.set_texture(image(stairs()))
    cut_binary(node)
    check_cut(base, node)


@pytest.mark.parametrize("stage", ["first", "second"])
def test_a_texture_matrix(base: Any, scene: NodePath, stage: str) -> None:
    node = card(base, scene, image(fence()))
    cutter = TextureStage.get_default() if stage == "first" else second_stage(node, fence())
    node.set_tex_scale(cutter, 0.5, 0.25)
    node.set_tex_offset(cutter, 0.3, 0.1)
    node.set_tex_rotate(cutter, 25)
    cut_binary(node)
    check_cut(base, node)


def test_a_texture_of_nothing_but_alpha(base: Any, scene: NodePath) -> None:
    texture = Texture("alpha")
    texture.setup_2d_texture(64, 64, Texture.T_unsigned_byte, Texture.F_alpha)
    texture.set_ram_image(fence().tobytes())
    texture.set_minfilter(SamplerState.FT_nearest)
    texture.set_magfilter(SamplerState.FT_nearest)
    node = card(base, scene, texture)
    cut_binary(node)
    check_cut(base, node)


def test_a_texture_without_alpha_cuts_nothing(base: Any, scene: NodePath) -> None:
    texture = Texture("opaque")
    texture.setup_2d_texture(2, 2, Texture.T_unsigned_byte, Texture.F_rgb)
    texture.set_ram_image(bytes(range(10, 130, 10)))
    node = card(base, scene, texture)
    cut_binary(node)
    check_cut(base, node, some=False)


@pytest.mark.parametrize("textured", [False, True])
@pytest.mark.parametrize("alpha", [0.3, 0.8])
def test_the_color_of_a_node_cuts(base: Any, scene: NodePath, alpha: float, textured: bool) -> None:
    node = card(base, scene, image(fence()) if textured else None)
    node.set_color(0.2, 0.7, 0.9, alpha)
    cut_binary(node)
    check_cut(base, node, some=textured and alpha > 0.5)


@pytest.mark.parametrize("textured", [False, True])
@pytest.mark.parametrize("alpha", [0.3, 0.8])
def test_the_color_scale_cuts(base: Any, scene: NodePath, alpha: float, textured: bool) -> None:
    """What the scale leaves above one half is drawn, and marked in full: it is opaque."""
    node = card(base, scene, image(fence()) if textured else None)
    node.set_color_scale(1, 1, 1, alpha)
    cut_binary(node)
    check_cut(base, node, some=textured and alpha > 0.5)


def test_the_colors_of_vertices_cut(base: Any, scene: NodePath) -> None:
    node = grid_card(scene, SIZE, 8)
    geoms = node.node()
    assert isinstance(geoms, GeomNode)
    paint_columns(geoms)
    node.set_light_off()
    base.win.set_clear_color(SKY)
    look_from(base, (1.3, -6.0, 1.1))
    cut_binary(node)
    check_cut(base, node)


def paint_columns(geoms: GeomNode) -> None:
    """Give a grid's vertices colours whose alpha is 1 on the right, 0.1 in the middle and on the left.

    Between two columns it falls off, and where it passes one half is no place that a rounding decides.
    """
    vertices = geoms.modify_geom(0).modify_vertex_data()
    vertices.set_format(vertices.get_format().get_union_format(GeomVertexFormat.get_v3c4()))
    points = GeomVertexReader(vertices, InternalName.get_vertex())
    colors = GeomVertexWriter(vertices, InternalName.get_color())
    for _ in range(vertices.get_num_rows()):
        colors.set_data4(0.2, 0.7, 0.9, 1.0 if points.get_data3()[0] > 0.01 else 0.1)


# Shaders of the user.

CUT_FRAGMENT = """#version 330
uniform sampler2D p3d_Texture0;
in vec2 v_texcoord;
out vec4 o_color;
void main() {
    o_color = texture(p3d_Texture0, v_texcoord);
    if (o_color.a < 0.5) {
        discard;
    }
}
"""


@pytest.mark.profiles
@pytest.mark.parametrize("look", ["paint", "tint", "glow"])
def test_a_wrapped_shader_that_discards(base: Any, scene: NodePath, look: str) -> None:
    """Nothing but the shader says so, and the mark is laid on in that same shader."""
    node = card(base, scene, image(fence()))
    node.set_shader(glsl(PLAIN_VERTEX, CUT_FRAGMENT))
    check_cut(base, node, look, display="wrap")


@pytest.mark.profiles
@pytest.mark.parametrize("display", ["overlay", "wrap"])
def test_a_shader_that_discards_and_a_state_that_says_so(base: Any, scene: NodePath, display: str) -> None:
    """The core profile has no alpha test of its own: there, such a shader is the only way to cut."""
    node = card(base, scene, image(fence()))
    node.set_shader(glsl(PLAIN_VERTEX, CUT_FRAGMENT))
    cut_binary(node)
    check_cut(base, node, display=display)


@pytest.mark.x11
def test_the_shader_generator_cuts(base: Any, scene: NodePath) -> None:
    node = card(base, scene, image(fence()))
    node.set_shader_auto()
    cut_binary(node)
    check_cut(base, node)
