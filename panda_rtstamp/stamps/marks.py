"""All living marks of one window: whom a hit marks, and who ends when."""

from collections import deque
from collections.abc import Iterable, Mapping, Sequence

from panda3d.core import NodePath

from panda_rtstamp.core.anchor import Anchor
from panda_rtstamp.core.context import Context
from panda_rtstamp.core.geometry import Array
from panda_rtstamp.core.log import warn, warn_once
from panda_rtstamp.errors import SurfaceError
from panda_rtstamp.stamps.binding import StampBinding
from panda_rtstamp.stamps.brush import Brushes
from panda_rtstamp.stamps.config import CLEAR, POOL, StampConfig
from panda_rtstamp.stamps.drawing import Drawing
from panda_rtstamp.stamps.endings import Endings
from panda_rtstamp.stamps.hit import Hit
from panda_rtstamp.stamps.idle import IdleWork
from panda_rtstamp.stamps.inputs import Clock
from panda_rtstamp.stamps.pool import Pool, Slot, pair_bytes
from panda_rtstamp.stamps.reading import MarkReader
from panda_rtstamp.stamps.registry import Registry
from panda_rtstamp.stamps.resolution import RESOLUTION_TAG, resolution_of, warn_if_coarse
from panda_rtstamp.stamps.saved import SavedMarks
from panda_rtstamp.stamps.shrink import Shrinker
from panda_rtstamp.stamps.slots import Slots
from panda_rtstamp.stamps.space import (
    may_touch,
    normal_to_node,
    to_node,
    vector_to_node,
)
from panda_rtstamp.stamps.surface import Surface, SurfaceStore

# Bindings that are asked in each frame whether their nodes are alive: by default all that there may be.
_LOOKED_AT = 16


