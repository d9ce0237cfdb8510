"""Files that are written as a whole or not at all, and read as a whole or not at all."""

import os
import struct
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from panda3d.core import Filename

from panda_rtstamp.core.packing import MalformedError
from panda_rtstamp.errors import ConfigError, StoreError

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


def write_whole(path: Path, data: bytes, what: str) -> None:
    """Write a file, in place of what it held before: all of it, or it stays what it was.

    Args:
        what: it holds, as messages say it.

    Raises:
        StoreError: it cannot be written.
    """
    # Under another name first: a game may be killed while it writes.
    draft = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        try:
            with draft.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            draft.replace(path)
        finally:
            draft.unlink(missing_ok=True)
    except OSError as error:
        raise StoreError(f"{what} cannot be saved in {path}: {error}") from error


@dataclass(frozen=True)
class FileKind:
    """A kind of file of ours.

    Attributes:
        magic: what it begins with.
        version: to be raised with every change of what it holds.
        what: it holds, as messages say it.
        writer: what writes it, as messages say it.
    """

    magic: bytes
    version: int
    what: str
    writer: str

    def write(self, path: Path, body: bytes) -> None:
        """Write a file, in place of what it held before: all of it, or it stays what it was.

        Raises:
            StoreError: it cannot be written.
        """
        header = _HEADER.pack(self.version, len(body), zlib.crc32(body))
        write_whole(path, self.magic + header + body, self.what)

    def read(self, path: Path) -> bytes:
        """What was written.

        Raises:
            StoreError: it cannot be read, is damaged or cut off, of a later version, or of another kind.
        """
        try:
            data = path.read_bytes()
        except OSError as error:
            raise StoreError(f"{self.what} cannot be loaded from {path}: {error}") from error
        try:
            return self._body(data)
        except MalformedError as error:
            raise self.refusal(path, error) from None

    def refusal(self, path: Path, error: MalformedError) -> StoreError:
        """What to raise where the body is not what it should be."""
        return StoreError(f"{self.what} cannot be loaded from {path}: {error}")

    def _body(self, data: bytes) -> bytes:
        start = len(self.magic) + _HEADER.size
        if not data or not self.magic.startswith(data[: len(self.magic)]):
            raise MalformedError(f"it is no file that {self.writer} wrote")
        if len(data) < start:
            raise MalformedError(f"it is cut off after {len(data)} bytes")
        version, size, checksum = _HEADER.unpack(data[len(self.magic) : start])
        if version > self.version:
            raise MalformedError(
                f"it is of version {version}, and versions up to {self.version} are known here"
            )
        body = data[start:]
        if len(body) < size:
            raise MalformedError(f"it is cut off: of {size} bytes {len(body)} are there")
        if version < 1 or len(body) > size or zlib.crc32(body) != checksum:
            raise MalformedError("it is damaged: its checksum is wrong")
        return body
