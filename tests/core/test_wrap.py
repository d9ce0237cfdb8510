"""Wrapping GLSL: a user's shader of any version goes on doing what it did, and ours works on the result."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from panda3d.core import Filename, GeomNode, NodePath, Shader

from panda_rtstamp.core import wrap
from panda_rtstamp.core.geometry import column, with_column
from panda_rtstamp.core.wrap import Addition, output_name
from panda_rtstamp.errors import ShaderError
from shader_texts import GEOMETRY, TESS_CONTROL, TESS_EVALUATION
from support import PROFILE, NotifyLog, compare_images, make_card, screenshot

# What the driver takes in a core profile; elsewhere all of them.
CORE_VERSIONS = ("150", "330", "330 core", "430")
VERSIONS = CORE_VERSIONS if PROFILE == "core" else ("", "120", "130", "140", *CORE_VERSIONS)
NO_VERSION = "does not contain a #version line"

VERTEX = """{version}
{IN} vec4 p3d_Vertex;
{OUT} vec2 v_uv;
void main() {{
    v_uv = p3d_Vertex.xz * 0.5 + 0.5;
    gl_Position = vec4(p3d_Vertex.xz, 0.0, 1.0);
}}
"""
# What it gives: (u, v, 0.25).
FRAGMENT = """{version}
{IN_FRAGMENT} vec2 v_uv;
{DECLARE}
void main() {{
    {COLOR} = vec4(v_uv, 0.25, 1.0);
}}
"""
# What is added: an attribute, (1 - u, v), is handed on; the colour and it, meet half way.
ADDED_VERTEX = """#version 120
RTSTAMP_IN vec2 rtstamp_uv;
RTSTAMP_OUT vec2 rtstamp_v_uv;
void main() {
    RTSTAMP_USER_MAIN();
    rtstamp_v_uv = rtstamp_uv;
}
"""
ADDED_FRAGMENT = """#version 120
RTSTAMP_IN vec2 rtstamp_v_uv;
void main() {
    RTSTAMP_USER_MAIN();
    RTSTAMP_OUTPUT.rgb = SHARE * RTSTAMP_OUTPUT.rgb + (1.0 - SHARE) * vec3(rtstamp_v_uv, 0.0);
}
"""
COMPUTE = """#version 430
layout(local_size_x = 1) in;
void main() {
}
"""


def user_shader(version: str, fragment: str = FRAGMENT) -> Shader:
    """A user's shader, written as its GLSL version is."""
    number = int(version.split()[0]) if version else 110
    modern = number >= 130
    named = number >= 140
    text = {
        "version": f"#version {version}" if version else "",
        "IN": "in" if modern else "attribute",
        "OUT": "out" if modern else "varying",
        "IN_FRAGMENT": "in" if modern else "varying",
        "DECLARE": "out vec4 o_color;" if named else "",
        "COLOR": "o_color" if named else "gl_FragColor",
    }
    shader = Shader.make(Shader.SL_GLSL, VERTEX.format(**text), fragment.format(**text))
    assert shader is not None
    return shader


@pytest.fixture
def additions(tmp_path: Path) -> tuple[Addition, Addition]:
    """What is added in these tests, to the vertex and to the fragment stage."""
    (tmp_path / "added.vert").write_text(ADDED_VERTEX, encoding="utf-8")
    (tmp_path / "added.frag").write_text(ADDED_FRAGMENT, encoding="utf-8")
    folder = Filename.from_os_specific(str(tmp_path)).get_fullpath()
    return Addition(f"{folder}/added.vert"), Addition(f"{folder}/added.frag", (("SHARE", 0.5),))


@pytest.fixture
def real_additions() -> tuple[Addition, Addition]:
    """What the stamp system adds."""
    look = (("RTSTAMP_LOOK", "rtstamp_paint"),)
    return Addition("rtstamp/stamps/wrap.vert"), Addition("rtstamp/stamps/wrap.frag", look)


