"""The shooter, as it is run from its main file, for a player who reads and writes: `test_window.py`.

Arguments go to the game. After each frame a line of JSON says how things stand; a line that is read from the
standard input is the name of a file, to which the next frame is written.
"""

import json
import queue
import sys
import threading
import time
from typing import Any

from panda3d.core import ClockObject, Filename, load_prc_file_data

import support

support.configure("x11")
# The game's own.
load_prc_file_data("window case", "clock-mode normal")

from samples.common.run import run  # noqa: E402 (ShowBase is imported here)
from samples.shooter import main  # noqa: E402
from samples.shooter.marks import QUALITIES  # noqa: E402
from samples.shooter.script import SECONDS  # noqa: E402

wanted: "queue.SimpleQueue[str]" = queue.SimpleQueue()


class Counted(main.Shooter):
    """Knows how many games were begun."""

    begun = 0

    def restart(self) -> None:
        super().restart()
        self.begun += 1


class Watched:
    """Tells of the game."""

    def __init__(self, base: Any) -> None:
        self.base = base
        self.game = Counted(base)
        self.frame = 0
        # After igLoop (50), which draws.
        base.task_mgr.add(self.tell, "tell", sort=60)

    def tell(self, task: Any) -> Any:
        """Write a picture, if one is wanted, and how things stand."""
        written = ""
        if not wanted.empty():
            written = wanted.get()
            self.base.win.get_screenshot().write(Filename.from_os_specific(written))
        self.frame += 1
        print(json.dumps({**self.state(), "frame": self.frame, "written": written}), flush=True)
        return task.cont

    def state(self) -> dict[str, Any]:
        """All that the test asks about."""
        game, marks, weapons = self.game, self.game.marks, self.game.weapons
        config = marks.stamps.config
        controls = game.controls
        return {
            "window": self.base.win.get_window_handle().get_int_handle(),
            "focused": self.base.win.get_properties().get_foreground(),
            "help": controls.lines if controls is not None else [],
            "help_shown": not self.base.a2dTopRight.find("panel").is_hidden(),
            "debug_shown": bool(self.base.a2dTopLeft.find("rtstamp-debug")),
            "begun": game.begun,
            "speed": game.speed if controls is not None else 1,
            "time": ClockObject.get_global_clock().frame_time,
            "real_time": time.perf_counter(),
            "hero": tuple(game.hero.position),
            "heading": game.hero.path.get_h(),
            "aim": tuple(game.orders.aim),
            "focus": tuple(game.camera.focus),
            "rounds": dict(weapons.rounds),
            "reloading": dict(weapons.reloading),
            "blast_ready_in": weapons.blast_ready_in,
            "shots": weapons.shots,
            "hits": marks.hits,
            "marked": marks.stamps.active_count,
            "holding": marks.holding,
            "display": config.display,
            "look": config.look,
            "quality": {name: getattr(config, name) for name in QUALITIES["low"]},
            "enemies": len(game.enemies.alive),
        }


def listen() -> None:
    """Hear what is wanted."""
    for line in sys.stdin:
        wanted.put(line.strip())


def make(base: Any) -> main.Shooter:
    """What `run` runs."""
    return Watched(base).game


threading.Thread(target=listen, daemon=True).start()
assert main.__doc__ is not None
assert main.__file__ is not None
sys.exit(run(main.__file__, main.__doc__, make, SECONDS))
