"""An atlas as a picture: each chart in a colour of its own."""

import colorsys
from pathlib import Path

import numpy as np
import numpy.typing as npt
from panda3d.core import Filename, Texture

from panda_rtstamp.commands.atlas import Made
from panda_rtstamp.commands.output import CommandError
from panda_rtstamp.stamps import uvs

_TEXELS = 1024
_BACKGROUND = (24, 26, 30)
_EDGE_SHADE = 0.55
_EDGE_WIDTH = 3
# Hues that follow each other by the golden ratio lie far apart, however many there are.
_HUE_STEP = 0.618034


def write_preview(made: Made, target: Path) -> None:
    """Write a picture of 1024 x 1024, v upwards; what lies under no triangle is dark.

    Raises:
        CommandError: it cannot be written.
    """
    texture = Texture("preview")
    texture.setup_2d_texture(_TEXELS, _TEXELS, Texture.T_unsigned_byte, Texture.F_rgb)
    # Panda's images are blue, green, red, their bottom row first.
    texture.set_ram_image(np.ascontiguousarray(draw(made)[:, :, ::-1]).tobytes())
    if not texture.write(Filename.from_os_specific(str(target.resolve()))):
        raise CommandError(f"{target} cannot be written.")


def draw(made: Made) -> npt.NDArray[np.uint8]:
    """The picture, (1024, 1024, 3), its bottom row first."""
    flat = np.full(_TEXELS * _TEXELS, -1, np.int64)
    for triangles, texels in uvs.covered_texels(made.corners, _TEXELS):
        flat[texels] = made.atlas.charts[triangles]
    charts = flat.reshape(_TEXELS, _TEXELS)
    picture = _palette(int(charts.max()) + 1)[charts]
    picture[_edges(charts)] *= _EDGE_SHADE
    picture[charts < 0] = _BACKGROUND
    return np.round(picture).astype(np.uint8)


def _palette(number: int) -> npt.NDArray[np.float64]:
    """A colour for each chart; and one at least, for none."""
    hues = np.arange(max(number, 1)) * _HUE_STEP % 1.0
    values = np.where(np.arange(len(hues)) % 2, 0.92, 0.78)
    colors = [colorsys.hsv_to_rgb(hue, 0.5, value) for hue, value in zip(hues, values, strict=True)]
    return np.array(colors) * 255.0


def _edges(charts: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    """Texels that are near one of another chart or of none."""
    result = np.zeros(charts.shape, bool)
    for distance in range(1, _EDGE_WIDTH + 1):
        for axis in (0, 1):
            for shift in (distance, -distance):
                result |= np.roll(charts, shift, axis) != charts
    return result
