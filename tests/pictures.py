"""What tests that look at the player's picture share: rays through pixels, colours, snapshots of scenes.

Pictures are `support.screenshot`'s: top row first. Colours in expectations are 0..255, in floats.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from panda3d.core import (
    CullFaceAttrib,
    Geom,
    GeomNode,
    GeomTriangles,
    GeomVertexData,
    GeomVertexFormat,
    GeomVertexReader,
    LMatrix4,
    NodePath,
    PandaNode,
    PerspectiveLens,
    Point3,
    RenderState,
    Shader,
    Thread,
)

from support import make_card

if TYPE_CHECKING:
    from panda_rtstamp import StampSystem

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Bytes = NDArray[np.uint8]


@contextmanager
def stamps_on(base: Any, **fields: Any) -> "Iterator[StampSystem]":
    """A stamp system whose marks stay, in half floats, unless `fields` of StampConfig say otherwise."""
    # Here, since there are processes that must not import the add-on.
    from panda_rtstamp import StampConfig, StampSystem

    with StampSystem(base, StampConfig(**{"auto_fade": False, "format": "rgba16f", **fields})) as system:
        yield system


def look_from(base: Any, eye: Any, target: Any = (0, 0, 0), fov: float = 40.0) -> None:
    """Put the main camera at `eye`, looking at `target`, near and far planes about the distance."""
    lens = PerspectiveLens()
    lens.set_fov(fov)
    base.cam.node().set_lens(lens)
    base.cam.set_pos(base.render, *eye)
    base.cam.look_at(base.render, *target)
    distance = float(np.linalg.norm(np.subtract(target, eye)))
    lens.set_near_far(distance / 50, distance * 10)


def to_numpy(matrix: LMatrix4) -> Floats:
    """A Panda matrix, for row vectors: point @ matrix."""
    return np.array([[matrix.get_cell(row, column) for column in range(4)] for row in range(4)])


def mark_mask(distance: Floats, radius: float, hardness: float = 0.1, opacity: float = 1.0) -> Floats:
    """The formula of a mark at this distance from its centre; 0 where that is NaN."""
    falloff = (1.0 - distance / radius) / max(1.0 - hardness, 1e-4)
    return np.nan_to_num(opacity * np.clip(falloff, 0.0, 1.0))


def layered(*marks: tuple[Any, Floats]) -> Floats:
    """Marks (colour 0..1, mask) one over another: (h, w, 4), premultiplied colour and mask."""
    result = np.zeros((*marks[0][1].shape, 4))
    for color, mask in marks:
        layer = np.append(np.asarray(color, np.float64)[:3], 1.0) * mask[..., None]
        result = result * (1.0 - mask[..., None]) + layer
    return result


def intensified(mark: Floats, intensity: float) -> Floats:
    """A mark with its mask multiplied, held to 1, in its own colour."""
    mask = np.clip(mark[..., 3:] * intensity, 0.0, 1.0)
    result: Floats = np.concatenate([mark[..., :3] * (mask / np.maximum(mark[..., 3:], 1e-9)), mask], axis=-1)
    return result


def shown(original: NDArray[Any], mark: Floats, look: str = "paint", full: float = 255.0) -> Floats:
    """The colours that a look makes of a picture, RGB or RGBA, and a mark.

    Args:
        full: the picture's 1; where it is 255, the picture can hold no more.
    """
    below = original[..., :3].astype(np.float64)
    clear, color = 1.0 - mark[..., 3:], mark[..., :3]
    looks = {
        "paint": below * clear + full * color,
        "tint": below * (clear + color),
        "glow": below + full * color,
    }
    return np.minimum(looks[look], 255.0) if full == 255.0 else looks[look]


def blend(original: NDArray[Any], color: Any, mask: Floats) -> Floats:
    """mix(original, color, mask), for a picture of RGB or RGBA and a colour of 0..1."""
    return shown(original, layered((color, mask)))


def rgb(picture: NDArray[Any]) -> NDArray[Any]:
    """A picture without its alpha."""
    return picture[..., :3]


def changed(picture: NDArray[Any], before: NDArray[Any]) -> Bools:
    """Which pixels differ at all."""
    result: Bools = (rgb(picture) != rgb(before)).any(axis=-1)
    return result


@dataclass
class Seen:
    """What the camera sees of some triangles, for each pixel centre.

    Attributes:
        points: (h, w, 3) world coordinates, NaN where there is nothing.
        triangle: (h, w), the number of the triangle; -1.
        triangles: what was looked at, (n, 3, 3).
    """

    points: Floats
    triangle: NDArray[np.int64]
    triangles: Floats

    @property
    def hit(self) -> Bools:
        """Pixels that show a triangle."""
        result: Bools = self.triangle >= 0
        return result

    def inner(self, jump: float) -> Bools:
        """Pixels whose eight neighbours all show the surface too, no two of them farther apart than `jump`.

        At the others a rounding decides which surface the rasteriser puts there.
        """
        height, width = self.triangle.shape
        result = np.zeros((height, width), bool)
        centre = self.points[1:-1, 1:-1]
        fine = np.ones(centre.shape[:2], bool)
        for row in range(3):
            for column in range(3):
                other = self.points[row : row + height - 2, column : column + width - 2]
                # A NaN compares false.
                fine &= np.linalg.norm(other - centre, axis=-1) <= jump
        result[1:-1, 1:-1] = fine
        return result

    def on(self, others: Floats) -> Floats:
        """The points that are seen, where they are on other triangles: the same ones, moved. (h, w, 3)."""
        result = np.full(self.points.shape, np.nan)
        for number in np.unique(self.triangle[self.hit]):
            here = self.triangle == number
            corner, other = self.triangles[number], others[number]
            edges = np.stack([corner[1] - corner[0], corner[2] - corner[0]], axis=1)
            shares = np.linalg.lstsq(edges, (self.points[here] - corner[0]).T, rcond=None)[0]
            result[here] = other[0] + shares.T @ np.stack([other[1] - other[0], other[2] - other[0]])
        return result

    def distance(self, center: Any) -> Floats:
        """From each pixel's point to a world point."""
        result: Floats = np.linalg.norm(self.points - np.asarray(center, np.float64), axis=-1)
        return result


