"""The column `rtstamp_fur`: what is added to a model, what of it stays shared, and that it goes again."""

from typing import Any

import numpy as np
import pytest
from direct.actor.Actor import Actor
from panda3d.core import (
    Geom,
    GeomEnums,
    GeomNode,
    GeomVertexData,
    GeomVertexWriter,
    InternalName,
    LODNode,
    NodePath,
)

from painter_support import PLAIN, columns, geoms, sheet
from panda_rtstamp.core.geometry import column
from panda_rtstamp.errors import ConfigError
from panda_rtstamp.fur.column import FurColumn
from panda_rtstamp.fur.frames import along, dot, in_frame, normalized, tangents
from panda_rtstamp.fur.vertices import COLUMN
from pictures import assert_same_scene, geom_paths, snapshot
from shapes import Floats, box_columns, cylinder, grid_faces, make_geom, make_node, quads, sphere
from support import make_card, screenshot, step

MODELS = ("smiley", "teapot", "panda", "models/panda-model", "environment")


def geom_of(node: NodePath, number: int = 0) -> Geom:
    """A Geom of the first GeomNode."""
    return geoms(geom_paths(node)[0]).get_geom(number)


def values_of(vertices: GeomVertexData, name: str) -> Floats:
    """A column, which must be there."""
    found = column(vertices, name)
    assert found is not None
    return found.astype(np.float64)


def with_colours(colours: Any) -> NodePath:
    """A quad facing -Y whose corners have these colours, 0..255."""
    points = np.array([(-1.0, 0, -1), (1, 0, -1), (1, 0, 1), (-1, 0, 1)])
    data = {
        "vertex": points,
        "normal": np.tile([0.0, -1.0, 0.0], (4, 1)),
        "color": np.array(colours, np.float64) / 255,
    }
    return make_node("quad", make_geom(data, quads(1)))


# What is added.


@pytest.mark.parametrize("name", MODELS)
def test_any_model_gets_the_column_and_loses_it_again(base: Any, scene: NodePath, name: str) -> None:
    model = base.loader.load_model(name)
    model.reparent_to(scene)
    before = snapshot(model)
    found = FurColumn(model)
    for path in geom_paths(model):
        for geom in geoms(path).get_geoms():
            vertices = geom.get_vertex_data()
            if not vertices.has_column("normal"):
                assert not vertices.has_column(COLUMN)
                continue
            info = vertices.get_format().get_column(COLUMN)
            assert info.get_contents() == GeomEnums.C_other
            assert (info.get_num_components(), info.get_numeric_type()) == (4, GeomEnums.NT_float32)
            array = vertices.get_format().get_array_with(COLUMN)
            assert vertices.get_format().get_array(array).get_num_columns() == 1
            for vector in ("tangent", "binormal"):
                contents = vertices.get_format().get_column(vector).get_contents()
                assert contents == GeomEnums.C_vector
            np.testing.assert_array_equal(
                values_of(vertices, COLUMN), np.tile(PLAIN, (vertices.get_num_rows(), 1))
            )
    found.release()
    assert_same_scene(snapshot(model), before)
    found.release()
    assert_same_scene(snapshot(model), before)


def test_tangents_are_square_to_the_normals() -> None:
    random = np.random.default_rng(7)
    normals = normalized(np.concatenate([random.normal(size=(500, 3)), np.eye(3), -np.eye(3)]))
    tangent, binormal = tangents(normals)
    for one, other in ((tangent, normals), (binormal, normals), (tangent, binormal)):
        assert np.abs(dot(one, other)).max() < 1e-12
    np.testing.assert_allclose(np.cross(normals, tangent), binormal, atol=1e-12)


def test_frames_go_there_and_back() -> None:
    random = np.random.default_rng(8)
    tangent, binormal = normalized(random.normal(size=(50, 3))), normalized(random.normal(size=(50, 3)))
    components = random.normal(size=(50, 2))
    np.testing.assert_allclose(
        in_frame(along(components, tangent, binormal), tangent, binormal), components, atol=1e-9
    )
    assert (in_frame(tangent, tangent, tangent) == 0.0).all()


def test_tangents_of_the_model_stay(base: Any) -> None:
    data = box_columns((1, 1, 1))
    data["tangent"] = np.roll(data["normal"], 1, axis=1)
    model = make_node("box", make_geom(data, quads(6)))
    FurColumn(model)
    vertices = geom_of(model).get_vertex_data()
    np.testing.assert_array_equal(values_of(vertices, "tangent"), data["tangent"])
    expected = np.cross(data["normal"], data["tangent"])
    np.testing.assert_allclose(values_of(vertices, "binormal"), expected, atol=1e-6)


def test_a_column_that_is_there_is_kept(base: Any) -> None:
    model = sheet(cells=2)
    first = FurColumn(model)
    values = np.array([0.3, -0.4, 0.5, 0.25], np.float32)
    first.write(np.arange(9), np.tile(values, (9, 1)))
    second = FurColumn(model)
    assert (second.values == values).all()
    second.write(np.arange(9), np.tile(np.array(PLAIN, np.float32), (9, 1)))
    second.release()
    assert (columns(model).astype(np.float32) == values).all()
    first.release()
    assert not geom_of(model).get_vertex_data().has_column(COLUMN)


