"""Where our shader sources and ready brushes are: in the checkout, or in a module that setup.py made of them.

A frozen build can read no package data at all, so a wheel carries the files as Python text. A checkout has no
such module and reads `shaders/` and `models/brushes/` itself, by absolute path: a game's own ./shaders never
shadows ours.
"""

from pathlib import Path

try:
    # Named here, or a frozen build would not find that it needs it.
    from panda_rtstamp._data import BRUSHES, SHADERS  # type: ignore[import-not-found]
except ImportError:
    BRUSHES = SHADERS = None

_CHECKOUT = Path(__file__).resolve().parents[2]
_SHADERS = _CHECKOUT / "shaders"
_BRUSHES = _CHECKOUT / "models" / "brushes"


def read_shader_source(name: str) -> str | None:
    """The text of our shader file `name` (a path below shaders/, with slashes), or None if there is none."""
    if SHADERS is not None:
        found: str | None = SHADERS.get(name)
        return found
    path = _SHADERS / name
    return path.read_text(encoding="utf-8") if path.is_file() else None


def brush_names() -> list[str]:
    """The names of the ready brushes, in alphabetical order."""
    return sorted(BRUSHES if BRUSHES is not None else (path.stem for path in _BRUSHES.glob("*.png")))


def read_brush(name: str) -> bytes | None:
    """The PNG file of the ready brush `name`, or None if there is none."""
    if name not in brush_names():
        return None
    if BRUSHES is not None:
        found: bytes = BRUSHES[name]
        return found
    return (_BRUSHES / f"{name}.png").read_bytes()
