"""What is found of a surface holds all that spheres touch, and little else: against dense samples."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from panda3d.core import Geom, GeomNode, NodePath, Thread

from panda_rtstamp.core.geometry import column, net_matrix, triangles, with_column
from panda_rtstamp.core.rect import Rect
from panda_rtstamp.stamps import indexed as limits
from panda_rtstamp.stamps.indexed import IndexedGeom
from panda_rtstamp.stamps.spatial_index import SpatialIndex, planes_of
from panda_rtstamp.stamps.spatial_index import touched as touched_by_planes
from pictures import extent, geom_paths
from shapes import make_geom, sphere
from walkers import WALKERS, load, pose

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
Bools = NDArray[np.bool_]
# Points of a triangle along each of its edges.
_STEPS = 20
# In UVs. Stamp UVs are 32-bit floats; captures draw a whole texel more than is found, at most 1/4096 wide.
_ROUNDING = 1e-6


def barycentric() -> Floats:
    """Points all over a triangle, its corners and edges among them: (n, 3)."""
    first, second = (part.ravel() for part in np.meshgrid(*[np.arange(_STEPS + 1)] * 2))
    kept = first + second <= _STEPS
    return np.stack([_STEPS - first - second, first, second], axis=1)[kept] / _STEPS


def random_triangles(kind: str, rng: np.random.Generator, count: int = 200) -> tuple[Floats, Singles]:
    """Corners (n, 3, 3) about the origin, as 32-bit floats hold them, and UVs (n, 3, 2) in 0..1."""
    points = rng.uniform(-1.0, 1.0, (count, 1, 3)) + rng.normal(0.0, 0.3, (count, 3, 3))
    uvs = rng.uniform(0.2, 0.8, (count, 1, 2)) + rng.uniform(-0.1, 0.1, (count, 3, 2))
    if kind == "needles":
        across = rng.normal(0.0, 1.0, (count, 3)) * 10.0 ** rng.uniform(-6.0, -2.0, (count, 1))
        points[:, 2] = points[:, 0] + 0.6 * (points[:, 1] - points[:, 0]) + across
    elif kind == "flat":
        # In a line, in one point, and without an area on the texture.
        points[0::3, 2] = 0.5 * (points[0::3, 0] + points[0::3, 1])
        points[1::3, 1:] = points[1::3, :1]
        uvs[2::3, 2] = uvs[2::3, 1]
    elif kind == "mirrored":
        uvs[::2] *= (-1.0, 1.0)
        uvs[::2] += (1.0, 0.0)
    elif kind == "tiny":
        points = points[:, :1] + (points - points[:, :1]) * 1e-4
    return points.astype(np.float32).astype(np.float64), uvs.astype(np.float32)


def random_spheres(points: Floats, rng: np.random.Generator, count: int) -> tuple[Floats, Floats]:
    """Centres (n, 3) on and beside the triangles, and radii (n,) from small to large."""
    chosen = points[rng.integers(0, len(points), count)]
    centers = np.einsum("nk,nkx->nx", rng.dirichlet((1.0, 1.0, 1.0), count), chosen)
    size = float(np.ptp(points.reshape(-1, 3), axis=0).max())
    radii = size * 10.0 ** rng.uniform(-3.0, -0.7, count)
    return centers + rng.normal(0.0, 0.5, (count, 3)) * radii[:, None], radii


def check_all_found(points: Floats, uvs: Singles, centers: Floats, radii: Floats, boxes: Floats) -> None:
    """Whatever of the triangles lies in one of the spheres has its UVs inside one of the boxes."""
    places = barycentric()
    on_surface = (places @ points).reshape(-1, 3)
    on_texture = (places @ uvs).reshape(-1, 2)
    inside: Bools = np.zeros(len(on_surface), bool)
    for center, radius in zip(centers, radii, strict=True):
        inside |= np.asarray(np.linalg.norm(on_surface - center, axis=1) < radius * (1.0 - 1e-6))
    held = np.zeros(inside.sum(), bool)
    wanted = on_texture[inside]
    for low_u, low_v, high_u, high_v in boxes:
        low, high = np.array([low_u, low_v]) - _ROUNDING, np.array([high_u, high_v]) + _ROUNDING
        held |= ((wanted >= low) & (wanted <= high)).all(axis=1)
    assert inside.any()
    assert held.all()


# One triangle and one sphere each.


def touched(points: Floats, uvs: Singles, centers: Floats, radii: Floats) -> Floats:
    """Boxes of UVs, cut off by the triangles' own, of spheres in the triangles' space."""
    boxes = touched_by_planes(planes_of(points, uvs), np.eye(3), centers, radii)
    low, high = uvs.min(axis=1), uvs.max(axis=1)
    return np.concatenate([np.maximum(boxes[:, :2], low), np.minimum(-boxes[:, 2:], high)], axis=1)


@pytest.mark.parametrize("kind", ["plain", "needles", "flat", "mirrored", "tiny"])
def test_all_that_a_sphere_touches_of_its_triangle_is_in_the_box(kind: str) -> None:
    rng = np.random.default_rng(len(kind))
    points, uvs = random_triangles(kind, rng)
    for scale in (0.03, 0.3, 1.0):
        reach = np.ptp(points, axis=1).max(axis=1) + 1e-6
        centers = np.einsum("nk,nkx->nx", rng.dirichlet((1.0, 1.0, 1.0), len(points)), points)
        radii = scale * reach
        centers += rng.normal(0.0, 0.4, centers.shape) * radii[:, None]
        boxes = touched(points, uvs, centers, radii)
        places = barycentric()
        distances = np.linalg.norm(places @ points - centers[:, None], axis=2)
        on_texture = places @ uvs
        inside = np.asarray(distances < radii[:, None])
        low, high = boxes[:, None, :2] - _ROUNDING, boxes[:, None, 2:] + _ROUNDING
        assert inside.any()
        held = np.asarray(((on_texture >= low) & (on_texture <= high)).all(axis=2))
        assert held[inside].all()


def plane_case(rng: np.random.Generator) -> tuple[Floats, Singles, Floats, Floats, Floats]:
    """A triangle by its map from the plane to the texture.

    Returns:
        Corners (3, 3), UVs (3, 2), the plane's normal (3,), the point of it that is in the texture's middle
        (3,), and the map from lengths along two axes of the plane to UVs, (2, 2).
    """
    axes = np.linalg.qr(rng.normal(0.0, 1.0, (3, 3)))[0]
    # All that 32-bit floats hold exactly, and their differences.
    to_uvs = rng.integers(-200, 200, (2, 2)) / 4096
    corners = np.array([[-8.0, -5.0], [8.0, -5.0], [0.0, 11.0]])
    middle = rng.uniform(-1.0, 1.0, 3)
    uvs = (corners @ to_uvs + 0.5).astype(np.float32)
    return corners @ axes[:2] + middle, uvs, axes[2], middle, to_uvs


@pytest.mark.parametrize("seed", range(20))
def test_the_box_is_that_of_the_ellipse(seed: int) -> None:
    """A disc is on the texture an ellipse, which reaches the radius times the length of the map's columns."""
    rng = np.random.default_rng(seed)
    points, uvs, normal, middle, to_uvs = plane_case(rng)
    radius, height = rng.uniform(0.1, 2.0), rng.uniform(-0.9, 0.9)
    box = touched(points[None], uvs[None], (middle + radius * height * normal)[None], np.array([radius]))[0]
    reach = radius * np.sqrt(1.0 - height**2) * np.linalg.norm(to_uvs, axis=0)
    assert np.abs(box[:2] - (0.5 - reach)).max() < 1e-9
    assert np.abs(box[2:] - (0.5 + reach)).max() < 1e-9


