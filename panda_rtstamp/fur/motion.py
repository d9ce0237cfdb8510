"""How a coat lags behind the body that it grows on."""

import math

from panda3d.core import LVecBase3f, LVector3d, TransformState

from panda_rtstamp.fur.inputs import Motion

# Below these, in world units or radians and those a second, nothing is left that could be seen.
_STILL = 1e-6
# So far, in lengths, the tips lag at the most: a body that jumps shall not swing its coat for long.
_FARTHEST = 4.0
_NOWHERE = LVector3d(0.0, 0.0, 0.0)


def decay(stiffness: float, damping: float, time: float) -> tuple[float, float, float, float]:
    """What (y, y') become of themselves by y'' + damping y' + stiffness y = 0: a 2 x 2 matrix, row by row.

    It is the exact solution, and so the same in however many steps it is taken.
    """
    half = damping / 2.0
    square = half * half - stiffness
    if square < 0.0:
        rate = math.sqrt(-square)
        fall = math.exp(-half * time)
        even, odd = fall * math.cos(rate * time), fall * math.sin(rate * time) / rate
    else:
        rate = math.sqrt(square)
        slow, fast = math.exp((rate - half) * time), math.exp(-(rate + half) * time)
        even = (slow + fast) / 2.0
        odd = (slow - fast) / (2.0 * rate) if rate > 1e-6 else time * slow
    return even + half * odd, odd, -stiffness * odd, even - half * odd


class _Spring:
    """A weight on a damped spring, whose other end goes evenly between frames, at another pace in each."""

    def __init__(self) -> None:
        self.behind = LVector3d(_NOWHERE)
        self._speed = LVector3d(_NOWHERE)
        self._pace = LVector3d(_NOWHERE)

    @property
    def still(self) -> bool:
        """True if nothing moves."""
        return self._pace == _NOWHERE and self.behind == _NOWHERE and self._speed == _NOWHERE

    def advance(self, pace: LVector3d, fall: tuple[float, float, float, float]) -> None:
        """Go on at this pace, by the time that `fall` was made for."""
        speed = self._speed - (pace - self._pace)
        self._speed = self.behind * fall[2] + speed * fall[3]
        self.behind = self.behind * fall[0] + speed * fall[1]
        self._pace = pace
        if pace == _NOWHERE and max(self.behind.length(), self._speed.length()) < _STILL:
            self.behind = self._speed = LVector3d(_NOWHERE)

    def limit(self, farthest: float) -> None:
        """Let it be no farther behind than this."""
        excess = self.behind.length() / farthest
        if excess > 1.0:
            self.behind /= excess
            self._speed /= excess


class Lag:
    """The tips of a coat as one weight on a damped spring, for the body's way, and for its turning another.

    Args:
        place: the body's, in the world.
        time: seconds, when it is there.
        motion: is given how far the coat lags.
    """

    def __init__(self, place: TransformState, time: float, motion: Motion) -> None:
        self._motion = motion
        self._place = place
        self._time = time
        self._way = _Spring()
        self._turn = _Spring()

    @property
    def still(self) -> bool:
        """True if neither the body moves nor the coat."""
        return self._way.still and self._turn.still

    def advance(
        self, place: TransformState, time: float, stiffness: float, damping: float, length: float
    ) -> None:
        """Go on until this time, when the body is at `place`.

        Args:
            length: of the strands, in the world.
        """
        passed, before = time - self._time, self._place
        if passed == 0.0 or place.is_invalid() or not _is_finite(place):
            return
        self._time, self._place = time, place
        if passed < 0.0:
            # The clock was set back: from there on.
            return
        if place == before and self.still:
            return
        fall = decay(stiffness, damping, passed)
        now = place.get_mat().get_row3(3)
        way = now - before.get_mat().get_row3(3)
        self._way.advance(LVector3d(way.x, way.y, way.z) / passed, fall)
        self._way.limit(_FARTHEST * length)
        self._turn.advance(_turn(before, place) / passed, fall)
        self._motion.lag[0] = LVecBase3f(*self._way.behind)
        self._motion.turn[0] = LVecBase3f(*self._turn.behind)
        self._motion.pivot[0] = now


def _is_finite(place: TransformState) -> bool:
    return all(map(math.isfinite, (*place.get_mat().get_row3(3), *place.get_quat())))


def _turn(before: TransformState, after: TransformState) -> LVector3d:
    """From one place to another: the turn as a vector along its axis, in radians."""
    turn = before.get_quat().conjugate() * after.get_quat()
    axis = LVector3d(turn.get_i(), turn.get_j(), turn.get_k())
    sine = axis.length()
    if sine < 1e-7:
        return LVector3d(_NOWHERE)
    # Of a quaternion and its negative, which turn alike, the one that goes the shorter way.
    side = math.copysign(1.0, turn.get_r())
    return axis * (side * 2.0 * math.atan2(sine, abs(turn.get_r())) / sine)
