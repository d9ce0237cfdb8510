"""Levels of detail: a mark made on the level that is seen is there on the level that is seen next.

Levels are cards and boxes in one place, each of its own colour, so that the picture says which is seen.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from direct.actor.Actor import Actor
from panda3d.core import FadeLODNode, LODNode, NodePath, SequenceNode, SwitchNode

from panda_rtstamp import StampSystem
from pictures import (
    assert_same_scene,
    changed,
    flat_card,
    grid_card,
    layered,
    look_from,
    mark_mask,
    rgb,
    see,
    shown,
    snapshot,
    stamps_on,
    world_triangles,
)
from stamp_support import hit_middle
from support import NotifyLog, compare_images, read_target, screenshot, step

MARK = (1.0, 0.0, 0.5)
# Half floats, but the mark is read through a filter, and colours in 8 bits are rounded before and after.
TOLERANCE = 4.01
POINT = (0.4, 0.0, 0.3)
RADIUS = 1.5
COLORS = ((0.9, 0.9, 0.2, 1.0), (0.2, 0.9, 0.9, 1.0), (0.3, 0.9, 0.3, 1.0))
# The first level is seen to 30 units from the node, the second to 60, the third beyond.
SWITCHES = ((30.0, 0.0), (60.0, 30.0), (1e4, 60.0))
EYES = (20.0, 45.0, 75.0)
# Frames that are longer than a FadeLODNode fades here.
FADED = 10


@contextmanager
def stamping(base: Any, **fields: Any) -> Iterator[StampSystem]:
    """A stamp system that makes atlases by itself, at once."""
    with stamps_on(base, unwrapper="own", unwrap_at_once=1_000_000, **fields) as stamps:
        yield stamps


def levels_below(parent: NodePath, kind: type[LODNode] = LODNode) -> tuple[NodePath, list[NodePath]]:
    """An LOD node of three cards of less and less triangles, all of one size; and the cards."""
    lod = kind("lod")
    if isinstance(lod, FadeLODNode):
        lod.set_fade_time(0.1)
    path = parent.attach_new_node(lod)
    path.set_tag("rtstamp-resolution", "1024")
    cards = []
    for cells, color, switch in zip((8, 3, 1), COLORS, SWITCHES, strict=True):
        card = grid_card(path, 4.0, cells)
        card.set_color(*color)
        card.set_light_off()
        lod.add_switch(*switch)
        cards.append(card)
    return path, cards


def stand_at(base: Any, distance: float) -> None:
    """See about six units from this distance."""
    look_from(base, (0.05 * distance, -distance, 0.03 * distance), fov=float(np.degrees(6.0 / distance)))


def expect_mark(base: Any, level: NodePath, plain: Any, name: str, point: Any = POINT) -> None:
    """Compare the picture with the mark that the formula puts on a level."""
    seen = see(base, world_triangles(level))
    expected = shown(plain, layered((MARK, mark_mask(seen.distance(point), RADIUS))))
    inner = seen.inner(0.2)
    assert inner.sum() > 5000
    picture = screenshot(base)
    compare_images(rgb(picture) * inner[..., None], expected * inner[..., None], TOLERANCE, name)
    assert changed(picture, plain)[inner].sum() > 1000


@pytest.mark.parametrize("kind", [LODNode, FadeLODNode])
@pytest.mark.parametrize("first", [0, 1, 2])
def test_a_mark_carries_over_to_every_level(
    base: Any, scene: NodePath, kind: type[LODNode], first: int
) -> None:
    """Nearer or farther, there and back, whichever level was hit."""
    path, cards = levels_below(scene, kind)
    plain = []
    for distance in EYES:
        stand_at(base, distance)
        plain.append(screenshot(base, frames=FADED))
    assert all(changed(plain[0], other).sum() > 5000 for other in plain[1:])
    stand_at(base, EYES[first])
    step(base, FADED)
    with stamping(base) as stamps:
        binding = stamps.hit(path, POINT, radius=RADIUS, color=MARK)
        assert binding is not None
        for level in (first, 0, 1, 2, 1, 0):
            stand_at(base, EYES[level])
            step(base, FADED)
            expect_mark(base, cards[level], plain[level], f"level-{first}-{level}")
        assert stamps.binding(path) is binding
        assert stamps.capture_count >= 1


@pytest.mark.parametrize("kind", [LODNode, FadeLODNode])
def test_hits_on_different_levels_add_up(base: Any, scene: NodePath, kind: type[LODNode]) -> None:
    path, cards = levels_below(scene, kind)
    other = (-0.9, 0.0, -0.7)
    with stamping(base) as stamps:
        for level, point in ((0, POINT), (1, other)):
            stand_at(base, EYES[level])
            step(base, FADED)
            stamps.hit(path, point, radius=0.6, hardness=0.9, color=MARK)
            step(base)
        for level in (1, 0, 2):
            stand_at(base, EYES[level])
            step(base, FADED)
            seen = see(base, world_triangles(cards[level]))
            marked = np.abs(rgb(screenshot(base)) - 255 * np.array(MARK)).max(axis=-1) <= 2.01
            near = np.minimum(seen.distance(POINT), seen.distance(other))
            assert (near < 0.5).sum() > 200
            assert marked[near < 0.5].all()
            assert not marked[seen.hit & (near > 0.65)].any()


def test_while_levels_fade_into_one_another(base: Any, scene: NodePath) -> None:
    """At the middle of the mark the picture is nearer to the mark than to any level, in every frame."""
    path, _ = levels_below(scene, FadeLODNode)
    fading = path.node()
    assert isinstance(fading, FadeLODNode)
    fading.set_fade_time(0.5)
    stand_at(base, EYES[0])
    step(base, FADED)
    with stamping(base) as stamps:
        stamps.hit(path, (0, 0, 0), radius=RADIUS, hardness=0.5, color=MARK)
        step(base)
        for level in (1, 0):
            stand_at(base, EYES[level])
            for _ in range(40):
                middle = screenshot(base)[128, 128, :3] / 255
                to_levels = [np.linalg.norm(middle - color[:3]) for color in COLORS]
                assert np.linalg.norm(middle - MARK) < min(to_levels)


def test_a_level_node_below_the_marked_node(base: Any, scene: NodePath) -> None:
    """Beside a part that is always seen."""
    group = scene.attach_new_node("group")
    _, cards = levels_below(group)
    always = flat_card(group, 1.0, (0.6, 0.6, 0.6, 1))
    always.set_pos(0.8, -0.5, -0.5)
    point = (0.6, -0.25, 0.0)
    plain = []
    for distance in EYES:
        stand_at(base, distance)
        plain.append(screenshot(base))
    stand_at(base, EYES[0])
    with stamping(base) as stamps:
        assert stamps.hit(group, point, radius=RADIUS, color=MARK) is not None
        for level, distance in enumerate(EYES):
            stand_at(base, distance)
            triangles = np.concatenate([world_triangles(cards[level]), world_triangles(always)])
            seen = see(base, triangles)
            expected = shown(plain[level], layered((MARK, mark_mask(seen.distance(point), RADIUS))))
            inner = seen.inner(0.2)
            compare_images(
                rgb(screenshot(base)) * inner[..., None],
                expected * inner[..., None],
                TOLERANCE,
                f"level-below-{level}",
            )


def test_a_level_itself(base: Any, scene: NodePath) -> None:
    """Who hits one level marks that one alone."""
    _, cards = levels_below(scene)
    cards[0].set_tag("rtstamp-resolution", "1024")
    plain = []
    for distance in EYES:
        stand_at(base, distance)
        plain.append(screenshot(base))
    stand_at(base, EYES[0])
    with stamping(base) as stamps:
        assert stamps.hit(cards[0], POINT, radius=RADIUS, color=MARK) is not None
        expect_mark(base, cards[0], plain[0], "level-itself")
        stand_at(base, EYES[1])
        assert screenshot(base).tobytes() == plain[1].tobytes()


def test_the_next_level_costs_no_unwrapping_and_leaves_nothing(base: Any, scene: NodePath) -> None:
    path, _ = levels_below(scene)
    before = snapshot(scene)
    with stamping(base) as stamps:
        for level in (0, 1, 2):
            stand_at(base, EYES[level])
            step(base, 2)
            hit_middle(stamps, path, radius=RADIUS)
            step(base)
        stamps.clear_all()
        assert_same_scene(snapshot(scene), before)


def test_a_change_of_level_renews_nothing(base: Any, scene: NodePath) -> None:
    """The mark on the next level is as old as the hit."""
    path, _ = levels_below(scene)
    stand_at(base, EYES[0])
    with stamping(base, auto_fade=True, fade_duration=2.0) as stamps:
        binding = stamps.hit(path, POINT, radius=RADIUS, color=MARK)
        assert binding is not None
        step(base, 60)
        alpha = binding.alpha
        stand_at(base, EYES[1])
        step(base)
        assert binding.alpha < alpha
        step(base, 62)
        assert stamps.active_count == 0


def test_a_level_that_is_left_alone_is_not_captured_again(base: Any, scene: NodePath) -> None:
    path, _ = levels_below(scene)
    stand_at(base, EYES[0])
    with stamping(base) as stamps:
        binding = stamps.hit(path, POINT, radius=RADIUS, color=MARK)
        assert binding is not None
        for level in (0, 1, 2):
            stand_at(base, EYES[level])
            step(base, 3)
        count, temp = stamps.capture_count, read_target(base, binding.temp)
        for level in (0, 1, 2, 1, 0):
            stand_at(base, EYES[level])
            step(base, 3)
        assert stamps.capture_count == count
        assert read_target(base, binding.temp).tobytes() == temp.tobytes()


def wreck_as_a_level(scene: NodePath, kind: str, between: bool) -> tuple[Any, NodePath, NodePath]:
    """A wreck in two places: as the far level of one, directly or below a node between, and by itself.

    Returns:
        The node that chooses the level, and the two paths to the wreck.
    """
    wreck = grid_card(NodePath("wreck"), 4.0, 2)
    wreck.set_color(*COLORS[1])
    wreck.set_light_off()
    wreck.set_tag("rtstamp-resolution", "1024")
    node: Any = LODNode("lod") if kind == "LOD" else SwitchNode("choice")
    path = scene.attach_new_node(node)
    flat_card(path, 4.0, COLORS[0])
    place = wreck.instance_to(path.attach_new_node("between") if between else path)
    alone = wreck.instance_to(scene.attach_new_node("alone"))
    alone.get_parent().set_x(1000)
    if kind == "LOD":
        node.add_switch(30, 0)
        node.add_switch(1e4, 30)
    return node, place, alone


@pytest.mark.parametrize("kind", ["LOD", "switch"])
def test_an_instance_below_a_level(base: Any, scene: NodePath, kind: str) -> None:
    """It has a mark of its own, which is seen when the level is."""
    node, place, alone = wreck_as_a_level(scene, kind, True)
    pictures = []
    for level in (0, 1):
        stand_at(base, EYES[level])
        if kind == "switch":
            node.set_visible_child(level)
        pictures.append(screenshot(base))
    before = snapshot(scene)
    with stamping(base) as stamps:
        assert stamps.hit(place, POINT, radius=RADIUS, color=MARK) is not None
        expect_mark(base, place, pictures[1], f"instance-level-{kind}")
        stand_at(base, EYES[0])
        if kind == "switch":
            node.set_visible_child(0)
        assert screenshot(base).tobytes() == pictures[0].tobytes()
        assert stamps.binding(alone) is None
        stamps.clear_all()
        assert_same_scene(snapshot(scene), before)


@pytest.mark.parametrize("kind", ["LOD", "switch"])
def test_an_instance_that_is_a_level(base: Any, scene: NodePath, notify: NotifyLog, kind: str) -> None:
    """Whatever hung beside it would be a level too: it cannot be marked, which is said once."""
    notify.allow("is one of several instances")
    _, place, alone = wreck_as_a_level(scene, kind, False)
    stand_at(base, EYES[1])
    plain, before = screenshot(base), snapshot(scene)
    with stamping(base) as stamps:
        for _ in range(2):
            assert stamps.hit(place, POINT, radius=RADIUS, color=MARK) is None
        assert screenshot(base).tobytes() == plain.tobytes()
        assert_same_scene(snapshot(scene), before)
        said = [line for line in notify.text.splitlines() if "is one of several instances" in line]
        assert len(said) == 1
        assert str(place) in said[0]
        assert stamps.hit(alone, (1000, 0, 0)) is not None


# Actors of several levels.


def test_an_actor_of_two_levels(base: Any, scene: NodePath) -> None:
    """Marked on the near one, in a pose; the far one has the mark too, where its skin is."""
    models: Any = {"high": "models/panda-model", "low": "models/panda-model"}
    actor = Actor(models, {"walk": "models/panda-walk4"})
    actor.set_lod("high", 30, 0)
    actor.set_lod("low", 1000, 30)
    actor.reparent_to(scene)
    actor.set_scale(0.006)
    actor.set_light_off()
    actor.set_tag("rtstamp-resolution", "1024")
    # Of another colour, but one that the marks keep theirs in.
    level_of(actor, 1).set_color_scale(1.0, 0.5, 1.0, 1.0)
    actor.pose("walk", 5)
    actor.update(force=True)
    stand_at(base, EYES[0])
    step(base)
    part = level_of(actor, 0)
    side = world_triangles(part).mean(axis=1)
    point = side[np.argmin(side[:, 1] - side[:, 2])]
    with stamping(base) as stamps:
        assert stamps.hit(actor, tuple(point), radius=1.0, hardness=0.5, color=MARK) is not None
        step(base)
        for level in (0, 1, 0):
            stand_at(base, EYES[level])
            step(base, 2)
            seen = see(base, world_triangles(level_of(actor, level)))
            marked = np.abs(rgb(screenshot(base)) - 255 * np.array(MARK)).max(axis=-1) <= 2.01
            full = seen.inner(0.2) & (seen.distance(point) < 0.48)
            off = seen.hit & (seen.distance(point) > 1.02)
            assert full.sum() > 100, level
            assert marked[full].all(), level
            assert not marked[off].any(), level
    actor.cleanup()


def level_of(actor: Actor, number: int) -> NodePath:
    """The node of one of an actor's levels."""
    return NodePath(actor.find("**/+LODNode").get_child(number))


