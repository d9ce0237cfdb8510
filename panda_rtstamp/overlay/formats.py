"""What a render picture is: checked when it is made, and never changed."""

from dataclasses import dataclass
from typing import Any

from panda3d.core import Texture

from panda_rtstamp.core.config import Color, Rule, color, integer, number, text
from panda_rtstamp.core.target import FORMATS, Format
from panda_rtstamp.errors import ConfigError

MANUAL, VISIBLE, ALWAYS = "manual", "visible", "always"
_UPDATES = (VISIBLE, MANUAL, ALWAYS)
# r11g11b10f has no alpha, and no sign.
_FORMATS = {
    "rgba8": FORMATS["rgba8"],
    "rgba16f": FORMATS["rgba16f"],
    "rgba32f": Format("rgba32f", (32, 32, 32, 32), True, Texture.T_float, Texture.F_rgba32, 16),
    "r11g11b10f": Format("r11g11b10f", (11, 11, 10, 0), True, Texture.T_float, Texture.F_r11_g11_b10, 4),
}


def _sample_count(value: Any) -> int:
    result = integer(value)
    if result not in (0, 2, 4, 8, 16):
        raise ValueError
    return result


_EDGES = "a whole number, or a pair of them, 1 to 16384"
_EDGE = Rule(integer, _EDGES, low=1, high=16384)
_FORMAT = Rule(text, f"one of {', '.join(_FORMATS)}", choices=tuple(_FORMATS))
_UPDATE = Rule(text, f"one of {', '.join(_UPDATES)}", choices=_UPDATES)
_SAMPLES = Rule(_sample_count, "0, 2, 4, 8 or 16")
_COLOR = Rule(color, "3 or 4 numbers, 0 to 1, or None", optional=True)
# Those of FilterManager, whose pictures show ours, begin at -1000.
LAST_SORT = -1001
_SORT = Rule(
    integer, "a whole number, -100000 to -1001, or None", low=-100_000, high=LAST_SORT, optional=True
)


@dataclass(frozen=True)
class PictureKind:
    """What a picture's texture and buffer are.

    Attributes:
        width, height: texels.
        format: of the texture.
        samples: of multisampling; 0: none.
        background: red, green and blue times alpha, and alpha: what the texture is cleared to.
        sort: among the window's buffers; None: the last of them, and moved before those that show it.
    """

    width: int
    height: int
    format: Format
    samples: int
    background: Color
    sort: int | None

    @property
    def has_alpha(self) -> bool:
        """True if the texture has four channels."""
        return self.format.channels == 4

    @property
    def transparent(self) -> bool:
        """True if what is behind the picture may show through it."""
        return self.has_alpha and self.background[3] < 1.0

    @property
    def aspect(self) -> float:
        """Width by height."""
        return self.width / self.height


def check_kind(size: Any, format: Any, samples: Any, background: Any, sort: Any) -> PictureKind:
    """See RenderPicture. Raises ConfigError."""
    width, height = _check_size(size)
    chosen = _FORMATS[_FORMAT.check("format", format)]
    has_alpha = chosen.channels == 4
    shown = _COLOR.check("background", background) or (0.0, 0.0, 0.0, 0.0 if has_alpha else 1.0)
    if not has_alpha and shown[3] < 1.0:
        raise ConfigError(
            f"background must be opaque in {chosen.name}, which has no alpha: take rgba8, rgba16f or "
            f"rgba32f for a transparent one; got {background!r}"
        )
    alpha = shown[3]
    premultiplied = (*(part * alpha for part in shown[:3]), alpha)
    count = _SAMPLES.check("samples", samples)
    return PictureKind(width, height, chosen, count, premultiplied, _SORT.check("sort", sort))


def _check_size(size: Any) -> tuple[int, int]:
    try:
        edges = list(size) if not isinstance(size, (str, bytes, set, dict)) else []
    except TypeError:
        edges = [size, size]
    if len(edges) != 2:
        raise ConfigError(f"size must be {_EDGES}, got {size!r}")
    return _EDGE.check("size", edges[0]), _EDGE.check("size", edges[1])


def check_update(update: Any) -> str:
    """A name of an update mode. Raises ConfigError."""
    return str(_UPDATE.check("update", update))


def check_point(pos: Any) -> tuple[float, float, float]:
    """Three finite numbers. Raises ConfigError."""
    try:
        x, y, z = (number(part) for part in pos)
    except (TypeError, ValueError):
        raise ConfigError(f"pos must be three finite numbers, got {pos!r}") from None
    return x, y, z
