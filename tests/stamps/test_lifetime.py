"""Marks end with what they are on: destroyed and detached nodes, whole levels, windows, the game itself."""

import gc
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from panda3d.core import GeomNode, NodePath, TextNode, WeakNodePath

from panda_rtstamp import StampConfig, StampSystem
from panda_rtstamp.core.geometry import column, triangles
from pictures import assert_same_scene, plain_shader, snapshot
from stamp_support import Pair, hit_middle, image_of, mask_formula, now, small_card, system, what_is_held
from support import NotifyLog, frames_behind, make_card, run_case, screenshot, step

FRAME = 1 / 60
# How long a capture keeps what it draws: see core/target.py.
FRAMES_IN_FLIGHT = 8
# Longer than that, and than the graphics thread takes to give something back.
SETTLE = 14


def settle(base: Any) -> None:
    """Let what was let go of be gone."""
    gc.collect()
    step(base, SETTLE)


# Destroyed nodes.


@pytest.mark.profiles
@pytest.mark.threads
def test_a_destroyed_node_is_noticed_in_that_tick(base: Any, scene: NodePath) -> None:
    """Though nobody held a handle to it, nor to what was above it."""
    small_card(scene.attach_new_node("room"))
    with system(base, auto_fade=False) as stamps:
        binding = stamps.hit(scene.find("**/card"), (0.0, 20.0, 0.0))
        assert binding is not None
        step(base, FRAMES_IN_FLIGHT + 2)
        # Nobody holds a handle, and it is there.
        gc.collect()
        step(base)
        assert stamps.bindings == [binding]
        assert str(binding.node) == "render/scene/room/card"
        scene.find("room").remove_node()
        # Threads that draw older frames hold what was in them.
        step(base, 1 + frames_behind(base))
        assert stamps.active_count == 0
        assert binding.node.is_empty()
        assert (binding.alpha, binding.detached) == (0.0, binding.detached)
        # Its pair is free for the next one.
        memory = stamps.memory_bytes
        hit_middle(stamps, small_card(scene))
        assert stamps.memory_bytes == memory


@pytest.mark.profiles
@pytest.mark.threads
def test_a_node_that_is_destroyed_with_hits_waiting(base: Any, scene: NodePath) -> None:
    with system(base, auto_fade=False) as stamps:
        for _ in range(3):
            card = small_card(scene)
            hit_middle(stamps, card)
            card.remove_node()
            step(base)
            assert stamps.active_count == 0
        assert stamps.capture_count == 0


@pytest.mark.profiles
@pytest.mark.threads
def test_a_node_that_is_destroyed_while_its_capture_is_drawn(base: Any, scene: NodePath) -> None:
    """The capture keeps it until no thread draws it any more: without threads, until this tick."""
    with system(base, auto_fade=False) as stamps:
        card = small_card(scene)
        hit_middle(stamps, card)
        step(base)
        weak = WeakNodePath(card)
        card.remove_node()
        step(base, FRAMES_IN_FLIGHT if frames_behind(base) else 1)
        assert stamps.active_count == 0
        assert weak.was_deleted()


def test_a_marked_node_can_be_destroyed(base: Any, scene: NodePath) -> None:
    """Marks keep nothing alive: neither the node nor its geometry."""
    with system(base, auto_fade=False) as stamps:
        card = small_card(scene)
        hit_middle(stamps, card)
        step(base, SETTLE)
        weak = WeakNodePath(card)
        card.remove_node()
        assert weak.was_deleted()


def test_a_held_binding_keeps_nothing_alive(base: Any, scene: NodePath) -> None:
    with system(base, auto_fade=False) as stamps:
        card = small_card(scene)
        binding = hit_middle(stamps, card)
        step(base, SETTLE)
        card.remove_node()
        step(base)
        assert binding.node.is_empty()
        assert binding.alpha == 0.0
        assert binding.resolution == 64
        assert binding.age >= 0.0
        assert stamps.active_count == 0


def test_a_part_that_is_destroyed(base: Any, scene: NodePath) -> None:
    """The rest keeps its marks, and takes more."""
    pair = Pair(scene)
    with system(base, auto_fade=False, format="rgba16f") as stamps:
        binding = stamps.hit(pair.outer, (-0.25, 20.0, 0.0))
        step(base, SETTLE)
        pair.inner.remove_node()
        step(base)
        assert stamps.bindings == [binding]
        before = pair.mask(-0.25, 1.0, 0, 1)
        assert np.abs(image_of(stamps, pair.outer)[..., 3] - before).max() <= 2e-3
        assert stamps.hit(pair.outer, (0.25, 20.0, 0.0)) is binding
        step(base)
        new = pair.mask(0.25, 1.0, 0)
        expected = before * (1.0 - new) + new
        shown = ~np.isnan(expected)
        assert np.abs(image_of(stamps, pair.outer)[..., 3] - expected)[shown].max() <= 2e-3