# Nodes that are not drawn.


def pair_of(scene: NodePath) -> tuple[NodePath, NodePath, NodePath]:
    """Two cards side by side below one node."""
    group = scene.attach_new_node("group")
    group.set_tag("rtstamp-resolution", "512")
    cards = [flat_card(group, 2.0, color) for color in COLORS[:2]]
    for card, x in zip(cards, (-1.05, 1.05), strict=True):
        card.set_x(x)
    return group, cards[0], cards[1]


@pytest.mark.parametrize("away", ["hidden", "stashed"])
def test_a_child_that_is_not_drawn(base: Any, scene: NodePath, away: str) -> None:
    """The other is marked as if it were alone, and what comes back has no mark: it was not there."""
    group, left, right = pair_of(scene)
    stand_at(base, EYES[0])
    both = screenshot(base)
    take, bring = (right.hide, right.show) if away == "hidden" else (right.stash, right.unstash)
    take()
    with stamping(base) as stamps:
        assert stamps.hit(group, (0, 0, 0), radius=50.0, hardness=1.0, color=MARK) is not None
        step(base)
        bring()
        picture = screenshot(base)
    seen = [see(base, world_triangles(card)).inner(0.2) for card in (left, right)]
    assert all(inner.sum() > 2000 for inner in seen)
    assert (np.abs(rgb(picture)[seen[0]] - 255 * np.array(MARK)) <= 2.01).all()
    assert not changed(picture, both)[seen[1]].any()


