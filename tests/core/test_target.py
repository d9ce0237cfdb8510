"""Render targets: the format that was asked for, passes that draw exactly once, and nothing left of them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from panda3d.core import (
    Camera,
    ColorBlendAttrib,
    Filename,
    NodePath,
    RenderState,
    ShaderAttrib,
    Texture,
    WeakNodePath,
)

from panda_rtstamp.core.card import VERTEX_SHADER, Card, card_camera
from panda_rtstamp.core.context import Context
from panda_rtstamp.core.rect import Rect
from panda_rtstamp.core.shader import load_shader
from panda_rtstamp.core.target import FORMATS, RenderTarget
from support import frames_behind, read_target, step

pytestmark = [pytest.mark.profiles, pytest.mark.threads]

SORT = -2000
FRAMES_IN_FLIGHT = 4
ADD = ColorBlendAttrib.make(ColorBlendAttrib.M_add, ColorBlendAttrib.O_one, ColorBlendAttrib.O_one)
# The smallest step of each format between 0.25 and 0.5.
STEPS = {"rgba8": 1 / 255, "rgba16f": 2.0**-12, "r16": 1 / 65535, "r16f": 2.0**-12}
TWICE = """#version 330
uniform sampler2D u_source;
out vec4 o_color;
void main() {
    o_color = 2.0 * texelFetch(u_source, ivec2(gl_FragCoord.xy), 0);
}
"""


class Targets:
    """Makes targets, and runs frames as their owner does."""

    def __init__(self, base: Any) -> None:
        self.base = base
        self.context = Context(base)
        self.made: list[RenderTarget] = []

    def make(
        self, size: int = 16, format: str = "rgba16f", sort: int = SORT, name: str = "test"
    ) -> RenderTarget:
        """A target that is destroyed at the end."""
        self.made.append(RenderTarget(self.context, name, size, FORMATS[format], sort))
        return self.made[-1]

    def step(self, frames: int = 1) -> None:
        """Draw the passes that were asked for, and begin the next frame."""
        for _ in range(frames):
            step(self.base)
            self.context.frame += 1
            for target in self.made:
                target.collect()

    def finish(self) -> None:
        """Let the draw thread do what it was asked to."""
        self.step(1 + frames_behind(self.base))


@pytest.fixture
def targets(base: Any) -> Iterator[Targets]:
    result = Targets(base)
    yield result
    for target in result.made:
        target.destroy()


def constant(value: float, *, add: bool = False) -> RenderState:
    """A card that writes one value into every texel, or adds it."""
    shader = ShaderAttrib.make(load_shader(VERTEX_SHADER, "rtstamp/common/constant.frag"))
    state = RenderState.make(shader.set_shader_input("u_value", (value, value, value, value)))
    return state.set_attrib(ADD) if add else state


def cards(name: str, states: list[RenderState]) -> NodePath:
    """A camera that draws cards over the whole target."""
    return card_camera(name, [Card(state) for state in states])


def values_of(base: Any, target: RenderTarget) -> "np.typing.NDArray[np.float32]":
    """The target's texels."""
    return read_target(base, target.texture)


def one_value(base: Any, target: RenderTarget) -> float:
    """The value that all texels of a target have in all channels."""
    values = values_of(base, target)
    assert values.min() == values.max()
    return float(values.min())


# Formats.


@pytest.mark.parametrize(
    ("format", "panda_format", "component", "channels"),
    [
        ("rgba8", Texture.F_rgba8, Texture.T_unsigned_byte, 4),
        ("rgba16f", Texture.F_rgba16, Texture.T_float, 4),  # so Panda says of half floats that it reads back
        ("r16", Texture.F_r16, Texture.T_unsigned_short, 1),
        ("r16f", Texture.F_r16, Texture.T_float, 1),
    ],
)
def test_the_driver_made_what_was_asked_for(
    base: Any, targets: Targets, format: str, panda_format: int, component: int, channels: int
) -> None:
    target = targets.make(32, format)
    target.draw(cards("pass", [constant(0.29)]), clear=True)
    targets.finish()
    # What it says after this is what the driver answered.
    assert base.graphics_engine.extract_texture_data(target.texture, base.win.get_gsg())
    assert target.texture.get_format() == panda_format
    assert target.texture.get_component_type() == component
    assert (target.texture.get_x_size(), target.texture.get_y_size()) == (32, 32)
    assert (target.texture.get_pad_x_size(), target.texture.get_pad_y_size()) == (0, 0)
    assert target.memory_bytes == target.texture.estimate_texture_memory()
    assert target.format.channels == channels
    target.texture.clear_ram_image()
    assert values_of(base, target).shape == (32, 32, channels)


