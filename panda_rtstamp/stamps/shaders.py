"""The shaders that a config needs: found and compiled before anything is hit."""

from panda_rtstamp.core.card import VERTEX_SHADER as CARD_VERTEX
from panda_rtstamp.core.context import Context
from panda_rtstamp.core.shader import check_shader, load_shader
from panda_rtstamp.stamps.capture import VERTEX_SHADER as UNWRAP_VERTEX
from panda_rtstamp.stamps.capture import unwrap_defines
from panda_rtstamp.stamps.config import StampConfig
from panda_rtstamp.stamps.fade import CLAMP_SHADER, merge_defines
from panda_rtstamp.stamps.mark_overlay import OVERLAY_FRAGMENT, OVERLAY_VERTEX, overlay_defines

# Textures that cut holes into a model, of which there may be more, rarely.
USUAL_STAGES = (0, 1)


def find_shaders(config: StampConfig) -> None:
    """Read every shader that the config needs. Raises ShaderError if a file is missing."""
    for vertex, fragment, defines in shaders_of(config):
        load_shader(vertex, fragment, defines)


def compile_shaders(context: Context, config: StampConfig) -> None:
    """Compile every shader that the config needs, if the graphics context is at hand (not under threads).

    Raises:
        ShaderError: one does not compile.
    """
    if context.draws_in_app_thread:
        for vertex, fragment, defines in shaders_of(config):
            check_shader(context.gsg, vertex, fragment, defines)


def shaders_of(config: StampConfig) -> list[tuple[str, str, dict[str, int]]]:
    """Vertex shader, fragment shader and defines of each."""
    format = config.target_format
    return [
        *[
            (UNWRAP_VERTEX, config.unwrap_shader, unwrap_defines(format, brushes))
            for brushes in (False, True)
        ],
        (CARD_VERTEX, config.fade_shader, {}),
        (CARD_VERTEX, config.merge_shader, merge_defines(format)),
        (CARD_VERTEX, CLAMP_SHADER, {}),
        *[
            (OVERLAY_VERTEX, OVERLAY_FRAGMENT, overlay_defines(config.look, stages))
            for stages in USUAL_STAGES
        ],
    ]
