"""The ready brushes: a bullet hole, a scorch, a splat and a crack.

Each fills the circle in its square and leaves a border free. Light comes from all around, since a mark may be
turned in any way.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np

from models.making.picture import Field, Image, Layers, Point, direction, join, normalized, turned
from models.making.textures import mix, step

SIZE = 256
_RIM = 0.96
Line = list[tuple[Point, float]]


def make(folder: Path) -> None:
    """Write the brushes into a folder's folder brushes/."""
    target = folder / "brushes"
    target.mkdir(exist_ok=True)
    for name, paint in BRUSHES.items():
        paint().save(target / f"{name}.png")


def _bullet_hole() -> Layers:
    """A hole with a chipped rim; dust, pits and hair cracks around it."""
    field = Field(SIZE, 11)
    layers = Layers(field)
    hole = 0.165 + 0.03 * field.rays(5) + 0.010 * field.rays(20) - field.r
    crater = 0.35 + 0.13 * field.rays(6) + 0.05 * field.rays(24, octaves=2) - field.r
    crater += 0.012 * field.noise(0.05, 3)
    grain = field.noise(0.05)
    # What the shot blew out: a soft grey around it.
    layers.lay((0.10, 0.09, 0.08), 0.5 * step(-0.42, 0.02, crater + 0.12 * field.rays(26, 1.0)) * _rim(field))
    cracks = field.strokes(_hair_cracks(field))
    layers.lay(0.85, 0.30 * step(-0.012, 0.0, cracks))
    layers.lay(0.03, 0.85 * step(-0.004, 0.003, cracks))
    pits = field.strokes(_pits(field)) + 0.008 * field.noise(0.035, 2)
    layers.lay(0.85, 0.35 * step(-0.013, -0.002, pits))
    layers.lay((0.07, 0.065, 0.06), 0.8 * step(-0.004, 0.010, pits))
    _lay_crater(field, layers, crater, hole, grain)
    # The hole: its wall still catches light, the bottom does not.
    layers.lay(0.03, 0.85 * step(-0.07, 0.0, hole))
    wall = _grey(0.12 + 0.05 * grain, (1.0, 0.9, 0.8))
    layers.lay(mix(wall, (0.012, 0.011, 0.011), step(0.0, 0.065, hole)), field.cover(hole))
    return layers


def _lay_crater(field: Field, layers: Layers, crater: Image, hole: Image, grain: Image) -> None:
    """Fresh material in broken faces: bright at the lip, darker towards the hole."""
    coarse, coarse_ridge = _facets(field, 30, 0.5)
    fine, fine_ridge = _facets(field, 150, 0.5)
    bright = 0.30 + 0.26 * step(0.0, 0.2, -hole) + 0.15 * coarse + 0.08 * fine + 0.05 * grain
    bright *= 1 - 0.16 * coarse_ridge - 0.10 * fine_ridge
    bright += (0.17 + 0.1 * coarse) * step(0.04, 0.006, crater)
    layers.lay(0.04, 0.5 * step(-0.045, 0.0, crater))
    layers.lay(_grey(bright, (1.0, 0.98, 0.945)), step(-0.006, 0.006, crater))


def _facets(field: Field, count: int, reach: float) -> tuple[Image, Image]:
    """Cells around random points: each one's tone, -1..1, and how near a pixel is to its border, 0..1."""
    first, second = np.full_like(field.x, 9.0), np.full_like(field.x, 9.0)
    tone = np.zeros_like(field.x)
    for _ in range(count):
        way, far = direction(field.between(0, 1)), field.between(0.12, 1) * reach
        x, y = field.x - way[0] * far, field.y - way[1] * far
        distance = np.sqrt(x * x + y * y)
        tone = np.where(distance < first, field.between(-1, 1), tone)
        second = np.minimum(second, np.maximum(first, distance))
        first = np.minimum(first, distance)
    return tone, step(0.02, 0.0, second - first)


def _hair_cracks(field: Field) -> list[Line]:
    lines = []
    for index in range(8):
        way = direction((index + field.between(-0.35, 0.35)) / 8)
        start = (way[0] * 0.2, way[1] * 0.2)
        lines.append(_walk(field, start, way, field.between(0.28, 0.72), 0.008))
    return lines