def screen_card(scene: NodePath) -> NodePath:
    """A card over the window for shaders that take X and Z for clip space, with the added attribute."""
    card = make_card(2.0, 2.0)
    node = card.node()
    assert isinstance(node, GeomNode)
    vertices = node.get_geom(0).get_vertex_data()
    places = column(vertices, "vertex")
    assert places is not None
    x, _, z = places.astype(np.float32).T
    mirrored = np.stack([0.5 - 0.5 * x, 0.5 + 0.5 * z], axis=1)
    geom = node.get_geom(0).make_copy()
    geom.set_vertex_data(with_column(vertices, "rtstamp_uv", mirrored))
    node.set_geom(0, geom)
    card.reparent_to(scene)
    card.set_pos(0.0, 10.0, 0.0)
    return card


def drawn(base: Any, scene: NodePath, shader: Shader) -> "np.typing.NDArray[np.float64]":
    """What the shader draws over the window: (h, w, 3), 0..1, bottom row first."""
    card = screen_card(scene)
    card.set_shader(shader)
    image = screenshot(base)[::-1, :, :3] / 255.0
    card.remove_node()
    return image


def ramps(size: int) -> "tuple[np.typing.NDArray[np.float64], np.typing.NDArray[np.float64]]":
    """u and v of each pixel."""
    across = (np.arange(size) + 0.5) / size
    u, v = np.meshgrid(across, across)
    return u, v


@pytest.mark.profiles
@pytest.mark.parametrize("version", VERSIONS)
def test_every_version(
    base: Any, scene: NodePath, notify: NotifyLog, additions: tuple[Addition, Addition], version: str
) -> None:
    if not version:
        notify.allow(NO_VERSION)
    shader = user_shader(version)
    u, v = ramps(256)
    expected = np.stack([u, v, np.full_like(u, 0.25)], axis=2)
    compare_images(drawn(base, scene, shader), expected, 1 / 255, "wrap-user")
    wrapped = wrap.wrap(shader, *additions)
    assert wrapped is not None
    added = np.stack([1.0 - u, v, np.zeros_like(u)], axis=2)
    compare_images(drawn(base, scene, wrapped), 0.5 * expected + 0.5 * added, 1 / 255, "wrap-wrapped")


@pytest.mark.profiles
@pytest.mark.parametrize(
    "fragment",
    [
        pytest.param(FRAGMENT.replace("void main()", "void  main ( void )"), id="spaces"),
        pytest.param(FRAGMENT.replace("{DECLARE}", "{DECLARE} // void main() {{"), id="comment"),
        pytest.param(FRAGMENT.replace("{DECLARE}", "{DECLARE} /*\nvoid main() {{}} */"), id="block"),
        pytest.param(
            FRAGMENT.replace("void main() {{", "#ifdef NEVER\nvoid main() {{\n#else\nvoid main() {{\n#endif"),
            id="two mains of which one is compiled",
        ),
        pytest.param(
            FRAGMENT.replace("vec2 v_uv;\n{DECLARE}", "vec2 v_uv; {DECLARE}"), id="output on a shared line"
        ),
        pytest.param(FRAGMENT.replace("out vec4", "layout(location = 0) out vec4"), id="layout"),
        pytest.param(
            FRAGMENT.replace("{DECLARE}", "out vec3 o_rgb;").replace("{COLOR} = vec4(v_uv, 0.25, 1.0)",
                                                                      "o_rgb = vec3(v_uv, 0.25)"),
            id="three channels",
        ),
        pytest.param(FRAGMENT.replace("{DECLARE}", "{DECLARE}\nvoid domain() {{ }}"), id="domain"),
        pytest.param(
            FRAGMENT.replace("void main() {{", "vec4 unused;\nvoid mainly() {{ }}\nvoid main() {{ mainly();"),
            id="names that begin with main",
        ),
    ],
)  # fmt: skip
def test_however_main_and_output_are_written(
    base: Any, scene: NodePath, additions: tuple[Addition, Addition], fragment: str
) -> None:
    wrapped = wrap.wrap(user_shader("330", fragment), *additions)
    assert wrapped is not None
    _, v = ramps(256)
    expected = np.stack([np.full_like(v, 0.5), v, np.full_like(v, 0.125)], axis=2)
    compare_images(drawn(base, scene, wrapped), expected, 1 / 255, "wrap-written")


