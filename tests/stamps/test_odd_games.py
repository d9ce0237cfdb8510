"""What games do that nobody planned for."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from panda3d.core import (
    AlphaTestAttrib,
    CardMaker,
    ClockObject,
    GeomNode,
    NodePath,
    RenderAttrib,
    ShaderAttrib,
    TransparencyAttrib,
)

from panda_rtstamp import StampBinding
from panda_rtstamp.core.anchor import key_of
from panda_rtstamp.stamps.inputs import NAMES
from stamp_support import card_at, primary_mask, small_card, system
from support import NotifyLog, read_target, run_case, screenshot, step

CENTER = (0.0, 200.0, 0.0)


def test_a_log_file_goes_on_after_the_system_was_made(tmp_path: Path) -> None:
    """Panda owns the stream of `notify-output`, and destroys it when another takes its place."""
    log = tmp_path / "game.log"
    code = f"""
import support
from panda3d.core import load_prc_file_data
load_prc_file_data("", "notify-output {log.as_posix()}")
from panda_rtstamp import ShaderError, StampConfig, StampSystem
from panda_rtstamp.core.log import warn
base = support.make_base()
warn("before")
stamps = StampSystem(base)
open({str(tmp_path / "broken.frag")!r}, "w").write("#version 330\\nvoid main() {{ nonsense; }}\\n")
try:
    StampSystem(base, StampConfig(fade_shader={str(tmp_path / "broken.frag")!r}))
except ShaderError as error:
    print("ShaderError", error)
warn("after")
base.destroy()
"""
    output = run_case(code, profile="compat")
    assert "ShaderError" in output
    assert "broken.frag" in output
    written = log.read_text()
    assert "before" in written
    assert "after" in written


def test_a_new_node_at_the_address_of_one_that_is_gone(base: Any, scene: NodePath) -> None:
    with system(base, fade_duration=1.0) as stamps:
        second = None
        for _ in range(30):
            first = small_card(scene)
            hit_here(stamps, first)
            key = stamps.bindings[-1].key
            step(base, 2)
            first.remove_node()
            del first
            # Of a hundred one gets the address, if nothing else has.
            others = [small_card(scene) for _ in range(100)]
            second = next((card for card in others if key_of(card) == key), None)
            if second is not None:
                break
            for card in others:
                card.remove_node()
            step(base, 2)
        assert second is not None
        binding = hit_here(stamps, second)
        assert binding.key == key
        assert stamps.bindings == [binding]
        step(base, 30)
        assert stamps.bindings == [binding]
        step(base, 60)
        assert stamps.active_count == 0


def hit_here(stamps: Any, node: NodePath) -> StampBinding:
    """A hit at the node's own origin."""
    binding = stamps.hit(node, (0.0, 0.0, 0.0), other=node)
    assert isinstance(binding, StampBinding)
    return binding


def test_ticks_without_a_frame_lose_no_hit(base: Any, scene: NodePath) -> None:
    """Logic at a fixed rate may run several times a frame, or a loading loop run no frame at all."""
    igloop = base.task_mgr.getTasksNamed("igLoop")[0]
    cards = [card_at(scene, 10.0, 64) for _ in range(2)]
    with system(base, auto_fade=False, format="rgba16f") as stamps:
        hit_here(stamps, cards[0])
        step(base)
        stamps.clear_all()
        base.task_mgr.remove(igloop)
        try:
            # The second card gets the first one's textures.
            for x in (-3.0, 0.0, 3.0):
                stamps.hit(cards[1], (x, 200.0, 0.0), radius=1.0, color=(0.0, 1.0, 0.0))
                step(base)
        finally:
            base.task_mgr.add(igloop)
        step(base, 2)
        binding = stamps.binding(cards[1])
        assert binding is not None
        temp = read_target(base, binding.temp) * binding.share
        for column in (32 - 19, 32, 32 + 19):
            assert temp[32, column, 3] > 0.9
        assert temp[..., 0].max() == 0.0
        assert stamps.active_count == 1


def test_image_before_the_first_frame_is_empty(base: Any, scene: NodePath) -> None:
    cards = [card_at(scene, 10.0, 64) for _ in range(2)]
    with system(base, auto_fade=False) as stamps:
        stamps.hit(cards[0], CENTER, radius=20.0)
        step(base)
        stamps.clear_all()
        stamps.hit(cards[1], CENTER, radius=20.0)
        image = stamps.image(cards[1])
        assert image is not None
        assert image.shape == (64, 64, 4)
        assert image.max() == 0.0
        step(base)
        image = stamps.image(cards[1])
        assert image is not None
        assert image.max() > 0.9


def test_default_inputs_of_the_user_survive_the_marks(base: Any, scene: NodePath) -> None:
    card = small_card(scene)
    with system(base, display="shader") as stamps:
        stamps.set_default_inputs(card)
        hit_here(stamps, card)
        step(base)
        card.set_shader_input("of_the_game", 0.5)
        stamps.clear_all()
        attrib = card.node().get_attrib(ShaderAttrib)
        assert isinstance(attrib, ShaderAttrib)
        assert attrib.has_shader_input("of_the_game")
        assert all(attrib.has_shader_input(name) for name in NAMES)
        # None of them is that of the marks any more.
        assert attrib.get_shader_input_texture("rtstamp_temp").get_name() == "rtstamp-none"


