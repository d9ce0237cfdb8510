"""Packing rectangles into the unit square, all at one scale, so that texels are as dense everywhere."""

import numpy as np
from numpy.typing import NDArray

# The search for the largest scale ends when it is known this well, relative to itself.
_PRECISION = 1e-4


def pack(sizes: NDArray[np.float64], padding: float) -> tuple[float, NDArray[np.float64]]:
    """The largest scale found at which rectangles lie in the unit square, and where they lie.

    sizes: (n, 2) widths and heights, above 0. padding: the gap between rectangles, and half of it to the
    border, as a share of the square. Returns the scale that sizes are multiplied by, and (n, 2) lower left
    corners. Nothing is turned. Raises ValueError where the gaps alone fill the square.
    """
    sizes = np.asarray(sizes, dtype=np.float64)
    if sizes.ndim != 2 or sizes.shape[1] != 2 or len(sizes) == 0 or not np.all(sizes > 0):
        raise ValueError(f"sizes must be (n, 2), n at least 1, and above 0; got shape {sizes.shape}")
    # Neither the area nor the longest side can pass the square, so no scale above this fits.
    high = float(min(1 / np.sqrt(np.sum(sizes[:, 0] * sizes[:, 1])), 1 / sizes.max()))
    low = 0.0
    best: NDArray[np.float64] | None = None
    while high - low > _PRECISION * high:
        scale = (low + high) / 2
        offsets = _shelves(sizes * scale + padding)
        if offsets is None:
            high = scale
        else:
            low, best = scale, offsets
        if high < 1e-9:
            raise ValueError(f"{len(sizes)} rectangles with gaps of {padding:g} do not fit")
    assert best is not None
    return low, best + padding / 2


def _shelves(sizes: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """Lower left corners, (n, 2), of rectangles on shelves in the unit square; None where they do not fit.

    The highest come first. Each goes onto the lowest shelf that has room, or onto a new one on top.
    """
    offsets = np.zeros_like(sizes)
    ends: list[float] = []
    floors: list[float] = []
    heights: list[float] = []
    top = 0.0
    for index in np.lexsort((-sizes[:, 0], -sizes[:, 1])):
        width, height = sizes[index]
        shelf = next((s for s, end in enumerate(ends) if end + width <= 1 and height <= heights[s]), None)
        if shelf is None:
            if top + height > 1 or width > 1:
                return None
            shelf = len(ends)
            ends.append(0.0)
            floors.append(top)
            heights.append(float(height))
            top += float(height)
        offsets[index] = ends[shelf], floors[shelf]
        ends[shelf] += float(width)
    return offsets
