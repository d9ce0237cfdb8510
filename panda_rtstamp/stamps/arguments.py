"""Checks of what users pass to the stamp system: a bad argument raises at the call and changes nothing."""

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from panda3d.core import NodePath

from panda_rtstamp.core.config import Rule, color, from_words, integer, number, power_of_two, text
from panda_rtstamp.core.geometry import Array
from panda_rtstamp.core.log import warn_once
from panda_rtstamp.errors import ConfigError
from panda_rtstamp.stamps.brush import as_brush
from panda_rtstamp.stamps.config import RESOLUTIONS, SHORTEST, StampConfig
from panda_rtstamp.stamps.hit import BLENDS

# Beyond this, squares of distances leave 32-bit floats.
_FAR = 1e18
_RADIUS = Rule(number, "a number > 0, up to 1e18", low=sys.float_info.min, high=_FAR)
_OPACITY = Rule(number, "a number, 0 to 1", low=0.0, high=1.0)
_HARDNESS = Rule(number, "a number, 0 to 1, or None", low=0.0, high=1.0, optional=True)
_COLOR = Rule(color, "3 or 4 numbers, 0 to 1, or None", optional=True)
_DURATION = Rule(number, "0 or a number of seconds >= 0.01", low=0.0)
_SLOTS = Rule(integer, "a whole number >= 0", low=0)
_RESOLUTION = Rule(power_of_two, "a power of two, 64 to 4096", low=64, high=4096)
_BLEND = Rule(text, f"one of {', '.join(BLENDS)}, or None", choices=BLENDS, optional=True)


def check_config(config: Any) -> StampConfig:
    """A StampConfig."""
    if not isinstance(config, StampConfig):
        raise ConfigError(f"config must be a StampConfig, got {type(config).__name__}")
    return config


def check_point(name: str, point: Any) -> Array:
    """Three numbers as a float64 array."""
    try:
        values = [number(part) for part in point]
    except (TypeError, ValueError):
        values = []
    if len(values) != 3 or max(map(abs, values)) > _FAR:
        raise ConfigError(f"{name} must be three numbers within 1e18, got {point!r}")
    return np.array(values)


@dataclass(kw_only=True)
class HitOptions:
    """What a hit is like, checked when made; see StampSystem.hit. None stands for the config's.

    Not frozen, which would take longer: a burst has many. Nobody changes it.
    """

    radius: float = 1.0
    opacity: float = 1.0
    hardness: float | None = None
    color: Any = None
    normal: Any = None
    brush: Any = None
    blend: str | None = None

    def __post_init__(self) -> None:
        self.radius = _RADIUS.check("radius", self.radius)
        self.opacity = _OPACITY.check("opacity", self.opacity)
        self.hardness = _HARDNESS.check("hardness", self.hardness)
        self.color = _COLOR.check("color", self.color)
        self.normal = check_normal("normal", self.normal)
        self.brush = as_brush(self.brush)
        self.blend = _BLEND.check("blend", self.blend)


def check_normal(name: str, normal: Any) -> Array | None:
    """A direction as a float64 array of length 1; None stays None."""
    if normal is None:
        return None
    try:
        values = check_point(name, normal)
    except ConfigError:
        values = np.zeros(3)
    size = np.abs(values).max()
    if size == 0.0:
        raise ConfigError(f"{name} must be three numbers within 1e18, not all 0, or None, got {normal!r}")
    values = values / size
    result: Array = values / np.linalg.norm(values)
    return result


def check_slots(value: Any) -> dict[int, int]:
    """How many pairs, by resolution; of 1024 x 1024, if it is a number."""
    slots = value if isinstance(value, Mapping) else {RESOLUTIONS[0]: value}
    return {
        int(_RESOLUTION.check("a resolution in slots", size)): int(_SLOTS.check("slots", count))
        for size, count in slots.items()
    }


def check_duration(value: Any) -> float:
    """Seconds; 0 stands for the config's."""
    seconds = float(_DURATION.check("duration", value))
    if 0.0 < seconds < SHORTEST:
        raise ConfigError(f"duration must be {_DURATION.allowed}, got {value!r}")
    return seconds


_TAGS = {"rtstamp-radius": _RADIUS, "rtstamp-color": _COLOR, "rtstamp-resolution": _RESOLUTION}


def tag_value(node: NodePath, name: str) -> Any:
    """What the tag `name` on the node or an ancestor overrides, or None. A bad one is warned about once."""
    if not node.has_net_tag(name):
        return None
    words = node.get_net_tag(name).strip()
    rule = _TAGS[name]
    try:
        return rule.check(f"tag {name}", from_words(words, rule.kind))
    except (ConfigError, ValueError):
        warn_once(f"tag {name} {words}", f"{node}: tag {name} must be {rule.allowed}, got {words!r}; ignored")
        return None
