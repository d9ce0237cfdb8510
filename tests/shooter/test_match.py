"""The scripted match: what is hit and what lives, by the second; where marks are; that they leave nothing.

Two matches are played, which differ in that the second makes no marks. So what differs in their pictures is
marks, and nothing else.
"""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from support import ROOT, find_problems, run_case, run_python

WIDTH, HEIGHT = 480, 270
RATE = 25
# Seconds: hits so far, living marks, marked surfaces.
TABLE = {
    0: (0, 0, 0),
    1: (5, 5, 1),  # the rifle, 9.1 rounds a second, at the container
    2: (18, 18, 2),  # 4 more rounds, 9 pellets at a crate
    3: (24, 24, 3),  # 6 rounds at the floor
    4: (60, 60, 5),  # 5 rounds at an enemy; the blast, 4 bodies twice and 23 of 24 fragments
    5: (63, 63, 6),  # 3 rounds at the second enemy
    6: (71, 71, 6),  # 2 more, and 6 of 9 pellets
    7: (89, 85, 9),  # 9 pellets at the third enemy, and 9 more; the first four marks live 6.2 s
    8: (89, 69, 7),  # the container's and the crate's marks are gone; all fade from 7.7 s on
    9: (89, 41, 3),  # those on the bodies that the blast reached take up to 2 s
    10: (89, 0, 0),
}
# When pictures are taken: each a moment after shots at what stands still.
AFTER_RIFLE = 36  # frames; a line of shots across the container, from 0.5 s on
AFTER_SHOTGUN = 46  # nine pellets at a crate, at 1.8 s
AFTER_FLOOR = 73  # a line across the floor, from 2.3 s on
AFTER_BLAST = 105  # at 4.0 s
MOMENTS = (AFTER_RIFLE, AFTER_SHOTGUN, AFTER_FLOOR, AFTER_BLAST)
BEFORE_FIRST_SHOT = 4
LAST = 249
PIXELS_PER_METRE = HEIGHT / 2 / np.tan(np.radians(21.9 / 2))  # at a distance of one metre

# argv: the file to write, "marks" or "none", the checkout, the moments.
CASE = """
import sys
import numpy as np
sys.path.insert(0, sys.argv[3])
from panda3d.core import LPoint3, Point2, Point3
from samples.common import run
from samples.shooter.main import Shooter

moments = [int(word) for word in sys.argv[4].split(",")]
run.configure("test", 480, 270)
base = run.open_base(["offscreen"])
run.step_the_clock()
game = Shooter(base)
stamps = game.marks.stamps
hits = []  # frame, point, radius, name

def note(node, point, radius):
    hits.append((frame, *point, radius, node.get_name()))

def hit(node, point, **options):
    note(node, point, options["radius"])
    return real_hit(node, point, **options) if sys.argv[2] == "marks" else None

def hit_entry(entry, **options):
    if hasattr(entry, "get_hit_pos"):
        if entry.has_hit():
            note(entry.get_node(), entry.get_hit_pos(), options["radius"])
    else:
        body = entry.get_into_node_path().find_net_tag("rtstamp")
        note(body, entry.get_surface_point(game.arena.root), options["radius"])
    return real_hit_entry(entry, **options) if sys.argv[2] == "marks" else None

real_hit, real_hit_entry = stamps.hit, stamps.hit_entry
stamps.hit, stamps.hit_entry = hit, hit_entry

def picture():
    texture = base.win.get_screenshot()
    flat = np.frombuffer(bytes(texture.get_ram_image_as("RGB")), np.uint8)
    return flat.reshape(texture.get_y_size(), texture.get_x_size(), 3)[::-1]

def without_moving_things():
    moving = [game.hero.path, *(enemy.path for enemy in game.enemies.all)]
    for node in moving:
        node.hide()
    base.task_mgr.step()
    result = picture()
    for node in moving:
        node.show()
    return result

def camera():
    return np.array([list(row) for row in base.cam.get_net_transform().get_mat()])

base.render2d.hide()
found = {"table": []}
script = game.script()
for frame in range(250):
    next(script)
    base.task_mgr.step()
    if frame % 25 == 0 or frame == 249:
        counts = game.marks.hits, game.marks.living, stamps.active_count
        found["table"].append((frame, *counts))
    if frame in moments or frame == 249:
        found[f"picture{frame}"] = picture()
        found[f"camera{frame}"] = camera()
    if frame in (4, 249):
        found[f"still{frame}"] = without_moving_things()
found["hits"] = np.array([hit[:5] for hit in hits])
found["names"] = np.array([hit[5] for hit in hits])
found["end"] = np.array([game.hero.health, game.enemies.killed, game.weapons.shots])
np.savez(sys.argv[1], **found)
"""

Match = dict[str, NDArray[Any]]


def play(kind: str, folder: Path) -> Match:
    file = folder / f"{kind}.npz"
    moments = ",".join(str(moment) for moment in MOMENTS)
    run_case(CASE, args=[str(file), kind, str(ROOT), moments], timeout=600)
    with np.load(file) as found:
        return dict(found)


