"""How every sample is run: in a window; or into pictures, where there is no display or with `--offscreen`.

A sample is a class that is made with a ShowBase and has two methods: `play` sets up the mouse and the keys,
and `script` says what the pictures show, as a generator that goes one step further for each picture.
"""

import argparse
import importlib.util
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any, Protocol

from direct.showbase.ShowBase import ShowBase
from panda3d.core import (
    BamCache,
    ClockObject,
    CullBinManager,
    GraphicsWindow,
    Notify,
    StringStream,
    load_prc_file_data,
)  # fmt: skip

from panda_rtstamp.core.capabilities import Capabilities

Size = tuple[int, int]

FRAME_RATE = 25  # of the pictures
WINDOW_SIZE = (1280, 720)
CANNOT_RUN = 2  # the exit code
BAR_WIDTH = 40
PACKAGES = {"PIL": "pillow", "assetcoop": "panda3d-assetcoop"}
SETTINGS = """
framebuffer-multisample 1
multisamples 4
audio-library-name null
print-pipe-types 0
"""
# macOS has modern shaders in a core profile only.
SETTINGS_OF_MACOS = "gl-version 3 2"


class Sample(Protocol):
    """What `run` runs."""

    def play(self) -> None:
        """Let the player have it."""

    def script(self) -> Iterator[None]:
        """Show what there is to see: one step for each picture."""


class CannotRunError(Exception):
    """The sample cannot be run here; the text is one sentence that says why."""


def run(
    file: str,
    about: str,
    make: Callable[[Any], Sample],
    seconds: float = 6.0,
    size: Size = (960, 540),
    packages: Sequence[str] = ("PIL", "assetcoop"),
) -> int:
    """Run the sample whose main file this is.

    Args:
        file: its `__file__`.
        about: its `__doc__`.
        make: makes it, with a ShowBase.
        seconds: how long its script is.
        size: of its pictures.
        packages: what it needs beside Panda3D, of `PACKAGES`.

    Returns:
        The process's exit code.
    """
    folder = Path(file).resolve().parent
    options = read_options(about, seconds, size)
    pictures = options.offscreen or folder.parents[1] / "out" / folder.name
    try:
        if pictures.is_file():
            raise CannotRunError(f"{pictures} is no folder.")
        check_packages(packages)
        configure(folder.name, *(options.size or size))
        kinds = ["onscreen", "offscreen"] if options.offscreen is None else ["offscreen"]
        base = open_base(kinds, {"onscreen": options.size or WINDOW_SIZE})
    except CannotRunError as error:
        print(error, file=sys.stderr)
        return CANNOT_RUN
    if isinstance(base.win, GraphicsWindow):
        if options.script:
            play_script(base, make(base).script())
        else:
            make(base).play()
        base.run()
        return 0
    step_the_clock()
    # Pictures do not tell how long this machine takes to unwrap a model, nor whether it has read it before:
    # a model from Panda3D's cache blends its joints in another order, which can be seen in the last bit.
    load_prc_file_data(folder.name, "rtstamp-unwrap-at-once 1000000")
    BamCache.get_global_ptr().active = False
    write_pictures(base, make(base), pictures, round(options.seconds * FRAME_RATE), folder.name)
    return 0


def read_options(about: str, seconds: float, size: Size) -> argparse.Namespace:
    """The command line; `seconds` is the script's length, `size` that of the pictures."""
    parser = argparse.ArgumentParser(description=about.splitlines()[0])
    parser.add_argument(
        "--offscreen", type=Path, metavar="OUT", help="write pictures of the script to this folder"
    )
    parser.add_argument("--script", action="store_true", help="play the script in the window; Escape quits")
    length = f"how much of the script to write (default: {seconds:g})"
    parser.add_argument("--seconds", type=read_seconds, default=seconds, help=length)
    sizes = [f"{width}x{height}" for width, height in (size, WINDOW_SIZE)]
    of_what = f"of the pictures or the window (default: {sizes[0]} or {sizes[1]})"
    parser.add_argument("--size", type=read_size, metavar="WxH", help=of_what)
    return parser.parse_args()


def read_seconds(text: str) -> float:
    """A duration of one picture or more."""
    seconds = float(text)
    if not 1 / FRAME_RATE <= seconds <= 3600:
        raise argparse.ArgumentTypeError(f"must be between {1 / FRAME_RATE} and 3600, got {text}")
    return seconds


