"""One node's marks as they are kept in a file."""

import hashlib
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from panda3d.core import NodePath

from panda_rtstamp.core.config import Color, power_of_two
from panda_rtstamp.core.geometry import column
from panda_rtstamp.core.geoms import drawn_once
from panda_rtstamp.core.packing import MalformedError, Reader, Writer
from panda_rtstamp.core.target import FORMATS, Format
from panda_rtstamp.stamps.atlas_files import Corners
from panda_rtstamp.stamps.atlases import as_uvs
from panda_rtstamp.stamps.hit import Hit
from panda_rtstamp.stamps.mesh import Mesh
from panda_rtstamp.stamps.names import NodeName
from panda_rtstamp.stamps.record import read_hit, write_hit
from panda_rtstamp.stamps.surface import Surface
from panda_rtstamp.stamps.texels import Texels, to_texels, to_values, type_of, with_channels
from panda_rtstamp.stamps.uvs import COLUMN

_KEY_BYTES = 16
_LARGEST = 4096
_SMALLEST = 64
_STEPS = 65535.0
_FADE = "3dB3d"


@dataclass(frozen=True)
class FadeState:
    """How far a fade is.

    Attributes:
        alpha, pending, headroom: see `Fade`, as of when it was saved.
        fading: False while the marks are held.
        duration: seconds that start_fade was called with; 0 for the config's.
        radius: of the largest hit.
        age: seconds since the last hit.
    """

    alpha: float
    pending: float
    headroom: float
    fading: bool
    duration: float
    radius: float
    age: float


@dataclass(frozen=True)
class Places:
    """Where the triangles of a mesh lie on the texture.

    Attributes:
        digest: identifies it; empty while nothing is known, as the model is still being unwrapped.
        corners: what Atlases hold, by which any machine lays it out alike; None where 16 bits do not hold it,
            as they hold every atlas, and it is a UV set of the model.
    """

    digest: bytes = b""
    corners: Corners | None = None

    @staticmethod
    def of(mesh: Mesh, was_made: bool) -> "Places":
        """Those of a prepared mesh; `was_made`: by an unwrapper, ours or one before the game started."""
        uvs = _stamp_uvs(mesh)
        digest = hashlib.blake2b(uvs.astype("<f4").tobytes(), digest_size=_KEY_BYTES).digest()
        # Of a UV set never: held as an atlas, it would be that of every model of the same geometry.
        corners = np.round(np.clip(uvs, 0.0, 1.0) * _STEPS).astype(np.uint16)
        return Places(digest, corners if was_made and np.array_equal(as_uvs(corners), uvs) else None)


def mesh_of(node: NodePath, surface: Surface) -> Mesh:
    """What a surface of a node marks, if it is ready."""
    paths = [part.anchor.node() for part in surface.parts]
    return Mesh(node, drawn_once([path for path in paths if not path.is_empty()]))


def _stamp_uvs(mesh: Mesh) -> npt.NDArray[np.float32]:
    found = np.zeros((mesh.count, 3, 2), np.float32)
    for piece, places in zip(mesh.pieces, mesh.split(found), strict=True):
        values = column(piece.vertices, COLUMN)
        if values is not None:
            places[:] = values[:, :2][piece.triangles]
    return found


@dataclass(frozen=True)
class SavedMarks:
    """The marks of one node.

    Attributes:
        name: of the node.
        geometry: the key of its mesh.
        places: of the mesh on the texture.
        size: texels along an edge.
        format: of the textures.
        texels: what Temp holds; None if nothing was drawn yet.
        fade: how far it is.
        hits: that wait to be drawn, in the node's own space.
    """

    name: NodeName
    geometry: str
    places: Places
    size: int
    format: Format
    texels: Texels | None
    fade: FadeState
    hits: tuple[Hit, ...]

    def strength(self, age_weight: float) -> float:
        """By which they stay where there is not room for all."""
        return self.fade.alpha - self.fade.age * age_weight

    def fits(self, node: NodePath, surface: Surface) -> bool:
        """True if the node's surface lies on the texture as it did, or nothing was drawn on it."""
        if not self.places.digest:
            return True
        return (
            surface.ready and Places.of(mesh_of(node, surface), surface.was_made).digest == self.places.digest
        )

    def texels_for(self, format: Format, headroom: float, color: Color) -> Texels | None:
        """What a Temp of this format and headroom is to hold; in one of four channels a mask has `color`."""
        if self.texels is None or (format == self.format and headroom == self.fade.headroom):
            return self.texels
        values = to_values(self.texels) * np.float32(headroom / self.fade.headroom)
        return to_texels(with_channels(values, format.channels, color), format)

    def write(self, writer: Writer) -> None:
        """As bytes."""
        self.name.write(writer)
        writer.put_blob(bytes.fromhex(self.geometry))
        writer.put_blob(self.places.digest)
        writer.put_array(self.places.corners)
        writer.put("I", self.size)
        writer.put_text(self.format.name)
        writer.put_array(self.texels)
        fade = self.fade
        writer.put(
            _FADE, fade.alpha, fade.pending, fade.headroom, fade.fading, fade.duration, fade.radius, fade.age
        )
        writer.put("I", len(self.hits))
        for hit in self.hits:
            write_hit(writer, hit)

    @staticmethod
    def read(reader: Reader) -> "SavedMarks":
        """What `write` wrote. Raises MalformedError."""
        name = NodeName.read(reader)
        geometry, digest = reader.take_blob(), reader.take_blob()
        if len(geometry) != _KEY_BYTES or len(digest) not in (0, _KEY_BYTES):
            raise MalformedError("a key is of the wrong size")
        corners = reader.take_array(np.dtype("<u2"), (-1, 3, 2))
        size, format = _read_kind(reader)
        texels = reader.take_array(type_of(format), (size, size, format.channels))
        if texels is not None and not np.isfinite(texels).all():
            raise MalformedError("a texel is not finite")
        fade = _read_fade(reader)
        (count,) = reader.take("I")
        hits = tuple(read_hit(reader) for _ in range(count))
        return SavedMarks(name, geometry.hex(), Places(digest, corners), size, format, texels, fade, hits)


def _read_kind(reader: Reader) -> tuple[int, Format]:
    (size,) = reader.take("I")
    name = reader.take_text()
    if name not in FORMATS:
        raise MalformedError(f"an unknown texture format {name!r}")
    try:
        power_of_two(size)
    except ValueError:
        raise MalformedError(f"a texture of {size} texels") from None
    if not _SMALLEST <= size <= _LARGEST:
        raise MalformedError(f"a texture of {size} texels")
    return size, FORMATS[name]


def _read_fade(reader: Reader) -> FadeState:
    alpha, pending, headroom, fading, duration, radius, age = reader.take(_FADE)
    shares = 0.0 <= alpha <= 1.0 and 0.0 < pending <= 1.0 and 0.0 < headroom <= 1.0
    if not shares or fading > 1 or min(duration, radius, age) < 0.0:
        raise MalformedError("a fade out of range")
    return FadeState(alpha, pending, headroom, bool(fading), duration, radius, age)
