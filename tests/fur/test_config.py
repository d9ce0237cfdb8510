"""What a coat's settings are, and where they come from."""

import dataclasses
from typing import Any

import pytest
from panda3d.core import NodePath

from panda_rtstamp.errors import ConfigError
from panda_rtstamp.fur.config import GRASS, LONG, PLUSH, SHORT, FurConfig, own_fields, resolve
from support import prc


def node_with(**tags: str) -> NodePath:
    node = NodePath("model")
    for name, words in tags.items():
        node.set_tag(f"rtstamp-fur-{name.replace('_', '-')}", words)
    return node


def test_nothing_is_said_unless_it_is_given() -> None:
    config = FurConfig()
    assert all(getattr(config, field.name) is None for field in dataclasses.fields(FurConfig))


def test_the_class_has_a_value_for_everything_but_limits() -> None:
    look = resolve(NodePath("model"), FurConfig())
    assert set(vars(look)) == set(own_fields())
    assert [name for name, value in vars(look).items() if value is None] == ["limits"]
    assert (look.layers, look.length, look.density, look.shell_bias) == (12, 0.1, 1.0, 0.0)


def test_each_field_comes_from_the_first_that_says_it() -> None:
    node = node_with(length="0.3", layers="7", wind="1 2 3", limits="9 5", enabled="false")
    with prc("rtstamp-fur-length 0.4\nrtstamp-fur-layers 8\nrtstamp-fur-taper 0.125\n"):
        grand = FurConfig(length=0.1, layers=5, gravity=0.75)
        parent = FurConfig(length=0.2, parent=grand)
        look = resolve(node, FurConfig(gravity=0.0, parent=parent))
        assert (look.gravity, look.length, look.layers) == (0.0, 0.2, 5)
        look = resolve(node, FurConfig())
        assert (look.length, look.layers, look.taper) == (0.3, 7, 0.125)
        assert (look.wind, look.limits, look.enabled) == ((1.0, 2.0, 3.0), (9, 5), False)
        assert resolve(NodePath("other"), FurConfig()).length == 0.4


def test_a_tag_above_the_node_counts() -> None:
    node = node_with(length="0.3")
    assert resolve(node.attach_new_node("below"), FurConfig()).length == 0.3


@pytest.mark.parametrize("preset", [SHORT, LONG, GRASS, PLUSH])
def test_presets_are_parents(preset: FurConfig) -> None:
    look = resolve(NodePath("model"), FurConfig(parent=preset, length=3.0))
    assert look.length == 3.0
    assert look.density == preset.density


@pytest.mark.parametrize("name", own_fields())
def test_every_field_has_a_prc_variable_and_a_description(name: str) -> None:
    rule = own_fields()[name]
    assert rule.prc == f"rtstamp-fur-{name.replace('_', '-')}"
    assert rule.doc.endswith(".")
    assert rule.cost in ("nodes", "strands", "uniform")


WRONG: list[tuple[str, Any]] = [
    ("layers", 65), ("layers", -1), ("layers", 2.5), ("layers", "12"), ("layers", True), ("layer_bias", 65),
    ("limits", ()), ("limits", (12, 65)), ("limits", 12), ("limits", "12"), ("bands", (20.0, 10.0)),
    ("bands", (0.0,)), ("length", 0.0), ("length", float("nan")), ("density", 1.1), ("taper", -0.1),
    ("variation", 2.0), ("spacing", 0.0), ("bend", -1.0), ("shell_bias", -0.5), ("wind", (1.0, 2.0)),
    ("wind", (11.0, 0.0, 0.0)), ("stiffness", 0.0), ("damping", -1.0), ("largest_bend", -1.0),
    ("color", (1.0, 2.0, 0.0)), ("enabled", 1), ("parent", {"length": 1.0}), ("gloss", 0.0),
]  # fmt: skip


@pytest.mark.parametrize(("name", "value"), WRONG)
def test_wrong_values_are_refused(name: str, value: Any) -> None:
    with pytest.raises(ConfigError, match=rf"FurConfig\.{name} must be .*, or None, got"):
        FurConfig(**{name: value})


@pytest.mark.parametrize("words", ["many", "65", "2.5"])
def test_wrong_tags_and_variables_are_refused(words: str) -> None:
    with pytest.raises(ConfigError, match=r"^tag rtstamp-fur-layers of model must be a whole number"):
        resolve(node_with(layers=words), FurConfig())
    with prc(f"rtstamp-fur-layers {words}"), pytest.raises(ConfigError, match="PRC variable rtstamp-fur-lay"):
        resolve(NodePath("model"), FurConfig())
