"""The stamp system's settings: defaults, ranges, and what becomes of live marks when they change."""

import dataclasses
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from panda3d.core import ClockObject, ColorBlendAttrib, Filename, GeomNode, NodePath, ShaderAttrib, Texture

from panda_rtstamp import ConfigError, ShaderError, StampBinding, StampConfig, StampSystem
from stamp_support import hit_middle, image_of, mask_formula, now, small_card, system
from support import NotifyLog, frames_behind, prc, run_python, step

OURS = "rtstamp/stamps/"
# Field, default, what is allowed at its ends, what is just beyond.
TABLE: list[tuple[str, Any, list[Any], list[Any]]] = [
    ("max_pool_size", 16, [1, 1024], [0, 1025]),
    ("max_memory", None, [None, 1e-12, 1e6], [0, -1, float("inf"), "all"]),
    ("shrink_below", 0.25, [0, 1], [-0.001, 1.001, None]),
    ("free_pairs", 4, [0, 1024], [-1, 1025, 0.5, None]),
    ("high_res_distance", 10.0, [0, 10], [-0.001]),
    ("med_res_distance", 30.0, [10, 1e9], [-0.001]),
    ("auto_fade", True, [True, False], [1, None, "yes"]),
    ("fade_duration", 5.0, [0.01, 1e6], [0.00999, 0, -1]),
    ("fade_step", None, [None, 0.25, 1], [0.2499, 1.001, 0]),
    ("recycle_threshold", 0.01, [0.001, 0.1], [0.000999, 0.1001, 0]),
    ("scale_fade_by_radius", False, [True, False], [0, None]),
    ("base_radius", 1.0, [1e-12, 1e6], [0, -1]),
    ("radius_fade_exponent", 0.5, [0.01, 2], [0.00999, 2.001]),
    ("age_weight", 0.1, [0, 1e6], [-0.001]),
    ("hardness", 0.1, [0, 1], [-0.001, 1.001]),
    ("format", "rgba8", ["rgba8", "rgba16f", "r16", "r16f"], ["r8", "RGBA8", "", None]),
    ("facing_softness", 0.25, [0, 1], [-0.001, 1.001, None]),
    ("blend", None, [None, "over", "add", "max"], ["erase", "", 1]),
    # As tests set it: see test_what_tests_set_otherwise.
    ("captures_per_frame", 1024, [1, 1024], [0, 1025, 0.5, None]),
    ("warm_up", False, [True, False], [0, None]),
    ("stamp_color", None, [(0, 0, 0), (1, 1, 1, 1)], [(0, 0), (0, 0, 1.001), (-0.001, 0, 0), "red", None]),
    ("intensity", 1.0, [0, 1e6], [-0.001, float("nan"), float("inf")]),
    ("display", "overlay", ["overlay", "wrap", "shader", "none"], ["decal", "", None]),
    ("look", "paint", ["paint", "tint", "glow"], ["matte", "", None]),
    ("uv_set", None, [None, "texcoord.1"], ["", 1]),
    ("max_resolution", 4096, [64, 512, 4096], [32, 8192, 1000, 0, None]),
    # These too.
    ("unwrapper", "own", ["auto", "uvunwrap", "xatlas", "own"], ["blender", "", None]),
    ("unwrap_at_once", 1_000_000, [0, 10**9], [-1, 0.5, None]),
    ("unwrap_seconds", 30.0, [0.01, 1e6], [0, -1, float("inf")]),
    ("unwrap_cache", False, [True, False], [0, None]),
    ("unwrap_shader", OURS + "unwrap.frag", ["a.frag", Path("a.frag"), Filename("a.frag")], ["", None, 1]),
    ("fade_shader", OURS + "fade.frag", ["a.frag", Path("a.frag"), Filename("a.frag")], ["", None, 1]),
    ("merge_shader", OURS + "merge.frag", ["a.frag", Path("a.frag"), Filename("a.frag")], ["", None, 1]),
]
# A pool of 1024 warns: test_a_big_pool_warns.
ENDS = [(name, value) for name, _, allowed, _ in TABLE for value in allowed if value != 1024]
BEYOND = [(name, value) for name, _, _, beyond in TABLE for value in beyond]
# A PRC value that is not the default, and what it means.
PRC = {
    "max_pool_size": ("8", 8),
    "max_memory": ("48", 48.0),
    "shrink_below": ("0.5", 0.5),
    "free_pairs": ("0", 0),
    "high_res_distance": ("2.5", 2.5),
    "med_res_distance": ("44", 44.0),
    "auto_fade": ("0", False),
    "fade_duration": ("0.25", 0.25),
    "fade_step": ("0.75", 0.75),
    "recycle_threshold": ("0.05", 0.05),
    "scale_fade_by_radius": ("#t", True),
    "base_radius": ("2", 2.0),
    "radius_fade_exponent": ("1", 1.0),
    "age_weight": ("0", 0.0),
    "hardness": ("0.9", 0.9),
    "format": ("r16f", "r16f"),
    "blend": ("add", "add"),
    "captures_per_frame": ("3", 3),
    "warm_up": ("1", True),
    "stamp_color": ("0.5 0.25 1", (0.5, 0.25, 1.0, 1.0)),
    "intensity": ("3", 3.0),
    "display": ("none", "none"),
    "look": ("glow", "glow"),
    "uv_set": ("texcoord.1", "texcoord.1"),
    "facing_softness": ("0.5", 0.5),
    "max_resolution": ("512", 512),
    "unwrapper": ("xatlas", "xatlas"),
    "unwrap_at_once": ("0", 0),
    "unwrap_seconds": ("1.5", 1.5),
    "unwrap_cache": ("1", True),
    "unwrap_shader": ("dir/a.frag", "dir/a.frag"),
    "fade_shader": ("dir/b.frag", "dir/b.frag"),
    "merge_shader": ("dir/c.frag", "dir/c.frag"),
}
FRAME = 1 / 60


