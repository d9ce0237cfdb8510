"""Everything at once, at random: no exception, no GL error, and nothing left of it afterwards."""

import gc
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from direct.actor.Actor import Actor
from panda3d.core import (
    AlphaTestAttrib,
    ClockObject,
    GeomNode,
    GeomVertexRewriter,
    NodePath,
    RenderAttrib,
    TransparencyAttrib,
)

from panda_rtstamp import StampConfig, StampSystem
from panda_rtstamp.core.readback import ReadFuture
from pictures import plain_shader
from stamp_support import Pair, small_card, what_is_held
from support import FRAME_RATE, PROFILE, NotifyLog, step

NODES = 20
SETTLE = 14
FIELDS: dict[str, list[Any]] = {
    "max_pool_size": [1, 3, 8, 20],
    "auto_fade": [True, False],
    "fade_duration": [0.05, 0.5, 3.0],
    "fade_step": [None, 0.25, 1.0],
    "recycle_threshold": [0.001, 0.01, 0.1],
    "scale_fade_by_radius": [True, False],
    "base_radius": [0.5, 2.0],
    "radius_fade_exponent": [0.01, 2.0],
    "age_weight": [0.0, 0.1, 10.0],
    "hardness": [0.0, 0.1, 1.0],
    "format": ["rgba8", "rgba16f", "r16", "r16f"],
    "blend": [None, "over", "add", "max"],
    "stamp_color": [(1.0, 0.0, 0.0), (0.0, 0.5, 1.0, 0.5)],
    "intensity": [0.0, 1.0, 4.0],
    "display": ["overlay", "wrap", "shader", "none"],
    "look": ["paint", "tint", "glow"],
    "uv_set": [None, "texcoord"],
    "unwrap_at_once": [0, 1_000_000],
    "max_resolution": [64, 256],
}