def test_the_box_ends_where_the_triangle_does() -> None:
    points, uvs, _, middle, _ = plane_case(np.random.default_rng(0))
    box = touched(points[None], uvs[None], middle[None], np.array([1e3]))[0]
    assert (box == np.concatenate([uvs.min(axis=0), uvs.max(axis=0)])).all()


@pytest.mark.parametrize("away", ["above", "below", "beside"])
def test_what_is_not_touched_has_no_box(away: str) -> None:
    points, uvs, normal, middle, _ = plane_case(np.random.default_rng(3))
    along = (points[1] - points[0]) / np.linalg.norm(points[1] - points[0])
    way = {"above": 1.001 * normal, "below": -1.001 * normal, "beside": 40.0 * along}[away]
    box = touched(points[None], uvs[None], (middle + way)[None], np.array([1.0]))[0]
    assert (box[:2] > box[2:]).any()


# A Geom and many spheres.


def matrix_of(kind: str) -> Floats:
    """A transform, for row vectors."""
    rng = np.random.default_rng(len(kind))
    turn = np.linalg.qr(rng.normal(0.0, 1.0, (3, 3)))[0]
    linear = {
        "plain": np.eye(3),
        "turned": turn,
        "stretched": np.diag([3.0, 0.5, 1.0]) @ turn,
        "sheared": np.array([[1.0, 0.0, 0.0], [2.0, 1.0, 0.0], [-0.5, 1.5, 1.0]]),
        "mirrored": np.diag([-1.0, 1.0, 2.0]) @ turn,
        "small": 1e-3 * turn,
        "large": 1e3 * turn,
        "far": turn,
        "all but flat": turn @ np.diag([1.0, 1.0, 1e-8]) @ turn.T,
        "flattened": np.diag([1.0, 1.0, 0.0]),
        "turned and flattened": turn @ np.diag([1.0, 0.0, 1.0]) @ turn.T,
        "a line": np.diag([0.0, 1.0, 0.0]) @ turn,
        "a point": np.zeros((3, 3)),
    }[kind]
    result = np.eye(4)
    result[:3, :3] = linear
    result[3, :3] = (1e6, -1e6, 3e5) if kind == "far" else (0.3, -0.2, 5.0)
    return result


