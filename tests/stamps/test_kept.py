"""What was made for a node is kept for its next first hit, and holds no node."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from panda3d.core import GeomVertexRewriter, NodePath, WeakNodePath

from first_hit_support import (
    IDLE,
    ROUND,
    array_of,
    assert_marked_in_the_middle,
    count_copies,
    geom_node,
    geoms,
    near_card,
    settle,
    tagged,
)
from pictures import assert_same_scene, snapshot
from stamp_support import hit_middle, image_of, small_card, system
from support import make_card, step


@pytest.fixture
def copied(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the nodes whose Geoms are copied from now on."""
    return count_copies(monkeypatch)


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
    vertex = GeomVertexRewriter(geom_node(card).modify_geom(0).modify_vertex_data(), "vertex")
    vertex.set_data3(vertex.get_data3() * 1.5)


def move_rows(card: NodePath) -> None:
    """The same, through the array alone."""
    array = geom_node(card).modify_geom(0).modify_vertex_data().modify_array(0)
    array.modify_handle().set_subdata(0, 4, np.float32(-3.0).tobytes())


def add_geom(card: NodePath) -> None:
    """One more Geom."""
    geom_node(card).add_geoms_from(geom_node(make_card(1.0, 1.0)))


def cut_primitives(card: NodePath) -> None:
    """Other triangles of the same vertices."""
    geom_node(card).modify_geom(0).reverse_in_place()


EDITS: list[Callable[[NodePath], None]] = [
    move_vertices,
    move_rows,
    add_geom,
    cut_primitives,
    lambda card: card.set_two_sided(True),
    lambda card: card.set_tag("rtstamp-uv", "texcoord"),
    lambda card: geom_node(card).set_geom(0, geom_node(make_card(3.0, 3.0)).modify_geom(0)),
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


def test_what_was_edited_goes(base: Any, scene: NodePath) -> None:
    """A model whose vertices move now and then does not fill the store with what it was."""
    card = small_card(scene)
    vertices = geom_node(card).modify_geom(0).modify_vertex_data()
    with system(base, auto_fade=False) as stamps:
        arrays = []
        for _ in range(4):
            arrays.append(vertices.get_array(0))
            hit_middle(stamps, card)
            step(base)
            stamps.clear_all()
            vertices.modify_array(0).modify_handle().set_subdata(0, 4, np.float32(-3.0).tobytes())
        settle(base)
        assert [array.get_ref_count() for array in arrays] == [1, 1, 1, 1]


def test_a_system_that_ends_keeps_nothing(base: Any, scene: NodePath) -> None:
    card = small_card(scene)
    array = array_of(card)
    before = array.get_ref_count()
    with system(base) as stamps:
        stamps.warm_up(0, nodes=[card])
        assert array.get_ref_count() > before
        hit_middle(stamps, card)
        step(base)
    # Without the garbage collector's help.
    step(base, 16)
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
