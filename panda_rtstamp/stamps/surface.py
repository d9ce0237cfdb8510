"""The geometry of a bound node: what of it can carry marks, and where on the texture its points lie.

Every Geom that can be marked gives place to a copy whose vertex data has one column more, `rtstamp_uv`. All
other arrays are shared with the original. The display draws the same copies: the CPU skins them once.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from panda3d.core import GeomNode, GeomVertexData, NodePath, PandaNode

from panda_rtstamp.core.anchor import Anchor, address
from panda_rtstamp.core.geometry import triangles, with_column
from panda_rtstamp.core.log import warn_once
from panda_rtstamp.errors import SurfaceError
from panda_rtstamp.stamps import uvs

OVERLAY_TAG = "rtstamp-overlay"
# In place of (u, v, 1) for what cannot be marked. Where there is no column at all, shaders read zeros.
_NOWHERE = 0.0
_ADVICE = "give it a UV set within 0..1 without overlaps, or name one with StampConfig.uv_set"
# What is less is not worth a warning.
_WORST_SHARE = 0.005


@dataclass
class Prepared:
    """A GeomNode whose Geoms carry the column. Shared by all parts that draw the node.

    Attributes:
        originals: for each Geom as it was found, a GeomNode that holds it and its state.
        ours: holds the copies that took their place. Held by a node and not by themselves: a Geom that the
            user writes to while we hold it counts as being written to from then on, and threads that draw it
            wait for ever.
        marked: which of them can be marked.
        users: how many parts use it.
    """

    originals: list[GeomNode]
    ours: GeomNode
    marked: list[bool]
    users: int = 0
    modified: list[object] = field(default_factory=list)

    def is_ours(self, node: GeomNode, index: int) -> bool:
        """False if the Geom now at this place is not the copy we put there, untouched."""
        if index >= node.get_num_geoms() or index >= self.ours.get_num_geoms():
            return False
        geom = node.get_geom(index)
        unchanged = geom.get_vertex_data().get_modified() == self.modified[index]
        return geom == self.ours.get_geom(index) and unchanged

    def stands(self, node: GeomNode) -> bool:
        """True if the node still holds all of our copies and nothing else."""
        count = node.get_num_geoms()
        return count == self.ours.get_num_geoms() and all(self.is_ours(node, index) for index in range(count))


@dataclass
class Part:
    """One GeomNode of a surface, by one path."""

    anchor: Anchor
    prepared: Prepared


class Surface:
    """The prepared geometry of one bound node."""

    def __init__(self, parts: list[Part]) -> None:
        self.parts = parts

    def standing(self) -> Iterator[tuple[Part, NodePath]]:
        """The parts that still are as we prepared them, and their paths."""
        for part in self.parts:
            path = part.anchor.node()
            node = None if path.is_empty() else path.node()
            if isinstance(node, GeomNode) and part.prepared.stands(node):
                yield part, path


class SurfaceStore:
    """Prepares nodes and puts them back. One for a system, since nodes can share GeomNodes."""

    def __init__(self) -> None:
        self._prepared: dict[int, Prepared] = {}

    def prepare(self, node: NodePath, uv_set: str | None, taken: list[NodePath]) -> Surface:
        """The surface of everything below `node` that is not below one of `taken`.

        Warns once about what will not look right.

        Raises:
            SurfaceError: nothing of it can be marked. The node is as it was.
        """
        paths = [
            path
            for path in geom_nodes(node)
            if not any(other == path or other.is_ancestor_of(path) for other in taken)
        ]
        if not paths:
            raise SurfaceError(f"{node} has no geometry to mark")
        parts = [part for part in (self._part(path, uv_set) for path in paths) if part is not None]
        surface = Surface(parts)
        if not any(any(part.prepared.marked) for part in parts):
            self.restore(surface)
            if uv_set is not None:
                raise SurfaceError(f"{node} has no usable UV set {uv_set!r}: {_ADVICE}")
            raise SurfaceError(f"{node} has no usable UVs and cannot be marked: {_ADVICE}")
        _warn_of_layout(node, surface)
        return surface

    def _part(self, path: NodePath, uv_set: str | None) -> Part | None:
        node = path.node()
        assert isinstance(node, GeomNode)
        prepared = self._prepared.get(address(node))
        if prepared is None or not prepared.stands(node):
            if prepared is not None:
                # The user changed the node: what is still ours goes back before it is prepared anew.
                _restore(node, prepared)
            prepared = _prepare(node, uv_set)
            self._prepared[address(node)] = prepared
        prepared.users += 1
        return Part(Anchor(path), prepared)

    def restore(self, surface: Surface) -> None:
        """Put the Geoms back as they were found, where they are still ours. Idempotent."""
        for part in surface.parts:
            path = part.anchor.node()
            part.anchor.release()
            part.prepared.users -= 1
            if part.prepared.users > 0:
                continue
            self._prepared = {
                key: value for key, value in self._prepared.items() if value is not part.prepared
            }
            node = None if path.is_empty() else path.node()
            if isinstance(node, GeomNode):
                _restore(node, part.prepared)
        surface.parts = []


def geom_nodes(node: NodePath) -> list[NodePath]:
    """The paths to all GeomNodes at and below `node` that have Geoms and are not overlays of ours."""
    found = list(node.find_all_matches("**/+GeomNode"))
    if isinstance(node.node(), GeomNode) and node not in found:
        found.insert(0, node)
    return [path for path in found if _has_geometry(path.node())]


def _has_geometry(node: PandaNode) -> bool:
    return isinstance(node, GeomNode) and node.get_num_geoms() > 0 and not node.has_tag(OVERLAY_TAG)


def _single_geom(node: GeomNode, index: int) -> GeomNode:
    """A GeomNode with just this Geom. Python could not add it by itself: it is given out as const."""
    single = GeomNode("rtstamp-original")
    single.add_geoms_from(node)
    for number in reversed(range(single.get_num_geoms())):
        if number != index:
            single.remove_geom(number)
    return single


def _prepare(node: GeomNode, uv_set: str | None) -> Prepared:
    count = node.get_num_geoms()
    originals = [_single_geom(node, index) for index in range(count)]
    copies: dict[int, GeomVertexData] = {}
    prepared = Prepared(originals, GeomNode("rtstamp-ours"), [])
    for index in range(count):
        geom = node.get_geom(index)
        vertices = geom.get_vertex_data()
        values = uvs.read(vertices, uv_set) if len(triangles(geom)) else None
        key = address(vertices) * (1 if values is not None else -1)
        if key not in copies:
            column = np.full((vertices.get_num_rows(), 3), _NOWHERE, np.float32)
            if values is not None:
                column[:] = np.column_stack([values, np.ones(len(values))])
            copies[key] = with_column(vertices, uvs.COLUMN, column)
        ours = geom.make_copy()
        ours.set_vertex_data(copies[key])
        node.set_geom(index, ours)
        prepared.ours.add_geom(ours)
        prepared.marked.append(values is not None)
        prepared.modified.append(copies[key].get_modified())
    return prepared


def _restore(node: GeomNode, prepared: Prepared) -> None:
    count = node.get_num_geoms()
    if not any(prepared.is_ours(node, index) for index in range(count)):
        return
    states = [node.get_geom_state(index) for index in range(count)]
    sources = [
        prepared.originals[index] if prepared.is_ours(node, index) else _single_geom(node, index)
        for index in range(count)
    ]
    node.remove_all_geoms()
    for index, source in enumerate(sources):
        node.add_geoms_from(source)
        node.set_geom_state(index, states[index])


def _warn_of_layout(node: NodePath, surface: Surface) -> None:
    laid_out = []
    unmarked = 0
    for part in surface.parts:
        for index, marked in enumerate(part.prepared.marked):
            geom = part.prepared.ours.get_geom(index)
            values = uvs.read(geom.get_vertex_data(), uvs.COLUMN)
            if marked and values is not None:
                laid_out.append(uvs.corners(geom, values))
            unmarked += not marked
    layout = uvs.measure(np.concatenate(laid_out))
    faults = []
    if unmarked:
        faults.append(f"{unmarked} of its Geoms have no usable UVs and stay unmarked")
    if layout.outside > _WORST_SHARE:
        faults.append(f"{layout.outside:.0%} of its triangles have UVs outside 0..1 and stay unmarked there")
    if layout.flat > _WORST_SHARE:
        faults.append(f"{layout.flat:.0%} of its triangles have UVs without an area and stay unmarked")
    if layout.overlap > _WORST_SHARE:
        faults.append(
            f"{layout.overlap:.0%} of its UV area is used more than once, so a mark shows in several places"
        )
    if faults:
        warn_once(f"layout {node.get_name()} {faults}", f"{node}: {'; '.join(faults)}: {_ADVICE}")
