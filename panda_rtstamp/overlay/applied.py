"""A texture on a user's node, beside those of other pictures, and taken off again in any order."""

from panda3d.core import NodePath, RenderState, Texture, TextureAttrib, TextureStage, TransparencyAttrib

from panda_rtstamp.core.anchor import Anchor, address

_TEXTURE, _TRANSPARENCY = TextureAttrib.get_class_slot(), TransparencyAttrib.get_class_slot()
# Over what a model's own Geoms say.
_PRIORITY = 1


def show(node: NodePath, texture: Texture, stage: TextureStage, transparent: bool) -> None:
    """Put a texture of premultiplied colour on a node."""
    node.set_texture(stage, texture, _PRIORITY)
    if transparent:
        node.set_transparency(TransparencyAttrib.M_premultiplied_alpha, _PRIORITY)
    else:
        node.set_transparency(TransparencyAttrib.M_none, _PRIORITY)


class Application:
    """A texture on a user's node, until `release`."""

    def __init__(self, node: NodePath, texture: Texture, stage: TextureStage, transparent: bool) -> None:
        self.anchor = Anchor(NodePath(node.node()))
        self.stage = stage
        self._texture = texture
        # What is to be given back: the state with the stage's texture, and the state with the transparency.
        self._under = self._behind = node.get_state()
        show(node, texture, stage, transparent)
        self._given = node.get_state()
        _all.append(self)

    def is_on(self, node: NodePath) -> bool:
        """True if that is the node."""
        held = self.anchor.panda_node
        return held is not None and address(held) == address(node.node())

    def release(self) -> None:
        """Give back what was found, where it is still what was given. Idempotent."""
        if self not in _all:
            return
        place = _all.index(self)
        del _all[place]
        node = self.anchor.panda_node
        if node is not None:
            later = [each for each in _all[place:] if each.is_on(NodePath(node))]
            state = self._without_transparency(node.get_state(), later)
            node.set_state(self._without_texture(state, later))
        self.anchor.release()

    def _without_texture(self, state: RenderState, later: list["Application"]) -> RenderState:
        for other in later:
            if other.stage == self.stage and _texture_of(other._under, self.stage) == self._texture:
                # It lies over this one.
                other._under = self._under
        if state.get_attrib(_TEXTURE) == self._given.get_attrib(_TEXTURE):
            return _with_slot_of(state, self._under, _TEXTURE)
        if _texture_of(state, self.stage) == self._texture:
            return _with_texture_of(state, self._under, self.stage)
        return state

    def _without_transparency(self, state: RenderState, later: list["Application"]) -> RenderState:
        given = self._given.get_attrib(_TRANSPARENCY)
        for other in later:
            if other._behind.get_attrib(_TRANSPARENCY) == given:
                other._behind = self._behind
                return state
        if state.get_attrib(_TRANSPARENCY) != given:
            return state
        return _with_slot_of(state, self._behind, _TRANSPARENCY)


# Those of all pictures, in the order in which they were put on.
_all: list[Application] = []


def _texture_of(state: RenderState, stage: TextureStage) -> Texture | None:
    attrib = state.get_attrib(_TEXTURE)
    if isinstance(attrib, TextureAttrib) and attrib.has_on_stage(stage):
        return attrib.get_on_texture(stage)
    return None


def _with_slot_of(state: RenderState, other: RenderState, slot: int) -> RenderState:
    """A state with another one's attribute of this kind, or without, if it has none."""
    attrib = other.get_attrib(slot)
    return state.remove_attrib(slot) if attrib is None else state.set_attrib(attrib, other.get_override(slot))


def _with_texture_of(state: RenderState, other: RenderState, stage: TextureStage) -> RenderState:
    """A state with what another one says of a stage, beside what it says of others.

    Of stages that have one sort, Panda takes this one for the last then.
    """
    attrib, found = state.get_attrib(_TEXTURE), other.get_attrib(_TEXTURE)
    assert isinstance(attrib, TextureAttrib)
    result = attrib.remove_on_stage(stage)
    if isinstance(found, TextureAttrib) and found.has_on_stage(stage):
        texture, override = found.get_on_texture(stage), found.get_on_stage_override(stage)
        sampler = found.get_on_sampler(stage)
        if sampler == texture.get_default_sampler():
            result = result.add_on_stage(stage, texture, override)
        else:
            result = result.add_on_stage(stage, texture, sampler, override)
    elif isinstance(found, TextureAttrib) and found.has_off_stage(stage):
        result = result.add_off_stage(stage)
    if result.is_identity() and found is None:
        return state.remove_attrib(_TEXTURE)
    return state.set_attrib(result, state.get_override(_TEXTURE))
