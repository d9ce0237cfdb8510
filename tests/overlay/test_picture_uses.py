"""RenderPicture: uses of a visible one that are easily missed, and what is shown then, at once."""

from collections.abc import Iterator
from typing import Any

import pytest
from direct.gui.DirectGui import DirectFrame
from panda3d.core import (
    BoundingSphere,
    NodePath,
    OmniBoundingVolume,
    OrthographicLens,
    PandaNode,
    SequenceNode,
    SwitchNode,
)

from panda_rtstamp.overlay.picture import RenderPicture
from picture_support import FlatScene, flat_camera, middle
from pictures import flat_card
from support import frames_behind, step

RED = [255, 0, 0]


@pytest.fixture
def picture(base: Any, flat: FlatScene) -> Iterator[RenderPicture]:
    with RenderPicture(base, flat.root, flat.camera, size=16) as made:
        yield made


# Instances, copies, flattening.


@pytest.mark.profiles
@pytest.mark.threads
@pytest.mark.parametrize("what", ["card", "model"])
def test_instances(base: Any, flat: FlatScene, picture: RenderPicture, stage: NodePath, what: str) -> None:
    """Whichever of them is seen."""
    card, model = picture.card(), NodePath("model")
    card.reparent_to(model)
    places = [stage.attach_new_node(name) for name in ("one", "two")]
    for place in places:
        (card if what == "card" else model).instance_to(place)
    assert flat.draws_in(base, 2) == 2
    for place in places:
        place.hide()
        assert flat.draws_in(base, 2) == 2
        place.show()
        place.detach_node()
        assert flat.draws_in(base, 2) == 2
        place.reparent_to(stage)
    stage.hide()
    assert flat.draws_in(base, 2) == 0


@pytest.mark.profiles
@pytest.mark.threads
def test_a_card_that_is_flattened_into_another_node(
    base: Any, flat: FlatScene, picture: RenderPicture, stage: NodePath
) -> None:
    flat_card(stage, 0.1).set_x(-0.5)
    card = picture.card(0.5)
    card.reparent_to(stage)
    card.set_x(0.1)
    assert flat.draws_in(base, 2) == 2
    stage.flatten_strong()
    assert flat.draws_in(base, 3) == 3
    stage.hide()
    assert flat.draws_in(base, 3) == 0


@pytest.mark.profiles
@pytest.mark.threads
def test_copies(base: Any, flat: FlatScene, picture: RenderPicture, stage: NodePath) -> None:
    """DirectGUI makes some. Without threads Panda's account tells of them; else shown_by does."""
    frame = DirectFrame(parent=stage, image=picture.card())
    for node in (picture.card().copy_to(stage), frame):
        if frames_behind(base):
            assert flat.draws_in(base, 3) == 0
            picture.shown_by(node)
        else:
            step(base, 3)
        assert flat.draws_in(base, 3) == 3
        frame.detach_node()
        node.detach_node()
        step(base, 2)
        frame.reparent_to(stage)
    frame.destroy()


@pytest.mark.profiles
@pytest.mark.threads
def test_a_card_that_is_released_and_stays(
    base: Any, flat: FlatScene, picture: RenderPicture, stage: NodePath
) -> None:
    card = picture.card()
    card.reparent_to(stage)
    assert flat.draws_in(base, 2) == 2
    picture.release(card)
    step(base, 2)
    assert flat.draws_in(base, 3) == 3


# As Panda's culling does.


@pytest.mark.profiles
@pytest.mark.threads
def test_a_child_that_is_shown_through(
    base: Any, flat: FlatScene, picture: RenderPicture, stage: NodePath
) -> None:
    """Though the known node above it is hidden, or one above that."""
    node = stage.attach_new_node("model")
    child = flat_card(node, 1)
    picture.apply_to(node)
    for hidden in (node, stage):
        hidden.hide(PandaNode.get_all_camera_mask())
        assert flat.draws_in(base, 2) == 0
        child.show_through(base.camNode.get_camera_mask())
        assert flat.draws_in(base, 2) == 2
        assert middle(base) == RED
        child.show(PandaNode.get_all_camera_mask())
        hidden.show(PandaNode.get_all_camera_mask())


@pytest.mark.profiles
@pytest.mark.threads
def test_final_bounds(base: Any, flat: FlatScene, picture: RenderPicture, stage: NodePath) -> None:
    """What is below them is where a shader puts it."""
    card = picture.card()
    card.reparent_to(stage)
    card.set_x(50)
    assert flat.draws_in(base, 2) == 0
    stage.node().set_bounds(OmniBoundingVolume())
    assert flat.draws_in(base, 2) == 0
    stage.node().set_final(True)
    assert flat.draws_in(base, 2) == 2


@pytest.mark.profiles
@pytest.mark.threads
@pytest.mark.parametrize("kind", [SwitchNode, SequenceNode])
def test_nodes_that_show_one_child(
    base: Any, flat: FlatScene, picture: RenderPicture, stage: NodePath, kind: type
) -> None:
    switch = stage.attach_new_node(kind("switch"))
    switch.attach_new_node("other")
    picture.card().reparent_to(switch)
    node = switch.node()
    choose = node.set_visible_child if isinstance(node, SwitchNode) else node.pose
    choose(0)
    assert flat.draws_in(base, 2) == 0
    choose(1)
    assert flat.draws_in(base, 2) == 2
    assert middle(base) == RED


@pytest.mark.profiles
@pytest.mark.threads
def test_a_window_that_is_not_active(
    base: Any, flat: FlatScene, picture: RenderPicture, stage: NodePath
) -> None:
    picture.card().reparent_to(stage)
    assert flat.draws_in(base, 2) == 2
    base.win.set_active(False)
    # Panda's account of what was used stands still, where no frame is begun, until one is.
    step(base, 2)
    assert flat.draws_in(base, 2) == 0
    base.win.set_active(True)
    assert flat.draws_in(base, 2) == 2


@pytest.mark.profiles
def test_cameras_with_bounds_and_lenses_of_their_own(
    base: Any, flat: FlatScene, picture: RenderPicture, stage: NodePath
) -> None:
    """The bounds and the centre of culling count, and a region's lens."""
    picture.card().reparent_to(stage)
    base.camNode.set_active(False)
    root = base.render.attach_new_node("cameras")
    region = base.win.make_display_region(0, 0.1, 0, 0.1)
    nodes = [flat_camera() for _ in range(3)]
    paths = [root.attach_new_node(node) for node in nodes]
    nodes[0].set_cull_bounds(BoundingSphere((0, 0, 0), 1))
    center = root.attach_new_node("center")
    nodes[1].set_cull_center(center)
    narrow = OrthographicLens()
    narrow.set_film_size(2, 2)
    narrow.set_film_offset(50, 0)
    nodes[2].set_lens(1, narrow)
    # Each sees it, and then does not by that alone.
    cases: list[tuple[Any, Any]] = [
        (lambda: None, lambda: nodes[0].set_cull_bounds(BoundingSphere((50, 0, 0), 1))),
        (lambda: None, lambda: center.set_x(50)),
        (lambda: region.set_lens_index(0), lambda: region.set_lens_index(1)),
    ]
    for path, (seen, unseen) in zip(paths, cases, strict=True):
        region.set_camera(path)
        seen()
        assert flat.draws_in(base, 2) == 2
        unseen()
        assert flat.draws_in(base, 2) == 0
    base.win.remove_display_region(region)
    base.camNode.set_active(True)
    root.remove_node()