def world_triangles(node: NodePath) -> Floats:
    """All triangles at and below a node, (n, 3, 3), as they are animated now."""
    found = [np.zeros((0, 3, 3))]
    for path in geom_paths(node):
        geoms = path.node()
        assert isinstance(geoms, GeomNode)
        net = to_numpy(path.get_net_transform().get_mat())
        for index in range(geoms.get_num_geoms()):
            corners = _corners(geoms.get_geom(index))
            found.append(corners @ net[:3, :3] + net[3, :3])
    return np.concatenate(found)


def geom_paths(node: NodePath) -> list[NodePath]:
    """The GeomNodes at and below a node that are not overlays of marks."""
    paths = list(node.find_all_matches("**/+GeomNode"))
    if isinstance(node.node(), GeomNode):
        paths.append(node)
    return [path for path in paths if not path.has_tag("rtstamp-overlay")]


def read_column(geom: Geom, name: str) -> Floats:
    """A vertex column, (rows, 4), animated, by Panda's own reader."""
    vertices = geom.get_vertex_data().animate_vertices(True, Thread.get_current_thread())
    reader = GeomVertexReader(vertices, name)
    return np.array([tuple(reader.get_data4()) for _ in range(vertices.get_num_rows())]).reshape(-1, 4)


def _corners(geom: Geom) -> Floats:
    points = read_column(geom, "vertex")[:, :3]
    plain = geom.decompose()
    rows = [
        [primitive.get_vertex(number) for number in range(primitive.get_num_vertices())]
        for primitive in plain.get_primitives()
        if primitive.get_num_vertices_per_primitive() == 3
    ]
    return points[np.array([row for part in rows for row in part], np.int64)].reshape(-1, 3, 3)


