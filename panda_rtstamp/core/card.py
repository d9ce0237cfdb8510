"""Cards: passes that work on the texels of a render target, all of them or those of some rectangles."""

from collections.abc import Sequence
from dataclasses import dataclass

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
    GeomVertexData,
    GeomVertexFormat,
    LVecBase4f,
    NodePath,
    OmniBoundingVolume,
    OrthographicLens,
    RenderAttrib,
    RenderState,
    ShaderAttrib,
)

from panda_rtstamp.core.geometry import indexed_triangles
from panda_rtstamp.core.rect import Rect
from panda_rtstamp.core.shader import load_shader

VERTEX_SHADER = "rtstamp/common/card.vert"
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
    edges = np.array([(rect.left, rect.bottom, rect.right, rect.top) for rect in rects], np.float32)
    edges = edges * np.float32(2.0 / size) - np.float32(1.0)
    rows = np.zeros((len(rects), 4, 3), np.float32)
    rows[..., 0] = edges[:, [0, 2, 0, 2]]
    rows[..., 2] = edges[:, [1, 1, 3, 3]]
    vertices = GeomVertexData("card", GeomVertexFormat.get_v3(), GeomEnums.UH_static)
    vertices.unclean_set_num_rows(4 * len(rects))
    vertices.modify_array_handle(0).set_data(rows.tobytes())
    geom = Geom(vertices)
    geom.add_primitive(indexed_triangles(_CORNERS + 4 * np.arange(len(rects))[:, None]))
    return geom


_WHOLE = _make_geom([Rect.whole(1)], 1)
_BASE = (
    RenderState.make(DepthTestAttrib.make(RenderAttrib.M_none))
    .set_attrib(DepthWriteAttrib.make(DepthWriteAttrib.M_off))
    .set_attrib(CullFaceAttrib.make(CullFaceAttrib.M_cull_none))
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
    for order, card in enumerate(cards):
        geom = _WHOLE if card.rects is None else _make_geom(card.rects, size)
        node.add_geom(geom, _BASE.compose(card.state).set_attrib(CullBinAttrib.make("fixed", order)))
    return node


def card_camera(name: str, cards: Sequence[Card], size: int = 1) -> NodePath:
    """A fresh camera that draws these cards, in this order, for a target of `size` texels along an edge."""
    return pass_camera(name, NodePath(card_node(name, cards, size)))


def constant(value: float) -> RenderState:
    """The state of a card that writes this into every channel."""
    attrib = ShaderAttrib.make(load_shader(VERTEX_SHADER, _CONSTANT_SHADER))
    return RenderState.make(attrib.set_shader_input("u_value", LVecBase4f(value)))


def wipe(rects: Sequence[Rect]) -> Card:
    """A card of zeros."""
    return Card(constant(0.0), rects)
