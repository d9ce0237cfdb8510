"""How the commands speak: a report in lines, a progress bar, one sentence where something is wrong."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType

from panda3d.core import Notify, StringStream

_BAR = 40
# Where there is no terminal, a line each time so much more is done.
_LINE_EVERY = 0.25


class CommandError(Exception):
    """What was asked for cannot be done; the text is a sentence for the user."""


def say(name: str, value: object) -> None:
    """Print one line of the report."""
    print(f"  {name:22}{value}".rstrip())


@contextmanager
def captured_log() -> Iterator[StringStream]:
    """Keep Panda's own messages off the screen: they are shown only where they explain a failure."""
    notify = Notify.ptr()
    before = notify.get_ostream_ptr()
    stream = StringStream()
    notify.set_ostream_ptr(stream, False)
    try:
        yield stream
    finally:
        notify.set_ostream_ptr(before, False)


def problems(stream: StringStream) -> list[str]:
    """The errors and warnings in what was captured, each once."""
    lines = stream.get_data().decode("utf-8", "replace").splitlines()
    return list(dict.fromkeys(line for line in lines if "(error)" in line or "(warning)" in line))


class Progress:
    """On the error stream: a bar that goes when it is done, or plain lines where that is no terminal."""

    def __init__(self, label: str) -> None:
        self._label = label
        self._is_terminal = sys.stderr.isatty()
        self._said = -1.0

    def __call__(self, share: float) -> None:
        """Show that this share is done, 0..1."""
        if self._is_terminal:
            done = round(share * _BAR)
            bar = "#" * done + "." * (_BAR - done)
            print(f"\r  {self._label} [{bar}] {share:4.0%}", end="", file=sys.stderr, flush=True)
        elif share >= self._said + _LINE_EVERY or share >= 1.0 > self._said:
            print(f"{self._label}: {share:.0%}", file=sys.stderr, flush=True)
        else:
            return
        self._said = share

    def __enter__(self) -> "Progress":
        self(0.0)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._is_terminal:
            width = len(self._label) + _BAR + 12
            print("\r" + " " * width + "\r", end="", file=sys.stderr, flush=True)
