"""Charts and their shapes from uvunwrap or xatlas, where installed. How those pack them is not used."""

import importlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from panda_rtstamp.core.unwrap.mesh import Floats, Ints, Mesh, manifold_vertices, renumber, split_apart

# xatlas cannot be stopped; its time grows with the square: 24 s for 100,000 triangles.
_XATLAS_SECONDS = 24.0 / 1e5**2
# Shapes are scaled to whole texels by it: many, lest that distorts them.
_TEXELS = 2048
_STAGES = {"segmenting": 0.0, "parameterizing": 0.3, "packing": 0.8, "output": 0.95}

Progress = Callable[[float], None]
Found = tuple[Ints, Floats]


def run(name: str, mesh: Mesh, seconds: float, progress: Progress) -> Found | None:
    """Charts from 0, (n,), and UVs (n, 3, 2), each chart in a unit of its own; not checked.

    None where the library is not installed, fails or takes longer than `seconds`.
    """
    if not len(mesh):
        return None
    function = {"uvunwrap": _run_uvunwrap, "xatlas": _run_xatlas}[name]
    try:
        library = importlib.import_module(name)
    except ImportError:
        return None
    pieces = _separate(mesh)
    if not pieces:
        return None
    watched = _Watched(progress)
    try:
        charts, uvs = function(library, mesh, pieces, seconds, watched)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException:
        # A panic of Rust code is no Exception.
        if watched.stopped:
            raise
        return None
    # Whatever is in no chart counts as one that is not sound.
    uvs[charts < 0] = np.nan
    return renumber(charts + 1), uvs


class _Watched:
    """A progress callback: what it raises is the caller's way to stop, and no failure of the library."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self.stopped = False

    def __call__(self, share: float) -> None:
        self.stopped = True
        self._progress(share)
        self.stopped = False


@dataclass(frozen=True)
class _Piece:
    """Triangles that hang together: their numbers (k,), vertices (m, 3) and the vertices of each (k, 3)."""

    faces: Ints
    points: npt.NDArray[np.float32]
    indices: npt.NDArray[np.uint32]


def _separate(mesh: Mesh) -> list[_Piece]:
    """The mesh in pieces that are manifold. Where more than two triangles meet, both libraries cut all edges:
    a sheet and its back would become single triangles.
    """
    vertices = manifold_vertices(mesh)
    points = np.zeros((int(vertices.max()) + 1, 3), np.float32)
    points[vertices] = mesh.corners
    numbers = split_apart(mesh, mesh.parts)
    order = np.argsort(numbers, kind="stable")
    pieces = []
    for faces in np.split(order, np.flatnonzero(np.diff(numbers[order])) + 1):
        if len(faces) == 1:
            # A chart as it is; thousands of them would take the libraries long.
            continue
        used, indices = np.unique(vertices[faces], return_inverse=True)
        pieces.append(_Piece(faces, points[used], indices.reshape(-1, 3).astype(np.uint32)))
    return pieces


def _run_uvunwrap(
    library: Any, mesh: Mesh, pieces: list[_Piece], seconds: float, progress: Progress
) -> Found:
    end = time.monotonic() + seconds
    meshes = [library.Mesh(piece.points, piece.indices) for piece in pieces]
    job = library.start(meshes, page_size=_TEXELS, padding=1, packing="fast")
    try:
        while not job.done:
            if time.monotonic() > end:
                raise TimeoutError
            if job.progress is not None:
                progress(_STAGES.get(job.progress.stage, 0.0))
            time.sleep(0.002)
        atlas = job.result()
    finally:
        if not job.done:
            job.cancel()
    charts, uvs = _nothing(mesh)
    count = 0
    for piece, out in zip(pieces, atlas.meshes, strict=True):
        uvs[piece.faces] = np.asarray(out.corner_uvs, np.float64).reshape(-1, 3, 2)
        corners = np.asarray(out.indices, np.int64).reshape(-1, 3)
        own = np.asarray(out.chart, np.int64)[corners[:, 0]]
        charts[piece.faces] = np.where(own < 0, -1, own + count)
        count += int(own.max()) + 1
    return charts, uvs * (atlas.width, atlas.height)


def _run_xatlas(library: Any, mesh: Mesh, pieces: list[_Piece], seconds: float, progress: Progress) -> Found:
    if len(mesh) ** 2 * _XATLAS_SECONDS > seconds:
        raise TimeoutError
    atlas = library.Atlas()
    for piece in pieces:
        atlas.add_mesh(piece.points, piece.indices)
    packing = library.PackOptions()
    packing.bruteForce = False
    packing.resolution = _TEXELS
    atlas.generate(pack_options=packing)
    charts, uvs = _nothing(mesh)
    count = 0
    for number, piece in enumerate(pieces):
        _, indices, flat = atlas.get_mesh(number)
        uvs[piece.faces] = flat[indices].astype(np.float64)
        for chart in range(atlas.get_mesh_chart_count(number)):
            members = np.asarray(atlas.get_mesh_chart(number, chart).faces, np.int64)
            charts[piece.faces[members]] = count
            count += 1
    return charts, uvs * (atlas.width, atlas.height)


def _nothing(mesh: Mesh) -> Found:
    return np.full(len(mesh), -1, np.int64), np.full((len(mesh), 3, 2), np.nan)
