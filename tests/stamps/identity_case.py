"""A process of test_identity: one scene in one renderer, with the add-on or without ever importing it.

Arguments: the renderer (fixed, generator, simplepbr, simplepbr-msaa), "with" or "without", the file to write.
"""

import sys
from typing import Any

import numpy as np
from direct.actor.Actor import Actor
from numpy.typing import NDArray
from panda3d.core import (
    AmbientLight,
    DirectionalLight,
    Fog,
    NodePath,
    PerspectiveLens,
    PointLight,
    TransparencyAttrib,
)

from pictures import extent
from support import make_base, make_card, screenshot, step

FADE_FRAMES = 6


def main(renderer: str, mode: str, output: str) -> None:
    base = make_base()
    nodes = build(base, renderer)
    pictures = {"plain": screenshot(base, frames=4)}
    if renderer == "generator":
        base.render.set_shader_auto()
        pictures["fixed"], pictures["plain"] = pictures["plain"], screenshot(base, frames=2)
    if mode == "with":
        pictures.update(mark(base, nodes))
    elif any(name.startswith("panda_rtstamp") for name in sys.modules):
        raise AssertionError("the picture without the add-on was to be made without importing it")
    np.savez(output, **pictures)  # type: ignore[arg-type]


def build(base: Any, renderer: str) -> list[NodePath]:
    """Textured, skinned, transparent, nested and two-sided models under three lights, in fog."""
    if renderer.startswith("simplepbr"):
        import simplepbr

        simplepbr.init(
            enable_shadows=False, enable_fog=True, msaa_samples=4 if renderer == "simplepbr-msaa" else 0
        )
    lens = PerspectiveLens()
    lens.set_near_far(1, 100)
    base.cam.node().set_lens(lens)
    base.cam.set_pos(0, -12, 2)
    base.cam.look_at(0, 0, 0)
    ambient, sun, lamp = AmbientLight("ambient"), DirectionalLight("sun"), PointLight("lamp")
    ambient.set_color((0.3, 0.3, 0.35, 1))
    lamp.set_attenuation((1.0, 0.1, 0.01))
    for light, place in ((ambient, (0, 0, 0)), (sun, (3, -5, 6)), (lamp, (-3, -3, 2))):
        path = base.render.attach_new_node(light)
        path.set_pos(*place)
        path.look_at(0, 0, 0)
        base.render.set_light(path)
    fog = Fog("haze")
    fog.set_exp_density(0.02)
    fog.set_color(0.5, 0.6, 0.7)
    base.render.set_fog(fog)
    ball = base.loader.load_model("models/smiley")
    ball.reparent_to(base.render.attach_new_node("turned"))
    ball.get_parent().set_hpr(30, 20, 10)
    ball.set_scale(1.5, 1.0, 1.2)
    ball.set_x(-2)
    bear = Actor("models/panda-model", {"walk": "models/panda-walk4"})
    bear.reparent_to(base.render)
    bear.set_scale(0.004)
    bear.set_pos(2, 0, -2)
    bear.set_h(40)
    bear.pose("walk", 9)
    if renderer == "simplepbr-msaa":
        # Without the add-on too, the last bit of alpha at the bear's edges differs from process to process.
        bear.hide()
    glass = make_card(2.0, 2.0)
    glass.reparent_to(base.render)
    glass.set_pos(0, -4, 0)
    glass.set_color(0.2, 0.5, 1.0, 0.4)
    glass.set_transparency(TransparencyAttrib.M_alpha)
    leaf = make_card(3.0, 3.0)
    leaf.reparent_to(base.render)
    leaf.set_pos(0, 3, 2)
    leaf.set_h(150)
    leaf.set_two_sided(True)
    return [ball, bear, glass, leaf]


def mark(base: Any, nodes: list[NodePath]) -> dict[str, NDArray[np.uint8]]:
    """The same picture with marks of alpha 0, with visible ones, and after the last of them was recycled."""
    from panda_rtstamp import StampConfig, StampSystem

    pictures = {}
    for display in ("overlay", "wrap"):
        config = StampConfig(display=display, fade_duration=FADE_FRAMES / 60)
        with StampSystem(base, config) as stamps:
            pictures[f"{display}-idle"] = screenshot(base)
            hit_all(stamps, nodes, opacity=0.0)
            assert stamps.active_count == len(nodes)
            pictures[f"{display}-alpha-0"] = screenshot(base)
            hit_all(stamps, nodes, opacity=1.0)
            pictures[f"{display}-visible"] = screenshot(base)
            step(base, FADE_FRAMES + 1)
            assert stamps.active_count == 0
            pictures[f"{display}-recycled"] = screenshot(base)
        pictures[f"{display}-destroyed"] = screenshot(base)
    return pictures


def hit_all(stamps: Any, nodes: list[NodePath], opacity: float) -> None:
    """One big mark on each node."""
    for node in nodes:
        center, size = extent(node)
        assert stamps.hit(node, center, radius=size * 0.7, color=(1, 0, 0), opacity=opacity) is not None


if __name__ == "__main__":
    main(*sys.argv[1:])