# Nodes that are detached, stashed, hidden, moved.


def test_a_detached_node_keeps_its_marks_and_goes_on_fading(base: Any, scene: NodePath) -> None:
    """Games keep pools of objects."""
    card = small_card(scene)
    across = ((np.arange(64) + 0.5) / 64 - 0.5) * 2.0
    mask = mask_formula(np.hypot(*np.meshgrid(across, across)), 1.0, 0.1)
    with system(base, format="rgba16f", fade_duration=1.0) as stamps:
        binding = hit_middle(stamps, card)
        step(base, 10)
        assert not binding.detached
        card.detach_node()
        assert binding.detached
        step(base, 10)
        assert binding.alpha == pytest.approx(0.01 ** (20 * FRAME), rel=1e-6)
        assert np.abs(image_of(stamps, card)[..., 3] - mask * binding.alpha).max() <= 2e-3
        card.reparent_to(scene)
        assert not binding.detached
        step(base, 10)
        assert np.abs(image_of(stamps, card)[..., 3] - mask * 0.01**0.5).max() <= 2e-3
        card.detach_node()
        step(base, 29)
        assert stamps.bindings == [binding]
        step(base, 2)
        assert stamps.active_count == 0


def test_a_detached_node_without_auto_fade(base: Any, scene: NodePath) -> None:
    card = small_card(scene)
    with system(base, auto_fade=False) as stamps:
        binding = hit_middle(stamps, card)
        step(base)
        card.detach_node()
        step(base, 60)
        assert stamps.bindings == [binding]
        assert binding.alpha == 1.0
        # Let go of at last, it is destroyed.
        card = NodePath()
        gc.collect()
        step(base)
        assert stamps.active_count == 0


def test_a_node_in_another_scene_is_detached_from_the_one_it_was_hit_in(base: Any, scene: NodePath) -> None:
    card = small_card(scene)
    elsewhere = NodePath("elsewhere")
    with system(base, auto_fade=False) as stamps:
        binding = hit_middle(stamps, card)
        step(base)
        card.reparent_to(elsewhere)
        assert binding.detached
        # A hit there makes it at home there.
        hit_middle(stamps, card)
        assert not binding.detached


def test_a_hit_on_a_detached_node(base: Any, scene: NodePath) -> None:
    """It is captured as any other, and shows when the node is back."""
    card = small_card(scene)
    card.detach_node()
    with system(base, auto_fade=False) as stamps:
        hit_middle(stamps, card, hardness=1.0)
        step(base)
        assert image_of(stamps, card)[32, 32, 3] == 1.0


@pytest.mark.parametrize(
    "change",
    [
        NodePath.stash,
        NodePath.hide,
        lambda card: card.reparent_to(card.get_parent().attach_new_node("elsewhere")),
        lambda card: card.wrt_reparent_to(card.get_parent().attach_new_node("elsewhere")),
        lambda card: card.set_pos_hpr_scale((5, 6, 7), (10, 20, 30), (2, 3, 4)),
        lambda card: card.set_name("renamed"),
        lambda card: card.get_parent().set_scale(3.0),
        lambda card: card.attach_new_node("child"),
    ],
)
def test_marks_stay_whatever_is_done_to_the_node(
    base: Any, scene: NodePath, change: Callable[[NodePath], Any]
) -> None:
    room = scene.attach_new_node("room")
    card = small_card(room)
    with system(base, auto_fade=False) as stamps:
        binding = hit_middle(stamps, card)
        step(base)
        before = image_of(stamps, card)
        change(card)
        step(base, SETTLE)
        assert stamps.bindings == [binding]
        assert not binding.detached
        assert binding.node == card
        assert stamps.binding(card) is binding
        assert np.array_equal(image_of(stamps, card), before)
        card.unstash()
        card.show()
        hit_middle(stamps, card)
        step(base)
        assert stamps.capture_count == 2