def _pits(field: Field) -> list[Line]:
    """Where splinters struck, smaller the farther out."""
    lines: list[Line] = []
    for _ in range(34):
        way, far = direction(field.between(0, 1)), field.between(0.46, 0.88)
        size = field.between(0.008, 0.042) * (1.15 - far)
        lines.append(_outwards(way, [(far, size), (far + 1.2 * size, 0.6 * size)]))
    return lines


def _outwards(way: Point, stops: Sequence[tuple[float, float]]) -> Line:
    """A straight line away from the middle: distances, with the half widths there."""
    return [((way[0] * far, way[1] * far), width) for far, width in stops]


def _walk(field: Field, start: Point, way: Point, length: float, width: float) -> Line:
    """A line that breaks to the left and right but keeps its way, and thins out."""
    count = max(3, int(length / 0.07))
    line = [(start, width)]
    side = 1.0 if field.between(-1, 1) > 0 else -1.0
    x, y = start
    for index in range(count):
        side = -side if field.between(0, 1) < 0.7 else side
        heading = turned(way, side * field.between(0.05, 0.5))
        part = length / count * field.between(0.6, 1.4)
        x, y = x + heading[0] * part, y + heading[1] * part
        line.append(((x, y), width * (1 - (index + 1) / count)))
    return line


def _scorch() -> Layers:
    """Soot in tongues, black in the middle, brown where it thins out."""
    field = Field(SIZE, 29)
    layers = Layers(field)
    grain, clouds, blots = field.noise(0.05), field.noise(0.4), field.noise(0.14)
    ends = 0.70 + 0.22 * field.rays(6, 0.5) + 0.20 * field.rays(22, 1.0)
    out = field.r / np.maximum(ends, 0.3) + 0.10 * clouds + 0.07 * blots + 0.03 * grain
    streaks = field.rays(34, 0.8, 4)
    # Heat browned the surface a little beyond the soot.
    layers.lay((0.33, 0.18, 0.075), 0.62 * step(1.12, 0.55, out) * _rim(field))
    soot = step(1.0, 0.25, out) * (1 - 0.6 * step(0.3, 0.75, out) * step(-0.3, 0.8, streaks + 0.3 * blots))
    color = mix(_grey(0.020 + 0.010 * (1 + grain)), (0.095, 0.060, 0.040), step(0.35, 0.8, out))
    layers.lay(color, 0.97 * soot * _rim(field))
    ash = step(0.1, 0.8, blots + 0.4 * grain) * step(0.55, 0.2, out)
    layers.lay((0.15, 0.14, 0.135), 0.40 * ash)
    specks = field.strokes(_specks(field, 60))
    layers.lay((0.05, 0.036, 0.028), 0.7 * step(-0.006, 0.006, specks) * _rim(field))
    return layers


def _specks(field: Field, count: int) -> list[Line]:
    lines: list[Line] = []
    for _ in range(count):
        way, far = direction(field.between(0, 1)), field.between(0.45, 0.90)
        size = field.between(0.002, 0.009)
        lines.append(_outwards(way, [(far, size), (far + field.between(0, 4) * size, size / 2)]))
    return lines


def _splat() -> Layers:
    """Paint: white, so that a hit's colour tints it; thick in the middle, with fingers and drops."""
    field = Field(SIZE, 31)
    layers = Layers(field)
    body = 0.39 + 0.16 * field.rays(4) + 0.06 * field.rays(13) - field.r
    fingers, drops = _fingers(field)
    depth = join(join(body, field.strokes(fingers), 0.09), field.strokes(drops), 0.02)
    edge = step(0.0, 0.045, depth)
    # Thick paint: dark where it bends down, a bright ridge, and a calm middle.
    bright = 0.74 + 0.26 * edge - 0.07 * step(0.05, 0.16, depth) + 0.05 * field.noise(0.22) * edge
    layers.lay(_grey(bright), field.cover(depth))
    return layers


