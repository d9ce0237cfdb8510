"""The town: its plan, what stands there, and who can walk where."""

from collections.abc import Iterator
from math import degrees, exp, floor
from pathlib import Path
from typing import Any

from panda3d.core import (
    Filename,
    LVecBase2f,
    LVector2,
    NodePath,
    Point2,
    Point3,
    SamplerState,
    Texture,
    TransparencyAttrib,
    get_model_path,
)

from panda_rtstamp import load_shader
from samples.common import models
from samples.common.studio import HERE as COMMON
from samples.vision.mesh import Corners, box_faces, make_mesh

HERE = Filename.from_os_specific(str(Path(__file__).resolve().parent))
# A letter each square metre, north above. #: wall, w: window, D: door, of two leaves; c and C: crate, outside
# and in a house; a space is in a house.
PLAN = (
    "##################################",
    "#        #........#       #......#",
    "#        #........#       w......#",
    "#        D...cc...w       #......#",
    "#        D...c....#      C#..c...#",
    "#        #........#       #......#",
    "###ww#####........####DD###......#",
    "#.............................c..#",
    "#................................#",
    "#....##.....c..........##........#",
    "#....##................##........#",
    "#.................c..............#",
    "#...####DD####........####ww######",
    "#...#        #........#          #",
    "#...w        #...cc...w          #",
    "#...#        #...c....D          #",
    "#...#        w........D    CC    #",
    "#...#   CC   #........#          #",
    "#...##########........############",
    "#............................c...#",
    "#................................#",
    "##################################",
)
WIDTH, DEPTH = len(PLAN[0]), len(PLAN)
WALL_HEIGHT = 2.2
SILL = 0.9  # of windows; below the eyes, so it does not block sight
LEAF = (0.97, 0.06)  # length and half the thickness of a leaf of a door
HEIGHTS = {"#": WALL_HEIGHT, "w": SILL}
STONE = (0.74, 0.68, 0.60, 1)
WOOD = (0.70, 0.42, 0.22, 1)
GLASS = (0.55, 0.75, 0.85, 0.35)
CRATE_SCALE = 0.72  # of the model, which is 1.3 m high
OPEN = 88.0  # degrees
NEAR_DOOR = 1.9  # metres; who is as near opens it
DOOR_SOON = 5.0  # how soon it is open, a second


def place(column: float, row: float) -> Point2:
    """Where the middle of a square of the plan is in the world."""
    return Point2(column + 0.5 - WIDTH / 2, DEPTH / 2 - row - 0.5)


def letter_at(point: LVecBase2f) -> str:
    """What the plan says of a place in the world; nothing stands around the town."""
    column, row = floor(point.x + WIDTH / 2), floor(DEPTH / 2 - point.y)
    return PLAN[row][column] if 0 <= column < WIDTH and 0 <= row < DEPTH else "."


def is_free(point: Point3, radius: float) -> bool:
    """Whether a body has room here. Doors open for everybody."""
    around = [Point2(point.x + x, point.y + y) for x in (-radius, radius) for y in (-radius, radius)]
    return all(letter_at(corner) in " .D" for corner in around)


class Door:
    """A door of two leaves, which opens by itself for who comes near.

    Attributes:
        leaves: nodes that turn.
    """

    def __init__(self, parent: NodePath, first: Point2, second: Point2) -> None:
        self.middle = Point2((first + second) / 2)
        along = LVector2(second - first)
        self._heading = degrees(LVector2(1, 0).signed_angle_rad(along))
        self._swing = 0.0
        length, half = LEAF
        leaf = make_mesh("leaf", box_faces(Point3(0, -half, 0), Point3(length, half, WALL_HEIGHT - 0.1)))
        leaf.set_color(WOOD)
        self.leaves = [leaf, leaf.copy_to(parent)]
        for each, hinge in zip(self.leaves, (first - along / 2, second + along / 2), strict=True):
            each.reparent_to(parent)
            each.set_pos(hinge.x, hinge.y, 0)
        self._turn()

    def update(self, dt: float, people: list[Point3]) -> None:
        """Open or close, for so long."""
        near = any((Point2(person.xy) - self.middle).length() < NEAR_DOOR for person in people)
        left = (OPEN if near else 0.0) - self._swing
        if left:
            # A leaf that nearly stands still does so: then nothing has to be drawn anew.
            self._swing += left * (1 - exp(-DOOR_SOON * dt)) if abs(left) > 0.2 else left
            self._turn()

    def _turn(self) -> None:
        self.leaves[0].set_h(self._heading + self._swing)
        self.leaves[1].set_h(self._heading + 180 - self._swing)


