"""All that the game does with the add-on: who sees what, and how it is shown."""

from dataclasses import replace
from typing import Any

from direct.showbase.DirectObject import DirectObject
from panda3d.core import NodePath

from panda_rtstamp import VisionConfig, VisionMask
from samples.vision.people import Guard, Hero
from samples.vision.town import WIDTH, Town

HEROES, GUARDS = 0, 1  # groups: each has a mask of its own
EYES = 1.5  # metres above the ground
HERO_RANGE = 13.0
GUARD_RANGE, GUARD_FOV = 6.5, 70.0
DARK = 0.10  # what is left of the light where nothing is seen
EXPLORED = 0.30  # how much is shown of what was seen before
BLUR = 3.0  # texels
THICK = 1.0  # metres of walls, which are lit as far as to their backs
LOOK: dict[str, Any] = {
    "eye_height": EYES,
    "wall_thickness": THICK,
    "blur": BLUR,
    "explored": EXPLORED,
    "fade_in": 0.1,
    "fade_out": 0.3,
}


class Sight(DirectObject):
    """What the hero sees, what guards see, and what the player sees of all that.

    Attributes:
        vision: the mask.
        in_sight: the guards that the hero sees.
    """

    def __init__(self, base: Any, town: Town, hero: Hero, guards: list[Guard]) -> None:
        super().__init__()
        self.vision = VisionMask(base, VisionConfig(size=(WIDTH, WIDTH), **LOOK))
        self._hero = hero
        self._add_walls(town)
        self.vision.add_viewer(hero.path, view_range=HERO_RANGE)
        for guard in guards:
            self.vision.add_viewer(guard.path, view_range=GUARD_RANGE, fov=GUARD_FOV, group=GUARDS)
        self._show(town, guards)
        self.in_sight: set[NodePath] = set()
        self.accept("rtstamp-vision-enter", self.in_sight.add)
        self.accept("rtstamp-vision-leave", self.in_sight.discard)

    def _add_walls(self, town: Town) -> None:
        """Crates are no walls: eyes are higher. Nor are sills, but that is seen by their height."""
        self.vision.add_wall(town.walls)
        self.vision.add_wall(town.glass, see_through=True)
        for leaf in town.leaves:
            self.vision.add_wall(leaf, moving=True)

    def _show(self, town: Town, guards: list[Guard]) -> None:
        for guard in guards:
            self.vision.clip(guard.path)
            self.vision.watch(guard.path)
        for node in (town.ground, town.walls, *town.leaves, *town.crates):
            self.vision.dim(node, dark=DARK)
        # Where guards look is seen only where the hero looks.
        self._guarded = town.add_guarded()
        self.set_alarm(0)
        self.vision.clip(self._guarded)
        # Its own shader, guarded.frag, reads the mask.
        self.vision.bind(self._guarded, GUARDS)

    def change(self, **settings: Any) -> None:
        """Go on with other settings."""
        self.vision.set_config(replace(self.vision.config, **settings))

    def toggle_exact(self) -> None:
        """Let walls throw shadows, or compare with the wall map, as is usual."""
        self.change(exact=not self.vision.config.exact)

    def toggle_blur(self) -> None:
        """Soft edges, or hard ones."""
        self.change(blur=0.0 if self.vision.config.blur else BLUR)

    def toggle_explored(self) -> None:
        """Remember what was seen, or forget it."""
        self.change(explored=0.0 if self.vision.config.explored else EXPLORED)

    @property
    def is_seen(self) -> bool:
        """Whether a guard sees the hero."""
        return self.vision.is_visible(self._hero.path, group=GUARDS)

    def set_alarm(self, alarm: float) -> None:
        """From 0 to 1: what guards see becomes red."""
        self._guarded.set_shader_input("u_alarm", alarm)

    def show_on(self, minimap: NodePath) -> None:
        """Hand the masks to the minimap, as they are now."""
        mask, guards = self.vision.mask_of(HEROES), self.vision.mask_of(GUARDS)
        explored = self.vision.explored_of(HEROES) or mask
        minimap.set_shader_inputs(u_mask=mask, u_guards=guards, u_explored=explored)
