"""One hit gives one mark on any model: whatever UVs it has, or none; and nothing else of it changes."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from panda3d.core import AmbientLight, DirectionalLight, GeomNode, NodePath

from panda_rtstamp.core.geometry import triangles
from pictures import (
    assert_same_scene,
    extent,
    geom_paths,
    look_from,
    snapshot,
    stamps_on,
)
from rasters import HAIR, Eye
from shapes import Floats, box, box_columns, load, make_geom, make_node, quads
from stamp_support import STEP, mask_formula
from support import NotifyLog, compare_images, screenshot, step
from surfaces import Mesh, mesh_of, overlap, random_point, texels

TEXELS = "512"
# At once and by the unwrapper that is always there.
UNWRAPPING = {"unwrapper": "own", "unwrap_at_once": 1_000_000}
MODELS = {
    "cube": "",
    "panda": "models/panda",
    "flyingcar": "other/flyingcar.bam",
    "teapot": "models/teapot",
    "vehicle": "other/vehicle.bam",
    "panda-model": "models/panda-model",
}


def make_model(base: Any, scene: NodePath, name: str) -> NodePath:
    """One of MODELS."""
    model = load(base, scene, MODELS[name], name) if MODELS[name] else box((2.0, 2.0, 2.0))
    model.reparent_to(scene)
    model.set_tag("rtstamp-resolution", TEXELS)
    return model


# One hit, one mark.


@pytest.mark.profiles
@pytest.mark.parametrize("hardness", [0.1, 0.9])
@pytest.mark.parametrize("name", MODELS)
def test_one_hit_gives_one_mark(base: Any, scene: NodePath, name: str, hardness: float) -> None:
    model = make_model(base, scene, name)
    point = random_point(mesh_of(model), np.random.default_rng(4))
    radius = 0.1 * extent(model)[1]
    with stamps_on(base, **UNWRAPPING) as stamps:
        assert stamps.hit(model, tuple(point), radius=radius, hardness=hardness) is not None
        step(base)
        image = stamps.image(model)
        mesh = mesh_of(model)
    assert image is not None
    check_formula(mesh, image[..., 3].astype(np.float64), point, radius, hardness)
    assert overlap(mesh) == 0


def check_formula(mesh: Mesh, mask: Floats, point: Floats, radius: float, hardness: float) -> None:
    """Every covered texel holds what the formula says, and beyond the radius nothing."""
    found = texels(mesh, len(mask))
    # Nearer to a triangle's edge, the driver may give the texel to the gutter.
    found = found[found.margin > HAIR]
    distance = np.linalg.norm(found.at(mesh.points) - point, axis=1)
    got = mask[found.row, found.column]
    # Where the driver's snapped corners put the texel instead.
    shift = mesh.stretch[found.triangle] / len(mask) * HAIR
    error = np.abs(got - mask_formula(distance, radius, hardness))
    allowed = STEP + shift / (radius * (1.0 - hardness))
    wrong = np.flatnonzero(error > allowed)
    assert not len(wrong), f"{len(wrong)} of {len(got)} texels, by {error[wrong].max()} at most"
    assert (distance < radius / 2).sum() > 50
    beyond = distance > radius + shift
    assert beyond.sum() > 1000
    assert np.count_nonzero(got[beyond]) == 0


# Which UV set.

Rect = tuple[float, float, float, float]
HALVES = ((0.0, 0.0, 0.5, 1.0), (0.5, 0.0, 1.0, 1.0))
TURNED = ((0.0, 0.0, 1.0, 0.5), (0.0, 0.5, 1.0, 1.0))
SAME = ((0.0, 0.0, 1.0, 1.0), (0.0, 0.0, 1.0, 1.0))
BEYOND = ((0.0, 0.0, 0.5, 1.0), (0.5, 0.0, 1.1, 1.0))
NOT_FINITE = ((0.0, 0.0, 0.5, 1.0), (0.5, 0.0, np.nan, 1.0))
FLAT = ((0.0, 0.0, 0.0, 1.0), (0.0, 0.0, 0.0, 1.0))


def overlapping(rows: int) -> tuple[Rect, Rect]:
    """Two halves that share this many of 512 rows of texels."""
    return ((0.0, 0.0, 1.0, 0.5), (0.0, 0.5 - rows / 512, 1.0, 1.0))


def two_cards(sets: Mapping[str, tuple[Rect, Rect]], geoms: int = 1, nodes: int = 1) -> NodePath:
    """Two cards beside each other, each with its part (u0, v0, u1, v1) of every UV set.

    Args:
        geoms, nodes: whether each is a Geom, or even a node, of its own.
    """
    cards = []
    for index in range(2):
        corners = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]
        columns = {"vertex": np.array([(2.0 * index + x, 0.0, z) for x, z in corners])}
        for name, rects in sets.items():
            u0, v0, u1, v1 = rects[index]
            columns[name] = np.array([(u0, v0), (u1, v0), (u1, v1), (u0, v1)])
        cards.append(columns)
    if nodes == 2:
        parent = NodePath("cards")
        for columns in cards:
            make_node("card", make_geom(columns, quads(1))).reparent_to(parent)
        return parent
    if geoms == 2:
        return make_node("cards", *(make_geom(columns, quads(1)) for columns in cards))
    joined = {name: np.concatenate([columns[name] for columns in cards]) for name in cards[0]}
    return make_node("cards", make_geom(joined, quads(2)))


def used_set(base: Any, node: NodePath, sets: Mapping[str, Any], **config: Any) -> str:
    """The name of the UV set that marks of the node are laid out by, or "atlas", which must be right."""
    before = {name: mesh_of(node, name).uvs for name in sets}
    node.set_tag("rtstamp-resolution", "64")
    with stamps_on(base, **UNWRAPPING, **config) as stamps:
        assert stamps.hit(node, (0.5, 0.0, 0.5), radius=0.2) is not None
        step(base)
        mesh = mesh_of(node)
    found = [name for name, uvs in before.items() if np.array_equal(uvs, mesh.uvs)]
    if found:
        return found[0]
    assert np.isfinite(mesh.uvs).all()
    assert mesh.uvs.min() >= 0.0
    assert mesh.uvs.max() <= 1.0
    assert (mesh.texel_areas > 0.0).all()
    assert overlap(mesh) == 0
    return "atlas"


@pytest.mark.parametrize(
    ("sets", "expected"),
    [
        ({"texcoord": HALVES, "texcoord.1": TURNED}, "texcoord"),
        ({"texcoord": SAME, "texcoord.1": HALVES}, "texcoord.1"),
        ({"texcoord": NOT_FINITE, "texcoord.1": HALVES}, "texcoord.1"),
        ({"texcoord": BEYOND, "texcoord.1": HALVES}, "texcoord.1"),
        ({"texcoord": FLAT, "texcoord.1": HALVES}, "texcoord.1"),
        ({"texcoord.0": SAME, "texcoord.lightmap": HALVES}, "texcoord.lightmap"),
        ({"texcoord": overlapping(2)}, "texcoord"),
        ({"texcoord": overlapping(3)}, "atlas"),
        ({"texcoord": overlapping(3), "texcoord.1": overlapping(2)}, "texcoord.1"),
        ({"texcoord": SAME}, "atlas"),
        ({"texcoord": NOT_FINITE}, "atlas"),
        ({"texcoord": BEYOND}, "atlas"),
        ({"texcoord": FLAT}, "atlas"),
        ({}, "atlas"),
        # What `python -m panda_rtstamp unwrap` adds to a model comes first, where it is fit.
        ({"texcoord": HALVES, "rtstamp_uv": TURNED}, "rtstamp_uv"),
        ({"texcoord": HALVES, "rtstamp_uv": SAME}, "texcoord"),
    ],
)
@pytest.mark.parametrize("parts", [{"geoms": 1}, {"geoms": 2}, {"nodes": 2}])
def test_the_first_fit_uv_set_is_used(
    base: Any, scene: NodePath, sets: dict[str, tuple[Rect, Rect]], expected: str, parts: dict[str, int]
) -> None:
    cards = two_cards(sets, **parts)
    cards.reparent_to(scene)
    assert used_set(base, cards, sets) == expected


@pytest.mark.parametrize("first", ["left", "right"])
def test_one_part_alone_may_use_a_set_that_both_together_cannot(
    base: Any, scene: NodePath, first: str
) -> None:
    sets = {"texcoord": SAME}
    cards = two_cards(sets, nodes=2)
    cards.reparent_to(scene)
    part = cards.get_child(0 if first == "left" else 1)
    assert used_set(base, part, sets) == "texcoord"
    assert used_set(base, cards, sets) == "atlas"


def test_a_geom_without_the_set_brings_an_atlas_for_all(base: Any, scene: NodePath) -> None:
    """Texel density is even then: within 2 to 1 along an edge, 4 to 1 by area."""
    with_set = make_geom(box_columns((1.0, 1.0, 1.0)), quads(6))
    bare = box_columns((3.0, 3.0, 3.0))
    del bare["texcoord"]
    node = make_node("half", with_set, make_geom(bare, quads(6)))
    node.reparent_to(scene)
    assert used_set(base, node, {}) == "atlas"
    with stamps_on(base, **UNWRAPPING) as stamps:
        assert stamps.hit(node, (1.5, 0.0, 0.0)) is not None
        density = mesh_of(node).texel_areas
    assert density.max() <= 4.0 * density.min()


def test_a_set_can_be_named(base: Any, scene: NodePath, notify: NotifyLog) -> None:
    sets = {"texcoord": HALVES, "texcoord.1": TURNED, "texcoord.2": SAME}
    cards = two_cards(sets)
    cards.reparent_to(scene)
    assert used_set(base, cards, sets, uv_set="texcoord.1") == "texcoord.1"
    cards.set_tag("rtstamp-uv", "texcoord.1")
    assert used_set(base, cards, sets) == "texcoord.1"
    assert used_set(base, cards, sets, uv_set="texcoord") == "texcoord.1"
    # As asked for, whatever it is like; but that is said.
    notify.allow("used more than once")
    cards.set_tag("rtstamp-uv", "texcoord.2")
    assert used_set(base, cards, sets) == "texcoord.2"
    assert "texcoord.2" in notify.text


@pytest.mark.parametrize("by", ["tag", "config"])
def test_a_name_that_is_unknown_is_said_once(base: Any, scene: NodePath, notify: NotifyLog, by: str) -> None:
    cards = two_cards({"texcoord": HALVES})
    cards.set_name(f"unknown-by-{by}")
    cards.reparent_to(scene)
    before = snapshot(scene)
    if by == "tag":
        cards.set_tag("rtstamp-uv", "nope")
        before = snapshot(scene)
    notify.allow("no usable UV set 'nope'")
    with stamps_on(base, **UNWRAPPING, **({"uv_set": "nope"} if by == "config" else {})) as stamps:
        for _ in range(3):
            assert stamps.hit(cards, (0.5, 0.0, 0.5)) is None
            step(base)
        assert stamps.active_count == 0
    said = [line for line in notify.text.splitlines() if line.startswith(":rtstamp(warning)")]
    assert len(said) == 1
    assert cards.get_name() in said[0]
    assert_same_scene(snapshot(scene), before)


# Nothing else changes.


@pytest.mark.profiles
@pytest.mark.parametrize("name", MODELS)
def test_a_marked_model_is_drawn_as_before_and_put_back(base: Any, scene: NodePath, name: str) -> None:
    model = make_model(base, scene, name)
    light_up(scene)
    center, size = extent(model)
    look_from(base, center + (0.8 * size, -size, 0.6 * size), center)
    before, graph = screenshot(base), snapshot(scene)
    mesh = mesh_of(model)
    eye = Eye(mesh.points, mesh.two_sided, base.cam, base.cam.node().get_lens(), len(before))
    with stamps_on(base, look="tint", **UNWRAPPING) as stamps:
        assert stamps.hit(model, tuple(center), radius=size, opacity=0.0) is not None
        picture = screenshot(base)
        # Where surfaces cross, such as a teapot's spout and body, a rounding decides which is seen.
        rows, columns = np.divmod(eye.ties(), len(before))
        picture[-1 - rows, columns] = before[-1 - rows, columns]
        compare_images(picture, before, 1.01, f"unchanged-{name}")
        # The absence: a mark that is one is seen.
        assert stamps.hit(model, tuple(center), radius=size, color=(0.0, 0.0, 0.0)) is not None
        assert (screenshot(base) != before).any()
        stamps.clear_all()
        assert_same_scene(snapshot(scene), graph)
        assert screenshot(base).tobytes() == before.tobytes()


def light_up(scene: NodePath) -> None:
    """Lights by which a wrong normal is seen."""
    for kind, color in ((AmbientLight, 0.3), (DirectionalLight, 0.7)):
        light = scene.attach_new_node(kind("light"))
        light.node().set_color((color, color, color, 1.0))
        light.set_hpr(-30.0, -40.0, 0.0)
        scene.set_light(light)


def corner_bytes(node: NodePath) -> list[dict[str, NDArray[np.uint8]]]:
    """For each Geom, what every column holds at all corners of its triangles, of whatever type it is."""
    found = []
    for path in geom_paths(node):
        geoms = path.node()
        assert isinstance(geoms, GeomNode)
        for geom in geoms.get_geoms():
            values = {}
            for array in geom.get_vertex_data().get_arrays():
                layout = array.get_array_format()
                rows = np.frombuffer(array.get_handle().get_data(), np.uint8).reshape(-1, layout.get_stride())
                for number in range(layout.get_num_columns()):
                    info = layout.get_column(number)
                    place = slice(info.get_start(), info.get_start() + info.get_total_bytes())
                    values[str(info.get_name())] = rows[triangles(geom), place]
            found.append(values)
    return found


def rich_box() -> NodePath:
    """A box with every kind of column, and a value in each that no other corner has."""
    rng = np.random.default_rng(7)
    columns = box_columns((1.0, 2.0, 3.0))
    for name, components in {
        "color": 4,
        "tangent": 3,
        "binormal": 3,
        "texcoord.lightmap": 2,
        "heat": 1,
    }.items():
        columns[name] = rng.uniform(0.0, 1.0, (24, components))
    return make_node("rich", make_geom(columns, quads(6)))


@pytest.mark.parametrize("name", ["rich", *MODELS])
def test_every_other_column_survives(base: Any, scene: NodePath, name: str) -> None:
    model = rich_box() if name == "rich" else make_model(base, scene, name)
    model.reparent_to(scene)
    before, posed = corner_bytes(model), mesh_of(model)
    with stamps_on(base, **UNWRAPPING) as stamps:
        assert stamps.hit(model, tuple(extent(model)[0])) is not None
        after, still_posed = corner_bytes(model), mesh_of(model)
    assert len(after) == len(before)
    for now, then in zip(after, before, strict=True):
        assert set(now) == {*then, "rtstamp_uv"}
        for column, values in then.items():
            np.testing.assert_array_equal(now[column], values, column)
        assert (now["rtstamp_uv"].view(np.float32)[..., 2] >= 1.0).all()
    # The vertices stay with their joints and sliders too.
    np.testing.assert_array_equal(still_posed.points, posed.points)
    np.testing.assert_array_equal(still_posed.normals, posed.normals)


def test_a_column_of_the_users_is_told_apart_by_its_name(base: Any, scene: NodePath) -> None:
    """`rtstamp_uv` is ours: what an unfit one held comes back when the marks go."""
    cards = two_cards({"texcoord": HALVES, "rtstamp_uv": SAME})
    cards.reparent_to(scene)
    before = snapshot(scene)
    assert used_set(base, cards, {"texcoord": HALVES}) == "texcoord"
    cards.clear_tag("rtstamp-resolution")
    assert_same_scene(snapshot(scene), before)
