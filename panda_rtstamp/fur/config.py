"""The settings of a coat, and where those come from that nobody set."""

import dataclasses
import itertools
from collections.abc import Iterator, Mapping
from types import SimpleNamespace
from typing import Any

from panda3d.core import ConfigVariableString, NodePath

from panda_rtstamp.core.config import Config, Rule, boolean, color, from_words, integer, number
from panda_rtstamp.errors import ConfigError

# What a change costs, from the dearest to the cheapest.
NODES = "nodes"  # what draws the coat is made anew
STRANDS = "strands"  # another texture of strands, if no coat has one like it
UNIFORM = "uniform"  # shader inputs

MOST_LAYERS = 64


class FurLook(SimpleNamespace):
    """Every field of FurConfig under its name, and none of them None, but for `limits`."""


def _numbers(value: Any) -> tuple[float, ...]:
    return tuple(number(part) for part in value)


def _integers(value: Any) -> tuple[int, ...]:
    found = tuple(integer(part) for part in value)
    if not found:
        raise ValueError
    return found


def _rising(value: Any) -> tuple[float, ...]:
    found = _numbers(value)
    if any(after <= before for before, after in itertools.pairwise(found)):
        raise ValueError
    return found


def _vector(value: Any) -> tuple[float, float, float]:
    x, y, z = value
    return number(x), number(y), number(z)


def _parent(value: Any) -> Any:
    if not isinstance(value, FurConfig):
        raise TypeError
    return value


def _field(name: str, default: Any, kind: Any, allowed: str, cost: str, doc: str, **limits: Any) -> Any:
    """A field that says nothing unless it is given. `default`: of the class."""
    rule = Rule(kind, f"{allowed}, or None", f"rtstamp-fur-{name}", cost, doc, optional=True, **limits)
    return dataclasses.field(default=None, metadata={"rule": rule, "default": default})


