"""The arena's textures: ground, concrete, plating and painted metal."""

from pathlib import Path

import numpy as np

from models.making.textures import Canvas, Image, mix, paint, save_jpg, step


def make(folder: Path) -> None:
    """Write the textures into a folder."""
    save_jpg(_ground(), folder / "ground.jpg")
    save_jpg(_concrete(), folder / "concrete.jpg")
    save_jpg(_plating(), folder / "plating.jpg")
    save_jpg(_paint(), folder / "paint.jpg")


# The ground's plates, in units of 1 m on its 8 m: x, y, width and depth.
_PLATES = (
    (0, 0, 4, 2), (4, 0, 2, 2), (6, 0, 2, 4), (0, 2, 2, 2), (2, 2, 2, 4), (4, 2, 2, 1), (4, 3, 2, 1),
    (0, 4, 2, 2), (4, 4, 4, 2), (0, 6, 1, 2), (1, 6, 3, 2), (4, 6, 2, 2), (6, 6, 2, 1), (6, 7, 2, 1),
)  # fmt: skip


def _ground() -> Image:
    """Worn concrete plates of different sizes, 8 m."""
    canvas = Canvas(1024, 8.0, 1)
    blots = canvas.noise(2.5, 1.9)
    grain = canvas.noise(0.08, 1.2)
    edge = np.full((1024, 1024), -1.0)
    tone = np.zeros((1024, 1024))
    for x, y, width, depth in _PLATES:
        inside = canvas.box((x + 0.015, y + 0.015), (x + width - 0.015, y + depth - 0.015), 0.05)
        edge = np.maximum(edge, inside)
        tone += canvas.cover(inside) * canvas.random.uniform(-0.05, 0.06)
    wobbly = edge + canvas.noise(0.3, 1.5) * 0.004
    chips = step(0.07, 0.0, edge) * step(1.2, 2.2, canvas.noise(0.25, 1.3))
    brightness = 0.52 + tone + 0.035 * blots + 0.022 * grain
    brightness += 0.07 * step(0.06, 0.02, edge) * step(-0.02, 0.02, edge)
    brightness *= 1 - 0.72 * step(0.012, -0.004, wobbly)
    brightness *= 1 - 0.35 * chips
    brightness *= 1 - 0.14 * step(0.35, 0.0, edge) * step(-0.5, 1.5, blots)
    brightness *= 1 - 0.35 * _cracks(canvas)
    brightness += 0.05 * canvas.scratches(160, 0.9)
    picture = paint((0.88, 0.97, 1.08), brightness)
    stains = step(0.4, 2.2, canvas.noise(1.8))
    picture = mix(picture, paint((0.95, 0.86, 0.75), brightness * 0.92), 0.5 * stains)
    worn = step(-0.9, 0.5, canvas.noise(0.35, 1.4)) * canvas.cover(edge - 0.03)
    return _ground_paint(canvas, picture, brightness, worn)


def _ground_paint(canvas: Canvas, picture: Image, brightness: Image, worn: Image) -> Image:
    """Markings, rubbed off: a hazard stripe along one plate, a line, and bolts at the plates' corners."""
    stripes = step(0.44, 0.5, np.abs((canvas.x + canvas.y) / 0.5 % 1 - 0.5) * 2 - 0.02)
    field = canvas.cover(canvas.box((4.1, 4.12), (7.9, 4.38)))
    yellow = paint((1.25, 0.92, 0.28), brightness)
    black = paint((0.5, 0.52, 0.56), brightness)
    picture = mix(picture, mix(black, yellow, stripes), 0.7 * field * worn)
    lines = np.maximum(canvas.box((2.88, 2.1), (2.96, 5.9)), canvas.box((0.1, 0.9), (3.9, 0.98)))
    picture = mix(picture, paint((1.35, 1.35, 1.35), brightness), 0.45 * canvas.cover(lines) * worn)
    for x, y, width, depth in _PLATES:
        for cx, cy in ((x, y), (x + width, y), (x, y + depth), (x + width, y + depth)):
            bx = cx + (0.13 if cx == x else -0.13)
            by = cy + (0.13 if cy == y else -0.13)
            hole = canvas.disc(bx, by, 0.035)
            picture = picture * (1 - 0.5 * canvas.cover(hole) + 0.25 * canvas.cover(hole - 0.014))[:, :, None]
    return picture


def _cracks(canvas: Canvas) -> Image:
    """Thin cracks where two fields of noise cross zero, 0..1, in a few places only."""
    line = step(0.022, 0.0, np.abs(canvas.noise(1.6, 1.9)))
    return line * step(0.9, 1.5, canvas.noise(2.2, 2.0))


