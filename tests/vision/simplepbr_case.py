"""A process of test_clip and test_dim: consumers on what simplepbr draws, also after it made its shader anew.

Argument: clip or dim. Writes "done" if all is as it should be.
"""

import sys

import numpy as np
import simplepbr
from panda3d.core import AmbientLight, Material, Texture

from mask_support import Cut, inputs_of, line_mask, tilted_card, without
from panda_rtstamp.vision.clipping import Clip
from panda_rtstamp.vision.dimming import Dim
from pictures import assert_same_scene, rgb, snapshot
from support import make_base, read_target, screenshot

DARK = 0.25


def main(kind: str) -> None:
    base = make_base()
    pipeline = simplepbr.init(enable_shadows=False, msaa_samples=0)
    scene = base.render.attach_new_node("scene")
    card = tilted_card(base, scene)
    material = Material("red")
    material.set_base_color((0.8, 0.2, 0.1, 1.0))
    card.set_material(material)
    light = base.render.attach_new_node(AmbientLight("light"))
    base.render.set_light(light)
    cut, found = Cut(base, card), snapshot(scene)
    colors: Texture = pipeline._filtermgr.buffers[0].get_texture(0)
    before, empty = screenshot(base, frames=4), without(base, card)
    lit = read_colors(base, colors)
    consumer = (
        Clip(scene, inputs_of(line_mask())) if kind == "clip" else Dim(scene, inputs_of(line_mask()), DARK)
    )
    sources = set()
    for change in (None, "use_occlusion_maps", "enable_fog"):
        if change is not None:
            setattr(pipeline, change, True)
        consumer.update()
        sources.add(base.render.get_shader())
        picture = screenshot(base)
        if kind == "clip":
            cut.check(picture, before, empty)
        else:
            # Before tone mapping, in half floats.
            factor = read_colors(base, colors)[cut.hidden] / lit[cut.hidden]
            assert np.abs(factor - DARK).max() < 1e-3
            assert (rgb(picture)[cut.shown] == rgb(before)[cut.shown]).all()
    assert len(sources) == 3
    consumer.release()
    assert_same_scene(snapshot(scene), found)
    assert (screenshot(base) == before).all()
    print("done")


def read_colors(base: object, colors: Texture) -> "np.typing.NDArray[np.float32]":
    """What simplepbr drew before tone mapping, top row first."""
    screenshot(base)
    result: np.typing.NDArray[np.float32] = read_target(base, colors)[::-1, :, :3]
    return result


if __name__ == "__main__":
    main(*sys.argv[1:])