def test_values_out_of_range_are_brought_into_it(base: Any) -> None:
    model = sheet(cells=1)
    first = FurColumn(model)
    wrong = np.array([(3, 4, 2, -1), (np.nan, 0, 1, 1), (0, 0, 0.5, np.inf), PLAIN], np.float32)
    first.write(np.arange(4), wrong)
    expected = [(0.6, 0.8, 1, 0), PLAIN, (0, 0, 0.5, 1), PLAIN]
    np.testing.assert_allclose(FurColumn(model).values, expected, atol=1e-6)


@pytest.mark.parametrize("node", [None, NodePath(), NodePath("empty")], ids=["none", "no node", "empty"])
def test_without_geometry_it_raises(base: Any, node: Any) -> None:
    with pytest.raises(ConfigError, match="node must"):
        FurColumn(node)


def test_without_normals_there_is_no_fur(base: Any) -> None:
    bare = make_node("bare", make_geom({"vertex": np.eye(3)}, np.array([[0, 1, 2]])))
    with pytest.raises(ConfigError, match="normals"):
        FurColumn(bare)
    both = NodePath("both")
    bare.reparent_to(both)
    sheet().reparent_to(both)
    before = snapshot(bare)
    found = FurColumn(both)
    assert_same_scene(snapshot(bare), before)
    assert {part.path.get_name(): part.has_fur for part in found.parts} == {"bare": False, "sheet": True}


# What is shared.


def test_geoms_that_share_vertices_still_do_and_others_are_copied(base: Any) -> None:
    data = box_columns((1, 1, 1))
    whole = make_geom(data, quads(6))
    top = whole.make_copy()
    node, other = GeomNode("node"), GeomNode("other")
    for geom in (whole, top):
        node.add_geom(geom)
        other.add_geom(geom)
    twin = NodePath(other)
    before = snapshot(twin)
    original = node.get_geom(0).get_vertex_data()
    FurColumn(NodePath(node))
    vertices = [node.get_geom(number).get_vertex_data() for number in range(2)]
    assert vertices[0] == vertices[1]
    # What has nothing to do with fur is the same memory.
    assert vertices[0].get_array(0) == original.get_array(0)
    assert_same_scene(snapshot(twin), before)
    assert not other.get_geom(0).get_vertex_data().has_column(COLUMN)


def test_two_nodes_with_one_geom_have_fur_of_their_own(base: Any) -> None:
    root = NodePath("root")
    geom = make_geom(box_columns((1, 1, 1)), quads(6))
    for name in ("one", "two"):
        make_node(name, geom).reparent_to(root)
    found = FurColumn(root)
    rows = next(np.arange(24) + part.rows.start for part in found.parts if part.path.get_name() == "one")
    found.write(rows, np.tile(np.array([0, 0, 0.5, 1], np.float32), (24, 1)))
    assert (columns(root.find("one"))[:, 2] == 0.5).all()
    assert (columns(root.find("two"))[:, 2] == 1.0).all()


def test_instances_are_taken_once(base: Any) -> None:
    root, model = NodePath("root"), sheet()
    for number in range(3):
        model.instance_to(root.attach_new_node(f"place {number}"))
    assert len(FurColumn(root).parts) == 1


def test_all_levels_of_detail_get_it(base: Any) -> None:
    lod = NodePath(LODNode("lod"))
    for _ in range(2):
        sheet().reparent_to(lod)
    assert len(FurColumn(lod).parts) == 2


def test_who_shares_the_geoms_sees_what_is_painted(base: Any, scene: NodePath) -> None:
    """As a coat of fur does."""
    model = sheet()
    model.reparent_to(scene)
    found = FurColumn(model)
    coat = GeomNode("coat")
    coat.add_geoms_from(geoms(model))
    found.write(np.arange(5), np.tile(np.array([0.5, 0.5, 0.25, 0.75], np.float32), (5, 1)))
    step(base)
    found.write(np.arange(3), np.tile(np.array([0.0, 0.5, 0.25, 0.75], np.float32), (3, 1)))
    assert coat.get_geom(0) == geoms(model).get_geom(0)
    np.testing.assert_array_equal(columns(NodePath(coat)), columns(model))
    np.testing.assert_array_equal(columns(model)[:5, 0], [0, 0, 0, 0.5, 0.5])


def test_actors_show_it_without_moving(base: Any, scene: NodePath) -> None:
    actor = Actor("models/panda-model", {"walk": "models/panda-walk4"})
    actor.reparent_to(scene)
    actor.pose("walk", 3)
    found = FurColumn(actor)
    step(base)
    assert (columns(actor) == PLAIN).all()
    found.write(np.arange(10), np.tile(np.array([0.5, 0.5, 0.25, 0.75], np.float32), (10, 1)))
    assert (columns(actor)[:10] == [0.5, 0.5, 0.25, 0.75]).all()
    found.release()
    actor.cleanup()


# Duplicates.


