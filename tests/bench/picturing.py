"""Experiments on render pictures, against buffers as they are written by hand."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from panda3d.core import Camera, CardMaker, NodePath, TransparencyAttrib

from bench.plan import Bench
from bench.report import Outcome, against
from bench.stage import Stage
from bench.timing import Lengths, compare
from bench.walls import build_walls
from panda_rtstamp.overlay.picture import RenderPicture


class Painter(Protocol):
    """Draws scenes into textures, each shown by a card."""

    def begin(self, stage: Stage, scene: NodePath, camera: NodePath, size: int) -> NodePath:
        """Make one; its card, which is to be put somewhere."""

    def end(self) -> None:
        """Free all of them."""


class Ours:
    """RenderPicture.

    Args:
        update: the update mode.
    """

    def __init__(self, update: str) -> None:
        self._update = update
        self._pictures: list[RenderPicture] = []

    def begin(self, stage: Stage, scene: NodePath, camera: NodePath, size: int) -> NodePath:
        picture = RenderPicture(stage.base, scene, camera, size=size, update=self._update)
        picture.queue_update()
        self._pictures.append(picture)
        return picture.card()

    def end(self) -> None:
        for picture in self._pictures:
            picture.destroy()
        self._pictures.clear()


class ByHand:
    """make_texture_buffer and a card.

    Args:
        active: draw in every frame; else in none but the first.
    """

    def __init__(self, active: bool = True) -> None:
        self._active = active
        self._stage: Stage | None = None
        self._buffers: list[Any] = []

    def begin(self, stage: Stage, scene: NodePath, camera: NodePath, size: int) -> NodePath:
        self._stage = stage
        buffer = stage.base.win.make_texture_buffer("picture", size, size)
        buffer.set_sort(-1001)
        buffer.set_clear_color((0, 0, 0, 0))
        buffer.make_display_region().set_camera(camera)
        buffer.set_one_shot(not self._active)
        self._buffers.append(buffer)
        maker = CardMaker("card")
        maker.set_frame(-0.5, 0.5, -0.5, 0.5)
        card = NodePath(maker.generate())
        card.set_texture(buffer.get_texture())
        card.set_transparency(TransparencyAttrib.M_premultiplied_alpha)
        return card

    def end(self) -> None:
        for buffer in self._buffers:
            assert self._stage is not None
            self._stage.remove_buffer(buffer)
        self._buffers.clear()


@dataclass(frozen=True)
class Shown:
    """What there is to draw.

    Attributes:
        walls, triangles: what each picture shows.
        size: texels along its edge.
        seen: whether the main camera sees its card.
        count: of pictures.
    """

    walls: int
    triangles: int
    size: int
    seen: bool = True
    count: int = 1


class Pictures:
    """A case: walls in pictures.

    Args:
        painter: makes the pictures; None: there are none.
    """

    def __init__(self, name: str, painter: Painter | None, shown: Shown) -> None:
        self.name = name
        self._painter = painter
        self._shown = shown
        self._made: list[NodePath] = []

    def setup(self, stage: Stage) -> None:
        scene, _ = build_walls(stage, self._shown.walls, self._shown.triangles)
        scene.reparent_to(NodePath("portrait"))
        self._made.append(scene.get_parent())
        camera = scene.attach_new_node(Camera("camera"))
        camera.set_pos(stage.base.camera.get_pos())
        for _ in range(self._shown.count if self._painter is not None else 0):
            assert self._painter is not None
            card = self._painter.begin(stage, scene.get_parent(), camera, self._shown.size)
            card.reparent_to(stage.root)
            card.set_x(0.0 if self._shown.seen else 1e4)
            self._made.append(card)
        stage.look(2.0)
        stage.step(4)

    def frame(self, index: int) -> None:
        """Nothing is done: the frame is what is timed."""

    def teardown(self) -> None:
        if self._painter is not None:
            self._painter.end()
        for node in self._made:
            node.remove_node()
        self._made.clear()


def pictures(bench: Bench) -> Outcome:
    """A picture that is drawn in every frame, one that nobody sees, and many at rest."""
    plan = bench.plan
    seen = Shown(plan.slots, 1000, plan.resolution)
    unseen = replace(seen, seen=False)
    resting = Shown(1, 2, 64, seen=False, count=plan.many)
    cases: Sequence[Pictures] = [
        Pictures("always", Ours("always"), seen),
        Pictures("visible", Ours("visible"), seen),
        Pictures("by hand", ByHand(), seen),
        Pictures("visible, unseen", Ours("visible"), unseen),
        Pictures("by hand, unseen", ByHand(), unseen),
        Pictures("at rest", Ours("manual"), resting),
        Pictures("by hand, at rest", ByHand(active=False), resting),
        Pictures("none", None, resting),
    ]
    times = compare(bench.stage, cases, Lengths(plan.rounds, 4, plan.frames), bench.tell)
    one = f"a picture of {plan.resolution} px"
    many = f"{plan.many} pictures at rest"
    return Outcome(
        [
            against(f"{one}, always", times["always"], "make_texture_buffer", times["by hand"]),
            against(f"{one}, visible and seen", times["visible"], "make_texture_buffer", times["by hand"]),
            against(
                f"{one}, visible and unseen",
                times["visible, unseen"],
                "make_texture_buffer",
                times["by hand, unseen"],
            ),
            against(many, times["at rest"], "make_texture_buffer", times["by hand, at rest"]),
            against(many, times["at rest"], "none", times["none"]),
        ]
    )
