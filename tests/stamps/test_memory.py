"""Graphics memory: what is counted, what is given back, and who gives way where it is short."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from panda3d.core import ClockObject, NodePath

from panda_rtstamp import StampBinding, StampSystem
from panda_rtstamp.core.target import FORMATS, RenderTarget
from stamp_support import Floats, hit_middle, image_of, mask_formula, small_card, system
from support import NotifyLog, frames_behind, prc, read_target, screenshot, step

EDGE = 128
PAIR = 2 * EDGE * EDGE * 4
# Megabytes of so many pairs of EDGE texels.
ROOM = {count: count * PAIR / 2**20 for count in range(1, 6)}
IDLE_SECONDS = 60.0


def cards(scene: NodePath, count: int, edge: int = EDGE) -> list[NodePath]:
    """Cards side by side that are marked at this resolution."""
    found = [small_card(scene, f"card-{index}", 2.5 * index) for index in range(count)]
    for card in found:
        card.set_tag("rtstamp-resolution", str(edge))
    return found


def nodes(stamps: StampSystem) -> list[str]:
    """The names of the nodes that carry marks, in the order in which they were first hit."""
    return [binding.node.get_name() for binding in stamps.bindings]


def sizes(stamps: StampSystem) -> list[int]:
    """Texels along an edge, of each of them."""
    return [binding.resolution for binding in stamps.bindings]


@contextmanager
def faded_marks(base: Any, scene: NodePath, count: int, **settings: Any) -> Iterator[StampSystem]:
    """A system with so many nodes marked off their middles, all faded to less than a quarter."""
    settings = {"fade_duration": 10.0, "max_memory": ROOM[count], **settings}
    with system(base, **settings) as stamps:
        for card in cards(scene, count):
            stamps.hit(card, (0.3, 0.0, 0.2), other=card, radius=0.7, color=(1.0, 0.5, 0.2))
        step(base)
        clock = ClockObject.get_global_clock()
        clock.dt = 3.5
        step(base)
        clock.dt = 1 / 60
        step(base, 2)
        assert all(0.1 < binding.alpha < 0.25 for binding in stamps.bindings)
        assert sizes(stamps) == [EDGE] * count
        yield stamps


def newcomer(stamps: StampSystem, scene: NodePath, edge: int = EDGE) -> StampBinding:
    """A hit on a node that was never hit."""
    card = small_card(scene, "new", -2.5)
    card.set_tag("rtstamp-resolution", str(edge))
    return hit_middle(stamps, card)


def halved(image: Floats) -> Floats:
    """The means of 2 x 2 texels."""
    height, width, channels = image.shape
    result: Floats = image.reshape(height // 2, 2, width // 2, 2, channels).mean(axis=(1, 3))
    return result


def bytes_on_the_card(base: Any) -> int:
    """What the driver says of all textures that marks are drawn into; their buffers have nothing else."""
    gsg = base.win.get_gsg()
    found = 0
    for buffer in base.graphics_engine.get_windows():
        if buffer.get_name().startswith(("rtstamp-primary", "rtstamp-temp")):
            made = buffer.get_fb_properties()
            beside = (made.depth_bits, made.stencil_bits, made.accum_bits, made.multisamples)
            assert not any((*beside, made.aux_rgba, made.aux_hrgba, made.aux_float, made.back_buffers))
            (texture,) = (buffer.get_texture(index) for index in range(buffer.count_textures()))
            found += texture.prepare_now(0, gsg.get_prepared_objects(), gsg).get_data_size_bytes()
    return found


# What is counted.


@pytest.mark.profiles
@pytest.mark.parametrize("mip_maps", [False, True])
@pytest.mark.parametrize("format", FORMATS)
def test_memory_is_what_the_driver_takes(base: Any, scene: NodePath, format: str, mip_maps: bool) -> None:
    """Of pairs in use and free, and of the textures that several blends in one frame need."""
    wanted = "texture-minfilter mipmap" if mip_maps else ""
    with prc(wanted), system(base, format=format, auto_fade=False) as stamps:
        first, second, third = cards(scene, 3)
        second.set_tag("rtstamp-resolution", "256")
        for card in (first, second, third):
            for blend in ("over", "add", "max"):
                hit_middle(stamps, card, blend=blend)
        step(base, 3)
        stamps.start_fade(third, 0.01)
        step(base, 3)
        assert stamps.active_count == 2
        texels = 2 * (2 * 128**2 + 256**2)
        assert stamps.memory_bytes > texels * FORMATS[format].texel_bytes
        assert stamps.memory_bytes == bytes_on_the_card(base)


@pytest.mark.parametrize(("format", "share"), [("rgba8", 1 / 2), ("r16", 1 / 4), ("r16f", 1 / 4)])
def test_memory_beside_half_floats_of_four_channels(base: Any, format: str, share: float) -> None:
    with system(base, format=format) as stamps:
        stamps.warm_up(16)
        assert stamps.memory_bytes == share * 16 * 2 * 1024 * 1024 * 8


# What is given back.


def wait(base: Any, seconds: float) -> None:
    """Two frames, the second of which ends so much later."""
    clock = ClockObject.get_global_clock()
    clock.dt = seconds
    step(base)
    clock.dt = 1 / 60
    step(base)


def free_pairs(stamps: StampSystem) -> int:
    """How many pairs are there and not in use."""
    return round(stamps.memory_bytes / PAIR) - stamps.active_count


def end_marks(base: Any, scene: NodePath, stamps: StampSystem, count: int) -> None:
    """Mark so many nodes, and clear them all."""
    for card in cards(scene, count):
        hit_middle(stamps, card)
    step(base, 2)
    stamps.clear_all()
    assert free_pairs(stamps) == count


@pytest.mark.profiles
@pytest.mark.parametrize(("kept", "left"), [(0, 0), (2, 2), (4, 4), (5, 5), (6, 5)])
def test_free_pairs_are_given_back_one_a_frame(base: Any, scene: NodePath, kept: int, left: int) -> None:
    with system(base, free_pairs=kept) as stamps:
        end_marks(base, scene, stamps, 5)
        wait(base, IDLE_SECONDS - 1.0)
        assert free_pairs(stamps) == 5
        wait(base, 1.0)
        counts = [free_pairs(stamps)]
        for _ in range(8):
            step(base)
            counts.append(free_pairs(stamps))
        assert all(before - after <= 1 for before, after in pairwise(counts))
        assert counts[-1] == left
        assert stamps.memory_bytes == bytes_on_the_card(base)


def test_pairs_that_are_used_again_stay(base: Any, scene: NodePath) -> None:
    with system(base, free_pairs=1) as stamps:
        end_marks(base, scene, stamps, 3)
        wait(base, IDLE_SECONDS - 1.0)
        for card in scene.children:
            hit_middle(stamps, card)
        step(base)
        stamps.clear_all()
        wait(base, IDLE_SECONDS - 1.0)
        step(base, 5)
        assert free_pairs(stamps) == 3


def test_nothing_is_given_back_in_a_frame_with_hits(base: Any, scene: NodePath) -> None:
    with system(base, free_pairs=0) as stamps:
        end_marks(base, scene, stamps, 3)
        (card,) = scene.find_all_matches("card-0")
        wait(base, 2 * IDLE_SECONDS)
        before = free_pairs(stamps)
        for _ in range(5):
            hit_middle(stamps, card)
            step(base)
        assert free_pairs(stamps) + stamps.active_count >= before - 1
        held = stamps.memory_bytes
        hit_middle(stamps, card)
        step(base)
        assert stamps.memory_bytes == held
        step(base, 5)
        assert free_pairs(stamps) == 0


def test_extras_are_given_back(base: Any, scene: NodePath) -> None:
    (card,) = cards(scene, 1)
    with system(base, auto_fade=False) as stamps:
        for blend in ("over", "add", "max"):
            hit_middle(stamps, card, blend=blend)
        step(base, 3)
        assert stamps.memory_bytes == 2 * PAIR
        wait(base, IDLE_SECONDS - 1.0)
        assert stamps.memory_bytes == 2 * PAIR
        wait(base, 2.0)
        step(base, 3)
        assert stamps.memory_bytes == PAIR == bytes_on_the_card(base)


# Who gives way.


@pytest.mark.profiles
@pytest.mark.parametrize("format", ["rgba8", "rgba16f", "r16"])
def test_faded_marks_move_before_anybody_is_evicted(base: Any, scene: NodePath, format: str) -> None:
    room = ROOM[4] * FORMATS[format].texel_bytes / 4
    with faded_marks(base, scene, 4, format=format, max_memory=room) as stamps:
        images = [image_of(stamps, binding.node) for binding in stamps.bindings]
        alphas = [binding.alpha for binding in stamps.bindings]
        stored = [read_target(base, binding.temp) for binding in stamps.bindings]
        shares = [binding.share for binding in stamps.bindings]
        new = newcomer(stamps, scene)
        step(base, 3)
        assert nodes(stamps) == ["card-0", "card-1", "card-2", "card-3", "new"]
        # Each of two gives three quarters of a pair.
        assert sizes(stamps) == [64, 64, 128, 128, 128]
        assert stamps.memory_bytes == bytes_on_the_card(base) == 3.5 * PAIR * FORMATS[format].texel_bytes / 4
        assert new.alpha > 0.9
        for number, binding in enumerate(stamps.bindings[:4]):
            before = halved(images[number]) if number < 2 else images[number]
            faded = binding.alpha / alphas[number]
            assert binding.share == pytest.approx(shares[number] * faded, rel=1e-6)
            assert np.abs(image_of(stamps, binding.node) - before * faded).max() <= 1 / 255
            # What is stored is off by no more than half a step, and what cuts off by a whole one.
            exact = halved(stored[number].astype(np.float64)) if number < 2 else stored[number]
            one = 2.0**-11 if FORMATS[format].is_float else 1 / (65535 if format == "r16" else 255)
            assert np.abs(read_target(base, binding.temp) - exact).max() <= one
            assert before[..., 3].max() > 0.1


@pytest.mark.profiles
@pytest.mark.threads
def test_flat_marks_lose_nothing(base: Any, scene: NodePath) -> None:
    with system(base, max_memory=ROOM[2], fade_duration=10.0, shrink_below=1.0) as stamps:
        for card in cards(scene, 2):
            hit_middle(stamps, card, radius=100.0, hardness=1.0)
        step(base)
        stored = read_target(base, stamps.bindings[0].temp)
        newcomer(stamps, scene)
        step(base)
        assert sizes(stamps) == [64, 64, 128]
        assert np.unique(stored.reshape(-1, 4), axis=0).shape[0] == 1
        moved = read_target(base, stamps.bindings[0].temp)
        assert (moved == stored[0, 0]).all()


def test_a_moved_mark_fades_on_and_ends_in_time(base: Any, scene: NodePath) -> None:
    with faded_marks(base, scene, 2) as stamps:
        first = stamps.bindings[0]
        left = first.expiry - ClockObject.get_global_clock().get_frame_time()
        newcomer(stamps, scene)
        step(base, 2)
        assert first.resolution == 64
        alphas = []
        for _ in range(round(left * 60) + 2):
            alphas.append(first.alpha)
            step(base)
        ended = alphas.index(0.0)
        assert abs(ended / 60 - left) <= 3 / 60
        ratios = np.array(alphas[1:ended]) / alphas[: ended - 1]
        assert np.abs(ratios - 0.01 ** (1 / 600)).max() < 1e-6


def test_a_moved_mark_takes_hits_as_large_as_it_is(base: Any, scene: NodePath) -> None:
    with faded_marks(base, scene, 2) as stamps:
        binding = stamps.bindings[0]
        newcomer(stamps, scene)
        step(base, 2)
        assert hit_middle(stamps, binding.node, hardness=1.0) is binding
        step(base)
        assert binding.resolution == 64
        across = ((np.arange(64) + 0.5) / 64 - 0.5) * 2.0
        mask = mask_formula(np.hypot(*np.meshgrid(across, across)), 1.0, 1.0)
        seen = image_of(stamps, binding.node)[..., 3]
        assert seen.shape == (64, 64)
        assert (seen[mask == 1.0] >= 0.95).all()
        assert (seen[mask == 0.0] < 0.3).all()


def test_a_hit_on_a_mark_that_is_about_to_move(base: Any, scene: NodePath) -> None:
    """The move is drawn first, then the hit."""
    with faded_marks(base, scene, 2, format="rgba16f", max_memory=2 * ROOM[2]) as stamps:
        binding = stamps.bindings[0]
        before = halved(image_of(stamps, binding.node))
        newcomer(stamps, scene)
        stamps.hit(binding.node, (-0.9, 0.0, -0.9), other=binding.node, radius=0.05, hardness=1.0)
        step(base)
        after = image_of(stamps, binding.node)
        assert after[3, 3, 3] > 0.9
        assert np.abs(after[8:] - before[8:] * 0.01 ** (1 / 600)).max() <= 1e-3


@pytest.mark.parametrize("settings", [{"shrink_below": 0.0}, {"shrink_below": 0.1}])
def test_marks_that_are_not_faded_enough_are_evicted(
    base: Any, scene: NodePath, settings: dict[str, float]
) -> None:
    with faded_marks(base, scene, 3, **settings) as stamps:
        newcomer(stamps, scene)
        step(base, 2)
        assert nodes(stamps) == ["card-1", "card-2", "new"]
        assert sizes(stamps) == [EDGE] * 3
        assert stamps.memory_bytes == bytes_on_the_card(base) == 3 * PAIR


def test_fresh_marks_are_evicted(base: Any, scene: NodePath) -> None:
    with system(base, max_memory=ROOM[3]) as stamps:
        for card in cards(scene, 3):
            hit_middle(stamps, card)
            step(base)
        newcomer(stamps, scene)
        assert nodes(stamps) == ["card-1", "card-2", "new"]
        assert sizes(stamps) == [EDGE] * 3
        assert stamps.memory_bytes == 3 * PAIR


def test_marks_with_hits_that_wait_do_not_move(base: Any, scene: NodePath) -> None:
    with faded_marks(base, scene, 3) as stamps:
        hit_middle(stamps, stamps.bindings[0].node, blend="erase", radius=0.1)
        newcomer(stamps, scene)
        step(base, 2)
        assert nodes(stamps) == ["card-0", "card-1", "card-2", "new"]
        assert sizes(stamps) == [128, 64, 64, 128]


def test_where_moving_is_not_enough_nobody_moves(base: Any, scene: NodePath) -> None:
    """One faded mark of two gives three quarters of a pair, and a pair is wanted: it goes."""
    with faded_marks(base, scene, 2) as stamps:
        hit_middle(stamps, stamps.bindings[1].node)
        step(base)
        newcomer(stamps, scene)
        step(base)
        assert nodes(stamps) == ["card-1", "new"]
        assert sizes(stamps) == [EDGE] * 2


def test_nothing_moves_while_there_is_room(base: Any, scene: NodePath) -> None:
    with faded_marks(base, scene, 2, max_memory=ROOM[3]) as stamps:
        newcomer(stamps, scene)
        step(base, 2)
        assert sizes(stamps) == [EDGE] * 3
        assert stamps.memory_bytes == 3 * PAIR


def test_free_pairs_go_first(base: Any, scene: NodePath) -> None:
    with faded_marks(base, scene, 3) as stamps:
        stamps.start_fade(stamps.bindings[2].node, 0.01)
        step(base, 4)
        assert free_pairs(stamps) == 1
        # A quarter of a pair: the free one is of no use as it is.
        newcomer(stamps, scene, 64)
        step(base, 2)
        assert sizes(stamps) == [128, 128, 64]
        assert stamps.memory_bytes == 2.25 * PAIR


def test_many_hits_in_one_frame(base: Any, scene: NodePath) -> None:
    """Memory is beyond the limit only by what moved marks have left, and only until that is drawn."""
    with faded_marks(base, scene, 4) as stamps:
        for index in range(3):
            card = small_card(scene, f"new-{index}", -2.5 * (index + 1))
            card.set_tag("rtstamp-resolution", str(EDGE))
            hit_middle(stamps, card)
            assert stamps.memory_bytes <= 4 * PAIR + 4 * PAIR
        step(base, 2)
        assert nodes(stamps)[-3:] == ["new-0", "new-1", "new-2"]
        assert stamps.memory_bytes <= 4 * PAIR
        assert stamps.memory_bytes == bytes_on_the_card(base)
        for binding in stamps.bindings:
            assert image_of(stamps, binding.node)[..., 3].max() > 0.1


def test_the_largest_move_first(base: Any, scene: NodePath) -> None:
    """Nobody is left with few texels while another one has many."""
    settings = {"max_memory": 2 * ROOM[4] + ROOM[1], "fade_duration": 10.0, "shrink_below": 1.0}
    with system(base, **settings) as stamps:
        for card in cards(scene, 2, 256):
            hit_middle(stamps, card)
        weak = newcomer(stamps, scene)
        stamps.start_fade(weak.node, 1.0)
        step(base, 20)
        newcomer(stamps, scene)
        step(base)
        assert sizes(stamps) == [128, 256, 128, 128]


def test_marks_move_again_and_again_but_not_below_64(base: Any, scene: NodePath) -> None:
    with faded_marks(base, scene, 4, max_pool_size=32, shrink_below=1.0) as stamps:
        for index in range(20):
            card = small_card(scene, f"new-{index}", -2.5 * (index + 1))
            card.set_tag("rtstamp-resolution", str(EDGE))
            hit_middle(stamps, card)
            step(base, 3)
            assert min(sizes(stamps)) >= 64
            assert stamps.memory_bytes <= 4 * PAIR
        # Sixteen of 64 texels fill it; one of 128 stands for four.
        assert stamps.active_count >= 10


@pytest.mark.profiles
@pytest.mark.threads
@pytest.mark.parametrize("display", ["overlay", "wrap", "none"])
def test_the_picture_does_not_flicker(base: Any, scene: NodePath, display: str) -> None:
    """Of a flat mark that all but stands still, every frame is the same, that of the move too."""
    base.camera.set_pos(1.25, 0.0, 0.0)
    settings = {"display": display, "fade_duration": 1e6, "shrink_below": 1.0, "max_memory": ROOM[2]}
    with system(base, **settings) as stamps:
        for card in cards(scene, 2):
            hit_middle(stamps, card, radius=100.0, hardness=1.0, color=(1.0, 0.0, 0.0))
        step(base, 3 + frames_behind(base))
        before = screenshot(base)
        card = small_card(scene, "new", 1000.0)
        card.set_tag("rtstamp-resolution", str(EDGE))
        hit_middle(stamps, card)
        for _ in range(10):
            assert np.array_equal(screenshot(base), before)
        assert sizes(stamps) == [64, 64, 128]
        reds = (before[..., 0] > 200) & (before[..., 1] < 50)
        assert reds.any() == (display != "none")


def test_until_the_move_is_drawn_the_mark_reads_as_before(base: Any, scene: NodePath) -> None:
    with faded_marks(base, scene, 2) as stamps:
        node = stamps.bindings[0].node
        before = image_of(stamps, node)
        newcomer(stamps, scene)
        assert np.array_equal(image_of(stamps, node), before)
        step(base)
        assert image_of(stamps, node).shape == (64, 64, 4)


def test_inputs_of_a_users_shader_move_too(base: Any, scene: NodePath) -> None:
    with faded_marks(base, scene, 2, display="shader") as stamps:
        binding = stamps.bindings[0]
        newcomer(stamps, scene)
        step(base, 2)
        assert binding.node.get_shader_input("rtstamp_temp").get_texture() == binding.temp
        assert binding.node.get_shader_input("rtstamp_primary").get_texture() == binding.primary


def test_a_move_to_a_pair_that_somebody_else_had(base: Any, scene: NodePath) -> None:
    """Nothing of theirs is in it: their hits must not show in a shader of the user's either."""
    with faded_marks(base, scene, 2, max_memory=2.25 * ROOM[1]) as stamps:
        other = newcomer(stamps, scene, 64)
        assert sizes(stamps) == [128, 128, 64]
        pair = (other.primary, other.temp)
        hit_middle(stamps, other.node, radius=100.0)
        step(base)
        stamps.start_fade(other.node, 0.01)
        step(base, 3)
        binding = stamps.bindings[0]
        before = halved(image_of(stamps, binding.node))
        newcomer(stamps, scene)
        step(base)
        assert sizes(stamps) == [64, 128, 128]
        assert (binding.primary, binding.temp) == pair
        assert not read_target(base, binding.primary).any()
        assert np.abs(image_of(stamps, binding.node) - before * 0.01 ** (1 / 600)).max() <= 1 / 255


