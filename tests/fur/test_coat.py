"""A coat on a model: what it adds to the scene, what it leaves alone, and that it goes without a trace."""

from typing import Any

import numpy as np
import pytest
from panda3d.core import (
    BitMask32,
    BoundingSphere,
    ColorAttrib,
    CullFaceAttrib,
    FrameBufferProperties,
    GeomNode,
    GraphicsOutput,
    LineSegs,
    LMatrix4,
    LODNode,
    Material,
    NodePath,
    OrthographicLens,
    RenderState,
    Texture,
    TransparencyAttrib,
)

from fur_support import ONE, SOLID, area, counts_of, shells_of, white_sphere
from panda_rtstamp.core import paths
from panda_rtstamp.core import shader as core_shader
from panda_rtstamp.core.geometry import column, triangles, with_triangles
from panda_rtstamp.core.log import forget
from panda_rtstamp.errors import ConfigError
from panda_rtstamp.fur import upkeep
from panda_rtstamp.fur.coat import FurCoat
from panda_rtstamp.fur.config import FurConfig
from panda_rtstamp.fur.levels import LIMITS, STATIC
from pictures import assert_same_scene, look_from, snapshot
from shapes import make_geom, make_node, sphere
from support import NotifyLog, make_card, prc, read_target, screenshot, step

pytestmark = pytest.mark.profiles


@pytest.fixture
def ball(base: Any, scene: NodePath) -> NodePath:
    return white_sphere(base, scene)


def two_sections(scene: NodePath) -> NodePath:
    """A ball of two Geoms: the left half of 'Skin', the right half of 'Fleece'."""
    whole = sphere(uvs=True, across=64, along=32).node()
    assert isinstance(whole, GeomNode)
    geom = whole.get_geom(0)
    vertices = geom.get_vertex_data()
    corners = triangles(geom)
    points = column(vertices, "vertex")
    assert points is not None
    x = points[:, 0].astype(float)[corners].mean(axis=1)
    node = GeomNode("halves")
    for name, kept in (("Skin", x < 0), ("Fleece", x >= 0)):
        node.add_geom(with_triangles(geom, vertices, corners[kept]))
        material = Material(name)
        material.set_diffuse((1, 1, 1, 1))
        state = NodePath("state")
        state.set_material(material)
        node.set_geom_state(node.get_num_geoms() - 1, state.get_state())
    return scene.attach_new_node(node)


# What it adds.


@pytest.mark.parametrize("layers", [1, 6, 12, 40])
def test_one_geom_more_at_any_count(base: Any, ball: NodePath, layers: int) -> None:
    node = ball.node()
    assert isinstance(node, GeomNode)
    assert isinstance(node, GeomNode)
    with FurCoat(ball, FurConfig(parent=ONE, layers=layers, limits=(64,))) as coat:
        (shell,) = (path.node() for path in shells_of(ball))
        assert isinstance(shell, GeomNode)
        assert counts_of(ball) == [layers] == [coat.layers_at(0)]
        assert shell.get_num_geoms() == 1
        # Nothing is copied: the Geom and its vertices are the model's own.
        assert shell.get_geom(0) == node.get_geom(0)


def test_one_geom_more_for_each_section(base: Any, scene: NodePath) -> None:
    model = two_sections(scene)
    drawn = []
    for layers in (0, 1, 12):
        with FurCoat(model, FurConfig(layers=layers, bands=())):
            nodes = [path.node() for path in (model, *shells_of(model))]
            drawn.append(sum(node.get_num_geoms() for node in nodes if isinstance(node, GeomNode)))
    assert drawn == [2, 4, 4]


def test_a_sections_fur_is_on_it_alone(base: Any, scene: NodePath) -> None:
    white_sphere(base, scene).remove_node()
    model = two_sections(scene)
    bare = screenshot(base)
    with FurCoat(model, ONE, section="Fleece") as coat:
        assert [str(key) for key in coat.sections] == ["Fleece"]
        furry = screenshot(base)
    assert (furry[:, :125] == bare[:, :125]).all()
    assert area(furry) == pytest.approx((area(bare) + np.pi * 1.2**2) / 2, rel=0.015)


