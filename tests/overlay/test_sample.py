"""The sample of overlays and pictures: what is drawn when, what its keys do, and that its mirror is one."""

from pathlib import Path

import numpy as np
import pytest
from panda3d.core import BitMask32, Camera, LVecBase3f, NodePath, PerspectiveLens, Point2, Point3

from samples.overlay.mirror import Mirror
from support import ROOT, run_case

# argv: checkout, kind of window.
_BEGIN = """
import sys
sys.path.insert(0, sys.argv[1])
from samples.common import run, studio
from samples.overlay import main, views as sizes

# What is drawn in pictures is not looked at here.
sizes.TEXELS, studio.SHADOW_PIXELS = 16, 16
run.configure("test", 160, 90)
base = run.open_base([sys.argv[2]])
run.step_the_clock()
game = main.Gallery(base)
views, room = game.views, game.room
base.task_mgr.step()
"""

# Plays the sample's script without pictures, and counts the draws in each part of it.
_SCRIPT_CASE = """
draws = []
for _ in game.script():
    base.task_mgr.step()
    draws.append([views.draws[each] for each in (views.security, views.mirror, views.photo)])
    # What the text says is what was counted.
    assert f"mirror: drawing" in game.screen._state.getText() or len(draws) < 3

def between(start, end, picture):
    return draws[round(25 * end)][picture] - draws[round(25 * start)][picture]

SECURITY, MIRROR, PHOTO = range(3)
assert between(0.2, main.SCREEN_OFF_AT, SECURITY) == round(25 * (main.SCREEN_OFF_AT - 0.2))
assert between(main.SCREEN_OFF_AT + 0.1, main.SCREEN_ON_AT, SECURITY) == 0
# In the close-up the screen is out of the picture, and the mirror is not.
assert between(main.NEAR_AT + 1.6, main.FAR_AT, SECURITY) == 0
assert between(main.FAR_AT + 1, 9.96, SECURITY) > 0
assert between(0.2, 9.8, MIRROR) == 240
assert draws[-1][PHOTO] == 1
"""

# Every key, with a keyboard of which one key at a time is held, or none.
_KEYS_CASE = """
from pathlib import Path

from panda3d.core import KeyboardButton, PNMImage

class Keyboard:
    held = None

    def is_button_down(self, button):
        return button == self.held

main.PHOTO_FILE = Path(sys.argv[3]) / "folder" / "photograph.png"
base.mouseWatcherNode = Keyboard()
game.play()

def press(key):
    messenger.send(key)
    for _ in range(3):
        base.task_mgr.step()

def toggles(key, state):
    before = state()
    press(key)
    assert state() != before, key
    press(key)
    assert state() == before, key

toggles("v", room.screen.is_hidden)
toggles("o", lambda: [overlay.visible for overlay in views.portraits])
toggles("m", lambda: views.minimap.visible)
def place_after(frames):
    for _ in range(frames):
        base.task_mgr.step()
    return base.camera.get_pos()

start = place_after(1)
press("n")
assert (place_after(80) - start).length() > 5
press("n")
assert (place_after(80) - start).length() < 0.01

press("s")
assert not main.PHOTO_FILE.exists()
assert "space" in game.message
press("space")
press("space")
assert views.draws[views.photo] == 2
press("s")
assert str(main.PHOTO_FILE) in game.message
image = PNMImage(str(main.PHOTO_FILE))
assert (image.get_x_size(), image.get_y_size()) == views.photo.size
# The hero's chest, and nothing beside the head.
assert image.get_alpha_val(180, 300) == 255
assert image.get_alpha_val(10, 10) == 0
main.PHOTO_FILE = main.PHOTO_FILE.parent
press("s")
assert "saved" not in game.message, game.message

def hold(button, frames):
    Keyboard.held = button
    for _ in range(frames):
        base.task_mgr.step()
    Keyboard.held = None
    return room.studio.heading, room.studio.pitch

heading, pitch = hold(None, 3)
assert hold(KeyboardButton.right(), 5) == (heading + 5 * main.TURNING / 25, pitch)
assert hold(KeyboardButton.left(), 5) == (heading, pitch)
assert hold(KeyboardButton.up(), 40) == (heading, main.HIGHEST)
assert hold(KeyboardButton.down(), 60) == (heading, main.LOWEST)

keys = {line.partition(":")[0] for line in game.lines}
assert keys == {"arrow keys", "mouse", "n", "v", "o", "m", "space", "s", "p", "escape"}, keys
"""