def test_a_mark_whose_fade_is_stored_in_every_frame(base: Any, scene: NodePath) -> None:
    with faded_marks(base, scene, 2, format="rgba16f", fade_step=1, max_memory=ROOM[4]) as stamps:
        binding = stamps.bindings[0]
        before, alpha = halved(image_of(stamps, binding.node)), binding.alpha
        newcomer(stamps, scene)
        step(base, 5)
        assert binding.resolution == 64
        after = image_of(stamps, binding.node)
        assert np.abs(after - before * binding.alpha / alpha).max() <= 1e-3


def test_nodes_that_are_gone_give_way_before_marks_move(base: Any, scene: NodePath) -> None:
    with faded_marks(base, scene, 3) as stamps:
        scene.find("card-1").remove_node()
        newcomer(stamps, scene)
        step(base, 2)
        assert nodes(stamps) == ["card-0", "card-2", "new"]
        assert sizes(stamps) == [EDGE] * 3


def test_marks_that_end_before_they_have_moved(base: Any, scene: NodePath) -> None:
    with faded_marks(base, scene, 2, free_pairs=0) as stamps:
        newcomer(stamps, scene)
        stamps.clear_all()
        assert stamps.active_count == 0
        step(base, 4)
        assert stamps.memory_bytes == bytes_on_the_card(base) <= 2 * PAIR
        wait(base, IDLE_SECONDS)
        step(base, 5)
        assert stamps.memory_bytes == 0
        newcomer(stamps, scene)
        step(base)
        assert stamps.memory_bytes == PAIR


