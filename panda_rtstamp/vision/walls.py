"""What stands in the way of sight: the user's geometry, as line segments at the heights of eyes.

Walls are sliced where and when they are needed, and each slice is kept: it is made anew only for a wall that
moved. Walls that do not move are joined apart from those that do, so a door costs what doors cost.
"""

import itertools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from panda3d.core import NodePath, TransformState

from panda_rtstamp.core.anchor import Anchor, Key, key_of
from panda_rtstamp.core.arguments import check_node
from panda_rtstamp.core.config import Rule, boolean
from panda_rtstamp.core.geometry import Array, determinant, matrix
from panda_rtstamp.errors import SurfaceError
from panda_rtstamp.vision.slicing import join_straight, slice_triangles
from panda_rtstamp.vision.wall_mesh import IsTaken, WallMesh, has_triangles, moved

# After so many updates, a height that nobody asked for is forgotten.
KEPT = 240
# So many of the walls that do not move are asked in an update whether their node still exists.
CHECKED = 32

_NOTHING: Array = np.empty((0, 2, 2))
_OPTION = Rule(boolean, "True or False")


@dataclass(frozen=True, eq=False)
class Segments:
    """All that blocks sight at one height.

    Attributes:
        ends: of line segments, x and y in the world: (n, 2, 2). Not to be written to.
        version: another one for other ends.
    """

    ends: Array
    version: int


class _Wall:
    """One node that was added, and its slices."""

    def __init__(self, node: NodePath, moving: bool, see_through: bool) -> None:
        self.anchor = Anchor(node)
        self.moving = moving
        self._see_through = see_through
        self._mesh: WallMesh | None = None
        # None: not in the world.
        self._place: TransformState | None = None
        self._pose: list[object] = []
        self._slices: dict[float, Array] = {}

    def follow(self, is_in_world: Callable[[NodePath], bool]) -> bool:
        """Go where the node is now. True if it moved."""
        node = self.anchor.node()
        there = not node.is_empty() and is_in_world(node)
        place = node.get_net_transform() if there else None
        pose = self._mesh.pose if self._mesh is not None else []
        # Equal transforms are one object in Panda, and are told so by their addresses.
        if place == self._place and pose == self._pose:
            return False
        self._place, self._pose = place, pose
        self._slices.clear()
        return True

    def read_again(self) -> None:
        """Another share of what is below the node is this wall's."""
        self._mesh = None
        self._slices.clear()

    def slice(self, height: float, is_taken: IsTaken) -> Array:
        """Its segments at a height; what is at or below a taken node is another wall's."""
        if height not in self._slices:
            self._slices[height] = self._cut(height, is_taken)
        return self._slices[height]

    def _cut(self, height: float, is_taken: IsTaken) -> Array:
        if self._place is None or self._see_through or self._place.is_invalid():
            return _NOTHING
        to_world = matrix(self._place.get_mat())
        if not np.isfinite(to_world).all() or determinant(to_world[:3, :3]) == 0.0:
            return _NOTHING
        if self._mesh is None:
            node = self.anchor.node()
            if node.is_empty():
                return _NOTHING
            self._mesh = WallMesh(node, is_taken)
            self._pose = self._mesh.pose
        ends = slice_triangles(moved(self._mesh.triangles(), to_world), height)
        # A door has few pieces: to join them in each frame would cost more than to draw them.
        return ends if self.moving else join_straight(ends)

    def forget(self, height: float) -> None:
        """Drop the slice at a height."""
        self._slices.pop(height, None)


class _Group:
    """Walls whose slices are joined: all of them again when one of them changed."""

    def __init__(self) -> None:
        self.walls: dict[Key, _Wall] = {}
        self._joined: dict[float, Array] = {}

    def changed(self) -> None:
        """One of the walls changed, came or went."""
        self._joined.clear()

    def ends(self, height: float, is_taken: IsTaken) -> Array:
        """The segments of all of them at a height: the same array while nothing changed."""
        if height not in self._joined:
            slices = [wall.slice(height, is_taken) for wall in self.walls.values()]
            self._joined[height] = np.concatenate([_NOTHING, *slices])
        return self._joined[height]

    def forget(self, height: float) -> None:
        """Drop what is kept for a height."""
        self._joined.pop(height, None)
        for wall in self.walls.values():
            wall.forget(height)


