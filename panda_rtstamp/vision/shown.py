"""What players see of a mask: softened in time and in space, with what was explored before."""

import numpy as np
import numpy.typing as npt
from panda3d.core import (
    ColorBlendAttrib,
    LVecBase2f,
    LVecBase2i,
    LVecBase4f,
    NodePath,
    RenderState,
    ShaderAttrib,
    Texture,
)

from panda_rtstamp.core.card import VERTEX_SHADER, Card, card_camera, copy_of
from panda_rtstamp.core.context import Context
from panda_rtstamp.core.shader import load_shader
from panda_rtstamp.core.target import FORMATS, RG32F, Format, RenderTarget
from panda_rtstamp.vision.area import Area, explored_area
from panda_rtstamp.vision.config import VisionConfig
from panda_rtstamp.vision.mask import MASK_SORT

# After all that is drawn of a mask.
READ_SORT = MASK_SORT + 4
_MOST = ColorBlendAttrib.make(ColorBlendAttrib.M_max, ColorBlendAttrib.O_one, ColorBlendAttrib.O_one)


class Shown:
    """Textures made of a mask, one of another: what the config asks for beside the mask itself.

    Args:
        context: whose graphics draws.
        mask: what is seen now.
        config: settings.
    """

    def __init__(self, context: Context, mask: RenderTarget, config: VisionConfig) -> None:
        self._context = context
        self._mask = mask
        self._config = config
        # Drawn in turns: each is made of the other.
        self._smooth: list[RenderTarget] = []
        self._explored: RenderTarget | None = None
        self._blurred: RenderTarget | None = None
        self._result: RenderTarget | None = None
        self._unsettled = 0.0  # seconds until all texels are where they go
        # Where the mask lay when this was drawn last; None before.
        self._area: Area | None = None
        self._knows = False  # what was explored was drawn
        # To be explored from the next pass on.
        self._remembered: npt.NDArray[np.uint8] | None = None
        self._make_targets()

    def _make_targets(self) -> None:
        """Those that the config asks for, and that are not there."""
        config = self._config
        if config.fade_in > 0.0 or config.fade_out > 0.0:
            self._smooth = [self._make("smooth", 1, RG32F) for _ in range(2)]
        if config.explored > 0.0 and self._explored is None:
            self._explored = self._make("explored", 1)
        if config.blur > 0.0:
            self._blurred = self._make("blurred", 2)
        if self.targets:
            self._result = self._make("shown", 3)

    def apply(self, config: VisionConfig, remake: bool) -> None:
        """Go on under other settings. What was explored stays, if it is asked for, and of the same rectangle.

        Args:
            remake: they ask for other textures.
        """
        if config.explored == 0.0 or explored_area(config) != explored_area(self._config):
            self._knows = False
            self._remembered = None
        self._config = config
        if not remake:
            return
        kept = self._explored if config.explored > 0.0 else None
        before = self.texture
        for target in self.targets:
            if target is not kept:
                target.destroy()
        if before is not self._mask.texture:
            show_all(before)
        self._smooth, self._explored, self._blurred, self._result = [], kept, None, None
        self._area = None
        self._make_targets()

    def _make(self, name: str, after: int, format: Format = FORMATS["rgba8"]) -> RenderTarget:
        return RenderTarget(
            self._context, f"rtstamp-vision-{name}", self._mask.size, format, MASK_SORT + after
        )

    @property
    def texture(self) -> Texture:
        """What is shown: the mask itself, if nothing else is asked for."""
        return (self._result or self._mask).texture

    @property
    def explored(self) -> Texture | None:
        """What was ever seen; None if the config does not ask for it."""
        return None if self._explored is None else self._explored.texture

    @property
    def targets(self) -> list[RenderTarget]:
        """All that it draws into, but for the mask."""
        return [each for each in (*self._smooth, self._explored, self._blurred, self._result) if each]

    def remember(self, texels: npt.NDArray[np.uint8]) -> None:
        """Count this as explored, (size, size), row 0 at the least Y, beside what was seen."""
        before = self._remembered
        self._remembered = texels if before is None else np.maximum(before, texels)

    @property
    def knows(self) -> bool:
        """True once what was explored was drawn."""
        return self._knows

    def draw(self, area: Area, changed: bool, elapsed: float) -> int:
        """Make this frame's passes.

        Args:
            area: what the mask covers in this frame.
            changed: the mask is drawn in this frame.
            elapsed: seconds since the last frame.

        Returns:
            How many there are.
        """
        if self._result is None:
            return 0
        passes = self._draw_explored(area) if changed or self._remembered is not None else 0
        if changed:
            self._unsettled = max(self._config.fade_in, self._config.fade_out)
        elif self._unsettled <= 0.0 and passes == 0:
            return 0
        else:
            self._unsettled -= elapsed
        source = self._draw_smooth(area, elapsed) if self._smooth else self._mask
        passes += self._draw_result(area, source) + len(self._smooth) // 2
        self._area = area
        return passes

    def _draw_explored(self, area: Area) -> int:
        if self._explored is None:
            return 0
        attrib = _shader("explored").set_shader_inputs(
            u_mask=self._mask.texture, u_places=LVecBase4f(*explored_area(self._config).places_in(area))
        )
        cards = [Card(RenderState.make(attrib, _MOST))]
        if self._remembered is not None:
            cards.append(Card(copy_of(_texture_of(self._remembered)).set_attrib(_MOST)))
            self._remembered = None
        self._explored.draw(card_camera("rtstamp-explored", cards), clear=not self._knows)
        self._knows = True
        return 1

    def _draw_smooth(self, area: Area, elapsed: float) -> RenderTarget:
        """One step in time: into the one of both that was not drawn last."""
        config = self._config
        shift = None if self._area is None else area.shift_from(self._area, self._mask.size)
        # At first, and in another place, all is there at once.
        rise = elapsed / config.fade_in if config.fade_in > 0.0 and shift is not None else 1.0
        fall = elapsed / config.fade_out if config.fade_out > 0.0 and shift is not None else 1.0
        before, after = self._smooth
        self._smooth.reverse()
        attrib = _shader("smooth").set_shader_inputs(
            u_before=before.texture,
            u_mask=self._mask.texture,
            u_steps=LVecBase2f(rise, fall),
            u_shift=LVecBase2i(*(shift or (0, 0))),
        )
        after.draw(card_camera("rtstamp-smooth", [Card(RenderState.make(attrib))]), clear=True)
        return after

    def _draw_result(self, area: Area, source: RenderTarget) -> int:
        assert self._result is not None
        if self._blurred is not None:
            self._blurred.draw(self._blur(area, source, LVecBase2i(1, 0), 0.0), clear=True)
        axis = LVecBase2i(0, 1)
        self._result.draw(self._blur(area, self._blurred or source, axis, self._config.explored), clear=True)
        return 1 if self._blurred is None else 2

    def _blur(self, area: Area, source: RenderTarget, axis: LVecBase2i, level: float) -> NodePath:
        attrib = _shader("blur").set_shader_inputs(
            u_mask=source.texture,
            u_axis=axis,
            u_radius=self._config.blur,
            u_explored=self.explored or self._mask.texture,
            u_places=LVecBase4f(*area.places_in(explored_area(self._config))),
            u_level=level,
        )
        return card_camera("rtstamp-blur", [Card(RenderState.make(attrib))])

    def destroy(self) -> None:
        """Free all textures. Idempotent."""
        for target in self.targets:
            target.destroy()


def show_all(texture: Texture) -> None:
    """Of a texture that is drawn into no more: copies of nodes that have it are shown."""
    texture.setup_2d_texture(1, 1, Texture.T_unsigned_byte, Texture.F_rgba)
    texture.set_ram_image(b"\xff" * 4)


def _texture_of(texels: npt.NDArray[np.uint8]) -> Texture:
    texture = Texture("rtstamp-remembered")
    height, width = texels.shape
    texture.setup_2d_texture(width, height, Texture.T_unsigned_byte, Texture.F_rgba)
    texture.set_ram_image(np.repeat(texels[..., None], 4, axis=2).tobytes())
    return texture


def _shader(name: str) -> ShaderAttrib:
    attrib = ShaderAttrib.make(load_shader(VERTEX_SHADER, f"rtstamp/vision/{name}.frag"))
    assert isinstance(attrib, ShaderAttrib)
    return attrib
