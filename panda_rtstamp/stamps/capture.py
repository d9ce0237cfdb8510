"""The pass that draws hits into Primary: triangles of the model, laid out by their stamp UVs.

They are drawn in a scene of their own: nothing of the game's scene, be it a state, a light or a clip plane,
gets into a capture, and the player's view never sees the unwrap shader.
"""

from collections.abc import Sequence

import numpy as np
from panda3d.core import (
    ColorBlendAttrib,
    CullBinAttrib,
    CullFaceAttrib,
    DepthTestAttrib,
    DepthWriteAttrib,
    GeomEnums,
    NodePath,
    RenderAttrib,
    RenderModeAttrib,
    RenderState,
    ShaderAttrib,
    Texture,
)

from panda_rtstamp.core.card import card_node, pass_camera, wipe
from panda_rtstamp.core.context import Context
from panda_rtstamp.core.rect import Rect
from panda_rtstamp.core.shader import load_shader
from panda_rtstamp.core.target import Format, RenderTarget
from panda_rtstamp.stamps.brush import Brushes
from panda_rtstamp.stamps.config import StampConfig
from panda_rtstamp.stamps.hit import BLENDS, TEXELS, Hit, pack
from panda_rtstamp.stamps.scene import Scene

VERTEX_SHADER = "rtstamp/stamps/unwrap.vert"

_COMMON = (
    CullFaceAttrib.make(CullFaceAttrib.M_cull_none),
    DepthTestAttrib.make(RenderAttrib.M_none),
    DepthWriteAttrib.make(DepthWriteAttrib.M_off),
)
# Where triangles share texels, none erases what another was hit by: the maximum of them counts.
_SHARED = RenderState.make(
    CullBinAttrib.make("fixed", 1),
    ColorBlendAttrib.make(ColorBlendAttrib.M_max, ColorBlendAttrib.O_one, ColorBlendAttrib.O_one),
)
# Where no triangles share texels, edges are drawn first, as lines, and filled triangles over them: so what is
# narrower than a texel is there along all of its length, and all texels with their centres inside are exact.
_LINES = RenderState.make(
    CullBinAttrib.make("fixed", 1), RenderModeAttrib.make(RenderModeAttrib.M_wireframe, 1.0)
)
_FILLED = RenderState.make(CullBinAttrib.make("fixed", 2))


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

    def camera(
        self, scene: Scene, hits: Sequence[Hit], rects: Sequence[Rect], target: RenderTarget
    ) -> NodePath:
        """A camera for a pass that draws these hits, all of one blend, and nothing else into a target.

        Args:
            rects: the texels whose triangles are drawn.
        """
        brushes = any(hit.brush is not None for hit in hits)
        defines = unwrap_defines(target.format, brushes)
        shader = load_shader(VERTEX_SHADER, self._config.unwrap_shader, defines)
        attrib = ShaderAttrib.make(shader).set_shader_inputs(
            u_hits=self._fill(pack(hits, scene.to_scene, self._brushes.layer)),
            u_hit_count=len(hits),
            u_brushes=self._brushes.texture,
            u_blend=BLENDS.index(hits[0].blend),
            u_view_to_world=self._context.view_to_world_axes(),
        )
        root = scene.draw(rects, target.size, _kinds(scene, hits))
        root.set_state(RenderState.make(attrib, *_COMMON))
        used = target.take_used()
        if used:
            root.add_child(card_node("rtstamp-wipe", [wipe(used)], target.size))
        return pass_camera("rtstamp-capture", NodePath(root))

    def _fill(self, rows: "np.typing.NDArray[np.float32]") -> Texture:
        texture = self._buffers.take(len(rows) // TEXELS)
        image = np.zeros((texture.get_x_size(), 4), np.float32)
        image[: len(rows)] = rows
        texture.set_ram_image(image.tobytes())
        return texture


def _kinds(scene: Scene, hits: Sequence[Hit]) -> Sequence[RenderState]:
    if scene.shares_texels:
        return (_SHARED,)
    # Across a line there is no slope, by which the normals of models without any are found.
    if scene.surface.has_normals or all(hit.normal is None for hit in hits):
        return (_LINES, _FILLED)
    return (_FILLED,)


def unwrap_defines(format: Format, brushes: bool) -> dict[str, int]:
    """The structure of the unwrap shader; `brushes`: for hits that may have one."""
    return {"CHANNELS": format.channels, "BRUSHES": int(brushes)}
