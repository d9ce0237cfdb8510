"""From a model to what a sidecar holds, and back onto a model, which may be another export."""

from dataclasses import dataclass

import numpy as np

from panda_rtstamp.fur.column import FurColumn
from panda_rtstamp.fur.dab import fur_of
from panda_rtstamp.fur.frames import in_frame
from panda_rtstamp.fur.history import History, Mark
from panda_rtstamp.fur.points import Numbers
from panda_rtstamp.fur.sidecar import Conflict, Painted, all_marks, matches, settled
from panda_rtstamp.fur.vertices import Values, clamped


@dataclass(frozen=True)
class Loaded:
    """What came of loading a sidecar.

    Attributes:
        points: how many points of the model took their fur from it.
        lost: how many points of the file lie nowhere on the model.
        conflicts: regions that both sides painted without knowing of each other.
    """

    points: int
    lost: int
    conflicts: tuple[Conflict, ...]


@dataclass(frozen=True)
class Laid:
    """What a sidecar makes of a model.

    Attributes:
        rows: that take other values.
        values: theirs, (n, 4).
        touched: for each point, the mark that touched it last.
        marks: that come with it; their numbers go on from those there are.
        loaded: for the user.
    """

    rows: Numbers
    values: Values
    touched: Numbers
    marks: tuple[Mark, ...]
    loaded: Loaded


def painted_on(column: FurColumn, history: History, points: Numbers | None = None) -> Painted:
    """What was painted on these points; on all that were painted, if that is None."""
    if points is None:
        points = np.flatnonzero(history.touched >= 0)
    first = column.points.first[points]
    rows = np.column_stack([column.rest[first], column.normals[first], fur_of(column)[points]])
    return Painted(rows.astype(np.float32), history.touched[points], tuple(history.marks))


def lay(column: FurColumn, history: History, theirs: Painted, tolerance: float) -> Laid:
    """What becomes of a model with `theirs` on it, merged with what is painted there. Changes nothing."""
    first = column.points.first
    match = matches(column.rest[first], column.normals[first], theirs, tolerance)
    match[~column.paintable[first]] = -1
    found = np.flatnonzero(match >= 0)
    both = found[history.touched[found] >= 0]
    take, conflicts = settled(painted_on(column, history, both), theirs.at(match[both]))
    points = np.setdiff1d(found, both[~take])
    marks, numbers = all_marks(tuple(history.marks), theirs.marks)
    touched = history.touched.copy()
    touched[points] = numbers[theirs.touched[match[points]]]
    rows, places = column.points.rows_of(points)
    fur = theirs.fur[match[points]][places].astype(np.float64)
    leans = in_frame(fur[:, :3], column.tangents[rows], column.binormals[rows])
    values = clamped(np.column_stack([leans, fur[:, 3:]]))
    lost = len(theirs.points) - len(np.unique(match[found]))
    loaded = Loaded(len(points), lost, tuple(conflicts))
    return Laid(rows, values, touched, marks[len(history.marks) :], loaded)
