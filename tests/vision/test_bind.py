"""A mask that is given to the game's own shaders, by name."""

from pathlib import Path
from typing import Any

import pytest
from panda3d.core import Filename, NodePath, ShaderAttrib

from panda_rtstamp.core.shader import load_shader
from panda_rtstamp.errors import ConfigError
from panda_rtstamp.vision.config import VisionConfig
from pictures import assert_same_scene, flat_card, look_from, rgb, snapshot
from support import screenshot, step
from vision_play import hero_at, looking

pytestmark = pytest.mark.profiles


VERTEX = """#version 330
uniform mat4 p3d_ModelViewProjectionMatrix;
uniform mat4 p3d_ModelMatrix;
in vec4 p3d_Vertex;
out vec2 v_world;
void main() {
    v_world = (p3d_ModelMatrix * p3d_Vertex).xy;
    gl_Position = p3d_ModelViewProjectionMatrix * p3d_Vertex;
}
"""
FRAGMENT = """#version 330
#pragma include <rtstamp/vision/mask.glsl>
in vec2 v_world;
out vec4 o_color;
void main() {
    o_color = vec4(vec3(rtstamp_seen(v_world)), 1.0);
}
"""


@pytest.fixture
def ground(base: Any, scene: NodePath, tmp_path: Path) -> NodePath:
    """Lies on the ground, drawn by a shader that shows the mask as a colour."""
    look_from(base, (0.0, -0.01, 60.0))
    card = flat_card(scene, 40.0)
    card.set_p(-90.0)
    files = [tmp_path / "ground.vert", tmp_path / "ground.frag"]
    for file, words in zip(files, (VERTEX, FRAGMENT), strict=True):
        file.write_text(words, encoding="utf-8")
    names = [Filename.from_os_specific(str(file)).get_fullpath() for file in files]
    card.set_shader(load_shader(names[0], names[1]))
    return card


def middle(base: Any) -> list[int]:
    """What is seen at the world's origin."""
    picture = rgb(screenshot(base))
    return [int(value) for value in picture[picture.shape[0] // 2, picture.shape[1] // 2]]


def test_shaders_read_it(base: Any, scene: NodePath, ground: NodePath) -> None:
    with looking(base, mask_size=64) as vision:
        hero = hero_at(scene)
        vision.add_viewer(hero, view_range=10.0)
        vision.bind(scene)
        step(base)
        assert middle(base) == [255, 255, 255]
        hero.set_x(30.0)
        step(base)
        assert middle(base) == [0, 0, 0]
        # Other textures: bound anew.
        vision.set_config(VisionConfig(mask_size=128))
        base.graphics_engine.render_frame()
        hero.set_x(0.0)
        step(base)
        assert middle(base) == [255, 255, 255]
        vision.set_config(VisionConfig(mask_size=128, center=(500.0, 0.0)))
        step(base)
        assert middle(base) == [0, 0, 0]
        vision.set_config(VisionConfig(mask_size=128, center=(500.0, 0.0), beyond="seen"))
        step(base)
        assert middle(base) == [255, 255, 255]


def test_of_each_group(base: Any, scene: NodePath, ground: NodePath) -> None:
    """Lower nodes go before higher ones."""
    with looking(base, mask_size=64) as vision:
        vision.add_viewer(hero_at(scene), view_range=10.0, group=1)
        vision.bind(scene, group=0)
        step(base)
        assert middle(base) == [0, 0, 0]
        vision.bind(ground, group=1)
        step(base)
        assert middle(base) == [255, 255, 255]
        vision.release(ground)
        step(base)
        assert middle(base) == [0, 0, 0]


@pytest.mark.parametrize("groups", [(0, 0), (0, 0, 0), (1, 0), (0, 1, 0)])
def test_bound_again(base: Any, scene: NodePath, ground: NodePath, groups: tuple[int, ...]) -> None:
    """The last call counts; and once released, all is as it was."""
    found = snapshot(scene)
    with looking(base, mask_size=64) as vision:
        hero = base.render.attach_new_node("hero")
        vision.add_viewer(hero, view_range=10.0)
        for group in groups:
            vision.bind(scene, group=group)
        step(base)
        assert middle(base) == [255, 255, 255]
        vision.release(scene)
        assert_same_scene(snapshot(scene), found)
        hero.remove_node()


@pytest.mark.parametrize("own", ["nothing", "an input", "the same name"])
def test_released_it_is_as_it_was(base: Any, scene: NodePath, ground: NodePath, own: str) -> None:
    if own == "an input":
        scene.set_shader_input("heat", 3.0)
    if own == "the same name":
        scene.set_shader_input("rtstamp_mask_beyond", 0.5)
    found = snapshot(scene)
    attrib = scene.get_attrib(ShaderAttrib)
    with looking(base, mask_size=64) as vision:
        vision.bind(scene)
        step(base)
        assert scene.get_attrib(ShaderAttrib) != attrib
        vision.release(scene)
        assert_same_scene(snapshot(scene), found)
        vision.bind(scene)
    assert_same_scene(snapshot(scene), found)
    assert scene.get_attrib(ShaderAttrib) == attrib


def test_arguments(base: Any, scene: NodePath) -> None:
    with looking(base, mask_size=64) as vision:
        with pytest.raises(ConfigError, match="node must be a NodePath"):
            vision.bind("scene")  # type: ignore[arg-type]
        with pytest.raises(ConfigError, match="group must be"):
            vision.bind(scene, group=-1)
        assert scene.get_attrib(ShaderAttrib) is None
