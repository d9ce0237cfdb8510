"""Strands: how much of the skin they cover at each height, as a texture array that mip maps filter.

A strand stands on each point of a jittered grid, and grows over what is nearest to it. How far from its own
point a texel lies is told by rank, among all texels, from 0 to 1: strands that cover all texels up to rank c
cover just that share of the skin. So they touch, and leave no gap, where all of it is to be covered.
"""

from functools import lru_cache

import numpy as np
import numpy.typing as npt
from panda3d.core import SamplerState, Texture

Floats = npt.NDArray[np.float32]

# Strands along an edge of the texture, and texels for each.
ACROSS = 32
_TEXELS = 16
# Slices of the array, from the root up: two for each of the layers that are most used.
SLICES = 24
_SEED = 1


@lru_cache
def _field() -> tuple[Floats, Floats, Floats, Floats]:
    """Of each texel: its rank, how much that changes over a texel, and two numbers 0..1 of its strand."""
    random = np.random.default_rng(_SEED)
    jitter = random.uniform(0.15, 0.85, (ACROSS, ACROSS, 2))
    numbers = np.arange(ACROSS * ACROSS)
    size = ACROSS * _TEXELS
    places = (np.arange(size, dtype=np.float32) + 0.5) / _TEXELS
    cells = places.astype(int)
    nearest = np.full((size, size), np.inf, np.float32)
    owner = np.zeros((size, size), np.int64)
    for down in (-1, 0, 1):
        for right in (-1, 0, 1):
            rows, columns = cells + down, cells + right
            point = jitter[np.ix_(rows % ACROSS, columns % ACROSS)]
            y = rows[:, None] + point[..., 1] - places[:, None]
            x = columns + point[..., 0] - places
            distance = (x * x + y * y).astype(np.float32)
            nearer = distance < nearest
            nearest[nearer] = distance[nearer]
            owner[nearer] = numbers.reshape(ACROSS, ACROSS)[np.ix_(rows % ACROSS, columns % ACROSS)][nearer]
    rank = np.empty(size * size, np.float32)
    rank[nearest.ravel().argsort()] = (np.arange(size * size) + 0.5) / (size * size)
    ranks = rank.reshape(size, size)
    slope = np.hypot(*np.gradient(ranks)).astype(np.float32)
    even = np.linspace(0.0, 1.0, len(numbers), dtype=np.float32)
    short, chance = (random.permutation(even)[owner] for _ in range(2))
    return ranks, np.maximum(slope, 1e-4), short, chance


def coverage(density: float, taper: float, variation: float) -> Floats:
    """How much of each texel is covered: (slices, rows, columns), 0..1; slice k from k / slices up.

    At a height t, as a share of its own length, a strand covers density * (1 - taper * t)^2.
    """
    ranks, slope, short, _ = _field()
    lengths = 1.0 - variation * short
    result = np.empty((SLICES, *ranks.shape), np.float32)
    for number in range(SLICES):
        along = (number + 0.5) / SLICES / np.maximum(lengths, 1e-6)
        covered = density * (1.0 - taper * np.minimum(along, 1.0)) ** 2
        edge = np.clip((covered - ranks) / slope + 0.5, 0.0, 1.0)
        edge[covered >= 1.0] = 1.0
        # Of the slice's height, the part below the tip.
        edge *= np.clip(lengths * SLICES - number, 0.0, 1.0)
        result[number] = edge if density > 0.0 else 0.0
    return result


@lru_cache(maxsize=8)
def strand_texture(density: float, taper: float, variation: float) -> Texture:
    """The array texture of these strands; the same one for all coats that ask for it."""
    texture = Texture("rtstamp-fur-strands")
    size = ACROSS * _TEXELS
    # The last slice says which strands are left of fewer.
    texture.setup_2d_texture_array(size, size, SLICES + 1, Texture.T_unsigned_byte, Texture.F_red)
    slices = np.concatenate([coverage(density, taper, variation), _field()[3][None]])
    rows = np.rint(slices * 255.0).astype(np.uint8)
    texture.set_ram_image(rows.tobytes())
    texture.set_wrap_u(SamplerState.WM_repeat)
    texture.set_wrap_v(SamplerState.WM_repeat)
    texture.set_minfilter(SamplerState.FT_linear_mipmap_linear)
    texture.set_magfilter(SamplerState.FT_linear)
    return texture
