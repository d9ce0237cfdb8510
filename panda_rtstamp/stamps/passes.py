"""All passes of one node in one frame: captures of its hits, and what they do to Temp."""

from collections.abc import Sequence
from dataclasses import dataclass

from panda_rtstamp.core.rect import Rect, gather
from panda_rtstamp.core.target import RenderTarget
from panda_rtstamp.stamps.capture import Capturer
from panda_rtstamp.stamps.fade import Merge, Merger
from panda_rtstamp.stamps.hit import Hit
from panda_rtstamp.stamps.pool import Pool, Slot
from panda_rtstamp.stamps.scene import Scene

# Each texel looks at each hit: a graphics card that is at it for 2 seconds is reset by Windows.
MOST_HITS = 1024
# Of one capture: a mark across a seam lies in several places on the texture.
_MOST_RECTS = 8
# Texels around what triangles cover that the merge fills, as shaders/stamps/merge.frag does.
_GUTTER = 2


@dataclass
class Passes:
    """Makes the passes of one window.

    Attributes:
        ours: the shaders are; what users' shaders do they may do to all texels.
    """

    capturer: Capturer
    merger: Merger
    pool: Pool
    ours: bool

    def draw(
        self,
        slot: Slot,
        scene: Scene | None,
        hits: Sequence[Hit],
        factors: Sequence[float],
        gain: float,
        fresh: bool,
    ) -> Sequence[Hit]:
        """Store fades, then capture hits and merge them, in their order.

        Args:
            scene: what the hits are on; None if there are none.
            factors: Temp is multiplied by these first.
            gain: what a full mark is in Temp.
            fresh: what Temp holds is nobody's any more.

        Returns:
            The hits that must wait for the next frame: each run of one blend takes a texture of its own, and
            of these there are only so many.
        """
        merges: list[Merge] = []
        while hits and scene is not None:
            run = _first_run(hits)
            primary = self.pool.extra(slot) if merges else slot.primary
            if primary is None:
                break
            rects = self._capture(primary, scene, run)
            merges.append(Merge(primary.texture, run[0].blend, gain, rects))
            hits = hits[len(run) :]
            if len(run) == MOST_HITS:
                break
        drawn = [rect for merge in merges for rect in merge.rects]
        if fresh or factors or drawn:
            marking = [merge for merge in merges if merge.rects]
            slot.temp.draw(self.merger.camera(slot.temp, fresh, factors, marking), changed=drawn)
        return hits

    def _capture(self, primary: RenderTarget, scene: Scene, hits: Sequence[Hit]) -> Sequence[Rect]:
        """Draw hits into Primary; the texels of Temp that they may mark, gutter and all."""
        size = primary.size
        touched = scene.rects(hits, size, _MOST_RECTS) if self.ours else [Rect.whole(size)]
        rects = gather((rect.grown(_GUTTER, size) for rect in touched), len(touched))
        # The merge fills each texel of the gutter from the nearest one, so it must see those beyond.
        needed = [rect.grown(_GUTTER, size) for rect in rects]
        primary.draw(self.capturer.camera(scene, hits, needed, primary), changed=needed)
        return rects


def _first_run(hits: Sequence[Hit]) -> Sequence[Hit]:
    """The hits up to the first of another blend, as many as one pass takes."""
    hits = hits[:MOST_HITS]
    return next((hits[:index] for index, hit in enumerate(hits) if hit.blend != hits[0].blend), hits)
