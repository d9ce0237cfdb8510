"""Marks among transparent things, in fog, in any bin: the picture is what the blends make of it, in order."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from panda3d.core import (
    CullBinManager,
    Fog,
    LColor,
    NodePath,
    SamplerState,
    Texture,
    TransparencyAttrib,
)

from pictures import (
    Bools,
    Floats,
    blend,
    changed,
    flat_card,
    glsl,
    layered,
    look_from,
    mark_mask,
    rgb,
    see_node,
    shown,
    stamps_on,
)
from support import NotifyLog, compare_images, screenshot

# Every blend rounds its terms to 8 bits; there are three at most, one over another.
TOLERANCE = 3.01

BACKGROUND = (0.1, 0.2, 0.3)
MODEL = (0.2, 0.7, 0.3)
SMOKE = (0.9, 0.9, 1.0)
MARK = (1.0, 0.2, 0.1)
CENTER = (0.2, 0.0, 0.1)
RADIUS = 0.7


@pytest.fixture(autouse=True)
def view(base: Any) -> None:
    """The camera of all tests here, straight in front of the XZ plane."""
    base.win.set_clear_color(LColor(*BACKGROUND, 1))
    look_from(base, (0, -4, 0))


def screen(parent: NodePath, y: float, color: Any, alpha: float = 1.0) -> NodePath:
    """A card, larger than the picture, at a distance of the XZ plane; transparent if alpha is not 1."""
    card = flat_card(parent, 8.0, (*color, alpha))
    card.set_y(y)
    if alpha < 1.0:
        card.set_transparency(TransparencyAttrib.M_alpha)
    return card


def whole(base: Any, color: Any) -> Floats:
    """A picture of one colour."""
    shape = (base.win.get_y_size(), base.win.get_x_size(), 3)
    return np.full(shape, 255.0) * np.asarray(color, np.float64)


def mask_on(base: Any, node: NodePath) -> Floats:
    """The mask of the mark of these tests, as it lies on a node."""
    return mark_mask(see_node(base, node).distance(CENTER), RADIUS)


def over(below: Floats, color: Any, alpha: float) -> Floats:
    """A transparent colour over a picture."""
    return blend(below, color, np.full(below.shape[:2], alpha))


def check(picture: Any, expected: Floats, name: str) -> None:
    """Compare whole pictures."""
    compare_images(rgb(picture), expected, TOLERANCE, name)


def struck(base: Any, node: NodePath, **fields: Any) -> Any:
    """The picture with the mark of these tests on a node."""
    with stamps_on(base, **fields) as stamps:
        assert stamps.hit(node, CENTER, radius=RADIUS, color=MARK) is not None
        return screenshot(base)


@pytest.mark.parametrize("smoke_at", [-1.0, 1.0], ids=["smoke-in-front", "smoke-behind"])
@pytest.mark.parametrize("look", ["paint", "tint", "glow"])
def test_marks_on_an_opaque_model_and_smoke(base: Any, scene: NodePath, look: str, smoke_at: float) -> None:
    model = screen(scene, 0.0, MODEL)
    screen(scene, smoke_at, SMOKE, alpha=0.4)
    marked = shown(whole(base, MODEL), layered((MARK, mask_on(base, model))), look)
    expected = over(marked, SMOKE, 0.4) if smoke_at < 0 else marked
    check(struck(base, model, look=look), expected, f"smoke-{look}-{smoke_at}")


@pytest.mark.parametrize("mode", ["M_alpha", "M_dual"])
@pytest.mark.parametrize("look", ["paint", "tint", "glow"])
def test_marks_on_glass(base: Any, scene: NodePath, look: str, mode: str) -> None:
    screen(scene, 1.0, MODEL)
    glass = screen(scene, 0.0, SMOKE, alpha=0.3)
    glass.set_transparency(getattr(TransparencyAttrib, mode))
    below = over(whole(base, MODEL), SMOKE, 0.3)
    expected = shown(below, layered((MARK, mask_on(base, glass))), look)
    check(struck(base, glass, look=look), expected, f"glass-{mode}-{look}")


def test_marks_on_glass_that_a_geom_is(base: Any, scene: NodePath) -> None:
    """Egg files have transparency in the state of the Geom, not of the node."""
    screen(scene, 1.0, MODEL)
    glass = screen(scene, 0.0, SMOKE, alpha=0.3)
    part: Any = glass.node()
    part.set_geom_state(0, part.get_geom_state(0).set_attrib(glass.get_attrib(TransparencyAttrib)))
    glass.clear_transparency()
    expected = blend(over(whole(base, MODEL), SMOKE, 0.3), MARK, mask_on(base, glass))
    check(struck(base, glass), expected, "glass-geom")


def test_marks_on_a_cutout(base: Any, scene: NodePath) -> None:
    """A base with binary transparency is drawn among the opaque: smoke in front of it covers its marks."""
    model = screen(scene, 0.0, MODEL)
    model.set_transparency(TransparencyAttrib.M_binary)
    screen(scene, -1.0, SMOKE, alpha=0.4)
    expected = over(blend(whole(base, MODEL), MARK, mask_on(base, model)), SMOKE, 0.4)
    check(struck(base, model), expected, "cutout")


def holes() -> Texture:
    """A white texture of 4 x 4 sharp squares, every other one of them transparent."""
    texture = Texture("holes")
    texture.setup_2d_texture(4, 4, Texture.T_unsigned_byte, Texture.F_rgba)
    texture.set_magfilter(SamplerState.FT_nearest)
    texture.set_minfilter(SamplerState.FT_nearest)
    rows = [[255, 255, 255, 255 * ((x + y) % 2)] for y in range(4) for x in range(4)]
    texture.set_ram_image(bytes(value for row in rows for value in row))
    return texture


@pytest.mark.parametrize("mode", ["M_binary", "M_alpha", "M_dual"])
@pytest.mark.parametrize("look", ["paint", "tint", "glow"])
def test_marks_keep_off_the_holes_of_a_texture(base: Any, scene: NodePath, look: str, mode: str) -> None:
    """A leaf, a fence: where the texture is transparent there is no model, and so no mark."""
    leaf = flat_card(scene, 2.0, (*MODEL, 1))
    leaf.set_texture(holes())
    leaf.set_transparency(getattr(TransparencyAttrib, mode))
    before = screenshot(base)
    there = (rgb(before) != np.round(whole(base, BACKGROUND))).any(axis=-1)
    picture = struck(base, leaf, look=look)
    assert not changed(picture, before)[~there].any()
    expected = shown(before, layered((MARK, mask_on(base, leaf))), look)
    compare_images(rgb(picture) * there[..., None], expected * there[..., None], TOLERANCE, f"holes-{mode}")


@pytest.mark.parametrize("depth_write", [False, True])
def test_marked_glass_behind_smoke_is_the_known_limit(base: Any, scene: NodePath, depth_write: bool) -> None:
    """As documented: marks on glass are drawn after all that is transparent. So they lie over the smoke in
    front of them; or, where the smoke writes depth (as it does unless told not to), they are missing.
    """
    screen(scene, 2.0, MODEL)
    glass = screen(scene, 0.0, SMOKE, alpha=0.3)
    smoke = screen(scene, -1.0, (0.3, 0.3, 0.3), alpha=0.5)
    smoke.set_depth_write(depth_write)
    covered = over(over(whole(base, MODEL), SMOKE, 0.3), (0.3, 0.3, 0.3), 0.5)
    mask = np.zeros(covered.shape[:2]) if depth_write else mask_on(base, glass)
    check(struck(base, glass), blend(covered, MARK, mask), f"glass-behind-smoke-{depth_write}")


def test_marked_glass_behind_a_wall(base: Any, scene: NodePath) -> None:
    glass = screen(scene, 0.0, SMOKE, alpha=0.3)
    screen(scene, -1.0, (0.3, 0.3, 0.3))
    check(struck(base, glass), whole(base, (0.3, 0.3, 0.3)), "glass-behind-a-wall")


def fogs() -> dict[str, Fog]:
    """Each kind of fog, in its full strength where these tests look."""
    linear, exponential, squared = Fog("linear"), Fog("exp"), Fog("exp2")
    linear.set_linear_range(2.0, 7.0)
    exponential.set_exp_density(0.2)
    squared.set_mode(Fog.M_exponential_squared)
    squared.set_exp_density(0.2)
    return {"linear": linear, "exp": exponential, "exp2": squared}


CLEARNESS: dict[str, Callable[[float], float]] = {
    "linear": lambda depth: (7.0 - depth) / (7.0 - 2.0),
    "exp": lambda depth: math.exp(-0.2 * depth),
    "exp2": lambda depth: math.exp(-((0.2 * depth) ** 2)),
}
FOG = (0.5, 0.6, 0.9)


@pytest.mark.parametrize("kind", CLEARNESS)
@pytest.mark.parametrize(
    "renderer", [pytest.param("fixed"), pytest.param("generator", marks=pytest.mark.x11)]
)
def test_paint_in_fog(base: Any, scene: NodePath, kind: str, renderer: str) -> None:
    """Fog covers paint as it covers the model."""
    model = screen(scene, 0.0, MODEL)
    fog = fogs()[kind]
    fog.set_color(*FOG)
    scene.set_fog(fog)
    if renderer == "generator":
        scene.set_shader_auto()
        # The fog of two units more shows whose depth was taken.
        base.cam.node().get_lens().set_near_far(1.0, 50.0)
    # By depth along the view, 4 everywhere on this card; the generator goes by the Z of clip space.
    depth = clip_depth(base, 4.0) if renderer == "generator" else 4.0
    clear = np.full(whole(base, FOG).shape[:2], CLEARNESS[kind](depth))
    marked = blend(whole(base, MODEL), MARK, mask_on(base, model))
    expected = whole(base, FOG) * (1 - clear[..., None]) + marked * clear[..., None]
    check(struck(base, model), expected, f"fog-{kind}-{renderer}")


def clip_depth(base: Any, depth: float) -> float:
    """The Z of clip space at this depth before the camera."""
    lens = base.cam.node().get_lens()
    near, far = lens.get_near(), lens.get_far()
    return float(((far + near) * depth - 2 * far * near) / (far - near))


@pytest.mark.parametrize("kind", CLEARNESS)
@pytest.mark.parametrize("look", ["tint", "glow"])
def test_stains_and_light_in_fog(base: Any, scene: NodePath, kind: str, look: str) -> None:
    """A stain on a model that fog hides is hidden too: only the model's share of the picture is stained."""
    model = screen(scene, 0.0, MODEL)
    fog = fogs()[kind]
    fog.set_color(*FOG)
    scene.set_fog(fog)
    clear = CLEARNESS[kind](4.0)
    mark = layered((MARK, mask_on(base, model)))
    # The blend works on what is there, fog and all: the mark's strength is what fog leaves of it.
    hazy = whole(base, FOG) * (1 - clear) + whole(base, MODEL) * clear
    expected = shown(hazy, mark * clear, look)
    check(struck(base, model, look=look), expected, f"fog-{kind}-{look}")


