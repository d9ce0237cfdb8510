"""From a picture's texels to colours as files and programs want them.

Texels are float32 (height, width, 3 or 4), top row first, colour multiplied by alpha: that is what drawing
with Panda's M_alpha into a cleared texture leaves.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from panda_rtstamp.core.config import Rule, number
from panda_rtstamp.errors import ConfigError

Texels = npt.NDArray[np.float32]
Bytes = npt.NDArray[np.uint8]

_GAMMA = Rule(number, "a number > 0")


def check_gamma(gamma: Any) -> float:
    """A number above 0. Raises ConfigError."""
    value = float(_GAMMA.check("gamma", gamma))
    if value <= 0.0:
        raise ConfigError(f"gamma must be {_GAMMA.allowed}, got {gamma!r}")
    return value


def to_image(texels: Texels, gamma: float = 1.0) -> Bytes:
    """See RenderPicture.image: (height, width, 4)."""
    alpha = _alpha(texels)
    if gamma == 1.0:
        return _to_bytes(texels[..., :3], alpha)
    return _to_bytes(_straight(texels, alpha) ** np.float32(1.0 / gamma) * alpha, alpha)


def to_straight(texels: Texels) -> Bytes:
    """Colour that is not multiplied by alpha, as in PNG: (height, width, 4), or 3 without alpha."""
    alpha = _alpha(texels)
    image = _to_bytes(_straight(texels, alpha), alpha)
    return image if texels.shape[2] == 4 else image[..., :3]


def _alpha(texels: Texels) -> Texels:
    """(height, width, 1), 0..1; 1 where the format has none."""
    if texels.shape[2] == 3:
        return np.ones((*texels.shape[:2], 1), np.float32)
    return _held(texels[..., 3:])


def _straight(texels: Texels, alpha: Texels) -> Texels:
    """The colour itself, 0..1; black where there is none."""
    # Light over an alpha of next to nothing: beyond all numbers, and held to 1 like them.
    with np.errstate(over="ignore"):
        divided = np.divide(texels[..., :3], alpha, out=np.zeros_like(texels[..., :3]), where=alpha > 0.0)
    return _held(divided)


def _held(values: Texels) -> Texels:
    """What eight bits can tell of: 0..1."""
    result: Texels = np.clip(np.nan_to_num(values), 0.0, 1.0)
    return result


def _to_bytes(color: Texels, alpha: Texels) -> Bytes:
    """0..255, rounded half up."""
    both = np.concatenate([_held(color), alpha], axis=-1)
    result: Bytes = np.floor(both * np.float32(255.0) + np.float32(0.5)).astype(np.uint8)
    return result
