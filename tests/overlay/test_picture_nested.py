"""RenderPicture: visible ones in overlays and in other pictures, of whichever age; and beside others."""

from typing import Any

import pytest
from panda3d.core import NodePath

from panda_rtstamp.overlay.canvas import Canvas
from panda_rtstamp.overlay.picture import RenderPicture
from panda_rtstamp.overlay.viewport import Overlay
from picture_support import FlatScene, flat_camera, middle
from pictures import flat_card
from support import NotifyLog, step

GREEN, BLUE = [0, 255, 0], [0, 0, 255]


# In overlays and in pictures.


@pytest.mark.profiles
@pytest.mark.threads
@pytest.mark.parametrize("first", ["overlay", "picture"])
def test_in_an_overlay(base: Any, flat: FlatScene, first: str) -> None:
    """That is shown and hidden: it is drawn in those frames, fresh, whichever of the two was made first."""
    around = NodePath("around")
    camera = around.attach_new_node(flat_camera())
    early = Overlay(base, around, camera) if first == "overlay" else None
    with RenderPicture(base, flat.root, flat.camera, size=16) as picture:
        overlay = early or Overlay(base, around, camera)
        picture.card(2.0).reparent_to(around)
        assert flat.draws_in(base, 3) == 3
        overlay.hide()
        assert flat.draws_in(base, 3) == 0
        flat.card.set_color(0, 1, 0, 1)
        overlay.show()
        assert flat.draws_in(base, 1) == 1
        overlay.hide()
        step(base, 3)
        flat.card.set_color(0, 0, 1, 1)
        step(base, 2)
        overlay.show()
        assert middle(base) == BLUE
        overlay.destroy()


@pytest.mark.profiles
@pytest.mark.threads
@pytest.mark.parametrize("first", ["inner", "outer"])
def test_a_picture_in_a_picture_that_is_shown_again(base: Any, stage: NodePath, first: str) -> None:
    """Fresh in the same frame, whichever was made first; but a sort that is given is kept."""
    inner, outer = FlatScene((1, 0, 0, 1)), FlatScene()
    outer.card.hide()
    names = (inner, outer) if first == "inner" else (outer, inner)
    made = {scene: RenderPicture(base, scene.root, scene.camera, size=16) for scene in names}
    made[inner].card(2.0).reparent_to(outer.root)
    card = made[outer].card(2.0)
    card.reparent_to(stage)
    step(base, 3)
    card.hide()
    step(base, 5)
    inner.card.set_color(0, 1, 0, 1)
    step(base, 5)
    card.show()
    assert middle(base) == GREEN
    for picture in made.values():
        picture.destroy()
    with RenderPicture(base, inner.root, inner.camera, size=16, sort=-1001) as picture:
        assert picture.buffer is not None
        picture.card().reparent_to(outer.root)
        with RenderPicture(base, outer.root, outer.camera, size=16, update="always", sort=-2001):
            step(base, 2)
            assert picture.buffer.get_sort() == -1001


@pytest.mark.profiles
@pytest.mark.threads
def test_pictures_that_show_each_other_keep_within_their_sorts(base: Any, stage: NodePath) -> None:
    """Though now the one and now the other is seen first."""
    scenes = FlatScene(), FlatScene()
    pictures = [RenderPicture(base, scene.root, scene.camera, size=16) for scene in scenes]
    cards = [picture.card() for picture in pictures]
    for picture, scene in zip(pictures, scenes[::-1], strict=True):
        picture.card().reparent_to(scene.root)
    for number in range(20):
        cards[number % 2].reparent_to(stage)
        cards[1 - number % 2].detach_node()
        assert scenes[0].draws_in(base, 1) == 1
    for picture in pictures:
        assert picture.buffer is not None
        assert -2001 <= picture.buffer.get_sort() <= -1001
        picture.destroy()


@pytest.mark.profiles
def test_a_picture_that_shows_itself_stays_where_it_is(base: Any, flat: FlatScene) -> None:
    with RenderPicture(base, flat.root, flat.camera, size=16) as picture:
        card = picture.card()
        card.reparent_to(flat.root)
        # What it shows of itself is undefined, and need not be drawn.
        card.set_x(1.4)
        for _ in range(3):
            picture.queue_update()
            step(base)
        assert picture.buffer is not None
        assert picture.buffer.get_sort() == -1001


# Beside others.


@pytest.mark.profiles
def test_reading_in_every_frame_hides_no_use(base: Any, flat: FlatScene, stage: NodePath) -> None:
    with RenderPicture(base, flat.root, flat.camera, size=16) as picture:
        node = flat_card(stage, 1)
        node.set_texture(picture.texture)
        step(base)
        picture.queue_update()
        step(base)
        assert flat.draws_in(base, 6, lambda number: picture.image()) >= 5
        assert flat.draws_in(base, 6, lambda number: picture.image_async()) >= 5
        # Nor one that begins meanwhile, where there is no account: then it counts as shown.
        node.hide()
        step(base, 3)
        assert flat.draws_in(base, 6, lambda number: picture.image_async()) >= 3
        assert flat.draws_in(base, 3) <= 1


def test_one_that_fails_stops_no_other(
    base: Any, flat: FlatScene, notify: NotifyLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    notify.allow("a render picture could not be drawn: ValueError")
    other = FlatScene()
    with RenderPicture(base, other.root, other.camera, size=8, update="always"):
        step(base, 2)
        collect = Canvas.collect

        def fail(self: Canvas) -> None:
            if self.buffer.get_x_size() == 8:
                raise ValueError("this one")
            collect(self)

        monkeypatch.setattr(Canvas, "collect", fail)
        with RenderPicture(base, flat.root, flat.camera, size=16, update="always"):
            assert flat.draws_in(base, 3) == 3
        monkeypatch.undo()
