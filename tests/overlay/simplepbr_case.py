"""A process of test_picture_life: what simplepbr draws, in a picture, with its clear alpha.

Argument: "own", a pipeline of the picture's own; or "shared", a second view of the scene that simplepbr draws
in the window. Writes "done" if all is as it should be.
"""

import sys
from typing import Any

import numpy as np
import simplepbr
from panda3d.core import AmbientLight, Camera, Material, NodePath

from panda_rtstamp.overlay.picture import RenderPicture
from picture_support import flat_camera, image_of
from support import make_base, make_card, step


def lit_card(parent: NodePath) -> NodePath:
    """A red card, 1 x 1, in white light."""
    card = make_card(1, 1)
    card.reparent_to(parent)
    material = Material("red")
    material.set_base_color((0.8, 0.2, 0.1, 1.0))
    card.set_material(material)
    light = parent.attach_new_node(AmbientLight("light"))
    parent.set_light(light)
    return card


def main(kind: str) -> None:
    base = make_base()
    root = NodePath("portrait") if kind == "own" else base.render
    lit_card(root)
    camera: NodePath[Camera] = root.attach_new_node(flat_camera())
    picture = RenderPicture(base, root, camera, size=64, update="always")
    if kind == "own":
        assert picture.buffer is not None
        simplepbr.init(
            render_node=root,
            window=picture.buffer,
            camera_node=picture.camera,
            enable_shadows=False,
            msaa_samples=4,
        )
    else:
        simplepbr.init(enable_shadows=False, msaa_samples=4)
    step(base, 4)
    check(image_of(picture))
    picture.destroy()
    step(base, 2)
    base.destroy()
    print("done")


def check(image: "np.typing.NDArray[Any]") -> None:
    """The card in the middle half is opaque and red; around it, there is nothing at all."""
    inside = np.zeros((64, 64), bool)
    inside[17:47, 17:47] = True
    outside = np.ones((64, 64), bool)
    outside[15:49, 15:49] = False
    assert (image[inside][:, 3] == 255).all(), image[32, 32]
    assert (image[inside][:, 0] > 100).all(), image[32, 32]
    assert (image[inside][:, 0] > image[inside][:, 1]).all()
    assert not image[outside].any(), image[2, 2]


if __name__ == "__main__":
    main(*sys.argv[1:])