def test_a_copy_has_no_marks(base: Any, scene: NodePath) -> None:
    """It is a node of its own; what it takes along of ours shows nothing once the marks are gone."""
    card = small_card(scene)
    with system(base, auto_fade=False) as stamps:
        binding = hit_middle(stamps, card)
        step(base)
        copy = card.copy_to(scene)
        assert stamps.binding(copy) is None
        other = hit_middle(stamps, copy)
        assert other is not binding
        step(base, SETTLE)
        card.remove_node()
        step(base)
        assert stamps.bindings == [other]
        assert image_of(stamps, copy)[32, 32, 3] > 0.9


def test_a_copy_of_a_marked_node_shows_nothing_when_the_marks_are_gone(base: Any, scene: NodePath) -> None:
    base.win.set_clear_color((0.2, 0.2, 0.2, 1.0))
    card = small_card(scene)
    card.set_scale(4.0)
    clean = screenshot(base)
    with system(base, auto_fade=False) as stamps:
        hit_middle(stamps, card, radius=4.0, color=(1.0, 0.0, 0.0))
        step(base)
        copy = card.copy_to(scene)
        assert not np.array_equal(screenshot(base), clean)
        card.remove_node()
        step(base, SETTLE)
        assert stamps.active_count == 0
        assert np.array_equal(screenshot(base), clean)
        copy.remove_node()


def shape_of(root: NodePath) -> list[Any]:
    """Nodes, transforms and geometry, without what marks add to vertices."""
    found: list[Any] = []
    for path in [root, *root.find_all_matches("**/+PandaNode")]:
        node = path.node()
        found.append((str(path), path.get_transform(), path.get_num_children()))
        for index in range(node.get_num_geoms() if isinstance(node, GeomNode) else 0):
            geom = node.get_geom(index)
            vertices = geom.get_vertex_data()
            columns = [column(vertices, name) for name in ("vertex", "normal", "texcoord")]
            arrays = [array.tolist() for array in columns if array is not None]
            found.append((node.get_geom_state(index), triangles(geom).tolist(), arrays))
    return found


FLATTEN = [NodePath.flatten_light, NodePath.flatten_medium, NodePath.flatten_strong]


@pytest.mark.parametrize("flatten", FLATTEN)
def test_flattening_a_marked_scene(
    base: Any, scene: NodePath, notify: NotifyLog, flatten: Callable[[NodePath], int]
) -> None:
    """The user's result stands, as if there had been no marks; what can be marked afterwards can."""

    def build() -> NodePath:
        room = NodePath("room")
        for index in range(3):
            card = make_card(2.0, 2.0, f"card-{index}")
            card.set_pos_hpr(4.0 * index, 20.0, 0.0, 0.0, 0.0, 45.0)
            card.reparent_to(room)
        room.set_tag("rtstamp-resolution", "64")
        room.reparent_to(scene)
        return room

    expected = build()
    flatten(expected)
    wanted = shape_of(expected)
    expected.remove_node()
    with system(base, auto_fade=False) as stamps:
        room = build()
        for card in room.get_children():
            assert hit_middle(stamps, card) is not None
        step(base, SETTLE)
        del card
        flatten(room)
        step(base, 2)
        stamps.clear_all()
        assert shape_of(room) == wanted
        binding = stamps.hit(room.get_child(0), (0.0, 20.0, 0.0))
        assert binding is not None
        step(base)
        assert image_of(stamps, room.get_child(0))[..., 3].max() > 0.9


@pytest.mark.profiles
def test_a_copy_of_a_wrapped_node(base: Any, scene: NodePath) -> None:
    """It comes with our shader, which is not wrapped once more when the copy is hit."""
    base.win.set_clear_color((0.0, 0.0, 0.0, 1.0))
    card = small_card(scene)
    card.set_shader(plain_shader())
    card.set_scale(4.0)
    with system(base, auto_fade=False, display="wrap", look="glow") as stamps:
        hit_middle(stamps, card, radius=4.0)
        step(base)
        first = screenshot(base)
        copy = card.copy_to(scene)
        card.remove_node()
        step(base, SETTLE)
        assert stamps.active_count == 0
        clean = screenshot(base)
        assert not np.array_equal(first, clean)
        hit_middle(stamps, copy, radius=4.0)
        step(base)
        assert np.array_equal(screenshot(base), first)
        for look in ("paint", "glow"):
            stamps.set_config(replace(stamps.config, look=look))
            step(base)
        assert np.array_equal(screenshot(base), first)
        stamps.clear_all()
        assert np.array_equal(screenshot(base), clean)


