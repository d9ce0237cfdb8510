"""Who gets a pair of textures, of which size, for how long, and who gives one up: tables and formulas."""

import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from panda3d.core import (
    ClockObject,
    CollisionNode,
    CollisionSphere,
    GeomNode,
    LineSegs,
    NodePath,
    PandaNode,
)

from panda_rtstamp import ConfigError, StampBinding, StampConfig, StampSystem
from panda_rtstamp.stamps.pool import Pool
from pictures import assert_same_scene, snapshot
from stamp_support import Floats, Pair, hit_middle, image_of, mask_formula, now, small_card, system
from support import NotifyLog, make_card, step

FRAME = 1 / 60
FRAMES_IN_FLIGHT = 4
THRESHOLD = 0.01
# Floats of a fade that went through exp and log.
EXACT = 1e-6


def cards(scene: NodePath, count: int) -> list[NodePath]:
    """Cards of 64 texels, by name."""
    return [small_card(scene, f"card-{index}") for index in range(count)]


def nodes(stamps: StampSystem) -> list[NodePath]:
    """The nodes that carry marks, in the order in which they were first hit."""
    return [binding.node for binding in stamps.bindings]


def frames_until_gone(base: Any, stamps: StampSystem) -> int:
    """How many ticks, that of this frame included, until no node carries marks."""
    for frames in range(1, 1000):
        step(base)
        if not stamps.active_count:
            return frames
    raise AssertionError("the marks stay")


def ticks_of(duration: float) -> int:
    """How many ticks a mark is there that is hit now and fades for this long; the last one releases it."""
    return math.ceil(duration / FRAME - EXACT / FRAME) + 1


# Resolution.


@pytest.mark.parametrize(
    ("distance", "resolution"),
    [
        (0.001, 1024),
        (5.0, 1024),
        (9.999, 1024),
        (10.0, 512),
        (10.001, 512),
        (29.999, 512),
        (30.0, 256),
        (30.001, 256),
        (1e6, 256),
    ],
)
def test_resolution_bands(base: Any, scene: NodePath, distance: float, resolution: int) -> None:
    """High nearer than 10, Medium nearer than 30, else Low: by the point, not by the node's origin."""
    card = make_card(2.0, 2.0)
    card.reparent_to(scene)
    with system(base) as stamps:
        binding = stamps.hit(card, (0.0, distance, 0.0))
        assert binding is not None
        assert binding.resolution == resolution
        assert binding.primary.get_x_size() == binding.temp.get_y_size() == resolution


@pytest.mark.parametrize(
    ("high", "medium", "distance", "resolution"),
    [
        (0.0, 0.0, 0.0, 256),
        (0.0, 5.0, 0.0, 512),
        (0.0, 5.0, 5.0, 256),
        (4.0, 4.0, 3.999, 1024),
        (4.0, 4.0, 4.0, 256),
        (1e9, 1e9, 1e6, 1024),
    ],
)
def test_resolution_bands_of_a_config(
    base: Any, scene: NodePath, high: float, medium: float, distance: float, resolution: int
) -> None:
    card = make_card(2.0, 2.0)
    card.reparent_to(scene)
    with system(base, high_res_distance=high, med_res_distance=medium) as stamps:
        binding = stamps.hit(card, (0.0, distance, 0.0))
        assert binding is not None
        assert binding.resolution == resolution


def test_distance_is_measured_in_the_world(base: Any, scene: NodePath) -> None:
    """From the camera where it is, to the point through all transforms."""
    base.camera.set_pos(100.0, 0.0, 0.0)
    rig = scene.attach_new_node("rig")
    rig.set_pos_hpr_scale((100.0, 0.0, 0.0), (90.0, 0.0, 0.0), (2.0, 2.0, 2.0))
    near, far = small_card(rig, "near"), small_card(rig, "far")
    for card, at in ((near, 4.999), (far, 5.0)):
        card.clear_tag("rtstamp-resolution")
        card.set_pos(0.0, at, 0.0)
    with system(base) as stamps:
        assert hit_middle(stamps, near).resolution == 1024
        assert hit_middle(stamps, far).resolution == 512


# Hits on a node that carries marks.


def test_a_rehit_starts_anew_in_the_same_pair(base: Any, scene: NodePath) -> None:
    (card,) = cards(scene, 1)
    with system(base, fade_duration=1.0) as stamps:
        binding = hit_middle(stamps, card)
        pair = (binding.primary, binding.temp)
        assert (binding.alpha, binding.age) == (1.0, 0.0)
        step(base, 30)
        assert binding.alpha == pytest.approx(THRESHOLD**0.5, rel=EXACT)
        assert binding.age == pytest.approx(0.5)
        assert hit_middle(stamps, card) is binding
        assert (binding.alpha, binding.age) == (1.0, 0.0)
        assert (binding.primary, binding.temp) == pair
        step(base, 30)
        assert binding.alpha == pytest.approx(THRESHOLD**0.5, rel=EXACT)
        assert stamps.active_count == 1


def test_a_rehit_accumulates(base: Any, scene: NodePath) -> None:
    (card,) = cards(scene, 1)
    across = ((np.arange(64) + 0.5) / 64 - 0.5) * 2.0
    x, z = np.meshgrid(across, across)
    with system(base, auto_fade=False, format="rgba16f") as stamps:
        expected = np.zeros((64, 64))
        for where in (-0.5, 0.5, 0.25):
            stamps.hit(card, (where, 0.0, 0.0), other=card, radius=0.4)
            step(base)
            mask = mask_formula(np.hypot(x - where, z), 0.4, 0.1)
            expected = expected * (1.0 - mask) + mask
        assert np.abs(image_of(stamps, card)[..., 3] - expected).max() <= 2e-3


def test_a_rehit_keeps_the_resolution(base: Any, scene: NodePath) -> None:
    card = small_card(scene)
    card.clear_tag("rtstamp-resolution")
    with system(base) as stamps:
        binding = hit_middle(stamps, card)
        assert binding.resolution == 512
        card.set_y(5.0)
        assert hit_middle(stamps, card) is binding
        assert binding.resolution == 512


