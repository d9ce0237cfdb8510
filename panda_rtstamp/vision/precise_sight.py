"""What precise clips read of a group: its viewers, and around each of them the walls that it meets first."""

from collections.abc import Sequence

import numpy as np
from panda3d.core import ATS_none, NodePath, PandaNode, SamplerState, ShaderAttrib, Texture

from panda_rtstamp.core.card import pass_camera
from panda_rtstamp.core.context import Context
from panda_rtstamp.core.log import warn_once
from panda_rtstamp.core.rect import Rect
from panda_rtstamp.core.shader import load_shader
from panda_rtstamp.core.target import Format, RenderTarget
from panda_rtstamp.vision.wall_map import WALL_MAP_SORT, Sight, draw_row, make_rays

# Viewers of a group that are tested fragment by fragment, and directions of the maps: as in precise.glsl.
MOST_VIEWERS = 32
_COLUMNS = 8192
# Before the masks; one is drawn from the other.
_SORT = WALL_MAP_SORT - 2
_FORMAT = Format("rgba32f", (32, 32, 32, 32), True, Texture.T_float, Texture.F_rgba32, 16)


class PreciseSight:
    """Textures that precise.glsl reads, kept up to date while there are clips that use them.

    They stay the same, so a viewer or a wall that moves changes no node. All is in world units, in 32-bit
    floats. Until they are drawn, and with more than MOST_VIEWERS viewers, they send clips back to the mask.

    A map of the nearest walls alone would miss what shows between the ends of two of them in a column. So
    there are two maps, both of them with a row for each viewer and a column for each direction: of the walls
    with an end in the column, the one whose end is the nearest; and the wall that is seen past that end. What
    is missed is what shows between the second and the third end in a column.

    Args:
        context: whose graphics draws.
        group: whose viewers.
    """

    def __init__(self, context: Context, group: int) -> None:
        self._group = group
        self._rays = make_rays(_COLUMNS)
        self._ends = _make_target(context, "rtstamp-wall-ends", _SORT)
        self._walls = _make_target(context, "rtstamp-walls-past-ends", _SORT + 1)
        # Two texels a viewer, row by row: (x, y, range, strength), and (forward x, forward y, cosine of half
        # the field of view, how many viewers there are).
        self._viewers = _make_texture()
        self._users: set[object] = set()
        self._shows: object = None
        self._leave_to_mask()

    @property
    def inputs(self) -> dict[str, Texture]:
        """The inputs of precise.glsl, by name."""
        return {
            "rtstamp_sight_ends": self._ends.texture,
            "rtstamp_sight_walls": self._walls.texture,
            "rtstamp_sight_viewers": self._viewers,
        }

    @property
    def targets(self) -> list[RenderTarget]:
        """All that it draws into."""
        return [self._ends, self._walls]

    def add_user(self, user: object) -> None:
        """Keep the textures up to date from the next frame on."""
        self._users.add(user)

    def remove_user(self, user: object) -> None:
        """Do nothing more for this one. Idempotent."""
        self._users.discard(user)
        if not self._users:
            self._shows = None
            self._leave_to_mask()

    def is_behind(self, shows: object) -> bool:
        """True if somebody needs the textures, and they show something else than this."""
        return bool(self._users) and self._shows != shows

    def draw(self, sights: Sequence[Sight], shows: object) -> int:
        """Bring both textures up to date in this frame.

        Args:
            sights: the group's viewers.
            shows: what they come from, for `is_behind`.

        Returns:
            How many passes that takes.
        """
        self._shows = shows
        sights = [sight for sight in sights if sight.eye.strength > 0.0]
        if len(sights) > MOST_VIEWERS:
            warn_once(
                f"vision precise {self._group}",
                f"group {self._group} has more than {MOST_VIEWERS} viewers: its precise clips go by the mask",
            )
            self._leave_to_mask()
            return 0
        self._write(sights)
        if not sights:
            return 0
        ends = load_shader("rtstamp/vision/wall_ends.vert", "rtstamp/vision/wall_ends.frag")
        _draw(self._ends, sights, ShaderAttrib.make(ends))
        past = load_shader("rtstamp/vision/wall_map.vert", "rtstamp/vision/wall_map.frag", {"PAST": 1})
        inputs = {"u_ends": self._ends.texture, "u_rays": self._rays}
        _draw(self._walls, sights, ShaderAttrib.make(past).set_shader_inputs(**inputs))
        return 2

    def _write(self, sights: Sequence[Sight]) -> None:
        texels = np.zeros((MOST_VIEWERS, 2, 4), np.float32)
        for row, sight in enumerate(sights):
            eye = sight.eye
            texels[row, 0] = (eye.x, eye.y, eye.view_range, eye.strength)
            texels[row, 1, :3] = (*eye.forward, eye.half_cosine)
        texels[:, 1, 3] = len(sights)
        self._set(texels)

    def _leave_to_mask(self) -> None:
        self._set(np.full((MOST_VIEWERS, 2, 4), MOST_VIEWERS + 1.0, np.float32))

    def _set(self, texels: "np.typing.NDArray[np.float32]") -> None:
        # Panda holds colours as BGRA.
        self._viewers.set_ram_image(np.ascontiguousarray(texels[..., [2, 1, 0, 3]]).tobytes())


def _make_target(context: Context, name: str, sort: int) -> RenderTarget:
    target = RenderTarget(context, name, _COLUMNS, _FORMAT, sort, height=MOST_VIEWERS, depth=True)
    # What is between two segments is none.
    target.texture.set_minfilter(SamplerState.FT_nearest)
    target.texture.set_magfilter(SamplerState.FT_nearest)
    return target


def _draw(target: RenderTarget, sights: Sequence[Sight], shader: ShaderAttrib) -> None:
    root = PandaNode("rtstamp-walls")
    for row, sight in enumerate(sights):
        if sight.mesh.count:
            root.add_child(draw_row(sight, (row, len(sights), target.size), shader))
    rows = Rect(0, 0, target.size, len(sights))
    target.draw(pass_camera("rtstamp-walls", NodePath(root)), clear=True, rect=rows)


def _make_texture() -> Texture:
    texture = Texture("rtstamp-viewers")
    texture.setup_2d_texture(2, MOST_VIEWERS, Texture.T_float, Texture.F_rgba32)
    texture.set_auto_texture_scale(ATS_none)
    texture.set_minfilter(SamplerState.FT_nearest)
    texture.set_magfilter(SamplerState.FT_nearest)
    return texture
