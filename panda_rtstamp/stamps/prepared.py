"""A GeomNode whose Geoms carry stamp UVs: copies in the place of the user's, until these are put back."""

from dataclasses import dataclass, field

from panda3d.core import GeomNode, NodePath

from panda_rtstamp.core.anchor import address
from panda_rtstamp.stamps import uvs
from panda_rtstamp.stamps.indexed import IndexedGeom
from panda_rtstamp.stamps.layout import Layout
from panda_rtstamp.stamps.mesh import Mesh
from panda_rtstamp.stamps.sides import both_sides_seen
from panda_rtstamp.stamps.stamped import stamped_copies


@dataclass
class Prepared:
    """A GeomNode whose Geoms carry the column. Shared by all parts that draw the node.

    Attributes:
        originals: for each Geom as it was found, a GeomNode that holds it and its state.
        ours: holds the copies that took their place. Held by a node and not by themselves: a Geom that the
            user writes to while we hold it counts as being written to from then on, and threads that draw it
            wait for ever.
        marked: which of them can be marked.
        origin: names what the stamp UVs are: parts of one origin lie beside each other on the texture.
        is_atlas: they are none of the model's own.
        density: of the layout.
        overlaps: triangles share texels.
        users: how many parts use it.
    """

    originals: list[GeomNode]
    ours: GeomNode
    marked: list[bool]
    origin: str
    is_atlas: bool
    density: float
    overlaps: bool
    users: int = 0
    modified: list[object] = field(default_factory=list)
    _indexes: dict[int, tuple[object, IndexedGeom]] = field(default_factory=dict)

    def indexed(self, node: GeomNode) -> dict[int, IndexedGeom]:
        """The Geoms that can be marked, by their numbers; also where the user edited them meanwhile."""
        if node.get_num_geoms() != len(self.marked):
            return {}
        return {number: self._indexed(node, number) for number, marked in enumerate(self.marked) if marked}

    def _indexed(self, node: GeomNode, number: int) -> IndexedGeom:
        geom = node.get_geom(number)
        vertices = geom.get_vertex_data()
        version = address(geom), geom.get_modified(), address(vertices), vertices.get_modified()
        known = self._indexes.get(number)
        if known is None or known[0] != version:
            known = self._indexes[number] = version, IndexedGeom(geom)
        return known[1]

    def is_ours(self, node: GeomNode, index: int) -> bool:
        """False if the Geom now at this place is not the copy we put there, untouched."""
        if index >= node.get_num_geoms() or index >= self.ours.get_num_geoms():
            return False
        geom = node.get_geom(index)
        unchanged = geom.get_vertex_data().get_modified() == self.modified[index]
        return geom == self.ours.get_geom(index) and unchanged

    def has_stamp_uvs(self, node: GeomNode) -> bool:
        """True if the Geoms at the places of ours can be marked, be they ours, edited or not."""
        if node.get_num_geoms() != len(self.marked):
            return False
        geoms = [node.get_geom(index) for index, marked in enumerate(self.marked) if marked]
        return all(geom.get_vertex_data().has_column(uvs.COLUMN) for geom in geoms)

    def stands(self, node: GeomNode) -> bool:
        """True if the node still holds all of our copies and nothing else."""
        count = node.get_num_geoms()
        return count == self.ours.get_num_geoms() and all(self.is_ours(node, index) for index in range(count))


def _single_geom(node: GeomNode, index: int) -> GeomNode:
    """A GeomNode with just this Geom. Python could not add it by itself: it is given out as const."""
    single = GeomNode("rtstamp-original")
    single.add_geoms_from(node)
    for number in reversed(range(single.get_num_geoms())):
        if number != index:
            single.remove_geom(number)
    return single


def put_copies(path: NodePath, mesh: Mesh, layout: Layout, where: slice) -> Prepared:
    """Give the Geoms of a node place to copies with stamp UVs; `where`: their numbers in mesh and layout."""
    node = path.node()
    assert isinstance(node, GeomNode)
    pieces = mesh.pieces[where]
    originals = [_single_geom(node, index) for index in range(len(pieces))]
    marked = layout.marked[where]
    sheets = both_sides_seen(path, pieces)
    copies = stamped_copies(node, pieces, layout.corners[where], marked, sheets, layout.set_name)
    ours = GeomNode("rtstamp-ours")
    is_atlas = layout.set_name is None
    prepared = Prepared(originals, ours, marked, layout.origin, is_atlas, layout.density, layout.overlaps)
    for index, copy in enumerate(copies):
        node.set_geom(index, copy)
        prepared.ours.add_geom(copy)
        prepared.modified.append(copy.get_vertex_data().get_modified())
    return prepared


def put_back(node: GeomNode, prepared: Prepared) -> None:
    """Give a node its Geoms back, where the copies that took their place still are ours."""
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
