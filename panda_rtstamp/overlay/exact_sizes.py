"""Render targets of exactly the size that was asked for.

By `textures-power-2`, Panda puts a target of another size into the corner of a larger texture, which then
shows wrongly wherever texture coordinates run from 0 to 1. It looks at that setting, which is one for all
textures, when a target is first drawn. Under a threading model that is frames later, in which the game's own
textures are loaded in the sizes that they have.
"""

from typing import Literal

from panda3d.core import ATS_none, ATS_unspecified, Texture


class ExactSizes:
    """The setting is off while there were more calls of `begin` than of `end`."""

    def __init__(self) -> None:
        self._count = 0
        self._found: Literal[0, 1, 2, 3, 4] = ATS_unspecified

    def begin(self) -> None:
        """Before a target's first draw is handed over."""
        if not self._count:
            is_set = Texture.has_textures_power_2()
            self._found = Texture.get_textures_power_2() if is_set else ATS_unspecified
            Texture.set_textures_power_2(ATS_none)
        self._count += 1

    def end(self) -> None:
        """When it was drawn."""
        self._count -= 1
        if not self._count:
            Texture.set_textures_power_2(self._found)


EXACT_SIZES = ExactSizes()
