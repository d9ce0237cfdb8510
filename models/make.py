#!/usr/bin/env python3
"""Make the models and textures that the samples use: `python models/make.py [--out FOLDER]`."""

import argparse
import sys
from pathlib import Path

# The checkout's folder, so that this file runs without anything being installed.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from models.making import arena, brute, hero

HERE = Path(__file__).resolve().parent


def main() -> None:
    """Write everything, and print the size in bytes and the name of each file."""
    parser = argparse.ArgumentParser(description=__doc__)
    where = "default: this file's folder"
    parser.add_argument("--out", type=Path, default=HERE, metavar="FOLDER", help=where)
    folder: Path = parser.parse_args().out.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    for maker in (arena, hero, brute):
        maker.make(folder)
    for path in sorted([*folder.glob("*.bam"), *folder.glob("*.jpg")]):
        print(f"{path.stat().st_size:8} {path.name}")


if __name__ == "__main__":
    main()
