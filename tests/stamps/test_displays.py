"""Who shows the marks, and how they look: every display and look on every way of drawing a model."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from panda3d.core import (
    AmbientLight,
    DirectionalLight,
    Light,
    Material,
    NodePath,
    PerspectiveLens,
    PointLight,
    Shader,
    ShaderAttrib,
    Spotlight,
    Texture,
    Vec3,
)

from panda_rtstamp import StampSystem, load_shader
from pictures import (
    PLAIN_FRAGMENT,
    PLAIN_VERTEX,
    Floats,
    Seen,
    assert_same_scene,
    changed,
    flat_card,
    glsl,
    grid_card,
    intensified,
    layered,
    look_from,
    mark_mask,
    plain_shader,
    rgb,
    see,
    see_node,
    shown,
    snapshot,
    stamps_on,
    world_triangles,
)
from support import NotifyLog, compare_images, run_case, screenshot, step

CASE = Path(__file__).with_name("display_case.py")
# Pictures have 8 bits: the one before is rounded, the one after, and the terms of the blend between them.
EXACT = 2.01
# Marks in 8 bits are within 2/255 in colour and in mask, and both enter the picture.
EIGHT_BITS = 4.01
# What linear filtering may spread a mark by, on smiley: a texel of its texture.
TEXEL = 2 * np.pi / 1024

EYE = (0.0, -5.0, 1.0)
FIRST = ((0.1, -0.95, 0.2), 0.6, (1.0, 0.1, 0.2))
SECOND = ((0.4, -0.8, 0.4), 0.4, (0.1, 0.3, 0.9))
# UVs of smiley's seam leave the tile, which is at its back.
SMILEY_WARNING = "of its triangles lie outside 0..1"

LOOKS = ("paint", "tint", "glow")
# How the model is drawn, and by what profile that can be tested.
FIXED = pytest.param("fixed")
USER_SHADER = pytest.param("user", marks=pytest.mark.profiles)
GENERATOR = pytest.param("generator", marks=pytest.mark.x11)
RENDERERS = (FIXED, USER_SHADER, GENERATOR)


def smiley(base: Any, scene: NodePath, renderer: str) -> NodePath:
    """The model in front of the camera, drawn without lights in the way that `renderer` says."""
    model: NodePath = base.loader.load_model("models/smiley")
    model.reparent_to(scene)
    model.set_h(20)
    # As it was made, with the density that the tolerances here are for.
    model.set_tag("rtstamp-uv", "texcoord")
    look_from(base, EYE)
    if renderer == "user":
        model.set_shader(plain_shader())
    elif renderer == "generator":
        assert_generator_works(base, model)
        model.set_shader_auto()
    return model


def assert_generator_works(base: Any, model: NodePath) -> None:
    """That this machine's shader generator draws: by pixel, where fixed function lights by vertex."""
    light = model.attach_new_node(PointLight("probe"))
    light.set_pos(model.get_parent(), 0.3, -1.3, 0.2)
    model.set_light(light)
    fixed = screenshot(base)
    model.set_shader_auto()
    generated = screenshot(base)
    model.clear_shader()
    model.clear_light()
    light.remove_node()
    assert changed(generated, fixed).sum() > 1000


def hit(stamps: StampSystem, node: NodePath, mark: tuple[Any, float, Any], **options: Any) -> None:
    """Make a mark of (point in the world, radius, colour)."""
    point, radius, color = mark
    assert stamps.hit(node, point, radius=radius, color=color, **options) is not None


def mark_of(seen: Seen, *marks: tuple[Any, float, Any], hardness: float = 0.1) -> Floats:
    """What the formula says about these marks, at each pixel."""
    layers = [(color, mark_mask(seen.distance(point), radius, hardness)) for point, radius, color in marks]
    return layered(*layers)


def assert_looks(actual: Any, expected: Floats, where: Any, tolerance: float, name: str) -> None:
    """Compare two pictures at some pixels, all of them."""
    assert where.sum() > 1000
    compare_images(rgb(actual) * where[..., None], expected * where[..., None], tolerance, name)


