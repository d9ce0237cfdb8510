"""What the tests of marks share: the formulas of a mark, and what the textures hold."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from panda3d.core import CardMaker, ClockObject, NodePath, Point3

from panda_rtstamp import StampBinding, StampConfig, StampSystem
from panda_rtstamp.core import unwrap as unwrapping
from support import make_card, read_target

Floats = NDArray[np.float64]
# What 8 bits of a decoded mask can be off by: half a step, and as much again for the driver's rounding.
STEP = 1 / 254


@contextmanager
def system(base: Any, **settings: Any) -> Iterator[StampSystem]:
    """A stamp system that is destroyed at the end."""
    with StampSystem(base, StampConfig(**settings)) as result:
        yield result


def mask_formula(distance: NDArray[Any], radius: float, hardness: float, opacity: float = 1.0) -> Floats:
    """The mask that a hit makes at this distance from its point."""
    falloff = (1.0 - distance.astype(np.float64) / radius) / max(1.0 - hardness, 1e-4)
    return opacity * np.clip(falloff, 0.0, 1.0)


def card_points(size: float, texels: int) -> Floats:
    """Where on a card (see make_card) the texel centres are: (texels, texels, 3), row 0 at v = 0."""
    across = ((np.arange(texels) + 0.5) / texels - 0.5) * size
    x, z = np.meshgrid(across, across)
    return np.stack([x, np.zeros_like(x), z], axis=-1)


def world_points(node: NodePath, local: Floats) -> Floats:
    """Local points in the world, in 64-bit arithmetic."""
    net = node.get_net_transform().get_mat()
    matrix = np.array([[net.get_cell(row, column) for column in range(4)] for row in range(4)])
    result: Floats = local @ matrix[:3, :3] + matrix[3, :3]
    return result


def card_at(scene: NodePath, size: float, texels: int, distance: float = 200.0) -> NodePath:
    """A card in front of the camera that is marked at this resolution."""
    card = make_card(size, size)
    card.reparent_to(scene)
    card.set_pos(Point3(0.0, distance, 0.0))
    card.set_tag("rtstamp-resolution", str(texels))
    return card


def primary_mask(base: Any, binding: StampBinding) -> Floats:
    """Primary's decoded mask."""
    stored = read_target(base, binding.primary)[..., -1].astype(np.float64)
    return np.maximum(0.0, stored * 255.0 - 1.0) / 254.0


def now() -> float:
    """The time that marks fade by."""
    return ClockObject.get_global_clock().get_frame_time()


def small_card(scene: NodePath, name: str = "card", x: float = 0.0) -> NodePath:
    """A card of 2 x 2 units, 20 in front of the camera's starting place, of 64 texels."""
    card = make_card(2.0, 2.0, name)
    card.reparent_to(scene)
    card.set_pos(x, 20.0, 0.0)
    card.set_tag("rtstamp-resolution", "64")
    return card


def hit_middle(stamps: StampSystem, node: NodePath, **options: Any) -> StampBinding:
    """Hit a node at its own origin."""
    binding = stamps.hit(node, (0.0, 0.0, 0.0), other=node, **options)
    assert binding is not None
    return binding


def image_of(stamps: StampSystem, node: NodePath) -> Floats:
    """What `image` says, in 64 bits."""
    image = stamps.image(node)
    assert image is not None
    return image.astype(np.float64)


def what_is_held(base: Any) -> dict[str, int]:
    """What a stamp system makes and must give back, by kind; right some frames after it was asked to."""
    objects = base.win.get_gsg().get_prepared_objects()
    everything = [root.find_all_matches("**").get_num_paths() for root in (base.render, base.render2d)]
    stashed = [root.find_all_matches("**/@@*").get_num_paths() for root in (base.render, base.render2d)]
    return {
        "windows and buffers": base.graphics_engine.get_num_windows(),
        "textures": objects.get_num_prepared_textures() + objects.get_num_queued_textures(),
        "vertex buffers": objects.get_num_prepared_vertex_buffers(),
        "shaders": objects.get_num_prepared_shaders(),
        "display regions": base.win.get_num_display_regions(),
        "nodes": sum(everything),
        "stashed nodes": sum(stashed),
        "tasks": len(base.task_mgr.getAllTasks()),
        "exit callbacks": len(base.finalExitCallbacks),
        "events": len(base.messenger.get_events()),
    }


class Pair:
    """Two cards side by side, x in -2..0 and 0..2, on the left and the right half of one texture."""

    def __init__(self, scene: NodePath, outer_has_geometry: bool = True) -> None:
        self.outer = self._half("outer", 0) if outer_has_geometry else NodePath("outer")
        self.outer.reparent_to(scene)
        self.outer.set_y(20.0)
        self.inner = self._half("inner", 1)
        self.inner.reparent_to(self.outer)
        for node in (self.outer, self.inner):
            node.set_tag("rtstamp-resolution", "64")

    @staticmethod
    def _half(name: str, index: int) -> NodePath:
        maker = CardMaker(name)
        maker.set_frame(-2.0 + 2.0 * index, 2.0 * index, -1.0, 1.0)
        maker.set_uv_range((0.5 * index, 0.0), (0.5 + 0.5 * index, 1.0))
        return NodePath(maker.generate())

    @staticmethod
    def mask(x: float, radius: float, *halves: int) -> Floats:
        """The mask of a hit at (x, 0) on these halves; NaN in the texels beside them that no surface shows.

        Their edge, and two texels beyond, are filled so that filtering finds no gap there.
        """
        across = (np.arange(64) + 0.5) / 64
        u, v = np.meshgrid(across, across)
        mask = mask_formula(np.hypot(-2.0 + 4.0 * u - x, -1.0 + 2.0 * v), radius, 0.1)
        middle = 32
        if 0 not in halves:
            mask[:, : middle - 3] = 0.0
            mask[:, middle - 3 : middle] = np.nan
        if 1 not in halves:
            mask[:, middle + 3 :] = 0.0
            mask[:, middle : middle + 3] = np.nan
        return mask


def count_unwraps(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """A list that gets the number of triangles of each model that is unwrapped from now on."""
    found: list[int] = []
    unwrap = unwrapping.unwrap

    def counted(positions: Any, *args: Any, **options: Any) -> Any:
        found.append(len(positions))
        return unwrap(positions, *args, **options)

    monkeypatch.setattr(unwrapping, "unwrap", counted)
    return found
