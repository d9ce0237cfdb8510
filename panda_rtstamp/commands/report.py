"""What a model is like for marks: its geometry, its UV sets, and where their faults are."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from panda3d.core import (
    Character,
    CharacterJoint,
    CharacterSlider,
    LODNode,
    NodePath,
    PandaNode,
    PartGroup,
    RenderAttrib,
)

from panda_rtstamp.commands.model import Model, geom_node, place
from panda_rtstamp.commands.output import say
from panda_rtstamp.stamps import uvs
from panda_rtstamp.stamps.cutout import cutout_of
from panda_rtstamp.stamps.layout import is_usable, read_set, set_names
from panda_rtstamp.stamps.mesh import Mesh, Piece

_MOST_FAULTS = 12

Node = TypeVar("Node", bound=PandaNode)


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
    return [_uv_set(mesh, name) for name in dict.fromkeys((*common, *others))]


def _uv_set(mesh: Mesh, name: str) -> UvSet:
    corners = read_set(mesh, name)
    finite = np.isfinite(corners).all(axis=(1, 2))
    geoms = sum(len(part) > 0 and bool(part.all()) for part in np.split(finite, mesh.ends[:-1]))
    found = uvs.measure(corners[finite & (mesh.areas > 0.0)]) if finite.any() else None
    return UvSet(name, geoms, found, is_usable(mesh, corners))


def print_model(model: Model, sets: list[UvSet]) -> None:
    """What the model consists of, and a table of its UV sets."""
    geoms = sum(len(piece.triangles) > 0 for piece in model.mesh.pieces)
    counts = (model.mesh.count, "triangle"), (geoms, "Geom"), (len(model.paths), "GeomNode")
    say("geometry", ", ".join(count(*pair) for pair in counts))
    bounds = model.root.get_tight_bounds()
    if bounds is not None:
        say("size", " x ".join(f"{side:.4g}" for side in bounds[1] - bounds[0]) + " units")
    say("animation", _animation(model))
    if model.drawn > len(model.paths):
        say("instances", f"the GeomNodes are drawn {model.drawn} times: hit each instance at its own node")
    levels = [node.get_num_switches() for node in _nodes(model, LODNode)]
    if levels:
        say("levels of detail", f"{count(len(levels), 'LODNode')}, up to {count(max(levels), 'level')}")
    cut = sum(_is_cut_out(model, *place) for place in model.geoms)
    if cut:
        say("alpha", f"cuts out or thins {count(cut, 'Geom')}: what is not drawn is not marked")
    print(f"\n  {'UV set':22}{'overlap':>8}{'outside':>9}{'flat':>8}{'Geoms':>14}")
    for one in sets:
        print(_row(one, geoms))
    if not sets:
        print("  none")


def _row(one: UvSet, geoms: int) -> str:
    have = f"{one.geoms} of {geoms}"
    if one.found is None:
        return f"  {one.name:22}{'not finite, or on one line':>25}{have:>14}  not usable"
    shares = f"{one.found.overlap:8.1%}{one.found.outside:9.1%}{one.found.flat:8.1%}"
    return f"  {one.name:22}{shares}{have:>14}  {'usable' if one.usable else 'not usable'}"


def count(number: int, name: str) -> str:
    """As in '1 Geom', '2,464 triangles'."""
    return f"{number:,} {name}{'' if number == 1 else 's'}"


def _nodes(model: Model, kind: type[Node]) -> list[Node]:
    """All nodes of a type."""
    paths = model.root.find_all_matches(f"**/+{kind.__name__}")
    return [node for node in (path.node() for path in paths) if isinstance(node, kind)]


def _animation(model: Model) -> str:
    found = _nodes(model, Character)
    groups = [group for character in found for group in _groups(character)]
    joints = sum(isinstance(group, CharacterJoint) for group in groups)
    sliders = sum(isinstance(group, CharacterSlider) for group in groups)
    if not groups:
        return "none"
    text = f"{count(len(found), 'Character')}, {count(joints, 'joint')}"
    if sliders:
        text += f", {count(sliders, 'morph slider')} (hardware skinning drops sliders)"
    return text


def _groups(character: Character) -> Iterator[PartGroup]:
    pending: list[PartGroup] = [character.get_bundle(number) for number in range(character.get_num_bundles())]
    while pending:
        group = pending.pop()
        yield group
        pending += group.get_children()


def _is_cut_out(model: Model, path: NodePath, index: int) -> bool:
    state = path.get_net_state().compose(geom_node(path).get_geom_state(index))
    return cutout_of(state).test[0] != RenderAttrib.M_always


def print_faults(model: Model, sets: list[UvSet]) -> None:
    """The Geoms that are at fault, by the names of their nodes."""
    found: dict[str, list[str]] = {}
    for (path, index), piece in zip(model.geoms, model.mesh.pieces, strict=True):
        for fault in _faults(piece, sets):
            found.setdefault(f"{place(path)}: {fault}", []).append(str(index))
    if not found:
        return
    print("\n  Faults:")
    for text, geoms in list(found.items())[:_MOST_FAULTS]:
        print(f"    {text} (Geom {', '.join(geoms)})")
    if len(found) > _MOST_FAULTS:
        print(f"    and {len(found) - _MOST_FAULTS:,} more")


def _faults(piece: Piece, sets: list[UvSet]) -> Iterator[str]:
    if not len(piece.triangles):
        yield "has no triangles and is not marked"
        return
    broken = len(piece.local) - int(np.isfinite(piece.local).all(axis=(1, 2)).sum())
    if broken:
        yield f"{count(broken, 'triangle')} with vertices that are not finite"
    for one in sets:
        faults = [] if one.usable else _faults_of_set(piece, one.name)
        if faults:
            yield f"{one.name}: {', '.join(faults)}"


def _faults_of_set(piece: Piece, name: str) -> list[str]:
    values = uvs.read(piece.vertices, name)
    if values is None:
        missing = name not in uvs.column_names(piece.vertices)
        return ["none" if missing else "not finite, or on one line"]
    found = uvs.measure(values[piece.triangles])
    shares = (found.overlap, "overlap"), (found.outside, "outside 0..1"), (found.flat, "flat")
    return [f"{share:.1%} {what}" for share, what in shares if share >= uvs.WORST_SHARE]