def extent(node: NodePath) -> tuple[Point3, float]:
    """The middle of a node's geometry in the world, and the diagonal of its box."""
    bounds: Any = node.get_tight_bounds(node.get_top())
    low, high = bounds
    return Point3((low + high) / 2), float((high - low).length())


def pixel_rays(base: Any) -> tuple[Floats, Floats]:
    """For each pixel centre of the main window: a world point on the near plane, and the way to the far."""
    width, height = base.win.get_x_size(), base.win.get_y_size()
    x, y = np.meshgrid((np.arange(width) + 0.5) / width * 2 - 1, 1 - (np.arange(height) + 0.5) / height * 2)
    back = np.linalg.inv(_projection(base))
    ends = []
    for depth in (-1.0, 1.0):
        clip = np.stack([x, y, np.full_like(x, depth), np.ones_like(x)], axis=-1) @ back
        ends.append(clip[..., :3] / clip[..., 3:])
    return ends[0], ends[1] - ends[0]


def _projection(base: Any) -> Floats:
    """From the world to clip space."""
    view = np.linalg.inv(to_numpy(base.cam.get_net_transform().get_mat()))
    return view @ to_numpy(base.cam.node().get_lens().get_projection_mat())


def see(base: Any, triangles: Floats, two_sided: bool = False) -> Seen:
    """Cast a ray through each pixel centre: which of these world triangles a camera with perspective sees."""
    starts, ways = pixel_rays(base)
    height, width = starts.shape[:2]
    nearest = np.full((height, width), np.inf)
    owner = np.full((height, width), -1, np.int64)
    clip = np.concatenate([triangles, np.ones((len(triangles), 3, 1))], axis=-1) @ _projection(base)
    before_eye: Bools = np.any(clip[..., 3] <= 1e-6, axis=1)[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        pixels = (clip[..., :2] / clip[..., 3:] * (1, -1) + 1) / 2 * (width, height)
    low = np.where(before_eye, 0, np.floor(np.nan_to_num(pixels.min(axis=1)) - 1))
    high = np.where(before_eye, (width, height), np.ceil(np.nan_to_num(pixels.max(axis=1)) + 1))
    low = np.clip(low, 0, (width, height)).astype(int)
    high = np.clip(high, 0, (width, height)).astype(int)
    corners, edges = triangles[:, 0], triangles[:, 1:] - triangles[:, :1]
    eye = to_numpy(base.cam.get_net_transform().get_mat())[3, :3]
    facing = ((corners - eye) * _cross(edges[:, 0], edges[:, 1])).sum(axis=-1) < 0
    for number in np.flatnonzero((high > low).all(axis=1) & (facing | two_sided)):
        place = (slice(low[number, 1], high[number, 1]), slice(low[number, 0], high[number, 0]))
        along = _along(triangles[number], starts[place], ways[place])
        nearer = along < nearest[place]
        nearest[place] = np.where(nearer, along, nearest[place])
        owner[place] = np.where(nearer, number, owner[place])
    share = np.where(owner >= 0, nearest, np.nan)[..., None]
    return Seen(starts + ways * share, owner, triangles)


def _cross(left: Floats, right: Floats) -> Floats:
    """The cross product; numpy's own takes three times as long on little arrays."""
    x, y, z = (left[..., axis] for axis in range(3))
    a, b, c = (right[..., axis] for axis in range(3))
    return np.stack([y * c - z * b, z * a - x * c, x * b - y * a], axis=-1)


def _along(triangle: Floats, starts: Floats, ways: Floats) -> Floats:
    """Where along each ray (0..1) it meets the triangle, from either side; infinity where not.

    By Moeller and Trumbore.
    """
    first, second = triangle[1] - triangle[0], triangle[2] - triangle[0]
    across = _cross(ways, second)
    slope = across @ first
    with np.errstate(divide="ignore", invalid="ignore"):
        offset = starts - triangle[0]
        u = (offset * across).sum(axis=-1) / slope
        turned = _cross(offset, first)
        v = (ways * turned).sum(axis=-1) / slope
        along: Floats = (turned @ second) / slope
    inside = (u >= 0) & (v >= 0) & (u + v <= 1) & (along >= 0) & (along <= 1)
    return np.where(inside, along, np.inf)


def see_node(base: Any, node: NodePath) -> Seen:
    """`see` for all that is below a node; two-sided where its net state says so."""
    cull = node.get_net_state().get_attrib(CullFaceAttrib)
    two_sided = isinstance(cull, CullFaceAttrib) and cull.get_effective_mode() == CullFaceAttrib.M_cull_none
    return see(base, world_triangles(node), two_sided)


def flat_card(parent: NodePath, size: float, color: Any = (1, 1, 1, 1)) -> NodePath:
    """A card around the parent's origin, facing -Y, of one colour, that is lit by nobody."""
    card = make_card(size, size)
    card.reparent_to(parent)
    card.set_color(*color)
    card.set_light_off()
    return card


def grid_card(parent: NodePath, size: float, cells: int) -> NodePath:
    """A card like `flat_card`, of cells x cells squares, lit as the parent is."""
    layout = GeomVertexFormat.get_v3n3t2()
    vertices = GeomVertexData("grid", layout, Geom.UH_static)
    across = np.linspace(0.0, 1.0, cells + 1)
    u, v = (part.ravel() for part in np.meshgrid(across, across))
    rows = np.zeros((u.size, 8), np.float32)
    rows[:, 0], rows[:, 2], rows[:, 4] = (u - 0.5) * size, (v - 0.5) * size, -1.0
    rows[:, 6], rows[:, 7] = u, v
    vertices.unclean_set_num_rows(u.size)
    vertices.modify_array_handle(0).set_data(rows.tobytes())
    corner = (np.arange(cells)[:, None] * (cells + 1) + np.arange(cells)).reshape(-1, 1)
    pairs = corner + np.array([[0, 1, cells + 2, 0, cells + 2, cells + 1]])
    triangles = GeomTriangles(Geom.UH_static)
    triangles.set_index_type(Geom.NT_uint32)
    triangles.modify_vertices().unclean_set_num_rows(pairs.size)
    triangles.modify_vertices_handle(Thread.get_current_thread()).set_data(pairs.astype(np.uint32).tobytes())
    geom = Geom(vertices)
    geom.add_primitive(triangles)
    node = GeomNode("grid")
    node.add_geom(geom)
    return parent.attach_new_node(node)


def glsl(vertex: str, fragment: str, geometry: str = "") -> Shader:
    """A shader of these sources."""
    shader = Shader.make(Shader.SL_GLSL, vertex, fragment, geometry)
    assert shader is not None
    return shader


PLAIN_VERTEX = """#version 330
uniform mat4 p3d_ModelViewProjectionMatrix;
in vec4 p3d_Vertex;
in vec2 p3d_MultiTexCoord0;
out vec2 v_texcoord;
void main() {
    gl_Position = p3d_ModelViewProjectionMatrix * p3d_Vertex;
    v_texcoord = p3d_MultiTexCoord0;
}
"""
SKINNED_VERTEX = """#version 330
uniform mat4 p3d_ModelViewProjectionMatrix;
uniform mat4 p3d_TransformTable[100];
in vec4 p3d_Vertex;
in vec2 p3d_MultiTexCoord0;
in vec4 transform_weight;
in uvec4 transform_index;
out vec2 v_texcoord;
void main() {
    mat4 skin = p3d_TransformTable[transform_index.x] * transform_weight.x
              + p3d_TransformTable[transform_index.y] * transform_weight.y
              + p3d_TransformTable[transform_index.z] * transform_weight.z
              + p3d_TransformTable[transform_index.w] * transform_weight.w;
    gl_Position = p3d_ModelViewProjectionMatrix * (skin * p3d_Vertex);
    v_texcoord = p3d_MultiTexCoord0;
}
"""
PLAIN_FRAGMENT = """#version 330
uniform sampler2D p3d_Texture0;
in vec2 v_texcoord;
out vec4 o_color;
void main() {
    o_color = vec4(texture(p3d_Texture0, v_texcoord).rgb * vec3(0.9, 0.8, 0.7), 1.0);
}
"""


def plain_shader() -> Shader:
    """A user's shader: the model's texture in a colour, by nobody's light."""
    return glsl(PLAIN_VERTEX, PLAIN_FRAGMENT)


@dataclass(frozen=True)
class Snapshot:
    """What one node of a scene graph is: all that a player or a program can tell, by identity."""

    path: str
    facts: tuple[tuple[str, object], ...]


def snapshot(root: NodePath, ignore_overlays: bool = False) -> list[Snapshot]:
    """Everything at and below a node, stashed nodes too, depth first.

    What it holds keeps states and Geoms alive, so that equal addresses mean the same object.

    Args:
        ignore_overlays: leave out what the stamp system adds to the graph.
    """
    found: list[Snapshot] = []
    _take(root.node(), "", found, ignore_overlays)
    return found


def _take(node: PandaNode, path: str, found: list[Snapshot], ignore_overlays: bool) -> None:
    path = f"{path}/{node.get_name()}"
    facts: dict[str, object] = {
        "type": node.get_type().get_name(),
        "address": node.this,  # type: ignore[attr-defined]
        "state": _address(node.get_state()),
        "overrides": _overrides(node.get_state()),
        "transform": _address(node.get_transform()),
        "effects": _address(node.get_effects()),
        "tags": tuple(sorted((key, node.get_tag(key)) for key in node.get_tag_keys())),
        "python tags": tuple(sorted(node.get_python_tag_keys())),
        "into mask": str(node.get_into_collide_mask()),
        "control mask": str(node.get_draw_control_mask()),
        "show mask": str(node.get_draw_show_mask()),
        "final": node.is_final(),
        "preserved": getattr(node, "is_preserved", lambda: None)(),
        "parents": node.get_num_parents(),
    }
    if isinstance(node, GeomNode):
        for index in range(node.get_num_geoms()):
            facts[f"geom {index}"] = _address(node.get_geom(index))
            facts[f"vertices {index}"] = _address(node.get_geom(index).get_vertex_data())
            facts[f"geom state {index}"] = _address(node.get_geom_state(index))
    children = [node.get_child(index) for index in range(node.get_num_children())]
    stashed = [node.get_stashed(index) for index in range(node.get_num_stashed())]
    if ignore_overlays:
        children = [child for child in children if not child.has_tag("rtstamp-overlay")]
        stashed = [child for child in stashed if not child.get_name().startswith("rtstamp-")]
    facts["children"] = tuple(child.get_name() for child in children)
    facts["stashed"] = tuple(child.get_name() for child in stashed)
    found.append(Snapshot(path, tuple(facts.items())))
    for child in children + stashed:
        _take(child, path, found, ignore_overlays)


class _Held:
    """An object by its address, which it keeps from being used again."""

    def __init__(self, thing: Any) -> None:
        self.thing = thing

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Held) and bool(self.thing.this == other.thing.this)

    def __hash__(self) -> int:
        return hash(self.thing.this)

    def __repr__(self) -> str:
        return f"{type(self.thing).__name__} {self.thing.this:#x}: {self.thing}"


def _address(thing: Any) -> _Held:
    return _Held(thing)


def _overrides(state: RenderState) -> tuple[int, ...]:
    slots = range(1, 32)
    return tuple(state.get_override(slot) for slot in slots if state.has_attrib(slot))


def assert_same_scene(actual: list[Snapshot], expected: list[Snapshot]) -> None:
    """Fail with what differs between two snapshots."""
    differences = [
        f"{now.path}: {name}: {value!r}, was {before!r}"
        for now, then in zip(actual, expected, strict=False)
        for (name, value), (_, before) in zip(now.facts, then.facts, strict=False)
        if value != before
    ]
    if [node.path for node in actual] != [node.path for node in expected]:
        differences.append(f"nodes {[n.path for n in actual]}, were {[n.path for n in expected]}")
    if differences or actual != expected:
        raise AssertionError("the scene is not as it was:\n" + "\n".join(differences[:20]))
