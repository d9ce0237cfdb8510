"""Surfaces in numpy, for tests of marks: what each texel shows, areas, integrals and seams.

Everything is in 64 bits and in world units. A mark's mask is the formula of a point's distance, so with the
point that a texel lies on there is nothing left to guess.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from panda3d.core import CullFaceAttrib, Geom, GeomNode, GeomVertexData, NodePath, RenderState, Thread

from panda_rtstamp.core.geometry import Array, column, net_matrix, triangles
from pictures import geom_paths
from rasters import Bools, Floats, Fragments, Rows, fragments

STAMP_UVS = "rtstamp_uv"


@dataclass(frozen=True)
class Mesh:
    """The triangles of a node as they are animated now.

    Attributes:
        points: (n, 3, 3), in the world.
        uvs: (n, 3, 2).
        normals: (n, 3, 3), in the world, not of length 1 there: the vertices' own, by the inverse transpose,
            else by the winding.
        two_sided: (n,), which are drawn from behind too.
        geom: (n,), the number of the Geom, counted through the node.
    """

    points: Floats
    uvs: Floats
    normals: Floats
    two_sided: Bools
    geom: Rows

    @property
    def areas(self) -> Floats:
        """Of each triangle."""
        return triangle_areas(self.points)

    @property
    def texel_areas(self) -> Floats:
        """What surface a whole UV tile would hold at the density of each triangle; 0 for those flat in UV."""
        uv_areas = triangle_areas(np.pad(self.uvs, ((0, 0), (0, 0), (0, 1))))
        return np.divide(self.areas, uv_areas, out=np.zeros(len(uv_areas)), where=uv_areas > 0.0)

    @cached_property
    def stretch(self) -> Floats:
        """The longest way on the surface that a step of 1 in UV makes, for each triangle; 0 if flat in UV.

        The larger singular value of the map from UVs to the surface.
        """
        on_surface = self.points[:, 1:] - self.points[:, :1]
        in_uvs = self.uvs[:, 1:] - self.uvs[:, :1]
        fit = np.abs(np.linalg.det(in_uvs)) > 0.0
        result = np.zeros(len(in_uvs))
        result[fit] = np.linalg.norm(np.linalg.solve(in_uvs[fit], on_surface[fit]), 2, axis=(1, 2))
        return result


def mesh_of(node: NodePath, uv_set: str = STAMP_UVS) -> Mesh:
    """The triangles at and below a node, overlays left out; without the UV set the UVs are NaN."""
    parts: list[Mesh] = []
    for path in geom_paths(node):
        geoms = path.node()
        assert isinstance(geoms, GeomNode)
        for index in range(geoms.get_num_geoms()):
            state = path.get_net_state().compose(geoms.get_geom_state(index))
            parts.append(_mesh_of_geom(geoms.get_geom(index), state, net_matrix(path), uv_set, len(parts)))
    names = Mesh.__dataclass_fields__
    return Mesh(**{name: np.concatenate([getattr(part, name) for part in parts]) for name in names})


def _mesh_of_geom(geom: Geom, state: RenderState, to_world: Array, uv_set: str, number: int) -> Mesh:
    rows = triangles(geom)
    vertices = geom.get_vertex_data().animate_vertices(True, Thread.get_current_thread())
    local, uvs, normals = (_corners(vertices, name, rows) for name in ("vertex", uv_set, "normal"))
    assert local is not None
    points = local[..., :3] @ to_world[:3, :3] + to_world[3, :3]
    laid_out = np.full((len(rows), 3, 2), np.nan) if uvs is None else uvs[..., :2]
    cull = state.get_attrib(CullFaceAttrib)
    two_sided = isinstance(cull, CullFaceAttrib) and cull.get_effective_mode() == CullFaceAttrib.M_cull_none
    return Mesh(
        points,
        laid_out,
        _normals(points, normals, to_world),
        np.full(len(rows), two_sided),
        np.full(len(rows), number),
    )


def _corners(vertices: GeomVertexData, name: str, rows: Rows) -> Floats | None:
    values = column(vertices, name)
    return None if values is None else values.astype(np.float64)[rows]


def _normals(points: Floats, own: Floats | None, to_world: Array) -> Floats:
    if own is not None:
        turned: Floats = own[..., :3] @ np.linalg.inv(to_world[:3, :3]).T
        return turned
    side = np.sign(np.linalg.det(to_world[:3, :3]))
    return np.asarray(np.repeat(side * winding_normals(points)[:, None], 3, axis=1))


def winding_normals(points: Floats) -> Floats:
    """Of triangles (n, 3, 3) by their winding, of length 1; 0 where there is no area."""
    return unit(np.cross(points[:, 1] - points[:, 0], points[:, 2] - points[:, 0]))


def unit(vectors: Floats) -> Floats:
    """Of length 1; zeros stay."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    result: Floats = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0.0)
    return result


