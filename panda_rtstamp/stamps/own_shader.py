"""Marks shown by the model's own shader: wrapped by us, or as it is, with our inputs set."""

from functools import lru_cache

from panda3d.core import GeomNode, NodePath, PandaNode, Shader, ShaderAttrib

from panda_rtstamp.core import wrap
from panda_rtstamp.core.anchor import Anchor
from panda_rtstamp.core.log import warn_once
from panda_rtstamp.errors import ShaderError
from panda_rtstamp.stamps.inputs import NAMES, MarkInputs


@lru_cache(maxsize=64)
def _wrap(shader: Shader, look: str) -> Shader | None:
    vertex = wrap.Addition("rtstamp/stamps/wrap.vert")
    fragment = wrap.Addition("rtstamp/stamps/wrap.frag", (("RTSTAMP_LOOK", f"rtstamp_{look}"),))
    return wrap.wrap(shader, vertex, fragment)


def wrapped_shader(path: NodePath, look: str) -> Shader | None:
    """The shader that draws this GeomNode, with the marks added; None where that cannot be done."""
    attrib = path.get_net_state().get_attrib(ShaderAttrib)
    if not isinstance(attrib, ShaderAttrib) or attrib.auto_shader() or attrib.get_shader() is None:
        return None
    node = path.node()
    assert isinstance(node, GeomNode)
    if any(node.get_geom_state(index).has_attrib(ShaderAttrib) for index in range(node.get_num_geoms())):
        return None
    shader = attrib.get_shader()
    assert isinstance(shader, Shader)
    try:
        wrapped = _wrap(shader, look)
    except ShaderError as error:
        warn_once(
            f"wrap {path}", f"{path}: its shader cannot be wrapped, an overlay shows its marks: {error}"
        )
        return None
    if wrapped is None:
        warn_once(
            f"wrap {path}",
            f"{path}: only GLSL of a vertex and a fragment stage can be wrapped, an overlay shows its marks",
        )
    return wrapped


class OwnShaderAttrib:
    """A node's own ShaderAttrib, changed for a while, then put back but for what the user did."""

    def __init__(self, anchor: Anchor) -> None:
        self._anchor = anchor
        self._found, self._found_override = _own_attrib(anchor.node().node())
        self._set: ShaderAttrib | None = None

    @property
    def current(self) -> ShaderAttrib:
        """The attribute as it is now; an empty one if there is none."""
        path = self._anchor.node()
        own = None if path.is_empty() else _own_attrib(path.node())[0]
        return own if own is not None else ShaderAttrib.make()

    @property
    def changed(self) -> bool:
        """True once `put` was called."""
        return self._set is not None

    def put(self, attrib: ShaderAttrib, override: int) -> None:
        """Set the attribute."""
        path = self._anchor.node()
        if not path.is_empty():
            self._set = attrib
            path.node().set_attrib(attrib, override)

    def restore(self, shader: Shader | None) -> None:
        """Undo: wholly if nobody else changed it, else just our inputs, and our `shader` if it is still
        there.
        """
        path = self._anchor.node()
        own = None if path.is_empty() else _own_attrib(path.node())[0]
        if own is None or self._set is None:
            return
        if own != self._set:
            path.node().set_attrib(self._undone(own, shader), self._found_override)
        elif self._found is None:
            path.node().clear_attrib(ShaderAttrib.get_class_slot())
        else:
            path.node().set_attrib(self._found, self._found_override)
        self._set = None

    def _undone(self, own: ShaderAttrib, shader: Shader | None) -> ShaderAttrib:
        if shader is not None and own.get_shader() == shader:
            found = self._found.get_shader() if self._found is not None else None
            own = own.clear_shader() if found is None else own.set_shader(found)
        for name in NAMES:
            own = own.clear_shader_input(name)
        return own


def _own_attrib(node: PandaNode) -> tuple[ShaderAttrib | None, int]:
    slot = ShaderAttrib.get_class_slot()
    own = node.get_attrib(slot)
    return (own if isinstance(own, ShaderAttrib) else None), node.get_state().get_override(slot)


class Wrap:
    """The model's own shader, wrapped: one pass, whatever the vertices do."""

    def __init__(self, anchor: Anchor, path: NodePath, shader: Shader, inputs: MarkInputs) -> None:
        net = path.get_net_state()
        used = net.get_attrib(ShaderAttrib)
        assert isinstance(used, ShaderAttrib)
        self._shader = shader
        self._priority = used.get_shader_priority()
        self._override = net.get_override(ShaderAttrib.get_class_slot())
        self._own = OwnShaderAttrib(anchor)
        self.update(inputs)

    def update(self, inputs: MarkInputs) -> None:
        """Show these from now on."""
        current = self._own.current
        if self._own.changed and current.get_shader() != self._shader:
            return  # The user set another shader meanwhile, and that stands.
        self._own.put(inputs.on(current.set_shader(self._shader, self._priority)), self._override)

    def remove(self) -> None:
        """Give the node back its shader."""
        self._own.restore(self._shader)


class UserShader:
    """The user's own shader shows the marks: the inputs are set on the bound node."""

    def __init__(self, anchor: Anchor, inputs: MarkInputs) -> None:
        self._own = OwnShaderAttrib(anchor)
        self.update(inputs)

    def update(self, inputs: MarkInputs) -> None:
        """Show these from now on."""
        self._own.put(inputs.on(self._own.current), 0)

    def remove(self) -> None:
        """Take the inputs away."""
        self._own.restore(None)
