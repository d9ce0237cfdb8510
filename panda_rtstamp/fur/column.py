"""The vertex column `rtstamp_fur`, put on a model and taken off again: direction, length, density."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from panda3d.core import Geom, GeomNode, GeomVertexData, NodePath, Thread, UpdateSeq

from panda_rtstamp.core.anchor import address
from panda_rtstamp.core.arguments import check_node
from panda_rtstamp.core.geometry import Array, column, inverse, matrix, net_matrix, posed, triangles
from panda_rtstamp.core.geoms import drawn_once, geom_node, geom_nodes
from panda_rtstamp.errors import ConfigError
from panda_rtstamp.fur.frames import along, in_frame, normalized, transformed
from panda_rtstamp.fur.points import Numbers, Points
from panda_rtstamp.fur.replaced import Replaced
from panda_rtstamp.fur.vertices import Values, clamped, color_values, fur_values, furred, without_colors

# Vectors that stand on the surface, and turn the other way where it is stretched.
_NORMAL = "normal"


@dataclass(frozen=True, eq=False)
class Part:
    """The Geoms of a GeomNode that share their vertices.

    Attributes:
        path: to the GeomNode.
        geoms: their numbers there.
        vertices: what they draw. Held, so that what is painted shows wherever the Geoms are drawn, in a coat
            of fur too.
        array: the number of the array that the column has to itself; -1 where there is no fur, for without
            normals there is no way for it to stand.
        rows: where its rows are among all.
        triangles: of each Geom: (n, 3), rows among all.
    """

    path: NodePath
    geoms: tuple[int, ...]
    vertices: GeomVertexData
    array: int
    rows: slice
    triangles: tuple[Numbers, ...]

    @property
    def has_fur(self) -> bool:
        """False where nothing can be painted: it only hides what is behind it."""
        return self.array >= 0

    @property
    def net(self) -> Array:
        """4 x 4, from the GeomNode's space to the world's; whatever, once the node was removed."""
        return np.eye(4) if self.path.is_empty() else net_matrix(self.path)

    def vectors(self, name: str, linear: Array, animated: bool) -> Array:
        """A column of directions times 3 x 3, (rows, 3), of length 1; zeros if there is none."""
        values = column(posed(self.vertices) if animated else self.vertices, name)
        if values is None:
            return np.zeros((self.rows.stop - self.rows.start, 3))
        if name == _NORMAL:
            back = inverse(linear)
            linear = linear if back is None else back.T
        return normalized(transformed(values[:, :3].astype(np.float64), linear))

    def positions(self, to: Array, animated: bool) -> Array:
        """The vertices times 4 x 4, (rows, 3)."""
        values = column(posed(self.vertices) if animated else self.vertices, "vertex")
        if values is None:
            return np.zeros((self.rows.stop - self.rows.start, 3))
        return transformed(values[:, :3].astype(np.float64), to[:3, :3]) + to[3, :3]


class FurColumn:
    """The column of all Geoms below a node that have normals; copies of these carry it until `release`.

    Where the model has the column already, its values are kept. Rows are numbered through all parts.

    Args:
        node: whatever is painted is below it. Positions at rest are in its space.
        from_colors: take the values from the vertex colours, where there are some, instead: red and green
            are the tangent and binormal parts of the direction, as 0..1 stands for -1..1, blue is the length,
            alpha the density. The colours no longer tint the model then.

    Attributes:
        parts: all Geoms.
        points: where the rows are, on the surface.
        rest: of the rows at rest, in the node's space: positions, (n, 3).
        normals, tangents, binormals: in the same way, of length 1.
        paintable: (n,), whether a row has fur.
        values: of the rows: (n, 4), float32. To be read only; see `write`.

    Raises:
        ConfigError: there is no such node, or nothing below it has triangles and normals.
    """

    def __init__(self, node: NodePath, from_colors: bool = False) -> None:
        self.node = check_node("node", node)
        self.parts: list[Part] = []
        self._replaced: list[Replaced] = []
        paths = drawn_once(geom_nodes(node))
        if not any(_can_have_fur(geom) for path in paths for geom in geom_node(path).get_geoms()):
            raise ConfigError(f"node must have triangles with normals below it, {node} has none")
        for path in paths:
            self._change(path, from_colors)
        self.values: Values = np.concatenate([fur_values(part.vertices) for part in self.parts])
        ways = {part: matrix(part.path.get_mat(node)) for part in self.parts}
        self.rest = np.concatenate([part.positions(to, False) for part, to in ways.items()])
        self.normals, self.tangents, self.binormals = (
            np.concatenate([part.vectors(name, to[:3, :3], False) for part, to in ways.items()])
            for name in (_NORMAL, "tangent", "binormal")
        )
        furred_triangles = [corners for part in self.parts if part.has_fur for corners in part.triangles]
        self.points = Points(self.rest, self.normals, np.concatenate(furred_triangles))
        self.paintable = np.zeros(len(self.rest), bool)
        for part in self.parts:
            self.paintable[part.rows] = part.has_fur
        if from_colors:
            self._even_out()

    def _change(self, path: NodePath, from_colors: bool) -> None:
        """Give a GeomNode copies of its Geoms."""
        node = geom_node(path)
        copies: dict[int, Geom] = {}
        for numbers in _sharing(node):
            geoms = [node.get_geom(number) for number in numbers]
            vertices, array = geoms[0].get_vertex_data(), -1
            if any(_can_have_fur(geom) for geom in geoms):
                vertices, array = _furred(vertices, from_colors)
                copies |= {number: _with(geom, vertices) for number, geom in zip(numbers, geoms, strict=True)}
            start = self.parts[-1].rows.stop if self.parts else 0
            rows = slice(start, start + vertices.get_num_rows())
            corners = tuple(triangles(geom) + start for geom in geoms)
            self.parts.append(Part(path, tuple(numbers), vertices, array, rows, corners))
        if copies:
            self._replaced.append(Replaced(node, copies))

    def _even_out(self) -> None:
        """Give the rows of each point the mean of their fur."""
        of_row = self.points.of_row
        values = self.values.astype(np.float64)
        fur = np.column_stack([along(values[:, :2], self.tangents, self.binormals), values[:, 2:]])
        sums = np.stack([np.bincount(of_row, part) for part in fur.T], axis=1)
        means = (sums / np.bincount(of_row)[:, None])[of_row]
        leans = in_frame(means[:, :3], self.tangents, self.binormals)
        self.write(np.arange(len(values)), clamped(np.column_stack([leans, means[:, 3:]])))

    def write(self, rows: Numbers, values: Values) -> None:
        """Give rows other values, (n, 4), which are in range. They show with the next frame."""
        self.values[rows] = values
        for part in self.parts:
            touched = ((rows >= part.rows.start) & (rows < part.rows.stop)).any()
            if part.has_fur and touched:
                handle = part.vertices.modify_array_handle(part.array)
                handle.set_data(self.values[part.rows].tobytes())

    def world(self) -> Array:
        """Where the rows are now, as posed, in the world: (n, 3)."""
        return np.concatenate([part.positions(part.net, True) for part in self.parts])

    def world_vectors(self, name: str) -> Array:
        """The rows' `normal`, `tangent` or `binormal` in the world, as posed: (n, 3), of length 1."""
        return np.concatenate([part.vectors(name, part.net[:3, :3], True) for part in self.parts])

    @property
    def pose(self) -> tuple[object, ...]:
        """Equal as long as nothing moves, nor is moved by joints and morphs."""
        return tuple((part.net.tobytes(), *_movers(part.vertices)) for part in self.parts)

    def release(self) -> None:
        """Give the model its Geoms back, where ours still stand untouched. Idempotent."""
        for replaced in self._replaced:
            replaced.put_back()
        self._replaced = []


