"""The vision mask as a game uses it: walls and viewers that come, move and go."""

from typing import Any, cast

import numpy as np
import pytest
from panda3d.core import NodePath

from panda_rtstamp.errors import ConfigError, SurfaceError
from panda_rtstamp.vision import queries, sight
from panda_rtstamp.vision.config import VisionConfig
from panda_rtstamp.vision.system import VisionMask
from support import frames_behind, read_target, step
from vision_gpu import MASK_SIZE, centres
from vision_play import hero_at, looking, mask_of, sides_of, wall_at
from vision_support import Bools, Floats, build, outlines, random_boxes, random_points, sees

pytestmark = [pytest.mark.profiles, pytest.mark.threads]

TEXEL = 100.0 / MASK_SIZE
WORST = 0.005


def expected(ends: Floats, *eye: float, view_range: float = 20.0) -> Bools:
    """What an eye sees, texel by texel."""
    return sees(centres(), eye, ends.reshape(-1, 2, 2), view_range).reshape(MASK_SIZE, MASK_SIZE)


def assert_seen(mask: Floats, wanted: Bools) -> None:
    assert 100.0 * ((mask > 0.5) != wanted).mean() <= WORST


def test_boxes_of_a_scene(base: Any, scene: NodePath) -> None:
    boxes = random_boxes(0)
    with looking(base) as vision:
        for node in build(boxes, scene):
            vision.add_wall(node)
        hero = hero_at(scene, 1.5, -2.5)
        vision.add_viewer(hero, view_range=50.0)
        assert_seen(mask_of(base, vision), expected(outlines(boxes), 1.5, -2.5, view_range=50.0))
        points = random_points(1, 2000)
        seen = sees(points, (1.5, -2.5), outlines(boxes))
        assert [vision.is_visible(point) for point in points[:200]] == seen[:200].tolist()


def test_nothing_moved_nothing_drawn(base: Any, scene: NodePath) -> None:
    with looking(base) as vision:
        vision.add_wall(wall_at(scene, 0.0, 5.0))
        vision.add_wall(wall_at(scene, 0.0, -5.0), moving=True)
        hero = hero_at(scene)
        vision.add_viewer(hero, view_range=20.0)
        before = mask_of(base, vision)
        passes = vision.pass_count
        step(base, 10)
        assert vision.pass_count == passes
        assert (mask_of(base, vision) == before).all()
        # Within a step of heights, and turned while it sees all around: the same sight.
        hero.set_z(0.01)
        step(base, 2)
        assert vision.pass_count == passes
        hero.set_x(1.0)
        assert not (mask_of(base, vision) == before).all()
        assert vision.pass_count == passes + 1


def test_a_door_moves(base: Any, scene: NodePath) -> None:
    with looking(base) as vision:
        door = wall_at(scene, 0.0, 5.0)
        vision.add_wall(door, moving=True)
        vision.add_viewer(hero_at(scene), view_range=20.0)
        for x in (0.0, 3.0, -2.5):
            door.set_x(x)
            assert_seen(mask_of(base, vision), expected(sides_of(x, 5.0), 0.0, 0.0))
        door.remove_node()
        assert_seen(mask_of(base, vision), expected(np.empty((0, 2, 2)), 0.0, 0.0))


def test_a_wall_that_stands_still_stays_where_it_was(base: Any, scene: NodePath) -> None:
    with looking(base) as vision:
        wall = wall_at(scene, 0.0, 5.0)
        vision.add_wall(wall)
        vision.add_viewer(hero_at(scene), view_range=20.0)
        first = mask_of(base, vision)
        wall.set_x(3.0)
        assert (mask_of(base, vision) == first).all()
        vision.add_wall(wall)
        assert_seen(mask_of(base, vision), expected(sides_of(3.0, 5.0), 0.0, 0.0))
        vision.remove_wall(wall)
        assert_seen(mask_of(base, vision), expected(np.empty((0, 2, 2)), 0.0, 0.0))


def test_what_is_low_does_not_block(base: Any, scene: NodePath) -> None:
    """A crate below the eye; the eye of a giant; a window."""
    with looking(base) as vision:
        vision.add_wall(wall_at(scene, 0.0, 5.0, (4.0, 0.5, 1.0)))
        vision.add_wall(wall_at(scene, 0.0, -5.0, (4.0, 0.5, 3.0)))
        viewer = vision.add_viewer(hero_at(scene), view_range=20.0)
        both, one = np.concatenate([sides_of(0.0, 5.0), sides_of(0.0, -5.0)]), sides_of(0.0, -5.0)
        assert_seen(mask_of(base, vision), expected(one, 0.0, 0.0))
        viewer.eye_height = 0.5
        assert_seen(mask_of(base, vision), expected(both, 0.0, 0.0))
        viewer.eye_height = 3.5
        assert_seen(mask_of(base, vision), expected(np.empty((0, 2, 2)), 0.0, 0.0))


