"""What a painter sees, the mouse that paints, and that nothing of it is left in the scene."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from panda3d.core import CollideMask, NodePath, TransparencyAttrib

from painter_support import DISTANCE, FOV, PLAIN, columns, in_front, orthographic, painter_on, sheet
from panda_rtstamp.errors import StoreError
from panda_rtstamp.fur.painter import FurPainter
from pictures import assert_same_scene, changed, snapshot
from shapes import sphere
from support import frames_behind, screenshot, step

ORANGE, BLUE = (1.0, 0.45, 0.0), (0.1, 0.45, 1.0)
LEAN = 0.9


def color_at(picture: Any, base: Any, point: Any) -> Any:
    """What the picture shows of a world point, 0..1."""
    reach = np.tan(np.radians(FOV / 2)) * (DISTANCE + point[1])
    height, width = picture.shape[:2]
    column = int((point[0] / reach + 1) / 2 * width)
    row = int((1 - point[2] / reach) / 2 * height)
    return picture[row - 1 : row + 2, column - 1 : column + 2, :3].reshape(-1, 3) / 255


@pytest.mark.profiles
@pytest.mark.threads
@pytest.mark.parametrize(("density", "tip"), [(1.0, ORANGE), (0.0, BLUE)])
def test_a_strand_shows_direction_length_and_density(
    base: Any, scene: NodePath, density: float, tip: tuple[float, float, float]
) -> None:
    model = sheet(cells=4)
    model.reparent_to(scene)
    model.set_color(0.5, 0.5, 0.5, 1)
    in_front(base)
    with FurPainter(base, model) as painter:
        brush = painter.brush
        brush.radius, brush.falloff, brush.strength, brush.lean = 9.0, 0.0, 1.0, LEAN
        painter.stroke([(-0.9, 0.0), (0.9, 0.0)])
        for tool, value in (("density", density), ("length", 0.5)):
            brush.tool, brush.value = tool, value
            painter.stroke([(0.0, 0.0)])
        values = columns(model)
        picture = screenshot(base)
    length = np.sqrt(8.0) * 0.05 * 0.5
    direction = np.array([LEAN, -np.sqrt(1 - LEAN**2), 0.0])
    assert (np.hypot(values[:, 0], values[:, 1]) > 0.89).all()
    for x in (-0.5, 0.0, 0.5):
        root = np.array([x, 0.0, 0.5])
        for share in (0.3, 0.8):
            expected = np.array(tip) * (0.25 + 0.75 * share)
            found = color_at(picture, base, root + direction * length * share)
            assert np.abs(found - expected).max(axis=1).min() < 0.12
        beyond = color_at(picture, base, root + direction * length * 1.4)
        assert np.abs(beyond - 0.5).max() < 0.01


@pytest.mark.profiles
@pytest.mark.parametrize("style", ["plain", "transparent", "moved"])
def test_nothing_is_left(base: Any, scene: NodePath, style: str) -> None:
    model = NodePath("model")
    for number in range(2):
        part = sphere(uvs=True)
        part.set_x(number - 0.5)
        part.reparent_to(model)
    model.reparent_to(scene)
    if style == "transparent":
        model.set_transparency(TransparencyAttrib.M_alpha)
        model.set_color_scale(1, 1, 1, 0.5)
    if style == "moved":
        model.set_scale(0.5, -1, 2)
        model.set_hpr(10, 20, 30)
    in_front(base)
    picture, before = screenshot(base), snapshot(scene)
    for close in (True, False):
        painter = FurPainter(base, model)
        assert changed(screenshot(base), picture).any()
        painter.stroke([(-0.3, 0.0), (0.3, 0.1)])
        painter.point_at(0.0, 0.0)
        painter.show_strands(False)
        painter.point_at(2.0, 2.0)
        np.testing.assert_array_equal(screenshot(base), picture)
        painter.show_strands(close)
        painter.destroy()
        painter.destroy()
        assert_same_scene(snapshot(scene), before)
        np.testing.assert_array_equal(screenshot(base), picture)


def test_strands_are_no_things_of_the_game(base: Any, scene: NodePath) -> None:
    model = sheet()
    model.reparent_to(scene)
    with FurPainter(base, model):
        strands = model.find("**/rtstamp-strands")
        assert strands.has_tag("rtstamp-overlay")
        assert strands.node().get_into_collide_mask() == CollideMask.all_off()


@pytest.mark.profiles
def test_the_ring_is_where_the_brush_is(base: Any, scene: NodePath) -> None:
    model = sheet()
    model.reparent_to(scene)
    orthographic(base, 4.0)
    picture = screenshot(base)
    with painter_on(base, model, "comb", 0.5) as painter:
        assert painter.point_at(0.1, -0.2)
        shown = changed(screenshot(base), picture)
        rows, pixels = np.nonzero(shown)
        x, z = (pixels + 0.5) / 256 * 4 - 2, 2 - (rows + 0.5) / 256 * 4
        np.testing.assert_allclose(np.hypot(x - 0.2, z + 0.4), 0.5, atol=0.03)
        assert shown.sum() > 60
        assert not painter.point_at(0.9, 0.9)
        assert not changed(screenshot(base), picture).any()


def test_a_model_that_is_removed_meanwhile_raises_nothing(base: Any, scene: NodePath, tmp_path: Path) -> None:
    model = sheet()
    model.reparent_to(scene)
    in_front(base)
    with FurPainter(base, model) as painter:
        painter.stroke([(0.0, 0.0), (0.2, 0.0)])
        model.remove_node()
        painter.stroke([(0.0, 0.0), (0.2, 0.0)])
        painter.point_at(0.0, 0.0)
        painter.undo()
        painter.show_strands(False)
        painter.show_strands(True)
        with pytest.raises(StoreError, match="removed"):
            painter.save_bam(tmp_path / "a.bam")
        step(base, 2)


def test_a_part_that_is_removed_hides_nothing(base: Any, scene: NodePath) -> None:
    model = scene.attach_new_node("model")
    back, front = sheet(y=0.5), sheet(y=0.0)
    for part in (back, front):
        part.reparent_to(model)
    in_front(base)
    with painter_on(base, model, "length", 0.5, value=0.0) as painter:
        painter.stroke([(0.0, 0.0)])
        assert (columns(back) == PLAIN).all()
        front.remove_node()
        painter.stroke([(0.0, 0.0)])
        assert (columns(back) != PLAIN).any()
        painter.undo()
        painter.undo()
        assert (columns(back) == PLAIN).all()


def test_a_model_that_is_out_of_the_scene_is_not_painted(base: Any, scene: NodePath) -> None:
    model = sheet()
    model.reparent_to(scene)
    in_front(base)
    with painter_on(base, model, "length", 0.5, value=0.0) as painter:
        model.detach_node()
        painter.stroke([(0.0, 0.0)])
        assert (columns(model) == PLAIN).all()
        model.reparent_to(scene)
        painter.stroke([(0.0, 0.0)])
        assert (columns(model) != PLAIN).any()


def test_without_a_camera_nothing_is_painted(base: Any, scene: NodePath, monkeypatch: Any) -> None:
    model = sheet()
    model.reparent_to(scene)
    in_front(base)
    with FurPainter(base, model) as painter:
        painter.brush.tool, painter.brush.value = "length", 0.0
        monkeypatch.setattr(base, "cam", None)
        painter.stroke([(0.0, 0.0), (0.1, 0.0)])
        assert not painter.point_at(0.0, 0.0)
        assert (columns(model) == PLAIN).all()


class Watcher:
    """A mouse that a test moves; None where it is outside of the window."""

    def __init__(self) -> None:
        self.place: tuple[float, float] | None = None

    def has_mouse(self) -> bool:
        """Whether it is in the window."""
        return self.place is not None

    def get_mouse_x(self) -> float:
        """-1..1."""
        assert self.place is not None
        return self.place[0]

    def get_mouse_y(self) -> float:
        """-1..1."""
        assert self.place is not None
        return self.place[1]


def test_a_scripted_mouse_paints_what_a_stroke_does(base: Any, scene: NodePath, monkeypatch: Any) -> None:
    way = [(-0.3, 0.0), (-0.1, 0.1), (0.0, 0.1), (0.3, 0.0)]
    model = sheet()
    model.reparent_to(scene)
    in_front(base)
    with painter_on(base, model, "comb", 0.4) as painter:
        painter.stroke(way)
        expected = columns(model)
        painter.undo()
        mouse = Watcher()
        monkeypatch.setattr(base, "mouseWatcherNode", mouse)
        painter.follow_mouse()
        base.messenger.send("mouse1")
        step(base)
        base.messenger.send("mouse1-up")
        assert painter.undoable == 0
        for mouse.place in ((0.2, 0.2), (0.1, 0.0)):
            step(base)
        assert (columns(model) == PLAIN).all()
        assert not scene.get_top().find("**/rtstamp-brush-ring").is_hidden()
        mouse.place = way[0]
        base.messenger.send("mouse1")
        for mouse.place in way:
            step(base)
        mouse.place = None
        step(base)
        base.messenger.send("mouse1-up")
        np.testing.assert_array_equal(columns(model), expected)
        assert painter.undoable == 1
        painter.follow_mouse(False)
        mouse.place = (0.0, 0.0)
        base.messenger.send("mouse1")
        step(base)
        assert painter.undoable == 1
        np.testing.assert_array_equal(columns(model), expected)
        painter.follow_mouse(button="mouse2")
        base.messenger.send("mouse2")
        mouse.place = (0.1, 0.3)
        step(base)
    # Its end is the end of the stroke, of the task and of the events.
    base.messenger.send("mouse2-up")
    step(base, 1 + frames_behind(base))


@pytest.mark.threads
def test_painting_while_frames_are_drawn(base: Any, scene: NodePath) -> None:
    model = sphere(uvs=True)
    model.reparent_to(scene)
    in_front(base)
    picture = screenshot(base)
    with FurPainter(base, model) as painter:
        shown = [screenshot(base)]
        for number in range(30):
            painter.brush.tool = ("comb", "length", "smooth")[number % 3]
            painter.brush.value = 0.2
            painter.press(-0.3, 0.02 * number - 0.3)
            for part in range(4):
                painter.drag(-0.3 + 0.2 * part, 0.02 * number - 0.3)
                step(base)
            painter.lift()
        shown.append(screenshot(base))
        assert changed(shown[1], shown[0]).any()
        while painter.undo():
            step(base)
        np.testing.assert_array_equal(screenshot(base), shown[0])
    np.testing.assert_array_equal(screenshot(base), picture)
