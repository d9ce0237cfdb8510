"""Settings: frozen dataclasses whose fields know their PRC variable, range, meaning and what a change costs.

A field is declared once, with `field`; everything else (defaults from PRC, checks, conversion, the
difference between two configs) is one generic loop over the declarations, so no field can be forgotten.
"""

import dataclasses
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np
from panda3d.core import ConfigVariableString, Filename

from panda_rtstamp.errors import ConfigError

# Red, green, blue and, in canonical form, alpha; 0 to 1.
Color = tuple[float, ...]
ValueT = TypeVar("ValueT")


@dataclasses.dataclass(frozen=True)
class Rule:
    """What an argument may be, or a field of a config.

    Of fields alone: the name of their PRC variable, `cost`, which names what a change needs (the system maps
    it to an action), and what the docs say.
    """

    kind: Callable[[Any], Any]
    allowed: str
    prc: str = ""
    cost: str = ""
    doc: str = ""
    low: float = -math.inf
    high: float = math.inf
    choices: tuple[str, ...] = ()
    optional: bool = False

    def check(self, name: str, value: Any) -> Any:
        """The value in its canonical type. Raises ConfigError if it is not allowed."""
        if value is None and self.optional:
            return None
        try:
            result = self.kind(value)
        except (TypeError, ValueError):
            raise ConfigError(f"{name} must be {self.allowed}, got {value!r}") from None
        parts = result if isinstance(result, tuple) else (result,)
        in_range = all(self.low <= part <= self.high for part in parts if isinstance(part, (int, float)))
        if not in_range or (self.choices and result not in self.choices):
            raise ConfigError(f"{name} must be {self.allowed}, got {value!r}")
        return result

    def from_prc(self, words: str) -> Any:
        """The value that the PRC variable's text stands for. Raises ConfigError if it is not allowed."""
        name = f"PRC variable {self.prc}"
        try:
            return self.check(name, from_words(words, self.kind))
        except ValueError:
            raise ConfigError(f"{name} must be {self.allowed}, got {words!r}") from None


class Checked(Generic[ValueT]):
    """An attribute that a rule checks whenever it is set: what is refused raises, and changes nothing."""

    def __init__(self, rule: Rule) -> None:
        self._rule = rule
        self._name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, owner: Any, kind: type) -> ValueT:
        value: ValueT = owner.__dict__[self._name]
        return value

    def __set__(self, owner: Any, value: ValueT) -> None:
        owner.__dict__[self._name] = self._rule.check(self._name, value)


def number(value: Any) -> float:
    """A finite float; numpy's numbers too, but neither booleans nor text."""
    if isinstance(value, (bool, str, np.bool_)):
        raise TypeError
    try:
        result = float(value)
    except OverflowError:
        raise ValueError from None
    if not math.isfinite(result):
        raise ValueError
    return result


def integer(value: Any) -> int:
    """A whole number; 3.0 is one, 3.5 is not."""
    result = number(value)
    if result != int(result):
        raise ValueError
    return int(result)


def power_of_two(value: Any) -> int:
    """1, 2, 4, 8 and so on."""
    result = integer(value)
    if result < 1 or result & (result - 1):
        raise ValueError
    return result


def boolean(value: Any) -> bool:
    """True or False and nothing else."""
    if not isinstance(value, bool):
        raise TypeError
    return value


def text(value: Any) -> str:
    """A non-empty string."""
    if not isinstance(value, str):
        raise TypeError
    if not value:
        raise ValueError
    return value


def file_path(value: Any) -> str:
    """A file's path as a string in Panda's notation."""
    if isinstance(value, Path):
        return Filename.from_os_specific(str(value)).get_fullpath()
    return text(value.get_fullpath() if isinstance(value, Filename) else value)


def color(value: Any) -> Color:
    """Three or four components, 0..1, as (r, g, b, a)."""
    numbers = [number(part) for part in value]
    if len(numbers) not in (3, 4) or not all(0.0 <= part <= 1.0 for part in numbers):
        raise ValueError
    red, green, blue = numbers[:3]
    return red, green, blue, numbers[3] if len(numbers) == 4 else 1.0


def pair(value: Any) -> tuple[float, float]:
    """Two finite floats."""
    first, second = value
    return number(first), number(second)


def from_words(words: str, kind: Callable[[Any], Any]) -> Any:
    """What the words of a PRC variable or a tag say, for `kind` to check. ValueError if they say nothing."""
    if kind in (number, integer, power_of_two):
        return float(words)
    if kind is boolean:
        return {"1": True, "true": True, "#t": True, "0": False, "false": False, "#f": False}.get(
            words.lower()
        )
    if kind in (color, pair):
        return [float(word) for word in words.split()]
    return words


def field(name: str, default: Any, kind: Any, allowed: str, cost: str, doc: str, **limits: Any) -> Any:
    """A dataclass field with this default, unless its PRC variable is set: `rtstamp-` and the name."""
    rule = Rule(kind, allowed, f"rtstamp-{name}", cost, doc, **limits)

    def make() -> Any:
        words = ConfigVariableString(rule.prc, "").get_value().strip()
        return rule.from_prc(words) if words else default

    return dataclasses.field(default_factory=make, metadata={"rule": rule})


@dataclasses.dataclass(frozen=True, kw_only=True)
class Config:
    """Base of all configs: checks every field when made, and compares."""

    def __post_init__(self) -> None:
        for name, rule in self.rules().items():
            checked = rule.check(f"{type(self).__name__}.{name}", getattr(self, name))
            object.__setattr__(self, name, checked)

    @classmethod
    def rules(cls) -> dict[str, Rule]:
        """The rule of each field, by name."""
        return {field.name: field.metadata["rule"] for field in dataclasses.fields(cls)}

    def costs_of_change(self, other: "Config") -> set[str]:
        """What going from this config to the other one needs: the costs of the fields that differ."""
        rules = self.rules()
        return {rules[name].cost for name in rules if getattr(self, name) != getattr(other, name)}
