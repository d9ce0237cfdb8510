"""Fixtures for tests of render pictures."""

from typing import Any

import pytest
from panda3d.core import NodePath

from picture_support import FlatScene, show_flat


@pytest.fixture
def flat() -> FlatScene:
    """A red scene."""
    return FlatScene((1, 0, 0, 1))


@pytest.fixture
def stage(base: Any, scene: NodePath) -> NodePath:
    """A node before the main camera, which shows x and z from -1 to 1."""
    show_flat(base)
    return scene
