#!/usr/bin/env python3
"""A mark on any model: six that nobody prepared, and four brushes.

None of them has UVs that marks could be laid out by, so they are unwrapped. In a window the left mouse
button shoots and the right one erases. Without a display, or with `--offscreen OUT`, it writes pictures.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import cycle
from math import cos, sin
from pathlib import Path
from typing import Any

from direct.actor.Actor import Actor
from direct.task import Task
from panda3d.core import DynamicTextFont, NodePath, Point3, TextFont, TextNode

# The checkout's folder, so that this file runs without anything being installed.
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from panda_rtstamp import StampConfig, StampSystem, load_shader
from samples.common.controls import Controls
from samples.common.run import FRAME_RATE, run
from samples.common.studio import Studio
from samples.common.targets import Targets


@dataclass(frozen=True)
class Kind:
    """A model: what keeps marks from being laid out by its UVs, and how it stands in the studio."""

    file: str
    fault: str
    place: tuple[float, float]
    heading: float
    height: float
    walk: str = ""


# All come with Panda3D.
WALK = "models/panda-walk4"
KINDS = {
    "walker": Kind(
        "models/panda-model", "left and right share UVs", (-2.45, 1.75), 80, 1.2, "models/panda-walk4"
    ),
    "panda": Kind("models/panda", "10 parts, 6 without UVs", (-0.1, 2.1), 10, 1.85),
    "box": Kind("models/box", "six sides, one picture", (1.95, 1.4), 30, 1.15),
    "jack": Kind("models/jack", "no UVs", (2.65, -0.8), 15, 1.0),
    "teapot": Kind("models/teapot", "no UVs", (-1.4, -1.5), -20, 0.85),
    "ball": Kind("models/smiley", "UVs beyond 0..1", (0.85, -1.5), 10, 1.0),
}
IVORY = (0.92, 0.90, 0.86, 1)
# Radius of each brush.
BRUSHES = {"bullet_hole": 0.14, "scorch": 0.38, "splat": 0.34, "crack": 0.36}
PAINTS = ((0.92, 0.12, 0.10), (0.06, 0.42, 0.92), (0.10, 0.66, 0.36), (1.0, 0.58, 0.04))
# Where the script shoots: a target, how far right of and above its middle, and with what.
AIMS = (
    ("ball", -0.1, 0.2, "splat"), ("box", -0.4, 0.0, "crack"), ("teapot", 0.0, 0.1, "splat"),
    ("walker", -0.25, 0.2, "splat"), ("panda", 0.05, -0.1, "bullet_hole"), ("jack", 0.0, -0.05, "scorch"),
    ("panda", 0.2, -0.3, "bullet_hole"), ("box", 0.4, -0.25, "bullet_hole"), ("walker", 0.4, 0.1, "scorch"),
    ("ball", 0.3, -0.15, "bullet_hole"), ("teapot", 0.4, -0.1, "crack"), ("panda", -0.12, 0.15, "splat"),
    ("box", 0.0, 0.6, "splat"), ("jack", 0.1, 0.3, "splat"), ("walker", -0.5, 0.3, "bullet_hole"),
    ("ball", -0.3, -0.25, "scorch"), ("teapot", -0.3, 0.2, "bullet_hole"), ("floor", -0.5, 0.0, "crack"),
    ("panda", 0.0, 0.55, "bullet_hole"), ("floor", -0.4, 1.4, "scorch"), ("box", 0.35, 0.15, "splat"),
)  # fmt: skip


class Zoo:
    """A tag on each model and a system (`__init__`), hits with brushes (`shoot`), and signs (`watch`)."""

    def __init__(self, base: Any) -> None:
        self.base = base
        self.scene = Targets(Studio(base, focus=Point3(0, 0, 0.5), distance=12.5))
        self.scene.studio.look_from(0, 20)
        self.font = make_font()
        self.signs = {name: self.add(name, kind) for name, kind in KINDS.items()}
        models = self.scene.targets.values()
        for model in models:
            model.set_tag("rtstamp", "")
        self.stamps = StampSystem(base, StampConfig(auto_fade=False, high_res_distance=20))
        print("Unwrapping the models (the next time they are read from the disk)", flush=True)
        self.stamps.warm_up({1024: len(models)}, brushes=BRUSHES, nodes=models)
        self.brush = "splat"
        self.paints = cycle(PAINTS)
        base.task_mgr.add(self.watch(), "watch")

    def add(self, name: str, kind: Kind) -> TextNode:
        """Put a model on the floor; hands back the sign in front of it."""
        studio = self.scene.studio
        model: Any = self.base.loader.load_model(kind.file)
        if kind.walk:
            model = Actor(kind.file, {"walk": kind.walk})
            model.loop("walk")
        elif not model.find_all_textures():
            model.set_color(IVORY, 1)
        model.reparent_to(studio.models)
        low, high = model.get_tight_bounds()
        model.set_scale(kind.height / (high.z - low.z))
        model.set_h(kind.heading)
        low, high = model.get_tight_bounds()
        middle = (low + high) / 2
        model.set_pos(kind.place[0] - middle.x, kind.place[1] - middle.y, -low.z)
        self.scene.targets[name] = model
        return self.add_sign(Point3(kind.place[0], kind.place[1] - (high.y - low.y) / 2 - 0.25, 0))

    def add_sign(self, place: Point3) -> TextNode:
        """A text that stands on the floor and faces the player, before everything else."""
        text = TextNode("sign")
        text.set_align(TextNode.A_center)
        text.set_font(self.font)
        path: NodePath = self.base.render.attach_new_node(text)
        path.set_pos(place)
        path.set_scale(0.14)
        path.set_billboard_point_eye()
        path.set_shader(load_shader("lit.vert", "sign.frag"))
        path.set_bin("fixed", 0)
        path.set_depth_test(False)
        return text

    def shoot(self, x: float, y: float) -> None:
        """Leave the brush's picture on what is seen at a point of the window."""
        entry = self.scene.pick(x, y)
        if entry is not None:
            color = next(self.paints) if self.brush == "splat" else None
            self.stamps.hit_entry(entry, radius=BRUSHES[self.brush], brush=self.brush, color=color)

    def erase(self, x: float, y: float) -> None:
        """Wipe what is seen there clean."""
        entry = self.scene.pick(x, y)
        if entry is not None:
            self.stamps.hit_entry(entry, radius=0.35, hardness=0.6, facing=True, blend="erase")

    async def watch(self) -> None:
        """Keep the signs up to date, without ever waiting for the graphics card."""
        while True:
            for name, kind in KINDS.items():
                model = self.scene.targets[name]
                binding = self.stamps.binding(model)
                if binding is not None and not binding.ready:
                    now = "is being unwrapped ..."
                else:
                    now = f"{await self.stamps.coverage_async(model):.0%} marked"
                self.signs[name].set_text(f"{kind.fault}\n{now}")
            await Task.pause(0.1)

    def play(self) -> None:
        """Give the player the mouse and the keys."""
        self.controls = Controls(self.scene.studio, self.shoot, self.erase)
        for number, brush in enumerate(BRUSHES, 1):
            self.controls.key(str(number), brush.replace("_", " "), partial(self.take, brush))
        self.controls.key("c", "clear all", self.stamps.clear_all)
        self.controls.key("p", "pause", self.controls.toggle_pause)

    def take(self, brush: str) -> None:
        """Shoot with this brush from now on."""
        self.brush = brush

    def script(self) -> Iterator[None]:
        """What the pictures show: each model hit by each brush, and the ball wiped in the end."""
        for number in range(6 * FRAME_RATE):
            self.scene.studio.look_from(0.1 * number - 6, 20)
            if number % 4 == 3 and number // 4 < len(AIMS):
                name, right, up, self.brush = AIMS[number // 4]
                self.shoot(*self.scene.seen_at(name, right, up))
            if number >= 4.4 * FRAME_RATE:
                self.erase(*self.scene.seen_at("ball", sin(number), cos(0.7 * number)))
            yield


def make_font() -> TextFont:
    """Letters with an outline, that can be read before anything."""
    font = TextNode.get_default_font().make_copy()
    assert isinstance(font, DynamicTextFont)
    # Tinted: around letters in shades of grey a core profile shows lines.
    font.set_fg((1, 0.98, 0.94, 1))
    font.set_outline((0.04, 0.07, 0.10, 0.7), 1, 0.5)
    return font


if __name__ == "__main__":
    sys.exit(run(__file__, __doc__, Zoo, packages=("PIL",)))
