"""A scene that several processes build alike: what the tests of files and records mark in each of them."""

from typing import Any

import numpy as np
from direct.actor.Actor import Actor
from numpy.typing import NDArray
from panda3d.core import GeomNode, GeomVertexReader, NodePath, Point3

from panda_rtstamp import StampSystem
from shapes import box
from stamp_support import Pair, small_card
from support import make_card, step

Images = dict[str, NDArray[np.float32]]
# Of the card that is far from the origin: there, 32-bit floats are an eighth of a unit apart.
FAR = 1_000_000.0


class Scene:
    """Models of every kind, below one node that every process calls `scene`.

    Attributes:
        card: with UVs of its own.
        box: without usable ones, so that it is unwrapped.
        teapots: the same, of more triangles; none if it is left out, since it takes time.
        bear: an Actor in a pose, skinned by the CPU.
        far: a card a million units away, below a node that is turned and scaled.
        pair: two nested nodes that are both marked.
        instances: two of one box.
    """

    def __init__(self, base: Any, top: NodePath, teapot: bool = True) -> None:
        self._base = base
        # Nobody looks, and drawing it takes time.
        base.camNode.set_active(False)
        self.card = small_card(top)
        self.box = box((2.0, 2.0, 2.0))
        self.box.reparent_to(top)
        self.box.set_pos_hpr((6.0, 20.0, 0.0), (30.0, 20.0, 10.0))
        self.teapots: list[NodePath] = [base.loader.load_model("models/teapot")] if teapot else []
        for pot in self.teapots:
            pot.reparent_to(top)
            pot.set_pos(-8.0, 25.0, 0.0)
        self.bear = Actor("models/panda-model", {"walk": "models/panda-walk4"})
        self.bear.reparent_to(top)
        self.bear.set_scale(0.005)
        self.bear.set_pos(0.0, 30.0, -8.0)
        self.bear.pose("walk", 9)
        place = top.attach_new_node("far away")
        place.set_pos_hpr((FAR, 0.0, 0.0), (20.0, 0.0, 30.0))
        place.set_scale(1.0, 2.0, 0.5)
        self.far = make_card(2.0, 2.0, "far")
        self.far.reparent_to(place)
        self.far.set_tag("rtstamp-id", "the far one")
        self.pair = Pair(top)
        shared = box((1.0, 1.0, 1.0))
        self.instances = [top.attach_new_node("place") for _ in range(2)]
        for place, x in zip(self.instances, (-3.0, 3.0), strict=True):
            place.set_pos(x, 15.0, 4.0)
            shared.instance_to(place)
        for node in (self.box, *self.teapots, self.bear, self.far, *self.instances):
            node.set_tag("rtstamp-resolution", "256")

    @property
    def nodes(self) -> dict[str, NodePath]:
        """Everything that is marked."""
        found = {"card": self.card, "box": self.box, "bear": self.bear, "far": self.far}
        found |= {"inner": self.pair.inner, "outer": self.pair.outer}
        found |= {f"teapot {number}": node for number, node in enumerate(self.teapots)}
        return found | {f"instance {number}": node for number, node in enumerate(self.instances)}

    def images(self, stamps: StampSystem) -> Images:
        """What is seen on all that is marked."""
        found = {name: stamps.image(node) for name, node in self.nodes.items()}
        return {name: image for name, image in found.items() if image is not None}

    def look(self, stamps: StampSystem) -> Images:
        """What is seen after one frame, and after a second more."""
        seen: Images = {}
        for moment, frames in (("now", 1), ("later", 60)):
            step(self._base, frames)
            seen |= {f"{moment} {name}": image for name, image in self.images(stamps).items()}
        return seen

    def mark(self, stamps: StampSystem) -> None:
        """One mark on everything, of a colour of its own."""
        for number, (name, node) in enumerate(self.nodes.items()):
            point, radius = spot(node), 0.8
            if name in ("inner", "outer"):
                point = Point3(1.0 if name == "inner" else -1.0, 0.0, 0.0)
            color = (1.0, number / 10, 1.0 - number / 10)
            options: dict[str, Any] = {"radius": radius, "hardness": 0.5, "opacity": 0.9, "color": color}
            assert stamps.hit(node, point, other=node, **options) is not None

    def destroy(self) -> None:
        """What the top node's removal leaves."""
        self._base.camNode.set_active(True)
        self.bear.cleanup()
        self.bear.remove_node()


def spot(node: NodePath) -> Point3:
    """A point of a model's surface as it is now, in its own space."""
    path = node if isinstance(node.node(), GeomNode) else node.find("**/+GeomNode")
    part = path.node()
    assert isinstance(part, GeomNode)
    vertices = part.get_geom(0).get_animated_vertex_data(True)
    reader = GeomVertexReader(vertices, "vertex")
    reader.set_row(vertices.get_num_rows() // 2)
    return node.get_relative_point(path, Point3(reader.get_data3()))


def compare(found: Images, expected: Images, tolerance: float) -> float:
    """The largest difference of two processes' images. Fails above the tolerance, or where there are none."""
    assert found.keys() == expected.keys()
    worst = 0.0
    for name, image in expected.items():
        assert found[name].shape == image.shape, name
        assert image[..., 3].max() > 0.1, name
        difference = float(np.abs(found[name] - image).max())
        assert difference <= tolerance, (name, difference * 255)
        worst = max(worst, difference)
    return worst
