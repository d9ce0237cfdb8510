"""Fixtures for tests of the vision mask."""

from collections.abc import Iterator

import pytest
from panda3d.core import NodePath

from mask_support import assert_no_layers_left
from panda_rtstamp.vision import walls as module
from panda_rtstamp.vision.slicing import slice_triangles
from panda_rtstamp.vision.walls import Walls
from vision_support import Floats


@pytest.fixture
def no_layers_left() -> Iterator[None]:
    """Fails if consumers keep something after the test."""
    yield
    assert_no_layers_left()


@pytest.fixture
def world() -> NodePath:
    """Where walls stand; no window shows it."""
    return NodePath("world")


@pytest.fixture
def walls(world: NodePath) -> Iterator[Walls]:
    """The walls of that world."""
    found = Walls(world)
    yield found
    found.destroy()


@pytest.fixture
def slices(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The height of each slice that is made."""
    made: list[float] = []

    def counted(points: Floats, height: float) -> Floats:
        made.append(height)
        return slice_triangles(points, height)

    monkeypatch.setattr(module, "slice_triangles", counted)
    return made
