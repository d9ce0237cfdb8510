"""Points from one node's space to another's, in 64 bits, and what a sphere around one may touch."""

import numpy as np
from panda3d.core import FiniteBoundingVolume, NodePath, Vec3

from panda_rtstamp.core.geometry import Array, determinant, net_matrix
from panda_rtstamp.stamps.hit import turn_normal, unit

# The cosine to the vertical from which on a normal counts as vertical.
_VERTICAL = 0.999


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


def scale_of(node: NodePath) -> float:
    """How many units of the world one unit of the node's space is, on the mean of the three axes."""
    return float(abs(determinant(net_matrix(node)[:3, :3])) ** (1.0 / 3.0))


def normal_to_node(normal: Array, node: NodePath) -> Array:
    """A normal of the world in the node's own space, of length 1."""
    result: Array = unit(normal @ net_matrix(node)[:3, :3].T)
    return result


def vector_to_node(vector: Array, node: NodePath) -> Array:
    """A vector of the world in the node's own space, whose matrix must have an inverse."""
    result: Array = vector @ np.linalg.inv(net_matrix(node)[:3, :3])
    return result


def to_world(normal: Array, space: NodePath | None) -> Array:
    """A normal of `space` (None: the world) in the world, of length 1."""
    return normal if space is None else unit(turn_normal(normal, net_matrix(space)[:3, :3]))


def right_of(normal: Array, degrees: float) -> Array:
    """Where a picture has its right that lies on a surface of this normal, all in the world.

    At 0 degrees its up is the world's up, or the world's Y where the normal is vertical.
    """
    up, forward = np.array(Vec3.up()), np.array(Vec3.forward())
    up = up if abs(normal @ up) < _VERTICAL else forward
    right = unit(np.cross(up, normal))
    angle = np.radians(degrees)
    result: Array = np.cos(angle) * right + np.sin(angle) * np.cross(normal, right)
    return result


def to_node(point: Array, space: NodePath | None, node: NodePath) -> Array | None:
    """A point of `space` (None: the world) in the node's own space; None if the node is scaled to nothing."""
    if space is not None and space == node:
        # Panda's own answer is of 32 bits, which lose very small scales; and asking a transform whether it is
        # singular makes Panda warn.
        regular = abs(node.get_net_transform().get_mat().get_upper_3().determinant()) > 0.0
        return point if regular or scale_of(node) > 0.0 else None
    world = np.append(point, 1.0) @ (np.eye(4) if space is None else net_matrix(space))
    try:
        local = world @ np.linalg.inv(net_matrix(node))
    except np.linalg.LinAlgError:
        return None
    result: Array = local[:3]
    return result if np.isfinite(result).all() else None
