"""Consumers follow what a game does below their node: nodes, shaders and states that come and go."""

from typing import Any

import pytest
from panda3d.core import (
    Mat4,
    NodePath,
    RenderState,
    ShaderAttrib,
    TextureStage,
    TransparencyAttrib,
)

from mask_support import (
    RENDERERS,
    Cut,
    draw_by,
    geoms_of,
    inputs_of,
    line_mask,
    next_frame,
    own_shader,
    plain_texture,
    released,
    tessellation_shader,
    tilted_card,
    without,
)
from panda_rtstamp.core.layers import Layered
from panda_rtstamp.vision import consumer
from panda_rtstamp.vision.clipping import Clip
from pictures import assert_same_scene, snapshot
from support import NotifyLog, screenshot

pytestmark = [pytest.mark.profiles, pytest.mark.usefixtures("no_layers_left")]


@pytest.mark.threads
@pytest.mark.parametrize("renderer", RENDERERS)
def test_nodes_that_come_and_go(base: Any, scene: NodePath, renderer: str) -> None:
    """Also where the game has fixed the bounds, and where as much came as went."""
    card = tilted_card(base, scene)
    draw_by(card, renderer)
    before, empty, cut = screenshot(base), without(base, card), Cut(base, card)
    upper, state = card.get_parent(), geoms_of(card).get_geom_state(0)
    card.detach_node()
    upper.node().set_final(True)
    with released(Clip(scene, inputs_of(line_mask()))) as clip:
        assert (next_frame(base, clip) == empty).all()
        middle = upper.attach_new_node("middle")
        clip.update()
        card.reparent_to(middle)
        cut.check(next_frame(base, clip), before, empty)
        copy = card.copy_to(middle)
        card.detach_node()
        cut.check(next_frame(base, clip), before, empty)
        copy.stash()
        assert (next_frame(base, clip) == empty).all()
        copy.unstash()
        cut.check(next_frame(base, clip), before, empty)
        outside = scene.get_parent().attach_new_node("outside")
        copy.wrt_reparent_to(outside)
        next_frame(base, clip)
        assert (without(base, scene) == screenshot(base)).all()
        assert [geoms_of(node).get_geom_state(0) for node in (card, copy)] == [state, state]
    outside.remove_node()


@pytest.mark.parametrize("second", RENDERERS)
@pytest.mark.parametrize("first", RENDERERS)
def test_another_shader(base: Any, scene: NodePath, first: str, second: str) -> None:
    """On a node above, and on the node itself."""
    card = tilted_card(base, scene)
    upper = card.get_parent()
    draw_by(card, second)
    before, empty, cut = screenshot(base), without(base, card), Cut(base, card)
    card.clear_shader()
    draw_by(upper, first)
    with released(Clip(card, inputs_of(line_mask()))) as clip:
        clip.update()
        upper.clear_shader()
        draw_by(upper, second)
        cut.check(next_frame(base, clip), before, empty)
        draw_by(card, first)
        clip.update()
        card.clear_shader()
        draw_by(card, second)
        cut.check(next_frame(base, clip), before, empty)
    assert (screenshot(base) == before).all()


def test_a_shader_that_cannot_be_clipped_comes_later(base: Any, scene: NodePath, notify: NotifyLog) -> None:
    """That is one warning, and what else is below the node stays clipped."""
    notify.allow("has tessellation stages")
    card = tilted_card(base, scene)
    before, empty, cut = screenshot(base), without(base, card), Cut(base, card)
    with released(Clip(scene, inputs_of(line_mask()))) as clip:
        other = card.copy_to(scene)
        other.set_shader(tessellation_shader())
        other.hide()
        for _ in range(3):
            cut.check(next_frame(base, clip), before, empty)
            other.set_x(other, 1.0)
    assert notify.text.count("has tessellation stages") == 1


def test_states_of_geoms(base: Any, scene: NodePath) -> None:
    """Geoms of one node, side by side, may differ: one has a shader of its own, another one gets one."""
    card = tilted_card(base, scene)
    node = geoms_of(card)
    node.add_geom(node.get_geom(0).make_copy())
    for index, x in enumerate((-1.5, 1.5)):
        node.modify_geom(index).transform_vertices(
            Mat4.scale_mat((0.5, 1, 1)) * Mat4.translate_mat((x, 0, 0))
        )
    node.set_geom_state(1, RenderState.make(ShaderAttrib.make(own_shader())))
    empty, cut, found = without(base, card), Cut(base, card), snapshot(scene)
    states = RenderState.make_empty(), RenderState.make(ShaderAttrib.make(own_shader("150")))
    pictures = []
    for state in states:
        node.set_geom_state(0, state)
        pictures.append(screenshot(base))
    with released(Clip(scene, inputs_of(line_mask()))) as clip:
        for number in (1, 0, 1, 0):
            node.set_geom_state(0, states[number])
            cut.check(next_frame(base, clip), pictures[number], empty)
    assert_same_scene(snapshot(scene), found)


