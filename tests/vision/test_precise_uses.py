"""Precise clips as a game uses them: beside other clips, with many viewers, and gone without a trace."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import pytest
from panda3d.core import NodePath

from mask_support import RENDERERS, STAGED, assert_no_layers_left, draw_by
from panda_rtstamp.core import log
from panda_rtstamp.errors import ConfigError
from panda_rtstamp.vision.precise_sight import MOST_VIEWERS
from panda_rtstamp.vision.system import VisionMask
from pictures import Bools, Bytes, assert_same_scene, rgb, snapshot
from precise_support import GLSL, HERO, View, boxes_at, clipped, coarse, hero_at, lay_ground
from support import NotifyLog, screenshot, step
from vision_support import sees

pytestmark = pytest.mark.profiles


def passes_of_a_step(base: Any, vision: VisionMask, hero: NodePath) -> int:
    """How many passes there are when a viewer goes a step, and when it goes back."""
    before = vision.pass_count
    for x in (HERO[0] + 1.0, HERO[0]):
        hero.set_x(x)
        step(base)
    return (vision.pass_count - before) // 2


@pytest.mark.parametrize("renderer", RENDERERS)
def test_release(base: Any, scene: NodePath, renderer: str) -> None:
    """All is as it was found, whatever draws it."""
    with coarse(base) as vision:
        boxes_at(scene, vision)
        ground = lay_ground(base, scene, partial(draw_by, renderer=renderer))
        vision.add_viewer(hero_at(scene), view_range=50.0)
        found = snapshot(scene)
        vision.clip(ground.node, precise=True)
        assert (screenshot(base) != ground.whole).any()
        vision.release(ground.node)
        assert (screenshot(base) == ground.whole).all()
        assert_same_scene(snapshot(scene), found)
    assert_no_layers_left()


@pytest.mark.parametrize("renderer", STAGED)
def test_without_a_shader_the_mask_decides(base: Any, scene: NodePath, renderer: str) -> None:
    with coarse(base) as vision:
        boxes_at(scene, vision)
        ground = lay_ground(base, scene, partial(draw_by, renderer=renderer))
        vision.add_viewer(hero_at(scene), view_range=50.0)
        plain = clipped(base, vision, ground, precise=False)
        assert (clipped(base, vision, ground, precise=True) == plain).all()


def test_both_kinds_in_one_scene(base: Any, scene: NodePath) -> None:
    """Two grounds that meet at x = 3: each is as if alone. Of two calls for one node the last holds."""
    with coarse(base) as vision:
        boxes_at(scene, vision)
        ground = lay_ground(base, scene, GLSL)
        right = ground.node.copy_to(scene)
        ground.node.set_x(3.0 - 50.0)
        right.set_x(3.0 + 50.0)
        vision.add_viewer(hero_at(scene), view_range=50.0)
        plain, precise = (drawn_by(base, vision, ground, right, kinds) for kinds in ([False], [True]))
        vision.clip(ground.node, precise=True)
        vision.clip(right)
        mixed = is_drawn(ground, screenshot(base, frames=2))
        vision.release(ground.node)
        vision.release(right)
        both = drawn_by(base, vision, ground, right, [True, False])
    x = ground.points[:, 0].reshape(plain.shape)
    assert (mixed == precise)[x < 2.9].all()
    assert (mixed == plain)[x > 3.1].all()
    assert (plain != precise)[x < 2.9].sum() > 100
    assert (plain != precise)[x > 3.1].sum() > 100
    assert (both == plain).all()


def is_drawn(ground: View, picture: Bytes) -> Bools:
    """Where the picture shows more than the background."""
    result: Bools = (rgb(picture) != rgb(ground.empty)).any(axis=-1)
    return result


def drawn_by(base: Any, vision: VisionMask, ground: View, other: NodePath, kinds: Sequence[bool]) -> Bools:
    """Where two grounds are drawn while they are clipped in these ways, precise or not."""
    for node in (ground.node, other):
        for kind in kinds:
            vision.clip(node, precise=kind)
    result = is_drawn(ground, screenshot(base, frames=2))
    vision.release(ground.node)
    vision.release(other)
    return result


def test_passes(base: Any, scene: NodePath) -> None:
    """None when nothing moved; one more than for the mask when something did, while there is such a clip."""
    with coarse(base) as vision:
        boxes_at(scene, vision)
        ground = lay_ground(base, scene, GLSL)
        hero = hero_at(scene)
        vision.add_viewer(hero, view_range=50.0)
        assert passes_of_a_step(base, vision, hero) == 1
        vision.clip(ground.node, precise=True)
        step(base)
        assert passes_of_a_step(base, vision, hero) == 3
        before, picture = vision.pass_count, screenshot(base)
        step(base, 10)
        assert vision.pass_count == before
        assert (screenshot(base) == picture).all()
        vision.release(ground.node)
        assert passes_of_a_step(base, vision, hero) == 1
        # And once more, from a state that is old by now.
        vision.clip(ground.node, precise=True)
        assert (screenshot(base) == picture).all()


def test_too_many_viewers(base: Any, scene: NodePath, notify: NotifyLog) -> None:
    """The mask decides, and that is said once; one less, and the walls do."""
    log.forget("vision precise 0")
    with coarse(base) as vision:
        ends = boxes_at(scene, vision)
        ground = lay_ground(base, scene, GLSL)
        viewers = [vision.add_viewer(hero_at(scene), view_range=50.0) for _ in range(MOST_VIEWERS)]
        vision.clip(ground.node, precise=True)
        ground.check(sees(ground.points, HERO, ends))
        more = vision.add_viewer(hero_at(scene), view_range=50.0)
        notify.allow("more than 32 viewers")
        picture = screenshot(base, frames=3)
        assert notify.text.count("more than 32 viewers") == 1
        vision.release(ground.node)
        assert (picture == clipped(base, vision, ground, precise=False)).all()
        vision.clip(ground.node, precise=True)
        vision.remove_viewer(more)
        ground.check(sees(ground.points, HERO, ends))
        for viewer in viewers:
            vision.remove_viewer(viewer)
        assert (screenshot(base) == ground.empty).all()


@pytest.mark.parametrize("precise", [1, "yes", None])
def test_no_bool(base: Any, scene: NodePath, precise: Any) -> None:
    with coarse(base) as vision, pytest.raises(ConfigError, match=r"precise.*True or False"):
        vision.clip(scene, precise=precise)
