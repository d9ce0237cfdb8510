"""How every sample is run: in a window, or into pictures where there is no display (or with `--offscreen`).

A sample is a class that is made with a ShowBase and has two methods: `play` sets up the mouse and the keys, and
`script` says what the pictures show, as a generator that is taken one step further for each picture.
"""

import argparse
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from direct.showbase.ShowBase import ShowBase
from panda3d.core import (
    ClockObject,
    ConfigVariableString,
    Notify,
    StringStream,
    WindowProperties,
    load_prc_file_data,
)

from panda_rtstamp.core.capabilities import Capabilities

FRAME_RATE = 25
NO_GRAPHICS = 2  # the exit code
SETTINGS = """
framebuffer-multisample 1
multisamples 4
audio-library-name null
print-pipe-types 0
"""
# macOS has modern shaders in a core profile only.
SETTINGS_OF_MACOS = "gl-version 3 2"
BAR_WIDTH = 40


class Sample(Protocol):
    """What `run` runs."""

    def play(self) -> None:
        """Let the player have it."""

    def script(self) -> Iterator[None]:
        """Show what there is to see: one step for each picture."""


class NoGraphicsError(Exception):
    """Nothing can be drawn here; the text says why."""


def run(file: str, about: str, make: Callable[[Any], Sample]) -> int:
    """Run the sample whose main file this is; the process's exit code.

    Args:
        file: the sample's `__file__`.
        about: the sample's `__doc__`.
        make: makes the sample with a ShowBase.
    """
    folder = Path(file).resolve().parent
    options = read_options(about, folder)
    load_prc_file_data(folder.name, f"{SETTINGS}\nwindow-title panda_rtstamp: {folder.name}")
    if sys.platform == "darwin":
        load_prc_file_data(folder.name, SETTINGS_OF_MACOS)
    try:
        base = open_base(options)
    except NoGraphicsError as error:
        print(error, file=sys.stderr)
        return NO_GRAPHICS
    sample = make(base)
    if not isinstance(options.offscreen, Path):
        sample.play()
        base.run()
        return 0
    write_pictures(base, sample, options.offscreen, round(options.seconds * FRAME_RATE), folder.name)
    return 0


def read_options(about: str, folder: Path) -> argparse.Namespace:
    """The command line. `offscreen` is a folder, or None for a window."""
    parser = argparse.ArgumentParser(description=about.splitlines()[0])
    parser.add_argument("--offscreen", type=Path, metavar="OUT", help="write pictures to this folder")
    parser.add_argument("--seconds", type=float, default=6.0, help="length of what is written (default: 6)")
    parser.add_argument("--size", type=read_size, default=(960, 540), metavar="WxH", help="default: 960x540")
    options = parser.parse_args()
    if options.offscreen is None and not has_display():
        options.offscreen = folder / "out"
    return options


def read_size(text: str) -> tuple[int, int]:
    """`960x540` as (960, 540)."""
    width, height = (int(word) for word in text.split("x"))
    if min(width, height) < 1:
        raise ValueError
    return width, height


def has_display() -> bool:
    """Whether a window can be hoped for."""
    if ConfigVariableString("window-type", "onscreen").get_value() != "onscreen":
        return False
    return sys.platform != "linux" or bool(os.environ.get("DISPLAY"))


def open_base(options: argparse.Namespace) -> Any:
    """A ShowBase whose window, or offscreen buffer, can show marks. Raises NoGraphicsError."""
    with quiet():
        base = ShowBase(windowType="none")
        size = WindowProperties.size(*options.size)
        kind = "onscreen" if options.offscreen is None else "offscreen"
        base.notify.setWarning(False)
        try:
            base.open_main_window(props=size, type=kind, requireWindow=False)
        except Exception:  # Just this is what ShowBase raises where there is no graphics driver at all.
            base.win = None
    if base.win is None or base.win.get_gsg() is None:
        raise NoGraphicsError(f"No {kind} graphics could be opened: there is no display or no OpenGL driver.")
    reasons = Capabilities.of(base.win.get_gsg()).missing_for_stamps()
    if reasons:
        raise NoGraphicsError(reasons[0])
    return base


@contextmanager
def quiet() -> Iterator[None]:
    """Keep back what Panda3D says while it tries one display after another."""
    notify = Notify.ptr()
    before = notify.get_ostream_ptr()
    stream = StringStream()
    notify.set_ostream_ptr(stream, False)
    try:
        yield
    finally:
        notify.set_ostream_ptr(before, False)


def write_pictures(base: Any, sample: Sample, folder: Path, count: int, name: str) -> None:
    """Write the script as PNG files and as one animated picture, under a clock of equal steps."""
    from PIL import Image

    folder.mkdir(parents=True, exist_ok=True)
    clock = ClockObject.get_global_clock()
    clock.mode = ClockObject.M_non_real_time
    clock.dt = 1 / FRAME_RATE
    # The first frames make shaders and textures ready.
    for _ in range(2):
        base.task_mgr.step()
    script = sample.script()
    pictures = []
    for number in range(count):
        next(script, None)
        base.task_mgr.step()
        texture = base.win.get_screenshot()
        size = texture.get_x_size(), texture.get_y_size()
        upside_down = Image.frombytes("RGB", size, bytes(texture.get_ram_image_as("RGB")))
        pictures.append(upside_down.transpose(Image.Transpose.FLIP_TOP_BOTTOM))
        pictures[-1].save(folder / f"{number:04}.png")
        show_progress(number + 1, count)
    animation = folder / f"{name}.webp"
    print(f"Writing {animation.name}", flush=True)
    pictures[0].save(
        animation, save_all=True, append_images=pictures[1:], duration=1000 // FRAME_RATE, loop=0, quality=85
    )
    print(f"{count} pictures, and all of them as {animation.name} (a browser shows it), are in {folder}")


def show_progress(done: int, count: int) -> None:
    """A bar on the terminal; elsewhere a line for each tenth."""
    if sys.stdout.isatty():
        bar = "#" * (BAR_WIDTH * done // count)
        print(f"\rRendering [{bar:<{BAR_WIDTH}}] {done}/{count}", end="\n" * (done == count), flush=True)
    elif 10 * done // count != 10 * (done - 1) // count:
        print(f"Rendering {done}/{count}", flush=True)
