#!/usr/bin/env python3
"""A top-down shooter whose arena remembers every shot.

In a window it is played with WASD and the mouse, or a gamepad, and `--script` plays a match by itself.
Without a display, or with `--offscreen OUT`, that match is written as pictures. Begin to read at `marks.py`,
which is all that the game does with the add-on; `game.py` joins the parts.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

# The checkout's folder, so that this file runs without anything being installed.
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from samples.common.clock import set_speed
from samples.common.run import run
from samples.shooter.controls import Controls
from samples.shooter.game import Game
from samples.shooter.script import SECONDS, SIZE, script

SLOW = 0.25


class Shooter(Game):
    """The game, as `samples.common.run` runs it."""

    controls: Controls | None = None
    speed = 1.0

    def play(self) -> None:
        """Give the player the keys, and let the enemies come."""
        self.controls = Controls(self.base, self.pick)
        key = self.controls.key
        key("f", "marks fade by themselves, or stay", self.marks.toggle_hold)
        key("g", "fade all marks", self.marks.fade_all)
        key("l", "look of the marks", self.marks.next_look)
        key("b", "debug view of the textures", self.marks.toggle_debug)
        key("q", "quality of new marks, and shadows", self.next_quality)
        key("p", "pause", lambda: self.toggle_speed(0))
        key("t", "slow motion", lambda: self.toggle_speed(SLOW))
        key("enter", "new game", self.restart)
        key("h", "this help", self.hud.toggle_help)
        key("escape", "quit", self.base.userExit)
        self.hud.set_help(self.controls.lines)
        self.restart()

    def script(self) -> Iterator[None]:
        """The match that the pictures show."""
        return script(self)

    def restart(self) -> None:
        """Begin a new game."""
        if self.speed == 0:
            self.toggle_speed(0)
        self.reset()
        self.enemies.start_waves()

    def next_quality(self) -> None:
        """Change the detail of marks; the lowest goes without shadows."""
        self.light.set_shadows(self.marks.next_quality() != "low")

    def toggle_speed(self, speed: float) -> None:
        """Let time go at this pace, or at its own again."""
        self.speed = 1.0 if self.speed == speed else speed
        self.hud.paused = self.speed == 0
        set_speed(self.speed)

    def read_orders(self) -> None:
        if self.controls is not None:
            self.orders = self.controls.read(self.hero.position)


if __name__ == "__main__":
    sys.exit(run(__file__, __doc__, Shooter, SECONDS, SIZE, packages=("PIL",)))
