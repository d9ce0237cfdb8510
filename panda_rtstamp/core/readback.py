"""Reading a render target into numpy, at once: it waits for the graphics card, not for use in play."""

import numpy as np
import numpy.typing as npt
from panda3d.core import Texture

from panda_rtstamp.core.context import Context

_TYPES = {1: (np.uint8, 255.0), 2: (np.uint16, 65535.0), 4: (np.float32, 1.0)}


def read_texture(context: Context, texture: Texture) -> npt.NDArray[np.float32] | None:
    """What a render target holds: float32 (height, width, channels), RGBA order, row 0 at v = 0.

    None if the driver cannot read it.
    """
    if not context.engine.extract_texture_data(texture, context.gsg):
        return None
    kind, scale = _TYPES[texture.get_component_width()]
    if texture.get_component_type() == Texture.T_half_float:
        kind, scale = np.float16, 1.0
    shape = texture.get_y_size(), texture.get_x_size(), texture.get_num_components()
    image = np.frombuffer(bytes(texture.get_ram_image()), kind).reshape(shape).astype(np.float32) / scale
    # The extracted copy must go at once, or the next use of the texture uploads it over what was drawn since.
    texture.clear_ram_image()
    return image[..., [2, 1, 0, 3]] if shape[2] == 4 else image
