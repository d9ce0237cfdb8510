"""What a model is like for marks: its geometry, its UV sets and their faults, an atlas made for it."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from panda3d.core import Character, CharacterJoint, CharacterSlider, LODNode, PartGroup, RenderAttrib

from panda_rtstamp.commands.model import Model, geom_node
from panda_rtstamp.commands.output import Progress, say
from panda_rtstamp.core.unwrap import Atlas, unwrap
from panda_rtstamp.stamps import uvs
from panda_rtstamp.stamps.atlas_files import Corners
from panda_rtstamp.stamps.atlases import as_steps, as_uvs
from panda_rtstamp.stamps.cutout import cutout_of
from panda_rtstamp.stamps.layout import density, is_usable, measure, read_set, set_names
from panda_rtstamp.stamps.mesh import Mesh, triangle_areas

_TEXELS = 1024
_MOST_FAULTS = 12


@dataclass(frozen=True)
class UvSet:
    """A UV set of a model.

    Attributes:
        geoms: how many of the Geoms with triangles have it, with finite values and an extent.
        found: what those are like; None if there are none.
        usable: marks can be laid out by it.
    """

    name: str
    geoms: int
    found: uvs.Layout | None
    usable: bool


def uv_sets(mesh: Mesh) -> list[UvSet]:
    """All UV sets of a model, in the order in which a game tries them, and then those of some Geoms only."""
    common = set_names(mesh)
    others = [name for piece in mesh.pieces for name in uvs.column_names(piece.vertices)]
    return [_uv_set(mesh, name, name in common) for name in dict.fromkeys((*common, *others))]


def _uv_set(mesh: Mesh, name: str, is_common: bool) -> UvSet:
    corners = read_set(mesh, name)
    finite = np.isfinite(corners).all(axis=(1, 2))
    pieces = np.split(finite, mesh.ends[:-1])
    geoms = sum(len(piece) > 0 and bool(piece.all()) for piece in pieces)
    found = uvs.measure(corners[finite & (mesh.areas > 0.0)]) if finite.any() else None
    return UvSet(name, geoms, found, is_common and is_usable(mesh, corners))


def print_model(model: Model, sets: list[UvSet]) -> None:
    """What the model consists of, and a table of its UV sets."""
    mesh = model.mesh
    geoms = sum(len(piece.triangles) > 0 for piece in mesh.pieces)
    say("geometry", f"{_count(mesh.count, 'triangle')}, {_count(geoms, 'Geom')}, "
        f"{_count(len(model.paths), 'GeomNode')}")  # fmt: skip
    size = _size(mesh)
    say("size", f"{size[0]:.4g} x {size[1]:.4g} x {size[2]:.4g} units")
    say("animation", _animation(model))
    if model.drawn > len(model.paths):
        say("instances", f"GeomNodes are drawn {model.drawn} times: hit each instance at its own node")
    levels = [path.node().get_num_switches() for path in model.root.find_all_matches("**/+LODNode")]
    if levels:
        say("levels of detail", f"{_count(len(levels), 'LODNode')}, up to {_count(max(levels), 'level')}")
    cut = _count_cut_outs(model)
    if cut:
        say("alpha", f"cuts out or thins {_count(cut, 'Geom')}: what is not drawn is not marked")
    print(f"\n  {'UV set':22}{'overlap':>8}{'outside':>9}{'flat':>7}{'Geoms':>12}")
    for one in sets:
        print(_row(one, geoms))
    if not sets:
        print("  none")


def _row(one: UvSet, geoms: int) -> str:
    of = f"{one.geoms} of {geoms}"
    if one.found is None:
        return f"  {one.name:22}{'not finite, or all on one line':>24}{of:>12}  not usable"
    shares = f"{one.found.overlap:8.1%}{one.found.outside:9.1%}{one.found.flat:7.1%}"
    return f"  {one.name:22}{shares}{of:>12}  {'usable' if one.usable else 'not usable'}"


def _count(number: int, name: str) -> str:
    return f"{number:,} {name}{'' if number == 1 else 's'}"


def _size(mesh: Mesh) -> tuple[float, float, float]:
    points = np.concatenate([piece.local.reshape(-1, 3) for piece in mesh.pieces] or [np.zeros((1, 3))])
    return points
