"""The settings of the stamp system."""

import math
import sys
from dataclasses import dataclass

from panda_rtstamp.core.config import (
    Color,
    Config,
    boolean,
    color,
    field,
    file_path,
    integer,
    number,
    power_of_two,
    text,
)
from panda_rtstamp.core.log import warn
from panda_rtstamp.core.target import FORMATS, Format
from panda_rtstamp.core.unwrap import METHODS
from panda_rtstamp.errors import ConfigError

# What a change costs, from the dearest to the cheapest.
CLEAR = "clear"  # all marks go: their layout on the texture changes
SHADER = "shader"  # shaders are built again; marks stay
POOL = "pool"  # pairs beyond the new size are evicted
DISPLAY = "display"  # what shows the marks is built again; marks stay
UNIFORM = "uniform"  # shader inputs
FADE = "fade"  # living marks go on from their present value at the new rate
NEXT = "next"  # nothing: read at the next hit (format and fade_step: at the next new mark)

# Seconds that a fade takes at least.
SHORTEST = 0.01
RESOLUTIONS = (1024, 512, 256)
UNWRAPPERS = ("auto", *METHODS)
BLENDS = ("over", "add", "max")
OUR_UNWRAP_SHADER = "rtstamp/stamps/unwrap.frag"
OUR_FADE_SHADER = "rtstamp/stamps/fade.frag"
OUR_MERGE_SHADER = "rtstamp/stamps/merge.frag"
# Exact in 8 bits. Not 127: a step of Temp would then be seen as a hair more than 2/255.
_HALF_IN_8_BITS = 128 / 255
_SOOT: Color = (0.05, 0.04, 0.04, 1.0)