def test_everything_below_is_stashed(base: Any, scene: NodePath, notify: NotifyLog) -> None:
    notify.allow("has no geometry to mark")
    group, left, right = pair_of(scene)
    left.stash()
    right.stash()
    with stamping(base) as stamps:
        assert stamps.hit(group, (0, 0, 0)) is None
        left.unstash()
        assert stamps.hit(group, (0, 0, 0)) is not None
        step(base)
        right.unstash()


@pytest.mark.parametrize("kind", ["switch", "sequence"])
def test_the_child_that_is_chosen(base: Any, scene: NodePath, kind: str) -> None:
    """Like a level: the one that is seen is marked, and so is the next when it is its turn."""
    node: Any = SwitchNode("choice") if kind == "switch" else SequenceNode("choice")
    path = scene.attach_new_node(node)
    path.set_tag("rtstamp-resolution", "1024")
    cards = []
    for cells, color in zip((4, 1), COLORS, strict=False):
        card = grid_card(path, 4.0, cells)
        card.set_color(*color)
        card.set_light_off()
        cards.append(card)
    choose = node.set_visible_child if kind == "switch" else node.pose
    stand_at(base, EYES[0])
    plain = []
    for index in range(2):
        choose(index)
        plain.append(screenshot(base))
    choose(0)
    with stamping(base) as stamps:
        assert stamps.hit(path, POINT, radius=RADIUS, color=MARK) is not None
        for index in (0, 1, 0):
            choose(index)
            expect_mark(base, cards[index], plain[index], f"choice-{kind}-{index}")