@dataclasses.dataclass(frozen=True, kw_only=True)
class FurConfig(Config):
    """What a coat, or a section of one, is like. Frozen: make a new one, or `dataclasses.replace` this.

    A field left None comes from `parent`, if that says it; then from a tag of the node or of the nearest one
    above it that has one (`rtstamp-fur-` and the field's name with hyphens: `rtstamp-fur-shell-bias`); then
    from the PRC variable of the same name, or else the default. Lengths are in scene units.

    Raises:
        ConfigError: a value is of the wrong type, not finite or out of range. The text names the field, what
            is allowed and what was given.
    """

    parent: "FurConfig | None" = dataclasses.field(
        default=None, metadata={"rule": Rule(_parent, "a FurConfig, or None", cost=NODES, optional=True)}
    )
    enabled: bool | None = _field(
        "enabled", True, boolean, "True or False", NODES,
        doc="False: nothing is drawn.",
    )  # fmt: skip
    layers: int | None = _field(
        "layers", 12, integer, f"a whole number, 0 to {MOST_LAYERS}", NODES, low=0, high=MOST_LAYERS,
        doc="How often the geometry is drawn, at the most: `limits` hold it down. 0: nothing is drawn. More "
        "layers make the coat smoother from nearby, no denser, and cost by the pixels that they cover.",
    )  # fmt: skip
    layer_bias: int | None = _field(
        "layer-bias", 0, integer, f"a whole number, within {MOST_LAYERS}", NODES,
        low=-MOST_LAYERS, high=MOST_LAYERS,
        doc="Is added to `layers`: for sections that need more, or do with fewer.",
    )  # fmt: skip
    limits: tuple[int, ...] | None = _field(
        "limits", None, _integers, f"whole numbers, 0 to {MOST_LAYERS}", NODES, low=0, high=MOST_LAYERS,
        doc="The most layers at each level of detail, the finest first; the last one goes for all after it. "
        "None anywhere: the table that all models of its class share (fur/levels.py).",
    )  # fmt: skip
    bands: tuple[float, ...] | None = _field(
        "bands", (20.0, 40.0, 80.0), _rising, "rising numbers > 0", NODES, low=1e-6, high=1e9,
        doc="Where there is no LODNode: the distances from the camera at which the next levels begin. Empty: "
        "there is but one.",
    )  # fmt: skip
    length: float | None = _field(
        "length", 0.1, number, "a number > 0, up to 1e6", NODES, low=1e-6, high=1e6,
        doc="Of the strands, as the node stands when the coat is made; the coat grows with the node.",
    )  # fmt: skip
    density: float | None = _field(
        "density", 1.0, number, "a number, 0 to 1", STRANDS, low=0, high=1,
        doc="The share of the skin that roots cover. 1: all of it.",
    )  # fmt: skip
    taper: float | None = _field(
        "taper", 0.8, number, "a number, 0 to 1", STRANDS, low=0, high=1,
        doc="How much thinner strands are at the tip. 0: as thick as the root; 1: pointed.",
    )  # fmt: skip
    variation: float | None = _field(
        "variation", 0.0, number, "a number, 0 to 1", STRANDS, low=0, high=1,
        doc="How much shorter the shortest strands are. 0: all are of one length; 1: some have none.",
    )  # fmt: skip
    spacing: float | None = _field(
        "spacing", 0.1, number, "a number, 0.001 to 10", NODES, low=0.001, high=10,
        doc="From strand to strand, as a share of `length`.",
    )  # fmt: skip
    bend: float | None = _field(
        "bend", 1.5, number, "a number, 0 to 16", UNIFORM, low=0, high=16,
        doc="Where along a strand gravity, wind and motion bend it: by height to this power. 0: from the "
        "root on; 1: evenly; large: at the tip.",
    )  # fmt: skip
    shell_bias: float | None = _field(
        "shell-bias", 0.0, number, "a number, 0 to 100", UNIFORM, low=0, high=100,
        doc="Moves layers to the tips: a share x of the height becomes x / (x + 1/b) * (1 + 1/b). 0: they "
        "are evenly spaced.",
    )  # fmt: skip
    gravity: float | None = _field(
        "gravity", 0.2, number, "a number, -10 to 10", UNIFORM, low=-10, high=10,
        doc="How much strands hang. 1: as much as they stand up.",
    )  # fmt: skip
    wind: tuple[float, float, float] | None = _field(
        "wind", (0.0, 0.0, 0.0), _vector, "three numbers, within 10", UNIFORM, low=-10, high=10,
        doc="Where gusts blow to, in the world's axes; its length is how much they bend strands, as gravity.",
    )  # fmt: skip
    gust: float | None = _field(
        "gust", 0.5, number, "a number, 0 to 100", UNIFORM, low=0, high=100,
        doc="Gusts a second.",
    )  # fmt: skip
    gust_size: float | None = _field(
        "gust-size", 2.0, number, "a number > 0, up to 1e6", UNIFORM, low=1e-3, high=1e6,
        doc="From gust to gust along the wind.",
    )  # fmt: skip
    stiffness: float | None = _field(
        "stiffness", 120.0, number, "a number > 0, up to 1e6", UNIFORM, low=0.01, high=1e6,
        doc="How hard strands are drawn back when the body moves: the spring's force for each unit of lag "
        "and of mass. Large: they hardly lag.",
    )  # fmt: skip
    damping: float | None = _field(
        "damping", 10.0, number, "a number, 0 to 1e4", UNIFORM, low=0, high=1e4,
        doc="How soon they come to rest, a second. Below 2 * sqrt(stiffness) they swing.",
    )  # fmt: skip
    largest_bend: float | None = _field(
        "largest-bend", 0.8, number, "a number, 0 to 10", UNIFORM, low=0, high=10,
        doc="How far the motion of the body bends strands at the most, as gravity. 0: not at all, and "
        "nothing is worked out.",
    )  # fmt: skip
    depth_write: bool | None = _field(
        "depth-write", False, boolean, "True or False", NODES,
        doc="True: strands hide the fur behind them, as those of an ear hide those of the head. The "
        "thinnest tips are left out then. False: only skin hides fur.",
    )  # fmt: skip
    color: tuple[float, ...] | None = _field(
        "color", (1.0, 1.0, 1.0, 1.0), color, "3 or 4 numbers, 0 to 1", UNIFORM,
        doc="Multiplies the model's colour; alpha thins the coat.",
    )  # fmt: skip
    root_darkening: float | None = _field(
        "root-darkening", 0.6, number, "a number, 0 to 1", UNIFORM, low=0, high=1,
        doc="How much darker strands are at the root. 1: black.",
    )  # fmt: skip
    highlight: float | None = _field(
        "highlight", 0.1, number, "a number, 0 to 10", UNIFORM, low=0, high=10,
        doc="How bright lights glance off strands.",
    )  # fmt: skip
    gloss: float | None = _field(
        "gloss", 16.0, number, "a number, 1 to 1000", UNIFORM, low=1, high=1000,
        doc="How narrow that highlight is.",
    )  # fmt: skip

    def lineage(self) -> "Iterator[FurConfig]":
        """This config, its parent, the parent of that and so on."""
        config: FurConfig | None = self
        while config is not None:
            yield config
            config = config.parent


