"""Many hits in one frame: few passes for those on one node; of many nodes a few a frame, and none is lost."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from panda3d.core import NodePath

from cost_support import rects_of, shoot, texels, watch_passes
from stamp_support import card_at, card_points, hit_middle, image_of, mask_formula, small_card, system
from support import NotifyLog, step

Floats = NDArray[np.float64]
# Beside what a sphere touches: the texel that edges reach into, the gutter, what the merge sees beyond.
_MARGIN = 1 + 2 + 2
SIZE = 10.0


# On one node.


def test_hits_in_one_rectangle_cost_the_passes_of_one(
    base: Any, scene: NodePath, monkeypatch: pytest.MonkeyPatch
) -> None:
    card = card_at(scene, SIZE, 1024)
    spots = [(0.05 * number / 32, 0.0, 0.0) for number in range(32)]
    costs = []
    with system(base, auto_fade=False) as stamps:
        for points in (spots, spots[:1], spots):
            with monkeypatch.context() as patch:
                passes = watch_passes(patch)
                shoot(base, stamps, card, *points, radius=0.5)
                costs.append(passes)
    _, one, many = costs
    assert [done.target for done in many] == [done.target for done in one]
    assert [(done.geoms, done.triangles) for done in many] == [(done.geoms, done.triangles) for done in one]
    assert texels(many) < 1.3 * texels(one)


def test_hits_far_apart_are_not_one_big_rectangle(
    base: Any, scene: NodePath, monkeypatch: pytest.MonkeyPatch
) -> None:
    size, radius = 1024, 32
    card = card_at(scene, SIZE, size)
    with system(base, auto_fade=False) as stamps:
        shoot(base, stamps, card, (0.0, 0.0, 0.0), radius=0.1)
        passes = watch_passes(monkeypatch)
        shoot(base, stamps, card, (-4.0, 0.0, -4.0), (4.0, 0.0, 4.0), radius=radius * SIZE / size)
    rects = rects_of(passes)
    assert len(rects) == 2
    assert not rects[0].overlaps(rects[1])
    assert all(rect.area <= (2 * (radius + _MARGIN + 1)) ** 2 for rect in rects)


def test_more_places_than_rectangles(base: Any, scene: NodePath, monkeypatch: pytest.MonkeyPatch) -> None:
    """A few then share one; all marks are there, and nothing between them."""
    size, radius = 1024, 0.2
    card = card_at(scene, SIZE, size)
    places = [(x, 0.0, z) for x in (-4.5, -1.5, 1.5, 4.5) for z in (-4.0, 0.0, 4.0)]
    with system(base, auto_fade=False) as stamps:
        passes = watch_passes(monkeypatch)
        shoot(base, stamps, card, *places, radius=radius)
        mask = image_of(stamps, card)[..., 3]
    rects = rects_of(passes)
    assert 1 < len(rects) <= 8
    assert sum(rect.area for rect in rects) < 0.8 * size**2
    at = card_points(SIZE, size)
    nearest = np.min([np.linalg.norm(at - place, axis=-1) for place in places], axis=0)
    assert np.abs(mask - mask_formula(nearest, radius, 0.1)).max() <= 2 / 255


# More nodes than a frame has captures for.


def row_of_cards(scene: NodePath, count: int) -> list[NodePath]:
    """Cards that can be marked each for itself."""
    return [small_card(scene, f"card {number}", x=3.0 * number) for number in range(count)]


def places(count: int) -> list[tuple[float, float, float]]:
    """Where each of the cards is hit: another place on each."""
    rng = np.random.default_rng(count)
    return [(float(x), 0.0, float(z)) for x, z in rng.uniform(-0.6, 0.6, (count, 2))]


def images_after(base: Any, scene: NodePath, per_frame: int, frames: int) -> list[Floats]:
    """What 64 cards show so many frames after they were hit, all of them in one frame."""
    cards = row_of_cards(scene, 64)
    with system(base, max_pool_size=64, captures_per_frame=per_frame, fade_duration=1.0) as stamps:
        for card, place in zip(cards, places(64), strict=True):
            assert stamps.hit(card, place, other=card, radius=0.3) is not None
        step(base, frames)
        result = [image_of(stamps, card) for card in cards]
    for card in cards:
        card.remove_node()
    return result


def test_a_burst_is_drawn_in_a_few_frames_the_oldest_first(
    base: Any, scene: NodePath, notify: NotifyLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    notify.allow("max_pool_size")
    cards = row_of_cards(scene, 64)
    order = np.random.default_rng(8).permutation(64).tolist()
    with system(base, max_pool_size=64, captures_per_frame=8) as stamps:
        passes = watch_passes(monkeypatch)
        bindings = [hit_middle(stamps, cards[number]) for number in order]
        expected = [binding.slot.primary for binding in bindings]
        for frame in range(8):
            # One that is hit again keeps its place.
            hit_middle(stamps, cards[order[63]])
            before = len(passes)
            step(base)
            drawn = [done.target for done in passes[before:] if done.triangles]
            assert drawn == expected[8 * frame : 8 * frame + 8]
            assert stamps.capture_count == 8 * frame + 8
        assert not any(binding.waiting for binding in bindings)
        step(base)
        assert stamps.capture_count == 64


def test_a_mark_that_waited_is_as_old_as_its_hit(base: Any, scene: NodePath, notify: NotifyLog) -> None:
    """It is what it would be if it had been drawn at once."""
    notify.allow("max_pool_size")
    at_once = images_after(base, scene, 64, 9)
    in_turn = images_after(base, scene, 8, 9)
    for image, expected in zip(in_turn, at_once, strict=True):
        assert 0.3 < expected[..., 3].max() < 0.6
        assert np.abs(image - expected).max() <= 1 / 255
