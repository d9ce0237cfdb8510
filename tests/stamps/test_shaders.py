"""The three shaders of a stamp, each replaced by a user's file; and shaders that cannot be used."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from panda3d.core import ClockObject, NodePath

from panda_rtstamp import ShaderError, StampConfig, StampSystem
from stamp_support import card_at, card_points, mask_formula, now, primary_mask, system
from support import compare_images, step

SIZE = 100.0
TEXELS = 64
RADIUS = 20.0
CENTER = (0.0, 200.0, 0.0)

# A square brush.
UNWRAP = """#version 330
#pragma include <rtstamp/stamps/hits.glsl>
#pragma include <rtstamp/stamps/primary.glsl>
in vec3 v_position;
in vec2 v_uv;
out vec4 o_color;
void main() {
    float mask = 0.0;
    for (int i = 0; i < u_hit_count; i++) {
        vec3 off = abs(v_position - hit_at(i).center);
        mask = max(mask, step(max(off.x, off.z), hit_at(i).radius) * v_uv.x);
    }
    o_color = CHANNELS == 1 ? vec4(encode_mask(mask)) : vec4(1.0, 0.0, 0.0, encode_mask(mask));
}
"""
# The right half fades, the left half stays.
FADE = """#version 330
uniform float u_factor;
in vec2 v_uv;
out vec4 o_color;
void main() {
    o_color = vec4(v_uv.x > 0.5 ? u_factor : 1.0);
}
"""
# The last hit replaces what was there, where it marks at all.
MERGE = """#version 330
#pragma include <rtstamp/stamps/primary.glsl>
uniform sampler2D u_primary;
uniform float u_gain;
in vec2 v_uv;
layout(location = 0, index = 0) out vec4 o_color;
layout(location = 0, index = 1) out vec4 o_keep;
void main() {
    vec4 primary = texture(u_primary, v_uv);
    float mask = decode_mask(primary.a);
    o_color = vec4(primary.rgb * mask, mask) * u_gain;
    o_keep = vec4(mask > 0.0 ? 0.0 : 1.0);
}
"""


def written(folder: Path, name: str, text: str) -> str:
    """A shader file of the user's."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("format", ["rgba16f", "r16f"])
def test_own_unwrap_shader(base: Any, scene: NodePath, tmp_path: Path, format: str) -> None:
    card = card_at(scene, SIZE, TEXELS)
    shader = written(tmp_path, "square.frag", UNWRAP)
    with system(base, format=format, unwrap_shader=shader) as stamps:
        binding = stamps.hit(card, CENTER, radius=RADIUS)
        assert binding is not None
        step(base)
        mask = primary_mask(base, binding)
    points = card_points(SIZE, TEXELS)
    square = np.maximum(np.abs(points[..., 0]), np.abs(points[..., 2])) <= RADIUS
    compare_images(mask, square * (points[..., 0] / SIZE + 0.5), 2e-3, f"square-{format}")


def test_own_fade_shader_implies_a_fade_in_every_frame(base: Any, scene: NodePath, tmp_path: Path) -> None:
    card = card_at(scene, SIZE, TEXELS)
    ClockObject.get_global_clock().dt = 1 / 60
    shader = written(tmp_path, "half.frag", FADE)
    with system(base, format="r16", fade_duration=1.0, fade_shader=shader) as stamps:
        assert stamps.config.bake_step == 1.0
        stamps.hit(card, CENTER, radius=RADIUS)
        struck = now()
        step(base, 31)
        image = stamps.image(card)
        # The frame to come is not stored yet: image() fades all of it by that frame.
        pending = 0.01 ** (1 / 60)
        left = 0.01 ** (now() - struck)
    assert image is not None
    points = card_points(SIZE, TEXELS)
    mask = mask_formula(np.linalg.norm(points, axis=-1), RADIUS, 0.1)
    expected = mask * np.where(points[..., 0] > 0.0, left, pending)
    compare_images(image[..., 3], expected, 2e-3, "half-fade")


def test_own_merge_shader(base: Any, scene: NodePath, tmp_path: Path) -> None:
    card = card_at(scene, SIZE, TEXELS)
    shader = written(tmp_path, "replace.frag", MERGE)
    with system(base, format="rgba16f", auto_fade=False, merge_shader=shader) as stamps:
        stamps.hit(card, CENTER, radius=RADIUS, color=(1.0, 0.0, 0.0))
        step(base)
        stamps.hit(card, CENTER, radius=RADIUS / 2, color=(0.0, 1.0, 0.0))
        step(base)
        image = stamps.image(card)
    assert image is not None
    distance = np.linalg.norm(card_points(SIZE, TEXELS), axis=-1)
    first, second = mask_formula(distance, RADIUS, 0.1), mask_formula(distance, RADIUS / 2, 0.1)
    expected = np.where(second > 0.0, second, first)
    compare_images(image[..., 3], expected, 2e-3, "replace-mask")
    compare_images(image[..., 1], second, 2e-3, "replace-green")


BROKEN = "#version 330\nout vec4 o_color;\nvoid main() {\n    o_color = nonsense;\n}\n"


@pytest.mark.parametrize("field", ["unwrap_shader", "fade_shader", "merge_shader"])
def test_a_shader_that_does_not_compile(base: Any, scene: NodePath, tmp_path: Path, field: str) -> None:
    settings: dict[str, Any] = {field: written(tmp_path, "broken.frag", BROKEN)}
    with pytest.raises(ShaderError, match=r"broken\.frag:4: .*nonsense"):
        StampSystem(base, StampConfig(**settings))
    card = card_at(scene, SIZE, TEXELS)
    with system(base, auto_fade=False) as stamps:
        before = stamps.config
        stamps.hit(card, CENTER, radius=RADIUS)
        step(base)
        with pytest.raises(ShaderError, match=r"broken\.frag:4:"):
            stamps.set_config(replace(before, **settings))
        assert stamps.config is before
        assert stamps.active_count == 1


@pytest.mark.parametrize("field", ["unwrap_shader", "fade_shader", "merge_shader"])
def test_a_shader_that_is_not_there(base: Any, field: str) -> None:
    settings: dict[str, Any] = {field: "nowhere/at_all.frag"}
    with pytest.raises(ShaderError, match=r"not found: nowhere/at_all\.frag"):
        StampSystem(base, StampConfig(**settings))
