"""The pool of texture pairs: what it lends, in which order, what it keeps, and what it logs."""

from collections.abc import Iterator
from typing import Any

import pytest

from panda_rtstamp import StampConfig
from panda_rtstamp.core.context import Context
from panda_rtstamp.core.target import FORMATS
from panda_rtstamp.stamps.inputs import Clock
from panda_rtstamp.stamps.pool import Pool, Slot
from support import NotifyLog, prc, step

RGBA8 = FORMATS["rgba8"]
HALF = FORMATS["rgba16f"]


def new_pool(base: Any, **settings: Any) -> Pool:
    """A pool under these settings."""
    return Pool(Context(base), StampConfig(**settings), Clock())


@pytest.fixture
def pool(base: Any) -> Iterator[Pool]:
    """A pool of three pairs."""
    result = new_pool(base, max_pool_size=3)
    yield result
    result.destroy()


def lend(pool: Pool, size: int = 64, format: str = "rgba8") -> Slot:
    """A pair that there is."""
    slot = pool.allocate(size, FORMATS[format])
    assert slot is not None
    return slot


def pair(slot: Slot) -> tuple[Any, Any]:
    """The two textures."""
    return slot.primary.texture, slot.temp.texture


def counts(pool: Pool) -> tuple[int, int]:
    """Pairs in use, pairs free."""
    return pool.active_count, pool.free_count


def buffers(base: Any) -> int:
    """How many of the engine's buffers belong to pairs."""
    names = [window.get_name() for window in base.graphics_engine.get_windows()]
    return sum(name.startswith(("rtstamp-primary", "rtstamp-temp")) for name in names)


# Lending.


def test_a_new_pool_is_empty(base: Any, pool: Pool) -> None:
    assert counts(pool) == (0, 0)
    assert pool.max_size == 3
    assert pool.memory_bytes == 0
    assert buffers(base) == 0


def test_a_pair_is_two_textures_of_the_size_and_format(base: Any, pool: Pool) -> None:
    slot = lend(pool, 128, "rgba16f")
    assert (slot.size, slot.format) == (128, HALF)
    assert slot.primary.texture != slot.temp.texture
    for texture in pair(slot):
        assert (texture.get_x_size(), texture.get_y_size()) == (128, 128)
    assert slot.memory_bytes == pool.memory_bytes == 2 * 128 * 128 * 8
    assert counts(pool) == (1, 0)
    step(base)
    assert buffers(base) == 2
    # Primary is drawn before Temp, which reads it.
    assert slot.primary.buffer is not None
    assert slot.temp.buffer is not None
    assert slot.primary.buffer.get_sort() < slot.temp.buffer.get_sort() < -1000


def test_first_a_free_pair_of_the_same_size(base: Any, pool: Pool) -> None:
    other, same, more = lend(pool, 64), lend(pool, 32), lend(pool, 64)
    textures = pair(same)
    for slot in (other, same, more):
        pool.release(slot)
    assert pair(lend(pool, 32)) == textures
    assert counts(pool) == (1, 2)
    step(base)
    assert buffers(base) == 6


def test_a_pair_of_another_format_is_not_the_same(pool: Pool) -> None:
    slot = lend(pool, 64, "rgba8")
    textures = pair(slot)
    pool.release(slot)
    other = lend(pool, 64, "rgba16f")
    assert pair(other) != textures
    assert other.format == HALF
    assert counts(pool) == (1, 0)


def test_else_a_free_pair_is_made_anew(base: Any, pool: Pool) -> None:
    """Though there is room for one more: the memory of the free one is given back."""
    slot = lend(pool, 64)
    pool.release(slot)
    other = lend(pool, 32)
    assert other.size == 32
    assert counts(pool) == (1, 0)
    assert pool.memory_bytes == other.memory_bytes == 2 * 32 * 32 * 4
    step(base)
    assert buffers(base) == 2


def test_else_a_new_pair_while_there_is_room(base: Any, pool: Pool) -> None:
    slots = [lend(pool) for _ in range(3)]
    assert len({id(texture) for slot in slots for texture in pair(slot)}) == 6
    assert counts(pool) == (3, 0)
    step(base)
    assert buffers(base) == 6


