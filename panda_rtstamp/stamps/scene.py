"""What a capture draws: the triangles of a bound node that lie where it is hit, as they are in this frame."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

import numpy as np
from panda3d.core import (
    BitMask32,
    Character,
    GeomNode,
    NodePath,
    PandaNode,
    RenderState,
    ScissorAttrib,
    ShaderAttrib,
    TransformState,
)

from panda_rtstamp.core.geometry import Array, as_matrix, matrix, net_matrix, with_triangles
from panda_rtstamp.core.rect import Rect, gather
from panda_rtstamp.stamps.hit import Hit
from panda_rtstamp.stamps.indexed import IndexedGeom
from panda_rtstamp.stamps.spatial_index import Numbers, meets
from panda_rtstamp.stamps.surface import Surface

# What is hidden from cameras of this bit is not captured. Panda keeps bit 31, which hides from all cameras.
CAPTURE_BIT = 30
# Beside what a mark touches, the texels that the edges of triangles reach into.
_EDGE = 1
_HARDWARE = ShaderAttrib.make().set_flag(ShaderAttrib.F_hardware_skinning, True)


class Piece:
    """One Geom of a scene.

    Args:
        path: to its GeomNode.
        top: the bound node.
        number: of the Geom.
        indexed: its triangles.
        to_scene: 4 x 4, from its space to the scene's.
    """

    def __init__(
        self, path: NodePath, top: NodePath, number: int, indexed: IndexedGeom, to_scene: Array
    ) -> None:
        node = path.node()
        assert isinstance(node, GeomNode)
        self._path = path
        self._top = top
        self._node = node
        self._number = number
        self.indexed = indexed
        self.to_scene = to_scene

    @cached_property
    def is_drawn(self) -> bool:
        """False if the game hides it."""
        return _is_drawn(self._path, self._top)

    def touched(self, centers: Array, radii: Array) -> Array:
        """Where on the texture these spheres of the scene touch it: boxes of UVs, (n, 4)."""
        geom = self._node.get_geom(self._number)
        return self.indexed.touched(geom.get_vertex_data(), self.to_scene, centers, radii)

    def draw(self, triangles: Numbers, scissor: ScissorAttrib, states: Sequence[RenderState]) -> GeomNode:
        """A node that draws these triangles of the index, cut off by `scissor`, once in each state."""
        geom = self._node.get_geom(self._number)
        drawn = with_triangles(geom, geom.get_vertex_data(), self.indexed.corners[triangles])
        result = GeomNode("rtstamp-capture")
        result.set_transform(TransformState.make_mat(as_matrix(self.to_scene)))
        cut = RenderState.make(scissor)
        result.set_state(cut.set_attrib(_HARDWARE) if _skins_on_card(self._path) else cut)
        for state in states:
            result.add_geom(drawn, state)
        return result


class Scene:
    """The geometry of a bound node in this frame.

    Its space has the world's axes and units. The origin is near the hits, so that 32-bit floats are exact
    where the marks are, be it a million units from the world's.

    Args:
        node: the bound node.
        surface: its geometry.
        hits: those of this frame.
    """

    def __init__(self, node: NodePath, surface: Surface, hits: Sequence[Hit]) -> None:
        self.surface = surface
        to_world = net_matrix(node)
        # 4 x 4, from the node's own space to the scene's.
        self.to_scene = to_world.copy()
        self.to_scene[3, :3] -= hits[0].point @ to_world[:3, :3] + to_world[3, :3]
        self._pieces = list(self._find_pieces(node))

    def _find_pieces(self, node: NodePath) -> Iterator[Piece]:
        for part in self.surface.parts:
            path = part.anchor.node()
            # What was never shown needs no index.
            if path.is_empty() or not (part.prepared.is_indexed or _is_drawn(path, node)):
                continue
            geom_node = path.node()
            assert isinstance(geom_node, GeomNode)
            to_scene = self.to_scene if path == node else matrix(path.get_mat(node)) @ self.to_scene
            indexed_geoms = part.prepared.indexed(geom_node)
            if any(indexed.is_posed for indexed in indexed_geoms.values()):
                _pose(path)
            for number, indexed in indexed_geoms.items():
                yield Piece(path, node, number, indexed, to_scene)

    def rects(self, hits: Sequence[Hit], size: int, most: int) -> list[Rect]:
        """The texels that the hits may mark, in at most so many rectangles, no two of which overlap.

        Args:
            size: texels along an edge of the texture.
        """
        points = np.array([hit.point for hit in hits])
        centers = points @ self.to_scene[:3, :3] + self.to_scene[3, :3]
        radii = np.array([hit.reach for hit in hits])
        near = self._near(centers, radii)
        boxes = np.concatenate([np.empty((0, 4)), *(piece.touched(centers, radii) for piece in near)])
        # Outwards to whole texels: of the highest, which are negated, too.
        texels = np.maximum(np.floor(boxes * size) - _EDGE, (0, 0, -size, -size)).astype(int)
        edges = texels.tolist()
        return gather((Rect(left, bottom, -right, -top) for left, bottom, right, top in edges), most)

    def _near(self, centers: Array, radii: Array) -> list[Piece]:
        """The pieces that spheres may touch; of a model of many parts, few."""
        if len(self._pieces) < 2:
            return self._drawn(range(len(self._pieces)))
        boxes = np.array([piece.indexed.box for piece in self._pieces])
        matrices = np.array([piece.to_scene for piece in self._pieces])
        # The boxes around these boxes, along the scene's axes (Arvo, Graphics Gems, 1990).
        middles = np.einsum("ni,nij->nj", boxes[:, 0], matrices[:, :3, :3]) + matrices[:, 3, :3]
        halves = np.einsum("ni,nij->nj", boxes[:, 1], np.abs(matrices[:, :3, :3]))
        beyond = np.abs(middles[:, None] - centers) - halves[:, None]
        # Of a part with a vertex that is no number nothing is known.
        near = ~(beyond > radii[:, None]).any(axis=2)
        return self._drawn(np.flatnonzero(near.any(axis=1)).tolist())

    def _on_texture(self, rect: Rect, size: int) -> list[Piece]:
        """The pieces that may lie on these texels."""
        if len(self._pieces) < 2:
            return self._drawn(range(len(self._pieces)))
        runs = [piece.indexed.runs for piece in self._pieces]
        owners = np.repeat(np.arange(len(runs)), [len(boxes) for boxes in runs])
        return self._drawn(np.unique(owners[meets(np.concatenate(runs), rect, size)]).tolist())

    def _drawn(self, numbers: Iterable[int]) -> list[Piece]:
        return [self._pieces[number] for number in numbers if self._pieces[number].is_drawn]

    def draw(self, rects: Sequence[Rect], size: int, states: Sequence[RenderState]) -> PandaNode:
        """A scene of the triangles that lie on these texels, all of them in each state, one after another.

        They are cut off by a scissor and not by a smaller viewport: each texel is rasterised as it would be
        in a pass over all.

        Args:
            size: texels along an edge of the texture.
            states: in bins, which say in which order all is drawn.
        """
        root = PandaNode("rtstamp-capture")
        for rect in rects:
            edges = (rect.left, rect.right, rect.bottom, rect.top)
            scissor = ScissorAttrib.make(*(edge / size for edge in edges))
            for piece in self._on_texture(rect, size):
                triangles = piece.indexed.on_texture(rect, size)
                if len(triangles):
                    root.add_child(piece.draw(triangles, scissor, states))
        return root

    @property
    def shares_texels(self) -> bool:
        """True if triangles of it lie on the same texels."""
        if self.surface.overlaps or len({id(piece.indexed) for piece in self._pieces}) == len(self._pieces):
            return self.surface.overlaps
        drawn = [id(piece.indexed) for piece in self._drawn(range(len(self._pieces)))]
        return len(set(drawn)) < len(drawn)


def _is_drawn(path: NodePath, top: NodePath) -> bool:
    """False if something from `top` down to `path` hides or stashes it; as a cull traversal finds out."""
    stashed = path.get_stashed_ancestor()
    if not stashed.is_empty() and stashed != top and top.is_ancestor_of(stashed):
        return False
    nodes = [path.node()]
    while path != top:
        path = path.get_parent()
        nodes.append(path.node())
    mask = BitMask32.all_on()
    for node in reversed(nodes):
        control = node.get_draw_control_mask()
        mask = (mask & ~control) | (node.get_draw_show_mask() & control)
    overall = PandaNode.get_overall_bit()
    return not (mask & overall).is_zero() and mask.get_bit(CAPTURE_BIT)


def _pose(path: NodePath) -> None:
    """Let the character that a Geom belongs to take this frame's pose, as it does when it is drawn."""
    for ancestor in path.get_ancestors():
        node = ancestor.node()
        if isinstance(node, Character):
            node.update()


def _skins_on_card(path: NodePath) -> bool:
    attrib = path.get_net_state().get_attrib(ShaderAttrib)
    return isinstance(attrib, ShaderAttrib) and attrib.get_flag(ShaderAttrib.F_hardware_skinning)
