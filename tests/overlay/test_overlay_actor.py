"""A skinned model that the main scene and an overlay show: each view is what it is alone, to the bit."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from direct.actor.Actor import Actor
from panda3d.core import DirectionalLight, NodePath

from panda_rtstamp.overlay.viewport import Overlay
from pictures import Bytes, look_from
from support import PROFILE, frames_behind, screenshot, step
from walkers import set_skinning

pytestmark = [pytest.mark.profiles, pytest.mark.threads]

SKINNING = ("by Panda", "by a shader", "in a shader")
POSES = 8


@pytest.fixture
def bear(base: Any, scene: NodePath) -> Iterator[Actor]:
    """A walking bear before the main camera."""
    base.win.set_clear_color((0.2, 0.3, 0.4, 1.0))
    actor = Actor("models/panda-model", {"walk": "models/panda-walk4"})
    actor.reparent_to(scene)
    actor.set_scale(0.004)
    actor.set_h(40.0)
    look_from(base, (0.0, -12.0, 2.0), (0.0, 0.0, 1.5))
    sun = actor.attach_new_node(DirectionalLight("sun"))
    sun.set_hpr(-30.0, -40.0, 0.0)
    actor.set_light(sun)
    yield actor
    actor.cleanup()


@pytest.fixture
def shown(bear: Actor, request: pytest.FixtureRequest) -> Iterator[NodePath]:
    """What the overlay shows: the bear in the main scene itself, or an instance of it elsewhere."""
    if request.param == "itself":
        yield bear
    else:
        others = NodePath("others")
        bear.instance_to(others)
        yield others
        others.remove_node()


def views_alone(base: Any, actor: Actor, overlay: Overlay, number: int) -> tuple[Bytes, Bytes]:
    """What the main scene and the overlay show of a pose without each other."""
    region = base.camNode.get_display_region(0)
    actor.pose("walk", number)
    overlay.hide()
    main = screenshot(base)
    overlay.show()
    region.set_active(False)
    over = screenshot(base)
    region.set_active(True)
    return main, over


def drawn_next(base: Any) -> Bytes:
    """After a step; under Cull/Draw it is a frame of an earlier one."""
    return screenshot(base, frames=1 - frames_behind(base))


@pytest.mark.parametrize("skinning", SKINNING)
@pytest.mark.parametrize("shown", ["itself", "an instance"], indirect=True)
def test_each_view_is_what_it_is_alone(base: Any, bear: Actor, shown: NodePath, skinning: str) -> None:
    """Also while it walks: all of a frame is of one pose, whatever the threads do."""
    # Joints go to shaders as they are when a thread draws: there, one view alone is torn now and then.
    stands = skinning == "in a shader" and PROFILE == "threads"
    if skinning != "by Panda":
        set_skinning(bear, skinning == "in a shader")
    in_overlay = np.zeros((256, 256), bool)
    in_overlay[156:, 156:] = True
    with Overlay(base, shown, rect=(156, 156, 256, 256), transparent=False) as overlay:
        step(base, 2)
        alone = [views_alone(base, bear, overlay, number) for number in range(POSES)]
        found = [screenshot(base)]
        for number in range(POSES):
            bear.pose("walk", number)
            found.append(screenshot(base) if stands else drawn_next(base))
        found.append(screenshot(base, frames=0))
    seen = []
    for picture in found:
        mains = [(picture == main)[~in_overlay].all() for main, _ in alone]
        overs = [(picture == over)[in_overlay].all() for _, over in alone]
        assert sum(mains) == 1
        assert mains == overs
        seen.append(mains.index(True))
    # It did walk.
    assert len(set(seen)) > POSES / 2
    assert seen[-1] == POSES - 1
