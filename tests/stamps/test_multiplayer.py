"""Hits as bytes: the same mark on another machine, and nothing worse than an error from any other bytes."""

import socket
import struct
import time
import zlib
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from direct.distributed.PyDatagram import PyDatagram
from panda3d.core import (
    CollisionHandlerQueue,
    CollisionNode,
    CollisionRay,
    CollisionTraverser,
    ConnectionWriter,
    GeomNode,
    NodePath,
    PointerToConnection,
    QueuedConnectionListener,
    QueuedConnectionManager,
    QueuedConnectionReader,
)

from panda_rtstamp import Brush, StampConfig, StampSystem
from panda_rtstamp.errors import ConfigError
from panda_rtstamp.stamps.record import unpack_record
from saved_scene import Scene, compare, spot
from shapes import box
from stamp_support import hit_middle, image_of, small_card, system
from support import NotifyLog, run_case, step

CASE = Path(__file__).with_name("multiplayer_case.py")
END_OF_FRAME = b"."
CLOSE = 2 / 255
PATIENCE = 60.0
FRONT = (0.0, -1.0, 0.0)


@pytest.fixture
def models(base: Any, scene: NodePath) -> Iterator[Scene]:
    result = Scene(base, scene, teapot=False)
    yield result
    result.destroy()


# Two machines, and a third that joins late.


class Host:
    """The one side of a connection over loopback."""

    def __init__(self) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]
        self._manager = QueuedConnectionManager()
        self._listener = QueuedConnectionListener(self._manager, 0)
        self._reader = QueuedConnectionReader(self._manager, 0)
        self._writer = ConnectionWriter(self._manager, 0)
        self._rendezvous = self._manager.open_TCP_server_rendezvous(self.port, 1)
        assert self._rendezvous is not None
        self._listener.add_connection(self._rendezvous)
        self._guest: Any = None

    def welcome(self, guest: "Future[str]") -> None:
        """Wait for the guest."""
        self._wait(guest, self._listener.new_connection_available)
        pointer = PointerToConnection()
        assert self._listener.get_new_connection(pointer)
        self._guest = pointer.p()
        self._reader.add_connection(self._guest)

    def send(self, record: bytes) -> None:
        """To the guest."""
        assert self._writer.send(PyDatagram(record), self._guest)

    def part(self, guest: "Future[str]") -> None:
        """Say that there is no more, and wait until the guest has it all."""
        self.send(b"")
        self._wait(guest, self._reader.data_available)
        for connection in (self._guest, self._rendezvous):
            self._manager.close_connection(connection)

    def _wait(self, guest: "Future[str]", condition: Callable[[], bool]) -> None:
        deadline = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < deadline
            if guest.done():
                guest.result()
            self._manager.wait_for_readers(0.1)


def play(stamps: StampSystem, models: Scene, end_frame: Callable[[], None]) -> None:
    """Three frames of a fight: hits of every kind on models of every kind."""
    for frame in range(3):
        for number, node in enumerate(models.nodes.values()):
            point: Any = (
                (0.3 * frame, 0, 0)
                if node in (models.card, models.pair.inner, models.pair.outer)
                else spot(node)
            )
            color = (1.0, number / 10, frame / 3)
            shared: dict[str, Any] = {"other": node, "color": color, "opacity": 0.8}
            if frame == 0:
                stamps.hit(node, point, radius=0.9, hardness=0.3, **shared)
            elif frame == 1:
                brush = Brush("splat") if number % 2 else Brush("crack", aspect=0.5)
                stamps.hit(node, point, radius=0.8, normal=(0.3, -1, 0.4), brush=brush, **shared)
            else:
                blend = ("add", "max", "erase")[number % 3]
                stamps.hit(node, point, radius=0.5, normal=(0.1, -1, 0.9), blend=blend, **shared)
        if frame == 2:
            shoot(stamps, models.box)
        end_frame()


def shoot(stamps: StampSystem, node: NodePath) -> None:
    """A ray from in front of a node, which reports what `hit_entry` takes."""
    node.set_tag("rtstamp", "")
    ray = NodePath(CollisionNode("ray"))
    collider = ray.node()
    assert isinstance(collider, CollisionNode)
    collider.set_from_collide_mask(GeomNode.get_default_collide_mask())
    collider.add_solid(CollisionRay(0, 0, 0, 0, 1, 0))
    ray.reparent_to(node.get_top())
    ray.set_pos(node.get_pos() - (0, 10, 0))
    traverser, queue = CollisionTraverser("shots"), CollisionHandlerQueue()
    traverser.add_collider(ray, queue)
    traverser.traverse(node)
    ray.remove_node()
    queue.sort_entries()
    assert queue.get_num_entries() > 0
    made = stamps.hit_entry(queue.get_entry(0), radius=0.5, facing=True, brush="bullet_hole")
    assert made is not None