def test_else_nothing_and_quietly(notify: NotifyLog, pool: Pool) -> None:
    for _ in range(3):
        lend(pool)
    for size in (32, 64):
        assert pool.allocate(size, RGBA8) is None
    assert counts(pool) == (3, 0)
    assert notify.text == ""


@pytest.mark.parametrize(
    ("free", "wanted", "left"),
    [
        # Free pairs in the order of their release, what is asked for, and what is free afterwards.
        ([64, 32, 16], 32, [64, 16]),
        ([64, 32, 16], 16, [64, 32]),
        ([64, 64, 16], 64, [64, 16]),
        ([64, 32, 16], 128, [32, 16]),
        ([64, 32], 128, [32]),
        ([], 128, []),
    ],
)
def test_what_is_left_free(pool: Pool, free: list[int], wanted: int, left: list[int]) -> None:
    slots = [lend(pool, size) for size in free]
    for slot in slots:
        pool.release(slot)
    assert lend(pool, wanted).size == wanted
    assert counts(pool) == (1, len(left))
    remaining = []
    for size in left:
        # Each is still there, and not made anew.
        made = pool.memory_bytes
        remaining.append(lend(pool, size).size)
        assert pool.memory_bytes == made
    assert remaining == left


# Giving back.


def test_a_released_pair_is_kept_for_the_next(pool: Pool) -> None:
    slot = lend(pool)
    textures = pair(slot)
    pool.release(slot)
    assert counts(pool) == (0, 1)
    assert pool.memory_bytes == 2 * 64 * 64 * 4
    assert pair(lend(pool)) == textures


def test_an_old_slot_is_not_the_new_one(pool: Pool) -> None:
    """Who still holds a slot that was given back cannot release what somebody else has now."""
    old = lend(pool)
    pool.release(old)
    new = lend(pool)
    assert pair(new) == pair(old)
    assert not pool.is_valid(old)
    assert pool.is_valid(new)
    pool.release(old)
    pool.force_release(old)
    assert not pool.reinit_size(old, 32)
    assert pool.is_valid(new)
    assert counts(pool) == (1, 0)


def test_releasing_twice_does_nothing(pool: Pool) -> None:
    slot = lend(pool)
    pool.release(slot)
    pool.release(slot)
    assert counts(pool) == (0, 1)


def test_force_release_frees_the_memory(base: Any, pool: Pool) -> None:
    slot, other = lend(pool), lend(pool)
    step(base)
    assert buffers(base) == 4
    pool.force_release(slot)
    assert counts(pool) == (1, 0)
    assert pool.memory_bytes == other.memory_bytes
    assert not pool.is_valid(slot)
    assert pool.is_valid(other)
    step(base)
    assert buffers(base) == 2
    pool.force_release(slot)
    assert counts(pool) == (1, 0)


def test_force_release_of_a_free_pair_does_nothing(pool: Pool) -> None:
    slot = lend(pool)
    pool.release(slot)
    pool.force_release(slot)
    assert counts(pool) == (0, 1)


def test_is_valid(base: Any, pool: Pool) -> None:
    slot = lend(pool)
    step(base)
    assert pool.is_valid(slot)
    pool.release(slot)
    assert not pool.is_valid(slot)
    again = lend(pool)
    assert pool.is_valid(again)
    again.temp.destroy()
    assert not pool.is_valid(again)
    pool.destroy()
    assert not pool.is_valid(again)


def test_a_slot_of_another_pool_is_not_ours(base: Any, pool: Pool) -> None:
    other = new_pool(base, max_pool_size=1)
    slot = lend(other)
    assert not pool.is_valid(slot)
    pool.release(slot)
    pool.force_release(slot)
    assert not pool.reinit_size(slot, 32)
    assert counts(pool) == (0, 0)
    assert other.is_valid(slot)
    other.destroy()


# Sizes.


def test_reinit_size(base: Any, pool: Pool) -> None:
    slot = lend(pool, 64, "rgba16f")
    before = pair(slot)
    assert pool.reinit_size(slot, 128)
    assert (slot.size, slot.format) == (128, HALF)
    assert pair(slot) != before
    assert counts(pool) == (1, 0)
    assert pool.memory_bytes == slot.memory_bytes == 2 * 128 * 128 * 8
    assert pool.is_valid(slot)
    step(base)
    assert buffers(base) == 2
    pool.release(slot)
    assert counts(pool) == (0, 1)


