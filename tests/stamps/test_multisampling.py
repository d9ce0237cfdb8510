"""In a multisampled window a mark does not show on the edges of what lies beside it in the texture alone."""

import json
from pathlib import Path

import pytest

from support import run_case

# Small quads, turned away at random, each an island of the UVs, five texels apart. Every second one is hit.
CASE = """
import json, random, sys
import numpy as np
from panda3d.core import Filename, get_model_path, load_prc_file_data
load_prc_file_data("", "framebuffer-multisample 1\\nmultisamples 4\\nwin-size 256 256")
import support
from panda3d.core import (
    AntialiasAttrib, Geom, GeomNode, GeomTriangles, GeomVertexData, GeomVertexFormat, GeomVertexWriter,
    OrthographicLens, NodePath, Point3, Shader,
)
from panda_rtstamp import StampConfig, StampSystem, load_shader

COUNT, CELL, HALF, TEXELS = 12, 1.0, 0.2, 21
base = support.make_base()
assert base.win.get_fb_properties().get_multisamples() == 4
lens = OrthographicLens()
lens.set_film_size(COUNT + 1, COUNT + 1)
base.cam.node().set_lens(lens)
base.cam.set_pos(COUNT / 2 - 0.5, -10, COUNT / 2 - 0.5)
base.render.set_antialias(AntialiasAttrib.M_multisample)
base.set_background_color(0, 0, 0, 1)

data = GeomVertexData("quads", GeomVertexFormat.get_v3n3t2(), Geom.UH_static)
vertex, normal, uv = (GeomVertexWriter(data, name) for name in ("vertex", "normal", "texcoord"))
triangles = GeomTriangles(Geom.UH_static)
generator = random.Random(4)
centers = []
for row in range(COUNT):
    for column in range(COUNT):
        angle = generator.uniform(0, 6.3)
        middle = np.array([column, row]) * CELL + [generator.uniform(-0.1, 0.1) for _ in range(2)]
        turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        first = 4 * len(centers)
        for x, y in ((0, 0), (1, 0), (1, 1), (0, 1)):
            # Seen at a grazing angle, a pixel reaches far over the texture.
            place = middle + turn @ ((np.array([x, y]) * 2 - 1) * HALF * [1, 0.1])
            vertex.add_data3(place[0], y * HALF, place[1])
            normal.add_data3(0, -1, 0)
            uv.add_data2((column * TEXELS + 2 + 16 * x) / 256, (row * TEXELS + 2 + 16 * y) / 256)
        triangles.add_vertices(first, first + 1, first + 2)
        triangles.add_vertices(first, first + 2, first + 3)
        centers.append((middle, (row + column) % 2))
geom = Geom(data)
geom.add_primitive(triangles)
node = GeomNode("quads")
node.add_geom(geom)
model = base.render.attach_new_node(node)
model.set_tag("rtstamp-resolution", "256")
model.set_color(0.3, 0.3, 0.3, 1)
display, look = sys.argv[1:3]
if display != "overlay":
    get_model_path().append_directory(Filename.from_os_specific(sys.argv[3]))
    model.set_shader(load_shader(f"{display}.vert", f"{display}.frag"))
config = StampConfig(display=display, look=look, stamp_color=(0, 0.9, 0.8), hardness=0.99, auto_fade=False)
stamps = StampSystem(base, config)
stamps.set_default_inputs(base.render)
before = support.screenshot(base, 3)
for middle, is_hit in centers:
    if is_hit:
        stamps.hit(model, Point3(middle[0], 0, middle[1]), radius=0.3)
after = support.screenshot(base, 3)
changed = np.abs(after.astype(int) - before).max(axis=-1)[::-1]
rows, columns = (np.mgrid[:256, :256] + 0.5) * (COUNT + 1) / 256 - 1
stray = 0
least = 255
for middle, is_hit in centers:
    inside = np.hypot(columns - middle[0], rows - middle[1]) < 0.3
    if is_hit:
        least = min(least, int(changed[inside].max()))
    else:
        stray += int((changed[inside] > 0).sum())
stamps.destroy()
print(json.dumps([least, stray]))
"""
VERTEX = """#version 330
in vec4 p3d_Vertex;
uniform mat4 p3d_ModelViewProjectionMatrix;

void main() {
    gl_Position = p3d_ModelViewProjectionMatrix * p3d_Vertex;
}
"""
FRAGMENT = """#version 330
out vec4 o_color;

void main() {
    o_color = vec4(vec3(0.3), 1.0);
}
"""
TEXTS = {
    "wrap.vert": VERTEX,
    "wrap.frag": FRAGMENT,
    "shader.vert": VERTEX.replace("void", "in vec2 rtstamp_uv;\ncentroid out vec2 v_uv;\n\nvoid").replace(
        "gl_", "v_uv = rtstamp_uv;\n    gl_"
    ),
    "shader.frag": FRAGMENT.replace(
        "out", "#pragma include <rtstamp/common/mark.glsl>\ncentroid in vec2 v_uv;\nout"
    ).replace("vec3(0.3)", "rtstamp_paint(vec3(0.3), rtstamp_mark(v_uv))"),
}


@pytest.mark.parametrize(
    ("display", "look"), [("overlay", "paint"), ("overlay", "tint"), ("wrap", "paint"), ("shader", "paint")]
)
def test_no_marks_on_the_edges_of_others(display: str, look: str, tmp_path: Path) -> None:
    for name, text in TEXTS.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    least, stray = json.loads(run_case(CASE, args=[display, look, str(tmp_path)]).splitlines()[-1])
    assert least > 60
    assert stray == 0
