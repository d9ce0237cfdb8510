"""Imports run one way: errors -> core -> one system -> __init__; inside a system, down its list of files."""

import ast
from pathlib import Path

import pytest

from support import ROOT

PACKAGE = "panda_rtstamp"
FOLDER = ROOT / PACKAGE
SYSTEMS = ("stamps", "vision", "overlay", "fur", "particles")

# Each system's files, lowest first: a file imports only from those before it.
ORDER = {
    "stamps": (
        *("config", "brush", "hit", "arguments", "space", "uvs", "mesh", "atlas_files", "atlases", "layout"),
        *("stamped", "sides", "below", "spatial_index", "indexed", "prepared", "kept"),
        *("surface", "inputs", "entries", "names", "record", "texels", "saved"),
        *("extras", "pool", "scene", "capture", "fade", "passes"),
        *("cutout", "mark_overlay", "shaders", "own_shader", "display"),
        *("coverage", "binding", "reading", "shrink", "warmup", "drawing", "tagged", "idle"),
        *("resolution", "endings", "registry", "slots", "marks", "window", "debug"),
        *("store", "store_file", "system", "__init__"),
    ),
    "vision": (
        *("config", "area", "slicing", "wall_mesh", "walls", "sight", "viewers", "segment_mesh"),
        *("wall_map", "mask", "shown", "explored_file", "precise_sight", "canvas"),
        *("additions", "consumer", "clipping", "dimming", "binding", "picture", "screen", "uses"),
        *("window", "queries", "system", "__init__"),
    ),
    "overlay": (
        *("placement", "framing", "look", "view", "region", "dragging", "viewport"),
        *("formats", "pixels", "picture_files", "aim", "views", "applied", "showing", "exact_sizes", "draws"),
        *("canvas", "drawing", "schedule", "picture", "__init__"),
    ),
    "fur": (
        *("config", "levels", "strands", "sections", "skin", "inputs", "frames", "vertices", "shells"),
        *("parts", "motion", "upkeep", "coat", "points", "nearest", "sight", "replaced", "column"),
        *("looking", "brush", "dab", "history", "sidecar", "attaching", "stroke", "bam", "mouse"),
        *("painter_view", "painter", "__init__"),
    ),
}


def find_modules() -> dict[str, Path]:
    """Every module of the package: its dotted name without the package, and its file."""
    paths = sorted(FOLDER.rglob("*.py"))
    return {".".join(path.relative_to(FOLDER).with_suffix("").parts): path for path in paths}


MODULES = find_modules()


def imports_of(module: str, source: str) -> set[str]:
    """The modules of the package that a source imports, named as in MODULES."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {module_at(alias.name) for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            parents = [PACKAGE, *module.split(".")]
            start = parents[: -node.level] if node.level else []
            origin = ".".join([*start, *filter(None, [node.module])])
            found |= {module_at(f"{origin}.{alias.name}") for alias in node.names}
    # What setup.py makes of the shaders and brushes is no module of a checkout.
    return {name for name in found if name and not name.startswith("_data")}


def module_at(dotted: str) -> str:
    """The module that a dotted name leads to, or lies in; '' if that is none of ours."""
    package, _, name = dotted.partition(".")
    if package != PACKAGE:
        return ""
    for candidate in (name, f"{name}.__init__", name.rpartition(".")[0]):
        if candidate in MODULES:
            return candidate
    return f"{name.rpartition('.')[0]}.__init__".lstrip(".")


def place(module: str) -> int:
    """Where in its system's order a module stands; -1 if nowhere."""
    system, _, file = module.partition(".")
    order = ORDER.get(system, ())
    return order.index(file) if file in order else -1


def is_allowed(module: str, imported: str) -> bool:
    """Whether a module may import another one; both named as in MODULES."""
    folder, target = module.partition(".")[0], imported.partition(".")[0]
    if folder == "__main__":
        return True
    if folder == "__init__":
        return target not in ("__main__", "commands")
    if folder == "commands":
        return target != "__main__"
    if folder == "core":
        return target in ("core", "errors")
    if folder in SYSTEMS:
        return target in ("core", "errors") or (target == folder and place(imported) < place(module))
    return False


def offences(module: str, source: str) -> list[str]:
    """The imports of a module that run the wrong way."""
    return sorted(name for name in imports_of(module, source) if not is_allowed(module, name))


@pytest.mark.parametrize("module", MODULES)
def test_imports_run_one_way(module: str) -> None:
    assert offences(module, MODULES[module].read_text(encoding="utf-8")) == []


def test_every_file_of_a_system_has_its_place() -> None:
    files = [module for module in MODULES if module.partition(".")[0] in SYSTEMS]
    assert [module for module in files if place(module) == -1] == []


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("errors", "from panda_rtstamp.core.config import Config"),
        ("core.config", "from panda_rtstamp.stamps.hit import Hit"),
        ("core.config", "from panda_rtstamp import __version__"),
        ("core.config", "import panda_rtstamp.stamps.hit"),
        ("core.config", "from ..stamps import hit"),
        ("stamps.hit", "from panda_rtstamp.stamps.binding import StampBinding"),
        ("stamps.hit", "from panda_rtstamp.stamps import system"),
        ("stamps.hit", "from . import system"),
        ("stamps.hit", "from panda_rtstamp.stamps import StampSystem"),
        ("stamps.hit", "from panda_rtstamp import StampSystem"),
        ("stamps.capture", "from panda_rtstamp.stamps.fade import Fade"),
        ("stamps.system", "def later():\n    from panda_rtstamp.vision import VisionMask"),
        ("stamps.system", "from panda_rtstamp.commands.unwrap import unwrap"),
        ("commands.unwrap", "from panda_rtstamp.__main__ import main"),
        ("__init__", "from panda_rtstamp.commands.unwrap import unwrap"),
    ],
)
def test_wrong_ways_are_noticed(module: str, source: str) -> None:
    assert len(offences(module, source)) == 1


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("core.config", "from panda_rtstamp.errors import ConfigError\nfrom panda_rtstamp.core import log"),
        ("stamps.hit", "from panda_rtstamp.stamps.config import StampConfig\nimport panda3d.core, numpy"),
        ("stamps.system", "from panda_rtstamp.stamps import binding, fade\nfrom .hit import Hit"),
        ("stamps.__init__", "from panda_rtstamp.stamps.system import StampSystem"),
        ("__init__", "from panda_rtstamp.stamps.system import StampSystem"),
        ("commands.unwrap", "from panda_rtstamp import __version__\nfrom panda_rtstamp.stamps import uvs"),
        ("__main__", "from panda_rtstamp.commands.unwrap import unwrap"),
    ],
)
def test_right_ways_are_not(module: str, source: str) -> None:
    assert offences(module, source) == []
