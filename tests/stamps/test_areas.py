"""A mark is as large as the formula says, by the surface's area, whatever its layout on the texture is."""

from typing import Any

import numpy as np
import pytest
from panda3d.core import CardMaker, NodePath

from panda_rtstamp import StampBinding, StampSystem
from pictures import stamps_on
from shapes import Floats, cylinder, make_geom, make_node, quads, sphere
from stamp_support import mask_formula
from support import make_card, step
from surfaces import integral, mark_area, mesh_of

UNWRAPPING = {"unwrapper": "own", "unwrap_at_once": 1_000_000}
FLAT_POINT = (0.3, 0.0, -0.2)
ROUND_POINT = (np.cos(0.4), np.sin(0.4), 0.0)


def make_surface(shape: str, laid_out: bool) -> NodePath:
    """A flat of 2 x 2, or a cylinder or a sphere of radius 1, with UVs of its own or without."""
    if shape == "flat":
        maker = CardMaker("flat")
        maker.set_frame(-1, 1, -1, 1)
        maker.set_has_uvs(laid_out)
        return NodePath(maker.generate())
    return cylinder(laid_out) if shape == "cylinder" else sphere(laid_out)


def marked_area(base: Any, stamps: StampSystem, node: NodePath) -> float:
    """The area that is marked, in the world."""
    step(base)
    image = stamps.image(node)
    assert image is not None
    return float(mark_area(mesh_of(node), image[..., 3].astype(np.float64)).sum())


@pytest.mark.parametrize("scale", [(1.0, 1.0, 1.0), (1e-3, 1e-3, 1e-3), (1e3, 1e3, 1e3), (1.0, 2.0, 0.5)])
@pytest.mark.parametrize("laid_out", [True, False])
@pytest.mark.parametrize("shape", ["flat", "cylinder", "sphere"])
def test_the_area_of_a_mark(
    base: Any, scene: NodePath, shape: str, laid_out: bool, scale: tuple[float, float, float]
) -> None:
    node = make_surface(shape, laid_out)
    node.reparent_to(scene)
    node.set_scale(scale)
    node.set_tag("rtstamp-resolution", "512")
    point = np.array(FLAT_POINT if shape == "flat" else ROUND_POINT) * scale
    radius = 0.6 * scale[0]
    expected = integral(
        mesh_of(node).points, lambda at: mask_formula(np.linalg.norm(at - point, axis=1), radius, 0.1)
    )
    with stamps_on(base, **UNWRAPPING) as stamps:
        assert stamps.hit(node, tuple(point), radius=radius) is not None
        assert marked_area(base, stamps, node) == pytest.approx(expected, rel=0.01)


# coverage, by which a game asks for the same.


def coverage(base: Any, stamps: StampSystem, node: NodePath) -> float:
    """What both calls say, which must be the same."""
    step(base)
    at_once: float = stamps.coverage(node)
    future = stamps.coverage_async(node)
    for _ in range(10):
        if future.done():
            break
        step(base)
    assert future.done()
    later: float = future.result()
    assert later == pytest.approx(at_once, abs=1e-6)
    return at_once


def hit_left_half(stamps: StampSystem, card: NodePath) -> StampBinding:
    """Mark the left half of a card of 2 x 2: by a sphere so large that its edge is nearly straight.

    The edge, 0.01 wide, bends by 0.005 on the way from the middle to the card's border.
    """
    radius = 100.0
    middle = 0.5e-4 * radius - radius
    binding = stamps.hit(card, (middle, 0.0, 0.0), other=card, radius=radius, hardness=1.0)
    assert binding is not None
    return binding


@pytest.mark.profiles
@pytest.mark.parametrize("format", ["rgba8", "rgba16f", "r16", "r16f"])
def test_coverage_of_a_half_marked_card(base: Any, scene: NodePath, format: str) -> None:
    card = make_card(2.0, 2.0)
    card.reparent_to(scene)
    with stamps_on(base, format=format) as stamps:
        hit_left_half(stamps, card)
        assert coverage(base, stamps, card) == pytest.approx(0.5, abs=0.005)


