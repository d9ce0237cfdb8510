"""`python -m panda_rtstamp paint MODEL`: a window in which fur is painted on a model."""

from pathlib import Path
from typing import Any

from panda3d.core import (
    ConfigVariableString,
    GraphicsPipe,
    GraphicsPipeSelection,
    GraphicsWindow,
    load_prc_file_data,
)

from panda_rtstamp.commands.model import Model, find, load
from panda_rtstamp.commands.output import CommandError, captured_log, say
from panda_rtstamp.core.capabilities import Capabilities
from panda_rtstamp.errors import RtStampError
from panda_rtstamp.fur.attaching import Loaded
from panda_rtstamp.fur.painter import FurPainter

# Why no window opens is said in our words.
_SETTINGS = "audio-library-name null\nwin-size 1280 800\nnotify-level-ShowBase error\n"


def paint(name: str, sidecar: str | None, other: str | None, author: str, from_colors: bool) -> int:
    """Open a window in which fur is painted on a model, until it is closed.

    Args:
        name: of the model, as for `loader.load_model`.
        sidecar: the file that it is saved in, and loaded from if it is there; None: MODEL.fur, beside it.
        other: a file of somebody else's to merge into it.
        author: whose strokes these are.
        from_colors: begin with what the vertex colours stand for.

    Returns:
        0, the exit code.

    Raises:
        CommandError: it cannot be done. No file was changed.
    """
    model = load(name, find(name))
    file = _beside(name, ".fur") if sidecar is None else Path(sidecar)
    if not file.parent.is_dir():
        raise CommandError(f"There is no folder {file.parent} to keep {file.name} in.")
    base = _open_window(f"{name} - panda_rtstamp paint")
    # Here, since other commands open no window, and do without Panda's GUI.
    from panda_rtstamp.commands.paint_window import PaintWindow

    try:
        painter = _painter(base, model, file, other, author, from_colors)
        window = PaintWindow(base, painter, model.root, file, _beside(name, ".fur.bam"))
        while window.open:
            base.task_mgr.step()
        window.destroy()
        painter.destroy()
    finally:
        base.destroy()
    return 0


def _beside(name: str, ending: str) -> Path:
    """A file beside the model; in the current folder for one that is found along the model path."""
    path = Path(name)
    stem = path.name.removesuffix(".pz").removesuffix(".gz")
    return (path.parent if path.is_file() else Path()) / f"{stem.removesuffix(Path(stem).suffix)}{ending}"


def _open_window(title: str) -> Any:
    """A ShowBase with a window that shaders can draw in."""
    load_prc_file_data("panda_rtstamp paint", _SETTINGS)
    ConfigVariableString("window-title").set_value(title)
    with captured_log():
        base = _show_base() if _has_display() else None
    if base is None or not isinstance(base.win, GraphicsWindow):
        raise CommandError("There is no display to open a window on.")
    if not Capabilities.of(base.win.get_gsg()).glsl:
        base.destroy()
        raise CommandError("The graphics driver here has no shaders to draw fur with.")
    return base


def _has_display() -> bool:
    pipe = GraphicsPipeSelection.get_global_ptr().make_default_pipe()
    return pipe is not None and pipe.is_valid() and pipe.supports_type(GraphicsPipe.OT_window)


def _show_base() -> Any:
    """A ShowBase; None if it opens no window."""
    from direct.showbase.ShowBase import ShowBase

    try:
        return ShowBase(windowType="onscreen")
    # Whatever it is that ShowBase raises.
    except Exception:
        return None


def _painter(
    base: Any, model: Model, file: Path, other: str | None, author: str, from_colors: bool
) -> FurPainter:
    """The painter of a model, with what was painted before on it."""
    model.root.reparent_to(base.render)
    try:
        painter = FurPainter(base, model.root, author=author, from_colors=from_colors)
        for path in (file, None if other is None else Path(other)):
            if path is not None and (path.exists() or path is not file):
                _report(path, painter.load(path))
    except RtStampError as error:
        raise CommandError(f"{error}.") from None
    return painter


def _report(path: Path, found: Loaded) -> None:
    """Say what came of loading a file."""
    lost = f", and {found.lost:,} found no place on the model" if found.lost else ""
    say(path.name, f"laid on {found.points:,} points{lost}")
    for conflict in found.conflicts:
        ours, theirs = conflict.ours.author or "somebody", conflict.theirs.author or "somebody"
        place = ", ".join(f"{part:.3g}" for part in conflict.center)
        taken = ours if conflict.taken == "ours" else theirs
        say(
            "both painted", f"{conflict.points:,} points about ({place}): {ours}, {theirs}; {taken} was later"
        )
