"""Clips: the cut is where the mask's edge is, whatever draws the model."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from direct.actor.Actor import Actor
from panda3d.core import (
    AlphaTestAttrib,
    ColorBlendAttrib,
    GeomNode,
    GeomVertexFormat,
    GeomVertexWriter,
    NodePath,
    OrthographicLens,
    PointLight,
    RenderAttrib,
    Shader,
    TransparencyAttrib,
    UnalignedLVecBase4f,
)

from mask_support import (
    RENDERERS,
    SIZE,
    Cut,
    differences,
    draw_by,
    inputs_of,
    line_mask,
    own_shader,
    pictures_of,
    plain_texture,
    released,
    side,
    tessellation_shader,
    texture_of,
    tilted_card,
    without,
)
from panda_rtstamp.errors import ConfigError, SurfaceError
from panda_rtstamp.vision.clipping import Clip
from pictures import PLAIN_FRAGMENT, PLAIN_VERTEX, Floats, assert_same_scene, glsl, look_from, rgb, snapshot
from shader_texts import GEOMETRY
from support import PROFILE, make_card, run_case, screenshot, step

pytestmark = pytest.mark.profiles

CG = """//Cg
void vshader(float4 vtx_position : POSITION, uniform float4x4 mat_modelproj,
             out float4 l_position : POSITION) {
    l_position = mul(mat_modelproj, vtx_position);
}
void fshader(out float4 o_color : COLOR) {
    o_color = float4(1.0, 0.0, 0.0, 1.0);
}
"""


def blended(card: NodePath) -> None:
    card.set_transparency(TransparencyAttrib.M_alpha)
    card.set_alpha_scale(0.3)


def textured_alpha(card: NodePath) -> None:
    card.set_texture(plain_texture(128))
    card.set_transparency(TransparencyAttrib.M_alpha)


def alpha_tested(card: NodePath) -> None:
    card.set_texture(plain_texture(128))
    card.set_attrib(AlphaTestAttrib.make(RenderAttrib.M_greater, 0.25))


def added(card: NodePath) -> None:
    card.set_attrib(
        ColorBlendAttrib.make(ColorBlendAttrib.M_add, ColorBlendAttrib.O_one, ColorBlendAttrib.O_one)
    )
    # Its alpha has no meaning then.
    card.set_texture(plain_texture(0))


def vertex_colored(card: NodePath) -> None:
    """Red to yellow, of alpha 0."""
    card.clear_color()
    node = card.node()
    assert isinstance(node, GeomNode)
    vertices = node.modify_geom(0).modify_vertex_data()
    vertices.set_format(GeomVertexFormat.get_v3n3c4t2())
    writer = GeomVertexWriter(vertices, "color")
    for row in range(vertices.get_num_rows()):
        writer.set_data4(1.0, 0.3 * row, 0.0, 0.0)


def by_priority(card: NodePath) -> None:
    """Everything said louder than a consumer would by itself."""
    shader = card.get_shader()
    if shader is not None:
        card.set_shader(shader, 7)
    card.set_texture_off(8)
    card.set_attrib(AlphaTestAttrib.make(RenderAttrib.M_always, 1.0), 9)


MATERIALS = {
    "opaque": lambda card: None,
    "opaque, its texture without alpha": lambda card: card.set_texture(plain_texture(0)),
    "blended": blended,
    "textured alpha": textured_alpha,
    "binary": lambda card: card.set_transparency(TransparencyAttrib.M_binary),
    "dual": lambda card: card.set_transparency(TransparencyAttrib.M_dual),
    "alpha test": alpha_tested,
    "added": added,
    "vertex colors": vertex_colored,
    "priorities": by_priority,
}


@pytest.mark.parametrize("material", MATERIALS)
@pytest.mark.parametrize("renderer", RENDERERS)
def test_the_cut_is_where_the_edge_is(base: Any, scene: NodePath, renderer: str, material: str) -> None:
    card = tilted_card(base, scene)
    draw_by(card, renderer)
    MATERIALS[material](card)
    found = snapshot(scene)
    picture, before, empty, after = pictures_of(base, card, lambda: Clip(scene, inputs_of(line_mask())))
    Cut(base, card).check(picture, before, empty)
    assert (after == before).all()
    assert_same_scene(snapshot(scene), found)


@pytest.mark.skipif(PROFILE != "x11", reason="needs Cg")
def test_the_generator_draws_and_is_clipped(base: Any, scene: NodePath) -> None:
    card = tilted_card(base, scene)
    light = scene.attach_new_node(PointLight("lamp"))
    light.set_pos(0.5, -0.5, 2.0)
    light.node().set_attenuation((1.0, 0.0, 0.2))
    card.set_light(light)
    fixed = screenshot(base)
    card.set_shader_auto()
    picture, before, empty, after = pictures_of(base, card, lambda: Clip(scene, inputs_of(line_mask())))
    # By pixel, where fixed function lights by vertex.
    assert (differences(before, fixed) > 8).sum() > 1000
    Cut(base, card).check(picture, before, empty)
    assert (after == before).all()


@pytest.mark.skipif(PROFILE == "x11", reason="runs without a window")
def test_simplepbr(base: Any) -> None:
    assert run_case("tests/vision/simplepbr_case.py", args=["clip"]).split() == ["done"]


@pytest.mark.parametrize("renderer", RENDERERS)
def test_an_animated_model(base: Any, scene: NodePath, renderer: str) -> None:
    bear = Actor("models/panda-model", {"walk": "models/panda-walk4"})
    bear.reparent_to(scene)
    bear.set_scale(0.004)
    bear.set_pos_hpr(0.0, 0.0, -1.5, 30.0, 0.0, 0.0)
    bear.pose("walk", 9)
    draw_by(bear, renderer)
    look_from(base, (3.0, -7.0, 4.0), fov=30.0)
    base.win.set_clear_color((1.0, 0.0, 1.0, 1.0))
    step(base)
    picture, before, empty, after = pictures_of(base, bear, lambda: Clip(scene, inputs_of(line_mask())))
    Cut(base, bear, jump=0.1).check(picture, before, empty)
    assert (after == before).all()
    bear.cleanup()


def test_a_shader_that_moves_vertices(base: Any, scene: NodePath) -> None:
    """What counts is where it puts them: here, one to the right."""
    card = tilted_card(base, scene)
    card.set_x(1.0)
    cut = Cut(base, card)
    card.set_x(0.0)
    vertex = PLAIN_VERTEX.replace("* p3d_Vertex;", "* (p3d_Vertex + vec4(1.0, 0.0, 0.0, 0.0));")
    card.set_shader(glsl(vertex, PLAIN_FRAGMENT))
    picture, before, empty, _ = pictures_of(base, card, lambda: Clip(scene, inputs_of(line_mask())))
    cut.check(picture, before, empty)


@pytest.mark.parametrize("beyond", [0.0, 1.0])
@pytest.mark.parametrize("renderer", RENDERERS)
def test_beyond_the_window(base: Any, scene: NodePath, renderer: str, beyond: float) -> None:
    """The mask itself says the contrary, up to its edge."""
    x, y, width, height = rect = (0.4, -0.3, 3.0, 2.0)

    def distance(points: Floats) -> Floats:
        outside = np.maximum(abs(points[..., 0] - x) - width / 2, abs(points[..., 1] - y) - height / 2)
        return np.where(beyond, -outside, outside)

    card = tilted_card(base, scene)
    draw_by(card, renderer)
    inputs = inputs_of(texture_of(np.full((SIZE, SIZE), 1.0 - beyond)), rect, beyond)
    picture, before, empty, _ = pictures_of(base, card, lambda: Clip(scene, inputs))
    Cut(base, card, width / SIZE, distance).check(picture, before, empty)


def line_at(offset: tuple[float, float]) -> Callable[[Floats], Floats]:
    """The distance from the line, moved."""
    return lambda points: side(points[..., :2] - offset)


@pytest.mark.threads
@pytest.mark.parametrize("renderer", RENDERERS)
def test_a_window_that_moves(base: Any, scene: NodePath, renderer: str) -> None:
    """The picture in the mask moves with it."""
    card = tilted_card(base, scene)
    draw_by(card, renderer)
    inputs = inputs_of(line_mask())
    before, empty = screenshot(base), without(base, card)
    with released(Clip(scene, inputs)) as clip:
        for offset in ((0.0, 0.0), (0.7, 0.4), (-0.3, 0.1)):
            inputs.rect[0] = UnalignedLVecBase4f(*offset, 10.0, 10.0)
            clip.update()
            cut = Cut(base, card, distance=line_at(offset))
            cut.check(screenshot(base), before, empty)


@pytest.mark.parametrize("threshold", [0.4, 0.6])
@pytest.mark.parametrize("renderer", RENDERERS)
def test_the_threshold(base: Any, scene: NodePath, renderer: str, threshold: float) -> None:
    """The mask rises along X from 0 to 1; half a step of its eight bits is to be allowed for."""
    card = tilted_card(base, scene)
    draw_by(card, renderer)
    ramp = np.tile((np.arange(SIZE) + 0.5) / SIZE, (SIZE, 1))
    inputs = replace(inputs_of(texture_of(ramp)), threshold=threshold)
    picture, before, empty, _ = pictures_of(base, card, lambda: Clip(scene, inputs))
    edge = (threshold - 0.5) * 10.0
    cut = Cut(base, card, 10.0 / SIZE + 10.0 * 0.5 / 255, lambda points: edge - points[..., 0])
    cut.check(picture, before, empty)


@pytest.mark.parametrize("renderer", RENDERERS)
def test_far_away_in_deep_space(base: Any, scene: NodePath, renderer: str) -> None:
    """The depth's rounding does not move the cut, with a near plane at a ten-millionth of the distance."""
    card = tilted_card(base, scene)
    draw_by(card, renderer)
    cut = Cut(base, card)
    base.cam.node().get_lens().set_near_far(1e-6, 1e4)
    picture, before, empty, _ = pictures_of(base, card, lambda: Clip(scene, inputs_of(line_mask())))
    cut.check(picture, before, empty)


