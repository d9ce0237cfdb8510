"""What a game calls: walls, viewers, and what they see."""

import math
from collections.abc import Iterable
from functools import partial
from typing import Any

from direct.task import Task
from panda3d.core import ClockObject, LVecBase4f, NodePath, PTA_LVecBase4f, Texture

from panda_rtstamp.core.anchor import Anchor
from panda_rtstamp.core.arguments import check_base, check_node
from panda_rtstamp.core.capabilities import Capabilities
from panda_rtstamp.core.config import Rule, boolean, number
from panda_rtstamp.core.files import as_path
from panda_rtstamp.core.geometry import net_matrix
from panda_rtstamp.core.log import warn_once
from panda_rtstamp.errors import ConfigError, StoreError
from panda_rtstamp.vision.additions import MaskInputs
from panda_rtstamp.vision.area import Area, explored_area, mask_area
from panda_rtstamp.vision.binding import Binding
from panda_rtstamp.vision.clipping import Clip
from panda_rtstamp.vision.config import SHOWN, TARGETS, UNIFORM, VisionConfig
from panda_rtstamp.vision.dimming import Dim
from panda_rtstamp.vision.explored_file import Explored, read_file, write_file
from panda_rtstamp.vision.picture import check_camera
from panda_rtstamp.vision.queries import Queries
from panda_rtstamp.vision.screen import Screen
from panda_rtstamp.vision.uses import Uses
from panda_rtstamp.vision.viewers import Viewer, check_group
from panda_rtstamp.vision.walls import Walls
from panda_rtstamp.vision.window import WindowCanvas

# After the game's own tasks have moved everything and marks (48) are where they belong; igLoop (50) draws it.
_TASK_SORT = 49
_DARK = Rule(number, "a number, 0 to 1", low=0.0, high=1.0)
_OPTION = Rule(boolean, "True or False")
ENTER, LEAVE = "rtstamp-vision-enter", "rtstamp-vision-leave"


