"""RenderPicture: in which frames it is drawn, counted; and who is told of it."""

from typing import Any

import pytest
from direct.task import Task

from panda_rtstamp.core.readback import ReadFuture
from panda_rtstamp.overlay.drawing import Drawing
from panda_rtstamp.overlay.picture import UPDATED, RenderPicture
from picture_support import FlatScene, picture_of, settle, shows
from support import frames_behind, screenshot, step

RED, GREEN = (255, 0, 0, 255), (0, 255, 0, 255)


# Manual.


@pytest.mark.profiles
@pytest.mark.threads
def test_manual(base: Any, flat: FlatScene) -> None:
    """Nothing without a queue; one draw for one queue, in the next frame; one for two."""
    with picture_of(base, flat, "manual") as picture:
        picture.card().reparent_to(base.render)
        assert flat.draws_in(base, 10) == 0
        assert not picture.update_queued
        picture.queue_update()
        assert picture.update_queued
        step(base)
        assert not picture.update_queued
        assert shows(picture, RED)
        assert flat.draws_in(base, 10) == 0
        flat.card.set_color(0, 1, 0, 1)
        assert flat.draws_in(base, 10) == 0
        assert shows(picture, RED)
        picture.queue_update()
        assert flat.draws_in(base, 1) == 1
        assert shows(picture, GREEN)
        first, second = picture.queue_update(), picture.queue_update()
        assert first is second
        assert flat.draws_in(base, 10) == 1
        base.render.find("rtstamp-picture").remove_node()


@pytest.mark.profiles
@pytest.mark.threads
def test_queued_in_frame_after_frame(base: Any, flat: FlatScene) -> None:
    """Before the last one is drawn, under Cull/Draw: none is lost or doubled."""
    futures: list[ReadFuture] = []

    def queue(number: int) -> None:
        if number % 3:
            futures.append(picture.queue_update())

    with picture_of(base, flat, "manual") as picture:
        assert flat.draws_in(base, 12, queue) == 8
        step(base)
        assert [future.result() for future in futures] == 8 * [True]
        assert len(set(map(id, futures))) == 8


@pytest.mark.profiles
@pytest.mark.threads
def test_a_read_before_the_draw_gives_the_old(base: Any, flat: FlatScene) -> None:
    with picture_of(base, flat, "manual") as picture:
        picture.queue_update()
        step(base)
        flat.card.set_color(0, 1, 0, 1)
        picture.queue_update()
        assert shows(picture, RED)
        assert picture.update_queued
        step(base)
        assert shows(picture, GREEN)


def test_frames_that_the_game_draws_itself(base: Any, flat: FlatScene) -> None:
    """Without the tasks: a queued picture waits for those, and is drawn once."""
    with picture_of(base, flat, "manual") as picture:
        step(base, 2)
        picture.queue_update()
        render = base.graphics_engine.render_frame
        render()
        assert picture.update_queued
        assert flat.draws_in(base, 2, lambda number: [render() for _ in range(2 * number)]) == 1
        assert flat.draws_in(base, 3) == 0


@pytest.mark.profiles
@pytest.mark.threads
def test_pictures_that_wait_cost_nothing(base: Any, flat: FlatScene, monkeypatch: pytest.MonkeyPatch) -> None:
    """Manual ones that nobody asks anything of are not even looked at."""
    pictures = [picture_of(base, flat, "manual") for _ in range(8)]
    step(base, 6)
    looked_at: list[Drawing] = []
    begin = Drawing.begin

    def counted(self: Drawing) -> bool:
        looked_at.append(self)
        return begin(self)

    monkeypatch.setattr(Drawing, "begin", counted)
    step(base, 5)
    assert not looked_at
    pictures[3].queue_update()
    pictures[5].queue_update()
    step(base, 8)
    assert len(set(looked_at)) == 2
    assert shows(pictures[3], RED)
    reading = pictures[3].image_async()
    step(base, 12)
    assert (reading.result() == RED).all()
    looked_at.clear()
    step(base, 5)
    assert not looked_at
    for picture in pictures:
        picture.destroy()


