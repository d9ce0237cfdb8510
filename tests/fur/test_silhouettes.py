"""How far a coat reaches and how much it covers, at every count of layers."""

from typing import Any

import numpy as np
import pytest
from panda3d.core import NodePath

from fur_support import SOLID, WHITE, area, white_sphere
from panda_rtstamp.fur.coat import FurCoat
from panda_rtstamp.fur.config import GRASS, LONG, PLUSH, SHORT, FurConfig
from support import screenshot

pytestmark = pytest.mark.profiles
FEWER = (6, 4, 3)


def covered(base: Any, ball: NodePath, *configs: FurConfig) -> list[float]:
    found = []
    for config in configs:
        with FurCoat(ball, config):
            found.append(area(screenshot(base)))
    return found


def test_a_solid_coat_ends_at_its_length(base: Any, scene: NodePath) -> None:
    ball = white_sphere(base, scene)
    assert area(screenshot(base)) == pytest.approx(np.pi, rel=0.005)
    found = covered(base, ball, *(FurConfig(parent=SOLID, layers=count) for count in (12, *FEWER)))
    assert found == pytest.approx([np.pi * 1.2**2] * 4, rel=0.01)


@pytest.mark.parametrize("preset", [SHORT, LONG, GRASS, PLUSH], ids=["short", "long", "grass", "plush"])
def test_fewer_layers_cover_as_much(base: Any, scene: NodePath, preset: FurConfig) -> None:
    ball = white_sphere(base, scene)
    look = FurConfig(root_darkening=0.0, highlight=0.0, parent=preset)
    many, *fewer = covered(base, ball, *(FurConfig(parent=look, layers=count) for count in (12, *FEWER)))
    assert many > np.pi * 1.01
    assert fewer == pytest.approx([many] * 3, rel=0.02)


def test_none_and_one(base: Any, scene: NodePath) -> None:
    ball = white_sphere(base, scene)
    bare = area(screenshot(base))
    none, one = covered(base, ball, *(FurConfig(parent=SOLID, layers=count) for count in (0, 1)))
    assert none == bare
    assert one == pytest.approx(np.pi * 1.2**2, rel=0.01)


def test_length_is_of_the_world_and_grows_with_the_node(base: Any, scene: NodePath) -> None:
    ball = white_sphere(base, scene)
    ball.set_scale(0.5)
    with FurCoat(ball, SOLID):
        assert area(screenshot(base)) == pytest.approx(np.pi * 0.7**2, rel=0.01)
        ball.set_scale(0.75)
        assert area(screenshot(base)) == pytest.approx(np.pi * 1.05**2, rel=0.01)


def test_white_is_white(base: Any, scene: NodePath) -> None:
    """What the areas above rest on."""
    ball = white_sphere(base, scene)
    with FurCoat(ball, FurConfig(parent=WHITE, length=0.2)):
        middle = screenshot(base)[64:192, 64:192, :3]
    assert middle.min() >= 254
