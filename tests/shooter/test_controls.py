"""Keyboard, mouse and gamepad become the orders that they should.

Without a window: the mouse watcher and the gamepad are stand-ins. `test_window.py` plays with real events.
"""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from panda3d.core import (
    ButtonHandle,
    GamepadButton,
    InputDevice,
    KeyboardButton,
    LVector2,
    LVector3,
    MouseButton,
    Point3,
)

from samples.shooter.controls import AIM_DISTANCE, DEAD_ZONE, HELP, KEYS, MOUSE_RESTS, Controls
from samples.shooter.hero import CHEST
from samples.shooter.orders import Orders

AXIS: Any = InputDevice.Axis
DEVICE_CLASS: Any = InputDevice.DeviceClass
HERO = Point3(2, -1, 0)
JUST_INSIDE, JUST_OUTSIDE = DEAD_ZONE - 0.01, DEAD_ZONE + 0.01
ROUNDING = 1e-5  # of 32 bits


class Gamepad:
    """A device as the game knows it. Like a real one, it has axes and buttons that nobody touches."""

    def __init__(self, device_class: Any = DEVICE_CLASS.gamepad) -> None:
        self.device_class = device_class
        self.axes: dict[Any, float] = {}
        self.pressed: set[ButtonHandle] = set()

    def find_axis(self, axis: Any) -> Any:
        """What InputDevice says of an axis."""
        return SimpleNamespace(value=self.axes.get(axis, 0.0))

    def find_button(self, button: ButtonHandle) -> Any:
        """What InputDevice says of a button."""
        return SimpleNamespace(pressed=button in self.pressed)

    def push(self, side: str, x: float, y: float) -> None:
        """Push the stick of this side."""
        self.axes[getattr(AXIS, f"{side}_x")] = x
        self.axes[getattr(AXIS, f"{side}_y")] = y


class Desk:
    """What a player sits at: the base that the game sees, and what it orders."""

    def __init__(self, *devices: Gamepad) -> None:
        self.mouse: LVector2 | None = None
        self.down: set[ButtonHandle] = set()
        self.accepted: dict[str, Callable[..., Any]] = {}
        self.attached: list[Gamepad] = []
        self.base = SimpleNamespace(
            mouseWatcherNode=self,
            devices=SimpleNamespace(
                get_devices=lambda kind: [device for device in devices if device.device_class == kind]
            ),
            accept=self.accepted.__setitem__,
            attach_input_device=self._attach,
            detach_input_device=self.attached.remove,
        )
        self.controls = Controls(self.base, self.pick)

    def _attach(self, device: Gamepad, prefix: str) -> None:
        assert prefix == "gamepad"
        assert device not in self.attached
        self.attached.append(device)

    # The mouse watcher.

    def is_button_down(self, button: ButtonHandle) -> bool:
        """Whether a key or a button of the mouse is held."""
        return button in self.down

    def has_mouse(self) -> bool:
        """Whether the pointer is in the window."""
        return self.mouse is not None

    def get_mouse(self) -> LVector2:
        """Where it is."""
        assert self.mouse is not None
        return self.mouse

    # The game.

    @staticmethod
    def pick(point: LVector2) -> Point3 | None:
        """A world that lies below the window's lower half."""
        return Point3(10 * point.x, 10 * point.y, 0) if point.y < 0.5 else None

    def read(self, hero: Point3 = HERO) -> Orders:
        """The orders of a frame."""
        return self.controls.read(hero)


@pytest.fixture
def pad() -> Gamepad:
    """A gamepad that is there from the beginning."""
    return Gamepad()


@pytest.fixture
def desk(pad: Gamepad) -> Desk:
    """A player with that gamepad, and the pointer in the window."""
    result = Desk(pad)
    result.mouse = LVector2(0.1, 0.2)
    return result


def triggers(orders: Orders) -> set[str]:
    """Which are held."""
    return {name for name in ("rifle", "shotgun", "blast", "reload") if getattr(orders, name)}


def test_nothing_is_ordered_by_nobody(desk: Desk) -> None:
    orders = desk.read()
    assert orders.move == LVector2(0)
    assert triggers(orders) == set()
    assert Desk().read().move == LVector2(0)


