"""Marks shown by the model's own shader: wrapped by us, or as it is, with our inputs set."""

from functools import lru_cache

from panda3d.core import GeomNode, NodePath, PandaNode, Shader, ShaderAttrib

from panda_rtstamp.core import wrap
from panda_rtstamp.core.anchor import Anchor
from panda_rtstamp.core.geoms import geom_nodes
from panda_rtstamp.core.layers import state_without
from panda_rtstamp.core.log import warn_once
from panda_rtstamp.errors import ShaderError
from panda_rtstamp.stamps.inputs import NAMES, MarkInputs

# What our wrapped shaders were made of.
_originals: dict[Shader, Shader] = {}


@lru_cache(maxsize=64)
def _wrap(shader: Shader, look: str) -> Shader | None:
    vertex = wrap.Addition("rtstamp/stamps/wrap.vert")
    fragment = wrap.Addition("rtstamp/stamps/wrap.frag", (("RTSTAMP_LOOK", f"rtstamp_{look}"),))
    wrapped = wrap.wrap(shader, vertex, fragment)
    if wrapped is not None:
        _originals[wrapped] = shader
    return wrapped


def wrapped_shader(path: NodePath, look: str) -> Shader | None:
    """The shader that draws this GeomNode, with the marks added; None where that cannot be done."""
    attrib = path.get_net_state().get_attrib(ShaderAttrib)
    if not isinstance(attrib, ShaderAttrib) or attrib.auto_shader() or attrib.get_shader() is None:
        return None
    node = path.node()
    assert isinstance(node, GeomNode)
    if any(state_without(node, index).has_attrib(ShaderAttrib) for index in range(node.get_num_geoms())):
        return None
    shader = attrib.get_shader()
    assert isinstance(shader, Shader)
    # A copy of a wrapped node, or a node below one, comes with our shader.
    shader = _originals.get(shader, shader)
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
            f"{path}: only GLSL of a vertex and a fragment stage with a plain colour output can be wrapped; "
            "an overlay shows its marks",
        )
    return wrapped


class OwnShaderAttrib:
    """A node's own ShaderAttrib, changed for a while, then put back but for what the user did."""

    def __init__(self, anchor: Anchor) -> None:
        self._anchor = anchor
        path = anchor.node()
        self._found, self._found_override = (None, 0) if path.is_empty() else _own_attrib(path.node())
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
        """Undo: wholly if nobody else changed it, else our inputs, and our `shader` if it is still there."""
        ours, self._set = self._set, None
        path = self._anchor.remains()
        if ours is None or path.is_empty():
            return
        node = path.node()
        own = _own_attrib(node)[0]
        if own == ours:
            _set_or_clear(node, self._found, self._found_override)
        elif own is not None and _has_inputs(own):
            _set_or_clear(node, self._undone(own, shader), self._found_override)
        else:
            self._restore_geoms(path, shader)

    def _restore_geoms(self, path: NodePath, shader: Shader | None) -> None:
        """Flattening moves what nodes have into the states of Geoms."""
        for below in geom_nodes(path):
            node = below.node()
            assert isinstance(node, GeomNode)
            for index in range(node.get_num_geoms()):
                state = node.get_geom_state(index)
                own = state.get_attrib(ShaderAttrib)
                if isinstance(own, ShaderAttrib) and _has_inputs(own):
                    undone = self._undone(own, shader)
                    slot = ShaderAttrib.get_class_slot()
                    state = state.remove_attrib(slot) if undone is None else state.set_attrib(undone)
                    node.set_geom_state(index, state)

    def _undone(self, own: ShaderAttrib, shader: Shader | None) -> ShaderAttrib | None:
        """What is left of an attribute without our part in it; None if nothing is."""
        if shader is not None and own.get_shader() == shader:
            found = self._found.get_shader() if self._found is not None else None
            own = own.clear_shader() if found is None else own.set_shader(found)
        for name in NAMES:
            own = own.clear_shader_input(name)
            if self._found is not None and self._found.has_shader_input(name):
                # The user's, from before: see StampSystem.set_default_inputs.
                own = own.set_shader_input(self._found.get_shader_input(name))
        # Attributes are unique: equal ones are the same.
        return None if own == ShaderAttrib.make() else own


def _own_attrib(node: PandaNode) -> tuple[ShaderAttrib | None, int]:
    slot = ShaderAttrib.get_class_slot()
    own = node.get_attrib(slot)
    return (own if isinstance(own, ShaderAttrib) else None), node.get_state().get_override(slot)


def _has_inputs(attrib: ShaderAttrib) -> bool:
    return attrib.has_shader_input(NAMES[0])


def _set_or_clear(node: PandaNode, attrib: ShaderAttrib | None, override: int) -> None:
    if attrib is None:
        node.clear_attrib(ShaderAttrib.get_class_slot())
    else:
        node.set_attrib(attrib, override)


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

    def follow(self) -> None:
        """Nothing: the model's own draw is in its own state."""

    hangs = False

    def follow_transform(self) -> None:
        """Nothing: the model's own draw is where it is."""

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

    def follow(self) -> None:
        """Nothing: the model's own draw is in its own state."""

    hangs = False

    def follow_transform(self) -> None:
        """Nothing: the model's own draw is where it is."""

    def remove(self) -> None:
        """Take the inputs away."""
        self._own.restore(None)
