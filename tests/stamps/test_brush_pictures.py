"""Where a brush's picture comes from: ready ones, files, textures; and what is none is refused in words."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from panda3d.core import NodePath, Texture

from brush_support import (
    EDGE,
    FILTERING,
    POINT,
    RADIUS,
    RIGHT,
    SIZE,
    TEXELS,
    TOWARDS_US,
    UP,
    Projection,
    as_texture,
    brush_image,
    check,
    make_card,
    on_card,
    ready_picture,
)
from panda_rtstamp import Brush, ConfigError
from stamp_support import image_of, system
from support import ROOT, NotifyLog, step

READY = ("bullet_hole", "crack", "scorch", "splat")


@pytest.mark.profiles
@pytest.mark.parametrize("name", READY)
def test_ready_brushes_by_name(base: Any, scene: NodePath, name: str) -> None:
    """Each is what its picture is, whether its name is given or its file."""
    card = make_card(scene)
    path = ROOT / "models" / "brushes" / f"{name}.png"
    ready = brush_image(base, card, Brush(name, rotation=0.0))
    expected = Projection(ready_picture(name), POINT, RIGHT, UP, (RADIUS, RADIUS))
    check(ready, expected, on_card(card), f"brush-{name}")
    for other in (path, str(path)):
        np.testing.assert_array_equal(brush_image(base, card, Brush(other, rotation=0.0)), ready)


@pytest.mark.profiles
def test_a_dozen_brushes_in_one_frame(base: Any, scene: NodePath) -> None:
    card = make_card(scene)
    random = np.random.default_rng(5)
    places = [(-36.0 + 24.0 * column, 200.0, -24.0 + 24.0 * row) for row in range(3) for column in range(4)]
    colors = [np.round(random.uniform(0.0, 1.0, 3) * 255) / 255 for _ in places]
    with system(base, format="rgba16f", auto_fade=False) as stamps:
        for index, (place, color) in enumerate(zip(places, colors, strict=True)):
            flat = np.broadcast_to(np.append(color, 1.0), (8, 8, 4))
            brush = Brush(as_texture(flat, f"flat-{index}"), rotation=0.0)
            stamps.hit(card, place, radius=10.0, normal=TOWARDS_US, brush=brush)
        step(base)
        assert stamps.capture_count == 1
        image = image_of(stamps, card)
    points = on_card(card)
    covered = np.zeros((TEXELS, TEXELS), bool)
    for place, color in zip(places, colors, strict=True):
        distance = np.abs(points - place)[..., [0, 2]].max(axis=-1)
        inside = distance < 10.0 - EDGE
        covered |= distance <= 10.0 + EDGE
        assert np.abs(image[inside] - np.append(color, 1.0)).max() <= 2e-3
    assert image[~covered].max() == 0.0


def test_a_large_picture_keeps_its_edges_clean(base: Any, scene: NodePath) -> None:
    """Of texels that are not seen, no colour bleeds in where it is made smaller."""
    card = make_card(scene)
    stripes = np.zeros((1024, 1024, 4))
    stripes[:, ::2] = (1.0, 0.5, 0.0, 1.0)
    stripes[:, 1::2] = (0.0, 0.0, 1.0, 0.0)
    image = brush_image(base, card, Brush(as_texture(stripes), rotation=0.0))
    inside = np.abs(on_card(card) - POINT).max(axis=-1) < RADIUS - EDGE
    assert np.abs(image[inside] - (0.5, 0.25, 0.0, 0.5)).max() <= FILTERING


@pytest.mark.parametrize("name", READY)
def test_a_tiny_mark_is_the_picture_seen_from_afar(base: Any, scene: NodePath, name: str) -> None:
    """6 texels across, wherever it falls between texels: the mean mask is the picture's within 10 %."""
    card = make_card(scene)
    wanted = ready_picture(name)[..., 3].mean()
    texel = SIZE / TEXELS
    random = np.random.default_rng(9)
    for shift in random.uniform(0.0, 1.0, (8, 2)):
        point = (shift[0] * texel, 200.0, shift[1] * texel)
        brush = Brush(name, rotation=float(random.uniform(0.0, 360.0)))
        image = brush_image(base, card, brush, point, radius=3.0 * texel)
        assert image[..., 3].sum() / 36.0 == pytest.approx(wanted, rel=0.1)


def assert_refused(stamps: Any, card: NodePath, words: Sequence[str], **options: Any) -> None:
    """The hit raises a ConfigError that has these words, and leaves no mark."""
    with pytest.raises(ConfigError) as caught:
        stamps.hit(card, POINT, **{"normal": TOWARDS_US, **options})
    for word in words:
        assert word in str(caught.value)
    assert stamps.active_count == 0


def test_a_bad_brush_says_what_is_allowed(
    base: Any, scene: NodePath, notify: NotifyLog, tmp_path: Path
) -> None:
    # Panda3D itself says so too, at length.
    notify.allow("pnmimage")
    card = make_card(scene)
    broken = tmp_path / "broken.png"
    broken.write_bytes(b"this is no picture")
    allowed = ("brush", *READY)
    with system(base) as stamps:
        assert_refused(stamps, card, ("brush", "normal"), brush="splat", normal=None)
        assert_refused(stamps, card, (*allowed, "'nonesuch'"), brush="nonesuch")
        assert_refused(stamps, card, (*allowed, "'none/such.png'"), brush="none/such.png")
        assert_refused(stamps, card, (*allowed, "missing.png"), brush=tmp_path / "missing.png")
        assert_refused(stamps, card, (*allowed, "broken.png"), brush=broken)
        assert_refused(stamps, card, (*allowed, "Texture"), brush=Texture("empty"))
        for wrong in (5, b"splat", "", ["splat"], True):
            assert_refused(stamps, card, (*allowed, repr(wrong)), brush=wrong)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"aspect": 0.0}, ("aspect", "0.01", "100", "0.0")),
        ({"aspect": -1.0}, ("aspect", "-1.0")),
        ({"aspect": float("nan")}, ("aspect", "nan")),
        ({"aspect": "wide"}, ("aspect", "'wide'")),
        ({"rotation": float("inf")}, ("rotation", "degrees", "inf")),
        ({"rotation": "left"}, ("rotation", "degrees", "'left'")),
    ],
)
def test_a_brush_refuses(options: dict[str, Any], words: Sequence[str]) -> None:
    make: Any = Brush
    with pytest.raises(ConfigError) as caught:
        make("splat", **options)
    for word in words:
        assert word in str(caught.value)


def test_a_brush_is_frozen() -> None:
    brush: Any = Brush("splat", rotation=30.0, aspect=2.0)
    assert brush == Brush("splat", rotation=30.0, aspect=2.0)
    with pytest.raises(AttributeError):
        brush.aspect = 1.0
