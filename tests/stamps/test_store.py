"""Marks outlive the process in a file: the same picture, the same fade, and never half a file believed."""

import os
import struct
import zlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from panda3d.core import CardMaker, Filename, NodePath

from panda_rtstamp import StampConfig, StampSystem
from panda_rtstamp.core.target import FORMATS
from panda_rtstamp.errors import ConfigError, StoreError
from panda_rtstamp.stamps.store_file import read_file
from saved_scene import Images, Scene, compare
from shapes import box
from stamp_support import Pair, hit_middle, image_of, small_card, system
from support import NotifyLog, make_card, run_case, step

CASE = Path(__file__).with_name("store_case.py")
CLOSE = 2 / 255
# What a file begins with: the magic, and then version, size and checksum of the rest.
BROKEN = r"broken: it is (no file|cut off|of version|damaged)"
START = 8 + struct.calcsize("<HQI")


@pytest.fixture
def models(base: Any, scene: NodePath) -> Iterator[Scene]:
    result = Scene(base, scene)
    yield result
    result.destroy()


def saved(stamps: StampSystem, path: Path) -> Path:
    assert stamps.save(path) == stamps.active_count
    return path


# Another process.


@pytest.mark.profiles
def test_another_process_shows_the_same_now_and_a_second_later(
    base: Any, models: Scene, tmp_path: Path
) -> None:
    """In mid-fade, in every format, and where another unwrapper lays models out."""
    expected: dict[str, Images] = {}
    with system(base, unwrap_at_once=100_000) as stamps:
        for format in FORMATS:
            stamps.clear_all()
            stamps.set_config(replace(stamps.config, format=format))
            models.mark(stamps)
            step(base, 50)
            # Once more, when the first mark has faded by so much that it is stored.
            hit_middle(stamps, models.card, radius=0.5, opacity=0.5)
            step(base, 10)
            saved(stamps, tmp_path / f"{format}.marks")
            expected[format] = models.look(stamps)
    run_case(CASE, args=[str(tmp_path), *FORMATS])
    for format in FORMATS:
        with np.load(tmp_path / f"{format}.npz") as file:
            found = dict(file)
        assert not np.array_equal(found.pop("layout before"), found.pop("layout"))
        worst = compare(found, expected[format], CLOSE)
        print(f"{format}: {worst * 255:.3f} / 255")


@pytest.mark.threads
@pytest.mark.profiles
def test_what_is_not_drawn_yet_is_not_lost(base: Any, scene: NodePath, tmp_path: Path) -> None:
    """A threading model draws frames later; and a game may save between our task and the drawing."""
    card = small_card(scene)
    with system(base, auto_fade=False) as stamps:
        hit_middle(stamps, card, radius=0.9, hardness=0.5)
        done: list[int] = []
        base.task_mgr.add(lambda _: done.append(stamps.save(tmp_path / "marks")), "save", sort=49)
        step(base)
        assert done == [1]
        step(base, 4)
        expected = image_of(stamps, card)
        stamps.clear_all()
        assert stamps.load(tmp_path / "marks") == 1
        step(base, 5)
        np.testing.assert_allclose(image_of(stamps, card), expected, atol=1e-6)
        assert expected[..., 3].max() > 0.9


# What is kept.


@pytest.mark.parametrize("before", FORMATS)
@pytest.mark.parametrize("after", FORMATS)
def test_formats_are_converted(base: Any, scene: NodePath, tmp_path: Path, before: str, after: str) -> None:
    """A colour only if both have one; a mask alone shows in the config's colour, as ever."""
    card = small_card(scene)
    color = (0.2, 0.6, 1.0)
    with system(base, format=before, stamp_color=color) as stamps:
        hit_middle(stamps, card, radius=0.9)
        step(base, 40)
        saved(stamps, tmp_path / "marks")
        step(base)
        expected = image_of(stamps, card)
    with system(base, format=after, stamp_color=color) as stamps:
        assert stamps.load(tmp_path / "marks") == 1
        step(base)
        np.testing.assert_allclose(image_of(stamps, card), expected, atol=CLOSE)
        assert stamps.bindings[0].temp.get_num_components() == FORMATS[after].channels
    assert expected[..., 3].max() > 0.3


