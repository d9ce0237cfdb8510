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
def test_a_filter_over_a_picture() -> None:
    """By the picture's camera: it comes, goes, and is there yet when the picture goes."""
    lines = case(
        """
from direct.filter.FilterManager import FilterManager
from panda3d.core import Texture

picture = RenderPicture(base, flat.root, flat.camera, size=16, update="always", samples=4)
step(base, 2)
windows = base.graphics_engine.get_num_windows()
for number in range(2):
    manager = FilterManager(picture.buffer, picture.camera)
    quad = manager.render_scene_into(colortex=Texture("scene"))
    step(base, 4)
    print(image_of(picture)[8, 8].tolist(), base.graphics_engine.get_num_windows() - windows)
    if number == 0:
        manager.cleanup()
        step(base, 2)
        print(image_of(picture)[8, 8].tolist(), base.graphics_engine.get_num_windows() - windows)
picture.destroy()
step(base, 2)
manager.cleanup()
step(base, 2)
print(flat.camera.node().get_num_display_regions(), len(flat.camera.get_stashed_children()))
base.destroy()
"""
    )
    assert lines == ["[255, 0, 0, 255] 1", "[255, 0, 0, 255] 0", "[255, 0, 0, 255] 1", "0 0"]


@pytest.mark.profiles
@pytest.mark.parametrize("kind", ["own", "shared"])
def test_simplepbr(kind: str) -> None:
    """Its clear alpha is kept, by samples too."""
    assert run_case(SIMPLEPBR, args=[kind]).splitlines() == ["done"]


@pytest.mark.threads
@pytest.mark.parametrize("read", ["image", "image_async"])
def test_reading_while_the_game_draws_by_python(read: str) -> None:
    """A node's draw callback waits for Python's lock: who reads must not wait for the drawing thread then."""
    lines = case(
        f"""
from panda3d.core import CallbackNode, OmniBoundingVolume, PythonCallbackObject
import faulthandler
import time

def draw(data):
    time.sleep(0.002)
    data.upcall()

faulthandler.dump_traceback_later(40, exit=True)
node = CallbackNode("gui")
node.set_draw_callback(PythonCallbackObject(draw))
node.set_bounds(OmniBoundingVolume())
node.set_final(True)
base.render.attach_new_node(node)
picture = RenderPicture(base, flat.root, flat.camera, size=16, update="always")
step(base, 5)
read = picture.{read}
results = []
for _ in range(20):
    results.append(read())
    step(base)
step(base, 12)
last = results[0].result() if {read!r} == "image_async" else results[-1]
print(last[8, 8].tolist())
base.render.find("gui").remove_node()
step(base, 4)
picture.destroy()
base.destroy()
"""
    )
    assert lines == ["[255, 0, 0, 255]"]
