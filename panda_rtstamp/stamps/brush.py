"""Brushes: pictures that are projected onto a surface in place of a plain round mark."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from panda3d.core import (
    Filename,
    PNMImage,
    PTAUchar,
    SamplerState,
    StringStream,
    Texture,
    VirtualFileSystem,
    get_model_path,
)

from panda_rtstamp.core.config import Rule, number
from panda_rtstamp.core.paths import brush_names, read_brush
from panda_rtstamp.errors import ConfigError

# Texels along an edge of a brush's picture on the graphics card.
SIZE = 256
# OpenGL 3.3 promises 256 layers, and one is for what is no brush.
_MOST_BRUSHES = 255
_ASPECT = Rule(number, "a number, 0.01 to 100", low=0.01, high=100.0)
_ROTATION = Rule(number, "a number of degrees, or None", optional=True)

Picture = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Brush:
    """A picture that hits leave, projected along their normal.

    Args:
        texture: the name of a ready brush ("bullet_hole", "crack", "scorch", "splat"), a picture's file, or
            a Texture that is in memory. Its alpha is the mask, its colours multiply the hit's.
        rotation: degrees counter-clockwise about the normal, as one sees the surface. At 0 the picture's up
            is the world's (its Y, where the normal is vertical). None: another one for each hit.
        aspect: width / height. The longer edge is twice the hit's radius.

    Raises:
        ConfigError: an argument is of the wrong type or out of range. Whether there is such a picture shows
            at the first hit.
    """

    texture: str | Path | Filename | Texture
    rotation: float | None = None
    aspect: float = 1.0

    def __post_init__(self) -> None:
        if not isinstance(self.texture, (str, Path, Filename, Texture)) or self.texture == "":
            raise ConfigError(f"Brush.texture must be {_allowed()}, got {self.texture!r}")
        object.__setattr__(self, "rotation", _ROTATION.check("Brush.rotation", self.rotation))
        object.__setattr__(self, "aspect", _ASPECT.check("Brush.aspect", self.aspect))

    @property
    def half_size(self) -> tuple[float, float]:
        """Half its width and height, in radii."""
        return min(self.aspect, 1.0), min(1.0 / self.aspect, 1.0)

    @property
    def name(self) -> str:
        """What other machines find the picture by: the ready brush's name or the file's."""
        texture = self.texture
        if isinstance(texture, Texture):
            return str(texture.get_filename()) or str(texture.get_name())
        return (
            Filename.from_os_specific(str(texture)).get_fullpath()
            if isinstance(texture, Path)
            else str(texture)
        )


def _allowed() -> str:
    return f"a ready brush ({', '.join(brush_names())}), a picture's file or a Texture in memory"


def as_brush(value: Any) -> Brush | None:
    """A Brush, or one of what a Brush can be made of; None stays None."""
    if value is None or isinstance(value, Brush):
        return value
    return Brush(value)


def _key(brush: Brush) -> str | Texture:
    return brush.texture if isinstance(brush.texture, Texture) else brush.name


class Brushes:
    """The pictures of all brushes in use, as one texture array that captures share."""

    def __init__(self) -> None:
        self._layers: dict[str | Texture, int] = {}
        self._pictures: list[Picture] = [np.zeros((SIZE, SIZE, 4), np.uint8)]
        self._texture: Texture | None = None

    def knows(self, brush: Brush) -> bool:
        """True if the brush is a ready one, or was used before."""
        return brush.texture in brush_names() or _key(brush) in self._layers

    def layer(self, brush: Brush) -> int:
        """The layer of a brush's picture, which is read at its first use, and no more when it changes.

        Raises:
            ConfigError: there is no such picture, or there are too many.
        """
        key = _key(brush)
        if key not in self._layers:
            if len(self._pictures) > _MOST_BRUSHES:
                raise ConfigError(
                    f"brush must be one of the first {_MOST_BRUSHES} that are used, got {brush.texture!r}: "
                    "use files, or one Texture again and again, and not a new Texture for each hit"
                )
            self._pictures.append(_read(brush))
            self._layers[key] = len(self._pictures) - 1
            # Captures that wait to be drawn keep the texture that they were given, as it is.
            self._texture = None
        return self._layers[key]

    @property
    def texture(self) -> Texture:
        """All pictures."""
        if self._texture is None:
            self._texture = _array(self._pictures)
        return self._texture


def _array(pictures: list[Picture]) -> Texture:
    texture = Texture("rtstamp-brushes")
    texture.setup_2d_texture_array(SIZE, SIZE, len(pictures), Texture.T_unsigned_byte, Texture.F_rgba)
    texture.set_minfilter(SamplerState.FT_linear_mipmap_linear)
    texture.set_wrap_u(SamplerState.WM_clamp)
    texture.set_wrap_v(SamplerState.WM_clamp)
    # Whatever the game sets for its own textures.
    texture.set_compression(Texture.CM_off)
    # Panda holds pictures as BGRA. Levels of our own: those that drivers make are rounded up at each one.
    level = np.stack(pictures)[..., [2, 1, 0, 3]].astype(np.float64)
    for step in range(SIZE.bit_length()):
        if step > 0:
            rows = level[:, ::2] + level[:, 1::2]
            level = (rows[:, :, ::2] + rows[:, :, 1::2]) / 4.0
        texture.set_ram_mipmap_image(step, PTAUchar(np.round(level).astype(np.uint8).tobytes()))
    return texture


def _read(brush: Brush) -> Picture:
    """A brush's picture at our size, premultiplied, RGBA, the bottom row first."""
    source = _source(brush.texture)
    if not source.is_valid():
        raise ConfigError(f"brush must be {_allowed()}, got {brush.texture!r}")
    if source.has_alpha():
        # Before it is scaled, or the colours of what is clear would tinge the edges.
        source.premultiply_alpha()
    image = PNMImage(SIZE, SIZE, source.get_num_channels())
    image.box_filter_from(0.5, source)
    texture = Texture()
    texture.load(image)
    rows = np.frombuffer(bytes(texture.get_ram_image_as("RGBA")), np.uint8)
    result = rows.reshape(SIZE, SIZE, 4)
    # A picture in shades of grey without alpha is itself a mask, of white.
    return np.repeat(result[..., :1], 4, axis=2) if source.get_num_channels() == 1 else result


def _source(texture: str | Path | Filename | Texture) -> PNMImage:
    """The picture; one that is not valid if there is none."""
    image = PNMImage()
    if isinstance(texture, Texture):
        if texture.has_ram_image():
            texture.store(image)
        return image
    ready = read_brush(texture) if isinstance(texture, str) else None
    if ready is not None:
        image.read(StringStream(ready), f"{texture}.png")
        return image
    path = Filename.from_os_specific(str(texture)) if isinstance(texture, Path) else Filename(texture)
    if VirtualFileSystem.get_global_ptr().resolve_filename(path, get_model_path().get_value()):
        image.read(path)
    return image
