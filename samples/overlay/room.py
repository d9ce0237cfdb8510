"""What stands in the main scene, and the portrait's scene beside it."""

from math import cos, degrees, sin
from pathlib import Path
from typing import Any

from panda3d.core import (
    AmbientLight,
    AntialiasAttrib,
    BitMask32,
    CardMaker,
    DirectionalLight,
    Filename,
    LVector3,
    NodePath,
    Point3,
    get_model_path,
)

from panda_rtstamp import load_shader
from samples.common import models
from samples.common.figure import Figure, approach
from samples.common.studio import Studio

HERE = Filename.from_os_specific(str(Path(__file__).resolve().parent))
# Cameras have a bit each, so that things can be hidden from some of them.
PLAYER, SECURITY, MIRROR, MAP, SHADOWS = (BitMask32.bit(number) for number in range(5))
Corner = tuple[float, float, float]
Color = tuple[float, float, float, float]
STEEL: Color = (0.20, 0.22, 0.25, 1)
BRASS: Color = (0.62, 0.46, 0.22, 1)
RED: Color = (1.0, 0.22, 0.12, 1)
BLUE: Color = (0.25, 0.75, 1.0, 1)
# What the camera turns around, and how far away it is.
EVERYTHING = (Point3(0, 0.8, 0.6), 14.8)
CLOSE_UP = (Point3(-1.9, 1.1, 1.25), 7.4)
# Model, x, y, heading.
PIECES = (
    ("container", 3.4, 7.0, -12),
    ("crate", 0.9, 4.4, 24),
    ("barrel", 4.6, 5.4, 0),
    ("barrel", -1.7, 4.6, 40),
)
HERO = Point3(-0.95, 0.25, 0)
MIRROR_PLACE = Point3(-2.3, 2.0, 0)
MIRROR_HEADING = 21.0
MIRROR_SIZE = (1.7, 2.3)
SCREEN_PLACE = Point3(2.1, 1.3, 0)
SCREEN_HEADING = -14.0
SCREEN_SIZE = (2.24, 1.26)
LAMP = Point3(-1.9, 7.0, 0)
LENS_PLACE = Point3(-1.65, 6.75, 2.1)
ROUND = Point3(0.9, 4.4, 0)  # the middle of the monster's way,
ROUND_RADIUS = 2.15
START = 3.9  # radians round that from +X
DOT_HEIGHT = 4.0
PACE = 0.75  # metres a second
CAMERA_SOON = 3.0  # how soon the camera is where it should be, a second
TURNING = 40.0  # of the portrait, degrees a second
# Direction (heading and pitch) and colour of each light of the portrait.
PORTRAIT_LIGHTS = (
    ((-40, -30), (0.85, 0.78, 0.66)),
    ((150, -15), (0.20, 0.55, 0.95)),
    ((-140, -20), (0.75, 0.25, 0.15)),
)


