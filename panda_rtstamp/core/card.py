"""Cards: passes that work on the texels of a render target, all of them or those of some rectangles."""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from panda3d.core import (
    Camera,
    CullBinAttrib,
    CullFaceAttrib,
    DepthTestAttrib,
    DepthWriteAttrib,
    Geom,
    GeomEnums,
    GeomNode,
    GeomTriangles,
    GeomVertexData,
    GeomVertexFormat,
    LVecBase4f,
    NodePath,
    OmniBoundingVolume,
    OrthographicLens,
    RenderAttrib,
    RenderState,
    ShaderAttrib,
    Texture,
)

from panda_rtstamp.core.geometry import indexed_triangles
from panda_rtstamp.core.rect import Rect
from panda_rtstamp.core.shader import load_shader

VERTEX_SHADER = "rtstamp/common/card.vert"
_COPY_SHADER = "rtstamp/common/copy.frag"
_CONSTANT_SHADER = "rtstamp/common/constant.frag"
_LENS = OrthographicLens()
# Two triangles on four corners.
_CORNERS = np.array([0, 1, 2, 2, 1, 3])


@dataclass(frozen=True)
class Card:
    """What is drawn over some texels.

    Attributes:
        state: with a shader whose vertex stage is VERTEX_SHADER.
        rects: the texels; None for all of the target.
    """

    state: RenderState
    rects: Sequence[Rect] | None = None


def _make_geom(rects: Sequence[Rect], size: int) -> Geom:
    """A Geom of rectangles, in the clip space of a target of this size."""
    rows = array("f")
    # Of the few that there are, numpy would take longer.
    for rect in rects:
        left, right = 2.0 * rect.left / size - 1.0, 2.0 * rect.right / size - 1.0
        bottom, top = 2.0 * rect.bottom / size - 1.0, 2.0 * rect.top / size - 1.0
        rows.extend((left, 0.0, bottom, right, 0.0, bottom, left, 0.0, top, right, 0.0, top))
    vertices = GeomVertexData("card", GeomVertexFormat.get_v3(), GeomEnums.UH_static)
    vertices.unclean_set_num_rows(4 * len(rects))
    vertices.modify_array_handle(0).set_data(rows.tobytes())
    geom = Geom(vertices)
    geom.add_primitive(_quads(len(rects)))
    return geom


@lru_cache
def _quads(count: int) -> GeomTriangles:
    """The triangles of so many rectangles, of four vertices each; shared by all Geoms with as many."""
    return indexed_triangles(_CORNERS + 4 * np.arange(count)[:, None])


WHOLE = _make_geom([Rect.whole(1)], 1)
_BASE = RenderState.make(
    DepthTestAttrib.make(RenderAttrib.M_none),
    DepthWriteAttrib.make(DepthWriteAttrib.M_off),
    CullFaceAttrib.make(CullFaceAttrib.M_cull_none),
)


def pass_camera(name: str, scene: NodePath) -> NodePath:
    """A fresh camera for one pass over `scene`: it culls nothing, and its lens has no meaning."""
    camera = Camera(name, _LENS)
    camera.set_scene(scene)
    camera.set_cull_bounds(OmniBoundingVolume())
    return NodePath(camera)


def card_node(name: str, cards: Sequence[Card], size: int) -> GeomNode:
    """A node that draws these cards in bin "fixed", the first as number 0, for a target of this size."""
    node = GeomNode(name)
    node.set_state(_BASE)
    for order, card in enumerate(cards):
        geom = WHOLE if card.rects is None else _make_geom(card.rects, size)
        node.add_geom(geom, card.state.set_attrib(CullBinAttrib.make("fixed", order)))
    return node


def card_camera(name: str, cards: Sequence[Card], size: int = 1) -> NodePath:
    """A fresh camera that draws these cards, in this order, for a target of `size` texels along an edge."""
    return pass_camera(name, NodePath(card_node(name, cards, size)))


def constant(value: float | LVecBase4f) -> RenderState:
    """The state of a card that writes this: into every channel, or one value into each."""
    attrib = ShaderAttrib.make(load_shader(VERTEX_SHADER, _CONSTANT_SHADER))
    return RenderState.make(attrib.set_shader_input("u_value", LVecBase4f(value)))


def copy_of(texture: Texture) -> RenderState:
    """The state of a card that draws a texture into a target of its size."""
    attrib = ShaderAttrib.make(load_shader(VERTEX_SHADER, _COPY_SHADER))
    return RenderState.make(attrib.set_shader_input("u_source", texture))


def wipe(rects: Sequence[Rect]) -> Card:
    """A card of zeros."""
    return Card(constant(0.0), rects)