def make(**fields: Any) -> StampConfig:
    """A config of whatever values a user might pass."""
    return StampConfig(**fields)


# Defaults and ranges.


def test_the_table_has_every_field() -> None:
    names = [field.name for field in dataclasses.fields(StampConfig)]
    assert sorted(names) == sorted(name for name, *_ in TABLE) == sorted(PRC)


@pytest.mark.parametrize(("name", "default"), [(name, default) for name, default, _, _ in TABLE])
def test_defaults(name: str, default: Any) -> None:
    value = getattr(StampConfig(), name)
    if name == "stamp_color":
        assert len(value) == 4
    else:
        assert value == default
        assert type(value) is type(default)


@pytest.mark.parametrize(("name", "value"), ENDS)
def test_both_ends_are_allowed(name: str, value: Any) -> None:
    config = make(**{name: value})
    expected = StampConfig.rules()[name].kind(value) if value is not None else None
    assert getattr(config, name) == expected
    assert dataclasses.replace(config, **{name: getattr(StampConfig(), name)}) == StampConfig()


@pytest.mark.parametrize(("name", "value"), BEYOND)
def test_beyond_them_is_not(name: str, value: Any) -> None:
    with pytest.raises(ConfigError, match=f"^StampConfig.{name} must be ") as error:
        make(**{name: value})
    assert str(error.value).endswith(f", got {value!r}")
    assert StampConfig.rules()[name].allowed in str(error.value)


@pytest.mark.parametrize("name", PRC)
def test_every_field_has_its_prc_variable(name: str) -> None:
    words, expected = PRC[name]
    variable = "rtstamp-" + name.replace("_", "-")
    assert StampConfig.rules()[name].prc == variable
    with prc(f"{variable} {words}"):
        config = StampConfig()
    assert config == make(**{name: expected})
    assert config != StampConfig()


@pytest.mark.parametrize("name", [field.name for field in dataclasses.fields(StampConfig)])
def test_every_field_is_documented(name: str) -> None:
    rule = StampConfig.rules()[name]
    assert rule.doc
    assert rule.allowed


def test_medium_is_no_nearer_than_high() -> None:
    assert make(high_res_distance=20, med_res_distance=20).med_res_distance == 20
    with pytest.raises(ConfigError, match=re.escape("med_res_distance must be >= high_res_distance (20)")):
        make(high_res_distance=20, med_res_distance=19.999)
    with pytest.raises(
        ConfigError, match=re.escape("med_res_distance must be >= high_res_distance (31), got 30")
    ):
        make(high_res_distance=31)


