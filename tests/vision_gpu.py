"""What tests of the wall map and of the mask share: eyes among segments, drawn in a frame and read."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from panda_rtstamp.core.context import Context
from panda_rtstamp.vision.area import mask_area
from panda_rtstamp.vision.config import VisionConfig
from panda_rtstamp.vision.mask import Mask
from panda_rtstamp.vision.segment_mesh import make_mesh
from panda_rtstamp.vision.viewers import Eye
from panda_rtstamp.vision.wall_map import Sight, WallMap
from support import frames_behind, read_target
from vision_support import Floats

MASK_SIZE = 512


def eye_at(
    x: float = 0.0,
    y: float = 0.0,
    view_range: float = 50.0,
    *,
    fov: float = 360.0,
    forward: Sequence[float] = (0.0, 1.0),
    strength: float = 1.0,
) -> Eye:
    """An eye in the world."""
    half_cosine = -1.0 if fov == 360.0 else float(np.cos(np.radians(fov / 2.0)))
    return Eye(x, y, 0.0, view_range, (forward[0], forward[1]), half_cosine, strength)


def sights_of(eyes: Sequence[Eye], ends: Floats, origin: Sequence[float] = (0.0, 0.0)) -> list[Sight]:
    """Eyes that all see the same walls, (n, 2, 2) in the world."""
    mesh = make_mesh(np.asarray(ends, np.float64).reshape(-1, 2, 2), np.array(origin, np.float64))
    return [Sight(eye, (eye.x - origin[0], eye.y - origin[1]), mesh) for eye in eyes]


class Drawn:
    """A wall map and a mask, drawn when asked."""

    def __init__(self, base: Any, columns: int = 720, size: int = MASK_SIZE) -> None:
        self._base = base
        self._context = Context(base)
        self.walls = WallMap(self._context, columns)
        self.mask = Mask(self._context, size)

    def __enter__(self) -> "Drawn":
        return self

    def __exit__(self, *_: object) -> None:
        self._finish()
        self.walls.destroy()
        self.mask.destroy()

    def _begin(self) -> None:
        self._context.advance()
        self.walls.target.collect()
        self.mask.target.collect()

    def _finish(self) -> None:
        for _ in range(1 + frames_behind(self._base)):
            self._base.graphics_engine.render_frame()
            self._begin()

    def wall_map(self, sights: Sequence[Sight]) -> Floats:
        """(rows, columns, 2): distances and numbers."""
        self._begin()
        self.walls.draw(sights)
        self._finish()
        return np.asarray(read_target(self._base, self.walls.texture)[..., :2], np.float64)

    def seen(
        self, sights: Sequence[Sight], config: VisionConfig | None = None, by_map: bool = False
    ) -> NDArray[np.float64]:
        """The mask, (size, size), row 0 at the least Y."""
        self._begin()
        if by_map:
            self.walls.draw(sights)
        settings = config or VisionConfig()
        self.mask.draw(sights, mask_area(settings), settings, self.walls if by_map else None)
        self._finish()
        return np.asarray(read_target(self._base, self.mask.texture)[..., 0], np.float64)


def centres(size: int = MASK_SIZE, extent: float = 100.0) -> Floats:
    """Where in the world the texels of a mask around the origin lie: (size * size, 2), row by row."""
    along = ((np.arange(size) + 0.5) / size - 0.5) * extent
    x, y = np.meshgrid(along, along)
    return np.stack([x.ravel(), y.ravel()], axis=1)
