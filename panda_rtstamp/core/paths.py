"""Where our shader sources are: in the checkout, or in a module that setup.py made of them.

A frozen build can read no package data at all, so a wheel carries the sources as Python text. A checkout has
no such module and reads `shaders/` itself, by absolute path: a game's own ./shaders never shadows ours.
"""

from importlib import import_module, util
from pathlib import Path

_GENERATED = "panda_rtstamp._shader_data"
_CHECKOUT = Path(__file__).resolve().parents[2] / "shaders"


def read_shader_source(name: str) -> str | None:
    """The text of our shader file `name` (a path below shaders/, with forward slashes), or None if there is
    none.
    """
    if util.find_spec(_GENERATED) is not None:
        sources: dict[str, str] = import_module(_GENERATED).SOURCES
        return sources.get(name)
    path = _CHECKOUT / name
    return path.read_text(encoding="utf-8") if path.is_file() else None
