"""What lies over the picture beside the overlays: text, and the photograph."""

from collections.abc import Sequence
from typing import Any

from direct.gui.OnscreenText import OnscreenText
from panda3d.core import CardMaker, NodePath, TextNode

from panda_rtstamp import Overlay, RenderPicture
from samples.overlay.views import HEIGHT, MARGIN, PORTRAIT_SIZE

TEXT_SIZE = 0.045  # of half the window's height
SHADOW = (0, 0, 0, 0.7)
WHITE = (0.95, 0.96, 0.97, 1)
BACKDROP = (0.44, 0.62, 0.66, 1)
PAPER = (0.93, 0.92, 0.88, 1)
INK = (0.20, 0.20, 0.22, 1)
# In halves of the window's height: half the photograph's height, the paper's rim, and the strip below.
PHOTO, RIM, STRIP = 0.24, 0.03, 0.09
BESIDE_PORTRAITS = 2 * (3 * MARGIN + 2 * PORTRAIT_SIZE[0]) / HEIGHT + 0.05


class Screen:
    """Text and the photograph."""

    def __init__(self, base: Any) -> None:
        self._base = base
        self._help = _text(base.a2dTopLeft, TextNode.A_left, (0.08, -0.09))
        self._state = _text(base.a2dTopRight, TextNode.A_right, (-0.08, -0.09))
        self._labels: dict[Overlay, Any] = {}
        self._photo: NodePath | None = None

    def set_help(self, lines: Sequence[str]) -> None:
        """Show this help."""
        self._help.setText("\n".join(lines))

    def set_state(self, lines: Sequence[str]) -> None:
        """Say how things stand."""
        self._state.setText("\n".join(lines))

    def label(self, overlay: Overlay, says: str) -> None:
        """Let an overlay carry this text, wherever it is moved."""
        if overlay not in self._labels:
            self._labels[overlay] = _text(self._base.aspect2d, TextNode.A_left, (0, 0.02))
        label, rect = self._labels[overlay], overlay.rect
        label.setText(says if overlay.visible else "")
        if rect is not None:
            window = self._base.win
            left, top = rect[0] / window.get_x_size(), rect[1] / window.get_y_size()
            label.set_pos((2 * left - 1) * self._base.get_aspect_ratio(), 0, 1 - 2 * top)

    def show_photo(self, photo: RenderPicture) -> None:
        """Show it, on paper; once."""
        if self._photo is not None:
            return
        half_width = PHOTO * photo.size[0] / photo.size[1]
        self._photo = self._base.a2dBottomLeft.attach_new_node("photo")
        self._photo.set_pos(BESIDE_PORTRAITS + half_width, 0, 2 * MARGIN / HEIGHT + PHOTO + STRIP)
        self._photo.set_r(3)
        _add_card(self._photo, (half_width + RIM, PHOTO + RIM, PHOTO + STRIP), PAPER)
        _add_card(self._photo, (half_width, PHOTO, PHOTO), BACKDROP)
        photo.onscreen_image(parent=self._photo, scale=PHOTO)
        says = _text(self._photo, TextNode.A_center, (0, -PHOTO - 0.055))
        says.setText("photograph")
        says.setFg(INK)
        says.setShadow((0, 0, 0, 0))


def _add_card(parent: NodePath, extent: tuple[float, float, float], color: Any) -> None:
    """A card that goes so far to both sides, up and down."""
    across, up, down = extent
    card = CardMaker("card")
    card.set_frame(-across, across, -down, up)
    card.set_color(color)
    parent.attach_new_node(card.generate())


def _text(parent: NodePath, align: Any, place: tuple[float, float]) -> Any:
    return OnscreenText(
        parent=parent, align=align, pos=place, scale=TEXT_SIZE, fg=WHITE, shadow=SHADOW, mayChange=True
    )
