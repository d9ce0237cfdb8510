"""A mark that shows nothing changes nothing, and one that is gone leaves nothing: pixels, nodes, states.

What users do to a marked node stays as they did it.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from direct.actor.Actor import Actor
from panda3d.core import (
    BitMask32,
    ColorAttrib,
    CullFaceAttrib,
    GeomNode,
    GeomVertexData,
    GeomVertexReader,
    GeomVertexRewriter,
    NodePath,
    RenderState,
    ShaderAttrib,
    Texture,
    TransparencyAttrib,
)

from panda_rtstamp import StampSystem
from pictures import (
    PLAIN_FRAGMENT,
    PLAIN_VERTEX,
    assert_same_scene,
    changed,
    extent,
    flat_card,
    glsl,
    look_from,
    plain_shader,
    rgb,
    snapshot,
    stamps_on,
)
from support import NotifyLog, make_card, run_case, screenshot, step

CASE = Path(__file__).with_name("identity_case.py")
LAYOUT_WARNING = "give it a UV set"


@pytest.mark.parametrize(
    "renderer",
    [
        pytest.param("fixed"),
        pytest.param("simplepbr", marks=pytest.mark.profiles),
        pytest.param("simplepbr-msaa", marks=pytest.mark.profiles),
        pytest.param("generator", marks=pytest.mark.x11),
    ],
)
def test_the_frame_is_that_of_a_game_without_the_add_on(renderer: str, tmp_path: Path) -> None:
    without, with_marks = tmp_path / "without.npz", tmp_path / "with.npz"
    run_case(CASE, args=[renderer, "without", str(without)])
    run_case(CASE, args=[renderer, "with", str(with_marks)], allow=[LAYOUT_WARNING])
    reference = np.load(without)
    pictures = dict(np.load(with_marks))
    plain = reference["plain"]
    # There is something to see.
    assert len(np.unique(rgb(plain).reshape(-1, 3), axis=0)) > 500
    if renderer == "generator":
        assert changed(plain, reference["fixed"]).sum() > 1000
        del pictures["fixed"]
    for name, picture in pictures.items():
        if name.endswith("-visible"):
            assert changed(picture, plain).sum() > 1000, name
        else:
            assert picture.tobytes() == plain.tobytes(), (
                f"{name}: {changed(picture, plain).sum()} pixels differ"
            )
    assert len(pictures) == 11


# In one process: many models, displays and looks, and the scene graph too.


def make_smiley(base: Any, scene: NodePath) -> NodePath:
    """A textured ball below a turned node."""
    turned = scene.attach_new_node("turned")
    turned.set_hpr(30, 20, 10)
    model: NodePath = base.loader.load_model("models/smiley")
    model.reparent_to(turned)
    return model


def make_walker(base: Any, scene: NodePath) -> NodePath:
    """A skinned bear in the middle of a step."""
    bear = Actor("models/panda-model", {"walk": "models/panda-walk4"})
    bear.reparent_to(scene)
    bear.set_scale(0.003)
    bear.set_pos(0, 0, -1)
    bear.pose("walk", 9)
    return bear


def make_glass(base: Any, scene: NodePath) -> NodePath:
    """A transparent card before a white one."""
    flat_card(scene, 2.0).set_y(1.0)
    glass = flat_card(scene, 1.5, (0.2, 0.5, 1.0, 0.4))
    glass.set_transparency(TransparencyAttrib.M_alpha)
    return glass


def make_instances(base: Any, scene: NodePath) -> NodePath:
    """One of two places of the same model."""
    model = base.loader.load_model("models/smiley")
    places = [scene.attach_new_node(f"place-{number}") for number in range(2)]
    for number, place in enumerate(places):
        place.set_x(number * 2.0 - 1.0)
        place.set_scale(0.7)
        model.instance_to(place)
    return places[0]


def make_tagged(base: Any, scene: NodePath) -> NodePath:
    """All that a node can carry: tags, masks, states with overrides, stashed and hidden children."""
    model = make_smiley(base, scene)
    model.set_tag("own", "value")
    model.set_python_tag("object", [1, 2])
    model.set_collide_mask(BitMask32(0b1010))
    model.set_two_sided(True, 5)
    model.set_color_scale(0.9, 0.8, 0.7, 1.0, 3)
    model.set_shader_input("u_of_the_user", 3.0)
    model.attach_new_node("stashed").stash()
    model.attach_new_node("hidden").hide(BitMask32.bit(3))
    model.node().set_final(True)
    model.set_texture_off(2)
    return model


SUBJECTS: dict[str, Callable[[Any, NodePath], NodePath]] = {
    "smiley": make_smiley,
    "walker": make_walker,
    "glass": make_glass,
    "instances": make_instances,
    "tagged": make_tagged,
}


def hit_all_over(stamps: StampSystem, node: NodePath, **options: Any) -> None:
    """One red mark over all of a node."""
    center, size = extent(node)
    settings = {"radius": 2 * size, "color": (1, 0, 0), "hardness": 0.9, **options}
    assert stamps.hit(node, center, **settings) is not None


@pytest.mark.parametrize("look", ["paint", "tint", "glow"])
@pytest.mark.parametrize("subject", SUBJECTS)
def test_overlays_leave_no_trace(
    base: Any, scene: NodePath, notify: NotifyLog, subject: str, look: str
) -> None:
    notify.allow(LAYOUT_WARNING)
    node = SUBJECTS[subject](base, scene)
    leaves_no_trace(base, scene, node, display="overlay", look=look)


@pytest.mark.profiles
@pytest.mark.parametrize("look", ["paint", "tint", "glow"])
@pytest.mark.parametrize("display", ["overlay", "wrap"])
def test_marks_on_a_users_shader_leave_no_trace(
    base: Any, scene: NodePath, notify: NotifyLog, display: str, look: str
) -> None:
    notify.allow(LAYOUT_WARNING)
    node = make_tagged(base, scene)
    scene.set_shader(plain_shader())
    leaves_no_trace(base, scene, node, display=display, look=look)


@pytest.mark.x11
@pytest.mark.parametrize("subject", SUBJECTS)
def test_marks_under_the_shader_generator_leave_no_trace(
    base: Any, scene: NodePath, notify: NotifyLog, subject: str
) -> None:
    notify.allow(LAYOUT_WARNING)
    node = SUBJECTS[subject](base, scene)
    scene.set_shader_auto()
    leaves_no_trace(base, scene, node, display="overlay", look="paint")


def leaves_no_trace(base: Any, scene: NodePath, node: NodePath, **fields: Any) -> None:
    """Compare pictures and scenes: before, with marks of alpha 0, and after visible ones are gone."""
    look_from(base, (0, -6, 1))
    before = screenshot(base, frames=2)
    was, was_without_ours = snapshot(base.render), snapshot(base.render, ignore_overlays=True)
    with stamps_on(base, **fields) as stamps:
        for nothing in ({"opacity": 0.0}, {"color": (1, 0, 0, 0)}):
            hit_all_over(stamps, node, **nothing)
            assert screenshot(base).tobytes() == before.tobytes(), nothing
        if fields["display"] == "overlay":
            # All that is the user's own, but for the Geoms, which carry UVs of ours now.
            assert_same_scene(
                [without_geoms(one) for one in snapshot(base.render, ignore_overlays=True)],
                [without_geoms(one) for one in was_without_ours],
            )
        hit_all_over(stamps, node)
        assert changed(screenshot(base), before).sum() > 500
        stamps.start_fade_all(0.1)
        step(base, 7)
        assert stamps.active_count == 0
        assert screenshot(base).tobytes() == before.tobytes()
        assert_same_scene(snapshot(base.render), was)
    assert screenshot(base).tobytes() == before.tobytes()
    assert_same_scene(snapshot(base.render), was)


def without_geoms(one: Any) -> Any:
    """A snapshot's node without what tells its Geoms and their vertices apart."""
    kept = tuple(fact for fact in one.facts if not fact[0].startswith(("geom ", "vertices ")))
    return type(one)(one.path, kept)


