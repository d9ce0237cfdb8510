"""Poses of a skeleton, turned and reached joint by joint, and curves through key values."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import pi

import numpy as np
from numpy.typing import ArrayLike

from models.making.loft import Floats
from models.making.rig import FRAME_RATE, Skeleton

Keys = Mapping[float, ArrayLike]
Frame = dict[str, tuple[Floats, Floats]]


def rotation(pitch: float = 0, roll: float = 0, heading: float = 0) -> Floats:
    """A (3, 3) rotation in degrees: roll around Y first, then pitch around X, then heading around Z.

    A positive pitch swings what hangs down forwards, and leans what stands back.
    """
    p, r, h = np.radians([pitch, roll, heading])
    around_x = np.array([[1, 0, 0], [0, np.cos(p), -np.sin(p)], [0, np.sin(p), np.cos(p)]])
    around_y = np.array([[np.cos(r), 0, np.sin(r)], [0, 1, 0], [-np.sin(r), 0, np.cos(r)]])
    around_z = np.array([[np.cos(h), -np.sin(h), 0], [np.sin(h), np.cos(h), 0], [0, 0, 1]])
    result: Floats = around_z @ around_x @ around_y
    return result


@dataclass(frozen=True)
class Limb:
    """Two bones and what they reach with: `end` in the bind pose, and the side its middle joint bends to."""

    upper: str
    lower: str
    end: ArrayLike
    bend: ArrayLike


class Pose:
    """A skeleton at one time. Joints start as in the bind pose."""

    def __init__(self, skeleton: Skeleton) -> None:
        self.skeleton = skeleton
        self.rotations = {name: np.eye(3) for name in skeleton.bones}
        self.translations = {name: skeleton.offset(name) for name in skeleton.bones}

    def turn(self, joint: str, pitch: float = 0, roll: float = 0, heading: float = 0) -> None:
        """Turn a joint from its parent, degrees."""
        self.rotations[joint] = rotation(pitch, roll, heading)

    def move(self, joint: str, shift: ArrayLike) -> None:
        """Move a joint from where it is in the bind pose, in its parent's axes."""
        self.translations[joint] = self.skeleton.offset(joint) + np.asarray(shift, np.float64)

    def place(self, joint: str) -> tuple[Floats, Floats]:
        """A joint's rotation and place in the model."""
        if not joint:
            return np.eye(3), np.zeros(3)
        turn, origin = self.place(self.skeleton.bones[joint].parent)
        return turn @ self.rotations[joint], origin + turn @ self.translations[joint]

    def point(self, joint: str, bind_point: ArrayLike) -> Floats:
        """Where a point of the bind pose is, moved with a joint."""
        turn, origin = self.place(joint)
        moved: Floats = origin + turn @ (np.asarray(bind_point, np.float64) - self.skeleton.pivot(joint))
        return moved

    def face(self, joint: str, turn: Floats) -> None:
        """Turn a joint so that it is turned like this in the model."""
        above, _ = self.place(self.skeleton.bones[joint].parent)
        self.rotations[joint] = above.T @ turn

    def put(self, joint: str, turn: Floats, place: ArrayLike) -> None:
        """Turn and move a joint so that it is like this in the model."""
        above, origin = self.place(self.skeleton.bones[joint].parent)
        self.rotations[joint] = above.T @ turn
        self.translations[joint] = above.T @ (np.asarray(place, np.float64) - origin)

    def reach(self, limb: Limb, target: ArrayLike, bend: ArrayLike) -> None:
        """Turn a limb's bones so that its end comes to a place, its middle joint out to the side `bend`."""
        rest = [self.skeleton.pivot(limb.upper), self.skeleton.pivot(limb.lower), np.asarray(limb.end)]
        upper, lower = np.linalg.norm(rest[1] - rest[0]), np.linalg.norm(rest[2] - rest[1])
        _, origin = self.place(limb.upper)
        way = np.asarray(target, np.float64) - origin
        distance = np.linalg.norm(way)
        towards = way / distance
        distance = np.clip(distance, abs(upper - lower) * 1.05, (upper + lower) * 0.998)
        along = (upper**2 - lower**2 + distance**2) / (2 * distance)
        side = np.asarray(bend, np.float64)
        side = side - (side @ towards) * towards
        side /= np.linalg.norm(side)
        middle = origin + along * towards + np.sqrt(max(upper**2 - along**2, 0)) * side
        hinge = np.cross(towards, side)
        rest_hinge = np.cross(rest[2] - rest[0], np.asarray(limb.bend, np.float64))
        self.face(limb.upper, _turn(rest[1] - rest[0], rest_hinge, middle - origin, hinge))
        end = origin + distance * towards
        self.face(limb.lower, _turn(rest[2] - rest[1], rest_hinge, end - middle, hinge))

    def frame(self) -> Frame:
        """What an animation stores."""
        return {name: (self.rotations[name], self.translations[name]) for name in self.skeleton.bones}


