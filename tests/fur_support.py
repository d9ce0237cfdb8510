"""What tests of fur share: a sphere, a flat view of it, the formula of a coat, and layers read back."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray
from panda3d.core import (
    Camera,
    FrameBufferProperties,
    GeomNode,
    GraphicsOutput,
    GraphicsPipe,
    LVecBase2i,
    NodePath,
    OmniBoundingVolume,
    OrthographicLens,
    Shader,
    ShaderAttrib,
    Texture,
    WindowProperties,
)

from panda_rtstamp.core.geometry import net_matrix
from panda_rtstamp.core.shader import Source
from panda_rtstamp.fur.config import FurConfig
from panda_rtstamp.fur.shells import NAME
from pictures import read_column
from shapes import sphere
from support import ROOT, read_target, step

Floats = NDArray[np.float64]
WIDTH = 64

# A coat that nothing bends, and that is solid.
SOLID = FurConfig(
    length=0.2, density=1.0, taper=0.0, variation=0.0, gravity=0.0, largest_bend=0.0, root_darkening=0.0,
    highlight=0.0,
)  # fmt: skip
ONE = FurConfig(parent=SOLID, bands=())
# With these, a white model's coat is white wherever it is.
WHITE = FurConfig(root_darkening=0.0, highlight=0.0, gravity=0.0, wind=(0.0, 0.0, 0.0), largest_bend=0.0)


# One that nothing bends, of few layers.
STILL = FurConfig(length=0.3, layers=6, gravity=0.0, largest_bend=0.0, bands=())


def shells_of(node: NodePath) -> list[NodePath]:
    """The GeomNodes that draw a coat."""
    return [path for path in node.find_all_matches(f"**/{NAME}") if isinstance(path.node(), GeomNode)]


def counts_of(node: NodePath) -> list[int]:
    """How often each of these is drawn."""
    return [instances(path) for path in shells_of(node)]


def instances(path: NodePath) -> int:
    """How often a GeomNode draws its Geoms."""
    attrib = path.get_attrib(ShaderAttrib)
    return attrib.get_instance_count() if isinstance(attrib, ShaderAttrib) else 0


def white_sphere(base: Any, scene: NodePath, film: float = 2.8, across: int = 128) -> NodePath:
    """A white sphere of radius 1 before black, seen in parallel.

    Args:
        film: how much of the world is seen.
        across: its faces around.
    """
    base.win.set_clear_color((0, 0, 0, 1))
    lens = OrthographicLens()
    lens.set_film_size(film, film)
    lens.set_near_far(1, 100)
    base.cam.node().set_lens(lens)
    base.cam.set_y(base.render, -10)
    ball = sphere(uvs=True, across=across, along=across // 2)
    ball.reparent_to(scene)
    return ball


def area(picture: NDArray[np.uint8], film: float = 2.8) -> float:
    """How much of the world is white, in square units, by alpha."""
    pixel = (film / picture.shape[0]) ** 2
    return float(picture[..., 1].sum() / 255.0 * pixel)


def roots(shell: NodePath) -> tuple[Floats, Floats]:
    """Of all vertices, the place on the skin in the world, and the normal there, of length 1."""
    node = shell.node()
    assert isinstance(node, GeomNode)
    geom = node.get_geom(0)
    net = net_matrix(shell)
    normals = read_column(geom, "normal")[:, :3] @ np.linalg.inv(net[:3, :3]).T
    points = read_column(geom, "vertex")[:, :3] @ net[:3, :3] + net[3, :3]
    return points, normals / np.linalg.norm(normals, axis=1, keepdims=True)


def biased(share: float, bias: float) -> float:
    """Where shell_bias puts a layer."""
    return share if bias == 0.0 else share / (share + 1.0 / bias) * (1.0 + 1.0 / bias)


def offsets(straight: Floats, force: Sequence[float], height: float, bend: float, length: float) -> Floats:
    """The formula: the normalised direction, bent by height to the power of bend, times height and length."""
    direction = straight + height**bend * np.asarray(force)
    result: Floats = direction / np.linalg.norm(direction, axis=1, keepdims=True) * height * length
    return result


@contextmanager
def layer_positions(base: Any, shell: NodePath, layer: int, defines: Sequence[str] = ()) -> Iterator[Floats]:
    """Where the vertices of a layer are in the world, (rows, 3), as the graphics card has them.

    NaN where no triangle uses a vertex.

    The coat's GeomNode is drawn as points, by a shader that ends in the coat's own functions.

    Args:
        shell: a GeomNode of a coat, with one Geom.
    """
    node = shell.node()
    assert isinstance(node, GeomNode)
    rows = node.get_geom(0).get_vertex_data().get_num_rows()
    # A target of other sizes would be padded.
    height = 1 << (-(-rows // WIDTH) - 1).bit_length()
    buffer, texture = _float_buffer(base, height)
    points = GeomNode("points")
    points.add_geom(node.get_geom(0).make_points(), node.get_geom_state(0))
    points.set_bounds(OmniBoundingVolume())
    points.set_final(True)
    path = shell.get_parent().attach_new_node(points)
    own = shell.get_attrib(ShaderAttrib)
    assert isinstance(own, ShaderAttrib)
    path.set_attrib(own.set_shader(_capture_shader(defines), 2000), 2000)
    # Over whatever else the camera sees.
    path.set_bin("fixed", 1000, 2000)
    path.set_depth_test(False, 2000)
    path.set_shader_input("u_wanted", layer, 2000)
    path.set_shader_input("u_size", LVecBase2i(WIDTH, height), 2000)
    camera = base.render.attach_new_node(Camera("capture"))
    camera.node().set_lens(OrthographicLens())
    camera.node().set_cull_bounds(OmniBoundingVolume())
    camera.set_pos_hpr(3, -20, 5, 10, -5, 0)
    buffer.make_display_region().set_camera(camera)
    try:
        step(base, 2)
        texels = read_target(base, texture).reshape(-1, 4)[:rows].astype(np.float64)
        texels[texels[:, 3] < 0.5] = np.nan
        yield texels[:, :3]
    finally:
        base.graphics_engine.remove_window(buffer)
        camera.remove_node()
        path.remove_node()


def _float_buffer(base: Any, height: int) -> tuple[Any, Texture]:
    properties = FrameBufferProperties()
    properties.set_rgba_bits(32, 32, 32, 32)
    properties.set_float_color(True)
    size = WindowProperties()
    size.set_size(WIDTH, height)
    buffer = base.graphics_engine.make_output(
        base.pipe,
        "capture",
        -5000,
        properties,
        size,
        GraphicsPipe.BF_refuse_window,
        base.win.get_gsg(),
        base.win,
    )
    texture = Texture("capture")
    buffer.add_render_texture(texture, GraphicsOutput.RTM_bind_or_copy, GraphicsOutput.RTP_color)
    buffer.set_clear_color((0, 0, 0, 0))
    return buffer, texture


def _capture_shader(defines: Sequence[str]) -> Shader:
    """Our shell functions with a main of the tests: one vertex of one layer, one texel."""
    text = Source("rtstamp/fur/shell.vert", dict.fromkeys(defines, 1)).text
    main = (ROOT / "tests" / "fur" / "capture.glsl").read_text(encoding="utf-8")
    vertex = text[: text.index("void main()")] + main
    fragment = "#version 330\nflat in vec4 v_place;\nout vec4 o_place;\nvoid main() { o_place = v_place; }\n"
    shader = Shader.make(Shader.SL_GLSL, vertex, fragment)
    assert shader is not None
    return shader