@pytest.mark.parametrize("display", ["overlay", "wrap"])
def test_a_child_that_comes_later_is_not_marked(base: Any, scene: NodePath, display: str) -> None:
    """It inherits the state of what is above it, but is no part of what was hit."""
    base.win.set_clear_color((0.0, 0.0, 0.0, 1.0))
    card = small_card(scene)
    card.set_shader(plain_shader())
    card.set_scale(4.0)
    with system(base, auto_fade=False, display=display) as stamps:
        # About the corner that texel (0, 0) is.
        stamps.hit(card, (-1.0, 0.0, -1.0), other=card, radius=1.0, color=(1.0, 0.0, 0.0))
        step(base)
        marked = screenshot(base)
        child = make_card(0.5, 0.5, "child")
        child.reparent_to(card)
        child.set_pos(0.5, -0.001, 0.5)
        assert np.array_equal(screenshot(base), marked)


@pytest.mark.parametrize("display", ["overlay", "wrap", "shader", "none"])
@pytest.mark.parametrize("before", ["overlay", "none"])
def test_a_config_that_comes_after_the_node_is_gone(
    base: Any, scene: NodePath, before: str, display: str
) -> None:
    """And before the tick that notices."""
    with system(base, auto_fade=False, display=before) as stamps:
        card = small_card(scene)
        binding = hit_middle(stamps, card)
        step(base, SETTLE)
        card.remove_node()
        stamps.set_config(replace(stamps.config, display=display, intensity=2.0, look="tint"))
        stamps.start_fade_all(1.0)
        assert binding.node.is_empty()
        step(base)
        assert stamps.active_count == 0


# The end of everything.


def test_clear_all(base: Any, scene: NodePath) -> None:
    marked = [small_card(scene, f"card-{index}") for index in range(3)]
    before = snapshot(scene)
    with system(base, auto_fade=False) as stamps:
        for card in marked:
            hit_middle(stamps, card)
        step(base)
        hit_middle(stamps, marked[0])
        memory = stamps.memory_bytes
        stamps.clear_all()
        assert (stamps.active_count, stamps.bindings) == (0, [])
        assert [stamps.binding(card) for card in marked] == [None] * 3
        assert [stamps.image(card) for card in marked] == [None] * 3
        assert stamps.memory_bytes == memory
        assert_same_scene(snapshot(scene), before)
        step(base)
        assert stamps.capture_count == 3
        stamps.clear_all()
        # And on with it.
        hit_middle(stamps, marked[1])
        step(base)
        assert stamps.active_count == 1


def assert_inert(stamps: StampSystem, node: NodePath, base: Any) -> None:
    """That every call does nothing, and says so where it returns something."""
    assert not stamps.enabled
    assert stamps.hit(node, (0.0, 20.0, 0.0)) is None
    assert stamps.binding(node) is None
    assert stamps.image(node) is None
    stamps.start_fade(node)
    stamps.start_fade_by_actor(node, 1.0)
    stamps.start_fade_all(1.0)
    stamps.clear_all()
    stamps.set_config(StampConfig(look="tint"))
    stamps.warm_up()
    stamps.show_debug()
    stamps.show_debug(False)
    stamps.set_default_inputs(node)
    step(base, 2)
    assert (stamps.active_count, stamps.bindings, stamps.memory_bytes) == (0, [], 0)


def test_destroy_is_idempotent_and_final(base: Any, scene: NodePath, notify: NotifyLog) -> None:
    notify.allow("hits leave none")
    card = small_card(scene)
    before = snapshot(card)
    stamps = StampSystem(base, StampConfig(auto_fade=False))
    binding = hit_middle(stamps, card)
    step(base)
    assert stamps.capture_count == 1
    for _ in range(3):
        stamps.destroy()
        assert_same_scene(snapshot(card), before)
        assert binding.alpha == 0.0
        assert stamps.capture_count == 1
    assert_inert(stamps, card, base)


def test_a_context_manager_destroys(base: Any, scene: NodePath) -> None:
    with StampSystem(base) as stamps:
        assert stamps.enabled
        hit_middle(stamps, small_card(scene))
    assert not stamps.enabled
    assert stamps.active_count == 0


def test_a_context_manager_destroys_after_an_error_too(base: Any, scene: NodePath) -> None:
    stamps = StampSystem(base)

    def fail() -> None:
        with stamps:
            hit_middle(stamps, small_card(scene))
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert not stamps.enabled


