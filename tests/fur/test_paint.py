"""FurPainter against numpy: what each tool does to which vertices, seen from the camera."""

from typing import Any

import numpy as np
import pytest
from panda3d.core import CullFaceAttrib, LODNode, NodePath

from painter_support import (
    PLAIN,
    changed_rows,
    column_bytes,
    columns,
    geoms,
    in_front,
    on_plane,
    orthographic,
    painter_on,
    seen_at,
    sheet,
    world_points,
)
from panda_rtstamp.errors import ConfigError
from panda_rtstamp.fur.painter import FurPainter
from panda_rtstamp.fur.stroke import SPACING
from pictures import assert_same_scene, changed, look_from, see, snapshot, world_triangles
from shapes import Floats, cylinder, grid_faces, make_geom, make_node, quads, sphere
from support import screenshot

# Values are in 32 bits; the camera's matrices, too.
CLOSE = 2e-5
BOTH_SIDES = CullFaceAttrib.make(CullFaceAttrib.M_cull_none)


def falloff(points: Floats, center: Floats, radius: float, strength: float, fade: float) -> Floats:
    """The formula of a dab, for each point."""
    distances = np.linalg.norm(points - center, axis=1)
    result: Floats = strength * np.clip((1 - distances / radius) / max(fade, 1e-4), 0, 1)
    return result


def share_on_grid(points: Floats, center: Floats, strength: float) -> Floats:
    """Of the triangle of a sheet that a point is in, its corners' shares, times the strength."""
    triangles = points[grid_faces(16, 16)]
    result = np.zeros(len(points))
    for rows, corners in zip(grid_faces(16, 16), triangles, strict=True):
        flat = np.stack([corners[:, 0], corners[:, 2], np.ones(3)])
        shares = np.linalg.solve(flat, [center[0], center[2], 1.0])
        if (shares >= 0).all():
            result[rows] = np.maximum(result[rows], strength * shares)
    return result


def dab_weights(points: Floats, center: Floats, radius: float, strength: float, fade: float) -> Floats:
    """Of all points of a sheet of 16 cells."""
    weights = falloff(points, center, radius, strength, fade)
    return np.maximum(weights, share_on_grid(points, center, strength))


# What tools do.


@pytest.mark.parametrize(("tool", "component"), [("length", 2), ("density", 3)], ids=["length", "density"])
@pytest.mark.parametrize("fade", [0.0, 0.4, 1.0])
def test_a_dab_is_the_formula(base: Any, scene: NodePath, tool: str, component: int, fade: float) -> None:
    model = sheet()
    model.reparent_to(scene)
    in_front(base)
    points = world_points(model)
    with painter_on(base, model, tool, 0.45, strength=0.6, falloff=fade, value=0.25) as painter:
        painter.stroke([(0.21, -0.13)])
        weights = dab_weights(points, on_plane(0.21, -0.13), 0.45, 0.6, fade)
        expected = np.tile(PLAIN, (len(points), 1))
        expected[:, component] += (0.25 - 1.0) * weights
        actual = columns(model)
        np.testing.assert_allclose(actual, expected, atol=CLOSE)
        # Beyond the radius nothing changed at all.
        assert (actual[weights == 0] == PLAIN).all()
        assert 20 < (weights > 0).sum() < len(points) / 2


def test_combing_is_the_formula_along_the_stroke(base: Any, scene: NodePath) -> None:
    model = sheet()
    model.reparent_to(scene)
    in_front(base)
    points = world_points(model)
    start, end = on_plane(-0.3, -0.1), on_plane(0.35, 0.2)
    radius, strength, lean = 0.3, 0.4, 0.7
    with painter_on(base, model, "comb", radius, strength=strength, falloff=0.5, lean=lean) as painter:
        tangents, binormals = (columns(model, name)[:, :3] for name in ("tangent", "binormal"))
        painter.stroke([(-0.3, -0.1), (0.35, 0.2)])
        way = end - start
        length = float(np.linalg.norm(way))
        wanted = way / length * lean
        goal = np.stack([tangents @ wanted, binormals @ wanted], axis=1)
        expected = np.tile(PLAIN, (len(points), 1))
        dabs = int(length / (radius * SPACING))
        assert dabs > 5
        for number in range(1, dabs + 1):
            center = start + way / length * number * radius * SPACING
            weights = dab_weights(points, center, radius, strength, 0.5)[:, None]
            expected[:, :2] += (goal - expected[:, :2]) * weights
        actual = columns(model)
        np.testing.assert_allclose(actual, expected, atol=CLOSE)
        # Along the middle, the strands nearly lie as they were combed: some ten dabs brought them there.
        leans = actual[:, :1] * tangents + actual[:, 1:2] * binormals
        middle = np.linalg.norm(np.cross(points - start, way), axis=1) < 0.05 * length
        middle &= ((points - start) @ way > 0.3 * length**2) & ((points - start) @ way < 0.7 * length**2)
        assert middle.any()
        np.testing.assert_allclose(leans[middle], np.tile(wanted, (middle.sum(), 1)), atol=0.05)


