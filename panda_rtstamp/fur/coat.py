"""Coats: fur of shells on a model, static or animated, as it comes."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import Any

from panda3d.core import ClockObject, LVecBase2f, LVecBase4f, Material, NodePath, RenderState, Texture

from panda_rtstamp.core.anchor import Anchor
from panda_rtstamp.core.arguments import check_node
from panda_rtstamp.core.config import Rule, integer, number
from panda_rtstamp.core.geometry import net_matrix
from panda_rtstamp.errors import ConfigError
from panda_rtstamp.fur.config import FurConfig, FurLook, resolve
from panda_rtstamp.fur.inputs import Marks, Motion
from panda_rtstamp.fur.levels import ACTORS, LIMITS, STATIC, layer_count, switches
from panda_rtstamp.fur.motion import Lag
from panda_rtstamp.fur.parts import Parts, level_of
from panda_rtstamp.fur.sections import SectionKey, Source, as_key, as_keys, find_sources, is_actor
from panda_rtstamp.fur.shells import Shells, size_of
from panda_rtstamp.fur.upkeep import UPKEEP

SectionName = str | Material | RenderState | SectionKey
_SHARE = Rule(number, "a number, 0 to 1", low=0.0, high=1.0)
_FLAT = 1e-6
_LEVEL = Rule(integer, "a whole number, 0 to 64", low=0, high=64)


class FurCoat:
    """Fur on a node and all below it: one more draw for each section, and no vertices of its own.

    The model is drawn as before, to the bit. The coat hangs below its GeomNodes, and follows their
    transforms, hiding, reparenting, joints and morphs; but not what a shader of the model's own does to
    vertices. It is in no shadow map of a light that lights it. Copies of the node keep the coat that they
    were made with.

    Args:
        node: a model or an Actor; its whole subtree is meant. The coat ends when it is destroyed.
        config: what it is like; what it leaves open comes from tags, PRC variables and defaults.
        section: what grows fur: the name of a material, a Material, or a Geom's RenderState if that has none;
            or a list of these. None: everything.

    Raises:
        ConfigError: a wrong argument, tag or PRC variable, or a section that the node has not.
    """

    def __init__(
        self,
        node: NodePath,
        config: FurConfig | None = None,
        section: SectionName | Sequence[SectionName] | None = None,
    ) -> None:
        check_node("node", node)
        self._config = _check_config(config)
        self._look = resolve(node, self._config)
        present = list(dict.fromkeys(source.key for source in find_sources(node)))
        keys = as_keys(section, present)
        self._sections = {key: FurConfig() for key in keys}
        # New sections get fur too, unless some were chosen.
        self._all = section is None
        self._kind = ACTORS if is_actor(node) else STATIC
        self._size = _size_of(node)
        self._motion = Motion()
        self._marks: Marks | None = None
        self._enabled = True
        self._swings = False
        self._parts = Parts()
        LIMITS.limit(self._kind)
        self._anchor = Anchor(node)
        self._lag = self._new_lag(node)
        self._destroyed = False
        self.refresh()
        UPKEEP.add(self)

    # What users read and set.

    @property
    def node(self) -> NodePath:
        """The node, by its present path; empty once it is destroyed."""
        return self._anchor.node()

    @property
    def alive(self) -> bool:
        """False once the node was destroyed, or this was."""
        return not self._destroyed and self._anchor.alive

    @property
    def sections(self) -> tuple[SectionKey, ...]:
        """What grows fur, in the order in which it was found."""
        return tuple(self._sections)

    @property
    def enabled(self) -> bool:
        """False: nothing is drawn. Costs nothing to change."""
        return self._enabled

    @enabled.setter
    def enabled(self, value: bool) -> None:
        self._enabled = bool(value)
        self.show()

    @property
    def config(self) -> FurConfig:
        """As it was given."""
        return self._config

    def set_config(self, config: FurConfig | None, section: SectionName | None = None) -> None:
        """Change what the coat is like, or one section of it: what that leaves open comes from the coat's.

        Raises:
            ConfigError: a wrong argument, tag or PRC variable, or no such section. Nothing was changed.
        """
        checked, swung = _check_config(config), self.swings
        with self._kept_on_errors():
            if section is None:
                self._config = checked
            else:
                key = as_key(section)
                as_keys(key, list(self._sections))
                self._sections[key] = checked
            self.refresh()
        if self.alive and self.swings and not swung:
            self._lag = self._new_lag(self.node)
        UPKEEP.follow(self)

    @contextmanager
    def _kept_on_errors(self) -> Iterator[None]:
        before = self._config, dict(self._sections), self._marks
        try:
            yield
        except ConfigError:
            self._config, self._sections, self._marks = before
            raise

    def section_config(self, section: SectionName) -> FurConfig:
        """What was set for a section. Raises ConfigError if there is none like it."""
        return self._sections[as_keys(section, list(self._sections))[0]]

    def layers_at(self, level: int, section: SectionName | None = None) -> int:
        """How many layers a level of detail has, from 0, the finest: as many are made, and drawn.

        Raises:
            ConfigError: a wrong argument.
        """
        checked: int = _LEVEL.check("level", level)
        if section is None:
            return self._count(self._look, checked)
        return self._count(resolve(self.node, self.section_config(section), self._config), checked)

    def _count(self, look: FurLook, level: int) -> int:
        wanted = look.layers + look.layer_bias if look.enabled else 0
        return layer_count(wanted, LIMITS.limit(self._kind, look.limits), level)

    def set_marks(
        self,
        texture: Texture | None,
        *,
        cut: float = 1.0,
        burn: float = 0.5,
        column: str = "rtstamp_uv",
        inputs: Mapping[str, Any] | None = None,
    ) -> None:
        """Let marks cut strands, and burn what is left of them.

        Args:
            texture: premultiplied colour and the mask in alpha, as stamps accumulate; None: no marks.
            cut: how much of a strand's length a full mark takes, 0..1.
            burn: how much a full mark blackens the tip of what is left, 0..1.
            column: of the vertices, the texture's UVs. What lacks it is left alone.
            inputs: other values for inputs of `rtstamp/common/mark.glsl`, by name: how marks fade.

        Raises:
            ConfigError: a wrong argument. Nothing was changed.
        """
        with self._kept_on_errors():
            self._marks = None if texture is None else _check_marks(texture, cut, burn, column, inputs)
            self.refresh()

    # Making it.

    def refresh(self) -> None:
        """Take over what changed in the model: materials, textures, Geoms, GeomNodes, levels of detail, tags.

        What did not change stays as it is. Does nothing once the node is destroyed.

        Raises:
            ConfigError: a tag or a PRC variable says what is not allowed. Nothing was changed.
        """
        if not self.alive:
            return
        root = self.node
        look = resolve(root, self._config)
        sources = find_sources(root)
        if self._all:
            found = dict.fromkeys((source.key for source in sources), FurConfig())
            said = {key: config for key, config in self._sections.items() if config != FurConfig()}
            # What is gone is forgotten, unless something was said of it: it may come back.
            self._sections = {**found, **said}
        wanted = [self._shells(root, source) for source in sources if source.key in self._sections]
        self._look = look
        looks = [look, *(shells.look for shells in wanted)]
        self._swings = any(each.largest_bend > 0.0 for each in looks)
        self._parts.update(wanted)
        self.show()

    def _shells(self, root: NodePath, source: Source) -> Shells:
        look = resolve(root, self._sections[source.key], self._config)
        level = level_of(source.path)
        levels = range(len(look.bands) + 1) if level is None else (level,)
        counts = tuple(self._count(look, number) for number in levels)
        size = self._size * size_of(net_matrix(source.path)[:3, :3]) / size_of(net_matrix(root)[:3, :3])
        # Rounded, or what stands elsewhere would be another length by a hair, and made anew.
        length = float(f"{look.length / size:.6g}")
        return Shells(source, look, counts, length, self._motion, self._marks)

    # What goes on in play: upkeep.py.

    def _new_lag(self, node: NodePath) -> Lag:
        now = ClockObject.get_global_clock().get_frame_time()
        return Lag(node.get_net_transform(), now, self._motion)

    def show(self) -> None:
        """Be drawn or not, as `enabled` and the PRC switch of the node's class say."""
        self._parts.show(self._enabled and switches[self._kind].get_value())

    @property
    def swings(self) -> bool:
        """True if the body's motion bends strands."""
        return self._swings

    def swing(self, time: float) -> bool:
        """Follow the body's motion until this time. False if neither moves."""
        node = self._anchor.node()
        if not node.is_empty():
            look, place = self._look, node.get_net_transform()
            self._lag.advance(place, time, look.stiffness, look.damping, look.length)
        return not self._lag.still

    def destroy(self) -> None:
        """Leave all nodes as they were found. Idempotent."""
        if self._destroyed:
            return
        self._destroyed = True
        self._parts.update(())
        UPKEEP.remove(self)
        self._anchor.release()

    def __enter__(self) -> "FurCoat":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.destroy()