def triangle_areas(points: Floats) -> Floats:
    """Of triangles (n, 3, 3)."""
    crossed = np.cross(points[:, 1] - points[:, 0], points[:, 2] - points[:, 0])
    result: Floats = np.linalg.norm(crossed, axis=-1) / 2
    return result


def integral(points: Floats, function: Callable[[Floats], Floats], cuts: int = 32) -> float:
    """The integral of a function of points (n, 3) over triangles (n, 3, 3).

    By the middles of the cuts ** 2 equal triangles that each is cut into.
    """
    steps = np.arange(cuts)
    first, second = (part.ravel() for part in np.meshgrid(steps, steps))
    upright = np.stack([first, second], axis=1)[first + second < cuts] + 1 / 3
    turned = np.stack([first, second], axis=1)[first + second < cuts - 1] + 2 / 3
    shares = np.concatenate([upright, turned]) / cuts
    areas = triangle_areas(points) / cuts**2
    total = 0.0
    for triangle, area in zip(points, areas, strict=True):
        middles = triangle[0] + shares @ (triangle[1:] - triangle[0])
        total += float(function(middles).sum() * area)
    return total


def texels(mesh: Mesh, size: int) -> Fragments:
    """The texels of a texture of size x size whose centres the mesh covers; row 0 at v = 0."""
    scaled = np.concatenate([mesh.uvs * size, np.ones((*mesh.uvs.shape[:2], 1))], axis=2)
    return fragments(scaled, size, size)


def overlap(mesh: Mesh, size: int = 512) -> int:
    """How many texel centres two or more triangles claim; those on an edge they share are no claim."""
    found = texels(mesh, size)
    found = found[found.margin > 1e-6]
    return int((np.bincount(found.row * size + found.column, minlength=1) > 1).sum())


def mark_area(mesh: Mesh, mask: Floats) -> Floats:
    """The surface that a mask (size, size) marks, weighted by it, for each triangle: a texel counts by the
    surface that it lies on."""
    found = texels(mesh, len(mask))
    amounts = mask[found.row, found.column] * mesh.texel_areas[found.triangle] / mask.size
    return np.bincount(found.triangle, amounts, len(mesh.points)).astype(np.float64)


@dataclass(frozen=True)
class Seam:
    """An edge of the surface where the stamp UVs part.

    Attributes:
        ends: (2, 3), in the world.
        normal: (3,), the mean of both sides' normals, of length 1.
    """

    ends: Floats
    normal: Floats

    @property
    def middle(self) -> Floats:
        """Half way along."""
        result: Floats = self.ends.mean(axis=0)
        return result


def seams(mesh: Mesh) -> list[Seam]:
    """All edges that two triangles with an area share, and where they have different UVs."""
    wide = np.flatnonzero(mesh.areas > 0.0)
    corners = mesh.points[wide].reshape(-1, 3)
    spots: Rows = np.unique(corners, axis=0, return_inverse=True)[1].reshape(-1, 3)
    starts = np.stack([spots, np.roll(spots, -1, axis=1)], axis=2)
    laid_out = np.stack([mesh.uvs[wide], np.roll(mesh.uvs[wide], -1, axis=1)], axis=2)
    turned = np.asarray(starts[..., 0] > starts[..., 1])
    starts[turned] = starts[turned][:, ::-1]
    laid_out[turned] = laid_out[turned][:, ::-1]
    laid_out = laid_out.reshape(-1, 4)
    _, edge, counts = np.unique(starts.reshape(-1, 2), axis=0, return_inverse=True, return_counts=True)
    order = np.argsort(edge.ravel(), kind="stable")
    first = np.cumsum(counts) - counts
    pairs = np.stack([order[first], order[np.minimum(first + 1, len(order) - 1)]], axis=1)[counts == 2]
    pairs = pairs[np.abs(laid_out[pairs[:, 0]] - laid_out[pairs[:, 1]]).max(axis=1) > 1e-6]
    normals = winding_normals(mesh.points[wide])
    found = []
    for one, other in pairs:
        normal = normals[one // 3] + normals[other // 3]
        # Of a fold that lies flat on itself, either side is as good.
        normal = unit(normal if np.linalg.norm(normal) > 1e-3 else normals[one // 3])
        ends = mesh.points[wide[one // 3]][[one % 3, (one + 1) % 3]]
        found.append(Seam(ends, normal))
    return found


def random_point(mesh: Mesh, rng: np.random.Generator) -> Floats:
    """A point of the surface, each part of it as likely as any other of its area."""
    triangle = rng.choice(len(mesh.points), p=mesh.areas / mesh.areas.sum())
    result: Floats = rng.dirichlet((1.0, 1.0, 1.0)) @ mesh.points[triangle]
    return result