def test_hits_that_wait_are_kept(base: Any, scene: NodePath, tmp_path: Path) -> None:
    """Each with its blend: they are drawn in their order after the load."""
    card = small_card(scene)
    with system(base, auto_fade=False) as stamps:

        def hit_thrice() -> None:
            for x, options in (
                (0.3, {"color": (1, 0, 0)}),
                (0.0, {"blend": "erase"}),
                (-0.4, {"brush": "splat"}),
            ):
                stamps.hit(card, (x, 0, 0), other=card, normal=(0, -1, 0), radius=0.6, **options)

        hit_thrice()
        step(base, 4)
        expected = image_of(stamps, card)
        stamps.clear_all()
        hit_thrice()
        assert len(stamps.bindings[0].hits) == 3
        saved(stamps, tmp_path / "marks")
        stamps.clear_all()
        assert stamps.load(tmp_path / "marks") == 1
        # Of no more than what the file says: saved again before anything was drawn.
        saved(stamps, tmp_path / "again")
        assert len(read_file(tmp_path / "again")[0].hits) == 3
        step(base, 4)
        # The splat is turned at random, so the other hits are compared where it is not.
        right = (slice(None), slice(40, None))
        np.testing.assert_allclose(image_of(stamps, card)[right], expected[right], atol=CLOSE)
        assert expected[right][..., 3].max() > 0.5
        assert image_of(stamps, card)[:, :20, 3].max() > 0.5


def test_marks_can_be_saved_before_they_are_drawn_again(base: Any, scene: NodePath, tmp_path: Path) -> None:
    card = small_card(scene)
    with system(base, auto_fade=False) as stamps:
        hit_middle(stamps, card, radius=0.9)
        step(base)
        expected = image_of(stamps, card)
        saved(stamps, tmp_path / "marks")
        assert stamps.load(tmp_path / "marks") == 1
        saved(stamps, tmp_path / "again")
        stamps.clear_all()
        assert stamps.load(tmp_path / "again") == 1
        step(base)
        np.testing.assert_array_equal(image_of(stamps, card), expected)


def test_the_fade_goes_on(base: Any, scene: NodePath, tmp_path: Path) -> None:
    """Held marks stay held, others end when they would have ended, by start_fade's duration too."""
    cards = {name: small_card(scene, name) for name in ("held", "fading", "slow")}
    lives: dict[str, dict[str, int]] = {"saved": {}, "loaded": {}}
    with system(base, auto_fade=False, fade_duration=1.0) as stamps:
        bindings = {name: hit_middle(stamps, card) for name, card in cards.items()}
        stamps.start_fade(cards["fading"])
        stamps.start_fade(cards["slow"], 2.0)
        step(base, 30)
        alphas = {name: binding.alpha for name, binding in bindings.items()}
        ages = {name: binding.age for name, binding in bindings.items()}
        saved(stamps, tmp_path / "marks")
        lives["saved"] = frames_to_live(base, stamps, cards)
        stamps.clear_all()
        assert stamps.load(tmp_path / "marks") == 3
        for name, card in cards.items():
            binding = stamps.binding(card)
            assert binding is not None
            assert binding.alpha == pytest.approx(alphas[name], abs=1e-6)
            assert binding.age == pytest.approx(ages[name], abs=1e-6)
        lives["loaded"] = frames_to_live(base, stamps, cards)
    assert lives["loaded"] == lives["saved"]
    assert lives["saved"].keys() == {"fading", "slow"}


def frames_to_live(base: Any, stamps: StampSystem, cards: dict[str, NodePath]) -> dict[str, int]:
    """After how many frames the marks of each end that ends within two seconds."""
    ended: dict[str, int] = {}
    for frame in range(120):
        step(base)
        gone = [name for name, card in cards.items() if stamps.binding(card) is None]
        ended |= {name: frame for name in gone if name not in ended}
    return ended