@pytest.mark.parametrize("renderer", RENDERERS)
@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("display", ["overlay", "wrap"])
def test_marks_lie_where_the_spheres_cut_the_model(
    base: Any, scene: NodePath, notify: NotifyLog, display: str, look: str, renderer: str
) -> None:
    notify.allow(SMILEY_WARNING)
    model = smiley(base, scene, renderer)
    before = screenshot(base)
    seen = see_node(base, model)
    with stamps_on(base, display=display, look=look) as stamps:
        hit(stamps, model, FIRST)
        hit(stamps, model, SECOND)
        picture = screenshot(base)
    mark = mark_of(seen, FIRST, SECOND)
    assert mark[..., 3].max() > 0.95
    inner = seen.inner(0.1)
    assert_looks(picture, shown(before, mark, look), inner, EXACT, f"display-{display}-{look}-{renderer}")
    # And nowhere else, to the very silhouette.
    nothing = np.ones(inner.shape, bool)
    for point, radius, _ in (FIRST, SECOND):
        nothing &= ~(seen.distance(point) < radius + TEXEL)
    assert not changed(picture, before)[nothing].any()


@pytest.mark.parametrize("hardness", [0.0, 0.1, 0.5, 0.9])
def test_the_falloff_is_the_formulas(base: Any, scene: NodePath, hardness: float) -> None:
    card = flat_card(scene, 2.0, (0.9, 0.8, 0.1, 1))
    # Not so far away that a pixel shows the mean of several texels.
    look_from(base, (0.7, -2.1, 0.35))
    before = screenshot(base)
    seen = see_node(base, card)
    with stamps_on(base) as stamps:
        hit(stamps, card, ((0.1, 0.0, 0.1), 0.7, (0.0, 0.2, 1.0)), hardness=hardness)
        picture = screenshot(base)
    mask = mark_mask(seen.distance((0.1, 0.0, 0.1)), 0.7, hardness)
    expected = shown(before, layered(((0.0, 0.2, 1.0), mask)))
    assert_looks(picture, expected, seen.inner(0.1), EXACT, f"falloff-{hardness}")


def test_a_hard_edge_is_as_sharp_as_the_texels(base: Any, scene: NodePath) -> None:
    card = flat_card(scene, 2.0, (0.9, 0.8, 0.1, 1))
    card.set_tag("rtstamp-resolution", "512")
    look_from(base, (1.0, -3.0, 0.5))
    before = screenshot(base)
    seen = see_node(base, card)
    with stamps_on(base) as stamps:
        hit(stamps, card, ((0.1, 0.0, 0.1), 0.7, (0.0, 0.2, 1.0)), hardness=1.0)
        picture = screenshot(base)
    distance = seen.distance((0.1, 0.0, 0.1))
    texel = 2.0 / 512 * np.sqrt(2)
    sharp = seen.inner(0.1) & (np.abs(distance - 0.7) > texel)
    expected = shown(before, layered(((0.0, 0.2, 1.0), np.where(distance < 0.7, 1.0, 0.0))))
    assert_looks(picture, expected, sharp, EXACT, "hard-edge")


@pytest.mark.profiles
@pytest.mark.parametrize("display", ["overlay", "wrap"])
@pytest.mark.parametrize("intensity", [0.0, 0.5, 3.0])
def test_intensity_multiplies_the_mask(
    base: Any, scene: NodePath, notify: NotifyLog, display: str, intensity: float
) -> None:
    notify.allow(SMILEY_WARNING)
    model = smiley(base, scene, "user")
    before = screenshot(base)
    seen = see_node(base, model)
    with stamps_on(base, display=display, intensity=intensity) as stamps:
        hit(stamps, model, FIRST, opacity=0.5)
        picture = screenshot(base)
    mask = mark_mask(seen.distance(FIRST[0]), FIRST[1], opacity=0.5)
    mark = intensified(layered((FIRST[2], mask)), intensity)
    assert_looks(picture, shown(before, mark), seen.inner(0.1), EXACT, f"intensity-{display}-{intensity}")


@pytest.mark.profiles
@pytest.mark.parametrize("display", ["overlay", "wrap"])
@pytest.mark.parametrize("format", ["rgba8", "r16", "r16f"])
def test_every_format_shows_the_same(
    base: Any, scene: NodePath, notify: NotifyLog, display: str, format: str
) -> None:
    notify.allow(SMILEY_WARNING)
    model = smiley(base, scene, "user")
    before = screenshot(base)
    seen = see_node(base, model)
    with stamps_on(base, display=display, format=format, stamp_color=FIRST[2]) as stamps:
        hit(stamps, model, FIRST)
        picture = screenshot(base)
    tolerance = EIGHT_BITS if format == "rgba8" else EXACT
    expected = shown(before, mark_of(seen, FIRST))
    assert_looks(picture, expected, seen.inner(0.1), tolerance, f"format-{display}-{format}")