@dataclass(frozen=True, kw_only=True)
class StampConfig(Config):
    """How marks are made, shown and forgotten. Frozen: make a new one, or `dataclasses.replace` this.

    Every field left out takes the value of its PRC variable, `rtstamp-` and the name with hyphens
    (`rtstamp-fade-duration 10`), or else the default. Lengths are in scene units, times in seconds.

    Raises:
        ConfigError: a value is of the wrong type, not finite or out of range. The text names the field, what
            is allowed and what was given.
    """

    max_pool_size: int = field(
        "max-pool-size", 16, integer, "a whole number, 1 to 1024", POOL, low=1, high=1024,
        doc="How many nodes can carry marks at once. More evicts the weakest; above 32 warns of the memory, "
        "unless max_memory limits it.",
    )  # fmt: skip
    max_memory: float | None = field(
        "max-memory", None, number, "a number of megabytes > 0, or None", POOL, low=sys.float_info.min,
        optional=True,
        doc="Of all pairs of textures, used and free. Where it is short, faded marks move to smaller ones, "
        "then the weakest are evicted. None: max_pool_size is the only limit.",
    )  # fmt: skip
    shrink_below: float = field(
        "shrink-below", 0.25, number, "a number, 0 to 1", NEXT, low=0, high=1,
        doc="Marks that have faded below this alpha move to half the texels when max_memory is short; "
        "0: none do.",
    )  # fmt: skip
    free_pairs: int = field(
        "free-pairs", 4, integer, "a whole number, 0 to 1024", POOL, low=0, high=1024,
        doc="How many free pairs are kept for good; of more, each is given back after a minute.",
    )  # fmt: skip
    high_res_distance: float = field(
        "high-res-distance", 10.0, number, "a number >= 0", NEXT, low=0,
        doc="Hits nearer to the camera than this give a node 1024 x 1024 texels.",
    )  # fmt: skip
    max_resolution: int = field(
        "max-resolution", 4096, power_of_two, "a power of two, 64 to 4096", NEXT, low=64, high=4096,
        doc="Where a mark's radius would cover fewer than 8 texels, a node gets more texels, up to this.",
    )  # fmt: skip
    med_res_distance: float = field(
        "med-res-distance", 30.0, number, "a number >= high_res_distance", NEXT, low=0,
        doc="Hits nearer to the camera than this give a node 512 x 512 texels; those farther away 256 x 256.",
    )  # fmt: skip
    auto_fade: bool = field(
        "auto-fade", True, boolean, "True or False", NEXT,
        doc="Fade from the hit on; False keeps marks until start_fade is called.",
    )  # fmt: skip
    fade_duration: float = field(
        "fade-duration", 5.0, number, "a number of seconds >= 0.01", FADE, low=SHORTEST,
        doc="Seconds from full to recycle_threshold.",
    )  # fmt: skip
    fade_step: float | None = field(
        "fade-step", None, number, "a number, 0.25 to 1, or None", NEXT, low=0.25, high=1, optional=True,
        doc="How far a mark fades before it is stored anew; None: about one half. 1 is the textbook way, "
        "a pass on every fading node in every frame, which rounds away what it should fade.",
    )  # fmt: skip
    recycle_threshold: float = field(
        "recycle-threshold", 0.01, number, "a number, 0.001 to 0.1", FADE, low=0.001, high=0.1,
        doc="The share of a mark's strength at which it is forgotten and its textures are free again.",
    )  # fmt: skip
    scale_fade_by_radius: bool = field(
        "scale-fade-by-radius", False, boolean, "True or False", FADE,
        doc="Big marks live longer: the duration times (radius / base_radius) ^ radius_fade_exponent.",
    )  # fmt: skip
    base_radius: float = field(
        "base-radius", 1.0, number, "a number > 0", FADE, low=sys.float_info.min,
        doc="The radius of hits that fade in exactly the duration, with scale_fade_by_radius.",
    )  # fmt: skip
    radius_fade_exponent: float = field(
        "radius-fade-exponent", 0.5, number, "a number, 0.01 to 2", FADE, low=0.01, high=2,
        doc="How much the radius counts, with scale_fade_by_radius: near 0 hardly, 1 in proportion.",
    )  # fmt: skip
    age_weight: float = field(
        "age-weight", 0.1, number, "a number >= 0", NEXT, low=0,
        doc="What a second since the last hit counts against a node in an eviction; 0: strength alone.",
    )  # fmt: skip
    hardness: float = field(
        "hardness", 0.1, number, "a number, 0 to 1", NEXT, low=0, high=1,
        doc="The share of the radius that is fully marked: 0 falls off from the middle, 1 has a sharp edge.",
    )  # fmt: skip
    facing_softness: float = field(
        "facing-softness", 0.25, number, "a number, 0 to 1", NEXT, low=0, high=1,
        doc="Of hits with a normal: the cosine between it and the surface's from which on the mark is full; "
        "it fades out towards what stands at a right angle. 0: full up to there.",
    )  # fmt: skip
    format: str = field(
        "format", "rgba8", text, f"one of {', '.join(FORMATS)}", NEXT, choices=tuple(FORMATS),
        doc="Of the textures. RGBA keeps each hit's colour, one channel a mask that stamp_color colours.",
    )  # fmt: skip
    blend: str | None = field(
        "blend", None, text, "'over', 'add', 'max' or None", NEXT, choices=BLENDS, optional=True,
        doc="How a hit meets the marks before it; None: 'over' for RGBA, 'add' for one channel.",
    )  # fmt: skip
    captures_per_frame: int = field(
        "captures-per-frame", 8, integer, "a whole number, 1 to 1024", NEXT, low=1, high=1024,
        doc="How many nodes' hits are drawn in one frame; more wait for the next ones, the oldest first.",
    )  # fmt: skip
    warm_up: bool = field(
        "warm-up", True, boolean, "True or False", NEXT,
        doc="While nothing is hit, make ahead what first hits need, a little in each frame: a pair of "
        "textures, shaders, the geometry of nodes tagged rtstamp. False: only when warm_up is called.",
    )  # fmt: skip
    stamp_color: Color = field(
        "stamp-color", _SOOT, color, "3 or 4 numbers, 0 to 1", UNIFORM,
        doc="Colour of hits that bring none; alpha multiplies opacity. One-channel marks all show this one.",
    )  # fmt: skip
    intensity: float = field(
        "intensity", 1.0, number, "a number >= 0", UNIFORM, low=0,
        doc="Multiplies the mask where it is shown, held to 1.",
    )  # fmt: skip
    display: str = field(
        "display", "overlay", text, "'overlay', 'wrap', 'shader' or 'none'", DISPLAY,
        choices=("overlay", "wrap", "shader", "none"),
        doc="Who shows the marks: a second draw over the model, the model's own shader wrapped by us, its "
        "own shader by itself (we set the inputs), or nobody.",
    )  # fmt: skip
    look: str = field(
        "look", "paint", text, "'paint', 'tint' or 'glow'", DISPLAY, choices=("paint", "tint", "glow"),
        doc="Paint that covers and is lit, a stain that multiplies what is there, or light that is added.",
    )  # fmt: skip
    uv_set: str | None = field(
        "uv-set", None, text, "the name of a UV set or None", CLEAR, optional=True,
        doc="The UV set to lay marks out by, as 'texcoord.1'; None: the first that is in 0..1 without "
        "overlaps, or else the model is unwrapped. The tag rtstamp-uv of a node overrides.",
    )  # fmt: skip
    unwrapper: str = field(
        "unwrapper", "auto", text, f"one of {', '.join(UNWRAPPERS)}", NEXT, choices=UNWRAPPERS,
        doc="What unwraps models without usable UVs; auto: the first that is installed ('own' always is).",
    )  # fmt: skip
    unwrap_at_once: int = field(
        "unwrap-at-once", 2000, integer, "a whole number >= 0", NEXT, low=0,
        doc="Models of more triangles are unwrapped in the background; their marks appear when it is done.",
    )  # fmt: skip
    unwrap_seconds: float = field(
        "unwrap-seconds", 30.0, number, "a number of seconds > 0", NEXT, low=SHORTEST,
        doc="After this long an unwrapper is given up for the next one; 'own' takes as long as it takes.",
    )  # fmt: skip
    unwrap_cache: bool = field(
        "unwrap-cache", True, boolean, "True or False", NEXT,
        doc="Keep unwrapped models on disk, in the folder that the PRC variable rtstamp-cache-dir names.",
    )  # fmt: skip
    unwrap_shader: str = field(
        "unwrap-shader", OUR_UNWRAP_SHADER, file_path, "a fragment shader's file name", SHADER,
        doc="Draws the hits into Primary.",
    )  # fmt: skip
    fade_shader: str = field(
        "fade-shader", OUR_FADE_SHADER, file_path, "a fragment shader's file name", SHADER,
        doc="What Temp is multiplied by. Another one than ours implies fade_step = 1.",
    )  # fmt: skip
    merge_shader: str = field(
        "merge-shader", OUR_MERGE_SHADER, file_path, "a fragment shader's file name", SHADER,
        doc="Brings Primary into Temp.",
    )  # fmt: skip

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.med_res_distance < self.high_res_distance:
            raise ConfigError(
                f"StampConfig.med_res_distance must be >= high_res_distance ({self.high_res_distance:g}), "
                f"got {self.med_res_distance:g}"
            )
        if self.max_pool_size > 32 and self.max_memory is None:
            size = self.max_pool_size * 2 * RESOLUTIONS[0] ** 2 * self.target_format.texel_bytes / 2**20
            warn(
                f"max_pool_size {self.max_pool_size}: up to {size:.0f} MB of graphics memory in {self.format}"
            )

    @property
    def has_our_shaders(self) -> bool:
        """True if unwrap_shader and merge_shader are what they are by default."""
        return (self.unwrap_shader, self.merge_shader) == (OUR_UNWRAP_SHADER, OUR_MERGE_SHADER)

    @property
    def max_bytes(self) -> float:
        """max_memory in bytes; infinity if it is None."""
        return math.inf if self.max_memory is None else self.max_memory * 2**20

    @property
    def target_format(self) -> Format:
        """The entry of FORMATS that `format` names."""
        return FORMATS[self.format]

    def blend_in(self, format: Format) -> str:
        """How hits that do not say it themselves meet the marks before them in textures of this format."""
        return self.blend or ("add" if format.channels == 1 else "over")

    @property
    def bake_step(self) -> float:
        """The share to which Temp fades before it is multiplied down and stored anew."""
        if self.fade_shader != OUR_FADE_SHADER:
            return 1.0
        return self.fade_step or (0.5 if self.target_format.is_float else _HALF_IN_8_BITS)

    def resolution_at(self, distance: float) -> int:
        """Texels along an edge for a hit at this distance from the camera."""
        limits = (self.high_res_distance, self.med_res_distance)
        return next((size for size, limit in zip(RESOLUTIONS, limits, strict=False) if distance < limit), 256)

    def duration_of(self, override: float, radius: float) -> float:
        """Seconds that a mark fades for: `override` if > 0, else fade_duration, scaled by the radius."""
        duration = override if override > 0 else self.fade_duration
        if self.scale_fade_by_radius:
            try:
                duration *= (radius / self.base_radius) ** self.radius_fade_exponent
            except OverflowError:
                duration = math.inf
        return max(duration, SHORTEST)
