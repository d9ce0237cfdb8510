"""Screens: all that a camera shows is drawn darker where a mask does not show it."""

from typing import Any

from panda3d.core import (
    Camera,
    ColorBlendAttrib,
    LVecBase2f,
    NodePath,
    OmniBoundingVolume,
    RenderState,
    ShaderAttrib,
    WeakNodePath,
)

from panda_rtstamp.core.card import VERTEX_SHADER, Card, card_node
from panda_rtstamp.core.context import Context
from panda_rtstamp.core.regions import remove_regions
from panda_rtstamp.core.shader import load_shader
from panda_rtstamp.vision.additions import MaskInputs
from panda_rtstamp.vision.picture import JoinedPicture, OwnPicture, Picture, Place, find_place

_FRAGMENT = "rtstamp/vision/screen.frag"
# What is there, times what is drawn.
_MULTIPLY = ColorBlendAttrib.make(
    ColorBlendAttrib.M_add, ColorBlendAttrib.O_zero, ColorBlendAttrib.O_incoming_color
)


class _Card:
    """A card over a region of the window, seen by a camera that is where the scene's is."""

    def __init__(
        self,
        context: Context,
        place: Place,
        picture: Picture,
        inputs: MaskInputs,
        dark: float,
    ) -> None:
        self._context = context
        self._below = place.region
        self._picture = picture
        root = NodePath("rtstamp-screen")
        self._camera = Camera("rtstamp-screen")
        self._camera.set_cull_bounds(OmniBoundingVolume())
        self._eye = root.attach_new_node(self._camera)
        card = card_node("rtstamp-screen", [Card(_state(picture, inputs, dark))], 1)
        self._card = root.attach_new_node(card)
        self._size = (0, 0)
        self._region = context.window.make_display_region()
        self._region.set_camera(self._eye)

    def update(self, camera: NodePath) -> None:
        """Be where the picture is, and look as the scene's camera does."""
        region, below = self._region, self._below
        region.set_active(self._picture.active)
        region.set_sort(below.get_sort())
        region.set_dimensions(below.get_dimensions())
        node = camera.node()
        assert isinstance(node, Camera)
        self._eye.set_transform(camera.get_net_transform())
        lens = node.get_lens(below.get_lens_index())
        if self._camera.get_lens() != lens:
            self._camera.set_lens(lens)
        if self._size != self._picture.size:
            self._size = self._picture.size
            self._card.set_shader_input("u_size", LVecBase2f(*self._size))

    def release(self) -> None:
        """Take it away."""
        remove_regions(self._context, [self._region])


class Screen:
    """Multiplies the colour of all that a camera shows by mix(dark, 1, seen), until it is released.

    It does so in the finished picture, before the GUI is drawn over it: after bloom and tone mapping, and
    whatever drew the scene. A pixel is dimmed by the place in the world that its depth tells: what writes no
    depth, as transparent things do not, is taken for what is behind it. Where there is no depth, in the sky,
    counts what lies outside the mask's rectangle. Where the picture is multisampled, each pixel has the depth
    of one of its samples. A region that is drawn over others, and clears no colour, must not be dimmed: it
    gets the background of the window, unless a FilterManager draws it.

    Args:
        camera: of a display region of the base's window, or of a FilterManager there.
        inputs: the mask.
        base: a ShowBase whose window is open.
        dark: what is left of the light where nothing is seen, 0..1.

    Raises:
        UnsupportedGpuError: the driver makes no buffer for the scene. Nothing was changed.
    """

    def __init__(self, camera: NodePath, inputs: MaskInputs, base: Any, dark: float) -> None:
        self._camera = WeakNodePath(camera)
        self._inputs = inputs
        self._dark = dark
        self._context = Context(base)
        self._place: Place | None = None
        self._picture: Picture | None = None
        self._card: _Card | None = None
        self.update()

    def update(self) -> None:
        """Follow the camera, and what the game makes of its picture. Once a frame, before it is drawn."""
        camera = NodePath() if self._camera.was_deleted() else self._camera.get_node_path()
        place = None if camera.is_empty() else find_place(self._context.base, self._context.window, camera)
        if place != self._place:
            self.release()
            self._enter(place, camera)
        if self._picture is not None and self._card is not None:
            self._picture.update()
            self._card.update(camera)

    def _enter(self, place: Place | None, camera: NodePath) -> None:
        self._place = place
        if place is None:
            return
        if place.buffer is None:
            self._picture = OwnPicture(place, self._context, camera)
        else:
            self._picture = JoinedPicture(place)
        self._card = _Card(self._context, place, self._picture, self._inputs, self._dark)

    def release(self) -> None:
        """Leave window and scene as they were found. Idempotent."""
        if self._card is not None:
            self._card.release()
        if self._picture is not None:
            self._picture.release()
        self._place = self._picture = self._card = None


def _state(picture: Picture, inputs: MaskInputs, dark: float) -> RenderState:
    """Of the card. What it is given as a picture, it draws; else it multiplies what is there."""
    shader = load_shader(VERTEX_SHADER, _FRAGMENT, {"COPY": int(picture.color is not None)})
    attrib = ShaderAttrib.make(shader).set_shader_inputs(
        **inputs.values, rtstamp_dark=dark, u_depth=picture.depth
    )
    if picture.color is None:
        return RenderState.make(attrib, _MULTIPLY)
    return RenderState.make(attrib.set_shader_input("u_color", picture.color))
