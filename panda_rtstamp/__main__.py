"""`python -m panda_rtstamp`: doctor, unwrap and paint."""

import argparse
import sys
from collections.abc import Sequence

from panda_rtstamp.commands.doctor import doctor
from panda_rtstamp.commands.examine import examine
from panda_rtstamp.commands.output import CommandError
from panda_rtstamp.commands.paint import paint
from panda_rtstamp.commands.unwrap import unwrap
from panda_rtstamp.stamps.config import UNWRAPPERS

_FAILED = 1
_BAD_INPUT = 2
_INTERRUPTED = 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m panda_rtstamp", description="Tools of panda_rtstamp.")
    commands = parser.add_subparsers(dest="command", required=True)
    check = commands.add_parser("doctor", help="say what works on this machine or with a model, and why not")
    check.add_argument("model", metavar="MODEL", nargs="?", help="the model; without one, the machine")
    make = commands.add_parser("unwrap", help="write a copy of a model that has UVs for marks")
    make.add_argument("model", metavar="MODEL", help="what loader.load_model loads: egg, bam, gltf, ...")
    make.add_argument("out", metavar="OUT.bam", nargs="?", help="the copy; else MODEL.rtstamp.bam")
    make.add_argument("--preview", metavar="OUT.png", help="draw the UVs into a picture, too")
    make.add_argument("--unwrapper", choices=UNWRAPPERS, help="what makes the UVs; else as in the game")
    make.add_argument("--force", action="store_true", help="even if the model is fine, or is OUT itself")
    brush = commands.add_parser("paint", help="paint how fur lies on a model, in a window")
    brush.add_argument("model", metavar="MODEL", help="what loader.load_model loads: egg, bam, gltf, ...")
    brush.add_argument("sidecar", metavar="FILE.fur", nargs="?", help="what is painted; else MODEL.fur")
    brush.add_argument("--merge", metavar="OTHER.fur", help="lay what somebody else painted on it, too")
    brush.add_argument("--author", metavar="NAME", default="", help="whose strokes these are, for merging")
    brush.add_argument("--from-colors", action="store_true", help="begin with the model's vertex colours")
    return parser


def _run(given: argparse.Namespace) -> int:
    if given.command == "unwrap":
        return unwrap(given.model, given.out, given.preview, given.unwrapper, given.force)
    if given.command == "paint":
        return paint(given.model, given.sidecar, given.merge, given.author, given.from_colors)
    return doctor() if given.model is None else examine(given.model)


def main(arguments: Sequence[str] | None = None) -> int:
    """Carry out the command line; the process's exit code."""
    given = _parser().parse_args(arguments)
    try:
        return _run(given)
    except CommandError as error:
        print(f"panda_rtstamp {given.command}: {error}", file=sys.stderr)
        return _BAD_INPUT
    except KeyboardInterrupt:
        return _INTERRUPTED
    except Exception as error:
        # People run this when something is broken: whatever it is, they get a sentence.
        print(f"\n  The {given.command} itself failed: {type(error).__name__}: {error}")
        return _FAILED


if __name__ == "__main__":
    sys.exit(main())