class Room:
    """A hero before a mirror, a monster on its round, and a screen that shows what a camera sees of it.

    Attributes:
        studio: the floor, the lights, and the player's camera.
        glass: the mirror's surface: a card around its origin, which faces -Y.
        screen: the lit part of the screen.
        lens: where the security camera is.
    """

    def __init__(self, base: Any) -> None:
        models.add_to_model_path()
        get_model_path().append_directory(HERE)
        self._base = base
        # A copy: the studio's focus is moved.
        self.studio = Studio(base, focus=Point3(EVERYTHING[0]), distance=EVERYTHING[1])
        base.cam.node().set_camera_mask(PLAYER)
        shadows: Any = self.studio.key_light.find("+Camera").node()
        shadows.set_camera_mask(SHADOWS)
        # The studio's backdrop goes with the player's camera.
        base.cam.find("sky").hide(~PLAYER)
        for name, x, y, heading in PIECES:
            self._add(name, Point3(x, y, 0), heading)
        self.glass = self._add_mirror()
        self.screen = self._add_screen()
        self.lens = self._add_security_camera()
        self.hero = self._add_person("hero", "idle")
        self.hero.path.set_pos(HERO)
        self.hero.path.look_at(MIRROR_PLACE)
        self._add_dot(BLUE).set_pos(HERO + (0, 0, DOT_HEIGHT))
        self.brute = self._add_person("brute", "walk")
        self.brute.path.set_scale(0.85)
        self._brute_dot = self._add_dot(RED)
        self._way = START
        self._close_up = False
        self.update(0)

    def update(self, dt: float) -> None:
        """Let the monster walk, and the camera go where it should be, for so long."""
        self._way += dt * PACE / ROUND_RADIUS
        self.brute.path.set_pos(ROUND + LVector3(cos(self._way), sin(self._way), 0) * ROUND_RADIUS)
        self.brute.path.set_h(degrees(self._way))
        self._brute_dot.set_pos(self.brute.path.get_pos() + (0, 0, DOT_HEIGHT))
        focus, distance = CLOSE_UP if self._close_up else EVERYTHING
        share = approach(CAMERA_SOON, dt)
        self.studio.focus += (focus - self.studio.focus) * share
        self.studio.distance += (distance - self.studio.distance) * share
        self.studio.look_from(self.studio.heading, self.studio.pitch)

    def toggle_close_up(self) -> None:
        """Look at the hero and the mirror alone, or at everything."""
        self._close_up = not self._close_up

    def _add(self, name: str, place: Point3, heading: float = 0) -> None:
        model = models.load(self._base, name)
        model.set_pos_hpr(place, (heading, 0, 0))
        model.reparent_to(self.studio.models)

    def _add_person(self, name: str, does: str) -> Figure:
        figure = Figure(self.studio.models.attach_new_node(name), name, (does,), ())
        figure.animate(does)
        return figure

    def _add_dot(self, color: Color) -> NodePath:
        """Somebody on the map, which alone shows it; not among the models, as these throw shadows."""
        dot = add_card(self._base.render, (1.3, 1.3))
        dot.set_p(-90)
        dot.set_shader(load_shader("lit.vert", "dot.frag"))
        dot.set_shader_input("u_color", color)
        dot.hide(~MAP)
        return dot

    def _add_box(self, parent: NodePath, low: Corner, high: Corner, color: Color) -> None:
        box = self._base.loader.load_model("models/box")
        box.set_texture_off(1)
        box.set_color(color)
        box.set_pos(*low)
        box.set_scale(Point3(*high) - Point3(*low))
        box.reparent_to(parent)

    def _add_mirror(self) -> NodePath:
        stand = self.studio.models.attach_new_node("mirror")
        stand.set_pos_hpr(MIRROR_PLACE, (MIRROR_HEADING, 0, 0))
        width, height = MIRROR_SIZE
        foot, bar = 0.15, 0.07
        top, side = foot + height, width / 2
        self._add_box(stand, (-side - bar, -0.03, foot), (-side, 0.05, top), BRASS)
        self._add_box(stand, (side, -0.03, foot), (side + bar, 0.05, top), BRASS)
        self._add_box(stand, (-side - bar, -0.03, top), (side + bar, 0.05, top + bar), BRASS)
        self._add_box(stand, (-side - bar, -0.03, foot - bar), (side + bar, 0.05, foot), BRASS)
        self._add_box(stand, (-side, 0.01, foot), (side, 0.05, top), STEEL)
        for x in (-side, side - bar):
            self._add_box(stand, (x, -0.3, 0), (x + bar, 0.3, foot - bar), BRASS)
        glass = add_card(stand, MIRROR_SIZE)
        glass.set_z(foot + height / 2)
        # It shows what the player sees in it, and to others that would be wrong.
        glass.hide(~PLAYER)
        return glass

    def _add_screen(self) -> NodePath:
        stand = self.studio.models.attach_new_node("screen")
        stand.set_pos_hpr(SCREEN_PLACE, (SCREEN_HEADING, 0, 0))
        width, height = SCREEN_SIZE
        low, side, rim = 0.75, width / 2, 0.06
        self._add_box(stand, (-side - rim, 0.01, low - rim), (side + rim, 0.16, low + height + rim), STEEL)
        self._add_box(stand, (-0.08, 0.02, 0), (0.08, 0.14, low), STEEL)
        self._add_box(stand, (-0.5, -0.25, 0), (0.5, 0.4, 0.05), STEEL)
        screen = add_card(stand, SCREEN_SIZE)
        screen.set_z(low + height / 2)
        # None of these cameras has a use for it, but any that sees it lets its picture be drawn.
        screen.hide(SECURITY | MAP | SHADOWS)
        return screen

    def _add_security_camera(self) -> NodePath:
        self._add("lamp", LAMP)
        lens: NodePath = self.studio.models.attach_new_node("security camera")
        lens.set_pos(LENS_PLACE)
        lens.look_at(ROUND + (0.3, -0.3, 0.4))
        body = lens.attach_new_node("body")
        body.hide(SECURITY)
        self._add_box(body, (-0.16, -0.5, -0.14), (0.16, 0.05, 0.16), STEEL)
        self._add_box(body, (-0.1, 0.05, -0.1), (0.1, 0.12, 0.1), RED)
        return lens


class Portrait:
    """The hero once more, in a scene of its own, with lights of its own.

    Attributes:
        root: of the scene.
    """

    def __init__(self) -> None:
        self.root = NodePath("portrait")
        self.root.set_shader(load_shader("lit.vert", "lit.frag"))
        self.root.set_shader_input("u_fog_mode", 0)
        self.root.set_antialias(AntialiasAttrib.M_multisample)
        for direction, color in PORTRAIT_LIGHTS:
            light = DirectionalLight("light")
            light.set_color((*color, 1))
            path = self.root.attach_new_node(light)
            path.set_hpr(*direction, 0)
            self.root.set_light(path)
        ambient = AmbientLight("ambient")
        ambient.set_color((0.30, 0.30, 0.34, 1))
        self.root.set_light(self.root.attach_new_node(ambient))
        self._figure = Figure(self.root.attach_new_node("hero"), "hero", ("idle",), ())
        self._figure.animate("idle")
        self._figure.path.set_h(150)

    def update(self, dt: float) -> None:
        """Turn for so long."""
        self._figure.path.set_h(self._figure.path.get_h() + TURNING * dt)


def add_card(parent: NodePath, size: tuple[float, float]) -> NodePath:
    """A card around its origin, in the XZ plane, which faces -Y."""
    card = CardMaker("card")
    card.set_frame(-size[0] / 2, size[0] / 2, -size[1] / 2, size[1] / 2)
    card.set_has_normals(True)
    path: NodePath = parent.attach_new_node(card.generate())
    return path
