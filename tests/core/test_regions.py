"""Regions of the window that go while a game runs."""

from typing import Any

import pytest
from panda3d.core import Camera, NodePath

from panda_rtstamp.core.context import Context
from panda_rtstamp.core.regions import remove_regions
from support import PROFILE, frames_behind, step

pytestmark = [pytest.mark.profiles, pytest.mark.threads]

FRAMES_IN_FLIGHT = 4


def test_gone_when_nobody_draws_them(base: Any) -> None:
    context = Context(base)
    count = base.win.get_num_display_regions()
    regions = [base.win.make_display_region() for _ in range(3)]
    for region in regions:
        region.set_sort(9)
    step(base)
    remove_regions(context, regions)
    assert not any(region.is_active() for region in regions)
    assert {region.get_sort() for region in regions} == {0}
    step(base, FRAMES_IN_FLIGHT + 1 if frames_behind(base) else 0)
    assert base.win.get_num_display_regions() == count


@pytest.mark.skipif(PROFILE != "threads", reason="only where threads draw")
def test_auto_flip_keeps_them_without_their_scene(base: Any) -> None:
    camera = NodePath(Camera("camera"))
    count = base.win.get_num_display_regions()
    region = base.win.make_display_region()
    region.set_camera(camera)
    base.graphics_engine.set_auto_flip(True)
    remove_regions(Context(base), [region])
    step(base, FRAMES_IN_FLIGHT + 1)
    assert base.win.get_num_display_regions() == count + 1
    assert not region.is_active()
    assert region.get_camera().is_empty()
    base.graphics_engine.set_auto_flip(False)
    remove_regions(Context(base), [region])
    step(base, FRAMES_IN_FLIGHT + 1)
    assert base.win.get_num_display_regions() == count