class Marks:
    """The bindings of one window's graphics.

    Args:
        context: the window.
        config: settings.
        clock: tells the time.
        brushes: the pictures that hits name.
    """

    def __init__(self, context: Context, config: StampConfig, clock: Clock, brushes: Brushes) -> None:
        self.context = context
        self.pool = Pool(context, config, clock)
        self._shrinker = Shrinker(self.pool)
        self._config = config
        self._clock = clock
        self._registry = Registry()
        self.slots = Slots(config, self.pool, self._shrinker, self._registry.all, self.release)
        self._endings = Endings()
        self._store = SurfaceStore()
        self._cold: list[Slot] | None = None  # pairs to clear in the next frame, and draw with every shader
        self.drawing = Drawing(context, self.pool, brushes)
        self.drawing.use(config)
        self.reader = MarkReader(context)
        self._idle = IdleWork(context.base.render, self.pool, self.drawing, self._store)

    @property
    def bindings(self) -> list[StampBinding]:
        """In the order in which they were first hit."""
        return list(self._registry.all.values())

    # Hits.

    def hit(self, node: NodePath, hit: Hit, space: NodePath | None) -> StampBinding | None:
        """Take a hit. None if the node cannot be marked.

        Args:
            hit: its point is in `space` (None: the world), its directions are in the world.
        """
        local = to_node(hit.point, space, node)
        if local is None:
            warn_once(f"flat {node}", f"{node} is scaled to nothing and cannot be marked")
            return None
        binding = self.covering(node)
        if binding is not None and any(inner.released for inner in binding.nested):
            self._adopt(binding)
            binding = self.covering(node)
        if binding is not None and not binding.waiting and binding.surface.replaced:
            # What the marks were laid out by is gone.
            self.release(binding)
            binding = self.covering(node)
        if binding is None:
            nested = self._registry.below(node)
            if hit.blend != "erase":
                binding = self._bind(node, local, hit.radius, nested)
        else:
            nested = binding.nested
            # Who chose the resolution knows.
            finer = hit.radius < binding.smallest_radius and hit.blend != "erase"
            if finer and not node.has_net_tag(RESOLUTION_TAG):
                warn_if_coarse(node, binding.surface, hit.radius, binding.resolution)
        takers = [] if binding is None else [binding]
        if nested:
            top = node if binding is None else binding.node
            paths = [(inner, inner.node) for inner in nested]
            below = [(inner, path) for inner, path in paths if path and top.is_ancestor_of(path)]
            takers += [inner for inner, path in below if may_touch(path, node, local, hit.reach)]
        for taker in takers:
            self._give(taker, node, local, hit)
        return takers[0] if takers else None

    def _give(self, taker: StampBinding, node: NodePath, local: Array, hit: Hit) -> None:
        """Add a hit, at `local` in the node's space, to a binding."""
        marked = taker.node
        point = local if marked == node else to_node(local, node, marked)
        if point is not None:
            normal = None if hit.normal is None else normal_to_node(hit.normal, marked)
            right = None if hit.right is None else vector_to_node(hit.right, marked)
            blend = hit.blend or self._config.blend_in(taker.slot.format)
            taker.add_hit(hit.moved(point, normal, right, blend), marked)
            self._registry.due[taker.key] = taker
            self._schedule(taker)

    # Bindings.

    def covering(self, node: NodePath) -> StampBinding | None:
        """The binding of the node, or of its nearest ancestor that has one."""
        return self._registry.covering(node)

    def _bind(
        self, node: NodePath, local: Array, radius: float, nested: list[StampBinding]
    ) -> StampBinding | None:
        surface = self._prepare(node, nested)
        if surface is None:
            return None
        size = resolution_of(node, surface, local, radius, self._config, self.context.camera)
        slot = self.slots.take(size)
        if any(inner.released for inner in nested):
            # One of them had to make room, and its geometry is nobody's now.
            nested[:] = [inner for inner in nested if not inner.released]
            self._store.restore(surface)
            surface = self._prepare(node, nested)
        if slot is None or surface is None:
            if surface is not None:
                self._store.restore(surface)
            if slot is not None:
                self.pool.release(slot)
            return None
        return self._admit(node, surface, slot, nested)

    def _admit(
        self, node: NodePath, surface: Surface, slot: Slot, nested: Sequence[StampBinding]
    ) -> StampBinding:
        anchor = Anchor(node)
        stale = self._registry.all.get(anchor.key)
        if stale is not None:
            # Of a node that is gone, and whose address this one got.
            self.release(stale)
        binding = StampBinding(self._config, anchor, surface, slot, self._clock)
        binding.nest(nested)
        self._registry.add(binding)
        return binding

    def restore(self, node: NodePath, saved: SavedMarks) -> StampBinding | None:
        """Give a node, which must not have any, the marks that it had when they were saved.

        None where that cannot be done, which is logged.
        """
        if saved.places.corners is not None:
            self._store.hold_atlas(saved.geometry, saved.places.corners)
        more = pair_bytes(saved.size, self._config.target_format)
        if more <= self._config.max_bytes:
            self.slots.free_memory(more, [other for other in self.bindings if other.stored is None])
        nested = self._registry.below(node)
        surface = self._prepare(node, nested)
        if surface is None:
            return None
        if not saved.fits(node, surface):
            self._store.restore(surface)
            warn(f"{node}: its saved marks are left out: its stamp UVs are not what they were")
            return None
        slot = self.pool.allocate(saved.size, self._config.target_format)
        if slot is None:
            self._store.restore(surface)
            if self.pool.shortage(more) > 0:
                warn(f"{node}: its saved marks are left out: max_memory has no room for them")
            return None
        binding = self._admit(node, surface, slot, nested)
        binding.restore(saved)
        self._registry.due[binding.key] = binding
        self._schedule(binding)
        return binding

    def _take_surfaces(self) -> None:
        """Give the bindings that wait for their surfaces those that are ready now."""
        for binding in list(self._registry.unready.values()) if self._store.atlases.poll() else []:
            node = binding.node
            nested = [inner for inner in binding.nested if not inner.released and inner.alive]
            surface = None if node.is_empty() else self._prepare(node, nested)
            if surface is None:
                self.release(binding)
            elif surface.ready:
                del self._registry.unready[binding.key]
                binding.resurface(surface)
                self._registry.watch(binding)
                self._schedule(binding)

    def _prepare(self, node: NodePath, nested: Sequence[StampBinding]) -> Surface | None:
        try:
            return self._store.prepare(node, self._config, [inner.node for inner in nested])
        except SurfaceError as error:
            _explain(node, nested, error)
            return None

    def _adopt(self, binding: StampBinding) -> None:
        """Take over the geometry of bindings below this one that are gone, if it has a place on the texture.

        An atlas has none for it, and another one would not fit the marks that there are: hits there make
        marks of their own from now on.
        """
        gone = [inner for inner in binding.nested if inner.released]
        nested = [inner for inner in binding.nested if not inner.released and inner.alive]
        if not binding.surface.can_extend(binding.node, self._config, [inner.node for inner in nested]):
            binding.left_out |= {inner.key for inner in gone}
            binding.nest(nested)
            return
        surface = self._prepare(binding.node, nested)
        if surface is not None:
            self._store.restore(binding.resurface(surface))
            self._registry.watch(binding)
        binding.nest(nested)

    def release(self, binding: StampBinding, what: str = "released") -> None:
        """End a node's marks and give their textures back."""
        self._registry.remove(binding)
        self._store.restore(binding.release())
        self._shrinker.forget(binding)
        self.pool.release(binding.slot, what)

    def _schedule(self, binding: StampBinding) -> None:
        self._endings.schedule(binding, self._registry.all.values())

    def fade(self, bindings: Iterable[StampBinding], duration: float) -> None:
        """Let these fade from now on, in `duration` seconds (0: the config's)."""
        for binding in bindings:
            binding.start_fade(duration)
            self._schedule(binding)

    def clear(self) -> None:
        """End all marks."""
        for binding in self.bindings:
            self.release(binding)
        self._endings.clear()

    def apply(self, config: StampConfig, costs: set[str]) -> None:
        """Go on under other settings; `costs` says what differs."""
        self._config = config
        self.slots.apply(config)
        if CLEAR in costs:
            self.clear()
        self.drawing.use(config)
        for binding in self.bindings:
            binding.apply(config, costs)
            self._registry.watch(binding)
            self._schedule(binding)
        if POOL in costs:
            self.slots.make_room(0)
            self.pool.apply(config)
            self.slots.free_memory(0, self.bindings)

    def warm_up(self, slots: Mapping[int, int], nodes: Sequence[NodePath]) -> None:
        """See StampSystem.warm_up."""
        for node in nodes:
            if self.covering(node) is None:
                self._keep(node)
        sizes = [size for size, count in slots.items() for _ in range(count)]
        room = self._config.max_pool_size - self.pool.active_count
        made = [self.pool.allocate(size, self._config.target_format) for size in sizes[:room]]
        self._cold = [slot for slot in made if slot is not None]
        for slot in self._cold:
            self.pool.release(slot)

    def _keep(self, node: NodePath) -> None:
        nested = self._registry.below(node)
        try:
            made = self._store.keep(node, self._config, [inner.node for inner in nested])
            if made is None:
                self._idle.keep_later(node)
            for prepared in made or []:
                deque(prepared.indexing(), 0)
        except SurfaceError as error:
            _explain(node, nested, error)

    # Every frame.

    def tick(self) -> None:
        """End what has faded or lost its node, and make this frame's passes."""
        if not self.context.advance():
            # The passes of the last tick are not drawn yet; what came since waits for the next frame.
            return
        now = self._clock.publish()
        self.drawing.begin()
        if self._cold is not None:
            self.drawing.warm_up(self._cold)
            self._cold = None
        self.slots.release_dead(_LOOKED_AT)
        if self._store.atlases.busy:
            self._take_surfaces()
        if self._registry.hanging:
            self._follow_transforms()
        for binding in self._endings.take_due(now, self._registry.all.values()):
            self.release(binding)
        for slot in self._shrinker.draw():
            self.drawing.watch(slot)
        self.pool.tick(quiet=not self._registry.due)
        if not self._registry.due and not self._registry.unready:
            self._idle.tick(self._config)
        if self._registry.due or self._registry.textbook:
            self._draw()
        if self.reader.busy:
            self.reader.tick()

    def _follow_transforms(self) -> None:
        for binding in list(self._registry.hanging.values()):
            if binding.node.is_empty():
                # An instance that was cut off: its overlays hang above, and would stay.
                self.release(binding)
            else:
                binding.follow_transform()

    def _draw(self) -> None:
        """Make the passes of nodes that were hit, those that wait longest first, and of textbook fades."""
        ready = [binding for binding in self._registry.due.values() if binding.ready]
        drawn = {binding.key: binding for binding in ready[: self._config.captures_per_frame]}
        drawn |= {key: binding for key, binding in self._registry.textbook.items() if binding.fading}
        for key, binding in drawn.items():
            if not self.drawing.draw(binding):
                self.release(binding)
            elif not binding.waiting:
                self._registry.due.pop(key, None)

    def destroy(self) -> None:
        """End all marks and free all textures."""
        self.clear()
        self._idle.destroy()
        self._store.destroy()
        self.reader.destroy()
        self.drawing.destroy()
        self.pool.destroy()


def _explain(node: NodePath, nested: Sequence[StampBinding], error: SurfaceError) -> None:
    """Say once why a node cannot be marked; not if the marks below it have all of its geometry."""
    if not nested:
        reason = str(error).replace(str(node), "")
        warn_once(f"surface {node.get_name()} {type(node.node())} {reason}", str(error))
