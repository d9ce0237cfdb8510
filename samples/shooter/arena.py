"""The arena: where everything stands, what stops a body, and what can be hit.

Every piece hangs below a Bullet body that carries the tag for marks. Bullets are traced against what is seen
of it (weapons.py), bodies walk round its box, and blasts reach its hull.
"""

from dataclasses import dataclass
from typing import Any

from panda3d.bullet import (
    BulletConvexHullShape,
    BulletPlaneShape,
    BulletRigidBodyNode,
    BulletShape,
    BulletWorld,
)
from panda3d.core import (
    BitMask32,
    CollisionBox,
    CollisionHandlerPusher,
    CollisionNode,
    CollisionSolid,
    CollisionSphere,
    CollisionTraverser,
    LColor,
    LVector3,
    NodePath,
    Point3,
    TransformState,
)

from samples.common import models
from samples.shooter.marks import Marks

HALF_SIZE = 16.4  # from the middle to the middle of the walls
# For CollisionNodes that keep bodies out of each other.
OBSTACLES = BitMask32.bit(1)
BODIES = BitMask32.bit(2)
ROUND = {"pillar", "silo", "barrel", "lamp"}
FLOOR_RESOLUTION = 2048
PHYSICS_STEP = 1 / 60

RUST = LColor(0.86, 0.45, 0.30, 1)
TEAL = LColor(0.35, 0.66, 0.66, 1)
SAND = LColor(0.92, 0.80, 0.55, 1)
SHADE = LColor(0.66, 0.68, 0.72, 1)
WHITE = LColor(1, 1, 1, 1)
MIDDLE = Point3(0)


@dataclass(frozen=True)
class Piece:
    """A model's place in the arena: metres, degrees."""

    model: str
    x: float
    y: float
    heading: float = 0.0
    tint: LColor = WHITE


# No gap is narrower than an enemy, which would be pushed out of one piece into the other.
PIECES = (
    Piece("bunker", -9.0, 7.5, 0),
    Piece("bunker", 9.5, -8.5, 90),
    Piece("silo", 8.5, 8.5),
    Piece("silo", -10.5, -9.5),
    Piece("container", -4.6, 1.2, 20),
    Piece("container", 5.4, 2.6, -35, SAND),
    Piece("container", -3.5, -11.0, 90),
    Piece("crate", -1.6, 3.2, 12, SAND),
    Piece("crate", 2.2, 1.6, -8, WHITE),
    Piece("crate", 9.2, -0.4, 30, RUST),
    Piece("crate", 7.3, -3.4, 5, TEAL),
    Piece("crate", -7.4, -3.2, 40, RUST),
    Piece("pillar", -3.4, 6.6),
    Piece("pillar", 3.4, 6.6),
    Piece("pillar", -12.0, 0.0),
    Piece("pillar", 12.0, 0.0),
    Piece("barrel", -7.4, 3.0, 0, TEAL),
    Piece("barrel", 4.6, -1.9, 0, RUST),
    Piece("barrel", 5.02, -2.45, 70, SAND),
    Piece("lamp", -6.5, -6.5),
    Piece("lamp", 6.5, 4.9),
    Piece("lamp", -1.0, 11.5),
)
HATCHES = (Point3(0, 8, 0), Point3(-13, -5, 0), Point3(13, 4.5, 0), Point3(1.5, -13.5, 0))
LAMPS = tuple(Point3(piece.x, piece.y, 0) for piece in PIECES if piece.model == "lamp")


