"""Precise clips: cut within 1.5 px of where sight ends, however coarse the mask is."""

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest
from direct.actor.Actor import Actor
from panda3d.core import NodePath

from mask_support import WRAPPED, draw_by, geoms_of
from pictures import changed, glsl, look_from, stamps_on
from precise_support import GLSL, HERO, View, boxes_at, clipped, coarse, hero_at, lay_ground
from shapes import box
from support import PROFILE, run_case, step
from vision_support import Box, build, outlines, sees

pytestmark = pytest.mark.profiles

# Scenes where two walls end so close together, as seen, that a map of directions has nothing between them.
SLITS = (11, 18)
OLD_VERTEX = """#version 120
uniform mat4 p3d_ModelViewProjectionMatrix;
attribute vec4 p3d_Vertex;
void main() {
    gl_Position = p3d_ModelViewProjectionMatrix * p3d_Vertex;
}
"""
# With names of its own that we have too.
OLD_FRAGMENT = """#version 120
float cross2(vec2 first) {
    return first.x;
}
bool is_between(float value) {
    return value > 0.0;
}
void main() {
    gl_FragColor = is_between(cross2(vec2(1.0))) ? vec4(1.0, 0.0, 0.0, 1.0) : vec4(0.0);
}
"""


def draw_old(card: NodePath) -> None:
    card.set_shader(glsl(OLD_VERTEX, OLD_FRAGMENT))


@pytest.mark.parametrize(
    "seed", [*SLITS, *(pytest.param(n, marks=pytest.mark.full) for n in range(100) if n not in SLITS)]
)
@pytest.mark.parametrize("renderer", WRAPPED)
def test_the_cut_is_where_sight_ends(base: Any, scene: NodePath, renderer: str, seed: int) -> None:
    with coarse(base) as vision:
        ends = boxes_at(scene, vision, seed)
        ground = lay_ground(base, scene, partial(draw_by, renderer=renderer))
        vision.add_viewer(hero_at(scene), view_range=50.0)
        seen = sees(ground.points, HERO, ends)
        assert ground.far_off(clipped(base, vision, ground, precise=True), seen) == 0
        # What the check is worth: the mask's edge is elsewhere.
        assert ground.far_off(clipped(base, vision, ground, precise=False), seen) > 300


@pytest.mark.skipif(PROFILE == "core", reason="a core profile has no GLSL 1.20")
def test_old_shaders(base: Any, scene: NodePath) -> None:
    with coarse(base) as vision:
        ends = boxes_at(scene, vision)
        ground = lay_ground(base, scene, draw_old)
        vision.add_viewer(hero_at(scene), view_range=50.0)
        vision.clip(ground.node, precise=True)
        vision.clip(scene, precise=True)
        ground.check(sees(ground.points, HERO, ends))


@pytest.mark.parametrize("heading", [0.0, 120.0])
def test_a_half_hidden_enemy(base: Any, scene: NodePath, heading: float) -> None:
    """Animated, upright, in the middle of a shadow's edge; by own GLSL, which draws the pose of the CPU."""
    with coarse(base) as vision:
        wall = Box((1.5, 1.0), (2.0, 0.3), 15.0)
        hidden = scene.attach_new_node("walls")
        hidden.hide()
        vision.add_wall(build([wall], hidden)[0])
        bear = Actor("models/panda-model", {"walk": "models/panda-walk4"})
        bear.reparent_to(scene)
        bear.set_scale(0.004)
        bear.set_pos_hpr(3.4, 4.0, 0.0, heading, 0.0, 0.0)
        bear.pose("walk", 9)
        GLSL(bear)
        # From where the hero stands: what lies behind a hidden part of it is hidden too.
        look_from(base, (*HERO, 3.0), (3.4, 4.0, 1.5), fov=35.0)
        step(base)
        enemy = View(base, bear, jump=0.1)
        vision.add_viewer(hero_at(scene), view_range=50.0)
        vision.clip(scene, precise=True)
        enemy.check(sees(enemy.points, HERO, outlines([wall])))
        bear.cleanup()