@pytest.mark.parametrize("display", ["overlay", "wrap", "shader"])
def test_each_way_to_end_marks_leaves_no_trace(
    base: Any, scene: NodePath, notify: NotifyLog, display: str
) -> None:
    notify.allow(LAYOUT_WARNING)
    node = make_smiley(base, scene)
    node.set_shader(plain_shader())
    look_from(base, (0, -6, 1))
    before = screenshot(base)
    was = snapshot(base.render)
    for end in ("clear", "destroy", "evict"):
        with stamps_on(base, display=display, max_pool_size=1) as stamps:
            hit_all_over(stamps, node)
            step(base)
            if end == "clear":
                stamps.clear_all()
            elif end == "destroy":
                stamps.destroy()
            else:
                other = flat_card(scene, 0.1)
                other.set_y(500)
                assert stamps.hit(other, other.get_pos()) is not None
                other.remove_node()
            assert_same_scene(snapshot(base.render), was)
            assert screenshot(base).tobytes() == before.tobytes(), end


def test_bounds_and_collisions_stay_the_models(base: Any, scene: NodePath, notify: NotifyLog) -> None:
    notify.allow(LAYOUT_WARNING)
    node = make_smiley(base, scene)

    def facts() -> list[str]:
        masks = [str(part.node().get_into_collide_mask()) for part in user_geoms(node)]
        return [str(node.get_tight_bounds()), str(node.get_bounds()), str(node.get_collide_mask()), *masks]

    before = facts()
    with stamps_on(base) as stamps:
        hit_all_over(stamps, node)
        step(base)
        assert facts() == before


