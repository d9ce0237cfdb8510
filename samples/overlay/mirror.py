"""A mirror: a window through which the eye's image behind it looks back."""

from panda3d.core import BitMask32, Camera, NodePath, PerspectiveLens

FARTHEST = 40.0  # metres that it shows
NEAREST = 0.01  # metres between the eye and the mirror


class Mirror:
    """A camera that sees what an eye sees in a mirror. The picture fits the mirror, left and right exchanged.

    Args:
        glass: a rectangle around its origin, which faces -Y.
        size: its width and height.
        mask: the camera's bit; hide the glass from it.

    Attributes:
        camera: shows the picture.
    """

    def __init__(self, glass: NodePath, size: tuple[float, float], mask: BitMask32) -> None:
        self._glass = glass
        self._lens = PerspectiveLens()
        self._lens.set_film_size(*size)
        node = Camera("mirror", self._lens)
        node.set_camera_mask(mask)
        self.camera = glass.attach_new_node(node)
        self.camera.set_h(180)

    def follow(self, eye: NodePath) -> None:
        """Show what is seen from here. From behind, nothing is: the picture stays as it is."""
        x, y, z = eye.get_pos(self._glass)
        if y > -NEAREST:
            return
        self.camera.set_pos(x, -y, z)
        # The film lies in the mirror: what is nearer is behind it, and is not seen.
        self._lens.set_focal_length(-y)
        self._lens.set_film_offset(x, -z)
        self._lens.set_near_far(-y, -y + FARTHEST)
