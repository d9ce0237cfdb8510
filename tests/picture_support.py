"""What tests of render pictures share: little flat scenes, and their draws counted."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from panda3d.core import (
    CallbackNode,
    Camera,
    NodePath,
    OmniBoundingVolume,
    OrthographicLens,
    PythonCallbackObject,
    Shader,
    TransparencyAttrib,
)

from panda_rtstamp.overlay.picture import RenderPicture
from pictures import PLAIN_VERTEX, flat_card, glsl, rgb
from support import frames_behind, screenshot, step

HALF_RED = (1.0, 0.0, 0.0, 0.5)
FORMATS = ("rgba8", "rgba16f", "rgba32f")


class FlatScene:
    """A scene of its own: a card, seen straight on, that fills the picture; and its draws can be counted.

    Attributes:
        root: of the scene.
        camera: shows x and z from -1 to 1.
        card: 2 x 2 around the origin.
    """

    def __init__(self, color: Any = (0.5, 0.5, 0.5, 1.0)) -> None:
        self.root = NodePath("flat")
        self.card = flat_card(self.root, 2, color)
        if color[3] < 1:
            self.card.set_transparency(TransparencyAttrib.M_alpha)
        self.camera = self.root.attach_new_node(flat_camera())
        # Under Cull/Draw, a process loses the first thing that it draws if nothing between the two is moved.
        self.camera.set_y(-1)
        self._draws = 0

    def _count(self, data: Any) -> None:
        data.upcall()
        self._draws += 1

    def draws_in(self, base: Any, frames: int, before: Callable[[int], object] | None = None) -> int:
        """Run so many frames; how often these drew the scene.

        Args:
            before: is called before each frame, with its number.
        """
        # Only while counting: under a threading model, a drawing thread that waits for Python's lock and a
        # screenshot that waits for that thread would wait for ever.
        node = CallbackNode("counter")
        node.set_draw_callback(PythonCallbackObject(self._count))
        node.set_bounds(OmniBoundingVolume())
        node.set_final(True)
        counter = self.root.attach_new_node(node)
        self._draws = 0
        for number in range(frames):
            if before is not None:
                before(number)
            step(base)
        # Under Cull/Draw these frames are still to be drawn; those that are run for that are not counted.
        counter.detach_node()
        settle(base)
        return self._draws


def exactly(*color: float) -> Shader:
    """Draws this, which may be more than 1, where fixed function holds colours to what 8 bits can tell."""
    text = ", ".join(map(str, color))
    return glsl(PLAIN_VERTEX, f"#version 330\nout vec4 o_color;\nvoid main() {{ o_color = vec4({text}); }}")


def flat_camera() -> Camera:
    """It looks along +Y, at x and z from -1 to 1."""
    lens = OrthographicLens()
    lens.set_film_size(2, 2)
    lens.set_near_far(-10, 10)
    return Camera("flat", lens)


def settle(base: Any) -> None:
    """Let frames that were handed over be drawn. Runs frames under Cull/Draw only."""
    step(base, frames_behind(base))


def show_flat(base: Any) -> None:
    """Let the main camera show x and z from -1 to 1."""
    lens = flat_camera().get_lens()
    base.cam.node().set_lens(lens)


def image_of(picture: RenderPicture) -> NDArray[np.uint8]:
    """Its image, which must be there."""
    image = picture.image()
    assert image is not None
    return image


def picture_of(base: Any, flat: FlatScene, update: str, **options: Any) -> RenderPicture:
    return RenderPicture(base, flat.root, flat.camera, size=16, update=update, **options)


def shows(picture: RenderPicture, color: Any) -> bool:
    """Whether that is all that the texture holds."""
    return bool((image_of(picture) == color).all())


def middle(base: Any) -> list[int]:
    """The colour in the middle of the window, one frame later."""
    color: list[int] = rgb(screenshot(base))[128, 128].tolist()
    return color


def drawn(base: Any, scene: FlatScene, **options: Any) -> RenderPicture:
    """A picture of a scene that was drawn once."""
    picture = RenderPicture(base, scene.root, scene.camera, **{"size": 16, "update": "manual", **options})
    picture.queue_update()
    step(base)
    return picture