@pytest.mark.parametrize("renderer", RENDERERS)
def test_an_orthographic_lens(base: Any, scene: NodePath, renderer: str) -> None:
    """Seen from above, straight down, each pixel is one place of the world."""
    card = make_card(8.0, 8.0)
    card.reparent_to(scene)
    card.set_p(-90.0)
    draw_by(card, renderer)
    base.win.set_clear_color((0.0, 0.0, 1.0, 1.0))
    lens = OrthographicLens()
    lens.set_film_size(6.0, 6.0)
    lens.set_near_far(1.0, 100.0)
    base.cam.node().set_lens(lens)
    base.cam.set_pos_hpr(0.3, -0.2, 20.0, 0.0, -90.0, 0.0)
    picture, before, empty, _ = pictures_of(base, card, lambda: Clip(scene, inputs_of(line_mask())))
    across = ((np.arange(256) + 0.5) / 256 - 0.5) * 6.0
    distances = side(np.stack(np.meshgrid(0.3 + across, -0.2 - across), axis=-1))
    band = 10.0 / SIZE + 6.0 / 256
    assert (rgb(picture)[distances < -band] == rgb(before)[distances < -band]).all()
    assert (rgb(picture)[distances > band] == rgb(empty)[distances > band]).all()
    assert (rgb(before) != rgb(empty)).any(axis=-1).all()