# In a window: overlays keep their size by the window's height, and labels stay with them.
_WINDOW_CASE = """
from panda3d.core import WindowProperties

game.play()
for width, height in ((160, 90), (300, 240), (200, 180)):
    size = WindowProperties()
    size.set_size(width, height)
    base.win.request_properties(size)
    for _ in range(500):
        base.task_mgr.step()
        if (base.win.get_x_size(), base.win.get_y_size()) == (width, height):
            break
    for _ in range(3):
        base.task_mgr.step()
    left, top, right, bottom = views.portraits[0].rect
    scale = height / sizes.HEIGHT
    margin, across, high = (side * scale for side in (sizes.MARGIN, *sizes.PORTRAIT_SIZE))
    wanted = margin, height - margin, across, high
    for got, right_one in zip((left, bottom, right - left, bottom - top), wanted):
        assert abs(got - right_one) <= 1, (width, height, got, wanted)
    label = game.screen._labels[views.portraits[0]].get_pos(base.pixel2d)
    assert abs(label.x - left) < 1 and abs(-label.z - top) < 1, (label, left, top)
"""

_END = """
for view in (*views.overlays, *views.draws):
    view.destroy()
base.destroy()
"""


def test_the_script() -> None:
    run_case(_BEGIN + _SCRIPT_CASE + _END, args=[str(ROOT), "offscreen"])


def test_every_key(tmp_path: Path) -> None:
    run_case(_BEGIN + _KEYS_CASE + _END, args=[str(ROOT), "offscreen", str(tmp_path)])


@pytest.mark.x11
def test_in_a_window() -> None:
    run_case(_BEGIN + _WINDOW_CASE + _END, args=[str(ROOT), "onscreen"])


@pytest.mark.parametrize("seed", range(3))
def test_the_mirror_shows_everything_where_a_mirror_would(seed: int) -> None:
    """A point and its mirror image are seen on one line through the eye and the glass."""
    random = np.random.default_rng(seed)
    root = NodePath("root")
    glass = root.attach_new_node("glass")
    glass.set_pos_hpr((2, 3, 1), LVecBase3f(*random.uniform(-60, 60, 3)))
    size = (1.7, 2.3)
    eye = glass.attach_new_node("eye")
    eye.set_pos(*random.uniform(-1, 1, 3) + (0, -3, 0))
    mirror = Mirror(glass, size, BitMask32.bit(0))
    mirror.follow(eye)
    node = mirror.camera.node()
    assert isinstance(node, Camera)
    lens = node.get_lens()
    for _ in range(20):
        # What is seen at a place on the glass, so far from it.
        u, v = random.uniform(0.05, 0.95, 2)
        on_glass = Point3((u - 0.5) * size[0], 0, (v - 0.5) * size[1])
        image = on_glass + (on_glass - eye.get_pos()) * float(random.uniform(0.1, 3))
        point = Point3(image.x, -image.y, image.z)
        seen = Point2()
        assert lens.project(mirror.camera.get_relative_point(glass, point), seen)
        # Left and right are exchanged, which glass.frag undoes.
        assert (1 - (seen.x + 1) / 2, (seen.y + 1) / 2) == pytest.approx((u, v), abs=1e-4)


def test_behind_the_mirror_nothing_is_seen() -> None:
    glass = NodePath("glass")
    mirror = Mirror(glass, (1, 1), BitMask32.bit(0))
    eye = glass.attach_new_node("eye")
    eye.set_pos(0.2, -2, 0.1)
    mirror.follow(eye)
    node = mirror.camera.node()
    assert isinstance(node, Camera)
    lens = node.get_lens()
    assert isinstance(lens, PerspectiveLens)
    before = lens.get_projection_mat(), mirror.camera.get_mat()
    for y in (0, 2):
        eye.set_y(y)
        mirror.follow(eye)
        assert (lens.get_projection_mat(), mirror.camera.get_mat()) == before
    # Nothing between the glass and the eye's image is in the picture.
    assert lens.get_near() == pytest.approx(2)
