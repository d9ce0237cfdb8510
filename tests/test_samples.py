"""The samples run: into the same pictures every time, and in a window; or they say why not, in a sentence."""

import shutil
import sys
from pathlib import Path

import numpy as np
import panda3d
import pytest
from panda3d.core import Filename
from PIL import Image

from support import ROOT, find_problems, run_case, run_python

MAINS = sorted((ROOT / "samples").glob("*/main.py"))
NAMES = [path.parent.name for path in MAINS]
# Those with the mouse and keys of samples/common/controls.py; tests/shooter/ plays the shooter.
CLASSES = {"zoo": "Zoo", "custom-shader": "HotMetal", "hello": "Hello"}
# The button that turns the camera, where it is not the right one.
TURN = {"zoo": "mouse2"}
# Long enough for their first shots.
FRAMES = {"zoo": 5, "custom-shader": 5, "hello": 5, "shooter": 20, "vision": 5, "overlay": 5, "fur": 5}
SIZE = (240, 135)

# argv: main file, class, checkout, the button that turns the camera. Plays the sample in a window, with every
# key it knows, and with the mouse.
WINDOW_CASE = """
import runpy, sys
from panda3d.core import ClockObject
sys.path.insert(0, sys.argv[3])
from samples.common import run

made = runpy.run_path(sys.argv[1])[sys.argv[2]]
run.configure("test", 320, 180)
base = run.open_base(["onscreen"])
clock = ClockObject.get_global_clock()
clock.mode = ClockObject.M_normal
sample = made(base)
sample.play()

def step(count=2):
    for _ in range(count):
        base.task_mgr.step()

step()
x, y = sample.scene.seen_at("ball")
sample.shoot(x, y)
step()
assert sample.stamps.active_count == 1, sample.stamps.bindings
keys = [line.partition(":")[0] for line in sample.controls.lines[2:]]
assert {"escape", "c", "p"} <= set(keys), keys
for key in keys:
    if key not in ("escape", "p"):
        messenger.send(key)
        step()
assert sample.stamps.active_count == 0

# The mouse: X tells of a moved pointer in its own time, which frames give it.
base.win.move_pointer(0, 250, 100)
for _ in range(500):
    step(1)
    if base.mouseWatcherNode.has_mouse() and base.mouseWatcherNode.get_mouse_x() > 0.5:
        break
messenger.send("mouse1")
step()
messenger.send("mouse1-up")
assert sample.stamps.active_count == 1, sample.stamps.bindings
heading, distance = sample.scene.studio.heading, sample.scene.studio.distance
messenger.send(sys.argv[4])
base.win.move_pointer(0, 150, 100)
for _ in range(500):
    step(1)
    if sample.scene.studio.heading != heading:
        break
messenger.send(sys.argv[4] + "-up")
assert sample.scene.studio.heading > heading
messenger.send("wheel_up")
assert sample.scene.studio.distance < distance

messenger.send("p")
step()
before = clock.frame_time
step(5)
assert clock.frame_time == before
messenger.send("p")
step(5)
assert before < clock.frame_time < before + 5, (before, clock.frame_time)
"""


def render(name: str, folder: Path, **env: str) -> str:
    """Run a sample offscreen; what it printed."""
    main = ROOT / "samples" / name / "main.py"
    size = "x".join(str(side) for side in SIZE)
    options = ["--offscreen", str(folder), "--seconds", str(FRAMES[name] / 25), "--size", size]
    done = run_python(str(main), *options, env={"DISPLAY": "", **env}, cwd=folder.parent)
    assert done.returncode == 0, done.stderr
    assert find_problems(done.stderr) == []
    return done.stdout


def red_pixels(path: Path) -> int:
    """How many pixels are as red as the first marks of these samples, and as nothing else there is."""
    with Image.open(path) as picture:
        pixels = np.asarray(picture).astype(int)
    return int((pixels[..., 0] - pixels[..., 1:].max(axis=-1) > 80).sum())


def test_no_marks_before_the_first_shot(tmp_path: Path) -> None:
    render("hello", tmp_path / "out")
    assert red_pixels(tmp_path / "out" / "0000.png") == 0


