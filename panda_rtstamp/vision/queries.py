"""What viewers see, in numbers: for a game's logic, without the graphics card."""

import itertools
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from panda3d.core import NodePath

from panda_rtstamp.core.anchor import Anchor, Key, key_of
from panda_rtstamp.core.arguments import check_node
from panda_rtstamp.core.config import number
from panda_rtstamp.core.geometry import Array, net_matrix
from panda_rtstamp.errors import ConfigError
from panda_rtstamp.vision.config import VisionConfig
from panda_rtstamp.vision.sight import Bools, visible
from panda_rtstamp.vision.viewers import Eye, Viewer, check_group
from panda_rtstamp.vision.walls import Walls


class _Watched:
    """A node that is watched, and whether it was seen when it was last looked at."""

    def __init__(self, node: NodePath) -> None:
        self.anchor = Anchor(node)
        self.seen = False


class Queries:
    """Answers what a group's viewers see, and tells of nodes that come into sight or go out of it.

    Args:
        walls: what blocks sight.
        config: settings.

    Attributes:
        config: may be set at any time.
        viewers: of all groups, in the order in which they were added.
    """

    def __init__(self, walls: Walls, config: VisionConfig) -> None:
        self.config = config
        self.viewers: list[Viewer] = []
        self._walls = walls
        self._watched: dict[Key, _Watched] = {}
        # What all that is told comes from.
        self._told: tuple[object, ...] = ()

    def eyes(self) -> dict[int, list[Eye]]:
        """What viewers see from now, of every group that has any whose nodes are somewhere."""
        found: dict[int, list[Eye]] = {}
        for viewer in self.viewers:
            eye = self._eye(viewer)
            if eye is not None:
                found.setdefault(viewer.group, []).append(eye)
        return found

    def _eye(self, viewer: Viewer) -> Eye | None:
        return viewer.eye(self._walls.is_in_world, self.config.eye_height, self.config.height_step)

    def is_visible(self, target: Any, viewer: Viewer | None, group: int) -> bool:
        """See VisionMask.is_visible."""
        return bool(self._visible(_point(target)[None], viewer, group)[0])

    def visible_nodes(self, nodes: Iterable[NodePath], viewer: Viewer | None, group: int) -> list[NodePath]:
        """See VisionMask.visible_nodes."""
        if isinstance(nodes, NodePath) or not isinstance(nodes, Iterable):
            raise ConfigError(f"nodes must be a list of NodePaths, got {nodes!r}")
        asked = [check_node("node", node) for node in nodes]
        if not asked:
            return []
        seen = self._visible(np.array([_point(node) for node in asked]), viewer, group)
        return [node for node, is_seen in zip(asked, seen, strict=True) if is_seen]

    def _visible(self, points: Array, viewer: Viewer | None, group: int) -> Bools:
        number = check_group(group)
        if viewer is not None and not isinstance(viewer, Viewer):
            raise ConfigError(f"viewer must be a Viewer or None, got {viewer!r}")
        asked = [viewer] if viewer is not None else [each for each in self.viewers if each.group == number]
        result = np.zeros(len(points), bool)
        for each in asked:
            eye = self._eye(each)
            if eye is not None and eye.strength > 0.0:
                result |= self._seen_by(eye, points)
        return result

    def _seen_by(self, eye: Eye, points: Array) -> Bools:
        forward = None if eye.half_cosine <= -1.0 else np.array(eye.forward)
        ends = self._walls.at(eye.height).ends
        return visible(points, eye.position, ends, eye.view_range, forward, eye.half_cosine)

    def watch(self, node: NodePath) -> None:
        """Look at this node too in `tell`. Does nothing if it is watched already."""
        key = key_of(node)
        known = self._watched.get(key)
        # Another node may have the address of a destroyed one.
        if known is None or not known.anchor.alive:
            self._watched[key] = _Watched(node)

    def unwatch(self, node: NodePath) -> None:
        """Look at it no more. Does nothing if it is not watched."""
        watched = self._watched.pop(key_of(node), None)
        if watched is not None:
            watched.anchor.release()

    def tell(self, came: Callable[[NodePath], object], went: Callable[[NodePath], object]) -> None:
        """Say which watched nodes have come into the sight of group 0 since the last call, or gone out.

        What is out of the world, or stashed, is out of sight.

        Costs a look at their transforms where nothing moved. Nodes that are gone are forgotten.
        """
        if not self._watched:
            return
        for key in [key for key, each in self._watched.items() if not each.anchor.alive]:
            self._watched.pop(key).anchor.release()
        watched = list(self._watched.values())
        nodes = [each.anchor.node() for each in watched]
        eyes = self.eyes().get(0, [])
        walls = [self._walls.at(eye.height).version for eye in eyes]
        there = [self._walls.is_in_world(node) for node in nodes]
        told = list(self._watched), eyes, walls, there, [node.get_net_transform() for node in nodes]
        if told == self._told:
            return
        self._told = told
        seen = set(self.visible_nodes(itertools.compress(nodes, there), None, 0))
        for each, node in zip(watched, nodes, strict=True):
            if (node in seen) != each.seen:
                each.seen = node in seen
                (came if each.seen else went)(node)

    def clear(self) -> None:
        """Forget all viewers and nodes."""
        for viewer in self.viewers:
            viewer.release()
        self.viewers.clear()
        for watched in self._watched.values():
            watched.anchor.release()
        self._watched.clear()


def _point(target: Any) -> Array:
    """(x, y) in the world."""
    if isinstance(target, NodePath):
        return net_matrix(check_node("target", target))[3, :2]
    try:
        values = [number(part) for part in target]
    except (TypeError, ValueError):
        values = []
    if len(values) not in (2, 3):
        raise ConfigError(f"target must be a NodePath, or two or three finite numbers, got {target!r}")
    return np.array(values[:2])
