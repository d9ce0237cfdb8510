"""Marks that outlive the game: all bindings of a system as a file's, and back."""

from collections.abc import Sequence
from dataclasses import replace

from panda3d.core import NodePath

from panda_rtstamp.core.log import warn, warn_once
from panda_rtstamp.stamps.below import mesh_below
from panda_rtstamp.stamps.binding import StampBinding
from panda_rtstamp.stamps.brush import Brushes
from panda_rtstamp.stamps.marks import Marks
from panda_rtstamp.stamps.mesh import Mesh
from panda_rtstamp.stamps.names import ID_TAG, find_node, name_of
from panda_rtstamp.stamps.record import with_known_brush
from panda_rtstamp.stamps.saved import Places, SavedMarks, mesh_of
from panda_rtstamp.stamps.texels import Texels, to_texels

_Found = tuple[NodePath, SavedMarks]


def gather(marks: Marks, root: NodePath) -> list[SavedMarks]:
    """All marks as they are now. Those that have ended, or of nodes that are gone, are none."""
    marks.drawing.finish()
    living = [binding for binding in marks.bindings if binding.alive]
    lasting = [binding for binding in living if binding.waiting or not binding.ended]
    found = [_saved(marks, binding, root) for binding in lasting]
    return [saved for saved in found if saved is not None]


def _saved(marks: Marks, binding: StampBinding, root: NodePath) -> SavedMarks | None:
    node = binding.node
    name = None if node.is_empty() else name_of(node, root)
    if name is None:
        warn(f"{binding.name}: its marks are not saved: it is in no scene and has no tag {ID_TAG}")
        return None
    texels = _texels(marks, binding)
    if texels is None and (binding.drawn or not binding.waiting):
        return None
    mesh = _mesh(node, binding)
    if not mesh.count:
        warn(f"{node}: its marks are not saved: nothing is left of the geometry that they are on")
        return None
    return SavedMarks(
        name=name,
        geometry=mesh.key,
        places=Places.of(mesh, binding.surface.was_made) if binding.ready else Places(),
        size=binding.resolution,
        format=binding.slot.format,
        texels=texels,
        fade=binding.fade_state,
        hits=binding.hits,
    )


def _mesh(node: NodePath, binding: StampBinding) -> Mesh:
    if binding.ready:
        return mesh_of(node, binding.surface)
    return mesh_below(node, [inner.node for inner in binding.nested if inner.alive])


def _texels(marks: Marks, binding: StampBinding) -> Texels | None:
    if not binding.drawn:
        return binding.stored
    values = marks.reader.stored(binding)
    if values is None:
        warn_once("read temp", "the driver cannot read textures: marks are not saved")
        return None
    return to_texels(values, binding.slot.format)


def give_back(
    marks: Marks, saved: Sequence[SavedMarks], root: NodePath, brushes: Brushes, age_weight: float
) -> int:
    """Put saved marks in the place of those that their nodes have now; how many nodes got theirs.

    Args:
        root: what the nodes' names begin at.
        brushes: that hits which wait may use.
        age_weight: see StampConfig.
    """
    found = _find(saved, root)
    for node, _ in found:
        _release_related(marks, node)
    # In their order: a node whose marks leave parts to other nodes came after those.
    order = {id(item): number for number, (_, item) in enumerate(found)}
    strongest = sorted(found, key=lambda pair: pair[1].strength(age_weight), reverse=True)
    room = marks.slots.make_room(len(found))
    if room < len(found):
        names = ", ".join(str(node) for node, _ in strongest[room:])
        warn(f"max_pool_size has room for {room} of {len(found)} saved nodes; left out: {names}")
    chosen = sorted(strongest[:room], key=lambda pair: order[id(pair[1])])
    restored = [marks.restore(node, _with_known_brushes(item, brushes)) for node, item in chosen]
    return sum(binding is not None for binding in restored)


def _find(saved: Sequence[SavedMarks], root: NodePath) -> list[_Found]:
    found: list[_Found] = []
    for item in saved:
        node = find_node(item.name, root)
        if node.is_empty():
            warn(f"{item.name}: its saved marks are left out: there is no such node")
        elif any(node == other for other, _ in found):
            warn(f"{node}: its saved marks are left out: others are of the same node")
        elif _geometry(node, [other for other, _ in found]) != item.geometry:
            warn(f"{node}: its saved marks are left out: its geometry is not what it was")
        else:
            found.append((node, item))
    return found


def _geometry(node: NodePath, before: Sequence[NodePath]) -> str:
    """Identifies what of a node would be marked after those `before`."""
    return mesh_below(node, [other for other in before if node.is_ancestor_of(other)]).key


def _release_related(marks: Marks, node: NodePath) -> None:
    """End the marks of a node, and of those above and below it, which share its geometry."""
    for binding in marks.bindings:
        other = binding.node
        if other.is_empty() or other == node or other.is_ancestor_of(node) or node.is_ancestor_of(other):
            marks.release(binding)


def _with_known_brushes(saved: SavedMarks, brushes: Brushes) -> SavedMarks:
    return replace(saved, hits=tuple(with_known_brush(hit, brushes) for hit in saved.hits))
