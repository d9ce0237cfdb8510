"""A coat with the other systems: marks cut and burn it, clips clip it, and it is no surface to be marked."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from panda3d.core import GeomNode, NodePath, Texture

from fur_support import ONE, area, shells_of, white_sphere
from mask_support import inputs_of, released, texture_of
from panda_rtstamp.core.layers import state_without
from panda_rtstamp.fur.coat import FurCoat
from panda_rtstamp.fur.config import FurConfig
from panda_rtstamp.vision.clipping import Clip
from pictures import assert_same_scene, snapshot, stamps_on
from shapes import grid_faces, make_geom, make_node
from support import screenshot, step

pytestmark = pytest.mark.profiles


def marks_of(masks: NDArray[Any]) -> Texture:
    """Marks without a colour, of these masks, row 0 at v = 0."""
    texture = Texture("marks")
    texture.setup_2d_texture(masks.shape[1], masks.shape[0], Texture.T_unsigned_byte, Texture.F_rgba)
    texels = np.zeros((*masks.shape, 4), np.uint8)
    texels[..., 3] = np.rint(masks * 255)
    texture.set_ram_image(texels.tobytes())
    texture.set_magfilter(Texture.FT_nearest)
    texture.set_minfilter(Texture.FT_nearest)
    return texture


def card_with_marks(base: Any, scene: NodePath, column: str = "rtstamp_uv") -> NodePath:
    """A white card of 2 x 2 that faces the camera, half of it is in each half of the picture."""
    white_sphere(base, scene).remove_node()
    u, v = (part.ravel() for part in np.meshgrid(np.linspace(0, 1, 9), np.linspace(0, 1, 9)))
    uvs = [u, v, np.ones(81)] if column == "rtstamp_uv" else [u, v]
    columns = {
        "vertex": np.stack([2 * u - 1, 0 * u, 2 * v - 1], axis=1),
        "normal": np.tile((0.0, -1.0, 0.0), (81, 1)),
        "texcoord": np.stack([u, v], axis=1),
    }
    columns[column] = np.stack(uvs, axis=1)
    card = make_node("card", make_geom(columns, grid_faces(8, 8)))
    card.reparent_to(scene)
    return card


@pytest.mark.parametrize("column", ["rtstamp_uv", "texcoord"])
def test_marks_cut_strands_off(base: Any, scene: NodePath, column: str) -> None:
    card = card_with_marks(base, scene, column)
    bare = screenshot(base)
    with FurCoat(card, FurConfig(parent=ONE, color=(1, 0, 0))) as coat:
        furry = screenshot(base)
        coat.set_marks(marks_of(np.array([[1.0, 0.0]])), column=column, burn=0.0)
        cut = screenshot(base)
        assert (cut[:, :126] == bare[:, :126]).all()
        assert (cut[:, 130:] == furry[:, 130:]).all()
        coat.set_marks(None)
        assert (screenshot(base) == furry).all()


def test_marks_shorten_strands(base: Any, scene: NodePath) -> None:
    """Length x (1 - mask): seen from the side, fur of 12 layers is as high as what is left of them."""
    card = card_with_marks(base, scene)
    base.cam.set_pos_hpr(base.render, (-10, 0, 0), (-90, 0, 0))
    with FurCoat(card, FurConfig(parent=ONE, length=0.4, limits=(12,))) as coat:
        card.set_h(3)  # so that layers are seen at all
        whole = area(screenshot(base))
        coat.set_marks(marks_of(np.full((1, 1), 0.5)), burn=0.0)
        half = area(screenshot(base))
        coat.set_marks(marks_of(np.full((1, 1), 0.5)), cut=0.0, burn=0.0)
        assert (area(screenshot(base))) == whole
    edge = area(screenshot(base))
    assert half - edge == pytest.approx((whole - edge) / 2, rel=0.1)


def test_marks_burn(base: Any, scene: NodePath) -> None:
    card = card_with_marks(base, scene)
    with FurCoat(card, ONE) as coat:
        coat.set_marks(marks_of(np.array([[1.0, 0.0]])), cut=0.0, burn=0.8)
        picture = screenshot(base)
    # What is seen is the middle of the outermost of 12 layers.
    assert picture[128, 64, :3] == pytest.approx([255 * (1 - 0.8 * 23 / 24)] * 3, abs=1)
    assert picture[128, 192, :3].tolist() == [255] * 3


def test_inputs_of_marks_are_handed_on(base: Any, scene: NodePath) -> None:
    card = card_with_marks(base, scene)
    with FurCoat(card, ONE) as coat:
        furry = screenshot(base)
        coat.set_marks(marks_of(np.ones((1, 1))), inputs={"rtstamp_live": 0.0})
        assert (screenshot(base) == furry).all()


@pytest.mark.threads
def test_a_stamp_cuts_the_coat(base: Any, scene: NodePath) -> None:
    card = card_with_marks(base, scene)
    bare = screenshot(base)
    with FurCoat(card, FurConfig(parent=ONE, color=(1, 0, 0))) as coat, stamps_on(base) as stamps:
        furry = screenshot(base)
        # What hangs below a model as its coat is no surface of its own.
        binding = stamps.hit(card, (0, 0, 0), radius=0.5, hardness=0.9, color=(1, 1, 1))
        assert binding is not None
        step(base, 2)
        coat.set_marks(binding.temp)
        picture = screenshot(base)
        assert (picture[126:130, 126:130] == bare[126:130, 126:130]).all()
        assert (picture[:, :64] == furry[:, :64]).all()


@pytest.mark.parametrize("coat_first", [True, False])
def test_a_clip_clips_the_coat(base: Any, scene: NodePath, coat_first: bool) -> None:
    card = card_with_marks(base, scene)
    found = snapshot(scene)
    config = FurConfig(parent=ONE, color=(1, 0, 0))
    with FurCoat(card, config):
        furry = screenshot(base)
    # By X alone: the left half is seen.
    inputs = inputs_of(texture_of(np.array([[1.0, 0.0]])), (0.0, 0.0, 2.0, 2.0))
    inputs.texture.set_magfilter(Texture.FT_nearest)
    if coat_first:
        coat = FurCoat(card, config)
    with released(Clip(card, inputs)) as clip:
        if not coat_first:
            coat = FurCoat(card, config)
        clip.update()
        picture = screenshot(base)
        assert (picture[:, :127] == furry[:, :127]).all()
        assert not picture[:, 129:, :3].any()
        coat.refresh()
        clip.update()
        assert (screenshot(base) == picture).all()
        (shell,) = (path.node() for path in shells_of(card))
        assert isinstance(shell, GeomNode)
        assert state_without(shell, 0) != shell.get_geom_state(0)
    assert (screenshot(base) == furry).all()
    coat.destroy()
    step(base)
    assert_same_scene(snapshot(scene), found)
