"""Rival 2: painting a texture on the processor.

A ray finds the triangle that was hit and the UVs of the point; numpy paints a disc there into an array, and
the whole array is uploaded again. The ray is cast against all triangles at once in numpy (after Moeller and
Trumbore, "Fast, minimum storage ray/triangle intersection", 1997), which is faster than Panda's own
collision with visible geometry. All hits of a frame share one upload.

A disc on the texture is round only where UVs are even, ends at seams, and does not fade: fading would
multiply and upload the whole array in every frame.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from panda3d.core import GeomNode, GeomVertexReader, NodePath, Texture

from bench.ours import COLOR, HARDNESS
from bench.scenario import Scenario
from bench.stage import Stage, load_shader
from bench.walls import EDGE, Points


def read_triangles(wall: NodePath) -> tuple[Points, Points]:
    """A wall's triangles: positions (n, 3, 3) and UVs (n, 3, 2)."""
    node = wall.node()
    assert isinstance(node, GeomNode)
    geom = node.get_geom(0).decompose()
    vertices = geom.get_vertex_data()
    columns = []
    for name in ("vertex", "texcoord"):
        reader = GeomVertexReader(vertices, name)
        columns.append(
            np.array([tuple(reader.get_data3()) for _ in range(vertices.get_num_rows())], np.float64)
        )
    primitive = geom.get_primitive(0)
    rows = np.array(primitive.get_vertex_list()).reshape(-1, 3)
    return columns[0][rows], columns[1][rows][:, :, :2]


def find_uv(positions: Points, uvs: Points, origin: Points, direction: Points) -> Points | None:
    """The UVs of the nearest point that a ray hits; None if it hits nothing."""
    edge_1 = positions[:, 1] - positions[:, 0]
    edge_2 = positions[:, 2] - positions[:, 0]
    across = np.cross(direction, edge_2)
    determinant = np.einsum("ij,ij->i", edge_1, across)
    with np.errstate(divide="ignore", invalid="ignore"):
        offset = origin - positions[:, 0]
        u = np.einsum("ij,ij->i", offset, across) / determinant
        turned = np.cross(offset, edge_1)
        v = turned @ direction / determinant
        distance = np.einsum("ij,ij->i", edge_2, turned) / determinant
        inside = (u >= 0) & (v >= 0) & (u + v <= 1) & (distance > 0)
    if not inside.any():
        return None
    nearest = int(np.argmin(np.where(inside, distance, np.inf)))
    weights = np.array([1 - u[nearest] - v[nearest], u[nearest], v[nearest]])
    found: Points = weights @ uvs[nearest]
    return found


class _Canvas:
    """One wall's array and texture."""

    def __init__(self, wall: NodePath, size: int) -> None:
        self._positions, self._uvs = read_triangles(wall)
        self.image: NDArray[np.uint8] = np.zeros((size, size, 4), np.uint8)
        self.texture = Texture("painted")
        self.texture.setup_2d_texture(size, size, Texture.T_unsigned_byte, Texture.F_rgba)
        self.upload()
        wall.set_shader(load_shader("wall.vert", "marked.frag"))
        wall.set_shader_input("u_marks", self.texture)

    def paint(self, point: Points, radius: float) -> None:
        """Paint a disc where a shot straight at the wall hits it."""
        uv = find_uv(self._positions, self._uvs, point - (0, 1, 0), np.array([0.0, 1.0, 0.0]))
        if uv is None:
            return
        size = len(self.image)
        middle, reach = uv * size - 0.5, radius / EDGE * size
        low = np.maximum(np.floor(middle - reach), 0).astype(int)
        high = np.minimum(np.ceil(middle + reach) + 1, size).astype(int)
        y, x = np.mgrid[low[1] : high[1], low[0] : high[0]]
        distance = np.hypot(x - middle[0], y - middle[1]) / reach
        mask = np.clip((1 - distance) / (1 - HARDNESS), 0, 1)[:, :, None]
        target = self.image[low[1] : high[1], low[0] : high[0]]
        # Panda's images are blue, green, red, alpha.
        paint = np.array([*COLOR[::-1], 1.0]) * 255
        target[:] = np.rint(target * (1 - mask) + paint * mask).astype(np.uint8)

    def upload(self) -> None:
        """Hand the image to Panda, which sends it to the graphics card when it is drawn next."""
        self.texture.set_ram_image(self.image)


class CpuPaint:
    """A contender: see the module."""

    def begin(self, stage: Stage, walls: Sequence[NodePath], scenario: Scenario) -> None:
        self._canvases = {wall: _Canvas(wall, scenario.resolution) for wall in walls}

    def hit(self, wall: NodePath, points: Points, radius: float) -> None:
        canvas = self._canvases[wall]
        for point in points:
            canvas.paint(point, radius)
        canvas.upload()

    def array(self, wall: NodePath) -> NDArray[np.uint8]:
        """What is painted on a wall: blue, green, red, mask."""
        return self._canvases[wall].image

    def end(self) -> None:
        self._canvases.clear()
