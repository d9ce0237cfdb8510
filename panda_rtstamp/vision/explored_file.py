"""The file that what was explored is saved in."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from panda_rtstamp.core.files import FileKind
from panda_rtstamp.core.packing import MalformedError, Reader, Writer

_KIND = FileKind(b"rtstamp-explored\n", 1, "what was explored", "VisionMask.save_explored")


@dataclass(frozen=True)
class Explored:
    """What was ever seen of a rectangle of the world.

    Attributes:
        center, size: of the rectangle, in the world.
        texels: uint8 (n, n), row 0 at the least Y; 255 is seen.
    """

    center: tuple[float, float]
    size: tuple[float, float]
    texels: npt.NDArray[np.uint8]


def write_file(path: Path, explored: Explored) -> None:
    """Write it, in place of what the file held before. Raises StoreError: it cannot be written."""
    body = Writer()
    body.put("4dI", *explored.center, *explored.size, len(explored.texels))
    body.put_array(explored.texels)
    _KIND.write(path, body.data)


def read_file(path: Path) -> Explored:
    """What a file holds.

    Raises:
        StoreError: it cannot be read, is damaged or cut off, of a later version, or another kind of file.
    """
    reader = Reader(_KIND.read(path))
    try:
        x, y, width, height, edge = reader.take("4dI")
        texels = reader.take_array(np.dtype(np.uint8), (edge, edge))
        reader.finish()
        if texels is None:
            raise MalformedError("it holds nothing")
    except MalformedError as error:
        raise _KIND.refusal(path, error) from None
    return Explored((x, y), (width, height), texels)