class Walls:
    """The walls of one vision mask.

    Args:
        world: the node that the world hangs below. What is not below it blocks nothing.
    """

    def __init__(self, world: NodePath) -> None:
        self._world = world
        self._all: dict[Key, _Wall] = {}
        self._moving, self._still = _Group(), _Group()
        # Those of `_still` that were not in the world yet.
        self._waiting: dict[Key, _Wall] = {}
        self._changed = False
        # Of `_still`, those whose turn is still to come.
        self._unchecked: list[tuple[Key, _Wall]] = []
        self._update = 0
        self._asked: dict[float, int] = {}
        self._known: dict[float, tuple[tuple[Array, Array], Segments]] = {}
        self._versions = itertools.count(1)
        self._destroyed = False

    def is_in_world(self, node: NodePath) -> bool:
        """False for a node that is detached or stashed, by itself or with what it hangs below."""
        return bool(node.is_same_graph(self._world)) and not node.is_stashed()

    def add(self, node: NodePath, moving: bool = False, see_through: bool = False) -> None:
        """Let all geometry below a node block sight: hidden geometry too, and all levels of an LODNode.

        Stashed geometry does not block. What is below a node that was itself added goes by the options given
        there. To add a node again reads it again, and the last options stand.

        Args:
            moving: the node is followed, out of the world and back too, and its joints and morphs are.
                Otherwise it is read once, when it is first in the world.
            see_through: it blocks nothing, though it is part of a wall: a window.

        Raises:
            ConfigError: `node` is no NodePath or empty, or an option is no bool.
            SurfaceError: there are no triangles below the node.
        """
        check_node("node", node)
        _OPTION.check("moving", moving)
        _OPTION.check("see_through", see_through)
        if not has_triangles(node):
            raise SurfaceError(f"{node}: there are no triangles below it, so it cannot be a wall")
        if self._destroyed:
            return
        self._drop(key_of(node))
        wall = _Wall(node, moving, see_through)
        key = wall.anchor.key
        self._all[key] = wall
        self._group_of(wall).walls[key] = wall
        if moving:
            wall.follow(self.is_in_world)
        else:
            self._waiting[key] = wall
        self._note(wall)
        self._share_changed(node)

    def remove(self, node: NodePath) -> None:
        """Let the geometry below a node block no more, or be part of the wall above. Unknown: does nothing.

        Raises:
            ConfigError: `node` is no NodePath or empty.
        """
        check_node("node", node)
        if self._drop(key_of(node)):
            self._share_changed(node)

    def update(self) -> bool:
        """Follow what moved and forget what is gone. Once a frame. True if any segment may have changed."""
        self._update += 1
        for height in [height for height, asked in self._asked.items() if asked < self._update - KEPT]:
            self._forget(height)
        for key in self._gone():
            self._drop(key)
        for wall in self._moving.walls.values():
            if wall.follow(self.is_in_world):
                self._note(wall)
        self._place_waiting()
        changed, self._changed = self._changed, False
        return changed

    def at(self, height: float) -> Segments:
        """What blocks sight at a height in the world. The same object while nothing changed."""
        self._asked[height] = self._update
        self._place_waiting()
        parts = self._still.ends(height, self._is_taken), self._moving.ends(height, self._is_taken)
        known = self._known.get(height)
        if known is not None and all(map(_same, known[0], parts)):
            segments = known[1]
        else:
            ends = np.concatenate(parts)
            ends.setflags(write=False)
            segments = Segments(ends, next(self._versions))
        self._known[height] = parts, segments
        return segments

    def destroy(self) -> None:
        """Let go of all walls, and take no more. Idempotent."""
        self._destroyed = True
        for key in list(self._all):
            self._drop(key)

    def _gone(self) -> list[Key]:
        """The walls whose node is destroyed; of those that do not move, some are looked at each time."""
        if not self._unchecked:
            self._unchecked = list(self._still.walls.items())
        checked = self._unchecked[-CHECKED:]
        del self._unchecked[-CHECKED:]
        return [
            key
            for key, wall in (*self._moving.walls.items(), *checked)
            # Not one that was removed meanwhile, or added once more.
            if not wall.anchor.has_node() and self._all.get(key) is wall
        ]

    def _place_waiting(self) -> None:
        placed = [key for key, wall in self._waiting.items() if wall.follow(self.is_in_world)]
        for key in placed:
            self._note(self._waiting.pop(key))

    def _is_taken(self, node: NodePath) -> bool:
        wall = self._all.get(key_of(node))
        # Another node may have the address of a destroyed one.
        return wall is not None and bool(wall.anchor.has_node())

    def _share_changed(self, node: NodePath) -> None:
        """The walls that a node is a part of have another share of it."""
        above = node
        while above.has_parent():
            above = above.get_parent()
            wall = self._all.get(key_of(above))
            if wall is not None:
                wall.read_again()
                self._note(wall)

    def _drop(self, key: Key) -> bool:
        wall = self._all.pop(key, None)
        if wall is None:
            return False
        del self._group_of(wall).walls[key]
        self._waiting.pop(key, None)
        wall.anchor.release()
        self._note(wall)
        return True

    def _note(self, wall: _Wall) -> None:
        self._group_of(wall).changed()
        self._changed = True

    def _group_of(self, wall: _Wall) -> _Group:
        return self._moving if wall.moving else self._still

    def _forget(self, height: float) -> None:
        del self._asked[height]
        self._known.pop(height, None)
        self._moving.forget(height)
        self._still.forget(height)


def _same(first: Array, second: Array) -> bool:
    return first is second or np.array_equal(first, second)
