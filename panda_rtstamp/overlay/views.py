"""What cameras see of a node in this frame, as Panda's own culling finds it, but asked before it runs."""

import itertools
from collections.abc import Iterator
from functools import cached_property

from panda3d.core import (
    BoundingVolume,
    Camera,
    DisplayRegion,
    DrawMask,
    GeometricBoundingVolume,
    GraphicsOutput,
    NodePath,
    PandaNode,
    SequenceNode,
    SwitchNode,
)

_OVERALL = PandaNode.get_overall_bit()


class Place:
    """A way from a root down to a node, as it is in this frame: all that does not depend on who sees it.

    Args:
        nodes: the node, its parent there, and so on up to the root.
    """

    def __init__(self, nodes: list[PandaNode]) -> None:
        self.nodes = nodes

    @cached_property
    def reach(self) -> int:
        """The number of the topmost node that Panda comes down from: below it nothing is stashed or switched
        off."""
        for step, (node, parent) in enumerate(itertools.pairwise(self.nodes)):
            if parent.find_stashed(node) >= 0 or not _is_chosen(node, parent):
                return step
        return len(self.nodes) - 1

    def parent_of(self, step: int) -> NodePath:
        """What this node is in, here; an empty NodePath, which stands for the world, of the root."""
        if step + 1 == len(self.nodes):
            return NodePath()
        path = NodePath(self.nodes[-1])
        for node in reversed(self.nodes[step + 1 : -1]):
            path = NodePath(path, node)
        return path


def _is_chosen(node: PandaNode, parent: PandaNode) -> bool:
    """False where the parent shows one of its children, and that is another one."""
    if isinstance(parent, SwitchNode):
        return parent.find_child(node) == parent.get_visible_child()
    return not isinstance(parent, SequenceNode) or parent.find_child(node) == parent.get_frame()


def places_of(node: PandaNode) -> Iterator[Place]:
    """All ways down to a node, several if it or a node above it is instanced. None where all hide it."""
    if node.is_overall_hidden() and (node.get_net_draw_show_mask() & _OVERALL).is_zero():
        return
    for way in _ways_up(node):
        yield Place(way)


def _ways_up(node: PandaNode) -> Iterator[list[PandaNode]]:
    way = [node]
    while way[-1].get_num_parents() == 1:
        way.append(way[-1].get_parent(0))
    if not way[-1].get_num_parents():
        yield way
    for parent in way[-1].get_parents():
        for rest in _ways_up(parent):
            yield way + rest


class View:
    """What one region of a window or buffer shows.

    Args:
        region: has a camera.
        camera: its camera's node.
    """

    def __init__(self, region: DisplayRegion, camera: Camera) -> None:
        self._region = region
        self._camera = camera
        self._path = region.get_camera()
        scene = camera.get_scene()
        self._scene = (self._path.get_top() if scene.is_empty() else scene).node()

    def sees(self, place: Place) -> bool:
        """True if the node is in the scene, not hidden, and its bounds are in the frustum at least partly.

        Any doubt counts as seen, as in Panda's culling.
        """
        if self._scene not in place.nodes:
            return False
        root = place.nodes.index(self._scene)
        return root <= place.reach and self._draws(place.nodes[: root + 1]) and self._meets(place, root)

    def _draws(self, nodes: list[PandaNode]) -> bool:
        """True if this camera is not kept from drawing the first of these nodes, or anything below it."""
        mask = DrawMask.all_on()
        for node in reversed(nodes[1:]):
            control = node.get_draw_control_mask()
            mask = (mask & ~control) | (node.get_draw_show_mask() & control)
        control = nodes[0].get_net_draw_control_mask()
        mask = (mask & ~control) | (nodes[0].get_net_draw_show_mask() & control)
        hidden = (mask & _OVERALL).is_zero()
        return not hidden and not (mask & self._camera.get_camera_mask()).is_zero()

    def _meets(self, place: Place, root: int) -> bool:
        """True if the node is not wholly outside of what the camera may see."""
        if self._bounds is None:
            return True
        # Below a node whose bounds are final, Panda looks at no others.
        finals = [step for step in range(root + 1) if place.nodes[step].is_final()]
        step = finals[-1] if finals else 0
        bounds, held = self._bounds.make_copy(), place.nodes[step].get_bounds()
        if not (isinstance(bounds, GeometricBoundingVolume) and isinstance(held, GeometricBoundingVolume)):
            return True
        center = self._camera.get_cull_center()
        start = self._path if center.is_empty() else center
        # A node's bounds are in its parent's space.
        bounds.xform(start.get_mat(place.parent_of(step)))
        return bool(bounds.contains(held) & BoundingVolume.IF_possible)

    @cached_property
    def _bounds(self) -> BoundingVolume | None:
        """Of what the camera may see, in its own space; None if that has no bounds."""
        bounds = self._camera.get_cull_bounds()
        if bounds is not None:
            return bounds
        lens = self._camera.get_lens(self._region.get_lens_index())
        return None if lens is None else lens.make_bounds()


def views_of(output: GraphicsOutput) -> Iterator[View]:
    """What is drawn into a window or buffer in this frame: by its regions and cameras that are active."""
    for index in range(output.get_num_active_display_regions()):
        region = output.get_active_display_region(index)
        path = region.get_camera()
        camera = None if path.is_empty() else path.node()
        if isinstance(camera, Camera) and camera.is_active():
            yield View(region, camera)
