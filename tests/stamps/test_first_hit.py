"""The first hit on a node finds made what it needs, and what was made for nodes holds none of them."""

import gc
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np
import pytest
from panda3d.core import (
    Geom,
    GeomNode,
    GeomVertexArrayData,
    GeomVertexRewriter,
    NodePath,
    TransformState,
    WeakNodePath,
)

from panda_rtstamp import StampSystem
from panda_rtstamp.core import unwrap as unwrapping
from panda_rtstamp.stamps import prepared
from pictures import assert_same_scene, snapshot
from shapes import sphere
from stamp_support import hit_middle, image_of, mask_formula, small_card, system, what_is_held
from support import NotifyLog, make_card, run_case, screenshot, step

# Frames in which a system without hits has made all there is to make in a small scene.
IDLE = 60
# Pauses between two rounds through the scene are shorter.
ROUND = 300


@pytest.fixture
def copied(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the nodes whose Geoms are copied from now on."""
    found: list[str] = []
    original = prepared.stamped_copies

    def counted(node: GeomNode, *args: Any) -> list[Geom]:
        # What shaders are tried on is drawn by nobody's model.
        found.extend({node.get_name()} - {"rtstamp-warm"})
        return original(node, *args)

    monkeypatch.setattr(prepared, "stamped_copies", counted)
    return found


def settle(base: Any) -> None:
    """Let what was let go of be gone."""
    gc.collect()
    step(base, 16)


def tagged(node: NodePath) -> NodePath:
    """The node, tagged to be hit."""
    node.set_tag("rtstamp", "")
    return node


def near_card(scene: NodePath, name: str = "card") -> NodePath:
    """A tagged card of 2 x 2 units, so near to the camera that it gets 1024 texels."""
    card = tagged(make_card(2.0, 2.0, name))
    card.reparent_to(scene)
    card.set_y(5.0)
    return card


def windows(base: Any) -> int:
    """Windows and buffers there are."""
    return int(base.graphics_engine.get_num_windows())


def geoms(node: NodePath) -> list[Any]:
    """The Geoms of a GeomNode, by their addresses."""
    geom_node = node.node()
    assert isinstance(geom_node, GeomNode)
    return [geom_node.get_geom(index).this for index in range(geom_node.get_num_geoms())]


def array_of(node: NodePath) -> GeomVertexArrayData:
    """Of a node's first Geom. Whoever draws or copies the Geom holds this too."""
    geom_node = node.node()
    assert isinstance(geom_node, GeomNode)
    return geom_node.get_geom(0).get_vertex_data().get_array(0)


def assert_marked_in_the_middle(stamps: StampSystem, card: NodePath) -> None:
    """By a hit of radius 1 in the middle of a card of 2 x 2, and nothing else."""
    image = image_of(stamps, card)[..., 3]
    across = ((np.arange(len(image)) + 0.5) / len(image) - 0.5) * 2.0
    assert np.abs(image - mask_formula(np.hypot(*np.meshgrid(across, across)), 1.0, 0.1)).max() <= 2 / 255


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
            step(base)
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


def test_warm_up_of_nodes_that_are_unwrapped_in_the_background(
    base: Any, scene: NodePath, copied: list[str], jobs: list[int]
) -> None:
    """They need no tag: their copies are made when the atlas is there. One that is gone by then is no harm."""
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


# What is kept.


@pytest.mark.profiles
def test_the_next_first_hit_finds_what_was_made(base: Any, scene: NodePath, copied: list[str]) -> None:
    card = small_card(scene)
    original = geoms(card)
    with system(base, fade_duration=0.2) as stamps:
        for _ in range(3):
            hit_middle(stamps, card)
            step(base)
            assert image_of(stamps, card)[32, 32, 3] > 0.5
            assert geoms(card) != original
            step(base, 14)
            assert stamps.active_count == 0
            assert geoms(card) == original
        assert copied == ["card"]


def move_vertices(card: NodePath) -> None:
    """Move a corner in place."""
    vertex = GeomVertexRewriter(card.node().modify_geom(0).modify_vertex_data(), "vertex")
    vertex.set_data3(vertex.get_data3() * 1.5)


def move_rows(card: NodePath) -> None:
    """The same, through the array alone."""
    array = card.node().modify_geom(0).modify_vertex_data().modify_array(0)
    array.modify_handle().set_subdata(0, 4, np.float32(-3.0).tobytes())


def add_geom(card: NodePath) -> None:
    """One more Geom."""
    card.node().add_geoms_from(make_card(1.0, 1.0).node())


def cut_primitives(card: NodePath) -> None:
    """Other triangles of the same vertices."""
    card.node().modify_geom(0).reverse_in_place()


EDITS: list[Callable[[NodePath], None]] = [
    move_vertices,
    move_rows,
    add_geom,
    cut_primitives,
    lambda card: card.set_two_sided(True),
    lambda card: card.set_tag("rtstamp-uv", "texcoord"),
    lambda card: card.node().set_geom(0, make_card(3.0, 3.0).node().modify_geom(0)),
]


@pytest.mark.parametrize("edit", EDITS)
def test_what_is_edited_is_made_anew(
    base: Any, scene: NodePath, copied: list[str], edit: Callable[[NodePath], None]
) -> None:
    """And the user's edit stands."""
    card = small_card(scene)
    with system(base, auto_fade=False) as stamps:
        stamps.warm_up(0, nodes=[card])
        assert len(copied) == 1
        edit(card)
        edited = snapshot(card)
        hit_middle(stamps, card)
        assert len(copied) == 2
        step(base)
        stamps.clear_all()
        assert_same_scene(snapshot(card), edited)
        hit_middle(stamps, card)
        assert len(copied) == 2


def test_a_part_that_is_scaled_is_made_anew(base: Any, scene: NodePath, copied: list[str]) -> None:
    """An atlas gives it another share. One that merely turns and moves stays what it is."""
    room = scene.attach_new_node("room")
    room.set_tag("rtstamp-resolution", "64")
    cards = [small_card(room, f"card-{index}") for index in range(2)]
    with system(base, auto_fade=False) as stamps:
        stamps.warm_up(0, nodes=[room])
        cards[0].set_pos_hpr(3.0, 20.0, 1.0, 30.0, 40.0, 50.0)
        stamps.hit(room, (0.0, 20.0, 0.0))
        assert len(copied) == 2
        stamps.clear_all()
        cards[0].set_scale(2.0, 1.0, 1.0)
        stamps.hit(room, (0.0, 20.0, 0.0))
        assert len(copied) == 4


@pytest.mark.profiles
def test_copies_of_a_model_share_what_is_made(base: Any, scene: NodePath, copied: list[str]) -> None:
    """They share its Geoms. Their marks are their own, and an edit of one is no other's."""
    model = small_card(scene, "model")
    copies = [model, *(model.copy_to(scene) for _ in range(2))]
    original = geoms(model)
    with system(base, auto_fade=False) as stamps:
        for index, card in enumerate(copies):
            card.set_x(4.0 * index)
            hit_middle(stamps, card)
        step(base)
        assert copied == ["model"]
        stamps.hit(copies[1], (-0.5, 0.0, 0.0), other=copies[1], blend="erase", radius=10.0, hardness=1.0)
        move_vertices(copies[2])
        step(base)
        assert_marked_in_the_middle(stamps, copies[0])
        assert image_of(stamps, copies[1]).max() == 0.0
        assert geoms(copies[0]) == geoms(copies[1]) != geoms(copies[2])
        stamps.clear_all()
        assert geoms(copies[0]) == geoms(copies[1]) == original != geoms(copies[2])


@pytest.mark.profiles
@pytest.mark.threads
def test_what_is_kept_holds_no_node(base: Any, scene: NodePath) -> None:
    card = near_card(scene)
    with system(base, warm_up=True):
        step(base, IDLE)
        weak = WeakNodePath(card)
        card.remove_node()
        assert weak.was_deleted()


@pytest.mark.parametrize("hit", [False, True])
def test_what_nobody_needs_any_more_goes(base: Any, scene: NodePath, hit: bool) -> None:
    cards = [small_card(scene, f"card-{index}") for index in range(4)]
    arrays = [array_of(card) for card in cards]
    with system(base, auto_fade=False) as stamps:
        stamps.warm_up(0, nodes=cards)
        if hit:
            for card in cards:
                hit_middle(stamps, card)
        step(base, 8)
        assert all(array.get_ref_count() > 1 for array in arrays)
        for card in cards[1:]:
            card.remove_node()
        settle(base)
        assert [array.get_ref_count() > 1 for array in arrays] == [True, False, False, False]


def test_a_system_that_ends_keeps_nothing(base: Any, scene: NodePath) -> None:
    card = small_card(scene)
    array = array_of(card)
    before = array.get_ref_count()
    with system(base) as stamps:
        stamps.warm_up(0, nodes=[card])
        assert array.get_ref_count() > before
        hit_middle(stamps, card)
        step(base)
    settle(base)
    assert array.get_ref_count() == before


def test_two_systems(base: Any, scene: NodePath, copied: list[str]) -> None:
    """The second finds what the first put into the node; the last one that goes puts it back."""
    card = small_card(scene)
    original = geoms(card)
    with system(base, auto_fade=False) as second:
        with system(base, auto_fade=False) as first:
            for stamps in (first, second):
                stamps.warm_up(0, nodes=[card])
            assert len(copied) == 2
            for stamps in (first, second):
                hit_middle(stamps, card)
            step(base)
            assert len(copied) == 2
        step(base, 2)
        assert geoms(card) != original
        assert_marked_in_the_middle(second, card)
        second.clear_all()
        assert geoms(card) == original
        hit_middle(second, card)
        assert len(copied) == 2


def test_instances(base: Any, scene: NodePath, copied: list[str]) -> None:
    """One of several is kept for all, though each is hit by itself."""
    model = make_card(2.0, 2.0, "model")
    places = [tagged(scene.attach_new_node(f"place-{index}")) for index in range(3)]
    for index, place in enumerate(places):
        place.set_pos(3.0 * index, 20.0, 0.0)
        place.set_tag("rtstamp-resolution", "64")
        model.instance_to(place)
    with system(base, warm_up=True, auto_fade=False) as stamps:
        step(base, IDLE)
        assert copied == ["model"]
        for place in places:
            hit_middle(stamps, place)
        step(base)
        assert copied == ["model"]
        for place in places:
            assert_marked_in_the_middle(stamps, place)


def test_more_than_can_be_kept(
    base: Any, scene: NodePath, copied: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Idle frames push nothing out; hits do, what was not used for longest first."""
    monkeypatch.setattr("panda_rtstamp.stamps.kept._MOST_VERTICES", 10)
    cards = [tagged(small_card(scene, f"card-{index}")) for index in range(5)]
    with system(base, warm_up=True, fade_duration=0.1) as stamps:
        step(base, ROUND)
        assert copied == ["card-0", "card-1", "card-2"]
        assert stamps.active_count == 0
        for index in (3, 1, 3, 4, 0, 4):
            hit_middle(stamps, cards[index])
            step(base, 12)
            assert stamps.active_count == 0
        assert copied[3:] == ["card-3", "card-4", "card-0"]


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
