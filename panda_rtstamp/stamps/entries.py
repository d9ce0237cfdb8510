"""What collision results say: which node was hit, and where."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from panda3d.core import CollisionEntry, NodePath, Vec3

from panda_rtstamp.core.geometry import Array
from panda_rtstamp.core.tags import OVERLAY_TAG
from panda_rtstamp.errors import ConfigError

TAG = "rtstamp"


@dataclass(frozen=True)
class Contact:
    """A node that was hit, the point (3,), and the normal there if it is known, in the space of `space`."""

    node: NodePath
    point: Array
    space: NodePath
    normal: Vec3 | None


def contacts(entry: Any, root: NodePath) -> list[Contact]:
    """The contacts that an entry reports, nearest first, on nodes tagged `rtstamp` (or below one).

    Args:
        entry: a CollisionEntry, or a Bullet ray's closest-hit or all-hits result.
        root: the space that Bullet's world is in.

    Raises:
        ConfigError: the entry is none of these.
    """
    if isinstance(entry, CollisionEntry):
        found = _of_collision(entry)
    elif hasattr(entry, "has_hits"):
        # Compared by where along the ray they are.
        hits = sorted(entry.get_hits(), key=lambda hit: hit.get_hit_fraction())
        found = [_of_bullet(hit, root) for hit in hits]
    elif hasattr(entry, "has_hit"):
        found = [_of_bullet(entry, root)] if entry.has_hit() else []
    else:
        raise ConfigError(
            "entry must be a CollisionEntry, a BulletClosestHitRayResult or a BulletAllHitsRayResult, "
            f"got {type(entry).__name__}"
        )
    tagged = [(tagged_ancestor(contact.node), contact) for contact in found]
    return [replace(contact, node=node) for node, contact in tagged if node is not None]


def _of_bullet(hit: Any, root: NodePath) -> Contact:
    node = NodePath.any_path(hit.get_node())
    return Contact(node, np.array(hit.get_hit_pos(), np.float64), root, _normal(hit.get_hit_normal()))


def _normal(normal: Vec3) -> Vec3 | None:
    return None if normal.is_nan() or normal.length_squared() == 0.0 else normal


def _of_collision(entry: CollisionEntry) -> list[Contact]:
    node = entry.get_into_node_path()
    if not entry.has_surface_point():
        return []
    normal = _normal(entry.get_surface_normal(node)) if entry.has_surface_normal() else None
    return [Contact(node, np.array(entry.get_surface_point(node), np.float64), node, normal)]


def tagged_ancestor(node: NodePath) -> NodePath | None:
    """The nearest node, from this one upwards, with the tag `rtstamp`, whatever its value."""
    found = node.find_net_tag(TAG)
    return None if found.is_empty() else found


def without_overlay(node: NodePath) -> NodePath:
    """The model's node if this one is an overlay of ours, else the node itself."""
    return node.get_parent() if node.has_tag(OVERLAY_TAG) and node.has_parent() else node
