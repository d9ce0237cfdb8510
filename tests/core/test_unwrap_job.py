"""Unwrapping in the background: the same result, and nothing left behind whatever happens."""

import gc
import os
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from panda_rtstamp.core.unwrap import METHODS, Atlas, Job, unwrap, worker
from support import run_python
from unwrap_support import Floats, check_atlas, cube, one_part, sphere

SECONDS = 60.0


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where jobs lay their files: empty again after each test."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def start(positions: Floats, method: str = "own") -> Job:
    return Job.start(positions, one_part(positions), method, 30.0)


def wait_for(job: Job) -> Atlas:
    """The job's atlas. Polls as a game does, a frame at a time."""
    frame = threading.Event()
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        atlas = job.poll()
        if atlas is not None:
            return atlas
        frame.wait(1 / 60)
    raise AssertionError(f"no atlas in {SECONDS} s")


def assert_equal(one: Atlas, two: Atlas) -> None:
    assert one.method == two.method
    assert one.padding == two.padding
    assert one.corners.tobytes() == two.corners.tobytes()
    assert one.charts.tobytes() == two.charts.tobytes()


def child_of(job: Job) -> int:
    """The process number of a job's child."""
    return int(job._run._process.pid)  # type: ignore[union-attr]


def is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def unwrap_threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "rtstamp-unwrap"]


def join_threads() -> None:
    for thread in unwrap_threads():
        thread.join(SECONDS)
    assert not unwrap_threads()


@pytest.mark.parametrize("method", METHODS)
def test_job_gives_what_unwrap_gives(method: str, temporary: Path) -> None:
    if method != "own":
        pytest.importorskip(method)
    positions = sphere()
    job = start(positions, method)
    atlas = wait_for(job)
    assert_equal(atlas, unwrap(positions, one_part(positions), method))
    assert job.poll() is atlas
    assert not list(temporary.iterdir())


def test_arrays_may_change_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    positions = sphere()
    expected = unwrap(positions, one_part(positions), "own")
    job = start(positions)
    positions[:] = 0.0
    assert_equal(wait_for(job), expected)


def test_wrong_arguments_are_told_at_once(temporary: Path) -> None:
    with pytest.raises(ValueError, match="method"):
        Job.start(cube(), one_part(cube()), "magic", 1.0)
    with pytest.raises(ValueError, match="positions"):
        Job.start(np.zeros((2, 3)), np.zeros(2), "own", 1.0)
    assert not list(temporary.iterdir())


def test_cancel_leaves_nothing(temporary: Path) -> None:
    job = start(sphere(100))
    child = child_of(job)
    assert is_alive(child)
    assert job.poll() is None
    job.cancel()
    assert not is_alive(child)
    assert not list(temporary.iterdir())
    job.cancel()
    assert job.poll() is None


def test_dropped_job_leaves_nothing(temporary: Path) -> None:
    job = start(sphere(100))
    child = child_of(job)
    del job
    gc.collect()
    assert not is_alive(child)
    assert not list(temporary.iterdir())


def test_child_that_is_killed(temporary: Path) -> None:
    positions = sphere()
    job = start(positions)
    job._run._process.kill()  # type: ignore[union-attr]
    assert_equal(wait_for(job), unwrap(positions, one_part(positions), "own"))
    assert not list(temporary.iterdir())
    join_threads()


def test_child_that_takes_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    positions = sphere()
    job = start(positions)
    monkeypatch.setattr(job._run, "_end", time.monotonic())
    child = child_of(job)
    atlas = job.poll() or wait_for(job)
    assert not is_alive(child)
    assert_equal(atlas, unwrap(positions, one_part(positions), "own"))
    join_threads()


@pytest.mark.parametrize("garbage", ["input", "interpreter", "environment"])
def test_child_that_fails(garbage: str, monkeypatch: pytest.MonkeyPatch, temporary: Path) -> None:
    if garbage == "input":
        monkeypatch.setattr(worker, "write_input", lambda folder, *rest: None)
    elif garbage == "interpreter":
        monkeypatch.setattr(sys, "executable", str(temporary.parent / "no-python"))
    else:
        monkeypatch.setenv("PYTHONHOME", str(temporary))
    positions = sphere()
    assert_equal(wait_for(start(positions)), unwrap(positions, one_part(positions), "own"))
    assert not list(temporary.iterdir())
    join_threads()