def test_a_window_is_seen_through(base: Any, scene: NodePath) -> None:
    house = scene.attach_new_node("house")
    wall_at(house, -3.0, 5.0)
    window = wall_at(house, 3.0, 5.0)
    with looking(base) as vision:
        vision.add_wall(house)
        vision.add_viewer(hero_at(scene), view_range=20.0)
        both = np.concatenate([sides_of(-3.0, 5.0), sides_of(3.0, 5.0)])
        assert_seen(mask_of(base, vision), expected(both, 0.0, 0.0))
        vision.add_wall(window, see_through=True)
        assert_seen(mask_of(base, vision), expected(sides_of(-3.0, 5.0), 0.0, 0.0))


def test_teams(base: Any, scene: NodePath) -> None:
    with looking(base) as vision:
        left = vision.add_viewer(hero_at(scene, -20.0), view_range=10.0)
        vision.add_viewer(hero_at(scene, 20.0), view_range=10.0, group=3)
        none = np.empty((0, 2, 2))
        assert_seen(mask_of(base, vision, 0), expected(none, -20.0, 0.0, view_range=10.0))
        assert_seen(mask_of(base, vision, 3), expected(none, 20.0, 0.0, view_range=10.0))
        assert vision.is_visible((-20.0, 5.0))
        assert not vision.is_visible((-20.0, 5.0), group=3)
        assert vision.is_visible((20.0, 5.0), group=3)
        left.group = 3
        both = expected(none, -20.0, 0.0, view_range=10.0) | expected(none, 20.0, 0.0, view_range=10.0)
        assert_seen(mask_of(base, vision, 3), both)
        assert mask_of(base, vision, 0).max() == 0.0


def test_a_viewer_that_goes(base: Any, scene: NodePath) -> None:
    with looking(base) as vision:
        first, second = hero_at(scene, -20.0), hero_at(scene, 20.0)
        viewer = vision.add_viewer(first, view_range=10.0)
        vision.add_viewer(second, view_range=10.0, group=1)
        mask_of(base, vision)
        vision.remove_viewer(viewer)
        vision.remove_viewer(viewer)
        assert mask_of(base, vision).max() == 0.0
        assert mask_of(base, vision, 1).max() == 1.0
        second.remove_node()
        assert mask_of(base, vision, 1).max() == 0.0
        assert vision.viewers == []
        assert not vision.is_visible((20.0, 0.0), group=1)


