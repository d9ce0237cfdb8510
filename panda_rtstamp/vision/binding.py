"""The mask for shaders of the game's own: as inputs of a node, under the names of mask.glsl."""

from panda3d.core import NodePath, ShaderAttrib, ShaderInput

from panda_rtstamp.core.anchor import Anchor
from panda_rtstamp.vision.additions import MaskInputs


class Binding:
    """Gives a node the shader inputs of a mask, until it is released.

    Args:
        node: all below it has them, where nothing there sets others.
        inputs: of the mask.
    """

    def __init__(self, node: NodePath, inputs: MaskInputs) -> None:
        self._found = {name: _own_input(node, name) for name in inputs.values}
        self._anchor = Anchor(node)
        node.set_shader_inputs(**inputs.values)

    def update(self) -> None:
        """The rectangle is one for all that read the mask: there is nothing to follow."""

    def release(self) -> None:
        """Leave the node as it was found. Idempotent."""
        node = self._anchor.remains()
        for name, found in self._found.items() if not node.is_empty() else ():
            if found is None:
                node.clear_shader_input(name)
            else:
                node.set_shader_input(found)
        if not node.is_empty() and node.get_attrib(ShaderAttrib) == ShaderAttrib.make():
            node.clear_attrib(ShaderAttrib)
        self._anchor.release()


def _own_input(node: NodePath, name: str) -> ShaderInput | None:
    """What this very node sets as an input; None for nothing."""
    attrib = node.get_attrib(ShaderAttrib)
    if not isinstance(attrib, ShaderAttrib) or not attrib.has_shader_input(name):
        return None
    return attrib.get_shader_input(name)