def test_one_channel_marks_all_show_the_configs_colour(base: Any, scene: NodePath) -> None:
    card = flat_card(scene, 2.0, (0.9, 0.8, 0.1, 1))
    look_from(base, (0.0, -3.0, 0.0))
    before = screenshot(base)
    seen = see_node(base, card)
    with stamps_on(base, format="r16f", stamp_color=(0.2, 0.9, 0.4)) as stamps:
        hit(stamps, card, ((0.0, 0.0, 0.0), 0.8, (1.0, 0.0, 0.0)))
        picture = screenshot(base)
    expected = shown(before, layered(((0.2, 0.9, 0.4), mark_mask(seen.distance((0, 0, 0)), 0.8))))
    assert_looks(picture, expected, seen.inner(0.1), EXACT, "one-channel-colour")


@pytest.mark.profiles
def test_none_shows_nothing_but_keeps_the_marks(base: Any, scene: NodePath, notify: NotifyLog) -> None:
    notify.allow(SMILEY_WARNING)
    model = smiley(base, scene, "user")
    before = screenshot(base)
    with stamps_on(base, display="none") as stamps:
        hit(stamps, model, FIRST)
        assert not changed(screenshot(base), before).any()
        image = stamps.image(model)
        assert image is not None
        assert image[..., 3].max() > 0.95


# A mark is there in the frame of its hit, even where a filter shows the frame through a texture.

QUAD_FRAGMENT = """#version 330
uniform sampler2D u_scene;
in vec2 v_texcoord;
out vec4 o_color;
void main() {
    o_color = vec4(1.0 - texture(u_scene, v_texcoord).rgb, 1.0);
}
"""


@pytest.mark.profiles
@pytest.mark.parametrize("filtered", [False, True])
def test_a_mark_shows_in_the_frame_of_its_hit(
    base: Any, scene: NodePath, notify: NotifyLog, filtered: bool
) -> None:
    from direct.filter.FilterManager import FilterManager

    notify.allow(SMILEY_WARNING)
    model = smiley(base, scene, "user")
    manager = FilterManager(base.win, base.cam) if filtered else None
    if manager is not None:
        texture = Texture("scene")
        quad = manager.render_scene_into(colortex=texture)
        assert quad is not None
        quad.set_shader(glsl(PLAIN_VERTEX, QUAD_FRAGMENT))
        quad.set_shader_input("u_scene", texture)
    before = screenshot(base, frames=2)
    seen = see_node(base, model)
    with stamps_on(base) as stamps:
        hit(stamps, model, FIRST)
        step(base)
        first = screenshot(base, frames=0)
        assert (changed(first, before) == changed(screenshot(base, frames=3), before)).all()
        well_marked = mark_mask(seen.distance(FIRST[0]), FIRST[1]) > 0.05
        assert changed(first, before)[well_marked].all()
    if manager is not None:
        manager.cleanup()


# Paint is lit like the model.

PAINT = (0.8, 0.3, 0.1, 1.0)


def make_light(scene: NodePath, kind: str) -> NodePath:
    """A light that falls on a card around the origin."""
    light: Light
    place = Vec3(0.4, -1.5, 0.6)
    if kind == "ambient":
        light = AmbientLight(kind)
        light.set_color((0.5, 0.7, 0.3, 1))
    elif kind == "directional":
        light = DirectionalLight(kind)
        light.set_color((0.8, 0.7, 0.9, 1))
    elif kind == "point":
        light = PointLight(kind)
        light.set_color((0.9, 0.8, 0.7, 1))
        light.set_attenuation((0.5, 0.2, 0.3))
    else:
        light = Spotlight(kind)
        lens = PerspectiveLens()
        lens.set_fov(100)
        light.set_lens(lens)
        light.set_exponent(8)
        light.set_attenuation((0.8, 0.1, 0.0))
        light.set_color((0.9, 0.9, 0.6, 1))
        place = Vec3(0.3, -2.5, 0.2)
    path = scene.attach_new_node(light)
    path.set_pos(place)
    path.look_at(0, 0, 0)
    return path


