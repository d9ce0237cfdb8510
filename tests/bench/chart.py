"""Line charts with logarithmic axes, drawn with Pillow."""

from collections.abc import Sequence
from math import ceil, floor, log10
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from bench.report import Curve

_SIZE = (640, 460)
_LEFT, _RIGHT, _TOP, _BOTTOM = 70, 20, 40, 60
_SCALE = 2
_INK = "#222222"
_GRID = "#dddddd"
# Ours first; told apart also by those who see no colours, by the marks at their points.
_COLORS = {
    "ours": "#d62728",
    "1 textbook": "#1f77b4",
    "2 painting": "#9467bd",
    "3 projected": "#2ca02c",
    "4 cut mesh": "#ff7f0e",
    "5 limit": "#555555",
    "no marks": "#999999",
    "exact": "#d62728",
    "textbook": "#1f77b4",
    "by map": "#9467bd",
    "rays": "#2ca02c",
    "polygon": "#ff7f0e",
    "limit": "#555555",
}


class _Axes:
    """Where values of one chart lie on the picture."""

    def __init__(self, origin: tuple[int, int], points: Sequence[tuple[float, float]]) -> None:
        self.origin = origin
        xs, ys = zip(*points, strict=True)
        self.x_low, self.x_high = log10(min(xs)), log10(max(xs))
        self.y_low, self.y_high = floor(log10(min(ys))), ceil(log10(max(ys)))
        self.x_span = self.x_high - self.x_low or 1.0
        self.y_span = self.y_high - self.y_low or 1

    def place(self, x: float, y: float) -> tuple[float, float]:
        """Pixels, from the left and the top."""
        across = (log10(x) - self.x_low) / self.x_span
        up = (log10(y) - self.y_low) / self.y_span
        left, top = self.origin
        width, height = _SIZE[0] - _LEFT - _RIGHT, _SIZE[1] - _TOP - _BOTTOM
        return (left + _LEFT + across * width) * _SCALE, (top + _TOP + (1 - up) * height) * _SCALE


def draw_chart(curves: Sequence[Curve], path: Path) -> None:
    """Draw all curves into one PNG, two beside each other. Values of 0 or less have no place there."""
    shown = [curve for curve in curves if _points(curve)]
    rows = max(1, ceil(len(shown) / 2))
    picture = Image.new("RGB", (2 * _SIZE[0] * _SCALE, rows * _SIZE[1] * _SCALE), "white")
    draw = ImageDraw.Draw(picture)
    for index, curve in enumerate(shown):
        _draw_curve(draw, curve, (index % 2 * _SIZE[0], index // 2 * _SIZE[1]))
    picture.save(path)


def _points(curve: Curve) -> list[tuple[float, float]]:
    return [point for line in curve.lines.values() for point in line if point[1] > 0]


def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(size * _SCALE)


def _draw_curve(draw: ImageDraw.ImageDraw, curve: Curve, origin: tuple[int, int]) -> None:
    axes = _Axes(origin, _points(curve))
    _draw_axes(draw, axes, curve)
    for index, (name, line) in enumerate(curve.lines.items()):
        color = _COLORS.get(name, _INK)
        places = [axes.place(x, y) for x, y in line if y > 0]
        if len(places) > 1:
            draw.line(places, color, 2 * _SCALE + (name in ("ours", "exact")) * _SCALE)
        for x, y in places:
            draw.ellipse((x - 4 * _SCALE, y - 4 * _SCALE, x + 4 * _SCALE, y + 4 * _SCALE), color)
        _draw_key(draw, origin, index, name, color)


def _draw_key(draw: ImageDraw.ImageDraw, origin: tuple[int, int], index: int, name: str, color: str) -> None:
    x = (origin[0] + _LEFT + index % 6 * 93) * _SCALE
    y = (origin[1] + _SIZE[1] - 14) * _SCALE
    draw.rectangle((x, y - 4 * _SCALE, x + 10 * _SCALE, y + 4 * _SCALE), color)
    draw.text((x + 13 * _SCALE, y), name, _INK, _font(11), "lm")


def _draw_axes(draw: ImageDraw.ImageDraw, axes: _Axes, curve: Curve) -> None:
    left, top = axes.origin
    x_low, x_high = 10**axes.x_low, 10**axes.x_high
    for power in range(axes.y_low, axes.y_high + 1):
        start, end = axes.place(x_low, 10.0**power), axes.place(x_high, 10.0**power)
        draw.line((start, end), _GRID, _SCALE)
        draw.text((start[0] - 8 * _SCALE, start[1]), f"{10.0**power:g} {curve.y}", _INK, _font(11), "rm")
    for x in sorted({x for x, _ in _points(curve)}):
        start, end = axes.place(x, 10.0**axes.y_low), axes.place(x, 10.0**axes.y_high)
        draw.line((start, end), _GRID, _SCALE)
        draw.text((start[0], start[1] + 6 * _SCALE), f"{x:g}", _INK, _font(11), "mt")
    middle = (left + _SIZE[0] / 2) * _SCALE
    draw.text((middle, (top + 20) * _SCALE), curve.title, _INK, _font(15), "mm")
    draw.text((middle, (top + _SIZE[1] - 33) * _SCALE), curve.x, _INK, _font(12), "mm")
