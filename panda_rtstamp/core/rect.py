"""Rectangles of texels, and few of them in the place of many."""

from collections.abc import Iterable
from dataclasses import dataclass

# What a rectangle costs, in texels: two are one if that leaves fewer than these to draw in vain.
_APART = 64 * 64


@dataclass(frozen=True, slots=True)
class Rect:
    """Texels from (left, bottom) to before (right, top), row 0 at v = 0."""

    left: int
    bottom: int
    right: int
    top: int

    @staticmethod
    def whole(size: int) -> "Rect":
        """All texels of a square texture."""
        return Rect(0, 0, size, size)

    @property
    def area(self) -> int:
        """How many texels it has; 0 if it is empty."""
        return max(self.right - self.left, 0) * max(self.top - self.bottom, 0)

    def grown(self, texels: int, size: int) -> "Rect":
        """Larger by this on each side, as far as a texture of this size goes."""
        return Rect(
            max(self.left - texels, 0),
            max(self.bottom - texels, 0),
            min(self.right + texels, size),
            min(self.top + texels, size),
        )

    def union(self, other: "Rect") -> "Rect":
        """The smallest one around both, neither of which may be empty."""
        return Rect(
            min(self.left, other.left),
            min(self.bottom, other.bottom),
            max(self.right, other.right),
            max(self.top, other.top),
        )

    def overlaps(self, other: "Rect") -> bool:
        """True if they share a texel."""
        across = self.left < other.right and other.left < self.right
        return across and self.bottom < other.top and other.bottom < self.top

    def contains(self, other: "Rect") -> bool:
        """True if all texels of the other one are in this one."""
        across = self.left <= other.left and other.right <= self.right
        return across and self.bottom <= other.bottom and other.top <= self.top


def gather(rects: Iterable[Rect], most: int, gathered: Iterable[Rect] = ()) -> list[Rect]:
    """At most so many rectangles, no two of which overlap, that hold all of these.

    Args:
        gathered: more of them, which an earlier call has returned.
    """
    found = list(gathered)
    for rect in rects:
        if rect.area:
            _add(found, rect)
    while len(found) > most:
        pairs = [(first, second) for number, first in enumerate(found) for second in found[:number]]
        first, second = min(pairs, key=lambda pair: _waste(*pair))
        found.remove(first)
        found.remove(second)
        _add(found, first.union(second))
    return found


def _add(found: list[Rect], rect: Rect) -> None:
    """Add a rectangle, as one with all that it overlaps or lies beside."""
    while True:
        near = next((other for other in found if other.overlaps(rect) or _waste(other, rect) < _APART), None)
        if near is None:
            found.append(rect)
            return
        found.remove(near)
        rect = rect.union(near)


def _waste(first: Rect, second: Rect) -> int:
    return first.union(second).area - first.area - second.area
