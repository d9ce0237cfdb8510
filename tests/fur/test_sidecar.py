"""Sidecar files: what was painted, laid on other exports of the model, merged with what others painted."""

from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from panda3d.core import Filename, NodePath

import panda_rtstamp.fur.painter as module
from painter_support import PLAIN, column_bytes, columns, geoms, in_front, painter_on, sheet, world_points
from panda_rtstamp.errors import ConfigError, StoreError
from panda_rtstamp.fur.nearest import nearest
from panda_rtstamp.fur.painter import FurPainter
from panda_rtstamp.fur.sidecar import merge_sidecars, read_file
from pictures import geom_paths
from shapes import Floats, box_columns, cylinder, grid_faces, make_geom, make_node, quads, sphere


class Clock:
    """What the painter takes for the time; tests set it."""

    now = 1000.0

    def time(self) -> float:
        """In seconds."""
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The painter's clock."""
    result = Clock()
    monkeypatch.setattr(module, "time", result)
    return result


@pytest.fixture(autouse=True)
def _numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Strokes' numbers are not random."""
    numbers = count(1)
    monkeypatch.setattr("secrets.randbits", lambda _: next(numbers))


def paint(
    base: Any, scene: NodePath, file: Path, author: str = "", start: Path | None = None, **brush: Any
) -> Floats:
    """Paint on a sheet of its own what a file holds, and a stroke; save it; the column."""
    model = sheet()
    model.reparent_to(scene)
    in_front(base)
    places = brush.pop("places")
    with FurPainter(base, model, author=author) as painter:
        if start is not None:
            painter.load(start)
        painter.brush.tool, painter.brush.strength, painter.brush.falloff = "length", 1.0, 0.0
        for name, value in brush.items():
            setattr(painter.brush, name, value)
        painter.stroke(places)
        painter.save(file)
        result = columns(model)
    model.remove_node()
    return result


def loaded(base: Any, scene: NodePath, file: Path) -> Floats:
    """The column of a sheet that a file is laid on."""
    model = sheet()
    model.reparent_to(scene)
    with FurPainter(base, model) as painter:
        painter.load(file)
        result = columns(model)
    model.remove_node()
    return result


# One file.


def test_a_sidecar_brings_it_all_back(base: Any, scene: NodePath, tmp_path: Path) -> None:
    model = sphere(uvs=True)
    model.reparent_to(scene)
    in_front(base)
    with painter_on(base, model, "comb", 0.5) as painter:
        painter.stroke([(-0.3, 0.0), (0.2, 0.2)])
        painter.brush.tool, painter.brush.value = "density", 0.3
        painter.stroke([(0.0, 0.1)])
        painter.save(tmp_path / "a.fur")
        painted = columns(model)
    assert not geoms(model).get_geom(0).get_vertex_data().has_column("rtstamp_fur")
    # Small: some tens of bytes for each point that was painted.
    assert (tmp_path / "a.fur").stat().st_size < 48 * (painted != PLAIN).any(axis=1).sum() + 500
    with FurPainter(base, model) as painter:
        found = painter.load(tmp_path / "a.fur")
        np.testing.assert_allclose(columns(model), painted, atol=1e-6)
        assert (found.lost, found.conflicts) == (0, ())
        assert found.points > 50
        again = column_bytes(model)
        assert painter.undo()
        assert (columns(model) == PLAIN).all()
        assert painter.redo()
        assert column_bytes(model) == again


def test_it_lies_on_another_export(base: Any, scene: NodePath, tmp_path: Path) -> None:
    """Rows in another order, more of them at seams, coordinates rounded, and some triangles gone."""
    model = cylinder(uvs=True)
    model.reparent_to(scene)
    in_front(base)
    with painter_on(base, model, "comb", 0.5) as painter:
        painter.stroke([(-0.3, 0.0), (0.3, 0.2)])
        painter.save(tmp_path / "a.fur")
        painted, points = columns(model), world_points(model)
        tangents, binormals = (columns(model, name)[:, :3] for name in ("tangent", "binormal"))
        leans = painted[:, :1] * tangents + painted[:, 1:2] * binormals
    random = np.random.default_rng(5)
    faces = random.permutation(grid_faces(64, 8))[:-20]
    rows = random.permutation(faces.size)
    data = {name: columns(model, name)[faces.reshape(-1)[rows], :3] for name in ("vertex", "normal")}
    data["vertex"] = data["vertex"] + random.normal(scale=1e-5, size=data["vertex"].shape)
    other = make_node("cylinder", make_geom(data, np.argsort(rows).reshape(-1, 3)))
    other.reparent_to(scene)
    with FurPainter(base, other) as painter:
        found = painter.load(tmp_path / "a.fur")
        assert found.lost < 20
        mine, theirs = world_points(other), points
        near = np.linalg.norm(mine[:, None] - theirs[None], axis=-1).argmin(axis=1)
        tangents, binormals = (columns(other, name)[:, :3] for name in ("tangent", "binormal"))
        values = columns(other)
        np.testing.assert_allclose(
            values[:, :1] * tangents + values[:, 1:2] * binormals, leans[near], atol=1e-4
        )
        assert (np.abs(leans[near]).max(axis=1) > 0.1).sum() > 100


