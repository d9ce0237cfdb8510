"""What is made ahead of the hits, a little in each frame in which there are none."""

import itertools
from collections.abc import Iterator

from panda3d.core import NodePath

from panda_rtstamp.core.anchor import Anchor
from panda_rtstamp.errors import SurfaceError
from panda_rtstamp.stamps.config import StampConfig
from panda_rtstamp.stamps.drawing import Drawing
from panda_rtstamp.stamps.entries import TAG
from panda_rtstamp.stamps.pool import Pool, pair_bytes
from panda_rtstamp.stamps.surface import SurfaceStore
from panda_rtstamp.stamps.tagged import TaggedNodes

_DONE = object()
# Frames without hits between two in which it looks around, when it does not go through the scene.
_REST = 3


class IdleWork:
    """Warms up by itself: a pair, the shaders, and the surfaces of tagged nodes.

    Args:
        scene: where nodes are tagged.
        pool: the pairs.
        drawing: draws with the shaders.
        store: makes and keeps the surfaces.
    """

    def __init__(self, scene: NodePath, pool: Pool, drawing: Drawing, store: SurfaceStore) -> None:
        self._pool = pool
        self._drawing = drawing
        self._store = store
        self._tagged = TaggedNodes(scene, TAG)
        self._asked: list[Anchor] = []  # whose surfaces are to be kept next
        self._steps: Iterator[None] = iter(())  # of what is being made
        self._refused = False  # a pair, by the driver
        self._rest = 0

    def keep_later(self, node: NodePath) -> None:
        """Keep the surface of a node when its atlas is there, which is being made in the background."""
        self._asked.append(Anchor(node))

    def tick(self, config: StampConfig) -> None:
        """Do one thing. To be called in frames without hits."""
        if next(self._steps, _DONE) is not _DONE or self._store.atlases.busy:
            return
        if self._asked:
            self._keep_asked(config)
        elif config.warm_up and (self._make_pair(config) or self._drawing.warm_up_step()):
            return
        elif self._rest:
            self._rest -= 1
        else:
            self._look_around(config)

    def _make_pair(self, config: StampConfig) -> bool:
        """Make a pair, if none is free for the next node that is hit. True if one was made."""
        if self._refused or self._pool.free_count or self._pool.full or not config.free_pairs:
            return False
        format = config.target_format
        size = config.resolution_at(0.0)
        if self._pool.shortage(pair_bytes(size, format)) > 0:
            return False
        slot = self._pool.allocate(size, format)
        self._refused = slot is None
        if slot is None:
            return False
        self._drawing.clear(slot)
        self._pool.release(slot)
        return True

    def _look_around(self, config: StampConfig) -> None:
        """For what is kept in vain, and for nodes that were tagged."""
        kept = self._store.kept
        for _ in range(1 + _REST):
            kept.sweep()
        search = config.warm_up and not kept.full
        if not search or self._tagged.pausing:
            self._rest = _REST
        node = self._tagged.advance() if search else None
        if node is not None:
            self._steps = self._store.preparing(node, config)
            self.keep_later(node)

    def _keep_asked(self, config: StampConfig) -> None:
        anchor = self._asked.pop(0)
        node = anchor.node()
        anchor.release()
        if node.is_empty():
            return
        try:
            made = self._store.keep(node, config, [])
        except SurfaceError:
            # Nobody hit it.
            return
        if made is None:
            self.keep_later(node)
        else:
            self._steps = itertools.chain.from_iterable(prepared.indexing() for prepared in made)

    def destroy(self) -> None:
        """Let go of all nodes. Idempotent."""
        self._steps = iter(())
        for anchor in self._asked:
            anchor.release()
        self._asked.clear()
