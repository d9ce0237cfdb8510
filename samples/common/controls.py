"""Mouse and keys for the samples, with a help text that lists them."""

from collections.abc import Callable
from typing import Any

from direct.gui.OnscreenText import OnscreenText
from panda3d.core import ClockObject, TextNode

from samples.common.clock import set_speed
from samples.common.studio import Studio

SECONDS_BETWEEN_SHOTS = 0.12
DEGREES_PER_WINDOW = 120
NEAREST, FARTHEST = 5.0, 20.0

Aim = Callable[[float, float], None]


class Controls:
    """Left button: shoots where the mouse is, and goes on while held. Right button: turns. Wheel: distance.

    Args:
        studio: whose camera is moved.
        shoot: called with a point of the window, -1..1 from left to right and from bottom to top.
        erase: what the right button does in the same way; the middle one turns then.
    """

    def __init__(self, studio: Studio, shoot: Aim, erase: Aim | None = None) -> None:
        self.studio = studio
        self.base = studio.base
        self.turning_from: tuple[float, float] | None = None
        self.next_shot = 0.0
        self._held: Aim | None = None
        others = "right: turn" if erase is None else "right: erase, middle: turn"
        self.lines = ["left mouse button: shoot", f"{others}, wheel: nearer and farther"]
        self.text = OnscreenText(
            parent=self.base.a2dTopRight, align=TextNode.A_right, pos=(-0.05, -0.08), scale=0.045,
            fg=(1, 1, 1, 0.9), shadow=(0, 0, 0, 0.7), mayChange=True,
        )  # fmt: skip
        self.key("escape", "quit", self.base.userExit)
        self._accept_held("mouse1", shoot)
        turn = "mouse3"
        if erase is not None:
            self._accept_held("mouse3", erase)
            turn = "mouse2"
        self.base.accept(turn, self._start_turning)
        self.base.accept(f"{turn}-up", self._stop_turning)
        self.base.accept("wheel_up", self._go, [0.9])
        self.base.accept("wheel_down", self._go, [1 / 0.9])
        self.base.task_mgr.add(self._follow_mouse, "controls", sort=1)

    def key(self, key: str, does: str, action: Callable[[], Any]) -> None:
        """Call `action` when the key is pressed, and say so in the help text."""
        self.base.accept(key, action)
        self.lines.append(f"{key}: {does}")
        self.text.setText("\n".join(self.lines))

    def toggle_pause(self) -> None:
        """Stop the clock that marks, animations and tasks go by, or let it go on from there."""
        set_speed(0 if ClockObject.get_global_clock().mode == ClockObject.M_normal else 1)

    def _mouse(self) -> tuple[float, float] | None:
        watcher = self.base.mouseWatcherNode
        return (watcher.get_mouse_x(), watcher.get_mouse_y()) if watcher.has_mouse() else None

    def _accept_held(self, button: str, aim: Aim) -> None:
        self.base.accept(button, self._hold, [aim])
        self.base.accept(f"{button}-up", self._hold, [None])

    def _hold(self, aim: Aim | None) -> None:
        self._held = aim
        self.next_shot = 0.0

    def _start_turning(self) -> None:
        self.turning_from = self._mouse()

    def _stop_turning(self) -> None:
        self.turning_from = None

    def _go(self, factor: float) -> None:
        self.studio.distance = min(max(self.studio.distance * factor, NEAREST), FARTHEST)
        self.studio.look_from(self.studio.heading, self.studio.pitch)

    def _follow_mouse(self, task: Any) -> Any:
        mouse = self._mouse()
        now = ClockObject.get_global_clock().get_real_time()
        if mouse is None:
            return task.cont
        if self.turning_from is not None:
            across, up = mouse[0] - self.turning_from[0], mouse[1] - self.turning_from[1]
            self.turning_from = mouse
            heading = self.studio.heading - DEGREES_PER_WINDOW * across
            pitch = min(max(self.studio.pitch - DEGREES_PER_WINDOW * up, 3), 80)
            self.studio.look_from(heading, pitch)
        if self._held is not None and now >= self.next_shot:
            self.next_shot = now + SECONDS_BETWEEN_SHOTS
            self._held(*mouse)
        return task.cont
