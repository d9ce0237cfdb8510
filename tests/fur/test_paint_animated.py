"""FurPainter on Actors: painted as they are posed, by joints on the CPU or the GPU, and by morphs."""

from typing import Any

import numpy as np
import pytest
from direct.actor.Actor import Actor
from numpy.typing import NDArray
from panda3d.core import NodePath, ShaderAttrib

from painter_support import PLAIN, column_bytes, columns, geoms, painter_on, seen_at, world_points
from panda_rtstamp.core.geometry import triangles
from panda_rtstamp.fur.painter import FurPainter
from pictures import (
    PLAIN_FRAGMENT,
    SKINNED_VERTEX,
    changed,
    extent,
    geom_paths,
    glsl,
    look_from,
    world_triangles,
)
from shapes import Floats
from support import screenshot, step

pytestmark = pytest.mark.profiles


def walker(scene: NodePath, frame: int) -> Actor:
    """The panda in the middle of a step, about 10 units large."""
    actor = Actor("models/panda-model", {"walk": "models/panda-walk4"})
    actor.reparent_to(scene)
    actor.set_scale(0.01)
    actor.pose("walk", frame)
    return actor


def face_rows(node: NodePath) -> NDArray[np.int64]:
    """The triangles of all Geoms below a node, as rows of `world_points`."""
    found, start = [], 0
    for path in geom_paths(node):
        for geom in geoms(path).get_geoms():
            found.append(triangles(geom) + start)
            start += geom.get_vertex_data().get_num_rows()
    return np.concatenate(found)


def rays_meet(eye: Floats, ways: Floats, corners: Floats) -> Floats:
    """How far along each way each triangle is met: (ways, triangles), inf where it is not."""
    one, other = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    system = np.stack(
        [np.broadcast_to(one, (len(ways), *one.shape)), np.broadcast_to(other, (len(ways), *one.shape))], -1
    )
    system = np.concatenate([system, np.broadcast_to(-ways[:, None, :, None], (*system.shape[:3], 1))], -1)
    regular = np.abs(np.linalg.det(system)) > 1e-14
    system[~regular] = np.eye(3)
    offset = np.broadcast_to(eye - corners[:, 0], (len(ways), *one.shape))[..., None]
    found = np.linalg.solve(system, offset)[..., 0]
    inside = (found[..., 0] >= 0) & (found[..., 1] >= 0) & (found[..., 0] + found[..., 1] <= 1) & regular
    result: Floats = np.where(inside & (found[..., 2] > 1e-9), found[..., 2], np.inf)
    return result