# What the user does to a marked node stands.


def move_vertices(node: NodePath) -> None:
    """Bend the model."""
    for path in user_geoms(node):
        part = path.node()
        assert isinstance(part, GeomNode)
        for index in range(part.get_num_geoms()):
            rows = GeomVertexRewriter(part.modify_geom(index).modify_vertex_data(), "vertex")
            while not rows.is_at_end():
                x, y, z = rows.get_data3()
                rows.set_data3(x * 0.5 + 0.3, y, z + 0.2 * x)


def user_geoms(node: NodePath) -> list[NodePath]:
    """The GeomNodes that a user knows of."""
    return [path for path in node.find_all_matches("**/+GeomNode") if not path.has_tag("rtstamp-overlay")]


def paint_geoms(node: NodePath) -> None:
    """Give every Geom another state."""
    for path in user_geoms(node):
        part = path.node()
        assert isinstance(part, GeomNode)
        for index in range(part.get_num_geoms()):
            state = RenderState.make(ColorAttrib.make_flat((0.2, 0.4, 0.8, 1)))
            part.set_geom_state(index, state)


def drop_a_geom(node: NodePath) -> None:
    """Take the first Geom away."""
    part = user_geoms(node)[0].node()
    assert isinstance(part, GeomNode)
    part.remove_geom(0)


def add_a_geom(node: NodePath) -> None:
    """Put a card among the Geoms."""
    part = user_geoms(node)[0].node()
    card = make_card(1.0, 3.0).node()
    assert isinstance(part, GeomNode)
    assert isinstance(card, GeomNode)
    part.add_geoms_from(card)


def swap_geom(node: NodePath) -> None:
    """Put a card in the place of a Geom."""
    part = user_geoms(node)[0].node()
    card = make_card(1.0, 3.0).node()
    assert isinstance(part, GeomNode)
    assert isinstance(card, GeomNode)
    part.set_geom(0, card.modify_geom(0))


def set_texture(node: NodePath) -> None:
    """Another texture, over all others."""
    texture = Texture("checks")
    texture.setup_2d_texture(2, 2, Texture.T_unsigned_byte, Texture.F_rgb)
    texture.set_ram_image(bytes([255, 0, 0, 0, 255, 0, 0, 0, 255, 200, 200, 200]))
    node.set_texture(texture, 5)


