"""What tests share: profiles, stepping and reading frames, comparing pictures, code in a process of its own.

A profile is the graphics context that tests run in, chosen by `RTSTAMP_PROFILE` (see dev.py); else `compat`.
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from panda3d.core import (
    CardMaker,
    ClockObject,
    Filename,
    MultiplexStream,
    NodePath,
    Notify,
    Texture,
    load_prc_file_data,
    unload_prc_file,
)

TESTS = Path(__file__).resolve().parent
ROOT = TESTS.parent
OUT = TESTS / "out"

PROFILE = os.environ.get("RTSTAMP_PROFILE", "compat")
FRAME_RATE = 60

_HEADLESS = "p3headlessgl" if sys.platform == "linux" else "pandagl"
# gl-finish: without a window nothing waits for a frame to be done, and Mesa's llvmpipe, running its threads,
# loses what is blended into a texture while the frame before, which sampled it, is still being drawn.
_OFFSCREEN = f"load-display {_HEADLESS}\nwindow-type offscreen\ngl-finish true\n"
_WINDOW = "load-display pandagl\nwindow-type onscreen\n"
# macOS has GLSL 3.30 in a core profile only, and that is asked for as 3.2.
_CORE = f"gl-version 3 {2 if sys.platform == 'darwin' else 3}\n"
PROFILES = {
    "compat": _OFFSCREEN + (_CORE if sys.platform == "darwin" else ""),
    "core": _OFFSCREEN + _CORE,
    "x11": _WINDOW,
    # Under Cull/Draw a clock that does not follow real time goes back and forth, and is no number at times.
    # There, frames take a real 1/60 s at least.
    "threads": _WINDOW + "threading-model Cull/Draw\nclock-mode limited\n",
}
_COMMON = f"""
win-size 256 256
audio-library-name null
sync-video 0
model-cache-dir
notify-level warning
gl-debug true
gl-debug-synchronous true
clock-mode non-real-time
clock-frame-rate {FRAME_RATE}
rtstamp-unwrap-cache 0
rtstamp-unwrapper own
rtstamp-unwrap-at-once 1000000
rtstamp-captures-per-frame 1024
rtstamp-warm-up 0
"""

# Lines that the machine or our own settings cause, not the code under test.
_NOISE = (
    r":device\(error\): .*/dev/input",
    r":display:egldisplay\(warning\): Couldn't initialize the default EGL display",
    r":display:gsg:glgsg\(warning\): The config variable gl-finish is set to true",
)
_PROBLEM = re.compile(r"^:[\w:.-]+\((?:warning|error|fatal)\)")

# What a child process runs: argv[1] is the profile, the rest is the case and its arguments.
_CHILD = f"""
import runpy, sys
sys.path.insert(0, {str(TESTS)!r})
import support
support.configure(sys.argv[1])
case, sys.argv[:] = sys.argv[2], sys.argv[2:]
if case.endswith(".py"):
    runpy.run_path(case, run_name="__main__")
else:
    exec(compile(case, "<case>", "exec"), {{"__name__": "__main__"}})
"""


def configure(profile: str) -> None:
    """Set the PRC variables of a profile. Must come before ShowBase is imported."""
    load_prc_file_data("tests", _COMMON)
    load_prc_file_data(f"test profile {profile}", PROFILES[profile])


def make_base() -> Any:
    """A ShowBase for tests: the mouse does nothing, and each frame takes exactly 1/60 s."""
    from direct.showbase.ShowBase import ShowBase

    base = ShowBase()
    base.disable_mouse()
    if not frames_behind(base):
        # Setting the mode once more is what makes dt what `clock-frame-rate` says; it reads 0 before. Under
        # Cull/Draw this, or setting dt, would make the time jump, and be no number now and then.
        ClockObject.get_global_clock().mode = ClockObject.M_non_real_time
    step(base, 2 + frames_behind(base))
    return base


def find_problems(log: str, allowed: Iterable[str] = ()) -> list[str]:
    """The warnings and errors in Notify's output that no pattern allows."""
    patterns = [*_NOISE, *allowed]
    lines = (line for line in log.splitlines() if _PROBLEM.match(line))
    return [line for line in lines if not any(re.search(pattern, line) for pattern in patterns)]


