"""Whatever state a scene puts on a model, its capture is the same: a mark is a matter of shape alone."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from panda3d.core import (
    AlphaTestAttrib,
    AntialiasAttrib,
    AuxBitplaneAttrib,
    BitMask32,
    BoundingSphere,
    Camera,
    ClipPlaneAttrib,
    ColorAttrib,
    ColorBlendAttrib,
    ColorScaleAttrib,
    ColorWriteAttrib,
    CullBinAttrib,
    CullFaceAttrib,
    DepthOffsetAttrib,
    DepthTestAttrib,
    DepthWriteAttrib,
    DirectionalLight,
    Fog,
    FogAttrib,
    GeomNode,
    LightAttrib,
    LightRampAttrib,
    LODNode,
    LogicOpAttrib,
    Material,
    MaterialAttrib,
    NodePath,
    PandaNode,
    Plane,
    PlaneNode,
    Point3,
    RenderAttrib,
    RenderModeAttrib,
    ScissorAttrib,
    SequenceNode,
    ShadeModelAttrib,
    ShaderAttrib,
    StencilAttrib,
    SwitchNode,
    TexGenAttrib,
    TexMatrixAttrib,
    Texture,
    TextureAttrib,
    TextureStage,
    TransformState,
    TransparencyAttrib,
    Vec4,
)

from pictures import Floats, flat_card, glsl, look_from, stamps_on
from stamp_support import card_points, mask_formula
from support import NotifyLog, compare_images, step

# Games force things on everything with overrides such as this; captures stand above.
FORCED = 100_000
SHOTS = (((0.1, -0.95, 0.2), (1.0, 0.2, 0.1)), ((0.5, -0.8, -0.1), (0.1, 0.4, 0.9)))
RADIUS = 0.6

GREY_FRAGMENT = """#version 330
out vec4 o_color;
void main() {
    o_color = vec4(0.3);
}
"""
NOWHERE_VERTEX = """#version 330
in vec4 p3d_Vertex;
void main() {
    gl_Position = vec4(p3d_Vertex.xyz * 0.01 + vec3(5.0), 1.0);
}
"""


@pytest.fixture
def model(base: Any, scene: NodePath, notify: NotifyLog) -> NodePath:
    """A ball with UVs, two nodes below render, in front of the camera."""
    result: NodePath = base.loader.load_model("models/smiley")
    result.reparent_to(scene.attach_new_node("parent"))
    result.set_tag("rtstamp-resolution", "256")
    look_from(base, (0, -5, 0))
    return result


def capture(base: Any, node: NodePath) -> Floats:
    """What two hits make of a node."""
    with stamps_on(base, display="none") as stamps:
        for point, color in SHOTS:
            assert stamps.hit(node, point, other=node, radius=RADIUS, color=color) is not None
        step(base)
        image = stamps.image(node)
        assert image is not None
        return image.astype(np.float64)


@pytest.fixture(scope="module")
def clean(base: Any) -> Floats:
    """The capture of the ball alone."""
    ball: NodePath = base.loader.load_model("models/smiley")
    ball.reparent_to(base.render)
    ball.set_tag("rtstamp-resolution", "256")
    result = capture(base, ball)
    ball.remove_node()
    assert (result[..., 3] > 0.5).sum() > 500
    return result


def fog() -> Fog:
    """Fog in which nothing is seen."""
    result = Fog("thick")
    result.set_exp_density(1.0)
    return result


def plane_attrib(node: NodePath) -> RenderAttrib:
    """A clip plane through the middle of the marks; it must hang somewhere."""
    plane = node.get_top().find("scene").attach_new_node(PlaneNode("plane", Plane(0, 0, 1, -0.15)))
    return ClipPlaneAttrib.make().add_on_plane(plane)


def light_attrib(node: NodePath) -> RenderAttrib:
    """A light; it must hang somewhere."""
    light = node.get_top().find("scene").attach_new_node(DirectionalLight("light"))
    return LightAttrib.make().add_on_light(light)


def shader_attrib(fragment: str, vertex: str = NOWHERE_VERTEX) -> ShaderAttrib:
    """A shader that draws the model at another place in grey, and must win over all others."""
    return ShaderAttrib.make(glsl(vertex, fragment), FORCED)


def grey_texture() -> Texture:
    """A texture, for what wants one."""
    texture = Texture("grey")
    texture.setup_2d_texture(1, 1, Texture.T_unsigned_byte, Texture.F_rgba)
    texture.set_ram_image(bytes([100, 100, 100, 20]))
    return texture


def user_inputs(node: NodePath) -> RenderAttrib:
    """Inputs with the names of ours, and other values, at the highest priority."""
    attrib = ShaderAttrib.make()
    attrib = attrib.set_shader_input("u_hits", grey_texture(), FORCED)
    attrib = attrib.set_shader_input("u_hit_count", 9, FORCED)
    for name in ("u_view_to_world", "u_gain", "rtstamp_fade", "rtstamp_live", "rtstamp_color"):
        attrib = attrib.set_shader_input(name, Vec4(9, 9, 9, 9), FORCED)
    return attrib.set_shader_input("u_primary", grey_texture(), FORCED)


ATTRIBS: dict[str, Callable[[NodePath], RenderAttrib]] = {
    "blend": lambda node: ColorBlendAttrib.make(
        ColorBlendAttrib.M_add, ColorBlendAttrib.O_zero, ColorBlendAttrib.O_one
    ),
    "blend subtract": lambda node: ColorBlendAttrib.make(
        ColorBlendAttrib.M_subtract, ColorBlendAttrib.O_one, ColorBlendAttrib.O_one
    ),
    "alpha": lambda node: TransparencyAttrib.make(TransparencyAttrib.M_alpha),
    "dual": lambda node: TransparencyAttrib.make(TransparencyAttrib.M_dual),
    "binary": lambda node: TransparencyAttrib.make(TransparencyAttrib.M_binary),
    "premultiplied": lambda node: TransparencyAttrib.make(TransparencyAttrib.M_premultiplied_alpha),
    "multisample": lambda node: TransparencyAttrib.make(TransparencyAttrib.M_multisample),
    "alpha test": lambda node: AlphaTestAttrib.make(RenderAttrib.M_greater, 0.7),
    "depth test": lambda node: DepthTestAttrib.make(RenderAttrib.M_never),
    "depth write": lambda node: DepthWriteAttrib.make(DepthWriteAttrib.M_on),
    "depth offset": lambda node: DepthOffsetAttrib.make(5, 0.2, 0.3),
    "cull": lambda node: CullFaceAttrib.make(CullFaceAttrib.M_cull_counter_clockwise),
    "two sided": lambda node: CullFaceAttrib.make(CullFaceAttrib.M_cull_none),
    "colour write": lambda node: ColorWriteAttrib.make(ColorWriteAttrib.C_blue),
    "no colour write": lambda node: ColorWriteAttrib.make(ColorWriteAttrib.C_off),
    "colour": lambda node: ColorAttrib.make_flat((0.1, 0.2, 0.3, 0.1)),
    "colour scale": lambda node: ColorScaleAttrib.make((0.2, 0.2, 0.2, 0.2)),
    "wireframe": lambda node: RenderModeAttrib.make(RenderModeAttrib.M_wireframe),
    "points": lambda node: RenderModeAttrib.make(RenderModeAttrib.M_point, 3.0),
    "stencil": lambda node: StencilAttrib.make(
        True,
        StencilAttrib.SCF_never,
        StencilAttrib.SO_keep,
        StencilAttrib.SO_keep,
        StencilAttrib.SO_keep,
        1,
        255,
    ),
    "scissor": lambda node: ScissorAttrib.make(0.0, 0.3, 0.0, 0.3),
    "clip plane": plane_attrib,
    "antialias": lambda node: AntialiasAttrib.make(AntialiasAttrib.M_polygon),
    "logic op": lambda node: LogicOpAttrib.make(LogicOpAttrib.O_clear),
    "flat shading": lambda node: ShadeModelAttrib.make(ShadeModelAttrib.M_flat),
    "fog": lambda node: FogAttrib.make(fog()),
    "light": light_attrib,
    "light ramp": lambda node: LightRampAttrib.make_hdr0(),
    "material": lambda node: MaterialAttrib.make(Material("dull")),
    "texture": lambda node: TextureAttrib.make(grey_texture()),
    "texture matrix": lambda node: TexMatrixAttrib.make(
        TextureStage.get_default(), TransformState.make_scale(3)
    ),
    "texture coordinates": lambda node: TexGenAttrib.make(
        TextureStage.get_default(), TexGenAttrib.M_eye_position
    ),
    "auxiliary planes": lambda node: AuxBitplaneAttrib.make(AuxBitplaneAttrib.ABO_glow),
    "bin fixed": lambda node: CullBinAttrib.make("fixed", 5),
    "bin background": lambda node: CullBinAttrib.make("background", 0),
    "generated shader": lambda node: ShaderAttrib.make().set_shader_auto(FORCED),
    "shader off": lambda node: ShaderAttrib.make_off(),
    "shader": lambda node: shader_attrib(GREY_FRAGMENT),
    "inputs of our names": user_inputs,
    "no alpha write": lambda node: ShaderAttrib.make().set_flag(ShaderAttrib.F_disable_alpha_write, True),
    "point size flag": lambda node: ShaderAttrib.make().set_flag(ShaderAttrib.F_shader_point_size, True),
    "skinning flag": lambda node: ShaderAttrib.make().set_flag(ShaderAttrib.F_hardware_skinning, True),
    "instances": lambda node: ShaderAttrib.make().set_instance_count(5),
}


def put(node: NodePath, attrib: RenderAttrib, on: str) -> None:
    """Put an attribute on the node, one of its GeomNodes, its Geoms, its parent, or the whole scene."""
    part = node.find("**/+GeomNode")
    if on == "geom":
        geoms = part.node()
        assert isinstance(geoms, GeomNode)
        for index in range(geoms.get_num_geoms()):
            geoms.set_geom_state(index, geoms.get_geom_state(index).set_attrib(attrib, FORCED))
        return
    target = {"node": node, "part": part, "parent": node.get_parent(), "scene": node.get_top()}[on]
    target.set_attrib(attrib, FORCED)


@pytest.mark.parametrize(
    "on", [pytest.param("node", marks=pytest.mark.profiles), "part", "geom", "parent", "scene"]
)
@pytest.mark.parametrize("state", ATTRIBS)
def test_no_state_of_the_scene_gets_into_a_capture(
    base: Any, model: NodePath, clean: Floats, notify: NotifyLog, state: str, on: str
) -> None:
    # What some of these states do to the player's own picture is not the question here.
    base.cam.node().set_active(False)
    try:
        put(model, ATTRIBS[state](model), on)
        image = capture(base, model)
    finally:
        base.cam.node().set_active(True)
    compare_images(image, clean, 0.0, f"hostile-{state.replace(' ', '-')}-{on}")


def put_bounds_elsewhere(node: NodePath) -> None:
    """Let a node say that it is where it is not."""
    node.node().set_bounds(BoundingSphere(Point3(900, 0, 0), 0.1))
    node.node().set_final(True)


EFFECTS: dict[str, Callable[[NodePath], object]] = {
    "scissor effect": lambda node: node.set_scissor(0.0, 0.3, 0.0, 0.3),
    "scissor in space": lambda node: node.set_scissor(Point3(-1, 0, 0), Point3(-0.5, 0, 0.5)),
    "other bits hidden": lambda node: node.hide(BitMask32.bit(3)),
    "show through": lambda node: node.show_through(),
    "wrong bounds": lambda node: put_bounds_elsewhere(node),
    "texture projector": lambda node: node.project_texture(
        TextureStage("projected"), grey_texture(), node.get_parent().attach_new_node(Camera("projector"))
    ),
    "parent hidden": lambda node: node.get_parent().hide(),
    "parent stashed": lambda node: node.get_parent().stash(),
    "parent clipped away": lambda node: node.get_parent().set_clip_plane(
        node.get_parent().attach_new_node(PlaneNode("plane", Plane(0, 0, 1, -50)))
    ),
}


@pytest.mark.profiles
@pytest.mark.parametrize("effect", EFFECTS)
def test_no_effect_gets_into_a_capture(base: Any, model: NodePath, clean: Floats, effect: str) -> None:
    EFFECTS[effect](model)
    compare_images(capture(base, model), clean, 0.0, f"hostile-{effect.replace(' ', '-')}")


def test_scale_and_shear_of_the_way_to_a_model_count(base: Any, model: NodePath, clean: Floats) -> None:
    """The property's absence: what does change the shape in the world changes the capture."""
    model.get_parent().set_scale(2, 1, 1)
    assert np.abs(capture(base, model) - clean).max() > 0.1