def test_two_machines_and_one_that_joins_late_show_the_same(base: Any, models: Scene, tmp_path: Path) -> None:
    host = Host()
    images = {role: tmp_path / f"{role}.npz" for role in ("guest", "late")}
    sizes: list[int] = []
    with ThreadPoolExecutor() as pool, system(base, auto_fade=False, unwrap_at_once=100_000) as stamps:
        guest = pool.submit(run_case, CASE, args=["guest", str(host.port), str(images["guest"])])
        host.welcome(guest)
        stamps.on_hit(host.send)
        stamps.on_hit(lambda record: sizes.append(len(record)))

        def end_frame() -> None:
            # What is hit in one frame is rounded once: so the guest is told where one ends.
            step(base)
            host.send(END_OF_FRAME)

        play(stamps, models, end_frame)
        host.part(guest)
        assert stamps.save(tmp_path / "marks") == len(models.nodes)
        run_case(CASE, args=["late", str(tmp_path / "marks"), str(images["late"])])
        guest.result()
        expected = models.images(stamps)
    assert len(expected) == len(models.nodes)
    for role, path in images.items():
        with np.load(path) as file:
            worst = compare(dict(file), expected, CLOSE)
        print(f"{role}: {worst * 255:.3f} / 255")
    print(f"{len(sizes)} records of {min(sizes)} to {max(sizes)} bytes")
    assert max(sizes) <= 200


# What a record holds.


def records_of(stamps: StampSystem, node: NodePath, *points: Any, **options: Any) -> list[bytes]:
    """The records of hits on a node, in its own space."""
    found: list[bytes] = []
    end = stamps.on_hit(found.append)
    for point in points:
        stamps.hit(node, point, other=node, **options)
    end()
    return found


@pytest.mark.profiles
def test_a_record_is_complete(base: Any, scene: NodePath) -> None:
    """Whatever the settings and tags are where it is applied, and whichever way a random brush was turned."""
    card = small_card(scene)
    card.set_tag("rtstamp-radius", "0.6")
    card.set_tag("rtstamp-color", "0.9 0.1 0.2 0.7")
    expected = []
    records: list[list[bytes]] = []
    kinds: list[dict[str, Any]] = [
        {},
        {"normal": (1, -1, 0)},
        {"normal": FRONT, "brush": "splat"},
        {"normal": FRONT, "brush": Brush("bullet_hole", aspect=2.0)},
    ]
    with system(base, auto_fade=False, hardness=0.7, blend="add", facing_softness=1.0) as stamps:
        for kind in kinds:
            records.append(records_of(stamps, card, (0.1, 0, 0.2), (-0.3, 0, 0), radius=5.0, **kind))
            step(base)
            expected.append(image_of(stamps, card))
            stamps.clear_all()
    card.set_tag("rtstamp-radius", "0.1")
    card.set_tag("rtstamp-color", "0 1 0")
    other = {"hardness": 0.1, "blend": "max", "facing_softness": 0.0, "stamp_color": (0, 0, 1)}
    with system(base, auto_fade=False, **other) as stamps:
        for sent, image in zip(records, expected, strict=True):
            for record in sent:
                assert stamps.apply(record) is not None
            step(base)
            np.testing.assert_allclose(image_of(stamps, card), image, atol=1 / 255)
            assert image[..., 3].max() > 0.3
            stamps.clear_all()
    first, second = (unpack_record(record)[1].right for record in records[2])
    assert first is not None
    assert second is not None
    assert not np.allclose(first, second)


def test_it_does_not_matter_when_hits_arrive(base: Any, scene: NodePath) -> None:
    """One a frame here, all in one frame there. (Of a format that holds what lies between 8-bit steps.)"""
    card = small_card(scene)
    points = np.random.default_rng(4).uniform(-0.8, 0.8, (6, 3)) * (1, 0, 1)
    with system(base, format="rgba16f", auto_fade=False) as stamps:
        records = []
        for number, point in enumerate(points):
            color = (1, number / 6, 0)
            records += records_of(stamps, card, point, radius=0.7, opacity=0.5, color=color)
            step(base)
        expected = image_of(stamps, card)
        stamps.clear_all()
        for record in records:
            assert stamps.apply(record) is not None
        step(base)
        np.testing.assert_allclose(image_of(stamps, card), expected, atol=CLOSE)
        assert expected[..., 3].max() > 0.5