def test_marks(base: Any, scene: NodePath) -> None:
    """Those of a StampSystem on the ground are cut with it, wherever they are put."""
    with coarse(base) as vision, stamps_on(base) as stamps:
        ends = boxes_at(scene, vision)
        unmarked = lay_ground(base, scene, GLSL)
        for place in ((0.0, 3.0, 0.0), (3.0, 4.0, 0.0)):
            assert stamps.hit(unmarked.node, place, radius=3.0, color=(0.0, 0.4, 0.1)) is not None
        ground = View(base, unmarked.node)
        assert changed(ground.whole, unmarked.whole).sum() > 3000
        vision.add_viewer(hero_at(scene), view_range=50.0)
        vision.clip(scene, precise=True)
        ground.check(sees(ground.points, HERO, ends))


@pytest.mark.skipif(PROFILE == "x11", reason="runs without a window")
def test_simplepbr(base: Any) -> None:
    assert run_case("tests/vision/precise_case.py").split() == ["done"]


@pytest.mark.parametrize("fov", [40.0, 200.0])
def test_a_cone_and_a_range(base: Any, scene: NodePath, fov: float) -> None:
    with coarse(base) as vision:
        ends = boxes_at(scene, vision)
        ground = lay_ground(base, scene, GLSL)
        vision.add_viewer(hero_at(scene, heading=-20.0), view_range=17.0, fov=fov)
        vision.clip(ground.node, precise=True)
        forward = np.sin(np.radians(20.0)), np.cos(np.radians(20.0))
        seen = sees(ground.points, HERO, ends, 17.0, forward, float(np.cos(np.radians(fov / 2))))
        ground.check(seen)


def test_strengths_add_up(base: Any, scene: NodePath) -> None:
    """Of three viewers, two that see 0.3 show what one does not; a third shows it alone."""
    places = ((1.5, -2.5), (-3.0, 1.0), (6.0, 2.0))
    strengths = (0.3, 0.3, 0.9)
    with coarse(base) as vision:
        ends = boxes_at(scene, vision)
        ground = lay_ground(base, scene, GLSL)
        for place, strength in zip(places, strengths, strict=True):
            vision.add_viewer(hero_at(scene, *place), view_range=14.0, strength=strength)
        # It is weak, and another group's.
        vision.add_viewer(hero_at(scene), view_range=50.0, strength=0.0)
        vision.add_viewer(hero_at(scene), view_range=50.0, group=1)
        vision.clip(ground.node, precise=True)
        each = [sees(ground.points, place, ends, 14.0) for place in places]
        ground.check((each[0] & each[1]) | each[2])


def test_eyes_at_two_heights(base: Any, scene: NodePath) -> None:
    """Each has walls of its own: of two boxes, one is too low to block who looks from above."""
    boxes = [Box((1.0, 3.0), (3.0, 1.0), 10.0), Box((5.0, 2.0), (2.0, 2.0), 30.0)]
    places = ((1.5, -2.5), (-6.0, 2.0))
    hidden = scene.attach_new_node("boxes")
    hidden.hide()
    with coarse(base) as vision:
        for item, height in zip(boxes, (3.0, 1.0), strict=True):
            vision.add_wall(build([item], hidden, height)[0])
        ground = lay_ground(base, scene, GLSL)
        vision.add_viewer(hero_at(scene, *places[0]), view_range=20.0, strength=0.3)
        vision.add_viewer(hero_at(scene, *places[1]), view_range=20.0, strength=0.3, eye_height=0.5)
        vision.clip(ground.node, precise=True)
        high = sees(ground.points, places[0], outlines(boxes[:1]), 20.0)
        ground.check(high & sees(ground.points, places[1], outlines(boxes), 20.0))


