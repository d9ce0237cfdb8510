"""A GeomNode whose Geoms carry stamp UVs: copies in the place of the user's, until these are put back."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from panda3d.core import GeomNode, NodePath

from panda_rtstamp.core.anchor import address
from panda_rtstamp.core.geoms import Version, replace_geoms, single_geom, version_of
from panda_rtstamp.stamps import uvs
from panda_rtstamp.stamps.indexed import IndexedGeom
from panda_rtstamp.stamps.layout import Layout
from panda_rtstamp.stamps.mesh import Mesh
from panda_rtstamp.stamps.sides import both_sides_seen
from panda_rtstamp.stamps.stamped import stamped_copies

# What holds an original that no node of the user's has any more: ours, and the handle that is asked.
_OUR_HOLDS = 2


@dataclass(eq=False)
class Prepared:
    """The Geoms of a node, and copies of them that carry the column. Shared by all nodes that have the Geoms.

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
        modified: the versions of the copies' vertices.
        versions: of the originals.
        users: how many parts of surfaces use it.
    """

    originals: list[GeomNode]
    ours: GeomNode
    marked: list[bool]
    origin: str
    is_atlas: bool
    density: float
    overlaps: bool
    modified: list[object]
    versions: list[Version]
    users: int = 0
    _indexes: dict[int, tuple[object, IndexedGeom]] = field(default_factory=dict)

    def indexed(self, node: GeomNode) -> dict[int, IndexedGeom]:
        """The Geoms that can be marked, by their numbers; also where the user edited them meanwhile."""
        if node.get_num_geoms() != len(self.marked):
            return {}
        return {number: self._indexed(node, number) for number, marked in enumerate(self.marked) if marked}

    @property
    def is_indexed(self) -> bool:
        """True if an index of some of the Geoms is there."""
        return bool(self._indexes)

    def _indexed(self, node: GeomNode, number: int) -> IndexedGeom:
        geom = node.get_geom(number)
        vertices = geom.get_vertex_data()
        version = address(geom), geom.get_modified(), address(vertices), vertices.get_modified()
        known = self._indexes.get(number)
        if known is None or known[0] != version:
            known = self._indexes[number] = version, IndexedGeom(geom)
        return known[1]

    def indexing(self) -> Iterator[None]:
        """Index the copies now, one in each step, and not when they are first hit."""
        for number, marked in enumerate(self.marked):
            if marked:
                self._indexed(self.ours, number)
                yield

    @property
    def vertices(self) -> int:
        """How many vertices the copies have."""
        copies = [self.ours.get_geom(index).get_vertex_data() for index in range(self.ours.get_num_geoms())]
        return sum({address(copy): copy.get_num_rows() for copy in copies}.values())

    def is_abandoned(self, number: int) -> bool:
        """True if nobody uses the copies, nor can again: this one of the originals is gone, or was edited."""
        if self.users:
            return False
        original = self.originals[number].get_geom(0)
        return original.get_ref_count() <= _OUR_HOLDS or version_of(original) != self.versions[number]

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


def make_copies(path: NodePath, mesh: Mesh, layout: Layout, where: slice) -> Prepared:
    """Copies of a node's Geoms with stamp UVs; `where`: their numbers in mesh and layout."""
    node = path.node()
    assert isinstance(node, GeomNode)
    pieces = mesh.pieces[where]
    originals = [single_geom(node, index) for index in range(len(pieces))]
    marked = layout.marked[where]
    sheets = both_sides_seen(path, pieces)
    copies = stamped_copies(node, pieces, layout.corners[where], marked, sheets, layout.set_name)
    ours = GeomNode("rtstamp-ours")
    for copy in copies:
        ours.add_geom(copy)
    is_atlas = layout.set_name is None
    modified: list[object] = [copy.get_vertex_data().get_modified() for copy in copies]
    versions = [version_of(node.get_geom(index)) for index in range(len(pieces))]
    return Prepared(
        originals, ours, marked, layout.origin, is_atlas, layout.density, layout.overlaps, modified, versions
    )


def put_copies(node: GeomNode, prepared: Prepared) -> None:
    """Give the Geoms of a node, which are those that the copies were made of, place to the copies."""
    replace_geoms(node, [prepared.ours])


def put_back(node: GeomNode, prepared: Prepared) -> None:
    """Give a node its Geoms back, where the copies that took their place still are ours."""
    count = node.get_num_geoms()
    if not any(prepared.is_ours(node, index) for index in range(count)):
        return
    sources = [
        prepared.originals[index] if prepared.is_ours(node, index) else single_geom(node, index)
        for index in range(count)
    ]
    replace_geoms(node, sources)