class Town:
    """Everything that stands still, and the doors.

    Attributes:
        root: all of it is below; it has the shader of walls.
        walls: the mesh of all walls and window sills, with `glass` below it.
        glass: the panes of the windows.
        ground: a card.
        crates: lower than eyes.
        plan: a texel each square metre: red is a wall, green is in a house.
    """

    def __init__(self, base: Any) -> None:
        for folder in (HERE, COMMON):
            get_model_path().append_directory(folder)
        models.add_to_model_path()
        self.root: NodePath = base.render.attach_new_node("town")
        self.root.set_shader(load_shader("town.vert", "wall.frag"))
        self.root.set_shader_input("u_fog_mode", 0)
        self.plan = _plan_texture()
        self.walls = make_mesh("walls", list(_wall_faces()))
        self.walls.set_color(STONE)
        self.walls.reparent_to(self.root)
        self.glass = make_mesh("glass", list(_pane_faces()))
        self.glass.set_color(GLASS)
        self.glass.set_transparency(TransparencyAttrib.M_alpha)
        self.glass.reparent_to(self.walls)
        self.ground = make_mesh("ground", [_ground_face(0)])
        self.ground.set_shader(load_shader("town.vert", "ground.frag"))
        self.ground.set_shader_inputs(u_plan=self.plan, u_plan_size=(WIDTH, DEPTH))
        self.ground.reparent_to(self.root)
        self.crates = [self._add_crate(base, number, at) for number, at in enumerate(_all("cC"))]
        doors = list(_all("D"))
        self.doors = [
            Door(self.root, first, second)
            for first in doors
            for second in doors
            if second - first in (LVector2(1, 0), LVector2(0, -1))
        ]

    def _add_crate(self, base: Any, number: int, at: Point2) -> NodePath:
        crate = models.load(base, "crate")
        crate.reparent_to(self.root)
        crate.set_shader(load_shader("lit.vert", "lit.frag"))
        crate.set_pos_hpr(at.x, at.y, 0, 20 * (number % 3 - 1), 0, 0)
        crate.set_scale(CRATE_SCALE)
        return crate

    @property
    def leaves(self) -> list[NodePath]:
        """Of all doors."""
        return [leaf for door in self.doors for leaf in door.leaves]

    def update(self, dt: float, people: list[Point3]) -> None:
        """Go on for so long; doors open for these people."""
        for door in self.doors:
            door.update(dt, people)

    def add_guarded(self) -> NodePath:
        """A see-through sheet over all the ground, for what guards see (`guarded.frag`)."""
        sheet = make_mesh("guarded", [_ground_face(0.02)])
        sheet.set_shader(load_shader("town.vert", "guarded.frag"))
        sheet.set_transparency(TransparencyAttrib.M_alpha)
        sheet.set_depth_write(False)
        sheet.reparent_to(self.root)
        return sheet


def _all(letters: str) -> Iterator[Point2]:
    """The middles of all squares with one of these letters."""
    for row, line in enumerate(PLAN):
        for column, letter in enumerate(line):
            if letter in letters:
                yield place(column, row)


def _wall_faces() -> Iterator[Corners]:
    """Of walls and sills, the faces that can be seen: none between two squares of wall."""
    half = Point3(0.5, 0.5, 0)
    for letter, height in HEIGHTS.items():
        for middle in _all(letter):
            at = Point3(middle.x, middle.y, 0)
            *sides, top = box_faces(at - half, at + half + (0, 0, height))
            yield top
            for face, side in zip(sides, ((0, -1), (1, 0), (0, 1), (-1, 0)), strict=True):
                if HEIGHTS.get(letter_at(middle + side), 0) < height:
                    yield face


def _pane_faces() -> Iterator[Corners]:
    for at in _all("w"):
        beside = letter_at(at + (1, 0)) in HEIGHTS
        half = Point3(0.5, 0.04, 0) if beside else Point3(0.04, 0.5, 0)
        low = Point3(at.x, at.y, SILL)
        yield from box_faces(low - half, low + half + (0, 0, WALL_HEIGHT - SILL - 0.05))


def _ground_face(height: float) -> Corners:
    return box_faces(Point3(-WIDTH / 2, -DEPTH / 2, 0), Point3(WIDTH / 2, DEPTH / 2, height))[-1]


def _plan_texture() -> Texture:
    texture = Texture("plan")
    texture.setup_2d_texture(WIDTH, DEPTH, Texture.T_unsigned_byte, Texture.F_rgb)
    texels = bytearray()
    for line in reversed(PLAN):
        for letter in line:
            texels += bytes((0, 255 * (letter in " DC"), 255 * (letter in "#w")))
    texture.set_ram_image(bytes(texels))
    texture.set_wrap_u(SamplerState.WM_clamp)
    texture.set_wrap_v(SamplerState.WM_clamp)
    return texture
