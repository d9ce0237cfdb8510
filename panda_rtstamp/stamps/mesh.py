"""The triangles of a surface as arrays: what UVs are found for, or made for."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
from panda3d.core import GeomNode, GeomVertexData, NodePath

from panda_rtstamp.core.anchor import address
from panda_rtstamp.core.geometry import Array, column, matrix, triangles

Rows = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Piece:
    """The triangles of one Geom.

    Attributes:
        vertices: of the Geom.
        triangles: (n, 3), rows of the vertices; none where the Geom is of lines or points.
        stretch: 3 x 3, scales row vectors of the Geom's space as it is drawn in the surface's, unturned.
    """

    vertices: GeomVertexData
    triangles: Rows
    stretch: Array

    @cached_property
    def local(self) -> npt.NDArray[np.float32]:
        """Of each triangle's corners in the bind pose, (n, 3, 3), in the Geom's own space."""
        values = column(self.vertices, "vertex")
        if values is None or not len(self.triangles):
            return np.zeros((len(self.triangles), 3, 3), np.float32)
        return values[:, :3].astype(np.float32)[self.triangles]

    @property
    def positions(self) -> Array:
        """The same, in lengths of the surface's space."""
        result: Array = self.local.astype(np.float64) @ self.stretch
        return result


class Mesh:
    """The Geoms of several nodes, in the order of the nodes.

    Positions of different nodes are not in one space: parts may move against each other, and UVs are to
    stay what they are then. Only lengths are comparable.

    Args:
        node: the surface's topmost node, whose space lengths are in.
        paths: to the GeomNodes.
    """

    def __init__(self, node: NodePath, paths: Sequence[NodePath]) -> None:
        self.pieces: list[Piece] = []
        # For each path, where its pieces are.
        self.slices: list[slice] = []
        owners: list[int] = []
        for owner, path in enumerate(paths):
            found = _pieces(path, stretch_of(path, node))
            self.slices.append(slice(len(self.pieces), len(self.pieces) + len(found)))
            self.pieces += found
            owners += [owner] * len(found)
        counts = [len(piece.triangles) for piece in self.pieces]
        self.ends = np.cumsum(counts, dtype=np.int64)
        # For each triangle the number of the node that it belongs to.
        self.owners = np.repeat(np.array(owners, np.int64), counts)

    @property
    def count(self) -> int:
        """How many triangles there are."""
        return len(self.owners)

    @cached_property
    def positions(self) -> Array:
        """Of all triangles' corners, (n, 3, 3)."""
        return np.concatenate([np.empty((0, 3, 3)), *(piece.positions for piece in self.pieces)])

    @cached_property
    def areas(self) -> Array:
        """Of all triangles, (n,), in squared lengths of the surface's space."""
        return triangle_areas(self.positions)

    @cached_property
    def key(self) -> str:
        """Identifies the geometry, wherever and whenever it is loaded: a hash of its triangles."""
        digest = hashlib.blake2b(digest_size=16)
        for piece, end in zip(self.pieces, self.ends, strict=True):
            digest.update(int(end).to_bytes(8, "little"))
            digest.update(piece.stretch.astype("<f4").tobytes())
            digest.update(piece.local.astype("<f4").tobytes())
        digest.update(self.owners.astype("<i4").tobytes())
        return digest.hexdigest()

    def split(self, corners: npt.NDArray[np.float32]) -> list[npt.NDArray[np.float32]]:
        """Values of all triangles, cut up into those of each piece."""
        return np.split(corners, self.ends[:-1]) if self.pieces else []


def triangle_areas(positions: Array) -> Array:
    """Of triangles (n, 3, 3), each by its corners."""
    first, second = positions[:, 1] - positions[:, 0], positions[:, 2] - positions[:, 0]
    result: Array = np.linalg.norm(np.cross(first, second), axis=1) / 2
    return result


def _pieces(path: NodePath, stretch: Array) -> list[Piece]:
    node = path.node()
    assert isinstance(node, GeomNode)
    geoms = [node.get_geom(index) for index in range(node.get_num_geoms())]
    return [Piece(geom.get_vertex_data(), triangles(geom), stretch) for geom in geoms]


def stretch_of(path: NodePath, node: NodePath) -> Array:
    """What of a transform changes lengths: its polar decomposition without the rotation.

    Rounded, so that parts which turn against each other keep the same one.
    """
    linear = matrix(path.get_mat(node))[:3, :3]
    values, vectors = np.linalg.eigh(linear @ linear.T)
    result: Array = vectors * np.sqrt(np.maximum(values, 0.0)) @ vectors.T
    size = float(np.abs(result).max())
    if not np.isfinite(size) or size <= 0.0:
        return np.eye(3)
    # Cut where no scale in use lies, neither a power of ten nor a half, or the noise of the rotation decides.
    steps = 10.0 ** (3 - int(np.ceil(np.log10(size) - 0.07)))
    # Never -0.0, which another machine could have as 0.0.
    return np.floor(result * steps + 0.3) / steps + 0.0


def shared_vertices(pieces: Sequence[Piece]) -> list[list[int]]:
    """The numbers of the pieces, those together whose Geoms share their vertices."""
    groups: dict[int, list[int]] = {}
    for number, piece in enumerate(pieces):
        groups.setdefault(address(piece.vertices), []).append(number)
    return list(groups.values())
