"""A lawn: patches of three levels of detail each, with the models' shadows on them."""

from itertools import pairwise
from math import cos, sin
from typing import Any

from panda3d.core import (
    Camera,
    Geom,
    GeomNode,
    GeomTriangles,
    GeomVertexData,
    GeomVertexFormat,
    GeomVertexWriter,
    LColor,
    LMatrix4,
    LODNode,
    LVector3,
    NodePath,
    OrthographicLens,
    Point3,
    RenderState,
    ShaderAttrib,
    Texture,
)

from panda_rtstamp import load_shader
from samples.common.studio import OVERRIDE, Studio

PATCHES = 6  # along an edge
PATCH = 2.0  # metres
EDGE = 8  # quads along the edge of a patch, at the finest level; each next level has half as many
# From how many metres away each level is seen.
DISTANCES = (0.0, 8.0, 13.0, 1000.0)
SHADOW_EDGE, SHADOW_TEXELS = 14.0, 192
GREENS = (LColor(0.20, 0.44, 0.10, 1), LColor(0.46, 0.58, 0.16, 1))


def height(x: float, y: float) -> float:
    """Of the ground: flat in the middle, gentle waves around it."""
    away = min(max((x * x + y * y - 9) / 16, 0.0), 1.0)
    return 0.02 + 0.3 * away * (1 + sin(0.9 * x + 1) * cos(0.8 * y))


class Lawn:
    """The ground, `path`, without grass: that is a coat."""

    def __init__(self, studio: Studio) -> None:
        self._light = self._add_light(studio)
        eye: Any = self._light.node()
        to_light = studio.base.render.get_mat(self._light) * eye.get_lens().get_projection_mat()
        self._to_light = LMatrix4(to_light)
        self.path: NodePath = studio.base.render.attach_new_node("lawn")
        self.path.set_shader(load_shader("lit.vert", "soil.frag"))
        self.path.set_shader_input("u_fog_mode", 0)
        self.path.set_texture(self._add_shadows(studio))
        middle = (PATCHES - 1) / 2
        for row in range(PATCHES):
            for column in range(PATCHES):
                self._add_patch((column - middle) * PATCH, (row - middle) * PATCH)

    def _add_patch(self, x: float, y: float) -> None:
        levels = LODNode("patch")
        levels.set_center((x, y, 0))
        patch = self.path.attach_new_node(levels)
        for number, (near, far) in enumerate(pairwise(DISTANCES)):
            levels.add_switch(far, near)
            patch.attach_new_node(self._ground(x, y, EDGE >> number))

    def _ground(self, x: float, y: float, quads: int) -> GeomNode:
        """A patch around (x, y), of so many quads along its edge."""
        data = GeomVertexData("ground", GeomVertexFormat.get_v3n3c4t2(), Geom.UH_static)
        columns = [GeomVertexWriter(data, name) for name in ("vertex", "normal", "color", "texcoord")]
        triangles = GeomTriangles(Geom.UH_static)
        side = quads + 1
        for number in range(side * side):
            right, up = ((part / quads - 0.5) * PATCH for part in (number % side, number // side))
            self._add_vertex(columns, x + right, y + up)
            if number % side < quads and number // side < quads:
                triangles.add_vertices(number, number + 1, number + side + 1)
                triangles.add_vertices(number, number + side + 1, number + side)
        geom = Geom(data)
        geom.add_primitive(triangles)
        node = GeomNode("ground")
        node.add_geom(geom)
        return node

    def _add_vertex(self, columns: list[GeomVertexWriter], x: float, y: float) -> None:
        step = 0.01
        place = Point3(x, y, height(x, y))
        slope = LVector3(place.z - height(x + step, y), place.z - height(x, y + step), step)
        share = 0.5 + 0.3 * sin(1.7 * x + 0.6 * y) + 0.2 * cos(2.3 * y - 0.8 * x)
        color = GREENS[0] + (GREENS[1] - GREENS[0]) * share
        vertex, normal, tint, texcoord = columns
        vertex.add_data3(place)
        normal.add_data3(slope.normalized())
        tint.add_data4(color)
        seen = self._to_light.xform_point(place)
        texcoord.add_data2(0.5 + 0.5 * seen.x, 0.5 + 0.5 * seen.y)

    @staticmethod
    def _add_light(studio: Studio) -> NodePath:
        lens = OrthographicLens()
        lens.set_film_size(SHADOW_EDGE, SHADOW_EDGE)
        lens.set_near_far(1, 100)
        camera = Camera("lawn-light", lens)
        camera.set_scene(studio.models)
        outline = ShaderAttrib.make(load_shader("lit.vert", "shade.frag"), OVERRIDE)
        camera.set_initial_state(RenderState.make(outline, OVERRIDE))
        light: NodePath = studio.key_light.attach_new_node(camera)
        light.set_y(-50)
        return light

    def _add_shadows(self, studio: Studio) -> Any:
        """The lawn's texture: what the light sees of the models is dark. The grass takes it over."""
        shadows = Texture("lawn-shadows")
        shadows.set_wrap_u(Texture.WM_clamp)
        shadows.set_wrap_v(Texture.WM_clamp)
        buffer = studio.base.win.make_texture_buffer("lawn-shadows", SHADOW_TEXELS, SHADOW_TEXELS, shadows)
        buffer.set_clear_color((1, 1, 1, 1))
        buffer.make_display_region().set_camera(self._light)
        return shadows