def test_output_is_read_only_if_it_makes_sense(temporary: Path) -> None:
    good = {
        "corners": np.full((2, 3, 2), 0.5, np.float32),
        "charts": np.zeros(2, np.int32),
        "method": "own",
        "padding": 8.0,
    }
    file = temporary / "output.npz"

    def read(**changes: object) -> Atlas | None:
        np.savez(file, **{**good, **changes})  # type: ignore[arg-type]
        return worker.read_output(temporary, 2)

    assert read() is not None
    assert read(method="magic") is None
    assert read(corners=np.full((2, 3, 2), np.nan)) is None
    assert read(corners=np.full((2, 3, 2), 1.5)) is None
    assert read(corners=np.zeros((3, 3, 2))) is None
    assert read(charts=np.zeros(3)) is None
    read()
    whole = file.read_bytes()
    for content in (b"", whole[: len(whole) // 2], b"nonsense" * 100):
        file.write_bytes(content)
        assert worker.read_output(temporary, 2) is None
    file.unlink()
    assert worker.read_output(temporary, 2) is None


@pytest.mark.parametrize("executable", ["frozen", "none", "game"])
def test_thread_where_no_process_can_be(
    executable: str, monkeypatch: pytest.MonkeyPatch, temporary: Path
) -> None:
    if executable == "frozen":
        monkeypatch.setattr(sys, "frozen", True, raising=False)
    else:
        monkeypatch.setattr(sys, "executable", "" if executable == "none" else "/opt/shooter/game")
    positions = sphere()
    job = start(positions)
    assert unwrap_threads()
    assert not list(temporary.iterdir())
    assert_equal(wait_for(job), unwrap(positions, one_part(positions), "own"))
    join_threads()


def test_xatlas_runs_in_no_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert wait_for(start(sphere(), "xatlas")).method == "own"
    assert wait_for(start(sphere(), "auto")).method in ("uvunwrap", "own")
    join_threads()


@pytest.mark.parametrize("dropped", [False, True])
def test_thread_ends_when_cancelled(dropped: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    job = start(sphere(150))
    assert job.poll() is None
    if dropped:
        del job
        gc.collect()
    else:
        job.cancel()
        job.cancel()
        assert job.poll() is None
    join_threads()


_LEAVE = """
import os, sys, tempfile
import numpy as np
from panda_rtstamp.core.unwrap import Job
sys.frozen = len(sys.argv) > 3
if not sys.frozen:
    del sys.frozen
tempfile.tempdir = sys.argv[1]
job = Job.start(np.random.default_rng(1).normal(size=(20000, 3, 3)), np.zeros(20000, int), "own", 30.0)
print(0 if hasattr(sys, "frozen") else job._run._process.pid, flush=True)
if sys.argv[2] == "crash":
    os._exit(3)
"""


@pytest.mark.parametrize("how", ["end", "crash", "end in a thread"])
def test_nothing_is_left_by_an_interpreter_that_ends(how: str, temporary: Path) -> None:
    end, *thread = how.split(" in a ")
    done = run_python("-c", _LEAVE, str(temporary), end, *thread)
    assert done.returncode == (3 if end == "crash" else 0), done.stderr
    assert not done.stderr
    child = int(done.stdout)
    frame = threading.Event()
    deadline = time.monotonic() + SECONDS
    # After a crash, the child sees by itself that it is alone.
    while end == "crash" and time.monotonic() < deadline and is_running(child):
        frame.wait(1 / 60)
    assert not list(temporary.iterdir())
    assert not child or not is_running(child)


def is_running(process: int) -> bool:
    """Whether a process that is not our child runs; one that has ended and waits to be buried does not."""
    if not is_alive(process):
        return False
    status = Path(f"/proc/{process}/stat")
    return not status.is_file() or status.read_text().rpartition(")")[2].split()[0] != "Z"


def test_atlas_of_a_job_is_sound() -> None:
    check_atlas(wait_for(start(cube())), cube())