def test_reordered_slots_keep_their_fur(base: Any, scene: NodePath) -> None:
    white_sphere(base, scene).remove_node()
    model = two_sections(scene)
    node = model.node()
    assert isinstance(node, GeomNode)
    with FurCoat(model, ONE, section="Fleece") as coat:
        before = screenshot(base)
        geoms = [(node.modify_geom(index).make_copy(), node.get_geom_state(index)) for index in (1, 0)]
        node.remove_all_geoms()
        for geom, state in geoms:
            node.add_geom(geom, state)
        coat.refresh()
        assert (screenshot(base) == before).all()


@pytest.mark.threads
def test_a_section_has_its_own_switch_look_and_bias(base: Any, scene: NodePath) -> None:
    model = two_sections(scene)
    with FurCoat(model, FurConfig(parent=ONE, layers=8)) as coat:
        assert counts_of(model) == [8, 8]
        coat.set_config(FurConfig(layer_bias=-5), "Skin")
        assert sorted(counts_of(model)) == [3, 8]
        assert (coat.layers_at(0, "Skin"), coat.layers_at(0, "Fleece")) == (3, 8)
        coat.set_config(FurConfig(enabled=False), "Skin")
        assert counts_of(model) == [8]
        coat.set_config(FurConfig(), "Skin")
        coat.set_config(FurConfig(parent=ONE, layers=4))
        assert counts_of(model) == [4, 4]


# What it leaves alone.


@pytest.mark.threads
def test_all_is_as_found_after_destroy(base: Any, scene: NodePath) -> None:
    model = two_sections(scene)
    look_from(base, (1, -5, 2))
    picture, before = screenshot(base), snapshot(scene)
    coat = FurCoat(model, FurConfig(length=0.3))
    assert not (screenshot(base) == picture).all()
    coat.destroy()
    coat.destroy()
    assert_same_scene(snapshot(scene), before)
    assert (screenshot(base) == picture).all()
    assert not coat.alive


def test_the_base_is_left_alone_while_it_has_a_coat(base: Any, scene: NodePath) -> None:
    model = two_sections(scene)
    before = snapshot(scene, ignore_overlays=True)
    with FurCoat(model, FurConfig(length=0.3)):
        step(base)
        assert_same_scene(snapshot(scene, ignore_overlays=True), before)


