#!/usr/bin/env python3
"""A teapot in plush, and a panda in fur that walks on a lawn: coats, wind, burns and a comb.

In a window: the left mouse button burns the coat, or combs the panda, and the help lists the keys. Without a
display, or with `--offscreen OUT`, it writes pictures instead. Begin to read at `coats.py`, which is all that
the game does with the add-on.
"""

import sys
from collections.abc import Iterator
from functools import partial
from math import sin, tau
from pathlib import Path
from typing import Any

from direct.gui.OnscreenText import OnscreenText
from panda3d.core import ClockObject, Point2, Point3, TextNode

# The checkout's folder, so that this file runs without anything being installed.
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from samples.common.clock import FrameRate
from samples.common.controls import Controls
from samples.common.run import FRAME_RATE, run
from samples.fur.coats import MOST_LAYERS, Coats
from samples.fur.meadow import Meadow

SECONDS = 8.0
SWING, PITCH = 16.0, 17.0
LONGEST_STEP = 0.1  # seconds; a longer frame slows the game down
# Of the script, in seconds: when the teapot is burnt, and where, beside its middle.
BURNS = ((0.08, (-0.15, 0.15)), (0.3, (0.1, 0.05)), (0.6, (-0.05, -0.15)))
WIND_AT, COMB_AT, STACK_AT, COAT_AT = 1.6, 3.0, 5.2, 6.6
COMB_STEPS = 12


class Furs:
    """The game: all parts, and what happens in a frame."""

    def __init__(self, base: Any) -> None:
        self.base = base
        self.meadow = Meadow(base)
        self.coats = Coats(base, self.meadow.wearers)
        self.stacked = False
        self.windy = False
        self.combing = False
        self.rate = FrameRate()
        self._plays = False
        self.state = OnscreenText(
            parent=base.a2dBottomLeft, align=TextNode.A_left, pos=(0.06, 0.2), scale=0.045,
            fg=(1, 1, 1, 0.95), shadow=(0, 0, 0, 0.7), mayChange=True,
        )  # fmt: skip
        base.task_mgr.add(self._update, "furs", sort=10)

    def play(self) -> None:
        """Give the player the mouse and the keys."""
        self._plays = True
        self.controls = Controls(self.meadow.studio, self.burn)
        self.controls.lines[0] = "left mouse button: burn, or comb the panda"
        key = self.controls.key
        key("tab", "teapot, panda or lawn", self.coats.choose_next)
        key("n", "its next preset", self.next_preset)
        key("=", "more layers", partial(self.coats.add_layers, 2))
        key("-", "fewer layers", partial(self.coats.add_layers, -2))
        key("f", "its fur on or off", self.toggle_fur)
        key("w", "wind", self.toggle_wind)
        key("a", "teapot: coat, or stacked copies", self.toggle_stack)
        key("g", "comb the panda, or burn", self.toggle_comb)
        key("z", "undo the last stroke", self.undo)
        key("c", "heal what is burnt", self.coats.heal)
        key("p", "pause", self.controls.toggle_pause)

    def burn(self, x: float, y: float) -> None:
        """Burn what is seen at a point of the window, -1..1, unless the comb is in hand."""
        found = None if self.combing else self.meadow.pick(x, y)
        if found is not None:
            self.coats.burn(*found)

    def next_preset(self) -> None:
        """Another look for the chosen coat."""
        self.coats.next_preset()

    def toggle_fur(self) -> None:
        """Let the chosen one go naked, or not."""
        coat = self.coats.coats[self.coats.chosen]
        coat.enabled = not coat.enabled

    def toggle_wind(self) -> None:
        """Let wind blow, or not."""
        self.windy = not self.windy
        self.coats.set_wind(self.windy)

    def toggle_stack(self) -> None:
        """Let the teapot wear its coat, or a stack of copies."""
        self.stacked = not self.stacked
        self.coats.coats["teapot"].enabled = not self.stacked
        self.meadow.stack(MOST_LAYERS if self.stacked else 0)

    def toggle_comb(self) -> None:
        """Take the comb in hand, or put it away."""
        self.combing = not self.combing
        self.coats.comb("panda").follow_mouse(self.combing)

    def undo(self) -> None:
        """Take back the comb's last stroke."""
        self.coats.comb("panda").undo()

    def script(self) -> Iterator[None]:
        """What the pictures show: burns, wind, a stroke of the comb, and copies for a while."""
        burns = {round(at * FRAME_RATE): place for at, place in BURNS}
        for number in range(round(SECONDS * FRAME_RATE)):
            now = number / FRAME_RATE
            if number in burns:
                self.burn(*self._seen_at("teapot", *burns[number]))
            if now == WIND_AT:
                self.toggle_wind()
            if now in (STACK_AT, COAT_AT):
                self.toggle_stack()
            self._comb(number - round(COMB_AT * FRAME_RATE))
            self.meadow.studio.look_from(-12 + SWING * sin(tau * now / SECONDS), PITCH)
            yield

    def _comb(self, step: int) -> None:
        """The script's stroke along the panda's side, upwards."""
        if not 0 <= step <= COMB_STEPS:
            return
        painter = self.coats.comb("panda")
        place = self._seen_at("panda", 0.45 - 0.8 * step / COMB_STEPS, 0.35 * step / COMB_STEPS - 0.1)
        if step == 0:
            painter.press(*place)
        elif step < COMB_STEPS:
            painter.drag(*place)
        else:
            painter.lift()

    def _seen_at(self, name: str, right: float, up: float) -> Point2:
        """Where a model's middle is seen, or a point that many metres beside and above it."""
        bounds = self.meadow.wearers[name].get_tight_bounds(self.base.render)
        assert bounds is not None
        middle = self.base.cam.get_relative_point(self.base.render, (bounds[0] + bounds[1]) / 2)
        result = Point2()
        self.base.camLens.project(middle + Point3(right, 0, up), result)
        return result

    def _update(self, task: Any) -> Any:
        self.meadow.walk(min(ClockObject.get_global_clock().dt, LONGEST_STEP))
        self.rate.count()
        coats = self.coats
        wears = f"{MOST_LAYERS} copies" if self.stacked else "a coat in one draw for each part"
        lines = [f"teapot: {wears}"]
        if self._plays:
            lines.append(f"{coats.chosen}: {coats.presets[coats.chosen]}, {coats.layers} layers")
            lines.append(f"{self.rate.value:.0f} frames a second{', wind' if self.windy else ''}")
        self.state.setText("\n".join(lines))
        return task.cont


if __name__ == "__main__":
    sys.exit(run(__file__, __doc__, Furs, SECONDS))
