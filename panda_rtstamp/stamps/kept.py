"""Stamp UVs that are kept for the next hit: of models that were warmed up, or whose marks have ended.

Kept by the Geoms that they were made for, not by the nodes: copies of a model share its Geoms, so what was
made for one of them serves all. No node is held, nor anything left on one.
"""

from collections.abc import Sequence

from panda3d.core import GeomNode, NodePath

from panda_rtstamp.core.geoms import Version, version_of
from panda_rtstamp.stamps.mesh import stretch_of
from panda_rtstamp.stamps.prepared import Prepared
from panda_rtstamp.stamps.sides import two_sided

# Vertices of all that is kept: some 150 bytes each, with their triangles, and twice that where they are hit.
_MOST_VERTICES = 1_000_000

# All that decides what a surface's stamp UVs are. Numbers and names alone, so that it holds nothing.
Recipe = tuple[object, ...]


def recipe_of(node: NodePath, drawn: Sequence[NodePath], uv_set: str | None) -> Recipe:
    """What the stamp UVs of a surface are made by: equal for equal surfaces, another one after any edit.

    Args:
        node: the surface's topmost node.
        drawn: paths to its GeomNodes, one to each.
        uv_set: the UV set that is asked for.
    """
    parts = [(_versions(path), tuple(two_sided(path)), stretch_of(path, node).tobytes()) for path in drawn]
    return uv_set, *parts


def _versions(path: NodePath) -> tuple[Version, ...]:
    node = path.node()
    assert isinstance(node, GeomNode)
    return tuple(version_of(node.get_geom(index)) for index in range(node.get_num_geoms()))


class Kept:
    """What was prepared, by recipe, the longest unused first."""

    def __init__(self) -> None:
        self._entries: dict[Recipe, list[Prepared]] = {}
        self._vertices = 0
        # What `sweep` looks at next: of the surface made by this recipe, this Geom of this node.
        self._unseen: list[tuple[Recipe, int, int]] = []

    @property
    def full(self) -> bool:
        """True if something has to go for whatever is added."""
        return self._vertices >= _MOST_VERTICES

    def find(self, recipe: Recipe) -> list[Prepared] | None:
        """What was prepared by this recipe, in the order of its nodes; None if that is not kept."""
        found = self._entries.pop(recipe, None)
        if found is not None:
            self._entries[recipe] = found
        return found

    def add(self, recipe: Recipe, made: list[Prepared]) -> None:
        """Keep this, in the place of what was not used for longest."""
        while self.full:
            self._drop(next(iter(self._entries)))
        self._entries[recipe] = made
        self._vertices += _vertices(made)

    def _drop(self, recipe: Recipe) -> None:
        self._vertices -= _vertices(self._entries.pop(recipe))

    def forget(self, origin: str) -> None:
        """Drop what was laid out by this."""
        for recipe in [key for key, made in self._entries.items() if made[0].origin == origin]:
            self._drop(recipe)

    def sweep(self) -> None:
        """Look at one Geom, and drop what was made of it if it is gone or edited. For idle frames."""
        if not self._unseen:
            self._unseen = [
                (recipe, number, geom)
                for recipe, made in self._entries.items()
                for number, prepared in enumerate(made)
                for geom in range(len(prepared.originals))
            ]
        if self._unseen:
            recipe, number, geom = self._unseen.pop()
            if recipe in self._entries and self._entries[recipe][number].is_abandoned(geom):
                self._drop(recipe)

    def clear(self) -> None:
        """Drop everything."""
        self._entries.clear()
        self._unseen.clear()
        self._vertices = 0


def _vertices(made: Sequence[Prepared]) -> int:
    return sum(prepared.vertices for prepared in made)
