"""Who sees: where a viewer stands, how far and how wide it looks."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from panda3d.core import NodePath

from panda_rtstamp.core.anchor import Anchor
from panda_rtstamp.core.config import Checked, Rule, integer, number
from panda_rtstamp.core.geometry import Array, matrix

_RANGE = Rule(number, "a number > 0, up to 1e9", low=1e-9, high=1e9)
_FOV = Rule(number, "a number of degrees, > 0 and up to 360", low=1e-6, high=360.0)
_HEIGHT = Rule(number, "a number within 1e9, or None", low=-1e9, high=1e9, optional=True)
_STRENGTH = Rule(number, "a number, 0 to 1", low=0.0, high=1.0)
# The share of its length that an axis leans sideways at least, to have a direction seen from above.
_UPRIGHT = 1e-6
# Of a cosine in 32 bits: what is at the very edge of the field of view is seen.
_ROUNDING = 1e-7
_GROUP = Rule(integer, "a whole number, 0 to 255", low=0, high=255)


def check_group(value: int) -> int:
    """A group's number. Raises ConfigError."""
    return int(_GROUP.check("group", value))


@dataclass(frozen=True)
class Eye:
    """What a viewer sees from, and how.

    Attributes:
        x, y: in the world.
        height: in the world, along Z, rounded to steps.
        view_range: in the world.
        forward: (x, y) of length 1; (0, 0) where the node looks straight up or down.
        half_cosine: the cosine of half the field of view; -1 sees all around.
        strength: 0..1.
    """

    x: float
    y: float
    height: float
    view_range: float
    forward: tuple[float, float]
    half_cosine: float
    strength: float

    @property
    def position(self) -> Array:
        """(x, y)."""
        return np.array([self.x, self.y])


class Viewer:
    """A node that sees. Made by `VisionMask.add_viewer`; its attributes may be set at any time.

    Attributes:
        view_range: how far it sees, in the world.
        fov: how wide, in degrees around its node's +Y; 360: all around.
        eye_height: above its node, in the world; None: the config's.
        strength: what its sight adds to the mask, 0..1.
        group: whose mask it adds to, 0..255.

    Raises (also where an attribute is set):
        ConfigError: a value is out of range; nothing was changed.
    """

    view_range = Checked[float](_RANGE)
    fov = Checked[float](_FOV)
    eye_height = Checked[float | None](_HEIGHT)
    strength = Checked[float](_STRENGTH)
    group = Checked[int](_GROUP)

    def __init__(
        self,
        node: NodePath,
        view_range: float,
        fov: float,
        eye_height: float | None,
        strength: float,
        group: int,
    ) -> None:
        self.view_range = view_range
        self.fov = fov
        self.eye_height = eye_height
        self.strength = strength
        self.group = group
        self._anchor = Anchor(node)
        self._asked: tuple[object, ...] = ()
        self._eye: Eye | None = None

    @property
    def node(self) -> NodePath:
        """The node that sees; empty once it is destroyed."""
        return self._anchor.node()

    @property
    def alive(self) -> bool:
        """False once the node is destroyed."""
        return self._anchor.alive

    def eye(self, is_in_world: Callable[[NodePath], bool], default_height: float, step: float) -> Eye | None:
        """What it sees from now; None if its node is gone, out of the world, or stashed.

        Args:
            is_in_world: says it of a node.
            default_height: where it has none of its own.
            step: its height is rounded to a multiple of this.
        """
        node = self._anchor.node()
        if node.is_empty() or not is_in_world(node):
            return None
        transform = node.get_net_transform()
        own = self.view_range, self.fov, self.eye_height, self.strength
        asked = transform, default_height, step, own
        if asked != self._asked:
            self._asked, self._eye = asked, self._look_from(matrix(transform.get_mat()), default_height, step)
        return self._eye

    def _look_from(self, matrix: Array, default_height: float, step: float) -> Eye | None:
        if not np.isfinite(matrix).all():
            return None
        x, y, z = matrix[3, :3].tolist()
        forward = matrix[1, :2]
        length = float(np.hypot(*forward))
        # Of a node that looks straight up or down, rounding would choose a direction.
        sideways = length > _UPRIGHT * float(np.linalg.norm(matrix[1, :3]))
        ahead = (forward / length).tolist() if sideways else (0.0, 0.0)
        above = default_height if self.eye_height is None else self.eye_height
        height = round((z + above) / step) * step
        return Eye(x, y, height, self.view_range, (ahead[0], ahead[1]), self._half_cosine, self.strength)

    @property
    def _half_cosine(self) -> float:
        cosine = math.cos(math.radians(self.fov / 2.0))
        return -1.0 if self.fov == 360.0 else max(cosine - _ROUNDING, -1.0)

    def release(self) -> None:
        """Let go of the node. Idempotent."""
        self._anchor.release()
