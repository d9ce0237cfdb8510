"""Cameras: one that has a whole scene in its picture, and lenses that fit a picture's shape."""

from math import hypot, isclose, radians, sqrt, tan

from panda3d.core import Camera, Lens, LensNode, LVector3, NodePath, PerspectiveLens, Point3

# Half the angle that a framed scene fills in the picture: of a portrait's long lens.
_HALF_ANGLE = tan(radians(15.0))
# How much more than the scene there is in the picture.
_ROOM = 1.05
# Shapes that differ by less are one: that is a tenth of a pixel in a thousand.
_SAME_SHAPE = 1e-4


def frame(camera: NodePath, scene: NodePath) -> None:
    """Put a camera before a scene, looking forward (+Y, if Z is up), so that all of it is in the picture.

    It still is when the scene is turned about the upright through its middle. A scene without geometry is
    taken for a unit cube.

    Args:
        camera: with a perspective lens, whose film, near and far planes are set.
        scene: as it is animated now, in the axes of its parent.
    """
    center, radius, half_height = _extent(scene)
    away = max(radius, half_height) / _HALF_ANGLE
    distance = away + radius
    camera.set_pos_hpr(scene.get_parent(), center - LVector3.forward() * distance, (0.0, 0.0, 0.0))
    node = camera.node()
    assert isinstance(node, LensNode)
    lens = node.get_lens()
    # The cylinder's outline, left and right, is where lines from the camera touch it; above and below it is
    # the edge in front.
    width, height = radius / sqrt(distance**2 - radius**2), half_height / away
    lens.set_film_size(2.0 * _ROOM * width, 2.0 * _ROOM * height)
    lens.set_focal_length(1.0)
    lens.set_near_far(distance / 20.0, distance * 5.0)


def make_camera(scene: NodePath) -> NodePath:
    """A camera before a scene: beside it if it is a part of another one, so that both have one world."""
    camera = NodePath(Camera("rtstamp-overlay-camera", PerspectiveLens()))
    if scene.has_parent():
        camera.reparent_to(scene.get_top())
    frame(camera, scene)
    return camera


def _extent(scene: NodePath) -> tuple[Point3, float, float]:
    """The upright cylinder around a scene, in its parent's space: middle, radius, half its height."""
    bounds = scene.get_tight_bounds()
    low, high = bounds if bounds is not None else (Point3(-0.5), Point3(0.5))
    half = (high - low) / 2.0
    # By the game's coordinate system, Z may be up, or Y.
    across, along, half_height = (
        abs(half.dot(axis)) for axis in (LVector3.right(), LVector3.forward(), LVector3.up())
    )
    radius = hypot(across, along)
    # What is flat, or a point, has a place in a picture all the same.
    least = max(radius, half_height) / 100.0 or 1.0
    return Point3((low + high) / 2.0), max(radius, least), max(half_height, least)


def fitted(lens: Lens, aspect: float) -> Lens:
    """A copy of a lens for a picture of another shape: it shows all that this one does, and more beside it.

    Args:
        aspect: the picture's width by its height.
    """
    result = lens.make_copy()
    width, height = lens.get_film_size()
    if not isclose(width, height * aspect, rel_tol=_SAME_SHAPE):
        focal_length = lens.get_focal_length()
        result.set_film_size(max(width, height * aspect), max(height, width / aspect))
        # Otherwise the angle would stay.
        result.set_focal_length(focal_length)
    return result
