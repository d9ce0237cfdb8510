"""Who shows the marks of a bound node: overlays, the model's own shader wrapped by us, or the user's."""

from typing import Protocol

from panda_rtstamp.core.anchor import Anchor, instance_path
from panda_rtstamp.stamps.config import StampConfig
from panda_rtstamp.stamps.inputs import MarkInputs
from panda_rtstamp.stamps.mark_overlay import Overlay
from panda_rtstamp.stamps.own_shader import UserShader, Wrap, wrapped_shader
from panda_rtstamp.stamps.surface import Surface


class Display(Protocol):
    """What shows one node's marks."""

    def update(self, inputs: MarkInputs) -> None:
        """Show these from now on."""

    def follow(self) -> None:
        """Take over what changed in the state of the node. Called at each hit."""

    @property
    def hangs(self) -> bool:
        """True if `follow_transform` is to be called in every frame."""

    def follow_transform(self) -> None:
        """Go where the node went."""

    def remove(self) -> None:
        """Leave the node as it was found. Idempotent."""


def make_display(config: StampConfig, anchor: Anchor, surface: Surface, inputs: MarkInputs) -> Display:
    """The display that the config asks for, showing `inputs`.

    A part whose shader cannot be wrapped (fixed function, the shader generator, Cg) gets an overlay instead.
    """
    if config.display == "shader":
        return UserShader(anchor, inputs)
    members: list[Display] = []
    if config.display != "none":
        for part, path in surface.standing():
            # A shader that is set on one of several instances would show in all of them.
            wraps = config.display == "wrap" and len(instance_path(path)) == 1
            wrapped = wrapped_shader(path, config.look) if wraps else None
            if wrapped is not None:
                members.append(Wrap(part.anchor, path, wrapped, inputs))
            elif any(part.prepared.marked):
                members.append(Overlay(part.anchor, path, part.prepared, config.look, inputs))
    return Displays(members)


class Displays:
    """Several displays as one."""

    def __init__(self, members: list[Display]) -> None:
        self._members = members

    def update(self, inputs: MarkInputs) -> None:
        """Show these from now on."""
        for member in self._members:
            member.update(inputs)

    def follow(self) -> None:
        """Take over what changed in the states of the nodes."""
        for member in self._members:
            member.follow()

    @property
    def hangs(self) -> bool:
        """True if one of them is to follow in every frame."""
        return any(member.hangs for member in self._members)

    def follow_transform(self) -> None:
        """Go where the nodes went."""
        for member in self._members:
            member.follow_transform()

    def remove(self) -> None:
        """Leave the nodes as they were found."""
        for member in self._members:
            member.remove()
        self._members = []
