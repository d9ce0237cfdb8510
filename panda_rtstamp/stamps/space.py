"""Points from one node's space to another's, in 64 bits, and what a sphere around one may touch."""

import numpy as np
from panda3d.core import FiniteBoundingVolume, NodePath

from panda_rtstamp.core.geometry import Array, net_matrix


def may_touch(node: NodePath, other: NodePath, local: Array, radius: float) -> bool:
    """False if a sphere around a point in `other`'s space is surely off the node's geometry."""
    if node.is_empty():
        return False
    # In the space of the node's parent.
    bounds = node.get_bounds().make_copy()
    if bounds.is_empty() or bounds.is_infinite() or not isinstance(bounds, FiniteBoundingVolume):
        return bounds.is_infinite()
    bounds.xform(node.get_parent().get_net_transform().get_mat())
    low, high = np.array(bounds.get_min()), np.array(bounds.get_max())
    # An actor's bounds are those of one pose: twice their size holds any other.
    reach = radius + float(np.linalg.norm(high - low))
    world = np.append(local, 1.0) @ net_matrix(other)
    return bool(np.linalg.norm(world[:3] - (low + high) / 2) <= reach)


def distance_to(camera: NodePath, node: NodePath, local: Array) -> float:
    """From a camera to a point in the node's space, in the world; 0 if there is no camera."""
    if camera.is_empty():
        return 0.0
    point = np.append(local, 1.0) @ net_matrix(node)
    return float(np.linalg.norm(point[:3] - net_matrix(camera)[3, :3]))


def to_node(point: Array, space: NodePath | None, node: NodePath) -> Array | None:
    """A point of `space` (None: the world) in the node's own space; None if the node is scaled to nothing."""
    if space is not None and space == node:
        return point
    world = np.append(point, 1.0) @ (np.eye(4) if space is None else net_matrix(space))
    try:
        local = world @ np.linalg.inv(net_matrix(node))
    except np.linalg.LinAlgError:
        return None
    result: Array = local[:3]
    return result if np.isfinite(result).all() else None
