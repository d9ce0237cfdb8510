"""RenderPicture: what it refuses, and what it leaves behind."""

import gc
import weakref
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from panda3d.core import (
    ATS_none,
    Filename,
    LVecBase4f,
    NodePath,
    Texture,
    TextureAttrib,
    TransparencyAttrib,
)
from PIL import Image

from panda_rtstamp.core.capabilities import Capabilities
from panda_rtstamp.errors import ConfigError
from panda_rtstamp.overlay.picture import RenderPicture
from picture_support import FlatScene, flat_camera, image_of, settle, show_flat
from pictures import assert_same_scene, flat_card, rgb, snapshot
from support import NotifyLog, screenshot, step

# What it refuses.


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"size": 0}, "size must be a whole number, or a pair of them, 1 to 16384, got 0"),
        ({"size": (16, 20000)}, "size must be .*, got 20000"),
        ({"size": (16,)}, "size must be .*, got"),
        ({"size": "16"}, "size must be .*, got"),
        ({"size": None}, "size must be .*, got None"),
        ({"size": {8, 9}}, "size must be .*, got {8, 9}"),
        ({"size": b"ab"}, "size must be .*, got b'ab'"),
        ({"size": 16.5}, "size must be .*, got 16.5"),
        ({"format": "rgb8"}, "format must be one of rgba8, rgba16f, rgba32f, r11g11b10f, got 'rgb8'"),
        ({"format": None}, "format must be"),
        ({"update": "sometimes"}, "update must be one of visible, manual, always, got 'sometimes'"),
        ({"samples": 3}, "samples must be 0, 2, 4, 8 or 16, got 3"),
        ({"samples": True}, "samples must be"),
        ({"background": (0, 0, 0, 2)}, "background must be"),
        ({"background": "red"}, "background must be"),
        ({"sort": -1000}, "sort must be a whole number, -100000 to -1001, or None, got -1000"),
        (
            {"format": "r11g11b10f", "background": (0, 0, 0, 0)},
            "background must be opaque in r11g11b10f, which has no alpha: take rgba8, rgba16f or rgba32f",
        ),
    ],
)
def test_bad_options(base: Any, options: dict[str, Any], message: str) -> None:
    flat = FlatScene()
    found = snapshot(flat.root)
    with pytest.raises(ConfigError, match=message):
        RenderPicture(base, flat.root, flat.camera, **options)
    assert_same_scene(snapshot(flat.root), found)


def test_bad_scenes_and_cameras(base: Any) -> None:
    flat = FlatScene()
    cases: list[tuple[Any, Any, str]] = [
        (None, flat.camera, "scene must be a NodePath"),
        (NodePath(), flat.camera, "scene must be a NodePath that is not empty"),
        (flat.root, None, "camera must be a NodePath"),
        (flat.root, NodePath(), "camera must be a NodePath that is not empty"),
        (flat.root, flat.card, "camera must be the NodePath of a Camera"),
    ]
    for scene, camera, message in cases:
        with pytest.raises(ConfigError, match=message):
            RenderPicture(base, scene, camera)
    with pytest.raises(ConfigError, match="base must be a ShowBase"):
        RenderPicture(None, flat.root, flat.camera)
    assert base.camNode.get_scene().is_empty()


def test_bad_arguments(base: Any, scene: NodePath) -> None:
    flat = FlatScene()
    found = snapshot(scene)
    with RenderPicture(base, flat.root, flat.camera, size=16) as picture:
        bad: Any = None
        number: Any = 3
        for call, message in (
            (lambda: picture.card(0), "width must be"),
            (lambda: picture.card(bad), "width must be"),
            (lambda: picture.onscreen_image(parent=NodePath()), "parent must be"),
            (lambda: picture.onscreen_image(pos=(0, 0)), "pos must be three finite numbers"),
            (lambda: picture.onscreen_image(scale=-1), "scale must be"),
            (lambda: picture.apply_to(bad), "node must be"),
            (lambda: picture.apply_to(scene, number), "stage must be a TextureStage or None, got int"),
            (lambda: picture.shown_by(bad), "node must be"),
            (lambda: picture.release(bad), "node must be"),
        ):
            with pytest.raises(ConfigError, match=message):
                call()
        assert_same_scene(snapshot(scene), found)


# What it leaves behind.


@pytest.mark.profiles
@pytest.mark.threads
def test_destroy_gives_everything_back(base: Any, scene: NodePath) -> None:
    """Nodes as they were found, the camera too; a node that was changed meanwhile keeps what is new."""
    root, camera = NodePath("root"), NodePath("elsewhere").attach_new_node(flat_camera())
    plain, textured = flat_card(scene, 1), flat_card(scene, 1)
    textured.set_texture(Texture("mine"), 3)
    textured.set_transparency(TransparencyAttrib.M_binary)
    changed = flat_card(scene, 1)
    found = snapshot(scene)
    picture = RenderPicture(base, root, camera, size=16, update="always")
    for node in (plain, textured, changed):
        picture.apply_to(node)
    picture.apply_to(plain)
    picture.shown_by(scene)
    assert camera.node().get_scene().is_empty()
    step(base, 3)
    newer = Texture("newer")
    changed.set_texture(newer, 2)
    picture.destroy()
    picture.destroy()
    assert camera.get_stashed_children().is_empty()
    assert changed.get_texture() == newer
    assert not changed.has_transparency()
    changed.set_state(changed.get_state().remove_attrib(TextureAttrib.get_class_slot()))
    assert_same_scene(snapshot(scene), found)
    assert picture.buffer is None
    assert picture.queue_update().result() is False
    assert not picture.update_queued


