"""The shader inputs that show a node's marks, by their public names (shaders/common/mark.glsl)."""

import math
from dataclasses import dataclass

from panda3d.core import (
    ClockObject,
    LVecBase2f,
    LVecBase4f,
    NodePath,
    PTA_float,
    PTA_LVecBase2f,
    ShaderAttrib,
    Texture,
)

from panda_rtstamp.core.config import Color

# The clock's two parts: whole blocks of this many seconds, exact in 32-bit floats for ages, and the rest.
_BLOCK = 256.0

NAMES = (
    "rtstamp_primary",
    "rtstamp_temp",
    "rtstamp_fade",
    "rtstamp_clock",
    "rtstamp_live",
    "rtstamp_color",
    "rtstamp_channels",
)


def split_time(now: float) -> tuple[float, float]:
    """A time as (whole blocks, rest), in seconds."""
    rest = now % _BLOCK
    return now - rest, rest


class Clock:
    """The time, as one input that the states of all marks share: nothing is done per mark per frame."""

    def __init__(self) -> None:
        self._clock = ClockObject.get_global_clock()
        self._last = 0.0
        self._ahead = 0.0
        self.array = PTA_LVecBase2f([LVecBase2f(*split_time(self.now))])

    @property
    def now(self) -> float:
        """Seconds, by the clock that a game pauses, slows and steps."""
        now = self._clock.get_frame_time() + self._ahead
        # Under a threading model a clock whose mode was changed gives no number at all now and then, and one
        # of these would stay in a mark for its whole life.
        if not math.isfinite(now):
            return self._last
        # A clock that was set back, as at a new level, must not hold marks until it has caught up.
        if now < self._last:
            self._ahead += self._last - now
            now = self._last
        self._last = now
        return now

    def publish(self) -> float:
        """Let all marks be shown as of now, from the next draw on; hands out that time."""
        now = self.now
        self.array[0] = LVecBase2f(*split_time(now))
        return now


@dataclass(frozen=True)
class MarkInputs:
    """What one node's marks are shown by.

    Attributes:
        primary, temp: the slot's textures.
        clock: shared by all marks.
        live: 1; set to 0 in place when the marks end, which reaches copies of the node too.
        share: of Temp that is seen at the time `start`.
        rate: of its decay, a second.
        color, intensity: as configured.
        channels: 1 or 4.
    """

    primary: Texture
    temp: Texture
    clock: Clock
    live: PTA_float
    share: float
    rate: float
    start: float
    color: Color
    intensity: float
    channels: int

    def on(self, attrib: ShaderAttrib, priority: int = 0) -> ShaderAttrib:
        """The shader attribute with these inputs set."""
        values = (
            self.primary,
            self.temp,
            LVecBase4f(self.share, self.rate, *split_time(self.start)),
            self.clock.array,
            self.live,
            LVecBase4f(self.color[0], self.color[1], self.color[2], self.intensity),
            float(self.channels),
        )
        for name, value in zip(NAMES, values, strict=True):
            attrib = attrib.set_shader_input(name, value, priority)
        return attrib


def set_inputs(node: NodePath, inputs: MarkInputs) -> None:
    """Set the inputs on a user's node, beside those it has."""
    own = node.get_attrib(ShaderAttrib)
    node.set_attrib(inputs.on(own if isinstance(own, ShaderAttrib) else ShaderAttrib.make()))


def no_marks(clock: Clock) -> MarkInputs:
    """Inputs that show nothing, for shaders that ask for them before the first hit."""
    black = Texture("rtstamp-none")
    black.setup_2d_texture(1, 1, Texture.T_unsigned_byte, Texture.F_rgba)
    black.set_clear_color((0.0, 0.0, 0.0, 0.0))
    black.clear_image()
    return MarkInputs(black, black, clock, PTA_float([0.0]), 0.0, 0.0, 0.0, (0.0, 0.0, 0.0, 0.0), 0.0, 4)