def test_a_point_keeps_its_precision_far_from_the_origin(base: Any, scene: NodePath) -> None:
    """It is in the node's own space, in 64 bits."""
    card = small_card(scene)
    card.set_pos(1e7, 0, 0)
    point = (0.1234567890123, 0.0, -0.3210987654321)
    with system(base) as stamps:
        (record,) = records_of(stamps, card, point, radius=0.01)
    assert tuple(unpack_record(record)[1].point) == point


def test_a_node_is_named_by_its_path_or_by_a_tag(base: Any, scene: NodePath, notify: NotifyLog) -> None:
    twins = [small_card(scene, "a/b[*]") for _ in range(2)]
    owner = scene.attach_new_node("owner")
    owner.set_tag("rtstamp-id", "player 7")
    gun = small_card(owner, "gun")
    with system(base, auto_fade=False) as stamps:
        records = [records_of(stamps, node, (0, 0, 0))[0] for node in (*twins, gun)]
        step(base)
        stamps.clear_all()
        owner.reparent_to(scene.attach_new_node("elsewhere"))
        owner.set_name("renamed")
        for record, node in zip(records, (*twins, gun), strict=True):
            made = stamps.apply(record)
            assert made is not None
            assert made.node == node
        twins[1].set_name("renamed")
        notify.allow(r"there is no node scene/a/b\[\*\]\[1\]$")
        assert stamps.apply(records[1]) is None
        assert stamps.apply(records[1]) is None
        assert notify.text.count("there is no node") == 1
        loose = small_card(NodePath(), "loose")
        notify.allow("loose is in no scene: its hits are told only if it is tagged rtstamp-id")
        assert records_of(stamps, loose, (0, 0, 0)) == []


def test_a_brush_that_is_not_here_leaves_a_plain_mark(
    base: Any, scene: NodePath, tmp_path: Path, notify: NotifyLog
) -> None:
    """And no record makes us open a file of its choice."""
    card = small_card(scene)
    secret = tmp_path / "secret.png"
    secret.write_bytes((Path(__file__).parents[2] / "models" / "brushes" / "splat.png").read_bytes())
    options = {"radius": 0.9, "color": (1, 0, 0), "hardness": 0.5}
    with system(base, auto_fade=False) as stamps:
        (record,) = records_of(stamps, card, (0, 0, 0), normal=FRONT, brush=Brush(secret), **options)
    with system(base, auto_fade=False) as stamps:
        hit_middle(stamps, card, normal=FRONT, **options)
        step(base)
        expected = image_of(stamps, card)
        stamps.clear_all()
        notify.allow(r"no brush '.*secret.png' was used or warmed up here: its hits leave plain marks")
        assert stamps.apply(record) is not None
        step(base)
        np.testing.assert_allclose(image_of(stamps, card), expected, atol=CLOSE)
        assert stamps.apply(record) is not None
        assert notify.text.count("no brush") == 1


def test_a_node_that_is_scaled_to_nothing_gets_no_mark(base: Any, scene: NodePath, notify: NotifyLog) -> None:
    """As one that just pops up elsewhere, however its hit was made."""
    card = small_card(scene, "flat")
    notify.allow("scene/flat is scaled to nothing and cannot be marked")
    with system(base) as stamps:
        options = {"normal": FRONT, "brush": "splat"}
        records = records_of(stamps, card, (0, 0, 0)) + records_of(stamps, card, (0, 0, 0), **options)
        stamps.clear_all()
        card.set_scale(1, 1, 0)
        assert [stamps.apply(record) for record in records] == [None, None]
        assert stamps.hit(card, (0, 0, 0), other=card) is None
        assert stamps.active_count == 0


# Who is told.


def test_only_hits_that_make_a_mark_here_are_told(base: Any, scene: NodePath, notify: NotifyLog) -> None:
    card, empty = small_card(scene), scene.attach_new_node("empty")
    first: list[bytes] = []
    second: list[bytes] = []
    notify.allow("empty has no geometry to mark")
    with system(base) as stamps:
        end = stamps.on_hit(first.append)
        stamps.on_hit(second.append)
        hit_middle(stamps, card)
        stamps.hit(empty, (0, 0, 0))
        assert len(first) == len(second) == 1
        assert stamps.apply(first[0]) is not None
        assert len(first) == 1
        end()
        end()
        hit_middle(stamps, card)
        assert (len(first), len(second)) == (1, 2)
        stamps.clear_all()
        assert stamps.hit(card, (0, 20, 0), blend="erase") is None
        assert len(second) == 2
        with pytest.raises(ConfigError, match="callback must be callable, got int"):
            stamps.on_hit(3)  # type: ignore[arg-type]


