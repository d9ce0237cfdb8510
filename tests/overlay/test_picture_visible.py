"""RenderPicture: a visible one is drawn in the frames that show it, counted."""

from typing import Any

import pytest
from direct.filter.FilterManager import FilterManager
from direct.gui.DirectGui import DirectFrame
from panda3d.core import NodePath, PandaNode, Texture

from picture_support import FlatScene, flat_camera, image_of, picture_of, settle, shows
from pictures import flat_card, rgb
from support import screenshot, step

RED, GREEN = (255, 0, 0, 255), (0, 255, 0, 255)


@pytest.mark.profiles
@pytest.mark.threads
def test_a_card_that_comes_and_goes(base: Any, flat: FlatScene, stage: NodePath) -> None:
    with picture_of(base, flat, "visible") as picture:
        card = picture.card()
        assert flat.draws_in(base, 4) == 0
        card.reparent_to(stage)
        assert flat.draws_in(base, 4) == 4
        card.hide()
        assert flat.draws_in(base, 4) == 0
        card.show()
        assert flat.draws_in(base, 4) == 4
        stage.hide()
        assert flat.draws_in(base, 4) == 0
        stage.show()
        card.set_x(50)
        assert flat.draws_in(base, 4) == 0
        card.set_x(1.4)
        assert flat.draws_in(base, 4) == 4
        card.stash()
        assert flat.draws_in(base, 4) == 0
        card.unstash()
        assert flat.draws_in(base, 4) == 4
        card.remove_node()
        assert flat.draws_in(base, 4) == 0


@pytest.mark.profiles
@pytest.mark.threads
def test_a_gui_image_that_is_removed(base: Any, flat: FlatScene) -> None:
    with picture_of(base, flat, "visible") as picture:
        frame = DirectFrame(parent=base.aspect2d)
        image = picture.onscreen_image(parent=frame, scale=0.2)
        assert flat.draws_in(base, 4) == 4
        frame.hide()
        assert flat.draws_in(base, 4) == 0
        frame.show()
        assert flat.draws_in(base, 4) == 4
        image.destroy()
        assert flat.draws_in(base, 4) == 0
        frame.destroy()


@pytest.mark.profiles
@pytest.mark.threads
def test_shown_again_it_is_fresh_in_the_same_frame(base: Any, flat: FlatScene, stage: NodePath) -> None:
    with picture_of(base, flat, "visible") as picture:
        card = picture.card(1.0)
        card.reparent_to(stage)
        assert rgb(screenshot(base))[128, 128].tolist() == [255, 0, 0]
        card.hide()
        step(base, 3)
        flat.card.set_color(0, 1, 0, 1)
        step(base, 3)
        card.show()
        # One frame; under Cull/Draw those that let it arrive.
        assert rgb(screenshot(base))[128, 128].tolist() == [0, 255, 0]


@pytest.mark.profiles
@pytest.mark.threads
def test_materials_and_shaders(base: Any, flat: FlatScene, stage: NodePath) -> None:
    """Whose nodes are known by apply_to and shown_by."""
    with picture_of(base, flat, "visible") as picture:
        for node, use in ((flat_card(stage, 1), picture.apply_to), (flat_card(stage, 1), picture.shown_by)):
            use(node)
            assert flat.draws_in(base, 3) == 3
            node.hide()
            assert flat.draws_in(base, 3) == 0
            node.show()
            picture.release(node)
            assert flat.draws_in(base, 3) == 0
        texture = picture.shown_by(node)
        node.set_texture(texture)
        assert flat.draws_in(base, 3) == 3
        node.remove_node()


@pytest.mark.profiles
@pytest.mark.threads
def test_whose_camera_sees_it(base: Any, flat: FlatScene, stage: NodePath) -> None:
    """An inactive camera, one that another bit is hidden from, and one of another scene do not."""
    with picture_of(base, flat, "visible") as picture:
        card = picture.card()
        card.reparent_to(stage)
        region = base.win.make_display_region(0, 0.1, 0, 0.1)
        other = NodePath("other").attach_new_node(flat_camera())
        region.set_camera(other)
        base.camNode.set_active(False)
        assert flat.draws_in(base, 3) == 0
        other.node().set_scene(base.render)
        assert flat.draws_in(base, 3) == 3
        card.hide(other.node().get_camera_mask())
        assert flat.draws_in(base, 3) == 0
        card.show(other.node().get_camera_mask())
        assert flat.draws_in(base, 3) == 3
        region.set_active(False)
        assert flat.draws_in(base, 3) == 0
        base.camNode.set_active(True)
        assert flat.draws_in(base, 3) == 3
        # What is shown through is shown.
        stage.hide(PandaNode.get_all_camera_mask())
        assert flat.draws_in(base, 3) == 0
        card.show_through(base.camNode.get_camera_mask())
        assert flat.draws_in(base, 3) == 3
        stage.show(PandaNode.get_all_camera_mask())
        base.win.remove_display_region(region)
        card.remove_node()


