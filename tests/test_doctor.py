"""`python -m panda_rtstamp doctor [MODEL]`: a report, a verdict, an exit code, and never a traceback."""

import re
import sys
from pathlib import Path

import numpy as np
import pytest
from panda3d.core import Filename, LODNode, NodePath, TransparencyAttrib

import panda_rtstamp.__main__ as command
from panda_rtstamp import __version__
from shapes import box, box_columns, make_geom, make_node, quads
from support import PROFILES, make_card, prc, run_python

LINES_ON_A_SCREEN = 25


def run_doctor(folder: Path, prc: str = PROFILES["compat"], **env: str) -> tuple[int, str]:
    """Run the doctor with a PRC configuration of its own; its exit code and what it printed."""
    (folder / "test.prc").write_text(prc, encoding="utf-8")
    done = run_python("-m", "panda_rtstamp", "doctor", env={"PANDA_PRC_DIR": str(folder), **env}, cwd=folder)
    assert "Traceback" not in done.stdout + done.stderr, done.stderr
    assert len(done.stdout.splitlines()) <= LINES_ON_A_SCREEN
    return done.returncode, done.stdout


def row(output: str, name: str) -> str:
    """The value in the report's line of this name."""
    match = re.search(rf"^  {re.escape(name)} +(.*)$", output, re.MULTILINE)
    assert match, f"no line {name!r} in\n{output}"
    return match.group(1)


def test_where_stamps_work(tmp_path: Path) -> None:
    code, output = run_doctor(tmp_path)
    assert code == 0
    assert row(output, "stamps") == "work here"
    assert row(output, "panda_rtstamp") == __version__
    assert row(output, "RGBA16F target").startswith("rgba16, ")
    assert row(output, "R16 target") == "r16, unsigned_short"
    assert row(output, "RG32F target") == "rg32, float"
    assert row(output, "vision masks") == "work here"
    assert row(output, "render pictures") == "work here"
    assert row(output, "dual source blending") == "yes"
    assert row(output, "threads").endswith("none (single-threaded)")


def test_core_profile(tmp_path: Path) -> None:
    code, output = run_doctor(tmp_path, PROFILES["core"])
    assert code == 0
    assert "core profile" in row(output, "OpenGL, GLSL")


def test_no_window_is_needed(tmp_path: Path) -> None:
    code, output = run_doctor(tmp_path, PROFILES["compat"].replace("offscreen", "none"))
    assert code == 0
    assert "window-type none" in output


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has p3headlessgl to fall back to")
@pytest.mark.parametrize("display", ["pandagl", "no-such-display"])
def test_falls_back_to_headless(tmp_path: Path, display: str) -> None:
    code, output = run_doctor(tmp_path, f"load-display {display}\n", DISPLAY="")
    assert code == 0
    assert row(output, "display") == f"eglGraphicsPipe (load-display: {display})"


def test_old_opengl(tmp_path: Path) -> None:
    code, output = run_doctor(tmp_path, MESA_GL_VERSION_OVERRIDE="2.1")
    assert code == 1
    assert row(output, "stamps") == "do not work here:"
    assert "- Stamps need OpenGL 3.3; this context has 2.1." in output
    # For what stamps lack too, and no more.
    assert row(output, "vision masks").startswith("do not work here")
    assert output.count("need OpenGL 3.3; this context has 2.1.") == 1


def test_no_context_at_all(tmp_path: Path) -> None:
    code, output = run_doctor(tmp_path, PROFILES["core"], MESA_GL_VERSION_OVERRIDE="2.1")
    assert code == 1
    assert "- No graphics context could be opened" in output
    assert "Panda3D said:" in output


def test_a_display_without_shaders(tmp_path: Path) -> None:
    code, output = run_doctor(tmp_path, "load-display p3tinydisplay\n")
    assert code == 1
    assert "- Stamps need shaders in GLSL, which this display lacks" in output


@pytest.mark.skipif(sys.platform != "linux", reason="only there does a threading-model lead to OpenGL ES")
def test_threads_without_a_display(tmp_path: Path) -> None:
    code, output = run_doctor(tmp_path, PROFILES["compat"] + "threading-model Cull/Draw\n")
    assert code == 1
    assert row(output, "threads").endswith("threading-model: Cull/Draw")
    assert "- Stamps need desktop OpenGL 3.3; this is OpenGL ES" in output


@pytest.mark.x11
def test_threads_in_a_window(tmp_path: Path) -> None:
    code, output = run_doctor(tmp_path, PROFILES["threads"])
    assert code == 0
    assert row(output, "R16 target") == "r16, unsigned_short"


