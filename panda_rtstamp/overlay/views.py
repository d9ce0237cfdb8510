"""What cameras see of a node in this frame, as Panda's own culling finds it, but asked before it runs."""

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
)


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
        self._scene = self._path.get_top() if scene.is_empty() else scene

    def sees(self, node: NodePath) -> bool:
        """True if the node is in the scene, not hidden, and its bounds are in the frustum at least partly.

        Any doubt counts as seen, as in Panda's culling.
        """
        return self._draws(node) and self._frustum_meets(node)

    def _draws(self, node: NodePath) -> bool:
        """True if the scene has the node, and this camera is not kept from drawing it."""
        lineage = _lineage_up_to(self._scene, node)
        if not lineage or any(path.is_stashed() for path in lineage[:-1]):
            return False
        mask = DrawMask.all_on()
        for path in reversed(lineage):
            control = path.node().get_draw_control_mask()
            mask = (mask & ~control) | (path.node().get_draw_show_mask() & control)
        hidden = (mask & PandaNode.get_overall_bit()).is_zero()
        return not hidden and not (mask & self._camera.get_camera_mask()).is_zero()

    def _frustum_meets(self, node: NodePath) -> bool:
        if self._bounds is None:
            return True
        bounds, held = self._bounds.make_copy(), node.node().get_bounds()
        if not (isinstance(bounds, GeometricBoundingVolume) and isinstance(held, GeometricBoundingVolume)):
            return True
        center = self._camera.get_cull_center()
        start = self._path if center.is_empty() else center
        # A node's bounds are in its parent's space; an empty NodePath, that of a root, stands for the world.
        bounds.xform(start.get_mat(node.get_parent()))
        return bool(bounds.contains(held) & BoundingVolume.IF_possible)

    @cached_property
    def _bounds(self) -> BoundingVolume | None:
        """Of what the camera may see, in its own space; None if that has no bounds."""
        bounds = self._camera.get_cull_bounds()
        if bounds is not None:
            return bounds
        lens = self._camera.get_lens(self._region.get_lens_index())
        return None if lens is None else lens.make_bounds()


def _lineage_up_to(scene: NodePath, node: NodePath) -> list[NodePath]:
    """The node and those above it up to the scene's root; empty if the root is none of them."""
    lineage = []
    for path in node.get_ancestors():
        lineage.append(path)
        if path == scene:
            return lineage
    return []


def views_of(output: GraphicsOutput) -> Iterator[View]:
    """What is drawn into a window or buffer in this frame: by its regions and cameras that are active."""
    for index in range(output.get_num_active_display_regions()):
        region = output.get_active_display_region(index)
        path = region.get_camera()
        camera = None if path.is_empty() else path.node()
        if isinstance(camera, Camera) and camera.is_active():
            yield View(region, camera)
