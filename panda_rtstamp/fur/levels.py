"""How many layers a coat has at each level of detail.

The tables here are shared by all coats: of each class of models, the most layers at each level, the finest
level first. A platform's profile may leave out the first levels, which it is too weak for: the tables move
back by as many then, so that the finest level that is left has the most layers.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from panda3d.core import ConfigVariableBool, ConfigVariableString

from panda_rtstamp.core.config import Rule, integer, text
from panda_rtstamp.errors import ConfigError
from panda_rtstamp.fur.config import MOST_LAYERS

ACTORS, STATIC = "actors", "static"
Limit = Callable[[int], int]

_DEFAULTS: dict[str, Limit] = {ACTORS: lambda level: 12, STATIC: lambda level: 12 // (level + 1)}
_CLASS = Rule(text, f"one of {ACTORS}, {STATIC}", choices=(ACTORS, STATIC))
_LIMIT = Rule(integer, f"whole numbers, 0 to {MOST_LAYERS}", low=0, high=MOST_LAYERS)
_DROPPED = Rule(integer, "a whole number, 0 to 64", low=0, high=64)
_profile = ConfigVariableString("rtstamp-fur-profile", "desktop")
# Whether coats are drawn at all, by class. Looked at in every frame.
switches = {
    ACTORS: ConfigVariableBool("rtstamp-fur-actors", True),
    STATIC: ConfigVariableBool("rtstamp-fur-static", True),
}


def tabled(limits: Sequence[int]) -> Limit:
    """The limits of a table, whose last entry goes for all levels after it."""
    table = tuple(limits)
    return lambda level: table[min(level, len(table) - 1)]


def layer_count(wanted: int, limit: Limit, level: int) -> int:
    """How many layers are made, and drawn, at a level: never more than at a finer one.

    Args:
        wanted: what the config asks for, its bias included.
        limit: of each level.
        level: from 0, the finest.
    """
    return max(min(wanted, *(limit(finer) for finer in range(level + 1))), 0)


@dataclass
class LayerLimits:
    """The tables of the classes, and the platforms' profiles.

    Attributes:
        profiles: by name, how many of the first levels are left out.
    """

    profiles: dict[str, int] = field(default_factory=lambda: {"desktop": 0, "mobile": 1})
    # By class and profile; '' is any profile.
    _by_hand: dict[tuple[str, str], Limit] = field(default_factory=dict)

    def set_limits(self, kind: str, limits: Sequence[int] | None, profile: str | None = None) -> None:
        """Set the table of a class by hand. Coats that are there follow when they are refreshed.

        Args:
            kind: 'actors' or 'static'.
            limits: the most layers at each level; the last one goes for all after it. None: as by default.
            profile: for this one alone, level by level as given; None: for all, moved back by what they leave
                out.

        Raises:
            ConfigError: a wrong argument.
        """
        _CLASS.check("kind", kind)
        if profile is not None:
            self._check_profile(profile)
        key = kind, profile or ""
        if limits is None:
            self._by_hand.pop(key, None)
            return
        if not isinstance(limits, Sequence) or isinstance(limits, str) or not limits:
            raise ConfigError(f"limits must be {_LIMIT.allowed}, got {limits!r}")
        self._by_hand[key] = tabled([_LIMIT.check("limits", limit) for limit in limits])

    def set_profile(self, name: str, dropped_levels: int) -> None:
        """Define a profile: how many of the first levels of detail models go without there.

        Raises:
            ConfigError: a wrong argument.
        """
        checked = text(name) if isinstance(name, str) and name else None
        if checked is None:
            raise ConfigError(f"name must be a text that is not empty, got {name!r}")
        self.profiles[checked] = _DROPPED.check("dropped_levels", dropped_levels)

    def limit(self, kind: str, own: Sequence[int] | None = None, profile: str | None = None) -> Limit:
        """The limits of a model, by the levels that it has.

        Args:
            kind: its class.
            own: its own table in place of the class's.
            profile: None: the one that the PRC variable `rtstamp-fur-profile` names.

        Raises:
            ConfigError: there is no such profile.
        """
        name = _profile.get_value() if profile is None else profile
        self._check_profile(name)
        by_hand = self._by_hand.get((kind, name))
        if own is None and by_hand is not None:
            return by_hand
        table = tabled(own) if own is not None else self._by_hand.get((kind, ""), _DEFAULTS[kind])
        dropped = self.profiles[name]
        return lambda level: table(max(level - dropped, 0))

    def _check_profile(self, name: str) -> None:
        if name not in self.profiles:
            raise ConfigError(f"profile must be one of {', '.join(self.profiles)}, got {name!r}")


LIMITS = LayerLimits()
