"""What a graphics context can do: asked once, kept as plain values. A system refuses to start by these."""

import sys
from dataclasses import dataclass

from panda3d.core import GraphicsStateGuardian

from panda_rtstamp.errors import UnsupportedGpuError

# Drivers that draw on the CPU: right for tests, too slow to play with.
_SOFTWARE_RENDERERS = ("llvmpipe", "softpipe", "swiftshader", "gdi generic", "swrast", "software rasterizer")


@dataclass(frozen=True, kw_only=True)
class Capabilities:
    """The answers of one graphics context.

    Attributes:
        vendor, renderer, version: as the driver names itself; empty where there is no driver (p3tinydisplay).
        gl_version, glsl_version: (major, minor); (0, 0) where there is none. A driver may offer a newer
            GLSL than its OpenGL, so both count.
        opengl_es: OpenGL ES instead of desktop OpenGL.
        core_profile: no fixed function, as with `gl-version 3 2`.
        glsl: shaders in GLSL work at all.
        texture_buffers: arrays of any length in shaders.
        offscreen_buffers: drawing into textures without a window.
        float_targets: drawing into textures of half and full floats.
        dual_source_blending: a second colour from the fragment shader as the factor of the blend.
        compute: compute shaders (OpenGL 4.3).
        max_texture_size: the largest side in pixels.
    """

    vendor: str
    renderer: str
    version: str
    gl_version: tuple[int, int]
    glsl_version: tuple[int, int]
    opengl_es: bool
    core_profile: bool
    glsl: bool
    texture_buffers: bool
    offscreen_buffers: bool
    float_targets: bool
    dual_source_blending: bool
    compute: bool
    max_texture_size: int

    @classmethod
    def of(cls, gsg: GraphicsStateGuardian) -> "Capabilities":
        """Ask a context that was opened. Cheap, and right from the app thread in every threading model."""
        version = gsg.get_driver_version()
        # A driver that says nothing is -1 to Panda.
        gl = gsg.get_driver_version_major(), gsg.get_driver_version_minor()
        shading = gsg.get_driver_shader_version_major(), gsg.get_driver_shader_version_minor()
        gl_version, glsl_version = max(gl, (0, 0)), max(shading, (0, 0))
        opengl_es = version.startswith("OpenGL ES")
        glsl = gsg.get_supports_glsl()
        desktop = glsl and not opengl_es
        return cls(
            vendor=gsg.get_driver_vendor(),
            renderer=gsg.get_driver_renderer(),
            version=version,
            gl_version=gl_version,
            glsl_version=glsl_version,
            opengl_es=opengl_es,
            # "Basic shaders" are assembly programs, which only the compatibility profile has.
            core_profile=desktop and gl_version >= (3, 2) and not gsg.get_supports_basic_shaders(),
            glsl=glsl,
            texture_buffers=gsg.get_supports_buffer_texture(),
            # Framebuffer objects and float formats are part of OpenGL 3.0; there is no other query for them.
            offscreen_buffers=desktop and gl_version >= (3, 0),
            float_targets=desktop and gl_version >= (3, 0),
            dual_source_blending=gsg.get_supports_dual_source_blending(),
            # OpenGL below 4.3 may offer the extension, but not the GLSL 4.30 that our shaders are written in.
            compute=desktop and gl_version >= (4, 3) and gsg.get_supports_compute_shaders(),
            max_texture_size=max(gsg.get_max_texture_dimension(), 0),
        )

    @property
    def software(self) -> bool:
        """True if everything is drawn on the CPU."""
        return any(name in self.renderer.lower() for name in _SOFTWARE_RENDERERS)

    def require_stamps(self) -> None:
        """Raise UnsupportedGpuError, which says why, if stamps cannot work here."""
        missing = self.missing_for_stamps()
        if missing:
            raise UnsupportedGpuError(" ".join(missing))

    def missing_for_stamps(self) -> list[str]:
        """Why stamps cannot work here, a sentence each; empty if they can."""
        reasons = self._missing_for("Stamps")
        if self.glsl and not self.opengl_es and not self.dual_source_blending:
            reasons.append("Stamps need dual source blending (OpenGL 3.3), which this context lacks.")
        return reasons

    def require_vision(self) -> None:
        """Raise UnsupportedGpuError, which says why, if vision masks cannot work here."""
        missing = self.missing_for_vision()
        if missing:
            raise UnsupportedGpuError(" ".join(missing))

    def missing_for_vision(self) -> list[str]:
        """Why vision masks cannot work here, a sentence each; empty if they can."""
        reasons = self._missing_for("Vision masks")
        if self.glsl and not self.opengl_es and not self.float_targets:
            reasons.append("Vision masks need drawing into textures of floats, which this context lacks.")
        return reasons

    def require_pictures(self) -> None:
        """Raise UnsupportedGpuError, which says why, if render pictures cannot work here."""
        missing = self.missing_for_pictures()
        if missing:
            raise UnsupportedGpuError(" ".join(missing))

    def missing_for_pictures(self) -> list[str]:
        """Why render pictures cannot work here, a sentence each; empty if they can."""
        return self._missing_for("Render pictures")

    def _missing_for(self, whom: str) -> list[str]:
        """What all systems that draw into textures need and this context has not, for those named."""
        if self.opengl_es:
            return [
                f"{whom} need desktop OpenGL 3.3; this is {self.version}. "
                "(p3headlessgl opens OpenGL ES under a threading-model: use pandagl there.)"
            ]
        if not self.glsl:
            return [f"{whom} need shaders in GLSL, which this display lacks: set load-display to pandagl."]
        reasons = []
        if self.gl_version < (3, 3):
            has = _dotted(self.gl_version)
            reasons.append(f"{whom} need OpenGL 3.3; this context has {has}. {_advice()}")
        if self.glsl_version < (3, 30):
            reasons.append(f"{whom} need GLSL 3.30; this context has {_dotted(self.glsl_version)}.")
        if not self.texture_buffers:
            reasons.append(f"{whom} need texture buffers (OpenGL 3.1), which this context lacks.")
        if not self.offscreen_buffers:
            reasons.append(f"{whom} need offscreen buffers (framebuffer objects), which this context lacks.")
        return reasons


def _dotted(version: tuple[int, int]) -> str:
    return f"{version[0]}.{version[1]}"


def _advice() -> str:
    if sys.platform == "darwin":
        return "Set gl-version 3 2 in the PRC configuration before ShowBase is made."
    return "A newer graphics driver may offer more."
