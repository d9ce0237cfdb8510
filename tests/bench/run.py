#!/usr/bin/env python3
"""Times marks and masks beside what people would use instead, and prints a table.

    python tests/bench/run.py [--quick] [--only WORD ...] [--json OUT.json] [--chart OUT.png]

How to read the table. Each line puts one thing of ours beside a rival's (tests/bench/rivals/, by their
numbers) or beside ours under other circumstances. Times are medians, ± the median absolute deviation, in
milliseconds; p99 is ours. "ours / theirs" is the median over rounds of the ratio of both medians in that
round, since what ran within a second of each other compares best. Cases take turns, in a new order in each
round, in one process and window. An aim is the most that the ratio may be (the figure, where there is no
rival), in a full run on llvmpipe.

- "one hit", "hits": what frames with hits take more than frames without, with all that is left to do in the
  next frames. "A mark's life": the same for all of its frames. "A mask": what frames in which eyes move take
  more than frames without masks. Everything else is whole frames.
- Frames are stepped as a game's are, and end when the graphics card is done with them.
- On llvmpipe, which draws on the processor, texels are dear and passes cheap; a graphics card is the other
  way round. `--gpu` draws with the card, where there is a display.

`--quick` takes a minute and tells whether something got much slower; `--smoke` only whether all of it
works. The exit code is 1 if Panda3D or the add-on warned meanwhile: then the figures are of something that
did not work.
"""

import argparse
import json
import os
import platform
import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from time import perf_counter

# The checkout's folders, so that nothing needs to be installed.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bench import apart, choices, coats, hitting, overlays, picturing, seeing, standing
from bench.chart import draw_chart
from bench.plan import FULL, QUICK, SMOKE, Bench, Plan
from bench.report import Outcome, as_json, table
from bench.stage import Stage, configure
from support import NotifyLog

EXPERIMENTS: dict[str, Callable[[Bench], Outcome]] = {
    "fading": standing.fading,
    "one hit": hitting.one_hit,
    "sizes": hitting.sizes,
    "triangles": hitting.triangles,
    "hits": hitting.hits,
    "life": hitting.life,
    "volley": hitting.volley,
    "python time": apart.python_time,
    "memory": apart.memory,
    "first hit": apart.first_hit,
    "living": standing.living,
    "one wall": standing.one_wall,
    "textures": choices.textures,
    "drawn": choices.drawn,
    "budget": choices.budget,
    "vision walls": seeing.walls,
    "vision viewers": seeing.viewers,
    "vision moving": seeing.moving,
    "vision python": seeing.sight_python,
    "vision clips": seeing.consumers,
    "overlay": overlays.overlay,
    "pictures": picturing.pictures,
    "coats": coats.coats,
}
# A pool this large is what is asked for.
_EXPECTED = (r"max_pool_size \d+: up to \d+ MB",)


def parse() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="fewer rounds, smaller sweeps")
    parser.add_argument("--smoke", action="store_true", help="tiny sizes, once: the figures mean nothing")
    parser.add_argument(
        "--only", nargs="+", metavar="WORD", help=f"of {', '.join(EXPERIMENTS)}: those with it"
    )
    parser.add_argument("--json", type=Path, help="write all figures there")
    parser.add_argument("--chart", type=Path, help="draw the sweeps there, as PNG")
    parser.add_argument("--gpu", action="store_true", help="draw with the graphics card (pandagl)")
    return parser.parse_args()


def tell(name: str, text: str) -> None:
    """Say what is running, where somebody looks."""
    if sys.stderr.isatty():
        print(f"\r{f'{name}: {text}':<78}", end="", file=sys.stderr, flush=True)


def measure(plan: Plan, words: Sequence[str], gpu: bool) -> tuple[Outcome, dict[str, str]]:
    """Run the experiments with one of these words; what they found, and the machine's facts."""
    stage = Stage()
    outcome = Outcome()
    for name, experiment in EXPERIMENTS.items():
        if any(word in name for word in words):
            start = perf_counter()
            outcome += experiment(Bench(stage, plan, gpu, partial(tell, name)))
            print(f"{name}: {perf_counter() - start:.0f} s", file=sys.stderr, flush=True)
    facts = stage.facts()
    stage.base.destroy()
    facts |= {"Python": platform.python_version(), "system": platform.system(), "cores": str(os.cpu_count())}
    return outcome, facts


def main() -> int:
    """Measure, print, write."""
    options = parse()
    plan = SMOKE if options.smoke else QUICK if options.quick else FULL
    configure(options.gpu)
    with tempfile.TemporaryDirectory() as folder:
        log = NotifyLog(Path(folder, "notify.txt"))
        outcome, facts = measure(plan, options.only or [""], options.gpu)
        for pattern in _EXPECTED:
            log.allow(pattern)
        problems = log.problems
        log.close()
    print("\n".join(f"{name}: {value}" for name, value in facts.items()), end="\n\n")
    print(table(outcome.rows), *outcome.notes, sep="\n")
    if options.json:
        options.json.write_text(json.dumps(as_json(outcome, facts), indent=1), encoding="utf-8")
    if options.chart:
        draw_chart(outcome.curves, options.chart)
    if problems:
        print("Panda3D warned meanwhile:", *problems, sep="\n", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
