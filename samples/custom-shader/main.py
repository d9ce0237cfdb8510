#!/usr/bin/env python3
"""Marks in a shader of your own: steel that glows where it was hit, and cools as the marks fade.

The shader is `metal.frag`, beside this file. In a window the left mouse button shoots, the right one turns
the camera; without a display, or with `--offscreen OUT`, it writes pictures instead.
"""

import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from panda3d.core import Filename, get_model_path

# The checkout's folder, so that this file runs without anything being installed.
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from panda_rtstamp import StampConfig, StampSystem, load_shader
from samples.common.controls import Controls
from samples.common.run import FRAME_RATE, run
from samples.hello.scene import Scene

HERE = Filename.from_os_specific(str(Path(__file__).resolve().parent))


class HotMetal:
    """The models of the hello sample, in steel."""

    def __init__(self, base: Any) -> None:
        self.scene = Scene(base)
        # The mask is all that the shader wants, so one channel is enough; hits on one spot add up.
        config = StampConfig(
            display="shader", format="r16f", fade_duration=6, hardness=0, high_res_distance=20
        )
        self.stamps = StampSystem(base, config)
        get_model_path().append_directory(HERE)
        models = self.scene.studio.models
        models.set_shader(load_shader("metal.vert", "metal.frag"))
        # What the shader reads until a model is hit, and again when its marks are gone.
        self.stamps.set_default_inputs(models)
        for name, model in self.scene.targets.items():
            if name != "floor":
                model.set_tag("rtstamp", "")
        self.random = random.Random(2)

    def shoot(self, x: float, y: float) -> None:
        """Hit what is seen at a point of the window."""
        entry = self.scene.pick(x, y)
        if entry is not None:
            self.stamps.hit_entry(entry, radius=self.random.uniform(0.16, 0.3))

    def play(self) -> None:
        """Give the player the mouse and the keys."""
        self.controls = Controls(self.scene.studio, self.shoot)
        key = self.controls.key
        key("c", "clear all", self.stamps.clear_all)
        key("p", "pause", self.controls.toggle_pause)

    def script(self) -> Iterator[None]:
        """What the pictures show: shots here and there, for two thirds of the time."""
        names = [name for name in self.scene.targets if name != "floor"]
        for number in range(4 * FRAME_RATE):
            self.scene.studio.look_from(6 - 0.08 * number, 12)
            if number % 3 == 0:
                name = names[number // 3 % len(names)]
                right, up = self.random.uniform(-0.3, 0.3), self.random.uniform(-0.4, 0.4)
                self.shoot(*self.scene.seen_at(name, right, up))
            yield


if __name__ == "__main__":
    sys.exit(run(__file__, __doc__, HotMetal))