@pytest.mark.profiles
def test_defines_of_an_addition(base: Any, scene: NodePath, additions: tuple[Addition, Addition]) -> None:
    vertex, fragment = additions
    wrapped = wrap.wrap(user_shader("330"), vertex, Addition(fragment.name, (("SHARE", 1.0),)))
    assert wrapped is not None
    u, v = ramps(256)
    expected = np.stack([u, v, np.full_like(u, 0.25)], axis=2)
    compare_images(drawn(base, scene, wrapped), expected, 1 / 255, "wrap-defines")


@pytest.mark.profiles
@pytest.mark.parametrize("look", ["rtstamp_paint", "rtstamp_tint", "rtstamp_glow"])
@pytest.mark.parametrize("version", VERSIONS)
def test_what_stamps_add_compiles(
    base: Any, notify: NotifyLog, real_additions: tuple[Addition, Addition], version: str, look: str
) -> None:
    if not version:
        notify.allow(NO_VERSION)
    vertex, fragment = real_additions
    wrapped = wrap.wrap(user_shader(version), vertex, Addition(fragment.name, (("RTSTAMP_LOOK", look),)))
    assert wrapped is not None
    gsg = base.win.get_gsg()
    wrapped.prepare_now(gsg.get_prepared_objects(), gsg)
    assert not wrapped.get_error_flag()


@pytest.mark.profiles
@pytest.mark.parametrize("use_330", [True] if PROFILE == "core" else [False, True])
def test_simplepbr(base: Any, real_additions: tuple[Addition, Addition], use_330: bool) -> None:
    from simplepbr import _shaderutils

    defines = {"USE_330": use_330, "MAX_LIGHTS": 8, "ENABLE_SKINNING": use_330, "ENABLE_FOG": True}
    shader = _shaderutils.make_shader("pbr", "simplepbr.vert", "simplepbr.frag", defines)
    wrapped = wrap.wrap(shader, *real_additions)
    assert wrapped is not None
    text = wrapped.get_text(Shader.ST_fragment)
    assert text.startswith("#version 330" if use_330 else "#version 120")
    assert f"#define RTSTAMP_OUTPUT {'o_color' if use_330 else 'gl_FragColor'}\n" in text
    gsg = base.win.get_gsg()
    wrapped.prepare_now(gsg.get_prepared_objects(), gsg)
    assert not wrapped.get_error_flag()


def test_the_user_s_shader_is_left_alone(additions: tuple[Addition, Addition]) -> None:
    shader = user_shader("330")
    before = [shader.get_text(stage) for stage in (Shader.ST_vertex, Shader.ST_fragment)]
    wrapped = wrap.wrap(shader, *additions)
    assert wrapped != shader
    assert [shader.get_text(stage) for stage in (Shader.ST_vertex, Shader.ST_fragment)] == before


# What is wrapped several times.

PLACE_VERTEX = """#version 120
uniform mat4 p3d_ViewMatrixInverse;
RTSTAMP_OUT vec2 rtstamp_v_place;
void main() {
    RTSTAMP_USER_MAIN();
    rtstamp_v_place = gl_Position.xy * 0.5 + 0.5 + 0.0 * p3d_ViewMatrixInverse[0].xy;
}
"""
MIX_FRAGMENT = """#version 120
uniform float rtstamp_share;
RTSTAMP_IN vec2 rtstamp_v_place;
void main() {
    RTSTAMP_USER_MAIN();
    RTSTAMP_OUTPUT.rgb = mix(RTSTAMP_OUTPUT.rgb, vec3(rtstamp_v_place.yx, 0.0), rtstamp_share);
}
"""
DISCARD_FRAGMENT = """#version 120
void main() {
    if (gl_FragCoord.x < 128.0) {
        discard;
    }
    RTSTAMP_USER_MAIN();
}
"""


