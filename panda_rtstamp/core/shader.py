"""Shaders: our sources and users' files, with includes and defines resolved; errors name file and line.

`#pragma include <rtstamp/NAME>` brings in our file shaders/NAME, in users' shaders too.
`#pragma include "FILE"` brings in a file beside the one that says so.
Panda's own includes are not used: they would not find ours in a frozen build.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from panda3d.core import (
    ConfigVariableFilename,
    Filename,
    GraphicsStateGuardian,
    InternalName,
    Notify,
    Shader,
    StringStream,
    VirtualFileSystem,
    get_model_path,
)

from panda_rtstamp.core.paths import read_shader_source
from panda_rtstamp.errors import ShaderError

OURS = "rtstamp/"
_INCLUDE = re.compile(r'^[ \t]*#pragma[ \t]+include[ \t]+(?:<([^>]+)>|"([^"]+)")[ \t]*$')
_INPUT = re.compile(r"^[ \t]*(?:uniform|in)\s+\w+\s+(\w+)", re.MULTILINE)
_VERSION = re.compile(r"^[ \t]*#version\b.*$", re.MULTILINE)
# Panda puts its own name for a shader before the driver's line number (and any file number), so a line's file
# is told by the line number itself: file 2, line 15 is 20015.
_FILE_STEP = 10000
# Mesa and Intel say 0:12(5): error; NVIDIA 0(12) : error; AMD and Apple ERROR: 0:12:
_LOCATION = re.compile(r"(?:created-shader|\b0)[:(](\d+)\)?(?:\(\d+\)|:\d+)?\s*:")


def read_source(name: str) -> str:
    """The text of a shader file: ours if the name begins with `rtstamp/`, else the user's (along the model
    path).

    Raises ShaderError if there is no such file.
    """
    ours = name.startswith(OURS)
    found = read_shader_source(name.removeprefix(OURS)) if ours else _read_user_file(name)
    if found is None:
        raise ShaderError(f"shader file not found: {name}")
    return found


def _read_user_file(name: str) -> str | None:
    files = VirtualFileSystem.get_global_ptr()
    path = Filename(name)
    if not files.is_regular_file(path) and not files.resolve_filename(path, get_model_path().get_value()):
        return None
    return bytes(files.read_file(path, True)).decode("utf-8", "replace")


class Source:
    """One stage's text with everything resolved, and the files its lines came from.

    Args:
        name: the file, as for `read_source`.
        defines: structure, as `#define NAME VALUE` lines behind `#version`.
    """

    def __init__(self, name: str, defines: Mapping[str, object] | None = None) -> None:
        self.files: list[str] = []
        lines = "".join(f"#define {key} {value}\n" for key, value in (defines or {}).items())
        expanded = self._expand(name, ())
        version = _VERSION.search(expanded)
        if version is None:
            raise ShaderError(f"{name}: a shader must begin with #version")
        line = expanded.count("\n", 0, version.end()) + 2
        head = f"{version.group()}\n{lines}#line {line}\n"
        self.text = head + expanded[version.end() + 1 :]

    def _expand(self, name: str, within: tuple[str, ...]) -> str:
        if name in within:
            raise ShaderError(f"{name}: included by itself, through {' > '.join(within)}")
        number = len(self.files)
        self.files.append(name)
        result = [f"#line {number * _FILE_STEP + 1}"] if number else []
        for line_number, line in enumerate(read_source(name).splitlines(), 1):
            match = _INCLUDE.match(line)
            if match is None:
                result.append(line)
                continue
            try:
                included = self._expand(self._target(name, match), (*within, name))
            except ShaderError as error:
                raise ShaderError(f"{name}:{line_number}: {error}") from None
            result += [included, f"#line {number * _FILE_STEP + line_number + 1}"]
        return "\n".join(result)

    @staticmethod
    def _target(name: str, match: "re.Match[str]") -> str:
        ours, beside = match.groups()
        if ours is not None:
            return str(ours)
        folder = name.rpartition("/")[0]
        return f"{folder}/{beside}" if folder else str(beside)

    def locate(self, message: str) -> str:
        """A driver's message with the places in it replaced by file and line."""

        def name(match: "re.Match[str]") -> str:
            number, line = divmod(int(match.group(1)), _FILE_STEP)
            return f"{self.files[number]}:{line}:" if number < len(self.files) else match.group()

        return _LOCATION.sub(name, message)


