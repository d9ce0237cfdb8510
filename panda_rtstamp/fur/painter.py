"""FurPainter: direction, length and density of fur, painted on a model with a brush."""

import secrets
import time
from collections.abc import Iterable
from typing import Any

import numpy as np
from panda3d.core import NodePath

from panda_rtstamp.core.arguments import check_base
from panda_rtstamp.core.config import Rule, boolean, integer, number, text
from panda_rtstamp.core.files import as_path
from panda_rtstamp.core.geometry import Array
from panda_rtstamp.errors import ConfigError, StoreError
from panda_rtstamp.fur.attaching import Loaded, lay, painted_on
from panda_rtstamp.fur.bam import write_bam
from panda_rtstamp.fur.brush import FurBrush
from panda_rtstamp.fur.column import FurColumn
from panda_rtstamp.fur.dab import Dab, mirror_of, paint
from panda_rtstamp.fur.history import History, Mark, Step
from panda_rtstamp.fur.looking import Look, Looker
from panda_rtstamp.fur.mouse import Mouse
from panda_rtstamp.fur.painter_view import PainterView
from panda_rtstamp.fur.points import Numbers
from panda_rtstamp.fur.sidecar import TOLERANCE, TOLERANCE_RULE, read_file, write_file
from panda_rtstamp.fur.stroke import Stroke
from panda_rtstamp.fur.vertices import Values

# Of the model's diagonal.
_RADIUS, _STRAND = 0.08, 0.05
_LONGEST_AUTHOR = 200

_LEVELS = Rule(integer, "a whole number, 1 to 100000", low=1, high=100_000)
_PLACE = Rule(number, "a number: -1 to 1 from one edge of the window to the other")
_SWITCH = Rule(boolean, "True or False")
_BUTTON = Rule(text, "the name of an event, such as 'mouse1'")
# Whoever takes the vertex colours over does the same: nobody's stroke, which all know of.
_FROM_COLORS = Mark(0, 0.0, "")


def _place(x: float, y: float) -> Array:
    return np.array([_PLACE.check("x", x), _PLACE.check("y", y)])


