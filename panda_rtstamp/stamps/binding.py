"""One node's marks: its pair of textures, its surface, its fade, and the hits that wait to be captured."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from panda3d.core import NodePath, PTA_float, Texture

from panda_rtstamp.core.anchor import Anchor, Key, address
from panda_rtstamp.core.config import Color
from panda_rtstamp.core.log import warn_once
from panda_rtstamp.stamps.config import DISPLAY, FADE, SHADER, UNIFORM, StampConfig
from panda_rtstamp.stamps.display import Display, make_display
from panda_rtstamp.stamps.fade import Fade, rate_of
from panda_rtstamp.stamps.hit import Hit
from panda_rtstamp.stamps.inputs import Clock, MarkInputs
from panda_rtstamp.stamps.passes import MOST_HITS, Passes
from panda_rtstamp.stamps.pool import Slot
from panda_rtstamp.stamps.saved import FadeState, SavedMarks
from panda_rtstamp.stamps.scene import Scene
from panda_rtstamp.stamps.surface import Surface
from panda_rtstamp.stamps.texels import Texels, restore_camera

# Hits that are kept, as while their model is being unwrapped.
_MOST_WAITING = 4 * MOST_HITS
# Of Temp, in what is saved.
_LEAST_SHARE = 2.0**-24


@dataclass(frozen=True)
class _Waiting:
    """A hit that is not captured yet, and when it came."""

    hit: Hit
    since: float


class StampBinding:
    """A node that carries marks. Made by `StampSystem.hit`; read its properties, call nothing else.

    After the marks are gone (`released`) it only tells what it was.
    """

    def __init__(
        self, config: StampConfig, anchor: Anchor, surface: Surface, slot: Slot, clock: Clock
    ) -> None:
        now = clock.now
        self.released = False
        self.last_hit_time = now
        self.last_hit_radius = 0.0
        self.smallest_radius = math.inf
        self.fading = config.auto_fade
        self.duration_override = 0.0
        self._config = config
        self._anchor = anchor
        self.has_node = anchor.has_node
        self.surface = surface  # its geometry, and where on the texture it lies
        self.slot = slot  # where the marks are
        self._clock = clock
        self._live = PTA_float([1.0])
        step = config.bake_step
        self._fade = Fade(step, 1.0 if slot.format.is_float else step, now)
        self._waiting: list[_Waiting] = []
        self._fresh = True
        self.stored: Texels | None = None  # what Temp held when it was saved, still to be drawn into it
        # Those below this one that were there first. Some may have been released meanwhile.
        self.nested: list[StampBinding] = []
        self.left_out: set[Key] = set()  # nodes below whose geometry is nobody's, and no part of this surface
        self._home = top_of(anchor.node())
        self.scheduled = math.inf  # the earliest time at which the system looks at `expiry`
        self._display: Display = make_display(config, anchor, surface, self._inputs())

    def __repr__(self) -> str:
        return f"<StampBinding {self.name} {self.resolution} px alpha {self.alpha:.2f}>"

    # What users read.

    @property
    def node(self) -> NodePath:
        """The marked node, by its present path; empty once it is destroyed."""
        return self._anchor.node()

    @property
    def primary(self) -> Texture:
        """The hits of the last frame that had any (see docs/shaders.md for its encoding)."""
        return self.slot.primary.texture

    @property
    def temp(self) -> Texture:
        """All marks, as of when they were last stored."""
        return self.slot.temp.texture

    @property
    def resolution(self) -> int:
        """Texels along an edge of the textures."""
        return self.slot.size

    @property
    def alpha(self) -> float:
        """The share of a full mark made at the last hit that is left now; 0 once released."""
        return 0.0 if self.released else self._fade.alpha(self._clock.now)

    @property
    def age(self) -> float:
        """Seconds since the last hit."""
        return self._clock.now - self.last_hit_time

    @property
    def detached(self) -> bool:
        """True while the node does not hang in the scene it was hit in; its marks go on fading."""
        return top_of(self.node) != self._home

    @property
    def ready(self) -> bool:
        """False while the model is being unwrapped in the background; its hits are kept until then."""
        return self.surface.ready

    # What the system does with it.

    @property
    def alive(self) -> bool:
        """False once the node is destroyed."""
        return self._anchor.alive

    @property
    def key(self) -> tuple[int, ...]:
        """Identifies the node."""
        return self._anchor.key

    @property
    def name(self) -> str:
        """The node's path when it was bound, for messages."""
        return self._anchor.name

    @property
    def waiting(self) -> bool:
        """True if there are hits that are not captured yet."""
        return bool(self._waiting)

    @property
    def textbook(self) -> bool:
        """True if Temp is to be stored in every frame."""
        return self._fade.textbook

    @property
    def expiry(self) -> float:
        """When the marks are to be forgotten, by the clock; infinity while they do not fade."""
        return self._fade.expiry(self._config.recycle_threshold)

    @property
    def ended(self) -> bool:
        """True if the marks are to be forgotten now."""
        return self.expiry <= self._clock.now

    @property
    def share(self) -> float:
        """What Temp is to be multiplied by to be what the player sees now."""
        return self._fade.pending(self._clock.now) / self._fade.headroom

    @property
    def hits(self) -> tuple[Hit, ...]:
        """Those that are not captured yet, faded since they came like marks that were captured at once."""
        now = self._clock.now
        return tuple(self._aged(waiting, now) for waiting in self._waiting)

    def _aged(self, waiting: _Waiting, now: float) -> Hit:
        hit = waiting.hit
        if hit.blend == "erase" or waiting.since >= now or self._fade.rate <= 0.0:
            return hit
        return replace(hit, opacity=hit.opacity * self._fade.decay_since(waiting.since, now))

    @property
    def fade_state(self) -> FadeState:
        """How far the fade is now, for a file."""
        now = self._clock.now
        # Of less nothing can be seen; and where Temp holds nothing yet, nothing has faded.
        blank = self._fresh and self.stored is None
        pending = 1.0 if blank else max(self._fade.pending(now), _LEAST_SHARE)
        return FadeState(
            alpha=self._fade.alpha(now),
            pending=pending,
            headroom=self._fade.headroom,
            fading=self.fading,
            duration=self.duration_override,
            radius=self.last_hit_radius,
            age=self.age,
        )

    def restore(self, saved: SavedMarks) -> None:
        """Go on with marks that were saved. To be called once, before anything is drawn."""
        state = saved.fade
        now = self._clock.now
        self.last_hit_time = now - state.age
        self.last_hit_radius = state.radius
        self.fading = state.fading
        self.duration_override = state.duration
        self._fade.restore(state.alpha, state.pending)
        self._set_rate(now)
        self.stored = saved.texels_for(self.slot.format, self._fade.headroom, self._config.stamp_color)
        self._waiting = [_Waiting(hit, now) for hit in saved.hits]

    def nest(self, inner: Sequence["StampBinding"]) -> None:
        """Leave the geometry of bindings below this one to them."""
        self.nested = list(inner)

    def add_hit(self, hit: Hit, node: NodePath) -> None:
        """Note a hit: full strength again, in the same textures. One that erases leaves the fade as it is.

        Args:
            node: `self.node`, which the caller has at hand.
        """
        now = self._clock.now
        self._waiting.append(_Waiting(hit, now))
        if len(self._waiting) > _MOST_WAITING:
            warn_once(
                "waiting", f"{self.name}: more than {_MOST_WAITING} hits wait to be drawn; the oldest go"
            )
            del self._waiting[0]
        if hit.blend == "erase":
            return
        self.last_hit_time = now
        self.last_hit_radius = max(self.last_hit_radius, hit.radius)
        self.smallest_radius = min(self.smallest_radius, hit.radius)
        self.fading = self._config.auto_fade
        self.duration_override = 0.0
        self._home = top_of(node)
        self._set_rate(now)
        self._fade.renew()

    def start_fade(self, duration: float) -> None:
        """Fade from now on, in `duration` seconds if that is > 0."""
        self.fading = True
        self.duration_override = duration
        self._set_rate(self._clock.now)

    def _set_rate(self, now: float) -> None:
        rate = 0.0
        if self.fading:
            duration = self._config.duration_of(self.duration_override, self.last_hit_radius)
            rate = rate_of(self._config.recycle_threshold, duration)
        before = self._fade.rate
        self._fade.set_rate(rate, now)
        if rate != before and not self._fresh:
            self._display.update(self._inputs())

    @property
    def hangs(self) -> bool:
        """True if `follow_transform` is to be called in every frame: for some instances, for no others."""
        return self._display.hangs

    def follow_transform(self) -> None:
        """Keep the marks on parts that move below a node that several instances share."""
        self._display.follow_transform()

    def draw(self, passes: Passes) -> bool:
        """Make this frame's passes: capture and merge waiting hits, and store the fade where it is due.

        Returns:
            True if something was captured.
        """
        now = self._clock.now
        hits = self.hits
        fresh, self._fresh = self._fresh, False
        blank = fresh and self.stored is None
        if self.stored is not None:
            self.slot.temp.draw(restore_camera(self.stored, self.slot.format))
            self.stored = None
        factors = self._fade.bake(now) if hits or self._fade.textbook else []
        if hits:
            self._display.follow()
        scene = Scene(self.node, self.surface, hits) if hits else None
        left = passes.draw(self.slot, scene, hits, factors, self._fade.gain(now), blank)
        del self._waiting[: len(hits) - len(left)]
        changed = fresh or (bool(factors) and not self._fade.textbook)
        if changed:
            self._display.update(self._inputs())
        return bool(hits)

    def move(self, slot: Slot) -> None:
        """Go on in another pair, which passes of this frame fill with what the one before holds."""
        self.slot = slot
        self._display.update(self._inputs())

    def _inputs(self) -> MarkInputs:
        # Where the fade is stored in every frame, nothing is left for the display to fade.
        textbook = self._fade.textbook
        share = 1.0 / self._fade.headroom if textbook else self.share
        return MarkInputs(
            primary=self.primary,
            temp=self.temp,
            clock=self._clock,
            live=self._live,
            share=0.0 if self._fresh else share,
            rate=0.0 if textbook else self._fade.rate,
            start=self._clock.now,
            color=self._config.stamp_color,
            intensity=self._config.intensity,
            channels=self.slot.format.channels,
        )

    @property
    def drawn(self) -> bool:
        """False until the first frame of the marks is made: the textures hold nothing of theirs yet."""
        return not self._fresh

    @property
    def paint(self) -> tuple[Color, float]:
        """The colour of marks that have none of their own, and what the mask is multiplied by."""
        return self._config.stamp_color, self._config.intensity

    def resurface(self, surface: Surface) -> Surface:
        """Take another surface of the same node, with its marks where they are; hands back the one before."""
        before, self.surface = self.surface, surface
        if surface.ready and not before.ready:
            # Nobody saw the hits that waited: they begin to fade now.
            now = self._clock.now
            self._waiting = [_Waiting(waiting.hit, now) for waiting in self._waiting]
            self._fade.renew()
            self._set_rate(now)
        self._redisplay()
        return before

    def _redisplay(self) -> None:
        self._display.remove()
        self._display = make_display(self._config, self._anchor, self.surface, self._inputs())

    def apply(self, config: StampConfig, costs: set[str]) -> None:
        """Go on under another config."""
        self._config = config
        if DISPLAY in costs:
            self._redisplay()
        elif UNIFORM in costs:
            self._display.update(self._inputs())
        if SHADER in costs and config.bake_step >= 1.0:
            self._fade.step = config.bake_step
            self._display.update(self._inputs())
        if FADE in costs:
            self._set_rate(self._clock.now)

    def release(self) -> Surface:
        """Show nothing any more, anywhere, and hand the surface back to be restored. To be called once."""
        self.released = True
        self._waiting = []
        # In place, so that overlays in copies of the node go out too.
        self._live[0] = 0.0
        self._display.remove()
        self._anchor.release()
        return self.surface


def top_of(node: NodePath) -> int:
    """Identifies the scene that a node hangs in."""
    return 0 if node.is_empty() else address(node.get_top().node())