LIGHTS = {
    "none": (),
    "ambient": ("ambient",),
    "directional": ("directional",),
    "point": ("point",),
    "spot": ("spot",),
    "all": ("ambient", "directional", "point", "spot"),
}


@pytest.mark.parametrize("renderer", [FIXED, GENERATOR])
@pytest.mark.parametrize("lights", LIGHTS)
def test_paint_is_lit_as_the_model_in_that_colour_is(
    base: Any, scene: NodePath, lights: str, renderer: str
) -> None:
    # So fine that lighting by vertex, as fixed function does, comes near to lighting by pixel.
    card = grid_card(scene, 2.0, 96)
    card.set_hpr(10, 5, 0)
    card.set_scale(0.9, 1.3, 1.1)
    look_from(base, (0.0, -4.0, 0.0))
    for kind in LIGHTS[lights]:
        scene.set_light(make_light(scene, kind))
    if renderer == "generator":
        probe = flat_card(scene, 2.0)
        probe.set_y(-0.5)
        assert_generator_works(base, probe)
        probe.remove_node()
        scene.set_shader_auto()
    card.set_color(*PAINT)
    painted = screenshot(base)
    card.set_color(0.2, 0.6, 0.9, 1)
    before = screenshot(base)
    seen = see_node(base, card)
    with stamps_on(base) as stamps:
        hit(stamps, card, ((0, 0, 0), 10.0, PAINT), hardness=1.0)
        picture = screenshot(base)
    inner = seen.inner(0.1)
    assert_looks(picture, rgb(painted).astype(np.float64), inner, EXACT, f"lit-{lights}-{renderer}")
    assert changed(picture, before)[inner].all()


def test_paint_is_not_shiny_and_does_not_glow(base: Any, scene: NodePath) -> None:
    """A material's colours are the model's, not the paint's."""
    card = grid_card(scene, 2.0, 8)
    look_from(base, (0.0, -4.0, 0.0))
    for kind in LIGHTS["directional"] + LIGHTS["ambient"]:
        scene.set_light(make_light(scene, kind))
    card.set_color(*PAINT)
    painted = screenshot(base)
    material = Material("shiny")
    material.set_diffuse((0.1, 0.9, 0.1, 1))
    material.set_ambient((0.5, 0.5, 0.5, 1))
    material.set_specular((1, 1, 1, 1))
    material.set_emission((0.3, 0.0, 0.3, 1))
    material.set_shininess(2)
    card.set_material(material)
    seen = see_node(base, card)
    with stamps_on(base) as stamps:
        hit(stamps, card, ((0, 0, 0), 10.0, PAINT), hardness=1.0)
        picture = screenshot(base)
    assert_looks(picture, rgb(painted).astype(np.float64), seen.inner(0.1), EXACT, "lit-material")


@pytest.mark.parametrize("renderer", [FIXED, GENERATOR])
def test_color_scale_dims_paint_as_it_dims_the_model(base: Any, scene: NodePath, renderer: str) -> None:
    card = flat_card(scene, 2.0, PAINT)
    card.set_color_scale(0.5, 0.8, 0.3, 1)
    look_from(base, (0.0, -4.0, 0.0))
    if renderer == "generator":
        card.set_shader_auto()
    painted = screenshot(base)
    card.set_color(0.2, 0.6, 0.9, 1)
    with stamps_on(base) as stamps:
        hit(stamps, card, ((0, 0, 0), 10.0, PAINT), hardness=1.0)
        picture = screenshot(base)
    inner = see_node(base, card).inner(0.1)
    assert_looks(picture, rgb(painted).astype(np.float64), inner, EXACT, f"color-scale-{renderer}")


# The model's own shader, wrapped.

WAVE_VERTEX = """#version 330
uniform mat4 p3d_ModelViewProjectionMatrix;
uniform float u_height;
in vec4 p3d_Vertex;
in vec2 p3d_MultiTexCoord0;
out vec2 v_texcoord;

/* A comment that says: void main() */
void main(void)
{
    vec4 moved = p3d_Vertex;
    moved.y += u_height * sin(3.0 * p3d_Vertex.x);
    moved.z += 0.2 * u_height;
    gl_Position = p3d_ModelViewProjectionMatrix * moved;
    v_texcoord = p3d_MultiTexCoord0;
}
"""


def wave(points: Floats, height: float) -> Floats:
    """What the vertex shader above does to points."""
    moved: Floats = points.copy()
    moved[..., 1] += height * np.sin(3.0 * points[..., 0])
    moved[..., 2] += 0.2 * height
    return moved


