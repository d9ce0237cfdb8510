"""How a hit meets the marks before it: over, add, max, erase, as numpy has it, one by one or in one frame."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from panda3d.core import NodePath

from brush_support import Projection, as_texture, make_slopes
from panda_rtstamp import Brush, ConfigError, StampSystem
from stamp_support import Floats, card_at, card_points, image_of, mask_formula, small_card, system
from support import compare_images, step

SIZE = 100.0
TEXELS = 256
RADIUS = 30.0
FORMATS = ("rgba8", "rgba16f", "r16", "r16f")
BLENDS = ("over", "add", "max", "erase")
TOWARDS_US = (0.0, -1.0, 0.0)
pytestmark = pytest.mark.profiles


@dataclass(frozen=True)
class Shot:
    """A hit and its blend; with a picture it is a brush."""

    point: tuple[float, float, float]
    color: tuple[float, float, float]
    opacity: float
    blend: str
    picture: Floats | None = None

    def fire(self, stamps: StampSystem, card: NodePath) -> None:
        """Hit the card."""
        brush = None if self.picture is None else Brush(as_texture(self.picture), rotation=0.0)
        stamps.hit(card, self.point, radius=RADIUS, opacity=self.opacity, hardness=0.3, color=self.color,
                   normal=None if brush is None else TOWARDS_US, brush=brush, blend=self.blend)  # fmt: skip

    def mark(self, points: Floats) -> Floats:
        """Premultiplied colour and mask, alone on the card."""
        color: Floats = np.array([*self.color, 1.0])
        if self.picture is None:
            distance = np.linalg.norm(points - self.point, axis=-1)
            mask = mask_formula(distance, RADIUS, 0.3, self.opacity)
            return mask[..., None] * color[None, None]
        right, up = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)
        projected = Projection(self.picture, self.point, right, up, (RADIUS, RADIUS))
        return np.multiply(projected.at(points), self.opacity * color)


def shots(blends: Sequence[str], picture: Floats | None = None) -> list[Shot]:
    """Overlapping hits around the middle; every third one is a brush, if there is a picture."""
    random = np.random.default_rng(3)
    found = []
    for index, blend in enumerate(blends):
        x, z = random.uniform(-25.0, 25.0, 2)
        red, green, blue = np.round(random.uniform(0.0, 1.0, 3), 2)
        brush = picture if index % 3 == 2 else None
        found.append(Shot((x, 200.0, z), (red, green, blue), float(random.uniform(0.4, 1.0)), blend, brush))
    return found


def blended(all_shots: Sequence[Shot]) -> Floats:
    """What is on the card after these hits, in 64 bits."""
    points = card_points(SIZE, TEXELS) + (0.0, 200.0, 0.0)
    result = np.zeros((TEXELS, TEXELS, 4))
    for shot in all_shots:
        mark = shot.mark(points)
        if shot.blend == "add":
            result = np.minimum(result + mark, 1.0)
        elif shot.blend == "max":
            result = np.maximum(result, mark)
        else:
            result = result * (1.0 - mark[..., 3:]) + (mark if shot.blend == "over" else 0.0)
    return result


def tolerance(format: str, captures: int, share: float) -> float:
    """8 bits: each capture rounds Primary's mask, and Temp, whose steps are `share` times as much to us."""
    return (0.5 + 0.5 * share) * (captures + 1) / 255 if format == "rgba8" else 2e-3 + 1e-3 * captures