MATRICES = ("plain", "turned", "stretched", "sheared", "mirrored", "small", "large", "far")
SINGULAR = ("all but flat", "flattened", "turned and flattened", "a line", "a point")


def soup(points: Floats, uvs: Singles) -> Geom:
    """Triangles that share no vertex, with these stamp UVs."""
    stamp_uvs = np.concatenate([uvs, np.ones((*uvs.shape[:2], 1))], axis=2).reshape(-1, 3)
    columns = {"vertex": points.reshape(-1, 3), "rtstamp_uv": stamp_uvs}
    return make_geom(columns, np.arange(3 * len(points)).reshape(-1, 3))


def moved(points: Floats, to_scene: Floats) -> Floats:
    """Points of the Geom's space, (..., 3), in the scene."""
    result: Floats = points @ to_scene[:3, :3] + to_scene[3, :3]
    return result


def find(geom: Geom, to_scene: Floats, centers: Floats, radii: Floats) -> Floats:
    """What an index of the Geom finds: lowest and highest UVs."""
    return as_found(IndexedGeom(geom).touched(geom.get_vertex_data(), to_scene, centers, radii))


def as_found(boxes: Floats) -> Floats:
    """Lowest and highest UVs."""
    return boxes * (1.0, 1.0, -1.0, -1.0)


@pytest.mark.parametrize("matrix", MATRICES + SINGULAR)
@pytest.mark.parametrize("kind", ["plain", "needles", "flat"])
def test_all_that_spheres_touch_is_found(kind: str, matrix: str) -> None:
    rng = np.random.default_rng([len(kind), len(matrix)])
    points, uvs = random_triangles(kind, rng)
    to_scene = matrix_of(matrix)
    placed = moved(points, to_scene)
    centers, radii = random_spheres(placed, rng, 12)
    radii = np.maximum(radii, 1e-3)
    check_all_found(placed, uvs, centers, radii, find(soup(points, uvs), to_scene, centers, radii))