@pytest.mark.parametrize("laid_out", [True, False])
def test_coverage_of_a_cap_of_a_sphere(base: Any, scene: NodePath, laid_out: bool) -> None:
    """A ball of radius r around a point of a unit sphere cuts out a cap of r ** 2 / 4 of it."""
    ball = sphere(laid_out, 128, 64)
    ball.reparent_to(scene)
    ball.set_tag("rtstamp-resolution", "512")
    with stamps_on(base, **UNWRAPPING) as stamps:
        assert stamps.hit(ball, ROUND_POINT, radius=0.8, hardness=1.0) is not None
        assert coverage(base, stamps, ball) == pytest.approx(0.8**2 / 4, rel=0.01)


def test_coverage_is_by_area_in_the_world_under_nested_scales(base: Any, scene: NodePath) -> None:
    """Two cards of the same size in one texture; one is drawn three times as large."""
    top = scene.attach_new_node("top")
    top.set_scale(2.0)
    small, large = (_half_card(index) for index in range(2))
    small.reparent_to(top)
    stretched = top.attach_new_node("stretched")
    stretched.set_scale(3.0, 1.0, 1.0)
    stretched.set_z(10.0)
    large.reparent_to(stretched)
    with stamps_on(base) as stamps:
        assert stamps.hit(top, (0.0, 0.0, 0.0), other=small, radius=10.0, hardness=1.0) is not None
        assert coverage(base, stamps, top) == pytest.approx(0.25, abs=1e-3)


def _half_card(index: int) -> NodePath:
    """A card of 2 x 2 on the left or the right half of the texture."""
    maker = CardMaker("half")
    maker.set_frame(-1, 1, -1, 1)
    maker.set_uv_range((0.5 * index, 0.0), (0.5 + 0.5 * index, 1.0))
    return NodePath(maker.generate())


def test_coverage_of_geoms_of_very_unequal_density(base: Any, scene: NodePath) -> None:
    """Two cards of the same size, of which one has 1 % of the other's texels."""
    geoms = []
    for x, low, high in ((-2.0, 0.0, 0.9), (2.0, 0.91, 1.0)):
        corners = np.array([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)])
        points: Floats = np.stack([corners[:, 0] + x, 0 * corners[:, 0], corners[:, 1]], axis=1)
        uvs: Floats = low + (corners + 1) / 2 * (high - low)
        geoms.append(make_geom({"vertex": points, "texcoord": uvs}, quads(1)))
    node = make_node("unequal", *geoms)
    node.reparent_to(scene)
    node.set_tag("rtstamp-resolution", "512")
    for x in (-2.0, 2.0):
        with stamps_on(base) as stamps:
            assert stamps.hit(node, (x, 0.0, 0.0), radius=2.0, hardness=1.0) is not None
            assert coverage(base, stamps, node) == pytest.approx(0.5, abs=0.005)


def test_coverage_fades_as_marks_do(base: Any, scene: NodePath) -> None:
    card = make_card(2.0, 2.0)
    card.reparent_to(scene)
    with stamps_on(base) as stamps:
        binding = hit_left_half(stamps, card)
        full = coverage(base, stamps, card)
        stamps.start_fade(card, 1.0)
        step(base, 9)
        alpha = binding.alpha
        assert 0.3 < alpha < 0.7
        assert stamps.coverage(card) == pytest.approx(full * alpha, abs=1e-3)
        step(base, 60)
        assert stamps.active_count == 0
        assert stamps.coverage(card) == 0.0


def test_coverage_is_nothing_without_marks(base: Any, scene: NodePath) -> None:
    card = make_card(2.0, 2.0)
    card.reparent_to(scene)
    with stamps_on(base) as stamps:
        assert coverage(base, stamps, card) == 0.0
        assert stamps.hit(card, (0.0, 2.5, 0.0), radius=1.0) is not None
        assert coverage(base, stamps, card) == 0.0
