"""Checks of what users pass to any system: a bad argument raises at the call and changes nothing."""

from typing import Any

from panda3d.core import NodePath

from panda_rtstamp.errors import ConfigError


def check_base(base: Any) -> None:
    """A ShowBase, or what can stand in for one."""
    if not all(hasattr(base, name) for name in ("task_mgr", "render", "finalExitCallbacks")):
        raise ConfigError(f"base must be a ShowBase, got {type(base).__name__}")


def check_node(name: str, node: Any) -> NodePath:
    """A NodePath that is not empty."""
    if not isinstance(node, NodePath):
        raise ConfigError(f"{name} must be a NodePath, got {type(node).__name__}")
    if node.is_empty():
        raise ConfigError(f"{name} must be a NodePath that is not empty: was the node removed?")
    return node
