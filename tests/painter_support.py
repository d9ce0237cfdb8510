"""What the tests of the fur painter share: models, what is painted on them, and a camera in front of them."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray
from panda3d.core import GeomNode, NodePath, OrthographicLens

from panda_rtstamp.fur.painter import FurPainter
from panda_rtstamp.fur.vertices import COLUMN
from pictures import geom_paths, look_from, read_column, to_numpy
from shapes import Floats, grid_faces, make_geom, make_node

PLAIN = (0.0, 0.0, 1.0, 1.0)
DISTANCE = 4.0
FOV = 40.0


def geoms(node: NodePath) -> GeomNode:
    """The GeomNode at the end of a path."""
    found = node.node()
    assert isinstance(found, GeomNode)
    return found


def sheet(cells: int = 16, size: float = 2.0, y: float = 0.0) -> NodePath:
    """A square of so many cells a side in the XZ plane, facing -Y."""
    across, up = np.meshgrid(np.linspace(-0.5, 0.5, cells + 1), np.linspace(-0.5, 0.5, cells + 1))
    points = np.stack([across.ravel() * size, np.full(across.size, y), up.ravel() * size], axis=1)
    columns = {"vertex": points, "normal": np.tile([0.0, -1.0, 0.0], (len(points), 1))}
    return make_node("sheet", make_geom(columns, grid_faces(cells, cells)))


def in_front(base: Any) -> None:
    """Put the camera at a distance before the origin, looking at it along +Y."""
    look_from(base, (0, -DISTANCE, 0), fov=FOV)


def orthographic(base: Any, size: float) -> None:
    """A camera there that sees a square of this size, without perspective."""
    in_front(base)
    lens = OrthographicLens()
    lens.set_film_size(size, size)
    lens.set_near_far(0.1, 100.0)
    base.cam.node().set_lens(lens)


def on_plane(x: float, y: float, depth: float = 0.0) -> Floats:
    """What `in_front` sees at a place of the window, -1..1, on the plane Y = depth: a world point."""
    reach = np.tan(np.radians(FOV / 2)) * (DISTANCE + depth)
    return np.array([x * reach, depth, y * reach])


def seen_at(base: Any, points: Any) -> Floats:
    """Where the main camera sees world points, (..., 3): (..., 2), -1..1."""
    view = np.linalg.inv(to_numpy(base.cam.get_net_transform().get_mat()))
    clip = np.concatenate([points, np.ones((*np.shape(points)[:-1], 1))], axis=-1)
    clip = clip @ view @ to_numpy(base.cam.node().get_lens().get_projection_mat())
    result: Floats = clip[..., :2] / clip[..., 3:]
    return result


def columns(node: NodePath, name: str = COLUMN) -> Floats:
    """A column of all Geoms below a node, by Panda's own reader, as animated: (rows, 4)."""
    found = []
    for path in geom_paths(node):
        found += [read_column(geom, name) for geom in geoms(path).get_geoms()]
    return np.concatenate(found)


def column_bytes(node: NodePath) -> bytes:
    """The column of all Geoms below a node, to the bit."""
    return columns(node).astype(np.float32).tobytes()


def world_points(node: NodePath) -> Floats:
    """All vertices below a node as animated, in the world: (rows, 3)."""
    found = []
    for path in geom_paths(node):
        net = to_numpy(path.get_net_transform().get_mat())
        for geom in geoms(path).get_geoms():
            found.append(read_column(geom, "vertex")[:, :3] @ net[:3, :3] + net[3, :3])
    return np.concatenate(found)


def changed_rows(node: NodePath, before: Floats) -> NDArray[np.bool_]:
    """Which rows have other values than before."""
    result: NDArray[np.bool_] = (columns(node) != before).any(axis=1)
    return result


@contextmanager
def painter_on(base: Any, node: NodePath, tool: str, radius: float, **settings: Any) -> Iterator[FurPainter]:
    """A painter whose brush is set, without its own picture."""
    with FurPainter(base, node) as painter:
        painter.show_strands(False)
        painter.brush.tool, painter.brush.radius = tool, radius
        for name, value in settings.items():
            setattr(painter.brush, name, value)
        yield painter
