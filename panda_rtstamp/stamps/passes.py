"""All passes of one node in one frame: captures of its hits, and what they do to Temp."""

from collections.abc import Sequence
from dataclasses import dataclass

from panda3d.core import NodePath

from panda_rtstamp.core.target import RenderTarget
from panda_rtstamp.stamps.capture import Capturer
from panda_rtstamp.stamps.fade import Merge, Merger
from panda_rtstamp.stamps.hit import Hit
from panda_rtstamp.stamps.pool import Pool, Slot
from panda_rtstamp.stamps.surface import Surface

# Each texel looks at each hit: a graphics card that is at it for 2 seconds is reset by Windows.
MOST_HITS = 1024


@dataclass(frozen=True)
class Scene:
    """What a capture draws.

    Attributes:
        node: the marked node.
        nested: the values of NESTED_TAG of nodes below it that are left out.
        also: nodes below it that are drawn by themselves too.
        surface: its geometry.
    """

    node: NodePath
    nested: Sequence[str]
    also: Sequence[NodePath]
    surface: Surface


@dataclass
class Passes:
    """Makes the passes of one window."""

    capturer: Capturer
    merger: Merger
    pool: Pool

    def draw(
        self,
        slot: Slot,
        scene: Scene,
        hits: Sequence[Hit],
        factors: Sequence[float],
        gain: float,
        clear: bool,
    ) -> Sequence[Hit]:
        """Store fades, then capture hits and merge them, in their order.

        Args:
            factors: Temp is multiplied by these first.
            gain: what a full mark is in Temp.
            clear: Temp holds nothing yet.

        Returns:
            The hits that must wait for the next frame: each run of one blend takes a texture of its own, and
            of these there are only so many.
        """
        merges: list[Merge] = []
        while hits:
            run = _first_run(hits)
            primary = self.pool.extra(slot) if merges else slot.primary
            if primary is None:
                break
            self._capture(primary, scene, run)
            merges.append(Merge(primary.texture, run[0].blend, gain))
            hits = hits[len(run) :]
            if len(run) == MOST_HITS:
                break
        if factors or merges:
            slot.temp.draw(self.merger.camera(slot.format, factors, merges), clear=clear)
        return hits

    def _capture(self, primary: RenderTarget, scene: Scene, hits: Sequence[Hit]) -> None:
        # Across a line there is no slope, by which the normals of models without any are found.
        edges = not scene.surface.overlaps and (
            scene.surface.has_normals or all(hit.normal is None for hit in hits)
        )
        cameras = self.capturer.cameras(scene.node, hits, primary.format, scene.nested, scene.also, edges)
        for number, camera in enumerate(cameras):
            primary.draw(camera, clear=number == 0)


def _first_run(hits: Sequence[Hit]) -> Sequence[Hit]:
    """The hits up to the first of another blend, as many as one pass takes."""
    hits = hits[:MOST_HITS]
    return next((hits[:index] for index, hit in enumerate(hits) if hit.blend != hits[0].blend), hits)
