#!/usr/bin/env python3
"""A portrait over the game and a map of it, a screen that shows what a camera sees, a mirror, a photograph.

In a window: the arrow keys turn the camera, the mouse drags the overlays, and the help lists the other keys.
Without a display, or with `--offscreen OUT`, it writes pictures instead. Begin to read at `views.py`, which
is all that the game does with the add-on.
"""

import sys
from collections.abc import Iterator
from math import sin, tau
from pathlib import Path
from typing import Any

from panda3d.core import ClockObject, KeyboardButton

# The checkout's folder, so that this file runs without anything being installed.
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from panda_rtstamp import RtStampError
from samples.common.clock import set_speed
from samples.common.run import FRAME_RATE, run
from samples.overlay.room import Portrait, Room
from samples.overlay.screen import Screen
from samples.overlay.views import Views

SECONDS = 10.0
LONGEST_STEP = 0.1  # seconds; a longer frame slows the game down
# Where `s` saves the photograph.
PHOTO_FILE = Path(__file__).resolve().parents[2] / "out" / "overlay" / "photograph.png"
TURNS = {"left": (-1, 0), "right": (1, 0), "up": (0, 1), "down": (0, -1)}
TURNING = 50.0  # degrees a second
PICTURES = ("screen", "mirror", "photograph")
LOWEST, HIGHEST = 3.0, 60.0  # degrees above the floor
SWING, PITCH = 7.0, 12.0
# Of the script, in seconds.
PHOTO_AT, SCREEN_OFF_AT, SCREEN_ON_AT, NEAR_AT, FAR_AT = 1.0, 3.0, 4.4, 5.2, 8.6


class Gallery:
    """The game: all parts, and what happens in a frame."""

    def __init__(self, base: Any) -> None:
        self.base = base
        self.lines = ["arrow keys: turn the camera", "mouse: drag portraits and map"]
        self.room = Room(base)
        self.portrait = Portrait()
        self.views = Views(base, self.room, self.portrait)
        self.screen = Screen(base)
        self.message = ""
        self._plays = False
        self._counts: list[int] = []
        # Before the tasks of the pictures (49), so that they show where all is now.
        base.task_mgr.add(self._update, "gallery", sort=10)

    def play(self) -> None:
        """Give the player the keys."""
        self._plays = True
        self.key("n", "near: the mirror alone, or everything", self.room.toggle_close_up)
        self.key("v", "screen on or off", self.toggle_screen)
        self.key("o", "portraits on or off", self.toggle_portraits)
        self.key("m", "map on or off", self.toggle_map)
        self.key("space", "take a photograph", self.take_photo)
        self.key("s", "save the photograph", self.save_photo)
        self.key("p", "pause", self.toggle_pause)
        self.key("escape", "quit", self.base.userExit)
        self.screen.set_help(self.lines)

    def key(self, key: str, does: str, action: Any) -> None:
        """Call `action` when the key is pressed; the help says what it does."""
        self.base.accept(key, action)
        self.lines.append(f"{key}: {does}")

    def toggle_screen(self) -> None:
        """Switch the screen off or on. While it is off, its picture is not drawn."""
        if self.room.screen.is_hidden():
            self.room.screen.show()
        else:
            self.room.screen.hide()

    def toggle_portraits(self) -> None:
        """Hide or show the portraits."""
        for overlay in self.views.portraits:
            if overlay.visible:
                overlay.hide()
            else:
                overlay.show()

    def toggle_map(self) -> None:
        """Hide or show the map."""
        if self.views.minimap.visible:
            self.views.minimap.hide()
        else:
            self.views.minimap.show()

    def take_photo(self) -> None:
        """Draw the portrait once, for the photograph."""
        self.views.photo.queue_update()
        self.screen.show_photo(self.views.photo)

    def save_photo(self) -> None:
        """Write the photograph to a file, with its transparency."""
        if not self.views.draws[self.views.photo]:
            self.message = "space takes a photograph to save"
            return
        try:
            PHOTO_FILE.parent.mkdir(parents=True, exist_ok=True)
            saved = self.views.photo.save(PHOTO_FILE)
            self.message = f"saved as {PHOTO_FILE}" if saved else "there is nothing to save"
        except (OSError, RtStampError) as error:
            self.message = str(error)

    def toggle_pause(self) -> None:
        """Stop the game's time, or let it go on."""
        set_speed(0 if ClockObject.get_global_clock().mode == ClockObject.M_normal else 1)

    def script(self) -> Iterator[None]:
        """What the pictures show: a photograph, the screen off for a while, and a look away from it."""
        for number in range(round(SECONDS * FRAME_RATE)):
            now = number / FRAME_RATE
            if now == PHOTO_AT:
                self.take_photo()
            if now in (SCREEN_OFF_AT, SCREEN_ON_AT):
                self.toggle_screen()
            if now in (NEAR_AT, FAR_AT):
                self.room.toggle_close_up()
            self.room.studio.look_from(-SWING * sin(tau * now / SECONDS), PITCH)
            yield

    def _update(self, task: Any) -> Any:
        dt = min(ClockObject.get_global_clock().dt, LONGEST_STEP)
        if self._plays:
            self._turn(dt)
        self.room.update(dt)
        self.portrait.update(dt)
        self.views.update()
        self._show()
        return task.cont

    def _turn(self, dt: float) -> None:
        """Turn the camera as long as arrow keys are held."""
        down = self.base.mouseWatcherNode.is_button_down
        studio = self.room.studio
        for name, (right, up) in TURNS.items():
            if down(getattr(KeyboardButton, name)()):
                pitch = min(max(studio.pitch + up * TURNING * dt, LOWEST), HIGHEST)
                studio.look_from(studio.heading + right * TURNING * dt, pitch)

    def _show(self) -> None:
        """Bring the text up to date."""
        transparent, opaque = self.views.portraits
        self.screen.label(transparent, "transparent")
        self.screen.label(opaque, "opaque")
        views = self.views
        counts = [views.draws[picture] for picture in (views.security, views.mirror, views.photo)]
        before, self._counts = self._counts or counts, counts
        lines = []
        for name, count, earlier in zip(PICTURES, counts, before, strict=True):
            lines.append(f"{name}: {'drawing' if count > earlier else 'resting'} (draws: {count})")
        self.screen.set_state([*lines, self.message])


if __name__ == "__main__":
    sys.exit(run(__file__, __doc__, Gallery, SECONDS, packages=("PIL",)))