@pytest.mark.parametrize(
    ("fields", "megabytes"),
    [
        ({"max_pool_size": 32}, None),
        ({"max_pool_size": 33}, 264),
        ({"max_pool_size": 1024}, 8192),
        ({"max_pool_size": 64, "format": "rgba16f"}, 1024),
        ({"max_pool_size": 64, "format": "r16"}, 256),
        ({"max_pool_size": 1}, None),
        ({"max_pool_size": 64, "max_memory": 100}, None),
    ],
)
def test_a_big_pool_warns(notify: NotifyLog, fields: dict[str, Any], megabytes: int | None) -> None:
    """32 pairs of 1024 px in RGBA16F are 512 MB."""
    notify.allow("max_pool_size")
    assert make(**fields).max_pool_size == fields["max_pool_size"]
    lines = [line for line in notify.text.splitlines() if "max_pool_size" in line]
    assert len(lines) == (megabytes is not None)
    assert all(f":rtstamp(warning): max_pool_size {fields['max_pool_size']}: " in line for line in lines)
    assert all(f" {megabytes} MB " in line for line in lines)


@pytest.mark.parametrize(
    ("fields", "blend"),
    [
        ({}, "over"),
        ({"format": "rgba16f"}, "over"),
        ({"format": "r16"}, "add"),
        ({"format": "r16f"}, "add"),
        ({"blend": "add"}, "add"),
        ({"blend": "max"}, "max"),
        ({"format": "r16", "blend": "over"}, "over"),
    ],
)
def test_blend_goes_by_format(fields: dict[str, Any], blend: str) -> None:
    config = make(**fields)
    assert config.blend_in(config.target_format) == blend


def test_what_tests_set_otherwise() -> None:
    """The defaults of what tests set for themselves."""
    names = ["captures_per_frame", "warm_up"]
    names += ["unwrapper", "unwrap_at_once", "unwrap_seconds", "unwrap_cache"]
    code = f"from panda_rtstamp import StampConfig; print([getattr(StampConfig(), n) for n in {names}])"
    done = run_python("-c", code)
    assert done.stdout.strip() == "[8, True, 'auto', 2000, 30.0, True]", done.stderr


# Changes under live marks.

ADD_ALL = """#version 330
// Marks everything with a quarter.
#pragma include <rtstamp/stamps/primary.glsl>
out vec4 o_color;
void main() {
    o_color = vec4(1.0, 1.0, 1.0, encode_mask(0.25));
}
"""
HALF_AT_ONCE = """#version 330
// Fades in steps of a half, whatever the time.
out vec4 o_color;
void main() {
    o_color = vec4(0.5);
}
"""
MERGE_RED = """#version 330
// Red everywhere, in place of what was marked.
uniform float u_gain;
layout(location = 0, index = 0) out vec4 o_color;
layout(location = 0, index = 1) out vec4 o_keep;
void main() {
    o_color = vec4(1.0, 0.0, 0.0, 1.0) * u_gain;
    o_keep = vec4(0.0);
}
"""
BROKEN = "#version 330\nout vec4 o_color;\nvoid main() {\n    o_color = wrong;\n}\n"


@pytest.fixture
def shaders(tmp_path: Path) -> Callable[[str], str]:
    """Writes a shader file; gives its name."""

    def write(text: str) -> str:
        path = tmp_path / f"{len(list(tmp_path.iterdir()))}.frag"
        path.write_text(text, encoding="utf-8")
        return Filename.from_os_specific(str(path)).get_fullpath()

    return write


# Changes that leave marks and their picture exactly as they are.
HARMLESS: list[dict[str, Any]] = [
    {"max_pool_size": 1},
    {"max_pool_size": 20},
    {"max_memory": 0.1},
    {"shrink_below": 1.0},
    {"free_pairs": 0},
    {"high_res_distance": 1.0},
    {"med_res_distance": 100.0},
    {"auto_fade": True},
    {"fade_duration": 1.0},
    {"fade_step": 0.75},
    {"fade_step": 1},
    {"recycle_threshold": 0.1},
    {"scale_fade_by_radius": True},
    {"base_radius": 3.0},
    {"radius_fade_exponent": 2.0},
    {"age_weight": 5.0},
    {"hardness": 1.0},
    {"format": "r16"},
    {"format": "rgba16f"},
    {"facing_softness": 1.0},
    {"max_resolution": 64},
    {"unwrapper": "xatlas"},
    {"unwrap_at_once": 0},
    {"unwrap_seconds": 1.0},
    {"unwrap_cache": True},
    {"blend": "add"},
    {"blend": "max"},
    {"captures_per_frame": 1},
    {"warm_up": True},
    {"stamp_color": (1.0, 0.0, 0.0)},
    {"display": "wrap"},
    {"display": "shader"},
    {"display": "none"},
    {"look": "tint"},
    {"look": "glow"},
    {"unwrap_shader": ADD_ALL},
    {"merge_shader": MERGE_RED},
    {"fade_shader": HALF_AT_ONCE},
]


