"""Unwrapped models on disk, by a hash of their geometry: no model is unwrapped twice on one machine."""

import os
import tempfile
from pathlib import Path

import numpy as np
import numpy.typing as npt
from panda3d.core import ConfigVariableFilename, Filename

from panda_rtstamp.core.log import warn_once

# UVs of triangle corners, (n, 3, 2), in steps of 1/65535: a sixteenth of a texel at 4096.
Corners = npt.NDArray[np.uint16]

# To be raised with every change of the unwrapper that makes other atlases.
_VERSION = 1
_MOST_FILES = 1000

_folder = ConfigVariableFilename(
    "rtstamp-cache-dir",
    Filename(),
    "Where unwrapped models are kept; a folder in the user's data by default.",
)


def folder() -> Path:
    """Where the files are."""
    chosen = _folder.get_value()
    if not chosen.empty():
        return Path(chosen.to_os_specific())
    return Path(Filename.get_user_appdata_directory().to_os_specific()) / "panda_rtstamp" / "unwrapped"


def read(key: str, method: str, triangles: int) -> Corners | None:
    """The atlas of the geometry `key`, made by `method`; None if there is none, or none that can be read."""
    path = _path(key, method)
    try:
        with np.load(path, allow_pickle=False) as data:
            corners: Corners = data["corners"]
    except Exception:
        return None  # Whatever is wrong with it, it is written anew.
    fits = corners.shape == (triangles, 3, 2) and corners.dtype == np.uint16
    return corners if fits else None


def write(key: str, method: str, corners: Corners) -> None:
    """Keep an atlas. What cannot be written is said once, and games go on."""
    path = _path(key, method)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # Under another name first: two games may write at once, and one may be killed.
        number, draft = tempfile.mkstemp(dir=path.parent, suffix=".part")
        try:
            with os.fdopen(number, "wb") as file:
                np.savez_compressed(file, corners=corners)
            Path(draft).replace(path)
        finally:
            Path(draft).unlink(missing_ok=True)
        _drop_oldest(path.parent)
    except OSError as error:
        warn_once("cache", f"unwrapped models cannot be kept in {path.parent}: {error}")


def _path(key: str, method: str) -> Path:
    return folder() / f"{key}-{method}-{_VERSION}.npz"


def _drop_oldest(parent: Path) -> None:
    files = list(parent.glob("*.npz"))
    if len(files) > _MOST_FILES:
        files.sort(key=lambda file: file.stat().st_mtime)
        for file in files[: len(files) - _MOST_FILES]:
            file.unlink(missing_ok=True)
