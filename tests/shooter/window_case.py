"""Runs the shooter's main file for a player who reads and writes: `test_window.py`.

Arguments go to the game. After each frame a line of JSON says how things stand; a line that is read from the
standard input is the name of a file, to which the next frame is written, or "alone": no enemies come then.
"""

import json
import queue
import runpy
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from panda3d.core import ClockObject, Filename, load_prc_file_data

import support

support.configure("x11")
# The game's own.
load_prc_file_data("window case", "clock-mode normal")

from samples.common import run  # noqa: E402 (ShowBase is imported here)

wanted: "queue.SimpleQueue[str]" = queue.SimpleQueue()


class Watched:
    """Tells of a game, and counts how often it is begun."""

    def __init__(self, base: Any, game: Any) -> None:
        self.base = base
        self.game = game
        self.frame = 0
        self.begun = 0
        self._restart = game.restart
        game.restart = self.restart
        # After igLoop (50), which draws.
        base.task_mgr.add(self.tell, "tell", sort=60)

    def restart(self) -> None:
        """Begin a game."""
        self._restart()
        self.begun += 1

    def tell(self, task: Any) -> Any:
        """Write a picture, if one is wanted, and how things stand."""
        written = ""
        if not wanted.empty():
            written = wanted.get()
            if written == "alone":
                self.game.enemies.reset()
            else:
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
            "begun": self.begun,
            "speed": game.speed,
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
            "quality": marks.quality,
            "enemies": len(game.enemies.alive),
        }


def listen() -> None:
    """Hear what is wanted."""
    for line in sys.stdin:
        wanted.put(line.strip())


def run_watched(file: str, about: str, make: Callable[[Any], Any], *rest: Any, **options: Any) -> int:
    """`run`, but for the watching."""

    def make_watched(base: Any) -> Any:
        game = make(base)
        Watched(base, game)
        return game

    return really_run(file, about, make_watched, *rest, **options)


threading.Thread(target=listen, daemon=True).start()
really_run, run.run = run.run, run_watched
sys.argv[0] = str(support.ROOT / "samples" / "shooter" / "main.py")
runpy.run_path(sys.argv[0], run_name="__main__")
