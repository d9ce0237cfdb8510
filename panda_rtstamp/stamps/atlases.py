"""Stamp UVs that are made: at once for small models, in the background for big ones, and never twice."""

import numpy as np

from panda_rtstamp.core import unwrap as unwrapping
from panda_rtstamp.stamps import atlas_files
from panda_rtstamp.stamps.atlas_files import Corners
from panda_rtstamp.stamps.config import StampConfig
from panda_rtstamp.stamps.mesh import Mesh

_STEPS = 65535
# Atlases that are held in memory.
_MOST_HELD = 256


class Atlases:
    """The atlases of all surfaces that needed one."""

    def __init__(self) -> None:
        self._held: dict[str, Corners] = {}
        self._jobs: dict[str, tuple[unwrapping.Job, StampConfig]] = {}

    def get(self, mesh: Mesh, config: StampConfig, background: bool = False) -> Corners | None:
        """The atlas of a mesh; None while it is being made in the background.

        Args:
            background: make it there be the mesh small or not.
        """
        key = mesh.key
        found = self._held.get(key)
        background = background or mesh.count > config.unwrap_at_once
        if found is None and not background and key in self._jobs:
            # It was begun for somebody who had time.
            job, _ = self._jobs.pop(key)
            job.cancel()
        if found is None and key not in self._jobs:
            found = self._read(mesh, config)
        if found is None and key not in self._jobs:
            found = self._make(mesh, config, background)
        return found

    def _read(self, mesh: Mesh, config: StampConfig) -> Corners | None:
        if not config.unwrap_cache:
            return None
        found = atlas_files.read(mesh.key, config.unwrapper, mesh.count)
        if found is not None:
            self.hold(mesh.key, found)
        return found

    def _make(self, mesh: Mesh, config: StampConfig, background: bool) -> Corners | None:
        settings = config.unwrapper, config.unwrap_seconds
        if background:
            job = unwrapping.Job.start(mesh.positions, mesh.owners, *settings)
            self._jobs[mesh.key] = job, config
            return None
        return self._finish(mesh.key, unwrapping.unwrap(mesh.positions, mesh.owners, *settings), config)

    def _finish(self, key: str, atlas: unwrapping.Atlas, config: StampConfig) -> Corners:
        corners = as_steps(atlas)
        self.hold(key, corners)
        if config.unwrap_cache:
            atlas_files.write(key, config.unwrapper, corners)
        return corners

    def hold(self, key: str, corners: Corners) -> None:
        """Lay this geometry out like that from now on."""
        if len(self._held) >= _MOST_HELD:
            del self._held[next(iter(self._held))]
        self._held[key] = corners

    @property
    def busy(self) -> bool:
        """True while atlases are being made."""
        return bool(self._jobs)

    def poll(self) -> bool:
        """True if an atlas that was being made is ready now."""
        done = [(key, job.poll(), config) for key, (job, config) in self._jobs.items()]
        finished = [(key, atlas, config) for key, atlas, config in done if atlas is not None]
        for key, atlas, config in finished:
            del self._jobs[key]
            self._finish(key, atlas, config)
        return bool(finished)

    def cancel(self) -> None:
        """Make no more of what is being made."""
        for job, _ in self._jobs.values():
            job.cancel()
        self._jobs.clear()


def as_steps(atlas: unwrapping.Atlas) -> Corners:
    """The UVs of an atlas in the steps that they are kept in."""
    return np.round(np.clip(atlas.corners, 0.0, 1.0) * _STEPS).astype(np.uint16)


def as_uvs(corners: Corners) -> np.typing.NDArray[np.float32]:
    """The UVs of an atlas, 0..1."""
    result: np.typing.NDArray[np.float32] = (corners / np.float64(_STEPS)).astype(np.float32)
    return result