def test_painted_as_posed(base: Any, scene: NodePath) -> None:
    actor = walker(scene, 9)
    middle, size = extent(actor)
    eye = np.array(middle + (size * 0.8, -size * 0.9, size * 0.4))
    look_from(base, tuple(eye), tuple(middle))
    points, faces = world_points(actor), face_rows(actor)
    corners = points[faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    towards = ((eye - corners[:, 0]) * normals).sum(axis=1)
    drawn = corners[towards > 0]
    place = seen_at(base, np.array(middle))
    way = np.array(middle) - eye
    hit = eye + way * rays_meet(eye, way[None], drawn).min()
    radius = size * 0.15
    with painter_on(base, actor, "length", radius, strength=1.0, falloff=0.0, value=0.0) as painter:
        painter.stroke([tuple(place)])
        painted = columns(actor)[:, 2] == 0.0
    # What is left out here is where the tolerances of the two may differ, and corners of the hit triangle.
    distances = np.linalg.norm(points - hit, axis=1)
    places = np.unique(points, axis=0, return_inverse=True)[1].ravel()
    front = np.isin(places, places[faces[towards > 0]])
    near = np.flatnonzero((distances < radius) & front)
    ways = points[near] - eye
    blocked = rays_meet(eye, ways, drawn)
    own = (drawn[None] == points[near][:, None, None]).all(axis=-1).any(axis=-1)
    blocked[own] = np.inf
    hidden = blocked.min(axis=1) < 1 - 1e-3
    open_ = blocked.min(axis=1) > 1 - 1e-6
    assert open_.sum() > 20
    assert hidden.any()
    assert painted[near[open_]].all()
    assert not painted[near[hidden]].any()
    assert not painted[distances > radius * 2].any()
    assert not painted[~front].any()


def test_another_pose_is_another_place(base: Any, scene: NodePath) -> None:
    actor = walker(scene, 0)
    middle, size = extent(actor)
    eye = middle + (size, -size * 0.9, 0)
    look_from(base, tuple(eye), tuple(middle))
    # Nothing can be before what is nearest.
    nearest = int(np.argmin(np.linalg.norm(world_points(actor) - np.array(eye), axis=1)))
    found = []
    with painter_on(base, actor, "length", size * 0.004, value=0.0) as painter:
        for frame in (0, 14):
            actor.pose("walk", frame)
            step(base)
            place = seen_at(base, world_points(actor)[nearest])
            painter.stroke([tuple(place)])
            found.append((place, columns(actor)[nearest, 2]))
            painter.undo()
    (first, one), (second, other) = found
    assert np.linalg.norm(first - second) > 0.01
    # In the middle of the brush, that is its strength.
    assert one == pytest.approx(0.5, abs=0.01)
    assert other == pytest.approx(0.5, abs=0.01)


def test_hardware_skinning_paints_the_same(base: Any, scene: NodePath) -> None:
    found = []
    for hardware in (False, True):
        actor = walker(scene, 9)
        skinned = ShaderAttrib.make(glsl(SKINNED_VERTEX, PLAIN_FRAGMENT))
        actor.set_attrib(skinned.set_flag(ShaderAttrib.F_hardware_skinning, hardware))
        middle, size = extent(actor)
        look_from(base, tuple(middle + (size * 0.8, -size * 0.9, size * 0.4)), tuple(middle))
        before = screenshot(base)
        assert changed(before, np.broadcast_to(before[0, 0], before.shape)).any()
        with painter_on(base, actor, "comb", size * 0.1) as painter:
            # The base is drawn as it was, with more columns than it had.
            np.testing.assert_array_equal(screenshot(base), before)
            painter.stroke([(-0.2, 0.0), (0.2, 0.05)])
            np.testing.assert_array_equal(screenshot(base), before)
            found.append(column_bytes(actor))
            painter.show_strands(True)
            assert changed(screenshot(base), before).any()
        np.testing.assert_array_equal(screenshot(base), before)
        actor.cleanup()
        actor.remove_node()
    assert found[0] == found[1]


def test_strands_follow_the_pose(base: Any, scene: NodePath) -> None:
    actor = walker(scene, 0)
    middle, size = extent(actor)
    look_from(base, tuple(middle + (size, -size * 0.9, 0)), tuple(middle))
    with FurPainter(base, actor):
        strands = actor.find_all_matches("**/rtstamp-strands")
        assert strands.get_num_paths()
        for frame in (0, 14):
            actor.pose("walk", frame)
            step(base)
            roots = world_points_of(strands)
            apart = np.linalg.norm(roots[:, None] - world_points(actor)[None], axis=-1).min(axis=1)
            assert apart.max() < 1e-5 * size


def world_points_of(strands: Any) -> Floats:
    """Where the roots and tips of strands are before the shader moves the tips."""
    found = []
    for path in strands:
        copy = NodePath("copy")
        path.copy_to(copy)
        net = path.get_net_transform()
        for inner in copy.find_all_matches("**/+GeomNode"):
            inner.clear_tag("rtstamp-overlay")
            inner.set_transform(net)
        found.append(world_points(copy))
    return np.concatenate(found)


def test_morphs_are_where_they_are_seen(base: Any, scene: NodePath) -> None:
    actor = Actor("panda")
    actor.reparent_to(scene)
    middle, size = extent(actor)
    look_from(base, tuple(middle + (0, -size * 1.5, 0)), tuple(middle))
    assert len(world_triangles(actor)) > 100
    with painter_on(base, actor, "density", size * 0.1, value=0.0) as painter:
        painter.stroke([(0.0, 0.0)])
        values = columns(actor)
        assert (values != PLAIN).any()
        assert painter.undo()
        assert (columns(actor) == PLAIN).all()
    actor.cleanup()
