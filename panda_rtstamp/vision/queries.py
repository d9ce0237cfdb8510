"""What viewers see, in numbers: for a game's logic, without the graphics card."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from panda3d.core import NodePath

from panda_rtstamp.core.arguments import check_node
from panda_rtstamp.core.config import number
from panda_rtstamp.core.geometry import Array, net_matrix
from panda_rtstamp.errors import ConfigError
from panda_rtstamp.vision.config import VisionConfig
from panda_rtstamp.vision.sight import Bools, visible
from panda_rtstamp.vision.viewers import Eye, Viewer
from panda_rtstamp.vision.walls import Walls


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
        # Nodes, and whether each was seen when it was last looked at.
        self._watched: dict[NodePath, bool] = {}

    def eyes(self) -> dict[int, list[Eye]]:
        """What viewers see from now, of every group that has any whose nodes are somewhere."""
        found: dict[int, list[Eye]] = {}
        for viewer in self.viewers:
            eye = self._eye(viewer)
            if eye is not None:
                found.setdefault(viewer.group, []).append(eye)
        return found

    def _eye(self, viewer: Viewer) -> Eye | None:
        return viewer.eye(self.config.eye_height, self.config.height_step)

    def is_visible(self, target: Any, viewer: Viewer | None, group: int) -> bool:
        """See VisionMask.is_visible."""
        return bool(self._visible(_point(target)[None], viewer, group)[0])

    def visible_nodes(self, nodes: Iterable[NodePath], viewer: Viewer | None, group: int) -> list[NodePath]:
        """See VisionMask.visible_nodes."""
        asked = [check_node("node", node) for node in nodes]
        if not asked:
            return []
        seen = self._visible(np.array([_point(node) for node in asked]), viewer, group)
        return [node for node, is_seen in zip(asked, seen, strict=True) if is_seen]

    def _visible(self, points: Array, viewer: Viewer | None, group: int) -> Bools:
        asked = [viewer] if viewer is not None else [each for each in self.viewers if each.group == group]
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
        """Look at this node too in `changes`. Does nothing if it is watched already."""
        self._watched.setdefault(NodePath(node), False)

    def unwatch(self, node: NodePath) -> None:
        """Look at it no more. Does nothing if it is not watched."""
        self._watched.pop(node, None)

    def tell(self, came: Callable[[NodePath], object], went: Callable[[NodePath], object]) -> None:
        """Say which watched nodes have come into the sight of group 0 since the last call, or gone out."""
        if not self._watched:
            return
        nodes = [node for node in self._watched if not node.is_empty()]
        seen = set(self.visible_nodes(nodes, None, 0))
        for node in nodes:
            if (node in seen) != self._watched.get(node, node in seen):
                self._watched[node] = node in seen
                (came if node in seen else went)(node)

    def clear(self) -> None:
        """Forget all viewers and nodes."""
        for viewer in self.viewers:
            viewer.release()
        self.viewers.clear()
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
