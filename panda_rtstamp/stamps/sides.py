"""Which triangles are sheets that are seen from both sides, so that a hit on either side marks them.

A two-sided Geom is not enough: many a closed solid is drawn two-sided too, and its inside is never seen. What
tells them apart is that a sheet has an edge somewhere.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from panda3d.core import GeomNode, NodePath

from panda_rtstamp.core.geoms import drawn_side
from panda_rtstamp.core.unwrap.mesh import components, neighbours, weld
from panda_rtstamp.stamps.mesh import Piece

Bools = npt.NDArray[np.bool_]


def both_sides_seen(path: NodePath, pieces: Sequence[Piece]) -> list[Bools]:
    """For each Geom of a GeomNode, which of its triangles (n,) belong to a sheet that is drawn two-sided."""
    seen = two_sided(path)
    counts = [len(piece.triangles) for piece in pieces]
    if not any(seen):
        return [np.zeros(count, bool) for count in counts]
    sheets = open_sheets(np.concatenate([piece.positions for piece in pieces]))
    cut = np.split(sheets, np.cumsum(counts)[:-1])
    return [part & drawn for part, drawn in zip(cut, seen, strict=True)]


def two_sided(path: NodePath) -> list[bool]:
    """For each Geom of a GeomNode, whether both sides of its triangles are drawn."""
    node = path.node()
    assert isinstance(node, GeomNode)
    net = path.get_net_state()
    return [drawn_side(net.compose(state)) == 0 for state in node.get_geom_states()]


def open_sheets(positions: npt.NDArray[np.float64]) -> Bools:
    """Which triangles (n, 3, 3) are connected to an edge that belongs to one triangle alone."""
    mesh, kept = weld(positions, np.zeros(len(positions), np.int64))
    pairs, _ = neighbours(mesh)
    pieces = components(len(mesh), pairs)
    is_open = np.zeros(int(pieces.max(initial=-1)) + 1, bool)
    is_open[pieces[(mesh.opposite < 0).any(axis=1)]] = True
    result = np.zeros(len(positions), bool)
    result[kept] = is_open[pieces]
    return result