def test_the_cone_turns_with_the_node(base: Any, scene: NodePath) -> None:
    with looking(base) as vision:
        hero = hero_at(scene, heading=-90.0)
        viewer = vision.add_viewer(hero, view_range=20.0, fov=60.0)
        assert vision.is_visible((10.0, 0.0))
        assert not vision.is_visible((0.0, 10.0))
        mask = mask_of(base, vision)
        assert mask[MASK_SIZE // 2, MASK_SIZE // 2 + 50] == 1.0
        assert mask[MASK_SIZE // 2 + 50, MASK_SIZE // 2] == 0.0
        hero.set_h(0.0)
        mask = mask_of(base, vision)
        assert mask[MASK_SIZE // 2 + 50, MASK_SIZE // 2] == 1.0
        assert mask[MASK_SIZE // 2, MASK_SIZE // 2 + 50] == 0.0
        viewer.fov = 360.0
        assert mask_of(base, vision)[MASK_SIZE // 2, MASK_SIZE // 2 + 50] == 1.0


def test_many_walls_by_the_map(base: Any, scene: NodePath) -> None:
    boxes = random_boxes(4)
    with looking(base, exact_limit=50) as vision:
        for node in build(boxes, scene):
            vision.add_wall(node)
        vision.add_viewer(hero_at(scene), view_range=50.0)
        mask = mask_of(base, vision)
        # That of the map, and that of the mask.
        assert vision.pass_count == 2
    wanted = expected(outlines(boxes), 0.0, 0.0, view_range=50.0)
    assert 100.0 * ((mask > 0.5) != wanted).mean() <= 0.03


def test_the_wall_depth(base: Any, scene: NodePath) -> None:
    with looking(base) as vision:
        vision.add_wall(wall_at(scene, 0.0, 5.0))
        vision.add_viewer(hero_at(scene), view_range=10.0)
        texture = vision.wall_depth
        assert texture is not None
        step(base, 1 + frames_behind(base))
        # As large as it says, so that U is the direction: Panda pads what is no power of two.
        assert (texture.get_x_size(), texture.get_pad_x_size()) == (720, 0)
        row = read_target(base, texture)[0, :, 0]
        assert abs(row[360] - 0.475) < 1e-3
        assert row[0] == row[180] == row[540] == 1.0


def test_the_rectangle(base: Any, scene: NodePath) -> None:
    """Elsewhere, and not square: what lies where is said by centre and size."""
    with looking(base, center=(1000.0, -500.0), size=(40.0, 20.0), mask_size=256) as vision:
        vision.add_wall(wall_at(scene, 1000.0, -495.0))
        vision.add_viewer(hero_at(scene, 1000.0, -500.0), view_range=9.0)
        mask = mask_of(base, vision)
    along_x = 1000.0 + ((np.arange(256) + 0.5) / 256 - 0.5) * 40.0
    along_y = -500.0 + ((np.arange(256) + 0.5) / 256 - 0.5) * 20.0
    points = np.stack(np.meshgrid(along_x, along_y), axis=-1).reshape(-1, 2)
    wanted = sees(points, (1000.0, -500.0), sides_of(1000.0, -495.0), 9.0).reshape(256, 256)
    assert wanted.any()
    assert ((mask > 0.5) != wanted).sum() <= 3


def test_settings_change(base: Any, scene: NodePath) -> None:
    with looking(base) as vision:
        vision.add_wall(wall_at(scene, 0.0, 5.0))
        vision.add_viewer(hero_at(scene), view_range=20.0)
        mask_of(base, vision)
        vision.set_config(VisionConfig(center=(5.0, 0.0)))
        moved = mask_of(base, vision)
        points = centres() + (5.0, 0.0)
        wanted = sees(points, (0.0, 0.0), sides_of(0.0, 5.0), 20.0).reshape(MASK_SIZE, MASK_SIZE)
        assert_seen(moved, wanted)
        vision.set_config(VisionConfig(mask_size=128))
        assert mask_of(base, vision).shape == (128, 128)


def test_what_comes_into_sight_and_goes(base: Any, scene: NodePath) -> None:
    heard: list[tuple[str, str]] = []
    for event in ("enter", "leave"):
        base.accept(
            f"rtstamp-vision-{event}", lambda node, event=event: heard.append((event, node.get_name()))
        )
    with looking(base) as vision:
        vision.add_wall(wall_at(scene, 0.0, 5.0))
        vision.add_viewer(hero_at(scene), view_range=20.0)
        enemy = scene.attach_new_node("enemy")
        enemy.set_pos(0.0, 8.0, 0.0)
        vision.watch(enemy)
        step(base, 2)
        assert heard == []
        assert vision.visible_nodes([enemy]) == []
        enemy.set_x(6.0)
        step(base, 2)
        assert heard == [("enter", "enemy")]
        assert vision.visible_nodes([enemy]) == [enemy]
        enemy.set_x(0.0)
        step(base, 2)
        assert heard == [("enter", "enemy"), ("leave", "enemy")]
        vision.unwatch(enemy)
        enemy.set_x(6.0)
        step(base, 2)
        assert len(heard) == 2
    base.ignore("rtstamp-vision-enter")
    base.ignore("rtstamp-vision-leave")


def test_bad_arguments(base: Any, scene: NodePath) -> None:
    hero = hero_at(scene)
    with looking(base) as vision:
        with pytest.raises(SurfaceError, match="no triangles"):
            vision.add_wall(hero)
        for wrong in (NodePath(), "wall", None):
            with pytest.raises(ConfigError):
                vision.add_wall(wrong)  # type: ignore[arg-type]
            with pytest.raises(ConfigError):
                vision.add_viewer(wrong, view_range=1.0)  # type: ignore[arg-type]
        for field, values in {
            "view_range": (0.0, -1.0, float("nan"), "far"),
            "fov": (0.0, 361.0, None),
            "strength": (-0.1, 1.1),
            "group": (-1, 256, 0.5),
            "eye_height": ("high", float("inf"), 1e308),
        }.items():
            for value in values:
                with pytest.raises(ConfigError, match=field):
                    vision.add_viewer(hero, **cast("dict[str, Any]", {"view_range": 1.0, field: value}))
        viewer = vision.add_viewer(hero, view_range=5.0)
        with pytest.raises(ConfigError, match="view_range"):
            viewer.view_range = 0.0
        assert viewer.view_range == 5.0
        for target in ((1.0,), (1.0, float("nan")), "here", NodePath()):
            with pytest.raises(ConfigError):
                vision.is_visible(target)
        for wrong_group in (-1, 256, "x", 1.5, None):
            for call in (vision.mask_of, vision.explored_of):
                with pytest.raises(ConfigError, match="group"):
                    call(cast("int", wrong_group))
            with pytest.raises(ConfigError, match="group"):
                vision.is_visible((0.0, 0.0), group=cast("int", wrong_group))
        for wrong_viewer in ("a", 0, hero):
            with pytest.raises(ConfigError, match="viewer must be"):
                vision.is_visible((0.0, 0.0), viewer=cast("Any", wrong_viewer))
            with pytest.raises(ConfigError, match="viewer must be"):
                vision.remove_viewer(cast("Any", wrong_viewer))
        for wrong_nodes in (None, hero):
            with pytest.raises(ConfigError, match="nodes must be"):
                vision.visible_nodes(cast("Any", wrong_nodes))
        with pytest.raises(ConfigError, match="node must be"):
            vision.unwatch(cast("Any", "x"))
        with pytest.raises(ConfigError, match="VisionConfig"):
            vision.set_config(None)  # type: ignore[arg-type]
    for fields in ({"mask_size": 100}, {"size": (0.0, 1.0)}, {"center": (1.0,)}, {"wall_columns": 3}):
        with pytest.raises(ConfigError, match=next(iter(fields))):
            VisionConfig(**cast("dict[str, Any]", fields))


def test_300_frames_of_motion(base: Any, scene: NodePath) -> None:
    """Doors, viewers and heights move in every frame: nothing grows."""
    objects = base.win.get_gsg().get_prepared_objects()

    def held() -> tuple[int, ...]:
        return (
            base.graphics_engine.get_num_windows(),
            objects.get_num_prepared_textures() + objects.get_num_queued_textures(),
            objects.get_num_prepared_shaders(),
            scene.find_all_matches("**").get_num_paths(),
        )

    with looking(base) as vision:
        doors = build(random_boxes(5), scene)
        for door in doors:
            vision.add_wall(door, moving=True)
        heroes = [hero_at(scene) for _ in range(3)]
        for hero in heroes:
            vision.add_viewer(hero, view_range=30.0, fov=200.0)
        assert vision.wall_depth is not None
        counts = []
        for frame in range(300):
            for number, hero in enumerate(heroes):
                hero.set_pos_hpr(
                    10.0 * np.sin(frame / 20 + number), 5.0 * number, frame / 100.0, 3.0 * frame, 0, 0
                )
            doors[frame % len(doors)].set_h(7.0 * frame)
            step(base)
            if frame in (50, 299):
                counts.append(held())
        assert vision.pass_count >= 2 * 299
    # A segment's texture and mesh go some frames after the next ones came.
    assert abs(counts[1][1] - counts[0][1]) <= 8
    assert counts[0][::2] == counts[1][::2]
    assert counts[0][3] == counts[1][3]


@pytest.mark.parametrize("scale", [(1, 1, 1), (-1, 1, 1), (1, 1, -1)])
def test_walls_show_themselves_and_nothing_behind_them(
    base: Any, scene: NodePath, scale: tuple[int, int, int]
) -> None:
    """However thick they are said to be: up to their back, mirrored ones too."""
    shown = []
    for thickness in (0.0, 0.3, 9.0):
        with looking(base, size=(25.0, 25.0), wall_thickness=thickness) as vision:
            for x in (-3.0, 2.0):
                wall = wall_at(scene, x, 5.0)
                wall.set_scale(*scale)
                vision.add_wall(wall)
            vision.add_viewer(hero_at(scene), view_range=12.0)
            shown.append(mask_of(base, vision) > 0.5)
            scene.get_children().detach()
    points = centres(extent=25.0).reshape(MASK_SIZE, MASK_SIZE, 2)
    # How far outside of the boxes, below 0 inside.
    outside = np.min(
        [np.max(np.abs(points - (middle, 5.0)) - (2.0, 0.25), axis=2) for middle in (-3.0, 2.0)], axis=0
    )
    inside, grown = outside < 0.0, outside < 25.0 / MASK_SIZE
    assert not (shown[1] ^ shown[0])[~grown].any()
    assert not (shown[2] ^ shown[0])[~grown].any()
    assert shown[2][inside].mean() > 0.98
    assert 0.5 < shown[1][inside].mean() < 0.8


def test_nodes_that_are_gone_are_not_told_of(base: Any, scene: NodePath) -> None:
    heard: list[float] = []

    def hear(node: NodePath) -> None:
        heard.append(node.get_x())

    base.accept("rtstamp-vision-enter", hear)
    base.accept("rtstamp-vision-leave", hear)
    with looking(base) as vision:
        hero = hero_at(scene)
        vision.add_viewer(hero, view_range=20.0)
        enemies = [hero_at(scene, x) for x in (3.0, 5.0)]
        for enemy in enemies:
            vision.watch(enemy)
            vision.watch(enemy)
            assert enemy.node().get_num_stashed() == 1
        del enemy
        step(base)
        assert heard == [3.0, 5.0]
        enemies.pop(0).remove_node()
        step(base)
        # Where threads still draw it, it has gone out of the world at first.
        assert heard[2:] in ([], [3.0])
        del heard[2:]
        hero.set_x(1000.0)
        step(base, 3)
        assert heard[2:] == [5.0]
        # Out of the world, and back.
        hero.set_x(0.0)
        step(base)
        enemies[0].detach_node()
        step(base)
        enemies[0].reparent_to(scene)
        step(base)
        assert heard[3:] == [5.0, 5.0, 5.0]
        vision.unwatch(enemies[0])
        assert enemies[0].node().get_num_stashed() == 0
    base.ignore("rtstamp-vision-enter")
    base.ignore("rtstamp-vision-leave")


def test_watching_costs_nothing_where_nothing_moves(
    base: Any, scene: NodePath, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    with looking(base) as vision:
        vision.add_viewer(hero_at(scene), view_range=20.0)
        door = wall_at(scene, 0.0, 5.0)
        vision.add_wall(door, moving=True)
        enemy = hero_at(scene, 0.0, 8.0)
        vision.watch(enemy)
        step(base)

        def counted(*args: Any) -> Bools:
            asked.append(1)
            return sight.visible(*args)

        monkeypatch.setattr(queries, "visible", counted)
        step(base, 5)
        assert asked == []
        for node in (door, enemy):
            node.set_x(9.0)
            step(base)
            assert len(asked) == 1
            asked.clear()


def test_a_viewer_out_of_the_world_sees_nothing(base: Any, scene: NodePath) -> None:
    with looking(base) as vision:
        hero = hero_at(scene)
        vision.add_viewer(hero, view_range=20.0)
        assert vision.is_visible((0.0, 3.0))
        hero.detach_node()
        assert not vision.is_visible((0.0, 3.0))
        assert mask_of(base, vision).max() == 0.0
        hero.reparent_to(scene)
        assert vision.is_visible((0.0, 3.0))
        hero.stash()
        assert not vision.is_visible((0.0, 3.0))


def test_a_viewer_that_looks_straight_down_has_no_direction(base: Any, scene: NodePath) -> None:
    """With a field of view it sees its own place alone."""
    with looking(base) as vision:
        hero = hero_at(scene)
        vision.add_viewer(hero, view_range=20.0, fov=90.0)
        for pitch in (-90.0, 90.0):
            hero.set_p(pitch)
            assert not any(vision.is_visible(place) for place in ((0, 5), (0, -5), (5, 0), (-5, 0)))
            assert vision.is_visible((0.0, 0.0))


def test_after_the_end_nothing_is_held(base: Any, scene: NodePath) -> None:
    vision = VisionMask(base)
    vision.destroy()
    nodes = [wall_at(scene, 0.0, 5.0), hero_at(scene), hero_at(scene), hero_at(scene)]
    vision.add_wall(nodes[0])
    vision.add_viewer(nodes[1], view_range=5.0)
    vision.clip(nodes[2])
    vision.dim(nodes[2])
    vision.bind(nodes[2])
    vision.watch(nodes[2])
    vision.follow(nodes[3])
    assert vision.viewers == []
    assert all(node.node().get_num_stashed() == 0 for node in nodes)


def test_the_games_own_handlers_may_fail(base: Any, scene: NodePath) -> None:
    """Loudly: it is theirs."""

    def fail(node: NodePath) -> None:
        raise RuntimeError("my own")

    base.accept("rtstamp-vision-enter", fail)
    with looking(base) as vision:
        vision.add_viewer(hero_at(scene), view_range=20.0)
        vision.watch(hero_at(scene, 3.0))
        with pytest.raises(RuntimeError, match="my own"):
            vision._tick(cast("Any", None))
        base.ignore("rtstamp-vision-enter")