def test_two_systems_are_independent(base: Any, scene: NodePath) -> None:
    first_card, second_card = small_card(scene, "first"), small_card(scene, "second")
    with system(base, auto_fade=False) as first, system(base, auto_fade=False) as second:
        hit_middle(first, first_card)
        hit_middle(second, second_card)
        step(base)
        assert first.binding(second_card) is None
        first.destroy()
        step(base, 2)
        assert second.enabled
        assert image_of(second, second_card)[32, 32, 3] > 0.9


@pytest.mark.profiles
@pytest.mark.threads
def test_everything_is_given_back(base: Any, scene: NodePath) -> None:
    """Windows, textures, nodes, tasks and callbacks are as many as before."""

    def use() -> None:
        with system(base, max_pool_size=4) as stamps:
            stamps.warm_up(2)
            stamps.show_debug()
            for index in range(6):
                hit_middle(stamps, small_card(scene, f"card-{index}"))
                step(base)
            for format in ("rgba16f", "r16"):
                stamps.set_config(StampConfig(format=format, max_pool_size=3, display="shader"))
                hit_middle(stamps, scene.find("card-0"))
                step(base, 3)
            scene.find("card-4").remove_node()
            step(base)
        scene.get_children().detach()

    use()  # Shaders and the like are kept for the next system.
    settle(base)
    before = what_is_held(base)
    for _ in range(2):
        use()
        settle(base)
        assert what_is_held(base) == before


@pytest.mark.profiles
@pytest.mark.threads
def test_level_after_level(base: Any, scene: NodePath) -> None:
    """A whole scene goes, another one comes: the pairs go round, nothing else stays."""

    def play(stamps: StampSystem, shots: int) -> None:
        level = scene.attach_new_node("level")
        for index in range(6):
            small_card(level.attach_new_node("room"), f"card-{index}")
        for shot in range(shots):
            node = level.find(f"**/card-{shot % 6}")
            assert stamps.hit(node, (0.0, 20.0, 0.0)) is not None
            if shot % 3 == 0:
                step(base)
        level.remove_node()
        step(base)

    with system(base, auto_fade=False, max_pool_size=8) as stamps:
        play(stamps, 20)
        settle(base)
        assert stamps.active_count == 0
        before, memory = what_is_held(base), stamps.memory_bytes
        for _ in range(4):
            play(stamps, 20)
            step(base, FRAMES_IN_FLIGHT)
            assert stamps.active_count == 0
            assert stamps.memory_bytes == memory
        settle(base)
        assert what_is_held(base) == before


def test_level_after_level_without_a_frame_between(base: Any, scene: NodePath) -> None:
    with system(base, auto_fade=False, max_pool_size=4) as stamps:
        for _ in range(5):
            level = scene.attach_new_node("level")
            for index in range(6):
                hit_middle(stamps, small_card(level, f"card-{index}"))
            level.remove_node()
        step(base)
        assert stamps.active_count == 0
        assert stamps.capture_count == 0


# Frames that are no plain steps.


@pytest.mark.profiles
@pytest.mark.threads
def test_frames_without_tasks(base: Any, scene: NodePath) -> None:
    """A loading screen renders by itself: hits wait for the next task, and are captured once."""
    card = small_card(scene)
    with system(base, auto_fade=False, format="rgba16f", blend="add") as stamps:
        binding = hit_middle(stamps, card, opacity=0.25, hardness=1.0)
        for _ in range(3):
            base.graphics_engine.render_frame()
        assert stamps.capture_count == 0
        step(base)
        for _ in range(3):
            base.graphics_engine.render_frame()
        step(base, 1 + frames_behind(base))
        assert stamps.capture_count == 1
        assert binding.alpha == 1.0
        assert image_of(stamps, card)[32, 32, 3] == pytest.approx(0.25, abs=2e-3)


def test_tasks_without_frames(base: Any, scene: NodePath) -> None:
    """A paused game runs tasks but may not render: what was hit then shows afterwards."""
    card = small_card(scene)
    with system(base, auto_fade=False) as stamps:
        hit_middle(stamps, card, hardness=1.0)
        step(base)
        assert image_of(stamps, card)[32, 32, 3] == 1.0
        assert stamps.capture_count == 1


# The picture of the pairs.


