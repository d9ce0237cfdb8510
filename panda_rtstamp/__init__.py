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
from panda_rtstamp.fur.coat import FurCoat
from panda_rtstamp.fur.column import FurColumn
from panda_rtstamp.fur.config import GRASS as FUR_GRASS
from panda_rtstamp.fur.config import LONG as FUR_LONG
from panda_rtstamp.fur.config import PLUSH as FUR_PLUSH
from panda_rtstamp.fur.config import SHORT as FUR_SHORT
from panda_rtstamp.fur.config import FurConfig
from panda_rtstamp.fur.levels import LIMITS as FUR_LIMITS
from panda_rtstamp.fur.painter import FurPainter
from panda_rtstamp.fur.sidecar import merge_sidecars
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
    "FUR_GRASS",
    "FUR_LIMITS",
    "FUR_LONG",
    "FUR_PLUSH",
    "FUR_SHORT",
    "Brush",
    "ConfigError",
    "FurCoat",
    "FurColumn",
    "FurConfig",
    "FurPainter",
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
    "merge_sidecars",
]