@pytest.mark.parametrize("name", NAMES)
def test_pictures(name: str, tmp_path: Path) -> None:
    """The files are there, are pictures, and are the same when they are made again."""
    first, second = tmp_path / "first", tmp_path / "second"
    printed = render(name, first)
    assert str(first) in printed
    count = FRAMES[name]
    assert f"Rendering {count}/{count}" in printed
    render(name, second)
    files = [f"{number:04}.png" for number in range(count)] + [f"{name}.webp"]
    assert sorted(path.name for path in first.iterdir()) == files
    for file in files:
        assert (first / file).read_bytes() == (second / file).read_bytes(), file
    for number in range(count):
        with Image.open(first / f"{number:04}.png") as picture:
            assert picture.size == SIZE
            assert picture.mode == "RGB"
    if name in CLASSES:
        assert red_pixels(first / f"{count - 1:04}.png") > 5
    with Image.open(first / f"{name}.webp") as animation:
        assert animation.n_frames == count


@pytest.mark.parametrize("name", NAMES)
def test_a_core_profile_gives_the_same_pictures(name: str, tmp_path: Path) -> None:
    """Nothing in the samples is left to fixed function, which macOS has not beside modern shaders."""
    settings = tmp_path / "etc"
    panda3d_folder = Path(panda3d.__file__).parent
    shutil.copytree(panda3d_folder / "etc", settings)
    models = Filename.from_os_specific(str(panda3d_folder))
    (settings / "test.prc").write_text(f"gl-version 3 3\nmodel-path {models}\n", encoding="utf-8")
    render(name, tmp_path / "core", PANDA_PRC_DIR=str(settings))
    render(name, tmp_path / "compat")
    last = f"{FRAMES[name] - 1:04}.png"
    assert (tmp_path / "core" / last).read_bytes() == (tmp_path / "compat" / last).read_bytes()


def test_every_sample_is_known() -> None:
    assert sorted(NAMES) == sorted(FRAMES)
    assert set(CLASSES) < set(FRAMES)


@pytest.mark.skipif(sys.platform != "linux", reason="takes the driver away in ways that only Linux has")
@pytest.mark.parametrize(
    ("prc", "env", "sentence"),
    [
        ("load-display no-such-display", {}, "Nothing can be drawn here"),
        ("load-display p3headlessgl", {"__EGL_VENDOR_LIBRARY_DIRS": "/nowhere"}, "Nothing can be drawn here"),
        ("load-display p3tinydisplay", {}, "Stamps need shaders in GLSL"),
        ("load-display p3headlessgl", {"MESA_GL_VERSION_OVERRIDE": "2.1"}, "Stamps need OpenGL 3.3"),
        ("load-display p3headlessgl\ngl-version 3 3", {"MESA_GL_VERSION_OVERRIDE": "2.1"}, "Nothing can be"),
    ],
)
@pytest.mark.parametrize("offscreen", [True, False])
@pytest.mark.parametrize("name", NAMES)
def test_without_graphics(
    name: str, offscreen: bool, prc: str, env: dict[str, str], sentence: str, tmp_path: Path
) -> None:
    """One sentence and exit code 2, whatever is missing; also where a window was wanted."""
    quiet = "notify-level warning\ndefault-directnotify-level warning\n"
    (tmp_path / "test.prc").write_text(quiet + prc, encoding="utf-8")
    main = ROOT / "samples" / name / "main.py"
    variables = {"DISPLAY": "", "PANDA_PRC_DIR": str(tmp_path), **env}
    options = ["--offscreen", str(tmp_path / "out")] if offscreen else []
    done = run_python(str(main), *options, env=variables, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith(sentence)
    assert not (tmp_path / "out").exists()


def test_a_file_in_the_place_of_the_folder(tmp_path: Path) -> None:
    file = tmp_path / "out"
    file.touch()
    done = run_python(str(MAINS[0]), "--offscreen", str(file), cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr == f"{file} is no folder.\n"


@pytest.mark.parametrize(
    "wrong", [["--size", "big"], ["--size", "8x8"], ["--seconds", "0"], ["--seconds", "nan"]]
)
def test_wrong_options(wrong: list[str], tmp_path: Path) -> None:
    done = run_python(str(MAINS[0]), *wrong, cwd=tmp_path)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert f"argument {wrong[0]}" in done.stderr


@pytest.mark.x11
@pytest.mark.parametrize("name", CLASSES)
def test_in_a_window(name: str) -> None:
    """Every key does something, and the pause stops the clock."""
    main = ROOT / "samples" / name / "main.py"
    run_case(WINDOW_CASE, args=[str(main), CLASSES[name], str(ROOT), TURN.get(name, "mouse3")])
