"""What the tests of first hits share: models to hit, and what is made for them."""

import gc
from typing import Any

import numpy as np
import pytest
from panda3d.core import Geom, GeomNode, GeomVertexArrayData, NodePath

from panda_rtstamp import StampSystem
from panda_rtstamp.core.anchor import address
from panda_rtstamp.stamps import prepared, stamped
from stamp_support import image_of, mask_formula
from support import make_card, step

# Frames in which a system without hits has made all there is to make in a small scene.
IDLE = 60
# Pauses between two rounds through the scene are shorter.
ROUND = 300


def count_copies(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A list that gets the names of the nodes whose Geoms are copied from now on."""
    found: list[str] = []
    original = stamped.stamped_copies

    def counted(node: GeomNode, *args: Any) -> list[Geom]:
        # What shaders are tried on is drawn by nobody's model.
        found.extend({node.get_name()} - {"rtstamp-warm"})
        return original(node, *args)

    monkeypatch.setattr(prepared, "stamped_copies", counted)
    return found


def settle(base: Any) -> None:
    """Let what was let go of be gone."""
    gc.collect()
    step(base, 16)


def tagged(node: NodePath) -> NodePath:
    """The node, tagged to be hit."""
    node.set_tag("rtstamp", "")
    return node


def near_card(scene: NodePath, name: str = "card") -> NodePath:
    """A tagged card of 2 x 2 units, so near to the camera that it gets 1024 texels."""
    card = tagged(make_card(2.0, 2.0, name))
    card.reparent_to(scene)
    card.set_y(5.0)
    return card


def windows(base: Any) -> int:
    """Windows and buffers there are."""
    return int(base.graphics_engine.get_num_windows())


def geom_node(node: NodePath) -> GeomNode:
    """The GeomNode that a path leads to."""
    result = node.node()
    assert isinstance(result, GeomNode)
    return result


def geoms(node: NodePath) -> list[int]:
    """The Geoms of a GeomNode, by their addresses."""
    found = geom_node(node)
    return [address(found.get_geom(index)) for index in range(found.get_num_geoms())]


def array_of(node: NodePath) -> GeomVertexArrayData:
    """Of a node's first Geom. Whoever draws or copies the Geom holds this too."""
    return geom_node(node).get_geom(0).get_vertex_data().get_array(0)


def assert_marked_in_the_middle(stamps: StampSystem, card: NodePath) -> None:
    """By a hit of radius 1 in the middle of a card of 2 x 2, and nothing else."""
    image = image_of(stamps, card)[..., 3]
    across = ((np.arange(len(image)) + 0.5) / len(image) - 0.5) * 2.0
    assert np.abs(image - mask_formula(np.hypot(*np.meshgrid(across, across)), 1.0, 0.1)).max() <= 2 / 255