def _movers(vertices: GeomVertexData) -> Iterator[UpdateSeq]:
    """What counts how often joints and morphs moved the vertices."""
    thread = Thread.get_current_thread()
    blends, sliders = vertices.get_transform_blend_table(), vertices.get_slider_table()
    if blends is not None:
        yield blends.get_modified(thread)
    if sliders is not None:
        yield sliders.get_modified(thread)


def _can_have_fur(geom: Geom) -> bool:
    normals = column(geom.get_vertex_data(), _NORMAL)
    return normals is not None and normals.shape[1] >= 3 and geom.get_primitive_type() == Geom.PT_polygons


def _sharing(node: GeomNode) -> list[list[int]]:
    """The numbers of a node's Geoms, those together that share their vertices."""
    groups: dict[int, list[int]] = {}
    for number in range(node.get_num_geoms()):
        groups.setdefault(address(node.get_geom(number).get_vertex_data()), []).append(number)
    return list(groups.values())


def _furred(vertices: GeomVertexData, from_colors: bool) -> tuple[GeomVertexData, int]:
    """See `furred`."""
    values = color_values(vertices) if from_colors else None
    if values is None:
        return furred(vertices, fur_values(vertices))
    return furred(without_colors(vertices), values)


def _with(geom: Geom, vertices: GeomVertexData) -> Geom:
    copy = geom.make_copy()
    copy.set_vertex_data(vertices)
    return copy
