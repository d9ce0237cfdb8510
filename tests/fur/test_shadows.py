"""Shadow maps of Panda's lights: no coat changes them, whether its strands write depth or not."""

from typing import Any

import numpy as np
import pytest
from panda3d.core import CardMaker, DirectionalLight, GraphicsOutput, NodePath, PointLight, Shader, Spotlight

from fur_support import white_sphere
from panda_rtstamp.fur.coat import FurCoat
from panda_rtstamp.fur.config import GRASS, LONG, PLUSH, SHORT, FurConfig
from support import screenshot, step

PRESETS = {"short": SHORT, "long": LONG, "grass": GRASS, "plush": PLUSH}
VERTEX = """#version 330
in vec4 p3d_Vertex;
uniform mat4 p3d_ModelViewProjectionMatrix;
void main() {
    gl_Position = p3d_ModelViewProjectionMatrix * p3d_Vertex;
}
"""
# Panda draws a shadow map as soon as a shader asks for it.
FRAGMENT = """#version 330
uniform struct p3d_LightSourceParameters {
    vec4 color;
    SAMPLER shadowMap;
} p3d_LightSource[1];
out vec4 o_color;
void main() {
    o_color = vec4(texture(p3d_LightSource[0].shadowMap, vec3(0.5)));
}
"""


def add_floor(scene: NodePath, sampler: str) -> None:
    """Something that looks at the shadow map."""
    floor = scene.attach_new_node(CardMaker("floor").generate())
    floor.set_pos(-0.5, 4, -0.5)
    floor.set_shader(Shader.make(Shader.SL_GLSL, VERTEX, FRAGMENT.replace("SAMPLER", sampler)))


def shadow_buffer(base: Any) -> GraphicsOutput:
    """The one that Panda made for the light."""
    (found,) = (window for window in base.graphics_engine.get_windows() if window.get_name() == "light")
    assert isinstance(found, GraphicsOutput)
    return found


def shadow_map(base: Any) -> Any:
    """Its bytes."""
    step(base, 2)
    texture = shadow_buffer(base).get_texture(0)
    assert base.graphics_engine.extract_texture_data(texture, base.win.get_gsg())
    found = np.frombuffer(bytes(texture.get_ram_image()), np.uint8).copy()
    texture.clear_ram_image()
    return found


@pytest.mark.profiles
@pytest.mark.parametrize("two_sided", [False, True])
@pytest.mark.parametrize("kind", [DirectionalLight, Spotlight, PointLight])
def test_no_light_sees_a_coat(base: Any, scene: NodePath, kind: type[Any], two_sided: bool) -> None:
    ball = white_sphere(base, scene, across=24)
    ball.set_scale(1.0, 1.2, -0.8)
    ball.set_two_sided(two_sided)
    base.cam.set_y(-8)
    node = kind("light")
    node.set_shadow_caster(True, 64, 64)
    if kind is not PointLight:
        node.get_lens().set_near_far(1, 20)
    if kind is DirectionalLight:
        node.get_lens().set_film_size(4, 4)
    light = scene.attach_new_node(node)
    light.set_pos(3, -6, 4)
    light.look_at(0, 0, 0)
    scene.set_light(light)
    add_floor(scene, "samplerCube" if kind is PointLight else "sampler2DShadow")
    shadow_map(base)
    before, bare = shadow_map(base), screenshot(base)
    assert np.unique(before).size > 2
    for name, preset in PRESETS.items():
        with FurCoat(ball, FurConfig(parent=preset, length=0.4)):
            assert (shadow_map(base) == before).all(), name
            assert (screenshot(base) != bare).any(), name
    scene.clear_light(light)
    base.graphics_engine.remove_window(shadow_buffer(base))


@pytest.mark.parametrize("kind", [Spotlight, PointLight])
def test_lamps_at_the_eye_hide_no_coat(base: Any, scene: NodePath, kind: type[Any]) -> None:
    ball = white_sphere(base, scene, across=24)
    base.cam.node().set_lens(base.camLens)
    base.cam.set_y(-8)
    node = kind("lamp")
    lamp = base.cam.attach_new_node(node)
    scene.set_light(lamp)
    bare = screenshot(base)
    with FurCoat(ball, FurConfig(parent=PLUSH, length=0.4)):
        assert (screenshot(base) != bare).any()
    lamp.remove_node()