class Soak:
    """A game in which anything may happen.

    Args:
        base: the ShowBase.
        scene: where it takes place.
        seed: of the chance.
        file: for marks that are saved.
    """

    def __init__(self, base: Any, scene: NodePath, seed: int, file: Path) -> None:
        self.base = base
        self.file = file
        self.asked: list[ReadFuture] = []
        self.records: list[bytes] = []
        self.random = np.random.default_rng(seed)
        self.scene = scene
        scene.set_tag("rtstamp-resolution", "64")
        self.shader = plain_shader()
        self.made = 0
        self.done: Counter[str] = Counter()
        self.actors: list[Actor] = []
        self.nodes: list[NodePath] = []
        self.away: list[NodePath] = []
        self.stamps = StampSystem(base, StampConfig(max_pool_size=8, fade_duration=0.5))
        self.stamps.on_hit(self.records.append)
        for _ in range(NODES):
            self.nodes.append(self.make())

    # What there is to hit.

    def make(self) -> NodePath:
        """A new node of some kind."""
        self.made += 1
        kinds: list[Callable[[], NodePath]] = [
            lambda: small_card(self.scene),
            lambda: small_card(self.scene),
            self.make_pair,
            self.make_actor,
            self.make_instance,
            self.make_shaded,
            self.make_glass,
            lambda: self.scene.attach_new_node("nothing"),
        ]
        node = kinds[self.random.integers(len(kinds))]()
        node.set_name(f"{node.get_name()}-{self.made}")
        node.set_pos(float(self.random.uniform(-8, 8)), 20.0, float(self.random.uniform(-8, 8)))
        return node

    def make_pair(self) -> NodePath:
        """Two cards, one below the other."""
        return Pair(self.scene).outer

    def make_actor(self) -> NodePath:
        """A walking panda, skinned by the CPU."""
        actor = Actor("models/panda-model", {"walk": "models/panda-walk4"})
        actor.set_scale(0.005)
        actor.loop("walk")
        # What is put below the walker does not become that small, and smaller with the next one.
        walker = self.scene.attach_new_node("walker")
        actor.reparent_to(walker)
        self.actors.append(actor)
        return walker

    def make_instance(self) -> NodePath:
        """One of two instances; the other one just stands there."""
        shared = NodePath("shared")
        small_card(shared).set_pos(0.0, 0.0, 0.0)
        first, second = (self.scene.attach_new_node("place") for _ in range(2))
        shared.instance_to(second)
        return shared.instance_to(first).get_parent()

    def make_shaded(self) -> NodePath:
        """A card with a shader of the user's."""
        card = small_card(self.scene)
        card.set_shader(self.shader)
        self.stamps.set_default_inputs(card)
        return card

    def make_glass(self) -> NodePath:
        """A transparent card."""
        card = small_card(self.scene)
        card.set_transparency(TransparencyAttrib.M_alpha)
        card.set_alpha_scale(0.5)
        return card

    def pick(self) -> NodePath:
        """Any of the nodes."""
        return self.nodes[self.random.integers(len(self.nodes))]

    def part(self) -> NodePath:
        """Any node of the game's, at any depth."""
        node = self.pick()
        parts: list[NodePath] = [node, *node.find_all_matches("**")]
        return parts[self.random.integers(len(parts))]

    # What may happen.

    def hit(self) -> None:
        """Hits, somewhere about a node, in world space or in its own."""
        node = self.part() if self.random.random() < 0.3 else self.pick()
        for _ in range(self.random.integers(1, 5)):
            offset = self.random.uniform(-1.0, 1.0, 3)
            own = self.random.random() < 0.5
            point = offset if own else np.array(node.get_pos(self.base.render)) + offset
            self.stamps.hit(
                node,
                point,
                other=node if own else None,
                radius=float(self.random.uniform(0.1, 2.0)),
                opacity=float(self.random.random()),
                hardness=None if own else float(self.random.random()),
                color=None if own else self.random.random(3),
                **self.some_options(),
            )

    def some_options(self) -> dict[str, Any]:
        """What some hits have: a normal, a brush, a blend of their own."""
        options: dict[str, Any] = {}
        if self.random.random() < 0.4:
            options["normal"] = self.random.normal(size=3)
            options["brush"] = [None, "splat", "crack"][self.random.integers(3)]
        if self.random.random() < 0.4:
            options["blend"] = ["over", "add", "max", "erase"][self.random.integers(4)]
        return options

    def ask(self) -> None:
        """Somebody reads without waiting."""
        node = self.pick()
        self.asked.append(self.stamps.image_async(node))
        self.asked.append(self.stamps.coverage_async(node))

    def play_back(self) -> None:
        """A hit that came from elsewhere, on a node that may be gone."""
        if self.records:
            self.stamps.apply(self.records[self.random.integers(len(self.records))])

    def save_and_load(self) -> None:
        """Some marks may find their nodes again."""
        self.stamps.save(self.file)
        step(self.base)
        self.stamps.load(self.file)

    def remove(self) -> None:
        """A node is destroyed, with or without hits waiting, and another one comes."""
        index = int(self.random.integers(NODES))
        if self.random.random() < 0.3:
            self.stamps.hit(self.nodes[index], (0.0, 20.0, 0.0))
        self.nodes[index].remove_node()
        self.nodes[index] = self.make()

    def reparent(self) -> None:
        """A node goes below another one, or back to the scene."""
        node, other = self.pick(), self.pick()
        if node != other and not node.is_ancestor_of(other):
            node.wrt_reparent_to(other if self.random.random() < 0.5 else self.scene)

    def detach(self) -> None:
        """A node leaves the scene for a while; those that left come back."""
        for node in self.away:
            if not node.is_empty():
                node.reparent_to(self.scene)
        self.away = [self.pick()]
        self.away[0].detach_node()

    def stash(self) -> None:
        """A node is stashed or hidden, or all that are come back."""
        node = self.pick()
        change = self.random.integers(3)
        if change == 0 and node.has_parent():
            node.stash()
        elif change == 1:
            node.hide()
        else:
            for other in self.nodes:
                other.show()
                if other.has_parent():
                    other.unstash()

    def copy(self) -> None:
        """A copy of a node, marks and all, takes another one's place."""
        index = int(self.random.integers(NODES))
        source = self.pick()
        if source != self.nodes[index] and not self.nodes[index].is_ancestor_of(source):
            copy = source.copy_to(self.scene)
            self.nodes[index].remove_node()
            self.nodes[index] = copy

    def configure(self) -> None:
        """One to three settings change."""
        names = self.random.choice(list(FIELDS), self.random.integers(1, 4), replace=False)
        changes = {str(name): FIELDS[name][self.random.integers(len(FIELDS[name]))] for name in names}
        self.stamps.set_config(replace(self.stamps.config, **changes))

    def fade(self) -> None:
        """Somebody starts a fade."""
        seconds = float(self.random.choice([0.0, 0.1, 1.0]))
        choice = self.random.integers(3)
        if choice == 0:
            self.stamps.start_fade(self.pick(), seconds)
        elif choice == 1:
            self.stamps.start_fade_by_actor(self.pick(), seconds)
        else:
            self.stamps.start_fade_all(seconds)

    def restyle(self) -> None:
        """The game changes how a node looks."""
        node = self.part()
        changes: list[Callable[[], Any]] = [
            lambda: node.set_color(*self.random.random(4)),
            lambda: node.set_two_sided(True),
            lambda: node.set_shader(self.shader),
            node.clear_shader,
            lambda: node.set_attrib(AlphaTestAttrib.make(RenderAttrib.M_greater, 0.5)),
            lambda: node.set_transparency(TransparencyAttrib.M_none),
            node.clear_transparency,
            lambda: node.set_shader_input("mine", 1.0),
            lambda: node.set_scale(float(self.random.uniform(0.5, 2.0))),
        ]
        changes[self.random.integers(len(changes))]()

    def edit(self) -> None:
        """The game changes a node's geometry: vertices, or all of it."""
        path = self.part()
        node = path.node()
        if self.random.random() < 0.3:
            path.flatten_light()
        elif isinstance(node, GeomNode) and node.get_num_geoms():
            data = node.modify_geom(0).modify_vertex_data()
            vertex = GeomVertexRewriter(data, "vertex")
            vertex.set_data3(vertex.get_data3() * 1.01)

    def look(self) -> None:
        """Somebody reads what there is."""
        node = self.pick()
        image = self.stamps.image(node)
        assert image is None or (np.isfinite(image).all() and 0.0 <= image.min() <= image.max() <= 1.0)
        assert image is None or self.stamps.binding(node) is not None
        assert 0.0 <= self.stamps.coverage(node) <= 1.0 + 1e-6

    def rare(self) -> None:
        """What comes once in a while."""
        calls: list[Callable[[], Any]] = [
            self.stamps.clear_all,
            lambda: self.stamps.warm_up(2),
            self.stamps.show_debug,
            lambda: self.stamps.show_debug(False),
            self.base.graphics_engine.render_frame,
        ]
        calls[self.random.integers(len(calls))]()

    WEIGHTS = {
        **dict.fromkeys([hit], 12),
        **dict.fromkeys([remove, reparent, configure, restyle], 3),
        **dict.fromkeys([detach, stash, copy, fade, edit, look, ask, play_back], 2),
        **dict.fromkeys([rare, save_and_load], 1),
    }

    # The whole.

    def run(self, operations: int) -> None:
        """So many random things, and a frame or two after most of them."""
        weights = np.array(list(self.WEIGHTS.values()), np.float64)
        whats = list(self.WEIGHTS)
        for _ in range(operations):
            what = whats[self.random.choice(len(whats), p=weights / weights.sum())]
            what(self)
            self.done[what.__name__] += 1
            self.check()
            self.frames()
        assert sum(self.done.values()) == operations

    def frames(self) -> None:
        """Time goes on: not at all, a little, a lot."""
        if PROFILE != "threads":
            ClockObject.get_global_clock().dt = float(self.random.choice([1e-3, 1 / FRAME_RATE, 0.1]))
        step(self.base, int(self.random.integers(0, 3)))

    def check(self) -> None:
        """What holds at any time."""
        stamps = self.stamps
        assert stamps.active_count == len(stamps.bindings) <= stamps.config.max_pool_size
        for binding in stamps.bindings:
            assert 0.0 <= binding.alpha <= 1.0
            # Panda's own clock goes back at times under a threading model.
            assert binding.age >= 0.0 or PROFILE == "threads"
            assert binding.temp.get_x_size() == binding.resolution

    def finish(self) -> None:
        """The end of it: nothing of ours is left on what was not copied from marked nodes."""
        self.stamps.destroy()
        self.check()
        assert all(future.done() for future in self.asked)
        for actor in self.actors:
            actor.cleanup()
        self.actors.clear()
        for node in self.nodes:
            node.remove_node()
        self.nodes.clear()
        self.away.clear()
        self.scene.get_children().detach()
        self.scene.get_stashed_children().detach()
        if PROFILE != "threads":
            ClockObject.get_global_clock().dt = 1 / FRAME_RATE


