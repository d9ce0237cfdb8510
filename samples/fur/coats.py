"""All that the sample does with the add-on: three coats, what changes them, burns, and a comb."""

from typing import Any

from panda3d.core import NodePath

from panda_rtstamp import (
    FUR_GRASS,
    FUR_LONG,
    FUR_PLUSH,
    FUR_SHORT,
    FurCoat,
    FurConfig,
    FurPainter,
    StampConfig,
    StampSystem,
)  # fmt: skip

PRESETS = {"plush": FUR_PLUSH, "short": FUR_SHORT, "long": FUR_LONG, "grass": FUR_GRASS}
# Of each model a preset, and what is changed of it, so that it fits.
LOOKS: dict[str, tuple[str, dict[str, Any]]] = {
    "teapot": ("plush", {"length": 0.07, "spacing": 0.14, "limits": (24,)}),
    "panda": ("long", {"length": 0.12, "spacing": 0.12, "limits": (24,), "gravity": 0.5}),
    # Patches of a lawn are drawn one after the other, in any order.
    "lawn": ("grass", {"length": 0.16, "limits": (16, 8, 5), "depth_write": True}),
}
MOST_LAYERS = 24
CALM = (0.0, 0.0, 0.0)
WIND = (0.6, 0.25, 0.0)
FLAME = 0.2  # the radius of a burn, in metres
COMB = 0.3


class Coats:
    """The coats, by the names of what wears them.

    Attributes:
        chosen: whose coat is changed.
        presets: the name of each one's.
    """

    def __init__(self, base: Any, wearers: dict[str, NodePath]) -> None:
        self.base = base
        self.chosen = "teapot"
        self.presets = {name: preset for name, (preset, _) in LOOKS.items()}
        self._changes: dict[str, dict[str, Any]] = {name: {"layers": MOST_LAYERS} for name in wearers}
        self.coats = {name: FurCoat(node, self._config(name)) for name, node in wearers.items()}
        self.stamps = StampSystem(
            base, StampConfig(auto_fade=False, hardness=0.6, stamp_color=(0.02, 0.015, 0.01))
        )
        self._painter: FurPainter | None = None

    def _config(self, name: str) -> FurConfig:
        preset, fitted = LOOKS[name]
        fits = fitted if self.presets[name] == preset else {"limits": fitted["limits"]}
        return FurConfig(parent=PRESETS[self.presets[name]], **fits, **self._changes[name])

    @property
    def layers(self) -> int:
        """Of the chosen coat, at the finest level."""
        return self.coats[self.chosen].layers_at(0)

    def choose_next(self) -> None:
        """Change another coat from now on."""
        names = list(self.coats)
        self.chosen = names[(names.index(self.chosen) + 1) % len(names)]

    def next_preset(self) -> None:
        """Give the chosen one another look."""
        names = list(PRESETS)
        self.presets[self.chosen] = names[(names.index(self.presets[self.chosen]) + 1) % len(names)]
        self.change(self.chosen)

    def add_layers(self, more: int) -> None:
        """More layers, or fewer, for the chosen one."""
        wanted = self._changes[self.chosen]["layers"] + more
        self.change(self.chosen, layers=min(max(wanted, 0), MOST_LAYERS))

    def set_wind(self, blows: bool) -> None:
        """Let wind blow over all of them."""
        for name in self.coats:
            self.change(name, wind=WIND if blows else CALM)

    def change(self, name: str, **settings: Any) -> None:
        """Go on with other settings."""
        self._changes[name] |= settings
        self.coats[name].set_config(self._config(name))

    def burn(self, name: str, point: Any) -> None:
        """Mark a place, and let the coat be burnt where it is marked."""
        coat = self.coats[name]
        binding = self.stamps.hit(coat.node, point, radius=FLAME)
        if binding is not None:
            # The mark's texture is all that the coat is told. The model may have got UVs for it.
            coat.set_marks(binding.temp, cut=0.85, burn=1.0)

    def heal(self) -> None:
        """Take all marks away."""
        self.stamps.clear_all()
        for coat in self.coats.values():
            coat.set_marks(None)

    def comb(self, name: str) -> FurPainter:
        """A painter of this one's coat; it is made when it is first asked for."""
        if self._painter is None:
            coat = self.coats[name]
            self._painter = FurPainter(self.base, coat.node)
            self._painter.brush.radius = COMB
            self._painter.show_strands(False)
            # The model has copies of its Geoms now, which can be painted on.
            coat.refresh()
        return self._painter