def test_nested_nodes_and_instances_keep_their_own(base: Any, scene: NodePath, tmp_path: Path) -> None:
    pair = Pair(scene)
    shared = box((1.0, 1.0, 1.0))
    places = [scene.attach_new_node("place") for _ in range(3)]
    for place in places:
        shared.instance_to(place)
    with system(base, auto_fade=False) as stamps:
        for node, color in ((pair.inner, (1, 0, 0)), (pair.outer, (0, 1, 0)), (places[1], (0, 0, 1))):
            stamps.hit(node, (-1, 20, 0) if node == pair.outer else (0.5, 0, 0.5), other=scene, color=color)
        hit_middle(stamps, pair.inner, radius=3.0)
        step(base)
        nodes = [binding.node for binding in stamps.bindings]
        expected = [image_of(stamps, node) for node in nodes]
        saved(stamps, tmp_path / "marks")
        # Marks in the way: of the whole, which share the geometry of the two halves.
        stamps.clear_all()
        hit_middle(stamps, pair.outer)
        assert stamps.load(tmp_path / "marks") == 3
        step(base)
        assert [binding.node for binding in stamps.bindings] == nodes
        for node, image in zip(nodes, expected, strict=True):
            np.testing.assert_array_equal(image_of(stamps, node), image)
        assert stamps.binding(places[0]) is None
        # The outer one still leaves the inner one's geometry to it.
        hit_middle(stamps, pair.outer, radius=9.0, color=(1, 1, 1))
        step(base)
        assert image_of(stamps, pair.inner)[:, 40:, :3].min() > 0.3


# Where it is given back.


def test_a_node_is_found_by_its_tag_wherever_it_is_now(
    base: Any, scene: NodePath, tmp_path: Path, notify: NotifyLog
) -> None:
    """And without one only where it was; what is not found is named, and does not stop the rest."""
    tagged, moved, still = (small_card(scene, name) for name in ("tagged", "moved", "still"))
    tagged.set_tag("rtstamp-id", "a/[*] ü")
    with system(base) as stamps:
        for node in (tagged, moved, still):
            hit_middle(stamps, node)
        step(base)
        saved(stamps, tmp_path / "marks")
        stamps.clear_all()
        elsewhere = scene.attach_new_node("elsewhere")
        for node in (tagged, moved):
            node.reparent_to(elsewhere)
            node.set_name("other")
        notify.allow(r"rtstamp\(warning\): scene/moved: .* there is no such node")
        assert stamps.load(tmp_path / "marks") == 2
        assert [binding.node for binding in stamps.bindings] == [tagged, still]


def test_nodes_of_one_name_are_told_apart(base: Any, scene: NodePath, tmp_path: Path) -> None:
    twins = [small_card(scene, "twin") for _ in range(3)]
    with system(base) as stamps:
        hit_middle(stamps, twins[1])
        step(base)
        saved(stamps, tmp_path / "marks")
        stamps.clear_all()
        assert stamps.load(tmp_path / "marks") == 1
        assert stamps.bindings[0].node == twins[1]


def test_paths_are_below_the_root_that_is_given(base: Any, scene: NodePath, tmp_path: Path) -> None:
    card = small_card(scene)
    with system(base) as stamps:
        hit_middle(stamps, card)
        step(base)
        saved(stamps, tmp_path / "marks")
        stamps.clear_all()
        world = NodePath("another world")
        scene.copy_to(world)
        assert stamps.load(tmp_path / "marks", root=world) == 1
        assert stamps.bindings[0].node == world.find("**/card")
        assert stamps.binding(card) is None