def held(base: Any) -> dict[str, int]:
    """What is held, but for shaders, which are kept for the next time."""
    gc.collect()
    step(base, SETTLE)
    return {kind: count for kind, count in what_is_held(base).items() if kind != "shaders"}


def soak(base: Any, scene: NodePath, notify: NotifyLog, folder: Path, operations: int, seed: int) -> None:
    """Run it, and compare what there is before and after."""
    # Our own words on models that cannot be marked well; Panda's are none of these.
    notify.allow(r"^:rtstamp\(warning\): ")

    def play(operations: int, seed: int) -> Soak:
        game = Soak(base, scene, seed, folder / "marks")
        game.run(operations)
        game.finish()
        return game

    # What stays on the graphics card for the next time: models' textures, our card, the debug view's letters.
    with StampSystem(base) as stamps:
        stamps.show_debug()
        for _ in range(2):
            stamps.hit(small_card(scene, "first"), (0.0, 20.0, 0.0))
            step(base, 3)
    play(50, 0)
    before = held(base)
    game = play(operations, seed)
    assert set(game.done) == {what.__name__ for what in Soak.WEIGHTS}
    assert game.stamps.capture_count > operations / 8
    del game
    assert held(base) == before


@pytest.mark.profiles
@pytest.mark.threads
def test_a_short_soak(base: Any, scene: NodePath, notify: NotifyLog, tmp_path: Path) -> None:
    soak(base, scene, notify, tmp_path, operations=300, seed=1)


@pytest.mark.full
@pytest.mark.profiles
@pytest.mark.threads
@pytest.mark.parametrize("seed", [2, 3])
def test_a_long_soak(base: Any, scene: NodePath, notify: NotifyLog, tmp_path: Path, seed: int) -> None:
    soak(base, scene, notify, tmp_path, operations=2000, seed=seed)
