"""Faded marks move to smaller textures where memory is short: what is lost of them is hardly seen."""

from collections.abc import Sequence

from panda3d.core import RenderState, ShaderAttrib

from panda_rtstamp.core.card import VERTEX_SHADER, Card, card_camera
from panda_rtstamp.core.rect import Rect
from panda_rtstamp.core.shader import load_shader
from panda_rtstamp.core.target import RenderTarget
from panda_rtstamp.stamps.binding import StampBinding
from panda_rtstamp.stamps.pool import SMALLEST, Pool, Slot

SHRINK_SHADER = "rtstamp/stamps/shrink.frag"


class Shrinker:
    """Moves marks to pairs of half the size, which are drawn in the next tick.

    Args:
        pool: the textures.
    """

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._moves: dict[StampBinding, Slot] = {}

    def free(self, wanted: float, bindings: Sequence[StampBinding], below: float) -> bool:
        """Have marks move until so many bytes are free. False, and nobody moves, if they are too few.

        Args:
            bindings: the weakest first. The largest move first, and of these the weakest.
            below: only marks of less alpha move.
        """
        movable = [binding for binding in bindings if binding.alpha < below and self._can_move(binding)]
        movable.sort(key=lambda binding: -binding.resolution)
        if sum(_gain(binding.slot) for binding in movable) < wanted:
            return False
        for binding in movable:
            if wanted <= 0:
                break
            smaller = self._pool.halve(binding.slot)
            if smaller is None:
                return False
            wanted -= _gain(binding.slot)
            self._moves[binding] = smaller
        return True

    def _can_move(self, binding: StampBinding) -> bool:
        # A slot that is on its way already is lent to nobody.
        settled = binding.drawn and binding.stored is None and not binding.waiting
        return settled and binding.resolution > SMALLEST and self._pool.is_valid(binding.slot)

    def draw(self) -> list[Slot]:
        """Draw the moves, in a tick before the frame's marks; hands out where the marks are now."""
        if not self._moves:
            return []
        moves, self._moves = self._moves, {}
        for binding, slot in moves.items():
            _empty(slot.primary)
            draw_smaller(binding.slot.temp, slot.temp)
            binding.move(slot)
        return list(moves.values())

    def forget(self, binding: StampBinding) -> None:
        """Give back where a binding was to move: its marks are gone."""
        slot = self._moves.pop(binding, None)
        if slot is not None:
            self._pool.release(slot)


def _gain(slot: Slot) -> int:
    """The bytes that are free when a slot has become one of half the size: of four texels, one is left."""
    return slot.memory_bytes - slot.memory_bytes // 4


def _empty(target: RenderTarget) -> None:
    target.draw(card_camera("rtstamp-empty", []), clear=True, changed=[])


def draw_smaller(source: RenderTarget, target: RenderTarget) -> None:
    """Draw a texture into one of half the size, of which each texel is the mean of four."""
    halves = [
        Rect(rect.left // 2, rect.bottom // 2, (rect.right + 1) // 2, (rect.top + 1) // 2)
        for rect in source.used
    ]
    if not halves:
        _empty(target)
        return
    attrib = ShaderAttrib.make(load_shader(VERTEX_SHADER, SHRINK_SHADER))
    state = RenderState.make(attrib.set_shader_input("u_source", source.texture))
    camera = card_camera("rtstamp-shrink", [Card(state, halves)], target.size)
    target.draw(camera, clear=True, changed=halves)