def test_other_geometry_is_named_and_keeps_its_marks(
    base: Any, scene: NodePath, tmp_path: Path, notify: NotifyLog
) -> None:
    card, other = small_card(scene, "changed"), small_card(scene, "same")
    with system(base) as stamps:
        hit_middle(stamps, card)
        hit_middle(stamps, other)
        step(base)
        saved(stamps, tmp_path / "marks")
        stamps.clear_all()
        card.remove_node()
        wider = make_card(3.0, 2.0, "changed")
        wider.reparent_to(scene, sort=-1)
        mark = hit_middle(stamps, wider)
        notify.allow(r"scene/changed: .* its geometry is not what it was")
        assert stamps.load(tmp_path / "marks") == 1
        assert stamps.binding(wider) is mark
        assert stamps.binding(other) is not None


def test_other_uvs_are_named(base: Any, scene: NodePath, tmp_path: Path, notify: NotifyLog) -> None:
    card = small_card(scene)
    with system(base) as stamps:
        hit_middle(stamps, card)
        step(base)
        saved(stamps, tmp_path / "marks")
        stamps.clear_all()
        card.remove_node()
        maker = CardMaker("card")
        maker.set_frame(-1.0, 1.0, -1.0, 1.0)
        maker.set_uv_range((1.0, 0.0), (0.0, 1.0))
        maker.set_has_normals(True)
        mirrored = scene.attach_new_node(maker.generate())
        notify.allow(r"scene/card: .* its stamp UVs are not what they were")
        assert stamps.load(tmp_path / "marks") == 0
        assert stamps.active_count == 0
        assert stamps.hit(mirrored, (0, 0, 0)) is not None


def test_of_more_than_fit_the_strongest_come_back(
    base: Any, scene: NodePath, tmp_path: Path, notify: NotifyLog
) -> None:
    cards = [small_card(scene, f"card {number}") for number in range(4)]
    with system(base) as stamps:
        for card in cards:
            hit_middle(stamps, card)
            step(base, 10)
        saved(stamps, tmp_path / "marks")
    with system(base, max_pool_size=2) as stamps:
        hit_middle(stamps, small_card(scene, "in the way"))
        notify.allow(r"room for 2 of 4 saved nodes; left out: render/scene/card 1, render/scene/card 0$")
        assert stamps.load(tmp_path / "marks") == 2
        assert [binding.node for binding in stamps.bindings] == cards[2:]


# Files.


@pytest.fixture
def file(base: Any, scene: NodePath, tmp_path: Path) -> Path:
    """Of two nodes, one of them with hits that wait."""
    with system(base) as stamps:
        hit_middle(stamps, small_card(scene, "card"))
        hit_middle(stamps, box_in(scene), radius=0.5)
        step(base)
        hit_middle(stamps, box_in(scene), normal=(0, 0, 1), brush="splat")
        return saved(stamps, tmp_path / "marks")


def box_in(scene: NodePath) -> NodePath:
    found = scene.find("box")
    if found.is_empty():
        found = box((1.0, 1.0, 1.0))
        found.reparent_to(scene)
        found.set_tag("rtstamp-resolution", "64")
    return found


def test_a_file_that_is_cut_off_or_damaged_changes_nothing(
    base: Any, scene: NodePath, file: Path, tmp_path: Path
) -> None:
    """Cut off anywhere; any byte another one."""
    data = file.read_bytes()
    random = np.random.default_rng(0)
    broken = [data + b"\0"]
    for place in random.integers(0, len(data), 300):
        broken.append(data[:place] + bytes([data[place] ^ random.integers(1, 256)]) + data[place + 1 :])
    with system(base, auto_fade=False) as stamps:
        assert stamps.load(file) == 2
        step(base)
        card = scene.find("card")
        bindings, image = stamps.bindings, image_of(stamps, card)
        path = tmp_path / "broken"
        for content in broken:
            path.write_bytes(content)
            with pytest.raises(StoreError, match=BROKEN):
                stamps.load(path)
        path.write_bytes(data)
        for length in reversed(range(len(data))):
            os.truncate(path, length)
            with pytest.raises(StoreError, match=BROKEN):
                stamps.load(path)
        assert stamps.bindings == bindings
        np.testing.assert_array_equal(image_of(stamps, card), image)
    print(f"{len(broken) + len(data)} broken files of up to {len(data)} bytes")