@pytest.mark.profiles
@pytest.mark.parametrize("look", LOOKS)
def test_wrapped_marks_move_with_the_vertices(base: Any, scene: NodePath, look: str) -> None:
    card = grid_card(scene, 2.0, 24)
    card.set_shader(glsl(WAVE_VERTEX, PLAIN_FRAGMENT))
    card.set_shader_input("u_height", 0.5)
    look_from(base, (1.5, -3.0, 1.0))
    before = screenshot(base)
    triangles = world_triangles(card)
    seen = see(base, wave(triangles, 0.5))
    # Where each pixel's point is without the wave: there the mark was made.
    rest = seen.on(triangles)
    with stamps_on(base, display="wrap", look=look) as stamps:
        hit(stamps, card, ((0.2, 0.0, 0.1), 0.7, PAINT))
        picture = screenshot(base)
    mask = mark_mask(np.linalg.norm(rest - (0.2, 0.0, 0.1), axis=-1), 0.7)
    expected = shown(before, layered((PAINT, mask)), look)
    assert_looks(picture, expected, seen.inner(0.2), EXACT, f"wave-{look}")


OLD_VERTEX = """#version 120
uniform mat4 p3d_ModelViewProjectionMatrix;
attribute vec4 p3d_Vertex;
attribute vec2 p3d_MultiTexCoord0;
varying vec2 v_texcoord;
void main() {
    gl_Position = p3d_ModelViewProjectionMatrix * p3d_Vertex;
    v_texcoord = p3d_MultiTexCoord0;
}
"""
OLD_FRAGMENT = """#version 120
uniform sampler2D p3d_Texture0;
varying vec2 v_texcoord;
void main() {
    gl_FragColor = texture2D(p3d_Texture0, v_texcoord) * vec4(0.5, 0.9, 0.8, 1.0);
}
"""
LATE_FRAGMENT = """#version 330
uniform sampler2D p3d_Texture0;
in vec2 v_texcoord;
layout(location = 1) out vec4 o_other;
layout(location = 0) out vec4 o_shown;
vec3 tone();
void main() {
    o_other = vec4(0.0, 1.0, 0.0, 1.0);
    o_shown = vec4(tone(), 1.0);
    return;
}
vec3 tone() {
    return texture(p3d_Texture0, v_texcoord).rgb * 0.8;
}
"""


@pytest.mark.parametrize(
    ("vertex", "fragment"),
    [
        pytest.param(OLD_VERTEX, OLD_FRAGMENT, id="120"),
        pytest.param(PLAIN_VERTEX, LATE_FRAGMENT, id="two-outputs", marks=pytest.mark.profiles),
        pytest.param(PLAIN_VERTEX.replace("330", "430"), PLAIN_FRAGMENT.replace("330", "430"), id="430"),
    ],
)
def test_wraps_any_version_of_glsl(
    base: Any, scene: NodePath, notify: NotifyLog, vertex: str, fragment: str
) -> None:
    notify.allow(SMILEY_WARNING)
    model = smiley(base, scene, "fixed")
    model.set_shader(glsl(vertex, fragment))
    before = screenshot(base)
    seen = see_node(base, model)
    with stamps_on(base, display="wrap") as stamps:
        hit(stamps, model, FIRST)
        picture = screenshot(base)
        assert find_overlays(model) == 0
    expected = shown(before, mark_of(seen, FIRST))
    assert_looks(picture, expected, seen.inner(0.1), EXACT, "wrap-version")


def find_overlays(node: NodePath) -> int:
    """How many overlays hang below a node."""
    return int(node.find_all_matches("**/=rtstamp-overlay").get_num_paths())


@pytest.mark.profiles
@pytest.mark.parametrize("where", ["node", "ancestor", "geom"])
def test_wrapping_restores_the_shader(base: Any, scene: NodePath, notify: NotifyLog, where: str) -> None:
    """Whoever has the shader: afterwards it is just there again, and its inputs too."""
    notify.allow(SMILEY_WARNING)
    model = smiley(base, scene, "fixed")
    owner = {"node": model, "ancestor": scene, "geom": model.find("**/+GeomNode")}[where]
    owner.set_shader(plain_shader(), 3)
    owner.set_shader_input("u_of_the_user", 5.0)
    before = screenshot(base)
    was = snapshot(scene)
    with stamps_on(base, display="wrap") as stamps:
        hit(stamps, model, FIRST)
        assert changed(screenshot(base), before).any()
        assert find_overlays(model) == 0
        stamps.clear_all()
        assert not changed(screenshot(base), before).any()
        assert_same_scene(snapshot(scene), was)


