"""What is made of measured times: medians, tails, spread, and ratios that say how sure they are."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Figure:
    """A measured quantity.

    `spread` is the median absolute deviation from the median; unlike a standard deviation it stays small when
    another program steals a frame.
    """

    median: float
    p99: float
    spread: float
    samples: int
    unit: str = "ms"


def figure(values: Floats, unit: str = "ms") -> Figure:
    """The figure of some samples, of any shape, but at least one."""
    flat = np.asarray(values, np.float64).ravel()
    median = float(np.median(flat))
    spread = float(np.median(np.abs(flat - median)))
    return Figure(median, float(np.percentile(flat, 99)), spread, len(flat), unit)


def ratio(ours: Floats, theirs: Floats) -> Figure:
    """Ours / theirs, of samples (rounds, n): the figure of the ratios that the medians have in each round.

    What ran in the same seconds is compared: a machine that is slow for a while is so for both.
    """
    return figure(np.median(ours, axis=1) / np.median(theirs, axis=1), "x")


# The last frames of a period, in which nothing is left to do.
QUIET = 3


def cost_of_hits(frames: Floats, period: int, burst: int) -> Floats:
    """What a frame with hits costs more than one without.

    Args:
        frames: (rounds, (n + 1) * period) times of frames; each period begins with `burst` frames with hits.
        period: frames from one burst to the next; the last QUIET of them are idle.
        burst: frames with hits in a period.

    Returns:
        (rounds, n): all that a period costs more than as many idle frames, shared by the frames with hits.
        What is left to do in the frames after a hit counts as well. Idle frames are those before and after
        the burst, half and half: where marks pile up, what it costs to show them is no cost of the hit.
    """
    periods = frames.reshape(len(frames), -1, period)
    quiet = np.median(periods[:, :, -QUIET:], axis=2)
    idle = (quiet[:, :-1] + quiet[:, 1:]) / 2
    cost: Floats = (periods[:, 1:].sum(axis=2) - period * idle) / burst
    return cost
