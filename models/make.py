#!/usr/bin/env python3
"""Make the samples' models and textures, and the ready brushes: `python models/make.py [--out FOLDER]`."""

import argparse
import sys
from pathlib import Path

# The checkout's folder, so that this file runs without anything being installed.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from models.making import arena, brushes, brute, hero

HERE = Path(__file__).resolve().parent


def main() -> None:
    """Write everything, and print the size in bytes and the name of each file."""
    parser = argparse.ArgumentParser(description=__doc__)
    where = "default: this file's folder"
    parser.add_argument("--out", type=Path, default=HERE, metavar="FOLDER", help=where)
    folder: Path = parser.parse_args().out.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    for maker in (arena, hero, brute, brushes):
        maker.make(folder)
    for path in sorted([*folder.glob("*.bam"), *folder.glob("*.jpg"), *folder.glob("brushes/*.png")]):
        print(f"{path.stat().st_size:8} {path.relative_to(folder).as_posix()}")


if __name__ == "__main__":
    main()
