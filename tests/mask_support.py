"""What tests of clips and dims share: masks whose edge is known, models, and the cut in a picture.

The mask of these tests shows what lies on one side of a line; see `LINE`.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray
from panda3d.core import GeomNode, NodePath, PTA_LVecBase4f, Shader, Texture, UnalignedLVecBase4f

from panda_rtstamp.core import layers
from panda_rtstamp.vision.additions import MaskInputs
from panda_rtstamp.vision.consumer import Consumer
from pictures import PLAIN_FRAGMENT, PLAIN_VERTEX, Bools, Bytes, Floats, Seen, glsl, look_from, rgb, see_node
from shader_texts import TESS_CONTROL, TESS_EVALUATION
from support import PROFILE, make_card, screenshot

SIZE = 512
RECT = (0.0, 0.0, 10.0, 10.0)
# (x, y) is seen where x + y / 2 < 0.3.
LINE = np.array([1.0, 0.5]), 0.3
BLUE = (0.0, 0.0, 1.0, 1.0)

# What draws models in the profile at hand.
RENDERERS = {
    "compat": ("none", "150", "330"),
    "core": ("none", "150", "330"),
    "x11": ("none", "generator", "330"),
    "threads": ("none", "generator", "330"),
}[PROFILE]
# Of these, those whose shader is wrapped, in a core profile everything; the others get texture stages.
WRAPPED = tuple(name for name in RENDERERS if name.isdigit() or PROFILE == "core")
STAGED = tuple(name for name in RENDERERS if name not in WRAPPED)


def tessellation_shader() -> Shader:
    """A shader with tessellation stages, which cannot be wrapped."""
    stages = (PLAIN_VERTEX, PLAIN_FRAGMENT, "", TESS_CONTROL, TESS_EVALUATION)
    shader = Shader.make(Shader.SL_GLSL, *stages)
    assert shader is not None
    return shader


def side(points: Floats) -> Floats:
    """How far world points, (..., 2 or 3), lie on the hidden side of the line; below 0 on the seen one."""
    normal, offset = LINE
    result: Floats = (points[..., :2] @ normal - offset) / np.linalg.norm(normal)
    return result


def line_mask(rect: tuple[float, float, float, float] = RECT) -> Texture:
    """A mask over this rectangle that shows the one side of the line, texel by texel, all or nothing."""
    x, y, width, height = rect
    across = (np.arange(SIZE) + 0.5) / SIZE - 0.5
    points = np.stack(np.meshgrid(x + across * width, y + across * height), axis=-1)
    return texture_of(side(points) < 0.0)


def texture_of(seen: NDArray[Any]) -> Texture:
    """A mask of these texels, 0..1, (rows along +Y, columns along +X)."""
    texture = Texture("mask")
    texture.setup_2d_texture(seen.shape[1], seen.shape[0], Texture.T_unsigned_byte, Texture.F_rgba)
    texels = np.repeat(np.round(seen * 255.0).astype(np.uint8)[..., None], 4, axis=2)
    texture.set_ram_image(np.ascontiguousarray(texels).tobytes())
    texture.set_wrap_u(Texture.WM_clamp)
    texture.set_wrap_v(Texture.WM_clamp)
    return texture


def inputs_of(
    texture: Texture, rect: tuple[float, float, float, float] = RECT, beyond: float = 0.0
) -> MaskInputs:
    """What consumers read of a mask, in the profile at hand."""
    window = PTA_LVecBase4f([UnalignedLVecBase4f(*rect)])
    return MaskInputs(texture, window, beyond, fixed_function=PROFILE != "core")


@contextmanager
def released(consumer: Any) -> Iterator[Any]:
    """A consumer for a while."""
    try:
        yield consumer
    finally:
        consumer.release()


def own_shader(version: str = "330", alpha: float = 1.0) -> Shader:
    """A user's shader of this version of GLSL."""
    fragment = PLAIN_FRAGMENT.replace("1.0);", f"{alpha});")
    texts = (text.replace("#version 330", f"#version {version}") for text in (PLAIN_VERTEX, fragment))
    return glsl(*texts)


def draw_by(node: NodePath, renderer: str, alpha: float = 1.0) -> None:
    """Let something of RENDERERS draw a node; the alpha is for a shader that gives one out itself."""
    if renderer == "generator":
        node.set_shader_auto()
    elif renderer != "none":
        node.set_shader(own_shader(renderer, alpha))


