"""How marks fade: exactly, at every frame rate and in every format, at no cost per frame.

Temp does not hold what is seen but S * seen / pending, where pending is the share that has faded away since
Temp was last stored, and S the headroom that fixed-point formats need for it. So nothing is drawn while a
mark fades: the display multiplies by pending / S. Only a merge that meets pending <= step stores ("bakes")
the fade, by exactly `step`, a number that 8 bits hold. Storing it in every frame, as is usual, rounds in the
texture's precision each time, and sticks.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from panda3d.core import ColorBlendAttrib, NodePath, RenderState, Shader, ShaderAttrib, Texture

from panda_rtstamp.core.card import VERTEX_SHADER, Card, card_camera, wipe
from panda_rtstamp.core.rect import Rect
from panda_rtstamp.core.shader import load_shader
from panda_rtstamp.core.target import Format, RenderTarget
from panda_rtstamp.stamps.config import StampConfig
from panda_rtstamp.stamps.hit import BLENDS

_BLEND_FADE = ColorBlendAttrib.make(
    ColorBlendAttrib.M_add, ColorBlendAttrib.O_zero, ColorBlendAttrib.O_incoming_color
)
_BLEND_MAX = ColorBlendAttrib.make(ColorBlendAttrib.M_max, ColorBlendAttrib.O_one, ColorBlendAttrib.O_one)
_BLEND_MERGE = ColorBlendAttrib.make(
    ColorBlendAttrib.M_add, ColorBlendAttrib.O_one, ColorBlendAttrib.O_incoming1_alpha
)
_BLEND_MIN = ColorBlendAttrib.make(ColorBlendAttrib.M_min, ColorBlendAttrib.O_one, ColorBlendAttrib.O_one)
CLAMP_SHADER = "rtstamp/stamps/clamp.frag"
# A share that is within rounding of a step is that step.
_ROUNDING = 1e-6
# Of a full mark; less than this no format holds.
_NOTHING = 2.0**-24


class Fade:
    """The strength of one node's marks over time.

    Two shares decay together: `alpha`, 1 at the last hit, which says when the marks are forgotten; and
    `pending`, 1 when Temp was last stored.

    Args:
        step: pending is stored as soon as a merge finds it at or below this; 1 stores it in every frame.
        headroom: what a full mark is in Temp when pending is 1.
        now: seconds.
    """

    def __init__(self, step: float, headroom: float, now: float) -> None:
        self.step = step
        self.headroom = headroom
        self.start = now
        self.rate = 0.0
        self._alpha = 1.0
        self._pending = 1.0

    @property
    def textbook(self) -> bool:
        """True if the fade is stored in every frame."""
        return self.step >= 1.0

    def alpha(self, now: float) -> float:
        """The share of a full mark made at the last hit that is left."""
        return self._alpha * self._decay(now)

    def pending(self, now: float) -> float:
        """The share of Temp that is left."""
        return self._pending * self._decay(now)

    def gain(self, now: float) -> float:
        """What a full mark is in Temp now."""
        return self.headroom / self.pending(now)

    def _decay(self, now: float) -> float:
        return math.exp(-self.rate * max(now - self.start, 0.0))

    def decay_since(self, then: float, now: float) -> float:
        """The share that is left now of what was full then."""
        return math.exp(-self.rate * max(now - then, 0.0))

    def set_rate(self, rate: float, now: float) -> None:
        """Fade on from the present strength by exp(-rate * seconds); 0 holds it."""
        self._alpha, self._pending = self.alpha(now), self.pending(now)
        self.start = now
        self.rate = rate

    def renew(self) -> None:
        """There was a hit: alpha is 1 again from `start` on. To be followed by `set_rate`."""
        self._alpha = 1.0

    def restore(self, alpha: float, pending: float) -> None:
        """Go on from saved shares, from `start` on. To be followed by `set_rate`."""
        self._alpha, self._pending = alpha, pending

    def expiry(self, threshold: float) -> float:
        """The time at which alpha falls to the threshold; infinity while it is held."""
        if self.rate <= 0.0:
            return math.inf
        return self.start + math.log(max(self._alpha / threshold, 1.0)) / self.rate

    def bake(self, now: float) -> list[float]:
        """The factors that Temp is to be multiplied by now, which pending then no longer holds."""
        self.set_rate(self.rate, now)
        if self.textbook:
            factors = [self._pending] if self._pending < 1.0 else []
            self._pending = 1.0
            return factors
        if self._pending < _NOTHING:
            self._pending = 1.0
            return [0.0]
        factors = []
        while self._pending <= self.step * (1.0 + _ROUNDING):
            self._pending /= self.step
            factors.append(self.step)
        return factors


def rate_of(threshold: float, duration: float) -> float:
    """The rate at which the frame factor threshold ^ (dt / duration) decays, as exp(-rate * dt)."""
    return -math.log(threshold) / duration


@dataclass(frozen=True)
class Merge:
    """Hits to be brought into Temp.

    Attributes:
        primary: holds them.
        blend: how they meet the marks in Temp, one of BLENDS.
        gain: what a full mark is in Temp.
        rects: the texels that they may mark, none of them twice.
    """

    primary: Texture
    blend: str
    gain: float
    rects: Sequence[Rect]


class Merger:
    """Makes the passes over Temp: stored fades, the merge of Primary, and the limit.

    Args:
        config: gives the shaders.
        rounding: the texel of a RoundingProbe.
    """

    def __init__(self, config: StampConfig, rounding: Texture) -> None:
        self._config = config
        self._rounding = rounding

    def camera(
        self, target: RenderTarget, fresh: bool, factors: Sequence[float], merges: Sequence[Merge]
    ) -> NodePath:
        """A camera for one pass over Temp.

        Args:
            target: Temp.
            fresh: start from zeros.
            factors: it is multiplied by these first, one after another, wherever it holds something.
            merges: what is brought into it then, in this order.
        """
        used = target.take_used() if fresh else target.used
        cards = [wipe(used)] if fresh and used else []
        if used and not fresh:
            cards += [Card(self._fade(factor), used) for factor in factors]
        for merge in merges:
            cards.append(Card(self._merge(target.format, merge), merge.rects))
            if merge.blend == "add":
                shader = load_shader(VERTEX_SHADER, CLAMP_SHADER)
                cards.append(Card(_state(shader, _BLEND_MIN, u_gain=merge.gain), merge.rects))
        return card_camera("rtstamp-merge", cards, target.size)

    def _fade(self, factor: float) -> RenderState:
        return _state(load_shader(VERTEX_SHADER, self._config.fade_shader), _BLEND_FADE, u_factor=factor)

    def _merge(self, format: Format, merge: Merge) -> RenderState:
        shader = load_shader(VERTEX_SHADER, self._config.merge_shader, merge_defines(format))
        inputs = {"u_primary": merge.primary, "u_rounding": self._rounding}
        attrib = _BLEND_MAX if merge.blend == "max" else _BLEND_MERGE
        return _state(shader, attrib, u_gain=merge.gain, u_blend=BLENDS.index(merge.blend), **inputs)


def _state(shader: Shader, blend: ColorBlendAttrib, **inputs: float | Texture) -> RenderState:
    return RenderState.make(ShaderAttrib.make(shader).set_shader_inputs(**inputs), blend)


def merge_defines(format: Format) -> dict[str, int]:
    """The structure of the merge shader."""
    return {"CHANNELS": format.channels, "HALF_FLOAT": int(format.is_float)}
