"""Where benchmarks take place: a window that nobody sees, and frames that are over when they are timed."""

from typing import Any

from panda3d.core import (
    ClockObject,
    Filename,
    FrameBufferProperties,
    GraphicsOutput,
    GraphicsPipe,
    NodePath,
    PandaSystem,
    Shader,
    Texture,
    WindowProperties,
    load_prc_file_data,
)

import support

SHADERS = support.TESTS / "bench" / "shaders"
FRAME_RATE = 60

# The tests' core profile, but: no GL debugging, which costs time; and no gl-finish. It waits at the end of
# each buffer, which no game does, and which buffers of any number would be charged for; we wait once a
# frame.
_SETTINGS = f"""
win-size 256 256
audio-library-name null
sync-video 0
model-cache-dir
notify-level warning
clock-mode non-real-time
clock-frame-rate {FRAME_RATE}
gl-finish false
rtstamp-unwrap-cache 0
"""
_HARDWARE = "load-display pandagl\n"


def configure(gpu: bool = False) -> None:
    """Set the PRC variables. Must come before ShowBase is imported.

    Args:
        gpu: draw with the graphics card, as a game's window does (needs a display), offscreen all the same.
    """
    load_prc_file_data("bench profile", support.PROFILES["core"])
    load_prc_file_data("bench", _SETTINGS + (_HARDWARE if gpu else ""))


def load_shader(vertex: str, fragment: str) -> Shader:
    """A shader of the files in shaders/."""
    paths = (Filename.from_os_specific(str(SHADERS / name)) for name in (vertex, fragment))
    shader = Shader.load(Shader.SL_GLSL, *paths)
    if shader is None:
        raise FileNotFoundError(f"no shader of {vertex} and {fragment} in {SHADERS.name}/")
    return shader


class Stage:
    """A ShowBase, stepped as a game is. Each step ends when the graphics card is done with its frame."""

    def __init__(self) -> None:
        from direct.showbase.ShowBase import ShowBase

        self.base: Any = ShowBase()
        self.base.disable_mouse()
        self.base.win.set_clear_color((0.2, 0.25, 0.3, 1))
        ClockObject.get_global_clock().mode = ClockObject.M_non_real_time
        self.root: NodePath = self.base.render.attach_new_node("stage")
        self._make_fence()
        self.step(3)

    def _make_fence(self) -> None:
        """A buffer of one texel, drawn after everything else and read back in the same frame.

        `render_frame` comes back before the frame is drawn: llvmpipe draws in threads of its own, a graphics
        card by itself. Reading the last thing drawn waits for all before it, as measured: after eight targets
        that take 107 ms, a step with this fence takes 107 ms (10 without), and nothing is left to wait for.
        """
        self.make_buffer("fence", 1, 1_000_000, (8, 8, 8, 8), mode=GraphicsOutput.RTM_copy_ram)

    def make_buffer(
        self,
        name: str,
        size: int,
        sort: int,
        bits: tuple[int, int, int, int],
        *,
        is_float: bool = False,
        mode: Any = GraphicsOutput.RTM_bind_or_copy,
    ) -> tuple[Any, Texture]:
        """A square buffer beside the window, and the texture it draws into."""
        properties = FrameBufferProperties()
        properties.set_rgba_bits(*bits)
        properties.set_float_color(is_float)
        extent = WindowProperties()
        extent.set_size(size, size)
        buffer = self.base.graphics_engine.make_output(
            self.base.pipe,
            name,
            sort,
            properties,
            extent,
            GraphicsPipe.BF_refuse_window,
            self.base.win.get_gsg(),
            self.base.win,
        )
        texture = Texture(name)
        buffer.add_render_texture(texture, mode, GraphicsOutput.RTP_color)
        return buffer, texture

    def remove_buffer(self, buffer: Any) -> None:
        """Free a buffer."""
        self.base.graphics_engine.remove_window(buffer)

    def step(self, frames: int = 1) -> None:
        """Run frames: tasks, drawing, and waiting for it."""
        for _ in range(frames):
            self.base.task_mgr.step()

    def look(self, distance: float) -> None:
        """Put the camera so far before the stage."""
        self.base.camera.set_pos(0, -distance, 0)

    def facts(self) -> dict[str, str]:
        """What the figures depend on, without anything that tells whose machine it is."""
        gsg = self.base.win.get_gsg()
        return {
            "renderer": gsg.get_driver_renderer(),
            "OpenGL": gsg.get_driver_version(),
            "Panda3D": PandaSystem.get_version_string(),
            "pipe": self.base.pipe.get_interface_name(),
        }
