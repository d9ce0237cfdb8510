"""The shooter in a window, played with real events: keys, buttons and the pointer, by xdotool through X.

The game runs in a process of its own (window_case.py), as its main file runs it, in real time. It tells after
each frame how things stand; nothing here sleeps, but waits for so many frames at most.
"""

import json
import math
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from samples.shooter.camera import DISTANCE, FIELD_OF_VIEW, PITCH
from samples.shooter.hero import START
from samples.shooter.hud import FRAMES_BETWEEN_COUNTS
from samples.shooter.main import SLOW
from samples.shooter.marks import LOOKS, QUALITIES
from samples.shooter.weapons import RIFLE, SHOTGUN
from support import ROOT, TESTS, find_problems

State = dict[str, Any]
Picture = NDArray[np.int64]
CASE = Path(__file__).resolve().parent / "window_case.py"
WIDTH, HEIGHT = 640, 360
LONGEST = 60  # seconds that anything may take
LIMIT = 900  # seconds, for a process
# On the ground, left of the hero, with nothing around.
TARGET = (236, 214)
HAS_XDOTOOL = shutil.which("xdotool") is not None

pytestmark = [
    pytest.mark.x11,
    # Where it is known to be there, its absence fails.
    pytest.mark.skipif(not HAS_XDOTOOL and os.environ.get("CI") != "true", reason="needs xdotool"),
]


def xdotool(*words: object) -> None:
    """Let X do something, as if by hand."""
    subprocess.run(["xdotool", *map(str, words)], check=True, timeout=30)


