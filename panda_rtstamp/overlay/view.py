"""A camera like a game's, of another scene: it follows that one and changes nothing of it."""

from panda3d.core import Camera, LMatrix4, NodePath, RenderState, TransformState

from panda_rtstamp.overlay.framing import fitted


class View:
    """What a camera would see of a scene, in a picture of some shape.

    Args:
        camera: below which hangs what it really is seen by.
        scene: the root of what is seen.
    """

    def __init__(self, camera: NodePath, scene: NodePath) -> None:
        self._camera = camera
        self._scene = scene
        self._path: NodePath = NodePath()
        self._made_of: object = None
        # Cameras change the states of nodes that have a tag.
        self._tag = f"rtstamp-overlay-{id(self)}"

    @property
    def camera(self) -> Camera:
        """The game's own."""
        node = self._camera.node()
        assert isinstance(node, Camera)
        return node

    def follow(self, above: RenderState, beside: RenderState, aspect: float) -> NodePath | None:
        """The camera to see by from now on; None if the last one is right still.

        Args:
            above: how the scene looks where nothing in it says otherwise.
            beside: is added to the state of the scene's root, for this view alone. Of a camera that has tag
                states of its own, it isn't.
            aspect: the picture's width by its height.
        """
        camera = self.camera
        lens = camera.get_lens()
        # Lens.get_last_change stands still under a threading model.
        matrix = LMatrix4(lens.get_projection_mat())
        own = camera.get_camera_mask(), camera.get_initial_state()
        made_of = above, beside, aspect, matrix, own
        if made_of == self._made_of:
            return None
        self._path.remove_node()
        # A fresh one, since threads may be drawing what the last one sees.
        view = camera_like(camera, self._scene, "rtstamp-overlay-view")
        view.set_lens(fitted(lens, aspect))
        view.set_initial_state(above.compose(camera.get_initial_state()))
        if not beside.is_empty() and not view.get_tag_state_key():
            self._scene.set_tag(self._tag, "root")
            view.set_tag_state_key(self._tag)
            view.set_tag_state("root", beside)
        self._path, self._made_of = self._camera.attach_new_node(view), made_of
        return self._path

    def end(self) -> None:
        """Leave the game's camera and the scene as they were found. Idempotent."""
        self._scene.clear_tag(self._tag)
        self._path.remove_node()
        self._made_of = None


def camera_like(camera: Camera, scene: NodePath, name: str) -> Camera:
    """A copy of a camera that shows another scene, to be hung below it. Both have one lens."""
    result = Camera(camera)
    result.set_name(name)
    result.set_transform(TransformState.make_identity())
    result.clear_effects()
    result.set_active(True)
    result.set_scene(scene)
    return result
