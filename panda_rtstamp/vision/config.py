"""The settings of the vision mask."""

from dataclasses import dataclass

from panda_rtstamp.core.config import Config, boolean, field, integer, number, pair, power_of_two, text

# What a change costs, from the dearest to the cheapest.
TARGETS = "targets"  # all textures are made anew
SHOWN = "shown"  # those that are made of the mask are, but for what was explored
REDRAW = "redraw"  # the mask is drawn anew
UNIFORM = "uniform"  # shader inputs


@dataclass(frozen=True, kw_only=True)
class VisionConfig(Config):
    """How sight is found and kept. Frozen: make a new one, or `dataclasses.replace` this.

    Every field left out takes the value of its PRC variable, `rtstamp-vision-` and the name with hyphens
    (`rtstamp-vision-mask-size 1024`), or else the default. Lengths are in scene units.

    Raises:
        ConfigError: a value is of the wrong type, not finite or out of range. The text names the field, what
            is allowed and what was given.
    """

    center: tuple[float, float] = field(
        "vision-center", (0.0, 0.0), pair, "two numbers, within 1e9", REDRAW, low=-1e9, high=1e9,
        doc="The middle of the rectangle of the world that the mask covers, (x, y).",
    )  # fmt: skip
    size: tuple[float, float] = field(
        "vision-size", (100.0, 100.0), pair, "two numbers, 0.001 to 1e6", REDRAW, low=0.001, high=1e6,
        doc="Of that rectangle, along X and Y. A texel of the mask covers size / mask_size.",
    )  # fmt: skip
    mask_size: int = field(
        "vision-mask-size", 512, power_of_two, "a power of two, 64 to 4096", TARGETS, low=64, high=4096,
        doc="Texels along an edge of the mask. More make the edges of shadows finer, and cost by area.",
    )  # fmt: skip
    wall_columns: int = field(
        "vision-wall-columns", 720, integer, "a whole number, 16 to 8192", TARGETS, low=16, high=8192,
        doc="Directions of the wall map. A wall that is narrower than a column, as seen, can be missed.",
    )  # fmt: skip
    exact: bool = field(
        "vision-exact", True, boolean, "True or False", REDRAW,
        doc="Walls throw shadows onto the mask, exact to the texel. False: texels are compared with the wall "
        "map, as is usual; that costs the same however many walls there are.",
    )  # fmt: skip
    exact_limit: int = field(
        "vision-exact-limit", 1000, integer, "a whole number >= 0", REDRAW, low=0, high=1_000_000,
        doc="Of more wall segments than this, the mask is compared with a wall map of 2048 columns.",
    )  # fmt: skip
    bias: float = field(
        "vision-bias", 0.005, number, "a number, 0 to 1", REDRAW, low=0, high=1,
        doc="How far behind a wall of the wall map is still seen, as a share of the range. 0: walls shade "
        "themselves. Large: light leaks behind them.",
    )  # fmt: skip
    wall_thickness: float = field(
        "vision-wall-thickness", 0.0, number, "a number, 0 to 1e6", REDRAW, low=0, high=1e6,
        doc="How deep behind their faces walls are shown, at most: so a wall that is dimmed has a lit side "
        "and a lit top. 0: shadows begin at the very face, where a mask is ragged. Light leaks behind walls "
        "that are less thick, if they have no back or are compared with the wall map.",
    )  # fmt: skip
    eye_height: float = field(
        "vision-eye-height", 1.6, number, "a number within 1e9", REDRAW, low=-1e9, high=1e9,
        doc="Above a viewer's node, where the viewer sets none. What is lower does not block.",
    )  # fmt: skip
    height_step: float = field(
        "vision-height-step", 0.25, number, "a number > 0, up to 1e6", REDRAW, low=1e-6, high=1e6,
        doc="Heights of eyes are rounded to multiples of this: walls are sliced anew only at another one.",
    )  # fmt: skip
    blur: float = field(
        "vision-blur", 0.0, number, "a number of texels, 0 to 32", SHOWN, low=0, high=32,
        doc="How far the edges of what is seen are softened; 0: not at all. Costs by the radius.",
    )  # fmt: skip
    fade_in: float = field(
        "vision-fade-in", 0.0, number, "a number of seconds, 0 to 60", SHOWN, low=0, high=60,
        doc="How long it takes what comes into sight to be seen fully; 0: at once.",
    )  # fmt: skip
    fade_out: float = field(
        "vision-fade-out", 0.0, number, "a number of seconds, 0 to 60", SHOWN, low=0, high=60,
        doc="How long it takes what goes out of sight to be gone; 0: at once.",
    )  # fmt: skip
    explored: float = field(
        "vision-explored", 0.0, number, "a number, 0 to 1", SHOWN, low=0, high=1,
        doc="How much is shown of what was seen before and is not now; 0: nothing, and nothing is kept. "
        "Below half, clips hide what stands there.",
    )  # fmt: skip
    explored_size: tuple[float, float] | None = field(
        "vision-explored-size", None, pair, "two numbers, 0.001 to 1e6, or None", SHOWN,
        low=0.001, high=1e6, optional=True,
        doc="Of what is remembered, around `center`, in mask_size texels; None: as large as the mask. "
        "Larger, if the mask follows a node through a larger world.",
    )  # fmt: skip
    beyond: str = field(
        "vision-beyond", "hidden", text, "one of hidden, seen", UNIFORM, choices=("hidden", "seen"),
        doc="What lies outside the rectangle.",
    )  # fmt: skip