def _fingers(field: Field) -> tuple[list[Line], list[Line]]:
    """Fingers that end in a bulb, some long and most short, and the drops that flew on beyond them."""
    fingers: list[Line] = []
    drops: list[Line] = []
    turn = 0.0
    while turn < 0.98:
        way, far = direction(turn), field.between(0, 1)
        tip, bulb = 0.45 + 0.37 * far * far * far, field.between(0.014, 0.046)
        root = field.between(0.06, 0.10)
        fingers.append(_outwards(way, [(0.2, root), (0.36, 0.03), (tip - 0.05, 0.4 * bulb), (tip, bulb)]))
        drops += _drops(field, way, tip + bulb)
        turn += field.between(0.025, 0.085)
    return fingers, drops


def _drops(field: Field, way: Point, far: float) -> list[Line]:
    """Drops that lie about in one direction, from a distance on."""
    lines: list[Line] = []
    while True:
        small = field.between(0, 1)
        size = 0.006 + 0.034 * small * small
        far += size + field.between(0.015, 0.16)
        if far + 2 * size > _RIM - 0.02:
            return lines
        aside = turned(way, field.between(-0.12, 0.12))
        lines.append(_outwards(aside, [(far, size), (far + size, 0.7 * size)]))
        far += 2 * size


def _crack() -> Layers:
    """Cracks that branch, as in plaster or glass: wide and sharp in the middle, hair outside."""
    field = Field(SIZE, 47)
    layers = Layers(field)
    cracks = field.strokes(_branches(field))
    soft = 0.003 + 0.007 * field.r
    crushed = step(0.26, 0.02, field.r + 0.10 * field.noise(0.12))
    layers.lay((0.92, 0.93, 0.94), 0.40 * crushed)
    chipped = 0.08 + 0.47 * step(0.6, 0.1, field.r)
    # What breaks away beside a crack is lighter than the surface.
    layers.lay((0.90, 0.91, 0.92), chipped * step(-0.020, 0.0, cracks + 0.008 * field.noise(0.05)))
    share = np.clip((cracks + soft) / (2 * soft), 0, 1)
    layers.lay((0.028, 0.028, 0.032), 0.96 * share)
    return layers


def _branches(field: Field) -> list[Line]:
    """Trunks from the middle, twigs that leave them, and pieces of rings that tie neighbours together."""
    trunks = []
    for index in range(9):
        way = direction((index + field.between(-0.3, 0.3)) / 9)
        trunks.append(_walk(field, (0.0, 0.0), way, field.between(0.58, 0.86), 0.019))
    lines = list(trunks)
    for trunk in trunks:
        lines += _twigs(field, trunk)
    for first, second in zip(trunks, trunks[1:] + trunks[:1], strict=True):
        for index in (2, 3, 5):
            if field.between(0, 1) < 0.5 and min(len(first), len(second)) > index + 1:
                lines.append(_tie(field, first[index], second[index]))
    return lines


def _twigs(field: Field, trunk: Line) -> list[Line]:
    lines = []
    for (start, width), (end, _) in pairwise(trunk[2:-1]):
        if field.between(0, 1) < 0.5:
            side = 1.0 if field.between(-1, 1) > 0 else -1.0
            ahead = normalized((end[0] - start[0], end[1] - start[1]))
            way = turned(ahead, side * field.between(0.6, 1.1))
            lines.append(_walk(field, start, way, field.between(0.1, 0.34), 0.7 * width))
    return lines


def _tie(field: Field, first: tuple[Point, float], second: tuple[Point, float]) -> Line:
    """From one crack to the next, bulging outwards."""
    (a, width), (b, _) = first, second
    bulge = field.between(1.0, 1.12) / 2
    middle = ((a[0] + b[0]) * bulge, (a[1] + b[1]) * bulge)
    return [(a, 0.6 * width), (middle, 0.45 * width), (b, 0.5 * width)]


def _grey(brightness: Image, tint: tuple[float, float, float] = (1.0, 1.0, 1.0)) -> Image:
    return np.asarray(tint) * brightness[..., None]


def _rim(field: Field) -> Image:
    """1 inside, and 0 at the circle that a brush ends at."""
    return step(_RIM, _RIM - 0.12, field.r)


BRUSHES: dict[str, Callable[[], Layers]] = {
    "bullet_hole": _bullet_hole,
    "scorch": _scorch,
    "splat": _splat,
    "crack": _crack,
}
