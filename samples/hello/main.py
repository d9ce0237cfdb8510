#!/usr/bin/env python3
"""Hello, marks: shoot paint at models and watch it fade.

In a window: the left mouse button shoots (hold it to go on), the right one turns the camera.
Without a display, or with `--offscreen OUT`, it writes pictures instead.
"""

import random
import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import cycle
from pathlib import Path
from typing import Any

from panda3d.core import LVector3

# The checkout's folder, so that this file runs without anything being installed.
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from panda_rtstamp import StampConfig, StampSystem
from samples.common.controls import Controls
from samples.common.run import FRAME_RATE, run
from samples.hello.scene import Scene

COLORS = ((0.92, 0.16, 0.14), (1.0, 0.58, 0.04), (0.08, 0.62, 0.36), (0.06, 0.38, 0.92), (0.55, 0.14, 0.80))
# Where the script shoots: a target, and how far right of and above its middle.
AIMS = (
    ("panda", -0.75, 0.15), ("ball", -0.35, 0.1), ("rook", 0.0, 0.1), ("floor", -0.9, -0.65),
    ("panda", 0.0, 0.3), ("pawn", 0.0, 0.4), ("bishop", 0.0, 0.3), ("panda", 0.5, 0.1),
    ("ball", 0.1, 0.5), ("knight", 0.1, 0.45), ("panda", 0.95, 0.0), ("floor", 0.6, -0.55),
    ("rook", 0.1, 0.65), ("ball", 0.35, -0.35), ("panda", -0.25, -0.2), ("bishop", 0.0, -0.7),
    ("panda", -0.4, 0.45), ("floor", 1.7, -0.5), ("pawn", 0.0, 0.05), ("ball", -0.2, -0.5),
    ("panda", 0.25, 0.0), ("rook", 0.0, -0.3),
)  # fmt: skip


class Hello:
    """All there is to marks: a tag on each model and a system (`__init__`), and hits (`shoot`)."""

    def __init__(self, base: Any) -> None:
        self.base = base
        self.scene = Scene(base)
        for model in self.scene.targets.values():
            model.set_tag("rtstamp", "")
        self.scene.targets["floor"].set_tag("rtstamp-resolution", "2048")
        self.config = StampConfig(fade_duration=30, hardness=0.8, high_res_distance=20)
        self.stamps = StampSystem(base, self.config)
        self.colors = cycle(COLORS)
        self.random = random.Random(1)
        self.debug = False

    def shoot(self, x: float, y: float) -> None:
        """Throw paint at what is seen at a point of the window: a blot, and drops around it."""
        entry = self.scene.pick(x, y)
        if entry is None:
            return
        color = next(self.colors)
        binding = self.stamps.hit_entry(entry, radius=self.random.uniform(0.13, 0.19), color=color)
        if binding is None:
            return
        point = entry.get_surface_point(self.base.render)
        for _ in range(8):
            away = LVector3(*(self.random.gauss(0, 1) for _ in range(3))).normalized()
            away *= self.random.uniform(0.15, 0.3)
            self.stamps.hit(binding.node, point + away, radius=self.random.uniform(0.06, 0.1), color=color)

    def change(self, **settings: Any) -> None:
        """Go on with other settings; the marks stay."""
        self.config = replace(self.config, **settings)
        self.stamps.set_config(self.config)

    def play(self) -> None:
        """Give the player the mouse and the keys."""
        self.controls = Controls(self.scene.studio, self.shoot)
        key = self.controls.key
        key("1", "paint", lambda: self.change(look="paint"))
        key("2", "stain (tint)", lambda: self.change(look="tint"))
        key("3", "glow", lambda: self.change(look="glow"))
        key("a", "new marks fade, or stay", lambda: self.change(auto_fade=not self.config.auto_fade))
        key("f", "fade all", self.stamps.start_fade_all)
        key("c", "clear all", self.stamps.clear_all)
        key("d", "debug view", self.toggle_debug)
        key("p", "pause", self.controls.toggle_pause)

    def toggle_debug(self) -> None:
        """Show or hide the textures that the marks are in."""
        self.debug = not self.debug
        self.stamps.show_debug(self.debug)

    def script(self) -> Iterator[None]:
        """What the pictures show: paint everywhere, which stays for a while and then fades."""
        self.change(auto_fade=False)
        for number in range(4 * FRAME_RATE):
            self.scene.studio.look_from(0.08 * number - 6, 12)
            if number % 4 == 3 and number // 4 < len(AIMS):
                self.shoot(*self.scene.seen_at(*AIMS[number // 4]))
            yield
        self.stamps.start_fade_all(2.0)


if __name__ == "__main__":
    sys.exit(run(__file__, __doc__, Hello))