@pytest.mark.parametrize("auto_fade", [False, True])
def test_a_rehit_fades_as_the_config_says(base: Any, scene: NodePath, auto_fade: bool) -> None:
    """Whatever start_fade said before."""
    (card,) = cards(scene, 1)
    with system(base, auto_fade=auto_fade, fade_duration=0.5) as stamps:
        binding = hit_middle(stamps, card)
        step(base)
        stamps.start_fade(card, 10.0)
        step(base, 6)
        hit_middle(stamps, card)
        step(base, 6)
        expected = THRESHOLD ** (6 * FRAME / 0.5) if auto_fade else 1.0
        assert binding.alpha == pytest.approx(expected, rel=EXACT)


@pytest.mark.parametrize("radii", [(4.0, 1.0), (1.0, 4.0), (1.0, 4.0, 2.0)])
def test_the_largest_radius_counts(base: Any, scene: NodePath, radii: tuple[float, ...]) -> None:
    (card,) = cards(scene, 1)
    with system(base, fade_duration=0.1, scale_fade_by_radius=True, radius_fade_exponent=1.0) as stamps:
        for radius in radii:
            hit_middle(stamps, card, radius=radius)
        assert frames_until_gone(base, stamps) == ticks_of(0.1 * 4.0)


def test_forgotten_marks_are_forgotten(base: Any, scene: NodePath) -> None:
    """A new mark on the same node knows nothing of the radius before."""
    (card,) = cards(scene, 1)
    with system(base, fade_duration=0.1, scale_fade_by_radius=True, radius_fade_exponent=1.0) as stamps:
        old = hit_middle(stamps, card, radius=4.0)
        frames_until_gone(base, stamps)
        assert old.alpha == 0.0
        new = hit_middle(stamps, card, radius=2.0)
        assert new is not old
        assert frames_until_gone(base, stamps) == ticks_of(0.1 * 2.0)


# How long.


@pytest.mark.parametrize("duration", [0.01, 0.1, 0.25, 1.0])
def test_marks_live_for_the_duration(base: Any, scene: NodePath, duration: float) -> None:
    (card,) = cards(scene, 1)
    with system(base, fade_duration=duration) as stamps:
        hit_middle(stamps, card)
        assert frames_until_gone(base, stamps) == ticks_of(duration)


@pytest.mark.parametrize(
    ("radius", "base_radius", "exponent"),
    [
        (1.0, 1.0, 0.5),
        (4.0, 1.0, 0.5),
        (0.25, 1.0, 0.5),
        (4.0, 2.0, 1.0),
        (3.0, 1.0, 2.0),
        (0.5, 2.0, 2.0),
        (100.0, 1.0, 0.01),
    ],
)
def test_big_marks_live_longer(
    base: Any, scene: NodePath, radius: float, base_radius: float, exponent: float
) -> None:
    """(radius / base_radius) ^ radius_fade_exponent, and only if that is asked for."""
    (card,) = cards(scene, 1)
    config = StampConfig(fade_duration=0.3, base_radius=base_radius, radius_fade_exponent=exponent)
    with StampSystem(base, config) as stamps:
        hit_middle(stamps, card, radius=radius)
        assert frames_until_gone(base, stamps) == ticks_of(0.3)
        stamps.set_config(replace(config, scale_fade_by_radius=True))
        hit_middle(stamps, card, radius=radius)
        assert frames_until_gone(base, stamps) == ticks_of(0.3 * (radius / base_radius) ** exponent)


def test_the_radius_scales_an_override_too(base: Any, scene: NodePath) -> None:
    (card,) = cards(scene, 1)
    with system(base, auto_fade=False, scale_fade_by_radius=True, radius_fade_exponent=1.0) as stamps:
        hit_middle(stamps, card, radius=3.0)
        step(base, 10)
        stamps.start_fade(card, 0.1)
        assert frames_until_gone(base, stamps) == ticks_of(0.1 * 3.0)


def test_without_auto_fade_marks_stay(base: Any, scene: NodePath) -> None:
    (card,) = cards(scene, 1)
    with system(base, auto_fade=False, fade_duration=0.1) as stamps:
        binding = hit_middle(stamps, card)
        step(base, 60)
        assert binding.alpha == 1.0
        assert stamps.active_count == 1
        stamps.start_fade(card)
        assert frames_until_gone(base, stamps) == ticks_of(0.1)


@pytest.mark.parametrize(("duration", "lasts"), [(0.0, 0.4), (0.1, 0.1), (0.7, 0.7)])
def test_an_override_counts_from_now(base: Any, scene: NodePath, duration: float, lasts: float) -> None:
    """0 is the config's. What has faded already stays so."""
    (card,) = cards(scene, 1)
    with system(base, fade_duration=0.4) as stamps:
        binding = hit_middle(stamps, card)
        step(base, 12)
        half = binding.alpha
        assert half == pytest.approx(THRESHOLD**0.5, rel=EXACT)
        stamps.start_fade(card, duration)
        assert binding.alpha == pytest.approx(half, rel=1e-9)
        assert frames_until_gone(base, stamps) == ticks_of(lasts / 2)


def test_an_override_is_dropped_by_a_rehit(base: Any, scene: NodePath) -> None:
    (card,) = cards(scene, 1)
    with system(base, fade_duration=0.3) as stamps:
        for override in (0.1, 5.0):
            hit_middle(stamps, card)
            stamps.start_fade(card, override)
            step(base, 2)
            hit_middle(stamps, card)
            assert frames_until_gone(base, stamps) == ticks_of(0.3)


