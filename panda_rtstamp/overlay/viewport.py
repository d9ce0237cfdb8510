"""What a game calls: another scene, drawn straight over the main picture."""

from typing import Any

from direct.task import Task
from panda3d.core import Camera, LColor, NodePath, PerspectiveLens, RenderState

from panda_rtstamp.core.arguments import check_base, check_node
from panda_rtstamp.core.config import Rule, boolean, color, integer
from panda_rtstamp.core.context import Context
from panda_rtstamp.core.log import warn_once
from panda_rtstamp.errors import ConfigError
from panda_rtstamp.overlay.dragging import Handle
from panda_rtstamp.overlay.framing import frame, make_camera
from panda_rtstamp.overlay.look import BACKGROUND, check_inherit, inherited, left_out
from panda_rtstamp.overlay.placement import SCALE, Bounds, Length, Placement
from panda_rtstamp.overlay.region import HIGHEST, LOWEST, WindowRegion, free_sort
from panda_rtstamp.overlay.view import View

# After the game's own tasks have moved everything; igLoop (50) draws it.
_TASK_SORT = 49
_SORT = Rule(integer, "a whole number, 1 to 9, or None", low=LOWEST, high=HIGHEST, optional=True)
_FLAG = Rule(boolean, "True or False")
_COLOR = Rule(color, "three or four numbers, 0 to 1")
_BORDER = Rule(integer, "a whole number of pixels, 0 to 1000", low=0, high=1000)
_NO_SORT = f"of the window's sorts {LOWEST} to {HIGHEST} none is free"


