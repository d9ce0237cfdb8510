"""Animated models: a mark is made on the pose of its frame, and stays on the skin from then on."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from panda3d.core import Filename, Geom, GeomNode, NodePath, Point2, Point3, Thread

from panda_rtstamp.core.geometry import column, triangles
from pictures import Floats, changed, extent, geom_paths, rgb, see, stamps_on
from stamp_support import count_unwraps, image_of
from support import compare_images, prc, read_target, screenshot, step
from surfaces import Mesh, mesh_of
from walkers import (
    SETTINGS,
    SKINNED,
    WALKERS,
    carried,
    check_mask,
    expected_mask,
    load,
    most_moved,
    names,
    pose,
    poses,
    set_skinning,
)

MARK = (1.0, 0.0, 0.5)
TOLERANCE = 2.01  # of colours in 8 bits: rounded before, and after


@pytest.fixture(autouse=True, scope="module")
def _unwraps_each_model_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep the atlases of these models between the tests: some take a second to make."""
    with prc(f"rtstamp-cache-dir {Filename.from_os_specific(str(tmp_path_factory.mktemp('atlases')))}"):
        yield


# The pose counts.


@pytest.mark.parametrize("name", names(WALKERS))
def test_a_mark_is_made_on_the_pose_of_its_frame(base: Any, scene: NodePath, name: str) -> None:
    walker = WALKERS[name]
    actor = load(base, scene, walker)
    before, after = poses(base, actor, walker)
    point = before.points[most_moved(before, after)].mean(axis=0)
    radius = extent(actor)[1] / 8
    with stamps_on(base, **SETTINGS) as stamps:
        assert stamps.hit(actor, tuple(point), radius=radius) is not None
        step(base)
        mesh = mesh_of(actor)
        check_mask(stamps, actor, mesh, point, radius)
        # In the other pose the same texels lie elsewhere.
        pose(base, actor, walker, walker.frames[1])
        other, clear = expected_mask(mesh_of(actor), point, radius)
        assert np.abs(image_of(stamps, actor)[..., 3] - other)[clear].max() > 0.05
    actor.cleanup()


