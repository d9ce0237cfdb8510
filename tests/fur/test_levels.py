"""How many layers there are: tables, profiles, what the config asks for."""

import pytest

from panda_rtstamp.errors import ConfigError
from panda_rtstamp.fur.levels import ACTORS, STATIC, LayerLimits, layer_count, tabled
from support import prc


@pytest.fixture
def limits() -> LayerLimits:
    return LayerLimits()


def counts(wanted: int, table: list[int]) -> list[int]:
    return [layer_count(wanted, tabled(table), level) for level in range(len(table))]


@pytest.mark.parametrize(
    ("wanted", "table", "expected"),
    [
        (12, [12, 6, 4, 3], [12, 6, 4, 3]),
        (4, [12, 6, 4, 3], [4, 4, 4, 3]),
        (5, [12, 6, 8, 3], [5, 5, 5, 3]),
        (12, [4, 12], [4, 4]),
        (12, [12, 0, 4], [12, 0, 0]),
        (0, [12, 6], [0, 0]),
        (-3, [12, 6], [0, 0]),
    ],
)
def test_counts_never_rise(wanted: int, table: list[int], expected: list[int]) -> None:
    assert counts(wanted, table) == expected


def test_the_last_entry_goes_on() -> None:
    assert layer_count(12, tabled([12, 5]), 9) == 5


def test_static_models_halve_and_actors_do_not(limits: LayerLimits) -> None:
    static, actors = limits.limit(STATIC, profile="desktop"), limits.limit(ACTORS, profile="desktop")
    expected = [12, 6, 4, 3, 2, 2, 1, 1, 1, 1, 1, 1, 0]
    assert [layer_count(12, static, level) for level in range(13)] == expected
    assert [12 // (level + 1) for level in range(13)] == expected
    assert [layer_count(12, actors, level) for level in range(13)] == [12] * 13


def test_a_profile_moves_tables_back_by_what_it_leaves_out(limits: LayerLimits) -> None:
    for _ in range(2):
        mobile = limits.limit(STATIC, profile="mobile")
        assert [layer_count(12, mobile, level) for level in (1, 2, 3)] == [12, 6, 4]


def test_a_models_own_table_is_moved_back_too(limits: LayerLimits) -> None:
    own = limits.limit(ACTORS, own=[9, 5, 2], profile="mobile")
    assert [layer_count(12, own, level) for level in (1, 2, 3, 4)] == [9, 5, 2, 2]


def test_a_table_set_by_hand_for_a_profile_is_left_as_it_is(limits: LayerLimits) -> None:
    limits.set_limits(STATIC, [10, 7, 3], profile="mobile")
    limits.set_profile("mobile", 2)
    by_hand = limits.limit(STATIC, profile="mobile")
    assert [layer_count(12, by_hand, level) for level in range(3)] == [10, 7, 3]
    desktop = limits.limit(STATIC, profile="desktop")
    assert [layer_count(12, desktop, level) for level in range(3)] == [12, 6, 4]


def test_a_class_table_can_be_set_and_taken_back(limits: LayerLimits) -> None:
    limits.set_limits(ACTORS, (8, 2))
    assert limits.limit(ACTORS, profile="desktop")(1) == 2
    assert limits.limit(ACTORS, profile="mobile")(2) == 2
    limits.set_limits(ACTORS, None)
    assert limits.limit(ACTORS, profile="desktop")(1) == 12


def test_the_profile_is_a_prc_variable(limits: LayerLimits) -> None:
    limits.set_profile("console", 2)
    assert limits.limit(STATIC)(2) == 4
    with prc("rtstamp-fur-profile console"):
        assert limits.limit(STATIC)(2) == 12


@pytest.mark.parametrize(
    ("kind", "table", "profile"),
    [
        ("actor", [12], None),
        (ACTORS, [], None),
        (ACTORS, "12", None),
        (ACTORS, 12, None),
        (ACTORS, [12, 65], None),
        (ACTORS, [12, -1], None),
        (ACTORS, [1.5], None),
        (ACTORS, [12], "fridge"),
    ],
)
def test_wrong_tables_are_refused(limits: LayerLimits, kind: str, table: list[int], profile: str) -> None:
    with pytest.raises(ConfigError):
        limits.set_limits(kind, table, profile)
    assert limits.limit(ACTORS, profile="desktop")(0) == 12


@pytest.mark.parametrize(("name", "dropped"), [("", 1), (3, 1), ("x", -1), ("x", 0.5)])
def test_wrong_profiles_are_refused(limits: LayerLimits, name: str, dropped: int) -> None:
    with pytest.raises(ConfigError):
        limits.set_profile(name, dropped)
    assert list(limits.profiles) == ["desktop", "mobile"]
