"""What lies over the picture: text, the minimap, and the two maps that sight is made of."""

from collections.abc import Sequence
from typing import Any

from direct.gui.OnscreenText import OnscreenText
from panda3d.core import CardMaker, LVecBase2f, NodePath, Point3, TextNode, Texture

from panda_rtstamp import load_shader
from samples.vision.town import DEPTH, WIDTH, Town

# In halves of the window's height.
MARGIN = 0.05
MINIMAP = (0.80, 0.80 * DEPTH / WIDTH)
MASK = (0.52, 0.52)
STRIP = (0.90, 0.16)
DOT = 0.014
HERO_COLOR = (0.35, 0.80, 1.0, 1)
GUARD_COLOR = (1.0, 0.20, 0.12, 1)
WHITE = (0.95, 0.96, 0.97, 1)


class Screen:
    """Text and maps over the picture.

    Attributes:
        minimap: its shader is `minimap.frag`.
    """

    def __init__(self, base: Any, town: Town) -> None:
        self._help = _text(base.a2dTopRight, TextNode.A_right, (-MARGIN, -0.09))
        self._state = _text(base.a2dTopLeft, TextNode.A_left, (MARGIN, -0.09))
        self.minimap = _panel(base.a2dBottomRight, (-MARGIN - MINIMAP[0], MARGIN), MINIMAP, "minimap.frag")
        self.minimap.set_shader_inputs(u_plan=town.plan, u_share=LVecBase2f(1, DEPTH / WIDTH))
        self._dots: list[NodePath] = []
        self._mask = _panel(base.a2dBottomLeft, (MARGIN, MARGIN), MASK, "panel.frag", "mask")
        beside = (2 * MARGIN + MASK[0], MARGIN)
        self._strip = _panel(base.a2dBottomLeft, beside, STRIP, "panel.frag", "wall map: one row a viewer")
        self.hide_maps()

    def set_help(self, lines: Sequence[str]) -> None:
        """Show this help."""
        self._help.setText("\n".join(lines))

    def set_state(self, lines: Sequence[str]) -> None:
        """Say how things stand."""
        self._state.setText("\n".join(lines))

    def toggle_minimap(self) -> None:
        """Show or hide the minimap."""
        if self.minimap.is_hidden():
            self.minimap.show()
        else:
            self.minimap.hide()

    @property
    def shows_maps(self) -> bool:
        """Whether the two maps are shown."""
        return not self._mask.is_hidden()

    def show_maps(self, mask: Texture | None, walls: Texture | None) -> None:
        """Show these as the mask and the wall map."""
        for panel, texture in ((self._mask, mask), (self._strip, walls)):
            panel.set_shader_input("u_texture", texture)
            panel.show()

    def hide_maps(self) -> None:
        """Show neither."""
        self._mask.hide()
        self._strip.hide()

    def mark(self, hero: Point3, guards: Sequence[Point3]) -> None:
        """Put the hero and these guards on the minimap."""
        for dot in self._dots:
            dot.remove_node()
        self._dots = [self._dot(hero, HERO_COLOR), *[self._dot(guard, GUARD_COLOR) for guard in guards]]

    def _dot(self, place: Point3, color: tuple[float, float, float, float]) -> NodePath:
        dot = _card(self.minimap, (-DOT, DOT, -DOT, DOT))
        dot.set_shader(load_shader("panel.vert", "dot.frag"))
        dot.set_shader_input("u_color", color)
        dot.set_pos(MINIMAP[0] * (place.x / WIDTH + 0.5), 0, MINIMAP[1] * (place.y / DEPTH + 0.5))
        return dot


def _card(parent: NodePath, frame: tuple[float, float, float, float]) -> NodePath:
    card = CardMaker("card")
    card.set_frame(*frame)
    return parent.attach_new_node(card.generate())


def _panel(
    parent: NodePath, place: tuple[float, float], size: tuple[float, float], shader: str, says: str = ""
) -> NodePath:
    panel = _card(parent, (0, size[0], 0, size[1]))
    panel.set_pos(place[0], 0, place[1])
    panel.set_shader(load_shader("panel.vert", shader))
    text = _text(panel, TextNode.A_left, (0, size[1] + 0.02))
    text.setText(says)
    # Letters are drawn as they are everywhere else.
    text.set_shader_off(1)
    return panel


def _text(parent: NodePath, align: Any, place: tuple[float, float]) -> Any:
    return OnscreenText(
        parent=parent, align=align, pos=place, scale=0.045, fg=WHITE, shadow=(0, 0, 0, 0.7), mayChange=True
    )
