"""Primaries beside those of the pairs: hits of several blends in one frame take one each."""

import math

from panda_rtstamp.core.context import Context
from panda_rtstamp.core.target import RenderTarget

# Of one window.
_MOST = 8


class Extras:
    """Textures that are lent out for a frame, and go back by themselves when its passes are done.

    Args:
        context: whose graphics the textures belong to.
        sort: of their buffers.
    """

    def __init__(self, context: Context, sort: int) -> None:
        self._context = context
        self._sort = sort
        self._targets: list[RenderTarget] = []
        self._lent = -math.inf  # when one was lent last

    @property
    def targets(self) -> list[RenderTarget]:
        """All that there are."""
        return list(self._targets)

    @property
    def memory_bytes(self) -> int:
        """Graphics memory of all of them."""
        return sum(target.memory_bytes for target in self._targets)

    @property
    def busy_bytes(self) -> int:
        """Graphics memory of those in use."""
        return sum(target.memory_bytes for target in self._targets if target.busy)

    def find(self, like: RenderTarget, now: float) -> RenderTarget | None:
        """Lend out an idle one of the same size and format, if there is one."""
        self._lent = now
        fitting = (one for one in self._targets if one.size == like.size and one.format == like.format)
        return next((one for one in fitting if not one.busy), None)

    def make(self, like: RenderTarget) -> RenderTarget | None:
        """Lend out a new one of the same size and format; None if too many are in use."""
        if len(self._targets) >= _MOST and not self.destroy_idle():
            return None
        made = RenderTarget(self._context, "rtstamp-primary-extra", like.size, like.format, self._sort)
        self._targets.append(made)
        return made

    def destroy_idle(self, since: float = math.inf) -> bool:
        """Destroy one that is not in use, if none was lent after `since`. False if there is none."""
        idle = next((target for target in self._targets if not target.busy), None)
        if idle is None or self._lent > since:
            return False
        self._targets.remove(idle)
        idle.destroy()
        return True

    def destroy(self) -> None:
        """Free them all. Idempotent."""
        for target in self._targets:
            target.destroy()
        self._targets.clear()