@pytest.mark.parametrize("changes", HARMLESS, ids=lambda changes: "-".join(map(str, *changes.items()))[:30])
def test_marks_that_can_stay_do(
    base: Any, scene: NodePath, shaders: Callable[[str], str], changes: dict[str, Any]
) -> None:
    card = small_card(scene)
    with system(base, auto_fade=False) as stamps:
        binding = hit_middle(stamps, card, color=(0.2, 0.4, 0.8))
        step(base, 3)
        before = image_of(stamps, card)
        pair = (binding.primary, binding.temp)
        named: dict[str, Any] = {
            name: shaders(value) if name.endswith("_shader") else value for name, value in changes.items()
        }
        changed = dataclasses.replace(stamps.config, **named)
        stamps.set_config(changed)
        step(base, 3)
        assert stamps.config is changed
        assert stamps.binding(card) is binding
        assert (binding.primary, binding.temp) == pair
        assert before[..., 3].max() > 0.9
        assert np.array_equal(image_of(stamps, card), before)
        # And they take hits as before.
        assert hit_middle(stamps, card) is binding
        step(base, 3)
        assert stamps.capture_count == 2


def test_every_field_has_been_changed() -> None:
    tried = {name for changes in HARMLESS for name in changes}
    assert tried | {"intensity", "uv_set"} == {field.name for field in dataclasses.fields(StampConfig)}


def test_the_same_config_changes_nothing(base: Any, scene: NodePath) -> None:
    card = small_card(scene)
    with system(base, auto_fade=False) as stamps:
        binding = hit_middle(stamps, card)
        step(base)
        state = card.get_state()
        overlay = card.get_child(0).node()
        stamps.set_config(dataclasses.replace(stamps.config))
        assert stamps.binding(card) is binding
        assert card.get_child(0).node() == overlay
        assert card.get_state() == state


def test_a_smaller_pool_evicts_the_weakest(base: Any, scene: NodePath) -> None:
    cards = [small_card(scene, f"card-{index}") for index in range(4)]
    with system(base, auto_fade=False, max_pool_size=4) as stamps:
        for card in cards:
            hit_middle(stamps, card)
        step(base)
        stamps.start_fade(cards[2], 1.0)
        stamps.start_fade(cards[0], 10.0)
        step(base, 30)
        stamps.set_config(dataclasses.replace(stamps.config, max_pool_size=2))
        assert [binding.node for binding in stamps.bindings] == [cards[1], cards[3]]
        assert stamps.memory_bytes == 2 * 2 * 64 * 64 * 4
        # And the new size counts from now on.
        hit_middle(stamps, cards[2])
        assert stamps.active_count == 2


def test_a_bigger_pool_has_room(base: Any, scene: NodePath) -> None:
    cards = [small_card(scene, f"card-{index}") for index in range(3)]
    with system(base, max_pool_size=1) as stamps:
        hit_middle(stamps, cards[0])
        hit_middle(stamps, cards[1])
        assert stamps.active_count == 1
        stamps.set_config(dataclasses.replace(stamps.config, max_pool_size=3))
        for card in cards:
            hit_middle(stamps, card)
        assert stamps.active_count == 3


@pytest.mark.parametrize(
    ("changes", "resolution"),
    [({"high_res_distance": 20.1}, 1024), ({"high_res_distance": 1.0, "med_res_distance": 1.0}, 256)],
)
def test_distances_count_for_new_marks(
    base: Any, scene: NodePath, changes: dict[str, Any], resolution: int
) -> None:
    old, new = small_card(scene, "old"), small_card(scene, "new")
    for card in (old, new):
        card.clear_tag("rtstamp-resolution")
    with system(base) as stamps:
        assert hit_middle(stamps, old).resolution == 512
        step(base)
        stamps.set_config(dataclasses.replace(stamps.config, **changes))
        assert hit_middle(stamps, old).resolution == 512
        assert hit_middle(stamps, new).resolution == resolution