def test_hard_edges_are_told_apart(base: Any, scene: NodePath, tmp_path: Path) -> None:
    model = make_node("box", make_geom(box_columns((1, 1, 1)), quads(6)))
    model.reparent_to(scene)
    in_front(base)
    with painter_on(base, model, "length", 3.0, value=0.0, strength=1.0, falloff=0.0) as painter:
        painter.stroke([(0.0, 0.0)])
        painter.save(tmp_path / "a.fur")
        painted = columns(model)
        assert (painted != PLAIN).any(axis=1).sum() == 4
    with FurPainter(base, model) as painter:
        assert painter.load(tmp_path / "a.fur").points == 4
        np.testing.assert_array_equal(columns(model), painted)


def test_parts_that_moved_keep_their_place_in_the_model(base: Any, scene: NodePath, tmp_path: Path) -> None:
    """Where the model stands is no matter; how its parts stand to each other is."""
    model = NodePath("model")
    part = sheet()
    part.reparent_to(model)
    part.set_pos(0, 0.5, 0.25)
    model.reparent_to(scene)
    in_front(base)
    with painter_on(base, model, "length", 0.5, value=0.0) as painter:
        painter.stroke([(0.0, 0.0)])
        painter.save(tmp_path / "a.fur")
        painted = columns(model)
    model.set_pos_hpr_scale(10, 20, 30, 40, 50, 60, 2, 2, 2)
    with FurPainter(base, model) as painter:
        assert painter.load(tmp_path / "a.fur").lost == 0
        np.testing.assert_allclose(columns(model), painted, atol=1e-6)


def test_a_file_of_another_model_changes_nothing(base: Any, scene: NodePath, tmp_path: Path) -> None:
    paint(base, scene, tmp_path / "a.fur", places=[(0.0, 0.0)], value=0.0, radius=0.3)
    other = sphere(uvs=False)
    other.set_pos(0, 0, 30)
    other.flatten_light()
    other.reparent_to(scene)
    with FurPainter(base, other) as painter:
        with pytest.raises(StoreError, match="another model"):
            painter.load(tmp_path / "a.fur")
        assert (columns(other) == PLAIN).all()
        assert painter.undoable == 0


def test_nothing_painted_is_a_file_too(base: Any, scene: NodePath, tmp_path: Path) -> None:
    model = sheet()
    model.reparent_to(scene)
    with FurPainter(base, model) as painter:
        painter.save(tmp_path / "a.fur")
        assert painter.load(tmp_path / "a.fur").points == 0


def test_damaged_files_are_told_and_change_nothing(base: Any, scene: NodePath, tmp_path: Path) -> None:
    good, bad = tmp_path / "a.fur", tmp_path / "b.fur"
    paint(base, scene, good, places=[(0.0, 0.0)], value=0.0, radius=0.2)
    data = good.read_bytes()
    model = sheet()
    model.reparent_to(scene)
    in_front(base)
    with painter_on(base, model, "length", 0.3, value=0.5) as painter:
        painter.stroke([(0.2, 0.2)])
        before = column_bytes(model)
        cases = {"empty": b"", "text": b"hello", "longer": data + b"x"}
        cases |= {f"cut {size}": data[:size] for size in range(1, len(data), 7)}
        for place in range(0, len(data), 5):
            cases[f"flipped {place}"] = data[:place] + bytes([data[place] ^ 0x10]) + data[place + 1 :]
        for name, content in cases.items():
            bad.write_bytes(content)
            with pytest.raises(StoreError, match=r"painted fur .*b\.fur"):
                painter.load(bad)
            with pytest.raises(StoreError):
                merge_sidecars(good, bad, tmp_path / "c.fur")
            assert column_bytes(model) == before, name
        with pytest.raises(StoreError, match="cannot be loaded"):
            painter.load(tmp_path / "none.fur")
        with pytest.raises(StoreError, match="cannot be saved"):
            painter.save(tmp_path / "no folder" / "a.fur")
        for path in (None, "", 3):
            with pytest.raises(ConfigError):
                painter.load(path)
        with pytest.raises(ConfigError, match="tolerance"):
            painter.load(good, tolerance=0)
        assert column_bytes(model) == before
        assert painter.undoable == 1
    assert not (tmp_path / "c.fur").exists()


