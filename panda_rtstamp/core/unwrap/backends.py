"""Charts and their shapes from uvunwrap or xatlas, where installed. How those pack them is not used."""

import importlib
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from panda_rtstamp.core.unwrap.mesh import Floats, Ints, Mesh, renumber

# xatlas cannot be stopped; its time grows with the square: 24 s for 100,000 triangles.
_XATLAS_SECONDS = 24.0 / 1e5**2
_XATLAS_TEXELS = 2048
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
    points = np.zeros((int(mesh.vertices.max()) + 1, 3))
    points[mesh.vertices] = mesh.corners
    watched = _Watched(progress)
    try:
        return function(library, mesh, points, seconds, watched)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException:
        # A panic of Rust code is no Exception.
        if watched.stopped:
            raise
        return None


class _Watched:
    """A progress callback: what it raises is the caller's way to stop, and no failure of the library."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self.stopped = False

    def __call__(self, share: float) -> None:
        self.stopped = True
        self._progress(share)
        self.stopped = False


def _run_uvunwrap(
    library: Any, mesh: Mesh, points: Floats, seconds: float, progress: Progress
) -> Found | None:
    given = library.Mesh(
        np.ascontiguousarray(points, np.float32),
        np.ascontiguousarray(mesh.vertices, np.uint32),
        face_materials=np.ascontiguousarray(mesh.parts, np.uint32),
    )
    end = time.monotonic() + seconds
    job = library.start([given], page_size=1024, padding=1, packing="fast")
    try:
        while not job.done:
            if time.monotonic() > end:
                return None
            if job.progress is not None:
                progress(_STAGES.get(job.progress.stage, 0.0))
            time.sleep(0.002)
        atlas = job.result()
    finally:
        if not job.done:
            job.cancel()
    out = atlas.meshes[0]
    uvs = np.asarray(out.corner_uvs, np.float64).reshape(-1, 3, 2) * (atlas.width, atlas.height)
    charts = np.asarray(out.chart, np.int64)[np.asarray(out.indices, np.int64).reshape(-1, 3)[:, 0]]
    return _numbered(mesh, charts, uvs)


def _run_xatlas(library: Any, mesh: Mesh, points: Floats, seconds: float, progress: Progress) -> Found | None:
    if len(mesh) ** 2 * _XATLAS_SECONDS > seconds:
        return None
    atlas = library.Atlas()
    members = [np.flatnonzero(mesh.parts == part) for part in range(int(mesh.parts.max()) + 1)]
    for faces in members:
        used, indices = np.unique(mesh.vertices[faces], return_inverse=True)
        atlas.add_mesh(points[used].astype(np.float32), indices.reshape(-1, 3).astype(np.uint32))
    packing = library.PackOptions()
    packing.bruteForce = False
    packing.resolution = _XATLAS_TEXELS
    atlas.generate(pack_options=packing)
    charts = np.full(len(mesh), -1, np.int64)
    uvs = np.full((len(mesh), 3, 2), np.nan)
    count = 0
    for number, faces in enumerate(members):
        _, indices, flat = atlas.get_mesh(number)
        uvs[faces] = flat[indices].astype(np.float64) * (atlas.width, atlas.height)
        for chart in range(atlas.get_mesh_chart_count(number)):
            charts[faces[np.asarray(atlas.get_mesh_chart(number, chart).faces, np.int64)]] = count
            count += 1
    return _numbered(mesh, charts, uvs)


def _numbered(mesh: Mesh, charts: Ints, uvs: Floats) -> Found | None:
    """Charts from 0 without gaps, none of several parts; triangles in none together, without UVs."""
    if charts.shape != (len(mesh),) or uvs.shape != (len(mesh), 3, 2):
        return None
    uvs = np.where((charts < 0)[:, None, None], np.nan, uvs)
    keys = charts * (int(mesh.parts.max()) + 1) + mesh.parts
    return renumber(keys - keys.min()), uvs