@pytest.mark.parametrize("auto_fade", [False, True])
def test_auto_fade_counts_from_the_next_hit(base: Any, scene: NodePath, auto_fade: bool) -> None:
    card, other = small_card(scene), small_card(scene, "other")
    with system(base, auto_fade=not auto_fade, fade_duration=1.0) as stamps:
        binding = hit_middle(stamps, card)
        step(base, 6)
        stamps.set_config(dataclasses.replace(stamps.config, auto_fade=auto_fade))
        kept = binding.alpha
        step(base, 6)
        # The old mark goes on as it was.
        assert (binding.alpha < kept) == (not auto_fade)
        new = hit_middle(stamps, other)
        again = hit_middle(stamps, card)
        step(base, 6)
        expected = 0.01 ** (6 * FRAME) if auto_fade else 1.0
        assert new.alpha == pytest.approx(expected, rel=1e-6)
        assert again.alpha == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize(
    ("changes", "threshold", "duration"),
    [
        ({"fade_duration": 4.0}, 0.01, 4.0),
        ({"fade_duration": 0.5}, 0.01, 0.5),
        ({"recycle_threshold": 0.1}, 0.1, 1.0),
        ({"scale_fade_by_radius": True}, 0.01, 4.0**0.5),
        ({"scale_fade_by_radius": True, "base_radius": 16.0}, 0.01, 0.25**0.5),
        ({"scale_fade_by_radius": True, "radius_fade_exponent": 1.0}, 0.01, 4.0),
    ],
)
def test_a_change_of_the_fade_goes_on_from_the_present_value(
    base: Any, scene: NodePath, changes: dict[str, Any], threshold: float, duration: float
) -> None:
    """No jump, then the new rate, and the end where alpha meets the threshold."""
    card = small_card(scene)
    with system(base, fade_duration=1.0) as stamps:
        binding = hit_middle(stamps, card, radius=4.0)
        step(base, 12)
        # Until now by the old rate: the hit was 11 frames before this one, whose time is the next step's.
        before = binding.alpha
        assert before == pytest.approx(0.01 ** (binding.age / 1.0), rel=1e-6)
        start = now()
        stamps.set_config(dataclasses.replace(stamps.config, **changes))
        assert binding.alpha == pytest.approx(before, rel=1e-9)
        step(base, 6)
        expected = before * threshold ** ((now() - start) / duration)
        assert binding.alpha == pytest.approx(expected, rel=1e-6)
        left = duration * np.log(before / threshold) / np.log(1 / threshold)
        last = 0.0
        while stamps.active_count:
            last = now() - start
            step(base)
        # A mark that is a millionth of a second before its end has ended.
        assert last - FRAME < left <= last + 1e-6


def test_age_weight_counts_at_the_next_eviction(base: Any, scene: NodePath) -> None:
    cards = [small_card(scene, f"card-{index}") for index in range(3)]
    with system(base, auto_fade=False, max_pool_size=2, age_weight=0.0) as stamps:
        for card in cards[:2]:
            hit_middle(stamps, card)
            step(base, 30)
        # The second is younger, and weaker.
        stamps.start_fade(cards[1], 2.0)
        step(base, 3)
        stamps.set_config(dataclasses.replace(stamps.config, age_weight=1.0))
        hit_middle(stamps, cards[2])
        assert [binding.node for binding in stamps.bindings] == cards[1:]


def test_hardness_counts_from_the_next_hit(base: Any, scene: NodePath) -> None:
    cards = [small_card(scene, f"card-{index}") for index in range(2)]
    across = ((np.arange(64) + 0.5) / 64 - 0.5) * 2.0
    x, z = np.meshgrid(across, across)
    with system(base, auto_fade=False, format="rgba16f", hardness=0.0) as stamps:
        for card, hardness in zip(cards, (0.0, 0.75), strict=True):
            stamps.set_config(dataclasses.replace(stamps.config, hardness=hardness))
            hit_middle(stamps, card, radius=0.75)
            step(base)
            expected = mask_formula(np.hypot(x, z), 0.75, hardness)
            assert np.abs(image_of(stamps, card)[..., 3] - expected).max() <= 2e-3