@pytest.mark.parametrize("kind", CLEARNESS)
def test_paint_of_the_models_colour_is_invisible_in_fog(base: Any, scene: NodePath, kind: str) -> None:
    """At every depth: the fog of paint is the fog of the model."""
    model = screen(scene, 0.0, MODEL)
    model.set_h(60)
    fog = fogs()[kind]
    fog.set_color(*FOG)
    scene.set_fog(fog)
    before = screenshot(base)
    with stamps_on(base) as stamps:
        assert stamps.hit(model, (0, 0, 0), radius=3.0, color=MODEL, hardness=0.5) is not None
        picture = screenshot(base)
    compare_images(rgb(picture), rgb(before), TOLERANCE, f"fog-same-{kind}")
    # And the fog does differ over this picture.
    assert np.ptp(rgb(before)[128, :, 0].astype(int)) > 20


# What changes while a mark lives is taken over at the next hit, as the guide says.


def changed_before_the_next_hit(base: Any, model: NodePath, change: Callable[[], object]) -> Any:
    """The picture with the mark of these tests, made before the change, after a hit that adds nothing."""
    with stamps_on(base) as stamps:
        assert stamps.hit(model, CENTER, radius=RADIUS, color=MARK) is not None
        screenshot(base)
        change()
        assert stamps.hit(model, CENTER, radius=RADIUS, opacity=0.0) is not None
        return screenshot(base)


