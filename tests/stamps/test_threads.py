"""Captures lose nothing and double nothing, drawn by the application or in threads of their own."""

from typing import Any

import numpy as np
import pytest
from panda3d.core import NodePath

from stamp_support import card_at, card_points, mask_formula, system
from support import read_target, run_case, step

SIZE = 100.0
TEXELS = 512
RADIUS = 10.0
# 51 texels apart, and where the edge of a mark keeps farthest from texel centres.
TEXEL = SIZE / TEXELS
POINTS = [((51 * index - 101.2) * TEXEL, 200.0, 0.0) for index in range(6)]
pytestmark = [pytest.mark.profiles, pytest.mark.threads]


@pytest.mark.parametrize("format", ["rgba8", "rgba16f"])
@pytest.mark.parametrize("opacity", [1.0, 0.3])
def test_six_hits_in_six_frames(base: Any, scene: NodePath, format: str, opacity: float) -> None:
    card = card_at(scene, SIZE, TEXELS)
    points = card_points(SIZE, TEXELS) + (0.0, 200.0, 0.0)
    distances = np.array([np.linalg.norm(points - point, axis=-1) for point in POINTS])
    # A sharp edge, and no texel centre so near to it that rounding decides.
    assert np.abs(distances - RADIUS).min() > 1e-3
    expected = np.minimum((opacity * (distances < RADIUS)).sum(axis=0), 1.0)
    with system(base, format=format, blend="add", auto_fade=False) as stamps:
        for index, point in enumerate(POINTS):
            stamps.hit(card, point, radius=RADIUS, hardness=1.0, opacity=opacity)
            step(base)
            # Frames without a hit in between: what is not drawn now must not be drawn twice later.
            if index in (2, 4):
                step(base, 3)
        binding = stamps.binding(card)
        assert binding is not None
        headroom = 1.0 / binding.share
        mask = read_target(base, binding.temp)[..., 3] / headroom
        assert stamps.capture_count == 6
    assert int((mask > 0.5).sum()) == int((expected > 0.5).sum())
    assert opacity < 1.0 or mask.max() == pytest.approx(1.0, abs=1e-3)
    assert np.abs(mask - expected).max() <= (2e-3 if format == "rgba16f" else 3.5 / 255 / headroom)


def test_hits_in_every_frame_while_pairs_come_and_go(base: Any, scene: NodePath) -> None:
    cards = [card_at(scene, SIZE, 64) for _ in range(5)]
    point = (0.0, 200.0, 0.0)
    with system(base, max_pool_size=3, format="rgba16f", auto_fade=False) as stamps:
        for frame in range(40):
            stamps.hit(cards[frame % 5], point, radius=RADIUS)
            step(base)
        assert stamps.capture_count == 40
        expected = mask_formula(np.linalg.norm(card_points(SIZE, 64), axis=-1), RADIUS, 0.1)
        for binding in stamps.bindings:
            mask = read_target(base, binding.temp)[..., 3] * binding.share
            assert np.abs(mask - expected).max() <= 2e-3
        assert len(stamps.bindings) == 3


# Reads marks while the draw thread calls a function of the game's, which waits for Python's lock.
CALLBACK_CASE = """
import time
from panda3d.core import CallbackNode, OmniBoundingVolume, PythonCallbackObject
from panda_rtstamp import StampConfig, StampSystem
from support import make_base, make_card, step

def draw(data):
    time.sleep(0.002)
    data.upcall()

base = make_base()
card = make_card(2.0, 2.0)
card.reparent_to(base.render)
card.set_y(10.0)
node = CallbackNode("gui")
node.set_draw_callback(PythonCallbackObject(draw))
node.set_bounds(OmniBoundingVolume())
node.set_final(True)
base.render.attach_new_node(node)
stamps = StampSystem(base, StampConfig(auto_fade=False))
stamps.hit(card, (0.0, 10.0, 0.0))
read = []
for _ in range(60):
    read.append(stamps.image_async(card))
    step(base)
done = [future.result() for future in read if future.done()]
# Without it: to close windows, Panda waits for the draw thread in the same way.
node.clear_draw_callback()
step(base, 5)
assert len(done) > 40
assert all(image[..., 3].max() > 0.99 for image in done)
print("done")
"""


def test_reading_beside_callbacks_of_the_games() -> None:
    assert run_case(CALLBACK_CASE, timeout=60).strip().endswith("done")