def refused_shader(kind: str) -> Shader | None:
    """A shader that cannot be wrapped."""
    if kind == "Cg":
        return Shader.make(CG, Shader.SL_Cg)
    if kind == "geometry":
        return glsl(PLAIN_VERTEX, PLAIN_FRAGMENT, GEOMETRY)
    return tessellation_shader()


@pytest.mark.parametrize("kind", ["Cg", "geometry", "tessellation"])
def test_what_cannot_be_clipped_is_refused(base: Any, scene: NodePath, kind: str) -> None:
    """With an error that says which node and why; and nothing was changed, beside it and on it."""
    card = tilted_card(base, scene)
    other = card.copy_to(scene)
    other.set_name("refused")
    shader = refused_shader(kind)
    assert shader is not None
    other.set_shader(shader)
    found = snapshot(scene)
    with pytest.raises(SurfaceError, match=f"refused.*{kind}"):
        Clip(scene, inputs_of(line_mask()))
    assert_same_scene(snapshot(scene), found)
    other.set_shader(own_shader())
    with released(Clip(scene, inputs_of(line_mask()))):
        pass


@pytest.mark.parametrize("node", [NodePath(), None, "render"])
def test_no_node(base: Any, node: Any) -> None:
    with pytest.raises(ConfigError, match="NodePath"):
        Clip(node, inputs_of(line_mask()))
