"""The places on a surface: what a model has several vertices for, at the seams of its UVs, is one point."""

import numpy as np
import numpy.typing as npt

from panda_rtstamp.core.geometry import Array

Numbers = npt.NDArray[np.int64]

# Squared, between the tips of two normals: beyond, about 40 degrees, it is a hard edge, or the other side of
# a sheet, where fur need not be the same.
SAME_NORMAL = 0.5


class Points:
    """Vertex rows at one position, whose normals are about the same, taken together.

    Args:
        positions: of the rows, (n, 3), at rest; equal ones are equal to the bit.
        normals: of the rows, (n, 3), of length 1.
        triangles: (m, 3) rows.

    Attributes:
        of_row: for each row, the number of its point.
        first: for each point, one of its rows.
    """

    def __init__(self, positions: Array, normals: Array, triangles: Numbers) -> None:
        self.of_row, self.first = _weld(positions, normals)
        self._order = np.argsort(self.of_row, kind="stable")
        self._starts = np.searchsorted(self.of_row[self._order], np.arange(len(self.first) + 1))
        corners = self.of_row[triangles]
        sides = np.concatenate([corners[:, [a, b]] for a in range(3) for b in range(3) if a != b])
        sides = sides[sides[:, 0] != sides[:, 1]]
        # Pairs, each once, sorted by the first of them.
        numbers = np.unique(sides[:, 0] * self.count + sides[:, 1])
        self._of, self._neighbours = np.divmod(numbers, max(self.count, 1))

    @property
    def count(self) -> int:
        """How many points there are."""
        return len(self.first)

    def rows_of(self, points: Numbers) -> tuple[Numbers, Numbers]:
        """All rows of these points; and for each row the place of its point among them."""
        places, at = expanded(self._starts[points], self._starts[points + 1])
        return self._order[at], places

    def neighbour_means(self, points: Numbers, values: Array) -> Array:
        """For each of these points, the mean of its neighbours' values; its own where it has none.

        Args:
            values: of all points, (count, k).
        """
        ends = np.searchsorted(self._of, np.stack([points, points + 1]))
        places, at = expanded(ends[0], ends[1])
        others = self._neighbours[at]
        counts = np.bincount(places, minlength=len(points))
        sums = np.stack(
            [np.bincount(places, column[others], minlength=len(points)) for column in values.T], axis=1
        )
        return np.where(counts[:, None] > 0, sums / np.maximum(counts, 1)[:, None], values[points])


def expanded(starts: Numbers, ends: Numbers) -> tuple[Numbers, Numbers]:
    """The numbers start to end - 1 of several ranges, one after another; before them, that of its range."""
    counts = ends - starts
    owners = np.repeat(np.arange(len(counts)), counts)
    return owners, np.arange(counts.sum()) + np.repeat(starts - (np.cumsum(counts) - counts), counts)


def _weld(positions: Array, normals: Array) -> tuple[Numbers, Numbers]:
    """For each row the number of its point, and for each point a row."""
    group = np.zeros(len(positions), np.int64)
    for coordinate in positions.T:
        values, number = np.unique(coordinate, return_inverse=True)
        group = np.unique(group * len(values) + number, return_inverse=True)[1]
    of_row = np.empty(len(group), np.int64)
    first: list[Numbers] = []
    count = 0
    left = np.arange(len(group))
    while len(left):
        # Of each position, the first row that is left leads those that look its way.
        _, leaders, place = np.unique(group[left], return_index=True, return_inverse=True)
        apart = normals[left] - normals[left[leaders]][place]
        led = (apart * apart).sum(axis=1) < SAME_NORMAL
        led[leaders] = True
        of_row[left[led]] = count + place[led]
        first.append(left[leaders])
        count += len(leaders)
        left = left[~led]
    return of_row, np.concatenate([np.empty(0, np.int64), *first])
