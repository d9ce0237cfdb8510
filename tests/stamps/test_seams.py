"""No gaps and no ghosts where the stamp UVs part: marks across seams, as the player sees them.

What each pixel shows is a ray cast in numpy. A pixel counts as marked where half of the paint or
more is there; up to 0.9 of the radius, all of it is meant to be.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
import pytest
from panda3d.core import (
    AlphaTestAttrib,
    AntialiasAttrib,
    Camera,
    ColorAttrib,
    LColor,
    LightAttrib,
    MaterialAttrib,
    NodePath,
    PerspectiveLens,
    RenderAttrib,
    RenderState,
    ShaderAttrib,
    TextureAttrib,
    TransparencyAttrib,
)

from panda_rtstamp import StampSystem
from panda_rtstamp.core.geometry import net_matrix
from pictures import Bools, Floats, extent, stamps_on
from rasters import HAIR, Eye
from shapes import box, load
from support import read_target, step
from surfaces import Mesh, Seam, mesh_of, seams, unit, winding_normals

SIZE = 512
FIELD = 50.0
HARDNESS = 0.9
RESOLUTIONS = (256, 512, 1024)
MOST = 200
# Pixels of 40 million that are marked and should not be, on llvmpipe: of hidden surfaces seen edge-on, whose
# overlay Panda's depth offset, which grows with the slope, brings before what hides them.
KNOWN_GHOSTS = {
    "panda-model": {256: 17, 512: 23, 1024: 23},
    "sofia": {256: 22, 512: 48, 1024: 53},
}
# The share of the square root of the surface's area. The soft edge is then two texels wide at the lowest
# resolution: a texel beside the right one still shows half of the paint.
RADIUS = 0.15
# What a pixel in the middle of the picture covers, at a distance of 1.
PIXEL = 2.0 * np.tan(np.radians(FIELD / 2)) / SIZE
# Radii from which the camera looks; from the second, a mark is 12 pixels wide.
NEAR = 2.6
FAR = 1.0 / (6.0 * PIXEL)
# Marks that are made and looked at together. They cover about a quarter of the surface.
BATCH = 4
MODELS = {
    "cube": "",
    "teapot": "models/teapot",
    "panda-model": "models/panda-model",
    "sofia": "character/sofia.bam",
}


class View:
    """A camera of our own that draws the scene into 512 x 512 pixels."""

    def __init__(self, base: Any, scene: NodePath) -> None:
        self._base = base
        self._buffer = base.win.make_texture_buffer("view", SIZE, SIZE)
        self._buffer.set_clear_color(LColor(0, 0, 0, 1))
        self.lens = PerspectiveLens()
        self.lens.set_fov(FIELD)
        self.camera = scene.attach_new_node(Camera("view", self.lens))
        self._buffer.make_display_region().set_camera(self.camera)

    def look_at(self, point: Floats, normal: Floats, distance: float, depth: float) -> None:
        """From so far along the normal; all that is `depth` beyond the point is still seen."""
        self.camera.set_pos(*(point + distance * normal))
        up = (0, 1, 0) if abs(normal[2]) > 0.9 else (0, 0, 1)
        self.camera.look_at(tuple(point), up)
        self.lens.set_near_far(distance / 50, distance + depth)

    def picture(self) -> Floats:
        """The next frame: (h, w), how red each pixel is; row 0 at the bottom."""
        step(self._base)
        image = read_target(self._base, self._buffer.get_texture())
        return image[..., 0].astype(np.float64)

    def close(self) -> None:
        """Give the buffer back."""
        self._base.graphics_engine.remove_window(self._buffer)
        self.camera.remove_node()


@contextmanager
def view_of(base: Any, scene: NodePath) -> Iterator[View]:
    """A View that is closed at the end."""
    view = View(base, scene)
    yield view
    view.close()


def plain_black() -> RenderState:
    """What makes a model black and opaque, whatever its own states are."""
    attribs: list[RenderAttrib] = [
        ColorAttrib.make_flat((0, 0, 0, 1)),
        TextureAttrib.make_all_off(),
        LightAttrib.make_all_off(),
        MaterialAttrib.make_off(),
        ShaderAttrib.make_off(),
        AntialiasAttrib.make(AntialiasAttrib.M_none),
        TransparencyAttrib.make(TransparencyAttrib.M_none),
        AlphaTestAttrib.make(RenderAttrib.M_always, 1.0),
    ]
    state = RenderState.make_empty()
    for attrib in attribs:
        state = state.add_attrib(attrib, 1000)
    return state


@dataclass
class Count:
    """What was found in many pictures.

    Attributes:
        inside, outside: pixels that had to be marked, or unmarked.
        gaps, ghosts: of those, the ones that were not.
        undecided: neither, since a ray a hair beside the pixel's centre gives the other verdict.
    """

    inside: int = 0
    outside: int = 0
    gaps: int = 0
    ghosts: int = 0
    undecided: int = 0

    def __add__(self, other: "Count") -> "Count":
        return Count(*(getattr(self, name) + getattr(other, name) for name in self.__dataclass_fields__))


@dataclass
class Seen:
    """What each pixel shows of the surface, (SIZE * SIZE,).

    Attributes:
        near: the distance to the middle of the nearest mark; infinite where there is no surface.
        stretch: the length on the surface of a step of 1 in UV.
        reach: half of the length on the surface that the pixel covers.
    """

    near: Floats
    stretch: Floats
    reach: Floats


@dataclass
class Truth:
    """What one picture must show, from its geometry alone.

    Attributes:
        mesh: the model.
        points: the middles of all marks that there are, (n, 3).
        radius: of each.
        view: as it looks while this is used.
    """

    mesh: Mesh
    points: Floats
    radius: float
    view: View

    def count(self, red: Floats, texels: int, only_gaps: bool) -> Count:
        """Compare with a picture of a model of so many texels along an edge."""
        inside, outside = self._verdicts(self._seen, texels)
        outside &= not only_gaps
        marked = red.ravel() >= 0.5
        wrong = (inside & ~marked) | (outside & marked)
        total = Count(int(inside.sum()), int(outside.sum()))
        if wrong.any():
            for seen in self._seen_beside:
                sure_inside, sure_outside = self._verdicts(seen, texels)
                inside, outside = inside & sure_inside, outside & sure_outside
            total.gaps = int((inside & ~marked).sum())
            total.ghosts = int((outside & marked).sum())
            total.undecided = int(wrong.sum()) - total.gaps - total.ghosts
        return total

    def _verdicts(self, seen: Seen, texels: int) -> tuple[Bools, Bools]:
        """Pixels inside 0.9 of the radius of a mark, and pixels beyond the radius and one texel of all.

        A pixel that shows more of the surface than a texel must not reach into the radius.
        """
        beyond = self.radius + np.maximum(seen.stretch / texels, seen.reach)
        return seen.near < 0.9 * self.radius, seen.near > beyond

    @cached_property
    def _seen(self) -> Seen:
        return self._look((0.0, 0.0))

    @cached_property
    def _seen_beside(self) -> list[Seen]:
        """By rays a hair beside the pixels' centres, in eight directions.

        The graphics card puts corners on a grid of 1/256 of a pixel, so it may see what any of these sees.
        """
        turns = np.arange(8) * np.pi / 4
        return [self._look((HAIR * np.cos(turn), HAIR * np.sin(turn))) for turn in turns]

    def _look(self, offset: tuple[float, float]) -> Seen:
        mesh, view = self.mesh, self.view
        sight = Eye(mesh.points, mesh.two_sided, view.camera, view.lens, SIZE).look(offset)
        squares = [((sight.points - point) ** 2).sum(axis=1) for point in self.points]
        way = sight.points - net_matrix(view.camera)[3, :3]
        slant = np.abs((unit(way) * winding_normals(mesh.points)[sight.triangle]).sum(axis=1))
        pixel = np.linalg.norm(way, axis=1) * PIXEL / np.maximum(slant, 1e-9)
        seen = Seen(np.full(SIZE**2, np.inf), np.zeros(SIZE**2), np.zeros(SIZE**2))
        seen.near[sight.pixel] = np.sqrt(np.min(squares, axis=0))
        seen.stretch[sight.pixel] = mesh.stretch[sight.triangle]
        seen.reach[sight.pixel] = pixel / 2
        return seen


def mark_radius(model: NodePath) -> float:
    """That of all marks on a model."""
    return RADIUS * float(np.sqrt(mesh_of(model).areas.sum()))


def some_seams(stamps: StampSystem, model: NodePath, most: int) -> list[Seam]:
    """So many random seams of the model, as marks are laid out on it."""
    assert stamps.hit(model, tuple(extent(model)[0]), radius=extent(model)[1], opacity=0.0) is not None
    found = seams(mesh_of(model))
    stamps.clear_all()
    np.random.default_rng(11).shuffle(found)
    assert len(found) >= most
    return found[:most]


def look_at_marks(
    stamps: StampSystem, models: dict[int, NodePath], view: View, batch: Sequence[Seam]
) -> dict[int, Count]:
    """Mark the models at these seams, and look at each seam, from near and from far, on each model."""
    radius = mark_radius(models[RESOLUTIONS[0]])
    for seam, model in product(batch, models.values()):
        model.show()
        point = tuple(seam.middle)
        assert stamps.hit(model, point, radius=radius, hardness=HARDNESS, color=(1, 0, 0)) is not None
    view.picture()
    mesh = mesh_of(model)
    points = np.array([seam.middle for seam in batch])
    found = {texels: Count() for texels in models}
    for seam, distance in product(batch, (NEAR, FAR)):
        view.look_at(seam.middle, seam.normal, distance * radius, extent(model)[1])
        truth = Truth(mesh, points, radius, view)
        for texels in models:
            for other, model in models.items():
                model.show() if other == texels else model.hide()
            found[texels] += truth.count(view.picture(), texels, only_gaps=distance == FAR)
    return found


def check_seams(base: Any, scene: NodePath, name: str, most: int) -> None:
    """Look at so many random seams of a model, of which there is one of each resolution, in one place."""
    models = {}
    for texels in RESOLUTIONS:
        model = load(base, scene, MODELS[name], name) if MODELS[name] else box((2.0, 2.0, 2.0))
        model.reparent_to(scene)
        model.set_state(plain_black())
        model.set_tag("rtstamp-resolution", str(texels))
        models[texels] = model
    found = {texels: Count() for texels in models}
    config = {"unwrapper": "own", "unwrap_at_once": 1_000_000, "format": "rgba8"}
    with view_of(base, scene) as view, stamps_on(base, **config) as stamps:
        chosen = some_seams(stamps, models[RESOLUTIONS[0]], most)
        for start in range(0, most, BATCH):
            for texels, count in look_at_marks(stamps, models, view, chosen[start : start + BATCH]).items():
                found[texels] += count
            stamps.clear_all()
    report = "\n".join(f"{name} {texels}: {count}" for texels, count in found.items())
    print(report)
    assert all(count.inside > 1000 and count.outside > 1000 for count in found.values()), report
    assert not any(count.gaps for count in found.values()), report
    known = KNOWN_GHOSTS.get(name, {}) if most == MOST else {}
    assert all(count.ghosts <= known.get(texels, 0) for texels, count in found.items()), report


@pytest.mark.profiles
def test_marks_across_the_edges_of_a_cube(base: Any, scene: NodePath) -> None:
    check_seams(base, scene, "cube", 12)


def test_marks_across_20_seams_of_a_teapot(base: Any, scene: NodePath) -> None:
    check_seams(base, scene, "teapot", 20)


@pytest.mark.full
@pytest.mark.parametrize("name", ["teapot", "panda-model", "sofia"])
def test_marks_across_200_seams(base: Any, scene: NodePath, name: str) -> None:
    check_seams(base, scene, name, MOST)
