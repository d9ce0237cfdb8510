"""Checks of what users pass to the stamp system's calls: a bad argument raises at the call and changes
nothing.
"""

import sys
from typing import Any

import numpy as np
from panda3d.core import NodePath

from panda_rtstamp.core.config import Rule, color, from_words, number
from panda_rtstamp.core.geometry import Array
from panda_rtstamp.core.log import warn_once
from panda_rtstamp.errors import ConfigError
from panda_rtstamp.stamps.config import StampConfig

_RADIUS = Rule("", number, "a number > 0", "", "", low=sys.float_info.min)
_OPACITY = Rule("", number, "a number, 0 to 1", "", "", low=0.0, high=1.0)
_HARDNESS = Rule("", number, "a number, 0 to 1, or None", "", "", low=0.0, high=1.0, optional=True)
_COLOR = Rule("", color, "3 or 4 numbers, 0 to 1, or None", "", "", optional=True)
_DURATION = Rule("", number, "a number of seconds >= 0", "", "", low=0.0)
_RESOLUTION = Rule("", lambda value: str(int(value)), "a power of two, 64 to 4096", "", "",
                   choices=tuple(str(64 << shift) for shift in range(7)))  # fmt: skip


def check_config(config: Any) -> StampConfig:
    """A StampConfig."""
    if not isinstance(config, StampConfig):
        raise ConfigError(f"config must be a StampConfig, got {type(config).__name__}")
    return config


def check_node(name: str, node: Any) -> NodePath:
    """A NodePath that is not empty."""
    if not isinstance(node, NodePath):
        raise ConfigError(f"{name} must be a NodePath, got {type(node).__name__}")
    if node.is_empty():
        raise ConfigError(f"{name} must not be empty: was the node removed?")
    return node


def check_point(name: str, point: Any) -> Array:
    """Three finite numbers as a float64 array."""
    try:
        values = np.array([number(part) for part in point], np.float64)
    except (TypeError, ValueError):
        values = np.empty(0)
    if values.shape != (3,):
        raise ConfigError(f"{name} must be three finite numbers, got {point!r}")
    return values


def check_radius(value: Any) -> float:
    """A radius in world units."""
    return float(_RADIUS.check("radius", value))


def check_opacity(value: Any) -> float:
    """A share."""
    return float(_OPACITY.check("opacity", value))


def check_hardness(value: Any) -> float | None:
    """A share, or None for the config's."""
    result = _HARDNESS.check("hardness", value)
    return None if result is None else float(result)


def check_color(value: Any) -> "tuple[float, float, float, float] | None":
    """A colour, or None for the config's."""
    result: tuple[float, float, float, float] | None = _COLOR.check("color", value)
    return result


def check_duration(value: Any) -> float:
    """Seconds; 0 stands for the config's."""
    return float(_DURATION.check("duration", value))


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
