"""Pictures as files, in the formats that Panda writes."""

from pathlib import Path
from typing import Any

import numpy as np
from panda3d.core import PfmFile, PNMImage, StringStream, Texture

from panda_rtstamp.core.files import as_path, write_whole
from panda_rtstamp.errors import ConfigError, StoreError
from panda_rtstamp.overlay.pixels import Bytes, Texels, to_straight

_ENDINGS = (".png", ".exr", ".tiff", ".tif")


def check_path(path: Any) -> Path:
    """A file's path of an ending that is known. Raises ConfigError."""
    file = as_path(path)
    if file.suffix.lower() not in _ENDINGS:
        raise ConfigError(f"path must end in one of {', '.join(_ENDINGS)}, got {path!r}")
    return file


def write_picture(path: Path, texels: Texels) -> None:
    """Write what a picture holds; see RenderPicture.save. Raises StoreError."""
    floats = path.suffix.lower() == ".exr"
    texture = _texture_of(texels if floats else to_straight(texels))
    image: PfmFile | PNMImage = PfmFile() if floats else PNMImage()
    stream = StringStream()
    if not (texture.store(image) and image.write(stream, f"picture{path.suffix.lower()}")):
        raise StoreError(f"this build of Panda3D writes no {path.suffix} files: {path} was not saved")
    write_whole(path, stream.get_data(), "a picture")


def _texture_of(image: Texels | Bytes) -> Texture:
    """A texture with these texels, (height, width, 3 or 4), top row first."""
    height, width, channels = image.shape
    texture = Texture("rtstamp-file")
    if image.dtype == np.float32:
        format = Texture.F_rgba32 if channels == 4 else Texture.F_rgb32
        texture.setup_2d_texture(width, height, Texture.T_float, format)
    else:
        format = Texture.F_rgba if channels == 4 else Texture.F_rgb
        texture.setup_2d_texture(width, height, Texture.T_unsigned_byte, format)
    # Panda's own order: bottom row first, blue before red.
    texture.set_ram_image(np.ascontiguousarray(image[::-1, :, [2, 1, 0, 3][:channels]]).tobytes())
    return texture