def test_the_system_ends_before_they_have_moved(base: Any, scene: NodePath) -> None:
    with faded_marks(base, scene, 2) as stamps:
        newcomer(stamps, scene)
    assert stamps.memory_bytes == bytes_on_the_card(base) == 0


# The limit.


def test_a_lower_limit_holds_at_once(base: Any, scene: NodePath) -> None:
    with faded_marks(base, scene, 4) as stamps:
        hit_middle(stamps, stamps.bindings[3].node)
        step(base)
        stamps.set_config(replace(stamps.config, max_memory=ROOM[2]))
        step(base, 2)
        # Three moves would not have done it: 1.75 pairs are left of four.
        assert nodes(stamps) == ["card-0", "card-1", "card-2", "card-3"]
        assert sizes(stamps) == [64, 64, 64, 128]
        assert stamps.memory_bytes == bytes_on_the_card(base) <= 2 * PAIR
        stamps.set_config(replace(stamps.config, max_memory=ROOM[1]))
        step(base, 2)
        assert nodes(stamps) == ["card-3"]
        assert stamps.memory_bytes == bytes_on_the_card(base) <= PAIR


def test_a_limit_below_one_pair_takes_a_smaller_one(base: Any, scene: NodePath) -> None:
    (card,) = cards(scene, 1, 1024)
    with system(base, max_memory=ROOM[1]) as stamps:
        assert hit_middle(stamps, card).resolution == EDGE
        step(base)
        assert stamps.memory_bytes == PAIR
        assert image_of(stamps, card)[64, 64, 3] > 0.9