def test_format_counts_from_the_next_mark(base: Any, scene: NodePath) -> None:
    old, new = small_card(scene, "old"), small_card(scene, "new")
    with system(base, auto_fade=False, format="rgba8") as stamps:
        hit_middle(stamps, old, color=(1.0, 0.5, 0.0))
        step(base)
        stamps.set_config(dataclasses.replace(stamps.config, format="r16", stamp_color=(0.0, 0.0, 1.0)))
        hit_middle(stamps, new, color=(1.0, 0.5, 0.0))
        hit_middle(stamps, old, color=(1.0, 0.5, 0.0))
        step(base, 1 + frames_behind(base))
        assert stamps.memory_bytes == 2 * 64 * 64 * (4 + 2)
        peaks = [image_of(stamps, card)[32, 32] for card in (old, new)]
        assert np.allclose(peaks[0], [1.0, 0.5, 0.0, 1.0], atol=2 / 255)
        assert np.allclose(peaks[1], [0.0, 0.0, 1.0, 1.0], atol=2e-3)


def test_blend_counts_from_the_next_hit(base: Any, scene: NodePath) -> None:
    old, new = small_card(scene, "old"), small_card(scene, "new")
    with system(base, auto_fade=False, format="rgba16f", blend="over") as stamps:
        hit_middle(stamps, old, opacity=0.25, hardness=1.0)
        step(base)
        stamps.set_config(dataclasses.replace(stamps.config, blend="add"))
        for _ in range(2):
            hit_middle(stamps, new, opacity=0.25, hardness=1.0)
            step(base)
        hit_middle(stamps, old, opacity=0.25, hardness=1.0)
        step(base)
        assert image_of(stamps, new)[32, 32, 3] == pytest.approx(0.5, abs=2e-3)
        assert image_of(stamps, old)[32, 32, 3] == pytest.approx(0.5, abs=2e-3)


def test_stamp_color_shows_at_once_where_marks_have_no_colour(base: Any, scene: NodePath) -> None:
    card = small_card(scene)
    with system(base, auto_fade=False, format="r16", stamp_color=(1.0, 0.0, 0.0)) as stamps:
        hit_middle(stamps, card, hardness=1.0)
        step(base)
        assert np.allclose(image_of(stamps, card)[32, 32], [1.0, 0.0, 0.0, 1.0], atol=1e-3)
        stamps.set_config(dataclasses.replace(stamps.config, stamp_color=(0.0, 0.5, 0.25)))
        assert np.allclose(image_of(stamps, card)[32, 32], [0.0, 0.5, 0.25, 1.0], atol=1e-3)


def test_stamp_color_counts_from_the_next_hit_where_marks_have_one(base: Any, scene: NodePath) -> None:
    card = small_card(scene)
    with system(base, auto_fade=False, stamp_color=(1.0, 0.0, 0.0)) as stamps:
        hit_middle(stamps, card, hardness=1.0)
        step(base)
        stamps.set_config(dataclasses.replace(stamps.config, stamp_color=(0.0, 0.5, 0.25, 0.5)))
        assert np.allclose(image_of(stamps, card)[32, 32], [1.0, 0.0, 0.0, 1.0], atol=2 / 255)
        hit_middle(stamps, card, hardness=1.0)
        step(base)
        # Its alpha counts as opacity.
        assert np.allclose(image_of(stamps, card)[32, 32], [0.5, 0.25, 0.125, 1.0], atol=2 / 255)


def test_intensity_shows_at_once(base: Any, scene: NodePath) -> None:
    card = small_card(scene)
    with system(base, auto_fade=False, format="rgba16f", stamp_color=(1.0, 0.5, 0.0)) as stamps:
        hit_middle(stamps, card, hardness=1.0, opacity=0.25)
        step(base)
        for intensity, mask in ((1.0, 0.25), (2.0, 0.5), (0.0, 0.0), (100.0, 1.0)):
            stamps.set_config(dataclasses.replace(stamps.config, intensity=intensity))
            step(base)
            expected = np.array([1.0, 0.5, 0.0, 1.0]) * mask
            assert np.allclose(image_of(stamps, card)[32, 32], expected, atol=2e-3)


def overlays(node: NodePath) -> list[NodePath]:
    """The overlays below a node."""
    return list(node.find_all_matches("**/=rtstamp-overlay"))


