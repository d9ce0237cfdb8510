"""A coat on a model that is being painted: strokes show, files keep them, and nothing is left behind."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from panda3d.core import NodePath

from fur_support import ONE, area, shells_of, white_sphere
from panda_rtstamp.fur.bam import write_bam
from panda_rtstamp.fur.coat import FurCoat
from panda_rtstamp.fur.config import FurConfig
from panda_rtstamp.fur.painter import FurPainter
from pictures import assert_same_scene, snapshot
from support import screenshot

pytestmark = pytest.mark.profiles
LOOK = FurConfig(parent=ONE, color=(1, 0, 0), layers=6)


def quiet_painter(base: Any, ball: NodePath) -> FurPainter:
    """A painter without a picture of its own."""
    painter = FurPainter(base, ball)
    painter.show_strands(False)
    painter.brush.radius = 0.5
    painter.brush.strength = 1.0
    # Combed strands of a solid coat look as others do.
    painter.brush.tool = "density"
    painter.brush.value = 0.0
    return painter


def test_strokes_show_and_are_undone(base: Any, scene: NodePath) -> None:
    ball = white_sphere(base, scene)
    untouched = snapshot(ball)
    with FurCoat(ball, LOOK) as coat:
        before = screenshot(base)
        with quiet_painter(base, ball) as painter:
            coat.refresh()
            plain = screenshot(base)
            # Upright strands, by another formula.
            assert np.abs(plain.astype(int) - before).max() <= 2
            painter.stroke([(0.0, 0.0)])
            # Bald in the middle, and nowhere else.
            bald = screenshot(base)
            assert bald[128, 128, :3].tolist() == [255, 255, 255]
            assert (bald[:60] == plain[:60]).all()
            painter.undo()
            assert (screenshot(base) == plain).all()
            painter.redo()
            assert (screenshot(base) == bald).all()
        coat.refresh()
        assert (screenshot(base) == before).all()
    assert_same_scene(untouched, snapshot(ball))


def test_a_cut_shortens_the_outline(base: Any, scene: NodePath) -> None:
    ball = white_sphere(base, scene)
    ball.set_color(1, 1, 1, 1)
    with FurCoat(ball, ONE) as coat, quiet_painter(base, ball) as painter:
        coat.refresh()
        long = area(screenshot(base))
        painter.brush.tool = "length"
        painter.brush.falloff = 0.0
        painter.brush.radius = 3.0
        for place in (-0.5, 0.0, 0.5):
            painter.stroke([(place, 0.0)])
        # The half that the camera sees: the outline is that of the other one.
        assert area(screenshot(base)) <= long
        base.cam.set_pos_hpr(base.render, (0, 10, 0), (180, 0, 0))
        painter.stroke([(0.0, 0.0)])
        assert area(screenshot(base)) == pytest.approx(np.pi, rel=0.01)


def test_a_coat_made_later_shows_it_too(base: Any, scene: NodePath) -> None:
    ball = white_sphere(base, scene)
    with quiet_painter(base, ball) as painter:
        painter.stroke([(-0.4, 0.0), (0.4, 0.0)])
        with FurCoat(ball, LOOK) as coat:
            thinned = screenshot(base)
            coat.refresh()
            assert (screenshot(base) == thinned).all()
            painter.undo()
            assert (screenshot(base) != thinned).any()


def test_a_bam_file_holds_the_fur_but_no_coat(base: Any, scene: NodePath, tmp_path: Path) -> None:
    ball = white_sphere(base, scene)
    file = tmp_path / "ball.bam"
    with FurCoat(ball, FurConfig(parent=LOOK, bands=(20.0,))) as coat, quiet_painter(base, ball) as painter:
        coat.refresh()
        painter.show_strands(True)
        painter.stroke([(-0.4, 0.0), (0.4, 0.0)])
        shown = snapshot(ball)
        painter.save_bam(file)
        # All that was drawn is drawn on.
        assert_same_scene(shown, snapshot(ball))
        painter.show_strands(False)
        thinned = screenshot(base)
    ball.detach_node()
    loaded = base.loader.load_model(file, noCache=True)
    loaded.reparent_to(scene)
    assert shells_of(loaded) == []
    with FurCoat(loaded, FurConfig(parent=LOOK, bands=(20.0,))):
        assert (screenshot(base) == thinned).all()


def test_a_file_that_cannot_be_written_leaves_the_coat(base: Any, scene: NodePath, tmp_path: Path) -> None:
    ball = white_sphere(base, scene)
    with FurCoat(ball, LOOK):
        before = screenshot(base)
        with pytest.raises(Exception, match="cannot be saved"):
            write_bam(ball, tmp_path / "no folder" / "ball.bam")
        assert (screenshot(base) == before).all()