class Player:
    """Somebody in front of the game.

    Args:
        folder: for pictures and the log.
        arguments: go to the game.
    """

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.folder = folder
        self.log = folder / "log.txt"
        self.state: State = {}
        self.said: list[str] = []
        self._pictures = 0
        paths = os.pathsep.join([str(ROOT), str(TESTS)])
        command = [sys.executable, str(CASE), "--size", f"{WIDTH}x{HEIGHT}", *arguments]
        with self.log.open("w", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, cwd=folder, text=True,
                env={**os.environ, "PYTHONPATH": paths},
            )  # fmt: skip
        # What hangs ends.
        self._limit = threading.Timer(LIMIT, self.process.kill)
        self._limit.start()

    def __enter__(self) -> "Player":
        return self

    def __exit__(self, *_: object) -> None:
        """End the process, if it has not ended."""
        self._limit.cancel()
        self.process.kill()
        self.process.communicate()

    def sit_down(self) -> None:
        """Keys are for this window from now on."""
        self.next()
        xdotool("windowraise", self.state["window"], "windowfocus", self.state["window"])
        self.until_is(focused=True)

    def next(self) -> State:
        """How things stand after the next frame."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if line.startswith("{"):
                self.state = json.loads(line)
                return self.state
            self.said.append(line.strip())
        raise AssertionError(self.log.read_text(encoding="utf-8"))

    def until(self, holds: Callable[[State], bool]) -> State:
        """The first state for which this holds."""
        start = self.next()["real_time"]
        while not holds(self.state):
            assert self.next()["real_time"] < start + LONGEST, f"it does not become so; last: {self.state}"
        return self.state

    def until_is(self, **wanted: Any) -> State:
        """The first state in which these are so."""
        return self.until(lambda state: wanted.items() <= state.items())

    def until_changed(self, name: str) -> State:
        """The first state in which this is not what it was in the last one."""
        before = self.state[name]
        return self.until(lambda state: bool(state[name] != before))

    def until_still(self, *what: str, less_than: float = 1e-6) -> State:
        """When these of the hero and the camera's focus are not moved by a frame."""
        before = self.next()
        start = before["real_time"]
        while before["real_time"] < start + LONGEST:
            state = self.next()
            moved = max(float(np.abs(np.subtract(state[name], before[name])).max()) for name in what)
            if moved < less_than and before["time"] < state["time"]:
                return state
            before = state
        raise AssertionError(f"it does not come to rest; last: {self.state}")

    def tap(self, key: str) -> None:
        """Press a key, and let it go."""
        xdotool("key", key)

    def point(self, pixel: tuple[int, int]) -> None:
        """Move the pointer there: pixels of the window, from its upper left."""
        xdotool("mousemove", "--window", self.state["window"], *pixel)

    def begin(self) -> State:
        """A new game, with the pointer at TARGET and no enemies."""
        self.point(TARGET)
        self.tap("Return")
        self.until_changed("begun")
        return self.ask("alone")

    def ask(self, line: str) -> State:
        """Have the game do something: the state after that."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()
        return self.until_is(written=line)

    def picture(self) -> Picture:
        """What is seen, when the texts too say how things stand: (height, width, 3)."""
        for _ in range(FRAMES_BETWEEN_COUNTS + 1):
            self.next()
        self._pictures += 1
        file = self.folder / f"{self._pictures:02}.png"
        self.ask(str(file))
        with Image.open(file) as image:
            return np.asarray(image.convert("RGB")).astype(np.int64)

    def paused_picture(self) -> Picture:
        """The same, of a game that is paused for it."""
        self.pause()
        result = self.picture()
        self.tap("p")
        self.until_is(speed=1)
        return result

    def pause(self) -> None:
        """Let time stand still."""
        self.tap("p")
        self.until_is(speed=0)


@pytest.fixture(scope="module")
def player(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Player]:
    """Somebody who plays."""
    assert HAS_XDOTOOL, "xdotool is not on PATH"
    with Player(tmp_path_factory.mktemp("window")) as result:
        result.sit_down()
        yield result


def pixel_of(point: list[float], focus: list[float]) -> NDArray[np.float64]:
    """Where a point of the world is seen by a camera that looks at `focus`: pixels, from the upper left."""
    pitch = np.radians(PITCH)
    ahead = np.array((0, np.cos(pitch), -np.sin(pitch)))
    up = np.array((0, np.sin(pitch), np.cos(pitch)))
    way = np.array(point) - (np.array(focus) - ahead * DISTANCE)
    scale = HEIGHT / 2 / np.tan(np.radians(FIELD_OF_VIEW / 2)) / (way @ ahead)
    return np.array((WIDTH / 2 + scale * way[0], HEIGHT / 2 - scale * (way @ up)))


def changed(before: Picture, after: Picture) -> NDArray[np.bool_]:
    """Which pixels differ, by more than the eye may miss."""
    result: NDArray[np.bool_] = np.abs(after - before).max(axis=-1) > 8
    return result


def around(pixel: NDArray[np.float64], radius: float) -> NDArray[np.bool_]:
    """The pixels in a circle."""
    y, x = np.mgrid[:HEIGHT, :WIDTH]
    inside: NDArray[np.bool_] = np.hypot(x + 0.5 - pixel[0], y + 0.5 - pixel[1]) < radius
    return inside


def box(left: float, top: float, right: float, bottom: float) -> NDArray[np.bool_]:
    """The pixels in a part of the window, given in shares of it."""
    inside = np.zeros((HEIGHT, WIDTH), bool)
    inside[round(top * HEIGHT) : round(bottom * HEIGHT), round(left * WIDTH) : round(right * WIDTH)] = True
    return inside


def wait(player: Player) -> State:
    """For half a second of the game's time: tracers and sparks are gone."""
    start = player.state["time"]
    return player.until(lambda state: bool(state["time"] > start + 0.5))


def test_the_help(player: Player) -> None:
    """It lists each key that is pressed below."""
    keys = [line.partition(":")[0] for line in player.state["help"][4:]]
    assert keys == ["F", "G", "L", "B", "Q", "P", "T", "enter", "H", "escape"]


def test_running(player: Player) -> None:
    """Each key runs its way: up the window is +Y. Two keys run slantwise."""
    player.begin()
    held = {
        ("w",): (0, 1), ("a",): (-1, 0), ("s",): (0, -1), ("d",): (1, 0),
        ("Up", "Left"): (-1, 1), ("Down", "Right"): (1, -1),
    }  # fmt: skip
    for keys, way in held.items():
        player.until_still("hero", less_than=0.01)
        for key in keys:
            xdotool("keydown", key)
        # The one key may be down a frame before the other.
        run_half_a_metre(player)
        ran = run_half_a_metre(player)
        for key in keys:
            xdotool("keyup", key)
        assert ran @ way / np.linalg.norm(ran) / np.linalg.norm(way) > 0.99, (keys, ran)