def test_a_change_of_frame_time_changes_nothing(base: Any, scene: NodePath) -> None:
    """Long frames, short ones and none at all: only seconds count."""
    (card,) = cards(scene, 1)
    clock = ClockObject.get_global_clock()
    with system(base, fade_duration=1.0) as stamps:
        binding = hit_middle(stamps, card)
        start = now()
        for dt in (0.1, 0.001, 1e-6, 0.3, 0.02):
            clock.dt = dt
            step(base)
            assert binding.alpha == pytest.approx(THRESHOLD ** (now() - start), rel=EXACT)


# Who fades.


def family(scene: NodePath) -> dict[str, NodePath]:
    """Two actors with two parts each, and a card elsewhere."""
    found = {}
    for actor in ("left", "right"):
        found[actor] = scene.attach_new_node(actor)
        for part in ("arm", "leg"):
            found[f"{actor} {part}"] = small_card(found[actor].attach_new_node("joint"), part)
    found["wall"] = small_card(scene, "wall")
    return found


@pytest.mark.parametrize(
    ("call", "fading"),
    [
        (lambda stamps, found: stamps.start_fade(found["wall"], 0.1), {"wall"}),
        (lambda stamps, found: stamps.start_fade(found["left"], 0.1), set()),
        (lambda stamps, found: stamps.start_fade(found["left arm"], 0.1), {"left arm"}),
        (lambda stamps, found: stamps.start_fade_by_actor(found["left"], 0.1), {"left arm", "left leg"}),
        (lambda stamps, found: stamps.start_fade_by_actor(found["left arm"], 0.1), {"left arm"}),
        (
            lambda stamps, found: stamps.start_fade_by_actor(found["left arm"].get_parent(), 0.1),
            {"left arm"},
        ),
        (lambda stamps, found: stamps.start_fade_by_actor(NodePath("elsewhere"), 0.1), set()),
        (
            lambda stamps, found: stamps.start_fade_all(0.1),
            {"left arm", "left leg", "right arm", "right leg", "wall"},
        ),
    ],
)
def test_who_fades(
    base: Any, scene: NodePath, call: Callable[[StampSystem, dict[str, NodePath]], None], fading: set[str]
) -> None:
    found = family(scene)
    with system(base, auto_fade=False) as stamps:
        marked = {
            name: hit_middle(stamps, node) for name, node in found.items() if " " in name or name == "wall"
        }
        step(base)
        call(stamps, found)
        step(base, 3)
        assert {name for name, binding in marked.items() if binding.alpha < 1.0} == fading
        step(base, 6)
        assert {name for name, binding in marked.items() if binding.alpha == 0.0} == fading
        assert stamps.active_count == len(marked) - len(fading)


def test_start_fade_of_a_part_fades_what_covers_it(base: Any, scene: NodePath) -> None:
    pair = Pair(scene)
    with system(base, auto_fade=False) as stamps:
        binding = at(stamps, pair.outer, -1.0)
        assert binding is not None
        step(base)
        stamps.start_fade(pair.inner, 0.1)
        step(base, 2)
        assert binding.alpha < 1.0


def test_start_fade_by_an_actor_object(base: Any, scene: NodePath, notify: NotifyLog) -> None:
    from direct.actor.Actor import Actor

    actor = Actor("models/panda-model")
    actor.reparent_to(scene)
    part = actor.find("**/+GeomNode")
    part.set_tag("rtstamp-resolution", "64")
    with system(base, auto_fade=False) as stamps:
        binding = stamps.hit(part, (0.0, 0.0, 0.0), radius=10.0)
        assert binding is not None
        step(base)
        stamps.start_fade_by_actor(actor)
        step(base, 2)
        assert binding.alpha < 1.0
    actor.cleanup()
    actor.remove_node()


# Eviction.


def evicted_by_a_new_hit(stamps: StampSystem, scene: NodePath, name: str = "new") -> list[str]:
    """Hit a new node; the names of those that lost their marks."""
    before = stamps.bindings
    names = {id(binding): binding.node.get_name() for binding in before}
    hit_middle(stamps, small_card(scene, name))
    after = stamps.bindings
    return [names[id(binding)] for binding in before if binding not in after]


def test_the_weakest_goes_by_the_formula(base: Any, scene: NodePath) -> None:
    """alpha - seconds since the last hit * age_weight, in a random fight."""
    random = np.random.default_rng(11)
    weight, size = 0.3, 6
    # Name, time of the hit, time at which it began to fade, and for how long.
    marks: dict[str, tuple[float, float, float]] = {}
    with system(base, auto_fade=False, max_pool_size=size, age_weight=weight) as stamps:
        for round_number in range(60):
            name = f"card-{round_number}"
            if len(marks) == size:
                scores = {
                    key: THRESHOLD ** (max(now() - start, 0.0) / duration) - (now() - hit) * weight
                    for key, (hit, start, duration) in marks.items()
                }
                expected = min(scores, key=lambda key: scores[key])
                assert evicted_by_a_new_hit(stamps, scene, name) == [expected]
                del marks[expected]
            else:
                assert evicted_by_a_new_hit(stamps, scene, name) == []
            marks[name] = (now(), math.inf, 1.0)
            step(base, int(random.integers(1, 30)))
            if random.random() < 0.7:
                key = str(random.choice(list(marks)))
                duration = float(random.uniform(100.0, 300.0))
                if marks[key][1] == math.inf:
                    stamps.start_fade(scene.find(key), duration)
                    marks[key] = (marks[key][0], now(), duration)


def test_of_equals_the_first_that_was_hit_goes(base: Any, scene: NodePath) -> None:
    with system(base, auto_fade=False, max_pool_size=3) as stamps:
        for card in cards(scene, 3):
            hit_middle(stamps, card)
        step(base)
        assert evicted_by_a_new_hit(stamps, scene, "new-0") == ["card-0"]
        step(base)
        assert evicted_by_a_new_hit(stamps, scene, "new-1") == ["card-1"]


def test_a_rehit_makes_young(base: Any, scene: NodePath) -> None:
    marked = cards(scene, 3)
    with system(base, auto_fade=False, max_pool_size=3) as stamps:
        for card in marked:
            hit_middle(stamps, card)
            step(base)
        hit_middle(stamps, marked[0])
        step(base)
        assert evicted_by_a_new_hit(stamps, scene) == ["card-1"]


