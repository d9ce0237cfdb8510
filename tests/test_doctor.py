"""`python -m panda_rtstamp doctor`: one screenful, a verdict, an exit code, and never a traceback."""

import re
import sys
from pathlib import Path

import pytest

import panda_rtstamp.__main__ as command
from panda_rtstamp import __version__
from support import PROFILES, run_python

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
