"""`python -m panda_rtstamp paint MODEL`: its window, its keys, and what it says where it cannot open one."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from panda3d.core import Filename, NodePath

from painter_support import PLAIN, columns, in_front, sheet
from panda_rtstamp.__main__ import main
from panda_rtstamp.commands.paint_window import PaintWindow
from panda_rtstamp.fur.painter import FurPainter
from pictures import changed
from shapes import box
from support import run_case, run_python, screenshot, step

# A user of the window, who paints, saves and quits; and is asked whether to quit without saving.
SCRIPT = """
import sys
from panda_rtstamp.__main__ import main
from panda_rtstamp.commands import paint_window

class Scripted(paint_window.PaintWindow):
    def __init__(self, base, painter, *arguments):
        super().__init__(base, painter, *arguments)
        self.marks = len(painter.marks)
        base.task_mgr.do_method_later(0, self.play, "play", extraArgs=[painter, base.messenger.send])

    def play(self, painter, send):
        send("2")
        send(",")
        painter.stroke([(0.0, 0.0), (0.1, 0.0)])
        assert len(painter.marks) == self.marks + 1
        send("escape")
        assert self.open
        send("s")
        send("escape")
        assert not self.open

paint_window.PaintWindow = Scripted
sys.exit(main(["paint", *sys.argv[1:]]))
"""


@pytest.fixture
def window(base: Any, scene: NodePath, tmp_path: Path) -> Iterator[PaintWindow]:
    """The window's contents, in the window of the tests."""
    model = sheet()
    model.reparent_to(scene)
    lens = base.camLens
    near, far = lens.get_near(), lens.get_far()
    with FurPainter(base, model) as painter:
        result = PaintWindow(base, painter, model, tmp_path / "a.fur", tmp_path / "a.bam")
        yield result
        result.destroy()
        result.destroy()
    lens.set_near_far(near, far)


def press(base: Any, *keys: str) -> None:
    """Press keys, one after another."""
    for key in keys:
        base.messenger.send(key)


def test_keys_set_the_brush(base: Any, window: PaintWindow) -> None:
    brush = window.painter.brush
    for key, tool in zip("12345", ("comb", "length", "density", "smooth", "erase"), strict=True):
        press(base, key)
        assert brush.tool == tool
    radius = brush.radius
    press(base, "]", "]", "[")
    assert brush.radius == pytest.approx(radius * 1.2)
    press(base, *"-" * 3, "=")
    assert brush.strength == pytest.approx(0.3)
    press(base, *"-" * 20)
    assert brush.strength == 0.0
    press(base, *"," * 4, ".")
    assert brush.value == pytest.approx(0.7)
    found = [brush.symmetry]
    for _ in range(4):
        press(base, "m")
        found.append(brush.symmetry)
    assert found == [None, "x", "y", "z", None]


def test_keys_and_settings_are_on_screen(base: Any, window: PaintWindow) -> None:
    for key in ("left button", "wheel", "1:", "[ ]", "- =", ", .", "m:", "z y", "h:", "s:", "b:", "escape"):
        assert key in window.help_text
    press(base, "2", "m")
    step(base)
    for part in ("length", "strength 50%", "paints 100%", "mirrored along x"):
        assert part in window.state_text


def test_undo_redo_and_strands(base: Any, window: PaintWindow, scene: NodePath) -> None:
    model = scene.find("sheet")
    press(base, "2", ",")
    step(base)
    window.painter.stroke([(0.0, 0.0)])
    painted = columns(model)
    assert (painted != PLAIN).any()
    press(base, "z")
    assert (columns(model) == PLAIN).all()
    press(base, "z")
    step(base)
    assert "nothing to undo" in window.state_text
    press(base, "y")
    np.testing.assert_array_equal(columns(model), painted)
    shown = screenshot(base)
    press(base, "h")
    hidden = screenshot(base)
    assert changed(hidden, shown).any()
    press(base, "h")
    np.testing.assert_array_equal(screenshot(base), shown)


def test_saving(base: Any, window: PaintWindow, tmp_path: Path) -> None:
    window.painter.stroke([(0.0, 0.0), (0.2, 0.0)])
    press(base, "s", "b")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.bam", "a.fur"]
    step(base)
    assert "a.bam" in window.state_text


def test_quitting_asks_where_something_is_not_saved(base: Any, window: PaintWindow) -> None:
    window.painter.stroke([(0.0, 0.0), (0.2, 0.0)])
    press(base, "escape")
    step(base)
    assert window.open
    assert "not saved" in window.state_text
    # Any other key is a no.
    press(base, "m", "escape")
    assert window.open
    press(base, "escape")
    assert not window.open


def test_quitting_after_saving_does_not_ask(base: Any, window: PaintWindow) -> None:
    window.painter.stroke([(0.0, 0.0), (0.2, 0.0)])
    press(base, "s", "escape")
    assert not window.open


