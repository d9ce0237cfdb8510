"""The file that marks are saved in."""

from collections.abc import Sequence
from pathlib import Path

from panda_rtstamp.core.files import FileKind
from panda_rtstamp.core.packing import MalformedError, Reader, Writer
from panda_rtstamp.stamps.saved import SavedMarks

# To be raised with every change of what a file holds, and of what a hit's record does.
VERSION = 1
_KIND = FileKind(b"rtstamp\n", VERSION, "marks", "StampSystem.save")


def write_file(path: Path, saved: Sequence[SavedMarks]) -> None:
    """Write marks to a file, in place of what it held before: all of them, or it stays what it was.

    Raises:
        StoreError: it cannot be written.
    """
    body = Writer()
    body.put("I", len(saved))
    for marks in saved:
        marks.write(body)
    _KIND.write(path, body.data)


def read_file(path: Path) -> list[SavedMarks]:
    """The marks in a file.

    Raises:
        StoreError: it cannot be read, is damaged or cut off, of a later version, or no file of marks.
    """
    reader = Reader(_KIND.read(path))
    try:
        (count,) = reader.take("I")
        saved = [SavedMarks.read(reader) for _ in range(count)]
        reader.finish()
    except MalformedError as error:
        raise _KIND.refusal(path, error) from None
    return saved