def _concrete() -> Image:
    """Cast concrete, 4 m: slabs of 2 m by 1 m with the holes of their moulds' ties, streaked by rain."""
    canvas = Canvas(512, 4.0, 2)
    brightness = 0.62 + 0.03 * canvas.noise(1.2, 1.8) + 0.02 * canvas.noise(0.06, 1.2)
    edge = np.full((512, 512), -1.0)
    for row in range(4):
        for column in range(2):
            x, y = column * 2.0 + (row % 2) * 1.0, float(row)
            inside = canvas.box((x + 0.012, y + 0.012), (x + 1.988, y + 0.988), 0.02)
            edge = np.maximum(edge, inside)
            brightness += canvas.cover(inside) * canvas.random.uniform(-0.04, 0.04)
            for hole in (0.35, 1.65):
                depth = canvas.disc(x + hole, y + 0.5, 0.035)
                brightness *= 1 - 0.5 * canvas.cover(depth) + 0.08 * canvas.cover(depth + 0.02)
    brightness += 0.05 * step(0.05, 0.02, edge)
    brightness *= 1 - 0.6 * step(0.014, 0.0, edge)
    streaks = canvas.noise(0.16, 1.6, stretch=(1, 12))
    brightness *= 1 - 0.10 * step(0.3, 2.0, streaks)
    brightness *= 1 - 0.3 * step(2.1, 2.6, canvas.noise(0.07, 1.6))
    picture = paint((0.97, 1.0, 1.04), brightness)
    return mix(picture, paint((1.0, 0.86, 0.70), brightness * 0.85), 0.4 * step(0.9, 2.4, streaks))


# The plating's plates, in units of 0.5 m on its 4 m: x, y, width and height.
_PANELS = (
    (0, 0, 3, 2), (3, 0, 2, 2), (5, 0, 3, 4), (0, 2, 2, 3), (2, 2, 3, 2), (2, 4, 2, 2), (4, 4, 4, 1),
    (4, 5, 2, 3), (6, 5, 2, 2), (0, 5, 2, 2), (0, 7, 4, 1), (2, 6, 2, 1), (6, 7, 2, 1),
)  # fmt: skip


def _plating() -> Image:
    """Plates of metal with rivets along their edges, 4 m."""
    canvas = Canvas(512, 4.0, 3)
    brightness = 0.60 + 0.025 * canvas.noise(1.0, 1.8) + 0.012 * canvas.noise(0.05, 1.0)
    edge = np.full((512, 512), -1.0)
    for x, y, width, height in np.array(_PANELS) * 0.5:
        inside = canvas.box((x + 0.012, y + 0.012), (x + width - 0.012, y + height - 0.012), 0.03)
        edge = np.maximum(edge, inside)
        brightness += canvas.cover(inside) * canvas.random.uniform(-0.06, 0.06)
        for rivet_x in np.linspace(x + 0.07, x + width - 0.07, round(width * 4) + 1):
            for rivet_y in (y + 0.07, y + height - 0.07):
                rivet = canvas.disc(rivet_x, rivet_y, 0.018)
                brightness += 0.13 * canvas.cover(rivet) - 0.05 * canvas.cover(rivet + 0.012)
    brightness += 0.08 * step(0.035, 0.012, edge)
    brightness *= 1 - 0.65 * step(0.012, -0.002, edge)
    brightness += 0.07 * canvas.scratches(160, 0.5)
    brightness *= 1 - 0.16 * step(0.18, 0.0, edge) * step(0.0, 1.6, canvas.noise(0.5, 1.6))
    picture = paint((0.96, 1.0, 1.05), brightness)
    rust = step(1.5, 2.6, canvas.noise(0.3, 1.7)) * step(0.5, 0.0, edge)
    return mix(picture, paint((0.95, 0.62, 0.42), brightness * 0.8), 0.6 * rust)


def _paint() -> Image:
    """Painted metal without seams, 4 m, a stencil in one corner; chipped, scratched, dirt has run down it."""
    canvas = Canvas(512, 4.0, 4)
    brightness = 0.80 + 0.02 * canvas.noise(1.2, 1.8) + 0.010 * canvas.noise(0.05, 1.0)
    streaks = canvas.noise(0.12, 1.6, stretch=(1, 12))
    brightness *= 1 - 0.12 * step(0.5, 2.2, streaks)
    brightness *= 1 - 0.12 * step(0.8, 2.2, canvas.noise(0.6, 1.8))
    picture = paint((1.0, 1.0, 1.0), brightness)
    chips = step(2.6, 2.8, canvas.noise(0.14, 1.7) + 0.6 * canvas.noise(0.9))
    picture = mix(picture, paint((0.52, 0.50, 0.50), brightness), 0.85 * chips)
    worn = step(-1.6, -0.4, canvas.noise(0.2, 1.5)) * (1 - chips)
    picture = mix(picture, paint((0.40, 0.42, 0.46), brightness), 0.8 * _stencil(canvas) * worn)
    return mix(picture, (0.93, 0.93, 0.93), 0.5 * canvas.scratches(220, 0.35))


def _stencil(canvas: Canvas) -> Image:
    """Two chevrons over a bar, 0..1, around (0.63, 0.63)."""
    x, y = np.abs(canvas.x - 0.63), canvas.y - 0.63
    shape = canvas.cover(canvas.box((0.37, 0.39), (0.89, 0.45)))
    for top in (0.10, 0.27):
        chevron = 0.045 - np.abs(y - top + 0.75 * x)
        shape += canvas.cover(np.minimum(chevron, 0.26 - x))
    return shape
