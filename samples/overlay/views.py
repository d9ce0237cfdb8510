"""All that the game does with the add-on: which scene is shown where, and when it is drawn."""

from typing import Any

from direct.showbase.DirectObject import DirectObject
from panda3d.core import BitMask32, Camera, Lens, NodePath, OrthographicLens, PerspectiveLens

from panda_rtstamp import Overlay, RenderPicture, load_shader
from samples.common.studio import BACKGROUND
from samples.overlay.mirror import Mirror
from samples.overlay.room import MAP, MIRROR, MIRROR_SIZE, PLAYER, SCREEN_SIZE, SECURITY, Portrait, Room

# In pixels of a window that is so high; overlays grow with it.
HEIGHT = 600
LEAST_SCALE = 0.1
PORTRAIT_SIZE = (130, 170)
MAP_SIZE = (170, 170)
MARGIN = 24
BORDER = 3
PORTRAIT_BACKGROUND = (0.10, 0.07, 0.13)
FRAME_COLOR = (0.92, 0.72, 0.34)
MAP_EDGE = 13.0  # metres
MAP_CENTER = (0.4, 2.6, 30.0)
TEXELS = 240  # of pictures in the room, for each metre
PHOTO_SIZE = (360, 480)
PORTRAIT_PLACE = (0, -4.6, 1.45)
PORTRAIT_FOV = 16.0  # degrees, across


class Views(DirectObject):
    """Overlays and pictures.

    Attributes:
        portraits: the same scene, transparent and opaque.
        minimap: the main scene, from above.
        security: what the screen in the room shows.
        mirror: what the mirror shows.
        photo: the portrait, drawn when it is asked for.
        draws: how often each picture was drawn.
    """

    def __init__(self, base: Any, room: Room, portrait: Portrait) -> None:
        super().__init__()
        self._base = base
        self._eye = base.cam
        self._portrait = portrait.root
        self._portrait_camera = self._add_portrait_camera()
        self.portraits = [self._add_portrait(transparent) for transparent in (True, False)]
        self.minimap = self._add_minimap()
        # Before the mirror, which shows the screen too: of the same frame.
        self.security = self._add_security(room)
        self._reflection = Mirror(room.glass, MIRROR_SIZE, MIRROR)
        self.mirror = self._add_mirror(room)
        self.photo = RenderPicture(
            base, self._portrait, self._portrait_camera, size=PHOTO_SIZE, update="manual", samples=4
        )
        self.draws = {self.security: 0, self.mirror: 0, self.photo: 0}
        self.accept("rtstamp-picture-updated", self._count)

    def _add_portrait_camera(self) -> NodePath:
        lens = PerspectiveLens()
        lens.set_film_size(*PHOTO_SIZE)
        lens.set_fov(PORTRAIT_FOV)
        camera = self._add_camera("portrait", lens, self._portrait, PLAYER)
        camera.set_pos(PORTRAIT_PLACE)
        return camera

    def _add_portrait(self, transparent: bool) -> Overlay:
        across = MARGIN if transparent else 2 * MARGIN + PORTRAIT_SIZE[0]
        return Overlay(
            self._base, self._portrait, self._portrait_camera, size=PORTRAIT_SIZE, anchor="bottom-left",
            margin=(across, MARGIN), transparent=transparent, background=PORTRAIT_BACKGROUND,
            border=BORDER, border_color=FRAME_COLOR, draggable=True,
        )  # fmt: skip

    def _add_minimap(self) -> Overlay:
        lens = OrthographicLens()
        lens.set_film_size(MAP_EDGE, MAP_EDGE)
        lens.set_near_far(1, 50)
        camera = self._add_camera("map", lens, self._base.render, MAP)
        camera.set_pos_hpr(MAP_CENTER, (0, -90, 0))
        # It shows the main scene, but of what stands on its root it has only what it inherits.
        return Overlay(
            self._base, self._base.render, camera, size=MAP_SIZE, anchor="bottom-right", margin=MARGIN,
            transparent=False, background=BACKGROUND, inherit=("lights",), border=BORDER, draggable=True,
        )  # fmt: skip

    def _add_security(self, room: Room) -> RenderPicture:
        lens = PerspectiveLens()
        lens.set_fov(58)
        lens.set_aspect_ratio(SCREEN_SIZE[0] / SCREEN_SIZE[1])
        camera = self._add_camera("security", lens, room.lens, SECURITY)
        picture = self._add_picture(camera, SCREEN_SIZE)
        room.screen.set_shader(load_shader("lit.vert", "screen.frag"))
        picture.apply_to(room.screen)
        return picture

    def _add_mirror(self, room: Room) -> RenderPicture:
        picture = self._add_picture(self._reflection.camera, MIRROR_SIZE)
        room.glass.set_shader(load_shader("lit.vert", "glass.frag"))
        picture.apply_to(room.glass)
        return picture

    def _add_picture(self, camera: NodePath, size: tuple[float, float]) -> RenderPicture:
        texels = tuple(round(TEXELS * length) for length in size)
        return RenderPicture(
            self._base, self._base.render, camera, size=texels, samples=4, background=BACKGROUND
        )

    def _add_camera(self, name: str, lens: Lens, parent: NodePath, mask: BitMask32) -> NodePath:
        node = Camera(name, lens)
        node.set_camera_mask(mask)
        camera: NodePath = parent.attach_new_node(node)
        return camera

    @property
    def overlays(self) -> list[Overlay]:
        """All of them."""
        return [*self.portraits, self.minimap]

    def update(self) -> None:
        """Follow the player's eye, and the window's size."""
        self._reflection.follow(self._eye)
        for overlay in self.overlays:
            overlay.scale = max(self._base.win.get_y_size() / HEIGHT, LEAST_SCALE)

    def _count(self, picture: RenderPicture) -> None:
        self.draws[picture] += 1