def test_one_press_combs_nothing(base: Any, scene: NodePath) -> None:
    model = sheet()
    model.reparent_to(scene)
    in_front(base)
    with painter_on(base, model, "comb", 0.5) as painter:
        painter.stroke([(0.0, 0.0)])
        assert (columns(model) == PLAIN).all()
        assert painter.undoable == 0


def test_smoothing_goes_to_the_mean_of_the_neighbours(base: Any, scene: NodePath) -> None:
    model = sheet()
    model.reparent_to(scene)
    in_front(base)
    points = world_points(model)
    with painter_on(base, model, "length", 0.3, strength=1.0, falloff=0.2, value=0.0) as painter:
        painter.stroke([(-0.1, 0.1)])
        painter.brush.tool = "comb"
        painter.stroke([(-0.3, 0.0), (0.4, 0.1)])
        before = columns(model)
        painter.brush.tool, painter.brush.radius, painter.brush.strength = "smooth", 0.5, 0.7
        painter.stroke([(0.05, 0.05)])
        near = [set() for _ in points]  # type: list[set[int]]
        for a, b, c in grid_faces(16, 16):
            near[a] |= {b, c}
            near[b] |= {a, c}
            near[c] |= {a, b}
        means = np.array([before[sorted(others)].mean(axis=0) for others in near])
        weights = dab_weights(points, on_plane(0.05, 0.05), 0.5, 0.7, 0.2)[:, None]
        np.testing.assert_allclose(columns(model), before + (means - before) * weights, atol=CLOSE)


def test_smoothing_leaves_straight_fur_straight(base: Any, scene: NodePath) -> None:
    model = sphere(uvs=False)
    model.reparent_to(scene)
    in_front(base)
    with painter_on(base, model, "smooth", 0.8, strength=1.0) as painter:
        painter.stroke([(0.1, 0.1)])
        assert np.abs(columns(model) - PLAIN).max() == 0.0


def test_erasing_leads_back_to_plain(base: Any, scene: NodePath) -> None:
    model = sheet()
    model.reparent_to(scene)
    in_front(base)
    with painter_on(base, model, "density", 0.6, strength=1.0, value=0.1) as painter:
        painter.stroke([(0.0, 0.0), (0.2, 0.0)])
        painter.brush.tool = "comb"
        painter.stroke([(0.0, 0.0), (0.2, 0.0)])
        before = columns(model)
        painter.brush.tool, painter.brush.falloff = "erase", 0.0
        painter.stroke([(0.1, 0.0)])
        inside = np.linalg.norm(world_points(model) - on_plane(0.1, 0.0), axis=1) < 0.6 - 1e-6
        assert (columns(model)[inside] == PLAIN).all()
        assert (before[inside] != PLAIN).any()
        # The corners of the triangle in the middle are inside, too.
        assert (columns(model)[~inside] == before[~inside]).all()


# Which vertices are reached.


