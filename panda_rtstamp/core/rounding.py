"""Whether the driver rounds half floats to the nearest, or cuts them off, as some may.

Cutting off makes what is blended again and again drift down, by half a step each time. The question is put to
the graphics card and answered there: a texel in which a blend was rounded, for shaders to look at
(shaders/common/rounding.glsl). Nothing is read back.
"""

from panda3d.core import ColorBlendAttrib, Texture

from panda_rtstamp.core.card import Card, card_camera, constant
from panda_rtstamp.core.context import Context
from panda_rtstamp.core.target import FORMATS, RenderTarget

FRAGMENT_SHADER = "rtstamp/common/constant.frag"
# The next half float after 1 is 1 + 2^-10: this is rounded up to it, or cut off to 1.
_MORE_THAN_HALF_A_STEP = 0.75 * 2.0**-10
_ADD = ColorBlendAttrib.make(ColorBlendAttrib.M_add, ColorBlendAttrib.O_one, ColorBlendAttrib.O_one)


class RoundingProbe:
    """The texel, drawn once.

    Args:
        context: whose driver to ask.
        sort: of its buffer; must be below those of the passes that look at it.
    """

    def __init__(self, context: Context, sort: int) -> None:
        self._target = RenderTarget(context, "rtstamp-rounding", 1, FORMATS["rgba16f"], sort)

    @property
    def texture(self) -> Texture:
        """1 x 1: 1 if the driver cuts off, more if it rounds to the nearest."""
        return self._target.texture

    @property
    def target(self) -> RenderTarget:
        """To be collected like any other."""
        return self._target

    def draw(self) -> None:
        """Ask, in this frame."""
        cards = [Card(constant(1.0)), Card(constant(_MORE_THAN_HALF_A_STEP).set_attrib(_ADD))]
        self._target.draw(card_camera("rtstamp-rounding", cards))

    def destroy(self) -> None:
        """Free the texel. Idempotent."""
        self._target.destroy()
