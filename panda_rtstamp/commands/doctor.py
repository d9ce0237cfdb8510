"""`python -m panda_rtstamp doctor`: says what works on this machine, and why not otherwise."""

import platform
from collections.abc import Iterator, Mapping, Sequence

import numpy
from panda3d.core import (
    ConfigVariableString,
    FrameBufferProperties,
    GraphicsEngine,
    GraphicsOutput,
    GraphicsPipe,
    GraphicsPipeSelection,
    GraphicsStateGuardian,
    PandaSystem,
    Texture,
    Thread,
    WindowProperties,
)

from panda_rtstamp import __version__
from panda_rtstamp.commands.output import captured_log, problems, say
from panda_rtstamp.core.capabilities import Capabilities

FALLBACK_DISPLAY = "p3headlessgl"
# What the systems draw into: name, bits of red, green, blue and alpha, float or not.
TARGETS = (
    ("RGBA16F", (16, 16, 16, 16), True),
    ("R16", (16, 0, 0, 0), False),
    ("RG32F", (32, 32, 0, 0), True),
)
FRAMES_UNTIL_DRAWN = 3  # Under threading-model Cull/Draw, a frame is drawn two frames after it was asked for.
LOG_LINES = 3


class Display:
    """A small offscreen buffer with a graphics context of its own."""

    def __init__(self, pipe: GraphicsPipe) -> None:
        self.pipe = pipe
        self.engine = GraphicsEngine.get_global_ptr()
        self.size = WindowProperties()
        self.size.set_size(16, 16)
        wanted, flags = FrameBufferProperties.get_default(), GraphicsPipe.BF_refuse_window
        self.buffer = self.engine.make_output(pipe, "rtstamp-doctor", 0, wanted, self.size, flags)
        self.engine.open_windows()

    @property
    def gsg(self) -> GraphicsStateGuardian | None:
        """The context, if one was opened."""
        return self.buffer.get_gsg() if self.buffer is not None and self.buffer.is_valid() else None

    def real_format(self, bits: tuple[int, int, int, int], is_float: bool) -> str:
        """Draw into a target of this kind, and say what the driver made of it."""
        gsg = self.gsg
        if gsg is None:
            return "no"
        wanted = FrameBufferProperties()
        wanted.set_rgba_bits(*bits)
        wanted.set_float_color(is_float)
        flags = GraphicsPipe.BF_refuse_window
        name = "rtstamp-doctor-target"
        target = self.engine.make_output(self.pipe, name, -1, wanted, self.size, flags, gsg, self.buffer)
        if target is None:
            return "no"
        texture = Texture(name)
        target.add_render_texture(texture, GraphicsOutput.RTM_bind_or_copy, GraphicsOutput.RTP_color)
        for _ in range(FRAMES_UNTIL_DRAWN):
            self.engine.render_frame()
        found = self.engine.extract_texture_data(texture, gsg)
        self.engine.remove_window(target)
        if not found:
            return "no"
        component = Texture.format_component_type(texture.get_component_type())
        return f"{Texture.format_format(texture.get_format())}, {component}"

    def close(self) -> None:
        """Give the context back, and end the engine's threads."""
        self.engine.remove_all_windows()


def pipes() -> Iterator[GraphicsPipe | None]:
    """What Panda's configuration chooses, what else its modules have (as ShowBase does), a headless one."""
    selection = GraphicsPipeSelection.get_global_ptr()
    yield selection.make_default_pipe()
    for kind in selection.get_pipe_types():
        yield selection.make_pipe(kind)
    yield selection.make_module_pipe(FALLBACK_DISPLAY)


def open_display() -> Display | None:
    """The first display that opens; None if none does."""
    for pipe in pipes():
        if pipe is None or not pipe.is_valid():
            continue
        display = Display(pipe)
        if display.gsg is not None:
            return display
        display.close()
    return None


def report_software() -> None:
    """What needs no graphics to be known."""
    say("panda_rtstamp", __version__)
    say("Panda3D", PandaSystem.get_version_string())
    python = f"{platform.python_version()} ({platform.system()} {platform.machine()})"
    say("Python, numpy", f"{python}, {numpy.__version__}")
    model = ConfigVariableString("threading-model", "").get_value()
    supported = "supported" if Thread.is_threading_supported() else "not supported by this build"
    say("threads", f"{supported}; threading-model: {model or 'none (single-threaded)'}")


def report_graphics(display: Display, found: Capabilities) -> None:
    """What the context offers, the targets tried and not just asked for."""
    versions = f"{_dotted(found.gl_version)}, {_dotted(found.glsl_version)}"
    profile = "OpenGL ES" if found.opengl_es else "core" if found.core_profile else "compatibility"
    configured = ConfigVariableString("load-display", "*").get_value()
    say("display", f"{display.pipe.get_type().get_name()} (load-display: {configured})")
    renderer = (found.renderer or "unknown") + (" (on the CPU: slow)" if found.software else "")
    say("renderer", f"{renderer}, by {found.vendor or 'unknown'}")
    driver = f"; driver: {found.version or 'unknown'}"
    say(
        "OpenGL, GLSL",
        (f"{versions} ({profile} profile)" if found.glsl or found.opengl_es else "none") + driver,
    )
    for name, bits, is_float in TARGETS:
        say(f"{name} target", display.real_format(bits, is_float) if found.offscreen_buffers else "no")
    say("dual source blending", _yes(found.dual_source_blending))
    say("texture buffers", _yes(found.texture_buffers))
    say("largest texture", found.max_texture_size)


def _dotted(version: tuple[int, int]) -> str:
    return f"{version[0]}.{version[1]}"


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def _need(reason: str) -> str:
    """A reason without whose it is."""
    return reason.partition(" need ")[2]


def verdict(missing: Mapping[str, Sequence[str]], said: Sequence[str]) -> int:
    """Say of each system whether it works here, else why not and what Panda3D had to say; the exit code.

    Args:
        missing: what keeps each system from working, by its name.
    """
    print()
    given: set[str] = set()
    for name, reasons in missing.items():
        # What one system needs and another one too is said once.
        new = [reason for reason in reasons if _need(reason) not in given]
        given.update(_need(reason) for reason in new)
        say(name, "work here" if not reasons else "do not work here:" if new else "do not work here either")
        for reason in new:
            print(f"    - {reason}")
    if not any(missing.values()):
        if ConfigVariableString("window-type", "onscreen").get_value() == "none":
            say("", "(with window-type none: once a window is opened)")
        return 0
    if said:
        print("\n  Panda3D said:")
    for line in said[:LOG_LINES]:
        print(f"    {line}")
    return 1


def doctor() -> int:
    """Print one screenful about this machine; 0 if all works here, else 1."""
    print("panda_rtstamp doctor")
    report_software()
    nothing = "No graphics context could be opened: there is no display, or no OpenGL driver."
    missing: dict[str, list[str]] = {"everything": [nothing]}
    with captured_log() as stream:
        display = open_display()
        if display is not None and display.gsg is not None:
            found = Capabilities.of(display.gsg)
            report_graphics(display, found)
            missing = {
                "stamps": found.missing_for_stamps(),
                "vision masks": found.missing_for_vision(),
                "render pictures": found.missing_for_pictures(),
            }
            display.close()
    return verdict(missing, problems(stream))