@pytest.fixture
def placed(tmp_path: Path) -> str:
    """The folder of additions that use a uniform of Panda's, and an input that several of them may have."""
    for name, text in (
        ("place.vert", PLACE_VERTEX),
        ("mix.frag", MIX_FRAGMENT),
        ("discard.frag", DISCARD_FRAGMENT),
    ):
        (tmp_path / name).write_text(text, encoding="utf-8")
    return str(Filename.from_os_specific(str(tmp_path)).get_fullpath())


@pytest.mark.profiles
@pytest.mark.parametrize("version", VERSIONS)
def test_the_same_addition_twice(
    base: Any, scene: NodePath, notify: NotifyLog, placed: str, version: str
) -> None:
    """Each with inputs of its own, the second over the first."""
    if not version:
        notify.allow(NO_VERSION)
    shader = user_shader(version)
    shares = {"_a": 0.5, "_b": 0.25}
    for suffix, share in shares.items():
        additions = (Addition(f"{placed}/{name}", suffix=suffix) for name in ("place.vert", "mix.frag"))
        wrapped = wrap.wrap(shader, *additions)
        assert wrapped is not None
        shader = wrapped
        scene.set_shader_input(f"rtstamp_share{suffix}", share)
    u, v = ramps(256)
    expected, mixed = np.stack([u, v, np.full_like(u, 0.25)], axis=2), np.stack([v, u, 0 * u], axis=2)
    for share in shares.values():
        expected = (1.0 - share) * expected + share * mixed
    compare_images(drawn(base, scene, shader), expected, 1 / 255, "wrap-twice")


@pytest.mark.profiles
@pytest.mark.parametrize(
    "declaration",
    [
        "uniform mat4 p3d_ViewMatrixInverse;",
        "uniform  mat4 p3d_ProjectionMatrix, p3d_ViewMatrixInverse;",
        "// uniform mat4 p3d_ViewMatrixInverse;",
        "uniform mat4 p3d_ViewMatrix;",
    ],
)
def test_uniforms_of_panda_s_that_both_declare(
    base: Any, scene: NodePath, placed: str, declaration: str
) -> None:
    scene.set_shader_input("rtstamp_share", 0.0)
    texts = [user_shader("330").get_text(stage) for stage in (Shader.ST_vertex, Shader.ST_fragment)]
    texts[0] = texts[0].replace("out vec2", f"{declaration}\nout vec2")
    shader = Shader.make(Shader.SL_GLSL, *texts)
    wrapped = wrap.wrap(shader, Addition(f"{placed}/place.vert"), Addition(f"{placed}/mix.frag"))
    assert wrapped is not None
    u, v = ramps(256)
    expected = np.stack([u, v, np.full_like(u, 0.25)], axis=2)
    compare_images(drawn(base, scene, wrapped), expected, 1 / 255, "wrap-declared")


@pytest.mark.profiles
def test_an_addition_that_needs_no_output(base: Any, scene: NodePath, placed: str) -> None:
    """It goes with shaders whose first output cannot be told."""
    fragment = FRAGMENT.replace("{DECLARE}", "out vec4 colors[1];").replace("{COLOR}", "colors[0]")
    shader = user_shader("330", fragment)
    vertex = Addition(f"{placed}/place.vert")
    assert wrap.wrap(shader, vertex, Addition(f"{placed}/mix.frag")) is None
    wrapped = wrap.wrap(shader, vertex, Addition(f"{placed}/discard.frag"))
    assert wrapped is not None
    base.win.set_clear_color((0.0, 0.0, 0.0, 1.0))
    u, v = ramps(256)
    expected = np.stack([u, v, np.full_like(u, 0.25)], axis=2) * (u > 0.5)[..., None]
    compare_images(drawn(base, scene, wrapped), expected, 1 / 255, "wrap-discard")


# What cannot be wrapped.


def test_more_stages_are_not_wrapped(additions: tuple[Addition, Addition]) -> None:
    vertex, fragment = (
        user_shader("400").get_text(stage) for stage in (Shader.ST_vertex, Shader.ST_fragment)
    )
    geometry = Shader.make(Shader.SL_GLSL, vertex, fragment, GEOMETRY)
    tessellation = Shader.make(Shader.SL_GLSL, vertex, fragment, "", TESS_CONTROL, TESS_EVALUATION)
    assert wrap.wrap(geometry, *additions) is None
    assert wrap.wrap(tessellation, *additions) is None


