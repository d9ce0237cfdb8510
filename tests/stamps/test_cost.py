"""What marks cost follows the texels that hits touch: not the texture, the mesh, nor how many there are.

Counted, not timed: passes, the texels and triangles that they draw, changes of state, and calls.
"""

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from panda3d.core import GeomNode, GeomVertexWriter, NodePath, RenderState, TransformState

from cost_support import Pass, count_calls, merged, rects_of, shoot, texels, watch_passes, wiped_by
from panda_rtstamp.core.rect import Rect
from panda_rtstamp.stamps import capture
from panda_rtstamp.stamps.hit import Hit
from panda_rtstamp.stamps.indexed import IndexedGeom
from panda_rtstamp.stamps.scene import Scene
from panda_rtstamp.stamps.spatial_index import SpatialIndex
from shapes import box, grid_faces, make_geom, make_node, sphere
from stamp_support import card_at, card_points, hit_middle, image_of, mask_formula, small_card, system
from support import ROOT, NotifyLog, make_card, read_target, step
from surfaces import mesh_of, seams
from surfaces import texels as texels_of

Floats = NDArray[np.float64]
# Beside what a sphere touches: the texel that edges reach into, the gutter, what the merge sees beyond.
_MARGIN = 1 + 2 + 2
SIZE = 10.0


def grid(scene: NodePath, cells: int, size: int) -> NodePath:
    """A wall of SIZE x SIZE units of cells x cells squares, marked at this resolution."""
    across = np.linspace(0.0, 1.0, cells + 1)
    u, v = (part.ravel() for part in np.meshgrid(across, across))
    points = np.stack([(u - 0.5) * SIZE, 0 * u, (v - 0.5) * SIZE], axis=1)
    geom = make_geom({"vertex": points, "texcoord": np.stack([u, v], axis=1)}, grid_faces(cells, cells))
    node = make_node(f"grid {cells}", geom)
    node.reparent_to(scene)
    node.set_y(20.0)
    node.set_tag("rtstamp-resolution", str(size))
    return node


# Nothing is hit.


@pytest.mark.parametrize("fades", [True, False])
def test_nothing_happens_while_nothing_is_hit(
    base: Any, scene: NodePath, monkeypatch: pytest.MonkeyPatch, fades: bool
) -> None:
    cards = [small_card(scene, f"card {number}") for number in range(8)]
    with system(base, auto_fade=fades) as stamps:
        for card in cards:
            shoot(base, stamps, card, (0.0, 0.0, 0.0))
        step(base, 4)
        passes = watch_passes(monkeypatch)
        overlays = scene.find_all_matches("**/=rtstamp-overlay")
        states = [path.get_net_state() for path in overlays]
        alphas = [binding.alpha for binding in stamps.bindings]
        there = RenderState.get_num_states(), TransformState.get_num_states()
        for _ in range(20):
            step(base)
            assert not [window for window in base.graphics_engine.get_windows() if is_drawing(window)]
        assert not passes
        assert (RenderState.get_num_states(), TransformState.get_num_states()) == there
        assert len(states) == 8
        assert [path.get_net_state() for path in overlays] == states
        # And yet they fade.
        faded = [
            after < before for before, after in zip(alphas, (b.alpha for b in stamps.bindings), strict=True)
        ]
        assert faded == [fades] * 8


def is_drawing(window: Any) -> bool:
    """Whether a buffer of marks draws in the next frame, or any part of it is still set to."""
    ours = window.get_name().startswith("rtstamp-")
    return ours and (
        window.is_active() or any(region.is_active() for region in window.get_active_display_regions())
    )


def test_each_mark_takes_no_call(base: Any, scene: NodePath, notify: NotifyLog) -> None:
    """But for those of 16 marks a frame it is asked whether their nodes are alive."""
    notify.allow("max_pool_size")
    frames = 8
    ours, others = {}, {}
    for count in (1, 16, 64):
        cards = [small_card(scene, f"card {number}") for number in range(count)]
        with system(base, max_pool_size=64) as stamps:
            for card in cards:
                hit_middle(stamps, card)
            step(base, 4)
            ours[count], others[count] = count_calls(lambda: step(base, frames))
            assert stamps.active_count == count
        for card in cards:
            card.remove_node()
    # No function is called once for each mark.
    assert 0 < max(ours[64].values()) <= 2 * frames
    assert abs(ours[64].total() - ours[1].total()) <= 2 * frames
    assert others[64].total() <= others[1].total() + 16 * frames
    changing = ("make", "set_", "compose", "modify_", "add_", "remove_", "attach", "reparent")
    assert not [name for name in others[64] if name.split(".")[-1].startswith(changing)]


# One hit.


