"""The sample of fur: what its keys do, that burns and the comb show, and what both ways to fur cost."""

import pytest

from support import ROOT, run_case

# argv: checkout, kind of window.
_BEGIN = """
import sys
sys.path.insert(0, sys.argv[1])
from samples.common import run, studio
from samples.fur import coats, lawn, main

studio.SHADOW_PIXELS, lawn.PATCHES = 16, 2
run.configure("test", 160, 90)
base = run.open_base([sys.argv[2]])
run.step_the_clock()
base.set_sleep(0)
furs = main.Furs(base)
for name in ("teapot", "panda", "lawn"):
    # What layers look like is not looked at here.
    furs.coats.change(name, layers=3)
base.task_mgr.step()

def seen():
    base.task_mgr.step()
    texture = base.win.get_screenshot()
    return bytes(texture.get_ram_image())

def draws(node):
    return sum(path.node().get_num_geoms() for path in node.find_all_matches("**/+GeomNode"))
"""

# Burns, the comb and copies, one after the other, on a panda that stands still.
_PLAY_CASE = """
furs.meadow.walk = lambda dt: None
furs.meadow.wearers["panda"].pose("walk", 5)
base.task_mgr.remove("rtstamp-fur")
furs.coats.change("lawn", wind=coats.CALM)
before = seen()
assert seen() == before
x, y = furs._seen_at("teapot", 0, 0)
furs.burn(x, y)
burnt = seen()
assert burnt != before
furs.burn(0.99, -0.99)  # the lawn
assert seen() == burnt
furs.coats.heal()
assert seen() == before

# With the column that is painted on, directions are worked out in another way.
painter = furs.coats.comb("panda")
before = seen()
furs._comb(0)
for step in range(1, main.COMB_STEPS + 1):
    furs._comb(step)
assert painter.undoable == 1
assert seen() != before
furs.undo()
assert seen() == before

# A coat is a draw for each Geom; a stack is a draw for each copy of it.
teapot = furs.meadow.wearers["teapot"]
geoms = draws(teapot) // 2
furs.toggle_stack()
assert draws(teapot) == geoms * (2 + coats.MOST_LAYERS)
assert seen() != before
furs.toggle_stack()
assert draws(teapot) == 2 * geoms
assert seen() == before
"""

# Every key, without a mouse where there is no window; the text says what was done.
_KEYS_CASE = """
from panda3d.core import MouseWatcher

base.mouseWatcherNode = base.mouseWatcherNode or MouseWatcher()
furs.play()
said = lambda: (base.task_mgr.step(), furs.state.getText())[1]
keys = [line.partition(":")[0] for line in furs.controls.lines[2:]]
assert keys == ["escape", "tab", "n", "=", "-", "f", "w", "a", "g", "z", "c", "p"], keys
assert "teapot: plush, 3 layers" in said()
messenger.send("=")
assert "teapot: plush, 5 layers" in said()
messenger.send("-")
messenger.send("n")
assert "teapot: short, 3 layers" in said()
messenger.send("tab")
assert "panda: long, 3 layers" in said()
messenger.send("tab")
messenger.send("f")
assert "lawn: grass" in said() and not furs.coats.coats["lawn"].enabled
messenger.send("w")
assert "wind" in said() and furs.coats.coats["panda"].config.wind == coats.WIND
messenger.send("w")
assert "wind" not in said() and furs.coats.coats["panda"].config.wind == coats.CALM
messenger.send("a")
assert "teapot: 24 copies" in said()
messenger.send("g")
base.task_mgr.step()
# Fire is not in hand now.
furs.burn(*furs._seen_at("teapot", 0, 0))
assert furs.coats.stamps.active_count == 0
for key in ("z", "g", "c", "p", "p"):
    messenger.send(key)
    base.task_mgr.step()
"""


@pytest.mark.parametrize("case", [_PLAY_CASE, _KEYS_CASE], ids=["play", "keys"])
def test_the_sample(case: str) -> None:
    run_case(_BEGIN + case, args=[str(ROOT), "offscreen"])


@pytest.mark.x11
def test_its_keys_in_a_window() -> None:
    run_case(_BEGIN + _KEYS_CASE, args=[str(ROOT), "onscreen"])
