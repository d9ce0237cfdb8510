"""What marks cost, counted: passes, the texels and triangles that they draw, and calls of Python."""

import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from panda3d.core import Camera, GeomNode, NodePath, RenderState, ScissorAttrib

import panda_rtstamp
from panda_rtstamp import StampBinding, StampSystem
from panda_rtstamp.core.geometry import column
from panda_rtstamp.core.rect import Rect
from panda_rtstamp.core.target import RenderTarget
from support import step

# The name of nodes that hold the triangles of a model; others hold cards.
_MODEL = "rtstamp-capture"
_PACKAGE = str(Path(panda_rtstamp.__file__).parent)


@dataclass(frozen=True)
class Pass:
    """One call of RenderTarget.draw.

    Attributes:
        target: what is drawn into.
        cleared: the texels that are.
        captured: the rectangles that triangles of a model are drawn in.
        cards: those that cards are drawn over, one list for each card, in their order.
        geoms, triangles: of the model.
    """

    target: RenderTarget
    cleared: Rect | None
    captured: Sequence[Rect]
    cards: Sequence[Sequence[Rect]]
    geoms: int
    triangles: int

    @property
    def texels(self) -> int:
        """All that are cleared and drawn."""
        rects = [*self.captured, *(rect for card in self.cards for rect in card)]
        return sum(rect.area for rect in rects) + (self.cleared.area if self.cleared else 0)


def watch_passes(monkeypatch: pytest.MonkeyPatch) -> list[Pass]:
    """A list that gets all passes of marks that are made from now on."""
    found: list[Pass] = []
    draw = RenderTarget.draw

    def watched(self: RenderTarget, camera: NodePath, **options: Any) -> None:
        found.append(_pass_of(self, camera, **options))
        draw(self, camera, **options)

    monkeypatch.setattr(RenderTarget, "draw", watched)
    return found


def _pass_of(
    target: RenderTarget, camera: NodePath, clear: bool = False, rect: Rect | None = None, **_: Any
) -> Pass:
    region = rect or Rect.whole(target.size)
    seen = camera.node()
    assert isinstance(seen, Camera)
    captured: set[Rect] = set()
    cards: list[Sequence[Rect]] = []
    geoms = triangles = 0
    for path in [seen.get_scene(), *seen.get_scene().find_all_matches("**/+GeomNode")]:
        node = path.node()
        for index in range(node.get_num_geoms()) if isinstance(node, GeomNode) else ():
            geom = node.get_geom(index)
            if node.get_name() != _MODEL:
                cards.append(_quads(geom, target.size))
                continue
            state = path.get_net_state().compose(node.get_geom_state(index))
            captured.add(_cut(state, region, target.size))
            geoms += 1
            triangles += sum(primitive.get_num_faces() for primitive in geom.get_primitives())
    return Pass(target, region if clear else None, sorted(captured, key=str), cards, geoms, triangles)


def _cut(state: RenderState, region: Rect, size: int) -> Rect:
    """The rectangle of the target that a state draws in: all of the region, or what a scissor leaves."""
    scissor = state.get_attrib(ScissorAttrib)
    if not isinstance(scissor, ScissorAttrib) or scissor.is_off():
        return region
    left, right, bottom, top = (round(float(edge) * size) for edge in scissor.get_frame())
    return Rect(left, bottom, right, top)


def _quads(geom: Any, size: int) -> list[Rect]:
    """The rectangles that a card is made of."""
    places = column(geom.get_vertex_data(), "vertex")
    assert places is not None
    texels = ((places.astype(float)[:, [0, 2]].reshape(-1, 4, 2) + 1.0) * size / 2.0).round().astype(int)
    low, high = texels.min(axis=1), texels.max(axis=1)
    return [Rect(*map(int, (*first, *last))) for first, last in zip(low, high, strict=True)]


def rects_of(passes: Sequence[Pass]) -> list[Rect]:
    """Where captures draw."""
    return [rect for done in passes for rect in done.captured]


def merged(passes: Sequence[Pass], binding: StampBinding) -> list[Rect]:
    """The texels of Temp that hits were brought into, by the last card that is drawn over it."""
    return list([done for done in passes if done.target is binding.slot.temp][-1].cards[-1])


def wiped_by(done: Pass) -> list[Rect]:
    """The texels that a pass begins with zeros in."""
    return [done.cleared] if done.cleared else list(done.cards[0])


def shoot(base: Any, stamps: StampSystem, node: NodePath, *points: Any, **options: Any) -> StampBinding:
    """Hits on a node in its own space, and the frame that they are drawn in."""
    for point in points:
        assert stamps.hit(node, point, other=node, **options) is not None
    step(base)
    binding = stamps.binding(node)
    assert binding is not None
    return binding


def texels(passes: Sequence[Pass]) -> int:
    """All that passes clear and draw."""
    return sum(done.texels for done in passes)


def count_calls(work: Callable[[], Any]) -> tuple[Counter[str], Counter[str]]:
    """Calls of the add-on's Python functions, and those that it makes of built-in and Panda's, by name."""
    ours: Counter[str] = Counter()
    others: Counter[str] = Counter()

    def noted(frame: FrameType, event: str, argument: Any) -> None:
        if frame.f_code.co_filename.startswith(_PACKAGE):
            if event == "call":
                ours[f"{frame.f_code.co_filename[len(_PACKAGE) :]}:{frame.f_code.co_name}"] += 1
            elif event == "c_call":
                others[argument.__qualname__] += 1

    before = sys.getprofile()
    sys.setprofile(noted)
    try:
        work()
    finally:
        sys.setprofile(before)
    return ours, others