def _turn(old: Floats, old_hinge: Floats, new: Floats, new_hinge: Floats) -> Floats:
    result: Floats = _axes(new, new_hinge) @ _axes(old, old_hinge).T
    return result


def _axes(along: Floats, hinge: Floats) -> Floats:
    x = along / np.linalg.norm(along)
    z = hinge - (hinge @ x) * x
    z /= np.linalg.norm(z)
    return np.column_stack([x, np.cross(z, x), z])


def loop(seconds: float, pose: Callable[[float], Pose]) -> list[Frame]:
    """Frames of a loop, without the last, which is the first; `pose` takes 0..1."""
    count = round(seconds * FRAME_RATE)
    return [pose(number / count).frame() for number in range(count)]


def once(seconds: float, pose: Callable[[float], Pose]) -> list[Frame]:
    """Frames of something that happens once, both ends included; `pose` takes seconds."""
    count = round(seconds * FRAME_RATE)
    return [pose(number / FRAME_RATE).frame() for number in range(count + 1)]


def wave(phase: float, shift: float = 0.0) -> float:
    """A sine of 0..1."""
    return float(np.sin(2 * pi * (phase + shift)))


def curve(time: float, keys: Keys) -> Floats:
    """A smooth curve through values at times, which does not overshoot and rests at both ends."""
    times = np.array(sorted(keys), np.float64)
    values = np.array([np.atleast_1d(np.asarray(keys[key], np.float64)) for key in sorted(keys)])
    slopes = _slopes(times, values)
    i = int(np.clip(np.searchsorted(times, time, "right") - 1, 0, len(times) - 2))
    step = times[i + 1] - times[i]
    t = float(np.clip((time - times[i]) / step, 0, 1))
    a, b = 2 * t**3 - 3 * t**2 + 1, t**3 - 2 * t**2 + t
    c, d = -2 * t**3 + 3 * t**2, t**3 - t**2
    result: Floats = a * values[i] + b * step * slopes[i] + c * values[i + 1] + d * step * slopes[i + 1]
    return result


def _slopes(times: Floats, values: Floats) -> Floats:
    """Slopes at the keys: none where a value turns round, else the harmonic mean of both sides' slopes."""
    steps = np.diff(values, axis=0) / np.diff(times)[:, None]
    slopes = np.zeros_like(values)
    before, after = steps[:-1], steps[1:]
    same = before * after > 0
    total = np.where(same, before + after, 1)
    slopes[1:-1] = np.where(same, 2 * before * after / total, 0)
    return slopes


def number(time: float, *keys: tuple[float, float]) -> float:
    """A curve through (time, value) pairs."""
    return float(curve(time, dict(keys))[0])


def cycle(phase: float, keys: Keys) -> Floats:
    """A curve that goes round: keys in 0..1, of which 1 is 0 again."""
    spread = {time + turn: value for turn in (-1, 0, 1) for time, value in keys.items()}
    return curve(phase % 1.0, spread)