@pytest.mark.parametrize(
    ("detached", "waiting", "weak", "evicted"),
    [
        # Of three marks, the last the youngest: which are detached, wait to be captured, are weak.
        ((), (), (), "card-0"),
        ((), (), (2,), "card-2"),
        ((2,), (), (), "card-2"),
        ((2,), (), (0,), "card-2"),
        ((1, 2), (), (), "card-1"),
        ((1, 2), (), (2,), "card-2"),
        ((0, 1, 2), (), (1,), "card-1"),
        ((), (0,), (), "card-1"),
        ((), (0,), (0,), "card-1"),
        ((), (0, 1), (0,), "card-2"),
        ((0,), (0,), (), "card-1"),
        ((0, 1), (0,), (), "card-1"),
        # Nothing else is left.
        ((), (0, 1, 2), (), "card-0"),
    ],
)
def test_who_goes_first(
    base: Any,
    scene: NodePath,
    detached: tuple[int, ...],
    waiting: tuple[int, ...],
    weak: tuple[int, ...],
    evicted: str,
) -> None:
    marked = cards(scene, 3)
    with system(base, auto_fade=False, max_pool_size=3) as stamps:
        for card in marked:
            hit_middle(stamps, card)
            step(base)
        for index in weak:
            stamps.start_fade(marked[index], 1.0)
        step(base, 30)
        for index in waiting:
            hit_middle(stamps, marked[index])
        for index in detached:
            marked[index].detach_node()
        assert [binding.detached for binding in stamps.bindings] == [index in detached for index in range(3)]
        assert evicted_by_a_new_hit(stamps, scene) == [evicted]
        step(base)
        assert stamps.capture_count == 3 + len(waiting) + 1 - (len(waiting) == 3)


def test_an_evicted_node_is_as_it_was(base: Any, scene: NodePath) -> None:
    card, other = cards(scene, 2)
    step(base)
    before = snapshot(card)
    with system(base, auto_fade=False, max_pool_size=1) as stamps:
        binding = hit_middle(stamps, card)
        pair = (binding.primary, binding.temp)
        step(base)
        new = hit_middle(stamps, other)
        assert binding.alpha == 0.0
        assert stamps.binding(card) is None
        assert stamps.image(card) is None
        assert_same_scene(snapshot(card), before)
        # The same textures, for the same size.
        assert (new.primary, new.temp) == pair


def test_hits_on_many_nodes_in_one_frame(base: Any, scene: NodePath) -> None:
    """More than there is room for: the first ones go, quietly."""
    with system(base, auto_fade=False, max_pool_size=4) as stamps:
        marked = cards(scene, 10)
        for card in marked:
            hit_middle(stamps, card)
        assert nodes(stamps) == marked[6:]
        step(base)
        assert stamps.capture_count == 4