def _size_of(node: NodePath) -> float:
    """How much larger a node is drawn than it is; 1 if it is squeezed flat, to grow yet."""
    size = size_of(net_matrix(node)[:3, :3])
    return size if size > _FLAT else 1.0


def _check_config(config: Any) -> FurConfig:
    if config is not None and not isinstance(config, FurConfig):
        raise ConfigError(f"config must be a FurConfig or None, got {type(config).__name__}")
    return config or FurConfig()


def _check_marks(
    texture: Any, cut: float, burn: float, column: str, inputs: Mapping[str, Any] | None
) -> Marks:
    if not isinstance(texture, Texture):
        raise ConfigError(f"texture must be a Texture or None, got {texture!r}")
    given = _plain_marks(texture)
    if inputs is not None and not (isinstance(inputs, Mapping) and given.keys() >= inputs.keys()):
        raise ConfigError(f"inputs must be values of {', '.join(given)} by name, got {inputs!r}")
    given |= inputs or {}
    shares = _SHARE.check("cut", cut), _SHARE.check("burn", burn)
    if not isinstance(column, str) or not column.isidentifier():
        raise ConfigError(f"column must be the name of a vertex column, got {column!r}")
    return Marks(column, given, *shares)


def _plain_marks(texture: Texture) -> dict[str, Any]:
    """Inputs of marks that do not fade."""
    return {
        "rtstamp_temp": texture,
        "rtstamp_primary": texture,
        "rtstamp_fade": LVecBase4f(1.0, 0.0, 0.0, 0.0),
        "rtstamp_clock": LVecBase2f(0.0, 0.0),
        "rtstamp_live": 1.0,
        "rtstamp_color": LVecBase4f(0.0, 0.0, 0.0, 1.0),
        "rtstamp_channels": 4.0,
    }