def test_files_that_lie_are_refused(tmp_path: Path, base: Any, scene: NodePath) -> None:
    """Their checksum is right, and what they say is not."""
    from panda_rtstamp.core.packing import Writer
    from panda_rtstamp.fur.sidecar import _KIND

    def body(marks: int, points: Any, touched: Any) -> bytes:
        writer = Writer()
        writer.put("I", marks)
        for number in range(marks):
            writer.put("Qd", number, 0.0)
            writer.put_text("")
        writer.put("I", len(points))
        writer.put_array(np.asarray(points, np.float32).T.copy())
        writer.put_array(np.asarray(touched, np.int32))
        return writer.data

    fine = np.ones((2, 11))
    for bad in (
        body(1, fine, [0, 1]),
        body(1, fine, [0, -1]),
        body(1, fine, [0]),
        body(0, fine, [0, 0]),
        body(1, np.ones((2, 10)), [0, 0]),
        body(1, fine * np.nan, [0, 0]),
        body(1, fine, [0, 0]) + b"\0",
    ):
        _KIND.write(tmp_path / "a.fur", bad)
        with pytest.raises(StoreError):
            read_file(tmp_path / "a.fur")


def test_the_bam_has_the_fur_and_nothing_else(base: Any, scene: NodePath, tmp_path: Path) -> None:
    model = sheet()
    model.reparent_to(scene)
    in_front(base)
    with FurPainter(base, model) as painter:
        painter.brush.tool, painter.brush.value = "length", 0.0
        painter.stroke([(0.1, 0.1)])
        painted = columns(model)
        painter.save_bam(tmp_path / "a.bam")
        assert model.find("**/rtstamp-strands")
        with pytest.raises(ConfigError, match=r"\.bam"):
            painter.save_bam(tmp_path / "a.egg")
        with pytest.raises(StoreError):
            painter.save_bam(tmp_path / "no folder" / "a.bam")
    again = base.loader.load_model(Filename.from_os_specific(str(tmp_path / "a.bam")), noCache=True)
    np.testing.assert_array_equal(columns(again), painted)
    assert [path.get_name() for path in geom_paths(again)] == ["sheet"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.bam"]
    again.reparent_to(scene)
    with FurPainter(base, again):
        np.testing.assert_array_equal(columns(again), painted)


# Two people.


def merged(tmp_path: Path, ours: str = "a", theirs: str = "b", out: str = "c") -> Any:
    """Merge two files; the conflicts."""
    one, other, result = (tmp_path / f"{name}.fur" for name in (ours, theirs, out))
    return merge_sidecars(one, other, result)


def test_what_each_painted_alone_is_joined(base: Any, scene: NodePath, tmp_path: Path, clock: Clock) -> None:
    left = paint(base, scene, tmp_path / "a.fur", "Ann", places=[(-0.4, 0)], value=0.2, radius=0.3)
    right = paint(base, scene, tmp_path / "b.fur", "Bob", places=[(0.4, 0)], value=0.6, radius=0.3)
    assert merged(tmp_path) == []
    expected = np.where((left != PLAIN).any(axis=1)[:, None], left, right)
    np.testing.assert_allclose(loaded(base, scene, tmp_path / "c.fur"), expected, atol=1e-6)


@pytest.mark.parametrize("latest", ["Ann", "Bob"])
def test_where_both_painted_the_latest_wins(
    base: Any, scene: NodePath, tmp_path: Path, clock: Clock, latest: str
) -> None:
    painted = {}
    for file, author, value, x in (("a", "Ann", 0.2, -0.1), ("b", "Bob", 0.6, 0.1)):
        clock.now = 2000.0 if author == latest else 1000.0
        painted[author] = paint(
            base, scene, tmp_path / f"{file}.fur", author, places=[(x, 0)], value=value, radius=0.3
        )
    conflicts = merged(tmp_path)
    changed = {name: (values != PLAIN).any(axis=1) for name, values in painted.items()}
    both = changed["Ann"] & changed["Bob"]
    other = "Bob" if latest == "Ann" else "Ann"
    expected = np.where(changed[latest][:, None], painted[latest], painted[other])
    np.testing.assert_allclose(loaded(base, scene, tmp_path / "c.fur"), expected, atol=1e-6)
    (conflict,) = conflicts
    assert (conflict.ours.author, conflict.theirs.author) == ("Ann", "Bob")
    assert conflict.taken == ("ours" if latest == "Ann" else "theirs")
    assert conflict.points == both.sum() > 10
    model = sheet()
    np.testing.assert_allclose(conflict.center, world_points(model)[both].mean(axis=0), atol=1e-5)
    # Whose file is which makes no difference.
    (mirrored,) = merged(tmp_path, "b", "a", "d")
    assert mirrored.taken == ("theirs" if latest == "Ann" else "ours")
    np.testing.assert_allclose(
        loaded(base, scene, tmp_path / "d.fur"), loaded(base, scene, tmp_path / "c.fur"), atol=1e-6
    )


def test_each_region_is_settled_by_its_own_strokes(
    base: Any, scene: NodePath, tmp_path: Path, clock: Clock
) -> None:
    """Two regions that overlap, and in each another one came last."""
    for file, author, times in (("a", "Ann", (1000.0, 2000.0)), ("b", "Bob", (1500.0, 1600.0))):
        model = sheet()
        model.reparent_to(scene)
        in_front(base)
        value = 0.2 if author == "Ann" else 0.6
        with FurPainter(base, model, author=author) as painter:
            painter.brush.tool, painter.brush.strength, painter.brush.falloff = "length", 1.0, 0.0
            painter.brush.value, painter.brush.radius = value, 0.3
            for now, x in zip(times, (-0.5, 0.5), strict=True):
                clock.now = now
                painter.stroke([(x, 0.0)])
            painter.save(tmp_path / f"{file}.fur")
        model.remove_node()
    conflicts = merged(tmp_path)
    assert [conflict.taken for conflict in sorted(conflicts, key=lambda one: one.center[0])] == [
        "theirs",
        "ours",
    ]
    values, points = loaded(base, scene, tmp_path / "c.fur"), world_points(sheet())
    painted = values[:, 2] != 1.0
    np.testing.assert_allclose(values[painted, 2], np.where(points[painted, 0] < 0, 0.6, 0.2), atol=1e-6)


def test_what_was_painted_over_knowingly_is_no_conflict(
    base: Any, scene: NodePath, tmp_path: Path, clock: Clock
) -> None:
    paint(base, scene, tmp_path / "a.fur", "Ann", places=[(0, 0)], value=0.2, radius=0.3)
    # His clock is behind.
    clock.now = 500.0
    over = paint(
        base, scene, tmp_path / "b.fur", "Bob", tmp_path / "a.fur", places=[(0.1, 0)], value=0.6, radius=0.3
    )
    for ours, theirs in (("a", "b"), ("b", "a")):
        assert merged(tmp_path, ours, theirs) == []
        np.testing.assert_allclose(loaded(base, scene, tmp_path / "c.fur"), over, atol=1e-6)


def test_the_same_file_twice_is_itself(base: Any, scene: NodePath, tmp_path: Path) -> None:
    painted = paint(base, scene, tmp_path / "a.fur", places=[(0, 0), (0.2, 0)], value=0.2, radius=0.3)
    assert merged(tmp_path, "a", "a", "a") == []
    np.testing.assert_allclose(loaded(base, scene, tmp_path / "a.fur"), painted, atol=1e-6)
    assert len(read_file(tmp_path / "a.fur").marks) == 1


def test_the_same_fur_is_no_conflict(base: Any, scene: NodePath, tmp_path: Path) -> None:
    for name in "ab":
        paint(base, scene, tmp_path / f"{name}.fur", places=[(0, 0)], value=0.2, radius=0.3)
    assert merged(tmp_path) == []


def test_a_painter_merges_what_it_loads(base: Any, scene: NodePath, tmp_path: Path, clock: Clock) -> None:
    """As the files would be; and what is saved then knows of both."""
    clock.now = 2000.0
    paint(base, scene, tmp_path / "b.fur", "Bob", places=[(0.1, 0)], value=0.6, radius=0.3)
    clock.now = 1000.0
    paint(base, scene, tmp_path / "a.fur", "Ann", places=[(-0.1, 0)], value=0.2, radius=0.3)
    (conflict,) = merged(tmp_path)
    model = sheet()
    model.reparent_to(scene)
    with FurPainter(base, model) as painter:
        painter.load(tmp_path / "a.fur")
        before = column_bytes(model)
        found = painter.load(tmp_path / "b.fur")
        assert found.conflicts == (conflict,)
        painter.save(tmp_path / "d.fur")
        here = columns(model)
        assert painter.undo()
        assert column_bytes(model) == before
    np.testing.assert_allclose(loaded(base, scene, tmp_path / "c.fur"), here, atol=1e-6)
    assert merged(tmp_path, "c", "d", "e") == []
    assert {mark.author for mark in read_file(tmp_path / "d.fur").marks} == {"Ann", "Bob"}


def test_a_conflict_is_settled_once(base: Any, scene: NodePath, tmp_path: Path, clock: Clock) -> None:
    """Whoever has seen it knows of it, and paints over it knowingly, also where all stays as it is."""
    clock.now = 1000.0
    paint(base, scene, tmp_path / "b.fur", "Bob", places=[(0.1, 0)], value=0.6, radius=0.3)
    clock.now = 2000.0
    paint(base, scene, tmp_path / "a.fur", "Ann", places=[(0.1, 0)], value=0.2, radius=0.4)
    model = sheet()
    model.reparent_to(scene)
    with FurPainter(base, model) as painter:
        painter.load(tmp_path / "a.fur")
        found = painter.load(tmp_path / "b.fur")
        assert (found.points, len(found.conflicts)) == (0, 1)
        assert painter.load(tmp_path / "b.fur").conflicts == ()
        painter.save(tmp_path / "c.fur")
    assert merged(tmp_path, "b", "c", "d") == []


def test_colours_that_both_took_over_are_no_conflict(
    base: Any, scene: NodePath, tmp_path: Path, clock: Clock
) -> None:
    data = {"vertex": world_points(sheet()), "normal": np.tile([0.0, -1.0, 0.0], (289, 1))}
    data["color"] = np.tile([0.75, 128 / 255, 0.5, 1.0], (289, 1))
    for name, x in (("a", -0.4), ("b", 0.4)):
        model = make_node("sheet", make_geom(data, grid_faces(16, 16)))
        model.reparent_to(scene)
        in_front(base)
        with FurPainter(base, model, from_colors=True) as painter:
            painter.brush.tool, painter.brush.value, painter.brush.radius = "length", 0.0, 0.3
            painter.stroke([(x, 0.0)])
            painter.save(tmp_path / f"{name}.fur")
        model.remove_node()
    assert merged(tmp_path) == []
    values, points = loaded(base, scene, tmp_path / "c.fur"), world_points(sheet())
    assert (values[:, 2] < 0.49).any()
    assert {-1.0, 1.0} == set(np.sign(points[values[:, 2] < 0.49, 0]))
    np.testing.assert_allclose(values[np.abs(points[:, 0]) < 0.1, 2], 0.5, atol=1e-6)


# The nearest point.


def test_the_nearest_is_what_brute_force_finds() -> None:
    random = np.random.default_rng(3)
    of, among = random.uniform(size=(300, 3)), random.uniform(size=(500, 3))
    up = np.tile([0.0, 0.0, 1.0], (500, 1))
    apart = np.linalg.norm(of[:, None] - among[None], axis=-1)
    for within in (0.01, 0.1, 3.0):
        found = nearest(of, up[:300], among, up, within)
        near = apart.min(axis=1) <= within
        np.testing.assert_array_equal(found >= 0, near)
        np.testing.assert_array_equal(found[near], apart.argmin(axis=1)[near])
    assert (nearest(of, up[:300], among, -up, 1.0) == -1).all()
    assert nearest(of[:0], up[:0], among, up, 1.0).shape == (0,)
    assert (nearest(of, up[:300], among[:0], up[:0], 1.0) == -1).all()