@pytest.mark.parametrize("model", [cylinder, sphere])
def test_rows_at_one_place_are_one_point(base: Any, model: Any) -> None:
    node = model(uvs=True)
    found = FurColumn(node)
    places = np.unique(found.rest, axis=0, return_inverse=True)[1].ravel()
    assert found.points.count == places.max() + 1
    for point in range(found.points.count):
        assert len(np.unique(places[found.points.of_row == point])) == 1


def test_hard_edges_and_sheets_have_points_of_their_own(base: Any) -> None:
    assert FurColumn(make_node("box", make_geom(box_columns((1, 1, 1)), quads(6)))).points.count == 24
    both = NodePath("both")
    sheet(cells=2).reparent_to(both)
    back = sheet(cells=2)
    back.set_h(180)
    back.reparent_to(both)
    assert FurColumn(both).points.count == 18


# Vertex colours.


def test_colours_become_values_and_no_longer_tint(base: Any, scene: NodePath) -> None:
    model = with_colours([(255, 128, 64, 32), (128, 0, 0, 255), (128, 127, 255, 0), (255, 255, 128, 128)])
    model.reparent_to(scene)
    base.cam.set_y(-4)
    tinted = screenshot(base)
    before = snapshot(model)
    found = FurColumn(model, from_colors=True)
    lean = 1 / np.sqrt(2)
    expected = [
        (1, 0, 64 / 255, 32 / 255),
        (0, -1, 0, 1),
        (0, 0, 1, 0),
        (lean, lean, 128 / 255, 128 / 255),
    ]
    np.testing.assert_allclose(columns(model), expected, atol=1e-6)
    assert not geom_of(model).get_vertex_data().has_column(InternalName.get_color())
    middle = screenshot(base)[100:156, 100:156]
    assert (middle[..., :3] == 255).all()
    found.release()
    assert_same_scene(snapshot(model), before)
    np.testing.assert_array_equal(screenshot(base), tinted)


def test_colours_are_left_alone_unless_asked_for(base: Any, scene: NodePath) -> None:
    model = with_colours([(255, 128, 64, 32)] * 4)
    model.reparent_to(scene)
    base.cam.set_y(-4)
    tinted = screenshot(base)
    FurColumn(model)
    assert (columns(model) == PLAIN).all()
    np.testing.assert_array_equal(screenshot(base), tinted)


def test_colours_that_panda_packs_are_read(base: Any) -> None:
    card = make_card(2, 2)
    holder = geoms(card)
    vertices = holder.modify_geom(0).modify_vertex_data()
    layout = vertices.get_format()
    packed = type(layout)(layout)
    packed.add_array(
        type(layout.get_array(0))(InternalName.get_color(), 1, GeomEnums.NT_packed_dabc, GeomEnums.C_color)
    )
    vertices.set_format(type(layout).register_format(packed))
    writer = GeomVertexWriter(vertices, "color")
    for _ in range(4):
        writer.set_data4(1.0, 128 / 255, 0.2, 0.4)
    FurColumn(card, from_colors=True)
    np.testing.assert_allclose(columns(card), np.tile([1, 0, 0.2, 0.4], (4, 1)), atol=1e-6)


def test_seams_get_the_mean_of_their_colours(base: Any) -> None:
    model = cylinder(uvs=True)
    data = {name: columns(model, name)[:, :3] for name in ("vertex", "normal")}
    seam = np.isin(columns(model, "texcoord")[:, 0], (0.0, 1.0))
    blue = np.where(columns(model, "texcoord")[:, 0] == 0.0, 0.2, 0.6)
    data["color"] = np.stack([0 * blue + 128 / 255, 0 * blue + 128 / 255, blue, 0 * blue + 1], axis=1)
    again = make_node("cylinder", make_geom(data, grid_faces(64, 8)))
    FurColumn(again, from_colors=True)
    np.testing.assert_allclose(columns(again)[seam, 2], 0.4, atol=1e-6)
    np.testing.assert_allclose(columns(again)[~seam, 2], 0.6, atol=1e-6)


# Release.


def test_what_others_changed_meanwhile_stays(base: Any) -> None:
    model = NodePath("model")
    for name in ("edited", "left"):
        make_node(name, *(make_geom(box_columns((1, 1, 1)), quads(6)) for _ in range(2))).reparent_to(model)
    edited, left = (geoms(model.find(name)) for name in ("edited", "left"))
    before = left.get_geom(0), left.get_geom(1), edited.get_geom(1)
    found = FurColumn(model)
    edited.modify_geom(0).transform_vertices(NodePath("turn").get_mat())
    theirs = edited.get_geom(0)
    found.release()
    assert edited.get_geom(0) == theirs
    assert (left.get_geom(0), left.get_geom(1), edited.get_geom(1)) == before


def test_states_set_meanwhile_stay(base: Any) -> None:
    model = sheet()
    found = FurColumn(model)
    state = NodePath("red")
    state.set_color(1, 0, 0, 1)
    geoms(model).set_geom_state(0, state.get_state())
    found.release()
    assert geoms(model).get_geom_state(0) == state.get_state()
    assert not geom_of(model).get_vertex_data().has_column(COLUMN)
