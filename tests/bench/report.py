"""What comes out: rows for the table, curves for the chart, and both as JSON."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from bench.figures import Figure, Floats, figure, ratio


@dataclass(frozen=True)
class Row:
    """One line: ours beside a rival.

    Attributes:
        what: was measured.
        ours, rival: figures; `against` says whose the second is. None where there is none.
        ratio: ours / rival.
        aim: the most that the ratio, or without a rival our median, may be; None: the row only tells.
    """

    what: str
    ours: Figure
    against: str = ""
    rival: Figure | None = None
    ratio: Figure | None = None
    aim: float | None = None

    @property
    def met(self) -> bool | None:
        """Whether the aim is met; None if there is none."""
        if self.aim is None:
            return None
        return (self.ratio or self.ours).median <= self.aim


@dataclass(frozen=True)
class Curve:
    """Lines over one axis, all in the same unit: by name, points (x, y)."""

    title: str
    x: str
    y: str
    lines: Mapping[str, Sequence[tuple[float, float]]]


@dataclass
class Outcome:
    """What an experiment found. `notes` are lines of text for below the table."""

    rows: list[Row] = field(default_factory=list)
    curves: list[Curve] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def __iadd__(self, other: "Outcome") -> "Outcome":
        self.rows += other.rows
        self.curves += other.curves
        self.notes += other.notes
        return self


def against(what: str, ours: Floats, name: str, rival: Floats, aim: float | None = None) -> Row:
    """A row of samples of both, (rounds, samples), in milliseconds."""
    return Row(what, figure(ours), name, figure(rival), ratio(ours, rival), aim)


def lines(
    values: Mapping[str, Floats], names: Iterable[str], points: Sequence[int]
) -> dict[str, list[tuple[float, float]]]:
    """The medians of a sweep as a curve's lines; `values` go by name and point, as "name 16"."""
    found = {
        name: [(float(x), float(np.median(values[f"{name} {x}"]))) for x in points if f"{name} {x}" in values]
        for name in names
    }
    return {name: line for name, line in found.items() if line}


def last_rows(values: Mapping[str, Floats], names: Sequence[str], point: int, what: str) -> list[Row]:
    """Rows of the last point of a sweep: the first name against each of the others that got that far."""
    ours, *rivals = names
    return [
        against(f"{point} {what}", values[f"{ours} {point}"], rival, values[f"{rival} {point}"])
        for rival in rivals
        if f"{rival} {point}" in values
    ]


def _number(value: Figure | None) -> str:
    if value is None:
        return ""
    return f"{value.median:.4g} ±{value.spread:.2g} {value.unit}"


def _cells(row: Row) -> list[str]:
    met = {None: "", True: "met", False: "NOT MET"}[row.met]
    aim = "" if row.aim is None else f"<= {row.aim:.3g}{'' if row.ratio else ' ' + row.ours.unit}"
    p99 = f"{row.ours.p99:.4g}"
    return [
        row.what, _number(row.ours), p99, row.against, _number(row.rival), _number(row.ratio), aim, met
    ]  # fmt: skip


def table(rows: Sequence[Row]) -> str:
    """Rows as plain text in columns."""
    heads = ["what", "ours", "p99", "against", "theirs", "ours / theirs", "aim", ""]
    cells = [heads, *(_cells(row) for row in rows)]
    widths = [max(len(line[column]) for line in cells) for column in range(len(heads))]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in cells
    ]
    return "\n".join([lines[0], "-" * max(map(len, lines)), *lines[1:]])


def as_json(outcome: Outcome, facts: Mapping[str, Any]) -> dict[str, Any]:
    """All of it, for json.dump."""
    rows = [{**asdict(row), "met": row.met} for row in outcome.rows]
    return {
        "machine": dict(facts),
        "rows": rows,
        "curves": [asdict(curve) for curve in outcome.curves],
        "notes": outcome.notes,
    }