@pytest.mark.parametrize("name", names(WALKERS))
def test_a_mark_stays_on_the_skin_to_the_bit(
    base: Any, scene: NodePath, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Nothing is captured, merged or laid out anew when the pose changes."""
    walker = WALKERS[name]
    actor = load(base, scene, walker)
    before, after = poses(base, actor, walker)
    point = before.points[most_moved(before, after)].mean(axis=0)
    unwraps = count_unwraps(monkeypatch)
    with stamps_on(base, **SETTINGS) as stamps:
        binding = stamps.hit(actor, tuple(point), radius=extent(actor)[1] / 8)
        assert binding is not None
        step(base)
        temp = read_target(base, binding.temp)
        geoms = geoms_of(actor)
        for frame in range(min(walker.frames), max(walker.frames) + 1, 3):
            pose(base, actor, walker, frame)
        pose(base, actor, walker, walker.frames[1])
        assert temp.any()
        assert read_target(base, binding.temp).tobytes() == temp.tobytes()
        assert stamps.capture_count == 1
        assert all(now == then for now, then in zip(geoms_of(actor), geoms, strict=True))
        # And when it is bound in another pose, it is laid out as before.
        stamps.clear_all()
        assert stamps.hit(actor, tuple(point), radius=1.0) is not None
        assert len(unwraps) <= 1
    actor.cleanup()


def geoms_of(node: NodePath) -> list[Geom]:
    """All Geoms below a node, those of overlays left out."""
    found = []
    for path in geom_paths(node):
        geoms = path.node()
        assert isinstance(geoms, GeomNode)
        found += [geoms.get_geom(index) for index in range(geoms.get_num_geoms())]
    return found


@pytest.mark.profiles
@pytest.mark.parametrize("name", names(SKINNED))
def test_both_ways_of_skinning_bake_the_same(base: Any, scene: NodePath, name: str) -> None:
    walker = SKINNED[name]
    masks = []
    for hardware in (False, True):
        actor = load(base, scene, walker)
        set_skinning(actor, hardware)
        before, after = poses(base, actor, walker)
        point = before.points[most_moved(before, after)].mean(axis=0)
        with stamps_on(base, **SETTINGS) as stamps:
            assert stamps.hit(actor, tuple(point), radius=extent(actor)[1] / 8) is not None
            step(base)
            masks.append(image_of(stamps, actor)[..., 3])
        actor.cleanup()
        actor.remove_node()
    assert (masks[0] > 0.5).sum() > 30
    compare_images(masks[1], masks[0], 1 / 255, f"skinning-{name}")


# The vertex rows that an atlas gathers.


@pytest.mark.parametrize("name", names(WALKERS))
def test_gathered_rows_are_skinned_as_before(base: Any, scene: NodePath, name: str) -> None:
    walker = WALKERS[name]
    actor = load(base, scene, walker)
    originals = geoms_of(actor)
    with stamps_on(base, **SETTINGS) as stamps:
        assert stamps.hit(actor, extent(actor)[0]) is not None
        ours = geoms_of(actor)
        seen = []
        for frame in (*walker.frames, 7):
            pose(base, actor, walker, frame)
            for original, copy in zip(originals, ours, strict=True):
                assert copy != original
                for values, expected in zip(skinned(copy), skinned(original), strict=True):
                    assert np.array_equal(values, expected)
            seen.append(np.concatenate([skinned(geom)[0] for geom in originals]))
        # They do move.
        assert np.abs(seen[0] - seen[1]).max() > 0.0
    actor.cleanup()


def skinned(geom: Geom) -> list[Floats]:
    """Positions and normals of all triangles' corners, as the processor animates them."""
    vertices = geom.get_vertex_data().animate_vertices(True, Thread.get_current_thread())
    columns = [column(vertices, name) for name in ("vertex", "normal")]
    return [values[triangles(geom)].astype(np.float64) for values in columns if values is not None]


@pytest.mark.profiles
@pytest.mark.parametrize("hardware", [False, True])
@pytest.mark.parametrize("name", names(SKINNED))
def test_gathered_rows_look_as_before(base: Any, scene: NodePath, name: str, hardware: bool) -> None:
    """A mark of no opacity changes nothing, in any pose, whoever skins."""
    walker = SKINNED[name]
    actor = load(base, scene, walker)
    set_skinning(actor, hardware)
    plain = []
    for frame in walker.frames:
        pose(base, actor, walker, frame)
        plain.append(screenshot(base))
    with stamps_on(base, **SETTINGS) as stamps:
        assert stamps.hit(actor, extent(actor)[0], opacity=0.0) is not None
        for frame, expected in zip(walker.frames, plain, strict=True):
            pose(base, actor, walker, frame)
            compare_images(screenshot(base), expected, 1, f"gathered-{name}")
    assert changed(plain[1], plain[0]).sum() > 100
    actor.cleanup()


# On screen.


def to_pixel(base: Any, point: Floats) -> Floats:
    """Where a world point is in the picture: (row, column), in pixels; NaN where it is beyond its edges."""
    seen = Point2()
    before_eye = base.cam.get_relative_point(base.render, Point3(*point))
    inside = base.cam.node().get_lens().project(before_eye, seen)
    size = base.win.get_x_size()
    return np.array([(1 - seen[1]) / 2, (1 + seen[0]) / 2]) * size - 0.5 if inside else np.full(2, np.nan)


def good_spot(base: Any, before: Mesh, after: Mesh, radius: float) -> tuple[Floats, Floats]:
    """The point on the surface that moves farthest on screen, of those that are seen in both poses with the
    skin about them; in the first pose and in the second.
    """
    sights = [see(base, mesh.points) for mesh in (before, after)]
    shown = sights[0].hit
    # Every seventh will do.
    spots, numbers = sights[0].points[shown][::7], sights[0].triangle[shown][::7]
    found = []
    for spot, moved in zip(spots, carried(spots, numbers, before.points, after.points), strict=True):
        places = to_pixel(base, spot), to_pixel(base, moved)
        if is_seen(sights[0].points, places[0], spot, radius) and is_seen(
            sights[1].points, places[1], moved, radius
        ):
            found.append((float(np.linalg.norm(places[1] - places[0])), spot, moved))
    assert found
    return max(found, key=lambda one: one[0])[1:]


def is_seen(points: Floats, place: Floats, spot: Floats, radius: float) -> bool:
    """Whether the pixels about a place, 11 x 11, show the surface about this spot and nothing else."""
    if np.isnan(place).any():
        return False
    row, column_ = (int(part) for part in np.round(place))
    window = points[max(row - 5, 0) : row + 6, max(column_ - 5, 0) : column_ + 6]
    # A NaN compares false.
    return window.shape[:2] == (11, 11) and bool((np.linalg.norm(window - spot, axis=-1) < 4 * radius).all())


@pytest.mark.parametrize("name", names(WALKERS))
def test_a_mark_follows_the_skin_on_screen(base: Any, scene: NodePath, name: str) -> None:
    """It lies on the point that was hit, and its centre is within a pixel of that of the skin which was in
    the radius then, wherever numpy skins the two to.
    """
    walker = WALKERS[name]
    actor = load(base, scene, walker)
    before, after = poses(base, actor, walker)
    radius = extent(actor)[1] / 40
    spots = good_spot(base, before, after, radius)
    options: Any = {"radius": radius, "hardness": 1.0, "color": MARK}
    with stamps_on(base, **SETTINGS) as stamps:
        assert stamps.hit(actor, tuple(spots[0]), **options) is not None
        for frame, spot, mesh in zip(walker.frames, spots, (before, after), strict=True):
            pose(base, actor, walker, frame)
            seen = see(base, mesh.points)
            struck = carried(seen.points[seen.hit], seen.triangle[seen.hit], mesh.points, before.points)
            inside = np.linalg.norm(struck - spots[0], axis=-1) < radius
            expected = np.argwhere(seen.hit)[inside]
            marked = np.abs(rgb(screenshot(base)) - 255 * np.array(MARK)).max(axis=-1) <= TOLERANCE
            place = to_pixel(base, spot)
            assert marked[tuple(np.round(place).astype(int))]
            assert len(expected) > 30
            off = np.argwhere(marked).mean(axis=0) - expected.mean(axis=0)
            assert np.linalg.norm(off) <= 1.0
    actor.cleanup()
