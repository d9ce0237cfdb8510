"""What a coat looks like: the model's colour, Panda's lights and fog, darker at the root."""

from typing import Any

import numpy as np
import pytest
from panda3d.core import (
    AmbientLight,
    DirectionalLight,
    Fog,
    Geom,
    GeomNode,
    GeomTriangles,
    Material,
    NodePath,
    SamplerState,
    Texture,
    TransparencyAttrib,
)

from fur_support import ONE, SOLID, area, shells_of, white_sphere
from panda_rtstamp.core.geometry import indexed_triangles, triangles
from panda_rtstamp.fur.coat import FurCoat
from panda_rtstamp.fur.config import LONG, FurConfig
from panda_rtstamp.fur.skin import bin_of
from shapes import grid_faces, make_geom, make_node
from support import screenshot

pytestmark = pytest.mark.profiles


@pytest.fixture
def card(base: Any, scene: NodePath) -> NodePath:
    """A white card that faces the camera."""
    white_sphere(base, scene).remove_node()
    u, v = (part.ravel() for part in np.meshgrid(np.linspace(0, 1, 9), np.linspace(0, 1, 9)))
    columns = {
        "vertex": np.stack([2 * u - 1, 0 * u, 2 * v - 1], axis=1),
        "normal": np.tile((0.0, -1.0, 0.0), (81, 1)),
        "texcoord": np.stack([u, v], axis=1),
    }
    card = make_node("card", make_geom(columns, grid_faces(8, 8)))
    card.reparent_to(scene)
    return card


def middle(base: Any) -> Any:
    return screenshot(base)[128, 128, :3].astype(float)


def test_its_colour_is_the_models(base: Any, card: NodePath) -> None:
    texture = Texture("halves")
    texture.setup_2d_texture(2, 1, Texture.T_unsigned_byte, Texture.F_rgb)
    texture.set_ram_image(bytes((0, 0, 200, 0, 100, 0)))
    texture.set_magfilter(SamplerState.FT_nearest)
    texture.set_minfilter(SamplerState.FT_nearest)
    card.set_texture(texture)
    card.set_color_scale(0.5, 1, 1, 1)
    with FurCoat(card, FurConfig(parent=ONE, color=(1, 0.5, 1))):
        picture = screenshot(base)[128, :, :3].astype(float)
    assert picture[64] == pytest.approx((100, 0, 0), abs=1)
    assert picture[192] == pytest.approx((0, 50, 0), abs=1)


@pytest.mark.parametrize("colored", ["flat", "material", "base colour", "both"])
def test_colours_of_nodes_and_materials(base: Any, card: NodePath, colored: str) -> None:
    """A material's colour takes the place of the vertices', as for fixed function."""
    if colored in ("flat", "both"):
        card.set_color(0.2, 0.4, 0.6, 1)
    if colored != "flat":
        material = Material()
        set_color = material.set_base_color if colored == "base colour" else material.set_diffuse
        set_color((0.6, 0.2, 0.8, 1))
        card.set_material(material)
    expected = (51, 102, 153) if colored == "flat" else (153, 51, 204)
    with FurCoat(card, ONE):
        assert middle(base) == pytest.approx(expected, abs=1)


def test_it_is_lit_as_the_model(base: Any, card: NodePath) -> None:
    ambient, sun = AmbientLight("ambient"), DirectionalLight("sun")
    ambient.set_color((0.1, 0.2, 0.1, 1))
    sun.set_color((0.6, 0.3, 0.2, 1))
    path = card.get_parent().attach_new_node(sun)
    path.set_hpr(60, 0, 0)  # cos 60 degrees of it
    card.set_light(path)
    card.set_light(card.get_parent().attach_new_node(ambient))
    with FurCoat(card, ONE):
        expected = 255 * (np.array((0.1, 0.2, 0.1)) + 0.5 * np.array((0.6, 0.3, 0.2)))
        assert middle(base) == pytest.approx(expected, abs=1)
        # The lights are looked at anew in each frame.
        path.set_h(0)
        assert middle(base) == pytest.approx(expected + 127.5 * np.array((0.6, 0.3, 0.2)), abs=1)


