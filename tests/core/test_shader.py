"""Shader files: where they are found, includes and defines, and errors that name file and line."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from panda3d.core import (
    Filename,
    Shader,
    VirtualFileMountRamdisk,
    VirtualFileSystem,
)

from panda_rtstamp.core.shader import Source, check_shader, load_shader, read_source
from panda_rtstamp.errors import ShaderError
from support import ROOT, NotifyLog, prc

CARD = "rtstamp/common/card.vert"
OURS = ROOT / "shaders"

VERTEX = """#version 330
in vec4 p3d_Vertex;
void main() {
    gl_Position = p3d_Vertex;
}
"""
FRAGMENT = """#version 330
out vec4 o_color;
void main() {
    o_color = vec4(1.0);
}
"""


class Folder:
    """A folder of shader files."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def write(self, name: str, content: str) -> str:
        """Write a file; returns its full name as users of Panda pass it."""
        file = self.path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content, encoding="utf-8", newline="")
        return Filename.from_os_specific(str(file)).get_fullpath()


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


@pytest.fixture
def model_path(tmp_path: Path) -> Iterator[Path]:
    """A folder that is first on the model path."""
    with prc(f"model-path {Filename.from_os_specific(str(tmp_path)).get_fullpath()}"):
        yield tmp_path


def lines_of(source: Source) -> list[str]:
    """The lines that are code: neither empty nor for the line numbers."""
    return [line for line in source.text.splitlines() if line and not line.startswith("#line")]


# Where files are found.


def test_ours_are_read_by_their_public_name() -> None:
    assert read_source(CARD) == (OURS / "common/card.vert").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["shaders/common/card.vert", "rtstamp/common/card.vert", "common/card.vert"])
def test_ours_are_never_shadowed(
    folder: Folder, monkeypatch: pytest.MonkeyPatch, model_path: Path, name: str
) -> None:
    """Neither by the folder that the game is started in nor by the model path."""
    expected = read_source(CARD)
    folder.write(name, "#version 330\n// not ours\n")
    monkeypatch.chdir(folder.path)
    assert read_source(CARD) == expected
    assert "not ours" not in Source("rtstamp/stamps/merge.frag").text


@pytest.mark.parametrize("name", ["rtstamp/nothing.vert", "rtstamp/", "rtstamp/common"])
def test_what_is_not_ours_is_not_found(name: str) -> None:
    with pytest.raises(ShaderError, match=f"^shader file not found: {name}$"):
        read_source(name)


def test_users_files_are_found_along_the_model_path(folder: Folder, model_path: Path) -> None:
    folder.write("effects/user.frag", FRAGMENT)
    assert read_source("effects/user.frag") == FRAGMENT
    with pytest.raises(ShaderError, match=r"^shader file not found: effects/other\.frag$"):
        read_source("effects/other.frag")


def test_users_files_are_found_in_the_virtual_file_system() -> None:
    """A game that ships its assets in a multifile."""
    files = VirtualFileSystem.get_global_ptr()
    mount = VirtualFileMountRamdisk()
    files.mount(mount, "/rtstamp-test", 0)
    try:
        files.write_file("/rtstamp-test/user.frag", FRAGMENT.encode(), False)
        assert read_source("/rtstamp-test/user.frag") == FRAGMENT
    finally:
        files.unmount(mount)


def test_a_missing_file_is_named(folder: Folder) -> None:
    name = folder.write("a.frag", FRAGMENT).replace("a.frag", "b.frag")
    with pytest.raises(ShaderError, match=f"^shader file not found: {name}$"):
        load_shader(CARD, name)
    with pytest.raises(ShaderError, match=f"^shader file not found: {name}$"):
        load_shader(name, folder.write("a.frag", FRAGMENT))


def test_a_folder_is_not_a_file(folder: Folder) -> None:
    folder.write("dir/a.frag", FRAGMENT)
    name = Filename.from_os_specific(str(folder.path / "dir")).get_fullpath()
    with pytest.raises(ShaderError, match=name):
        load_shader(CARD, name)


# Includes.