class FurPainter:
    """Paints the vertex column `rtstamp_fur` of a model, static or animated, as it is posed.

    Only faces that are turned to the main camera are painted, and only where nothing of the model hides them.
    The model's Geoms give place to copies with the column: a coat of fur that was there before must look at
    them once (`refresh`), and shows what is painted from then on. `save` and `save_bam` keep it. All else is
    gone with `destroy`, which gives the model its Geoms back.

    Args:
        base: a ShowBase, whose main camera looks at the model.
        node: the model. What is hidden is not painted, and hides nothing.
        from_colors: take the vertex colours for painted fur, see FurColumn: red and green are the direction,
            blue the length, alpha the density. They do not tint the model meanwhile.
        author: whose strokes these are, for merging; at most 200 characters.
        undo_levels: how many steps can be undone.

    Attributes:
        brush: its settings. The radius is 8 % of the model's diagonal at first.

    Raises:
        ConfigError: an argument is not allowed, or nothing below the node has triangles and normals. Nothing
            was changed.
    """

    def __init__(
        self,
        base: Any,
        node: NodePath,
        *,
        from_colors: bool = False,
        author: str = "",
        undo_levels: int = 100,
    ) -> None:
        check_base(base)
        if not isinstance(author, str) or len(author) > _LONGEST_AUTHOR:
            raise ConfigError(f"author must be a text of up to {_LONGEST_AUTHOR} characters, got {author!r}")
        from_colors = _SWITCH.check("from_colors", from_colors)
        undo_levels = _LEVELS.check("undo_levels", undo_levels)
        self._base = base
        self._author = author
        self._column = FurColumn(node, from_colors)
        self._looker = Looker(base, self._column)
        touched = np.full(self._column.points.count, 0 if from_colors else -1, np.int64)
        self._history = History(touched, undo_levels, [_FROM_COLORS] if from_colors else [])
        size = float(np.linalg.norm(np.ptp(self._column.world(), axis=0)))
        self.brush = FurBrush(max(size * _RADIUS, 1e-6))
        self._view = PainterView(base, self._column, size * _STRAND)
        self._mirrors: dict[str, Numbers] = {}
        self._stroke: Stroke | None = None
        self._mouse: Mouse | None = None
        self._destroyed = False

    # Strokes.

    def press(self, x: float, y: float) -> None:
        """Begin a stroke, with a dab there; combing needs a way first.

        Args:
            x, y: in the window, -1 left and below to 1 right and above.

        Raises:
            ConfigError: a place is none.
        """
        at = _place(x, y)
        self.lift()
        self._stroke = Stroke(self._column.values.copy(), self._column.points.count, at)
        look = self._look()
        if look is not None and self.brush.tool != "comb":
            self._dab(look, at, None)

    def drag(self, x: float, y: float) -> None:
        """Go on with the stroke, straight to there. Nothing without a stroke. Args, Raises: see `press`."""
        to = _place(x, y)
        stroke = self._stroke
        look = None if stroke is None else self._look()
        if stroke is None or look is None:
            return
        for place, way in stroke.dabs_to(to, look.sight, self.brush.radius):
            self._dab(look, place, way)

    def lift(self) -> None:
        """End the stroke, which is one step to undo. Nothing without a stroke."""
        stroke, self._stroke = self._stroke, None
        if stroke is not None and (stroke.before != self._column.values).any():
            mark = Mark(secrets.randbits(64), time.time(), self._author)
            touched = stroke.touched(self._history.touched, len(self._history.marks))
            self._history.add(stroke.before, self._column.values, touched, (mark,))

    def stroke(self, places: Iterable[tuple[float, float]]) -> None:
        """A whole stroke through these places, of at least one. Raises: see `press`."""
        checked = [_place(x, y) for x, y in places]
        if not checked:
            raise ConfigError("places must hold at least one (x, y), got none")
        self.press(*checked[0])
        for place in checked[1:]:
            self.drag(*place)
        self.lift()

    def _look(self) -> Look | None:
        return None if self._destroyed else self._looker.look()

    def _dab(self, look: Look, place: Array, way: Array | None) -> None:
        hit = look.sight.hit(place)
        if hit is None or self._stroke is None:
            return
        if way is not None:
            before = place - way
            way = hit.point - look.sight.unproject(before, hit.point)
        rows, values = paint(self._column, look, self.brush, Dab(hit, way), self._mirror())
        self._stroke.reached[self._column.points.of_row[rows]] = True
        self._write(rows, values)

    def _mirror(self) -> Numbers | None:
        axis = self.brush.symmetry
        if axis is None:
            return None
        if axis not in self._mirrors:
            self._mirrors[axis] = mirror_of(self._column, axis)
        return self._mirrors[axis]

    def _write(self, rows: Numbers, values: Values) -> None:
        self._column.write(rows, values)
        self._view.update(rows)

    # The way back.

    def undo(self) -> bool:
        """Take the last step back, to the bit; False if there is none."""
        self.lift()
        return self._set(self._history.undo(), False)

    def redo(self) -> bool:
        """Make the step again that was taken back last; False if there is none."""
        self.lift()
        return self._set(self._history.redo(), True)

    def _set(self, step: Step | None, after: bool) -> bool:
        if step is None or self._destroyed:
            return False
        self._write(step.rows, step.after if after else step.before)
        return True

    @property
    def undoable(self) -> int:
        """How many steps can be undone."""
        return self._history.undoable

    @property
    def redoable(self) -> int:
        """How many steps can be redone."""
        return self._history.redoable

    @property
    def marks(self) -> tuple[Mark, ...]:
        """The strokes that are behind what is painted now, the oldest first; loaded ones, too."""
        return tuple(self._history.marks)

    # Files.

    def save(self, path: Any) -> None:
        """Write what was painted to a sidecar file, which `load` lays on this model, or on a newer export.

        Raises:
            ConfigError: the path is none.
            StoreError: it cannot be written.
        """
        self.lift()
        write_file(as_path(path), painted_on(self._column, self._history))

    def load(self, path: Any, tolerance: float = TOLERANCE) -> Loaded:
        """Lay what a sidecar file holds on the model, point by point where these lie; one step to undo.

        Where there is painted fur already, it is merged: see `merge_sidecars`.

        Args:
            tolerance: how far from its place in the file a point may be, in parts of the model's diagonal.

        Raises:
            ConfigError: an argument is not allowed.
            StoreError: the file cannot be read, is damaged, or is of another model: none of it lies on this
                one. Nothing was changed.
        """
        tolerance = TOLERANCE_RULE.check("tolerance", tolerance)
        file = as_path(path)
        theirs = read_file(file)
        self.lift()
        laid = lay(self._column, self._history, theirs, tolerance)
        if len(theirs.points) and laid.loaded.lost == len(theirs.points):
            raise StoreError(f"painted fur in {file} is of another model: no point of it lies on this one")
        before = self._column.values.copy()
        self._write(laid.rows, laid.values)
        if laid.marks or len(laid.rows):
            self._history.add(before, self._column.values, laid.touched, laid.marks)
        return laid.loaded

    def save_bam(self, path: Any) -> None:
        """Write the model with its fur to a .bam file, which a game loads like any other.

        Raises:
            ConfigError: the path is none, or does not end in .bam.
            StoreError: it cannot be written.
        """
        self.lift()
        write_bam(self._column.node, as_path(path))

    # The painter's own picture, and its end.

    def show_strands(self, shown: bool) -> None:
        """Draw a line for the strand on each vertex, as at first, or do not. Raises ConfigError."""
        self._view.show(_SWITCH.check("shown", shown))

    def point_at(self, x: float, y: float) -> bool:
        """Show the ring of the brush where it would touch the model; False, and no ring, where it does not.

        Args, Raises: see `press`.
        """
        at = _place(x, y)
        if self._destroyed:
            return False
        look = self._looker.look()
        hit = None if look is None else look.sight.hit(at)
        self._view.put_ring(hit, self.brush.radius)
        return hit is not None

    def follow_mouse(self, followed: bool = True, button: str = "mouse1") -> None:
        """Paint while a button of the mouse is down, and show the brush where the mouse is; or stop it.

        Args:
            button: the name of its event.

        Raises:
            ConfigError: an argument is not allowed.
        """
        followed, button = _SWITCH.check("followed", followed), _BUTTON.check("button", button)
        if self._mouse is not None:
            self._mouse.destroy()
            self._mouse = None
        if followed:
            self._mouse = Mouse(self._base, self, button)

    def destroy(self) -> None:
        """Paint no more, and give the model its Geoms back, but those that others changed. Idempotent."""
        self._destroyed = True
        self._stroke = None
        self.follow_mouse(False)
        self._view.destroy()
        self._column.release()

    def __enter__(self) -> "FurPainter":
        return self

    def __exit__(self, *_: object) -> None:
        self.destroy()
