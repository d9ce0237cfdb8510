"""The pass that draws hits into Primary: the model, laid out by its stamp UVs, seen by a camera of its own.

The player's view never sees the replaced shader: only this camera carries it.
"""

from collections.abc import Sequence

import numpy as np
from panda3d.core import (
    AlphaTestAttrib,
    AntialiasAttrib,
    BitMask32,
    Camera,
    ClipPlaneAttrib,
    ColorBlendAttrib,
    ColorScaleAttrib,
    ColorWriteAttrib,
    CullBinAttrib,
    CullFaceAttrib,
    DepthOffsetAttrib,
    DepthTestAttrib,
    DepthWriteAttrib,
    FogAttrib,
    GeomEnums,
    LightAttrib,
    LogicOpAttrib,
    NodePath,
    Point3,
    RenderAttrib,
    RenderModeAttrib,
    RenderState,
    ScissorAttrib,
    ShadeModelAttrib,
    ShaderAttrib,
    StencilAttrib,
    Texture,
    TransparencyAttrib,
)

from panda_rtstamp.core.card import pass_camera
from panda_rtstamp.core.context import Context
from panda_rtstamp.core.geometry import Array, net_matrix
from panda_rtstamp.core.shader import load_shader
from panda_rtstamp.core.target import Format
from panda_rtstamp.stamps.brush import Brushes
from panda_rtstamp.stamps.config import StampConfig
from panda_rtstamp.stamps.hit import BLENDS, TEXELS, Hit, pack

VERTEX_SHADER = "rtstamp/stamps/unwrap.vert"
# Capture cameras see nothing but this bit; what must not be captured is hidden from it. Panda keeps bit 31.
CAPTURE_BIT = 30
# On a bound node below another bound node: the outer one's captures leave its geometry to it.
NESTED_TAG = "rtstamp-nested"

# Above any priority that a game would use.
_OVERRIDE = 1_000_000


def _capture_state() -> RenderState:
    """What keeps the scene's own state out of a capture. Each of these changed the picture when it was left
    out, or is kept out on the same ground.
    """
    attribs: list[RenderAttrib] = [
        # A maximum: where triangles share texels, none erases what another was hit by.
        ColorBlendAttrib.make(ColorBlendAttrib.M_max, ColorBlendAttrib.O_one, ColorBlendAttrib.O_one),
        TransparencyAttrib.make(TransparencyAttrib.M_none),
        AlphaTestAttrib.make(RenderAttrib.M_always, 1.0),
        CullFaceAttrib.make(CullFaceAttrib.M_cull_none),
        ColorWriteAttrib.make(ColorWriteAttrib.C_all),
        RenderModeAttrib.make(RenderModeAttrib.M_filled),
        ScissorAttrib.make_off(),
        ClipPlaneAttrib.make_all_off(),
        DepthTestAttrib.make(RenderAttrib.M_none),
        DepthWriteAttrib.make(DepthWriteAttrib.M_off),
        DepthOffsetAttrib.make(0, 0.0, 1.0),
        StencilAttrib.make_off(),
        LogicOpAttrib.make_off(),
        AntialiasAttrib.make(AntialiasAttrib.M_none),
        ShadeModelAttrib.make(ShadeModelAttrib.M_smooth),
        FogAttrib.make_off(),
        LightAttrib.make_all_off(),
        ColorScaleAttrib.make_off(),
        CullBinAttrib.make("unsorted", 0),
    ]
    state = RenderState.make_empty()
    for attrib in attribs:
        state = state.add_attrib(attrib, _OVERRIDE)
    return state


_STATE = _capture_state()
# Where no triangles share texels, edges are drawn first, as lines, and filled triangles over them: so what is
# narrower than a texel is there along all of its length, and all texels with their centres inside are exact.
_FILLED = _STATE.set_attrib(ColorBlendAttrib.make_off(), _OVERRIDE)
_LINES = _FILLED.set_attrib(RenderModeAttrib.make(RenderModeAttrib.M_wireframe, 1.0), _OVERRIDE)
_SKIP_NESTED = RenderState.make(ColorWriteAttrib.make(ColorWriteAttrib.C_off), _OVERRIDE + 1)