@pytest.mark.parametrize("format", FORMATS)
def test_precision(base: Any, targets: Targets, format: str) -> None:
    """A step of the format is seen, less than half of it is not."""
    target = targets.make(format=format)
    found = []
    start = round(0.29 / STEPS[format]) * STEPS[format]
    # Chosen so that drivers which cut off and drivers which round to the nearest come to the same.
    for share in (-0.75, 0.05, 0.25, 0.45, 1.25):
        target.draw(cards("pass", [constant(start + share * STEPS[format])]), clear=True)
        targets.step()
        found.append(one_value(base, target))
    below, exact, _, _, above = found
    assert found[1:4] == [exact] * 3
    assert above - exact == pytest.approx(STEPS[format], rel=1e-3)
    assert exact - below == pytest.approx(STEPS[format], rel=1e-3)


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("value", [-1.5, 2.5])
def test_range(base: Any, targets: Targets, format: str, value: float) -> None:
    """Floats hold what is beyond 0..1, integers stop there."""
    target = targets.make(format=format)
    target.draw(cards("pass", [constant(value)]), clear=True)
    targets.step()
    expected = value if FORMATS[format].is_float else float(np.clip(value, 0.0, 1.0))
    assert one_value(base, target) == expected


@pytest.mark.parametrize("size", [1, 256, 1024])
def test_size(base: Any, targets: Targets, size: int) -> None:
    target = targets.make(size, "rgba8")
    target.draw(cards("pass", [constant(1.0)]), clear=True)
    targets.step()
    assert values_of(base, target).shape == (size, size, 4)
    assert one_value(base, target) == 1.0
    assert target.memory_bytes == size * size * 4


# Passes.


def test_a_pass_is_drawn_in_this_frame(base: Any, targets: Targets) -> None:
    target = targets.make()
    target.draw(cards("pass", [constant(0.5)]), clear=True)
    targets.step()
    assert one_value(base, target) == 0.5


def test_clear_starts_from_zeros(base: Any, targets: Targets) -> None:
    target = targets.make()
    for expected in (0.5, 0.5):
        target.draw(cards("pass", [constant(0.5, add=True)]), clear=True)
        targets.step()
        assert one_value(base, target) == expected


def test_without_clear_the_target_is_kept(base: Any, targets: Targets) -> None:
    target = targets.make()
    target.draw(cards("pass", [constant(0.5)]), clear=True)
    targets.step()
    for expected in (0.75, 1.0):
        target.draw(cards("pass", [constant(0.25, add=True)]))
        targets.step()
        assert one_value(base, target) == expected


def test_a_clear_alone(base: Any, targets: Targets) -> None:
    target = targets.make()
    target.draw(cards("pass", [constant(0.5)]), clear=True)
    targets.step()
    target.draw(cards("pass", []), clear=True)
    targets.step()
    assert one_value(base, target) == 0.0


def test_cards_of_one_pass_are_drawn_in_order(base: Any, targets: Targets) -> None:
    target = targets.make()
    states = [constant(1.0), constant(0.25), constant(0.5, add=True), constant(0.125, add=True)]
    target.draw(cards("pass", states), clear=True)
    targets.step()
    assert one_value(base, target) == 0.875


def test_passes_of_one_frame_are_drawn_in_order(base: Any, targets: Targets) -> None:
    target = targets.make()
    target.draw(cards("first", [constant(0.25)]), clear=True)
    target.draw(cards("second", [constant(0.5, add=True)]))
    targets.step()
    assert one_value(base, target) == 0.75


def test_a_pass_is_drawn_once(base: Any, targets: Targets) -> None:
    """Whatever renders afterwards: frames with tasks, and frames without, as loading screens have them."""
    target = targets.make()
    target.draw(cards("clear", [constant(0.0)]), clear=True)
    targets.step()
    target.draw(cards("pass", [constant(0.25, add=True)]))
    base.graphics_engine.render_frame()
    base.graphics_engine.render_frame()
    step(base, 3)
    assert one_value(base, target) == 0.25
    base.graphics_engine.render_frame()
    step(base, 6)
    assert one_value(base, target) == 0.25