def test_a_model_that_nobody_sees_is_captured_too(base: Any, model: NodePath, clean: Floats) -> None:
    """Far behind the camera. There positions are rounded more coarsely, which is all that differs."""
    model.set_pos(300.0, -900.0, 0.0)
    compare_images(capture(base, model), clean, 1e-3, "unseen")


@pytest.mark.parametrize("bits", [BitMask32.bit(30), PandaNode.get_all_camera_mask()])
def test_a_hidden_model_is_not_captured(base: Any, model: NodePath, clean: Floats, bits: BitMask32) -> None:
    """As documented. Its shape is what is seen of it, and that is nothing."""
    model.hide(bits)
    assert not capture(base, model).any()
    model.show(bits)
    compare_images(capture(base, model), clean, 0.0, "shown-again")


# What of several children is marked, which are laid out over each other on one texture.


def expected_on_card(size: float) -> Floats:
    """What the first shot makes of a card of this size around the origin, 256 texels."""
    distance = np.linalg.norm(card_points(size, 256), axis=-1)
    return mask_formula(distance, RADIUS, 0.1)


def captured_mask(base: Any, node: NodePath) -> Floats:
    """The mask of one hit at a node's origin."""
    node.set_tag("rtstamp-resolution", "256")
    with stamps_on(base, uv_set="texcoord") as stamps:
        assert stamps.hit(node, (0, 0, 0), other=node, radius=RADIUS) is not None
        step(base)
        image = stamps.image(node)
        assert image is not None
        return image[..., 3].astype(np.float64)