def test_a_compute_shader_is_not_wrapped(additions: tuple[Addition, Addition]) -> None:
    assert wrap.wrap(Shader.make_compute(Shader.SL_GLSL, COMPUTE), *additions) is None


def test_a_shader_without_main_is_not_wrapped(additions: tuple[Addition, Addition]) -> None:
    """Its main may come from a #define, which we cannot see."""
    text = "#version 330\n#define ENTRY void main\nout vec4 c;\nENTRY () {\n    c = vec4(1.0);\n}\n"
    vertex = user_shader("330").get_text(Shader.ST_vertex)
    assert wrap.wrap(Shader.make(Shader.SL_GLSL, vertex, text), *additions) is None


def test_an_addition_that_is_missing(additions: tuple[Addition, Addition]) -> None:
    with pytest.raises(ShaderError, match=r"^shader file not found: rtstamp/nothing\.frag$"):
        wrap.wrap(user_shader("330"), additions[0], Addition("rtstamp/nothing.frag"))


# The output's name.


@pytest.mark.parametrize(
    ("declarations", "name"),
    [
        ("out vec4 color;", "color"),
        ("  out   vec4   color ;", "color"),
        ("out vec3 color;", "color"),
        ("out mediump vec4 color;", "color"),
        ("highp out vec4 color;", "color"),
        ("in vec2 uv; out vec4 color;", "color"),
        ("uniform sampler2D t;\nin vec2 uv;\nout vec4 color;", "color"),
        ("layout(location = 0) out vec4 color;", "color"),
        ("layout (location=0) out vec4 color;", "color"),
        ("layout(location = 1) out vec4 normal;\nlayout(location = 0) out vec4 color;", "color"),
        ("layout(location = 1) out vec4 normal; layout(location = 0) out vec4 color;", "color"),
        ("layout(location = 10) out vec4 normal;\nlayout(location = 0) out vec4 color;", "color"),
        (
            "layout(location = 0, index = 0) out vec4 color;\nlayout(location = 0, index = 1) out vec4 k;",
            "color",
        ),
        ("out vec4 color;\nout vec4 normal;", "color"),
        ("// out vec4 old;\nout vec4 color;", "color"),
        ("/* out vec4 old;\nout vec4 older; */ out vec4 color;", "color"),
        ("out\nvec4\ncolor;", "color"),
        ("void f(out vec4 a) {}\nout vec4 color;", "color"),
        ("void f(in float x, out vec4 a);\nout vec4 color;", "color"),
        ("in vec4 v_out;\nout vec4 color;", "color"),
        ("", "gl_FragColor"),
        ("in vec4 color;", "gl_FragColor"),
        ("// out vec4 color;", "gl_FragColor"),
        ("void f(out vec4 a) {}", "gl_FragColor"),
    ],
)
def test_output_name(declarations: str, name: str) -> None:
    assert output_name(f"#version 330\n{declarations}\nvoid main() {{}}\n") == name


@pytest.mark.parametrize(
    "fragment",
    [
        "#version 330\nout vec4 a, b;\nvoid main() { a = b = vec4(1.0); }",
        "#version 330\nout vec4 colors[2];\nvoid main() { colors[0] = vec4(1.0); }",
        "#version 120\nvoid main() { gl_FragData[0] = vec4(1.0); }",
        "#version 330\nuniform sampler2D rtstamp_temp;\nout vec4 c;\nvoid main() { c = vec4(1.0); }",
    ],
)
def test_what_cannot_be_told_is_not_wrapped(fragment: str) -> None:
    """Rather than made into a shader that does not compile, which draws nothing."""
    vertex = "#version 330\nvoid main() { gl_Position = vec4(0.0); }"
    shader = Shader.make(Shader.SL_GLSL, vertex, fragment)
    added = [Addition(f"rtstamp/stamps/wrap.{stage}") for stage in ("vert", "frag")]
    assert wrap.wrap(shader, *added) is None