class Overlay:
    """A scene drawn over the main picture: over all of it, however near the main scene is, and below the GUI.

    It is a display region of the window which clears depth and keeps the colours that are there: what the
    scene does not draw stays the main picture, to the bit, and nothing runs over the whole screen. With a
    filtered main scene (FilterManager, CommonFilters, simplepbr) it comes after the filters and the tone
    mapping: what needs them is better shown by a RenderPicture, with a pipeline of its own.

    How it looks is its own: what stands on `scene` and below counts, what stands above it does not, but for
    its place in the world. Of `base.render` as the scene, lights, fog, shader and render mode that stand on
    it don't count either, if they are not inherited.

    Numbers of `rect`, `size` and `margin` are pixels if they are ints, which `scale` makes larger, and shares
    of the window if they are floats.

    Args:
        base: a ShowBase. Without a window nothing is shown until there is one.
        scene: the root of what is drawn: a scene of its own, or a part of the main one. Kept alive by this.
        camera: whose place, lens, masks and states it is seen by; nothing of it is changed. A lens shows
            more at two sides where the picture's shape is another one, and never less. The main camera may be
            it too. None: one is made, and stands still before the scene as `frame` says.
        rect: (left, top, right, bottom), from the window's left and top. May go beyond the window.
        size: (width, height), in place of `rect`; neither of them: the whole window.
        anchor: where a `size` sits: top-left (None too), top, top-right, left, center, right, bottom-left,
            bottom or bottom-right.
        margin: from the window's edges there: one number, or (across, down).
        scale: of pixels, for screens of many dots an inch: 0.1 to 16.
        sort: 1 to 9; higher lies over lower. None: over all others that are there.
        transparent: False: `background` is drawn first.
        background: a colour, three or four numbers from 0 to 1.
        inherit: what to take over from the main scene (`base.render`), frame by frame: some of lights, fog,
            shader, render_mode, background. What stands on `scene` goes before it, and its lights are added.
        border: how wide a frame is drawn at the inside of the edges, in pixels.
        border_color: of that.
        draggable: the left mouse button moves it, within the window. The game is not told of mouse buttons
            that are pressed over it.

    Raises:
        ConfigError: an argument is of the wrong type or out of range, or of all sorts none is free.
    """

    def __init__(
        self,
        base: Any,
        scene: NodePath,
        camera: NodePath | None = None,
        *,
        rect: Any = None,
        size: Any = None,
        anchor: str | None = None,
        margin: Any = 0,
        scale: float = 1.0,
        sort: int | None = None,
        transparent: bool = True,
        background: Any = (0.0, 0.0, 0.0),
        inherit: Any = (),
        border: int = 0,
        border_color: Any = (1.0, 1.0, 1.0),
        draggable: bool = False,
    ) -> None:
        check_base(base)
        self._scene = NodePath(check_node("scene", scene))
        self._placement = Placement.of(rect, size, anchor, margin)
        self._scale = float(SCALE.check("scale", scale))
        self._sort: int | None = _SORT.check("sort", sort)
        self._transparent = bool(_FLAG.check("transparent", transparent))
        self._background = LColor(*_COLOR.check("background", background))
        self._inherit = check_inherit(inherit)
        if self._transparent and BACKGROUND in self._inherit:
            raise ConfigError("inherit can hold background only with transparent=False")
        self._border: int = _BORDER.check("border", border)
        self._border_color = LColor(*_COLOR.check("border_color", border_color))
        self._draggable = bool(_FLAG.check("draggable", draggable))
        given = None if camera is None else _check_camera(camera)
        window = Context.window_of(base)
        if window is not None and self._sort is None and free_sort(window) is None:
            raise ConfigError(f"{_NO_SORT}: give one, to share it")

        self._base = base
        self._visible = True
        self._camera: NodePath = make_camera(self._scene) if given is None else NodePath(given)
        self._made = given is None
        self._region: WindowRegion | None = None
        self._handle: Handle | None = None
        self._view = View(self._camera, self._scene)
        self._task: Task.Task | None = base.task_mgr.add(self._tick, "rtstamp-overlay", sort=_TASK_SORT)
        base.finalExitCallbacks.append(self.destroy)
        self._update()

    def __enter__(self) -> "Overlay":
        return self

    def __exit__(self, *_: object) -> None:
        self.destroy()

    # What it shows.

    @property
    def scene(self) -> NodePath:
        """The root of what is drawn."""
        return self._scene

    @property
    def camera(self) -> NodePath:
        """The camera that was given or made, to be moved as one likes."""
        return self._camera

    def frame(self) -> None:
        """Put the camera so that all of the scene, as it is now, is in the picture: also one that was given.

        It looks forward, along +Y of the scene's parent if Z is up. Its lens is set too: to an angle of 30
        degrees or less.

        Raises:
            ConfigError: the camera's lens has no perspective.
        """
        if self._task is None:
            return
        if not isinstance(self._view.camera.get_lens(), PerspectiveLens):
            raise ConfigError("frame needs a camera with a PerspectiveLens")
        frame(self._camera, self._scene)

    # Where it is.

    @property
    def rect(self) -> tuple[int, int, int, int] | None:
        """(left, top, right, bottom) in pixels, from the window's left and top, its border in it.

        None without a window.
        """
        region = self._follow()
        if region is None:
            return None
        bounds = self._bounds(region)
        return bounds.left, bounds.top, bounds.right, bounds.bottom

    def _bounds(self, region: WindowRegion) -> Bounds:
        return self._placement.at(*region.size, self._scale)

    @property
    def sort(self) -> int | None:
        """Of the display region; None if there was no window yet to find one in."""
        return self._sort

    @property
    def scale(self) -> float:
        """How large pixels are, of what was given in pixels."""
        return self._scale

    @scale.setter
    def scale(self, value: float) -> None:
        self._scale = float(SCALE.check("scale", value))

    def place(
        self, *, rect: Any = None, size: Any = None, anchor: str | None = None, margin: Any = 0
    ) -> None:
        """Lie elsewhere, from the next frame on. Arguments and errors as when it was made."""
        self._placement = Placement.of(rect, size, anchor, margin)

    def move(self, right: float, down: float) -> None:
        """Lie so far from where it is: ints are pixels, floats are shares of the window.

        Raises:
            ConfigError: an argument is no number, or not within 1e6.
        """
        self._placement = self._placement.moved(Length.of("right", right), Length.of("down", down))

    @property
    def visible(self) -> bool:
        """False after `hide`."""
        return self._visible

    def show(self) -> None:
        """Be drawn again, from the next frame on."""
        self._visible = True

    def hide(self) -> None:
        """Be drawn no more, from the next frame on."""
        self._visible = False

    # Every frame.

    def _tick(self, task: Any) -> int:
        try:
            self._update()
        except Exception as error:  # Whatever it is, a game must not stop for its overlay.
            warn_once(f"overlay {error!r}", f"an overlay could not be shown: {error!r}")
        return int(Task.cont)

    def _update(self) -> None:
        region = self._follow()
        if region is None or 0 in region.size:
            return
        # Of a camera that is not active, Panda would draw what it last saw.
        shown = self._visible and self._view.camera.is_active()
        bounds = self._bounds(region)
        if self._handle is not None:
            pull = self._handle.pull(bounds, region.size)
            self._placement = self._placement.moved(*(Length(pixels=way / self._scale) for way in pull))
            bounds = self._bounds(region)
            self._handle.place(bounds, region.size, shown)
        border = Length(pixels=self._border).at(0, self._scale)
        inner = region.place(bounds, border, shown)
        if shown and not inner.empty:
            self._look(region, inner.width / inner.height)

    def _look(self, region: WindowRegion, aspect: float) -> None:
        """Show the scene as it is to be seen now."""
        if BACKGROUND in self._inherit:
            region.set_background(region.context.window.get_clear_color())
        main = self._base.render
        state, beside = main.get_state(), RenderState.make_empty()
        if self._scene == main:
            beside = left_out(state, self._inherit)
        camera = self._view.follow(inherited(state, self._inherit), beside, aspect)
        if camera is not None:
            region.show(camera)

    def _follow(self) -> WindowRegion | None:
        """The region in the window that is open now, if there is one."""
        if self._region is not None and not self._region.context.valid:
            self._drop()
        window = Context.window_of(self._base)
        if self._region is None and self._task is not None and window is not None:
            self._sort = self._sort or free_sort(window)
            if self._sort is None:
                warn_once("overlay sorts", f"an overlay is not shown: {_NO_SORT}")
            else:
                self._open(Context(self._base), self._sort)
        return self._region

    def _open(self, context: Context, sort: int) -> None:
        self._region = WindowRegion(context, sort, self._border_color if self._border else None)
        if not self._transparent:
            self._region.set_background(self._background)
        watcher = getattr(self._base, "mouseWatcherNode", None)
        if self._draggable and watcher is not None:
            self._handle = Handle(watcher, sort)

    def _drop(self) -> None:
        if self._handle is not None:
            self._handle.release()
            self._handle = None
        if self._region is not None:
            self._region.give_back()
            self._region = None
        self._view.end()

    def destroy(self) -> None:
        """Give the region back to the window, and the scene and the camera as they were found. Idempotent."""
        if self._task is not None:
            self._base.task_mgr.remove(self._task)
            self._task = None
        self._drop()
        if self._made:
            self._camera.remove_node()
        if self.destroy in self._base.finalExitCallbacks:
            self._base.finalExitCallbacks.remove(self.destroy)


def _check_camera(camera: Any) -> NodePath:
    if not isinstance(check_node("camera", camera).node(), Camera):
        raise ConfigError(f"camera must be a NodePath of a Camera, got {camera}")
    return camera  # type: ignore[no-any-return]