def cost_of_hit(
    base: Any, monkeypatch: pytest.MonkeyPatch, node: NodePath, radius: float
) -> tuple[list[Pass], int]:
    """The passes of a hit on marked ground, and the add-on's Python calls in its frame."""
    with system(base, auto_fade=False) as stamps, monkeypatch.context() as patch:
        for _ in range(2):
            assert stamps.hit(node, (0.3, 0.0, 0.2), other=node, radius=radius) is not None
            passes = watch_passes(patch)
            ours, _ = count_calls(lambda: step(base))
            patch.undo()
        return passes, ours.total()


@pytest.mark.parametrize("radius", [8, 48])
def test_the_size_of_the_texture_costs_nothing(
    base: Any, scene: NodePath, monkeypatch: pytest.MonkeyPatch, radius: int
) -> None:
    """At the same radius in texels; and more radius costs more."""
    costs, calls = {}, {}
    for size in (256, 512, 1024, 2048):
        card = card_at(scene, SIZE, size)
        passes, calls[size] = cost_of_hit(base, monkeypatch, card, radius * SIZE / size)
        costs[size] = texels(passes)
        assert {done.target.size for done in passes} == {size}
        card.remove_node()
    side = 2 * (radius + _MARGIN) + 2
    # Primary is cleared and drawn, and merged into Temp.
    assert costs[1024] <= 4 * side**2
    assert max(costs.values()) <= 1.1 * min(costs.values())
    assert len(set(calls.values())) == 1


def test_twice_the_radius_is_four_times_the_texels(
    base: Any, scene: NodePath, monkeypatch: pytest.MonkeyPatch
) -> None:
    card = card_at(scene, SIZE, 1024)
    small, large = (texels(cost_of_hit(base, monkeypatch, card, radius)[0]) for radius in (0.5, 1.0))
    assert 3.0 <= large / small <= 4.0


@pytest.mark.parametrize("cells", [22, 100])
def test_triangles_beside_the_mark_are_not_drawn(
    base: Any, scene: NodePath, monkeypatch: pytest.MonkeyPatch, cells: int
) -> None:
    """Of a thousand and of twenty thousand: those of the squares that the rectangle meets, twice."""
    size, radius = 1024, 48
    node = grid(scene, cells, size)
    passes, _ = cost_of_hit(base, monkeypatch, node, radius * SIZE / size)
    captures = [done for done in passes if done.triangles]
    assert len(captures) == 1
    across = int(2 * (radius + _MARGIN + 1) / size * cells) + 2
    assert 0 < captures[0].triangles <= 2 * 2 * across**2
    assert captures[0].triangles < 2 * 2 * cells**2 / 8
    assert captures[0].geoms == 2


def test_the_size_of_the_mesh_costs_no_calls(
    base: Any, scene: NodePath, monkeypatch: pytest.MonkeyPatch
) -> None:
    """But for those of the places that the mark is found in, where it has more triangles."""
    calls = [cost_of_hit(base, monkeypatch, grid(scene, cells, 512), 0.5)[1] for cells in (22, 100)]
    assert calls[1] <= 1.5 * calls[0]