def test_an_include_of_ours() -> None:
    source = Source("rtstamp/stamps/merge.frag")
    assert source.files[0] == "rtstamp/stamps/merge.frag"
    assert "rtstamp/stamps/primary.glsl" in source.files
    assert "#pragma include" not in source.text
    included = (OURS / "stamps/primary.glsl").read_text(encoding="utf-8").strip()
    assert included in source.text


def test_a_user_may_include_ours(folder: Folder) -> None:
    name = folder.write(
        "a.frag", "#version 330\n#pragma include <rtstamp/common/mark.glsl>\nvoid main() {}\n"
    )
    source = Source(name)
    assert source.files == [name, "rtstamp/common/mark.glsl"]
    assert "vec4 rtstamp_mark(vec2 uv)" in source.text


def test_includes_nest_and_stand_where_they_were_asked_for(folder: Folder) -> None:
    folder.write("lib/b.glsl", '// b1\n#pragma include "deep/c.glsl"\n// b2\n')
    folder.write("lib/deep/c.glsl", "// c\n")
    folder.write("d.glsl", "// d")
    name = folder.write(
        "a.frag",
        '#version 330\n// a1\n#pragma include "lib/b.glsl"\n// a2\n  #pragma  include "d.glsl"  \n// a3',
    )
    source = Source(name)
    assert lines_of(source) == ["#version 330", "// a1", "// b1", "// c", "// b2", "// a2", "// d", "// a3"]
    assert [Path(file).name for file in source.files] == ["a.frag", "b.glsl", "c.glsl", "d.glsl"]


def test_an_include_lies_beside_who_asks_for_it(
    folder: Folder, monkeypatch: pytest.MonkeyPatch, model_path: Path
) -> None:
    """And not in the current folder, nor on the model path."""
    folder.write("b.glsl", "// the wrong one")
    folder.write("effects/b.glsl", "// the right one")
    name = folder.write("effects/a.frag", '#version 330\n#pragma include "b.glsl"\n')
    monkeypatch.chdir(folder.path)
    for asked in (name, "effects/a.frag"):
        assert lines_of(Source(asked)) == ["#version 330", "// the right one"]


def test_windows_line_ends(folder: Folder) -> None:
    folder.write("b.glsl", "// b\r\n")
    name = folder.write("a.frag", '#version 330\r\n#pragma include "b.glsl"\r\n// a\r\n')
    assert lines_of(Source(name)) == ["#version 330", "// b", "// a"]


def test_a_comment_in_latin_1(folder: Folder) -> None:
    """Drivers skip comments, whatever their bytes; so do we."""
    (folder.path / "a.frag").write_bytes(FRAGMENT.encode() + b"// caf\xe9\n")
    name = Filename.from_os_specific(str(folder.path / "a.frag")).get_fullpath()
    assert Source(name).text.startswith("#version 330\n")


def test_an_include_that_is_missing_names_who_asked_for_it(folder: Folder) -> None:
    b = folder.write("b.glsl", '\n\n#pragma include "c.glsl"\n')
    a = folder.write("a.frag", '#version 330\n#pragma include "b.glsl"\n')
    c = b.replace("b.glsl", "c.glsl")
    with pytest.raises(ShaderError) as error:
        load_shader(CARD, a)
    assert str(error.value) == f"{a}:2: {b}:3: shader file not found: {c}"


def test_an_include_of_ours_that_is_missing(folder: Folder) -> None:
    a = folder.write("a.frag", "#version 330\n\n#pragma include <rtstamp/nothing.glsl>\n")
    with pytest.raises(ShaderError) as error:
        load_shader(CARD, a)
    assert str(error.value) == f"{a}:3: shader file not found: rtstamp/nothing.glsl"


def test_a_circle_of_includes(folder: Folder) -> None:
    b = folder.write("b.glsl", '#pragma include "a.frag"\n')
    a = folder.write("a.frag", '#version 330\n#pragma include "b.glsl"\n')
    with pytest.raises(ShaderError) as error:
        load_shader(CARD, a)
    assert str(error.value) == f"{a}:2: {b}:1: {a}: included by itself, through {a} > {b}"


