"""The mask: what the viewers of a group see, from above."""

from collections.abc import Sequence

from panda3d.core import (
    ColorBlendAttrib,
    ColorWriteAttrib,
    CullBinAttrib,
    CullFaceAttrib,
    DepthTestAttrib,
    DepthWriteAttrib,
    GeomNode,
    LVecBase2f,
    LVecBase2i,
    LVecBase3f,
    NodePath,
    PandaNode,
    RenderAttrib,
    RenderState,
    ShaderAttrib,
    Texture,
)

from panda_rtstamp.core.card import WHOLE, pass_camera
from panda_rtstamp.core.context import Context
from panda_rtstamp.core.shader import load_shader
from panda_rtstamp.core.target import FIRST_SORT, FORMATS, RenderTarget
from panda_rtstamp.vision.area import Area
from panda_rtstamp.vision.config import VisionConfig
from panda_rtstamp.vision.wall_map import Sight, WallMap

MASK_SORT = FIRST_SORT + 3

_BOTH_SIDES = CullFaceAttrib.make(CullFaceAttrib.M_cull_none)
# A viewer's shadows lie deeper than those of all viewers before it, and its sight between the two: so it is
# kept out of its own shadows alone. No stencil: whether there is one is for the game's window to say.
_SHADOW = RenderState.make(
    _BOTH_SIDES,
    # What another of the viewer's shadows covers is not worked out again.
    DepthTestAttrib.make(RenderAttrib.M_greater),
    DepthWriteAttrib.make(DepthWriteAttrib.M_on),
    ColorWriteAttrib.make(ColorWriteAttrib.C_off),
)
_SIGHT = RenderState.make(
    _BOTH_SIDES,
    DepthTestAttrib.make(RenderAttrib.M_greater),
    DepthWriteAttrib.make(DepthWriteAttrib.M_off),
    ColorBlendAttrib.make(ColorBlendAttrib.M_add, ColorBlendAttrib.O_one, ColorBlendAttrib.O_one),
)


class Mask:
    """A texture of `mask_size` x `mask_size`: 1 where it is seen, added up over the viewers, 0 where not.

    Args:
        context: whose graphics draws.
        size: texels along an edge.
    """

    def __init__(self, context: Context, size: int) -> None:
        self.target = RenderTarget(context, "rtstamp-vision", size, FORMATS["rgba8"], MASK_SORT, depth=True)

    @property
    def texture(self) -> Texture:
        """The mask. All channels hold the same."""
        return self.target.texture

    def draw(self, sights: Sequence[Sight], area: Area, config: VisionConfig, walls: WallMap | None) -> None:
        """Draw what these viewers see, in this frame.

        Args:
            area: what the mask covers, relative to the origin of the sights and their meshes.
            walls: compare with this map, whose rows are the sights'; None: walls throw shadows.
        """
        root = PandaNode("rtstamp-vision")
        for number, sight in enumerate(sights):
            depth = (number + 1.0) / (len(sights) + 1.0)
            if walls is None and sight.mesh.count:
                root.add_child(self._shadows(number, sight, area, depth, config))
            before = depth - 0.5 / (len(sights) + 1.0)
            root.add_child(self._sight(number, sight, area, before, config, walls))
        self.target.draw(pass_camera("rtstamp-vision", NodePath(root)), clear=True)

    def _shadows(self, number: int, sight: Sight, area: Area, depth: float, config: VisionConfig) -> GeomNode:
        shader = load_shader("rtstamp/vision/shadow.vert", "rtstamp/vision/shadow.frag")
        attrib = ShaderAttrib.make(shader).set_shader_inputs(
            u_eye=LVecBase2f(*sight.at),
            u_range=sight.eye.view_range,
            u_size=LVecBase2f(*area.size),
            u_middle=LVecBase2f(*area.center),
            u_thickness=config.wall_thickness,
            u_texel=max(area.size) / self.target.size,
            u_texels=float(self.target.size),
            u_layer=depth,
        )
        node = GeomNode("rtstamp-shadows")
        order = CullBinAttrib.make("fixed", 2 * number)
        node.add_geom(sight.mesh.shadows, _SHADOW.set_attrib(attrib).set_attrib(order))
        return node

    def _sight(
        self, number: int, sight: Sight, area: Area, depth: float, config: VisionConfig, walls: WallMap | None
    ) -> GeomNode:
        eye = sight.eye
        defines = {"MAP": int(walls is not None), "IDS": int(config.exact)}
        shader = load_shader("rtstamp/vision/sight.vert", "rtstamp/vision/sight.frag", defines)
        attrib = ShaderAttrib.make(shader).set_shader_inputs(
            u_eye=LVecBase2f(*sight.at),
            u_range=eye.view_range,
            u_size=LVecBase2f(*area.size),
            u_middle=LVecBase2f(*area.center),
            u_texels=float(self.target.size),
            u_layer=depth,
            u_cone=LVecBase3f(*eye.forward, eye.half_cosine),
            u_strength=eye.strength,
        )
        if walls is not None:
            attrib = attrib.set_shader_inputs(
                u_walls=walls.texture,
                u_row=LVecBase2i(number, walls.columns),
                u_bias=config.bias,
                u_thickness=config.wall_thickness,
                u_segments=sight.mesh.ends,
            )
        node = GeomNode("rtstamp-sight")
        order = CullBinAttrib.make("fixed", 2 * number + 1)
        node.add_geom(WHOLE, _SIGHT.set_attrib(attrib).set_attrib(order))
        return node

    def destroy(self) -> None:
        """Free the texture. Idempotent."""
        self.target.destroy()
