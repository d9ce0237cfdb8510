"""Values as bytes, for files and networks, and back: whoever reads trusts nothing.

Little-endian whatever the machine, and no code is ever run by what is read.
"""

import math
import struct
import zlib
from typing import Any

import numpy as np
import numpy.typing as npt

# Zlib's: much faster than its usual 6, and hardly larger for what is mostly zeros.
_LEVEL = 3
# So that a small file cannot fill the memory; twice the largest texture of marks.
_LARGEST_ARRAY = 2**28


class MalformedError(ValueError):
    """The bytes are not what they should be."""


class Writer:
    """Puts values one after another."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def put(self, layout: str, *values: float) -> None:
        """Numbers, by a layout of `struct` without its byte order."""
        self._parts.append(struct.pack(f"<{layout}", *values))

    def put_text(self, text: str) -> None:
        """At most 65,535 bytes of UTF-8."""
        encoded = text.encode("utf-8")
        self.put("H", len(encoded))
        self._parts.append(encoded)

    def put_blob(self, data: bytes) -> None:
        """Less than 4 GiB."""
        self.put("I", len(data))
        self._parts.append(data)

    def put_array(self, values: npt.NDArray[np.generic] | None) -> None:
        """An array, compressed; or that there is none."""
        self.put("BI", values is not None, 0 if values is None else values.nbytes)
        if values is not None:
            little = values.astype(values.dtype.newbyteorder("<"), copy=False)
            self.put_blob(zlib.compress(little.tobytes(), _LEVEL))

    @property
    def data(self) -> bytes:
        """All of it."""
        return b"".join(self._parts)


class Reader:
    """Takes what a Writer put, in the same order. Everything raises MalformedError where it is not there."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def take(self, layout: str) -> tuple[Any, ...]:
        """Numbers, all finite."""
        values = struct.unpack(f"<{layout}", self._bytes(struct.calcsize(f"<{layout}")))
        if not all(math.isfinite(value) for value in values):
            raise MalformedError("a number is not finite")
        return values

    def take_text(self) -> str:
        """See Writer.put_text."""
        (size,) = self.take("H")
        try:
            return self._bytes(size).decode("utf-8")
        except UnicodeDecodeError:
            raise MalformedError("a text is no UTF-8") from None

    def take_blob(self) -> bytes:
        """See Writer.put_blob."""
        (size,) = self.take("I")
        return self._bytes(size)

    def take_array(self, kind: np.dtype[Any], shape: tuple[int, ...]) -> npt.NDArray[Any] | None:
        """See Writer.put_array.

        Args:
            kind: of the array's numbers.
            shape: that it must have; -1 stands for any.
        """
        there, size = self.take("BI")
        if not there:
            return None
        stream = zlib.decompressobj()
        try:
            # One byte more than there should be, to see that there is none.
            data = stream.decompress(self.take_blob(), min(size, _LARGEST_ARRAY) + 1)
        except zlib.error:
            raise MalformedError("what is compressed is damaged") from None
        if len(data) != size or not stream.eof:
            raise MalformedError("an array is of the wrong size")
        try:
            return np.frombuffer(data, kind).reshape(shape).astype(kind.newbyteorder("="))
        except ValueError:
            raise MalformedError("an array is of the wrong shape") from None

    def _bytes(self, size: int) -> bytes:
        left = len(self._data) - self._at
        if size > left:
            raise MalformedError(f"it ends too early: {size} more bytes were to come, {left} did")
        self._at += size
        return self._data[self._at - size : self._at]

    def finish(self) -> None:
        """There must be nothing left."""
        if self._at < len(self._data):
            raise MalformedError(f"it is {len(self._data) - self._at} bytes too long")