@dataclass
class _Loaded:
    shader: Shader
    stages: tuple[Source, Source]
    checked: bool = False

    @property
    def texts(self) -> tuple[str, ...]:
        return tuple(stage.text for stage in self.stages)


_Key = tuple[str, str, tuple[tuple[str, object], ...]]
_log_file = ConfigVariableFilename("notify-output", "")
_names: dict[str, InternalName] = {}
_loaded: dict[_Key, _Loaded] = {}
# What the driver said against these texts. Panda gives out the same Shader for the same text, and asks the
# driver but once.
_failed: dict[tuple[str, ...], str] = {}


def _key(vertex: str, fragment: str, defines: Mapping[str, object] | None) -> _Key:
    return vertex, fragment, tuple(sorted((defines or {}).items()))


def _load(key: _Key) -> _Loaded:
    vertex, fragment, defines = key
    stages = Source(vertex, dict(defines)), Source(fragment, dict(defines))
    return _Loaded(make_shader(stages[0].text, stages[1].text), stages)


def make_shader(vertex: str, fragment: str) -> Shader:
    """A GLSL Shader of two resolved texts. Raises ShaderError if Panda refuses them."""
    _keep_names(vertex)
    _keep_names(fragment)
    shader = Shader.make(Shader.SL_GLSL, vertex, fragment)
    if shader is None:
        raise ShaderError("Panda3D could not make a shader of these sources; its log says why")
    return shader


def _keep_names(text: str) -> None:
    """Keep the names of a shader's inputs for good.

    Inputs are found by the address of their InternalName. Under a threading model the draw thread looks names
    up while the application lets the last input of a name go and sets it anew: what is found may be gone.
    """
    for name in _INPUT.findall(text):
        _names.setdefault(name, InternalName.make(name))


def load_shader(vertex: str, fragment: str, defines: Mapping[str, object] | None = None) -> Shader:
    """A GLSL shader from two files, with `#pragma include` resolved (`<rtstamp/...>` is ours, in any build).

    Args:
        vertex, fragment: file names, found along the model path; or ours, as `rtstamp/common/card.vert`.
        defines: names and values for `#define` lines behind `#version`.

    Raises:
        ShaderError: a file is missing or has no `#version`. Compile errors show when `check_shader` is called
            or the shader is first drawn with, since they need the graphics driver.
    """
    key = _key(vertex, fragment, defines)
    if key not in _loaded:
        _loaded[key] = _load(key)
    return _loaded[key].shader


def check_shader(
    gsg: GraphicsStateGuardian, vertex: str, fragment: str, defines: Mapping[str, object] | None = None
) -> Shader:
    """Read the files anew and compile them now; `load_shader` gives the result from then on.

    Only for single-threaded rendering: the context must be current in the calling thread.

    Raises:
        ShaderError: as `load_shader` does; and with the driver's message, which names file and line, if the
            shader does not compile. What was loaded before stays.
    """
    key = _key(vertex, fragment, defines)
    fresh = _load(key)
    before = _loaded.get(key)
    if before is not None and before.checked and before.texts == fresh.texts:
        return before.shader
    message = _failed.get(fresh.texts) or _compile(gsg, fresh.shader)
    if message is not None:
        _failed[fresh.texts] = message
        stage = 0 if "vertex shader" in message else 1
        text = fresh.stages[stage].locate(message).strip()
        raise ShaderError(f"{(vertex, fragment)[stage]} does not compile:\n{text}")
    fresh.checked = True
    _loaded[key] = fresh
    return fresh.shader


def _compile(gsg: GraphicsStateGuardian, shader: Shader) -> str | None:
    """What the driver says against a shader; None if it compiles."""
    if _log_file.get_value():
        # Panda owns the stream then, and would destroy it when another one takes its place.
        shader.prepare_now(gsg.get_prepared_objects(), gsg)
        return "Panda3D's log says why" if shader.get_error_flag() else None
    output = StringStream()
    notify = Notify.ptr()
    before = notify.get_ostream_ptr()
    notify.set_ostream_ptr(output, False)
    try:
        shader.prepare_now(gsg.get_prepared_objects(), gsg)
    finally:
        notify.set_ostream_ptr(before, False)
    return bytes(output.get_data()).decode("utf-8", "replace") if shader.get_error_flag() else None
