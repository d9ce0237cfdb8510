"""What was painted, by whom and when; and the way back."""

from dataclasses import dataclass, field

import numpy as np

from panda_rtstamp.fur.points import Numbers
from panda_rtstamp.fur.vertices import Values


@dataclass(frozen=True)
class Mark:
    """A stroke of somebody's.

    Attributes:
        number: tells it from all others, of anybody: 64 random bits.
        time: when it ended, in seconds since 1970.
        author: who made it; may be empty.
    """

    number: int
    time: float
    author: str


@dataclass(frozen=True)
class Step:
    """What a stroke, or what was loaded, changed.

    Attributes:
        rows: that have other values.
        before, after: their values, (n, 4).
        points: that were last touched by another mark.
        marks_before, marks_after: by which, as numbers in `History.marks`; -1 for none.
        marks: that came with it.
    """

    rows: Numbers
    before: Values
    after: Values
    points: Numbers
    marks_before: Numbers
    marks_after: Numbers
    marks: tuple[Mark, ...]


@dataclass
class History:
    """Steps that can be undone, and those that were and can be redone.

    Attributes:
        touched: for each point of the surface the mark that touched it last, by its number in `marks`; -1 for
            none.
        marks: all that are behind what is painted now, the oldest first.
        limit: how many steps can be undone.
    """

    touched: Numbers
    limit: int
    marks: list[Mark] = field(default_factory=list)
    _done: list[Step] = field(default_factory=list)
    _undone: list[Step] = field(default_factory=list)

    @property
    def undoable(self) -> int:
        """How many steps can be undone."""
        return len(self._done)

    @property
    def redoable(self) -> int:
        """How many steps can be redone."""
        return len(self._undone)

    def add(self, before: Values, after: Values, touched: Numbers, marks: tuple[Mark, ...]) -> None:
        """Remember a step that was made.

        Args:
            before, after: the values of all rows.
            touched: as it is now.
            marks: that came with it; their numbers go on from those there are.
        """
        rows = np.flatnonzero((before != after).any(axis=1))
        points = np.flatnonzero(touched != self.touched)
        step = Step(rows, before[rows], after[rows], points, self.touched[points], touched[points], marks)
        self._undone.clear()
        self._done = [*self._done, step][-self.limit :]
        self.touched[points] = step.marks_after
        self.marks += marks

    def undo(self) -> Step | None:
        """The last step, which the caller takes back in the values; None if there is none."""
        if not self._done:
            return None
        step = self._done.pop()
        self._undone.append(step)
        self.touched[step.points] = step.marks_before
        del self.marks[len(self.marks) - len(step.marks) :]
        return step

    def redo(self) -> Step | None:
        """The step that was undone last, which the caller makes again; None if there is none."""
        if not self._undone:
            return None
        step = self._undone.pop()
        self._done.append(step)
        self.touched[step.points] = step.marks_after
        self.marks += step.marks
        return step
