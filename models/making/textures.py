"""Seamless textures, painted as arrays of floats. Their brightness is also their height: grooves are dark."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from panda3d.core import ConfigVariableInt, Filename, PNMImage, Texture

Image = NDArray[np.float64]


class Canvas:
    """A square, seamless field of `size` pixels that stand for `metres`; row 0 is at v = 0."""

    def __init__(self, size: int, metres: float, seed: int) -> None:
        self.size = size
        self.metres = metres
        self.random = np.random.default_rng(seed)
        middles = (np.arange(size) + 0.5) * (metres / size)
        self.y, self.x = np.meshgrid(middles, middles, indexing="ij")

    def noise(self, grain: float, slope: float = 1.6, stretch: tuple[float, float] = (1, 1)) -> Image:
        """Noise around 0, of about 1; grain: how large its blots are, in metres; stretch: along x and y."""
        fy = np.fft.fftfreq(self.size, self.metres / self.size)[:, None] * stretch[1]
        fx = np.fft.fftfreq(self.size, self.metres / self.size)[None, :] * stretch[0]
        frequency = np.hypot(fx, fy)
        spectrum = (frequency**2 + 1 / grain**2) ** (-slope / 2)
        white = self.random.standard_normal((self.size, self.size))
        image = np.fft.ifft2(np.fft.fft2(white) * spectrum).real
        image -= image.mean()
        result: Image = image / image.std()
        return result

    def scratches(self, count: int, length: float) -> Image:
        """Thin, slightly bent strokes in any direction, 0..1, up to `length` metres long."""
        image = np.zeros((self.size, self.size))
        pixels = self.size / self.metres
        for _ in range(count):
            reach = length * self.random.uniform(0.2, 1.0) ** 2
            steps = np.linspace(0, reach, max(2, int(reach * pixels * 1.5)))
            bend = self.random.normal(0, 0.15) * steps**2
            angle = self.random.uniform(0, np.pi)
            x = self.random.uniform(0, self.metres) + np.cos(angle) * steps - np.sin(angle) * bend
            y = self.random.uniform(0, self.metres) + np.sin(angle) * steps + np.cos(angle) * bend
            fade = np.sin(np.linspace(0, np.pi, len(steps))) * self.random.uniform(0.3, 1.0)
            cells = ((y * pixels).astype(int) % self.size, (x * pixels).astype(int) % self.size)
            np.maximum.at(image, cells, fade)
        return image

    def box(self, low: tuple[float, float], high: tuple[float, float], corner: float = 0.0) -> Image:
        """The distance in metres to the border of a rectangle with round corners; inside it is above 0."""
        middle = np.add(low, high) / 2
        half = np.subtract(high, low) / 2 - corner
        dx = np.abs(self._wrapped(self.x - middle[0])) - half[0]
        dy = np.abs(self._wrapped(self.y - middle[1])) - half[1]
        outside = np.hypot(np.maximum(dx, 0), np.maximum(dy, 0))
        result: Image = corner - outside - np.minimum(np.maximum(dx, dy), 0)
        return result

    def disc(self, x: float, y: float, radius: float) -> Image:
        """The distance in metres to a circle; inside it is above 0."""
        return radius - np.hypot(self._wrapped(self.x - x), self._wrapped(self.y - y))

    def cover(self, distance: Image) -> Image:
        """Where a distance is above 0, with an edge that is one pixel soft."""
        return np.clip(distance * self.size / self.metres + 0.5, 0, 1)

    def _wrapped(self, difference: Image) -> Image:
        return (difference + self.metres / 2) % self.metres - self.metres / 2


def step(low: float, high: float, values: Image) -> Image:
    """0 below `low`, 1 above `high`, smooth between; the other way round where low is above high."""
    share = np.clip((values - low) / (high - low), 0, 1)
    return share * share * (3 - 2 * share)


def paint(color: Sequence[float], brightness: Image) -> Image:
    """A colour picture, (h, w, 3): a colour times a brightness."""
    return np.array(color) * brightness[:, :, None]


def mix(below: Image, above: Image | Sequence[float], share: Image) -> Image:
    """One picture over another, (h, w, 3); share: (h, w), 0..1."""
    return below + (np.asarray(above) - below) * share[:, :, None]


def save_jpg(image: Image, path: Path, quality: int = 88) -> None:
    """Write a picture, (h, w, 3), 0..1, row 0 at the bottom."""
    height, width, _ = image.shape
    texture = Texture()
    texture.setup_2d_texture(width, height, Texture.T_unsigned_byte, Texture.F_rgb)
    texture.set_ram_image_as(np.round(np.clip(image, 0, 1) * 255).astype(np.uint8).tobytes(), "RGB")
    picture = PNMImage()
    texture.store(picture)
    setting = ConfigVariableInt("jpeg-quality")
    before = setting.get_value()
    setting.set_value(quality)
    written = picture.write(Filename.from_os_specific(str(path)))
    setting.set_value(before)
    if not written:
        raise OSError(f"cannot write {path}")
