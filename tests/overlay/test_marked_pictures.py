"""Marks on what a render picture shows are in it in the frame of the hit, behind filters too."""

from typing import Any, cast

import numpy as np
import pytest
from direct.filter.FilterManager import FilterManager

from panda_rtstamp.overlay.picture import RenderPicture
from picture_support import FlatScene
from pictures import stamps_on
from support import frames_behind, step

pytestmark = [pytest.mark.profiles, pytest.mark.threads]


@pytest.mark.parametrize("filtered", [False, True])
def test_the_mark_is_there_at_once(base: Any, filtered: bool) -> None:
    flat = FlatScene()
    with RenderPicture(base, flat.root, flat.camera, size=64, update="always") as picture:
        assert picture.buffer is not None
        manager = FilterManager(picture.buffer, cast("Any", picture.camera)) if filtered else None
        if manager is not None:
            manager.render_scene_into()
        step(base, 3 + frames_behind(base))
        before = picture.image()
        assert before is not None
        with stamps_on(base, auto_fade=False) as stamps:
            stamps.warm_up(1)
            step(base, 2 + frames_behind(base))
            hit = stamps.hit(flat.card, (0.0, 0.0, 0.0), other=flat.card, radius=0.5, color=(1.0, 0.0, 0.0))
            assert hit is not None
            step(base, 1 + frames_behind(base))
            marked = picture.image()
            assert marked is not None
            assert not np.array_equal(marked[32, 32], before[32, 32])
            assert np.array_equal(marked[2, 2], before[2, 2])
        if manager is not None:
            manager.cleanup()