def test_the_same_include_twice_is_no_circle(folder: Folder) -> None:
    folder.write("b.glsl", "// b")
    name = folder.write("a.frag", '#version 330\n#pragma include "b.glsl"\n#pragma include "b.glsl"\n')
    assert lines_of(Source(name)) == ["#version 330", "// b", "// b"]


def test_what_only_looks_like_an_include(folder: Folder) -> None:
    text = '#version 330\n// #pragma include "no.glsl"\n#pragma optimize(on)\n#pragma include no.glsl\n'
    source = Source(folder.write("a.frag", text))
    assert lines_of(source) == text.splitlines()
    assert len(source.files) == 1


# Defines and #version.


def test_defines_stand_behind_version(folder: Folder) -> None:
    name = folder.write("a.frag", "// head\n\n#version 330 core\n#ifndef A\n#define A 1\n#endif\n")
    source = Source(name, {"A": 2, "NAME": "rtstamp_paint"})
    assert lines_of(source)[:3] == ["#version 330 core", "#define A 2", "#define NAME rtstamp_paint"]
    # The driver goes on counting with the file's own line.
    assert source.text.splitlines()[3:5] == ["#line 4", "#ifndef A"]


def test_a_shader_begins_with_version(folder: Folder) -> None:
    name = folder.write("a.frag", "void main() {}\n")
    with pytest.raises(ShaderError, match=f"^{name}: a shader must begin with #version$"):
        load_shader(CARD, name)


def test_shaders_are_shared_by_files_and_defines(folder: Folder) -> None:
    name = folder.write("a.frag", FRAGMENT)
    shader = load_shader(CARD, name, {"A": 1, "B": 2})
    assert load_shader(CARD, name, {"B": 2, "A": 1}) == shader
    assert load_shader(CARD, name, {"A": 1}) != shader
    assert load_shader(CARD, name) != shader


def test_what_is_loaded_is_glsl_with_our_text(folder: Folder) -> None:
    name = folder.write("a.frag", FRAGMENT)
    shader = load_shader(CARD, name, {"A": 1})
    assert shader.get_language() == Shader.SL_GLSL
    texts = (shader.get_text(Shader.ST_vertex), shader.get_text(Shader.ST_fragment))
    for text, file in zip(texts, (CARD, name), strict=True):
        # Panda leaves out lines that are comments.
        wanted = [line for line in Source(file, {"A": 1}).text.splitlines() if not line.startswith("//")]
        assert text.split() == "\n".join(wanted).split()


# Compile errors.


def compile_error(base: Any, vertex: str, fragment: str, **defines: object) -> str:
    """What `check_shader` says about shaders that do not compile."""
    with pytest.raises(ShaderError) as error:
        check_shader(base.win.get_gsg(), vertex, fragment, defines)
    return str(error.value)


@pytest.mark.profiles
def test_good_shaders_compile(base: Any, folder: Folder) -> None:
    fragment = FRAGMENT.replace("1.0", "f()").replace("\nvoid", '\n#pragma include "f.glsl"\nvoid')
    folder.write("f.glsl", "float f() { return WANTED; }\n")
    name = folder.write("a.frag", fragment)
    shader = check_shader(base.win.get_gsg(), CARD, name, {"WANTED": "0.5"})
    assert not shader.get_error_flag()
    assert shader.is_prepared(base.win.get_gsg().get_prepared_objects())


@pytest.mark.profiles
def test_an_error_names_file_and_line(base: Any, folder: Folder) -> None:
    name = folder.write("a.frag", FRAGMENT.replace("vec4(1.0)", "vec4(wrong)"))
    message = compile_error(base, CARD, name, A=1, B=2)
    assert message.startswith(f"{name} does not compile:\n")
    assert f"{name}:4: error" in message
    assert "wrong" in message


@pytest.mark.profiles
def test_an_error_in_a_vertex_shader(base: Any, folder: Folder) -> None:
    name = folder.write("a.vert", VERTEX.replace("p3d_Vertex;\n}", "wrong;\n}"))
    message = compile_error(base, name, folder.write("a.frag", FRAGMENT))
    assert message.startswith(f"{name} does not compile:\n")
    assert f"{name}:4: error" in message


