"""The window of `python -m panda_rtstamp paint`: keys, a camera that turns about the model, the settings."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from direct.gui.OnscreenText import OnscreenText
from direct.showbase.DirectObject import DirectObject
from direct.task import Task
from panda3d.core import AmbientLight, DirectionalLight, NodePath, Point3, TextNode, Vec3

from panda_rtstamp.errors import RtStampError
from panda_rtstamp.fur.brush import AXES, COMPONENTS
from panda_rtstamp.fur.painter import FurPainter

_BACKGROUND = (0.42, 0.44, 0.47)
_DEGREES_PER_WINDOW = 150.0
_STEEPEST = 89.0
_STEP = 1.2
_SHARE_STEP = 0.1
_SYMMETRIES: tuple[str | None, ...] = (None, *AXES)


class PaintWindow(DirectObject):
    """Left button: paints. Right: turns. Middle: moves. Wheel: nearer and farther. The keys are on screen.

    Args:
        base: a ShowBase with a window.
        painter: of the model.
        model: what the camera turns about.
        sidecar: where what is painted is saved.
        bam: where the model with it is saved.

    Attributes:
        open: False once the user had enough.
        painter, model: as given.
    """

    def __init__(self, base: Any, painter: FurPainter, model: NodePath, sidecar: Path, bam: Path) -> None:
        super().__init__()
        self.open = True
        self.painter, self.model = painter, model
        self._base, self._sidecar, self._bam = base, sidecar, bam
        self._saved = painter.marks
        self._asked = False
        self._lines = [
            "left button: paint",
            "right button: turn, middle: move",
            "wheel: nearer and farther",
        ]
        self._orbit = _Orbit(base, model)
        self._lights = _light(base)
        base.disable_mouse()
        base.set_background_color(*_BACKGROUND)
        self._add_keys()
        self._help = _text(base.a2dTopLeft, -0.07, "\n".join(self._lines))
        self._state = _text(base.a2dBottomLeft, 0.1, "")
        self._said = ""
        painter.follow_mouse()
        self._task = base.task_mgr.add(self._update, "rtstamp-paint-window", sort=44)

    def _add_keys(self) -> None:
        brush = self.painter.brush
        for number, tool in enumerate(COMPONENTS, 1):
            self._key(str(number), tool, partial(setattr, brush, "tool", tool))
        self._pair("[", "]", "brush smaller, larger", self._resize, 1 / _STEP, _STEP)
        self._pair("-", "=", "weaker, stronger", self._strengthen, -_SHARE_STEP, _SHARE_STEP)
        self._pair(",", ".", "length or density to paint", self._set_value, -_SHARE_STEP, _SHARE_STEP)
        self._key("m", "symmetry", self._next_symmetry)
        self._pair("z", "y", "undo, redo", self._step_back, True, False)
        self._key("h", "hide or show the strands", self._toggle_strands)
        self._key("s", "save what is painted", self._save)
        self._key("b", "save the model with it", self._save_bam)
        self._key("escape", "quit", self._quit)
        self.accept("wheel_up", self._orbit.approach, [1 / _STEP])
        self.accept("wheel_down", self._orbit.approach, [_STEP])
        for button, way in (("mouse3", self._orbit.turn), ("mouse2", self._orbit.shift)):
            self.accept(button, self._orbit.hold, [way])
            self.accept(f"{button}-up", self._orbit.hold, [None])
        self._strands = True

    def _key(self, key: str, does: str, action: Callable[[], object]) -> None:
        self.accept(key, self._do, [action])
        self._lines.append(f"{key}: {does}")

    def _pair(self, one: str, other: str, does: str, action: Callable[[Any], object], *values: Any) -> None:
        for key, value in zip((one, other), values, strict=True):
            for event in (key, f"{key}-repeat"):
                self.accept(event, self._do, [partial(action, value)])
        self._lines.append(f"{one} {other}: {does}")

    def _do(self, action: Callable[[], object]) -> None:
        if action != self._quit:
            self._asked = False
        self._said = ""
        action()

    def _resize(self, factor: float) -> None:
        self.painter.brush.radius *= factor

    def _strengthen(self, by: float) -> None:
        brush = self.painter.brush
        brush.strength = _share(brush.strength + by)

    def _set_value(self, by: float) -> None:
        brush = self.painter.brush
        brush.value = _share(brush.value + by)

    def _next_symmetry(self) -> None:
        brush = self.painter.brush
        brush.symmetry = _SYMMETRIES[(_SYMMETRIES.index(brush.symmetry) + 1) % len(_SYMMETRIES)]

    def _step_back(self, back: bool) -> None:
        if not (self.painter.undo() if back else self.painter.redo()):
            self._said = "nothing to undo" if back else "nothing to redo"

    def _toggle_strands(self) -> None:
        self._strands = not self._strands
        self.painter.show_strands(self._strands)

    def _save(self) -> None:
        if self._try(self.painter.save, self._sidecar):
            self._saved = self.painter.marks

    def _save_bam(self) -> None:
        self._try(self.painter.save_bam, self._bam)

    def _try(self, save: Callable[[Path], None], path: Path) -> bool:
        try:
            save(path)
        except RtStampError as error:
            self._said = str(error)
            return False
        self._said = f"saved in {path}"
        return True

    def _quit(self) -> None:
        if self.painter.marks == self._saved or self._asked:
            self.open = False
        else:
            self._asked = True
            self._said = "not saved: s saves, escape once more quits without"

    @property
    def help_text(self) -> str:
        """What the screen says of buttons and keys."""
        return str(self._help.getText())

    @property
    def state_text(self) -> str:
        """What the screen says of the brush, and of what was done last."""
        return str(self._state.getText())

    def _update(self, _: object) -> int:
        if not self._base.win.is_valid():
            self.open = False
        self._orbit.follow()
        brush = self.painter.brush
        parts = [brush.tool, f"radius {brush.radius:.3g}", f"strength {brush.strength:.0%}"]
        if brush.tool in ("length", "density"):
            parts.append(f"paints {brush.value:.0%}")
        if brush.symmetry:
            parts.append(f"mirrored along {brush.symmetry}")
        self._state.setText("   ".join(parts) + f"\n{self._said}")
        return int(Task.cont)

    def destroy(self) -> None:
        """Take everything away but the painter. Idempotent."""
        self.ignore_all()
        self._base.task_mgr.remove(self._task)
        for light in self._lights:
            self._base.render.clear_light(light)
            light.remove_node()
        self._lights = []
        self._help.destroy()
        self._state.destroy()


def _text(parent: NodePath, height: float, text: str) -> OnscreenText:
    """White text at the left edge, from this height down."""
    return OnscreenText(
        text,
        parent=parent,
        align=TextNode.A_left,
        pos=(0.04, height),
        scale=0.042,
        fg=(1, 1, 1, 1),
        shadow=(0, 0, 0, 0.8),
        mayChange=True,
    )


def _share(value: float) -> float:
    return round(min(max(value, 0.0), 1.0), 6)


def _light(base: Any) -> list[NodePath]:
    """A light from above the camera's shoulder, and one from everywhere."""
    key, fill = DirectionalLight("rtstamp-paint-key"), AmbientLight("rtstamp-paint-fill")
    key.set_color((0.8, 0.8, 0.8, 1))
    fill.set_color((0.35, 0.35, 0.4, 1))
    lights = [base.cam.attach_new_node(key), base.render.attach_new_node(fill)]
    lights[0].set_hpr(-30, -30, 0)
    for light in lights:
        base.render.set_light(light)
    return lights