def test_display_is_built_anew(base: Any, scene: NodePath) -> None:
    card = small_card(scene)
    with system(base, auto_fade=False) as stamps:
        hit_middle(stamps, card)
        step(base)
        assert len(overlays(card)) == 1
        for display, count, inputs in (("none", 0, False), ("shader", 0, True), ("overlay", 1, False)):
            stamps.set_config(dataclasses.replace(stamps.config, display=display))
            assert len(overlays(card)) == count
            own = card.get_attrib(ShaderAttrib)
            assert (isinstance(own, ShaderAttrib) and own.has_shader_input("rtstamp_temp")) == inputs
            step(base)


def test_look_is_built_anew(base: Any, scene: NodePath) -> None:
    card = small_card(scene)
    with system(base, auto_fade=False) as stamps:
        hit_middle(stamps, card)
        step(base)
        seen = set()
        for look in ("tint", "glow", "paint"):
            stamps.set_config(dataclasses.replace(stamps.config, look=look))
            (overlay,) = overlays(card)
            seen.add(overlay.get_attrib(ColorBlendAttrib))
            step(base)
        assert len(seen) == 3


def two_uv_sets(card: NodePath) -> None:
    """Give a card a second UV set, `texcoord.1`, that is the first turned upside down."""
    from panda_rtstamp.core.geometry import column, with_column

    node = card.node()
    assert isinstance(node, GeomNode)
    vertices = node.get_geom(0).get_vertex_data()
    uvs = column(vertices, "texcoord")
    assert uvs is not None
    geom = node.get_geom(0).make_copy()
    geom.set_vertex_data(with_column(vertices, "texcoord.1", 1.0 - uvs.astype(np.float32)))
    node.set_geom(0, geom)


def test_another_uv_set_ends_all_marks(base: Any, scene: NodePath) -> None:
    """Their layout is no longer the model's; new marks are laid out by the new set."""
    card = small_card(scene)
    two_uv_sets(card)
    with system(base, auto_fade=False, format="rgba16f") as stamps:
        old = stamps.hit(card, (0.5, 0.0, 0.5), other=card, radius=0.25, hardness=1.0)
        assert old is not None
        step(base)
        first = image_of(stamps, card)[..., 3]
        stamps.set_config(dataclasses.replace(stamps.config, uv_set="texcoord.1"))
        assert stamps.active_count == 0
        assert old.alpha == 0.0
        assert overlays(card) == []
        stamps.hit(card, (0.5, 0.0, 0.5), other=card, radius=0.25, hardness=1.0)
        step(base)
        second = image_of(stamps, card)[..., 3]
        assert first[48, 48] == 1.0
        assert first[16, 16] == 0.0
        assert np.array_equal(second, first[::-1, ::-1])


def test_an_unwrap_shader_of_the_users(base: Any, scene: NodePath, shaders: Callable[[str], str]) -> None:
    card = small_card(scene)
    with system(base, auto_fade=False, format="rgba16f") as stamps:
        hit_middle(stamps, card, radius=0.1)
        step(base)
        assert image_of(stamps, card)[0, 0, 3] == 0.0
        stamps.set_config(dataclasses.replace(stamps.config, unwrap_shader=shaders(ADD_ALL)))
        hit_middle(stamps, card, radius=0.1)
        step(base)
        assert np.allclose(image_of(stamps, card)[0, 0], 0.25, atol=2e-3)


def test_a_merge_shader_of_the_users(base: Any, scene: NodePath, shaders: Callable[[str], str]) -> None:
    card = small_card(scene)
    with system(base, auto_fade=False) as stamps:
        stamps.set_config(dataclasses.replace(stamps.config, merge_shader=shaders(MERGE_RED)))
        hit_middle(stamps, card, radius=0.1)
        step(base)
        assert np.allclose(image_of(stamps, card), [1.0, 0.0, 0.0, 1.0], atol=2 / 255)


def test_a_fade_shader_of_the_users_is_drawn_every_frame(
    base: Any, scene: NodePath, shaders: Callable[[str], str]
) -> None:
    """It implies fade_step = 1, for marks that are made from now on."""
    card = small_card(scene)
    with system(base, format="rgba16f") as stamps:
        stamps.set_config(dataclasses.replace(stamps.config, fade_shader=shaders(HALF_AT_ONCE)))
        binding = hit_middle(stamps, card, hardness=1.0)
        for frames in range(1, 5):
            step(base)
            stored = image_of(stamps, card)[32, 32, 3]
            assert stored == pytest.approx(0.5 ** (frames - 1), rel=2e-2)
        assert binding.alpha > 0.9