class VisionMask:
    """What viewers see among walls, from above: as a texture, and in numbers.

    Args:
        base: a ShowBase. Without a window that can draw, `mask` is None; the numbers are right all the same.
        config: settings; None takes the defaults and PRC variables.

    Raises:
        ConfigError: `base` is no ShowBase, or `config` no VisionConfig.
    """

    def __init__(self, base: Any, config: VisionConfig | None = None) -> None:
        check_base(base)
        self._config = _check_config(config if config is not None else VisionConfig())
        self._base = base
        self._walls = Walls(base.render)
        self._queries = Queries(self._walls, self._config)
        self._window = WindowCanvas(base, self._config)
        self._followed: Anchor | None = None
        self._area = mask_area(self._config)
        self._rect = PTA_LVecBase4f.empty_array(1)
        self._uses = Uses(self._mask_inputs)
        self._screens = Uses(self._mask_inputs)
        self._window.readers = (self._uses, self._screens)
        self._cover(self._area)
        self.pass_count = 0
        self._task: Task.Task | None = base.task_mgr.add(self._tick, "rtstamp-vision", sort=_TASK_SORT)
        base.finalExitCallbacks.append(self.destroy)

    def __enter__(self) -> "VisionMask":
        return self

    def __exit__(self, *_: object) -> None:
        self.destroy()

    # Walls and viewers.

    def add_wall(self, node: NodePath, moving: bool = False, see_through: bool = False) -> None:
        """Let all geometry below a node block sight, as it is cut at the height of eyes.

        What is lower than an eye does not block, nor what is above it. Hidden geometry blocks, stashed does
        not. What is below a node that was itself added goes by the options given there.

        Args:
            moving: the node is followed in every frame; otherwise its place is read once.
            see_through: it blocks nothing, though it is part of a wall: a window.

        Raises:
            ConfigError: `node` is no NodePath or empty, or an option is no bool.
            SurfaceError: there are no triangles below the node.
        """
        self._walls.add(node, moving, see_through)

    def remove_wall(self, node: NodePath) -> None:
        """Let the geometry below a node block no more. Does nothing if it was not added."""
        self._walls.remove(node)

    def add_viewer(
        self,
        node: NodePath,
        *,
        view_range: float,
        fov: float = 360.0,
        eye_height: float | None = None,
        strength: float = 1.0,
        group: int = 0,
    ) -> Viewer:
        """Let a node see, until it is removed or `remove_viewer` is called.

        Args:
            node: it looks along its +Y.
            view_range: how far, in the world.
            fov: how wide, in degrees; 360: all around.
            eye_height: above the node, in the world; None: the config's.
            strength: what its sight adds to the mask, 0..1.
            group: whose mask it adds to, 0..255: a team's.

        Raises:
            ConfigError: an argument is of the wrong type or out of range.
        """
        viewer = Viewer(check_node("node", node), view_range, fov, eye_height, strength, group)
        if self._task is not None:
            self._queries.viewers.append(viewer)
        else:
            viewer.release()
        return viewer

    def remove_viewer(self, viewer: Viewer) -> None:
        """Let it see no more. Idempotent.

        Raises:
            ConfigError: `viewer` is no Viewer.
        """
        if not isinstance(viewer, Viewer):
            raise ConfigError(f"viewer must be a Viewer, got {viewer!r}")
        if viewer in self._queries.viewers:
            self._queries.viewers.remove(viewer)
            viewer.release()

    @property
    def viewers(self) -> list[Viewer]:
        """All whose nodes exist, in the order in which they were added."""
        return [viewer for viewer in self._queries.viewers if viewer.alive]

    # The textures.

    @property
    def config(self) -> VisionConfig:
        """The settings in force."""
        return self._config

    @property
    def mask(self) -> Texture | None:
        """The mask of group 0; see `mask_of`."""
        return self.mask_of(0)

    def mask_of(self, group: int) -> Texture | None:
        """What a group sees: 1 is seen, 0 is not, in all channels. U runs along X and V along Y.

        With what the config makes of it: softened in time and space, and with what was explored.

        The same texture while the window is open and `set_config` asks for no other. None without a window
        that can draw.
        """
        number, canvas = check_group(group), self._window.follow()
        return None if canvas is None else canvas.mask(number)

    def explored_of(self, group: int = 0) -> Texture | None:
        """What a group has ever seen, like its mask. None if the config does not ask for it."""
        number, canvas = check_group(group), self._window.follow()
        return None if canvas is None else canvas.explored(number)

    def follow(self, node: NodePath | None) -> None:
        """Let the mask's rectangle go with a node, a camera or a hero, from the next frame on.

        It moves by whole texels, so that what stands still does not flicker. What was explored is kept of a
        rectangle that stays, around the config's `center`. Once the node is gone, it stays where it is.

        Args:
            node: its middle; None: the config's `center` again.

        Raises:
            ConfigError: `node` is neither, or empty.
        """
        anchor = None if node is None or self._task is None else Anchor(check_node("node", node))
        if self._followed is not None:
            self._followed.release()
        self._followed = anchor

    def save_explored(self, path: Any, group: int = 0) -> bool:
        """Write what a group has ever seen to a file, for `load_explored`. Waits for the graphics card.

        Args:
            path: a file's path.

        Returns:
            False if there is nothing to save: the config keeps nothing, or there is no window.

        Raises:
            ConfigError: `path` is no path.
            StoreError: the file cannot be written; what it held before stays.
        """
        file, group = as_path(path), check_group(group)
        canvas = self._window.follow()
        texels = None if canvas is None else canvas.read_explored(group)
        if texels is not None:
            area = explored_area(self._config)
            write_file(file, Explored(area.center, area.size, texels))
        return texels is not None

    def load_explored(self, path: Any, group: int = 0) -> bool:
        """Count as explored, from the next frame on, what `save_explored` wrote, beside what was seen since.

        Returns:
            False if the config keeps nothing, or there is no window.

        Raises:
            ConfigError: `path` is no path.
            StoreError: the file cannot be read, is damaged or cut off, of a later version, another kind of
                file, or of another rectangle or mask_size. Nothing was changed.
        """
        file, group = as_path(path), check_group(group)
        saved = read_file(file)
        area, edge = explored_area(self._config), self._config.mask_size
        if (saved.center, saved.size, saved.texels.shape) != (area.center, area.size, (edge, edge)):
            raise StoreError(f"{file} is of another center, size or mask_size than the config")
        canvas = self._window.follow()
        if canvas is None or canvas.explored(group) is None:
            return False
        canvas.remember(group, saved.texels)
        return True

    @property
    def wall_depth(self) -> Texture | None:
        """The wall map, drawn from the next frame on: a row for each viewer, group by group.

        Red is the distance of the nearest wall as a share of the viewer's range, 1 where there is none. U is
        the direction: atan2(dx, dy) / 2 pi + 0.5, so +Y is 0.5, +X 0.75 and -X 0.25. Another texture when
        there are more viewers than there were rows: ask again then. None without a window.
        """
        canvas = self._window.follow()
        return None if canvas is None else canvas.wall_depth()

    # What players see.

    def clip(self, node: NodePath, group: int = 0, precise: bool = False) -> None:
        """Draw of a node's subtree only what is seen, to the pixel, until `release`.

        Another call with the same group takes its place.

        What hangs below it later is clipped too, marks of a StampSystem among it. Without a window it is as
        if all were seen, and clipped as soon as there is one.

        Args:
            precise: the edge is not the mask's, texel by texel, but worked out at each fragment from what
                the group's viewers see among the walls as they are now: blur, fades and explored do not
                count. Only for what a shader in GLSL draws, and in a core profile for what has no shader;
                all else goes by the mask, and everything does where a group has more than 32 viewers. Edges
                are off by up to 1/8192 of a full turn where walls are made of narrower pieces than that.

        Raises:
            ConfigError: `node` is no NodePath or empty, `group` no whole number from 0 to 255, or `precise`
                no bool.
            SurfaceError: something below the node has a shader that cannot be wrapped (Cg, or with geometry
                or tessellation stages). Nothing was changed.
            ShaderError: Panda refuses what the wrapping gives. Nothing was changed.
        """
        by = partial(Clip, precise=_OPTION.check("precise", precise))
        number = check_group(group)
        self._uses.add(f"clip {number}", check_node("node", node), number, by)

    def dim(self, node: NodePath, dark: float = 0.15, group: int = 0) -> None:
        """Draw a node's subtree darker where it is not seen, until `release`.

        Another call with the same group takes its place.

        Args:
            dark: what is left of the light where nothing is seen, 0..1.

        Raises:
            ConfigError, SurfaceError, ShaderError: as `clip`.
        """
        by = partial(Dim, dark=float(_DARK.check("dark", dark)))
        number = check_group(group)
        self._uses.add(f"dim {number}", check_node("node", node), number, by)

    def bind(self, node: NodePath, group: int = 0) -> None:
        """Give a mask to the shaders of a node's subtree, of the whole scene say, until `release`.

        They are given the inputs of `#pragma include <rtstamp/vision/mask.glsl>`, whose function
        `rtstamp_seen` they call. A node has one mask: another call takes the place of the last.

        Raises:
            ConfigError: `node` is no NodePath or empty, or `group` no whole number from 0 to 255.
        """
        number = check_group(group)
        self._uses.vacate("bind", check_node("node", node))
        self._uses.add("bind", node, number, Binding)

    def release(self, node: NodePath) -> None:
        """Clip, dim and bind this very node no more; it is left as it was found. Else does nothing.

        Raises:
            ConfigError: `node` is no NodePath or empty.
        """
        self._uses.remove(check_node("node", node))

    def screen(self, dark: float = 0.15, group: int = 0, camera: NodePath | None = None) -> None:
        """Draw all that a camera shows darker where it is not seen, until `release_screen`.

        The finished picture is dimmed, whatever drew it, by the places in the world that its depth tells: so
        what writes no depth, as transparent things do not, is taken for what is behind it. The sky, where
        there is no depth, counts as what lies outside the rectangle: config.beyond.

        The depth is that of the buffer which a FilterManager of the game draws the scene into, as
        CommonFilters and simplepbr have one. If there is none, the scene is drawn into a buffer of ours, and
        the window's region is inactive meanwhile. One may be made or go at any time.

        Args:
            dark: what is left of the light where nothing is seen, 0..1.
            camera: in a display region of the base's window; None: the main one of now. A camera has
                one screen, which another call sets anew, and which goes with the camera.

        Raises:
            ConfigError: an argument is of the wrong type or out of range, or the window does not show what
                the camera sees. Nothing was changed.
            UnsupportedGpuError: the driver makes no buffer for the scene; it is not dimmed.
        """
        share, number = float(_DARK.check("dark", dark)), check_group(group)
        if camera is None and self._base.cam is None:
            # Without a window there is no camera, and nothing to dim.
            return
        node = check_camera(self._base, self._base.cam if camera is None else camera)
        self._screens.remove(node)
        self._screens.add("screen", node, number, partial(Screen, base=self._base, dark=share))

    def release_screen(self, camera: NodePath | None = None) -> None:
        """Dim no more what a camera shows; window and scene are left as they were found.

        Raises:
            ConfigError: `camera` is no NodePath of a Camera.
        """
        if camera is not None or self._base.cam is not None:
            self._screens.remove(check_node("camera", self._base.cam if camera is None else camera))

    def _mask_inputs(self, group: int) -> MaskInputs | None:
        canvas = self._window.follow()
        if canvas is None:
            return None
        beyond = 1.0 if self._config.beyond == "seen" else 0.0
        core = Capabilities.of(canvas.context.gsg).core_profile
        precise = partial(canvas.precise, group)
        return MaskInputs(canvas.mask(group), self._rect, beyond, fixed_function=not core, precise=precise)

    # For the game's logic.

    def is_visible(self, target: Any, viewer: Viewer | None = None, group: int = 0) -> bool:
        """Whether a point, or a node's origin, is seen now: worked out exactly, without the graphics card.

        Viewers are where they are now; walls that move, where they were when the last frame was drawn.

        Args:
            target: a point of the world, (x, y) or (x, y, z), of which z does not count; or a NodePath.
            viewer: whether this one sees it; None: whether any of the group does.
            group: of viewers.

        Raises:
            ConfigError: `target` is neither, or not finite.
        """
        return self._queries.is_visible(target, viewer, group)

    def visible_nodes(
        self, nodes: Iterable[NodePath], viewer: Viewer | None = None, group: int = 0
    ) -> list[NodePath]:
        """Those of the nodes whose origins are seen now, in their order. Arguments and errors as above."""
        return self._queries.visible_nodes(nodes, viewer, group)

    def watch(self, node: NodePath) -> None:
        """Tell when a node's origin comes into or goes out of the sight of group 0.

        Through the messenger: `rtstamp-vision-enter` and `rtstamp-vision-leave`, with the node. A node that
        is seen when it is first looked at enters. Does nothing if it is watched already.

        Raises:
            ConfigError: `node` is no NodePath or empty.
        """
        check_node("node", node)
        if self._task is not None:
            self._queries.watch(node)

    def unwatch(self, node: NodePath) -> None:
        """Tell of it no more. Does nothing if it is not watched.

        Raises:
            ConfigError: `node` is no NodePath.
        """
        if not isinstance(node, NodePath):
            raise ConfigError(f"node must be a NodePath, got {type(node).__name__}")
        if not node.is_empty():
            self._queries.unwatch(node)

    # Settings.

    def set_config(self, config: VisionConfig) -> None:
        """Go on with other settings. Some make other textures: ask for them again.

        What was explored is lost if `explored` is 0, or with another `mask_size`, `wall_columns`, or
        rectangle of what is explored.

        Raises:
            ConfigError: `config` is not a VisionConfig.
        """
        costs = self._config.costs_of_change(_check_config(config))
        self._config = self._queries.config = self._window.config = config
        self._cover(self._area_now())
        if costs & {UNIFORM, SHOWN}:
            self._window.suspend()
        if TARGETS in costs:
            self._window.drop()
        elif self._window.held is not None:
            self._window.held.apply(config, costs)
        # At once: a frame may be drawn before our task runs.
        self._uses.update()
        self._screens.update()

    # Every frame.

    def _tick(self, task: Task.Task) -> int:
        try:
            self._update()
        except Exception as error:  # Whatever it is, a game must not stop for its fog.
            warn_once(f"vision {error!r}", f"a frame's vision mask went wrong: {error!r}")
        # What the game's own handlers raise is for the game to see.
        send = self._base.messenger.send
        self._queries.tell(lambda node: send(ENTER, [node]), lambda node: send(LEAVE, [node]))
        return int(Task.cont)

    def _update(self) -> None:
        canvas = self._window.follow()
        if canvas is not None and not canvas.context.advance():
            # The passes of the last tick are not drawn yet.
            return
        self._walls.update()
        for viewer in [viewer for viewer in self._queries.viewers if not viewer.alive]:
            self.remove_viewer(viewer)
        self._cover(self._area_now())
        if canvas is not None:
            canvas.begin()
            elapsed = max(ClockObject.get_global_clock().get_dt(), 0.0)
            self.pass_count += canvas.draw(self._area, self._queries.eyes(), self._walls, elapsed)
        self._uses.update()
        self._screens.update()

    def _area_now(self) -> Area:
        """What the mask is to cover."""
        area = mask_area(self._config)
        node = NodePath() if self._followed is None else self._followed.node()
        if self._followed is None:
            return area
        # Of a node that is gone, or nowhere, it stays where it is.
        x, y = self._area.center if node.is_empty() else net_matrix(node)[3, :2].tolist()
        return area.near(*((x, y) if math.isfinite(x + y) else self._area.center), self._config.mask_size)

    def _cover(self, area: Area) -> None:
        self._area = area
        self._rect[0] = LVecBase4f(*area.center, *area.size)

    def destroy(self) -> None:
        """Take everything away and give everything back. Idempotent."""
        self._uses.destroy()
        self._screens.destroy()
        self._window.close()
        self.follow(None)
        self._queries.clear()
        self._walls.destroy()
        if self._task is not None:
            self._base.task_mgr.remove(self._task)
            self._task = None
        if self.destroy in self._base.finalExitCallbacks:
            self._base.finalExitCallbacks.remove(self.destroy)


def _check_config(config: Any) -> VisionConfig:
    if not isinstance(config, VisionConfig):
        raise ConfigError(f"config must be a VisionConfig, got {type(config).__name__}")
    return config