def debug_rows(base: Any) -> list[NodePath]:
    """The rows of the debug view that show."""
    rows = base.a2dTopLeft.find("rtstamp-debug").get_children()
    return [row for row in rows if not row.is_hidden()]


def text_of(row: NodePath) -> str:
    """What a row says."""
    node = row.find("**/+TextNode").node()
    assert isinstance(node, TextNode)
    return node.get_text()


def test_show_debug(base: Any, scene: NodePath) -> None:
    marked = [small_card(scene, f"card-{index}") for index in range(2)]
    marked[1].set_tag("rtstamp-resolution", "128")
    before = base.a2dTopLeft.get_num_children()
    with system(base, fade_duration=1.0) as stamps:
        stamps.show_debug()
        step(base)
        assert debug_rows(base) == []
        bindings = []
        for card in marked:
            bindings.append(hit_middle(stamps, card))
            step(base, 6)
        rows = debug_rows(base)
        # As of the last frame that was drawn, which is one before now.
        ages = [binding.age - FRAME for binding in bindings]
        assert [text_of(row) for row in rows] == [
            f"{card}\n{size} x {size}  alpha {0.01**age:.2f}  age {age:.1f} s"
            for card, size, age in zip(marked, (64, 128), ages, strict=True)
        ]
        for row, binding in zip(rows, bindings, strict=True):
            shown = [card.get_texture() for card in row.get_children() if isinstance(card.node(), GeomNode)]
            assert shown == [binding.primary, binding.temp]
        # Twice is once.
        stamps.show_debug()
        step(base)
        assert base.a2dTopLeft.get_num_children() == before + 1
        stamps.show_debug(False)
        assert base.a2dTopLeft.get_num_children() == before
        stamps.show_debug()
        step(base, 60)
        assert stamps.active_count == 0
        assert debug_rows(base) == []
    assert base.a2dTopLeft.get_num_children() == before


def test_the_debug_view_keeps_no_texture(base: Any, scene: NodePath) -> None:
    with system(base, auto_fade=False) as stamps:
        stamps.show_debug()
        settle(base)
        textures = what_is_held(base)["textures"]
        card = small_card(scene)
        hit_middle(stamps, card)
        step(base, 3)
        stamps.set_config(StampConfig(auto_fade=False, max_pool_size=1))
        stamps.clear_all()
        other = small_card(scene)
        other.set_tag("rtstamp-resolution", "128")
        hit_middle(stamps, other)
        settle(base)
        # Two for the pair, one each for hits, brushes and the letters of its label: none of the pair before.
        assert what_is_held(base)["textures"] <= textures + 5


# Windows and the game's own end, in processes of their own.

PREPARE = """
from direct.showbase.ShowBase import ShowBase
from panda3d.core import NodePath
from panda_rtstamp import ConfigError, ShaderError, StampConfig, StampSystem
from support import make_base, make_card, step

def card_in(base, name="card"):
    card = make_card(2, 2, name)
    card.reparent_to(base.render)
    card.set_y(20)
    card.set_tag("rtstamp-resolution", "64")
    return card
"""


def case(code: str, **options: Any) -> list[str]:
    """Run code after PREPARE in a process of its own; the lines that it prints."""
    return run_case(PREPARE + code, **options).splitlines()


def test_without_a_window_everything_is_inert() -> None:
    """`window-type none`: a game's server."""
    lines = case(
        """
base = ShowBase(windowType="none")
stamps = StampSystem(base, StampConfig())
card = card_in(base)
print(stamps.enabled, stamps.hit(card, (0, 20, 0)), stamps.hit(card, (0, 20, 0)), stamps.binding(card))
stamps.start_fade(card)
stamps.start_fade_by_actor(card)
stamps.start_fade_all(2)
stamps.clear_all()
stamps.warm_up()
stamps.show_debug()
stamps.set_config(StampConfig(look="glow", max_pool_size=3))
stamps.set_default_inputs(card)
step(base, 3)
print(stamps.image(card), stamps.active_count, stamps.bindings, stamps.memory_bytes, stamps.capture_count)
print(base.graphics_engine.get_num_windows(), card.get_num_children(), stamps.config.look)
for wrong in ({"radius": -1}, {"point": (0, 0)}, {"node": NodePath()}):
    try:
        stamps.hit(**{"node": card, "point": (0, 0, 0), **wrong})
    except ConfigError as error:
        print(str(error).split()[0])
stamps.destroy()
step(base)
base.destroy()
""",
        allow=["there is no window to draw marks with; hits leave none"],
    )
    assert lines == [
        "False None None None",
        "None 0 [] 0 0",
        "0 0 glow",
        "radius",
        "point",
        "node",
    ]