class _Orbit:
    """A camera that turns about a model, by a button of the mouse that is held."""

    def __init__(self, base: Any, model: NodePath) -> None:
        self._base = base
        bounds: Any = model.get_tight_bounds(base.render)
        low, high = bounds
        self._middle = Point3((low + high) / 2)
        self._size = max(float((high - low).length()), 1e-6)
        self._distance = self._size * 1.2
        self._heading, self._pitch = 30.0, 15.0
        self._way: Callable[[float, float], None] | None = None
        self._from: tuple[float, float] | None = None
        self._place()

    def hold(self, way: Callable[[float, float], None] | None) -> None:
        """Let the mouse do this from now on, `turn` or `shift`; None: nothing."""
        self._way, self._from = way, None

    def approach(self, factor: float) -> None:
        """Go nearer (< 1), or farther."""
        self._distance = float(np.clip(self._distance * factor, self._size * 0.05, self._size * 20))
        self._place()

    def turn(self, x: float, y: float) -> None:
        """Turn about the model by a way of the mouse, in windows."""
        self._heading -= x * _DEGREES_PER_WINDOW
        self._pitch = float(np.clip(self._pitch - y * _DEGREES_PER_WINDOW, -_STEEPEST, _STEEPEST))
        self._place()

    def shift(self, x: float, y: float) -> None:
        """Move what is in the middle by a way of the mouse, in windows."""
        right, up = (self._base.render.get_relative_vector(self._base.cam, axis) for axis in _SCREEN)
        self._middle -= (right * x + up * y) * self._distance
        self._place()

    def follow(self) -> None:
        """Once a frame."""
        watcher = self._base.mouseWatcherNode
        if self._way is None or not watcher.has_mouse():
            return
        now = watcher.get_mouse_x() / 2, watcher.get_mouse_y() / 2
        if self._from is not None:
            self._way(now[0] - self._from[0], now[1] - self._from[1])
        self._from = now

    def _place(self) -> None:
        heading, pitch = np.radians([self._heading, self._pitch])
        way = Vec3(
            float(np.sin(heading) * np.cos(pitch)),
            float(-np.cos(heading) * np.cos(pitch)),
            float(np.sin(pitch)),
        )
        camera = self._base.cam
        camera.set_pos(self._base.render, self._middle + way * self._distance)
        camera.look_at(self._base.render, self._middle)
        camera.node().get_lens().set_near_far(self._distance * 0.01, self._distance + self._size * 4)


_SCREEN = (Vec3(1, 0, 0), Vec3(0, 0, 1))
