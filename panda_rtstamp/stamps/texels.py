"""The texels of Temp outside the graphics card: kept as they are stored there, and drawn back into it."""

from typing import Any

import numpy as np
import numpy.typing as npt
from panda3d.core import NodePath, RenderState, ShaderAttrib, Texture

from panda_rtstamp.core.card import VERTEX_SHADER, Card, card_camera
from panda_rtstamp.core.config import Color
from panda_rtstamp.core.shader import load_shader
from panda_rtstamp.core.target import Format

RESTORE_SHADER = "rtstamp/stamps/restore.frag"

# (height, width, channels), row 0 at v = 0, RGBA, in the type that the texture's format has.
Texels = npt.NDArray[np.uint8] | npt.NDArray[np.uint16] | npt.NDArray[np.float16]
Values = npt.NDArray[np.float32]

_TYPES: dict[int, tuple[type[np.generic], int]] = {
    Texture.T_unsigned_byte: (np.uint8, 255),
    Texture.T_unsigned_short: (np.uint16, 65535),
}


def type_of(format: Format) -> np.dtype[Any]:
    """The type of a format's texels, of the same bytes on every machine."""
    kind = np.float16 if format.is_float else _TYPES[format.component][0]
    result: np.dtype[Any] = np.dtype(kind).newbyteorder("<")
    return result


def to_texels(values: Values, format: Format) -> Texels:
    """Values as a texture of this format holds them; exact, if they come from one."""
    if format.is_float:
        return values.astype(np.float16)
    kind, most = _TYPES[format.component]
    result: Texels = np.round(np.clip(values, 0.0, 1.0) * np.float64(most)).astype(kind)
    return result


def to_values(texels: Texels) -> Values:
    """Texels as float32, of which 1 is a full one."""
    most = next((most for kind, most in _TYPES.values() if texels.dtype == kind), 1)
    result: Values = texels.astype(np.float32) / np.float32(most)
    return result


def with_channels(values: Values, channels: int, color: Color) -> Values:
    """Values of as many channels: of four the mask is kept alone, of a mask four in this colour are made."""
    if values.shape[2] == channels:
        return values
    if channels == 1:
        return values[..., 3:]
    result: Values = values * np.array([*color[:3], 1.0], np.float32)
    return result


def restore_camera(texels: Texels, format: Format) -> NodePath:
    """A camera for a pass that draws texels into a target of their size and format."""
    texture = Texture("rtstamp-stored")
    texture.setup_2d_texture(texels.shape[1], texels.shape[0], format.component, format.format)
    # Whatever the game sets for its own textures.
    texture.set_compression(Texture.CM_off)
    ordered = texels[..., [2, 1, 0, 3]] if format.channels == 4 else texels
    texture.set_ram_image(ordered.tobytes())
    attrib = ShaderAttrib.make(load_shader(VERTEX_SHADER, RESTORE_SHADER)).set_shader_input(
        "u_stored", texture
    )
    return card_camera("rtstamp-restore", [Card(RenderState.make(attrib))])
