"""The child process of a Job: `python -m panda_rtstamp.core.unwrap.worker FOLDER`."""

import os
import shutil
import sys
import threading
from pathlib import Path

import numpy as np
import numpy.typing as npt

from panda_rtstamp.core.unwrap.atlas import METHODS, Atlas, unwrap

_INPUT, _OUTPUT = "input.npz", "output.npz"


def write_input(
    folder: Path,
    positions: npt.NDArray[np.float64],
    parts: npt.NDArray[np.int64],
    method: str,
    seconds: float,
) -> None:
    """Lay down the arguments of `unwrap` for the child."""
    np.savez(folder / _INPUT, positions=positions, parts=parts, method=method, seconds=seconds)


def read_output(folder: Path, count: int) -> Atlas | None:
    """The child's atlas of `count` triangles; None if it wrote none, or nonsense."""
    try:
        with np.load(folder / _OUTPUT, allow_pickle=False) as stored:
            corners = np.asarray(stored["corners"], np.float32)
            charts = np.asarray(stored["charts"], np.int32)
            method, padding = str(stored["method"]), float(stored["padding"])
    # Whatever a damaged archive makes numpy raise.
    except Exception:
        return None
    right = corners.shape == (count, 3, 2) and charts.shape == (count,) and method in METHODS
    within = bool(((corners >= 0.0) & (corners <= 1.0)).all())
    return Atlas(corners, charts, method, padding) if right and within else None


def _end_with_parent(folder: Path) -> None:
    """Wait until the parent's end of our stdin closes: it is gone, and nobody else removes the folder."""
    os.read(0, 1)
    os.chdir(folder.parent)
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(1)


def main() -> None:
    """Read the input, write the output."""
    folder = Path(sys.argv[1])
    threading.Thread(target=_end_with_parent, args=(folder,), daemon=True).start()
    with np.load(folder / _INPUT, allow_pickle=False) as stored:
        arguments = (stored["positions"], stored["parts"], str(stored["method"]), float(stored["seconds"]))
    atlas = unwrap(*arguments)
    np.savez(
        folder / _OUTPUT,
        corners=atlas.corners,
        charts=atlas.charts,
        method=atlas.method,
        padding=atlas.padding,
    )


if __name__ == "__main__":
    main()
