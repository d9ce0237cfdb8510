"""Cases side by side: each is set up, run and taken down in turn, in a new order in each round."""

import gc
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Protocol

import numpy as np

from bench.figures import Floats
from bench.stage import Stage


class Case(Protocol):
    """Something to be timed."""

    name: str

    def setup(self, stage: Stage) -> None:
        """Build it; runs frames of its own until it is ready. Not timed."""

    def frame(self, index: int) -> None:
        """What the game does before it draws a frame, counted from the first warm-up frame on. Timed."""

    def teardown(self) -> None:
        """Leave nothing behind."""


@dataclass(frozen=True)
class Lengths:
    """How long each case is run: `frames` timed ones after `warm` others, in each of `rounds`."""

    rounds: int
    warm: int
    frames: int


def run_block(stage: Stage, case: Case, lengths: Lengths) -> Floats:
    """Set a case up, time its frames, and take it down. Milliseconds, one a frame."""
    case.setup(stage)
    for index in range(lengths.warm):
        case.frame(index)
        stage.step()
    times = np.empty(lengths.frames)
    gc.collect()
    gc.disable()
    for index in range(lengths.frames):
        start = perf_counter()
        case.frame(lengths.warm + index)
        stage.step()
        times[index] = perf_counter() - start
    gc.enable()
    case.teardown()
    stage.step(2)
    return times * 1e3


def compare(
    stage: Stage, cases: Sequence[Case], lengths: Lengths, tell: Callable[[str], None] = lambda text: None
) -> dict[str, Floats]:
    """Time cases against each other.

    Args:
        stage: where.
        cases: of different names.
        lengths: how long.
        tell: is told what is running.

    Returns:
        By name, milliseconds of each frame, (rounds, frames).
    """
    order = random.Random(0)
    blocks: dict[str, list[Floats]] = {case.name: [] for case in cases}
    if len(blocks) != len(cases):
        raise ValueError("two cases have the same name")
    for number in range(lengths.rounds):
        for case in order.sample(cases, len(cases)):
            tell(f"round {number + 1} of {lengths.rounds}: {case.name}")
            blocks[case.name].append(run_block(stage, case, lengths))
    return {name: np.array(rounds) for name, rounds in blocks.items()}