def set_shader(node: NodePath) -> None:
    """A shader of another colour, on the model and on its parts."""
    shader = glsl(PLAIN_VERTEX, PLAIN_FRAGMENT.replace("0.9, 0.8, 0.7", "0.2, 0.9, 0.3"))
    node.set_shader(shader)
    for path in user_geoms(node):
        path.set_shader(shader, 2)


def set_everything_else(node: NodePath) -> None:
    """Tags, masks, transform, colour scale, an effect, an input, children."""
    node.set_tag("mine", "yes")
    node.set_collide_mask(BitMask32(6))
    node.set_hpr(10, 20, 30)
    node.set_color_scale(0.5, 1, 0.5, 1)
    node.set_shader_input("u_mine", 2.0)
    node.set_attrib(CullFaceAttrib.make(CullFaceAttrib.M_cull_none))
    node.attach_new_node("child")
    for path in user_geoms(node):
        path.set_name(f"{path.get_name()}-renamed")
        path.set_shader_input("u_mine_too", 1.0)


EDITS: dict[str, Callable[[NodePath], object]] = {
    "vertices": move_vertices,
    "geom states": paint_geoms,
    "geom removed": drop_a_geom,
    "geom added": add_a_geom,
    "geom replaced": swap_geom,
    "texture": set_texture,
    "shader": set_shader,
    "the rest": set_everything_else,
    "flatten light": lambda node: node.flatten_light(),
    "flatten medium": lambda node: node.flatten_medium(),
    "flatten strong": lambda node: node.flatten_strong(),
    "clear model nodes": lambda node: (node.clear_model_nodes(), node.flatten_strong()),
}


def build_edited(base: Any, scene: NodePath) -> NodePath:
    """A model of several parts with transforms and colours that flattening works on."""
    root = scene.attach_new_node("edited")
    for number in range(3):
        part: NodePath = base.loader.load_model("models/smiley")
        part.reparent_to(root)
        part.set_pos(number * 1.2 - 1.2, 0, 0.3 * number)
        part.set_scale(0.7)
        part.set_color_scale(1.0, 1.0 - 0.2 * number, 1.0, 1.0)
    root.set_hpr(10, 0, 5)
    return root


def describe(node: NodePath) -> list[str]:
    """A node and all below it, by value: what two models that were treated alike have in common."""
    lines = []
    for path in [node, *node.find_all_matches("**")]:
        here = path.node()
        lines.append(
            f"{path} {here.get_type()} {here.get_state()} {here.get_transform()} {here.get_effects()} "
            f"{here.get_into_collide_mask()} {sorted(here.get_tag_keys())} {here.get_num_stashed()}"
        )
        if isinstance(here, GeomNode):
            lines += [describe_geom(here, index) for index in range(here.get_num_geoms())]
    return lines


def describe_geom(node: GeomNode, index: int) -> str:
    """A Geom's state, and its triangles with all their columns but ours."""
    geom = node.get_geom(index).decompose()
    vertices = geom.get_vertex_data()
    names = [name for name in ("vertex", "normal", "texcoord", "color") if vertices.has_column(name)]
    rows = []
    for name in names:
        reader = GeomVertexReader(vertices, name)
        data = [
            tuple(round(value, 5) for value in reader.get_data4()) for _ in range(vertices.get_num_rows())
        ]
        rows.append((name, data))
    # All triangles in their order; an unwrapped model has them in one primitive, where it had several.
    corners = [
        primitive.get_vertex(number)
        for primitive in geom.get_primitives()
        for number in range(primitive.get_num_vertices())
    ]
    triangles = [(name, [data[row] for row in corners]) for name, data in rows]
    return f"{node.get_geom_state(index)} {triangles}"