def test_a_pool_that_gives_nothing(
    base: Any, scene: NodePath, notify: NotifyLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The driver has no more memory: None, nothing said, and the node is as it was."""
    (card,) = cards(scene, 1)
    step(base)
    before = snapshot(card)
    with system(base) as stamps:
        monkeypatch.setattr(Pool, "allocate", lambda *_: None)
        assert stamps.hit(card, (0.0, 20.0, 0.0)) is None
        assert notify.text == ""
        assert stamps.active_count == 0
        assert_same_scene(snapshot(card), before)


# Nodes below nodes.


def at(stamps: StampSystem, node: NodePath, x: float, radius: float = 1.0) -> StampBinding | None:
    """Hit a Pair's node at this X."""
    return stamps.hit(node, (x, 20.0, 0.0), radius=radius)


def assert_mask(stamps: StampSystem, node: NodePath, expected: Floats) -> None:
    """That a node's marks are these, in half floats."""
    shown = ~np.isnan(expected)
    assert shown.mean() > 0.9
    assert np.abs(image_of(stamps, node)[..., 3] - expected)[shown].max() <= 2e-3


def over(first: Floats, second: Floats) -> Floats:
    """One mask over another."""
    return first * (1.0 - second) + second


def nested_system(base: Any, **fields: Any) -> StampSystem:
    """A system for Pairs."""
    return StampSystem(base, StampConfig(**{"auto_fade": False, "format": "rgba16f", **fields}))


def test_a_hit_below_a_bound_node_goes_to_that(base: Any, scene: NodePath) -> None:
    pair = Pair(scene)
    with nested_system(base) as stamps:
        outer = at(stamps, pair.outer, -1.0)
        assert outer is not None
        step(base)
        assert at(stamps, pair.inner, 0.25) is outer
        step(base)
        assert stamps.binding(pair.inner) is outer
        assert stamps.active_count == 1
        assert stamps.capture_count == 2
        assert_mask(stamps, pair.outer, over(pair.mask(-1.0, 1.0, 0, 1), pair.mask(0.25, 1.0, 0, 1)))


def test_a_node_bound_later_leaves_their_geometry_to_those_below(base: Any, scene: NodePath) -> None:
    pair = Pair(scene)
    with nested_system(base) as stamps:
        inner = at(stamps, pair.inner, 1.0)
        step(base)
        outer = at(stamps, pair.outer, -0.25)
        step(base)
        assert outer is not inner
        assert (stamps.binding(pair.outer), stamps.binding(pair.inner)) == (outer, inner)
        assert stamps.capture_count == 3
        assert_mask(stamps, pair.outer, pair.mask(-0.25, 1.0, 0))
        # And passes its hits on.
        assert_mask(stamps, pair.inner, over(pair.mask(1.0, 1.0, 1), pair.mask(-0.25, 1.0, 1)))


def test_hits_go_on_being_passed_on(base: Any, scene: NodePath) -> None:
    pair = Pair(scene)
    with nested_system(base) as stamps:
        at(stamps, pair.inner, 1.0)
        at(stamps, pair.outer, -1.0)
        step(base)
        at(stamps, pair.outer, 0.25)
        step(base)
        assert_mask(stamps, pair.outer, over(pair.mask(-1.0, 1.0, 0), pair.mask(0.25, 1.0, 0)))
        assert_mask(
            stamps,
            pair.inner,
            over(over(pair.mask(1.0, 1.0, 1), pair.mask(-1.0, 1.0, 1)), pair.mask(0.25, 1.0, 1)),
        )
        assert stamps.active_count == 2


def test_a_hit_below_goes_to_its_own_binding_alone(base: Any, scene: NodePath) -> None:
    pair = Pair(scene)
    with nested_system(base) as stamps:
        inner = at(stamps, pair.inner, 1.0)
        at(stamps, pair.outer, -1.0)
        step(base)
        before = stamps.capture_count
        assert at(stamps, pair.inner, 0.25) is inner
        step(base)
        assert stamps.capture_count == before + 1
        assert_mask(stamps, pair.outer, pair.mask(-1.0, 1.0, 0))


def test_a_hit_that_is_far_away_renews_nothing(base: Any, scene: NodePath) -> None:
    pair = Pair(scene)
    pair.inner.set_x(100.0)
    with nested_system(base, auto_fade=True, fade_duration=10.0) as stamps:
        inner = at(stamps, pair.inner, 1.0)
        assert inner is not None
        step(base, 30)
        faded = inner.alpha
        at(stamps, pair.outer, -1.0)
        assert inner.alpha == faded
        step(base)
        assert stamps.capture_count == 2
        # Nor does it come near by the far end of the inner one.
        at(stamps, pair.outer, 101.0)
        assert inner.alpha == 1.0


def test_the_inner_is_adopted_when_its_marks_are_gone(base: Any, scene: NodePath) -> None:
    pair = Pair(scene)
    with nested_system(base) as stamps:
        at(stamps, pair.inner, 1.0)
        outer = at(stamps, pair.outer, -1.0)
        step(base)
        stamps.start_fade(pair.inner, 0.05)
        step(base, 5)
        assert nodes(stamps) == [pair.outer]
        # A hit on either is the outer's now, and marks both.
        assert at(stamps, pair.inner, 0.25) is outer
        step(base)
        assert stamps.binding(pair.inner) is outer
        assert_mask(stamps, pair.outer, over(pair.mask(-1.0, 1.0, 0), pair.mask(0.25, 1.0, 0, 1)))


def test_the_inner_goes_on_when_the_outer_is_gone(base: Any, scene: NodePath) -> None:
    pair = Pair(scene)
    with nested_system(base) as stamps:
        inner = at(stamps, pair.inner, 1.0)
        at(stamps, pair.outer, -2.0)
        step(base)
        stamps.start_fade(pair.outer, 0.05)
        step(base, 5)
        assert nodes(stamps) == [pair.inner]
        assert_mask(stamps, pair.inner, pair.mask(1.0, 1.0, 1))
        assert at(stamps, pair.inner, 0.25) is inner
        step(base)
        assert_mask(stamps, pair.inner, over(pair.mask(1.0, 1.0, 1), pair.mask(0.25, 1.0, 1)))


@pytest.mark.parametrize("outer_first", [False, True])
def test_both_are_left_as_they_were_found(base: Any, scene: NodePath, outer_first: bool) -> None:
    pair = Pair(scene)
    step(base)
    before = snapshot(pair.outer)
    with nested_system(base) as stamps:
        at(stamps, pair.inner, 1.0)
        at(stamps, pair.outer, -1.0)
        step(base)
        for node in (pair.outer, pair.inner) if outer_first else (pair.inner, pair.outer):
            stamps.start_fade(node, 0.05)
            step(base, 5)
        assert stamps.active_count == 0
        assert_same_scene(snapshot(pair.outer), before)


def test_an_inner_node_that_is_destroyed(base: Any, scene: NodePath) -> None:
    pair = Pair(scene)
    with nested_system(base) as stamps:
        at(stamps, pair.inner, 1.0)
        outer = at(stamps, pair.outer, -1.0)
        step(base, FRAMES_IN_FLIGHT + 1)
        pair.inner.remove_node()
        assert at(stamps, pair.outer, -0.5) is outer
        step(base)
        assert nodes(stamps) == [pair.outer]
        assert_mask(stamps, pair.outer, over(pair.mask(-1.0, 1.0, 0), pair.mask(-0.5, 1.0, 0)))


def test_an_outer_node_that_has_no_geometry_of_its_own_left(base: Any, scene: NodePath) -> None:
    """Everything below it is bound already: its hits are theirs."""
    pair = Pair(scene, outer_has_geometry=False)
    with nested_system(base) as stamps:
        inner = at(stamps, pair.inner, 1.0)
        step(base)
        assert at(stamps, pair.outer, 0.5) is inner
        step(base)
        assert stamps.active_count == 1
        assert_mask(stamps, pair.inner, over(pair.mask(1.0, 1.0, 1), pair.mask(0.5, 1.0, 1)))


def test_an_inner_node_that_is_evicted_for_the_outer(base: Any, scene: NodePath) -> None:
    """There is one pair only: the outer takes it, and the inner's geometry with it."""
    pair = Pair(scene)
    with nested_system(base, max_pool_size=1) as stamps:
        at(stamps, pair.inner, 1.0)
        step(base)
        outer = at(stamps, pair.outer, -0.25)
        step(base)
        assert nodes(stamps) == [pair.outer]
        assert stamps.binding(pair.inner) is outer
        assert_mask(stamps, pair.outer, pair.mask(-0.25, 1.0, 0, 1))


def test_three_deep(base: Any, scene: NodePath, notify: NotifyLog) -> None:
    """The innermost is bound first, then the outermost, then the one between: each has what is its own."""
    outer, middle, inner = (small_card(scene, name) for name in ("outer", "middle", "inner"))
    middle.reparent_to(outer)
    inner.reparent_to(middle)
    for node in (middle, inner):
        node.set_pos(0.0, 0.0, 0.0)
    with nested_system(base) as stamps:
        third = hit_middle(stamps, inner)
        first = hit_middle(stamps, outer)
        step(base)
        # Middle's geometry is outer's since outer was hit.
        assert hit_middle(stamps, middle) is first
        step(base)
        assert [stamps.binding(node) for node in (outer, middle, inner)] == [first, first, third]
        stamps.start_fade(outer, 0.05)
        step(base, 5)
        second = hit_middle(stamps, middle)
        step(base)
        assert [stamps.binding(node) for node in (outer, middle, inner)] == [None, second, third]
        assert second is not first


def test_instances_have_marks_of_their_own(base: Any, scene: NodePath) -> None:
    shared = NodePath("shared")
    shared.set_tag("rtstamp-resolution", "64")
    small_card(shared).set_pos(0.0, 0.0, 0.0)
    places = [scene.attach_new_node(f"place-{index}") for index in range(2)]
    instances = [shared.instance_to(place) for place in places]
    places[1].set_x(100.0)
    with nested_system(base) as stamps:
        first = stamps.hit(instances[0], (0.0, 0.0, 0.0))
        step(base)
        assert stamps.binding(instances[1]) is None
        second = stamps.hit(instances[1], (100.0, 0.0, 0.0), radius=0.5)
        step(base)
        assert first is not second
        assert [stamps.binding(node) for node in instances] == [first, second]
        masks = [image_of(stamps, node)[..., 3] for node in instances]
        across = ((np.arange(64) + 0.5) / 64 - 0.5) * 2.0
        distance = np.hypot(*np.meshgrid(across, across))
        for mask, radius in zip(masks, (1.0, 0.5), strict=True):
            assert np.abs(mask - mask_formula(distance, radius, 0.1)).max() <= 2e-3


# Tags.


@pytest.mark.parametrize("on", ["node", "parent", "scene"])
def test_tags_override(base: Any, scene: NodePath, on: str) -> None:
    parent = scene.attach_new_node("parent")
    card = small_card(parent)
    card.clear_tag("rtstamp-resolution")
    tagged = {"node": card, "parent": parent, "scene": scene}[on]
    tagged.set_tag("rtstamp-radius", "0.5")
    tagged.set_tag("rtstamp-color", "1 0.5 0.25 0.5")
    tagged.set_tag("rtstamp-resolution", "128")
    across = ((np.arange(128) + 0.5) / 128 - 0.5) * 2.0
    mask = mask_formula(np.hypot(*np.meshgrid(across, across)), 0.5, 0.1, 0.5)
    with nested_system(base) as stamps:
        binding = hit_middle(stamps, card, radius=3.0, color=(0.0, 0.0, 1.0))
        step(base)
        assert binding.resolution == 128
        image = image_of(stamps, card)
        assert np.abs(image - mask[..., None] * [1.0, 0.5, 0.25, 1.0]).max() <= 2e-3


def test_the_nearest_tag_counts(base: Any, scene: NodePath) -> None:
    scene.set_tag("rtstamp-resolution", "256")
    card = small_card(scene)
    with nested_system(base) as stamps:
        assert hit_middle(stamps, card).resolution == 64


@pytest.mark.parametrize("resolution", [64, 128, 256, 512, 1024, 2048, 4096])
def test_resolutions_that_a_tag_may_ask_for(base: Any, scene: NodePath, resolution: int) -> None:
    card = small_card(scene)
    card.set_tag("rtstamp-resolution", f" {resolution} ")
    with nested_system(base) as stamps:
        assert hit_middle(stamps, card).resolution == resolution


@pytest.mark.parametrize(
    ("tag", "words"),
    [
        *(("rtstamp-radius", words) for words in ("big", "0", "-1", "nan", "inf", "1 2")),
        *(("rtstamp-color", words) for words in ("red", "1 0", "2 0 0", "1 0 0 0 0", "nan 0 0")),
        *(("rtstamp-resolution", words) for words in ("100", "32", "8192", "64.5", "0", "-64", "big")),
    ],
)
def test_a_bad_tag_is_ignored_with_one_warning(
    base: Any, scene: NodePath, notify: NotifyLog, tag: str, words: str
) -> None:
    notify.allow(tag)
    card = small_card(scene, f"card with a bad tag {tag} {words}")
    card.set_tag("rtstamp-resolution", "128")
    card.get_parent().set_tag("rtstamp-resolution", "128")
    card.set_tag(tag, words)
    across = ((np.arange(128) + 0.5) / 128 - 0.5) * 2.0
    mask = mask_formula(np.hypot(*np.meshgrid(across, across)), 0.75, 0.1)
    with nested_system(base, high_res_distance=0.0, med_res_distance=0.0) as stamps:
        binding = hit_middle(stamps, card, radius=0.75, color=(1.0, 0.5, 0.0))
        hit_middle(stamps, card, radius=0.75, color=(1.0, 0.5, 0.0))
        step(base)
        assert binding.resolution == (256 if tag == "rtstamp-resolution" else 128)
        image = image_of(stamps, card)
    if tag != "rtstamp-resolution":
        expected = over(mask, mask)[..., None] * [1.0, 0.5, 0.0, 1.0]
        assert np.abs(image - expected).max() <= 2e-3
    lines = [line for line in notify.text.splitlines() if tag in line]
    assert len(lines) == 1
    assert f"got {words!r}" in lines[0]


# What cannot be marked.


def nothing_to_mark() -> dict[str, NodePath]:
    """Nodes without a triangle."""
    lines = LineSegs()
    lines.move_to(0.0, 0.0, 0.0)
    lines.draw_to(1.0, 0.0, 0.0)
    solid = CollisionNode("solid")
    solid.add_solid(CollisionSphere(0.0, 0.0, 0.0, 1.0))
    made = {
        "plain": PandaNode("plain"),
        "empty": GeomNode("empty"),
        "lines": lines.create(),
        "solid": solid,
    }
    return {name: NodePath(node) for name, node in made.items()}


@pytest.mark.parametrize("kind", list(nothing_to_mark()))
def test_a_node_without_geometry(base: Any, scene: NodePath, notify: NotifyLog, kind: str) -> None:
    notify.allow("rtstamp")
    node = nothing_to_mark()[kind]
    node.set_name(f"nothing to mark on {kind}")
    node.reparent_to(scene)
    before = snapshot(node)
    with system(base) as stamps:
        for _ in range(3):
            assert stamps.hit(node, (0.0, 0.0, 0.0)) is None
            step(base)
        assert (stamps.active_count, stamps.memory_bytes, stamps.capture_count) == (0, 0, 0)
    assert_same_scene(snapshot(node), before)
    lines = [line for line in notify.text.splitlines() if node.get_name() in line]
    assert len(lines) == 1
    assert lines[0].startswith(":rtstamp(warning): ")


def test_geometry_further_below_is_enough(base: Any, scene: NodePath) -> None:
    top = scene.attach_new_node("top")
    small_card(top.attach_new_node("between"))
    with system(base) as stamps:
        assert stamps.hit(top, (0.0, 20.0, 0.0)) is not None


@pytest.mark.parametrize("scale", [(1.0, 1.0, 0.0), (0.0, 0.0, 0.0)])
def test_a_node_scaled_to_nothing(
    base: Any, scene: NodePath, notify: NotifyLog, scale: tuple[float, float, float]
) -> None:
    notify.allow("scaled to nothing")
    card = small_card(scene, f"card scaled by {scale}")
    card.set_scale(*scale)
    with system(base) as stamps:
        for _ in range(2):
            assert stamps.hit(card, (0.0, 20.0, 0.0)) is None
            step(base)
        assert stamps.active_count == 0
    assert len([line for line in notify.text.splitlines() if "rtstamp" in line]) == 1


# Wrong arguments.

NAN, INF, HUGE = float("nan"), float("inf"), 10**400
ORIGIN = (0.0, 0.0, 0.0)
WRONG_HITS: list[dict[str, Any]] = [
    *({"node": value} for value in (None, "card", 5, NodePath(), PandaNode("node"))),
    *(
        {"point": value}
        for value in (
            *(None, 5, "abc", "123", (), (1.0, 2.0), (1.0, 2.0, 3.0, 4.0), (1.0, 2.0, NAN), (INF, 0.0, 0.0)),
            *((1.0, None, 3.0), ("1", 2.0, 3.0), (True, 2.0, 3.0), (HUGE, 0.0, 0.0), ((1, 2, 3), 4, 5)),
        )
    ),
    *({"other": value} for value in ("render", 5, NodePath(), PandaNode("node"))),
    *({"radius": value} for value in (0.0, -1.0, NAN, INF, "1", True, None, (1.0,), HUGE)),
    *({"opacity": value} for value in (-0.001, 1.001, NAN, "1", True, None, HUGE)),
    *({"hardness": value} for value in (-0.001, 1.001, NAN, "1", False)),
    *({"color": value} for value in ((1.0, 0.0), (0, 0, 0, 0, 0), (2.0, 0.0, 0.0), "red", 5, (NAN, 0, 0))),
]


@pytest.mark.parametrize("wrong", WRONG_HITS, ids=lambda wrong: repr(wrong)[1:40])
def test_a_wrong_argument_of_a_hit_changes_nothing(
    base: Any, scene: NodePath, notify: NotifyLog, wrong: dict[str, Any]
) -> None:
    (card,) = cards(scene, 1)
    step(base)
    before = snapshot(scene)
    arguments: dict[str, Any] = {"node": card, "point": ORIGIN, **wrong}
    (name,) = wrong
    with system(base) as stamps:
        with pytest.raises(ConfigError, match=rf"^{name} must (not )?be "):
            stamps.hit(**arguments)
        step(base)
        assert (stamps.active_count, stamps.memory_bytes, stamps.capture_count) == (0, 0, 0)
        assert_same_scene(snapshot(scene), before)
    assert notify.text == ""


@pytest.mark.parametrize("wrong", WRONG_HITS, ids=lambda wrong: repr(wrong)[1:40])
def test_a_wrong_argument_of_a_rehit_changes_nothing(
    base: Any, scene: NodePath, wrong: dict[str, Any]
) -> None:
    (card,) = cards(scene, 1)
    arguments: dict[str, Any] = {"node": card, "point": ORIGIN, "other": card, **wrong}
    with system(base, fade_duration=1.0) as stamps:
        binding = hit_middle(stamps, card)
        step(base, 10)
        alpha, age = binding.alpha, binding.age
        with pytest.raises(ConfigError):
            stamps.hit(**arguments)
        assert (binding.alpha, binding.age) == (alpha, age)
        step(base)
        assert stamps.capture_count == 1


def test_arguments_that_there_are_not(base: Any, scene: NodePath) -> None:
    (card,) = cards(scene, 1)
    with system(base) as stamps:
        options: dict[str, Any] = {"size": 5}
        with pytest.raises(TypeError):
            stamps.hit(card, ORIGIN, **options)
        with pytest.raises(TypeError):
            stamps.hit(card, ORIGIN, card)  # type: ignore[call-arg]
        assert stamps.active_count == 0


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("point", [0, 20, 0]),
        ("point", np.array([0.0, 20.0, 0.0])),
        ("point", np.array([0, 20, 0], np.int32)),
        ("radius", 1),
        ("radius", np.float32(0.5)),
        ("opacity", 0),
        ("opacity", 1),
        ("hardness", None),
        ("hardness", 1),
        ("color", None),
        ("color", [1, 0, 0]),
        ("color", np.array([1.0, 0.0, 0.0, 0.5])),
        ("other", None),
    ],
)
def test_right_arguments_of_any_type(base: Any, scene: NodePath, option: str, value: Any) -> None:
    (card,) = cards(scene, 1)
    arguments: dict[str, Any] = {"node": card, "point": (0.0, 20.0, 0.0), option: value}
    with system(base) as stamps:
        assert stamps.hit(**arguments) is not None
        step(base)
        assert stamps.capture_count == 1


