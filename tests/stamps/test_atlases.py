"""Atlases: a geometry is unwrapped once, however often it stands in the scene, and once on one machine."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from panda3d.core import Filename, NodePath

from panda_rtstamp import StampSystem
from panda_rtstamp.stamps import atlas_files
from pictures import Floats, stamps_on
from stamp_support import count_unwraps, image_of
from support import NotifyLog, prc, run_case, step


@contextmanager
def stamping(base: Any, **fields: Any) -> Iterator[StampSystem]:
    """A stamp system that makes atlases by itself, at once, and keeps none."""
    settings = {"unwrapper": "own", "unwrap_at_once": 1_000_000, "unwrap_cache": False, **fields}
    with stamps_on(base, **settings) as stamps:
        yield stamps


def load(base: Any, scene: NodePath, file: str) -> NodePath:
    """A model without usable UVs."""
    result: NodePath = base.loader.load_model(file)
    result.reparent_to(scene)
    result.set_tag("rtstamp-resolution", "256")
    return result


def hit(stamps: StampSystem, node: NodePath) -> None:
    """A mark about the middle of a node."""
    assert stamps.hit(node, (0, 0, 0), other=node, radius=2.0) is not None


@pytest.fixture
def unwraps(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Gets the number of triangles of each model that is unwrapped from now on."""
    return count_unwraps(monkeypatch)


def test_500_copies_are_unwrapped_once(base: Any, scene: NodePath, unwraps: list[int]) -> None:
    """Each gets a mark, one after the other in a pool of few."""
    cube = load(base, scene, "models/misc/rgbCube")
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


@pytest.mark.parametrize("scale", [1.0, 1.125, 0.3125, 7.0])
def test_a_model_whose_parts_turn_is_unwrapped_once(
    base: Any, scene: NodePath, unwraps: list[int], scale: float
) -> None:
    """However they stand when it is hit."""
    tank = scene.attach_new_node("tank")
    parts = [load(base, tank, "models/misc/rgbCube") for _ in range(2)]
    for part in parts:
        part.set_scale(scale)
    with stamping(base) as stamps:
        for number in range(20):
            parts[1].set_pos_hpr((number, 1, 2), (37 * number, 11 * number, 3 * number))
            tank.set_hpr(13 * number, 5 * number, 7 * number)
            hit(stamps, tank)
            stamps.clear_all()
    assert len(unwraps) == 1


def test_different_models_are_unwrapped_each(base: Any, scene: NodePath, unwraps: list[int]) -> None:
    with stamping(base) as stamps:
        for kind in ("models/box", "models/misc/rgbCube"):
            hit(stamps, load(base, scene, kind))
    assert len(unwraps) == 2


def hit_cube(base: Any, scene: NodePath, **fields: Any) -> Floats:
    """What a mark on a cube without UVs looks like under a system of its own."""
    cube = load(base, scene, "models/misc/rgbCube")
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
    assert first[..., 3].max() > 0.5
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


def test_a_file_with_any_byte_wrong_is_no_file(tmp_path: Path) -> None:
    """It never is an error, nor another atlas."""
    corners = np.random.default_rng(5).integers(0, 65536, (4, 3, 2), np.uint16)
    with prc(f"rtstamp-cache-dir {Filename.from_os_specific(str(tmp_path))}"):
        atlas_files.write("key", "own", corners)
        assert np.array_equal(must(atlas_files.read("key", "own", 4)), corners)
        assert atlas_files.read("key", "own", 5) is None
        assert atlas_files.read("key", "xatlas", 4) is None
        (file,) = tmp_path.iterdir()
        good = file.read_bytes()
        for place in range(len(good)):
            file.write_bytes(good[:place] + bytes([good[place] ^ 0x41]) + good[place + 1 :])
            found = atlas_files.read("key", "own", 4)
            assert found is None or np.array_equal(found, corners)
            file.write_bytes(good[:place])
            assert atlas_files.read("key", "own", 4) is None


def must(found: Any) -> Any:
    """What was found; there has to be something."""
    assert found is not None
    return found


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
        assert hit_cube(base, scene, unwrap_cache=True)[..., 3].max() > 0.5
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