def ball() -> Geom:
    """A unit sphere whose stamp UVs are its longitude and latitude, as shares."""
    node = sphere(uvs=True).node()
    assert isinstance(node, GeomNode)
    vertices = node.get_geom(0).get_vertex_data()
    uvs = column(vertices, "texcoord")
    assert uvs is not None
    geom = node.get_geom(0).make_copy()
    stamp_uvs = np.concatenate([uvs, np.ones((len(uvs), 1))], axis=1).astype(np.float32)
    geom.set_vertex_data(with_column(vertices, "rtstamp_uv", stamp_uvs))
    return geom


@pytest.mark.parametrize("matrix", MATRICES)
def test_nothing_is_found_where_nothing_is_touched(matrix: str) -> None:
    """Just outside and inside of a ball's faces; larger spheres there do touch them."""
    to_scene = matrix_of(matrix)
    shortest = np.linalg.svd(to_scene[:3, :3])[1][-1]
    rng = np.random.default_rng(6)
    ways = rng.normal(0.0, 1.0, (40, 3)) * (1.0, 1.0, 0.5)
    ways /= np.linalg.norm(ways, axis=1)[:, None]
    for height in (1.2, 0.8):
        centers = moved(height * ways, to_scene)
        assert not len(find(ball(), to_scene, centers, np.full(40, 0.19 * shortest)))
    radius = 0.21 * np.linalg.svd(to_scene[:3, :3])[1][0]
    for center in moved(1.2 * ways, to_scene):
        assert len(find(ball(), to_scene, center[None], np.full(1, radius)))


@pytest.mark.parametrize("radius", [0.02, 0.1, 0.3])
@pytest.mark.parametrize("matrix", ["plain", "turned", "small", "large", "far"])
def test_what_is_found_is_as_small_as_the_sphere(matrix: str, radius: float) -> None:
    """Of a ball, on its equator: what is as near along the circles about it, and facets are not round."""
    to_scene = matrix_of(matrix)
    scale = np.linalg.svd(to_scene[:3, :3])[1][0]
    boxes = find(ball(), to_scene, moved(np.array([[-1.0, 0.0, 0.0]]), to_scene), np.full(1, radius * scale))
    angle = 2.0 * np.arcsin(radius / 2.0)
    reach = np.array([angle / (2.0 * np.pi), angle / np.pi])
    low, high = boxes[:, :2].min(axis=0), boxes[:, 2:].max(axis=0)
    assert (np.abs((high - low) / (2.0 * reach) - 1.0) < 0.1).all()
    assert np.abs((high + low) / 2.0 - 0.5).max() < 1e-3


@pytest.mark.parametrize("matrix", ["plain", "large", "sheared"])
def test_more_pairs_than_are_looked_at(matrix: str) -> None:
    """Then the boxes of whole runs are enough: they hold no less."""
    rng = np.random.default_rng(4)
    points, uvs = random_triangles("plain", rng, 2000)
    to_scene = matrix_of(matrix)
    placed = moved(points, to_scene)
    centers, _ = random_spheres(placed, rng, 80)
    radii = np.full(80, 0.2 * float(np.ptp(placed.reshape(-1, 3), axis=0).max()))
    boxes = find(soup(points, uvs), to_scene, centers, radii)
    assert 0 < len(boxes) <= 2000 / SpatialIndex(np.zeros((2000, 3), int), uvs).run + 1
    check_all_found(placed, uvs, centers[:4], radii[:4], boxes)


def test_triangles_without_stamp_uvs_are_left_out() -> None:
    points, uvs = random_triangles("plain", np.random.default_rng(5), 20)
    stamp_uvs = np.concatenate([uvs, np.ones((20, 3, 1))], axis=2)
    stamp_uvs[::2] = 0.0
    columns = {"vertex": points.reshape(-1, 3), "rtstamp_uv": stamp_uvs.reshape(-1, 3)}
    geom = make_geom(columns, np.arange(60).reshape(-1, 3))
    found = IndexedGeom(geom)
    assert {tuple(row) for row in found.corners} == {tuple(row) for row in np.arange(60).reshape(-1, 3)[1::2]}
    bare = make_geom({"vertex": points.reshape(-1, 3)}, np.arange(60).reshape(-1, 3))
    assert not len(find(bare, np.eye(4), np.zeros((1, 3)), np.full(1, 1e3)))


