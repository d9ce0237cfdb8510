"""Surfaces that remember: marks on any Panda3D model, baked into textures of its own, fading exactly."""

from panda_rtstamp.core.shader import load_shader
from panda_rtstamp.errors import (
    ConfigError,
    RtStampError,
    ShaderError,
    StoreError,
    SurfaceError,
    UnsupportedGpuError,
)
from panda_rtstamp.overlay.picture import RenderPicture
from panda_rtstamp.overlay.viewport import Overlay
from panda_rtstamp.stamps.binding import StampBinding
from panda_rtstamp.stamps.brush import Brush
from panda_rtstamp.stamps.config import StampConfig
from panda_rtstamp.stamps.system import StampSystem
from panda_rtstamp.vision.config import VisionConfig
from panda_rtstamp.vision.system import VisionMask
from panda_rtstamp.vision.viewers import Viewer

__version__ = "0.1.0"

__all__ = [
    "Brush",
    "ConfigError",
    "Overlay",
    "RenderPicture",
    "RtStampError",
    "ShaderError",
    "StampBinding",
    "StampConfig",
    "StampSystem",
    "StoreError",
    "SurfaceError",
    "UnsupportedGpuError",
    "Viewer",
    "VisionConfig",
    "VisionMask",
    "load_shader",
]