def test_a_limit_below_the_smallest_pair(base: Any, scene: NodePath, notify: NotifyLog) -> None:
    notify.allow("max_memory")
    smallest = 2 * 64 * 64 * 4
    with system(base, max_memory=(smallest - 1) / 2**20) as stamps:
        for card in cards(scene, 2):
            assert stamps.hit(card, (0.0, 0.0, 0.0), other=card) is None
        step(base)
        assert (stamps.active_count, stamps.memory_bytes) == (0, 0)
    assert len([line for line in notify.text.splitlines() if "max_memory" in line]) == 1
    with system(base, max_memory=smallest / 2**20) as stamps:
        assert hit_middle(stamps, small_card(scene)).resolution == 64


def test_blends_wait_where_there_is_no_room_for_an_extra(base: Any, scene: NodePath) -> None:
    (card,) = cards(scene, 1)
    with system(base, auto_fade=False, max_memory=ROOM[1]) as stamps:
        for blend, color in (("over", (1.0, 0.0, 0.0)), ("add", (0.0, 1.0, 0.0)), ("max", (0.0, 0.0, 1.0))):
            hit_middle(stamps, card, blend=blend, opacity=0.3, color=color)
        for _ in range(4):
            step(base)
            assert stamps.memory_bytes == PAIR
        assert stamps.capture_count == 3
        assert (image_of(stamps, card)[64, 64, :3] > 0.2).all()