def test_a_pass_is_drawn_once_though_the_next_one_comes(base: Any, targets: Targets) -> None:
    """A hit in every frame for longer than passes are kept: each is drawn once."""
    target = targets.make()
    target.draw(cards("clear", [constant(0.0)]), clear=True)
    targets.step()
    for _ in range(3 * FRAMES_IN_FLIGHT):
        target.draw(cards("pass", [constant(0.0625, add=True)]))
        targets.step()
    assert one_value(base, target) == 3 * FRAMES_IN_FLIGHT * 0.0625


def test_a_few_pixels_alone(base: Any, targets: Targets) -> None:
    target = targets.make(16)
    target.draw(cards("pass", [constant(0.5)]), clear=True)
    targets.step()
    target.draw(cards("pass", [constant(1.0)]), clear=True, rect=Rect(0, 0, 1, 1))
    targets.step()
    expected = np.full((16, 16, 4), 0.5)
    expected[0, 0] = 1.0
    assert np.array_equal(values_of(base, target), expected)


def test_targets_are_drawn_by_sort(base: Any, targets: Targets, tmp_path: Path) -> None:
    """What has the lower sort is drawn first, and the other one sees it in the same frame."""
    (tmp_path / "twice.frag").write_text(TWICE, encoding="utf-8")
    name = Filename.from_os_specific(str(tmp_path / "twice.frag")).get_fullpath()
    shader = ShaderAttrib.make(load_shader(VERTEX_SHADER, name))
    late = targets.make(sort=SORT + 1, name="late")
    early = targets.make(sort=SORT, name="early")
    twice = RenderState.make(shader.set_shader_input("u_source", early.texture))
    for value in (0.25, 0.5):
        late.draw(cards("late", [twice]), clear=True)
        early.draw(cards("early", [constant(value)]), clear=True)
        targets.step()
        assert (one_value(base, early), one_value(base, late)) == (value, 2 * value)


# What is left.


def test_passes_are_dropped_when_no_thread_uses_them(base: Any, targets: Targets) -> None:
    target = targets.make()
    targets.step()
    assert target.buffer is not None
    regions = target.buffer.get_num_display_regions()
    camera = cards("pass", [constant(0.5)])
    node = camera.node()
    assert isinstance(node, Camera)
    scene = WeakNodePath(node.get_scene())
    del node
    assert not target.busy
    target.draw(camera, clear=True)
    del camera
    # In threads regions are kept, and each shows something else after its pass, to let the scene go.
    expected = 2 * FRAMES_IN_FLIGHT if frames_behind(base) else 1
    frames = 0
    while target.busy:
        assert target.buffer.get_num_display_regions() == regions + (not frames_behind(base))
        targets.step()
        frames += 1
        assert frames <= expected
    assert frames == expected
    assert target.buffer.get_num_display_regions() == regions
    targets.finish()
    assert scene.was_deleted()
    assert one_value(base, target) == 0.5


def test_an_idle_target_costs_no_pass(base: Any, targets: Targets) -> None:
    target = targets.make()
    target.draw(cards("pass", [constant(0.5)]), clear=True)
    targets.step()
    assert target.buffer is not None
    assert not target.buffer.is_active()
    targets.step()
    assert not target.buffer.is_active()
    target.collect()
    target.draw(cards("pass", [constant(0.5)]), clear=True)
    assert target.buffer.is_active()


def test_destroy_gives_everything_back(base: Any, targets: Targets) -> None:
    gsg = base.win.get_gsg()
    count = base.graphics_engine.get_num_windows()
    target = targets.make()
    target.draw(cards("pass", [constant(0.5)]), clear=True)
    targets.finish()
    assert target.valid
    assert base.graphics_engine.get_num_windows() == count + 1
    texture = target.texture
    assert texture.is_prepared(gsg.get_prepared_objects())
    target.destroy()
    assert not target.valid
    assert base.graphics_engine.get_num_windows() == count
    assert not texture.is_prepared(gsg.get_prepared_objects())
    target.destroy()
    target.draw(cards("pass", [constant(0.5)]), clear=True)
    target.collect()
    targets.finish()
    assert not target.busy
    assert not texture.is_prepared(gsg.get_prepared_objects())


def test_destroy_before_the_first_frame(base: Any, targets: Targets) -> None:
    target = targets.make()
    target.draw(cards("pass", [constant(0.5)]), clear=True)
    target.destroy()
    targets.finish()
    assert not target.valid


def test_the_texture_is_clamped_at_its_edges(targets: Targets) -> None:
    texture = targets.make().texture
    assert (texture.get_wrap_u(), texture.get_wrap_v()) == (Texture.WM_clamp, Texture.WM_clamp)