@pytest.mark.parametrize("display", ["overlay", "wrap", "shader"])
@pytest.mark.parametrize("edit", EDITS)
def test_what_users_do_to_a_marked_node_stands(
    base: Any, scene: NodePath, notify: NotifyLog, edit: str, display: str
) -> None:
    notify.allow(LAYOUT_WARNING)
    look_from(base, (0, -6, 1))
    scene.set_shader(plain_shader())
    # First without any marks.
    reference = build_edited(base, scene)
    screenshot(base)
    EDITS[edit](reference)
    expected = screenshot(base)
    described = describe(reference)
    reference.remove_node()
    # Then in the middle of a mark's life.
    node = build_edited(base, scene)
    before = screenshot(base)
    if edit not in ("flatten light", "flatten medium", "flatten strong", "clear model nodes"):
        assert changed(expected, before).any()
    with stamps_on(base, display=display) as stamps:
        hit_all_over(stamps, node, opacity=0.5)
        step(base)
        EDITS[edit](node)
        step(base, 2)
        stamps.clear_all()
        assert screenshot(base).tobytes() == expected.tobytes()
        assert describe(node) == described
    step(base)
    assert describe(node) == described


@pytest.mark.parametrize("edit", EDITS)
def test_a_node_that_was_edited_can_be_hit_again(
    base: Any, scene: NodePath, notify: NotifyLog, edit: str
) -> None:
    """During the mark's life and after, a new mark shows on what the node is now."""
    notify.allow(LAYOUT_WARNING)
    look_from(base, (0, -6, 1))
    node = build_edited(base, scene)
    with stamps_on(base) as stamps:
        hit_all_over(stamps, node, opacity=0.5)
        step(base)
        EDITS[edit](node)
        step(base, 2)
        stamps.clear_all()
        plain = screenshot(base)
        hit_all_over(stamps, node)
        marked = screenshot(base)
        assert changed(marked, plain).sum() > 500
        stamps.clear_all()
        assert screenshot(base).tobytes() == plain.tobytes()


def test_a_writer_that_was_at_work_before_the_hit_goes_on(base: Any, scene: NodePath) -> None:
    """A game may hold its vertex data and write to it while there are marks: that shows at last."""
    look_from(base, (0, -6, 0))
    card, own = card_and_vertices(scene)
    squeeze(own)
    expected = screenshot(base)
    card.remove_node()
    card, own = card_and_vertices(scene)
    before = screenshot(base)
    with stamps_on(base) as stamps:
        hit_all_over(stamps, card)
        step(base)
        squeeze(own)
        stamps.clear_all()
        assert screenshot(base).tobytes() == expected.tobytes()
    assert changed(expected, before).any()


def card_and_vertices(scene: NodePath) -> tuple[NodePath, GeomVertexData]:
    """A card, and its vertex data as the one who made it holds it."""
    card = flat_card(scene, 2.0)
    part = card.node()
    assert isinstance(part, GeomNode)
    return card, part.modify_geom(0).modify_vertex_data()


def squeeze(vertices: GeomVertexData) -> None:
    """Make a card narrower."""
    rows = GeomVertexRewriter(vertices, "vertex")
    while not rows.is_at_end():
        x, y, z = rows.get_data3()
        rows.set_data3(x * 0.5, y, z)


def test_inputs_that_a_user_sets_meanwhile_stay(base: Any, scene: NodePath, notify: NotifyLog) -> None:
    """Under `shader` our inputs are on the user's node: they alone go."""
    notify.allow(LAYOUT_WARNING)
    node = make_smiley(base, scene)
    node.set_shader_input("u_before", 1.0)
    with stamps_on(base, display="shader") as stamps:
        hit_all_over(stamps, node)
        step(base)
        node.set_shader_input("u_meanwhile", 2.0)
        stamps.clear_all()
    attrib = node.get_attrib(ShaderAttrib)
    assert isinstance(attrib, ShaderAttrib)
    names = ("u_before", "u_meanwhile", "rtstamp_temp", "rtstamp_fade", "rtstamp_live")
    assert [attrib.has_shader_input(name) for name in names] == [True, True, False, False, False]
