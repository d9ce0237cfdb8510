"""What one window's graphics card holds of a vision mask: masks of the groups, wall maps, and walls."""

from collections.abc import Mapping, Sequence

import numpy as np
from panda3d.core import Texture

from panda_rtstamp.core.card import copy_of
from panda_rtstamp.core.context import Context
from panda_rtstamp.core.readback import Readback
from panda_rtstamp.core.target import FORMATS, RenderTarget
from panda_rtstamp.vision.area import Area, mask_area
from panda_rtstamp.vision.config import SHOWN, VisionConfig
from panda_rtstamp.vision.mask import Mask
from panda_rtstamp.vision.precise_sight import PreciseSight
from panda_rtstamp.vision.segment_mesh import SegmentMesh, make_mesh
from panda_rtstamp.vision.shown import READ_SORT, Shown, show_all
from panda_rtstamp.vision.viewers import Eye
from panda_rtstamp.vision.wall_map import Sight, WallMap
from panda_rtstamp.vision.walls import Segments, Walls

# Heights whose walls stay on the graphics card, for viewers on stairs.
_MESHES = 8
# Directions of the map that many walls are looked up in.
_FINE_COLUMNS = 2048


class Canvas:
    """Draws masks, when what they show has changed.

    Args:
        context: the window.
        config: settings.
    """

    def __init__(self, context: Context, config: VisionConfig) -> None:
        self.context = context
        self._config = config
        self._masks: dict[int, Mask] = {}
        self._shown_by: dict[int, Shown] = {}
        self._maps: dict[tuple[int, int], WallMap] = {}
        self._precise: dict[int, PreciseSight] = {}
        self._meshes: dict[float, tuple[int, SegmentMesh]] = {}
        self._drawn: dict[int, tuple[object, ...]] = {}
        self._readback = Readback(context, READ_SORT)
        self._wall_depth: WallMap | None = None
        self._mapped: tuple[object, ...] = ()
        # Of the meshes, and of what is drawn with them: a place near the mask, in the world.
        self._origin = np.array(mask_area(config).center)

    def mask(self, group: int) -> Texture:
        """What is shown of a group's mask: the same texture until other settings ask for another."""
        return self._shown(group).texture

    def explored(self, group: int) -> Texture | None:
        """What a group has ever seen; None if the config does not ask for it."""
        return self._shown(group).explored

    def read_explored(self, group: int) -> "np.typing.NDArray[np.uint8] | None":
        """What a group has ever seen, (size, size), row 0 at the least Y; None if that is not kept.

        Waits for the graphics card; frames are drawn meanwhile.
        """
        explored = self.explored(group)
        if explored is None:
            return None
        if not self._shown(group).knows:
            return np.zeros((self._config.mask_size,) * 2, np.uint8)
        image = self._readback.read(copy_of(explored), self._config.mask_size, FORMATS["rgba8"])
        return None if image is None else np.round(image[..., 0] * 255.0).astype(np.uint8)

    def remember(self, group: int, texels: "np.typing.NDArray[np.uint8]") -> None:
        """Count this as explored by a group; see Shown.remember."""
        self._shown(group).remember(texels)

    def _shown(self, group: int) -> Shown:
        if group not in self._masks:
            mask = self._masks[group] = Mask(self.context, self._config.mask_size)
            self._shown_by[group] = Shown(self.context, mask.target, self._config)
        return self._shown_by[group]

    def precise(self, group: int) -> PreciseSight:
        """What a group's mask is made of, for precise clips: the same for as long as the window is open."""
        if group not in self._precise:
            self._precise[group] = PreciseSight(self.context, group)
        return self._precise[group]

    def wall_depth(self) -> Texture:
        """The wall map of all viewers, which is drawn from the next frame on."""
        if self._wall_depth is None:
            self._wall_depth = WallMap(self.context, self._config.wall_columns)
        return self._wall_depth.texture

    def begin(self) -> None:
        """End the passes of earlier frames. To be called once a frame, before `draw`."""
        for target in self._targets():
            target.collect()
        if self._readback.busy:
            self._readback.tick()

    def _targets(self) -> list[RenderTarget]:
        maps = [*self._maps.values(), *([self._wall_depth] if self._wall_depth is not None else [])]
        shown = [target for each in self._shown_by.values() for target in each.targets]
        shown += [target for each in self._precise.values() for target in each.targets]
        return [*(mask.target for mask in self._masks.values()), *(walls.target for walls in maps), *shown]

    def draw(self, area: Area, eyes: Mapping[int, Sequence[Eye]], walls: Walls, elapsed: float) -> int:
        """Make this frame's passes: of the masks whose viewers or walls changed since they were drawn.

        Args:
            area: what masks cover in this frame.
            eyes: of each group that has viewers, in their order.
            elapsed: seconds since the last frame.

        Returns:
            How many passes there are.
        """
        heights = {eye.height for group in eyes.values() for eye in group}
        segments = {height: walls.at(height) for height in heights}
        unused = [height for height in self._meshes if height not in heights]
        for height in unused[: max(len(self._meshes) - _MESHES, 0)]:
            del self._meshes[height]
        if area.is_far_from(self._origin):
            self._origin = np.array(area.center)
            self._meshes.clear()
        passes = 0
        for group in [*eyes, *(known for known in self._masks if known not in eyes)]:
            seeing = eyes.get(group, ())
            shown = self._shown(group)
            shows = (tuple(seeing), *(segments[eye.height].version for eye in seeing), area, self._config)
            changed = self._drawn.get(group) != shows
            if changed:
                self._drawn[group] = shows
                passes += self._draw_mask(group, area, self._sights(seeing, segments))
            passes += shown.draw(area, changed, elapsed)
            precise = self._precise.get(group)
            if precise is not None and precise.is_behind(shows):
                passes += precise.draw(self._sights(seeing, segments), shows)
        return passes + self._draw_wall_depth([eye for seeing in eyes.values() for eye in seeing], segments)

    def _draw_mask(self, group: int, area: Area, sights: Sequence[Sight]) -> int:
        count = max((sight.mesh.count for sight in sights), default=0)
        by_map = not self._config.exact or count > self._config.exact_limit
        walls = None
        if by_map and count:
            walls = self._map_of(group)
            walls.draw(sights)
        self._masks[group].draw(sights, area.relative_to(self._origin), self._config, walls)
        return 1 if walls is None else 2

    def _map_of(self, group: int) -> WallMap:
        columns = _FINE_COLUMNS if self._config.exact else self._config.wall_columns
        if (group, columns) not in self._maps:
            self._maps[group, columns] = WallMap(self.context, columns)
        return self._maps[group, columns]

    def _draw_wall_depth(self, eyes: Sequence[Eye], segments: Mapping[float, Segments]) -> int:
        shows = (tuple(eyes), *(segments[eye.height].version for eye in eyes))
        if self._wall_depth is None or self._mapped == shows:
            return 0
        self._mapped = shows
        self._wall_depth.draw(self._sights(eyes, segments))
        return 1

    def _sights(self, eyes: Sequence[Eye], segments: Mapping[float, Segments]) -> list[Sight]:
        x, y = self._origin.tolist()
        return [
            Sight(eye, (eye.x - x, eye.y - y), self._mesh(segments[eye.height], eye.height)) for eye in eyes
        ]

    def _mesh(self, segments: Segments, height: float) -> SegmentMesh:
        known = self._meshes.get(height)
        if known is None or known[0] != segments.version:
            mesh = make_mesh(segments.ends, self._origin)
            known = self._meshes[height] = segments.version, mesh
        return known[1]

    def apply(self, config: VisionConfig, costs: set[str]) -> None:
        """Go on under other settings, whose change costs this, but no new masks."""
        for shown in self._shown_by.values():
            shown.apply(config, SHOWN in costs)
        self._config = config

    def destroy(self) -> None:
        """Free all textures. Idempotent."""
        self._readback.destroy()
        left = [shown.texture for shown in self._shown_by.values()]
        for target in self._targets():
            target.destroy()
        # Copies of what was clipped have them still.
        for texture in left:
            show_all(texture)
        self._masks.clear()
        self._shown_by.clear()
        self._maps.clear()
        self._precise.clear()
        self._meshes.clear()
        self._wall_depth = None