# Of a short-haired animal, a long-haired one, a lawn, a toy. Give `length` to fit them to a model. Those of
# animals and toys write depth: else the fur of a head shows over its ear, and a far leg's over a near one.
# A lawn hides little of its own, and its thin tips are most of what is seen of it.
SHORT = FurConfig(
    length=0.03, density=0.85, taper=0.7, variation=0.25, spacing=0.2, gravity=0.5, depth_write=True,
    root_darkening=0.5, highlight=0.15,
)  # fmt: skip
LONG = FurConfig(
    length=0.25, density=0.8, taper=0.85, variation=0.45, spacing=0.05, gravity=0.9, bend=1.2,
    stiffness=60.0, damping=6.0, largest_bend=1.5, depth_write=True, root_darkening=0.65, highlight=0.2,
)  # fmt: skip
GRASS = FurConfig(
    length=0.15, density=0.6, taper=0.9, variation=0.5, spacing=0.2, gravity=0.1, bend=2.0,
    root_darkening=0.75, highlight=0.05, wind=(0.35, 0.1, 0.0), largest_bend=0.0,
)  # fmt: skip
PLUSH = FurConfig(
    length=0.05, density=0.95, taper=0.4, variation=0.15, spacing=0.12, gravity=0.05, stiffness=400.0,
    damping=25.0, largest_bend=0.4, depth_write=True, root_darkening=0.55, highlight=0.0,
)  # fmt: skip


def own_fields() -> dict[str, Rule]:
    """The rules of all fields that can be inherited."""
    rules = FurConfig.rules()
    del rules["parent"]
    return rules


def defaults() -> Mapping[str, Any]:
    """What fields are that nobody says anything of, by name."""
    return {field.name: field.metadata.get("default") for field in dataclasses.fields(FurConfig)}


def resolve(node: NodePath, *configs: FurConfig) -> FurLook:
    """What configs say on a node, the first of them first, with all that they leave open.

    Raises:
        ConfigError: a tag or a PRC variable says what is not allowed.
    """
    otherwise, chain = defaults(), [link for config in configs for link in config.lineage()]
    values = {}
    for name, rule in own_fields().items():
        given = [getattr(link, name) for link in chain if getattr(link, name) is not None]
        values[name] = given[0] if given else _from_outside(rule, node, otherwise[name])
    return FurLook(**values)


def _from_outside(rule: Rule, node: NodePath, default: Any) -> Any:
    """What the tag says, or else the PRC variable, or else the class."""
    words = node.get_net_tag(rule.prc).strip()
    if words:
        return _from_text(rule, f"tag {rule.prc} of {node}", words)
    words = ConfigVariableString(rule.prc, "").get_value().strip()
    return _from_text(rule, f"PRC variable {rule.prc}", words) if words else default


def _from_text(rule: Rule, name: str, words: str) -> Any:
    try:
        if rule.kind in (_integers, _rising, _vector):
            return rule.check(name, [float(word) for word in words.split()])
        return rule.check(name, from_words(words, rule.kind))
    except ValueError:
        raise ConfigError(f"{name} must be {rule.allowed}, got {words!r}") from None
