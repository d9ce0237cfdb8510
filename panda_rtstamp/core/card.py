"""Full-target cards: passes that work on every texel of a render target."""

from collections.abc import Sequence

from panda3d.core import (
    BoundingVolume,
    Camera,
    CardMaker,
    CullBinAttrib,
    CullFaceAttrib,
    DepthTestAttrib,
    DepthWriteAttrib,
    Geom,
    GeomNode,
    NodePath,
    OmniBoundingVolume,
    OrthographicLens,
    RenderAttrib,
    RenderState,
)

VERTEX_SHADER = "rtstamp/common/card.vert"
_LENS = OrthographicLens()


def _make_geom() -> Geom:
    maker = CardMaker("card")
    maker.set_frame(-1.0, 1.0, -1.0, 1.0)
    node = maker.generate()
    assert isinstance(node, GeomNode)
    # A copy: what modify_geom gives counts as being written to while it is held, and the cull thread would
    # wait.
    return node.get_geom(0).make_copy()


_GEOM = _make_geom()
_BASE = (
    RenderState.make(DepthTestAttrib.make(RenderAttrib.M_none))
    .set_attrib(DepthWriteAttrib.make(DepthWriteAttrib.M_off))
    .set_attrib(CullFaceAttrib.make(CullFaceAttrib.M_cull_none))
)


def pass_camera(name: str, scene: NodePath, state: RenderState | None = None) -> NodePath:
    """A fresh camera for one pass over `scene`: it culls nothing, and its lens has no meaning.

    Args:
        scene: what is drawn.
        state: the camera's initial state.
    """
    camera = Camera(name, _LENS)
    camera.set_scene(scene)
    camera.set_cull_bounds(everywhere())
    if state is not None:
        camera.set_initial_state(state)
    return NodePath(camera)


def everywhere() -> BoundingVolume:
    """Bounds that are never culled."""
    return OmniBoundingVolume()


def card_camera(name: str, states: Sequence[RenderState]) -> NodePath:
    """A fresh camera that draws one full card for each state, in this order (shader: with VERTEX_SHADER)."""
    node = GeomNode(name)
    for order, state in enumerate(states):
        node.add_geom(_GEOM, _BASE.compose(state).set_attrib(CullBinAttrib.make("fixed", order)))
    return pass_camera(name, NodePath(node))