class Arena:
    """Floor, walls and what stands between them.

    Attributes:
        root: the node that everything hangs below; the hero and the enemies too.
        world: the Bullet world; it has a body for each node that can be marked.
        walls: the pieces that stop a body, as they can be seen.
    """

    def __init__(self, base: Any, marks: Marks) -> None:
        models.add_to_model_path()
        self.base = base
        self.marks = marks
        self.root: NodePath = base.render.attach_new_node("arena")
        self.world = BulletWorld()
        self.walls: list[NodePath] = []
        self._pusher = CollisionHandlerPusher()
        self._pusher.set_horizontal(True)
        self._traverser = CollisionTraverser("walking")
        self._add_floor()
        for piece in (*PIECES, *_perimeter()):
            self._add_piece(piece)
        for place in HATCHES:
            self._add_model(Piece("hatch", place.x, place.y))

    def add_body(self, name: str, shape: BulletShape, center: Point3 = MIDDLE) -> NodePath:
        """A node for what can be hit: hang the model below it."""
        node = BulletRigidBodyNode(name)
        node.add_shape(shape, TransformState.make_pos(center))
        self.world.attach(node)
        path = self.root.attach_new_node(node)
        self.marks.remember(path)
        return path

    def add_walker(self, path: NodePath, radius: float, yields_to: BitMask32) -> NodePath:
        """Keep a body that walks about out of the pieces, and out of those others that it yields to.

        What does so is returned: while it is detached, the body is in nobody's way.
        """
        node = CollisionNode("walker")
        node.add_solid(CollisionSphere(0, 0, radius, radius))
        node.set_from_collide_mask(OBSTACLES | yields_to)
        node.set_into_collide_mask(BODIES)
        collider = path.attach_new_node(node)
        self._pusher.add_collider(collider, path)
        self._traverser.add_collider(collider, self._pusher)
        return collider

    def update(self) -> None:
        """Push walkers out of what they ran into."""
        self._traverser.traverse(self.root)

    def update_world(self) -> None:
        """Tell Bullet where all bodies are, before it is asked for them: nothing here moves by physics."""
        self.world.do_physics(PHYSICS_STEP, 1, PHYSICS_STEP)

    def distance(self, body: NodePath, point: Point3) -> float:
        """From a point to the box around a body; 0 inside."""
        low, high = bounds(body)
        local = body.get_relative_point(self.root, point)
        nearest = Point3(*(min(max(local[axis], low[axis]), high[axis]) for axis in range(3)))
        return (local - nearest).length()

    def _add_floor(self) -> None:
        floor = self.add_body("floor", BulletPlaneShape(LVector3(0, 0, 1), 0))
        self.marks.remember(floor, FLOOR_RESOLUTION)
        model = models.load(self.base, "floor")
        model.set_color_scale(SHADE)
        model.reparent_to(floor)

    def _add_piece(self, piece: Piece) -> None:
        model = self._add_model(piece)
        obstacle = CollisionNode("obstacle")
        obstacle.add_solid(_solid(model, piece.model in ROUND))
        obstacle.set_from_collide_mask(0)
        obstacle.set_into_collide_mask(OBSTACLES)
        model.get_parent().attach_new_node(obstacle)
        self.walls.append(model)

    def _add_model(self, piece: Piece) -> NodePath:
        model = models.load(self.base, piece.model)
        hull = BulletConvexHullShape()
        for path in model.find_all_matches("**/+GeomNode"):
            node: Any = path.node()
            for geom in node.get_geoms():
                hull.add_geom(geom)
        body = self.add_body(piece.model, hull)
        body.set_pos_hpr(piece.x, piece.y, 0, piece.heading, 0, 0)
        model.set_color_scale(piece.tint)
        model.reparent_to(body)
        return model


def bounds(model: NodePath) -> tuple[Point3, Point3]:
    """The lowest and the highest corner of a model's box, in its own space."""
    found = model.get_tight_bounds(model)
    assert found is not None
    return found


def _perimeter() -> list[Piece]:
    pieces = []
    for along in (-12, -4, 4, 12):
        pieces += [
            Piece("wall", along, HALF_SIZE, 0),
            Piece("wall", along, -HALF_SIZE, 180),
            Piece("wall", HALF_SIZE, along, -90),
            Piece("wall", -HALF_SIZE, along, 90),
        ]
    for x in (-HALF_SIZE, HALF_SIZE):
        pieces += [Piece("pillar", x, -HALF_SIZE), Piece("pillar", x, HALF_SIZE)]
    return pieces


def _solid(model: NodePath, is_round: bool) -> CollisionSolid:
    low, high = bounds(model)
    if is_round:
        radius = (high.x - low.x) / 2
        return CollisionSphere(0, 0, 0.5, radius)
    return CollisionBox(low, high)
