"""Overlays that the mouse moves: held by the left button, until it is let go."""

from panda3d.core import LPoint2, MouseButton, MouseWatcher, MouseWatcherRegion

from panda_rtstamp.overlay.placement import Bounds

# Below all of the GUI, which is at 0 and above; overlays among each other as they lie.
_BELOW_GUI = -10


class Handle:
    """A part of the window that can be gripped. The game gets no mouse buttons that are pressed over it.

    Args:
        watcher: the window's mouse.
        sort: the overlay's.
    """

    def __init__(self, watcher: MouseWatcher, sort: int) -> None:
        self._watcher = watcher
        self._region = MouseWatcherRegion("rtstamp-overlay", 0.0, 0.0, 0.0, 0.0)
        self._region.set_sort(_BELOW_GUI + sort)
        self._region.set_suppress_flags(MouseWatcherRegion.SF_mouse_button)
        watcher.add_region(self._region)
        self._was_down = False
        self._gripped_at: LPoint2 | None = None
        self._moved = (0, 0)

    def place(self, bounds: Bounds, size: tuple[int, int], shown: bool) -> None:
        """Lie there in a window of this size, in pixels."""
        width, height = size
        left, right = (2.0 * x / width - 1.0 for x in (bounds.left, bounds.right))
        top, bottom = (1.0 - 2.0 * y / height for y in (bounds.top, bounds.bottom))
        self._region.set_frame(left, right, bottom, top)
        self._region.set_active(shown and not bounds.empty)

    def pull(self, bounds: Bounds, size: tuple[int, int]) -> tuple[int, int]:
        """How far the mouse has pulled it since the last call, right and down, in pixels of a window.

        No part of it that lies in the window is pulled out.
        """
        watcher = self._watcher
        was_down, self._was_down = self._was_down, watcher.is_button_down(MouseButton.one())
        if not self._was_down:
            self._gripped_at = None
        elif not watcher.has_mouse():
            return 0, 0
        elif not was_down and watcher.get_over_region() == self._region:
            self._gripped_at, self._moved = LPoint2(watcher.get_mouse()), (0, 0)
        if self._gripped_at is None:
            return 0, 0
        way = (watcher.get_mouse() - self._gripped_at) * 0.5
        right = round(way.x * size[0]) - self._moved[0]
        down = round(-way.y * size[1]) - self._moved[1]
        right = _held(right, bounds.left, size[0] - bounds.right)
        down = _held(down, bounds.top, size[1] - bounds.bottom)
        self._moved = self._moved[0] + right, self._moved[1] + down
        return right, down

    def release(self) -> None:
        """Give the mouse back to what lies below."""
        self._watcher.remove_region(self._region)


def _held(pull: int, before: int, after: int) -> int:
    """Of a pull, as much as leaves no pixels outside that there were before or after."""
    return max(min(pull, max(after, 0)), min(-before, 0))
