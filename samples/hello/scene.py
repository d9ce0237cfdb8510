"""The models of the hello sample: chessmen, a ball and a panda that walks round them, on a studio's floor."""

import importlib.resources
from math import cos, degrees, sin
from pathlib import Path
from typing import Any

from direct.actor.Actor import Actor
from panda3d.core import ClockObject, Filename, Point3, get_model_path

from samples.common.studio import Studio
from samples.common.targets import Targets

# x, y, heading and size.
CHESSMEN = {
    "rook": (-2.75, 0.1, 0, 1.75),
    "pawn": (-1.95, -1.7, 0, 1.5),
    "bishop": (-0.9, 2.0, 180, 1.9),
    "knight": (0.7, 2.1, 215, 1.9),
}
IVORY = (0.92, 0.90, 0.86, 1)
BALL = Point3(2.5, -0.9, 0.75)
PANDA_SIZE = 0.0028
# Where the panda walks: a circle, from an angle (radians), at the pace of its feet (radians a second).
PATH_CENTER = Point3(0.1, 2.0, 0)
PATH_RADIUS = 2.3
PATH_START = -2.65
PACE = 0.18


class Scene(Targets):
    """Models to shoot at, by name."""

    def __init__(self, base: Any) -> None:
        super().__init__(Studio(base, focus=Point3(0, 0, 0.95), distance=12.5))
        add_assetcoop_to_model_path()
        self._add_chessmen()
        self._add_ball()
        self._add_panda()

    def _add_chessmen(self) -> None:
        set_of_pieces = self.base.loader.load_model("scenes/chess/gamepieces.bam")
        for name, (x, y, heading, size) in CHESSMEN.items():
            piece = set_of_pieces.find(f"**/{name}")
            piece.reparent_to(self.studio.models)
            piece.set_pos_hpr_scale((x, y, 0), (heading, 0, 0), (size, size, size))
            piece.set_z(-piece.get_tight_bounds()[0].z)
            piece.set_texture_off(1)
            piece.set_color(IVORY, 1)
            self.targets[name] = piece

    def _add_ball(self) -> None:
        ball = self.base.loader.load_model("models/smiley")
        ball.reparent_to(self.studio.models)
        ball.set_pos_hpr_scale(BALL, (15, 0, 0), (BALL.z, BALL.z, BALL.z))
        self.targets["ball"] = ball

    def _add_panda(self) -> None:
        self.panda: Any = Actor("models/panda-model", {"walk": "models/panda-walk4"})
        self.panda.reparent_to(self.studio.models)
        self.panda.set_scale(PANDA_SIZE)
        self.panda.loop("walk")
        self.targets["panda"] = self.panda
        self.base.task_mgr.add(self._walk, "walk", sort=0)

    def _walk(self, task: Any) -> Any:
        angle = PATH_START + PACE * ClockObject.get_global_clock().frame_time
        self.panda.set_pos(PATH_CENTER + Point3(cos(angle), sin(angle), 0) * PATH_RADIUS)
        self.panda.set_h(degrees(angle) + 180)
        return task.cont


def add_assetcoop_to_model_path() -> None:
    """Let the models of the package panda3d-assetcoop be found."""
    folder = Path(str(importlib.resources.files("assetcoop"))) / "bam" / "models"
    get_model_path().append_directory(Filename.from_os_specific(str(folder)))