def test_highlights_are_brightest_square_to_the_strand(base: Any, card: NodePath) -> None:
    sun = DirectionalLight("sun")
    path = card.get_parent().attach_new_node(sun)
    card.set_light(path)
    card.set_color(0, 0, 0, 1)
    found = []
    with FurCoat(card, FurConfig(parent=ONE, highlight=1.0, gloss=4.0)):
        for heading in (0, 40, 80):
            path.set_h(heading)
            found.append(middle(base)[0])
    assert found == sorted(found)
    # Strands stand along the half vector, or up to 40 degrees off: sine to the power of the gloss.
    assert found[0] == 0.0
    along = 23 / 24
    assert found[1] == pytest.approx(255 * along * np.sin(np.radians(20)) ** 4, abs=2)


def test_roots_are_darker(base: Any, card: NodePath) -> None:
    """What is seen is the outermost layer, in the middle of the height that it stands for."""
    with FurCoat(card, FurConfig(parent=ONE, root_darkening=0.8)):
        assert middle(base) == pytest.approx([255 * (1 - 0.8 / 24)] * 3, abs=1)
    with FurCoat(card, FurConfig(parent=ONE, root_darkening=0.8, limits=(2,))):
        assert middle(base) == pytest.approx([255 * (1 - 0.8 / 4)] * 3, abs=1)


def test_thin_coats_let_the_skin_through(base: Any, card: NodePath) -> None:
    card.set_color(0, 0, 1, 1)
    with FurCoat(card, FurConfig(parent=ONE, color=(1, 1, 0, 0.5), limits=(1,))):
        assert middle(base) == pytest.approx((0, 0, 127.5), abs=1)


def test_fog(base: Any, card: NodePath) -> None:
    fog = Fog("fog")
    fog.set_color(0, 1, 0)
    fog.set_linear_range(5, 15)
    card.set_fog(fog)
    with FurCoat(card, FurConfig(parent=SOLID, bands=(), length=1e-3)):
        assert middle(base) == pytest.approx((127.5, 255, 127.5), abs=2)


def test_layers_of_several_primitives_are_drawn_inner_first(base: Any, card: NodePath) -> None:
    """One primitive after another, inner layers of the second would lie over outer ones of the first."""
    config = FurConfig(parent=ONE, density=0.5, root_darkening=0.9, length=0.8)
    card.set_h(50)
    with FurCoat(card, config):
        expected = screenshot(base)
    node = card.node()
    assert isinstance(node, GeomNode)
    whole = node.get_geom(0)
    parts = Geom(whole.get_vertex_data())
    for corners in np.array_split(triangles(whole), 8):
        parts.add_primitive(indexed_triangles(corners))
    node.remove_all_geoms()
    node.add_geom(parts)
    with FurCoat(card, config):
        (shell,) = (path.node() for path in shells_of(card))
        assert isinstance(shell, GeomNode)
        drawn = shell.get_geom(0)
        assert drawn.get_num_primitives() == 1
        assert isinstance(drawn.get_primitive(0), GeomTriangles)
        assert drawn.get_vertex_data() == parts.get_vertex_data()
        assert (screenshot(base) == expected).all()


def test_it_can_hide_what_is_behind_it(base: Any, scene: NodePath, card: NodePath) -> None:
    """As an ear hides the fur of the head, if it writes depth."""
    front = card.copy_to(scene)
    front.set_color(0, 0, 1, 1)
    front.set_pos(0, -0.5, 0)
    front.set_scale(0.5)
    both = NodePath("both")
    both.reparent_to(scene)
    front.reparent_to(both)
    # Drawn later, over the fur of what is in front of it.
    card.reparent_to(both)
    edge = 128 + round(0.55 / 2.8 * 256)
    front.set_bin("fixed", 0)
    card.set_bin("fixed", 10)
    tilted = FurConfig(parent=ONE, length=0.3, wind=(4, 0, 0), gust=0.0, gust_size=1e6, bend=0.0)
    seen = {}
    for depth_write in (False, True):
        with FurCoat(both, FurConfig(parent=tilted, depth_write=depth_write)):
            seen[depth_write] = screenshot(base)[128, edge, :3].tolist()
    assert seen[False] == [255, 255, 255]
    assert seen[True] == [0, 0, 255]


