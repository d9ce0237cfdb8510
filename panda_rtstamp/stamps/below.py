"""What lies below a node: the paths to its GeomNodes, and the triangles of a surface."""

from collections.abc import Sequence

from panda3d.core import LODNode, NodePath, SequenceNode, SwitchNode

from panda_rtstamp.core.geoms import drawn_once, geom_nodes
from panda_rtstamp.stamps.mesh import Mesh

# What draws one of its children or another.
CHOOSERS = (LODNode, SwitchNode, SequenceNode)


def marked_paths(node: NodePath, taken: Sequence[NodePath]) -> list[NodePath]:
    """The paths to all GeomNodes at and below `node` that are not at or below one of `taken`."""
    return [
        path
        for path in geom_nodes(node)
        if not any(other == path or other.is_ancestor_of(path) for other in taken)
    ]


def mesh_below(node: NodePath, taken: Sequence[NodePath]) -> Mesh:
    """The mesh of what a surface of `node` marks; see `marked_paths`."""
    return Mesh(node, drawn_once(marked_paths(node, taken)))