def test_whatever_fails_is_a_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail() -> int:
        raise RuntimeError("the moon is full")

    monkeypatch.setattr(command, "doctor", fail)
    assert command.main(["doctor"]) == 1
    assert "RuntimeError: the moon is full" in capsys.readouterr().out


def test_an_unknown_command_shows_the_usage(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        command.main(["dance"])
    assert stop.value.code == 2
    assert "doctor" in capsys.readouterr().err


# Of a model.


def examine(node: NodePath, folder: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """Let the doctor look at a model; its exit code and what it printed."""
    path = folder / "patient.bam"
    assert node.write_bam_file(Filename.from_os_specific(str(path)))
    code = command.main(["doctor", str(path)])
    assert list(folder.iterdir()) == [path]
    return code, capsys.readouterr().out


def test_a_model_with_usable_uvs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, output = examine(make_card(2.0, 1.0), tmp_path, capsys)
    assert code == 0
    assert row(output, "geometry") == "2 triangles, 1 Geom, 1 GeomNode"
    assert row(output, "texcoord").endswith(" usable")
    assert row(output, "marks") == "are laid out by the UV set 'texcoord', from the first hit on"
    for absent in ("Faults", "charts", "instances", "levels of detail", "alpha", "not usable"):
        assert absent not in output


@pytest.mark.parametrize(
    ("most", "where"), [(12, "in the frame of the first hit"), (11, "in the background")]
)
def test_a_model_that_is_unwrapped(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], most: int, where: str
) -> None:
    with prc(f"rtstamp-unwrap-at-once {most}"):
        code, output = examine(box((1.0, 1.0, 1.0)), tmp_path, capsys)
    assert code == 0
    assert "box: texcoord: 100.0% overlap (Geom 0)" in output
    assert row(output, "marks").endswith(where)
    assert row(output, "charts") == "6"
    assert re.fullmatch(r"\d+\.\d\d s", row(output, "time"))


def test_faults_by_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    beyond, broken, bare = (box_columns((1.0, 1.0, 1.0)) for _ in range(3))
    beyond["texcoord"] = beyond["texcoord"] / 8 + np.repeat(np.arange(6), 4)[:, None]
    broken["vertex"][0] = np.nan
    broken["texcoord"][:] = np.nan
    del bare["texcoord"]
    model = NodePath("model")
    for name, columns in (("beyond", beyond), ("broken", broken), ("bare", bare)):
        make_node(name, make_geom(columns, quads(6))).reparent_to(model)
    code, output = examine(model, tmp_path, capsys)
    assert code == 0
    # Of six faces all but the first lie outside the tile.
    assert "model/beyond: texcoord: 83.3% outside 0..1 (Geom 0)" in output
    assert "model/broken: 2 triangles with vertices that are not finite (Geom 0)" in output
    assert "model/broken: texcoord: not finite, or on one line (Geom 0)" in output
    assert "model/bare: texcoord: none (Geom 0)" in output
    assert "1 of 3" in row(output, "texcoord")


def test_what_else_matters(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = NodePath("model")
    shared = make_card(1.0, 1.0, "leaf")
    shared.set_attrib(TransparencyAttrib.make(TransparencyAttrib.M_binary))
    for place in range(3):
        shared.instance_to(model.attach_new_node(f"place{place}"))
    levels = LODNode("levels")
    for number in range(2):
        levels.add_switch(10.0 * (number + 1), 10.0 * number)
        NodePath(levels).attach_new_node(f"level{number}")
    model.attach_new_node(levels)
    _, output = examine(model, tmp_path, capsys)
    assert row(output, "instances").startswith("the GeomNodes are drawn 3 times")
    assert row(output, "levels of detail") == "1 LODNode, up to 2 levels"
    assert row(output, "alpha").startswith("cuts out or thins 1 Geom:")


def test_animated_models(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["doctor", "ripple"]) == 0
    assert row(capsys.readouterr().out, "animation") == (
        "1 Character, 1 joint, 7 morph sliders (hardware skinning drops sliders)"
    )


def test_a_model_without_triangles(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, output = examine(NodePath("empty"), tmp_path, capsys)
    assert code == 1
    assert row(output, "marks") == "cannot be made: the model has no triangles"


def test_a_set_that_is_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    card = make_card(1.0, 1.0)
    for name, expected in (("texcoord", 0), ("lightmap", 1)):
        card.set_tag("rtstamp-uv", name)
        code, output = examine(card, tmp_path, capsys)
        assert code == expected
        assert repr(name) in row(output, "marks")


def test_no_such_model(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["doctor", "no-such-model"]) == 2
    shown = capsys.readouterr()
    assert shown.err.startswith("panda_rtstamp doctor: There is no file no-such-model")
    assert shown.out == ""
