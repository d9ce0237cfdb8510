"""Wrapping anyone's GLSL: their main is renamed, and a main of ours calls it."""

import re
from dataclasses import dataclass

from panda3d.core import Shader

from panda_rtstamp.core.shader import Source, make_shader

_MAIN = re.compile(r"\bvoid(\s+)main(\s*)\(\s*(?:void)?\s*\)")
_VERSION = re.compile(r"^[ \t]*#[ \t]*version[ \t]+(\d+)", re.MULTILINE)
# A parameter of a function ends in no semicolon.
_OUTPUT = re.compile(
    r"\b(?:layout\s*\(([^)]*)\)\s*)?(?:(?:lowp|mediump|highp)\s+)?out\s+"
    r"(?:(?:lowp|mediump|highp)\s+)?vec[34]\s+(\w+)\s*;"
)
_LOCATION = re.compile(r"\blocation\s*=\s*(\d+)")
_UNIFORM = re.compile(r"\buniform\s+sampler2D\s+(rtstamp_\w+)")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


@dataclass(frozen=True)
class Addition:
    """What is appended to one stage: a file of ours that defines main and calls RTSTAMP_USER_MAIN().

    The file may use RTSTAMP_OUTPUT, the fragment's colour, and RTSTAMP_IN and RTSTAMP_OUT for what the stage
    reads and hands on (attribute, varying, in, out by version).
    """

    name: str
    defines: tuple[tuple[str, object], ...] = ()


def wrap(shader: Shader, vertex: Addition, fragment: Addition) -> Shader | None:
    """The shader with our additions around it; None where that cannot be done.

    That is: no GLSL, more than a vertex and a fragment stage, a first colour output that cannot be told (a
    list or an array of outputs, gl_FragData), or inputs that we would add.

    Raises:
        ShaderError: the additions are not found, or Panda refuses the result.
    """
    more = shader.get_text(Shader.ST_geometry) or shader.get_text(Shader.ST_tess_evaluation)
    if shader.get_language() != Shader.SL_GLSL or more:
        return None
    vertex_text = _wrap_stage(shader.get_text(Shader.ST_vertex), vertex, is_vertex=True)
    fragment_text = _wrap_stage(shader.get_text(Shader.ST_fragment), fragment, is_vertex=False)
    if vertex_text is None or fragment_text is None:
        return None
    return make_shader(vertex_text, fragment_text)


def _wrap_stage(text: str, addition: Addition, is_vertex: bool) -> str | None:
    renamed, mains = _MAIN.subn(r"void\1rtstamp_user_main\2()", text)
    version = _VERSION.search(text)
    if mains == 0:
        return None
    modern = version is not None and int(version.group(1)) >= 130
    defines: dict[str, object] = dict(addition.defines)
    defines["RTSTAMP_USER_MAIN"] = "rtstamp_user_main"
    defines["RTSTAMP_IN"] = "in" if modern else ("attribute" if is_vertex else "varying")
    defines["RTSTAMP_OUT"] = "out" if modern else "varying"
    if not is_vertex:
        output = output_name(text) if modern else "gl_FragColor"
        if not re.search(rf"\b{output}\b", _COMMENT.sub("", text)):
            return None
        defines["RTSTAMP_OUTPUT"] = output
    ours = Source(addition.name, defines).text
    if not set(_UNIFORM.findall(text)).isdisjoint(_UNIFORM.findall(ours)):
        return None
    return f"{renamed}\n{_VERSION.sub('', ours, count=1).lstrip()}\n"


def output_name(fragment: str) -> str:
    """The variable that a fragment shader of GLSL 1.30 or later gives its first colour by."""
    outputs = [
        (_LOCATION.search(layout), name) for layout, name in _OUTPUT.findall(_COMMENT.sub("", fragment))
    ]
    # Those without a location share what is left among them.
    chosen = [name for location, name in outputs if location and int(location.group(1)) == 0]
    chosen += [name for location, name in outputs if not location]
    return str(chosen[0]) if chosen else "gl_FragColor"
