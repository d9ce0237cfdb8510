"""What can be made before the first hit: shaders, compiled and drawn with once."""

import numpy as np
from panda3d.core import CardMaker, GeomNode, NodePath, RenderState, ShaderAttrib

from panda_rtstamp.core.card import VERTEX_SHADER as CARD_VERTEX
from panda_rtstamp.core.card import pass_camera
from panda_rtstamp.core.context import Context
from panda_rtstamp.core.rect import Rect
from panda_rtstamp.core.shader import check_shader, load_shader
from panda_rtstamp.stamps.capture import VERTEX_SHADER as UNWRAP_VERTEX
from panda_rtstamp.stamps.capture import unwrap_defines
from panda_rtstamp.stamps.config import StampConfig
from panda_rtstamp.stamps.cutout import cutout_of
from panda_rtstamp.stamps.fade import CLAMP_SHADER, Merge, merge_defines
from panda_rtstamp.stamps.hit import Hit
from panda_rtstamp.stamps.inputs import Clock, no_marks
from panda_rtstamp.stamps.mark_overlay import (
    OVERLAY_FRAGMENT,
    OVERLAY_VERTEX,
    overlay_defines,
    overlay_shader,
)
from panda_rtstamp.stamps.passes import Passes
from panda_rtstamp.stamps.pool import Slot
from panda_rtstamp.stamps.scene import Scene
from panda_rtstamp.stamps.surface import SurfaceStore

_PIXEL = Rect(0, 0, 1, 1)


def find_shaders(config: StampConfig) -> None:
    """Read every shader that the config needs. Raises ShaderError if a file is missing."""
    for vertex, fragment, defines in _shaders(config):
        load_shader(vertex, fragment, defines)


def compile_shaders(context: Context, config: StampConfig) -> None:
    """Compile every shader that the config needs, if the graphics context is at hand (not under threads).

    Raises:
        ShaderError: one does not compile.
    """
    if context.draws_in_app_thread:
        for vertex, fragment, defines in _shaders(config):
            check_shader(context.gsg, vertex, fragment, defines)


def _shaders(config: StampConfig) -> list[tuple[str, str, dict[str, int]]]:
    format = config.target_format
    return [
        (UNWRAP_VERTEX, config.unwrap_shader, unwrap_defines(format)),
        (CARD_VERTEX, config.fade_shader, {}),
        (CARD_VERTEX, config.merge_shader, merge_defines(format)),
        (CARD_VERTEX, CLAMP_SHADER, {}),
        *[(OVERLAY_VERTEX, OVERLAY_FRAGMENT, overlay_defines(config.look, stages)) for stages in (0, 1)],
    ]


def warm_passes(config: StampConfig, passes: Passes, slot: Slot, clock: Clock, store: SurfaceStore) -> None:
    """Draw one pixel with every shader, in the next frame. What the slot held is lost.

    Drivers finish a shader only when something is drawn with it.
    """
    card = _card()
    hits = [Hit(np.zeros(3), 1.0, 1.0, 0.0, (0.0, 0.0, 0.0))]
    surface = store.prepare(card, config, [])
    cameras = passes.capturer.cameras(Scene(card, surface, hits), hits, [_PIXEL], slot.primary)
    slot.primary.draw(cameras[0], clear=True, rect=_PIXEL)
    merge = Merge(slot.primary.texture, config.blend_in(slot.format), 1.0, [_PIXEL])
    slot.temp.draw(passes.merger.camera(slot.temp, [config.bake_step], [merge]), clear=True, rect=_PIXEL)
    overlay = ShaderAttrib.make(overlay_shader(config.look)).set_shader_inputs(u_fog_mode=0, u_fog_clip=0)
    state = cutout_of(RenderState.make_empty()).on(RenderState.make(no_marks(clock).on(overlay)), 0)
    store.restore(surface)
    card.set_state(state)
    slot.temp.draw(pass_camera("rtstamp-warm", card), rect=_PIXEL)


def _card() -> NodePath:
    maker = CardMaker("rtstamp-warm")
    maker.set_has_normals(True)
    maker.set_has_uvs(True)
    node = maker.generate()
    assert isinstance(node, GeomNode)
    return NodePath(node)
