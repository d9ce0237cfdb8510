"""Clips and dims as a game asks for them: an enemy behind a wall, and the ground around."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from panda3d.core import NodePath, OrthographicLens

from mask_support import draw_by
from panda_rtstamp.errors import ConfigError, SurfaceError
from panda_rtstamp.vision.config import VisionConfig
from panda_rtstamp.vision.system import VisionMask
from pictures import PLAIN_FRAGMENT, PLAIN_VERTEX, assert_same_scene, glsl, snapshot
from shader_texts import GEOMETRY
from shapes import box
from support import make_card, screenshot, step
from vision_support import sees

pytestmark = [pytest.mark.profiles, pytest.mark.threads]

# Of the world, in the picture.
EXTENT = 20.0
OPTIONS: dict[str, Any] = {"size": (EXTENT, EXTENT)}
WALL = np.array([((-2.0, 3.0), (2.0, 3.0))])


def from_above(base: Any) -> None:
    """Look straight down, at a square of EXTENT around the origin."""
    lens = OrthographicLens()
    lens.set_film_size(EXTENT, EXTENT)
    lens.set_near_far(1.0, 100.0)
    base.cam.node().set_lens(lens)
    base.camera.set_pos_hpr(0.0, 0.0, 50.0, 0.0, -90.0, 0.0)
    base.win.set_clear_color((0.0, 0.0, 0.0, 1.0))


def stage(scene: NodePath) -> tuple[NodePath, NodePath, NodePath, NodePath]:
    """Ground, a wall, an enemy half behind it, and a hero, whose sight goes over nothing else."""
    ground = make_card(EXTENT, EXTENT)
    ground.reparent_to(scene)
    ground.set_p(-90.0)
    ground.set_color(0.0, 0.5, 0.0, 1.0)
    wall = box((4.0, 0.02, 3.0))
    wall.reparent_to(scene)
    wall.set_pos(0.0, 3.0, 1.5)
    enemy = box((3.0, 1.0, 1.0))
    enemy.reparent_to(scene)
    enemy.set_pos(3.0, 6.0, 0.5)
    enemy.set_color(1.0, 0.0, 0.0, 1.0)
    hero = scene.attach_new_node("hero")
    return ground, wall, enemy, hero


def places(picture: NDArray[Any]) -> NDArray[np.float64]:
    """Where in the world the pixels lie, (n, 2); row 0 of a picture is at its top."""
    height, width = picture.shape[:2]
    x = ((np.arange(width) + 0.5) / width - 0.5) * EXTENT
    y = (0.5 - (np.arange(height) + 0.5) / height) * EXTENT
    return np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)


def red(picture: NDArray[Any]) -> NDArray[np.bool_]:
    """Where the enemy is seen."""
    return np.asarray((picture[..., 0] > 0.2) & (picture[..., 1] < 0.2))


def beside(mask: NDArray[np.bool_], reach: int) -> NDArray[np.bool_]:
    """Within so many pixels of where a mask changes."""
    padded = np.pad(mask, reach, mode="edge")
    height, width = mask.shape
    windows = [
        padded[y : y + height, x : x + width] for y in range(2 * reach + 1) for x in range(2 * reach + 1)
    ]
    changes: NDArray[np.bool_] = np.any(windows, axis=0) & ~np.all(windows, axis=0)
    return changes


def test_an_enemy_half_behind_a_wall(base: Any, scene: NodePath) -> None:
    from_above(base)
    _, wall, enemy, hero = stage(scene)
    whole = screenshot(base, 2)
    before = snapshot(scene)
    with VisionMask(base, VisionConfig(**OPTIONS)) as vision:
        vision.add_wall(wall)
        vision.add_viewer(hero, view_range=30.0)
        vision.clip(enemy)
        found = red(screenshot(base, 6))
        seen = sees(places(whole), (0.0, 0.0), WALL, 30.0).reshape(whole.shape[:2])
        wanted = red(whole) & seen
        # A texel of the mask, of 512 to 20 units, is less than a pixel.
        assert not ((found != wanted) & ~beside(wanted, 2)).any()
        assert 0.1 < found.sum() / red(whole).sum() < 0.9
        vision.release(enemy)
        assert (red(screenshot(base, 6)) == red(whole)).all()
        vision.clip(enemy)
        step(base, 6)
    assert_same_scene(snapshot(scene), before)
    assert (screenshot(base, 2) == whole).all()


def test_the_ground_is_dimmed(base: Any, scene: NodePath) -> None:
    from_above(base)
    ground, wall, _, hero = stage(scene)
    whole = screenshot(base, 2)
    with VisionMask(base, VisionConfig(**OPTIONS)) as vision:
        vision.add_wall(wall)
        vision.add_viewer(hero, view_range=8.0)
        vision.dim(ground, dark=0.25)
        found = screenshot(base, 6)
    seen = sees(places(whole), (0.0, 0.0), WALL, 8.0).reshape(whole.shape[:2])
    inside = (whole[..., 1] > 0.4) & ~beside(seen, 2)
    share = found[..., 1][inside] / whole[..., 1][inside]
    assert np.abs(share - np.where(seen, 1.0, 0.25)[inside]).max() < 0.02


def test_settings_that_change_the_textures(base: Any, scene: NodePath) -> None:
    from_above(base)
    _, wall, enemy, hero = stage(scene)
    with VisionMask(base, VisionConfig(**OPTIONS)) as vision:
        vision.add_wall(wall)
        vision.add_viewer(hero, view_range=30.0)
        vision.clip(enemy)
        first = red(screenshot(base, 6))
        vision.set_config(VisionConfig(mask_size=1024, **OPTIONS))
        again = red(screenshot(base, 6))
        assert not ((first != again) & ~beside(first, 2)).any()
        assert again.any()
        # Its rectangle elsewhere, and what is outside is hidden, or seen.
        vision.set_config(VisionConfig(center=(500.0, 0.0), **OPTIONS))
        assert not red(screenshot(base, 6)).any()
        vision.set_config(VisionConfig(center=(500.0, 0.0), beyond="seen", **OPTIONS))
        assert red(screenshot(base, 6)).sum() > first.sum()


def test_bad_arguments(base: Any, scene: NodePath) -> None:
    with VisionMask(base, VisionConfig(**OPTIONS)) as vision:
        for wrong in (NodePath(), None, "ground"):
            for call in (vision.clip, vision.dim, vision.release):
                with pytest.raises(ConfigError):
                    call(wrong)  # type: ignore[arg-type]
        for dark in (-0.1, 1.1, None):
            with pytest.raises(ConfigError, match="dark"):
                vision.dim(scene, dark=dark)  # type: ignore[arg-type]
        with pytest.raises(ConfigError, match="group"):
            vision.clip(scene, group=-1)
        vision.release(scene)


@pytest.mark.parametrize("other", ["none", "330"])
def test_a_copy_outlives_the_mask(base: Any, scene: NodePath, other: str) -> None:
    """What was copied with a clip is seen when there is nothing to clip it by any more."""
    from_above(base)
    _, _, enemy, hero = stage(scene)
    draw_by(enemy, other)
    before = screenshot(base)
    with VisionMask(base, VisionConfig(**OPTIONS)) as vision:
        vision.add_viewer(hero, view_range=3.0)
        vision.clip(enemy)
        step(base, 2)
        copy = enemy.copy_to(scene)
        enemy.remove_node()
        assert not red(screenshot(base)).any()
        vision.set_config(VisionConfig(mask_size=128, **OPTIONS))
        assert (red(screenshot(base)) == red(before)).all()
    assert (red(screenshot(base)) == red(before)).all()
    copy.remove_node()


def test_the_same_again_takes_its_place(base: Any, scene: NodePath) -> None:
    """A clip, a dim or a bind of one group; and each of another kind or group stays beside it."""
    from_above(base)
    ground, _, _, hero = stage(scene)
    hero.reparent_to(base.render)
    found = snapshot(scene)
    plain = screenshot(base)
    with VisionMask(base, VisionConfig(**OPTIONS)) as vision:
        vision.add_viewer(hero, view_range=3.0)
        for _ in range(3):
            vision.dim(ground, dark=0.5)
            vision.bind(ground)
        step(base)
        corner = screenshot(base)[-3, 3, 1]
        assert abs(int(corner) - 0.5 * plain[-3, 3, 1]) <= 1
        vision.bind(ground, group=1)
        vision.dim(ground, dark=0.5, group=1)
        step(base)
        vision.release(ground)
        hero.remove_node()
        step(base)
        assert_same_scene(snapshot(scene), found)


def test_a_refused_clip_leaves_the_first(base: Any, scene: NodePath) -> None:
    from_above(base)
    _, _, enemy, hero = stage(scene)
    with VisionMask(base, VisionConfig(**OPTIONS)) as vision:
        vision.add_viewer(hero, view_range=3.0)
        vision.clip(enemy)
        step(base)
        assert not red(screenshot(base)).any()
        refused = make_card(1.0, 1.0)
        refused.set_shader(glsl(PLAIN_VERTEX, PLAIN_FRAGMENT, GEOMETRY))
        refused.reparent_to(enemy)
        with pytest.raises(SurfaceError, match="geometry"):
            vision.clip(enemy)
        refused.remove_node()
        assert not red(screenshot(base)).any()
        vision.release(enemy)
        assert red(screenshot(base)).any()
