"""The scripted match over and over, 10,000 frames: nothing goes wrong, and nothing grows."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from samples.common.run import FRAME_RATE
from samples.shooter.enemies import NUMBER
from samples.shooter.script import SECONDS
from support import run_case

FRAMES = 10_000
MATCH = round(SECONDS * FRAME_RATE)
# The first ones make what the later ones use again.
FIRST = 2
# By how much what is allocated may grow in all frames, in KiB. A KiB a frame would be more.
MEMORY = 8192
LIMIT = 1800  # seconds
# Of what can be marked and is hidden at times.
PARTS = 12


def play(profile: str, kind: str) -> list[dict[str, Any]]:
    """What there is after each match. No GL error and no warning is part of it."""
    case = Path(__file__).resolve().parent / "soak_case.py"
    matches = FRAMES // MATCH
    printed = run_case(case, profile=profile, args=[str(matches), kind], timeout=LIMIT)
    result: list[dict[str, Any]] = [json.loads(line) for line in printed.splitlines()]
    assert sum(match["frames"] for match in result) == FRAMES
    return result


def check_what_there_is(matches: Sequence[dict[str, Any]], varying: Sequence[str] = ()) -> None:
    """Nothing is more or less than it was, but for what may vary; neither is more allocated."""
    expected = {name: count for name, count in matches[FIRST]["there"].items() if name not in varying}
    for number, match in enumerate(matches[FIRST:]):
        there = {name: count for name, count in match["there"].items() if name not in varying}
        assert there == expected, f"match {number + FIRST}"
    sizes = [match["memory"] for match in matches[FIRST:] if match["memory"] is not None]
    # By the trend of the second half: caches fill in the first one; and at the end of any match frames are on
    # their way, which take megabytes.
    if sizes:
        half = sizes[len(sizes) // 2 :]
        growth = np.polyfit(range(len(half)), half, 1)[0] * (len(sizes) - 1)
        assert growth < MEMORY, sizes


@pytest.mark.full
@pytest.mark.parametrize("profile", ["compat", "core"])
def test_soak(profile: str) -> None:
    """Each match is the same, and leaves the same."""
    matches = play(profile, "offscreen")
    check_what_there_is(matches)
    assert {match["shots"] for match in matches} == {matches[0]["shots"]}
    assert matches[-1]["hits"] > FRAMES / 10


@pytest.mark.full
@pytest.mark.threads
def test_soak_in_threads() -> None:
    """In a window under Cull/Draw, in real time, so that no two matches are the same."""
    matches = play("threads", "onscreen")
    # The graphics card's copies of characters, as they were last posed, come and go. And a buffer for hits is
    # made whenever more nodes are hit within a few frames than ever before. And a part of a model is indexed
    # when a mark first comes to where it can be seen: once for each part at most.
    varying = {"vertex buffers": NUMBER, "textures": 4, "indexes": PARTS}
    check_what_there_is(matches, list(varying))
    for name, most in varying.items():
        counts = [match["there"][name] for match in matches[FIRST:]]
        assert max(counts) - min(counts) <= most, name
    assert matches[-1]["hits"] > FRAMES / 20