class NotifyLog:
    """Everything that Panda (and Python code, through it) writes to Notify, kept in a file.

    A file, since MultiplexStream locks it: the draw thread may write while a test reads.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._before = Notify.out()
        self._stream = MultiplexStream()
        self._stream.add_file(Filename.from_os_specific(str(path)))
        self._start = 0
        self._allowed: list[str] = []
        # Before direct is imported: its notifiers keep the stream that they find.
        Notify.ptr().set_ostream_ptr(self._stream, False)

    @property
    def text(self) -> str:
        """What was written since the test began."""
        return self.path.read_bytes()[self._start :].decode("utf-8", "replace")

    @property
    def problems(self) -> list[str]:
        """Warnings and errors since the test began that it did not allow."""
        return find_problems(self.text, self._allowed)

    def allow(self, pattern: str) -> None:
        """Let this test cause lines in which the regular expression is found."""
        self._allowed.append(pattern)

    def restart(self) -> None:
        """Begin a new test: forget what was written and allowed."""
        self._start = self.path.stat().st_size
        self._allowed.clear()

    def close(self) -> None:
        """Give Notify its own stream back; the file stays."""
        Notify.ptr().set_ostream_ptr(self._before, False)


def frames_behind(base: Any) -> int:
    """How many frames pass between a step and its drawing: 2 under Cull/Draw, else 0."""
    return int(base.win.get_gsg().get_threading_model().get_draw_stage())


def step(base: Any, n: int = 1) -> None:
    """Run n frames: tasks and rendering, 1/60 s each."""
    for _ in range(n):
        base.task_mgr.step()


def to_array(texture: Texture) -> NDArray[Any]:
    """A texture's RAM image as (h, w, c), channels R G B A, row 0 at v = 0, in the type it is stored in."""
    types: dict[int, type[np.generic]] = {
        Texture.T_unsigned_byte: np.uint8,
        Texture.T_unsigned_short: np.uint16,
        Texture.T_half_float: np.float16,
        Texture.T_float: np.float32,
    }
    components = texture.get_num_components()
    flat = np.frombuffer(texture.get_ram_image().get_data(), types[texture.get_component_type()])
    image: NDArray[Any] = flat.reshape(texture.get_y_size(), texture.get_x_size(), components)
    if components >= 3:
        image = image[:, :, [2, 1, 0, 3][:components]]
    # A target whose size is no power of two lies in a corner of a larger texture.
    height = texture.get_y_size() - texture.get_pad_y_size()
    width = texture.get_x_size() - texture.get_pad_x_size()
    result: NDArray[Any] = image[:height, :width].copy()
    return result


def read_target(base: Any, texture: Texture) -> NDArray[np.float32]:
    """What the GPU holds in a render target: float32 (h, w, c), R G B A, row 0 at v = 0, integers as 0..1.

    Runs no frames, except under Cull/Draw, where two more let the steps before arrive.
    """
    step(base, frames_behind(base))
    if not base.graphics_engine.extract_texture_data(texture, base.win.get_gsg()):
        raise AssertionError(f"texture {texture.get_name()!r} has nothing to read on the GPU")
    image = to_array(texture)
    # The extracted copy counts as newer than the target, and the next bind would upload it.
    texture.clear_ram_image()
    largest = np.iinfo(image.dtype).max if np.issubdtype(image.dtype, np.integer) else 1
    result: NDArray[np.float32] = image.astype(np.float32) / np.float32(largest)
    return result


def screenshot(base: Any, frames: int = 1) -> NDArray[np.uint8]:
    """The main window's picture: uint8 (h, w, 4), R G B A, top row first.

    Runs `frames` frames before, so that what was changed since the last step shows (and two more under
    Cull/Draw). With frames=0 it shows the last step.
    """
    step(base, frames + frames_behind(base))
    texture = base.win.get_screenshot()
    flat = np.frombuffer(texture.get_ram_image_as("RGBA").get_data(), np.uint8)
    image: NDArray[np.uint8] = flat.reshape(texture.get_y_size(), texture.get_x_size(), 4)[::-1].copy()
    return image


