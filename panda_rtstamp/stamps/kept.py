"""Stamp UVs that are kept for the next hit: of models that were warmed up, or whose marks have ended.

Kept by the Geoms that they were made for, not by the nodes: copies of a model share its Geoms, so what was
made for one of them serves all. No node is held, nor anything left on one.
"""

from collections.abc import Sequence

from panda3d.core import GeomNode, NodePath

from panda_rtstamp.core.anchor import address
from panda_rtstamp.stamps.below import drawn_once
from panda_rtstamp.stamps.mesh import stretch_of
from panda_rtstamp.stamps.prepared import Prepared
from panda_rtstamp.stamps.sides import two_sided

# Vertices of all that is kept: some 100 bytes each, with their triangles.
_MOST_VERTICES = 1_000_000

# All that decides what a surface's stamp UVs are. Numbers alone, so that it holds nothing.
Recipe = tuple[object, ...]


def recipe_of(node: NodePath, paths: Sequence[NodePath], uv_set: str | None) -> Recipe:
    """What the stamp UVs of a surface are made by: equal for equal surfaces, another one after any edit.

    Args:
        node: the surface's topmost node.
        paths: to its GeomNodes.
        uv_set: the UV set that is asked for.
    """
    parts = [
        (_versions(path), tuple(two_sided(path)), stretch_of(path, node).tobytes())
        for path in drawn_once(paths)
    ]
    return uv_set, *parts


def _versions(path: NodePath) -> tuple[int, ...]:
    """What tells the Geoms of a node, and every state they were in, from all others."""
    node = path.node()
    assert isinstance(node, GeomNode)
    found: list[int] = []
    for index in range(node.get_num_geoms()):
        geom = node.get_geom(index)
        vertices = geom.get_vertex_data()
        arrays = [vertices.get_array(number) for number in range(vertices.get_num_arrays())]
        found += [address(geom), geom.get_modified().get_seq()]
        found += [address(vertices), vertices.get_modified().get_seq()]
        found += [number for array in arrays for number in (address(array), array.get_modified().get_seq())]
    return tuple(found)


class Kept:
    """What was prepared, by recipe, the longest unused first."""

    def __init__(self) -> None:
        self._entries: dict[Recipe, list[Prepared]] = {}
        self._vertices = 0
        self._unseen: list[tuple[Recipe, int]] = []

    def __len__(self) -> int:
        return len(self._entries)

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
        """Look at one node's copies, and drop them if their model is gone. To be called now and then."""
        if not self._unseen:
            self._unseen = [
                (key, number) for key, made in self._entries.items() for number in range(len(made))
            ]
        if self._unseen:
            recipe, number = self._unseen.pop()
            if recipe in self._entries and self._entries[recipe][number].abandoned:
                self._drop(recipe)

    def clear(self) -> None:
        """Drop everything."""
        self._entries.clear()
        self._unseen.clear()
        self._vertices = 0


def _vertices(made: Sequence[Prepared]) -> int:
    return sum(prepared.vertices for prepared in made)
