"""The small file beside a model that holds what was painted on it, point by point, and the merge of two."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from panda_rtstamp.core.config import Rule, number
from panda_rtstamp.core.files import FileKind, as_path
from panda_rtstamp.core.geometry import Array
from panda_rtstamp.core.packing import MalformedError, Reader, Writer
from panda_rtstamp.fur.history import Mark
from panda_rtstamp.fur.nearest import nearest
from panda_rtstamp.fur.points import Numbers

_KIND = FileKind(b"rtstamp-fur\n", 1, "painted fur", "FurPainter.save")
# Each point: position, normal, lean (3 each), length, density.
_NUMBERS = 11
_FLOAT, _INDEX = np.dtype(np.float32), np.dtype(np.int32)
# Of what is painted, between its farthest corners: points of two models that are so near are the same one.
TOLERANCE = 1e-3
TOLERANCE_RULE = Rule(number, "a number > 0, up to 1", low=1e-12, high=1.0)
# Between numbers of two people's fur: what nobody sees is no conflict.
_SAME_FUR = 1e-3

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Painted:
    """What was painted.

    Attributes:
        points: float32 (n, 11): position and normal at rest, what of the strand's direction lies in the
            surface (all three in the model's space), length and density.
        touched: (n,), the mark that touched it last, by its number in `marks`.
        marks: all that are behind it, also those that were painted over.
    """

    points: Floats
    touched: Numbers
    marks: tuple[Mark, ...]

    @property
    def positions(self) -> Array:
        """(n, 3)."""
        return self.points[:, :3].astype(np.float64)

    @property
    def normals(self) -> Array:
        """(n, 3)."""
        return self.points[:, 3:6].astype(np.float64)

    @property
    def fur(self) -> Floats:
        """(n, 5): lean, length, density."""
        return self.points[:, 6:]

    def at(self, points: Numbers) -> "Painted":
        """Of some points alone."""
        return Painted(self.points[points], self.touched[points], self.marks)


@dataclass(frozen=True)
class Conflict:
    """A region that two people painted without knowing of each other: a stroke of ours and one of theirs.

    Attributes:
        ours, theirs: the strokes.
        points: how many points of the surface both left differently.
        center: the middle of these, in the model's space.
        taken: 'ours' or 'theirs': the later one.
    """

    ours: Mark
    theirs: Mark
    points: int
    center: tuple[float, float, float]
    taken: str


def write_file(path: Path, painted: Painted) -> None:
    """Write it, in place of what the file held before. Raises StoreError: it cannot be written."""
    body = Writer()
    body.put("I", len(painted.marks))
    for mark in painted.marks:
        body.put("Qd", mark.number, mark.time)
        body.put_text(mark.author)
    body.put("I", len(painted.points))
    # Column by column, as like numbers are packed best.
    body.put_array(painted.points.T.copy())
    body.put_array(painted.touched.astype(np.int32))
    _KIND.write(path, body.data)


def read_file(path: Path) -> Painted:
    """What a file holds.

    Raises:
        StoreError: it cannot be read, is damaged or cut off, of a later version, or another kind of file.
    """
    reader = Reader(_KIND.read(path))
    try:
        (marks,) = reader.take("I")
        found = tuple(_mark(reader) for _ in range(marks))
        (count,) = reader.take("I")
        points = _taken(reader, _FLOAT, (_NUMBERS, count)).T
        touched = _taken(reader, _INDEX, (count,)).astype(np.int64)
        reader.finish()
        if not np.isfinite(points).all():
            raise MalformedError("a number is not finite")
        if ((touched < 0) | (touched >= marks)).any():
            raise MalformedError("it names a stroke that it does not hold")
    except MalformedError as error:
        raise _KIND.refusal(path, error) from None
    return Painted(np.ascontiguousarray(points), touched, found)


def _mark(reader: Reader) -> Mark:
    number, time = reader.take("Qd")
    return Mark(number, time, reader.take_text())


def _taken(reader: Reader, kind: np.dtype[Any], shape: tuple[int, ...]) -> npt.NDArray[Any]:
    values = reader.take_array(kind, shape)
    if values is None:
        raise MalformedError("an array is missing")
    return values


def matches(positions: Array, normals: Array, painted: Painted, tolerance: float) -> Numbers:
    """For each point of a model the point of `painted` that lies there, -1 for none.

    Args:
        positions, normals: of the model's points at rest, (n, 3).
        tolerance: how far from it, in parts of the distance between the farthest corners of both.
    """
    both = np.concatenate([positions, painted.positions])
    size = float(np.linalg.norm(np.ptp(both, axis=0))) if len(both) else 0.0
    return nearest(positions, normals, painted.positions, painted.normals, max(size * tolerance, 1e-9))


def all_marks(ours: tuple[Mark, ...], theirs: tuple[Mark, ...]) -> tuple[tuple[Mark, ...], Numbers]:
    """Ours and then those of theirs that are no marks of ours; and for each of theirs its number there."""
    places = {mark.number: place for place, mark in enumerate(ours)}
    result = list(ours)
    for mark in theirs:
        if mark.number not in places:
            places[mark.number] = len(result)
            result.append(mark)
    return tuple(result), np.array([places[mark.number] for mark in theirs], np.int64)


def settled(ours: Painted, theirs: Painted) -> tuple[npt.NDArray[np.bool_], list[Conflict]]:
    """Of points that both painted, whether to take theirs; and where neither knew of the other's stroke.

    Args:
        ours, theirs: the same points, in the same order.
    """
    known = [{mark.number for mark in painted.marks} for painted in (ours, theirs)]
    take = np.zeros(len(ours.points), bool)
    conflicts = []
    strokes, pair = np.unique(np.stack([ours.touched, theirs.touched]), axis=1, return_inverse=True)
    for pairing, (one, other) in enumerate(strokes.T):
        here = pair.ravel() == pairing
        mine, others = ours.marks[one], theirs.marks[other]
        over, under = mine.number in known[1], others.number in known[0]
        # What one of them painted over what the other had done stays; else the later stroke.
        later = over if over != under else (others.time, others.number) > (mine.time, mine.number)
        take[here] = later
        differ = here & (np.abs(ours.fur - theirs.fur) > _SAME_FUR).any(axis=1)
        if differ.any() and not over and not under:
            x, y, z = ours.positions[differ].mean(axis=0).tolist()
            taken = "theirs" if later else "ours"
            conflicts.append(Conflict(mine, others, int(differ.sum()), (x, y, z), taken))
    return take, conflicts


def merge_sidecars(ours: Any, theirs: Any, out: Any, tolerance: float = TOLERANCE) -> list[Conflict]:
    """Merge what two people painted on one model into one file, without the model.

    Where only one of them painted, that is kept. Where both did, and one of them had the other's stroke
    before, the one on top is kept; else the later stroke, and the two are listed. It makes no difference
    whose file is which, but for the words.

    Args:
        ours, theirs, out: the files; `out` may be one of the others.
        tolerance: see `matches`.

    Returns:
        The conflicts, stroke by stroke; empty if there were none.

    Raises:
        ConfigError: a path is none, or the tolerance is not above 0 and up to 1.
        StoreError: a file cannot be read or written, or is damaged. No file was changed.
    """
    checked = float(TOLERANCE_RULE.check("tolerance", tolerance))
    mine, others = read_file(as_path(ours)), read_file(as_path(theirs))
    merged, conflicts = _merged(mine, others, checked)
    write_file(as_path(out), merged)
    return conflicts


def _merged(mine: Painted, others: Painted, tolerance: float) -> tuple[Painted, list[Conflict]]:
    match = matches(mine.positions, mine.normals, others, tolerance)
    both = np.flatnonzero(match >= 0)
    take, conflicts = settled(mine.at(both), others.at(match[both]))
    marks, numbers = all_marks(mine.marks, others.marks)
    renumbered = numbers[others.touched]
    points, touched = mine.points.copy(), mine.touched.copy()
    # Where they stand on the surface, ours and theirs are the same: only the fur is taken.
    points[both[take], 6:] = others.fur[match[both[take]]]
    touched[both[take]] = renumbered[match[both[take]]]
    alone = np.setdiff1d(np.arange(len(others.points)), match[both])
    all_points = np.concatenate([points, others.points[alone]])
    return Painted(all_points, np.concatenate([touched, renumbered[alone]]), marks), conflicts