def check(
    stamps: StampSystem, card: NodePath, expected: Floats, format: str, captures: int, name: str
) -> None:
    binding = stamps.binding(card)
    assert binding is not None
    image = image_of(stamps, card)
    # A one-channel format keeps the mask alone.
    channels = slice(None) if format.startswith("rgba") else slice(3, None)
    allowed = tolerance(format, captures, binding.share)
    compare_images(image[..., channels], expected[..., channels], allowed, f"blend-{format}-{name}")


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("blend", BLENDS)
def test_a_blend_is_its_formula(base: Any, scene: NodePath, format: str, blend: str) -> None:
    """Two hits that cover all the middle, then three of the blend, one a frame."""
    card = card_at(scene, SIZE, TEXELS)
    all_shots = shots(["over", "over", blend, blend, blend])
    with system(base, format=format, auto_fade=False) as stamps:
        for shot in all_shots:
            shot.fire(stamps, card)
            step(base)
        check(stamps, card, blended(all_shots), format, len(all_shots), blend)


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("together", [False, True], ids=["one a frame", "in one frame"])
def test_all_blends_in_the_order_of_the_calls(
    base: Any, scene: NodePath, format: str, together: bool
) -> None:
    """Brushes among them; an order that no grouping by blend would leave the same."""
    card = card_at(scene, SIZE, TEXELS)
    order = ["over", "add", "erase", "max", "over", "erase", "add", "max", "erase", "over", "over", "max"]
    all_shots = shots(order, make_slopes())
    with system(base, format=format, auto_fade=False) as stamps:
        for shot in all_shots:
            shot.fire(stamps, card)
            if not together:
                step(base)
        # A frame takes nine runs of one blend; here are eleven.
        step(base, 2)
        name = "together" if together else "in-turn"
        check(stamps, card, blended(all_shots), format, len(all_shots), name)
    backwards = blended(all_shots[::-1])
    assert np.abs(backwards - blended(all_shots)).max() > 0.3


@pytest.mark.parametrize("blend", ["over", "add", "max"])
def test_the_config_says_how_hits_meet(base: Any, scene: NodePath, blend: str) -> None:
    """Unless the hit does."""
    cards = [card_at(scene, SIZE, TEXELS) for _ in range(2)]
    all_shots = shots([blend] * 3)
    with system(base, format="rgba16f", auto_fade=False, blend=blend) as stamps:
        for shot in all_shots:
            for card, own in zip(cards, (None, blend), strict=True):
                stamps.hit(card, shot.point, radius=RADIUS, opacity=shot.opacity, hardness=0.3,
                           color=shot.color, blend=own)  # fmt: skip
        step(base)
        images = [image_of(stamps, card) for card in cards]
    np.testing.assert_array_equal(images[0], images[1])
    compare_images(images[0], blended(all_shots), 3e-3, f"blend-config-{blend}")


def test_an_erase_takes_all_away(base: Any, scene: NodePath) -> None:
    card = card_at(scene, SIZE, TEXELS)
    with system(base, auto_fade=False) as stamps:
        stamps.hit(card, (0.0, 200.0, 0.0), radius=RADIUS)
        step(base)
        assert image_of(stamps, card)[..., 3].max() > 0.9
        stamps.hit(card, (0.0, 200.0, 0.0), radius=2.0 * RADIUS, hardness=1.0, blend="erase")
        step(base)
        assert image_of(stamps, card).max() == 0.0


def test_an_erase_of_nothing_makes_nothing(base: Any, scene: NodePath) -> None:
    card = card_at(scene, SIZE, TEXELS)
    with system(base) as stamps:
        assert stamps.hit(card, (0.0, 200.0, 0.0), radius=RADIUS, blend="erase") is None
        step(base)
        assert stamps.active_count == 0
        assert stamps.capture_count == 0


def test_an_erase_does_not_renew_the_fade(base: Any, scene: NodePath) -> None:
    """Two marks that fade side by side stay alike though one is erased at, beside the mark."""
    cards = [small_card(scene, name, x) for name, x in (("erased", -2.0), ("left alone", 2.0))]
    with system(base, format="rgba16f", fade_duration=2.0) as stamps:
        for card in cards:
            stamps.hit(card, (0.0, 0.0, 0.0), other=card, radius=0.5)
        step(base, 20)
        binding = stamps.hit(cards[0], (0.8, 0.0, 0.8), other=cards[0], radius=0.1, blend="erase")
        assert binding is not None
        step(base, 20)
        first, second = (image_of(stamps, card) for card in cards)
        assert second[..., 3].max() > 0.05
        compare_images(first, second, 2e-3, "blend-erase-fade")
        # Had the erase renewed it, it would stay for 20 frames more.
        step(base, 85)
        assert stamps.active_count == 0


@pytest.mark.parametrize("blend", ["multiply", "OVER", "", 1])
def test_a_bad_blend_says_what_is_allowed(base: Any, scene: NodePath, blend: Any) -> None:
    card = card_at(scene, SIZE, TEXELS)
    with system(base) as stamps:
        with pytest.raises(ConfigError, match=r"blend must be.*over.*add.*max.*erase") as caught:
            stamps.hit(card, (0.0, 200.0, 0.0), blend=blend)
        assert repr(blend) in str(caught.value)
        assert stamps.active_count == 0
