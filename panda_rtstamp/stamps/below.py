"""What lies below a node: the paths to its GeomNodes, and the triangles of a surface."""

from collections.abc import Sequence

from panda3d.core import GeomNode, LODNode, NodePath, PandaNode, SequenceNode, SwitchNode

from panda_rtstamp.core.anchor import address
from panda_rtstamp.core.tags import OVERLAY_TAG
from panda_rtstamp.stamps.mesh import Mesh

# What draws one of its children or another.
CHOOSERS = (LODNode, SwitchNode, SequenceNode)


def geom_nodes(node: NodePath) -> list[NodePath]:
    """The paths to all GeomNodes at and below `node` that have Geoms and are not overlays of ours."""
    found = list(node.find_all_matches("**/+GeomNode"))
    if isinstance(node.node(), GeomNode) and node not in found:
        found.insert(0, node)
    return [path for path in found if _has_geometry(path.node())]


def marked_paths(node: NodePath, taken: Sequence[NodePath]) -> list[NodePath]:
    """The paths to all GeomNodes at and below `node` that are not at or below one of `taken`."""
    return [
        path
        for path in geom_nodes(node)
        if not any(other == path or other.is_ancestor_of(path) for other in taken)
    ]


def drawn_once(paths: Sequence[NodePath]) -> list[NodePath]:
    """Of several paths to one node the first."""
    found: dict[int, NodePath] = {}
    for path in paths:
        found.setdefault(address(path.node()), path)
    return list(found.values())


def mesh_below(node: NodePath, taken: Sequence[NodePath]) -> Mesh:
    """The mesh of what a surface of `node` marks; see `marked_paths`."""
    return Mesh(node, drawn_once(marked_paths(node, taken)))


def _has_geometry(node: PandaNode) -> bool:
    return isinstance(node, GeomNode) and node.get_num_geoms() > 0 and not node.has_tag(OVERLAY_TAG)
