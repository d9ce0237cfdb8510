"""Models in a studio that can be shot at, by name."""

from panda3d.core import CollisionEntry, NodePath, Point2, Point3

from samples.common.ray import Ray
from samples.common.studio import Studio


class Targets:
    """What stands in a studio; the floor is the first target."""

    def __init__(self, studio: Studio) -> None:
        self.studio = studio
        self.base = studio.base
        self.targets: dict[str, NodePath] = {"floor": studio.floor}
        self._ray = Ray(self.base.render)

    def pick(self, x: float, y: float) -> CollisionEntry | None:
        """What is seen at a point of the window, -1..1 from left to right and from bottom to top."""
        return self._ray.seen_at(self.base.cam, x, y)

    def seen_at(self, name: str, right: float = 0, up: float = 0) -> Point2:
        """Where in the window a target's middle is seen, or a point that many units beside and above it."""
        bounds = self.targets[name].get_tight_bounds(self.base.render)
        assert bounds is not None
        camera = self.base.cam
        middle = camera.get_relative_point(self.base.render, (bounds[0] + bounds[1]) / 2)
        result = Point2()
        camera.node().get_lens().project(middle + Point3(right, 0, up), result)
        return result
