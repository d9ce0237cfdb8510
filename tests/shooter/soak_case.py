"""Plays the scripted match over and over, and prints what there is after each, as JSON, for `test_soak.py`.

Arguments: the number of matches; "onscreen" or "offscreen".
"""

import ctypes
import gc
import json
import re
import sys
from collections import Counter
from typing import Any

from panda3d.core import NodePath

import support
from panda_rtstamp.core.rect import Rect
from panda_rtstamp.stamps.indexed import IndexedGeom
from panda_rtstamp.stamps.spatial_index import SpatialIndex
from samples.common import run
from samples.shooter.main import Shooter
from samples.shooter.marks import LOOKS
from samples.shooter.script import script
from samples.shooter.weapons import BLAST_COLOR
from stamp_support import what_is_held

SIZE = (160, 90)
SETTLE = 15  # frames, for what was released to go; texts change every five


def what_there_is(base: Any, game: Shooter) -> dict[str, Any]:
    """Everything that may grow."""
    world = game.arena.world
    ours = [
        thing
        for thing in gc.get_objects()
        if type(thing).__module__.split(".")[0] in ("panda_rtstamp", "samples")
        # How many tell where a texture is used, eight at most, depends on where its last marks were.
        and not isinstance(thing, (Rect, IndexedGeom, SpatialIndex))
    ]
    objects = Counter(f"{type(thing).__module__}.{type(thing).__qualname__}" for thing in ours)
    return {
        **what_is_held(base),
        "indexes": sum(isinstance(thing, IndexedGeom) for thing in gc.get_objects()),
        "hidden nodes": base.hidden.find_all_matches("**").get_num_paths(),
        "bodies": world.get_num_rigid_bodies(),
        "ghosts": world.get_num_ghosts(),
        "objects": objects,
    }


def memory() -> int | None:
    """What is allocated and not freed, in KiB; None where the C library does not tell.

    Not what the process holds of the machine's memory: threads' heaps grow by megabytes at a time, and keep
    what was freed.
    """
    library = None if sys.platform == "win32" else ctypes.CDLL(None)
    if not hasattr(library, "malloc_info"):
        return None
    assert library is not None
    library.open_memstream.restype = ctypes.c_void_p
    text, size = ctypes.c_char_p(), ctypes.c_size_t()
    stream = ctypes.c_void_p(library.open_memstream(ctypes.byref(text), ctypes.byref(size)))
    library.malloc_info(0, stream)
    library.fclose(stream)
    # The sums over all heaps stand at the end.
    sums = dict(re.findall(r'type="(fast|rest|mmap|current)".* size="(\d+)"', (text.value or b"").decode()))
    library.free(text)
    held = int(sums["current"]) + int(sums["mmap"]) - int(sums["fast"]) - int(sums["rest"])
    return held // 1024


def mark_everything(game: Shooter) -> None:
    """Let all be made that marks need in any match: under real time, no two are the same."""
    while game.enemies.spawn(0) is not None:
        pass
    for node in game.arena.world.get_rigid_bodies():
        path = NodePath.any_path(node)
        game.marks.burst([path], path.get_pos(), 1.0, BLAST_COLOR)
    for _ in LOOKS:
        game.marks.next_look()
        support.step(game.base, 2)


def settle(game: Shooter) -> None:
    """An arena in which nothing has happened yet."""
    game.reset()
    game.light.set_shadows(True)
    support.step(game.base, SETTLE)
    gc.collect()


run.configure("test", *SIZE)
base = run.open_base([sys.argv[2]])
# Under Cull/Draw a clock that does not follow real time goes wrong. There, a frame is a step of the script
# too, but takes as long as it takes.
if not support.frames_behind(base):
    run.step_the_clock()
game = Shooter(base)
mark_everything(game)
settle(game)
for number in range(int(sys.argv[1])):
    # Shadows take longer than all the rest; the lowest quality goes without them.
    game.light.set_shadows(number % 10 == 0)
    frames = 0
    for _ in script(game):
        support.step(base)
        frames += 1
    counts = {"frames": frames, "shots": game.weapons.shots, "hits": game.marks.hits}
    settle(game)
    # Marks look different in the next one.
    game.marks.next_look()
    print(json.dumps({"there": what_there_is(base, game), "memory": memory(), **counts}), flush=True)