def test_what_cannot_be_saved_is_said(base: Any, scene: NodePath, tmp_path: Path) -> None:
    model = sheet()
    model.reparent_to(scene)
    in_front(base)
    with FurPainter(base, model) as painter:
        file = tmp_path / "no folder" / "a.fur"
        window = PaintWindow(base, painter, model, file, file)
        painter.stroke([(0.0, 0.0), (0.2, 0.0)])
        press(base, "s")
        step(base)
        assert "cannot be saved" in window.state_text
        press(base, "escape")
        assert window.open
        window.destroy()


class Watcher:
    """A mouse that a test moves."""

    def __init__(self) -> None:
        self.x, self.y = 0.0, 0.0

    def has_mouse(self) -> bool:
        """It is in the window."""
        return True

    def get_mouse_x(self) -> float:
        """-1..1."""
        return self.x

    def get_mouse_y(self) -> float:
        """-1..1."""
        return self.y


def test_the_camera_turns_about_the_model(
    base: Any, window: PaintWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    mouse = Watcher()
    monkeypatch.setattr(base, "mouseWatcherNode", mouse)
    distance = base.cam.get_pos(base.render).length()
    press(base, "wheel_up")
    assert base.cam.get_pos(base.render).length() == pytest.approx(distance / 1.2, rel=1e-4)
    press(base, "wheel_down")
    before = base.cam.get_pos(base.render)
    for button, moves in (("mouse3", False), ("mouse2", True)):
        press(base, button)
        step(base)
        mouse.x, mouse.y = 0.4, 0.2
        step(base)
        press(base, f"{button}-up")
        mouse.x, mouse.y = 0.0, 0.0
        step(base)
        after = base.cam.get_pos(base.render)
        assert (after - before).length() > 0.1
        assert (abs(after.length() - distance) > 0.01) == moves
        before = after
    assert (columns(window.model) == PLAIN).all()


# The command.


@pytest.mark.parametrize("name", ["missing.bam", "."])
def test_a_wrong_model_is_one_sentence(capsys: pytest.CaptureFixture[str], name: str) -> None:
    assert main(["paint", name]) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert len(output.err.splitlines()) == 1


def test_without_a_display_it_says_so(tmp_path: Path) -> None:
    box((1, 1, 1)).write_bam_file(Filename.from_os_specific(str(tmp_path / "a.bam")))
    done = run_python("-m", "panda_rtstamp", "paint", "a.bam", env={"DISPLAY": ""}, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == "panda_rtstamp paint: There is no display to open a window on."
    assert "Traceback" not in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["a.bam"]


@pytest.mark.x11
def test_it_paints_saves_and_goes_on_where_it_was(tmp_path: Path) -> None:
    model = tmp_path / "a.bam"
    sheet().write_bam_file(Filename.from_os_specific(str(model)))
    assert run_case(SCRIPT, args=(str(model), "--author", "Ann")) == ""
    sizes = [(tmp_path / "a.fur").stat().st_size]
    output = run_case(SCRIPT, args=(str(model),))
    assert "laid on" in output
    sizes.append((tmp_path / "a.fur").stat().st_size)
    assert sizes[1] > sizes[0]


@pytest.mark.x11
def test_merging_lists_what_both_painted(tmp_path: Path) -> None:
    model = tmp_path / "a.bam"
    sheet().write_bam_file(Filename.from_os_specific(str(model)))
    for author in ("Ann", "Bob"):
        run_case(SCRIPT, args=(str(model), str(tmp_path / f"{author}.fur"), "--author", author))
    output = run_case(
        SCRIPT, args=(str(model), str(tmp_path / "Ann.fur"), "--merge", str(tmp_path / "Bob.fur"))
    )
    assert "Ann" in output
    # The same stroke by both is the same fur.
    assert "both painted" not in output


@pytest.mark.x11
@pytest.mark.parametrize("content", [b"", b"something else"])
def test_a_damaged_sidecar_is_one_sentence(tmp_path: Path, content: bytes) -> None:
    model, file = tmp_path / "a.bam", tmp_path / "a.fur"
    sheet().write_bam_file(Filename.from_os_specific(str(model)))
    file.write_bytes(content)
    done = run_python("-m", "panda_rtstamp", "paint", str(model))
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith("panda_rtstamp paint: painted fur cannot be loaded")
    assert file.read_bytes() == content


@pytest.mark.x11
def test_a_model_without_normals_is_one_sentence(tmp_path: Path) -> None:
    box((1, 1, 1), normals=False).write_bam_file(Filename.from_os_specific(str(tmp_path / "a.bam")))
    done = run_python("-m", "panda_rtstamp", "paint", str(tmp_path / "a.bam"))
    assert done.returncode == 2
    assert "normals" in done.stderr.splitlines()[-1]
