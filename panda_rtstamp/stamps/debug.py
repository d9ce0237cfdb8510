"""A look at the texture pairs in use, in a corner of the window."""

from collections.abc import Sequence
from typing import Any

from panda3d.core import CardMaker, NodePath, TextNode

from panda_rtstamp.stamps.binding import StampBinding

_ROWS = 6
_EDGE = 0.3


class DebugView:
    """Primary and Temp of the first few marked nodes, with size, alpha and age.

    Args:
        base: a ShowBase with a window; the view hangs below its `a2dTopLeft`.
    """

    def __init__(self, base: Any) -> None:
        self._root: NodePath = base.a2dTopLeft.attach_new_node("rtstamp-debug")
        self._rows = [_Row(self._root, index) for index in range(_ROWS)]

    def update(self, bindings: Sequence[StampBinding]) -> None:
        """Show these."""
        for index, row in enumerate(self._rows):
            row.show(bindings[index] if index < len(bindings) else None)

    def destroy(self) -> None:
        """Take the view away."""
        self._root.remove_node()


class _Row:
    def __init__(self, root: NodePath, index: int) -> None:
        self._node = root.attach_new_node(f"row-{index}")
        self._node.set_pos(0.05, 0.0, -0.05 - index * (_EDGE + 0.02))
        self._cards = [self._card(column) for column in range(2)]
        self._text = TextNode("rtstamp-debug")
        self._text.set_shadow(0.06, 0.06)
        label = self._node.attach_new_node(self._text)
        label.set_scale(0.05)
        label.set_pos(2 * _EDGE + 0.06, 0.0, -0.06)
        self._node.hide()

    def _card(self, column: int) -> NodePath:
        maker = CardMaker("rtstamp-debug")
        left = column * (_EDGE + 0.02)
        maker.set_frame(left, left + _EDGE, -_EDGE, 0.0)
        return self._node.attach_new_node(maker.generate())

    def show(self, binding: StampBinding | None) -> None:
        if binding is None:
            self._node.hide()
            return
        for card, texture in zip(self._cards, (binding.primary, binding.temp), strict=True):
            card.set_texture(texture, 1)
        size = binding.resolution
        self._text.set_text(
            f"{binding.name}\n{size} x {size}  alpha {binding.alpha:.2f}  age {binding.age:.1f} s"
        )
        self._node.show()
