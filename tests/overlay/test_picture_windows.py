"""RenderPicture: windows that come and go or are not there, and pipelines over it, in other processes."""

from pathlib import Path
from typing import Any

import pytest

from support import TESTS, run_case

SIMPLEPBR = Path(TESTS, "overlay", "simplepbr_case.py")


def case(code: str, **options: Any) -> list[str]:
    """The lines that a process writes; it may use `base`, `flat` and `picture`."""
    head = """
from panda_rtstamp.overlay.picture import RenderPicture
from picture_support import FlatScene, image_of, settle
from support import make_base, step

base = make_base()
flat = FlatScene((1, 0, 0, 1))
"""
    return run_case(head + code, timeout=60, **options).splitlines()


@pytest.mark.profiles
@pytest.mark.threads
@pytest.mark.parametrize("update", ["manual", "visible", "always"])
def test_a_window_that_is_closed_and_opened_again(update: str) -> None:
    """The picture goes on, in the same texture; a manual one is drawn once more."""
    lines = case(
        f"""
picture = RenderPicture(base, flat.root, flat.camera, size=(20, 12), update={update!r})
card = picture.card()
card.reparent_to(base.render)
card.set_y(5)
picture.queue_update()
step(base, 4)
texture = picture.shown_by(card)
print(image_of(picture)[3, 3].tolist())
waiting = picture.queue_update()
reading = picture.image_async()
base.close_window(base.win)
base.win = None
print(picture.image(), picture.image_async().result(), picture.buffer)
step(base, 3)
print(waiting.done(), reading.result(), base.graphics_engine.get_num_windows())
base.open_default_window()
step(base, 4)
settle(base)
print(image_of(picture)[3, 3].tolist(), picture.update_queued, waiting.result())
print(picture.shown_by(card) == texture, texture.get_x_size(), texture.get_y_size())
picture.destroy()
step(base, 3)
print(base.graphics_engine.get_num_windows())
base.destroy()
""",
        allow=["gives no image: there is no window that can draw it"],
    )
    assert lines == [
        "[255, 0, 0, 255]",
        "None None None",
        "False None 0",
        "[255, 0, 0, 255] False True",
        "True 20 12",
        "1",
    ]


def test_no_window_at_all() -> None:
    """Nothing raises; the log says why there is no image."""
    head = """
from direct.showbase.ShowBase import ShowBase
from panda_rtstamp.overlay.picture import RenderPicture
from picture_support import FlatScene

base = ShowBase(windowType="none")
flat = FlatScene()
picture = RenderPicture(base, flat.root, flat.camera)
picture.card().reparent_to(base.render)
picture.queue_update()
for _ in range(3):
    base.task_mgr.step()
print(picture.image(), picture.update_queued, picture.buffer)
picture.destroy()
base.destroy()
"""
    allow = ["gives no image: there is no window that can draw it"]
    assert run_case(head, allow=allow, timeout=60).splitlines() == ["None True None"]


def test_a_display_without_shaders() -> None:
    """The software renderer: the picture stays empty, and one warning says why."""
    lines = run_case(
        """
from panda3d.core import load_prc_file_data
load_prc_file_data("", "load-display p3tinydisplay\\nwindow-type offscreen")
from direct.showbase.ShowBase import ShowBase
from panda_rtstamp.overlay.picture import RenderPicture
from picture_support import FlatScene

base = ShowBase()
flat = FlatScene()
picture = RenderPicture(base, flat.root, flat.camera, update="always")
for _ in range(3):
    base.task_mgr.step()
print(picture.image(), picture.buffer)
base.destroy()
""",
        allow=[
            "gives no image",
            "Render pictures need shaders in GLSL, which this display lacks",
            r":display:x11display\(error\): Could not open display",
        ],
        timeout=60,
    ).splitlines()
    assert lines == ["None None"]


@pytest.mark.profiles
@pytest.mark.parametrize("kind", ["own", "shared"])
def test_simplepbr(kind: str) -> None:
    """Its clear alpha is kept, by samples too."""
    assert run_case(SIMPLEPBR, args=[kind]).splitlines() == ["done"]
