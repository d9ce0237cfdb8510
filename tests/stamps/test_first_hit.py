"""The first hit on a node finds made what it needs: made ahead, in frames without hits."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import pytest
from panda3d.core import NodePath, TransformState

from first_hit_support import (
    IDLE,
    ROUND,
    assert_marked_in_the_middle,
    count_copies,
    near_card,
    settle,
    tagged,
    windows,
)
from panda_rtstamp.core import unwrap as unwrapping
from panda_rtstamp.stamps import kept
from pictures import assert_same_scene, snapshot
from shapes import sphere
from stamp_support import hit_middle, image_of, small_card, system, what_is_held
from support import NotifyLog, frames_behind, make_card, run_case, screenshot, step


@pytest.fixture
def copied(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the nodes whose Geoms are copied from now on."""
    return count_copies(monkeypatch)


@pytest.mark.profiles
@pytest.mark.threads
def test_idle_frames_make_what_the_first_hit_needs(base: Any, scene: NodePath, copied: list[str]) -> None:
    cards = [near_card(scene, f"card-{index}") for index in range(2)]
    before = [snapshot(card) for card in cards]
    with system(base, warm_up=True, auto_fade=False) as stamps:
        step(base, IDLE)
        assert sorted(copied) == ["card-0", "card-1"]
        assert (stamps.active_count, stamps.capture_count) == (0, 0)
        assert stamps.memory_bytes == 2 * 1024 * 1024 * 4
        for card, was in zip(cards, before, strict=True):
            assert_same_scene(snapshot(card), was)
        for card in cards:
            hit_middle(stamps, card)
            step(base, 1 + frames_behind(base))
            assert_marked_in_the_middle(stamps, card)
            # A pair for the next one.
            step(base, 2)
        assert stamps.memory_bytes == 3 * 2 * 1024 * 1024 * 4
        assert len(copied) == 2


def test_the_first_hit_makes_no_buffer(base: Any, scene: NodePath) -> None:
    card = near_card(scene)
    with system(base, warm_up=True, auto_fade=False) as stamps:
        step(base, IDLE)
        made = {window.this for window in base.graphics_engine.get_windows()}
        hit_middle(stamps, card)
        assert {window.this for window in base.graphics_engine.get_windows()} == made
        step(base)
        assert {window.this for window in base.graphics_engine.get_windows()} == made