@pytest.mark.parametrize(
    "options",
    [
        {"radius": 1e200},
        {"radius": 1e-12},
        {"point": (1e200, 0.0, 0.0)},
        {"point": (1e300, 1e300, -1e300)},
    ],
)
def test_huge_but_finite_arguments_do_no_harm(base: Any, scene: NodePath, options: dict[str, Any]) -> None:
    """They are refused as wrong, or taken: either way the game goes on, and what is near is marked."""
    (card,) = cards(scene, 1)
    config = {"auto_fade": False, "scale_fade_by_radius": True, "radius_fade_exponent": 2.0}
    with system(base, **config) as stamps:
        arguments: dict[str, Any] = {"node": card, "point": (0.0, 20.0, 0.0), **options}
        with suppress(ConfigError):
            stamps.hit(**arguments)
        step(base)
        hit_middle(stamps, card)
        step(base)
        image = image_of(stamps, card)
        assert np.isfinite(image).all()
        assert image[32, 32, 3] > 0.9


@pytest.mark.parametrize(
    "call",
    [
        lambda stamps, card: stamps.start_fade(None),
        lambda stamps, card: stamps.start_fade(NodePath()),
        lambda stamps, card: stamps.start_fade("card"),
        lambda stamps, card: stamps.start_fade(card, -0.001),
        lambda stamps, card: stamps.start_fade(card, NAN),
        lambda stamps, card: stamps.start_fade(card, INF),
        lambda stamps, card: stamps.start_fade(card, "1"),
        lambda stamps, card: stamps.start_fade(card, None),
        lambda stamps, card: stamps.start_fade_by_actor(None),
        lambda stamps, card: stamps.start_fade_by_actor(NodePath()),
        lambda stamps, card: stamps.start_fade_by_actor(card, -1.0),
        lambda stamps, card: stamps.start_fade_by_actor(card, "1"),
        lambda stamps, card: stamps.start_fade_all(-1.0),
        lambda stamps, card: stamps.start_fade_all(NAN),
        lambda stamps, card: stamps.start_fade_all("1"),
        lambda stamps, card: stamps.binding(None),
        lambda stamps, card: stamps.binding(NodePath()),
        lambda stamps, card: stamps.image("card"),
        lambda stamps, card: stamps.image(NodePath()),
        lambda stamps, card: stamps.set_default_inputs(None),
        lambda stamps, card: stamps.set_default_inputs(NodePath()),
        lambda stamps, card: stamps.hit_entry(None),
        lambda stamps, card: stamps.hit_entry(card),
        lambda stamps, card: stamps.hit_entry("entry"),
        lambda stamps, card: stamps.warm_up(-1),
        lambda stamps, card: stamps.warm_up(1.5),
        lambda stamps, card: stamps.warm_up("4"),
        lambda stamps, card: stamps.warm_up(None),
    ],
)
def test_wrong_arguments_of_other_calls(
    base: Any, scene: NodePath, call: Callable[[StampSystem, NodePath], None]
) -> None:
    (card,) = cards(scene, 1)
    with system(base, auto_fade=False) as stamps:
        binding = hit_middle(stamps, card)
        step(base)
        memory = stamps.memory_bytes
        with pytest.raises(ConfigError, match=" must "):
            call(stamps, card)
        step(base, 3)
        assert binding.alpha == 1.0
        assert stamps.memory_bytes == memory


