"""Marks of the stamp system on what is clipped are clipped with it, whichever of the two came first."""

from typing import Any

import pytest
from panda3d.core import NodePath

from mask_support import (
    RENDERERS,
    Cut,
    draw_by,
    inputs_of,
    line_mask,
    next_frame,
    released,
    tilted_card,
    without,
)
from panda_rtstamp.vision.clipping import Clip
from pictures import assert_same_scene, changed, snapshot, stamps_on
from support import screenshot, step

pytestmark = pytest.mark.profiles

# Beside the mask's edge, on both sides of it.
POINT = (0.3, 0.0)


@pytest.mark.parametrize("renderer", RENDERERS)
@pytest.mark.parametrize("display", ["overlay", "wrap"])
@pytest.mark.parametrize("clip_first", [True, False])
def test_marks(base: Any, scene: NodePath, clip_first: bool, display: str, renderer: str) -> None:
    card = tilted_card(base, scene)
    draw_by(card, renderer)
    unmarked, empty, cut = screenshot(base), without(base, card), Cut(base, card)
    found = snapshot(scene)
    with stamps_on(base, display=display) as stamps:
        hit(stamps, card)
        marked = screenshot(base, 2)
    assert (changed(marked, unmarked) & cut.shown).sum() > 500
    assert (changed(marked, unmarked) & cut.hidden).sum() > 500
    step(base, 10)
    with stamps_on(base, display=display) as stamps:
        if not clip_first:
            hit(stamps, card)
            step(base)
        with released(Clip(scene, inputs_of(line_mask()))) as clip:
            if clip_first:
                hit(stamps, card)
            step(base)
            cut.check(next_frame(base, clip), marked, empty)
            stamps.clear_all()
            cut.check(next_frame(base, clip), unmarked, empty)
            hit(stamps, card)
            step(base)
            clip.update()
        assert (screenshot(base) == marked).all()
    assert_same_scene(snapshot(scene), found)


def hit(stamps: Any, card: NodePath) -> None:
    """A green mark in the middle of the card."""
    assert stamps.hit(card, (0.3, 0.0, 0.0), radius=1.5, color=(0.0, 1.0, 0.0)) is not None
