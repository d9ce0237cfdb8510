"""Where our shader sources are: in the checkout, or in a module that setup.py made of them.

A frozen build can read no package data at all, so a wheel carries the sources as Python text. A checkout has
no such module and reads `shaders/` itself, by absolute path: a game's own ./shaders never shadows ours.
"""

from pathlib import Path

try:
    # Named here, or a frozen build would not find that it needs it.
    from panda_rtstamp._shader_data import SOURCES  # type: ignore[import-not-found]
except ImportError:
    SOURCES = None

_CHECKOUT = Path(__file__).resolve().parents[2] / "shaders"


def read_shader_source(name: str) -> str | None:
    """The text of our shader file `name` (a path below shaders/, with slashes), or None if there is none."""
    if SOURCES is not None:
        found: str | None = SOURCES.get(name)
        return found
    path = _CHECKOUT / name
    return path.read_text(encoding="utf-8") if path.is_file() else None