def test_it_is_drawn_after_its_skin(base: Any, card: NodePath) -> None:
    attrib = bin_of(card.get_net_state())
    assert (attrib.get_bin_name(), attrib.get_draw_order()) == ("transparent", 0)
    card.set_bin("background", 5)
    assert bin_of(card.get_net_state()).get_bin_name() == "transparent"
    card.set_bin("fixed", 3)
    attrib = bin_of(card.get_net_state())
    assert (attrib.get_bin_name(), attrib.get_draw_order()) == ("fixed", 4)


def test_the_picture_stays_opaque(base: Any, card: NodePath) -> None:
    with FurCoat(card, FurConfig(parent=ONE, density=0.5, limits=(2,))):
        (shell,) = shells_of(card)
        attrib = shell.get_net_state().get_attrib(TransparencyAttrib)
        assert isinstance(attrib, TransparencyAttrib)
        assert attrib.get_mode() == TransparencyAttrib.M_premultiplied_alpha
        assert screenshot(base)[64:192, 64:192, 3].min() == 255


@pytest.mark.parametrize("density", [0.0, 0.3, 0.7, 1.0])
def test_combed_thin_fewer_strands_stand(base: Any, scene: NodePath, card: NodePath, density: float) -> None:
    """From nearby as many are left as asked for, each of them whole; from afar all are thinner."""
    card.remove_node()
    u, v = (part.ravel() for part in np.meshgrid(np.linspace(0, 1, 9), np.linspace(0, 1, 9)))
    columns = {
        "vertex": np.stack([2 * u - 1, 0 * u, 2 * v - 1], axis=1),
        "normal": np.tile((0.0, -1.0, 0.0), (81, 1)),
        "tangent": np.tile((1.0, 0.0, 0.0), (81, 1)),
        "binormal": np.tile((0.0, 0.0, 1.0), (81, 1)),
        "texcoord": np.stack([u, v], axis=1),
        "rtstamp_fur": np.tile((0.0, 0.0, 1.0, density), (81, 1)),
    }
    combed = make_node("combed", make_geom(columns, grid_faces(8, 8)))
    combed.reparent_to(scene)
    look = FurConfig(parent=ONE, length=0.1, color=(1, 0, 0))
    # Of the first, the texture of strands lies once over what is looked at; of the second, many times.
    for spacing, whole in ((0.45, True), (0.05, False)):
        with FurCoat(combed, FurConfig(parent=look, spacing=spacing)):
            seen = 1.0 - screenshot(base)[62:194, 62:194, 1].astype(float) / 255.0
        assert seen.mean() == pytest.approx(density, abs=0.06)
        if whole:
            assert ((seen > 0.02) & (seen < 0.98)).mean() < 0.3


def test_depth_lets_no_more_skin_through(base: Any, scene: NodePath) -> None:
    """Thin strands near the skin are drawn, whether strands write depth or not; also of very thin layers."""
    ball = white_sphere(base, scene)
    ball.set_color(1, 1, 1, 1)
    black = FurConfig(parent=LONG, color=(0, 0, 0), highlight=0.0, bands=(), limits=(64,), layers=64)
    seen = []
    for depth_write in (False, True):
        with FurCoat(ball, FurConfig(parent=black, depth_write=depth_write)):
            seen.append(area(screenshot(base)))
    assert seen[1] == pytest.approx(seen[0], abs=0.002)
