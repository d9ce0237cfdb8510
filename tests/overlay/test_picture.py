"""RenderPicture: colours that go in, and how they come out: read and saved."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from panda3d.core import (
    ClockObject,
    Filename,
    PfmFile,
    SamplerState,
)
from PIL import Image

from panda_rtstamp.errors import ConfigError, StoreError
from panda_rtstamp.overlay.picture import RenderPicture
from picture_support import FORMATS, HALF_RED, FlatScene, drawn, exactly, image_of
from pictures import flat_card
from support import NotifyLog, compare_images, prc, step

# What the texture holds.


@pytest.mark.profiles
@pytest.mark.threads
@pytest.mark.parametrize("samples", [0, 4])
@pytest.mark.parametrize("format", FORMATS)
def test_alpha_is_kept(base: Any, format: str, samples: int) -> None:
    """Red at alpha 0.5 over nothing: premultiplied. Beside it, nothing; also where samples are resolved."""
    scene = FlatScene(HALF_RED)
    scene.card.set_sx(0.5)
    with drawn(base, scene, format=format, samples=samples) as picture:
        image = image_of(picture)
        assert image.shape == (16, 16, 4)
        assert image.dtype == np.uint8
        assert np.abs(image[:, 5:11].astype(int) - (128, 0, 0, 128)).max() <= 1
        assert not image[:, :3].any()
        assert not image[:, 13:].any()


@pytest.mark.profiles
@pytest.mark.threads
@pytest.mark.parametrize("update", ["manual", "always"])
@pytest.mark.parametrize("samples", [0, 4])
def test_samples_smooth_edges(base: Any, update: str, samples: int) -> None:
    """Of a scene that asks for no antialiasing, whoever listens: there are texels between all and nothing."""
    scene = FlatScene((1, 0, 0, 1))
    scene.card.set_r(20)
    scene.card.set_scale(0.4)
    with drawn(base, scene, samples=samples, update=update) as picture:
        for _ in range(3):
            reds = len(np.unique(image_of(picture)[..., 0]))
            assert reds > 3 if samples else reds == 2
            assert picture.updated is not None
            picture.queue_update()
            step(base)


@pytest.mark.profiles
@pytest.mark.threads
def test_what_is_near_hides_what_is_far(base: Any) -> None:
    """Though that is drawn later."""
    scene = FlatScene((1, 0, 0, 1))
    scene.card.set_bin("fixed", 0)
    far = flat_card(scene.root, 2, (0, 0, 1, 1))
    far.set_y(1)
    far.set_bin("fixed", 1)
    with drawn(base, scene) as picture:
        assert (image_of(picture) == (255, 0, 0, 255)).all()


@pytest.mark.profiles
def test_the_texture_does_not_repeat_and_has_no_mip_maps(base: Any) -> None:
    """Whatever the game sets for its own; nor is anything drawn before it is loaded."""
    scene = FlatScene()
    with prc("texture-minfilter mipmap"), drawn(base, scene) as picture:
        texture = picture.texture
        assert texture.get_effective_minfilter() == SamplerState.FT_linear
        assert picture.buffer is not None
        assert not picture.buffer.get_active_display_region(0).get_incomplete_render()
        assert texture.get_wrap_u() == texture.get_wrap_v() == SamplerState.WM_clamp


@pytest.mark.profiles
@pytest.mark.parametrize("samples", [0, 4])
def test_a_format_without_alpha(base: Any, samples: int) -> None:
    scene = FlatScene((0.25, 0.5, 0.75, 1.0))
    scene.card.set_sx(0.5)
    with drawn(base, scene, format="r11g11b10f", samples=samples, background=(1, 0, 0)) as picture:
        array = picture.array()
        assert array is not None
        assert array.shape == (16, 16, 3)
        # 6 bits of mantissa, 5 for blue; these have fewer.
        assert np.array_equal(array[8, 8], (0.25, 0.5, 0.75))
        assert np.array_equal(array[8, 0], (1.0, 0.0, 0.0))
        assert (image_of(picture)[..., 3] == 255).all()


@pytest.mark.profiles
def test_values_above_one(base: Any) -> None:
    scene = FlatScene()
    scene.card.set_shader(exactly(2.0, 1.0, 0.5, 1.0))
    with drawn(base, scene, format="rgba16f") as picture:
        array = picture.array()
        assert array is not None
        assert array.dtype == np.float32
        assert np.abs(array - (2.0, 1.0, 0.5, 1.0)).max() < 1e-3
        assert (image_of(picture) == (255, 255, 128, 255)).all()
        gamma = picture.image(2.2)
        assert gamma is not None
        assert (gamma == (255, 255, 186, 255)).all()


@pytest.mark.profiles
@pytest.mark.threads
def test_sizes_and_which_way_is_up(base: Any) -> None:
    """Of no power of two. A card in the upper left quarter."""
    scene = FlatScene((0, 1, 0, 1))
    scene.card.set_scale(0.5)
    scene.card.set_pos(-0.5, 0, 0.5)
    with drawn(base, scene, size=(30, 20)) as picture:
        assert picture.size == (30, 20)
        expected = np.zeros((20, 30, 4), np.uint8)
        expected[:10, :15] = (0, 255, 0, 255)
        compare_images(image_of(picture), expected, 0, "picture-up")
        future = picture.image_async()
        step(base, 12)
        compare_images(future.result(), expected, 0, "picture-up-async")


@pytest.mark.profiles
@pytest.mark.parametrize("background", [(0.2, 0.4, 0.6), (1.0, 0.0, 0.0, 0.5)])
def test_a_background(base: Any, background: tuple[float, ...]) -> None:
    """It is given as it looks; the texture has it premultiplied."""
    scene = FlatScene()
    scene.card.hide()
    straight = np.array([*background, 1.0][:4])
    with drawn(base, scene, background=background) as picture:
        expected = np.floor(straight * [*3 * [straight[3]], 1.0] * 255 + 0.5)
        assert np.abs(image_of(picture) - expected).max() <= 1


@pytest.mark.profiles
@pytest.mark.threads
@pytest.mark.parametrize("samples", [0, 4])
@pytest.mark.parametrize("format", [*FORMATS, "r11g11b10f"])
def test_reading_later_gives_the_same(base: Any, format: str, samples: int) -> None:
    """In every format, and nobody waits: no frame is drawn for it."""
    scene = FlatScene((0.2, 0.4, 0.8, 0.5))
    scene.card.set_scale(0.5)
    scene.card.set_pos(-0.5, 0, 0.5)
    with drawn(base, scene, format=format, samples=samples, size=(24, 12)) as picture:
        clock = ClockObject.get_global_clock()
        before = clock.get_frame_count()
        plain, bright = picture.image_async(), picture.image_async(gamma=2.2)
        assert not plain.done()
        assert clock.get_frame_count() == before
        step(base, 12)
        assert image_of(picture)[2, 2].any()
        assert not image_of(picture)[9:, :, :3].any()
        assert np.array_equal(plain.result(), image_of(picture))
        assert (bright.result() == picture.image(gamma=2.2)).all()


# Gamma.


@pytest.mark.profiles
def test_gamma_of_pictures(base: Any) -> None:
    """The same numbers, drawn."""
    scene = FlatScene((0.5, 0.5, 0.5, 1))
    with drawn(base, scene) as picture:
        assert (image_of(picture) == (128, 128, 128, 255)).all()
        bright = picture.image(gamma=2.2)
        assert bright is not None
        assert (bright == (186, 186, 186, 255)).all()
    scene = FlatScene()
    scene.card.set_shader(exactly(0.0031308, 1.7, 0.0, 1.0))
    with drawn(base, scene, format="rgba16f") as picture:
        bright = picture.image(gamma=2.2)
        assert bright is not None
        assert (bright == (19, 255, 0, 255)).all()
    with drawn(base, FlatScene(HALF_RED), format="rgba16f") as picture:
        bright = picture.image(gamma=2.2)
        assert bright is not None
        assert (bright == (128, 0, 0, 128)).all()


@pytest.mark.parametrize("gamma", [0, -1, float("nan"), float("inf"), "2", None, True])
def test_no_gamma(base: Any, gamma: Any) -> None:
    with drawn(base, FlatScene()) as picture:
        for call in (picture.image, picture.image_async):
            with pytest.raises(ConfigError, match="gamma must be a number > 0, got"):
                call(gamma)


# Files.


def test_png_and_tiff_have_straight_alpha(base: Any, tmp_path: Path) -> None:
    scene = FlatScene(HALF_RED)
    scene.card.set_sx(0.5)
    with drawn(base, scene) as picture:
        for name in ("picture.png", "picture.tiff", "picture.TIF"):
            path = tmp_path / name
            assert picture.save(path)
            saved = np.array(Image.open(path).convert("RGBA"))
            assert (saved[:, 5:11] == (255, 0, 0, 128)).all()
            assert not saved[:, :3].any()
        assert sorted(path.name for path in tmp_path.iterdir()) == [
            "picture.TIF",
            "picture.png",
            "picture.tiff",
        ]


@pytest.mark.parametrize(("format", "channels"), [("rgba16f", 4), ("r11g11b10f", 3)])
def test_exr_has_what_the_texture_has(base: Any, tmp_path: Path, format: str, channels: int) -> None:
    scene = FlatScene()
    scene.card.set_shader(exactly(2.0, 0.25, 0.0, 0.5))
    scene.card.set_sz(0.5)
    scene.card.set_z(0.5)
    with drawn(base, scene, format=format, size=(20, 10)) as picture:
        path = Filename.from_os_specific(str(tmp_path / "picture.exr"))
        assert picture.save(path)
        saved = PfmFile()
        assert saved.read(path)
        assert (saved.get_x_size(), saved.get_y_size(), saved.get_num_channels()) == (20, 10, channels)
        array = picture.array()
        assert array is not None
        assert np.array_equal(np.asarray(saved).reshape(10, 20, channels), array)
        assert array[2, 3, 0] == 2.0


def test_paths_that_cannot_be_written(base: Any, tmp_path: Path) -> None:
    with drawn(base, FlatScene()) as picture:
        for wrong in ("picture", "picture.jpg", "", None, 3):
            with pytest.raises(ConfigError, match="path must"):
                picture.save(wrong)
        with pytest.raises(StoreError, match="cannot be saved"):
            picture.save(tmp_path / "nowhere" / "picture.png")
        path = tmp_path / "picture.png"
        path.mkdir()
        with pytest.raises(StoreError, match="cannot be saved"):
            picture.save(path)
        assert list(tmp_path.iterdir()) == [path]


# Nothing to read.


@pytest.mark.profiles
@pytest.mark.threads
def test_a_picture_that_was_never_drawn(base: Any, notify: NotifyLog, tmp_path: Path) -> None:
    """None, and the log says why, once."""
    notify.allow("a render picture gives no image: it was never drawn")
    scene = FlatScene()
    with RenderPicture(base, scene.root, scene.camera, size=16, update="manual") as picture:
        step(base, 3)
        future = picture.image_async()
        step(base)
        assert (picture.image(), picture.array(), future.result()) == (None, None, None)
        assert not picture.save(tmp_path / "picture.png")
        assert not list(tmp_path.iterdir())
        assert notify.text.count("never drawn") == 1
        # Asked for together, it is drawn first.
        future = picture.image_async()
        picture.queue_update()
        step(base, 12)
        assert (future.result() == (128, 128, 128, 255)).all()