# Who is told.


@pytest.mark.profiles
@pytest.mark.threads
def test_updated(base: Any, flat: FlatScene) -> None:
    """Done when it was really drawn, not when it was handed over."""
    with picture_of(base, flat, "manual") as picture:
        future = picture.updated
        step(base, 5)
        assert not future.done()
        assert picture.queue_update() is future
        step(base)
        behind = frames_behind(base)
        assert future.done() == (behind == 0)
        assert not picture.update_queued
        step(base, behind)
        # The frame that drew it is over when the next one begins.
        step(base, bool(behind))
        assert future.result() is True
        assert picture.updated is future
        again = picture.queue_update()
        assert again is picture.updated
        assert not again.done()
        step(base, 1 + behind + bool(behind))
        assert again.done()


@pytest.mark.profiles
@pytest.mark.threads
def test_updated_of_a_picture_that_is_drawn_always(base: Any, flat: FlatScene) -> None:
    with picture_of(base, flat, "always") as picture:
        step(base, 3)
        future = picture.updated
        assert picture.updated is future
        assert not future.done()
        step(base, 2)
        settle(base)
        assert future.result() is True
        assert not picture.updated.done()
        last = picture.updated
    assert last.result() is False
    assert picture.updated.result() is False
    assert picture.queue_update().result() is False


@pytest.mark.profiles
@pytest.mark.threads
def test_a_coroutine_waits_for_it(base: Any, flat: FlatScene) -> None:
    found = []

    async def wait(picture: RenderPicture) -> None:
        found.append(await picture.queue_update())
        found.append(await picture.image_async())

    with picture_of(base, flat, "manual") as picture:
        base.task_mgr.add(wait(picture))
        step(base, 20)
        assert found[0] is True
        assert (found[1] == RED).all()


@pytest.mark.profiles
@pytest.mark.threads
def test_the_event(base: Any, flat: FlatScene) -> None:
    """In the frame after each draw, once; for nobody before anybody listens."""
    got: list[RenderPicture] = []
    base.accept(UPDATED, got.append)
    try:
        with picture_of(base, flat, "manual") as picture:
            step(base, 5)
            assert not got
            picture.queue_update()
            step(base, 2)
            settle(base)
            assert got == [picture]
            step(base, 5)
            assert len(got) == 1
        got.clear()
        with picture_of(base, flat, "always") as picture:
            settle(base)
            step(base, 10)
            assert got == 9 * [picture]
    finally:
        base.ignore(UPDATED)


@pytest.mark.profiles
@pytest.mark.threads
def test_a_screenshot_while_somebody_waits(base: Any, flat: FlatScene) -> None:
    """It waits for the drawing thread, and must not have the lock that this thread waits for."""
    base.accept(UPDATED, lambda picture: None)
    with picture_of(base, flat, "always") as picture:
        for _ in range(5):
            assert picture.updated is not None
            screenshot(base)
    base.ignore(UPDATED)


@pytest.mark.profiles
@pytest.mark.threads
def test_a_read_between_the_decision_and_the_draw(base: Any, flat: FlatScene) -> None:
    """By a task of the game's: the frame that was handed over is drawn all the same."""
    images = []

    def read(task: Task.Task) -> int:
        images.append(picture.image())
        return int(Task.done)

    with picture_of(base, flat, "manual") as picture:
        picture.queue_update()
        step(base)
        flat.card.set_color(0, 1, 0, 1)
        base.task_mgr.add(read, "read", sort=49, priority=-100)
        future = picture.queue_update()
        step(base, 2 + frames_behind(base))
        assert len(images) == 1
        assert future.result() is True
        assert shows(picture, GREEN)


# Always.


@pytest.mark.profiles
@pytest.mark.threads
def test_always(base: Any, flat: FlatScene) -> None:
    with picture_of(base, flat, "always") as picture:
        assert flat.draws_in(base, 5) == 5
        flat.card.set_color(0, 1, 0, 1)
        step(base)
        assert shows(picture, GREEN)