@pytest.mark.profiles
def test_a_buffer_that_shows_it(base: Any, flat: FlatScene) -> None:
    """Of the game's own; only where it is active."""
    buffer = base.win.make_texture_buffer("mine", 16, 16)
    root = NodePath("mine")
    buffer.make_display_region().set_camera(root.attach_new_node(flat_camera()))
    # Panda tells of a buffer from the frame on that opens it.
    step(base)
    with picture_of(base, flat, "visible") as picture:
        picture.card().reparent_to(root)
        assert flat.draws_in(base, 3) == 3
        buffer.set_active(False)
        assert flat.draws_in(base, 3) == 0
    base.graphics_engine.remove_window(buffer)


@pytest.mark.profiles
def test_a_pipeline_over_the_main_camera(base: Any, flat: FlatScene, stage: NodePath) -> None:
    """FilterManager moves the main camera into a buffer of its own: what it sees there counts."""
    manager = FilterManager(base.win, base.cam)
    quad = manager.render_scene_into(colortex=Texture("scene"))
    assert quad is not None
    quad.set_color(1, 1, 1, 1)
    with picture_of(base, flat, "visible") as picture:
        step(base)
        card = picture.card(2.0)
        card.reparent_to(stage)
        assert flat.draws_in(base, 3) == 3
        card.hide()
        flat.card.set_color(0, 1, 0, 1)
        assert flat.draws_in(base, 3) == 0
        card.show()
        assert rgb(screenshot(base))[128, 128].tolist() == [0, 255, 0]
        card.remove_node()
    manager.cleanup()
    quad.remove_node()
    manager.ignore_all()


@pytest.mark.profiles
@pytest.mark.threads
def test_pictures_in_pictures(base: Any, stage: NodePath) -> None:
    """Each is drawn where something shows one that shows it: whichever was made first, and in the frame."""
    inner, outer = FlatScene((1, 0, 0, 1)), FlatScene((0, 0, 1, 1))
    for first_is_inner in (True, False):
        made = [
            picture_of(base, scene, "visible") for scene in (inner, outer)[:: 1 if first_is_inner else -1]
        ]
        inside, around = made[:: 1 if first_is_inner else -1]
        inside.card().reparent_to(outer.root)
        card = around.card()
        card.reparent_to(stage)
        assert (inner.draws_in(base, 3), outer.draws_in(base, 3)) == (3, 3)
        card.hide()
        assert (inner.draws_in(base, 3), outer.draws_in(base, 3)) == (0, 0)
        card.show()
        assert inner.draws_in(base, 1) == 1
        for picture in made:
            picture.destroy()
        card.remove_node()
        outer.root.find("rtstamp-picture").remove_node()


@pytest.mark.profiles
@pytest.mark.threads
def test_two_pictures_that_show_but_each_other(base: Any) -> None:
    """Nobody sees either."""
    left, right = FlatScene(), FlatScene()
    with picture_of(base, left, "visible") as one, picture_of(base, right, "visible") as two:
        one.card().reparent_to(right.root)
        two.card().reparent_to(left.root)
        assert (left.draws_in(base, 3), right.draws_in(base, 3)) == (0, 0)
        two.queue_update()
        assert left.draws_in(base, 1) == 1


@pytest.mark.profiles
def test_uses_that_are_not_known(base: Any, flat: FlatScene, stage: NodePath) -> None:
    """By the texture alone: from the frame after on, until the frame after the last use."""
    with picture_of(base, flat, "visible") as picture:
        node = flat_card(stage, 1)
        node.set_texture(picture.texture)
        node.hide()
        assert flat.draws_in(base, 3) == 0
        node.show()
        assert flat.draws_in(base, 1) == 0
        assert flat.draws_in(base, 3) == 3
        node.hide()
        assert flat.draws_in(base, 1) == 1
        assert flat.draws_in(base, 3) == 0


@pytest.mark.profiles
def test_reading_is_no_use(base: Any, flat: FlatScene, stage: NodePath) -> None:
    with picture_of(base, flat, "visible") as picture:
        card = picture.card()
        card.reparent_to(stage)
        step(base, 2)
        card.hide()
        assert picture.texture is not None
        step(base)
        for read in (picture.image, picture.image_async, picture.array):
            read()
            assert flat.draws_in(base, 3) == 0
        card.remove_node()


@pytest.mark.threads
def test_under_threads_the_texture_counts_as_shown(base: Any, flat: FlatScene) -> None:
    """Where there is no account of what a frame used."""
    with picture_of(base, flat, "visible") as picture:
        assert flat.draws_in(base, 3) == 0
        assert picture.shown_by(base.render.attach_new_node("mine")) is not None
        assert flat.draws_in(base, 3) == 0
        assert picture.texture is not None
        assert flat.draws_in(base, 3) == 3
        base.render.find("mine").remove_node()


@pytest.mark.profiles
@pytest.mark.threads
def test_a_visible_picture_on_request(base: Any, flat: FlatScene) -> None:
    """Though nobody sees it."""
    with picture_of(base, flat, "visible") as picture:
        assert flat.draws_in(base, 3) == 0
        picture.queue_update()
        assert flat.draws_in(base, 3) == 1
        assert shows(picture, RED)


@pytest.mark.threads
@pytest.mark.profiles
def test_reading_draws_no_picture(base: Any, flat: FlatScene) -> None:
    """Not even where frames are drawn for it."""
    with picture_of(base, flat, "always") as picture:
        step(base, 2)
        settle(base)
        assert flat.draws_in(base, 1, lambda number: [image_of(picture) for _ in range(3)]) == 1
