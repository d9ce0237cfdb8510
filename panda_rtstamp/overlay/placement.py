"""Where in the window an overlay lies, whatever the window's size.

Every edge is a share of the window and so many pixels more, and that is all there is: numbers that are ints
are pixels, which `scale` makes larger, and floats are shares. A rectangle in a corner is measured from there.
"""

from dataclasses import dataclass
from math import floor
from numbers import Integral
from typing import Any

from panda_rtstamp.core.config import Rule, number
from panda_rtstamp.errors import ConfigError

_EDGES = "(left, top, right, bottom)"
_NUMBERS = "pixels as ints and shares of the window as floats, all within 1e6"
_MOST = 1e6
# Along each axis, how much of what is left beside the overlay lies before it.
_BEFORE = {"left": 0.0, "center": 0.5, "right": 1.0, "top": 0.0, "bottom": 1.0}
ANCHORS = {
    "top-left": ("left", "top"),
    "top": ("center", "top"),
    "top-right": ("right", "top"),
    "left": ("left", "center"),
    "center": ("center", "center"),
    "right": ("right", "center"),
    "bottom-left": ("left", "bottom"),
    "bottom": ("center", "bottom"),
    "bottom-right": ("right", "bottom"),
}
SCALE = Rule(number, "a number, 0.1 to 16", low=0.1, high=16.0)
# Sums of shares and pixels are off by a rounding: those that ought to be halves are rounded up, all of them.
_HAIR = 1e-6


@dataclass(frozen=True)
class Length:
    """A share of the window's width or height, and so many pixels more."""

    share: float = 0.0
    pixels: float = 0.0

    @staticmethod
    def of(name: str, value: Any) -> "Length":
        """What users give: an int or a float. Raises ConfigError."""
        try:
            checked = number(value)
        except (TypeError, ValueError):
            checked = 2 * _MOST
        if abs(checked) > _MOST:
            raise ConfigError(f"{name} must be made of {_NUMBERS}, got {value!r}")
        return Length(pixels=checked) if isinstance(value, Integral) else Length(share=checked)

    def __add__(self, other: "Length") -> "Length":
        return Length(self.share + other.share, self.pixels + other.pixels)

    def __mul__(self, factor: float) -> "Length":
        return Length(self.share * factor, self.pixels * factor)

    def at(self, extent: int, scale: float) -> int:
        """Pixels, in a window that has so many, rounded half up."""
        return floor(self.share * extent + self.pixels * scale + 0.5 + _HAIR)


_WHOLE = Length(share=1.0)
_FULL = (0.0, 0.0, 1.0, 1.0)


@dataclass(frozen=True)
class Bounds:
    """Pixels of a window, row 0 at its top: from (left, top) to before (right, bottom)."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def width(self) -> int:
        """Pixels across; 0 or less if there are none."""
        return self.right - self.left

    @property
    def height(self) -> int:
        """Pixels downwards; 0 or less if there are none."""
        return self.bottom - self.top

    @property
    def empty(self) -> bool:
        """True if it has no pixels."""
        return self.width <= 0 or self.height <= 0

    def inset(self, pixels: int) -> "Bounds":
        """Smaller by this on each side."""
        return Bounds(self.left + pixels, self.top + pixels, self.right - pixels, self.bottom - pixels)


@dataclass(frozen=True)
class Placement:
    """The four edges. What users give is checked by what makes one."""

    left: Length
    top: Length
    right: Length
    bottom: Length

    @staticmethod
    def of(rect: Any, size: Any, anchor: Any, margin: Any) -> "Placement":
        """Given by its edges, or by its size and so on; the whole window, if both are None."""
        if rect is not None and size is not None:
            raise ConfigError("rect and size can't both be given")
        if size is not None:
            return Placement.by_anchor(size, "top-left" if anchor is None else anchor, margin)
        if anchor is not None or margin != 0:
            raise ConfigError("anchor and margin go with size, which was not given")
        return Placement.by_rect(_FULL if rect is None else rect)

    @staticmethod
    def by_rect(rect: Any) -> "Placement":
        """Given by its edges, from left and top: (left, top, right, bottom). Raises ConfigError."""
        try:
            left, top, right, bottom = (Length.of("rect", value) for value in rect)
        except (TypeError, ValueError) as error:
            if isinstance(error, ConfigError):
                raise
            raise ConfigError(f"rect must be {_EDGES}: {_NUMBERS}, got {rect!r}") from None
        for low, high in ((left, right), (top, bottom)):
            # An edge in pixels and the other as a share may lie in any order, as the window is.
            if low.share >= high.share and low.pixels >= high.pixels:
                raise ConfigError(f"rect must be {_EDGES} with left < right and top < bottom, got {rect!r}")
        return Placement(left, top, right, bottom)

    @staticmethod
    def by_anchor(size: Any, anchor: Any, margin: Any) -> "Placement":
        """Given by its size and where it sits. Raises ConfigError.

        Args:
            size: (width, height), above 0.
            anchor: a key of ANCHORS.
            margin: how far from the window's edges there: one for both axes, or (across, downwards).
        """
        width, height = _pair("size", size)
        if width.share + width.pixels <= 0.0 or height.share + height.pixels <= 0.0:
            raise ConfigError(f"size must be (width, height), both above 0, got {size!r}")
        if not isinstance(anchor, str) or anchor not in ANCHORS:
            raise ConfigError(f"anchor must be one of {', '.join(ANCHORS)}, got {anchor!r}")
        across, down = _pair("margin", margin if isinstance(margin, (tuple, list)) else (margin, margin))
        horizontal, vertical = ANCHORS[anchor]
        left = _start(width, horizontal, across)
        top = _start(height, vertical, down)
        return Placement(left, top, left + width, top + height)

    def moved(self, right: Length, down: Length) -> "Placement":
        """Elsewhere, as large."""
        return Placement(self.left + right, self.top + down, self.right + right, self.bottom + down)

    def at(self, width: int, height: int, scale: float) -> Bounds:
        """Where it lies in a window of this size, in pixels; beyond it too."""
        return Bounds(
            self.left.at(width, scale),
            self.top.at(height, scale),
            self.right.at(width, scale),
            self.bottom.at(height, scale),
        )


def _start(size: Length, side: str, margin: Length) -> Length:
    """Where something of this size begins that is set to a side."""
    before = _BEFORE[side]
    # In the middle, margins have no meaning.
    return (_WHOLE + size * -1.0) * before + margin * (1.0 - 2.0 * before)


def _pair(name: str, values: Any) -> tuple[Length, Length]:
    try:
        first, second = values
    except (TypeError, ValueError):
        raise ConfigError(f"{name} must be two numbers, got {values!r}") from None
    return Length.of(name, first), Length.of(name, second)