def test_a_model_that_came_into_fog(base: Any, scene: NodePath) -> None:
    model = screen(scene, 0.0, MODEL)
    fog = fogs()["exp"]
    fog.set_color(*FOG)
    picture = changed_before_the_next_hit(base, model, lambda: scene.set_fog(fog))
    clear = CLEARNESS["exp"](4.0)
    marked = blend(whole(base, MODEL), MARK, mask_on(base, model))
    check(picture, whole(base, FOG) * (1 - clear) + marked * clear, "fog-later")


def test_a_model_that_turned_to_glass(base: Any, scene: NodePath) -> None:
    """A game that lets a thing vanish makes it transparent: its marks are not covered by it then."""
    screen(scene, 1.0, SMOKE)
    model = screen(scene, 0.0, MODEL)

    def fade() -> None:
        model.set_transparency(TransparencyAttrib.M_alpha)
        model.set_alpha_scale(0.4)

    picture = changed_before_the_next_hit(base, model, fade)
    below = over(whole(base, SMOKE), MODEL, 0.4)
    check(picture, blend(below, MARK, mask_on(base, model) * 0.4), "glass-later")


def test_a_model_that_moved_to_another_bin(base: Any, scene: NodePath) -> None:
    model = screen(scene, 0.0, MODEL)
    picture = changed_before_the_next_hit(base, model, lambda: model.set_bin("fixed", 5))
    check(picture, blend(whole(base, MODEL), MARK, mask_on(base, model)), "bin-later")