class HitBuffers:
    """Buffer textures for hits, reused when no thread reads them any more."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._all: list[tuple[int, Texture]] = []

    def take(self, hits: int) -> Texture:
        """A buffer with room for this many hits."""
        frame = self._context.frame
        for index, (used, texture) in enumerate(self._all):
            if used + self._context.frames_in_flight < frame and texture.get_x_size() >= hits * TEXELS:
                self._all[index] = (frame, texture)
                return texture
        texture = Texture("rtstamp-hits")
        # Rounded up to a power of two, so that a few buffers serve every burst.
        room = 1 << (max(hits, 8) - 1).bit_length()
        texture.setup_buffer_texture(room * TEXELS, Texture.T_float, Texture.F_rgba32, GeomEnums.UH_dynamic)
        self._all.append((frame, texture))
        return texture


class Capturer:
    """Makes capture passes.

    Args:
        context: whose graphics draws them.
        config: gives the unwrap shader.
        brushes: the pictures that hits name.
        buffers: for the hits.
    """

    def __init__(self, context: Context, config: StampConfig, brushes: Brushes, buffers: HitBuffers) -> None:
        self._context = context
        self._config = config
        self._brushes = brushes
        self._buffers = buffers

    def cameras(
        self,
        node: NodePath,
        hits: Sequence[Hit],
        format: Format,
        nested: Sequence[str] = (),
        also: Sequence[NodePath] = (),
        edges: bool = False,
    ) -> list[NodePath]:
        """Cameras for passes that draw these hits, all of one blend, on the node.

        Args:
            format: of the target.
            nested: the values of NESTED_TAG whose nodes are left out.
            also: nodes below that are drawn by themselves too, as the node may not show them now.
            edges: draw the triangles' edges too, which takes that no two share texels.
        """
        to_world = net_matrix(node)
        # Distances are measured from the first hit, so that 32-bit floats are exact where the marks are, be
        # it a million units from the origin. Rounded as Panda will round it.
        first = hits[0].point @ to_world[:3, :3] + to_world[3, :3]
        origin = first.astype(np.float32).astype(np.float64)
        to_capture = to_world.copy()
        to_capture[3, :3] -= origin
        shader = load_shader(VERTEX_SHADER, self._config.unwrap_shader, unwrap_defines(format))
        attrib = ShaderAttrib.make(shader, _OVERRIDE)
        inputs = {
            "u_hits": self._fill(pack(hits, to_capture, self._brushes.layer)),
            "u_hit_count": len(hits),
            "u_brushes": self._brushes.texture,
            "u_blend": BLENDS.index(hits[0].blend),
            "u_view_to_world": self._context.view_to_world_axes(),
        }
        for name, value in inputs.items():
            attrib = attrib.set_shader_input(name, value, _OVERRIDE)
        kinds = (_LINES, _FILLED) if edges else (_STATE,)
        states = [state.add_attrib(attrib, _OVERRIDE) for state in kinds]
        return [self._camera(scene, state, origin, nested) for state in states for scene in [node, *also]]

    def _camera(self, scene: NodePath, state: RenderState, origin: Array, nested: Sequence[str]) -> NodePath:
        camera_path = pass_camera("rtstamp-capture", scene, state)
        camera_path.set_pos(Point3(*origin))
        camera = camera_path.node()
        assert isinstance(camera, Camera)
        camera.set_camera_mask(BitMask32.bit(CAPTURE_BIT))
        camera.set_lod_center(self._context.camera)
        if nested:
            camera.set_tag_state_key(NESTED_TAG)
            for tag in nested:
                camera.set_tag_state(tag, _SKIP_NESTED)
        return camera_path

    def _fill(self, rows: "np.typing.NDArray[np.float32]") -> Texture:
        texture = self._buffers.take(len(rows) // TEXELS)
        image = np.zeros((texture.get_x_size(), 4), np.float32)
        image[: len(rows)] = rows
        texture.set_ram_image(image.tobytes())
        return texture


def unwrap_defines(format: Format) -> dict[str, int]:
    """The structure of the unwrap shader."""
    return {"CHANNELS": format.channels}