def test_extras_evict_nobody(base: Any, scene: NodePath) -> None:
    """They are gone as soon as they are idle."""
    (card,) = cards(scene, 1)
    with system(base, auto_fade=False) as stamps:
        for blend in ("over", "add", "max"):
            hit_middle(stamps, card, blend=blend)
        step(base)
        assert stamps.memory_bytes == 2 * PAIR
        stamps.set_config(replace(stamps.config, max_memory=ROOM[1]))
        step(base, 2)
        assert nodes(stamps) == ["card-0"]
        assert stamps.memory_bytes == bytes_on_the_card(base) == PAIR


def test_load_keeps_to_the_limit(base: Any, scene: NodePath, tmp_path: Path, notify: NotifyLog) -> None:
    notify.allow("max_memory has no room")
    marked = cards(scene, 3)
    with system(base, auto_fade=False) as stamps:
        for card in marked:
            hit_middle(stamps, card)
        step(base)
        stamps.save(tmp_path / "marks")
        stamps.set_config(replace(stamps.config, max_memory=ROOM[2]))
        stamps.clear_all()
        newcomer(stamps, scene)
        step(base)
        assert stamps.load(tmp_path / "marks") == 2
        step(base, 2)
        assert nodes(stamps) == ["card-0", "card-1"]
        assert stamps.memory_bytes == 2 * PAIR
        assert image_of(stamps, marked[0])[64, 64, 3] > 0.9
    assert len([line for line in notify.text.splitlines() if "max_memory" in line]) == 1


def test_a_driver_that_makes_none_gets_free_pairs_back_first(
    base: Any, scene: NodePath, monkeypatch: pytest.MonkeyPatch
) -> None:
    with system(base, auto_fade=False) as stamps:
        end_marks(base, scene, stamps, 3)
        make = RenderTarget._make_buffer

        def short_of_memory(target: RenderTarget, name: str, sort: int) -> Any:
            return make(target, name, sort) if stamps.memory_bytes <= PAIR else None

        monkeypatch.setattr(RenderTarget, "_make_buffer", short_of_memory)
        assert newcomer(stamps, scene, 256).resolution == 256
        assert stamps.memory_bytes == 4 * PAIR
