"""The errors of panda_rtstamp. Catch `RtStampError` to catch all of it."""


class RtStampError(Exception):
    """Base class of all errors of this package."""


class ConfigError(RtStampError, ValueError):
    """An argument or a setting is of the wrong type, not finite or out of range. Nothing was changed."""


class ShaderError(RtStampError):
    """A shader was not found, includes what does not exist, or does not compile."""


class StoreError(RtStampError):
    """A file cannot be written or read, is damaged, or is of another kind. Nothing was changed by it."""


class SurfaceError(RtStampError):
    """A node's geometry cannot carry marks in the way that was asked for."""


class UnsupportedGpuError(RtStampError):
    """The graphics driver lacks something that cannot be done without."""