# Bad configs change nothing.


@pytest.mark.parametrize("bad", [None, {}, "config", 5, StampConfig], ids=str)
def test_what_is_no_config_is_refused(base: Any, bad: Any) -> None:
    with system(base) as stamps:
        before = stamps.config
        with pytest.raises(ConfigError, match=f"^config must be a StampConfig, got {type(bad).__name__}$"):
            stamps.set_config(bad)
        assert stamps.config is before
    if bad is not None:
        with pytest.raises(ConfigError, match=r"^config must be a StampConfig"):
            StampSystem(base, bad)


@pytest.mark.parametrize("field", ["unwrap_shader", "fade_shader", "merge_shader"])
@pytest.mark.parametrize("broken", [False, True])
def test_a_bad_shader_changes_nothing(
    base: Any, scene: NodePath, shaders: Callable[[str], str], field: str, broken: bool
) -> None:
    name = shaders(BROKEN) if broken else "no-such-file.frag"
    card = small_card(scene)
    with system(base, auto_fade=False, fade_duration=2.0) as stamps:
        binding = hit_middle(stamps, card)
        step(base)
        before, image = stamps.config, image_of(stamps, card)
        state = card.get_child(0).get_state()
        changes: dict[str, Any] = {"look": "glow", "fade_duration": 9.0, "uv_set": "none", field: name}
        bad = dataclasses.replace(before, **changes)
        with pytest.raises(ShaderError) as error:
            stamps.set_config(bad)
        assert (f"{name}:4: error" if broken else f"shader file not found: {name}") in str(error.value)
        step(base)
        assert stamps.config is before
        assert stamps.binding(card) is binding
        assert np.array_equal(image_of(stamps, card), image)
        assert card.get_child(0).get_state() == state
        # And it goes on working.
        assert hit_middle(stamps, card) is binding
        step(base)
        assert stamps.capture_count == 2


@pytest.mark.parametrize("broken", [False, True])
def test_a_bad_shader_is_refused_at_the_start(base: Any, shaders: Callable[[str], str], broken: bool) -> None:
    name = shaders(BROKEN) if broken else "no-such-file.frag"
    tasks = len(base.task_mgr.getAllTasks())
    callbacks = list(base.finalExitCallbacks)
    with pytest.raises(ShaderError, match=re.escape(name)):
        StampSystem(base, make(unwrap_shader=name))
    assert len(base.task_mgr.getAllTasks()) == tasks
    assert base.finalExitCallbacks == callbacks


@pytest.mark.profiles
@pytest.mark.threads
def test_changes_while_hits_wait(base: Any, scene: NodePath) -> None:
    """A hit of this frame is captured though the config changes before it is."""
    cards = [small_card(scene, f"card-{index}") for index in range(4)]
    changes: list[dict[str, Any]] = [
        {"display": "none"},
        {"format": "rgba16f"},
        {"fade_duration": 9.0},
        {"intensity": 1.0, "look": "tint", "display": "overlay"},
    ]
    with system(base, auto_fade=False) as stamps:
        for card, change in zip(cards, changes, strict=True):
            hit_middle(stamps, card, hardness=1.0)
            stamps.set_config(dataclasses.replace(stamps.config, **change))
            step(base)
        step(base, frames_behind(base))
        for card in cards:
            assert image_of(stamps, card)[32, 32, 3] == pytest.approx(1.0, abs=2 / 255)
        assert stamps.capture_count == 4
        assert stamps.active_count == 4


def fields_of(binding: StampBinding) -> tuple[Texture, Texture, int]:
    """What a binding shows of its pair."""
    return binding.primary, binding.temp, binding.resolution


def test_set_config_after_destroy_is_harmless(base: Any, scene: NodePath) -> None:
    stamps = StampSystem(base, make(auto_fade=False))
    binding = hit_middle(stamps, small_card(scene))
    before = fields_of(binding)
    stamps.destroy()
    stamps.set_config(make(look="glow"))
    assert fields_of(binding) == before
    assert stamps.active_count == 0
    assert ClockObject.get_global_clock().get_frame_time() == now()