# Warming up.


@pytest.mark.parametrize(
    ("size", "slots", "made"), [(16, 4, 4), (16, 0, 0), (2, 4, 2), (1, 1, 1), (16, 16, 16)]
)
def test_warm_up_makes_pairs(base: Any, size: int, slots: int, made: int) -> None:
    with system(base, max_pool_size=size) as stamps:
        stamps.warm_up(slots)
        assert stamps.memory_bytes == made * 2 * 1024 * 1024 * 4
        assert stamps.active_count == 0
        stamps.warm_up(slots)
        assert stamps.memory_bytes == made * 2 * 1024 * 1024 * 4


def test_warm_up_leaves_live_marks_alone(base: Any, scene: NodePath) -> None:
    marked = cards(scene, 2)
    with system(base, auto_fade=False, max_pool_size=2) as stamps:
        for card in marked:
            hit_middle(stamps, card)
        step(base)
        images = [image_of(stamps, card) for card in marked]
        stamps.warm_up(4)
        step(base, 2)
        assert nodes(stamps) == marked
        for card, image in zip(marked, images, strict=True):
            assert np.array_equal(image_of(stamps, card), image)


def test_a_warm_pair_is_clean_when_it_is_used(base: Any, scene: NodePath) -> None:
    card = small_card(scene)
    card.set_tag("rtstamp-resolution", "1024")
    with system(base, auto_fade=False) as stamps:
        stamps.warm_up(1)
        step(base, 2)
        stamps.hit(card, (0.5, 0.0, 0.5), other=card, radius=0.25, hardness=1.0)
        step(base)
        image = image_of(stamps, card)
        assert image[768, 768, 3] == 1.0
        assert not image[:512, :512].any()


def test_the_first_hit_may_come_in_the_frame_of_the_warm_up(base: Any, scene: NodePath) -> None:
    card = small_card(scene)
    card.set_tag("rtstamp-resolution", "1024")
    with system(base, auto_fade=False) as stamps:
        stamps.warm_up(1)
        stamps.hit(card, (0.5, 0.0, 0.5), other=card, radius=0.25, hardness=1.0)
        step(base)
        image = image_of(stamps, card)
        assert image[768, 768, 3] == 1.0
        assert not image[:512, :512].any()
