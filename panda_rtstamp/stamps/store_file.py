"""The file that marks are saved in: written as a whole or not at all, and read as a whole or not at all."""

import os
import struct
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from panda3d.core import Filename

from panda_rtstamp.core.packing import MalformedError, Reader, Writer
from panda_rtstamp.errors import ConfigError, StoreError
from panda_rtstamp.stamps.saved import SavedMarks

# To be raised with every change of what a file holds, and of what a hit's record does.
VERSION = 1
_MAGIC = b"rtstamp\n"
# After the magic: the version, and of what follows the size and the checksum.
_HEADER = struct.Struct("<HQI")


def as_path(path: Any) -> Path:
    """What users name files by. Raises ConfigError."""
    if isinstance(path, Filename):
        path = path.to_os_specific()
    name = os.fsdecode(path) if isinstance(path, (str, os.PathLike)) else ""
    if not Path(name).name or "\0" in name:
        raise ConfigError(f"path must be a file's path, got {path!r}")
    return Path(name)


def write_file(path: Path, saved: Sequence[SavedMarks]) -> None:
    """Write marks to a file, in place of what it held before: all of them, or it stays what it was.

    Raises:
        StoreError: it cannot be written.
    """
    body = Writer()
    body.put("I", len(saved))
    for marks in saved:
        marks.write(body)
    header = _HEADER.pack(VERSION, len(body.data), zlib.crc32(body.data))
    # Under another name first: a game may be killed while it writes.
    draft = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        try:
            with draft.open("wb") as file:
                file.write(_MAGIC + header + body.data)
                file.flush()
                os.fsync(file.fileno())
            draft.replace(path)
        finally:
            draft.unlink(missing_ok=True)
    except OSError as error:
        raise StoreError(f"marks cannot be saved in {path}: {error}") from error


def read_file(path: Path) -> list[SavedMarks]:
    """The marks in a file.

    Raises:
        StoreError: it cannot be read, is damaged or cut off, of a later version, or no file of marks.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise StoreError(f"marks cannot be loaded from {path}: {error}") from error
    try:
        return _parse(data)
    except MalformedError as error:
        raise StoreError(f"marks cannot be loaded from {path}: {error}") from None


def _parse(data: bytes) -> list[SavedMarks]:
    start = len(_MAGIC) + _HEADER.size
    if not data or not _MAGIC.startswith(data[: len(_MAGIC)]):
        raise MalformedError("it is no file that StampSystem.save wrote")
    if len(data) < start:
        raise MalformedError(f"it is cut off after {len(data)} bytes")
    version, size, checksum = _HEADER.unpack(data[len(_MAGIC) : start])
    if version > VERSION:
        raise MalformedError(f"it is of version {version}, and versions up to {VERSION} are known here")
    body = data[start:]
    if len(body) < size:
        raise MalformedError(f"it is cut off: of {size} bytes {len(body)} are there")
    if version < 1 or len(body) > size or zlib.crc32(body) != checksum:
        raise MalformedError("it is damaged: its checksum is wrong")
    reader = Reader(body)
    (count,) = reader.take("I")
    saved = [SavedMarks.read(reader) for _ in range(count)]
    reader.finish()
    return saved
