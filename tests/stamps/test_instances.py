"""Instances and copies: each place of shared geometry has marks of its own, and geometry is unwrapped once."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import assetcoop
import numpy as np
import pytest
from panda3d.core import Filename, GeomNode, NodePath

from panda_rtstamp import StampSystem
from panda_rtstamp.core import unwrap as unwrapping
from pictures import Bytes, Floats, assert_same_scene, changed, look_from, rgb, snapshot, stamps_on, world_triangles
from stamp_support import image_of, what_is_held
from support import NotifyLog, compare_images, make_card, prc, run_case, screenshot, step

COOP = Path(assetcoop.__file__).parent / "bam" / "models"
MARK = (1.0, 0.0, 0.5)
OTHER = (0.1, 0.3, 1.0)
PLACES = (-2.2, 0.0, 2.2)
# Longer than anything waits for the frames in flight.
SETTLED = 12
# Good UVs; all faces on the same UVs; no UVs, and two nodes below one another.
SHARED = ("card", "models/box", "models/misc/rgbCube", "pair")


@contextmanager
def stamping(base: Any, **fields: Any) -> Iterator[StampSystem]:
    """A stamp system that makes atlases by itself, at once, and keeps none."""
    settings = {"unwrapper": "own", "unwrap_at_once": 1_000_000, "unwrap_cache": False, **fields}
    with stamps_on(base, **settings) as stamps:
        yield stamps


def make_shared(base: Any, kind: str) -> NodePath:
    """What is to stand in several places: about 2 units wide, lit by nobody."""
    if kind == "card":
        result = make_card(2.0, 2.0, "shared")
    elif kind == "pair":
        result = NodePath("shared")
        for name, z in (("low", -0.5), ("high", 0.5)):
            part = base.loader.load_model("models/box")
            part.reparent_to(result.attach_new_node(name))
            part.set_pos_hpr_scale((-0.5, -0.5, z - 0.45), (0, 0, 0), 0.9)
    else:
        result = base.loader.load_model(kind)
        result.set_scale(0.8)
    result.set_light_off()
    result.set_tag("rtstamp-resolution", "256")
    return result


def stand(base: Any, scene: NodePath, shared: NodePath, share: bool) -> list[NodePath]:
    """Put it into three places, as instances or as copies; the camera sees them all."""
    look_from(base, (0.5, -12.0, 3.0), (0, 0, 0.2))
    places = []
    for index, x in enumerate(PLACES):
        place = scene.attach_new_node(f"place-{index}")
        place.set_pos_hpr((x, 0, 0), (20 * index, 0, 0))
        places.append(shared.instance_to(place) if share else shared.copy_to(place))
    return places


def front(node: NodePath) -> Any:
    """A point at the front of what stands in a place, in the world."""
    points = world_triangles(node).reshape(-1, 3)
    return tuple(points[np.argmin(points[:, 1])] * 0.7 + points.mean(axis=0) * 0.3)


def hit(stamps: StampSystem, node: NodePath, color: Any = MARK) -> Any:
    """A mark at the front of one place."""
    binding = stamps.hit(node, front(node), radius=1.0, hardness=0.5, color=color)
    assert binding is not None
    return binding


# Several places.


@pytest.mark.parametrize("kind", SHARED)
def test_each_place_is_marked_as_a_copy_would_be(base: Any, scene: NodePath, kind: str) -> None:
    """One mark after the other, then one release after the other; the first place never is marked."""
    pictures: dict[bool, list[Bytes]] = {}
    for share in (False, True):
        shared = make_shared(base, kind)
        places = stand(base, scene, shared, share)
        found = [screenshot(base)]
        with stamping(base) as stamps:
            for place, color in ((places[1], MARK), (places[2], OTHER), (places[1], OTHER)):
                hit(stamps, place, color)
                found.append(screenshot(base))
            assert stamps.active_count == 2
            assert stamps.binding(places[0]) is None
            stamps.start_fade(places[1], 0.05)
            step(base, 5)
            assert stamps.active_count == 1
            found.append(screenshot(base))
        found.append(screenshot(base))
        pictures[share] = found
        for place in places:
            place.get_parent().remove_node()
    for number, (actual, expected) in enumerate(zip(pictures[True], pictures[False], strict=True)):
        compare_images(rgb(actual), rgb(expected), 1, f"instance-{kind.replace('/', '-')}-{number}")
    plain = pictures[True][0]
    for number in range(1, 5):
        assert changed(pictures[True][number], plain).sum() > 100
    assert pictures[True][-1].tobytes() == plain.tobytes()


@pytest.mark.parametrize("kind", SHARED)
def test_the_geometry_is_put_back_when_the_last_goes(base: Any, scene: NodePath, kind: str) -> None:
    places = stand(base, scene, make_shared(base, kind), True)
    before = snapshot(scene)
    with stamping(base) as stamps:
        for place in places:
            hit(stamps, place)
        step(base)
        for place in places:
            assert any(fact for fact in snapshot(scene) if fact not in before)
            stamps.start_fade(place, 0.02)
            step(base, 3)
        assert stamps.active_count == 0
        assert_same_scene(snapshot(scene), before)


def test_a_part_of_an_instance_that_moves(base: Any, scene: NodePath) -> None:
    """What turns below the shared node turns in all places, and takes the mark of each along."""
    pictures = []
    for share in (False, True):
        shared = make_shared(base, "pair")
        places = stand(base, scene, shared, share)
        with stamping(base) as stamps:
            for place in places[1:]:
                hit(stamps, place)
            step(base)
            for root in [shared] if share else places:
                root.find("low").set_h(40)
                root.find("high").set_z(0.4)
            pictures.append(screenshot(base))
        for place in places:
            place.get_parent().remove_node()
    compare_images(rgb(pictures[1]), rgb(pictures[0]), 1, "instance-moves")


def test_instances_of_instances(base: Any, scene: NodePath) -> None:
    """A wheel twice below a car, the car twice in the scene: four wheels."""
    base.win.set_clear_color((0, 0, 0, 1))
    wheel = make_shared(base, "models/misc/rgbCube")
    wheel.set_scale(0.4)
    car = NodePath("car")
    for x in (-0.6, 0.6):
        wheel.instance_to(car.attach_new_node(f"axle {x}")).get_parent().set_x(x)
    wheels = []
    for x in (-1.5, 1.5):
        place = scene.attach_new_node("place")
        place.set_x(x)
        wheels += list(car.instance_to(place).find_all_matches("**/rgbCube*"))
    assert len(wheels) == 4
    look_from(base, (0.0, -9.0, 2.0))
    plain = screenshot(base)
    regions = []
    with stamping(base) as stamps:
        for one in wheels:
            hit(stamps, one)
            regions.append(changed(screenshot(base), plain))
            stamps.clear_all()
        for one in wheels:
            hit(stamps, one)
        assert stamps.active_count == 4
        everything = changed(screenshot(base), plain)
    assert all(region.sum() > 100 for region in regions)
    # Each was marked in its own place, and no two in the same.
    assert np.sum(regions, axis=0).max() == 1
    assert np.array_equal(everything, np.any(regions, axis=0))


def test_a_hit_above_the_instances_marks_them_all(base: Any, scene: NodePath, notify: NotifyLog) -> None:
    """They are one surface to it: what is shared is marked as the geometry is hit, wherever it stands."""
    places = stand(base, scene, make_shared(base, "card"), True)
    plain = screenshot(base)
    with stamping(base) as stamps:
        assert stamps.hit(scene, front(places[0]), radius=50.0, color=MARK, hardness=1.0) is not None
        marked = screenshot(base)
    there = changed(marked, plain)
    assert there.sum() > 3000
    assert (np.abs(rgb(marked)[there] - 255 * np.array(MARK)) <= 2.01).all()


# One geometry cannot be laid out in two ways.


def test_two_layouts_of_one_geometry(base: Any, scene: NodePath, notify: NotifyLog) -> None:
    """A part alone is marked in one place; all of it in another needs another layout of that part."""
    notify.allow("shares geometry with another instance")
    shared = NodePath("shared")
    for name in ("left", "right"):
        make_card(1.0, 1.0, name).reparent_to(shared)
    places = stand(base, scene, shared, True)
    part = places[0].find("**/left")
    before = snapshot(scene)
    with stamping(base) as stamps:
        assert stamps.hit(part, front(part), color=MARK) is not None
        step(base)
        marked, meanwhile = screenshot(base), snapshot(scene)
        held = what_is_held(base)
        for _ in range(3):
            assert stamps.hit(places[1], front(places[1])) is None
        assert screenshot(base).tobytes() == marked.tobytes()
        assert_same_scene(snapshot(scene), meanwhile)
        assert what_is_held(base) == held
        assert stamps.active_count == 1
        said = [line for line in notify.text.splitlines() if "shares geometry" in line]
        assert len(said) == 1
        assert str(places[1]) in said[0]
        # Once the other is gone, nothing stands against it.
        stamps.clear_all()
        assert stamps.hit(places[1], front(places[1])) is not None
        stamps.clear_all()
        assert_same_scene(snapshot(scene), before)


# An island of 523 paths to 20 GeomNodes, with coordinates of 1.3e7.


def test_three_trees_of_an_island(base: Any, scene: NodePath) -> None:
    file = Filename.from_os_specific(str(COOP / "scenes" / "volcano_island.bam"))
    island = base.loader.load_model(file)
    island.reparent_to(scene)
    island.set_light_off(1)
    trees = [path for path in island.find_all_matches("**/+GeomNode") if path.node().get_num_parents() == 135]
    chosen = [trees[3], trees[40], trees[100]]
    geoms = trees[0].node()
    assert isinstance(geoms, GeomNode)
    originals = [geoms.get_geom(index) for index in range(geoms.get_num_geoms())]
    center, size = middle_of(chosen[0])
    with stamping(base) as stamps:
        pictures = [portrait(base, tree) for tree in chosen]
        for number, tree in enumerate(chosen):
            local = tree.get_relative_point(base.render, tuple(middle_of(tree)[0]))
            assert stamps.hit(tree, local, other=tree, radius=size, color=MARK, hardness=1.0) is not None
            step(base)
            for index, other in enumerate(chosen):
                differs = changed(portrait(base, other), pictures[index]).sum()
                assert differs > 500 if index <= number else differs == 0
        assert stamps.active_count == 3
        for number, tree in enumerate(chosen):
            stamps.start_fade(tree, 0.02)
            step(base, 4)
            for index, other in enumerate(chosen):
                differs = changed(portrait(base, other), pictures[index]).sum()
                assert differs > 500 if index > number else differs == 0
        assert stamps.active_count == 0
        for index, original in enumerate(originals):
            assert geoms.get_geom(index) == original


def middle_of(path: NodePath) -> tuple[Floats, float]:
    """The middle and size of one instance, in the world."""
    points = world_triangles(path).reshape(-1, 3)
    low, high = points.min(axis=0), points.max(axis=0)
    return (low + high) / 2, float(np.linalg.norm(high - low))


def portrait(base: Any, path: NodePath) -> Bytes:
    """A picture of one instance."""
    center, size = middle_of(path)
    look_from(base, center + (size, -size, size), center)
    return screenshot(base)


# Copies are unwrapped once.


@pytest.fixture
def unwraps(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Gets the number of triangles of each model that is unwrapped from now on."""
    found: list[int] = []
    unwrap = unwrapping.unwrap

    def counted(positions: Any, *args: Any, **options: Any) -> Any:
        found.append(len(positions))
        return unwrap(positions, *args, **options)

    monkeypatch.setattr(unwrapping, "unwrap", counted)
    return found


