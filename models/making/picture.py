"""Pictures with an alpha channel, made the same to the bit on every machine.

So nothing here goes beyond + - * / and the square root, which every processor rounds in the same way: sine,
cosine and powers differ in their last bit, and sums of arrays in their order.
"""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from panda3d.core import Filename, PNMImage, Texture

Image = NDArray[np.float64]
Point = tuple[float, float]

# Beyond this many units, strokes and spots are not measured.
_REACH = 0.15


class Field:
    """A square of -1..1 each way; row 0 is at the bottom. All that is random comes from one seed.

    Attributes:
        x, y, r: (n, n), each pixel's place, and its distance from the middle.
        pixel: the width of one.
    """

    def __init__(self, size: int, seed: int) -> None:
        # Drawn twice as fine as it is stored, each way.
        self.size = 2 * size
        self.pixel = 2 / self.size
        self.random = np.random.default_rng(seed)
        middles = (np.arange(self.size) + 0.5) * self.pixel - 1
        self.y, self.x = np.meshgrid(middles, middles, indexing="ij")
        self.r = np.sqrt(self.x * self.x + self.y * self.y)

    def between(self, low: float, high: float) -> float:
        """A random number."""
        return low + (high - low) * float(self.random.random())

    def noise(self, grain: float, octaves: int = 4) -> Image:
        """Gradient noise, about -1..1; `grain`: how large its largest spots are."""
        return self._noise(self.x / grain, self.y / grain, octaves)

    def rays(self, count: float, bend: float = 0.0, octaves: int = 3) -> Image:
        """Noise by the direction from the middle: about `count` rays, which `bend` lets wander."""
        share = (count / 6 + bend * self.r) / self.r
        return self._noise(self.x * share, self.y * share, octaves)

    def _noise(self, x: Image, y: Image, octaves: int) -> Image:
        total = np.zeros_like(x)
        for octave in range(octaves):
            slopes = self.random.random((2, 64, 64)) * 2 - 1
            total += _gradient_noise(x * 2**octave + 32, y * 2**octave + 32, slopes) / 2**octave
        return total * 1.5

    def strokes(self, lines: Sequence[Sequence[tuple[Point, float]]]) -> Image:
        """How deep pixels lie inside strokes: the distance to their borders, below 0 outside.

        lines: each one's points, with the stroke's half width there.
        """
        depth: Image = np.full_like(self.x, -_REACH)
        for line in lines:
            for start, end in pairwise(line):
                self._segment(depth, start, end)
        return depth

    def _segment(self, depth: Image, start: tuple[Point, float], end: tuple[Point, float]) -> None:
        (a, b), reach = (start[0], end[0]), _REACH + max(start[1], end[1])
        first = self._pixel_at(np.minimum(a, b) - reach)
        last = self._pixel_at(np.maximum(a, b) + reach)
        columns, rows = (slice(*ends) for ends in zip(first, last, strict=True))
        x, y = self.x[rows, columns] - a[0], self.y[rows, columns] - a[1]
        along = b[0] - a[0], b[1] - a[1]
        square = max(along[0] * along[0] + along[1] * along[1], 1e-12)
        share = np.clip((x * along[0] + y * along[1]) / square, 0, 1)
        x, y = x - share * along[0], y - share * along[1]
        inside = start[1] + (end[1] - start[1]) * share - np.sqrt(x * x + y * y)
        np.maximum(depth[rows, columns], inside, out=depth[rows, columns])

    def _pixel_at(self, place: Image) -> NDArray[np.int64]:
        return np.maximum((place + 1) / self.pixel, 0).astype(np.int64)

    def cover(self, depth: Image) -> Image:
        """Where a depth is above 0, with an edge of one pixel."""
        return np.clip(depth / self.pixel + 0.5, 0, 1)


class Layers:
    """Colours laid over each other on nothing: premultiplied colour and alpha, (n, n, 4)."""

    def __init__(self, field: Field) -> None:
        self.image = np.zeros((field.size, field.size, 4))

    def lay(self, color: Image | Sequence[float] | float, cover: Image) -> None:
        """Put a colour, one number if it is grey, over everything so far; cover: 0..1."""
        above = np.ones_like(self.image)
        above[..., :3] = color
        self.image = self.image * (1 - cover)[..., None] + above * cover[..., None]

    def save(self, path: Path) -> None:
        """Write an 8-bit PNG with straight alpha; where nothing is, the colour is what is nearest."""
        image = _halve(self.image)
        alpha = np.round(np.clip(image[..., 3:], 0, 1) * 255)
        color = np.round(np.clip(image[..., :3] / np.maximum(image[..., 3:], 1e-9), 0, 1) * 255)
        spread = _spread(np.concatenate([color * alpha, alpha], axis=2))
        color = np.round(spread[..., :3] / spread[..., 3:])
        pixels = np.concatenate([color, alpha], axis=2).astype(np.uint8)
        texture = Texture()
        texture.setup_2d_texture(len(pixels), len(pixels), Texture.T_unsigned_byte, Texture.F_rgba)
        texture.set_ram_image_as(pixels.tobytes(), "RGBA")
        picture = PNMImage()
        if not texture.store(picture) or not picture.write(Filename.from_os_specific(str(path))):
            raise OSError(f"cannot write {path}")


def direction(turn: float) -> Point:
    """A unit vector; 0..1 is once around. It is a point of a diamond, pushed out onto the circle."""
    x, y = abs(turn % 1 * 4 - 2) - 1, 1 - abs((turn + 0.25) % 1 * 4 - 2)
    return normalized((x, -y))


def normalized(vector: Point) -> Point:
    """The vector, of length 1."""
    length = float(np.sqrt(vector[0] * vector[0] + vector[1] * vector[1]))
    return vector[0] / length, vector[1] / length


def turned(heading: Point, bend: float) -> Point:
    """A unit vector, turned to the left by `bend`, the tangent of the angle."""
    return normalized((heading[0] - heading[1] * bend, heading[1] + heading[0] * bend))


def join(first: Image, second: Image, blend: float) -> Image:
    """The union of two depths, whose borders flow together where they are nearer than `blend`."""
    share = np.clip(0.5 + 0.5 * (first - second) / blend, 0, 1)
    return second + (first - second) * share + blend * share * (1 - share)


def _gradient_noise(x: Image, y: Image, slopes: Image) -> Image:
    column, row = np.floor(x).astype(int), np.floor(y).astype(int)
    x, y = x - column, y - row
    corners = {}
    for i, j in np.ndindex(2, 2):
        along, up = slopes[:, (row + j) % 64, (column + i) % 64]
        corners[i, j] = along * (x - i) + up * (y - j)
    x, y = (t * t * t * (t * (t * 6 - 15) + 10) for t in (x, y))
    low = corners[0, 0] + (corners[1, 0] - corners[0, 0]) * x
    high = corners[0, 1] + (corners[1, 1] - corners[0, 1]) * x
    result: Image = low + (high - low) * y
    return result


def _halve(image: Image) -> Image:
    half: Image = (image[::2, ::2] + image[1::2, ::2] + image[::2, 1::2] + image[1::2, 1::2]) / 4
    return half


def _spread(image: Image) -> Image:
    """Where alpha is 0, the mean of the neighbours that have a colour, ring by ring."""
    while not image[..., 3].all():
        framed = np.pad(image, ((1, 1), (1, 1), (0, 0)))
        around = np.zeros_like(image)
        for row, column in np.ndindex(3, 3):
            around += framed[row : row + len(image), column : column + len(image)]
        around /= np.maximum(around[..., 3:], 1e-9)
        image = np.where(image[..., 3:] > 0, image, around)
    return image
