"""What the tests of unwrapping share: meshes, and whether an atlas is what it must be."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from panda_rtstamp.core.unwrap import Atlas

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Charts = NDArray[np.int16]
TEXELS = 1024
# No chart is narrower, while the padding is 8 texels.
LEAST_SIDE = 2 / 256


def one_part(triangles: Floats) -> Ints:
    """Everything in part 0."""
    return np.zeros(len(triangles), np.int64)


def sheet(point: Callable[[Ints, Ints], Floats], rows: int, columns: int) -> Floats:
    """Triangles (n, 3, 3) over a grid of points, counter-clockwise in (row, column)."""
    i, j = (index.reshape(-1) for index in np.meshgrid(np.arange(rows), np.arange(columns), indexing="ij"))
    a, b, c, d = point(i, j), point(i + 1, j), point(i + 1, j + 1), point(i, j + 1)
    return np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)]).astype(np.float64)


def rectangle(width: float, height: float, rows: int = 4, columns: int = 4) -> Floats:
    """A rectangle in the XY plane, seen from above."""
    return sheet(lambda i, j: np.stack([i * width / rows, j * height / columns, 0.0 * i], -1), rows, columns)


def sphere(rows: int = 16) -> Floats:
    """A ball of radius 1, seen from outside; the quads at its poles have a side without length."""
    down = np.linspace(0.0, np.pi, rows + 1)
    around = np.linspace(0.0, 2 * np.pi, 2 * rows + 1)
    around[-1] = 0.0

    def point(i: Ints, j: Ints) -> Floats:
        ring = np.sin(down[i])
        return np.stack([ring * np.cos(around[j]), ring * np.sin(around[j]), np.cos(down[i])], -1)

    return sheet(point, rows, 2 * rows)


def cube() -> Floats:
    """A cube of side 1, seen from outside, two triangles a side."""
    front = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 1.0], [1.0, 1.0, 1.0], [0.0, 1.0, 1.0]])
    back = front[::-1] * (1.0, 1.0, 0.0)
    sides = [np.roll(side, shift, axis=1) for shift in range(3) for side in (front, back)]
    return np.concatenate([[side[[0, 1, 2]], side[[0, 2, 3]]] for side in sides])


def moebius_strip(count: int = 60) -> Floats:
    """A strip with one side: somewhere, neighbours run the same way along their edge."""

    def point(i: Ints, j: Ints) -> Floats:
        turn = np.where(i == count, 0, i) * np.pi / count
        across = np.where(i == count, 0.5 - j, j - 0.5)
        out = 2.0 + across * np.cos(turn)
        return np.stack([out * np.cos(2 * turn), out * np.sin(2 * turn), across * np.sin(turn)], -1)

    return sheet(point, count, 1)


def signed_areas(uvs: NDArray[np.float32]) -> Floats:
    """Areas of triangles (n, 3, 2), negative where clockwise."""
    one, two = (uvs[:, corner].astype(np.float64) - uvs[:, 0] for corner in (1, 2))
    result: Floats = (one[:, 0] * two[:, 1] - one[:, 1] * two[:, 0]) / 2
    return result


def areas(triangles: Floats) -> Floats:
    """Areas of triangles (n, 3, 3)."""
    across = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    result: Floats = np.linalg.norm(across, axis=1) / 2
    return result


def rasterise(atlas: Atlas, texels: int) -> tuple[Ints, Charts]:
    """For each texel how many triangles hold its centre, and the chart of one, or -1: (texels, texels)."""
    points = atlas.corners.astype(np.float64)[atlas.charts >= 0] * texels - 0.5
    numbers = atlas.charts[atlas.charts >= 0]
    low = np.ceil(points.min(axis=1)).astype(np.int64)
    widths, heights = (np.floor(points.max(axis=1)).astype(np.int64) - low + 1).clip(0).T
    counts = widths * heights
    owner = np.repeat(np.arange(len(points)), counts)
    within = np.arange(len(owner)) - np.repeat(np.cumsum(counts) - counts, counts)
    x, y = low[owner, 0] + within % widths[owner], low[owner, 1] + within // widths[owner]
    for corner in range(3):
        start = points[owner, corner]
        along = points[owner, (corner + 1) % 3] - start
        inside = along[:, 0] * (y - start[:, 1]) - along[:, 1] * (x - start[:, 0]) > 1e-12
        owner, x, y = owner[inside], x[inside], y[inside]
    claims = np.bincount(y * texels + x, minlength=texels * texels)
    charts = np.full((texels, texels), -1, np.int16)
    charts[y, x] = numbers[owner]
    return claims, charts


def nearest_foreign(charts: Charts, most: int) -> int:
    """How far the nearest texel of another chart is, along the farther axis; `most` + 1 if farther."""
    none = np.int16(charts.max() + 1)
    low, high = np.where(charts < 0, none, charts), charts
    for distance in range(1, most + 1):
        low, high = _spread(low, np.minimum, none), _spread(high, np.maximum, np.int16(-1))
        if ((charts >= 0) & ((low != charts) | (high != charts))).any():
            return distance
    return most + 1


def _spread(image: Charts, extreme: np.ufunc, outside: np.int16) -> Charts:
    for _ in range(2):
        padded = np.pad(image, ((1, 1), (0, 0)), constant_values=outside)
        image = extreme(extreme(padded[:-2], padded[1:-1]), padded[2:]).T
    return image


def check_atlas(
    atlas: Atlas, triangles: Floats, parts: Ints | None = None, grids: tuple[int, ...] = (512,)
) -> None:
    """Assert everything that an atlas promises; overlap and padding at the texels of these sizes."""
    parts = one_part(triangles) if parts is None else parts
    assert atlas.corners.shape == (len(triangles), 3, 2)
    assert atlas.corners.dtype == np.float32
    assert atlas.charts.shape == (len(triangles),)
    assert atlas.charts.dtype == np.int32
    assert np.isfinite(atlas.corners).all()
    assert atlas.corners.min(initial=0.0) >= 0.0
    assert atlas.corners.max(initial=0.0) <= 1.0
    covered = atlas.charts >= 0
    flat = signed_areas(atlas.corners)
    assert (flat[covered] > 0.0).all()
    assert (atlas.corners[~covered] == atlas.corners[~covered][:, :1]).all()
    if not covered.any():
        return
    count = int(atlas.charts.max()) + 1
    assert np.array_equal(np.unique(atlas.charts[covered]), np.arange(count))
    pairs = np.unique(np.stack([atlas.charts[covered], parts[covered]]), axis=1)
    assert pairs.shape[1] == count, "a chart spreads over parts"
    for grid in grids:
        claims, charts = rasterise(atlas, grid)
        assert claims.max() <= 1, f"{np.count_nonzero(claims > 1)} texels of {grid} are claimed twice"
        check_space(atlas, charts)
    check_density(atlas, triangles)


def check_space(atlas: Atlas, charts: Charts) -> None:
    """Assert the padding; `charts` as rasterised."""
    padding = int(np.ceil(atlas.padding * len(charts) / TEXELS - 1e-6))
    assert nearest_foreign(charts, padding - 1) >= padding, f"charts are nearer than {atlas.padding} texels"
    border = atlas.padding / 2 / TEXELS - 1e-6
    inside = atlas.corners[atlas.charts >= 0]
    assert inside.min() >= border
    assert inside.max() <= 1.0 - border


def check_density(atlas: Atlas, triangles: Floats) -> None:
    """Assert that charts have as many texels a unit each; those widened to be wide enough have more."""
    density, narrow = densities(atlas, triangles)
    least = LEAST_SIDE * min(atlas.padding / 8, 1.0)
    assert narrow.min() >= least - 1e-6
    plain = density[narrow > least + 1e-6]
    if len(plain):
        assert plain.max() <= 1.01 * plain.min()
        assert density.min() >= 0.99 * plain.min()


def densities(atlas: Atlas, triangles: Floats) -> tuple[Floats, Floats]:
    """For each chart UV lengths a unit of length, in the mean, and the shorter side of its box in UVs."""
    covered = atlas.charts >= 0
    chart, count = atlas.charts[covered], int(atlas.charts.max()) + 1
    flat = np.bincount(chart, signed_areas(atlas.corners[covered]), count)
    solid = np.bincount(chart, areas(triangles[covered]), count)
    low, high = np.ones((count, 2)), np.zeros((count, 2))
    np.minimum.at(low, chart, atlas.corners[covered].min(axis=1).astype(np.float64))
    np.maximum.at(high, chart, atlas.corners[covered].max(axis=1).astype(np.float64))
    return np.sqrt(flat / solid), (high - low).min(axis=1)


def stretches(atlas: Atlas, triangles: Floats) -> Floats:
    """How much longer each triangle in a chart is made along than across, (charted,): 1 is best."""
    triangles, corners = triangles[atlas.charts >= 0], atlas.corners[atlas.charts >= 0]
    first, second = triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]
    length = np.linalg.norm(first, axis=1)
    x = np.einsum("nk,nk->n", first, second) / length
    y = 2 * areas(triangles) / length
    uvs = corners.astype(np.float64)
    edges = np.stack([uvs[:, 1] - uvs[:, 0], uvs[:, 2] - uvs[:, 0]], axis=2)
    plane = np.stack([np.stack([length, x], -1), np.stack([0 * x, y], -1)], axis=1)
    values = np.linalg.svd(edges @ np.linalg.inv(plane), compute_uv=False)
    result: Floats = values[:, 0] / values[:, 1]
    return result