@pytest.mark.parametrize("distance", [5.0, 50.0])
def test_every_level_of_detail_is_marked(
    base: Any, scene: NodePath, notify: NotifyLog, distance: float
) -> None:
    """Whichever is seen now: the next one is to have the mark when its turn comes."""
    notify.allow("of the area is used more than once")
    levels = scene.attach_new_node(LODNode("levels"))
    node: Any = levels.node()
    node.add_switch(20.0, 0.0)
    flat_card(levels, 2.0)
    node.add_switch(1000.0, 20.0)
    flat_card(levels, 4.0)
    look_from(base, (0, -distance, 0))
    expected = np.maximum(expected_on_card(2.0), expected_on_card(4.0))
    compare_images(captured_mask(base, levels), expected, 2e-3, f"lod-{distance}")


@pytest.mark.parametrize("kind", [SwitchNode, SequenceNode])
@pytest.mark.parametrize("child", [0, 1])
def test_every_child_that_can_be_chosen_is_marked(
    base: Any, scene: NodePath, notify: NotifyLog, child: int, kind: Any
) -> None:
    notify.allow("of the area is used more than once")
    choice = scene.attach_new_node(kind("choice"))
    sizes = (2.0, 4.0)
    for size in sizes:
        flat_card(choice, size)
    node: Any = choice.node()
    if kind is SwitchNode:
        node.set_visible_child(child)
    else:
        node.pose(child)
    look_from(base, (0, -5, 0))
    expected = np.maximum(*(expected_on_card(size) for size in sizes))
    compare_images(captured_mask(base, choice), expected, 2e-3, f"choice-{child}")


def test_a_hidden_part_is_not_marked(base: Any, scene: NodePath, notify: NotifyLog) -> None:
    """A gun in its holster, say, which shares a texture with the one in the hand."""
    notify.allow("of the area is used more than once")
    pair = scene.attach_new_node("pair")
    flat_card(pair, 2.0)
    flat_card(pair, 4.0).hide()
    look_from(base, (0, -5, 0))
    compare_images(captured_mask(base, pair), expected_on_card(2.0), 2e-3, "hidden-part")