def test_nothing_is_drawn_if_the_shader_does_not_compile(
    base: Any, ball: NodePath, notify: NotifyLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    bare = screenshot(base)
    read = paths.read_shader_source

    def broken(name: str) -> str | None:
        text = read(name)
        return f"{text}\nthis is no GLSL\n" if name == "fur/shell.frag" else text

    monkeypatch.setattr(core_shader, "read_shader_source", broken)
    notify.allow("no coats are drawn: rtstamp/fur/shell.frag does not compile")
    notify.allow("rtstamp/fur/shell.frag:\\d+: error|An error occurred while compiling GLSL fragment shader")
    forget("fur shader")
    with FurCoat(ball, ONE):
        assert shells_of(ball) == []
        assert (screenshot(base) == bare).all()
    assert "no coats are drawn" in notify.text


def test_depth_is_the_bases_alone(base: Any, ball: NodePath) -> None:
    """So no shadow map changes."""
    depth = Texture("depth")
    depth.set_format(Texture.F_depth_component32)
    buffer = base.win.make_texture_buffer("light", 256, 256, depth, False, _depth_bits())
    buffer.clear_render_textures()
    buffer.add_render_texture(depth, GraphicsOutput.RTM_bind_or_copy, GraphicsOutput.RTP_depth)
    eye = base.make_camera(buffer, lens=OrthographicLens())
    eye.set_pos(base.render, 2, -10, 3)
    eye.look_at(base.render, 0, 0, 0)
    eye.node().get_lens().set_film_size(3, 3)
    try:
        step(base, 2)
        before = read_target(base, depth)
        with FurCoat(ball, FurConfig(length=0.3)):
            step(base, 2)
            after = read_target(base, depth)
    finally:
        base.graphics_engine.remove_window(buffer)
        eye.remove_node()
    assert before.min() < 0.9
    assert (before == after).all()


def _depth_bits() -> Any:
    properties = FrameBufferProperties()
    properties.set_depth_bits(32)
    properties.set_rgba_bits(8, 8, 8, 8)
    return properties


def test_nothing_collides_with_a_coat(base: Any, ball: NodePath) -> None:
    ball.set_collide_mask(BitMask32.bit(3))
    with FurCoat(ball, ONE):
        assert [path.get_collide_mask() for path in shells_of(ball)] == [BitMask32.all_off()]


def test_what_the_model_forces_leaves_the_coat_alone(base: Any, ball: NodePath) -> None:
    thin = FurConfig(parent=ONE, density=0.4, taper=0.5)
    with FurCoat(ball, thin):
        expected = screenshot(base)
    ball.set_depth_write(True, 500)
    ball.set_transparency(TransparencyAttrib.M_none, 500)
    with FurCoat(ball, thin):
        assert (screenshot(base) == expected).all()


def test_points_and_lines_have_no_coat(base: Any, scene: NodePath) -> None:
    lines = LineSegs()
    lines.draw_to(1, 0, 0)
    path = scene.attach_new_node(lines.create())
    with FurCoat(path, ONE) as coat:
        assert coat.sections == ()
        assert shells_of(path) == []


# What it follows.


def test_a_base_off_screen_has_its_fur_drawn(base: Any, ball: NodePath) -> None:
    ball.set_x(1.4 + 1.0 + 0.05)
    assert area(screenshot(base)) == 0.0
    with FurCoat(ball, FurConfig(parent=ONE, length=0.4)):
        assert area(screenshot(base)) > 0.1
    assert area(screenshot(base)) == 0.0
    # Here all of the base's bounds are out of view, which reach farther than the base.
    ball.set_x(1.4 + 2.0)
    bounds = ball.get_bounds()
    assert isinstance(bounds, BoundingSphere)
    assert bounds.get_radius() < 2.0
    node = ball.node()
    assert isinstance(node, GeomNode)
    # Of one Geom alone, Panda does not look at the bounds.
    twin = node.make_copy()
    assert isinstance(twin, GeomNode)
    node.add_geoms_from(twin)
    with FurCoat(ball, FurConfig(parent=ONE, length=2.5)):
        assert area(screenshot(base)) > 0.1


@pytest.mark.threads
def test_reparenting_shows_no_bare_frame(base: Any, ball: NodePath, scene: NodePath) -> None:
    with FurCoat(ball, ONE):
        before = screenshot(base)
        for _ in range(3):
            ball.reparent_to(scene.attach_new_node("other"))
            assert (screenshot(base) == before).all()


@pytest.mark.parametrize("reverse", [False, True])
def test_it_culls_as_its_base(base: Any, ball: NodePath, reverse: bool) -> None:
    """Mirrored, a model shows its back faces, unless it says otherwise."""
    ball.set_sx(-1)
    if reverse:
        ball.set_attrib(CullFaceAttrib.make_reverse())
    with FurCoat(ball, FurConfig(parent=ONE, color=(1, 0, 0))):
        (shell,) = shells_of(ball)
        # The far half of the coat is behind the base, but for a ring.
        middle = screenshot(base)[128, 128, :3].tolist()
        states = [path.get_net_state() for path in (shell, ball)]
        assert states[0].get_attrib(CullFaceAttrib) == states[1].get_attrib(CullFaceAttrib)
    assert middle == ([255, 0, 0] if reverse else [255, 255, 255])


@pytest.mark.threads
def test_one_layer_works_and_can_be_switched_off(base: Any, ball: NodePath) -> None:
    bare = screenshot(base)
    with FurCoat(ball, FurConfig(parent=ONE, layers=1)) as coat:
        furry = screenshot(base)
        assert area(furry) == pytest.approx(np.pi * 1.2**2, rel=0.01)
        coat.set_config(FurConfig(parent=ONE, layers=0))
        assert (screenshot(base) == bare).all()
        coat.set_config(FurConfig(parent=ONE, layers=1))
        coat.enabled = False
        assert (screenshot(base) == bare).all()
        coat.enabled = True
        assert (screenshot(base) == furry).all()


@pytest.mark.threads
def test_the_switches_work_at_any_time(base: Any, ball: NodePath) -> None:
    bare = screenshot(base)
    with FurCoat(ball, ONE):
        furry = screenshot(base)
        with prc("rtstamp-fur-static false"):
            assert (screenshot(base) == bare).all()
            assert counts_of(ball) == [12]
            with FurCoat(ball, ONE):
                assert (screenshot(base) == bare).all()
        with prc("rtstamp-fur-actors false"):
            assert (screenshot(base) == furry).all()
        assert (screenshot(base) == furry).all()


def test_refresh_takes_over_what_changed_and_no_more(base: Any, scene: NodePath) -> None:
    left, right = two_sections(scene), two_sections(scene)
    right.set_name("other")
    with FurCoat(scene, ONE) as coat:
        before = {str(path): path.node() for path in shells_of(scene)}
        coat.refresh()
        assert {str(path): path.node() for path in shells_of(scene)} == before
        kept = [path.node() for path in shells_of(left)]
        right.set_texture(Texture("new"))
        columns = {"vertex": np.eye(3), "normal": np.eye(3)}
        fresh = make_node("fresh", make_geom(columns, np.array([[0, 1, 2]])))
        fresh.reparent_to(scene)
        coat.refresh()
        assert [path.node() for path in shells_of(left)] == kept
        assert len(shells_of(fresh)) == 1
        assert not set(map(id, kept)) & {id(path.node()) for path in shells_of(right)}


def test_a_change_of_inputs_makes_nothing_anew(base: Any, scene: NodePath) -> None:
    model = two_sections(scene)
    config = FurConfig(length=0.2, gravity=0.9, color=(1, 0, 0), root_darkening=0.1)
    with FurCoat(model, FurConfig(length=0.2)) as coat:
        before = {str(path): path.node() for path in shells_of(model)}
        coat.set_config(config)
        assert {str(path): path.node() for path in shells_of(model)} == before
        changed = screenshot(base)
    with FurCoat(model, config):
        assert (screenshot(base) == changed).all()


def test_instances_share_a_coat(base: Any, ball: NodePath, scene: NodePath) -> None:
    ball.set_scale(0.3)
    places = [scene.attach_new_node("place") for _ in range(2)]
    for place, x in zip(places, (-0.7, 0.7), strict=True):
        place.set_x(x)
        ball.instance_to(place)
    ball.detach_node()
    with FurCoat(places[0], ONE):
        picture = screenshot(base)
    for half in (picture[:, :128], picture[:, 128:]):
        assert half[..., 1].sum() / 255 * (2.8 / 256) ** 2 == pytest.approx(np.pi * 0.5**2, rel=0.02)


def test_of_instances_its_own_one_swings_a_coat(base: Any, ball: NodePath, scene: NodePath) -> None:
    places = [scene.attach_new_node("place") for _ in range(2)]
    instances = [ball.instance_to(place) for place in places]
    ball.detach_node()
    for instance, place, other in zip(instances, places, reversed(places), strict=True):
        with FurCoat(instance, FurConfig(parent=SOLID, largest_bend=1.0)) as coat:
            step(base, 2)
            other.set_x(other, 1.0)
            step(base, 2)
            assert np.array(coat._motion.lag[0]).any() == np.False_
            place.set_x(place, 1.0)
            step(base, 2)
            assert np.array(coat._motion.lag[0]).any()


# Levels of detail.


def test_levels_of_detail_have_their_counts(base: Any, scene: NodePath) -> None:
    levels = NodePath(LODNode("levels"))
    levels.reparent_to(scene)
    # The coarsest first, as some models have them.
    for near, far in ((40, 1000), (10, 20), (0, 10), (20, 40)):
        sphere(uvs=True, across=8, along=4).reparent_to(levels)
        levels.node().add_switch(far, near)
    with FurCoat(levels, FurConfig(layers=12)) as coat:
        assert counts_of(levels) == [3, 6, 12, 4]
        assert [coat.layers_at(level) for level in range(4)] == [12, 6, 4, 3]
        with prc("rtstamp-fur-profile mobile"):
            for _ in range(2):
                coat.refresh()
                assert [coat.layers_at(level) for level in (1, 2, 3)] == [12, 6, 4]
                assert counts_of(levels) == [4, 12, 12, 6]
        LIMITS.set_limits(STATIC, [9, 2])
        try:
            coat.refresh()
            assert counts_of(levels) == [2, 2, 9, 2]
        finally:
            LIMITS.set_limits(STATIC, None)
        coat.set_config(FurConfig(limits=(5, 4, 12)))
        assert counts_of(levels) == [4, 4, 5, 4]


@pytest.mark.threads
def test_bands_of_distance(base: Any, ball: NodePath) -> None:
    config = FurConfig(parent=SOLID, bands=(20.0, 40.0), limits=(12, 4, 0), length=0.2)
    with FurCoat(ball, config):
        (choice,) = {path.get_parent() for path in shells_of(ball)}
        node = choice.node()
        assert isinstance(node, LODNode)
        assert sorted(counts_of(ball)) == [4, 12]
        assert [(node.get_out(number), node.get_in(number)) for number in range(2)] == [(0, 20), (20, 40)]
        for distance, furry in ((15, True), (30, True), (45, False)):
            base.cam.set_y(base.render, -distance)
            assert area(screenshot(base)) == pytest.approx(np.pi * (1.44 if furry else 1.0), rel=0.01)


def test_bands_that_do_not_differ_are_one(base: Any, ball: NodePath) -> None:
    with FurCoat(ball, FurConfig(layers=4, limits=(12, 8, 4, 2))):
        assert sorted(counts_of(ball)) == [2, 4]
    with FurCoat(ball, FurConfig(limits=(5,))):
        assert counts_of(ball) == [5]
        assert not isinstance(shells_of(ball)[0].get_parent().node(), LODNode)


# Its end.


def test_it_ends_with_its_node(base: Any, scene: NodePath) -> None:
    ball = sphere(uvs=True, across=8, along=4)
    ball.reparent_to(scene)
    coat = FurCoat(ball, FurConfig(length=0.1))
    step(base)
    ball.remove_node()
    del ball
    step(base)
    assert not coat.alive
    assert coat.node.is_empty()
    assert coat not in upkeep.UPKEEP._coats
    coat.refresh()
    coat.set_config(FurConfig())


def test_what_does_not_move_is_swept_too(base: Any, scene: NodePath) -> None:
    ball = sphere(uvs=True, across=8, along=4)
    ball.reparent_to(scene)
    coat = FurCoat(ball, FurConfig(largest_bend=0.0))
    ball.remove_node()
    del ball
    with FurCoat(sphere(uvs=True, across=8, along=4)):
        assert coat not in upkeep.UPKEEP._coats


WRONG: list[dict[str, Any]] = [
    {"node": None},
    {"node": NodePath()},
    {"config": 3},
    {"section": "Beak"},
    {"section": 1},
    {"section": ""},
    {"section": []},
]


@pytest.mark.parametrize("arguments", WRONG, ids=str)
def test_wrong_arguments_are_refused(base: Any, scene: NodePath, arguments: dict[str, Any]) -> None:
    model = two_sections(scene)
    before = snapshot(scene)
    with pytest.raises(ConfigError):
        FurCoat(**{"node": model, **arguments})
    assert_same_scene(snapshot(scene), before)


def test_a_wrong_change_changes_nothing(base: Any, scene: NodePath) -> None:
    with FurCoat(two_sections(scene), FurConfig(layers=5)) as coat:
        before = snapshot(scene)
        changes: list[tuple[Any, ...]] = [(3,), (FurConfig(), "Beak"), (None, 1)]
        for arguments in changes:
            with pytest.raises(ConfigError):
                coat.set_config(*arguments)
        marks: list[dict[str, Any]] = [
            {"texture": 3}, {"texture": Texture(), "cut": 2.0}, {"texture": Texture(), "column": "two words"},
            {"texture": Texture(), "inputs": {"u_cut": 1.0}}, {"texture": Texture(), "inputs": [1.0]},
        ]  # fmt: skip
        for options in marks:
            with pytest.raises(ConfigError):
                coat.set_marks(**options)
        assert_same_scene(snapshot(scene), before)


def test_a_tag_that_is_wrong_changes_nothing(base: Any, ball: NodePath) -> None:
    with FurCoat(ball, ONE) as coat:
        before, drawn = coat.config, screenshot(base)
        ball.set_tag("rtstamp-fur-gloss", "much")
        with pytest.raises(ConfigError, match="rtstamp-fur-gloss"):
            coat.set_config(FurConfig(length=0.4))
        with pytest.raises(ConfigError, match="rtstamp-fur-gloss"):
            coat.set_config(FurConfig(length=0.4), coat.sections[0])
        with pytest.raises(ConfigError, match="rtstamp-fur-gloss"):
            coat.set_marks(Texture("marks"))
        ball.clear_tag("rtstamp-fur-gloss")
        coat.refresh()
        assert coat.config is before
        assert coat.section_config(coat.sections[0]) == FurConfig()
        assert (screenshot(base) == drawn).all()


@pytest.mark.parametrize("level", [-1, 65, 1.5, "0", None, True])
def test_levels_are_whole_numbers(base: Any, ball: NodePath, level: Any) -> None:
    with FurCoat(ball, ONE) as coat, pytest.raises(ConfigError, match="level"):
        coat.layers_at(level)


@pytest.mark.profiles
@pytest.mark.parametrize("scale", [(0, 0, 0), (0, 1, 1), (1, 0, 1), (1, 1, 0)])
def test_what_is_squeezed_flat_can_have_a_coat(base: Any, ball: NodePath, scale: Any) -> None:
    """Also marks: Panda raises out of its own task at shaders that ask it for a matrix of normals."""
    with FurCoat(ball, ONE) as coat:
        drawn = screenshot(base)
        ball.set_scale(*scale)
        step(base, 2)
        ball.set_scale(1)
        assert (screenshot(base) == drawn).all()
        assert coat.alive


def test_made_flat_it_is_as_long_as_it_says_when_grown(base: Any, ball: NodePath) -> None:
    with FurCoat(ball, ONE):
        expected = screenshot(base)
    ball.set_scale(0)
    with FurCoat(ball, ONE):
        ball.set_scale(1)
        assert (screenshot(base) == expected).all()


def test_states_that_are_gone_are_no_sections(base: Any, ball: NodePath) -> None:
    node = ball.node()
    assert isinstance(node, GeomNode)
    with FurCoat(ball, ONE) as coat:
        for shade in range(5):
            node.set_geom_state(0, RenderState.make(ColorAttrib.make_flat((shade / 5, 0, 0, 1))))
            coat.refresh()
        assert len(coat.sections) == 1


def test_moved_nodes_are_not_made_anew(base: Any, ball: NodePath) -> None:
    with FurCoat(ball, ONE) as coat:
        (made,) = shells_of(ball)
        for number in range(20):
            ball.set_hpr(number * 17.3, number * 31.7, number * 5.1)
            coat.refresh()
            assert shells_of(ball) == [made]


def test_seen_in_parallel_a_flat_coat_is_even(base: Any, scene: NodePath) -> None:
    card = make_card(20.0, 20.0)
    card.reparent_to(scene)
    card.set_y(10.0)
    lens = OrthographicLens()
    lens.set_film_size(10, 10)
    base.cam.node().set_lens(lens)
    base.win.set_clear_color((0, 0, 0, 1))
    with FurCoat(card, FurConfig(parent=ONE, density=0.5, spacing=10.0, length=0.01)):
        seen = screenshot(base)[..., 0].astype(float)
    blocks = seen.reshape(4, 64, 4, 64).mean(axis=(1, 3))
    assert np.ptp(blocks) <= 0.02 * blocks.mean()


def test_a_node_without_geometry_has_no_coat(base: Any, scene: NodePath) -> None:
    with FurCoat(scene.attach_new_node("empty")) as coat:
        assert coat.sections == ()


def test_geometry_that_was_changed_in_place_is_taken_over(base: Any, ball: NodePath) -> None:
    node = ball.node()
    assert isinstance(node, GeomNode)
    assert isinstance(node, GeomNode)
    with FurCoat(ball, ONE) as coat:
        vertices = node.modify_geom(0).modify_vertex_data()
        vertices.transform_vertices(LMatrix4.scale_mat(0.5))
        coat.refresh()
        (shell,) = (path.node() for path in shells_of(ball))
        assert isinstance(shell, GeomNode)
        assert shell.get_geom(0).get_vertex_data() == node.get_geom(0).get_vertex_data()
        assert area(screenshot(base)) == pytest.approx(np.pi * 0.7**2, rel=0.01)
