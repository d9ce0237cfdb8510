"""What a warm-up makes, hits need not make."""

from typing import Any

import pytest
from panda3d.core import NodePath

from panda_rtstamp.errors import ConfigError
from stamp_support import card_at, system
from support import step

# After which a warm-up is over.
FRAMES = 3


def windows(base: Any) -> int:
    """Windows and buffers there are."""
    return int(base.graphics_engine.get_num_windows())


def test_pairs_are_there_before_the_hits(base: Any, scene: NodePath) -> None:
    cards = [card_at(scene, 10.0, 1024) for _ in range(3)]
    with system(base) as stamps:
        stamps.warm_up(slots=3)
        step(base, FRAMES)
        before = windows(base)
        assert stamps.memory_bytes == 3 * 2 * 1024 * 1024 * 4
        assert stamps.active_count == 0
        assert stamps.capture_count == 0
        for card in cards:
            stamps.hit(card, (0.0, 200.0, 0.0))
            step(base)
        assert windows(base) == before
        assert stamps.capture_count == 3


def test_pairs_of_several_resolutions(base: Any, scene: NodePath) -> None:
    """Hits that take the resolutions asked for make no pair, and make none anew."""
    resolutions = (256, 2048, 256, 512)
    cards = [card_at(scene, 10.0, resolution) for resolution in resolutions]
    with system(base) as stamps:
        stamps.warm_up({512: 1, 256: 2, 2048: 1})
        step(base, FRAMES)
        made = {window.this for window in base.graphics_engine.get_windows()}
        assert stamps.memory_bytes == sum(2 * resolution**2 * 4 for resolution in resolutions)
        for card in cards:
            stamps.hit(card, (0.0, 200.0, 0.0))
            step(base)
        assert {window.this for window in base.graphics_engine.get_windows()} == made


@pytest.mark.parametrize("wrong", [-1, 1.5, "4", {512: -1}, {500: 1}, {8192: 1}, {"big": 1}, None])
def test_wrong_slots(base: Any, wrong: Any) -> None:
    with system(base) as stamps:
        with pytest.raises(ConfigError, match="slots must be"):
            stamps.warm_up(wrong)
        assert stamps.memory_bytes == 0


def test_a_warm_up_leaves_no_trace_in_the_marks(base: Any, scene: NodePath) -> None:
    card = card_at(scene, 10.0, 1024)
    with system(base, auto_fade=False) as stamps:
        stamps.warm_up()
        stamps.hit(card, (3.0, 200.0, 3.0), radius=1.0)
        step(base, 3)
        image = stamps.image(card)
        assert image is not None
        assert image[:512, :512].max() == 0.0
        assert image[512:, 512:, 3].max() > 0.9


def test_a_warm_up_keeps_to_the_pool(base: Any, scene: NodePath) -> None:
    card = card_at(scene, 10.0, 64)
    with system(base, max_pool_size=2) as stamps:
        stamps.hit(card, (0.0, 200.0, 0.0))
        stamps.warm_up(slots=8)
        step(base, 2)
        assert stamps.memory_bytes == (1024 * 1024 + 64 * 64) * 2 * 4
        stamps.warm_up(slots=8)
        step(base, 2)
        assert stamps.memory_bytes == (1024 * 1024 + 64 * 64) * 2 * 4
        assert stamps.active_count == 1


def test_in_every_format_and_look(base: Any) -> None:
    for format in ("rgba8", "rgba16f", "r16", "r16f"):
        for look in ("paint", "tint", "glow"):
            with system(base, format=format, look=look) as stamps:
                stamps.warm_up(slots=1)
                step(base, 2)
                assert stamps.memory_bytes > 0