def run_half_a_metre(player: Player) -> NDArray[np.float64]:
    """Until the hero did; which way that was."""
    start = player.state["hero"]
    player.until(lambda state: math.dist(state["hero"], start) > 0.5)
    way: NDArray[np.float64] = np.subtract(player.state["hero"], start)[:2]
    return way


def test_aiming(player: Player) -> None:
    """What is under the pointer is aimed at, and the hero turns to it."""
    player.begin()
    for pixel in ((420, 120), (330, 300), TARGET):
        player.point(pixel)
        player.until_changed("aim")
        state = player.until_still("hero", "focus")
        # The middle of a pixel, or its corner.
        assert np.abs(pixel_of(state["aim"], state["focus"]) - pixel).max() < 1.0
        to_aim = np.subtract(state["aim"], state["hero"])
        heading = np.degrees(np.arctan2(-to_aim[0], to_aim[1]))
        assert abs((state["heading"] - heading + 180) % 360 - 180) < 1


def test_the_rifle(player: Player) -> None:
    """It fires while the button is held, hits what is aimed at, and that shows: there and nowhere else."""
    player.begin()
    start = player.until_still("hero", "focus")
    assert abs(start["aim"][2]) < 0.01
    before = player.paused_picture()
    xdotool("mousedown", 1)
    player.until(lambda state: state["shots"] >= 3)
    xdotool("mouseup", 1)
    state = wait(player)
    after = player.paused_picture()
    assert state["shots"] - start["shots"] == RIFLE.magazine - state["rounds"]["rifle"] >= 3
    assert state["hits"] - start["hits"] == state["shots"] - start["shots"]
    assert state["marked"] == 1
    assert state["enemies"] == 0
    difference = changed(before, after)
    aimed_at = pixel_of(state["aim"], state["focus"])
    assert (difference & around(aimed_at, 16)).sum() > 60
    elsewhere = ~around(aimed_at, 40) & box(0.02, 0.2, 0.42, 0.82)
    assert not (difference & elsewhere).any()


def test_shotgun_blast_and_reload(player: Player) -> None:
    start = player.begin()
    xdotool("mousedown", 3)
    state = player.until(lambda state: state["shots"] > start["shots"])
    xdotool("mouseup", 3)
    assert state["shots"] == SHOTGUN.pellets
    assert state["rounds"] == {"rifle": RIFLE.magazine, "shotgun": SHOTGUN.magazine - 1}
    assert start["hits"] < state["hits"] <= start["hits"] + SHOTGUN.pellets
    xdotool("keydown", "space")
    blasted = player.until(lambda state: state["blast_ready_in"] > 0)
    xdotool("keyup", "space")
    # Soot and heat on the ground at least, and fragments.
    assert blasted["hits"] >= state["hits"] + 2
    assert blasted["rounds"] == state["rounds"]
    xdotool("keydown", "r")
    player.until(lambda state: state["reloading"]["shotgun"])
    xdotool("keyup", "r")
    state = player.until(lambda state: not state["reloading"]["shotgun"])
    assert state["rounds"]["shotgun"] == SHOTGUN.magazine
    assert state["shots"] == blasted["shots"]


