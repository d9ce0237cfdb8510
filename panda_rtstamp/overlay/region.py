"""The part of a window that an overlay is drawn into, and its border: display regions, and nothing else."""

from panda3d.core import DisplayRegion, GraphicsOutput, LColor, NodePath

from panda_rtstamp.core.context import Context
from panda_rtstamp.core.regions import remove_regions
from panda_rtstamp.overlay.placement import Bounds

# Between the main scene (0) and the GUI (10).
LOWEST, HIGHEST = 1, 9


def free_sort(window: GraphicsOutput) -> int | None:
    """The sort for a region that is to lie over those that are there; None if none is free."""
    used = {region.get_sort() for region in window.get_display_regions()}
    free = [sort for sort in range(LOWEST, HIGHEST + 1) if sort not in used]
    top = max((sort for sort in used if LOWEST <= sort <= HIGHEST), default=0)
    # Above all others if possible, and else as high as possible.
    return next((sort for sort in free if sort > top), free[-1] if free else None)


class WindowRegion:
    """Regions of a window: one that shows what a camera sees, and four that are a border.

    Args:
        context: of the window.
        sort: lower is drawn earlier in the frame.
        border: pixels of the border have this colour; None: there is none.
    """

    def __init__(self, context: Context, sort: int, border: LColor | None) -> None:
        self.context = context
        self.sort = sort
        self._content = self._make()
        self._content.set_clear_depth_active(True)
        self._content.set_clear_depth(1.0)
        self._edges = [] if border is None else [self._make_edge(border) for _ in range(4)]
        self._placed: object = None

    def _make(self) -> DisplayRegion:
        region = self.context.window.make_display_region()
        region.disable_clears()
        region.set_sort(self.sort)
        region.set_active(False)
        return region

    def _make_edge(self, color: LColor) -> DisplayRegion:
        """Without a camera a region is cleared, and that is all."""
        region = self._make()
        region.set_clear_color_active(True)
        region.set_clear_color(color)
        return region

    @property
    def size(self) -> tuple[int, int]:
        """Of the window, in pixels."""
        return self.context.window.get_fb_x_size(), self.context.window.get_fb_y_size()

    def set_background(self, color: LColor) -> None:
        """Begin with this colour instead of what is there already."""
        self._content.set_clear_color_active(True)
        if self._content.get_clear_color() != color:
            self._content.set_clear_color(color)

    def show(self, camera: NodePath) -> None:
        """Show what this camera sees from the next frame on; it isn't changed any more."""
        self._content.set_camera(camera)

    def place(self, bounds: Bounds, border: int, shown: bool) -> Bounds:
        """Lie there, with a border of so many pixels at the inside; returns what that leaves."""
        inner = bounds.inset(border if self._edges else 0)
        placed = bounds, border, shown, self.size
        if placed == self._placed:
            return inner
        self._placed = placed
        self._put(self._content, inner, shown)
        for region, edge in zip(self._edges, _edges(bounds, inner), strict=False):
            self._put(region, edge, shown and not inner.empty)
        return inner

    def _put(self, region: DisplayRegion, bounds: Bounds, shown: bool) -> None:
        region.set_active(shown and not bounds.empty)
        if bounds.empty:
            return
        width, height = self.size
        left, right = _share(bounds.left, width), _share(bounds.right, width)
        bottom, top = _share(height - bounds.bottom, height), _share(height - bounds.top, height)
        region.set_dimensions(left, right, bottom, top)

    def give_back(self) -> None:
        """Remove all regions from the window: now, or where threads still draw them, some frames later."""
        remove_regions(self.context, [self._content, *self._edges])


def _edges(outer: Bounds, inner: Bounds) -> tuple[Bounds, ...]:
    """What lies between two rectangles, in four."""
    return (
        Bounds(outer.left, outer.top, outer.right, inner.top),
        Bounds(outer.left, inner.bottom, outer.right, outer.bottom),
        Bounds(outer.left, inner.top, inner.left, inner.bottom),
        Bounds(inner.right, inner.top, outer.right, inner.bottom),
    )


def _share(pixel: int, extent: int) -> float:
    """The share of a window that Panda makes this pixel of: it adds a half and rounds towards 0."""
    return (pixel - 1 if pixel < 0 else pixel) / extent