def test_parts_elsewhere_are_not_looked_at(
    base: Any, scene: NodePath, monkeypatch: pytest.MonkeyPatch
) -> None:
    top = scene.attach_new_node("top")
    for number in range(40):
        sphere(uvs=False).copy_to(top).set_pos(3.0 * (number % 8), 20.0, 3.0 * (number // 8))
    looked_at = []
    touched = IndexedGeom.touched

    def watched(self: IndexedGeom, *args: Any) -> Any:
        looked_at.append(self)
        return touched(self, *args)

    monkeypatch.setattr(IndexedGeom, "touched", watched)
    with system(base, auto_fade=False) as stamps:
        shoot(base, stamps, top, (9.0, 19.0, 6.0), radius=0.3)
        assert len(looked_at) == 1
        assert stamps.coverage(top) > 0.0


def test_hidden_parts_are_not_indexed(base: Any, scene: NodePath, monkeypatch: pytest.MonkeyPatch) -> None:
    top = scene.attach_new_node("top")
    parts = [sphere(uvs=False).copy_to(top) for _ in range(2)]
    for number, part in enumerate(parts):
        part.set_pos(3.0 * number, 20.0, 0.0)
    parts[1].hide()
    indexed = []
    build = SpatialIndex.__init__

    def watched(self: SpatialIndex, *args: Any) -> None:
        indexed.append(self)
        build(self, *args)

    monkeypatch.setattr(SpatialIndex, "__init__", watched)
    with system(base, auto_fade=False) as stamps:
        shoot(base, stamps, top, (0.0, 19.0, 0.0), radius=0.3)
        assert len(indexed) == 1
        parts[1].show()
        shoot(base, stamps, top, (3.0, 19.0, 0.0), radius=0.3)
        assert len(indexed) == 2
        assert stamps.coverage(parts[1]) > 0.0


def test_parts_that_only_the_rim_reaches_are_marked(base: Any, scene: NodePath) -> None:
    top = scene.attach_new_node("top")
    parts = [make_card(2.0, 2.0) for _ in range(3)]
    for number, part in enumerate(parts):
        part.reparent_to(top)
        part.set_pos(3.0 * number, 20.0, 0.0)
    with system(base, auto_fade=False) as stamps:
        # Between the first two, half a unit from either.
        shoot(base, stamps, top, (1.5, 20.0, 0.0), radius=0.6, hardness=1.0)
        assert [stamps.coverage(part) > 0.0 for part in parts] == [True, True, False]


def test_one_bad_vertex_leaves_the_other_triangles_alone(
    base: Any, scene: NodePath, notify: NotifyLog
) -> None:
    """A model may have been exported badly: what has no place cannot be marked, all the rest can."""
    notify.allow("")
    covered = []
    for bad in (False, True):
        top = scene.attach_new_node("top")
        ball = sphere(uvs=True)
        ball.reparent_to(top)
        sphere(uvs=True).copy_to(top).set_x(10.0)
        node = ball.node()
        assert isinstance(node, GeomNode)
        if bad:
            writer = GeomVertexWriter(node.modify_geom(0).modify_vertex_data(), "vertex")
            writer.set_row(40)
            writer.set_data3(np.nan, np.nan, np.nan)
        with system(base, auto_fade=False) as stamps:
            binding = shoot(base, stamps, top, (0.0, -1.0, 0.0), radius=0.5)
            covered.append(int((read_target(base, binding.temp)[..., 3] > 0.0).sum()))
        top.remove_node()
    # Without the triangles of that vertex.
    assert covered[0] > covered[1] > 0.95 * covered[0] > 1000


def test_a_hidden_instance_takes_no_texels(
    base: Any, scene: NodePath, notify: NotifyLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So the other one's thin triangles are drawn as lines too, which is not done where texels are shared."""
    notify.allow("drawn in several places")
    shares: list[bool] = []
    kinds = capture._kinds

    def watched(scene: Scene, hits: Sequence[Hit]) -> Sequence[RenderState]:
        shares.append(scene.shares_texels)
        return kinds(scene, hits)

    monkeypatch.setattr(capture, "_kinds", watched)
    for hidden in (False, True):
        top = scene.attach_new_node("top")
        top.set_y(20.0)
        part = box((1.0, 1.0, 1.0))
        for x in (0.0, 5.0):
            instance = top.attach_new_node("instance")
            instance.set_x(x)
            part.instance_to(instance)
        if hidden:
            top.get_child(1).hide()
        with system(base, auto_fade=False) as stamps:
            shoot(base, stamps, top, (0.0, 19.5, 0.0), radius=0.2)
        top.remove_node()
    assert shares == [True, False]


def test_a_mark_across_an_edge_takes_a_rectangle_on_each_side(
    base: Any, scene: NodePath, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a cube whose faces lie apart on the texture: both hold the whole mark, and little else."""
    size, radius = 1024, 0.1
    cube = box((2.0, 2.0, 2.0))
    cube.reparent_to(scene)
    cube.set_tag("rtstamp-resolution", str(size))
    counts = []
    with system(base, auto_fade=False) as stamps:
        shoot(base, stamps, cube, (1.0, 0.0, 0.0), radius=1e-3)
        mesh = mesh_of(cube)
        found = texels_of(mesh, size)
        # Texels across a mark; and two rectangles may be one where that wastes little.
        side = 2 * (radius * size / np.sqrt(mesh.texel_areas.min()) + _MARGIN + 1)
        for seam in seams(mesh):
            with monkeypatch.context() as patch:
                passes = watch_passes(patch)
                shoot(base, stamps, cube, tuple(seam.middle), radius=radius)
            rects = rects_of(passes)
            marked = np.linalg.norm(found.at(mesh.points) - seam.middle, axis=1) < radius
            held: NDArray[np.bool_] = np.zeros((size, size), bool)
            for rect in rects:
                held[rect.bottom : rect.top, rect.left : rect.right] = True
            assert marked.any()
            assert held[found.row[marked], found.column[marked]].all()
            assert held.sum() < 2 * (side**2 + 64**2)
            counts.append(len(rects))
    assert max(counts) == 2


def test_hits_leave_no_states_behind(base: Any, scene: NodePath) -> None:
    """Each takes some of its own, with its scissor and its inputs; Panda drops those that nobody holds."""
    card = card_at(scene, SIZE, 512)
    rng = np.random.default_rng(2)
    counts = []
    with system(base, auto_fade=False) as stamps:
        for _ in range(3):
            for x, z in rng.uniform(-4.0, 4.0, (30, 2)):
                shoot(base, stamps, card, (float(x), 0.0, float(z)), radius=0.3)
            step(base, 20)
            counts.append(RenderState.get_num_states())
    assert counts[1] == counts[2] == counts[0]


# What is left of earlier marks.


def test_only_the_last_hits_are_wiped(base: Any, scene: NodePath, monkeypatch: pytest.MonkeyPatch) -> None:
    """From Primary, by the pass that draws the next ones; nothing between them, and none twice."""
    card = card_at(scene, SIZE, 1024)
    with system(base, auto_fade=False) as stamps:
        passes = watch_passes(monkeypatch)
        for points in ([(-4.0, 0.0, -4.0), (4.0, 0.0, 4.0)], [(-4.0, 0.0, 4.0)], [(4.0, 0.0, -4.0)]):
            binding = shoot(base, stamps, card, *points, radius=0.5)
        first, second, third = (done for done in passes if done.target is binding.slot.primary)
        assert set(wiped_by(second)) == set(first.captured)
        assert wiped_by(third) == list(second.captured)
        assert len(first.captured) == 2
        held = read_target(base, binding.primary)[..., -1] > 0.0
    expected: NDArray[np.bool_] = np.zeros((1024, 1024), bool)
    for rect in third.captured:
        expected[rect.bottom : rect.top, rect.left : rect.right] = True
    assert np.array_equal(held, expected)


def test_a_stored_fade_touches_only_what_was_used(
    base: Any, scene: NodePath, monkeypatch: pytest.MonkeyPatch
) -> None:
    card = card_at(scene, SIZE, 1024)
    with system(base, fade_duration=1.0) as stamps:
        with monkeypatch.context() as patch:
            passes = watch_passes(patch)
            binding = shoot(base, stamps, card, (-4.0, 0.0, -4.0), (-4.0, 0.0, 4.0), radius=0.5)
            first = merged(passes, binding)
        step(base, 20)
        with monkeypatch.context() as patch:
            passes = watch_passes(patch)
            shoot(base, stamps, card, (4.0, 0.0, 4.0), radius=0.5)
            merge = next(done for done in passes if done.target is binding.slot.temp)
    *fades, marks = merge.cards
    assert len(first) == 2
    assert fades
    assert all(set(rects) == set(first) for rects in fades)
    assert not any(mark.overlaps(rect) for mark in marks for rect in first)


def test_a_pair_that_is_used_again_is_cleared_where_it_was_used(
    base: Any, scene: NodePath, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = card_at(scene, SIZE, 1024), card_at(scene, SIZE, 1024)
    with system(base, auto_fade=False) as stamps:
        with monkeypatch.context() as patch:
            passes = watch_passes(patch)
            binding = shoot(base, stamps, old, (-4.0, 0.0, -4.0), (-4.0, 0.0, 4.0), radius=0.5)
            first = merged(passes, binding)
        textures = binding.temp, binding.primary
        stamps.clear_all()
        step(base, 4)
        with monkeypatch.context() as patch:
            passes = watch_passes(patch)
            again = shoot(base, stamps, new, (4.0, 0.0, 0.0), radius=0.5)
        assert (again.temp, again.primary) == textures
        wiped = next(wiped_by(done) for done in passes if done.target is again.slot.temp)
        assert set(wiped) == set(first)
        assert len(first) == 2
        image = image_of(stamps, new)
        distance = np.linalg.norm(card_points(SIZE, 1024) - (4.0, 0.0, 0.0), axis=-1)
        assert np.abs(image[..., 3] - mask_formula(distance, 0.5, 0.1)).max() <= 2 / 255
        assert image[distance > 0.5].max() == 0.0
        # Nothing at all, and nothing that rounds to it.
        assert read_target(base, again.temp)[distance > 0.5].max() == 0.0


# Users' own shaders.


@pytest.mark.parametrize("field", ["unwrap_shader", "merge_shader"])
def test_users_shaders_are_drawn_on_the_whole_texture(
    base: Any, scene: NodePath, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, field: str
) -> None:
    """Who knows what they do to texels that no hit touches; be they ours but for the file."""
    file = tmp_path / f"{field}.frag"
    shutil.copy(ROOT / "shaders" / "stamps" / f"{field.split('_')[0]}.frag", file)
    card = card_at(scene, SIZE, 256)
    for options, whole in (({}, False), ({field: str(file)}, True)):
        with system(base, auto_fade=False, **options) as stamps, monkeypatch.context() as patch:
            shoot(base, stamps, card, (0.0, 0.0, 0.0), radius=0.5)
            passes = watch_passes(patch)
            binding = shoot(base, stamps, card, (0.0, 0.0, 0.0), radius=0.5)
        assert (rects_of(passes) == [Rect.whole(256)]) == whole
        assert (merged(passes, binding) == [Rect.whole(256)]) == whole
