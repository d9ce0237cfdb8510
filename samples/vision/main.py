#!/usr/bin/env python3
"""A hero steals through a town, and the player sees no more than the hero does.

Guards on their rounds are cut off where walls hide them, doors open and close, windows are seen through, and
crates are seen over. In a window: WASD. Without a display, or with `--offscreen OUT`, it writes pictures.
Begin to read at `sight.py`, which is all that the game does with the add-on.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from panda3d.core import (
    AmbientLight,
    AntialiasAttrib,
    ClockObject,
    DirectionalLight,
    KeyboardButton,
    LVector2,
    LVector3,
    NodePath,
    PointLight,
)

# The checkout's folder, so that this file runs without anything being installed.
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from samples.common.clock import set_speed
from samples.common.figure import approach
from samples.common.run import FRAME_RATE, run
from samples.vision.people import Guard, Hero, make_guards
from samples.vision.screen import Screen
from samples.vision.sight import Sight
from samples.vision.town import Town, place

SECONDS = 10.0
LONGEST_STEP = 0.1  # seconds; a longer frame slows the game down
CAMERA = LVector3(0, -12.5, 22.5)  # from the hero
FIELD_OF_VIEW = 30.0  # degrees, over the shorter side of the window
CAMERA_SOON = 5.0  # how soon it is where it should be, a second
ALARM_SOON = 6.0
MOVES = {"w": LVector2(0, 1), "s": LVector2(0, -1), "a": LVector2(-1, 0), "d": LVector2(1, 0)}
# Where the script's hero runs, in columns and rows of the plan.
WAY = ((22.5, 8), (22.5, 3.5), (22.5, 8), (9, 11), (8.5, 14.5), (8.5, 16))
SHOW_MAPS = 5.0  # seconds after the script has begun


class Thief:
    """The game: all parts, and what happens in a frame."""

    def __init__(self, base: Any) -> None:
        self.base = base
        self.lines = ["WASD: run"]
        self.town = Town(base)
        self.hero = Hero(self.town.root)
        self.guards = make_guards(self.town.root)
        self.sight = Sight(base, self.town, self.hero, self.guards)
        self.screen = Screen(base, self.town)
        self._alarm = 0.0
        self._plays = False
        self._add_lights()
        base.disable_mouse()
        base.set_background_color(0.01, 0.012, 0.02, 1)
        base.camLens.set_min_fov(FIELD_OF_VIEW)
        base.camLens.set_near_far(2, 80)
        base.camera.set_pos(self.hero.position + CAMERA)
        base.camera.look_at(self.hero.position)
        base.render.set_antialias(AntialiasAttrib.M_multisample)
        # Before the task of the vision mask (49), so that it sees where all are now.
        base.task_mgr.add(self._update, "thief", sort=10)

    def _add_lights(self) -> None:
        """Moonlight, and a lantern in the hero's hand."""
        ambient = AmbientLight("ambient")
        ambient.set_color((0.34, 0.38, 0.50, 1))
        moon = DirectionalLight("moon")
        moon.set_color((0.36, 0.42, 0.58, 1))
        lantern = PointLight("lantern")
        lantern.set_color((1.9, 1.35, 0.80, 1))
        lantern.set_attenuation((1, 0, 0.06))
        for light, parent in ((ambient, self.town.root), (moon, self.town.root), (lantern, self.hero.path)):
            path: NodePath = parent.attach_new_node(light)
            self.town.root.set_light(path)
            if light is moon:
                path.set_hpr(-35, -50, 0)
            elif light is lantern:
                path.set_z(2.6)

    def play(self) -> None:
        """Give the player the keys."""
        self._plays = True
        self.key("e", "exact, or by the wall map", self.sight.toggle_exact)
        self.key("b", "blur", self.sight.toggle_blur)
        self.key("x", "what was explored", self.sight.toggle_explored)
        self.key("m", "minimap", self.screen.toggle_minimap)
        self.key("t", "the two maps", self.toggle_maps)
        self.key("p", "pause", self.toggle_pause)
        self.key("escape", "quit", self.base.userExit)
        self.screen.set_help(self.lines)

    def key(self, key: str, does: str, action: Any) -> None:
        """Call `action` when the key is pressed; the help says what it does."""
        self.base.accept(key, action)
        self.lines.append(f"{key}: {does}")

    def toggle_maps(self) -> None:
        """Show or hide the mask and the wall map."""
        if self.screen.shows_maps:
            self.screen.hide_maps()
        else:
            self.screen.show_maps(self.sight.vision.mask, self.sight.vision.wall_depth)

    def toggle_pause(self) -> None:
        """Stop the game's time, or let it go on."""
        set_speed(0 if ClockObject.get_global_clock().mode == ClockObject.M_normal else 1)

    def script(self) -> Iterator[None]:
        """What the pictures show: from the yard into a house, and off to another."""
        corners = [place(*corner) for corner in WAY]
        for number in range(round(SECONDS * FRAME_RATE)):
            if number == round(SHOW_MAPS * FRAME_RATE):
                self.toggle_maps()
            if corners and (corners[0] - self.hero.position.xy).length() < 0.4:
                corners.pop(0)
            to_corner = corners[0] - self.hero.position.xy if corners else LVector2(0)
            self.hero.move = LVector2(to_corner) * 4
            yield

    def _update(self, task: Any) -> Any:
        dt = min(ClockObject.get_global_clock().dt, LONGEST_STEP)
        if self._plays:
            down = self.base.mouseWatcherNode.is_button_down
            ways = (way for key, way in MOVES.items() if down(KeyboardButton.ascii_key(key)))
            self.hero.move = sum(ways, LVector2(0))
        people: list[Hero | Guard] = [self.hero, *self.guards]
        for person in people:
            person.update(dt)
        self.town.update(dt, [person.position for person in people])
        to_hero = self.hero.position + CAMERA - self.base.camera.get_pos()
        self.base.camera.set_pos(self.base.camera.get_pos() + to_hero * approach(CAMERA_SOON, dt))
        self._show(dt)
        return task.cont

    def _show(self, dt: float) -> None:
        """Bring colours, minimap and text up to date."""
        seen = self.sight.is_seen
        self._alarm += (seen - self._alarm) * approach(ALARM_SOON, dt)
        self.sight.set_alarm(self._alarm)
        self.sight.show_on(self.screen.minimap)
        if self.screen.shows_maps:
            self.screen.show_maps(self.sight.vision.mask, self.sight.vision.wall_depth)
        in_sight = [guard.position for guard in self.guards if guard.path in self.sight.in_sight]
        self.screen.mark(self.hero.position, in_sight)
        way = "exact" if self.sight.vision.config.exact else "by the wall map"
        state = [f"{len(in_sight)} of {len(self.guards)} guards in sight", f"shadows: {way}"]
        self.screen.set_state([*state, "They see you!"] if seen else state)


if __name__ == "__main__":
    sys.exit(run(__file__, __doc__, Thief, SECONDS, packages=("PIL",)))
