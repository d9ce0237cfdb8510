"""The stamp system: everything that users call, and the task that works once a frame."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
from direct.task import Task
from panda3d.core import NodePath

from panda_rtstamp.core.arguments import check_base, check_node
from panda_rtstamp.core.files import as_path
from panda_rtstamp.core.geometry import Array
from panda_rtstamp.core.log import warn_once
from panda_rtstamp.core.readback import ReadFuture
from panda_rtstamp.errors import ConfigError
from panda_rtstamp.stamps import arguments as check
from panda_rtstamp.stamps.binding import StampBinding
from panda_rtstamp.stamps.brush import Brush, Brushes
from panda_rtstamp.stamps.config import StampConfig
from panda_rtstamp.stamps.debug import DebugView
from panda_rtstamp.stamps.entries import contacts, without_overlay
from panda_rtstamp.stamps.hit import Hit
from panda_rtstamp.stamps.inputs import Clock, no_marks, set_inputs
from panda_rtstamp.stamps.names import find_node
from panda_rtstamp.stamps.record import HitListeners, unpack_record, with_known_brush, with_world_directions
from panda_rtstamp.stamps.space import right_of, to_world
from panda_rtstamp.stamps.store import gather, give_back
from panda_rtstamp.stamps.store_file import read_file, write_file
from panda_rtstamp.stamps.window import WindowMarks

_WHITE = (1.0, 1.0, 1.0, 1.0)
# After everything that moves nodes or reports collisions, before igLoop (50) draws.
_TASK_SORT = 48


class StampSystem:
    """Marks on the models of one ShowBase.

    Args:
        base: a ShowBase. Without a window that can draw marks the system is inert: `enabled` is False, and
            every call is a cheap no-op.
        config: settings; None takes the defaults and PRC variables.

    Raises:
        ConfigError: `base` is no ShowBase, or `config` no StampConfig.
        ShaderError: a shader file of the config is missing or does not compile.
    """

    def __init__(self, base: Any, config: StampConfig | None = None) -> None:
        check_base(base)
        checked = check.check_config(config if config is not None else StampConfig())
        self._base = base
        self._clock = Clock()
        self._brushes = Brushes()
        self._listeners = HitListeners()
        # Of our own: a game's random numbers are to stay what they would be without marks.
        self._random = random.Random(0)
        self._window = WindowMarks(base, checked, self._clock, self._brushes)
        self._debug: DebugView | None = None
        self._task: Task.Task | None = base.task_mgr.add(self._tick, "rtstamp", sort=_TASK_SORT)
        base.finalExitCallbacks.append(self.destroy)

    def __enter__(self) -> StampSystem:
        return self

    def __exit__(self, *_: object) -> None:
        self.destroy()

    # What there is.

    @property
    def config(self) -> StampConfig:
        """The settings in force."""
        return self._window.config

    @property
    def enabled(self) -> bool:
        """True if marks can be made: there is a window fit for it, and the system was not destroyed."""
        return self._window.enabled

    @property
    def bindings(self) -> list[StampBinding]:
        """All nodes that carry marks now, in the order in which they were first hit."""
        return self._window.held.bindings if self._window.held is not None else []

    @property
    def active_count(self) -> int:
        """How many nodes carry marks now."""
        return len(self.bindings)

    @property
    def capture_count(self) -> int:
        """How many captures were drawn since the system was made: one for each node and frame with hits."""
        return self._window.capture_count

    @property
    def memory_bytes(self) -> int:
        """Graphics memory of all texture pairs, used and free."""
        return self._window.held.pool.memory_bytes if self._window.held is not None else 0

    def binding(self, node: NodePath) -> StampBinding | None:
        """The marks that a hit on `node` would join: its own, or those of the nearest marked ancestor."""
        found = without_overlay(check_node("node", node))
        return self._window.held.covering(found) if self._window.held is not None else None

    # Hits.

    def hit(
        self,
        node: NodePath,
        point: Any,
        *,
        other: NodePath | None = None,
        radius: float = 1.0,
        opacity: float = 1.0,
        hardness: float | None = None,
        color: Any = None,
        normal: Any = None,
        brush: Any = None,
        blend: str | None = None,
    ) -> StampBinding | None:
        """Mark a node where it was hit. The mark is seen in this frame already.

        It is a sphere in the world, of which the surface shows the part it passes through, with the strength
        `opacity * clamp((1 - distance / radius) / (1 - hardness), 0, 1)`.

        Args:
            node: the model, with all that is below it.
            point: where, three numbers in `other`'s space.
            other: None for the world. The node itself keeps precision far from the origin.
            radius: in world units.
            opacity: 0..1.
            hardness: 0..1; None for the config's.
            color: 3 or 4 numbers, 0..1; None for the config's stamp_color, or white with a brush. Alpha
                multiplies the opacity. One-channel formats keep no colour.
            normal: three numbers in `other`'s space: the mark stays on surfaces that face this way, so that
                it does not come out on the other side of a thin wall (see StampConfig.facing_softness).
                None: it is on all that the sphere touches.
            brush: a Brush, or what one can be made of: a picture that is projected along the normal, in place
                of the sphere. Its longer edge is twice the radius; hardness says nothing then.
            blend: how it meets the marks before it: "over" covers them, "add" adds up to full, "max" keeps
                the stronger one, "erase" takes away. None for the config's.

        The tags `rtstamp-radius`, `rtstamp-color`, `rtstamp-resolution` of the node or an ancestor override.

        Returns:
            The node's marks; None where there can be none (no window, no geometry, no usable UVs), which is
            logged once.

        Raises:
            ConfigError: an argument is of the wrong type, not finite or out of range, there is no such brush,
                or there is a brush and no normal.
        """
        node = without_overlay(check_node("node", node))
        where = check.check_point("point", point)
        space = check_node("other", other) if other is not None else None
        options = check.HitOptions(
            radius=radius,
            opacity=opacity,
            hardness=hardness,
            color=color,
            normal=normal,
            brush=brush,
            blend=blend,
        )
        if options.brush is not None:
            if options.normal is None:
                raise ConfigError("a brush needs the hit's normal: normal must be three numbers, got None")
            self._brushes.layer(options.brush)
        return self._hit(node, where, space, options)

    def _hit(
        self, node: NodePath, where: Array, space: NodePath | None, options: check.HitOptions
    ) -> StampBinding | None:
        marks = self._window.follow()
        if marks is None:
            warn_once("no window", "there is no window to draw marks with; hits leave none")
            return None
        config = self.config
        normal = None if options.normal is None else to_world(options.normal, space)
        # An entry need not know the normal.
        brush = None if normal is None else options.brush
        plain = config.stamp_color if brush is None else _WHITE
        paint = check.tag_value(node, "rtstamp-color") or options.color or plain
        hit = Hit(
            point=where,
            radius=check.tag_value(node, "rtstamp-radius") or options.radius,
            opacity=options.opacity * paint[3],
            hardness=config.hardness if options.hardness is None else options.hardness,
            color=paint[:3],
            blend=options.blend or "",
            softness=config.facing_softness,
            normal=normal,
            brush=brush,
            right=None if brush is None or normal is None else right_of(normal, self._rotation(brush)),
        )
        made = marks.hit(node, hit, space)
        if made is not None:
            blend = hit.blend or config.blend_in(made.slot.format)
            self._listeners.tell(node, hit, blend, space, self._base.render)
        return made

    def _rotation(self, brush: Brush) -> float:
        return self._random.uniform(0.0, 360.0) if brush.rotation is None else brush.rotation

    def hit_entry(
        self,
        entry: Any,
        *,
        radius: float = 1.0,
        opacity: float = 1.0,
        hardness: float | None = None,
        color: Any = None,
        facing: bool = False,
        brush: Any = None,
        blend: str | None = None,
    ) -> StampBinding | None:
        """Mark what a collision or a ray hit: the nearest ancestor that is tagged `rtstamp` (any value).

        Args:
            entry: a CollisionEntry; or a Bullet ray's result, closest hit or all hits (all are marked).
            radius, opacity, hardness, color, brush, blend: as for `hit`.
            facing: keep the mark on surfaces that face the way the entry's normal points. With a brush it
                always is.

        Returns:
            The marks of the node that was hit first; None if nothing tagged was hit.

        Raises:
            ConfigError: the entry is something else, or an option is wrong.
        """
        options = check.HitOptions(
            radius=radius, opacity=opacity, hardness=hardness, color=color, brush=brush, blend=blend
        )
        if options.brush is not None:
            self._brushes.layer(options.brush)
        if not self.enabled:
            return None
        first: StampBinding | None = None
        for contact in contacts(entry, self._base.render):
            chosen = options
            if facing or options.brush is not None:
                chosen = replace(options, normal=contact.normal)
            made = self._hit(contact.node, check.check_point("point", contact.point), contact.space, chosen)
            first = first or made
        return first

    # Hits of other machines.

    def on_hit(self, callback: Callable[[bytes], object]) -> Callable[[], None]:
        """Call `callback` with each hit that makes a mark here, for `apply` on other machines.

        A record is 100 to 200 bytes: the node, by its tag `rtstamp-id` or that of a node above it, or else by
        its path below the scene's top; and the hit in the node's own space, complete, whatever the settings
        are elsewhere. Brushes go by name: on each machine, give those that are not ready ones to `warm_up`.
        Hits that `apply` makes are not told again. A callback that fails is warned about once.

        Returns:
            A function that ends it.

        Raises:
            ConfigError: `callback` cannot be called.
        """
        return self._listeners.add(callback)

    def apply(self, record: bytes) -> StampBinding | None:
        """Make the mark of a hit somewhere else, as `on_hit` handed it out there.

        Returns:
            As `hit`; None too where there is no such node, which is logged once. A brush that was neither
            used nor warmed up here leaves a plain mark: nobody elsewhere chooses which files are read.

        Raises:
            ConfigError: it is no such record, or damaged, or a later version's. Whatever the bytes are, no
                more than that can come of them.
        """
        name, hit = unpack_record(record)
        marks = self._window.follow()
        if marks is None:
            warn_once("no window", "there is no window to draw marks with; hits leave none")
            return None
        node = find_node(name, self._base.render)
        if node.is_empty():
            warn_once(f"record {name}", f"a hit elsewhere leaves no mark here: there is no node {name}")
            return None
        hit = with_known_brush(hit, self._brushes)
        return marks.hit(node, with_world_directions(hit, node), node)

    # Files.

    def save(self, path: Any) -> int:
        """Write all marks to a file, as they are now, for `load`. Waits for the graphics card.

        What the file held before stays there until it is replaced as a whole.

        Args:
            path: a file's path.

        Returns:
            How many nodes' marks it holds. Without a window there are none, which is logged once, and nothing
            is written.

        Raises:
            ConfigError: `path` is no path.
            StoreError: the file cannot be written.
        """
        file = as_path(path)
        marks = self._window.follow()
        if marks is None:
            warn_once("no window to save", "there is no window, so there are no marks to save")
            return 0
        saved = gather(marks, self._base.render)
        write_file(file, saved)
        return len(saved)

    def load(self, path: Any, root: NodePath | None = None) -> int:
        """Give nodes the marks back that `save` wrote, which go on from where they were.

        Nodes are found by their tag `rtstamp-id` or that of a node above them, or else by their path. What
        they are marked with now gives way, on nodes above and below them too. A node that is not there, or
        whose geometry or UVs differ, is named in the log and left out. Marks of another format are converted;
        what they fade by are the settings here.

        Args:
            path: a file's path.
            root: the top of the scene; None for the world.

        Returns:
            How many nodes got their marks back: 0 without a window, which is logged once. Where max_pool_size
            is too small, the strongest.

        Raises:
            ConfigError: an argument is wrong.
            StoreError: the file cannot be read, is damaged or cut off, of a later version, or no file of
                marks. Nothing was changed.
        """
        file = as_path(path)
        top = self._base.render if root is None else check_node("root", root)
        saved = read_file(file)
        marks = self._window.follow()
        if marks is None:
            warn_once("no window to load", "there is no window to show saved marks in")
            return 0
        return give_back(marks, saved, top, self._brushes, self.config.age_weight)

    # Fading.

    def start_fade(self, node: NodePath, duration: float = 0.0) -> None:
        """Let a node's marks, if it has any, fade from now on, in `duration` seconds (0: the config's)."""
        seconds = check.check_duration(duration)
        binding = self.binding(node)
        self._fade([binding] if binding is not None else [], seconds)

    def start_fade_by_actor(self, actor: NodePath, duration: float = 0.0) -> None:
        """The same for every marked node at or below `actor`, a NodePath or an Actor."""
        root = check_node("actor", actor)
        nodes = [(binding, binding.node) for binding in self.bindings if not binding.node.is_empty()]
        inside = [binding for binding, node in nodes if node == root or root.is_ancestor_of(node)]
        self._fade(inside, check.check_duration(duration))

    def start_fade_all(self, duration: float = 0.0) -> None:
        """The same for every marked node."""
        self._fade(self.bindings, check.check_duration(duration))

    def _fade(self, bindings: list[StampBinding], duration: float) -> None:
        if self._window.held is not None:
            self._window.held.fade(bindings, duration)

    def clear_all(self) -> None:
        """Take all marks away now."""
        if self._window.held is not None:
            self._window.held.clear()

    # Settings.

    def set_config(self, config: StampConfig) -> None:
        """Go on with other settings. Marks stay where they can: see the cost of each field in
        docs/configuration.md.

        Raises:
            ConfigError: `config` is not a StampConfig.
            ShaderError: a shader file of the config is missing or does not compile. Nothing was changed.
        """
        self._window.set_config(check.check_config(config))

    # Reading.

    def image(self, node: NodePath) -> npt.NDArray[np.float32] | None:
        """A node's marks as the player sees them now, laid out by the stamp UVs. Waits for the graphics card.

        Under a threading model some frames are drawn meanwhile.

        Returns:
            float32 (height, width, 4), row 0 at v = 0: colour, premultiplied by the mask, which is in alpha.
            None if the node has no marks.
        """
        binding = self.binding(node)
        if binding is None or self._window.held is None:
            return None
        return self._window.held.reader.image(binding)

    def image_async(self, node: NodePath) -> ReadFuture:
        """The same without waiting: for use in play.

        Returns:
            A future, to be awaited or asked by `done()` and `result()`, of what `image` gives, as of the next
            frame. It takes some frames.
        """
        binding = self.binding(node)
        if binding is None or self._window.held is None:
            return _answered(None)
        return self._window.held.reader.image_async(binding)

    def coverage(self, node: NodePath) -> float:
        """How much of a node is marked as the player sees it now. Waits for the graphics card.

        Args:
            node: the marked node; or one below it, for the share of that alone.

        Returns:
            0..1: the mean of the mask over the area in the world of all triangles that can be marked, in the
            bind pose; 0 if there are no marks.
        """
        node = without_overlay(check_node("node", node))
        binding = self.binding(node)
        if binding is None or self._window.held is None:
            return 0.0
        return self._window.held.reader.coverage(binding, node)

    def coverage_async(self, node: NodePath) -> ReadFuture:
        """The same without waiting: a future of the number, as of the next frame. It takes some frames."""
        node = without_overlay(check_node("node", node))
        binding = self.binding(node)
        if binding is None or self._window.held is None:
            return _answered(0.0)
        return self._window.held.reader.coverage_async(binding, node)

    def set_default_inputs(self, node: NodePath) -> None:
        """Set the inputs of shaders/common/mark.glsl on a node, so that a shader which reads them can be
        drawn before the first hit (`display="shader"`). They show no marks.
        """
        set_inputs(check_node("node", node), no_marks(self._clock))

    def show_debug(self, show: bool = True) -> None:
        """Show the texture pairs in use in a corner of the window, with size, alpha and age."""
        if self._debug is not None:
            self._debug.destroy()
        self._debug = DebugView(self._base) if show and self.enabled else None

    def warm_up(
        self,
        slots: int | Mapping[int, int] = 4,
        *,
        brushes: Iterable[Any] = (),
        nodes: Iterable[NodePath] = (),
    ) -> None:
        """Make now what the first hits would make in the middle of a fight: shaders and texture pairs.

        With StampConfig.warm_up that is made by and by, in frames without hits: shaders, a pair, and what
        nodes tagged `rtstamp` need. This call makes it at once, as behind a loading screen; shaders are drawn
        with in the next frame.

        Args:
            slots: how many free pairs of 1024 x 1024 there are to be at least; or, as `{512: 8, 2048: 1}`,
                how many of each resolution. Where max_pool_size has no room for all, the last are not made.
            brushes: what hits will be given as `brush`: their pictures are read.
            nodes: what will be hit, tagged or not: its vertices are copied with stamp UVs, for which it is
                unwrapped if it needs to be, big models in the background. The nodes are left alone.

        Raises:
            ConfigError: a number is no whole number >= 0, a resolution no power of two from 64 to 4096, there
                is no such brush, or a node is none.
        """
        wanted = check.check_slots(slots)
        pictures = [check.HitOptions(brush=brush).brush for brush in brushes]
        models = [without_overlay(check_node("nodes", node)) for node in nodes]
        for brush in pictures:
            self._brushes.layer(brush)
        marks = self._window.follow()
        if marks is not None:
            marks.warm_up(wanted, models)

    # Every frame.

    def _tick(self, task: Task.Task) -> int:
        marks = self._window.follow()
        if marks is not None:
            try:
                marks.tick()
                if self._debug is not None:
                    self._debug.update(marks.bindings)
            except Exception as error:  # Whatever it is, a game must not stop for its marks.
                warn_once(f"tick {error!r}", f"a frame's marks went wrong: {error!r}")
        return int(Task.cont)

    def destroy(self) -> None:
        """Take all marks away and give everything back. Idempotent."""
        self.show_debug(False)
        self._window.close()
        self._listeners.clear()
        if self._task is not None:
            self._base.task_mgr.remove(self._task)
            self._task = None
        if self.destroy in self._base.finalExitCallbacks:
            self._base.finalExitCallbacks.remove(self.destroy)


def _answered(value: float | None) -> ReadFuture:
    future = ReadFuture()
    future.set_result(value)
    return future
