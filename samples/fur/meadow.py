"""What stands there: a teapot and a panda that walks around it on a lawn; and the teapot in a stack."""

from math import cos, degrees, sin
from pathlib import Path
from typing import Any

from direct.actor.Actor import Actor
from panda3d.core import Filename, NodePath, Point3, get_model_path

from panda_rtstamp import load_shader
from samples.common.ray import Ray
from samples.common.studio import Studio
from samples.fur.lawn import Lawn

HERE = Filename.from_os_specific(str(Path(__file__).resolve().parent))
TEAPOT = Point3(-0.9, 0, 0.05)
TEAPOT_SCALE = 0.3
TEAPOT_COLOR = (0.78, 0.30, 0.16, 1)
PANDA_SCALE = 0.0026
RADIUS = 2.2  # of the panda's way around the teapot
START = 0.4  # radians round that from +X
PACE = 0.3  # metres a second
STEPS = 0.55  # how fast its legs go
# Of the stack, in the teapot's space.
LENGTH, STRANDS = 0.07 / TEAPOT_SCALE, 45.0


class Meadow:
    """The scene.

    Attributes:
        studio: lights and camera.
        wearers: what has a coat, by name.
    """

    def __init__(self, base: Any) -> None:
        self.base = base
        self.studio = Studio(base, focus=Point3(0.1, 0, 0.55), distance=8.4)
        get_model_path().append_directory(HERE)
        # The lawn goes on to the horizon.
        self.studio.floor.hide()
        base.render.find("shadows").hide()
        self.wearers = {
            "teapot": self._add_teapot(),
            "panda": self._add_panda(),
            "lawn": Lawn(self.studio).path,
        }
        # After the lawn: behind thin tips that are drawn, whatever comes later is missing.
        for name in ("teapot", "panda"):
            self.wearers[name].set_bin("fixed", 0)
        self._stack: list[NodePath] = []
        self._way = START
        self._ray = Ray(self.studio.models)
        self.studio.look_from(-12, 17)
        self.walk(0)

    def walk(self, dt: float) -> None:
        """Let the panda walk for so long."""
        self._way -= dt * PACE / RADIUS
        panda = self.wearers["panda"]
        panda.set_pos(Point3(TEAPOT.x, TEAPOT.y, 0) + Point3(cos(self._way), sin(self._way), 0) * RADIUS)
        # It looks along -Y.
        panda.set_h(degrees(self._way))

    def pick(self, x: float, y: float) -> tuple[str, Point3] | None:
        """What is seen at a point of the window, -1..1, and where it is in the world; the lawn is nothing."""
        start, end = Point3(), Point3()
        self.base.camLens.extrude((x, y), start, end)
        start, end = (self.studio.models.get_relative_point(self.base.cam, point) for point in (start, end))
        entry = self._ray.first_hit(start, (end - start).normalized())
        if entry is None:
            return None
        for name, node in self.wearers.items():
            if node.is_ancestor_of(entry.get_into_node_path()):
                return name, entry.get_surface_point(self.base.render)
        return None

    def _add_teapot(self) -> NodePath:
        teapot: NodePath = self.base.loader.load_model("models/teapot")
        teapot.set_pos_hpr(TEAPOT, (-25, 0, 0))
        teapot.set_scale(TEAPOT_SCALE)
        teapot.set_color(TEAPOT_COLOR, 1)
        teapot.reparent_to(self.studio.models)
        return teapot

    def _add_panda(self) -> NodePath:
        panda: Any = Actor("models/panda-model", {"walk": "models/panda-walk4"})
        panda.set_scale(PANDA_SCALE)
        panda.reparent_to(self.studio.models)
        panda.set_play_rate(STEPS, "walk")
        panda.loop("walk")
        found: NodePath = panda
        return found

    def stack(self, layers: int) -> None:
        """Put so many copies of the teapot over it, each one larger than the one below; 0: none."""
        for copy in self._stack:
            copy.remove_node()
        teapot = self.wearers["teapot"]
        self._stack = [self._copy(teapot, (number + 1) / layers) for number in range(layers)]

    def _copy(self, teapot: NodePath, height: float) -> NodePath:
        copy: NodePath = self.base.loader.load_model("models/teapot")
        copy.reparent_to(teapot)
        copy.set_shader(load_shader("stack.vert", "stack.frag"))
        copy.set_shader_input("u_height", height)
        copy.set_shader_input("u_length", LENGTH)
        copy.set_shader_input("u_strands", STRANDS)
        return copy
