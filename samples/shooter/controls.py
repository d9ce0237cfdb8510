"""Keyboard, mouse and gamepad: what the player orders, and the keys that change the game."""

from collections.abc import Callable
from typing import Any

from panda3d.core import GamepadButton, InputDevice, KeyboardButton, LVector2, MouseButton, Point3

from samples.shooter.hero import CHEST
from samples.shooter.orders import Orders

# Keys that are held, by what they do.
MOVES = {
    "w": LVector2(0, 1), "s": LVector2(0, -1), "a": LVector2(-1, 0), "d": LVector2(1, 0),
    "up": LVector2(0, 1), "down": LVector2(0, -1), "left": LVector2(-1, 0), "right": LVector2(1, 0),
}  # fmt: skip
ARROWS = {
    "up": KeyboardButton.up(),
    "down": KeyboardButton.down(),
    "left": KeyboardButton.left(),
    "right": KeyboardButton.right(),
}
KEYS = {name: ARROWS.get(name) or KeyboardButton.ascii_key(name) for name in MOVES}
HELP = (
    "WASD: run     mouse: aim",
    "left button: rifle     right button: shotgun",
    "space: blast     R: reload",
    "gamepad: sticks, triggers, A, X",
)
AXIS: Any = InputDevice.Axis
GAMEPAD: Any = InputDevice.DeviceClass.gamepad
DEAD_ZONE = 0.2
MOUSE_RESTS = 0.01  # less of the window is no movement
AIM_DISTANCE = 9.0  # metres from the hero, when a stick aims


class Controls:
    """The player's orders, and what else keys do.

    Args:
        base: its mouse and keyboard are used, and the first gamepad.
        pick: finds the point of the world that is seen at a point of the window (-1..1).
    """

    def __init__(self, base: Any, pick: Callable[[LVector2], Point3 | None]) -> None:
        self.base = base
        self.lines = list(HELP)
        self._pick = pick
        self._aim = Point3(0, 100, CHEST)
        self._gamepad: Any = None
        self._stick_aims = False
        self._mouse = LVector2(0)
        base.accept("connect-device", self._connect)
        base.accept("disconnect-device", self._disconnect)
        for device in base.devices.get_devices(GAMEPAD):
            self._connect(device)

    def key(self, key: str, does: str, action: Callable[[], Any]) -> None:
        """Call `action` when the key is pressed; the help says what it does."""
        self.base.accept(key, action)
        self.lines.append(f"{key.upper() if len(key) == 1 else key}: {does}")

    def read(self, hero: Point3) -> Orders:
        """What the player orders now; `hero` is where the hero stands."""
        watcher = self.base.mouseWatcherNode
        down = watcher.is_button_down
        orders = Orders()
        for name, way in MOVES.items():
            if down(KEYS[name]):
                orders.move += way
        orders.rifle = down(MouseButton.one())
        orders.shotgun = down(MouseButton.three())
        orders.blast = down(KeyboardButton.space())
        orders.reload = down(KeyboardButton.ascii_key("r"))
        stick = self._read_gamepad(orders) if self._gamepad is not None else LVector2(0)
        self._aim = self._find_aim(hero, stick)
        orders.aim = self._aim
        return orders

    def _find_aim(self, hero: Point3, stick: LVector2) -> Point3:
        """What the stick says, or else the mouse, once it moves again."""
        watcher = self.base.mouseWatcherNode
        mouse = LVector2(watcher.get_mouse()) if watcher.has_mouse() else self._mouse
        if stick.length() > DEAD_ZONE:
            self._stick_aims = True
            self._mouse = mouse
            ahead = stick.normalized() * AIM_DISTANCE
            return Point3(hero + (ahead.x, ahead.y, CHEST))
        if self._stick_aims and (mouse - self._mouse).length() < MOUSE_RESTS:
            return self._aim
        self._stick_aims = False
        self._mouse = mouse
        return self._pick(mouse) or self._aim

    def _read_gamepad(self, orders: Orders) -> LVector2:
        """Add what the gamepad orders; the stick that aims."""
        pad = self._gamepad
        left = LVector2(pad.find_axis(AXIS.left_x).value, pad.find_axis(AXIS.left_y).value)
        if left.length() > DEAD_ZONE:
            orders.move += left
        orders.rifle |= pad.find_axis(AXIS.right_trigger).value > 0.5
        orders.shotgun |= pad.find_axis(AXIS.left_trigger).value > 0.5
        orders.blast |= pad.find_button(GamepadButton.face_a()).pressed
        orders.reload |= pad.find_button(GamepadButton.face_x()).pressed
        return LVector2(pad.find_axis(AXIS.right_x).value, pad.find_axis(AXIS.right_y).value)

    def _connect(self, device: InputDevice) -> None:
        if self._gamepad is None and device.device_class == GAMEPAD:
            self._gamepad = device
            self.base.attach_input_device(device, prefix="gamepad")

    def _disconnect(self, device: InputDevice) -> None:
        if device == self._gamepad:
            self._gamepad = None
            self.base.detach_input_device(device)
            # Another one may have been there all the time.
            for other in self.base.devices.get_devices(GAMEPAD):
                if other != device:
                    self._connect(other)
