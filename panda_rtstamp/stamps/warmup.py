"""What can be made before the first hit: shaders, compiled and drawn with once."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
from panda3d.core import (
    Camera,
    CardMaker,
    DisplayRegion,
    GeomNode,
    GraphicsOutput,
    NodePath,
    RenderState,
    Texture,
    TransparencyAttrib,
)

from panda_rtstamp.core.anchor import Anchor
from panda_rtstamp.core.card import Card, card_camera, copy_of, pass_camera
from panda_rtstamp.core.context import Context
from panda_rtstamp.core.paths import brush_names
from panda_rtstamp.core.rect import Rect
from panda_rtstamp.core.tags import OVERLAY_TAG
from panda_rtstamp.core.target import RenderTarget
from panda_rtstamp.stamps.brush import Brush, Brushes
from panda_rtstamp.stamps.config import StampConfig
from panda_rtstamp.stamps.coverage import SUMS, coverage_state, weights_texture
from panda_rtstamp.stamps.display import make_display
from panda_rtstamp.stamps.fade import Merge
from panda_rtstamp.stamps.hit import BLENDS, Hit
from panda_rtstamp.stamps.inputs import Clock, no_marks
from panda_rtstamp.stamps.passes import Passes
from panda_rtstamp.stamps.pool import PRIMARY_SORT, TEMP_SORT
from panda_rtstamp.stamps.scene import Scene
from panda_rtstamp.stamps.shaders import USUAL_STAGES, shaders_of
from panda_rtstamp.stamps.shrink import draw_smaller
from panda_rtstamp.stamps.surface import UV_TAG, Surface, SurfaceStore
from panda_rtstamp.stamps.texels import restore_camera, type_of

# Texels along an edge of what is drawn into.
_SIZE = SUMS
_PIXEL = Rect(0, 0, 1, 1)
# After whatever else is drawn into a window.
_LAST = 100_000


class ShaderWarmup:
    """Draws a pixel with each shader, as marks will: drivers finish a shader only when it is drawn with.

    What it draws into is its own, and goes when all is done.

    Args:
        context: the window.
        brushes: the pictures that hits name. Those that are ready are read too.
    """

    def __init__(self, context: Context, brushes: Brushes) -> None:
        self._context = context
        self._brushes = brushes
        self._clock = Clock()
        self._store = SurfaceStore()
        self._targets: tuple[RenderTarget, RenderTarget] | None = None
        self._corners: list[tuple[GraphicsOutput, DisplayRegion]] = []
        self._needed: list[object] = []
        self._draws: list[Callable[[], None]] = []
        self._hurried = False  # whether to do all that is left in the next frame
        self._pictures = [Brush(name) for name in brush_names()]

    def use(self, config: StampConfig, passes: Passes) -> None:
        """Draw by these settings from now on; anew, if other shaders are needed."""
        self._config = config
        self._passes = passes
        shrinks = config.max_memory is not None
        needed: list[object] = [*shaders_of(config), config.format, config.display, shrinks]
        if needed != self._needed:
            self.destroy()
            self._needed = needed
            self._draws = [
                *self._captures(),
                *(partial(self._merge, blend) for blend in BLENDS),
                self._fade,
                self._restore,
                self._copy,
                self._coverage,
                *([self._shrink] if shrinks else []),
            ]
            # Some drivers finish a shader anew when the one before it reads other vertex columns.
            for number, capture in enumerate(self._captures()):
                stages = USUAL_STAGES[number % len(USUAL_STAGES)]
                self._draws += [partial(self._display, stages), capture]

    def _captures(self) -> list[Callable[[], None]]:
        return [
            self._capture,
            partial(self._capture, shares_texels=True),
            partial(self._capture, brushes=True),
        ]

    @property
    def done(self) -> bool:
        """True if nothing is left to draw."""
        return not (self._draws or self._pictures)

    def step(self) -> None:
        """Do the next thing, in this frame."""
        if self._pictures:
            self._brushes.layer(self._pictures.pop())
            if not self._pictures:
                # They go to the graphics card with the captures that may use them.
                self._draws.append(partial(self._capture, brushes=True))
        elif self._draws:
            self._draws.pop(0)()

    def draw_all(self) -> None:
        """Draw with all that is left, in this frame; and with the brushes, of which there may be new ones.

        And capture once more in the next one, when overlays were drawn.
        """
        draws, self._draws = self._draws or self._captures(), self._captures()
        self._hurried = True
        for draw in draws:
            draw()

    def begin(self) -> None:
        """End the draws of earlier frames. To be called once a frame, before any are made."""
        if self._corners:
            self._leave_window()
        if self._targets is not None:
            for target in self._targets:
                target.collect()
            if not self._draws and not any(target.busy for target in self._targets):
                self.destroy()
        if self._hurried:
            self._hurried = False
            while self._draws:
                self._draws.pop(0)()

    def _leave_window(self) -> None:
        for output, region in self._corners:
            output.remove_display_region(region)
        self._corners.clear()

    def destroy(self) -> None:
        """Draw no more, and free what is drawn into. Idempotent."""
        self._draws.clear()
        self._leave_window()
        for target in self._targets or ():
            target.destroy()
        self._targets = None
        self._store.destroy()

    @property
    def _primary(self) -> RenderTarget:
        return self._both()[0]

    @property
    def _temp(self) -> RenderTarget:
        return self._both()[1]

    def _both(self) -> tuple[RenderTarget, RenderTarget]:
        """Like those of a slot."""
        if self._targets is None:
            format = self._config.target_format
            self._targets = (
                RenderTarget(self._context, "rtstamp-warm-primary", _SIZE, format, PRIMARY_SORT),
                RenderTarget(self._context, "rtstamp-warm-temp", _SIZE, format, TEMP_SORT),
            )
        return self._targets

    # What is drawn.

    def _capture(self, shares_texels: bool = False, brushes: bool = False) -> None:
        card = _card()
        surface = self._prepare(card)
        surface.overlaps = shares_texels
        brush = Brush(brush_names()[0]) if brushes else None
        hits = [Hit(np.zeros(3), 1.0, 1.0, 0.0, (0.0, 0.0, 0.0), BLENDS[0], brush=brush)]
        scene = Scene(card, surface, hits)
        camera = self._passes.capturer.camera(scene, hits, [_PIXEL], self._primary)
        self._primary.draw(camera, changed=[_PIXEL])
        self._store.restore(surface)

    def _merge(self, blend: str) -> None:
        merge = Merge(self._primary.texture, blend, 1.0, [_PIXEL])
        self._temp.draw(self._passes.merger.camera(self._temp, False, [], [merge]), changed=[_PIXEL])

    def _fade(self) -> None:
        self._temp.draw(self._passes.merger.camera(self._temp, False, [self._config.bake_step], []))

    def _restore(self) -> None:
        format = self._config.target_format
        texels = np.zeros((_SIZE, _SIZE, format.channels), type_of(format))
        self._temp.draw(restore_camera(texels, format), rect=_PIXEL)

    def _copy(self) -> None:
        self._draw_card(copy_of(self._primary.texture))

    def _coverage(self) -> None:
        weights = weights_texture(np.zeros((_SIZE, _SIZE), np.float32))
        channels = self._config.target_format.channels
        self._draw_card(coverage_state(self._primary.texture, weights, 1.0, 1.0, channels))

    def _shrink(self) -> None:
        draw_smaller(self._primary, self._temp)

    def _draw_card(self, state: RenderState) -> None:
        self._temp.draw(card_camera("rtstamp-warm", [Card(state)]), rect=_PIXEL)

    def _display(self, stages: int) -> None:
        """Draw the marks of a model that has none, over nothing."""
        card = _card()
        if stages:
            card.set_texture(Texture("rtstamp-warm"))
            card.set_transparency(TransparencyAttrib.M_alpha)
        surface = self._prepare(card)
        anchor = Anchor(card)
        # From textures like those of a slot: what drivers finish may depend on how they are looked at, too.
        nothing = no_marks(self._clock)
        inputs = replace(nothing, primary=self._primary.texture, temp=self._temp.texture)
        make_display(self._config, anchor, surface, inputs)
        for overlay in card.find_all_matches(f"**/{OVERLAY_TAG}"):
            self._draw_in_window(overlay)
        anchor.release()
        self._store.restore(surface)

    def _draw_in_window(self, overlay: NodePath) -> None:
        """Draw where the game's main camera does: what drivers finish depends on that too."""
        camera = pass_camera("rtstamp-warm", overlay)
        if not self._context.draws_in_app_thread:
            # A window's regions must not come and go while threads look through them.
            self._temp.draw(camera, rect=_PIXEL)
            return
        output = _output_of(self._context)
        region = output.make_display_region(0.0, 1.0 / output.get_x_size(), 0.0, 1.0 / output.get_y_size())
        region.set_sort(_LAST)
        region.set_camera(camera)
        self._corners.append((output, region))

    def _prepare(self, card: NodePath) -> Surface:
        return self._store.prepare(card, self._config, [])


def _output_of(context: Context) -> GraphicsOutput:
    """What the main camera draws into: the window, or a buffer that filters take its picture from."""
    camera = None if context.camera.is_empty() else context.camera.node()
    if isinstance(camera, Camera) and camera.get_num_display_regions():
        # None if the game has taken it out of use.
        return camera.get_display_region(0).get_window() or context.window
    return context.window


def _card() -> NodePath:
    maker = CardMaker("rtstamp-warm")
    maker.set_has_normals(True)
    # As small as can be on the texture: all of it is measured.
    maker.set_uv_range((0.0, 0.0), (2.0 / _SIZE, 2.0 / _SIZE))
    node = maker.generate()
    assert isinstance(node, GeomNode)
    # Whatever the config asks of models.
    node.set_tag(UV_TAG, "texcoord")
    return NodePath(node)