def test_reinit_size_of_what_is_not_lent(pool: Pool) -> None:
    slot = lend(pool)
    pool.release(slot)
    assert not pool.reinit_size(slot, 128)
    assert slot.size == 64
    assert counts(pool) == (0, 1)


def test_resize_gives_free_pairs_back(pool: Pool) -> None:
    slots = [lend(pool) for _ in range(3)]
    for slot in slots[:2]:
        pool.release(slot)
    pool.apply(StampConfig(max_pool_size=2))
    assert counts(pool) == (1, 1)
    pool.apply(StampConfig(max_pool_size=1))
    assert counts(pool) == (1, 0)
    assert pool.max_size == 1
    assert pool.is_valid(slots[2])


def test_resize_never_takes_what_is_in_use(pool: Pool) -> None:
    slots = [lend(pool) for _ in range(3)]
    pool.apply(StampConfig(max_pool_size=1))
    assert counts(pool) == (3, 0)
    assert all(pool.is_valid(slot) for slot in slots)
    assert pool.allocate(64, RGBA8) is None
    pool.apply(StampConfig(max_pool_size=4))
    lend(pool)
    assert counts(pool) == (4, 0)


def test_pairs_beyond_the_size_are_not_lent_again(pool: Pool) -> None:
    """A smaller size holds as soon as pairs come back."""
    slots = [lend(pool) for _ in range(3)]
    pool.apply(StampConfig(max_pool_size=1))
    for slot in slots:
        pool.release(slot)
    assert pool.active_count + pool.free_count <= 1
    lend(pool)
    assert pool.allocate(64, RGBA8) is None


# The end.


def test_destroy_gives_everything_back(base: Any, pool: Pool) -> None:
    windows = base.graphics_engine.get_num_windows()
    slots = [lend(pool) for _ in range(3)]
    pool.release(slots[0])
    step(base)
    assert base.graphics_engine.get_num_windows() == windows + 6
    pool.destroy()
    assert counts(pool) == (0, 0)
    assert pool.memory_bytes == 0
    assert base.graphics_engine.get_num_windows() == windows
    pool.destroy()
    for slot in slots:
        pool.release(slot)
    assert counts(pool) == (0, 0)


# The log.


def test_nothing_is_logged_without_the_variable(notify: NotifyLog, pool: Pool) -> None:
    slot = lend(pool)
    pool.reinit_size(slot, 32)
    pool.release(slot)
    lend(pool, 64)
    assert notify.text == ""


def test_every_step_is_logged(notify: NotifyLog, pool: Pool) -> None:
    notify.allow(r":rtstamp\(warning\): pool: ")
    with prc("rtstamp-pool-debug 1"):
        first, second = lend(pool, 64), lend(pool, 64, "rgba16f")
        pool.release(first)
        third = lend(pool, 64)
        pool.release(third, "evicted")
        lend(pool, 32)
        pool.reinit_size(second, 128)
        pool.force_release(second)
    lend(pool, 64)
    prefix = ":rtstamp(warning): pool: rtstamp-primary-"
    lines = notify.text.splitlines()
    assert all(line.startswith(prefix) for line in lines)
    assert [line.removeprefix(prefix) for line in lines] == [
        "1 (64 x 64 rgba8) made; 1 used, 0 free of 3",
        "2 (64 x 64 rgba16f) made; 2 used, 0 free of 3",
        "1 (64 x 64 rgba8) released; 1 used, 1 free of 3",
        "1 (64 x 64 rgba8) allocated; 2 used, 0 free of 3",
        "1 (64 x 64 rgba8) evicted; 1 used, 1 free of 3",
        "3 (32 x 32 rgba8) re-created from rtstamp-primary-1 (64 x 64 rgba8); 2 used, 0 free of 3",
        "4 (128 x 128 rgba16f) re-created from rtstamp-primary-2 (64 x 64 rgba16f); 2 used, 0 free of 3",
        "4 (128 x 128 rgba16f) destroyed; 1 used, 0 free of 3",
    ]