def test_tagged_nodes_are_found_again_when_there_is_room(
    base: Any, scene: NodePath, copied: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with system(base, warm_up=True, auto_fade=False), monkeypatch.context() as patch:
        near_card(scene, "first")
        step(base, IDLE)
        patch.setattr(kept, "_MOST_VERTICES", 1)
        near_card(scene, "second")
        step(base, ROUND)
        assert copied == ["first"]
        patch.undo()
        step(base, ROUND)
        assert copied == ["first", "second"]


def test_without_warm_up_nothing_is_made(base: Any, scene: NodePath, copied: list[str]) -> None:
    card = near_card(scene)
    with system(base, warm_up=False, auto_fade=False) as stamps:
        step(base)
        made = windows(base)
        step(base, IDLE)
        assert (copied, windows(base), stamps.memory_bytes) == ([], made, 0)
        hit_middle(stamps, card)
        assert copied == ["card"]
        assert windows(base) == made + 2


SHADERS = """
from panda_rtstamp import StampConfig, StampSystem
from support import make_base, make_card, step
import sys
warm_up, format, look = sys.argv[1] == "warm", sys.argv[2], sys.argv[3]
base = make_base()
card = make_card(2, 2)
card.reparent_to(base.render)
card.set_y(5)
card.set_tag("rtstamp", "")
stamps = StampSystem(base, StampConfig(warm_up=warm_up, format=format, look=look, auto_fade=False))
step(base, 90)
objects = base.win.get_gsg().get_prepared_objects()
before = objects.get_num_prepared_shaders()
blends = ("over", "add", "max", "erase")
for blend in blends:
    stamps.hit(card, (0, 5, 0), blend=blend)
    step(base, 2)
stamps.hit(card, (0, 5, 0), brush="splat", normal=(0, -1, 0))
step(base, 2)
asked = stamps.image_async(card), stamps.coverage_async(card)
step(base, 20)
assert all(future.done() for future in asked)
stamps.start_fade_all(0.1)
step(base, 4)
stamps.hit(card, (0, 5, 0))
step(base, 2)
print(objects.get_num_prepared_shaders() - before)
stamps.destroy()
"""


@pytest.mark.parametrize(("format", "look"), [("rgba8", "paint"), ("r16", "tint"), ("rgba16f", "glow")])
def test_no_shader_is_left_to_the_first_hits(format: str, look: str) -> None:
    assert run_case(SHADERS, args=["warm", format, look]) == "0\n"


def test_without_warm_up_shaders_are_left_to_the_first_hits() -> None:
    assert int(run_case(SHADERS, args=["cold", "rgba8", "paint"])) > 0


SHRINKING = """
from panda_rtstamp import StampConfig, StampSystem
from support import make_base, make_card, step
base = make_base()
cards = [make_card(2, 2) for _ in range(3)]
for number, card in enumerate(cards):
    card.reparent_to(base.render)
    card.set_pos(4 * number, 5, 0)
# Two pairs of 1024 x 1024 are 16 MB.
config = StampConfig(warm_up=True, max_memory=20, free_pairs=0, shrink_below=0.9, fade_duration=1.0)
stamps = StampSystem(base, config)
step(base, 90)
objects = base.win.get_gsg().get_prepared_objects()
before = objects.get_num_prepared_shaders()
for card in cards:
    stamps.hit(card, (0, 0, 0), other=card)
    step(base, 20)
assert stamps.binding(cards[0]).resolution == 512
print(objects.get_num_prepared_shaders() - before)
stamps.destroy()
"""


def test_no_shader_is_left_to_marks_that_move() -> None:
    assert run_case(SHRINKING) == "0\n"


@pytest.mark.parametrize("look", ["paint", "tint", "glow"])
def test_nothing_of_it_is_seen(base: Any, scene: NodePath, look: str) -> None:
    base.win.set_clear_color((0.2, 0.4, 0.6, 1.0))
    near_card(scene).set_scale(0.2)
    clean = screenshot(base)
    with system(base, warm_up=True, look=look) as stamps:
        for _ in range(IDLE):
            assert np.array_equal(screenshot(base), clean)
        assert stamps.memory_bytes > 0


def test_frames_with_hits_make_nothing_ahead(base: Any, scene: NodePath, copied: list[str]) -> None:
    near_card(scene, "ahead")
    card = small_card(scene)
    with system(base, warm_up=True, auto_fade=False) as stamps:
        for _ in range(IDLE):
            hit_middle(stamps, card)
            step(base)
        assert copied == ["card"]
        assert stamps.memory_bytes == 2 * 64 * 64 * 4


def test_a_level_that_is_loaded_later(base: Any, scene: NodePath, copied: list[str]) -> None:
    with system(base, warm_up=True) as stamps:
        step(base, IDLE)
        level = NodePath("level")
        near_card(level.attach_new_node("room"), "later")
        make_card(2.0, 2.0, "not tagged").reparent_to(level)
        level.reparent_to(scene)
        step(base, ROUND)
        assert copied == ["later"]
        step(base, 2 * ROUND)
        assert copied == ["later"]
        assert stamps.active_count == 0


def test_what_cannot_be_marked_is_left_alone(base: Any, scene: NodePath, notify: NotifyLog) -> None:
    """Without a word: nobody hit it."""
    nothing = tagged(scene.attach_new_node("nothing"))
    card = near_card(scene)
    card.set_tag("rtstamp-uv", "none of this name")
    with system(base, warm_up=True) as stamps:
        step(base, IDLE)
        assert notify.problems == []
        for node, reason in ((nothing, "has no geometry to mark"), (card, "has no usable UV set")):
            notify.allow(reason)
            assert stamps.hit(node, (0.0, 5.0, 0.0)) is None
        assert "has no geometry to mark" in notify.text
        assert "has no usable UV set" in notify.text


class LateJob:
    """An unwrap in the background that is done when it was asked a few times, and when it began."""

    started: ClassVar[list[int]] = []

    def __init__(self, positions: Any, parts: Any, *_: Any) -> None:
        self.started.append(len(positions))
        self._atlas = unwrapping.unwrap(positions, parts, "own")
        self._left = 5

    start = classmethod(lambda cls, *arguments: cls(*arguments))

    def poll(self) -> unwrapping.Atlas | None:
        """None the first times."""
        self._left -= 1
        return None if self._left > 0 else self._atlas

    def cancel(self) -> None:
        """It is none that runs."""


@pytest.fixture
def jobs(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of triangles that are unwrapped in the background from now on."""
    monkeypatch.setattr(unwrapping, "Job", LateJob)
    LateJob.started.clear()
    return LateJob.started


def test_models_are_unwrapped_in_the_background(
    base: Any, scene: NodePath, copied: list[str], jobs: list[int]
) -> None:
    """One after another, the small ones too, and nothing is left for the first hit."""
    balls = [tagged(sphere(uvs=False, across=8 + index, along=4)) for index in range(3)]
    for ball in balls:
        ball.reparent_to(scene)
    children = [ball.get_children().get_num_paths() for ball in balls]
    with system(base, warm_up=True, auto_fade=False) as stamps:
        step(base, 2 * IDLE)
        assert len(set(jobs)) == len(jobs) == 3
        assert len(copied) == 3
        assert [ball.get_children().get_num_paths() for ball in balls] == children
        assert all(ball.get_stashed_children().get_num_paths() == 0 for ball in balls)
        for ball in balls:
            assert hit_middle(stamps, ball, radius=5.0).ready
        step(base)
        assert len(copied) == len(jobs) == 3
        assert all(image_of(stamps, ball)[..., 3].max() > 0.5 for ball in balls)


def test_a_hit_before_that_is_done(base: Any, scene: NodePath, jobs: list[int]) -> None:
    """Is marked at once, if the model is small."""
    ball = tagged(sphere(uvs=False, across=8, along=4))
    ball.reparent_to(scene)
    with system(base, warm_up=True, auto_fade=False) as stamps:
        for _ in range(IDLE):
            step(base, int(not jobs))
        assert len(jobs) == 1
        assert hit_middle(stamps, ball, radius=5.0).ready
        step(base)
        before = image_of(stamps, ball)
        assert before[..., 3].max() > 0.5
        step(base, 20)
        assert np.array_equal(image_of(stamps, ball), before)


def test_a_system_that_ends_before_that_is_done(base: Any, scene: NodePath, jobs: list[int]) -> None:
    ball = sphere(uvs=False, across=8, along=4)
    ball.reparent_to(scene)
    before = snapshot(ball)
    with system(base, unwrap_at_once=0) as stamps:
        stamps.warm_up(0, nodes=[ball])
        step(base)
    assert len(jobs) == 1
    assert_same_scene(snapshot(ball), before)


def test_warm_up_of_nodes_that_are_unwrapped_in_the_background(
    base: Any, scene: NodePath, copied: list[str], jobs: list[int]
) -> None:
    """They need no tag: copies are made when the atlas is there. One that is gone by then does no harm."""
    balls = [sphere(uvs=False, across=8 + index, along=4) for index in range(2)]
    for ball in balls:
        ball.reparent_to(scene)
    with system(base, unwrap_at_once=0, auto_fade=False) as stamps:
        stamps.warm_up(0, nodes=balls)
        assert len(jobs) == 2
        assert copied == []
        balls[1].remove_node()
        step(base, 20)
        assert len(copied) == 1
        assert balls[0].get_stashed_children().get_num_paths() == 0
        assert hit_middle(stamps, balls[0], radius=5.0).ready
        assert len(copied) == 1


def test_warm_up_of_nodes(base: Any, scene: NodePath, copied: list[str]) -> None:
    """What the call names is made at once, tagged or not, and the nodes are left alone."""
    card = small_card(scene)
    before = snapshot(card)
    with system(base, auto_fade=False) as stamps:
        stamps.warm_up(1, nodes=[card])
        assert copied == ["card"]
        assert_same_scene(snapshot(card), before)
        step(base, 2)
        hit_middle(stamps, card)
        step(base)
        assert_marked_in_the_middle(stamps, card)
        assert copied == ["card"]


@pytest.mark.profiles
@pytest.mark.threads
def test_everything_is_given_back(base: Any, scene: NodePath) -> None:
    def use(frames: int) -> None:
        cards: Sequence[NodePath] = [near_card(scene, f"card-{index}") for index in range(3)]
        with system(base, warm_up=True) as stamps:
            step(base, frames)
            hit_middle(stamps, cards[0])
            step(base, 4)
        scene.get_children().detach()

    use(IDLE)
    settle(base)
    before = what_is_held(base)
    # Wherever it is broken off.
    for frames in (1, 3, 7, 16, 21, IDLE):
        use(frames)
        settle(base)
        assert what_is_held(base) == before


def test_a_turned_scene_is_walked_too(base: Any, scene: NodePath, copied: list[str]) -> None:
    """Nodes that are hidden, stashed or far away: what hides them now may show them next."""
    hidden = near_card(scene, "hidden")
    hidden.hide()
    scene.set_transform(TransformState.make_pos((1e4, 0.0, 0.0)))
    with system(base, warm_up=True):
        step(base, IDLE)
        assert copied == ["hidden"]