def test_back_faces_stay_as_they_are(base: Any, scene: NodePath) -> None:
    model = sphere(uvs=False)
    model.reparent_to(scene)
    in_front(base)
    points = world_points(model)
    with painter_on(base, model, "length", 5.0, strength=1.0, falloff=0.0, value=0.0) as painter:
        painter.stroke([(0.0, 0.0)])
        painted = changed_rows(model, np.tile(PLAIN, (len(points), 1)))
    faces = grid_faces(64, 32)
    eye = np.array([0.0, -4.0, 0.0])
    corners = points[faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    towards = ((eye - corners[:, 0]) * normals).sum(axis=1)
    # Two rows for each point of the seam, and many for the poles.
    places = np.unique(points.round(9), axis=0, return_inverse=True)[1].ravel()
    front = np.zeros(places.max() + 1, bool)
    front[places[faces[towards > 1e-9]]] = True
    # On a convex body nothing else hides.
    np.testing.assert_array_equal(painted, front[places])
    assert 0.3 < painted.mean() < 0.5


def test_what_is_hidden_is_not_painted(base: Any, scene: NodePath) -> None:
    model = NodePath("model")
    back, front = sheet(y=1.0), sheet(cells=2, size=0.7)
    for part in (back, front):
        part.reparent_to(model)
    model.reparent_to(scene)
    in_front(base)
    hits = see(base, world_triangles(front))
    assert hits.hit.any()
    with painter_on(base, model, "length", 6.0, strength=1.0, falloff=0.0, value=0.0) as painter:
        painter.stroke([(0.0, 0.0)])
        assert (columns(front)[:, 2] == 0.0).all()
        places = seen_at(base, world_points(back))
        edge = 0.35 / (np.tan(np.radians(20)) * 4)
        behind = (np.abs(places) < edge).all(axis=1)
        # None is so near the edge that a rounding decides.
        assert np.abs(np.abs(places).max(axis=1) - edge).min() > 1e-3
        assert 0 < behind.sum() < len(behind) / 4
        np.testing.assert_array_equal(columns(back)[:, 2] == 1.0, behind)


def test_only_the_nearest_surface_is_painted(base: Any, scene: NodePath) -> None:
    model = NodePath("model")
    parts = [sheet(y=y) for y in (0.0, 0.05)]
    for part in parts:
        part.reparent_to(model)
    model.reparent_to(scene)
    in_front(base)
    with painter_on(base, model, "length", 0.5, value=0.0) as painter:
        painter.stroke([(-0.3, 0.0), (0.3, 0.1)])
        assert (columns(parts[0]) != PLAIN).any()
        assert (columns(parts[1]) == PLAIN).all()


@pytest.mark.parametrize("kind", ["perspective", "orthographic"])
def test_a_brush_smaller_than_a_triangle_reaches_its_corners(base: Any, scene: NodePath, kind: str) -> None:
    rows = np.array([(-1.0, 0, -1), (1, 0, -1), (1, 0, 1), (-1, 0, 1)])
    model = make_node("quad", make_geom({"vertex": rows, "normal": np.tile([0.0, -1, 0], (4, 1))}, quads(1)))
    model.reparent_to(scene)
    if kind == "perspective":
        in_front(base)
        place = tuple(seen_at(base, np.array([0.5, 0.0, -0.25])))
    else:
        orthographic(base, 4.0)
        place = (0.25, -0.125)
    with painter_on(base, model, "length", 1e-3, strength=0.8, value=0.0) as painter:
        painter.stroke([place])
        # (0.5, -0.25) = 0.25 * (-1, -1) + 0.375 * (1, -1) + 0.375 * (1, 1).
        expected = 1.0 - 0.8 * np.array([0.25, 0.375, 0.375, 0.0])
        np.testing.assert_allclose(columns(model)[:, 2], expected, atol=CLOSE)


def test_what_goes_on_behind_the_camera_is_painted_before_it(base: Any, scene: NodePath) -> None:
    """As the ground does that somebody stands on."""
    corners = np.array([(-50.0, -50, 0), (50, -50, 0), (50, 50, 0), (-50, 50, 0)])
    data = {"vertex": corners, "normal": np.tile([0.0, 0, 1], (4, 1))}
    model = make_node("ground", make_geom(data, quads(1)))
    low = sheet(cells=4, size=0.5)
    low.set_p(-90)
    low.set_z(-0.2)
    for part in (model, low):
        part.reparent_to(scene)
    look_from(base, (0, -4, 1.5), (0, 0, 0))
    with painter_on(base, scene, "length", 1e-3, strength=1.0, value=0.0) as painter:
        painter.stroke([(0.0, 0.0)])
        # (0, 0) is on the diagonal.
        np.testing.assert_allclose(np.sort(columns(model)[:, 2]), [0.5, 0.5, 1, 1], atol=1e-4)
        painter.brush.radius = 4.0
        painter.stroke([(0.0, 0.0)])
        assert (columns(low) == PLAIN).all()
        model.set_z(-0.4)
        painter.stroke([(0.0, 0.0)])
        assert (columns(low) != PLAIN).any()


def test_beside_the_model_nothing_is_painted(base: Any, scene: NodePath) -> None:
    model = sheet(size=0.5)
    model.reparent_to(scene)
    in_front(base)
    with painter_on(base, model, "length", 3.0, value=0.0) as painter:
        painter.stroke([(0.9, 0.9), (0.8, 0.9), (-0.9, 0.9)])
        assert (columns(model) == PLAIN).all()
        assert painter.undoable == 0


@pytest.mark.parametrize("turn", [0, 180])
@pytest.mark.parametrize("culled", ["default", "reversed", "none"])
@pytest.mark.parametrize("mirrored", [False, True])
def test_what_the_player_sees_is_painted(
    base: Any, scene: NodePath, turn: float, culled: str, mirrored: bool
) -> None:
    background = screenshot(base)
    model = sheet()
    model.reparent_to(scene)
    model.set_h(turn)
    if mirrored:
        model.set_sx(-1)
    if culled != "default":
        model.set_attrib(CullFaceAttrib.make_reverse() if culled == "reversed" else BOTH_SIDES)
    in_front(base)
    drawn = bool(changed(screenshot(base), background).any())
    assert drawn == (culled == "none" or ((turn == 0) != (culled == "reversed")) != mirrored)
    with painter_on(base, model, "length", 0.5, value=0.0) as painter:
        painter.stroke([(0.1, 0.0)])
        assert (columns(model) != PLAIN).any() == drawn


def test_what_is_not_drawn_is_not_painted_and_hides_nothing(base: Any, scene: NodePath) -> None:
    model = scene.attach_new_node("model")
    lod = NodePath(LODNode("lod"))
    lod.reparent_to(model)
    near, far = sheet(y=0.5), sheet(y=-0.5)
    for level, (part, distances) in enumerate(((near, (10, 0)), (far, (100, 10)))):
        part.reparent_to(lod)
        lod.node().add_switch(*distances)
        assert lod.node().get_num_switches() == level + 1
    hidden = sheet(y=-0.7)
    hidden.reparent_to(model)
    hidden.hide()
    in_front(base)
    with painter_on(base, model, "length", 0.5, value=0.0) as painter:
        painter.stroke([(0.0, 0.0)])
        painted = {name: (columns(part) != PLAIN).any() for name, part in (("near", near), ("far", far))}
        assert painted == {"near": True, "far": False}
        lod.set_scale(0.2)
        base.cam.set_y(-20)
        painter.brush.radius = 2.0
        painter.stroke([(0.0, 0.0)])
        assert (columns(far) != PLAIN).any()
        hidden.show()
        painter.stroke([(0.0, 0.0)])
        assert (columns(hidden) != PLAIN).any()


# Strokes.


def test_a_stroke_does_not_depend_on_how_often_the_mouse_was_read(base: Any, scene: NodePath) -> None:
    model = sheet()
    model.reparent_to(scene)
    in_front(base)
    found = []
    for count in (1, 4, 37):
        with painter_on(base, model, "comb", 0.3) as painter:
            painter.stroke([(-0.4 + 0.8 * k / count, 0.1 + 0.2 * k / count) for k in range(count + 1)])
            found.append(columns(model))
    assert (found[0] != PLAIN).any()
    np.testing.assert_allclose(found[1], found[0], atol=CLOSE)
    np.testing.assert_allclose(found[2], found[0], atol=CLOSE)


@pytest.mark.parametrize("axis", ["x", "z"])
def test_symmetry_mirrors_what_is_painted(base: Any, scene: NodePath, axis: str) -> None:
    model = sphere(uvs=False, across=32, along=16)
    model.reparent_to(scene)
    in_front(base)
    number = "xyz".index(axis)
    with painter_on(base, model, "comb", 0.4, symmetry=axis) as painter:
        painter.stroke([(0.25, 0.2), (0.2, 0.4)])
        painter.brush.tool, painter.brush.value = "length", 0.3
        painter.stroke([(0.1, 0.3), (0.0, 0.3)])
        values, points = columns(model), world_points(model)
        tangents, binormals = (columns(model, name)[:, :3] for name in ("tangent", "binormal"))
        leans = values[:, :1] * tangents + values[:, 1:2] * binormals
    flip = np.where(np.arange(3) == number, -1.0, 1.0)
    apart = np.linalg.norm(points[:, None] - (points * flip)[None], axis=-1)
    partner = apart.argmin(axis=0)
    assert apart.min(axis=0).max() < 1e-6
    painted = (values != PLAIN).any(axis=1)
    assert (painted & (points[:, number] > 0.1)).any()
    np.testing.assert_allclose(leans[partner], leans * flip, atol=1e-5)
    np.testing.assert_allclose(values[partner, 2:], values[:, 2:], atol=1e-5)


def test_without_symmetry_the_other_side_stays(base: Any, scene: NodePath) -> None:
    model = sphere(uvs=False)
    model.reparent_to(scene)
    in_front(base)
    with painter_on(base, model, "length", 0.2, value=0.0) as painter:
        painter.stroke([(0.3, 0.2)])
        painted = changed_rows(model, np.tile(PLAIN, (len(columns(model)), 1)))
        assert painted.any()
        assert (world_points(model)[painted, 0] > 0).all()


@pytest.mark.parametrize("own_tangents", [False, True], ids=["made", "own"])
def test_uv_seams_do_not_show(base: Any, scene: NodePath, own_tangents: bool) -> None:
    model = cylinder(uvs=True)
    if own_tangents:
        # As exporters make them of UVs that are turned differently left and right of the seam.
        node = model.node()
        data = {name: columns(model, name)[:, :3] for name in ("vertex", "normal")}
        data["texcoord"] = columns(model, "texcoord")[:, :2]
        around = np.cross([0.0, 0.0, 1.0], data["normal"])
        up = np.tile([0.0, 0.0, 1.0], (len(around), 1))
        tilted = data["texcoord"][:, :1] < 0.5
        data["tangent"] = np.where(tilted, around, 0.6 * around + 0.8 * up)
        data["binormal"] = np.where(tilted, up, 0.6 * up - 0.8 * around)
        model = make_node(node.get_name(), make_geom(data, grid_faces(64, 8)))
    model.reparent_to(scene)
    # The seam is at +X: it is turned to the camera.
    model.set_h(-90)
    in_front(base)
    with painter_on(base, model, "comb", 0.3) as painter:
        painter.stroke([(-0.2, -0.2), (0.2, 0.3)])
        painter.brush.tool, painter.brush.value = "length", 0.2
        painter.stroke([(-0.1, 0.0), (0.1, 0.0)])
        painter.brush.tool = "smooth"
        painter.stroke([(-0.1, 0.1), (0.1, 0.1)])
        values, points = columns(model), columns(model, "vertex")[:, :3]
        tangents, binormals = (columns(model, name)[:, :3] for name in ("tangent", "binormal"))
    seam = np.flatnonzero(columns(model, "texcoord")[:, 0] == 0.0)
    twins = np.flatnonzero(columns(model, "texcoord")[:, 0] == 1.0)
    np.testing.assert_array_equal(points[seam], points[twins])
    assert (values[seam, :3] != PLAIN[:3]).all(axis=1).any()
    leans = values[:, :1] * tangents + values[:, 1:2] * binormals
    np.testing.assert_allclose(leans[seam], leans[twins], atol=1e-6)
    if not own_tangents:
        np.testing.assert_array_equal(values[seam], values[twins])


# The way back.


def test_undo_and_redo_are_exact(base: Any, scene: NodePath) -> None:
    model = sphere(uvs=True)
    model.reparent_to(scene)
    in_front(base)
    with painter_on(base, model, "comb", 0.4) as painter:
        states = [column_bytes(model)]
        for number, tool in enumerate(("comb", "length", "density", "smooth", "erase")):
            painter.brush.tool, painter.brush.value = tool, 0.1 * number
            painter.stroke([(-0.2, 0.0), (0.1 * number, 0.1), (0.2, 0.2)])
            states.append(column_bytes(model))
        assert len(set(states)) == len(states)
        assert (painter.undoable, painter.redoable) == (5, 0)
        for state in reversed(states[:-1]):
            assert painter.undo()
            assert column_bytes(model) == state
        assert not painter.undo()
        for state in states[1:]:
            assert painter.redo()
            assert column_bytes(model) == state
        assert not painter.redo()
        painter.undo()
        painter.undo()
        painter.stroke([(0.1, 0.1)])
        assert (painter.undoable, painter.redoable) == (4, 0)


def test_the_oldest_steps_go_beyond_the_limit(base: Any, scene: NodePath) -> None:
    model = sheet()
    model.reparent_to(scene)
    in_front(base)
    with FurPainter(base, model, undo_levels=2) as painter:
        painter.brush.tool = "length"
        states = []
        for value in (0.2, 0.4, 0.6):
            painter.brush.value = value
            painter.stroke([(0.0, 0.0)])
            states.append(column_bytes(model))
        assert [painter.undo() for _ in range(3)] == [True, True, False]
        assert column_bytes(model) == states[0]


def test_undo_ends_a_stroke(base: Any, scene: NodePath) -> None:
    model = sheet()
    model.reparent_to(scene)
    in_front(base)
    with painter_on(base, model, "length", 0.3, value=0.0) as painter:
        before = column_bytes(model)
        painter.press(0.0, 0.0)
        painter.drag(0.2, 0.0)
        assert column_bytes(model) != before
        painter.undo()
        assert column_bytes(model) == before
        painter.drag(0.3, 0.0)
        painter.lift()
        assert column_bytes(model) == before


# Wrong arguments.


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("tool", "cut"),
        ("tool", None),
        ("radius", 0.0),
        ("radius", float("nan")),
        ("strength", 1.5),
        ("falloff", -0.1),
        ("value", "long"),
        ("lean", 2),
        ("symmetry", "w"),
    ],
)
def test_a_wrong_setting_raises_and_changes_nothing(
    base: Any, scene: NodePath, name: str, value: object
) -> None:
    model = sheet()
    model.reparent_to(scene)
    with FurPainter(base, model) as painter:
        before = getattr(painter.brush, name)
        with pytest.raises(ConfigError, match=name):
            setattr(painter.brush, name, value)
        assert getattr(painter.brush, name) == before