@pytest.mark.parametrize(
    ("keys", "way"),
    [
        ("w", (0, 1)),
        ("s", (0, -1)),
        ("a", (-1, 0)),
        ("d", (1, 0)),
        ("up", (0, 1)),
        ("down", (0, -1)),
        ("left", (-1, 0)),
        ("right", (1, 0)),
        ("w d", (1, 1)),
        ("a s", (-1, -1)),
        ("a d", (0, 0)),
        ("w right", (1, 1)),
    ],
)
def test_keys_that_run(desk: Desk, keys: str, way: tuple[float, float]) -> None:
    desk.down = {KEYS[key] for key in keys.split()}
    orders = desk.read()
    assert orders.move == LVector2(*way)
    assert triggers(orders) == set()


@pytest.mark.parametrize(
    ("button", "order"),
    [
        (MouseButton.one(), "rifle"),
        (MouseButton.three(), "shotgun"),
        (KeyboardButton.space(), "blast"),
        (KeyboardButton.ascii_key("r"), "reload"),
    ],
)
def test_buttons(desk: Desk, button: ButtonHandle, order: str) -> None:
    desk.down = {button}
    assert triggers(desk.read()) == {order}
    desk.down = set()
    assert triggers(desk.read()) == set()


def test_a_key_and_its_help(desk: Desk) -> None:
    """A key calls what it was given; the help names it as it is written on the keyboard."""
    called: list[str] = []
    desk.controls.key("f", "does this", lambda: called.append("f"))
    desk.controls.key("escape", "does that", lambda: called.append("escape"))
    assert desk.controls.lines == [*HELP, "F: does this", "escape: does that"]
    desk.accepted["escape"]()
    desk.accepted["f"]()
    assert called == ["escape", "f"]


def test_the_left_stick_runs(desk: Desk, pad: Gamepad) -> None:
    """As far as it is pushed, which is how fast."""
    for x, y in ((1.0, 0.0), (0.0, -1.0), (-0.6, 0.3), (JUST_OUTSIDE, 0.0)):
        pad.push("left", x, y)
        assert desk.read().move == LVector2(x, y)


def test_the_stick_and_keys_add_up(desk: Desk, pad: Gamepad) -> None:
    pad.push("left", 0.5, 0.5)
    desk.down = {KEYS["w"]}
    assert desk.read().move == LVector2(0.5, 1.5)


def test_dead_zones(desk: Desk, pad: Gamepad) -> None:
    """A stick that is at rest is not quite in its middle: that is no order, in whatever direction."""
    for x, y in ((JUST_INSIDE, 0), (0, -JUST_INSIDE), (-0.7 * JUST_INSIDE, 0.7 * JUST_INSIDE)):
        pad.push("left", x, y)
        pad.push("right", x, y)
        orders = desk.read()
        assert orders.move == LVector2(0)
        # The mouse aims.
        assert orders.aim == Point3(1, 2, 0)


def test_the_right_stick_aims(desk: Desk, pad: Gamepad) -> None:
    """At a fixed distance around the hero, however far it is pushed, at the height that the gun has."""
    for x, y in ((1.0, 0.0), (0.0, JUST_OUTSIDE), (-0.3, -0.4)):
        pad.push("right", x, y)
        way = LVector3(x, y, 0).normalized() * AIM_DISTANCE
        orders = desk.read()
        assert orders.aim.almost_equal(HERO + way + LVector3(0, 0, CHEST), ROUNDING)
        assert orders.move == LVector2(0)
    # It goes with the hero.
    moved = HERO + LVector3(1, 1, 0)
    assert desk.read(moved).aim.almost_equal(moved + way + LVector3(0, 0, CHEST), ROUNDING)


@pytest.mark.parametrize(("axis", "order"), [("right_trigger", "rifle"), ("left_trigger", "shotgun")])
def test_triggers(desk: Desk, pad: Gamepad, axis: str, order: str) -> None:
    for value, held in ((0.0, set()), (0.49, set()), (0.51, {order}), (1.0, {order}), (0.1, set())):
        pad.axes[getattr(AXIS, axis)] = value
        assert triggers(desk.read()) == held


@pytest.mark.parametrize(
    ("button", "order"), [(GamepadButton.face_a(), "blast"), (GamepadButton.face_x(), "reload")]
)
def test_gamepad_buttons(desk: Desk, pad: Gamepad, button: ButtonHandle, order: str) -> None:
    pad.pressed = {button}
    assert triggers(desk.read()) == {order}
    pad.pressed = {GamepadButton.face_b(), GamepadButton.face_y()}
    assert triggers(desk.read()) == set()