def tilted_card(base: Any, scene: NodePath) -> NodePath:
    """A red card of two large triangles, in space, below transforms that turn, scale and shear it."""
    base.win.set_clear_color(BLUE)
    upper = scene.attach_new_node("upper")
    upper.set_scale(1.0, 1.3, 1.0)
    upper.set_h(30.0)
    card = make_card(6.0, 6.0)
    card.reparent_to(upper)
    card.set_p(-60.0)
    card.set_color(1.0, 0.0, 0.0, 1.0)
    card.set_texture(plain_texture())
    card.set_two_sided(True)
    look_from(base, (1.0, -4.0, 14.0))
    return card


def plain_texture(alpha: int = 255) -> Texture:
    """One white texel."""
    texture = Texture("white")
    texture.setup_2d_texture(1, 1, Texture.T_unsigned_byte, Texture.F_rgba)
    texture.set_ram_image(bytes([255, 255, 255, alpha]))
    return texture


class Cut:
    """What a camera sees of a node, and where a mask must cut that.

    Args:
        base: a ShowBase; its camera stands already.
        node: what is looked at.
        texel: an edge of the mask's texels, in world units.
        distance: of world points, to the mask's edge, below 0 where it shows them.
        jump: pixels count whose neighbours' points lie no farther apart than this; of a flat node, all but
            those along its border.
    """

    def __init__(
        self,
        base: Any,
        node: NodePath,
        texel: float = RECT[2] / SIZE,
        distance: Callable[[Floats], Floats] = side,
        jump: float = np.inf,
    ) -> None:
        self.surface: Seen = see_node(base, node)
        step = _pixel_steps(self.surface.points)
        self._inner = self.surface.inner(jump)
        distances = distance(self.surface.points)
        # "Within one texel of the mask and one pixel."
        self._sure: Bools = self._inner & (np.abs(distances) > texel + step)
        self.shown: Bools = self._sure & (distances < 0.0)
        self.hidden: Bools = self._sure & (distances > 0.0)

    def check(self, picture: Bytes, whole: Bytes, empty: Bytes, tolerance: int = 0) -> None:
        """Assert that a picture is `whole` where the mask shows it, `empty` where not, and nothing between.

        Args:
            picture, whole, empty: with the clipped node, with the unclipped one, and without.
            tolerance: on the shown side, of 255.
        """
        assert self.shown.sum() > 2000
        assert self.hidden.sum() > 2000
        unsure = self._inner & ~self._sure
        assert 0 < unsure.sum() < 0.1 * self._inner.sum()
        assert differences(picture, whole)[self.shown].max() <= tolerance
        assert (rgb(picture)[self.hidden] == rgb(empty)[self.hidden]).all()
        # What the check is worth: the two differ.
        assert (rgb(whole) != rgb(empty))[self._inner].any(axis=-1).all()


def _pixel_steps(points: Floats) -> Floats:
    """How far apart in the world each pixel's point and the next ones are, at most; NaN at borders."""
    steps = np.full(points.shape[:2], np.nan)
    centre = points[1:-1, 1:-1]
    far = [
        np.linalg.norm(
            points[1 + y : points.shape[0] - 1 + y, 1 + x : points.shape[1] - 1 + x] - centre, axis=-1
        )
        for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1))
    ]
    steps[1:-1, 1:-1] = np.max(far, axis=0)
    return steps


def differences(picture: Bytes, other: Bytes) -> NDArray[np.int64]:
    """The largest difference of a channel, at each pixel."""
    result: NDArray[np.int64] = np.abs(rgb(picture).astype(int) - rgb(other).astype(int)).max(axis=-1)
    return result


def next_frame(base: Any, consumer: Consumer) -> Bytes:
    """A frame of a game: the consumer follows, then it is drawn."""
    consumer.update()
    return screenshot(base)


def without(base: Any, node: NodePath) -> Bytes:
    """The picture without a node."""
    node.hide()
    result = screenshot(base)
    node.show()
    return result


def pictures_of(base: Any, node: NodePath, make: Callable[[], Consumer]) -> tuple[Bytes, Bytes, Bytes, Bytes]:
    """The picture with a consumer, the one before, the one without the node, and the one after release."""
    before = screenshot(base)
    empty = without(base, node)
    with released(make()):
        picture = screenshot(base)
    return picture, before, empty, screenshot(base)


def geoms_of(node: NodePath) -> GeomNode:
    """The GeomNode at the end of a path."""
    result = node.node()
    assert isinstance(result, GeomNode)
    return result


def assert_no_layers_left() -> None:
    """All that consumers keep of nodes is gone."""
    assert not layers._layered
    assert not layers._originals
