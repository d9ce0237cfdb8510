"""Meshes of flat faces: all that the town is made of."""

from collections.abc import Sequence

from panda3d.core import (
    Geom,
    GeomNode,
    GeomTriangles,
    GeomVertexData,
    GeomVertexFormat,
    GeomVertexWriter,
    LVecBase3f,
    LVector3,
    NodePath,
    Point3,
)

Corners = tuple[Point3, Point3, Point3, Point3]


def box_faces(low: LVecBase3f, high: LVecBase3f) -> list[Corners]:
    """The faces of a box, but for the one below."""
    x, y, z = zip(low, high, strict=True)
    faces = [
        ((0, 0, 0), (1, 0, 0), (1, 0, 1), (0, 0, 1)),
        ((1, 0, 0), (1, 1, 0), (1, 1, 1), (1, 0, 1)),
        ((1, 1, 0), (0, 1, 0), (0, 1, 1), (1, 1, 1)),
        ((0, 1, 0), (0, 0, 0), (0, 0, 1), (0, 1, 1)),
        ((0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)),
    ]
    return [tuple(Point3(x[i], y[j], z[k]) for i, j, k in face) for face in faces]  # type: ignore[misc]


def make_mesh(name: str, faces: Sequence[Corners]) -> NodePath:
    """A node with these faces; their corners go round counterclockwise, as seen from outside."""
    data = GeomVertexData(name, GeomVertexFormat.get_v3n3(), Geom.UH_static)
    vertex, normal = GeomVertexWriter(data, "vertex"), GeomVertexWriter(data, "normal")
    triangles = GeomTriangles(Geom.UH_static)
    for number, face in enumerate(faces):
        across = LVector3(face[1] - face[0]).cross(face[2] - face[0]).normalized()
        for corner in face:
            vertex.add_data3(corner)
            normal.add_data3(across)
        first = 4 * number
        triangles.add_vertices(first, first + 1, first + 2)
        triangles.add_vertices(first, first + 2, first + 3)
    geom = Geom(data)
    geom.add_primitive(triangles)
    node = GeomNode(name)
    node.add_geom(geom)
    return NodePath(node)
