"""Unwrapping in the background: in a process of its own, or in a thread where there can be none."""

import atexit
import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import weakref
from pathlib import Path

import numpy as np
import numpy.typing as npt

from panda_rtstamp.core.unwrap import worker
from panda_rtstamp.core.unwrap.atlas import Atlas, check_arrays, make_atlas, methods_of

# How long a process may take beside what its method may: to start, and for our own method.
_START_SECONDS = 20.0
_OWN_SECONDS = 5e-4
# How long an interpreter that ends waits for a thread to notice.
_STOP_SECONDS = 5.0


class Job:
    """An unwrap in the background. What fails there is done once more by "own", in a thread."""

    def __init__(self, positions: npt.ArrayLike, parts: npt.ArrayLike, method: str, seconds: float) -> None:
        methods = methods_of(method)
        corners, numbers = check_arrays(positions, parts)
        # The caller's may change meanwhile.
        self._arguments = corners.copy(), numbers.copy()
        self._result: Atlas | None = None
        self._run: _Process | _Thread | None = None
        if _can_start_processes():
            with contextlib.suppress(OSError):
                self._run = _Process(*self._arguments, method, seconds)
        if self._run is None:
            # xatlas would hold the interpreter's lock, and the game, until it is done.
            self._run = _Thread(*self._arguments, [name for name in methods if name != "xatlas"], seconds)

    @classmethod
    def start(
        cls, positions: npt.ArrayLike, parts: npt.ArrayLike, method: str = "auto", seconds: float = 30.0
    ) -> "Job":
        """Begin an unwrap; see `unwrap` for the arguments, and what they may not be."""
        return cls(positions, parts, method, seconds)

    def poll(self) -> Atlas | None:
        """The atlas, once it is there; None before, and after `cancel`. Never waits, never raises."""
        if self._run is not None and self._run.done:
            run, self._run = self._run, None
            self._result = run.result()
            run.stop()
            if self._result is None and isinstance(run, _Process):
                self._run = _Thread(*self._arguments, ["own"], 0.0)
        return self._result

    def cancel(self) -> None:
        """Stop. Nothing is left behind. May be called more than once."""
        run, self._run = self._run, None
        self._result = None
        if run is not None:
            run.stop()


def _can_start_processes() -> bool:
    """Whether sys.executable runs Python, and not the game again."""
    if getattr(sys, "frozen", False) or not sys.executable:
        return False
    name = Path(sys.executable).name.lower()
    return "python" in name or "pypy" in name


class _Process:
    """A child process. Arrays go through files in a temporary folder."""

    def __init__(
        self, positions: npt.NDArray[np.float64], parts: npt.NDArray[np.int64], method: str, seconds: float
    ) -> None:
        self._count = len(positions)
        self._end = time.monotonic() + seconds + _START_SECONDS + _OWN_SECONDS * len(positions)
        self._folder = Path(tempfile.mkdtemp(prefix="rtstamp-unwrap-"))
        try:
            worker.write_input(self._folder, positions, parts, method, seconds)
            paths = [str(Path(path).absolute()) for path in sys.path]
            self._process = subprocess.Popen(
                [sys.executable, "-m", worker.__name__, str(self._folder)],
                # The child sees by its end when this process is gone, see worker.
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                # Python looks for modules there first: nothing of the user's may lie in the way.
                cwd=self._folder,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
                creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
            )
        except BaseException:
            shutil.rmtree(self._folder, ignore_errors=True)
            raise
        # Runs too when this object is dropped, and when the interpreter ends.
        self.stop = weakref.finalize(self, _end_process, self._process, self._folder)

    @property
    def done(self) -> bool:
        return self._process.poll() is not None or time.monotonic() > self._end

    def result(self) -> Atlas | None:
        """What the child made of it; None if it failed."""
        if self._process.poll() != 0:
            return None
        return worker.read_output(self._folder, self._count)


def _end_process(process: "subprocess.Popen[bytes]", folder: Path) -> None:
    with contextlib.suppress(OSError):
        process.kill()
    process.wait()
    if process.stdin is not None:
        with contextlib.suppress(OSError):
            process.stdin.close()
    shutil.rmtree(folder, ignore_errors=True)


class _StopError(Exception):
    """Raised inside the thread to end it."""


class _Thread:
    """A daemon thread, which looks now and then whether it should end."""

    def __init__(
        self,
        positions: npt.NDArray[np.float64],
        parts: npt.NDArray[np.int64],
        methods: list[str],
        seconds: float,
    ) -> None:
        self._found: list[Atlas] = []
        ending = threading.Event()
        self._thread = threading.Thread(
            target=_unwrap_until,
            args=(ending, self._found, positions, parts, methods, seconds),
            name="rtstamp-unwrap",
            daemon=True,
        )
        self._thread.start()
        _threads[self._thread] = ending
        self.stop = weakref.finalize(self, ending.set)

    @property
    def done(self) -> bool:
        return not self._thread.is_alive()

    def result(self) -> Atlas | None:
        return self._found[0] if self._found else None


def _unwrap_until(
    ending: threading.Event,
    found: list[Atlas],
    positions: npt.NDArray[np.float64],
    parts: npt.NDArray[np.int64],
    methods: list[str],
    seconds: float,
) -> None:
    def look(share: float) -> None:
        if ending.is_set():
            raise _StopError

    with contextlib.suppress(_StopError):
        found.append(make_atlas(positions, parts, methods, seconds, look))


# Threads that run, and what ends them.
_threads: weakref.WeakKeyDictionary[threading.Thread, threading.Event] = weakref.WeakKeyDictionary()


@atexit.register
def _end_threads() -> None:
    """An interpreter that ends under a thread that computes may crash."""
    for thread, ending in list(_threads.items()):
        ending.set()
        thread.join(_STOP_SECONDS)
