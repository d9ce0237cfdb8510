"""From afar: strands thinner than a pixel neither flicker nor change the coat's brightness."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from panda3d.core import GeomNode, NodePath, OrthographicLens, SamplerState, TextureAttrib

from fur_support import shells_of, white_sphere
from panda_rtstamp.fur.coat import FurCoat
from panda_rtstamp.fur.config import GRASS, LONG, PLUSH, SHORT, FurConfig
from support import screenshot

LENGTH, SPACING = 0.2, 0.05
PRESETS = {"short": SHORT, "long": LONG, "grass": GRASS, "plush": PLUSH}
# How much of the world is seen, in which strands are half a pixel apart.
FAR = 256 * LENGTH * SPACING / 0.5


def coat_of(preset: FurConfig) -> FurConfig:
    return FurConfig(
        parent=preset, length=LENGTH, spacing=SPACING, wind=(0.0, 0.0, 0.0), largest_bend=0.0, bands=()
    )


def changes(base: Any) -> float:
    """The mean change of a pixel of the coat from frame to frame, of 255, at 0.01 pixels a frame."""
    before = screenshot(base)[..., :3].astype(float)
    coat = before.max(axis=-1) > 0
    found = []
    for frame in range(1, 101):
        base.cam.set_x(base.render, 0.01 * frame * FAR / 256)
        now = screenshot(base)[..., :3].astype(float)
        found.append(np.abs(now - before)[coat].mean())
        before = now
    base.cam.set_x(base.render, 0.0)
    return float(np.mean(found))


def draw_plainly(ball: NodePath) -> None:
    """Let strands be sampled where the pixel's centre is, and nowhere else."""
    sampler = SamplerState()
    sampler.set_minfilter(SamplerState.FT_nearest)
    sampler.set_magfilter(SamplerState.FT_nearest)
    for path in shells_of(ball):
        node = path.node()
        assert isinstance(node, GeomNode)
        state = node.get_geom_state(0)
        textures = state.get_attrib(TextureAttrib)
        assert isinstance(textures, TextureAttrib)
        stage = textures.get_on_stage(1)
        plain = textures.add_on_stage(stage, textures.get_on_texture(stage), sampler)
        node.set_geom_state(0, state.set_attrib(plain, 1000))


@pytest.mark.parametrize(
    "name", ["short", *(pytest.param(name, marks=pytest.mark.full) for name in ("long", "grass", "plush"))]
)
def test_it_does_not_shimmer(base: Any, scene: NodePath, name: str) -> None:
    ball = white_sphere(base, scene, FAR, across=48)
    with FurCoat(ball, coat_of(PRESETS[name])):
        ours = changes(base)
        assert ours <= 0.5
        if name == "short":
            draw_plainly(ball)
            assert changes(base) > 3 * ours


@pytest.mark.profiles
@pytest.mark.parametrize("name", PRESETS)
def test_it_is_as_bright_from_afar(base: Any, scene: NodePath, name: str) -> None:
    ball = white_sphere(base, scene, FAR, across=48)
    with FurCoat(ball, coat_of(PRESETS[name])):
        brightness = [mean_of_middle(base, film, 0.6) for film in (0.6, FAR)]
    assert brightness[1] == pytest.approx(brightness[0], rel=0.05)


def mean_of_middle(base: Any, film: float, seen: float) -> float:
    """The mean brightness of so much of the world around the ball's middle."""
    lens: OrthographicLens = base.cam.node().get_lens()
    lens.set_film_size(film, film)
    half = round(128 * seen / film)
    picture: NDArray[np.uint8] = screenshot(base)[128 - half : 128 + half, 128 - half : 128 + half, :3]
    return float(picture.mean())
