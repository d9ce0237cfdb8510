"""What the tests of brushes share: a card to hit, a picture without symmetry, its projection in numpy."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from panda3d.core import Filename, NodePath, PNMImage, Texture

from stamp_support import card_at, card_points, image_of, system, world_points
from support import ROOT, compare_images, step, to_array

Floats = NDArray[np.float64]
Vector = Sequence[float] | Floats

# The card and the hit.
SIZE = 100.0
TEXELS = 512
RADIUS = 30.0
POINT = (5.03, 200.0, -10.02)
TOWARDS_US = (0.0, -1.0, 0.0)
RIGHT, UP = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)
# Of 32-bit floats at 200 units from the origin.
EDGE = 1e-3
_PICTURE = 256
# Graphics cards filter with 8 bits of a texel's share: each way that may be half a step off where a texel
# differs most from the next; and the premultiplied picture, and Primary's colour, are stored in 8 bits.
FILTERING = 3 / 255


def make_picture() -> Floats:
    """An F with hard edges on a faint ground, its colours sloping both ways.

    (256, 256, 4), row 0 at the bottom, 0..1, straight alpha, as exact as 8 bits.
    """
    across = (np.arange(_PICTURE) + 0.5) / _PICTURE
    u, v = np.meshgrid(across, across)
    stem = (np.abs(u - 0.3) < 0.08) & (np.abs(v - 0.5) < 0.38)
    top = (np.abs(v - 0.82) < 0.06) & (u > 0.3) & (u < 0.85)
    middle = (np.abs(v - 0.52) < 0.06) & (u > 0.3) & (u < 0.65)
    alpha = np.where(stem | top | middle, 1.0, 0.25 * v)
    result: Floats = np.round(np.stack([u, 1.0 - v, 0.5 + 0.5 * u * v, alpha], axis=-1) * 255) / 255
    return result


def make_slopes() -> Floats:
    """A picture like `make_picture`, but so smooth that filtering leaves it as it is, at its border too."""
    across = np.pi * (np.arange(_PICTURE) + 0.5) / _PICTURE
    u, v = np.cos(np.meshgrid(across, across))
    alpha = 0.6 + 0.25 * u + 0.15 * v
    result: Floats = np.stack([0.5 + 0.5 * u, 0.5 + 0.5 * v, np.full_like(u, 0.75), alpha], axis=-1)
    return np.round(result * 255) / 255


def as_texture(picture: Floats, name: str = "picture") -> Texture:
    """A Texture that holds a picture, (h, w, 4), in RAM."""
    texture = Texture(name)
    texture.setup_2d_texture(picture.shape[1], picture.shape[0], Texture.T_unsigned_byte, Texture.F_rgba)
    texture.set_ram_image_as(np.round(picture * 255).astype(np.uint8).tobytes(), "RGBA")
    return texture


def ready_picture(name: str) -> Floats:
    """A ready brush, as `make_picture` gives one."""
    path = ROOT / "models" / "brushes" / f"{name}.png"
    texture = Texture()
    texture.load(PNMImage(Filename.from_os_specific(str(path))))
    return to_array(texture).astype(np.float64) / 255


@dataclass(frozen=True)
class Projection:
    """A picture on a plane in space, looked at from where its normal points.

    Attributes:
        picture: (n, n, 4), straight alpha.
        center: (3,) the picture's middle.
        right, up: (3,) unit vectors along the picture's edges.
        half: half its width and height.
    """

    picture: Floats
    center: Vector
    right: Vector
    up: Vector
    half: tuple[float, float]

    def at(self, points: Floats) -> Floats:
        """Premultiplied colour and alpha, (..., 4), at points, (..., 3): bilinear, and 0 outside."""
        offset = points - np.array(self.center)
        across = offset @ np.array(self.right) / self.half[0]
        along = offset @ np.array(self.up) / self.half[1]
        inside = np.maximum(np.abs(across), np.abs(along)) <= 1.0
        result: Floats = np.where(inside[..., None], self._sample(across, along), 0.0)
        return result

    def near_edge(self, points: Floats, reach: float) -> NDArray[np.bool_]:
        """Whether points lie so near to the picture's border that rounding decides on which side."""
        offset = points - np.array(self.center)
        outside = [
            np.abs(offset @ np.array(axis)) - half
            for axis, half in zip((self.right, self.up), self.half, strict=True)
        ]
        result: NDArray[np.bool_] = np.abs(np.maximum(*outside)) <= reach
        return result

    def _sample(self, across: Floats, along: Floats) -> Floats:
        size = len(self.picture)
        premultiplied = self.picture.copy()
        premultiplied[..., :3] *= premultiplied[..., 3:]
        x, y = (across * 0.5 + 0.5) * size - 0.5, (along * 0.5 + 0.5) * size - 0.5
        column, row = np.floor(x).astype(int), np.floor(y).astype(int)
        result = np.zeros((*x.shape, 4))
        for i, j in np.ndindex(2, 2):
            share = np.abs(x - column - 1 + i) * np.abs(y - row - 1 + j)
            texel = premultiplied[np.clip(row + j, 0, size - 1), np.clip(column + i, 0, size - 1)]
            result += share[..., None] * texel
        return result


def turned(right: Vector, up: Vector, degrees: float) -> tuple[Floats, Floats]:
    """A picture's right and up after it was turned counter-clockwise."""
    cos, sin = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    first, second = np.array(right, np.float64), np.array(up, np.float64)
    return cos * first + sin * second, cos * second - sin * first


def make_card(scene: NodePath) -> NodePath:
    """A card of 100 x 100 units and 512 x 512 texels, that faces us."""
    return card_at(scene, SIZE, TEXELS)


def on_card(card: NodePath) -> Floats:
    """Where in the world a card's texels are."""
    return world_points(card, card_points(SIZE, TEXELS))


def check(image: Floats, expected: Projection, points: Floats, name: str, strength: Any = 1.0) -> None:
    """Compare with a projection times a strength; at the very border of the picture either side is right."""
    wanted = expected.at(points) * strength
    border = expected.near_edge(points, EDGE)
    wanted[border] = image[border]
    compare_images(image, wanted, FILTERING, name)
    assert image[wanted[..., 3] == 0.0].max() == 0.0
    assert wanted[..., 3].max() > 0.1


def brush_image(base: Any, card: NodePath, brush: Any, point: Any = POINT, **options: Any) -> Floats:
    """What a single hit with a brush leaves on a card."""
    options = {"radius": RADIUS, "normal": TOWARDS_US, **options}
    with system(base, format="rgba16f", auto_fade=False) as stamps:
        assert stamps.hit(card, point, brush=brush, **options) is not None
        step(base)
        return image_of(stamps, card)
