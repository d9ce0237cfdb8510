"""Pictures and coverage that are read without waiting."""

from typing import Any

import numpy as np
import pytest
from panda3d.core import NodePath

from panda_rtstamp import RtStampError, StampSystem
from panda_rtstamp.core.readback import ReadFuture
from stamp_support import hit_middle, small_card, system
from support import frames_behind, step

# Frames after which what was asked for is there.
SOON = 12


def wait_for(base: Any, *futures: ReadFuture) -> list[Any]:
    """The results; a bound on the frames that they take."""
    for _ in range(SOON + 2 * frames_behind(base)):
        if all(future.done() for future in futures):
            break
        step(base)
    return [future.result() for future in futures]


@pytest.mark.profiles
@pytest.mark.threads
@pytest.mark.parametrize("format", ["rgba8", "rgba16f", "r16", "r16f"])
def test_a_picture_is_what_image_says(base: Any, scene: NodePath, format: str) -> None:
    card = small_card(scene)
    with system(base, format=format, auto_fade=False, intensity=1.5) as stamps:
        hit_middle(stamps, card, color=(0.9, 0.5, 0.2), opacity=0.5)
        step(base, 2 + frames_behind(base))
        expected = stamps.image(card)
        (actual,) = wait_for(base, stamps.image_async(card))
        assert expected is not None
        assert actual.dtype == np.float32
        assert np.abs(actual - expected).max() == 0.0
        assert actual[..., 3].max() > 0.5


def test_what_is_asked_in_the_frame_of_a_hit_shows_the_hit(base: Any, scene: NodePath) -> None:
    card = small_card(scene)
    with system(base, auto_fade=False) as stamps:
        hit_middle(stamps, card, hardness=1.0, radius=0.5)
        future, share = stamps.image_async(card), stamps.coverage_async(card)
        image, covered = wait_for(base, future, share)
        assert image[32, 32, 3] == pytest.approx(1.0, abs=1 / 255)
        assert covered == pytest.approx(np.pi * 0.25 / 4, abs=0.01)


def test_it_is_as_of_the_frame_it_was_asked_in(base: Any, scene: NodePath) -> None:
    card = small_card(scene)
    with system(base, fade_duration=0.5) as stamps:
        hit_middle(stamps, card, hardness=1.0, radius=10.0)
        step(base, 3)
        future = stamps.coverage_async(card)
        # The time that the coming frame shows.
        expected = stamps.coverage(card)
        (covered,) = wait_for(base, future)
        assert covered == pytest.approx(expected, abs=2 / 255)
        assert covered > stamps.coverage(card) + 0.05


def test_many_at_once(base: Any, scene: NodePath) -> None:
    cards = [small_card(scene, f"card-{number}") for number in range(6)]
    with system(base, auto_fade=False) as stamps:
        for number, card in enumerate(cards):
            hit_middle(stamps, card, hardness=1.0, radius=10.0, opacity=number / 5)
        found = wait_for(base, *(stamps.coverage_async(card) for card in cards for _ in range(2)))
        assert found == pytest.approx(np.repeat(np.arange(6) / 5, 2), abs=1 / 255)


def test_in_a_coroutine(base: Any, scene: NodePath) -> None:
    card = small_card(scene)
    said: list[Any] = []

    async def look(stamps: StampSystem) -> None:
        said.append(await stamps.coverage_async(card))
        said.append((await stamps.image_async(card)).shape)

    with system(base, auto_fade=False) as stamps:
        hit_middle(stamps, card, hardness=1.0, radius=10.0)
        base.task_mgr.add(look(stamps), "look")
        step(base, 2 * SOON)
    assert said == [pytest.approx(1.0, abs=1 / 255), (64, 64, 4)]


def test_where_there_are_no_marks(base: Any, scene: NodePath) -> None:
    card = small_card(scene)
    with system(base, auto_fade=False) as stamps:
        assert stamps.image_async(card).result() is None
        assert stamps.coverage_async(card).result() == 0.0
        hit_middle(stamps, card)
        # Gone before it is read, and before it is even drawn.
        early = stamps.image_async(card), stamps.coverage_async(card)
        stamps.clear_all()
        assert wait_for(base, *early) == [None, 0.0]


def test_a_result_that_is_not_there_yet(base: Any, scene: NodePath) -> None:
    card = small_card(scene)
    with system(base, auto_fade=False) as stamps:
        hit_middle(stamps, card)
        future = stamps.coverage_async(card)
        assert not future.done()
        with pytest.raises(RtStampError, match=r"ask done\(\)"):
            future.result()
    # The end of the system answers whatever waits.
    assert future.done()
    assert future.result() == 0.0