# Bins.


@pytest.fixture(scope="session")
def own_bins() -> None:
    """A game's own bins, before and after Panda's. They stay: states that name a removed bin are invalid."""
    manager = CullBinManager.get_global_ptr()
    manager.add_bin("test-early-fixed", CullBinManager.BT_fixed, 5)
    manager.add_bin("test-early-unsorted", CullBinManager.BT_unsorted, 5)
    manager.add_bin("test-late-fixed", CullBinManager.BT_fixed, 60)
    manager.add_bin("test-late-state-sorted", CullBinManager.BT_state_sorted, 60)
    manager.add_bin("test-late-back-to-front", CullBinManager.BT_back_to_front, 60)


BINS = ("background", "opaque", "transparent", "fixed", "unsorted")
OWN_BINS = (
    "test-early-fixed",
    "test-early-unsorted",
    "test-late-fixed",
    "test-late-state-sorted",
    "test-late-back-to-front",
)


@pytest.mark.usefixtures("own_bins")
@pytest.mark.parametrize("bin_name", BINS + OWN_BINS)
def test_marks_on_a_model_in_any_bin(base: Any, scene: NodePath, bin_name: str) -> None:
    """Also where the draw order is not 0, and another opaque thing lies behind."""
    screen(scene, 1.0, (0.5, 0.5, 0.5))
    model = screen(scene, 0.0, MODEL)
    model.set_bin(bin_name, 7)
    expected = blend(whole(base, MODEL), MARK, mask_on(base, model))
    check(struck(base, model), expected, f"bin-{bin_name}")


@pytest.mark.usefixtures("own_bins")
@pytest.mark.parametrize("bin_name", BINS + OWN_BINS)
def test_marks_on_a_model_in_any_bin_stay_behind_a_wall(base: Any, scene: NodePath, bin_name: str) -> None:
    model = screen(scene, 0.0, MODEL)
    model.set_bin(bin_name, 7)
    screen(scene, -1.0, (0.5, 0.5, 0.5))
    check(struck(base, model), whole(base, (0.5, 0.5, 0.5)), f"bin-{bin_name}-wall")


