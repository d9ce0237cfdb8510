"""Settings: defaults from PRC, types, ranges, and errors that name field, allowed values and offender."""

import dataclasses
import re
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
import pytest
from panda3d.core import Filename, LColor

from panda_rtstamp.core.config import (
    Config,
    boolean,
    color,
    field,
    file_path,
    integer,
    number,
    text,
)
from panda_rtstamp.errors import ConfigError, RtStampError
from support import prc

NAN, INF = float("nan"), float("inf")
HUGE = 10**400  # float() overflows


@dataclass(frozen=True, kw_only=True)
class Lamp(Config):
    """A field of every kind."""

    count: int = field("lamp-count", 3, integer, "a whole number, 1 to 9", "build", "", low=1, high=9)
    watts: float = field("lamp-watts", 40.0, number, "a number > 0", "input", "", low=0.001)
    on: bool = field("lamp-on", True, boolean, "True or False", "input", "")
    name: str = field("lamp-name", "desk", text, "some text", "next", "")
    kind: str = field("lamp-kind", "led", text, "'led' or 'bulb'", "build", "", choices=("led", "bulb"))
    tint: tuple[float, float, float, float] = field(
        "lamp-tint", (1.0, 1.0, 1.0, 1.0), color, "a colour", "input", ""
    )
    shade: str = field("lamp-shade", "shade.frag", file_path, "a file name", "next", "")
    dim: float | None = field(
        "lamp-dim", None, number, "a number, 0 to 1, or None", "input", "", low=0, high=1, optional=True
    )


DEFAULTS = {
    "count": 3,
    "watts": 40.0,
    "on": True,
    "name": "desk",
    "kind": "led",
    "tint": (1.0, 1.0, 1.0, 1.0),
    "shade": "shade.frag",
    "dim": None,
}


def make(**values: Any) -> Lamp:
    """A Lamp of whatever values a user might pass."""
    return Lamp(**values)


def test_defaults() -> None:
    assert dataclasses.asdict(Lamp()) == DEFAULTS


@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [
        ("count", 9, 9),
        ("count", 1.0, 1),
        ("count", np.int64(4), 4),
        ("watts", 1, 1.0),
        ("watts", np.float32(0.5), 0.5),
        ("watts", 1e30, 1e30),
        ("on", False, False),
        ("name", "x", "x"),
        ("kind", "bulb", "bulb"),
        ("tint", (0, 1, 0), (0.0, 1.0, 0.0, 1.0)),
        ("tint", [0.0, 1.0, 0.0, 0.25], (0.0, 1.0, 0.0, 0.25)),
        ("tint", LColor(0.5, 0.25, 1, 0), (0.5, 0.25, 1.0, 0.0)),
        ("tint", np.array([0.5, 0.25, 1.0]), (0.5, 0.25, 1.0, 1.0)),
        ("shade", Filename("dir/a.frag"), "dir/a.frag"),
        ("dim", None, None),
        ("dim", 0, 0.0),
        ("dim", 1, 1.0),
    ],
)
def test_values_become_the_canonical_type(field: str, value: Any, expected: Any) -> None:
    result = getattr(make(**{field: value}), field)
    assert result == expected
    assert type(result) is type(expected)


def test_paths_are_kept_in_pandas_notation(tmp_path: Path) -> None:
    shade = make(shade=tmp_path / "a.frag").shade
    assert PurePosixPath(shade).is_absolute()
    assert Filename(shade).to_os_specific() == str(tmp_path / "a.frag")


WRONG = [
    ("count", 0),
    ("count", 10),
    ("count", 2.5),
    ("count", "3"),
    ("count", True),
    ("count", None),
    ("count", NAN),
    ("count", INF),
    ("count", HUGE),
    ("watts", 0),
    ("watts", -1.0),
    ("watts", NAN),
    ("watts", INF),
    ("watts", HUGE),
    ("watts", "5"),
    ("watts", False),
    ("watts", np.True_),
    ("watts", None),
    ("watts", [1.0]),
    ("watts", 1j),
    ("on", 1),
    ("on", 0.0),
    ("on", "True"),
    ("on", None),
    ("name", ""),
    ("name", 5),
    ("name", None),
    ("kind", "gas"),
    ("kind", "LED"),
    ("tint", (1.0, 1.0)),
    ("tint", (1.0, 1.0, 1.0, 1.0, 1.0)),
    ("tint", (1.0, 1.0, 1.5)),
    ("tint", (1.0, 1.0, -0.01)),
    ("tint", (1.0, NAN, 1.0)),
    ("tint", ("1", 1, 1)),
    ("tint", (HUGE, 1, 1)),
    ("tint", "red"),
    ("tint", 1.0),
    ("tint", None),
    ("shade", ""),
    ("shade", Filename()),
    ("shade", 7),
    ("shade", None),
    ("dim", -0.001),
    ("dim", 1.001),
    ("dim", "half"),
]


@pytest.mark.parametrize(("field", "value"), WRONG, ids=lambda value: repr(value)[:20])
def test_errors_name_field_allowed_and_offender(field: str, value: Any) -> None:
    allowed = Lamp.rules()[field].allowed
    with pytest.raises(ConfigError) as error:
        make(**{field: value})
    assert str(error.value) == f"Lamp.{field} must be {allowed}, got {value!r}"


