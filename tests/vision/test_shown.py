"""What is shown of a mask: blurred, softened in time, and with what was explored; against numpy."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from panda3d.core import ClockObject, NodePath

from panda_rtstamp.errors import ConfigError, StoreError
from panda_rtstamp.vision.config import VisionConfig
from panda_rtstamp.vision.explored_file import read_file
from panda_rtstamp.vision.system import VisionMask
from support import FRAME_RATE, read_target, step
from vision_support import Floats

pytestmark = pytest.mark.profiles

SIZE = 128
OPTIONS: dict[str, Any] = {"mask_size": SIZE, "size": (64.0, 64.0)}


def shown(base: Any, vision: VisionMask, frames: int = 1) -> Floats:
    """What is shown some frames later."""
    assert vision.mask is not None
    step(base, frames)
    return np.asarray(read_target(base, vision.mask)[..., 0], np.float64)


def disc(x: float, radius: float) -> Floats:
    """The mask of one viewer on the X axis."""
    along = ((np.arange(SIZE) + 0.5) / SIZE - 0.5) * 64.0
    return (np.hypot(along[None] - x, along[:, None]) <= radius).astype(float)


def hero_at(scene: NodePath, x: float) -> NodePath:
    """A node on the X axis."""
    node = scene.attach_new_node("hero")
    node.set_x(x)
    return node


@pytest.mark.parametrize("radius", [0.5, 3.0, 10.0])
def test_the_blur_is_a_gaussian(base: Any, scene: NodePath, radius: float) -> None:
    with VisionMask(base, VisionConfig(blur=radius, **OPTIONS)) as vision:
        vision.add_viewer(hero_at(scene, 5.0), view_range=15.0)
        found = shown(base, vision)
    reach = int(np.ceil(radius))
    steps = np.arange(-reach, reach + 1)
    weights = np.exp(-2.0 * (steps / max(radius, 1.0)) ** 2)
    weights /= weights.sum()
    wanted = disc(5.0, 15.0)
    for axis in (0, 1):
        padded = np.pad(
            wanted, [(reach, reach) if axis == other else (0, 0) for other in (0, 1)], mode="edge"
        )
        wanted = sum(
            weight * np.take(padded, np.arange(SIZE) + at, axis=axis) for at, weight in enumerate(weights)
        )
    assert np.abs(found - wanted).max() <= 1.5 / 255


@pytest.mark.parametrize("rate", [24, 60, 144])
def test_the_fade_is_the_same_at_every_frame_rate(base: Any, scene: NodePath, rate: int) -> None:
    """Linear in time, up in half a second and down in two, and exact at the ends."""
    clock = ClockObject.get_global_clock()
    with VisionMask(base, VisionConfig(fade_in=0.5, fade_out=2.0, **OPTIONS)) as vision:
        hero = hero_at(scene, -20.0)
        vision.add_viewer(hero, view_range=8.0)
        assert np.abs(shown(base, vision, 2) - disc(-20.0, 8.0)).max() == 0.0
        clock.dt = 1.0 / rate
        step(base)
        hero.set_x(20.0)
        old, new = disc(-20.0, 8.0) > 0.0, disc(20.0, 8.0) > 0.0
        for frame in range(1, int(2.2 * rate)):
            found = shown(base, vision)
            if frame % (rate // 6) == 0 or frame > 2 * rate:
                seconds = frame / rate
                assert np.abs(found[new] - min(seconds / 0.5, 1.0)).max() <= 1.0 / 255, frame
                assert np.abs(found[old] - max(1.0 - seconds / 2.0, 0.0)).max() <= 1.0 / 255, frame
                assert found[~old & ~new].max() == 0.0
        passes = vision.pass_count
        step(base, 10)
        assert vision.pass_count == passes
        clock.dt = 1.0 / FRAME_RATE


def test_what_was_explored_stays(base: Any, scene: NodePath) -> None:
    with VisionMask(base, VisionConfig(explored=0.4, **OPTIONS)) as vision:
        hero = hero_at(scene, -20.0)
        viewer = vision.add_viewer(hero, view_range=8.0)
        assert np.abs(shown(base, vision) - disc(-20.0, 8.0)).max() == 0.0
        hero.set_x(15.0)
        both = np.maximum(disc(15.0, 8.0), 0.4 * disc(-20.0, 8.0))
        assert np.abs(shown(base, vision) - both).max() <= 0.5 / 255
        vision.remove_viewer(viewer)
        ever = np.maximum(disc(-20.0, 8.0), disc(15.0, 8.0))
        assert np.abs(shown(base, vision) - 0.4 * ever).max() <= 0.5 / 255
        explored = vision.explored_of()
        assert explored is not None
        assert np.abs(read_target(base, explored)[..., 0] - ever).max() == 0.0
        passes = vision.pass_count
        step(base, 5)
        assert vision.pass_count == passes


def test_what_was_explored_stays_under_other_settings(base: Any, scene: NodePath) -> None:
    """But not in another place, nor once it is not asked for."""
    first = VisionConfig(explored=0.4, **OPTIONS)
    with VisionMask(base, first) as vision:
        hero = hero_at(scene, -20.0)
        viewer = vision.add_viewer(hero, view_range=8.0)
        shown(base, vision)
        vision.remove_viewer(viewer)
        assert np.abs(shown(base, vision) - 0.4 * disc(-20.0, 8.0)).max() <= 0.5 / 255
        changes: list[dict[str, Any]] = [{"fade_in": 1.0}, {"blur": 0.5}, {"explored": 0.8}, {"bias": 0.1}]
        for change in changes:
            vision.set_config(replace(vision.config, **change))
            level = vision.config.explored
            assert np.abs(shown(base, vision) - level * disc(-20.0, 8.0)).max() <= 0.5 / 255, change
        vision.set_config(replace(first, center=(10.0, 0.0)))
        assert shown(base, vision).max() == 0.0
        vision.set_config(first)
        vision.add_viewer(hero, view_range=8.0)
        shown(base, vision)
        hero.set_x(40.0)
        assert shown(base, vision).max() > 0.3
        vision.set_config(replace(first, explored=0.0))
        shown(base, vision)
        vision.set_config(first)
        assert shown(base, vision).max() == 0.0


def test_what_was_explored_is_saved_and_loaded(base: Any, scene: NodePath, tmp_path: Path) -> None:
    file = tmp_path / "explored"
    with VisionMask(base, VisionConfig(explored=1.0, **OPTIONS)) as vision:
        hero = hero_at(scene, -20.0)
        vision.add_viewer(hero, view_range=8.0)
        step(base)
        assert vision.save_explored(file)
    with VisionMask(base, VisionConfig(explored=1.0, **OPTIONS)) as vision:
        hero.set_x(20.0)
        vision.add_viewer(hero, view_range=8.0)
        assert vision.load_explored(file)
        both = np.maximum(disc(-20.0, 8.0), disc(20.0, 8.0))
        assert np.abs(shown(base, vision, 2) - both).max() == 0.0
    with VisionMask(base, VisionConfig(**OPTIONS)) as vision:
        assert not vision.save_explored(tmp_path / "nothing")
        assert not (tmp_path / "nothing").exists()
        assert not vision.load_explored(file)


def test_what_was_loaded_belongs_to_its_rectangle(base: Any, scene: NodePath, tmp_path: Path) -> None:
    """Settings that change before it is drawn take it along; and nothing is saved of another place."""
    first = VisionConfig(explored=1.0, **OPTIONS)
    files = [tmp_path / name for name in ("left", "right", "after")]
    for x, file in zip((-20.0, 20.0), files, strict=False):
        with VisionMask(base, first) as vision:
            assert vision.save_explored(files[2])
            assert read_file(files[2]).texels.max() == 0
            vision.add_viewer(hero_at(scene, x), view_range=8.0)
            shown(base, vision)
            vision.save_explored(file)
    with VisionMask(base, first) as vision:
        # Both of two in one frame.
        assert vision.load_explored(files[0])
        assert vision.load_explored(files[1])
        assert (shown(base, vision) == np.maximum(disc(-20.0, 8.0), disc(20.0, 8.0))).all()
        for change in ({"center": (1000.0, 0.0)}, {"explored": 0.0, "blur": 1.0}):
            vision.set_config(first)
            shown(base, vision)
            vision.load_explored(files[0])
            vision.set_config(replace(first, **change))
            vision.save_explored(files[2])
            assert read_file(files[2]).texels.max() == 0
            assert shown(base, vision).max() == 0.0
            vision.set_config(first)
            assert shown(base, vision).max() == 0.0


def test_files_that_are_not_what_they_should_be(base: Any, scene: NodePath, tmp_path: Path) -> None:
    file = tmp_path / "explored"
    with VisionMask(base, VisionConfig(explored=1.0, **OPTIONS)) as vision:
        vision.add_viewer(hero_at(scene, 0.0), view_range=8.0)
        step(base)
        vision.save_explored(file)
        whole = file.read_bytes()
        before = shown(base, vision)
        rng = np.random.default_rng(0)
        for _ in range(60):
            broken = bytearray(whole)
            if rng.random() < 0.5:
                del broken[int(rng.integers(0, len(whole))) :]
            else:
                broken[int(rng.integers(0, len(whole)))] ^= int(rng.integers(1, 256))
            file.write_bytes(bytes(broken))
            with pytest.raises(StoreError):
                vision.load_explored(file)
        for missing in (tmp_path / "none", tmp_path):
            with pytest.raises(StoreError):
                vision.load_explored(missing)
        with pytest.raises(ConfigError):
            vision.load_explored(3)
        assert (shown(base, vision) == before).all()
        file.write_bytes(whole)
        vision.set_config(VisionConfig(explored=1.0, **{**OPTIONS, "center": (1.0, 0.0)}))
        with pytest.raises(StoreError, match="another center"):
            vision.load_explored(file)


def test_all_of_it_together(base: Any, scene: NodePath) -> None:
    """The explored part shows through the blur; what is far from any edge is what it was."""
    options: dict[str, Any] = {"blur": 2.0, "fade_in": 0.1, "fade_out": 0.1, "explored": 0.3, **OPTIONS}
    with VisionMask(base, VisionConfig(**options)) as vision:
        hero = hero_at(scene, -20.0)
        vision.add_viewer(hero, view_range=8.0)
        shown(base, vision, 2)
        hero.set_x(20.0)
        found = shown(base, vision, 20)
    for x, value in ((-20.0, 0.3), (0.0, 0.0), (20.0, 1.0)):
        assert abs(found[SIZE // 2, int((x + 32.0) * 2)] - value) <= 1.0 / 255


def test_by_itself_the_mask_is_shown(base: Any, scene: NodePath) -> None:
    with VisionMask(base, VisionConfig(**OPTIONS)) as vision:
        vision.add_viewer(hero_at(scene, 0.0), view_range=8.0)
        assert np.isin(shown(base, vision), (0.0, 1.0)).all()
        assert vision.explored_of() is None
        assert vision.pass_count == 1