@pytest.mark.usefixtures("own_bins")
@pytest.mark.parametrize("bin_name", ["background", "test-early-fixed", "test-early-unsorted"])
def test_marks_on_a_sky_stay_behind_everything(base: Any, scene: NodePath, bin_name: str) -> None:
    """A sky is drawn first, without depth: what is drawn after it covers it, and so its marks."""
    sky = screen(scene, 0.0, MODEL)
    sky.set_bin(bin_name, 0)
    sky.set_depth_test(False)
    sky.set_depth_write(False)
    tower = flat_card(scene, 1.0, (0.5, 0.5, 0.5, 1))
    # Farther away than the sky's card, and yet in front of it.
    tower.set_y(1.0)
    seen = see_node(base, tower)
    marked = blend(whole(base, MODEL), MARK, mask_on(base, sky))
    expected = np.where(seen.hit[..., None], whole(base, (0.5, 0.5, 0.5)), marked)
    check(struck(base, sky), expected, f"sky-{bin_name}")


def test_marks_on_a_picture_drawn_last(base: Any, scene: NodePath) -> None:
    """A card in the fixed bin without depth test, as a head-up display has: its marks show like the card."""
    screen(scene, -1.0, (0.5, 0.5, 0.5))
    card = screen(scene, 0.0, MODEL)
    card.set_bin("fixed", 3)
    card.set_depth_test(False)
    expected = blend(whole(base, MODEL), MARK, mask_on(base, card))
    check(struck(base, card), expected, "drawn-last")


def test_a_fixed_order_holds_for_marks(base: Any, scene: NodePath) -> None:
    """Three layers without depth: the marks on the middle one lie over it and under the one after."""
    layers = [screen(scene, 0.0, color) for color in ((0.5, 0.5, 0.5), MODEL)]
    top = flat_card(scene, 1.0, (0.3, 0.1, 0.8, 1))
    for order, card in enumerate([*layers, top]):
        card.set_bin("fixed", order * 10)
        card.set_depth_test(False)
        card.set_depth_write(False)
    marked = blend(whole(base, MODEL), MARK, mask_on(base, layers[1]))
    expected = np.where(see_node(base, top).hit[..., None], whole(base, (0.3, 0.1, 0.8)), marked)
    check(struck(base, layers[1]), expected, "fixed-order")


# Sides.


@pytest.mark.parametrize("on", ["node", "geom"])
@pytest.mark.parametrize("h", [0, 180], ids=["front", "back"])
def test_two_sided_models_are_marked_on_both_sides(base: Any, scene: NodePath, h: int, on: str) -> None:
    model = flat_card(scene, 8.0, (*MODEL, 1))
    model.set_two_sided(True)
    model.set_h(h)
    mask = mask_on(base, model)
    if on == "geom":
        part: Any = model.node()
        part.set_geom_state(0, model.get_state())
        model.clear_two_sided()
    assert mask.max() > 0.95
    check(struck(base, model), blend(whole(base, MODEL), MARK, mask), f"two-sided-{on}-{h}")


def test_the_back_of_a_one_sided_model_shows_no_mark(base: Any, scene: NodePath) -> None:
    model = flat_card(scene, 8.0, (*MODEL, 1))
    model.set_h(180)
    check(struck(base, model), whole(base, BACKGROUND), "one-sided")


def test_a_mark_does_not_shine_through_a_thin_wall(base: Any, scene: NodePath) -> None:
    """A mark with a radius less than the wall is thick is on the side that was hit, and not on the other."""
    front = flat_card(scene, 8.0, (*MODEL, 1))
    back = flat_card(front, 8.0, (*MODEL, 1))
    back.set_h(180)
    back.set_y(0.2)
    with stamps_on(base) as stamps:
        assert stamps.hit(back, (0, 0.2, 0), radius=0.15, color=MARK) is not None
        check(screenshot(base), whole(base, MODEL), "thin-front")
        look_from(base, (0, 4, 0))
        assert changed(screenshot(base), whole(base, MODEL).round()).any()


# Depth: no fighting between a model and what lies exactly on it.