@pytest.mark.profiles
def test_textures_of_the_game_keep_its_setting(base: Any, tmp_path: Path) -> None:
    """Also in the frame after a picture was made."""
    Image.new("RGB", (100, 70)).save(tmp_path / "texture.png")
    flat = FlatScene()
    with RenderPicture(base, flat.root, flat.camera, size=16):
        step(base)
        path = Filename.from_os_specific(str(tmp_path / "texture.png"))
        assert base.loader.load_texture(path).get_x_size() == 64


@pytest.mark.profiles
def test_cards_of_a_destroyed_picture_show_nothing(base: Any, scene: NodePath) -> None:
    show_flat(base)
    before = screenshot(base)
    flat = FlatScene((1, 0, 0, 1))
    picture = RenderPicture(base, flat.root, flat.camera, size=16)
    picture.card(2.0).reparent_to(scene)
    assert rgb(screenshot(base, frames=3))[128, 128].tolist() == [255, 0, 0]
    held = picture.texture
    picture.destroy()
    assert (screenshot(base, frames=2) == before).all()
    # By itself, and not as the driver's memory happens to be.
    assert held.get_clear_color() == LVecBase4f(0)
    assert held.has_clear_color()


@pytest.mark.profiles
@pytest.mark.threads
def test_pictures_that_come_and_go(base: Any, scene: NodePath) -> None:
    """Twenty times, drawn and not: no window, task, callback or setting is left, nor the picture itself."""
    flat = FlatScene()
    windows = base.graphics_engine.get_num_windows()
    held = []
    for number in range(20):
        picture = RenderPicture(base, flat.root, flat.camera, size=8 + number, update="always")
        picture.card().reparent_to(scene)
        assert picture.updated is not None
        step(base, number % 4)
        held.append(weakref.ref(picture))
        picture.destroy()
        del picture
        scene.get_children().detach()
    settle(base)
    gc.collect()
    assert not [each for each in held if each() is not None]
    assert base.graphics_engine.get_num_windows() == windows
    assert not Texture.has_textures_power_2()
    assert flat.camera.node().get_num_display_regions() == 0
    assert not [child for child in flat.root.children if child.name.startswith("rtstamp")]


@pytest.mark.profiles
@pytest.mark.threads
def test_the_setting_of_sizes_is_as_the_game_has_it(base: Any) -> None:
    """Though two pictures of any size are made at once."""
    flat = FlatScene((0, 1, 0, 1))
    Texture.set_textures_power_2(ATS_none)
    Texture.set_textures_power_2(before := Texture.get_textures_power_2())
    try:
        with RenderPicture(base, flat.root, flat.camera, size=(9, 17), update="always") as first:
            step(base)
            with RenderPicture(base, flat.root, flat.camera, size=(33, 5), update="always") as second:
                step(base, 8)
                assert Texture.get_textures_power_2() == before
                assert image_of(first).shape == (17, 9, 4)
                for picture in (first, second):
                    assert picture.texture.get_pad_x_size() == picture.texture.get_pad_y_size() == 0
                    assert (image_of(picture) == (0, 255, 0, 255)).all()
    finally:
        Texture.set_textures_power_2(4)


def test_a_size_that_the_driver_does_not_draw(
    base: Any, notify: NotifyLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The picture stays empty, with one warning."""
    notify.allow("33 x 16 rgba8 buffer: the driver draws up to 32; a render picture stays empty")
    small = replace(Capabilities.of(base.win.get_gsg()), max_texture_size=32)
    monkeypatch.setattr(Capabilities, "of", lambda gsg: small)
    flat = FlatScene()
    with RenderPicture(base, flat.root, flat.camera, size=(33, 16), update="always") as picture:
        step(base, 3)
        assert picture.buffer is None
        assert not Texture.has_textures_power_2()
        notify.allow("gives no image: there is no window that can draw it")
        assert picture.image() is picture.image_async().result() is None
        future = picture.queue_update()
        step(base)
        assert future.result() is False
        assert not picture.update_queued


@pytest.mark.profiles
def test_a_user_s_node_that_is_destroyed(base: Any, scene: NodePath) -> None:
    """Cards, cameras and scenes that go: no error, and nothing is drawn for them."""
    flat = FlatScene()
    with RenderPicture(base, flat.root, flat.camera, size=16) as picture:
        card = picture.card()
        card.reparent_to(scene)
        node = flat_card(scene, 1)
        picture.apply_to(node)
        step(base, 2)
        card.remove_node()
        node.remove_node()
        assert flat.draws_in(base, 3) == 0
        flat.camera.remove_node()
        flat.root.remove_node()
        picture.queue_update()
        step(base, 2)