def make_card(size_x: float, size_y: float, name: str = "card") -> NodePath:
    """A card of this size around the origin, in the XZ plane, facing -Y, with normals and UVs 0..1."""
    maker = CardMaker(name)
    maker.set_frame(-size_x / 2, size_x / 2, -size_y / 2, size_y / 2)
    maker.set_has_uvs(True)
    maker.set_has_normals(True)
    return NodePath(maker.generate())


def compare_images(actual: NDArray[Any], expected: NDArray[Any], tolerance: float, name: str) -> None:
    """Assert that two images differ by no more than `tolerance` anywhere, in the images' own units.

    Where they do, tests/out/NAME-actual.png, -expected.png and -diff.png show it; there white is the most.
    """
    if actual.shape != expected.shape:
        raise AssertionError(f"{name}: shape {actual.shape}, expected {expected.shape}")
    difference = np.abs(actual.astype(np.float64) - expected.astype(np.float64))
    # Written so that a NaN fails.
    if np.all(difference <= tolerance):
        return
    worst = np.unravel_index(np.argmax(np.nan_to_num(difference, nan=np.inf)), difference.shape)
    largest = float(difference[worst])
    OUT.mkdir(exist_ok=True)
    _write_png(f"{name}-actual", actual)
    _write_png(f"{name}-expected", expected)
    _write_png(f"{name}-diff", np.nan_to_num(difference / largest, nan=1.0))
    place = tuple(int(index) for index in worst)
    raise AssertionError(
        f"{name}: largest difference {largest:g} at {place}, allowed {tolerance:g}; "
        f"got {actual[worst]!s}, expected {expected[worst]!s}; see {OUT.relative_to(ROOT)}/{name}-*.png"
    )


def _write_png(name: str, image: NDArray[Any]) -> None:
    from PIL import Image

    if not np.issubdtype(image.dtype, np.integer):
        image = np.clip(np.nan_to_num(image), 0.0, 1.0) * 255
    pixels = image.astype(np.uint8)
    if pixels.ndim == 3 and pixels.shape[2] == 1:
        pixels = pixels[:, :, 0]
    if pixels.ndim == 3 and pixels.shape[2] == 2:
        pixels = np.dstack([pixels, np.zeros_like(pixels[:, :, :1])])
    Image.fromarray(pixels).save(OUT / f"{name}.png")


def run_python(
    *arguments: str, env: Mapping[str, str] | None = None, cwd: Path = ROOT, timeout: float = 300
) -> "subprocess.CompletedProcess[str]":
    """Run a Python process that imports this checkout; its output is text, its exit code is not looked at."""
    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    variables = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), **(env or {})}
    return subprocess.run(
        [sys.executable, *arguments],
        env=variables,
        cwd=cwd,
        capture_output=True,
        text=True,
        encoding="utf-8",
        errors="replace",
        timeout=timeout,
        check=False,
    )


def run_case(
    case: str | Path,
    *,
    profile: str | None = None,
    env: Mapping[str, str] | None = None,
    args: Sequence[str] = (),
    allow: Iterable[str] = (),
    exit_code: int = 0,
    timeout: float = 300,
) -> str:
    """Run Python code, or a file that ends in .py, in a process and profile of its own; returns its stdout.

    Fails unless it ends with `exit_code` and writes no warning or error to Notify but what `allow` matches.
    """
    arguments = ["-c", _CHILD, profile or PROFILE, str(case), *args]
    done = run_python(*arguments, env=env, timeout=timeout)
    problems = find_problems(done.stderr, allow)
    if done.returncode != exit_code or problems:
        raise AssertionError(
            f"the case ended with {done.returncode} (expected {exit_code}), "
            f"with {len(problems)} unexpected warnings and errors\n"
            f"-- stdout\n{done.stdout}\n-- stderr\n{done.stderr}"
        )
    return done.stdout


@contextmanager
def prc(words: str) -> Iterator[None]:
    """Set PRC variables, one a line, for a while."""
    page = load_prc_file_data("test", words)
    try:
        yield
    finally:
        unload_prc_file(page)
