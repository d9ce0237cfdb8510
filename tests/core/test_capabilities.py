"""What a context says it can do, in every profile, and the sentences for what it lacks."""

import dataclasses
import sys
from typing import Any

import pytest

from panda_rtstamp.core.capabilities import Capabilities
from support import PROFILE, run_case

GOOD = Capabilities(
    vendor="Vendor",
    renderer="Renderer 9000",
    version="3.3 (Core Profile)",
    gl_version=(3, 3),
    glsl_version=(3, 30),
    opengl_es=False,
    core_profile=True,
    glsl=True,
    texture_buffers=True,
    offscreen_buffers=True,
    float_targets=True,
    dual_source_blending=True,
    compute=False,
    max_texture_size=4096,
)

PRINT_CAPABILITIES = """
from direct.showbase.ShowBase import ShowBase
from panda_rtstamp.core.capabilities import Capabilities
found = Capabilities.of(ShowBase().win.gsg)
print(found.gl_version, found.glsl_version >= (3, 30), found.compute, len(found.missing_for_stamps()))
"""


@pytest.mark.profiles
@pytest.mark.threads
def test_the_test_machine_can_do_stamps(base: Any) -> None:
    found = Capabilities.of(base.win.gsg)
    assert found.missing_for_stamps() == []
    assert found.vendor
    assert found.renderer
    assert found.gl_version >= (3, 3)
    assert found.glsl_version >= (3, 30)
    assert found.float_targets
    assert found.max_texture_size >= 2048
    assert not found.opengl_es
    assert found.core_profile == (PROFILE == "core")


def test_answers_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        GOOD.compute = True  # type: ignore[misc]


def test_what_has_all_lacks_nothing() -> None:
    assert GOOD.missing_for_stamps() == []


@pytest.mark.parametrize(
    ("lack", "words"),
    [
        ({"gl_version": (3, 2)}, "OpenGL 3.3; this context has 3.2"),
        ({"glsl_version": (1, 50)}, "GLSL 3.30; this context has 1.50"),
        ({"texture_buffers": False}, "texture buffers"),
        ({"offscreen_buffers": False}, "offscreen buffers"),
        ({"dual_source_blending": False}, "dual source blending"),
        ({"glsl": False}, "shaders in GLSL"),
        ({"opengl_es": True, "version": "OpenGL ES 3.2"}, "this is OpenGL ES 3.2"),
    ],
)
def test_each_lack_is_one_sentence(lack: dict[str, Any], words: str) -> None:
    reasons = dataclasses.replace(GOOD, **lack).missing_for_stamps()
    assert len(reasons) == 1
    assert words in reasons[0]


def test_what_stamps_do_without_is_no_lack() -> None:
    assert dataclasses.replace(GOOD, float_targets=False, compute=False).missing_for_stamps() == []


def test_every_lack_is_told() -> None:
    poor = dataclasses.replace(GOOD, gl_version=(2, 1), texture_buffers=False, dual_source_blending=False)
    assert len(poor.missing_for_stamps()) == 3


def test_macos_users_are_told_how_to_ask_for_a_newer_context(monkeypatch: pytest.MonkeyPatch) -> None:
    old = dataclasses.replace(GOOD, gl_version=(2, 1))
    assert "gl-version 3 2" not in old.missing_for_stamps()[0]
    monkeypatch.setattr(sys, "platform", "darwin")
    assert "gl-version 3 2" in old.missing_for_stamps()[0]


def test_software_renderers_are_recognised() -> None:
    assert not GOOD.software
    assert dataclasses.replace(GOOD, renderer="llvmpipe (LLVM 15.0.6, 256 bits)").software


@pytest.mark.skipif(sys.platform != "linux", reason="Mesa's variables work on Linux")
@pytest.mark.parametrize(("version", "lacks"), [("2.1", 2), ("3.3", 0)])
def test_an_old_driver(version: str, lacks: int) -> None:
    """2.1 lacks the version and the buffers; 3.3 has all but compute, though Mesa offers the extension."""
    output = run_case(PRINT_CAPABILITIES, profile="compat", env={"MESA_GL_VERSION_OVERRIDE": version})
    major, minor = version.split(".")
    assert output.splitlines()[-1] == f"({major}, {minor}) True False {lacks}"


@pytest.mark.skipif(sys.platform == "win32", reason="p3tinydisplay has no offscreen pipe there")
def test_a_display_without_shaders() -> None:
    setting = "load_prc_file_data('', 'load-display p3tinydisplay')"
    code = f"from panda3d.core import load_prc_file_data\n{setting}\n{PRINT_CAPABILITIES}"
    output = run_case(code, profile="compat", allow=["x11display", "tinydisplay"])
    assert output.splitlines()[-1] == "(0, 0) False False 1"