def test_marks_on_alpha_tested_models(base: Any, scene: NodePath) -> None:
    card = small_card(scene)
    card.set_scale(4.0)
    card.set_color(0.0, 0.0, 0.0, 1.0)
    base.win.set_clear_color((0.0, 0.0, 0.0, 1.0))
    pictures = []
    for test in (None, AlphaTestAttrib.make(RenderAttrib.M_greater, 0.5)):
        if test is not None:
            card.set_attrib(test)
        with system(base, look="glow", auto_fade=False) as stamps:
            stamps.hit(card, (0.0, 0.0, 0.0), other=card, radius=3.0, color=(1.0, 0.0, 0.0))
            pictures.append(screenshot(base))
    assert pictures[0][..., 0].max() > 200
    assert np.array_equal(pictures[0], pictures[1])


@pytest.mark.parametrize("look", ["paint", "tint", "glow"])
def test_marks_fade_away_with_a_model_that_does(base: Any, scene: NodePath, look: str) -> None:
    card = small_card(scene)
    card.set_scale(4.0)
    base.win.set_clear_color((0.5, 0.5, 0.5, 1.0))
    card.set_transparency(TransparencyAttrib.M_alpha)
    card.set_alpha_scale(0.02)
    plain = screenshot(base).astype(int)
    with system(base, look=look, auto_fade=False) as stamps:
        stamps.hit(card, (0.0, 0.0, 0.0), other=card, radius=3.0, color=(1.0, 0.0, 0.0))
        assert np.abs(screenshot(base).astype(int) - plain).max() <= 0.02 * 255 + 1


def test_a_node_that_changes_between_two_of_its_instances(
    base: Any, scene: NodePath, notify: NotifyLog
) -> None:
    """Each Geom is itself again in the end, whoever prepared it how often."""
    notify.allow("is used more than once")
    shared = NodePath(CardMaker("shared").generate())
    node = shared.node()
    assert isinstance(node, GeomNode)
    found = node.get_geom(0)
    instances = [shared.instance_to(scene.attach_new_node(f"place {number}")) for number in range(2)]
    with system(base, auto_fade=False) as stamps:
        hit_here(stamps, instances[0])
        step(base)
        more = CardMaker("more").generate()
        assert isinstance(more, GeomNode)
        node.add_geom(more.get_geom(0).make_copy())
        hit_here(stamps, instances[1])
        step(base)
        stamps.clear_all()
        assert node.get_geom(0) == found
        for index in range(node.get_num_geoms()):
            assert not node.get_geom(index).get_vertex_data().has_column("rtstamp_uv")


def test_a_clock_that_is_set_back(base: Any, scene: NodePath, notify: NotifyLog) -> None:
    notify.allow("Adjusting global clock's frame time")
    clock = ClockObject.get_global_clock()
    card = small_card(scene)
    with system(base, fade_duration=1.0) as stamps:
        hit_here(stamps, card)
        step(base, 2)
        before = stamps.bindings[0].alpha
        clock.set_frame_time(clock.get_frame_time() - 0.01)
        step(base)
        assert stamps.bindings[0].alpha < before
        assert stamps.bindings[0].age > 0.0
        step(base, 60)
        assert stamps.active_count == 0


def test_a_fade_shader_that_comes_while_marks_live(base: Any, scene: NodePath, tmp_path: Path) -> None:
    shader = tmp_path / "gone.frag"
    shader.write_text("#version 330\nout vec4 o_color;\nvoid main() {\n    o_color = vec4(0.0);\n}\n")
    card = small_card(scene)
    with system(base, fade_duration=1.0) as stamps:
        hit_here(stamps, card)
        step(base, 3)
        stamps.set_config(replace(stamps.config, fade_shader=str(shader)))
        step(base, 2)
        image = stamps.image(card)
        assert image is not None
        assert image.max() == 0.0


def test_what_is_evicted_is_not_kept(base: Any, scene: NodePath) -> None:
    cards = [small_card(scene) for _ in range(2)]
    with system(base, max_pool_size=1, fade_duration=1e5) as stamps:
        for number in range(300):
            hit_here(stamps, cards[number % 2])
        marks = stamps._window.held
        assert marks is not None
        assert len(marks._endings) <= 70


def test_held_marks_cost_no_pass_even_with_a_fade_in_every_frame(base: Any, scene: NodePath) -> None:
    card = card_at(scene, 10.0, 64)
    with system(base, format="r16", auto_fade=False, fade_step=1.0) as stamps:
        binding = stamps.hit(card, CENTER, radius=3.0)
        assert binding is not None
        step(base, 8)
        assert not binding.slot.temp.busy
        assert not binding.slot.primary.busy
        assert primary_mask(base, binding).max() > 0.9
        stamps.start_fade_all(1.0)
        step(base, 2)
        assert binding.slot.temp.busy
