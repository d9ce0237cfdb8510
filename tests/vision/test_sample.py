"""The sample of the vision mask: who is seen when, what opens, and what its keys do."""

from support import ROOT, run_case

# Argument: the checkout.
START = """
import sys
sys.path.insert(0, sys.argv[1])
from samples.common import run
from samples.vision.main import Thief

run.configure("test", 64, 36)
base = run.open_base(["offscreen"])
run.step_the_clock()
game = Thief(base)
"""
# Plays the sample's script without pictures, and looks at what there is to see on the way.
SCRIPT_CASE = """
from samples.vision.town import is_free

base.task_mgr.step()
seen, opened = set(), 0
for _ in game.script():
    base.task_mgr.step()
    assert is_free(game.hero.position, 0.3), game.hero.position
    visible = {guard.path for guard in game.guards if game.sight.vision.is_visible(guard.path)}
    assert visible == game.sight.in_sight
    seen |= visible
    opened = max(opened, sum(abs(door._swing) > 80 for door in game.town.doors))
# Some are seen and not all the time, and both houses were entered.
assert seen, seen
assert opened >= 1, opened
# The hero is where the script ends, in the second house.
assert game.hero.position.y < -2, game.hero.position
assert game.screen.shows_maps
game.sight.vision.destroy()
base.destroy()
"""

# Every key, before and after frames: the textures that shaders read are those of the mask.
KEYS_CASE = """
game.play()
game._plays = False  # there is no mouse, nor a keyboard
sight, screen = game.sight, game.screen

def step():
    for _ in range(3):
        base.task_mgr.step()
    bound = sight._guarded.get_shader_input("rtstamp_mask").get_texture()
    assert bound == sight.vision.mask_of(1)

def press(key, state):
    before = state()
    for _ in range(2):
        messenger.send(key)
        step()
        assert state() != before or _, key
    assert state() == before, key

step()
press("e", lambda: sight.vision.config.exact)
press("b", lambda: sight.vision.config.blur)
press("x", lambda: sight.vision.config.explored)
press("m", lambda: screen.minimap.is_hidden())
press("t", lambda: screen.shows_maps)
keys = {line.partition(":")[0] for line in game.lines}
assert keys == {"WASD", "e", "b", "x", "m", "t", "p", "escape"}, keys
sight.vision.destroy()
base.destroy()
"""


def test_the_script() -> None:
    run_case(START + SCRIPT_CASE, args=[str(ROOT)])


def test_every_key() -> None:
    run_case(START + KEYS_CASE, args=[str(ROOT)])
