"""What collision results say: which node was hit, and where."""

from dataclasses import dataclass
from typing import Any

from panda3d.core import CollisionEntry, NodePath, Point3

from panda_rtstamp.errors import ConfigError
from panda_rtstamp.stamps.surface import OVERLAY_TAG

TAG = "rtstamp"


@dataclass(frozen=True)
class Contact:
    """A node that was hit, and the point in the space of `space`."""

    node: NodePath
    point: Point3
    space: NodePath


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
        found = [Contact(NodePath.any_path(hit.get_node()), hit.get_hit_pos(), root) for hit in hits]
    elif hasattr(entry, "has_hit"):
        hit = entry.has_hit()
        found = [Contact(NodePath.any_path(entry.get_node()), entry.get_hit_pos(), root)] if hit else []
    else:
        raise ConfigError(
            "entry must be a CollisionEntry, a BulletClosestHitRayResult or a BulletAllHitsRayResult, "
            f"got {type(entry).__name__}"
        )
    tagged = [(tagged_ancestor(contact.node), contact) for contact in found]
    return [Contact(node, contact.point, contact.space) for node, contact in tagged if node is not None]


def _of_collision(entry: CollisionEntry) -> list[Contact]:
    node = entry.get_into_node_path()
    if not entry.has_surface_point():
        return []
    return [Contact(node, entry.get_surface_point(node), node)]


def tagged_ancestor(node: NodePath) -> NodePath | None:
    """The nearest node, from this one upwards, with the tag `rtstamp`, whatever its value."""
    found = node.find_net_tag(TAG)
    return None if found.is_empty() else found


def without_overlay(node: NodePath) -> NodePath:
    """The model's node if this one is an overlay of ours, else the node itself."""
    return node.get_parent() if node.has_tag(OVERLAY_TAG) and node.has_parent() else node