def test_500_copies_are_unwrapped_once(base: Any, scene: NodePath, unwraps: list[int]) -> None:
    """Each gets a mark, one after the other in a pool of few."""
    cube = make_shared(base, "models/misc/rgbCube")
    copies = [cube.copy_to(scene) for _ in range(500)]
    for number, copy in enumerate(copies):
        copy.set_pos_hpr((number % 25, 40 + number // 25, 0), (number, 0, 0))
    with stamping(base, max_pool_size=4) as stamps:
        for copy in copies:
            assert stamps.hit(copy, (0, 0, 0), other=copy, radius=1.0) is not None
        step(base)
        assert stamps.active_count == 4
        assert image_of(stamps, copies[-1])[..., 3].max() > 0.0
    assert len(unwraps) == 1


def test_the_same_file_loaded_twice_is_unwrapped_once(base: Any, scene: NodePath, unwraps: list[int]) -> None:
    with stamping(base) as stamps:
        for _ in range(2):
            teapot = base.loader.load_model("models/teapot", noCache=True)
            teapot.reparent_to(scene)
            assert stamps.hit(teapot, (0, 0, 1), other=teapot) is not None
    assert len(unwraps) == 1


def test_different_models_are_unwrapped_each(base: Any, scene: NodePath, unwraps: list[int]) -> None:
    with stamping(base) as stamps:
        for kind in ("models/box", "models/misc/rgbCube"):
            node = make_shared(base, kind)
            node.reparent_to(scene)
            hit(stamps, node)
    assert len(unwraps) == 2


def hit_cube(base: Any, scene: NodePath, **fields: Any) -> Floats:
    """What a mark on a cube without UVs looks like under a system of its own."""
    cube = make_shared(base, "models/misc/rgbCube")
    cube.reparent_to(scene)
    with stamping(base, **fields) as stamps:
        hit(stamps, cube)
        step(base)
        result = image_of(stamps, cube)
    cube.remove_node()
    return result


def test_a_second_system_finds_the_atlas_on_disk(
    base: Any, scene: NodePath, unwraps: list[int], tmp_path: Path
) -> None:
    with prc(f"rtstamp-cache-dir {Filename.from_os_specific(str(tmp_path))}"):
        first = hit_cube(base, scene, unwrap_cache=True)
        assert len(unwraps) == 1
        assert any(path.is_file() for path in tmp_path.rglob("*"))
        second = hit_cube(base, scene, unwrap_cache=True)
        assert len(unwraps) == 1
    assert first[..., 3].max() > 0.9
    assert np.array_equal(first, second)


IN_ANOTHER_PROCESS = """
import sys
from panda3d.core import load_prc_file_data
load_prc_file_data("test", f"rtstamp-cache-dir {sys.argv[1]}")
from panda_rtstamp.core import unwrap as unwrapping
from panda_rtstamp import StampConfig, StampSystem
from support import make_base, step

found = []
unwrap = unwrapping.unwrap
unwrapping.unwrap = lambda *args, **options: found.append(1) or unwrap(*args, **options)
base = make_base()
cube = base.loader.load_model("models/misc/rgbCube")
cube.reparent_to(base.render)
with StampSystem(base, StampConfig(unwrapper="own", unwrap_cache=True)) as stamps:
    assert stamps.hit(cube, (0, -1, 0), other=cube) is not None
    step(base)
    assert stamps.image(cube)[..., 3].max() > 0.5
print("unwrapped", len(found))
"""


def test_a_second_process_finds_the_atlas_on_disk(tmp_path: Path) -> None:
    folder = str(Filename.from_os_specific(str(tmp_path)))
    said = [run_case(IN_ANOTHER_PROCESS, args=[folder]).split()[-1] for _ in range(2)]
    assert said == ["1", "0"]


@pytest.mark.parametrize("damage", ["emptied", "cut off", "noise", "another model's", "a folder"])
def test_a_damaged_file_is_made_anew(
    base: Any, scene: NodePath, unwraps: list[int], tmp_path: Path, notify: NotifyLog, damage: str
) -> None:
    if damage == "a folder":
        notify.allow("unwrapped models cannot be kept")
    with prc(f"rtstamp-cache-dir {Filename.from_os_specific(str(tmp_path))}"):
        first = hit_cube(base, scene, unwrap_cache=True)
        (file,) = (path for path in tmp_path.rglob("*") if path.is_file())
        good = file.read_bytes()
        file.unlink()
        if damage == "a folder":
            file.mkdir()
        else:
            file.write_bytes(damaged(good, damage))
        second = hit_cube(base, scene, unwrap_cache=True)
        assert len(unwraps) == 2
        assert np.array_equal(first, second)
        if damage != "a folder":
            assert file.read_bytes() == good
            hit_cube(base, scene, unwrap_cache=True)
            assert len(unwraps) == 2


def damaged(good: bytes, how: str) -> bytes:
    """A file's bytes that are no good any more."""
    noise = np.random.default_rng(4).integers(0, 256, len(good), np.uint8).tobytes()
    return {
        "emptied": b"",
        "cut off": good[: len(good) // 2],
        "noise": noise,
        # With its head, so that it looks right.
        "another model's": good[: len(good) // 4] + noise[len(good) // 4 :],
    }[how]


@pytest.mark.parametrize("folder", ["missing", "not a folder", "read only"])
def test_a_cache_folder_that_cannot_be_used(
    base: Any, scene: NodePath, unwraps: list[int], tmp_path: Path, notify: NotifyLog, folder: str
) -> None:
    """The mark is made all the same."""
    notify.allow("unwrapped models cannot be kept")
    place = tmp_path / "cache"
    if folder == "not a folder":
        place.write_text("a file")
    elif folder == "read only":
        place.mkdir()
        place.chmod(0o500)
    with prc(f"rtstamp-cache-dir {Filename.from_os_specific(str(place))}"):
        assert hit_cube(base, scene, unwrap_cache=True)[..., 3].max() > 0.9
    assert len(unwraps) == 1


def test_without_the_cache_nothing_is_written(
    base: Any, scene: NodePath, unwraps: list[int], tmp_path: Path
) -> None:
    place = tmp_path / "cache"
    with prc(f"rtstamp-cache-dir {Filename.from_os_specific(str(place))}"):
        for _ in range(2):
            hit_cube(base, scene, unwrap_cache=False)
    assert len(unwraps) == 2
    assert not place.exists()
    assert list(tmp_path.iterdir()) == []