def test_one_warning_without_a_window(tmp_path: Any) -> None:
    code = """
import sys
from pathlib import Path
from support import NotifyLog
log = NotifyLog(Path(sys.argv[1]))
base = ShowBase(windowType="none")
with StampSystem(base) as stamps:
    for _ in range(5):
        stamps.hit(card_in(base), (0, 20, 0))
        step(base)
print(sum("hits leave none" in line for line in log.text.splitlines()))
"""
    assert case(code, args=[str(tmp_path / "log.txt")]) == ["1"]


@pytest.mark.profiles
@pytest.mark.threads
def test_a_window_that_is_closed_and_opened_again() -> None:
    """Its marks are lost with it; those of the new window are made as ever."""
    lines = case(
        """
base = make_base()
stamps = StampSystem(base, StampConfig(auto_fade=False))
cards = [card_in(base, f"card-{index}") for index in range(3)]
old = [stamps.hit(card, (0, 20, 0)) for card in cards]
step(base, 3)
print(stamps.enabled, stamps.active_count, stamps.capture_count)
stamps.hit(cards[0], (0, 20, 0))
base.close_window(base.win)
base.win = None
print(stamps.enabled, stamps.hit(cards[0], (0, 20, 0)), stamps.image(cards[0]))
step(base, 3)
print(stamps.active_count, stamps.memory_bytes, [binding.alpha for binding in old], stamps.capture_count)
print([card.get_num_children() for card in cards], base.graphics_engine.get_num_windows())
base.open_default_window()
step(base, 3)
print(stamps.enabled, stamps.active_count)
new = stamps.hit(cards[1], (0, 20, 0), hardness=1)
step(base, 4)
print(new.alpha, stamps.image(cards[1])[32, 32, 3], stamps.capture_count, new is old[1])
stamps.destroy()
step(base, 3)
print(base.graphics_engine.get_num_windows())
base.destroy()
""",
        allow=["there is no window to draw marks with; hits leave none"],
    )
    assert lines == [
        "True 3 3",
        "False None None",
        "0 0 [0.0, 0.0, 0.0] 3",
        "[0, 0, 0] 0",
        "True 0",
        "1.0 1.0 4 False",
        "1",
    ]


@pytest.mark.parametrize(
    ("config", "meanwhile"),
    [
        ("", "stamps.start_fade(card, 0.01); base.graphics_engine.render_frame()"),
        ("fade_duration=0.01", "base.graphics_engine.render_frame()"),
        ("scale_fade_by_radius=True, base_radius=1e6, radius_fade_exponent=2", ""),
    ],
)
def test_marks_that_end_before_they_are_captured(config: str, meanwhile: str) -> None:
    """They are seen in one frame, and the game goes on."""
    lines = case(
        f"""
base = make_base()
stamps = StampSystem(base, StampConfig({config}))
card = card_in(base)
stamps.hit(card, (0, 20, 0), radius=1)
{meanwhile}
step(base)
print(stamps.active_count, stamps.capture_count)
step(base)
print(stamps.active_count, stamps.capture_count)
base.destroy()
""",
        timeout=60,
    )
    assert lines == ["1 1", "0 1"]


@pytest.mark.profiles
@pytest.mark.threads
@pytest.mark.parametrize("display", ["overlay", "wrap", "shader", "none"])
def test_a_geom_that_the_user_writes_to(display: str) -> None:
    """While it is marked. No thread waits for ever; what the user wrote stays."""
    lines = case(
        f"""
from panda3d.core import GeomVertexReader, GeomVertexWriter
from pictures import plain_shader

base = make_base()
stamps = StampSystem(base, StampConfig(auto_fade=False, display={display!r}))
card = card_in(base)
card.set_shader(plain_shader())
stamps.set_default_inputs(card)
stamps.hit(card, (0, 20, 0))
step(base, 3)
GeomVertexWriter(card.node().modify_geom(0).modify_vertex_data(), "vertex").set_data3(-9, 0, 9)
step(base, 6)
stamps.clear_all()
step(base, 3)
print(GeomVertexReader(card.node().get_geom(0).get_vertex_data(), "vertex").get_data3())
base.destroy()
""",
        timeout=60,
    )
    assert lines == ["LVecBase3f(-9, 0, 9)"]


