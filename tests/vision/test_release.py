"""Consumers go without a trace, in any order, whatever was copied or flattened while they were there."""

from typing import Any

import numpy as np
import pytest
from panda3d.core import NodePath, TexMatrixAttrib, TextureStage, TransformState

from mask_support import (
    RENDERERS,
    SIZE,
    STAGED,
    WRAPPED,
    Cut,
    draw_by,
    geoms_of,
    inputs_of,
    line_mask,
    next_frame,
    released,
    texture_of,
    tilted_card,
    without,
)
from panda_rtstamp.core import layers
from panda_rtstamp.vision.clipping import Clip
from panda_rtstamp.vision.dimming import Dim
from pictures import Bytes, Floats, assert_same_scene, rgb, snapshot
from support import screenshot

pytestmark = [pytest.mark.profiles, pytest.mark.usefixtures("no_layers_left")]


@pytest.mark.parametrize("renderer", RENDERERS)
@pytest.mark.parametrize("kinds", [(Clip, Clip), (Clip, Dim), (Dim, Clip)])
def test_two_on_one_node(base: Any, scene: NodePath, kinds: Any, renderer: str) -> None:
    """Both hold; each goes by itself, whichever is first; then the other one is there as if alone."""
    card = tilted_card(base, scene)
    draw_by(card, renderer)
    right = texture_of(np.tile(np.arange(SIZE) >= SIZE // 2, (SIZE, 1)))
    masks = inputs_of(line_mask()), inputs_of(right)
    found, before, empty = snapshot(scene), screenshot(base), without(base, card)
    alone = []
    for kind, mask in zip(kinds, masks, strict=True):
        with released(kind(scene, mask)):
            alone.append(screenshot(base))
    expected = both_of(kinds, alone, before, empty)
    for first in (0, 1):
        both = [kind(scene, mask) for kind, mask in zip(kinds, masks, strict=True)]
        assert np.abs(rgb(screenshot(base)) - expected).max() <= 1.0
        both[first].release()
        assert (screenshot(base) == alone[1 - first]).all()
        both[1 - first].release()
        assert (screenshot(base) == before).all()
        assert_same_scene(snapshot(scene), found)


def both_of(kinds: Any, alone: list[Bytes], before: Bytes, empty: Bytes) -> Floats:
    """What two consumers show together: what both of them show, as dark as both of them make it."""
    lit = np.maximum(rgb(before).astype(np.float64), 1.0)
    result: Floats = rgb(before) * (rgb(alone[0]) / lit) * (rgb(alone[1]) / lit)
    for kind, picture in zip(kinds, alone, strict=True):
        if kind is Clip:
            gone = (rgb(picture) == rgb(empty)).all(axis=-1)
            result[gone] = rgb(empty)[gone]
    return result


@pytest.mark.parametrize("renderer", WRAPPED)
def test_two_dims_of_a_shader(base: Any, scene: NodePath, renderer: str) -> None:
    card = tilted_card(base, scene)
    draw_by(card, renderer)
    nothing = inputs_of(texture_of(np.zeros((SIZE, SIZE))))
    before = screenshot(base)
    with released(Dim(scene, nothing, 0.5)), released(Dim(scene, nothing, 0.5)):
        picture = screenshot(base)
    here = Cut(base, card).surface.inner(1.0)
    assert np.abs(rgb(picture) - 0.25 * rgb(before))[here].max() <= 1.0


@pytest.mark.parametrize("renderer", STAGED)
def test_of_two_dims_without_a_shader_the_last_one_counts(base: Any, scene: NodePath, renderer: str) -> None:
    card = tilted_card(base, scene)
    draw_by(card, renderer)
    nothing = inputs_of(texture_of(np.zeros((SIZE, SIZE))))
    with released(Dim(scene, nothing, 0.5)):
        expected = screenshot(base)
    with released(Dim(scene, nothing, 0.3)), released(Dim(scene, nothing, 0.5)):
        assert np.abs(rgb(screenshot(base)).astype(int) - rgb(expected)).max() <= 1


def test_nested(base: Any, scene: NodePath) -> None:
    """A clip on a node and one on a node above it: both hold."""
    card = tilted_card(base, scene)
    before, empty, cut = screenshot(base), without(base, card), Cut(base, card)
    outer = Clip(scene, inputs_of(line_mask()))
    inner = Clip(card, inputs_of(texture_of(np.zeros((SIZE, SIZE)))))
    assert (screenshot(base) == empty).all()
    inner.release()
    cut.check(screenshot(base), before, empty)
    outer.release()
    assert (screenshot(base) == before).all()


def test_the_game_s_tex_transforms(base: Any, scene: NodePath) -> None:
    """On the very node, they stand beside ours, and stay."""
    card = tilted_card(base, scene)
    transform = TransformState.make_pos((0.2, 0.0, 0.0))
    scene.set_attrib(TexMatrixAttrib.make(TextureStage.get_default(), transform), 3)
    found, before, empty = snapshot(scene), screenshot(base), without(base, card)
    with released(Clip(scene, inputs_of(line_mask()))):
        Cut(base, card).check(screenshot(base), before, empty)
        assert scene.get_tex_transform(TextureStage.get_default()) == transform
    assert_same_scene(snapshot(scene), found)


@pytest.mark.parametrize("renderer", RENDERERS)
def test_copies(base: Any, scene: NodePath, renderer: str) -> None:
    """A copy of what is clipped, that comes below the node, is clipped once, and released like the rest."""
    card = tilted_card(base, scene)
    draw_by(card, renderer)
    before, empty, cut = screenshot(base), without(base, card), Cut(base, card)
    found = geoms_of(card).get_geom_state(0)
    clip = Clip(scene, inputs_of(line_mask()))
    copy = card.copy_to(card.get_parent())
    card.remove_node()
    cut.check(next_frame(base, clip), before, empty)
    clip.release()
    assert geoms_of(copy).get_geom_state(0) == found
    assert (screenshot(base) == before).all()


@pytest.mark.parametrize("kind", [Clip, Dim])
@pytest.mark.parametrize("renderer", RENDERERS)
def test_flattening(base: Any, scene: NodePath, renderer: str, kind: Any) -> None:
    """It makes other nodes of what has layers; they end as those do that it makes of what has none."""
    card = tilted_card(base, scene)
    draw_by(card, renderer)
    card.copy_to(card.get_parent()).set_x(40.0)
    plain = scene.copy_to(scene.get_parent())
    plain.flatten_strong()
    scene.hide()
    before, empty = screenshot(base), without(base, plain)
    with released(kind(plain, inputs_of(line_mask()))):
        expected = screenshot(base)
    plain.hide()
    scene.show()
    consumer = kind(scene, inputs_of(line_mask()))
    scene.flatten_strong()
    assert (next_frame(base, consumer) == expected).all()
    assert (expected != before).any()
    consumer.release()
    assert (screenshot(base) == before).all()
    assert (before != empty).any()
    assert columns(scene) == columns(plain)
    plain.remove_node()


@pytest.mark.parametrize("renderer", RENDERERS)
def test_flattening_from_above(base: Any, scene: NodePath, renderer: str) -> None:
    """It may mix what is clipped with what is not; of the cut nothing is left in the end."""
    card = tilted_card(base, scene)
    draw_by(card, renderer)
    other = card.copy_to(card.get_parent())
    other.set_x(40.0)
    plain = scene.copy_to(scene.get_parent())
    plain.flatten_strong()
    scene.hide()
    before = screenshot(base)
    plain.remove_node()
    scene.show()
    clip = Clip(card, inputs_of(line_mask()))
    scene.flatten_strong()
    clip.update()
    clip.release()
    assert (screenshot(base) == before).all()


def test_consumers_that_come_and_go_leave_nothing(base: Any, scene: NodePath) -> None:
    """Beside one that stays."""
    card = tilted_card(base, scene)
    with released(Dim(scene, inputs_of(line_mask()))) as dim:
        kept = len(layers._originals), len(layers._layered)
        for _ in range(5):
            other = card.copy_to(scene)
            clip = Clip(other, inputs_of(line_mask()))
            dim.update()
            other.remove_node()
            del other
            dim.update()
            clip.update()
            assert not clip.alive
        assert (len(layers._originals), len(layers._layered)) == kept


def columns(node: NodePath) -> list[bytes]:
    """All vertices below a node."""
    found = [geoms_of(path) for path in node.find_all_matches("**/+GeomNode")]
    return [geoms.get_geom(0).get_vertex_data().get_array(0).get_handle().get_data() for geoms in found]


def test_release_twice(base: Any, scene: NodePath) -> None:
    card = tilted_card(base, scene)
    found = snapshot(scene)
    clip = Clip(card, inputs_of(line_mask()))
    clip.release()
    clip.release()
    assert not clip.alive
    clip.update()
    assert_same_scene(snapshot(scene), found)
