"""A picture's own camera, below the user's: it sees as that one does, and changes nothing of it."""

from typing import Any

from panda3d.core import AntialiasAttrib, Camera, NodePath, RenderState

from panda_rtstamp.core.arguments import check_node
from panda_rtstamp.errors import ConfigError
from panda_rtstamp.overlay.view import camera_like

# What is looked at in each frame that draws.
_FOLLOWED = ("camera_mask", "cull_center", "cull_bounds", "lod_center", "lod_scale", "tag_state_key")
# Panda draws without samples, whatever the buffer has, where no state asks for them.
_SMOOTH = RenderState.make(AntialiasAttrib.make(AntialiasAttrib.M_multisample))


class Aim:
    """A camera of a scene that follows another one, until `release`.

    Args:
        camera: the user's.
        scene: the root of what is shown.
        samples: of what it is drawn in.

    Raises:
        ConfigError: `scene` or `camera` is no NodePath or empty, or `camera` is not that of a Camera. Nothing
            was changed.
    """

    def __init__(self, camera: Any, scene: Any, samples: int) -> None:
        check_node("scene", scene)
        node = check_node("camera", camera).node()
        if not isinstance(node, Camera):
            raise ConfigError(
                f"camera must be the NodePath of a Camera (base.cam, not base.camera), got {camera!r}"
            )
        self._given = node
        self._above = _SMOOTH if samples else RenderState.make_empty()
        self._own = camera_like(node, scene, "rtstamp-picture-camera")
        self.camera: NodePath[Camera] = NodePath(camera).attach_new_node(self._own)
        # Copies of the user's camera are to be without it.
        self.camera.stash()
        self._found: dict[str, object] = {}
        self.follow()

    @property
    def active(self) -> bool:
        """False while the user lets the camera show nothing."""
        return self._given.is_active()

    def follow(self) -> None:
        """See as the user's camera does now. What a pipeline sets stays, where that one is unchanged."""
        given, own = self._given, self._own
        for name in _FOLLOWED:
            value = getattr(given, name)
            # Panda takes no bounds away from a camera.
            if self._is_new(name, value) and value is not None:
                setattr(own, name, value)
        lens, state = given.get_lens(), given.get_initial_state()
        if self._is_new("lens", lens):
            own.set_lens(lens)
        if self._is_new("initial_state", state):
            own.set_initial_state(self._above.compose(state))

    def _is_new(self, name: str, value: object) -> bool:
        is_new = name not in self._found or self._found[name] != value
        self._found[name] = value
        return is_new

    def release(self) -> None:
        """Leave the user's camera as it was found. Idempotent."""
        # Not removed: a pipeline may look at it yet.
        self.camera.detach_node()