@pytest.mark.threads
def test_viewers_and_walls_that_move(base: Any, scene: NodePath) -> None:
    """The state of what is clipped stays what it is."""
    hidden = scene.attach_new_node("doors")
    hidden.hide()
    door = box((4.0, 0.5, 3.0))
    door.reparent_to(hidden)
    with coarse(base) as vision:
        ends = boxes_at(scene, vision)
        vision.add_wall(door, moving=True)
        ground = lay_ground(base, scene, GLSL)
        hero = hero_at(scene)
        vision.add_viewer(hero, view_range=50.0)
        vision.clip(ground.node, precise=True)
        state = geoms_of(ground.node).get_geom_state(0)
        for number in range(6):
            hero.set_pos(0.3 * number, -3.0 + 0.1 * number, 0.0)
            door.set_pos_hpr(2.0 - number, 2.0, 1.5, 20.0 * number, 0.0, 0.0)
            moved = outlines([Box((2.0 - number, 2.0), (4.0, 0.5), 20.0 * number)])
            walls = np.concatenate([ends, moved])
            ground.check(sees(ground.points, tuple(hero.get_pos())[:2], walls))
            assert geoms_of(ground.node).get_geom_state(0) == state


def test_a_pillar(base: Any, scene: NodePath) -> None:
    """5 mm at 15 m, less than half a column of the maps; the camera looks at its shadow from near."""
    pillar = Box((0.0, 15.0), (0.005, 0.005), 0.0)
    hidden = scene.attach_new_node("pillars")
    hidden.hide()
    with coarse(base) as vision:
        for node in build([pillar], hidden):
            vision.add_wall(node)
        ground = lay_ground(base, scene, GLSL, (0.0, 19.8, 0.3), (0.0, 20.0, 0.0))
        vision.add_viewer(hero_at(scene, 0.0, 0.0), view_range=30.0)
        vision.clip(ground.node, precise=True)
        ground.check(sees(ground.points, (0.0, 0.0), outlines([pillar]), 30.0))


@pytest.mark.parametrize("fields", [{"exact_limit": 10}, {"exact": False}, {"blur": 3.0, "explored": 0.9}])
def test_whatever_the_mask_is_made_by(base: Any, scene: NodePath, fields: dict[str, Any]) -> None:
    """What was explored, and the mask's own sight, do not count."""
    with coarse(base, **fields) as vision:
        ends = boxes_at(scene, vision)
        ground = lay_ground(base, scene, GLSL)
        hero = hero_at(scene, -20.0, 20.0)
        vision.add_viewer(hero, view_range=50.0)
        vision.clip(ground.node, precise=True)
        step(base, 2)
        hero.set_pos(*HERO, 0.0)
        ground.check(sees(ground.points, HERO, ends))


@pytest.mark.parametrize("beyond", ["hidden", "seen"])
def test_beyond_the_rectangle(base: Any, scene: NodePath, beyond: str) -> None:
    """Also when the settings change."""
    other = {"hidden": "seen", "seen": "hidden"}[beyond]
    with coarse(base, center=(2.0, 3.0), size=(14.0, 11.0), beyond=other) as vision:
        ends = boxes_at(scene, vision)
        ground = lay_ground(base, scene, GLSL)
        vision.add_viewer(hero_at(scene), view_range=50.0)
        vision.clip(ground.node, precise=True)
        inside = (np.abs(ground.points - (2.0, 3.0)) <= (7.0, 5.5)).all(axis=1)
        seen = sees(ground.points, HERO, ends)
        ground.check(np.where(inside, seen, other == "seen"))
        vision.set_config(replace(vision.config, beyond=beyond))
        step(base, 2)
        ground.check(np.where(inside, seen, beyond == "seen"))


def test_far_from_the_origin(base: Any, scene: NodePath) -> None:
    """At 2000, where 32-bit floats are 0.1 mm apart."""
    scene.set_pos(2000.0, -1000.0, 0.0)
    origin = np.array([2000.0, -1000.0])
    with coarse(base, center=(2000.0, -1000.0)) as vision:
        ends = boxes_at(scene, vision)
        ground = lay_ground(base, scene, GLSL, (1998.0, -1005.5, 2.5), (2002.0, -998.0, 0.0))
        vision.add_viewer(hero_at(scene), view_range=50.0)
        vision.clip(ground.node, precise=True)
        ground.check(sees(ground.points - origin, HERO, ends))