SPLIT_VERTEX = """#version 330
uniform mat4 p3d_ProjectionMatrix;
uniform mat4 p3d_ViewMatrix;
uniform mat4 p3d_ModelMatrix;
in vec4 p3d_Vertex;
in vec2 p3d_MultiTexCoord0;
out vec2 v_texcoord;
void main() {
    gl_Position = p3d_ProjectionMatrix * (p3d_ViewMatrix * (p3d_ModelMatrix * p3d_Vertex));
    v_texcoord = p3d_MultiTexCoord0;
}
"""
SPLIT_FRAGMENT = """#version 330
in vec2 v_texcoord;
out vec4 o_color;
void main() {
    o_color = vec4(0.2, 0.7, 0.3, 1.0);
}
"""


def silhouette(base: Any, picture: Any) -> Bools:
    """Pixels that are not the background."""
    result: Bools = np.any(np.abs(rgb(picture) - whole(base, BACKGROUND)) > 1.0, axis=-1)
    return result


def assert_covered(base: Any, node: NodePath, radius: float, name: str) -> None:
    """That a mark over all of a node leaves no pixel of it unmarked, and adds none."""
    before = silhouette(base, screenshot(base))
    assert before.sum() > 30
    with stamps_on(base) as stamps:
        assert (
            stamps.hit(node, node.get_pos(base.render), radius=radius, color=MARK, hardness=1.0) is not None
        )
        picture = screenshot(base)
    expected = np.where(before[..., None], whole(base, MARK), whole(base, BACKGROUND))
    compare_images(rgb(picture), expected, 1.0, name)


RENDERERS = [
    pytest.param("fixed"),
    pytest.param("split", marks=pytest.mark.profiles),
    pytest.param("generator", marks=pytest.mark.x11),
]


def draw_by(node: NodePath, renderer: str) -> None:
    """Draw a node's flat colour in one of the ways above; `split` multiplies matrices one after another."""
    if renderer == "split":
        node.set_shader(glsl(SPLIT_VERTEX, SPLIT_FRAGMENT))
    elif renderer == "generator":
        node.set_shader_auto()


@pytest.mark.parametrize("renderer", RENDERERS)
@pytest.mark.parametrize("angle", [0.05, 0.3, 1.0, 5.0, 30.0])
def test_no_fighting_at_grazing_angles(base: Any, scene: NodePath, angle: float, renderer: str) -> None:
    card = flat_card(scene, 10.0, (*MODEL, 1))
    card.set_two_sided(True)
    card.set_hpr(13, -90 + 7, 31)
    draw_by(card, renderer)
    normal = scene.get_relative_vector(card, (0, -1, 0))
    along = scene.get_relative_vector(card, (0.8, 0, 0.6))
    eye = along * (6 * math.cos(math.radians(angle))) + normal * (6 * math.sin(math.radians(angle)))
    look_from(base, eye, fov=90 if angle < 1 else 60)
    assert_covered(base, card, 20.0, f"grazing-{angle}-{renderer}")


@pytest.mark.parametrize("renderer", RENDERERS)
@pytest.mark.parametrize("distance", [100.0, 1000.0, 9000.0])
def test_no_fighting_at_a_distance(
    base: Any, scene: NodePath, notify: NotifyLog, distance: float, renderer: str
) -> None:
    """With a near plane at 1 and a far one at 10,000: there 24 bits of depth are a few units thick."""
    ball = base.loader.load_model("models/smiley")
    ball.reparent_to(scene)
    ball.set_texture_off(1)
    ball.set_color(*MODEL, 1)
    ball.set_hpr(20, 20, 10)
    ball.set_scale(distance / 10)
    ball.set_pos(distance / 12, distance, distance / 15)
    draw_by(ball, renderer)
    look_from(base, (0, 0, 0), (0, 1, 0))
    base.cam.node().get_lens().set_near_far(1.0, 10000.0)
    assert_covered(base, ball, distance, f"distance-{distance}-{renderer}")


def test_a_mark_does_not_come_through_what_lies_close_before_it(base: Any, scene: NodePath) -> None:
    """The overlay is drawn a hair nearer than its model, and no more."""
    model = screen(scene, 0.0, MODEL)
    screen(scene, -0.01, (0.5, 0.5, 0.5))
    check(struck(base, model), whole(base, (0.5, 0.5, 0.5)), "close")
