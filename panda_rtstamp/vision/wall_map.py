"""The wall map: how far each viewer sees in each direction, one row a viewer."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from panda3d.core import (
    ATS_none,
    CullBinAttrib,
    CullFaceAttrib,
    DepthTestAttrib,
    DepthWriteAttrib,
    GeomNode,
    LVecBase2f,
    LVecBase3f,
    LVecBase4f,
    NodePath,
    PandaNode,
    RenderAttrib,
    RenderState,
    SamplerState,
    ShaderAttrib,
    Texture,
)

from panda_rtstamp.core.card import Card, card_node, constant, pass_camera
from panda_rtstamp.core.context import Context
from panda_rtstamp.core.shader import load_shader
from panda_rtstamp.core.target import FIRST_SORT, RG32F, RenderTarget
from panda_rtstamp.vision.segment_mesh import SegmentMesh
from panda_rtstamp.vision.viewers import Eye

WALL_MAP_SORT = FIRST_SORT + 2

# Distance and number.
_NO_WALL = LVecBase4f(1.0, 0.0, 0.0, 1.0)
_STATE = RenderState.make(
    CullBinAttrib.make("fixed", 1),
    CullFaceAttrib.make(CullFaceAttrib.M_cull_none),
    # The greatest is the nearest, since passes clear to 0.
    DepthTestAttrib.make(RenderAttrib.M_greater),
    DepthWriteAttrib.make(DepthWriteAttrib.M_on),
)


@dataclass(frozen=True)
class Sight:
    """One viewer, as the graphics card gets it.

    Attributes:
        eye: what it sees from.
        at: (x, y) of the eye, relative to the origin of the mesh.
        mesh: the walls at its height.
    """

    eye: Eye
    at: tuple[float, float]
    mesh: SegmentMesh


class WallMap:
    """A texture of `columns` directions, and a row for each viewer.

    Red is the distance of the nearest wall, 0..1 of the viewer's range, 1 where there is none; green is the
    number of that wall's segment, 0 for none. U is the direction: atan2(dx, dy) / 2 pi + 0.5.

    Args:
        context: whose graphics draws.
        columns: how many directions.
    """

    def __init__(self, context: Context, columns: int) -> None:
        self._context = context
        self.columns = columns
        self._rays = make_rays(columns)
        self.target = self._make_target(1)

    @property
    def texture(self) -> Texture:
        """The map. Another one, if there are more viewers than ever before."""
        return self.target.texture

    @property
    def rows(self) -> int:
        """How many viewers it has room for."""
        return self.target.height

    def _make_target(self, rows: int) -> RenderTarget:
        target = RenderTarget(
            self._context, "rtstamp-walls", self.columns, RG32F, WALL_MAP_SORT, height=rows, depth=True
        )
        # What is between two directions is no distance.
        target.texture.set_minfilter(SamplerState.FT_nearest)
        target.texture.set_magfilter(SamplerState.FT_nearest)
        target.texture.set_wrap_u(SamplerState.WM_repeat)
        return target

    def draw(self, sights: Sequence[Sight]) -> None:
        """Draw the rows of these viewers, in their order, in this frame."""
        if len(sights) > self.rows:
            self.target.destroy()
            self.target = self._make_target(1 << (len(sights) - 1).bit_length())
        shader = load_shader("rtstamp/vision/wall_map.vert", "rtstamp/vision/wall_map.frag")
        rays = ShaderAttrib.make(shader).set_shader_input("u_rays", self._rays)
        root = PandaNode("rtstamp-walls")
        nothing = card_node("rtstamp-no-walls", [Card(constant(_NO_WALL))], self.columns)
        root.add_child(nothing)
        for row, sight in enumerate(sights):
            if sight.mesh.count:
                root.add_child(draw_row(sight, (row, self.rows, self.columns), rays))
        self.target.draw(pass_camera("rtstamp-walls", NodePath(root)), clear=True)

    def destroy(self) -> None:
        """Free the texture. Idempotent."""
        self.target.destroy()


def draw_row(sight: Sight, row: tuple[int, int, int], shader: ShaderAttrib) -> GeomNode:
    """A viewer's walls, to be drawn into a row of a texture that has one for each.

    Args:
        row: (which, of how many, how many columns it has).
        shader: with its own inputs; those of segments.glsl, and `u_row`, are set here.
    """
    attrib = shader.set_shader_inputs(
        u_eye=LVecBase2f(*sight.at),
        u_range=sight.eye.view_range,
        u_row=LVecBase3f(*row),
    )
    node = GeomNode("rtstamp-walls")
    node.add_geom(sight.mesh.arcs, _STATE.set_attrib(attrib))
    return node


def make_rays(columns: int) -> Texture:
    """The directions of the columns' centres: what graphics cards take for a sine is not exact."""
    angles = ((np.arange(columns) + 0.5) / columns - 0.5) * 2.0 * np.pi
    rays = np.zeros((columns, 4), np.float32)
    # (x, y) = (sin, cos) of the angle from +Y; Panda holds colours as BGRA.
    rays[:, 2], rays[:, 1] = np.sin(angles), np.cos(angles)
    texture = Texture("rtstamp-rays")
    texture.setup_2d_texture(columns, 1, Texture.T_float, Texture.F_rgba32)
    texture.set_auto_texture_scale(ATS_none)
    texture.set_minfilter(SamplerState.FT_nearest)
    texture.set_magfilter(SamplerState.FT_nearest)
    texture.set_ram_image(rays.tobytes())
    return texture
