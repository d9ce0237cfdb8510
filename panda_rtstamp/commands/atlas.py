"""An atlas made for a model, and what it is like."""

import math
import time
from dataclasses import dataclass
from importlib.util import find_spec

import numpy as np

from panda_rtstamp.commands.output import CommandError, Progress, say
from panda_rtstamp.commands.report import count
from panda_rtstamp.core.geometry import Array
from panda_rtstamp.core.unwrap import Atlas, unwrap
from panda_rtstamp.stamps import uvs
from panda_rtstamp.stamps.atlas_files import Corners
from panda_rtstamp.stamps.atlases import as_steps, as_uvs
from panda_rtstamp.stamps.config import StampConfig
from panda_rtstamp.stamps.mesh import Mesh, triangle_areas

_TEXELS = 1024


@dataclass(frozen=True)
class Made:
    """An atlas of a mesh.

    Attributes:
        steps: its UVs as they are kept.
        wanted: the unwrapper that was asked for.
        seconds: that it took.
    """

    atlas: Atlas
    steps: Corners
    wanted: str
    seconds: float

    @property
    def corners(self) -> Array:
        """The UVs, (n, 3, 2)."""
        return as_uvs(self.steps).astype(np.float64)


def check_unwrapper(name: str) -> None:
    """Raise CommandError if this unwrapper is not installed."""
    if name not in ("auto", "own") and find_spec(name) is None:
        raise CommandError(f"{name} is not installed: pip install panda-rtstamp[unwrap]")


def make_atlas(mesh: Mesh, unwrapper: str | None, config: StampConfig) -> Made:
    """Unwrap a mesh, and show how far it is.

    Args:
        unwrapper: it takes as long as it takes; None: as in a game with this config.
    """
    name = unwrapper or config.unwrapper
    seconds = config.unwrap_seconds if unwrapper in (None, "auto") else math.inf
    begin = time.perf_counter()
    with Progress(f"unwrapping {count(mesh.count, 'triangle')}") as progress:
        atlas = unwrap(mesh.positions, mesh.owners, name, seconds, progress)
    return Made(atlas, as_steps(atlas), name, time.perf_counter() - begin)


def print_atlas(mesh: Mesh, made: Made) -> None:
    """What the atlas is like."""
    atlas, corners = made.atlas, made.corners
    fell_back = made.wanted not in ("auto", atlas.method)
    say("unwrapper", atlas.method + (f" ({made.wanted} failed on this model)" if fell_back else ""))
    say("time", f"{made.seconds:.2f} s")
    say("charts", f"{int(atlas.charts.max(initial=-1)) + 1:,}")
    say("padding", f"{atlas.padding:.1f} texels between charts at {_TEXELS}")
    say("fill", f"{_uv_areas(corners).sum():.0%} of the square")
    say("overlap", f"{uvs.overlap(corners):.1%}")
    low, middle, high = densities(mesh, made)
    say("texels a unit", f"{middle:.4g} at {_TEXELS} (by chart: {low:.4g} to {high:.4g})")


def densities(mesh: Mesh, made: Made) -> tuple[float, float, float]:
    """Texels for each unit of length at 1024 x 1024: the smallest, median and largest of the charts.

    Charts count by their area for the median. Those that would be less than a texel are left out: they are
    widened to be one.
    """
    charts = made.atlas.charts
    laid_out = charts >= 0
    areas = np.bincount(charts[laid_out], mesh.areas[laid_out])
    texels = _TEXELS**2 * np.bincount(charts[laid_out], _uv_areas(made.corners)[laid_out])
    seen = areas * texels.sum() >= areas.sum()
    if not seen.any():
        return 0.0, 0.0, 0.0
    ratios = np.sqrt(texels[seen] / areas[seen])
    order = np.argsort(ratios)
    reached = np.cumsum(areas[seen][order])
    middle = order[np.searchsorted(reached, reached[-1] / 2)]
    return float(ratios.min()), float(ratios[middle]), float(ratios.max())


def _uv_areas(corners: Array) -> Array:
    return triangle_areas(np.pad(corners, ((0, 0), (0, 0), (0, 1))))