def read_size(text: str) -> Size:
    """`960x540` as (960, 540)."""
    sides = [int(word) if word.isdigit() else 0 for word in text.split("x")]
    if len(sides) != 2 or not all(16 <= side <= 8192 for side in sides):
        raise argparse.ArgumentTypeError(f"must be like 960x540, with sides from 16 to 8192, got {text}")
    return sides[0], sides[1]


def check_packages(modules: Sequence[str]) -> None:
    """Raise CannotRunError unless these are installed."""
    missing = [PACKAGES[module] for module in modules if importlib.util.find_spec(module) is None]
    if missing:
        raise CannotRunError(f"This sample needs more packages: pip install {' '.join(missing)}")


def configure(name: str, width: int, height: int) -> None:
    """Panda3D's settings for all samples."""
    load_prc_file_data(name, f"{SETTINGS}\nwin-size {width} {height}\nwindow-title panda_rtstamp: {name}")
    if sys.platform == "darwin":
        load_prc_file_data(name, SETTINGS_OF_MACOS)
    # By default the order goes by addresses in memory; at edges, where two models share a pixel, that shows.
    CullBinManager.get_global_ptr().set_bin_type("opaque", CullBinManager.BT_front_to_back)


def open_base(kinds: Sequence[str], sizes: Mapping[str, Size] = MappingProxyType({})) -> Any:
    """A ShowBase with the first of these kinds of window that opens and can show marks, or CannotRunError.

    A kind that `sizes` does not have is as large as `configure` said.
    """
    with quiet():
        base: Any = ShowBase(windowType="none")
        base.notify.setWarning(False)
        for kind in kinds:
            try:
                base.open_main_window(type=kind, size=sizes.get(kind), requireWindow=False)
            except Exception:  # This and nothing narrower is what ShowBase raises without any display module.
                base.win = None
            if base.win is not None:
                break
        base.winList = [window for window in base.winList if window is not None]
    if base.win is None or base.win.get_gsg() is None:
        raise CannotRunError("Nothing can be drawn here: Panda3D found no display and no OpenGL driver.")
    reasons = Capabilities.of(base.win.get_gsg()).missing_for_stamps()
    if reasons:
        raise CannotRunError(reasons[0])
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


def step_the_clock() -> None:
    """Let time begin now and go on by equal steps, so that every run gives the same pictures."""
    clock = ClockObject.get_global_clock()
    clock.mode = ClockObject.M_non_real_time
    clock.dt = 1 / FRAME_RATE
    with quiet():
        clock.reset()


def play_script(base: Any, script: Iterator[None]) -> None:
    """Let the script go on in the window, at the pace of the pictures or what the machine can do."""
    start = ClockObject.get_global_clock().frame_time
    steps = 0

    def go_on(task: Any) -> Any:
        nonlocal steps
        if steps <= (ClockObject.get_global_clock().frame_time - start) * FRAME_RATE:
            next(script, None)
            steps += 1
        return task.cont

    base.accept("escape", base.userExit)
    base.task_mgr.add(go_on, "script", sort=-1)


def write_pictures(base: Any, sample: Sample, folder: Path, count: int, name: str) -> None:
    """Write the script as PNG files and as one animated picture, and say where they are."""
    from PIL import Image

    folder.mkdir(parents=True, exist_ok=True)
    # Shadows are there from the second frame on.
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
        # Level 1 is four times as fast as the default, for files that are 7 % larger.
        pictures[-1].save(folder / f"{number:04}.png", compress_level=1)
        show_progress(number + 1, count)
    animation = folder / f"{name}.webp"
    print(f"Writing {animation.name}", flush=True)
    pictures[0].save(
        animation, save_all=True, append_images=pictures[1:],
        duration=1000 // FRAME_RATE, loop=0, quality=75, method=1,
    )  # fmt: skip
    print(f"{count} pictures (PNG), and {animation.name}, which any browser plays, are in {folder}")


def show_progress(done: int, count: int) -> None:
    """A bar on a terminal; elsewhere a line for each tenth."""
    if sys.stdout.isatty():
        bar = "#" * (BAR_WIDTH * done // count)
        print(f"\rRendering [{bar:<{BAR_WIDTH}}] {done}/{count}", end="\n" * (done == count), flush=True)
    elif 10 * done // count != 10 * (done - 1) // count:
        print(f"Rendering {done}/{count}", flush=True)
