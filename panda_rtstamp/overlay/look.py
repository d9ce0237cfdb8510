"""What an overlay takes over from how the main scene looks: nothing but what was asked for."""

from typing import Any

from panda3d.core import FogAttrib, LightAttrib, RenderAttrib, RenderModeAttrib, RenderState, ShaderAttrib

from panda_rtstamp.errors import ConfigError

BACKGROUND = "background"
# What scenes have, and what it is without.
_WITHOUT: dict[str, RenderAttrib] = {
    "lights": LightAttrib.make_all_off(),
    "fog": FogAttrib.make_off(),
    "shader": ShaderAttrib.make_off(),
    "render_mode": RenderModeAttrib.make(RenderModeAttrib.M_filled),
}
_INHERITED = (*_WITHOUT, BACKGROUND)


def check_inherit(names: Any) -> frozenset[str]:
    """What `inherit` may hold. Raises ConfigError."""
    allowed = f"inherit must be some of {', '.join(_INHERITED)}, in a tuple, list or set"
    if not isinstance(names, (tuple, list, set, frozenset)):
        raise ConfigError(f"{allowed}, got {names!r}")
    for name in names:
        if name not in _INHERITED:
            raise ConfigError(f"{allowed}, got {name!r}")
    return frozenset(names)


def inherited(state: RenderState, names: frozenset[str]) -> RenderState:
    """Of the main scene's state, what is taken over, as strong as it is there."""
    result = RenderState.make_empty()
    for name, without in _WITHOUT.items():
        attrib = state.get_attrib(without.get_slot())
        if name in names and attrib is not None:
            result = result.set_attrib(attrib, state.get_override(without.get_slot()))
    return result


def left_out(state: RenderState, names: frozenset[str]) -> RenderState:
    """What undoes, beside the main scene's state, all that is not taken over of it."""
    result = RenderState.make_empty()
    for name, without in _WITHOUT.items():
        attrib = state.get_attrib(without.get_slot())
        if name in names or attrib is None:
            continue
        if isinstance(attrib, ShaderAttrib):
            # Which of two shaders counts is in the attributes themselves.
            without = ShaderAttrib.make().set_shader_off(attrib.get_shader_priority())
        result = result.set_attrib(without, state.get_override(attrib.get_slot()))
    return result