def test_a_callback_that_fails_stops_nobody(base: Any, scene: NodePath, notify: NotifyLog) -> None:
    def fail(_: bytes) -> None:
        raise RuntimeError("no connection")

    told: list[bytes] = []
    notify.allow(r"a callback of on_hit went wrong: RuntimeError\('no connection'\)")
    with system(base) as stamps:
        stamps.on_hit(fail)
        stamps.on_hit(told.append)
        for _ in range(3):
            hit_middle(stamps, small_card(scene))
    assert len(told) == 3
    assert notify.text.count("went wrong") == 1


# Whatever comes from a network.


@pytest.fixture
def records(base: Any, scene: NodePath) -> list[bytes]:
    """A plain hit, one with a normal, one with a brush, and one on a node with a tag."""
    card, tagged = small_card(scene), box((1.0, 1.0, 1.0))
    tagged.reparent_to(scene)
    tagged.set_tag("rtstamp-id", "box")
    tagged.set_tag("rtstamp-resolution", "64")
    with system(base) as stamps:
        return [
            *records_of(stamps, card, (0, 0, 0)),
            *records_of(stamps, card, (0, 0, 0), normal=FRONT, blend="add"),
            *records_of(stamps, card, (0, 0, 0), normal=FRONT, brush="scorch"),
            *records_of(stamps, tagged, (0.5, 0, 0), normal=(1, 0, 0)),
        ]


def test_cut_off_and_damaged_records_are_refused(base: Any, scene: NodePath, records: list[bytes]) -> None:
    random = np.random.default_rng(2)
    broken = [record[:length] for record in records for length in range(len(record))]
    broken += [record + b"\0" for record in records]
    for _ in range(1000):
        record = bytearray(records[random.integers(len(records))])
        record[random.integers(len(record))] ^= int(random.integers(1, 256))
        broken.append(bytes(record))
    with system(base) as stamps:
        for data in broken:
            with pytest.raises(ConfigError, match="record must be bytes that on_hit handed out: it"):
                stamps.apply(data)
        assert stamps.active_count == 0
        for wrong in (None, "text", 3, [1, 2]):
            with pytest.raises(ConfigError, match="record must be bytes, got"):
                stamps.apply(wrong)  # type: ignore[arg-type]
        kinds: list[Any] = [bytes, bytearray, memoryview]
        for kind in kinds:
            assert stamps.apply(kind(records[0])) is not None
    print(f"{len(broken)} broken records")


def sealed(body: bytes, version: int = 1) -> bytes:
    return struct.pack("<BI", version, zlib.crc32(body)) + body


def test_what_a_record_says_is_checked_too(
    base: Any, scene: NodePath, records: list[bytes], notify: NotifyLog
) -> None:
    """Whoever seals what he changed gets an error or a mark, or a node or a brush that there is not."""
    random = np.random.default_rng(3)
    notify.allow("there is no node|no brush|has no geometry to mark|cannot be marked|so large that")
    outcomes = {"error": 0, "mark": 0, "none": 0}
    with system(base) as stamps:
        for number in range(1000):
            body = bytearray(records[random.integers(len(records))][5:])
            body[random.integers(len(body))] ^= int(random.integers(1, 256))
            try:
                made = stamps.apply(sealed(bytes(body)))
            except ConfigError:
                outcomes["error"] += 1
            else:
                outcomes["none" if made is None else "mark"] += 1
            if number % 50 == 0:
                step(base)
        step(base)
        # The system is as good as before.
        stamps.clear_all()
        card = scene.find("card")
        hit_middle(stamps, card, radius=0.5)
        step(base)
        assert image_of(stamps, card)[..., 3].max() > 0.8
    print(outcomes)
    assert min(outcomes.values()) > 20


def test_a_later_version_says_so(base: Any, scene: NodePath, records: list[bytes]) -> None:
    with (
        system(base) as stamps,
        pytest.raises(ConfigError, match="it is of version 2, and versions up to 1 are known here"),
    ):
        stamps.apply(sealed(records[0][5:], version=2))


def test_without_a_window_records_are_checked_and_leave_no_mark(
    base: Any, scene: NodePath, records: list[bytes], notify: NotifyLog
) -> None:
    stamps = StampSystem(base, StampConfig())
    stamps.destroy()
    notify.allow("there is no window")
    assert stamps.apply(records[0]) is None
    with pytest.raises(ConfigError):
        stamps.apply(records[0][:-1])