# On the texture.


@pytest.mark.parametrize("count", [1, 31, 32, 33, 1000])
def test_triangles_on_texels(count: int) -> None:
    """Those whose own boxes meet the rectangle: no other has a point on it."""
    rng = np.random.default_rng(count)
    _, uvs = random_triangles("mirrored", rng, count)
    index = SpatialIndex(np.arange(3 * count).reshape(-1, 3), uvs)
    assert sorted(map(tuple, index.corners)) == sorted(map(tuple, np.arange(3 * count).reshape(-1, 3)))
    low, high = index.uvs.min(axis=1), index.uvs.max(axis=1)
    on_texture = barycentric() @ index.uvs
    for size in (64, 1024):
        for _ in range(40):
            left, bottom = map(int, rng.integers(0, size, 2))
            width, height = map(int, rng.integers(1, size // 3, 2))
            rect = Rect(left, bottom, min(left + width, size), min(bottom + height, size))
            corners = np.array([[rect.left, rect.bottom], [rect.right, rect.top]]) / size
            meets = ((low <= corners[1]) & (high >= corners[0])).all(axis=1)
            found = index.on_texture(rect, size)
            assert found.tolist() == np.flatnonzero(meets).tolist()
            on_rect = ((on_texture >= corners[0]) & (on_texture <= corners[1])).all(axis=2).any(axis=1)
            assert meets[on_rect].all()


# Posed.


def posed_geoms(actor: NodePath) -> list[tuple[Geom, Floats, Singles, Floats]]:
    """Of an actor: each Geom with made-up stamp UVs, where Panda puts its triangles in the world now, their
    UVs, and the matrix to the world."""
    found = []
    for path in geom_paths(actor):
        node = path.node()
        assert isinstance(node, GeomNode)
        for number in range(node.get_num_geoms()):
            vertices = node.get_geom(number).get_vertex_data()
            rng = np.random.default_rng(number)
            stamp_uvs = rng.uniform(0.0, 1.0, (vertices.get_num_rows(), 3)).astype(np.float32)
            stamp_uvs[:, 2] = 1.0
            geom = node.get_geom(number).make_copy()
            geom.set_vertex_data(with_column(vertices, "rtstamp_uv", stamp_uvs))
            animated = geom.get_vertex_data().animate_vertices(True, Thread.get_current_thread())
            points, rows, to_world = column(animated, "vertex"), triangles(geom), net_matrix(path)
            assert points is not None
            placed = moved(points[rows][..., :3].astype(np.float64), to_world)
            found.append((geom, placed, stamp_uvs[rows][..., :2], to_world))
    return found


@pytest.mark.parametrize("name", ["panda-model", "rebecca", "ripple"])
def test_the_pose_is_what_is_touched(base: Any, scene: NodePath, name: str) -> None:
    walker = WALKERS[name]
    actor = load(base, scene, walker)
    size = extent(actor)[1]
    for frame in walker.frames:
        pose(base, actor, walker, frame)
        for geom, placed, uvs, to_world in posed_geoms(actor):
            rng = np.random.default_rng(frame)
            index = IndexedGeom(geom)
            centers, radii = random_spheres(placed, rng, 6)
            assert index.is_posed
            boxes = as_found(index.touched(geom.get_vertex_data(), to_world, centers, radii))
            check_all_found(placed, uvs, centers, np.minimum(radii, size), boxes)
    actor.cleanup()


def test_large_posed_geoms_are_touched_anywhere(
    base: Any, scene: NodePath, monkeypatch: pytest.MonkeyPatch
) -> None:
    actor = load(base, scene, WALKERS["panda-model"])
    geom, placed, uvs, to_world = posed_geoms(actor)[0]
    monkeypatch.setattr(limits, "_MOST_POSED", len(placed) - 1)
    boxes = find(geom, to_world, np.full((1, 3), 1e6), np.ones(1))
    assert np.abs(boxes - np.concatenate([uvs.min(axis=(0, 1)), uvs.max(axis=(0, 1))])).max() == 0.0
    actor.cleanup()
