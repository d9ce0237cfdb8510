"""What the player sees of a node's marks, as numbers: pictures and coverage, at once or some frames later."""

from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt
from panda3d.core import NodePath, Texture

from panda_rtstamp.core.anchor import Key, key_of
from panda_rtstamp.core.card import copy_of
from panda_rtstamp.core.config import Color
from panda_rtstamp.core.context import Context
from panda_rtstamp.core.readback import Readback, ReadFuture, read_texture
from panda_rtstamp.core.target import Format
from panda_rtstamp.stamps.binding import StampBinding
from panda_rtstamp.stamps.coverage import SUMS, Weights, area_weights, coverage_state, weights_texture
from panda_rtstamp.stamps.pool import TEMP_SORT
from panda_rtstamp.stamps.surface import Surface

_SUM_FORMAT = Format("r32f", (32, 0, 0, 0), True, Texture.T_float, Texture.F_r32, 4)

Image = npt.NDArray[np.float32]


@dataclass
class _Question:
    """What is to be read: the picture, or the coverage of `node` if there is one."""

    binding: StampBinding
    node: NodePath | None
    future: ReadFuture = field(default_factory=ReadFuture)

    @property
    def nothing(self) -> float | None:
        """The answer where there are no marks."""
        return None if self.node is None else 0.0

    @property
    def must_wait(self) -> bool:
        """True while the marks are not drawn yet, as their model is still being unwrapped."""
        return not (self.binding.drawn or self.binding.released)


class MarkReader:
    """Reads the marks of one window.

    Args:
        context: the window.
    """

    def __init__(self, context: Context) -> None:
        self._context = context
        self._readback = Readback(context, TEMP_SORT + 1)
        self._asked: list[_Question] = []
        self._weights: WeakKeyDictionary[Surface, dict[tuple[Key, int], Weights]] = WeakKeyDictionary()
        self._textures: WeakKeyDictionary[Surface, dict[tuple[Key, int], Texture]] = WeakKeyDictionary()

    def image(self, binding: StampBinding) -> Image | None:
        """See StampSystem.image."""
        if not binding.drawn:
            return np.zeros((binding.resolution, binding.resolution, 4), np.float32)
        share = binding.share
        stored = self.stored(binding)
        return None if stored is None else _visible(stored, share, *binding.paint)

    def stored(self, binding: StampBinding) -> Image | None:
        """What Temp holds now; None if the driver cannot read it."""
        if self._context.draws_in_app_thread:
            return read_texture(self._context, binding.temp)
        # What is read of a texture reaches the draw thread frames later, and now and then it goes to the
        # graphics card over what was drawn in the meantime. So a copy is read, which nobody samples.
        slot = binding.slot
        return self._readback.read(copy_of(binding.temp), slot.size, slot.format)

    def coverage(self, binding: StampBinding, node: NodePath) -> float:
        """See StampSystem.coverage."""
        image = self.image(binding)
        if image is None:
            return 0.0
        return float((image[..., 3] * self._area_weights(binding, node)).sum(dtype=np.float64))

    def image_async(self, binding: StampBinding) -> ReadFuture:
        """See StampSystem.image_async."""
        return self._ask(_Question(binding, None))

    def coverage_async(self, binding: StampBinding, node: NodePath) -> ReadFuture:
        """See StampSystem.coverage_async."""
        # A handle of our own: a user's is empty once it removed the node.
        return self._ask(_Question(binding, NodePath(node)))

    def _ask(self, question: _Question) -> ReadFuture:
        self._asked.append(question)
        return question.future

    def _draw(self, question: _Question) -> None:
        """Draw what was asked for; in a tick, when this frame's hits are in Temp."""
        binding, future = question.binding, question.future
        share, slot, paint = binding.share, binding.slot, binding.paint
        if binding.released:
            future.set_result(question.nothing)
        elif question.node is None:
            state = copy_of(binding.temp)
            self._readback.request(
                state, slot.size, slot.format, lambda stored: _visible(stored, share, *paint), future
            )
        else:
            weights = self._weights_texture(binding, question.node)
            state = coverage_state(binding.temp, weights, share, paint[1], slot.format.channels)
            self._readback.request(state, SUMS, _SUM_FORMAT, _mean, future, question.nothing)

    def _area_weights(self, binding: StampBinding, node: NodePath) -> Weights:
        held = self._weights.setdefault(binding.surface, {})
        key = key_of(node), binding.resolution
        if key not in held:
            held[key] = area_weights(binding.surface, node, binding.resolution)
        return held[key]

    def _weights_texture(self, binding: StampBinding, node: NodePath) -> Texture:
        held = self._textures.setdefault(binding.surface, {})
        key = key_of(node), binding.resolution
        if key not in held:
            held[key] = weights_texture(self._area_weights(binding, node))
        return held[key]

    def tick(self) -> None:
        """Read what is due, draw what was asked for. To be called once a frame, after the marks are drawn."""
        self._readback.tick()
        due = [question for question in self._asked if not question.must_wait]
        # Before anything can go wrong with one of them, or all would wait behind it for ever.
        self._asked = [question for question in self._asked if question.must_wait]
        for question in due:
            self._draw(question)

    @property
    def busy(self) -> bool:
        """True if there is anything to do in a tick."""
        return bool(self._asked) or self._readback.busy

    def destroy(self) -> None:
        """Free everything; what waits is answered as if there were no marks."""
        self._readback.destroy()
        for question in self._asked:
            question.future.set_result(question.nothing)
        self._asked.clear()


def _visible(stored: Image, share: float, color: Color, intensity: float) -> Image:
    """What Temp's texels, of which this share is seen, show the player: (h, w, 4), premultiplied."""
    mark: Image = np.clip(stored * np.float32(share), 0.0, 1.0)
    if mark.shape[2] == 1:
        mark = mark * np.array([*color[:3], 1.0], np.float32)
    mask = np.clip(mark[..., 3:] * intensity, 0.0, 1.0)
    mark[..., :3] *= mask / np.maximum(mark[..., 3:], 1e-6)
    mark[..., 3:] = mask
    return mark


def _mean(sums: Image) -> float:
    return float(sums.mean(dtype=np.float64))
