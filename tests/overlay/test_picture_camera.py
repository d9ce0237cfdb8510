"""RenderPicture: the camera that it is seen by, of which nothing is changed."""

from typing import Any

import pytest
from panda3d.core import (
    BitMask32,
    BoundingSphere,
    Camera,
    ColorAttrib,
    NodePath,
    PerspectiveLens,
    RenderState,
)

from panda_rtstamp.overlay.picture import RenderPicture
from picture_support import FlatScene, flat_camera, image_of, settle, show_flat
from pictures import flat_card, rgb
from support import NotifyLog, screenshot, step


@pytest.mark.profiles
@pytest.mark.threads
def test_one_camera_of_several_scenes(base: Any) -> None:
    """Nothing of it is changed, and copies of it are only that."""
    camera = NodePath("elsewhere").attach_new_node(flat_camera())
    red, green = FlatScene((1, 0, 0, 1)), FlatScene((0, 1, 0, 1))
    pictures = [
        RenderPicture(base, scene.root, camera, size=16, update="always") for scene in (red, green, green)
    ]
    step(base, 3)
    settle(base)
    for picture, color in zip(pictures, ((255, 0, 0, 255), *2 * [(0, 255, 0, 255)]), strict=True):
        assert (image_of(picture) == color).all()
    node: Camera = camera.node()
    assert node.get_scene().is_empty()
    assert node.get_num_display_regions() == 0
    assert not camera.children
    copy = camera.copy_to(NodePath("copies"))
    assert copy.get_stashed_children().is_empty()
    for picture in pictures:
        picture.destroy()
    assert camera.get_stashed_children().is_empty()


@pytest.mark.profiles
@pytest.mark.threads
def test_a_camera_that_is_changed(base: Any) -> None:
    """Its lens, mask, state and bounds are followed."""
    flat = FlatScene((1, 0, 0, 1))
    node: Camera = flat.camera.node()
    with RenderPicture(base, flat.root, flat.camera, size=16, update="always") as picture:

        def color() -> list[int]:
            step(base, 2)
            settle(base)
            middle: list[int] = image_of(picture)[8, 8].tolist()
            return middle

        assert color() == [255, 0, 0, 255]
        flat.camera.set_x(50)
        assert color() == [0, 0, 0, 0]
        flat.camera.set_x(0)
        lens = node.get_lens()
        node.set_lens(PerspectiveLens())
        node.get_lens().set_near(5)
        assert color() == [0, 0, 0, 0]
        node.set_lens(lens)
        assert color() == [255, 0, 0, 255]
        node.set_initial_state(RenderState.make(ColorAttrib.make_flat((0, 1, 0, 1)), 10))
        assert color() == [0, 255, 0, 255]
        node.set_initial_state(RenderState.make_empty())
        mask = node.get_camera_mask()
        node.set_camera_mask(BitMask32.bit(3))
        flat.card.hide(BitMask32.bit(3))
        assert color() == [0, 0, 0, 0]
        node.set_camera_mask(mask)
        assert color() == [255, 0, 0, 255]
        node.set_cull_bounds(BoundingSphere((50, 0, 0), 1))
        assert color() == [0, 0, 0, 0]


@pytest.mark.profiles
@pytest.mark.threads
def test_a_camera_that_is_not_active(base: Any, notify: NotifyLog) -> None:
    """Nothing is drawn, and what is queued waits for it."""
    flat = FlatScene((1, 0, 0, 1))
    node: Camera = flat.camera.node()
    node.set_active(False)
    with RenderPicture(base, flat.root, flat.camera, size=16, update="manual") as picture:
        future = picture.queue_update()
        step(base, 6)
        assert picture.update_queued
        assert not future.done()
        notify.allow("gives no image: it was never drawn")
        assert picture.image() is None
        node.set_active(True)
        step(base, 6)
        assert future.result() is True
        assert (image_of(picture) == (255, 0, 0, 255)).all()
        node.set_active(False)
        flat.card.set_color(0, 1, 0, 1)
        future = picture.queue_update()
        assert flat.draws_in(base, 6) == 0
        assert not future.done()
    assert future.result() is False


@pytest.mark.profiles
@pytest.mark.threads
def test_the_main_camera(base: Any, scene: NodePath) -> None:
    """A picture of what the window shows, by the same camera."""
    show_flat(base)
    flat_card(scene, 1, (1, 0, 0, 1))
    with RenderPicture(base, base.render, base.cam, size=256, update="always") as picture:
        step(base, 2)
        settle(base)
        assert base.camNode.get_scene().is_empty()
        image = image_of(picture)
    window = screenshot(base)
    assert (image[64:192, 64:192] == (255, 0, 0, 255)).all()
    assert not image[:60].any()
    assert (rgb(image)[64:192, 64:192] == rgb(window)[64:192, 64:192]).all()


@pytest.mark.profiles
def test_a_part_of_a_scene(base: Any, scene: NodePath) -> None:
    """By a camera that hangs elsewhere: nothing but that part, without states from above it."""
    part = scene.attach_new_node("part")
    flat_card(part, 1, (1, 0, 0, 1))
    flat_card(scene, 4, (0, 0, 1, 1))
    scene.set_color_scale(0, 1, 1, 1)
    camera = scene.attach_new_node(flat_camera())
    with RenderPicture(base, part, camera, size=16, update="manual") as picture:
        picture.queue_update()
        step(base)
        image = image_of(picture)
        assert (image[5:11, 5:11] == (255, 0, 0, 255)).all()
        assert not image[:3].any()
