"""What a game has asked for: clips, dims and screens, made for the window that is open, and for the next."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from panda3d.core import NodePath

from panda_rtstamp.core.anchor import Anchor
from panda_rtstamp.core.log import warn_once
from panda_rtstamp.errors import RtStampError
from panda_rtstamp.vision.additions import MaskInputs


class Made(Protocol):
    """A clip or a dim of a node, or a screen of a camera."""

    def update(self) -> None:
        """Follow what changed; once a frame."""

    def release(self) -> None:
        """Leave all as it was found."""


Maker = Callable[[NodePath, MaskInputs], Made]
# Of a group's mask, as it is now; None without a window.
Inputs = Callable[[int], MaskInputs | None]


@dataclass
class _Use:
    """One that was asked for, and what was made for it."""

    anchor: Anchor
    slot: str
    group: int
    make: Maker
    made: Made | None = None

    def end(self) -> None:
        """Leave the node as it was found."""
        if self.made is not None:
            self.made.release()
            self.made = None


class Uses:
    """All clips and dims of one vision mask, or all its screens.

    Args:
        inputs: gives a group's mask.
    """

    def __init__(self, inputs: Inputs) -> None:
        self._inputs = inputs
        self._all: list[_Use] = []
        self._destroyed = False

    def add(self, slot: str, node: NodePath, group: int, make: Maker) -> None:
        """Make one, in place of what the node has in this slot. Does nothing once destroyed.

        Raises what `make` raises; nothing was changed then.
        """
        if self._destroyed:
            return
        before = self._in_slot(slot, node)
        inputs = self._inputs(group)
        made = None if inputs is None else make(node, inputs)
        self._all.append(_Use(Anchor(node), slot, group, make, made))
        for use in before:
            self._end(use)

    def vacate(self, slot: str, node: NodePath) -> None:
        """End what the node has in a slot: before `add` where the next one would take it for the game's."""
        for use in self._in_slot(slot, node):
            self._end(use)

    def _in_slot(self, slot: str, node: NodePath) -> list[_Use]:
        return [use for use in self._of(node) if use.slot == slot]

    def _of(self, node: NodePath) -> list[_Use]:
        """Those of this very node, the last first: each of them found what those before it had made."""
        return [use for use in reversed(self._all) if use.anchor.node() == node]

    def remove(self, node: NodePath) -> None:
        """End all of this very node."""
        for use in self._of(node):
            self._end(use)

    def _end(self, use: _Use) -> None:
        use.end()
        use.anchor.release()
        self._all.remove(use)

    def update(self) -> None:
        """Follow what games do to the nodes; once a frame."""
        for use in list(self._all):
            node = use.anchor.node()
            if node.is_empty():
                self._end(use)
            elif use.made is None:
                self._make(use, node)
            else:
                use.made.update()

    def _make(self, use: _Use, node: NodePath) -> None:
        inputs = self._inputs(use.group)
        if inputs is None:
            return
        try:
            use.made = use.make(node, inputs)
        except RtStampError as error:
            # Nobody's call brought this window.
            warn_once(f"vision {node}", f"{node} is not clipped or dimmed any more: {error}")
            self._end(use)

    def suspend(self) -> None:
        """The textures go: leave all nodes as they were found until there are others."""
        for use in reversed(self._all):
            use.end()

    def destroy(self) -> None:
        """End all, and make no more. Idempotent."""
        self._destroyed = True
        for use in list(reversed(self._all)):
            self._end(use)