@pytest.mark.profiles
def test_what_the_user_sets_while_wrapped_stays(base: Any, scene: NodePath, notify: NotifyLog) -> None:
    notify.allow(SMILEY_WARNING)
    model = smiley(base, scene, "user")
    part = model.find("**/+GeomNode")
    other = glsl(PLAIN_VERTEX, PLAIN_FRAGMENT.replace("0.9, 0.8, 0.7", "0.1, 0.3, 0.9"))
    with stamps_on(base, display="wrap") as stamps:
        hit(stamps, model, FIRST)
        step(base)
        part.set_shader(other)
        part.set_shader_input("u_of_the_user", 7.0)
        meanwhile = screenshot(base)
        stamps.clear_all()
        after = screenshot(base)
    attrib = part.get_attrib(ShaderAttrib)
    assert isinstance(attrib, ShaderAttrib)
    assert attrib.get_shader() == other
    assert attrib.get_shader_input("u_of_the_user").get_vector()[0] == 7.0
    assert not attrib.has_shader_input("rtstamp_temp")
    assert not changed(after, meanwhile).any()


GEOMETRY = """#version 330
layout(triangles) in;
layout(triangle_strip, max_vertices = 3) out;
in vec2 v_texcoord[];
out vec2 g_texcoord;
void main() {
    for (int i = 0; i < 3; i++) {
        gl_Position = gl_in[i].gl_Position;
        g_texcoord = v_texcoord[i];
        EmitVertex();
    }
    EndPrimitive();
}
"""


@pytest.mark.profiles
def test_a_geometry_shader_gets_an_overlay_and_one_warning(
    base: Any, scene: NodePath, notify: NotifyLog
) -> None:
    notify.allow(SMILEY_WARNING)
    notify.allow("only GLSL of a vertex and a fragment stage with a plain colour output can be wrapped")
    model = smiley(base, scene, "fixed")
    model.set_name("with-geometry-shader")
    model.set_shader(glsl(PLAIN_VERTEX, PLAIN_FRAGMENT.replace("v_texcoord", "g_texcoord"), GEOMETRY))
    before = screenshot(base)
    seen = see_node(base, model)
    with stamps_on(base, display="wrap") as stamps:
        hit(stamps, model, FIRST)
        hit(stamps, model, FIRST)
        picture = screenshot(base)
    assert_overlaid(picture, before, seen, notify)


def assert_overlaid(picture: Any, before: Any, seen: Seen, notify: NotifyLog) -> None:
    """That FIRST, hit twice, shows though its shader could not be wrapped, and that this was said once."""
    mark = mark_of(seen, FIRST, FIRST)
    assert_looks(picture, shown(before, mark), seen.inner(0.1), EXACT, "fallback")
    assert len(re.findall("can be wrapped", notify.text)) == 1


CG = """//Cg
void vshader(float4 vtx_position : POSITION, float2 vtx_texcoord0 : TEXCOORD0, uniform float4x4 mat_modelproj,
             out float4 l_position : POSITION, out float2 l_texcoord0 : TEXCOORD0) {
    l_position = mul(mat_modelproj, vtx_position);
    l_texcoord0 = vtx_texcoord0;
}
void fshader(float2 l_texcoord0 : TEXCOORD0, uniform sampler2D tex_0 : TEXUNIT0, out float4 o_color : COLOR) {
    o_color = tex2D(tex_0, l_texcoord0) * float4(0.3, 0.9, 0.6, 1.0);
}
"""


@pytest.mark.x11
def test_a_cg_shader_gets_an_overlay_and_one_warning(base: Any, scene: NodePath, notify: NotifyLog) -> None:
    notify.allow(SMILEY_WARNING)
    notify.allow("only GLSL of a vertex and a fragment stage with a plain colour output can be wrapped")
    model = smiley(base, scene, "fixed")
    model.set_name("with-cg-shader")
    plain = screenshot(base)
    model.set_shader(Shader.make(CG, Shader.SL_Cg))
    before = screenshot(base)
    assert changed(before, plain).sum() > 1000, "Cg does not work here"
    seen = see_node(base, model)
    with stamps_on(base, display="wrap") as stamps:
        hit(stamps, model, FIRST)
        hit(stamps, model, FIRST)
        picture = screenshot(base)
    assert_overlaid(picture, before, seen, notify)


