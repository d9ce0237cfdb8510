"""A ray that finds what is seen: what a bullet hits, or what lies under the mouse."""

from typing import Any

from panda3d.core import (
    BitMask32,
    CollisionEntry,
    CollisionHandlerQueue,
    CollisionNode,
    CollisionRay,
    CollisionTraverser,
    GeomNode,
    LVector3,
    NodePath,
    Point2,
    Point3,
)


class Ray:
    """Traced against all visible geometry below `root`; points and directions are in its space."""

    def __init__(self, root: NodePath) -> None:
        self._root = root
        self._solid = CollisionRay()
        node = CollisionNode("ray")
        node.add_solid(self._solid)
        node.set_from_collide_mask(GeomNode.get_default_collide_mask())
        node.set_into_collide_mask(BitMask32.all_off())
        self._found = CollisionHandlerQueue()
        self._traverser = CollisionTraverser("ray")
        self._traverser.add_collider(root.attach_new_node(node), self._found)

    def first_hit(self, start: Point3, direction: LVector3) -> CollisionEntry | None:
        """The nearest hit from a point onwards."""
        self._solid.set_origin(start)
        self._solid.set_direction(direction)
        self._traverser.traverse(self._root)
        self._found.sort_entries()
        return self._found.get_entry(0) if self._found.get_num_entries() else None

    def seen_at(self, camera: NodePath, x: float, y: float) -> CollisionEntry | None:
        """What a camera sees at a point of its picture, -1..1 from left to right and from bottom to top."""
        near, far = Point3(), Point3()
        node: Any = camera.node()
        node.get_lens().extrude(Point2(x, y), near, far)
        start, end = (self._root.get_relative_point(camera, point) for point in (near, far))
        return self.first_hit(start, (end - start).normalized())
