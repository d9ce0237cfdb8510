"""A mask whose rectangle follows a node, by whole texels, while what was explored stays where it is."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from panda3d.core import ClockObject, NodePath

from mask_support import differences
from panda_rtstamp.errors import ConfigError, StoreError
from panda_rtstamp.vision.config import VisionConfig
from panda_rtstamp.vision.system import VisionMask
from pictures import flat_card, look_from
from support import FRAME_RATE, read_target, screenshot, step
from vision_play import hero_at, looking, mask_of, wall_at
from vision_support import Floats

pytestmark = pytest.mark.profiles

SIZE = 128
TEXEL = 0.5
OPTIONS: dict[str, Any] = {"mask_size": SIZE, "size": (64.0, 64.0)}


def disc(x: float, radius: float, center: float = 0.0, edge: int = SIZE, size: float = 64.0) -> Floats:
    """The mask around a place on the X axis of one viewer on the X axis."""
    along = ((np.arange(edge) + 0.5) / edge - 0.5) * size
    return (np.hypot(along[None] + center - x, along[:, None]) <= radius).astype(float)


def test_it_lies_around_the_node(base: Any, scene: NodePath) -> None:
    """The same, to the byte, as a mask that was made there; on, and again beside the middle."""
    with looking(base, **OPTIONS) as vision:
        vision.add_wall(wall_at(scene, 100.0, 5.0))
        vision.add_viewer(hero_at(scene, 100.0, 1.0), view_range=20.0)
        camera = hero_at(scene)
        vision.follow(camera)
        assert mask_of(base, vision).max() == 0.0
        for x, y in ((100.1, 0.9), (90.2, -7.4), (130.0, 20.0)):
            camera.set_pos(x, y, 50.0)
            found = mask_of(base, vision)
            assert 0.0 < found.mean() < 1.0
            center = (round(x / TEXEL) * TEXEL, round(y / TEXEL) * TEXEL)
            with looking(base, center=center, **OPTIONS) as still:
                still.add_wall(wall_at(scene, 100.0, 5.0))
                still.add_viewer(hero_at(scene, 100.0, 1.0), view_range=20.0)
                assert (mask_of(base, still) == found).all()
        vision.follow(None)
        assert mask_of(base, vision).max() == 0.0


def test_what_stands_still_does_not_flicker(base: Any, scene: NodePath) -> None:
    """A place in the world has the same texel wherever the node goes; and there is no pass within a texel."""
    with looking(base, **OPTIONS) as vision:
        vision.add_wall(wall_at(scene, 0.0, 5.0))
        vision.add_viewer(hero_at(scene, 0.3, -0.2), view_range=12.0)
        camera = hero_at(scene)
        vision.follow(camera)
        still = mask_of(base, vision)
        passes = vision.pass_count
        camera.set_pos(0.2, -0.2, 0.0)
        step(base, 3)
        assert vision.pass_count == passes
        for x in (0.3, 1.1, 7.4, -15.0, 0.0, 60.0, 0.0):
            camera.set_x(x)
            found = mask_of(base, vision)
            shift = round(x / TEXEL)
            kept = slice(max(shift, 0), SIZE + min(shift, 0))
            moved = slice(max(-shift, 0), SIZE - max(shift, 0))
            assert (found[:, moved] == still[:, kept]).all()


def test_what_was_explored_stays(base: Any, scene: NodePath, tmp_path: Path) -> None:
    """In a rectangle of its own, twice as large here: with texels of a unit."""
    options = {**OPTIONS, "explored": 0.4, "explored_size": (128.0, 128.0)}
    with VisionMask(base, VisionConfig(**options)) as vision:
        hero = hero_at(scene, -50.0)
        viewer = vision.add_viewer(hero, view_range=8.0)
        vision.follow(hero)
        step(base)
        hero.set_x(40.0)
        found = mask_of(base, vision)
        inside, outside = disc(0.0, 6.5) > 0.0, disc(0.0, 9.5) == 0.0
        assert (found[disc(0.0, 8.0) > 0.0] == 1.0).all()
        assert found[outside].max() == 0.0
        explored = vision.explored_of()
        assert explored is not None
        # The middles of its texels are corners of the mask's: of four, it takes the last.
        x, y = np.meshgrid(*[np.arange(SIZE) + 0.5 - 64.0 + TEXEL / 2] * 2)
        ever = (np.hypot(x + 50.0, y) <= 8.0) | (np.hypot(x - 40.0, y) <= 8.0)
        assert ((read_target(base, explored)[..., 0] == 1.0) == ever).all()
        hero.set_x(-50.0)
        vision.remove_viewer(viewer)
        found = mask_of(base, vision)
        # Between the two, texels of the memory are blended, which are larger.
        assert np.abs(found[inside] - 0.4).max() <= 0.5 / 255
        assert found[outside].max() == 0.0
        assert vision.save_explored(tmp_path / "explored")
    with VisionMask(base, VisionConfig(**options)) as vision:
        assert vision.load_explored(tmp_path / "explored")
        vision.follow(hero)
        assert np.abs(mask_of(base, vision) - found).max() == 0.0
    other = VisionConfig(**{**options, "explored_size": None})
    with (
        VisionMask(base, other) as vision,
        pytest.raises(StoreError, match="another center"),
    ):
        vision.load_explored(tmp_path / "explored")


def test_fades_go_on_where_they_were(base: Any, scene: NodePath) -> None:
    """A place keeps its share while the rectangle moves; what comes into it is there at once."""
    clock = ClockObject.get_global_clock()
    with VisionMask(base, VisionConfig(fade_in=1.0, **OPTIONS)) as vision:
        hero, camera = hero_at(scene, 0.0), hero_at(scene)
        viewer = vision.add_viewer(hero, view_range=4.0)
        vision.follow(camera)
        step(base, 2)
        clock.dt = 1.0 / 60.0
        step(base)
        viewer.view_range = 20.0
        for frame in range(1, 31):
            camera.set_x(frame * 0.8)
            step(base)
        found = mask_of(base, vision)
        center = round(24.0 / TEXEL) * TEXEL
        near, far = disc(0.0, 4.0, center) > 0.0, disc(0.0, 20.0, center) > 0.0
        assert np.abs(found[near] - 1.0).max() == 0.0
        assert np.abs(found[far & ~near] - 31.0 / 60.0).max() <= 1.0 / 255
        assert found[~far].max() == 0.0
        clock.dt = 1.0 / FRAME_RATE


def test_what_is_clipped_and_dimmed_stays_in_its_place(base: Any, scene: NodePath) -> None:
    """In the picture of a ground that is dimmed, nothing changes but what leaves the rectangle."""
    look_from(base, (0.0, -0.01, 60.0))
    card = flat_card(scene, 40.0)
    card.set_p(-90.0)
    with looking(base, **OPTIONS) as vision:
        vision.add_wall(wall_at(scene, 0.0, 5.0))
        vision.add_viewer(hero_at(scene), view_range=12.0)
        vision.dim(card, dark=0.2)
        camera = hero_at(scene)
        vision.follow(camera)
        screenshot(base)
        before = screenshot(base)
        assert len(np.unique(before[..., 0])) >= 2
        camera.set_x(6.7)
        step(base)
        assert differences(screenshot(base), before).max() <= 1
        camera.set_x(40.0)
        step(base)
        assert differences(screenshot(base), before).max() > 100


def test_the_node_goes(base: Any, scene: NodePath) -> None:
    """Then the rectangle stays where it was; and arguments are checked."""
    with looking(base, **OPTIONS) as vision:
        vision.add_viewer(hero_at(scene, 30.0), view_range=5.0)
        camera = hero_at(scene, 30.0)
        vision.follow(camera)
        found = mask_of(base, vision)
        assert (found == disc(0.0, 5.0)).all()
        for wrong in (NodePath(), "camera", 3):
            with pytest.raises(ConfigError, match="node must"):
                vision.follow(wrong)  # type: ignore[arg-type]
        children = camera.node().get_num_stashed()
        assert children == 1
        camera.remove_node()
        assert (mask_of(base, vision) == found).all()
        vision.set_config(VisionConfig(**{**OPTIONS, "size": (32.0, 32.0)}))
        assert (mask_of(base, vision) == disc(0.0, 5.0, size=32.0)).all()
        camera = hero_at(scene)
        vision.follow(camera)
        vision.follow(None)
        assert camera.node().get_num_stashed() == 0