# The user's own shader, with our snippet.

OWN_FRAGMENT = """#version 330
#pragma include <rtstamp/common/mark.glsl>
uniform sampler2D p3d_Texture0;
in vec2 v_texcoord;
in vec2 v_mark_uv;
out vec4 o_color;
void main() {
    vec3 color = texture(p3d_Texture0, v_texcoord).rgb;
    o_color = vec4(rtstamp_paint(color, rtstamp_mark(v_mark_uv)).bgr, 1.0);
}
"""
OWN_VERTEX = PLAIN_VERTEX.replace(
    "out vec2 v_texcoord;", "out vec2 v_texcoord;\nin vec2 rtstamp_uv;\nout vec2 v_mark_uv;"
).replace("    v_texcoord =", "    v_mark_uv = rtstamp_uv;\n    v_texcoord =")


@pytest.mark.profiles
@pytest.mark.parametrize("look", LOOKS)
def test_a_users_shader_shows_marks_by_our_snippet(
    base: Any, scene: NodePath, notify: NotifyLog, tmp_path: Path, look: str
) -> None:
    notify.allow(SMILEY_WARNING)
    model = smiley(base, scene, "fixed")
    vertex, fragment = tmp_path / "own.vert", tmp_path / "own.frag"
    vertex.write_text(OWN_VERTEX)
    fragment.write_text(OWN_FRAGMENT.replace("rtstamp_paint", f"rtstamp_{look}"))
    with stamps_on(base, display="shader", look=look) as stamps:
        stamps.set_default_inputs(model)
        model.set_shader(load_shader(vertex.as_posix(), fragment.as_posix()))
        was = snapshot(scene)
        before = screenshot(base)
        seen = see_node(base, model)
        hit(stamps, model, FIRST)
        picture = screenshot(base)
        assert find_overlays(model) == 0
        stamps.clear_all()
        assert not changed(screenshot(base), before).any()
        assert_same_scene(snapshot(scene), was)
    # The shader swaps red and blue at the end, so that the picture cannot come from an overlay.
    expected = shown(rgb(before)[..., ::-1], mark_of(seen, FIRST), look)[..., ::-1]
    assert_looks(picture, expected, seen.inner(0.1), EXACT, f"own-shader-{look}")


@pytest.mark.parametrize("renderer", RENDERERS)
def test_a_model_whose_shader_asks_for_no_marks_stays_as_it_is(
    base: Any, scene: NodePath, notify: NotifyLog, renderer: str
) -> None:
    notify.allow(SMILEY_WARNING)
    model = smiley(base, scene, renderer)
    before = screenshot(base)
    with stamps_on(base, display="shader") as stamps:
        hit(stamps, model, FIRST)
        assert not changed(screenshot(base), before).any()


# Renderers that take over the whole window, each in a process of its own.


@pytest.mark.profiles
@pytest.mark.parametrize("renderer", ["simplepbr", "complexpbr"])
def test_marks_in_pbr_renderers(renderer: str, tmp_path: Path) -> None:
    output = tmp_path / "pictures.npz"
    # Without it, the driver's compiler takes minutes over complexpbr's shader.
    env = {"GALLIVM_PERF": "nopt"}
    run_case(CASE, args=[renderer, str(output)], env=env, allow=[SMILEY_WARNING])
    pictures = np.load(output)
    inner, full = pictures["inner"], float(pictures["full"])
    tolerance = 2e-3 if full == 1.0 else EXACT
    assert inner.sum() > 1000
    for display in ("overlay", "wrap"):
        for look in LOOKS:
            name = f"{display}-{look}"
            expected = shown(pictures["before"], pictures["mark"], look, full)
            actual = rgb(pictures[name])
            compare_images(
                actual * inner[..., None], expected * inner[..., None], tolerance, f"{renderer}-{name}"
            )
            assert (pictures[f"{name}-after"] == pictures["screen"]).all(), f"{name} left something behind"
    assert (pictures["shader"] == pictures["screen"]).all()
    # The picture that the expectations were built on shows a model, not black.
    assert np.median(rgb(pictures["before"])[inner]) > 0.05 * full
