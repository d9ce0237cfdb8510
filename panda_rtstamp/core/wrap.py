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
# What Panda gives to any shader that asks for it by such a declaration.
_PANDA_UNIFORM = re.compile(r"^uniform \w+ (p3d_\w+);$", re.MULTILINE)
_USER_MAIN = re.compile(r"\brtstamp_user_main\d*\b")
_OUR_NAME = re.compile(r"\brtstamp_(?!user_main)\w+\b")


@dataclass(frozen=True)
class Addition:
    """What is appended to one stage: a file of ours that defines main and calls RTSTAMP_USER_MAIN().

    The file may use RTSTAMP_OUTPUT, the fragment's colour, and RTSTAMP_IN and RTSTAMP_OUT for what the stage
    reads and hands on (attribute, varying, in, out by version).

    Attributes:
        name: the file.
        defines: structure, as `#define` lines.
        suffix: put behind all names in the file that begin with `rtstamp_`: another one each time where a
            shader is wrapped in the same addition several times.
    """

    name: str
    defines: tuple[tuple[str, object], ...] = ()
    suffix: str = ""


def wrap(shader: Shader, vertex: Addition, fragment: Addition) -> Shader | None:
    """The shader with our additions around it; None where that cannot be done.

    That is: no GLSL, more than a vertex and a fragment stage, inputs that we would add, or, for an addition
    that uses it, a first colour output that cannot be told (a list or an array of outputs, gl_FragData).

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
    # A shader that was wrapped before has such a main already.
    before = len(set(_USER_MAIN.findall(text)))
    user_main = f"rtstamp_user_main{before or ''}"
    renamed, mains = _MAIN.subn(rf"void\g<1>{user_main}\g<2>()", text)
    version = _VERSION.search(text)
    if mains == 0:
        return None
    modern = version is not None and int(version.group(1)) >= 130
    defines: dict[str, object] = dict(addition.defines)
    defines["RTSTAMP_USER_MAIN"] = user_main
    defines["RTSTAMP_IN"] = "in" if modern else ("attribute" if is_vertex else "varying")
    defines["RTSTAMP_OUT"] = "out" if modern else "varying"
    if "RTSTAMP_OUTPUT" in Source(addition.name).text:
        output = output_name(text) if modern else "gl_FragColor"
        if not re.search(rf"\b{output}\b", _COMMENT.sub("", text)):
            return None
        defines["RTSTAMP_OUTPUT"] = output
    ours = _OUR_NAME.sub(rf"\g<0>{addition.suffix}", Source(addition.name, defines).text)
    if not set(_UNIFORM.findall(text)).isdisjoint(_UNIFORM.findall(ours)):
        return None
    ours = _VERSION.sub("", _without_declared(ours, text), count=1).lstrip()
    undone = "".join(f"#undef {name}\n" for name in defines)
    return f"{renamed}\n{ours}\n{undone}"


def _without_declared(ours: str, text: str) -> str:
    """Our text, with lines left empty that declare what the user's text declares too."""
    code = _COMMENT.sub("", text)

    def declaration(match: "re.Match[str]") -> str:
        return "" if re.search(rf"\buniform\b[^;]*\b{match.group(1)}\b", code) else match.group()

    return _PANDA_UNIFORM.sub(declaration, ours)


def output_name(fragment: str) -> str:
    """The variable that a fragment shader of GLSL 1.30 or later gives its first colour by."""
    outputs = [
        (_LOCATION.search(layout), name) for layout, name in _OUTPUT.findall(_COMMENT.sub("", fragment))
    ]
    # Those without a location share what is left among them.
    chosen = [name for location, name in outputs if location and int(location.group(1)) == 0]
    chosen += [name for location, name in outputs if not location]
    return str(chosen[0]) if chosen else "gl_FragColor"