def test_wrong_arguments_raise(base: Any, scene: NodePath) -> None:
    model = sheet()
    model.reparent_to(scene)
    for arguments in ((None, model), (base, NodePath()), (base, "model"), (base, NodePath("empty"))):
        with pytest.raises(ConfigError):
            FurPainter(*arguments)
    for settings in ({"author": 3}, {"author": "a" * 201}, {"undo_levels": 0}, {"from_colors": 1}):
        with pytest.raises(ConfigError):
            FurPainter(base, model, **settings)
    assert not geoms(model).get_geom(0).get_vertex_data().has_column("rtstamp_fur")
    with FurPainter(base, model) as painter:
        for place in ((None, 0.0), (0.0, float("inf"))):
            with pytest.raises(ConfigError):
                painter.press(*place)
        with pytest.raises(ConfigError, match="places"):
            painter.stroke([])
        wrong: Any = 1
        for call in (painter.show_strands, painter.follow_mouse):
            with pytest.raises(ConfigError):
                call(wrong)


def test_a_painter_that_was_destroyed_paints_nothing(base: Any, scene: NodePath) -> None:
    ball = sphere(uvs=True)
    ball.reparent_to(scene)
    base.cam.set_y(-5)
    painter = FurPainter(base, ball)
    painter.brush.tool = "length"
    painter.brush.value = 0.2
    painter.stroke([(0.0, 0.0), (0.1, 0.0)])
    assert painter.undoable == 1
    painter.destroy()
    before = snapshot(ball)
    painter.stroke([(0.0, 0.1)])
    assert not painter.undo()
    assert not painter.point_at(0.0, 0.0)
    assert_same_scene(before, snapshot(ball))