def test_a_window_that_is_replaced() -> None:
    """Between two ticks, with hits waiting for the old one."""
    lines = case(
        """
base = make_base()
stamps = StampSystem(base, StampConfig(auto_fade=False))
card = card_in(base)
stamps.hit(card, (0, 20, 0))
base.open_main_window()
step(base, 2)
print(stamps.active_count, stamps.capture_count)
stamps.hit(card, (0, 20, 0))
step(base, 2)
print(stamps.active_count, stamps.capture_count, stamps.image(card)[32, 32, 3] > 0.9)
base.destroy()
"""
    )
    assert lines == ["0 0", "1 1 True"]


def test_a_config_that_comes_while_there_is_no_window() -> None:
    """What cannot be found is refused at the call, and not when a window opens in the middle of a frame."""
    lines = case(
        """
base = make_base()
stamps = StampSystem(base, StampConfig(auto_fade=False))
base.close_window(base.win)
base.win = None
step(base)
try:
    stamps.set_config(StampConfig(merge_shader="no-such-file.frag"))
except ShaderError as error:
    print(error)
stamps.set_config(StampConfig(auto_fade=False, look="tint"))
base.open_default_window()
step(base, 3)
card = card_in(base)
print(stamps.hit(card, (0, 20, 0)) is not None)
step(base)
print(stamps.capture_count, stamps.config.look)
base.destroy()
"""
    )
    assert lines == ["shader file not found: no-such-file.frag", "True", "1 tint"]


@pytest.mark.profiles
@pytest.mark.threads
def test_the_game_ends_with_live_marks() -> None:
    lines = case(
        """
base = make_base()
stamps = StampSystem(base, StampConfig(auto_fade=False))
card = card_in(base)
binding = stamps.hit(card, (0, 20, 0))
step(base, 3)
stamps.hit(card, (0, 20, 0))
base.destroy()
print(stamps.enabled, stamps.active_count, binding.alpha, card.get_num_children())
stamps.destroy()
print(stamps.hit(card, (0, 20, 0)), stamps.binding(card))
""",
        allow=["there is no window to draw marks with; hits leave none"],
    )
    assert lines == ["False 0 0.0 0", "None None"]


@pytest.mark.profiles
@pytest.mark.threads
def test_the_user_closes_the_game() -> None:
    """Through ShowBase's own way out, which ends the process."""
    lines = case(
        """
base = make_base()
stamps = StampSystem(base, StampConfig(auto_fade=False))
stamps.hit(card_in(base), (0, 20, 0))
step(base, 3)
base.finalExitCallbacks.append(lambda: print(stamps.enabled))
base.userExit()
"""
    )
    assert lines == ["False"]


def test_the_game_ends_without_a_word() -> None:
    """The process just stops, with a system nobody destroyed and marks that fade."""
    lines = case(
        """
base = make_base()
stamps = StampSystem(base)
binding = stamps.hit(card_in(base), (0, 20, 0))
step(base, 3)
print(binding.alpha < 1)
"""
    )
    assert lines == ["True"]


def test_a_game_that_starts_over_in_one_process() -> None:
    """As many launchers and test suites do."""
    lines = case(
        """
for _ in range(3):
    base = make_base()
    stamps = StampSystem(base, StampConfig(auto_fade=False))
    card = card_in(base)
    stamps.hit(card, (0, 20, 0))
    step(base, 3)
    print(stamps.active_count, stamps.capture_count, stamps.image(card)[32, 32, 3] > 0.9)
    base.destroy()
""",
        # Panda's own way of going, without us too: its pipe ends before the context.
        allow=[r"egldisplay\(error\): Failed to destroy"],
    )
    assert lines == ["1 1 True"] * 3


def test_the_clock_of_the_test_is_what_it_seems(base: Any) -> None:
    """The tests above count frames: each takes 1/60 s."""
    start = now()
    step(base, 6)
    assert now() - start == pytest.approx(6 * FRAME)


def test_a_surface_is_not_kept(base: Any, scene: NodePath) -> None:
    """After the end of its marks a node has its own Geoms again, the very same."""
    card = small_card(scene)
    node = card.node()
    assert isinstance(node, GeomNode)
    before = node.get_geom(0)
    with system(base, fade_duration=0.05) as stamps:
        hit_middle(stamps, card)
        step(base)
        assert node.get_geom(0) != before
        step(base, 5)
        assert stamps.active_count == 0
        assert node.get_geom(0) == before