@pytest.fixture(scope="module")
def match(tmp_path_factory: pytest.TempPathFactory) -> Match:
    """The match as it is."""
    return play("marks", tmp_path_factory.mktemp("match"))


@pytest.fixture(scope="module")
def unmarked(tmp_path_factory: pytest.TempPathFactory) -> Match:
    """The same without marks."""
    return play("none", tmp_path_factory.mktemp("match"))


def pixels_of(match: Match, frame: int, points: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Where points of the world are seen: (x, y) in pixels from the upper left; and how far away they are."""
    in_camera = np.c_[points, np.ones(len(points))] @ np.linalg.inv(match[f"camera{frame}"])
    depth = in_camera[:, 1]
    x = WIDTH / 2 + PIXELS_PER_METRE * in_camera[:, 0] / depth
    y = HEIGHT / 2 - PIXELS_PER_METRE * in_camera[:, 2] / depth
    return np.c_[x, y], depth


def difference(match: Match, unmarked: Match, frame: int) -> NDArray[np.int64]:
    """By how much marks change each pixel: the largest of the three channels, 0 to 255."""
    change = match[f"picture{frame}"].astype(int) - unmarked[f"picture{frame}"].astype(int)
    result: NDArray[np.int64] = np.abs(change).max(axis=-1)
    return result


def test_table(match: Match) -> None:
    """Hits, living marks and marked surfaces at each full second, and at the end."""
    got = {int(frame + 1) // RATE: tuple(int(n) for n in counts) for frame, *counts in match["table"]}
    assert got == TABLE


def test_the_match_without_marks_is_the_same(match: Match, unmarked: Match) -> None:
    """The same shots hit the same things: nothing in the game depends on marks."""
    np.testing.assert_array_equal(match["hits"], unmarked["hits"])
    np.testing.assert_array_equal(match["names"], unmarked["names"])
    np.testing.assert_array_equal(match["end"], unmarked["end"])


@pytest.mark.parametrize(
    ("moment", "since", "name", "count"),
    [
        (AFTER_RIFLE, 12, "container", 9),
        (AFTER_SHOTGUN, 45, "crate", 9),
        (AFTER_FLOOR, 57, "floor", 6),
    ],
)
def test_marks_where_it_was_shot(
    match: Match, unmarked: Match, moment: int, since: int, name: str, count: int
) -> None:
    """A change at the pixel of each hit of a weapon that has just been fired."""
    frames, hits = match["hits"][:, 0], match["hits"]
    chosen = (frames >= since) & (frames <= moment) & (match["names"] == name)
    assert chosen.sum() == count
    pixels, _ = pixels_of(match, moment, hits[chosen, 1:4])
    columns, rows = np.floor(pixels).astype(int).T
    assert difference(match, unmarked, moment)[rows, columns].min() > 25


@pytest.mark.parametrize("moment", MOMENTS)
def test_no_marks_elsewhere(match: Match, unmarked: Match, moment: int) -> None:
    """Not a pixel changes that is farther from all hits than their radius, and two pixels for the filter."""
    hits = match["hits"][match["hits"][:, 0] <= moment]
    pixels, depth = pixels_of(match, moment, hits[:, 1:4])
    reach = hits[:, 4] * PIXELS_PER_METRE / (depth - hits[:, 4]) + 2
    rows, columns = np.mgrid[:HEIGHT, :WIDTH] + 0.5
    far = np.ones((HEIGHT, WIDTH), bool)
    for (x, y), radius in zip(pixels, reach, strict=True):
        far &= np.hypot(columns - x, rows - y) > radius
    changed = difference(match, unmarked, moment) > 0
    assert far.mean() > 0.5
    assert changed.sum() > 100
    assert (changed & far).sum() == 0


def test_after_the_last_fade_nothing_is_left(match: Match, unmarked: Match) -> None:
    """The last picture is the one before the first shot, but for what moves; that is as without any marks."""
    np.testing.assert_array_equal(match[f"still{LAST}"], match[f"still{BEFORE_FIRST_SHOT}"])
    np.testing.assert_array_equal(match[f"picture{LAST}"], unmarked[f"picture{LAST}"])


@pytest.mark.full
def test_the_same_script_gives_the_same_pictures(tmp_path: Path) -> None:
    """Up to the blast, every file is the same to the byte in another run."""
    folders = [tmp_path / name for name in ("first", "second")]
    for folder in folders:
        options = ["--offscreen", str(folder), "--seconds", "4.4", "--size", "320x180"]
        done = run_python(str(ROOT / "samples" / "shooter" / "main.py"), *options, env={"DISPLAY": ""})
        assert done.returncode == 0, done.stderr
        assert find_problems(done.stderr) == []
    names = sorted(path.name for path in folders[0].iterdir())
    assert len(names) == 110 + 1
    assert names == sorted(path.name for path in folders[1].iterdir())
    for name in names:
        assert (folders[0] / name).read_bytes() == (folders[1] / name).read_bytes(), name