def test_what_a_file_says_is_checked_too(file: Path, tmp_path: Path) -> None:
    """Bytes that somebody changed and sealed again: an error or marks, never anything else."""
    data = file.read_bytes()
    random = np.random.default_rng(1)
    outcomes = {"error": 0, "marks": 0}
    for place in random.integers(START, len(data), 600):
        body = bytearray(data[START:])
        body[place - START] = random.integers(0, 256)
        path = tmp_path / "changed"
        path.write_bytes(data[:8] + struct.pack("<HQI", 1, len(body), zlib.crc32(body)) + body)
        try:
            found = read_file(path)
        except StoreError:
            outcomes["error"] += 1
        else:
            assert len(found) == 2
            outcomes["marks"] += 1
    assert min(outcomes.values()) > 10, outcomes


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "no file that StampSystem.save wrote"),
        (b"PK\x03\x04 something else", "no file that StampSystem.save wrote"),
        (b"rtst", "cut off after 4 bytes"),
        (b"rtstamp\n" + struct.pack("<HQI", 2, 0, 0), "of version 2, and versions up to 1 are known here"),
    ],
)
def test_other_files_are_refused(
    base: Any, scene: NodePath, tmp_path: Path, content: bytes, words: str
) -> None:
    path = tmp_path / "other"
    path.write_bytes(content)
    with system(base) as stamps, pytest.raises(StoreError, match=words):
        stamps.load(path)


def test_a_file_is_written_whole_or_not_at_all(
    base: Any, scene: NodePath, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: int) -> None:
        raise OSError("the disk is full")

    path = tmp_path / "marks"
    with system(base) as stamps:
        hit_middle(stamps, small_card(scene))
        step(base)
        saved(stamps, path)
        before = path.read_bytes()
        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", fail)
            with pytest.raises(StoreError, match=r"marks cannot be saved in .*: the disk is full"):
                stamps.save(path)
        assert path.read_bytes() == before
        assert list(tmp_path.iterdir()) == [path]
        with pytest.raises(StoreError, match="cannot be saved"):
            stamps.save(tmp_path / "no such folder" / "marks")
        with pytest.raises(StoreError, match="cannot be loaded"):
            stamps.load(tmp_path / "nothing")


def test_arguments(base: Any, scene: NodePath, tmp_path: Path) -> None:
    with system(base) as stamps:
        for wrong in (None, 3, "", [1]):
            with pytest.raises(ConfigError, match="path must be a file's path"):
                stamps.save(wrong)
            with pytest.raises(ConfigError, match="path must be a file's path"):
                stamps.load(wrong)
        for path in (str(tmp_path / "a"), Filename.from_os_specific(str(tmp_path / "b"))):
            assert stamps.save(path) == 0
            assert stamps.load(path) == 0
        with pytest.raises(ConfigError, match="root must be a NodePath that is not empty"):
            stamps.load(tmp_path / "a", root=NodePath())


def test_without_a_window_nothing_is_written(
    base: Any, scene: NodePath, file: Path, notify: NotifyLog
) -> None:
    """A good file is not lost to a game that cannot draw; and errors are what they are with a window."""
    before = file.read_bytes()
    stamps = StampSystem(base, StampConfig())
    stamps.destroy()
    notify.allow("there is no window")
    assert stamps.save(file) == 0
    assert file.read_bytes() == before
    assert stamps.load(file) == 0
    file.write_bytes(before[:-1])
    with pytest.raises(StoreError):
        stamps.load(file)


def test_nodes_in_no_scene_are_named(base: Any, scene: NodePath, tmp_path: Path, notify: NotifyLog) -> None:
    card = small_card(scene, "loose")
    with system(base) as stamps:
        hit_middle(stamps, card)
        step(base)
        card.detach_node()
        notify.allow("loose: its marks are not saved: it is in no scene and has no tag rtstamp-id")
        assert stamps.save(tmp_path / "marks") == 0
        card.set_tag("rtstamp-id", "loose")
        assert stamps.save(tmp_path / "marks") == 1
