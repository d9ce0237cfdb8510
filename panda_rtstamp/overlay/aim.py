"""A camera of the user's, and the scene that it shows in a picture."""

from typing import Any

from panda3d.core import Camera, NodePath

from panda_rtstamp.core.arguments import check_node
from panda_rtstamp.errors import ConfigError


class Aim:
    """Lets a camera show a scene, until `release`. Where it does so by itself, it is left alone.

    Args:
        camera: of the user's.
        scene: the root of what it shows.

    Raises:
        ConfigError: `scene` or `camera` is no NodePath or empty, `camera` is not that of a Camera, or
            something shows another scene by it. Nothing was changed.
    """

    def __init__(self, camera: Any, scene: Any) -> None:
        check_node("scene", scene)
        node = check_node("camera", camera).node()
        if not isinstance(node, Camera):
            raise ConfigError(
                f"camera must be the NodePath of a Camera (base.cam, not base.camera), got {camera!r}"
            )
        self.camera = NodePath(camera)
        self._node = node
        self._scene = NodePath(scene)
        self._found: NodePath | None = None
        found = node.get_scene()
        shown = camera.get_top() if found.is_empty() else found
        if shown != scene:
            if node.get_num_display_regions():
                raise ConfigError(f"camera shows another scene already, {shown}: give the picture its own")
            self._found = NodePath(found)
            node.set_scene(scene)

    def release(self) -> None:
        """Leave the camera as it was found, unless somebody else shows something by it. Idempotent."""
        mine = self._node.get_scene() == self._scene and not self._node.get_num_display_regions()
        if self._found is not None and mine:
            self._node.set_scene(self._found)
        self._found = None