def test_a_config_error_is_ours_and_a_value_error() -> None:
    assert issubclass(ConfigError, RtStampError)
    assert issubclass(ConfigError, ValueError)


@pytest.mark.parametrize(
    ("words", "field", "expected"),
    [
        ("rtstamp-lamp-count 9", "count", 9),
        ("rtstamp-lamp-watts 2.5e-1", "watts", 0.25),
        ("rtstamp-lamp-watts 7", "watts", 7.0),
        ("rtstamp-lamp-on 0", "on", False),
        ("rtstamp-lamp-on #f", "on", False),
        ("rtstamp-lamp-on false", "on", False),
        ("rtstamp-lamp-on False", "on", False),
        ("rtstamp-lamp-on 1", "on", True),
        ("rtstamp-lamp-on #t", "on", True),
        ("rtstamp-lamp-on TRUE", "on", True),
        ("rtstamp-lamp-name two words", "name", "two words"),
        ("rtstamp-lamp-kind bulb", "kind", "bulb"),
        ("rtstamp-lamp-tint 0 0.5 1", "tint", (0.0, 0.5, 1.0, 1.0)),
        ("rtstamp-lamp-tint 0 0.5 1 0.25", "tint", (0.0, 0.5, 1.0, 0.25)),
        ("rtstamp-lamp-shade dir/a.frag", "shade", "dir/a.frag"),
        ("rtstamp-lamp-dim 0.25", "dim", 0.25),
        ("rtstamp-lamp-watts", "watts", 40.0),  # no value: as if it were not there
    ],
)
def test_prc_gives_the_default(words: str, field: str, expected: Any) -> None:
    with prc(words):
        lamp = Lamp()
    assert dataclasses.asdict(lamp) == {**DEFAULTS, field: expected}
    assert type(getattr(lamp, field)) is type(expected)
    assert dataclasses.asdict(Lamp()) == DEFAULTS


def test_an_argument_beats_prc() -> None:
    with prc("rtstamp-lamp-count 9\nrtstamp-lamp-watts 5"):
        lamp = make(count=2)
    assert (lamp.count, lamp.watts) == (2, 5.0)


@pytest.mark.parametrize(
    ("variable", "words"),
    [
        ("rtstamp-lamp-count", "many"),
        ("rtstamp-lamp-count", "10"),
        ("rtstamp-lamp-count", "2.5"),
        ("rtstamp-lamp-watts", "nan"),
        ("rtstamp-lamp-watts", "inf"),
        ("rtstamp-lamp-watts", "1e999"),
        ("rtstamp-lamp-watts", "4 5"),
        ("rtstamp-lamp-on", "maybe"),
        ("rtstamp-lamp-kind", "gas"),
        ("rtstamp-lamp-tint", "red"),
        ("rtstamp-lamp-tint", "1 1"),
        ("rtstamp-lamp-tint", "1 1 2"),
        ("rtstamp-lamp-dim", "2"),
    ],
)
def test_a_bad_prc_value_names_its_variable(variable: str, words: str) -> None:
    (rule,) = (rule for rule in Lamp.rules().values() if rule.prc == variable)
    with (
        prc(f"{variable} {words}"),
        pytest.raises(ConfigError, match=f"^PRC variable {variable} must be ") as error,
    ):
        Lamp()
    assert str(error.value).endswith(f"{rule.allowed}, got {words!r}")


def test_a_bad_prc_value_does_no_harm_to_who_passes_an_argument() -> None:
    with prc("rtstamp-lamp-count many"):
        assert make(count=4).count == 4


def test_a_config_cannot_be_changed() -> None:
    lamp = Lamp()
    with pytest.raises(dataclasses.FrozenInstanceError):
        lamp.count = 4  # type: ignore[misc]
    assert lamp == Lamp()
    assert hash(lamp) == hash(Lamp())


def test_fields_are_given_by_name_alone() -> None:
    with pytest.raises(TypeError):
        Lamp(4)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=re.escape("'bulbs'")):
        make(bulbs=4)


def test_replace_checks_again() -> None:
    lamp = dataclasses.replace(make(count=4), watts=1)
    assert (lamp.count, lamp.watts) == (4, 1.0)
    with pytest.raises(ConfigError, match=re.escape("Lamp.watts must be a number > 0, got 0")):
        dataclasses.replace(lamp, watts=0)


@pytest.mark.parametrize(
    ("changes", "costs"),
    [
        ({}, set()),
        ({"count": 4}, {"build"}),
        ({"watts": 1.0}, {"input"}),
        ({"watts": 40}, set()),
        ({"name": "hall", "shade": "b.frag"}, {"next"}),
        ({"count": 4, "dim": 0.5, "name": "hall"}, {"build", "input", "next"}),
    ],
)
def test_what_a_change_costs(changes: dict[str, Any], costs: set[str]) -> None:
    assert Lamp().costs_of_change(make(**changes)) == costs
    assert make(**changes).costs_of_change(Lamp()) == costs
