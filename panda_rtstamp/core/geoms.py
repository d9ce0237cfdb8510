"""Geoms of nodes: where they are, what tells them apart, which of their sides are drawn, and others in their
place."""

from collections.abc import Sequence

from panda3d.core import CullFaceAttrib, Geom, GeomNode, NodePath, PandaNode, RenderState

from panda_rtstamp.core.anchor import address
from panda_rtstamp.core.tags import OVERLAY_TAG

Version = tuple[int, ...]

_SIDES: dict[int, int] = {
    CullFaceAttrib.M_cull_none: 0,
    CullFaceAttrib.M_cull_clockwise: 1,
    CullFaceAttrib.M_cull_counter_clockwise: -1,
}


def geom_nodes(node: NodePath) -> list[NodePath]:
    """The paths to all GeomNodes at and below `node` that have Geoms and are not overlays of ours."""
    found = list(node.find_all_matches("**/+GeomNode"))
    if isinstance(node.node(), GeomNode) and node not in found:
        found.insert(0, node)
    return [path for path in found if _has_geometry(path.node())]


def _has_geometry(node: PandaNode) -> bool:
    return isinstance(node, GeomNode) and node.get_num_geoms() > 0 and not node.has_tag(OVERLAY_TAG)


def geom_node(path: NodePath) -> GeomNode:
    """The GeomNode at the end of a path."""
    node = path.node()
    assert isinstance(node, GeomNode)
    return node


def drawn_once(paths: Sequence[NodePath]) -> list[NodePath]:
    """Of several paths to one node the first."""
    found: dict[int, NodePath] = {}
    for path in paths:
        found.setdefault(address(path.node()), path)
    return list(found.values())


def version_of(geom: Geom) -> Version:
    """What tells a Geom, and each state it was in, from all others. Numbers alone: it holds nothing."""
    vertices = geom.get_vertex_data()
    found = [address(geom), geom.get_modified().get_seq()]
    found += [address(vertices), vertices.get_modified().get_seq()]
    for number in range(vertices.get_num_arrays()):
        array = vertices.get_array(number)
        found += [address(array), array.get_modified().get_seq()]
    return tuple(found)


def drawn_side(state: RenderState) -> int:
    """Which sides of triangles are drawn in a state: 1 front, -1 back, 0 both."""
    attrib = state.get_attrib(CullFaceAttrib)
    return _SIDES.get(attrib.get_effective_mode(), 1) if isinstance(attrib, CullFaceAttrib) else 1


def single_geom(node: GeomNode, index: int) -> GeomNode:
    """A GeomNode with just this Geom. Python could not add it by itself: it is given out as const."""
    single = GeomNode("rtstamp-original")
    single.add_geoms_from(node)
    for number in reversed(range(single.get_num_geoms())):
        if number != index:
            single.remove_geom(number)
    return single


def replace_geoms(node: GeomNode, sources: Sequence[GeomNode]) -> None:
    """Give a node the Geoms of others, one after another, each in the state of the one at its place."""
    states = [node.get_geom_state(index) for index in range(node.get_num_geoms())]
    node.remove_all_geoms()
    for source in sources:
        node.add_geoms_from(source)
    for index, state in enumerate(states):
        node.set_geom_state(index, state)