def test_keys_for_marks(player: Player) -> None:
    """They stay or fade, all fade, they change their looks, and there is the debug view, and the quality."""
    player.begin()
    player.until_still("hero", "focus")
    for holding in (True, False):
        player.tap("f")
        player.until_is(holding=holding)
    xdotool("mousedown", 1)
    player.until(lambda state: state["shots"] >= 2)
    xdotool("mouseup", 1)
    wait(player)
    # In a paused game nothing changes but by these keys.
    player.pause()
    aimed_at = pixel_of(player.state["aim"], player.state["focus"])
    counts = box(0.75, 0.5, 1, 1)
    pictures = [player.picture()]
    for look in (*list(LOOKS.values())[1:], LOOKS["burn"]):
        player.tap("l")
        player.until_is(**look)
        pictures.append(player.picture())
        difference = changed(pictures[-2], pictures[-1]) & ~counts
        assert (difference & around(aimed_at, 16)).sum() > 20, look
        assert not (difference & ~around(aimed_at, 40)).any(), look
    assert not (changed(pictures[0], pictures[-1]) & ~counts).any()
    for shown in (True, False):
        player.tap("b")
        player.until_is(debug_shown=shown)
        difference = changed(pictures[0], player.picture()) & ~counts
        assert bool((difference & box(0, 0, 0.5, 0.5)).any()) is shown
        assert not (difference & ~box(0, 0, 0.5, 0.5)).any()
    names = list(QUALITIES)
    start = names.index("medium")
    hero = pixel_of(player.state["hero"], player.state["focus"])
    for name in names[start + 1 :] + names[: start + 1]:
        player.tap("q")
        player.until_is(quality=name)
        # There, the hero's shadow is.
        difference = changed(pictures[0], player.picture()) & around(hero, 60)
        assert bool(difference.any()) is (name == "low")
    player.tap("p")
    player.tap("g")
    player.until_is(marked=0)


def test_the_key_for_the_help(player: Player) -> None:
    player.begin()
    player.pause()
    before = player.picture()
    for shown in (False, True):
        player.tap("h")
        player.until_is(help_shown=shown)
        difference = changed(before, player.picture())
        assert bool((difference & box(0.5, 0, 1, 0.75)).any()) is not shown
        # Below are the counts, with the frames a second.
        assert not (difference & ~box(0.5, 0, 1, 0.75) & ~box(0.75, 0.5, 1, 1)).any()
    player.tap("p")


def pace(player: Player) -> float:
    """How much of the game's time goes by in a second."""
    first = player.next()
    for _ in range(12):
        player.next()
    return float((player.state["time"] - first["time"]) / (player.state["real_time"] - first["real_time"]))


def test_pause_and_slow_motion(player: Player) -> None:
    player.begin()
    # Both times are asked for within a frame, of a dozen.
    assert pace(player) == pytest.approx(1, abs=1 / 12)
    player.tap("t")
    player.until_is(speed=SLOW)
    assert pace(player) == pytest.approx(SLOW, abs=SLOW / 12)
    player.tap("p")
    player.until_is(speed=0)
    xdotool("keydown", "d")
    first = player.next()
    for _ in range(8):
        assert player.next()["time"] == first["time"]
    assert player.state["hero"] == first["hero"]
    xdotool("keyup", "d")
    player.tap("p")
    player.until_is(speed=1)
    assert pace(player) == pytest.approx(1, abs=1 / 12)
    # A new game goes on.
    player.pause()
    player.tap("Return")
    player.until_is(speed=1)
    assert pace(player) == pytest.approx(1, abs=1 / 12)


def test_a_new_game(player: Player) -> None:
    """What was fired is loaded again, marks are gone, and the hero is back."""
    player.begin()
    xdotool("mousedown", 1, "keydown", "d")
    player.until(lambda state: state["shots"] >= 3 and state["hero"][0] > 1)
    xdotool("mouseup", 1, "keyup", "d")
    assert player.state["marked"] >= 1
    player.tap("Return")
    state = player.until_is(shots=0)
    assert state["begun"] >= 2
    assert state["rounds"] == {"rifle": RIFLE.magazine, "shotgun": SHOTGUN.magazine}
    assert state["hero"] == pytest.approx(tuple(START), abs=0.1)
    assert state["marked"] == 0


def test_escape(player: Player) -> None:
    """It ends the process as it should."""
    leave(player)


def leave(player: Player) -> None:
    """Press Escape, and look at what is left."""
    player.tap("Escape")
    player.process.communicate(timeout=60)
    log = player.log.read_text(encoding="utf-8")
    assert player.process.returncode == 0, log
    assert "Traceback" not in log
    assert find_problems(log) == []
    assert player.said == []


def test_the_script(tmp_path: Path) -> None:
    """With `--script` it plays by itself, and makes marks; Escape ends that too."""
    assert HAS_XDOTOOL, "xdotool is not on PATH"
    with Player(tmp_path, "--script") as player:
        player.sit_down()
        assert player.state["help"] == []
        player.until(lambda state: state["hits"] >= 12 and state["enemies"] > 0)
        leave(player)
