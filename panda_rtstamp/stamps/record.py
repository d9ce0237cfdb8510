"""Hits as bytes, for other machines and for files, and back."""

import itertools
import zlib
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from panda3d.core import NodePath

from panda_rtstamp.core.geometry import net_matrix
from panda_rtstamp.core.log import warn_once
from panda_rtstamp.core.packing import MalformedError, Reader, Writer
from panda_rtstamp.errors import ConfigError
from panda_rtstamp.stamps import arguments as check
from panda_rtstamp.stamps.brush import Brush, Brushes
from panda_rtstamp.stamps.config import StampConfig
from panda_rtstamp.stamps.hit import BLENDS, Hit, turn_normal, unit
from panda_rtstamp.stamps.names import ID_TAG, NodeName, name_of
from panda_rtstamp.stamps.space import normal_to_node, to_node, vector_to_node

# To be raised with every change of what a record holds.
VERSION = 1
_CHECKED_FROM = 5  # after the version and the checksum
_HAS_NORMAL = 1
_HAS_BRUSH = 2

Callback = Callable[[bytes], object]


class HitListeners:
    """Who wants to hear of hits."""

    def __init__(self) -> None:
        self._callbacks: dict[int, Callback] = {}
        self._numbers = itertools.count()

    def add(self, callback: Callback) -> Callable[[], None]:
        """Tell `callback` of each hit from now on; what is handed back ends that. Raises ConfigError."""
        if not callable(callback):
            raise ConfigError(f"callback must be callable, got {type(callback).__name__}")
        number = next(self._numbers)
        self._callbacks[number] = callback

        def end() -> None:
            self._callbacks.pop(number, None)

        return end

    def tell(self, node: NodePath, hit: Hit, blend: str, space: NodePath | None, root: NodePath) -> None:
        """Hand out the record of a hit that made a mark by this blend; see `Marks.hit`."""
        if not self._callbacks:
            return
        name = name_of(node, root)
        if name is None:
            warn_once(
                f"record {node}", f"{node} is in no scene: its hits are told only if it is tagged {ID_TAG}"
            )
            return
        record = pack_record(name, replace(to_local(hit, space, node), blend=blend))
        for callback in list(self._callbacks.values()):
            try:
                callback(record)
            except Exception as error:  # Whatever it is, a game must not stop for it.
                warn_once(f"on_hit {error!r}", f"a callback of on_hit went wrong: {error!r}")

    def clear(self) -> None:
        """Tell nobody any more."""
        self._callbacks.clear()


def to_local(hit: Hit, space: NodePath | None, node: NodePath) -> Hit:
    """A hit, its point in `space` and its directions in the world, in the node's own space."""
    point = to_node(hit.point, space, node)
    assert point is not None
    return replace(
        hit,
        point=point,
        normal=None if hit.normal is None else normal_to_node(hit.normal, node),
        right=None if hit.right is None else vector_to_node(hit.right, node),
    )


def with_world_directions(hit: Hit, node: NodePath) -> Hit:
    """A hit in the node's own space, its directions in the world."""
    linear = net_matrix(node)[:3, :3]
    return replace(
        hit,
        normal=None if hit.normal is None else unit(turn_normal(hit.normal, linear)),
        right=None if hit.right is None else unit(hit.right @ linear),
    )


def pack_record(name: NodeName, hit: Hit) -> bytes:
    """A hit on the node `name`, in the node's own space."""
    body = Writer()
    name.write(body)
    write_hit(body, hit)
    record = Writer()
    record.put("BI", VERSION, zlib.crc32(body.data))
    return record.data + body.data


def unpack_record(record: Any) -> tuple[NodeName, Hit]:
    """The node and the hit of a record.

    Raises:
        ConfigError: it is no record, or damaged, or of a later version.
    """
    if not isinstance(record, (bytes, bytearray, memoryview)):
        raise ConfigError(f"record must be bytes, got {type(record).__name__}")
    data = bytes(record)
    try:
        version, checksum = Reader(data).take("BI")
        if version > VERSION:
            raise MalformedError(f"it is of version {version}, and versions up to {VERSION} are known here")
        reader = Reader(data[_CHECKED_FROM:])
        if version < VERSION or zlib.crc32(data[_CHECKED_FROM:]) != checksum:
            raise MalformedError("its checksum is wrong")
        found = NodeName.read(reader), read_hit(reader)
        reader.finish()
    except MalformedError as error:
        raise ConfigError(f"record must be bytes that on_hit handed out: {error}") from None
    return found


def write_hit(writer: Writer, hit: Hit) -> None:
    """A hit in the node's own space."""
    has_normal, has_brush = hit.normal is not None, hit.brush is not None and hit.right is not None
    writer.put("BB", BLENDS.index(hit.blend), _HAS_NORMAL * has_normal + _HAS_BRUSH * has_brush)
    writer.put("4d", *hit.point, hit.radius)
    writer.put("6f", hit.opacity, hit.hardness, hit.softness, *hit.color)
    if hit.normal is not None:
        writer.put("3d", *hit.normal)
    if hit.brush is not None and hit.right is not None:
        writer.put("4d", *hit.right, hit.brush.aspect)
        writer.put_text(hit.brush.name or "a picture without a name")


def read_hit(reader: Reader) -> Hit:
    """What `write_hit` wrote.

    Raises:
        MalformedError: it is something else.
    """
    blend, flags = reader.take("BB")
    if blend >= len(BLENDS) or flags not in (0, _HAS_NORMAL, _HAS_NORMAL | _HAS_BRUSH):
        raise MalformedError("a hit of an unknown kind")
    x, y, z, radius = reader.take("4d")
    opacity, hardness, softness, *color = reader.take("6f")
    normal = reader.take("3d") if flags & _HAS_NORMAL else None
    right, brush = None, None
    try:
        if flags & _HAS_BRUSH:
            *edge, aspect = reader.take("4d")
            right = check.check_normal("right", edge)
            # The direction of its right says how it is turned.
            brush = Brush(reader.take_text(), 0.0, aspect)
        options = check.HitOptions(
            radius=radius,
            opacity=opacity,
            hardness=hardness,
            color=color,
            normal=normal,
            blend=BLENDS[blend],
        )
        point = check.check_point("point", (x, y, z))
        softness = StampConfig.rules()["facing_softness"].check("softness", softness)
    except ConfigError as error:
        raise MalformedError(str(error)) from None
    return Hit(
        point=point,
        radius=options.radius,
        opacity=options.opacity,
        hardness=options.hardness or 0.0,
        color=options.color[:3],
        blend=BLENDS[blend],
        softness=softness,
        normal=options.normal,
        brush=brush,
        right=right,
    )


def with_known_brush(hit: Hit, brushes: Brushes) -> Hit:
    """A hit whose brush there is here, or else a plain one, which is said once."""
    # Whoever sends records must not make us read whatever files there are.
    if hit.brush is None or brushes.knows(hit.brush):
        return hit
    name = hit.brush.name
    warn_once("unknown brush", f"no brush {name!r} was used or warmed up here: its hits leave plain marks")
    return replace(hit, brush=None, right=None)