def test_two_hands_may_hold_the_same_trigger(desk: Desk, pad: Gamepad) -> None:
    """What either the mouse or the gamepad orders is ordered."""
    desk.down = {MouseButton.one()}
    pad.axes[AXIS.left_trigger] = 1.0
    pad.pressed = {GamepadButton.face_a()}
    assert triggers(desk.read()) == {"rifle", "shotgun", "blast"}


def test_the_mouse_aims(desk: Desk) -> None:
    """At what is seen under it; where nothing is, at what it aimed at before; outside, where it left."""
    assert desk.read().aim == Point3(1, 2, 0)
    desk.mouse = LVector2(-0.5, 0.25)
    assert desk.read().aim == Point3(-5, 2.5, 0)
    desk.mouse = LVector2(0.0, 0.9)
    assert desk.read().aim == Point3(-5, 2.5, 0)
    desk.mouse = LVector2(0.5, 0.25)
    desk.read()
    desk.mouse = None
    assert desk.read().aim == Point3(5, 2.5, 0)


def test_the_mouse_takes_over_when_it_moves(desk: Desk, pad: Gamepad) -> None:
    """The stick's aim stays when it is let go, until the mouse moves by more than a trembling desk does."""
    desk.read()
    pad.push("right", 0.0, 1.0)
    by_stick = desk.read().aim
    pad.push("right", 0.0, 0.0)
    assert desk.read().aim == by_stick
    # The hero runs: the aim is a point of the world, as a mouse's is.
    assert desk.read(HERO + LVector3(1, 0, 0)).aim == by_stick
    start = LVector2(desk.mouse or LVector2(0))
    desk.mouse = start + LVector2(0.5 * MOUSE_RESTS, 0)
    assert desk.read().aim == by_stick
    desk.mouse = start + LVector2(1.5 * MOUSE_RESTS, 0)
    assert desk.read().aim == desk.pick(desk.mouse)
    # And it goes on to aim, also without moving.
    assert desk.read().aim == desk.pick(desk.mouse)


def test_a_mouse_that_moved_before_the_stick_does_not_take_over(desk: Desk, pad: Gamepad) -> None:
    """Only what it does after the stick was let go counts."""
    pad.push("right", 1.0, 0.0)
    desk.read()
    desk.mouse = LVector2(-0.9, -0.9)
    by_stick = desk.read().aim
    assert by_stick.almost_equal(HERO + LVector3(AIM_DISTANCE, 0, CHEST), ROUNDING)
    pad.push("right", 0.0, 0.0)
    assert desk.read().aim == by_stick


def test_a_gamepad_comes_and_goes(pad: Gamepad) -> None:
    desk = Desk()
    pad.push("left", 1.0, 0.0)
    assert desk.read().move == LVector2(0)
    desk.accepted["connect-device"](pad)
    assert desk.attached == [pad]
    assert desk.read().move == LVector2(1, 0)
    desk.accepted["disconnect-device"](pad)
    assert desk.attached == []
    assert desk.read().move == LVector2(0)
    desk.accepted["connect-device"](pad)
    assert desk.read().move == LVector2(1, 0)


def test_the_stick_s_aim_stays_when_the_gamepad_goes(desk: Desk, pad: Gamepad) -> None:
    pad.push("right", 1.0, 0.0)
    by_stick = desk.read().aim
    desk.accepted["disconnect-device"](pad)
    assert desk.read().aim == by_stick
    desk.mouse = LVector2(0.3, 0.3)
    assert desk.read().aim == Point3(3, 3, 0)


def test_other_devices_are_left_alone(pad: Gamepad) -> None:
    """Only a gamepad counts, and only one at a time; the other one's end is nothing to us."""
    wheel, second = Gamepad(DEVICE_CLASS.steering_wheel), Gamepad()
    desk = Desk(wheel, pad, second)
    assert desk.attached == [pad]
    wheel.push("left", 0.0, 1.0)
    second.push("left", 0.0, 1.0)
    assert desk.read().move == LVector2(0)
    for other in (wheel, second):
        desk.accepted["connect-device"](other)
        desk.accepted["disconnect-device"](other)
    assert desk.attached == [pad]
    pad.push("left", 1.0, 0.0)
    assert desk.read().move == LVector2(1, 0)


def test_the_second_gamepad_takes_over(pad: Gamepad) -> None:
    """When the first goes, one that was there all the time is used."""
    second = Gamepad()
    desk = Desk(pad, second)
    desk.accepted["disconnect-device"](pad)
    second.push("left", 0.0, 1.0)
    assert desk.read().move == LVector2(0, 1)
    assert desk.attached == [second]