@pytest.mark.profiles
def test_an_error_in_an_included_file(base: Any, folder: Folder) -> None:
    good = folder.write("good.glsl", "float g() {\n    return 1.0;\n}\n")
    bad = folder.write("lib/bad.glsl", "// one\n// two\nfloat f() { return wrong; }\n")
    name = folder.write(
        "a.frag",
        '#version 330\n#pragma include "good.glsl"\n#pragma include "lib/bad.glsl"\n'
        "out vec4 o_color;\nvoid main() {\n    o_color = vec4(g());\n}\n",
    )
    message = compile_error(base, CARD, name, A=1)
    assert f"{bad}:3: error" in message
    assert good not in message
    assert f"{name}:" not in message.partition("\n")[2]


@pytest.mark.profiles
def test_an_error_behind_an_include(base: Any, folder: Folder) -> None:
    folder.write("good.glsl", "float g() {\n    return 1.0;\n}\n// no newline at the end")
    name = folder.write(
        "a.frag",
        '#version 330\n#pragma include "good.glsl"\nout vec4 o_color;\n\nvoid main() {\n'
        "    o_color = vec4(wrong);\n}\n",
    )
    assert f"{name}:6: error" in compile_error(base, CARD, name)


@pytest.mark.profiles
def test_an_error_in_ours_that_a_define_caused(base: Any) -> None:
    """Ours compile; what a define makes of them is found in the right line."""
    lines = (OURS / "stamps/merge.frag").read_text(encoding="utf-8").splitlines()
    line = next(number for number, text in enumerate(lines, 1) if "CHANNELS ==" in text)
    message = compile_error(base, CARD, "rtstamp/stamps/merge.frag", CHANNELS="wrong")
    assert f"rtstamp/stamps/merge.frag:{line}: error" in message


@pytest.mark.profiles
def test_stages_that_do_not_link(base: Any, folder: Folder) -> None:
    name = folder.write("a.frag", FRAGMENT.replace("\nout", "\nfloat f();\nout").replace("1.0", "f()"))
    message = compile_error(base, folder.write("a.vert", VERTEX), name)
    assert message.startswith(f"{name} does not compile:\n")
    assert "`f'" in message


@pytest.mark.profiles
def test_an_error_reaches_the_exception_alone(base: Any, folder: Folder, notify: NotifyLog) -> None:
    compile_error(base, CARD, folder.write("a.frag", FRAGMENT.replace("vec4(1.0)", "wrong")))
    assert notify.text == ""


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (
            "created-shader:10003(5): error: `x' undeclared",
            "b.glsl:3: error: `x' undeclared",
        ),  # Mesa, by Panda
        ("created-shader:4(5): error: `x' undeclared", "a.frag:4: error: `x' undeclared"),
        ("0:10003(5): error: `x' undeclared", "b.glsl:3: error: `x' undeclared"),  # Mesa, Intel
        ("0(10003) : error C1503: undefined variable", "b.glsl:3: error C1503: undefined variable"),  # NVIDIA
        ("0(4) : error C1503: undefined variable", "a.frag:4: error C1503: undefined variable"),
        (
            "ERROR: 0:10003: 'x' : undeclared identifier",
            "ERROR: b.glsl:3: 'x' : undeclared identifier",
        ),  # AMD
        (
            "ERROR: 0:4: Use of undeclared identifier",
            "ERROR: a.frag:4: Use of undeclared identifier",
        ),  # Apple
        ("error: 10 errors at 30003", "error: 10 errors at 30003"),  # no place at all
        ("0:990003(1): error: far away", "0:990003(1): error: far away"),  # no such file
    ],
)
def test_every_drivers_way_to_name_a_line(folder: Folder, model_path: Path, line: str, expected: str) -> None:
    folder.write("b.glsl", "// b\n")
    folder.write("a.frag", '#version 330\n#pragma include "b.glsl"\n')
    assert Source("a.frag").locate(line) == expected