@pytest.mark.parametrize("renderer", RENDERERS)
def test_what_the_game_sets_meanwhile_shows_and_stays(base: Any, scene: NodePath, renderer: str) -> None:
    card = tilted_card(base, scene)
    draw_by(card, renderer)
    geom_state = geoms_of(card).get_geom_state(0)
    with released(Clip(scene, inputs_of(line_mask()))) as clip:
        card.set_transparency(TransparencyAttrib.M_alpha)
        card.set_color(0.2, 0.9, 0.3, 0.5)
        clip.update()
        card.set_texture(plain_texture(200))
        card.set_tex_offset(TextureStage.get_default(), 0.3, 0.2)
        card.set_shader_input("something", 1.0)
        state = card.get_state()
        picture = next_frame(base, clip)
    assert card.get_state() == state
    assert geoms_of(card).get_geom_state(0) == geom_state
    Cut(base, card).check(picture, screenshot(base), without(base, card))


@pytest.mark.parametrize("renderer", RENDERERS)
def test_instances(base: Any, scene: NodePath, renderer: str) -> None:
    """Of several all are clipped, where each of them is; and go on being so when one goes."""
    card = tilted_card(base, scene)
    draw_by(card, renderer)
    before, empty, cut = screenshot(base), without(base, card), Cut(base, card)
    places = [scene.attach_new_node("place") for _ in range(2)]
    for place, x in zip(places, (0.0, 50.0), strict=True):
        place.set_x(x)
        card.get_parent().instance_to(place)
    card.get_parent().detach_node()
    with released(Clip(scene, inputs_of(line_mask()))) as clip:
        cut.check(next_frame(base, clip), before, empty)
        places[1].remove_node()
        cut.check(next_frame(base, clip), before, empty)
        places[0].set_x(50.0)
        assert (next_frame(base, clip) == empty).all()


def test_what_hangs_elsewhere_too_goes_with_its_last_place(base: Any, scene: NodePath) -> None:
    card = tilted_card(base, scene)
    node, state = geoms_of(card), geoms_of(card).get_geom_state(0)
    rooms = [scene.attach_new_node("room") for _ in range(3)]
    copies = [card.instance_to(room) for room in rooms]
    card.detach_node()
    with released(Clip(scene, inputs_of(line_mask()))) as clip:
        for gone in copies[:2]:
            gone.detach_node()
            clip.update()
            assert node.get_geom_state(0) != state
        # What is stashed is nowhere: it may be anywhere when it is next seen.
        rooms[2].stash()
        clip.update()
        assert node.get_geom_state(0) == state
        rooms[2].unstash()
        clip.update()
        assert node.get_geom_state(0) != state
        copies[2].detach_node()
        clip.update()
        assert node.get_geom_state(0) == state


def test_of_many_some_are_asked_for_their_states_in_turn(
    base: Any, scene: NodePath, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As their Geoms' states cannot be watched; none is left out."""
    rounds = 3
    cards = [tilted_card(base, scene) for _ in range(rounds * consumer.CHECKED)]
    asked: list[Layered] = []
    intact: Any = Layered.intact

    def ask(covered: Layered) -> bool:
        asked.append(covered)
        return bool(intact.fget(covered))

    monkeypatch.setattr(Layered, "intact", property(ask))
    own = RenderState.make(TransparencyAttrib.make(TransparencyAttrib.M_alpha))
    with released(Clip(scene, inputs_of(line_mask()))) as clip:
        clip.update()
        for card in cards:
            geoms_of(card).set_geom_state(0, own)
        asked.clear()
        for number in range(1, rounds + 1):
            clip.update()
            assert len(asked) == number * consumer.CHECKED
        assert len(set(map(id, asked))) == len(cards)
        assert all(geoms_of(card).get_geom_state(0) != own for card in cards)
    assert all(geoms_of(card).get_geom_state(0) == own for card in cards)


def test_a_destroyed_node(base: Any, scene: NodePath) -> None:
    """Its consumers let go by themselves: they do not keep it alive."""
    card = tilted_card(base, scene)
    clip = Clip(card, inputs_of(line_mask()))
    assert clip.alive
    card.remove_node()
    clip.update()
    assert not clip.alive
    clip.update()
    clip.release()


def test_nodes_that_stay_as_they_are_cost_no_walk(
    base: Any, scene: NodePath, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever games move, or set on `render`, in every frame."""
    card = tilted_card(base, scene)
    draw_by(card, "330")
    other = card.copy_to(scene)
    refreshed: list[Layered] = []
    refresh = Layered.refresh

    def counted(covered: Layered) -> None:
        refreshed.append(covered)
        refresh(covered)

    monkeypatch.setattr(Layered, "refresh", counted)
    with released(Clip(scene, inputs_of(line_mask()))) as clip:
        refreshed.clear()
        for frame in range(5):
            scene.get_parent().set_shader_input("time", float(frame))
            card.set_x(float(frame))
            scene.set_x(float(frame))
            clip.update()
        assert refreshed == []
        card.get_parent().set_color_scale(1.0, 0.5, 0.5, 1.0)
        clip.update()
        clip.update()
        assert len(refreshed) == 1
        other.set_transparency(TransparencyAttrib.M_alpha)
        clip.update()
        assert len(refreshed) == 2
    scene.get_parent().clear_shader_input("time")
