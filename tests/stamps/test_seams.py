"""No gaps and no ghosts where the stamp UVs part: marks across seams, as the player sees them.

What each pixel shows is a ray cast in numpy. A pixel counts as marked where half of the paint or
more is there; up to 0.9 of the radius, all of it is meant to be.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from panda3d.core import (
    AlphaTestAttrib,
    AntialiasAttrib,
    Camera,
    ColorAttrib,
    CullFaceAttrib,
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
from pictures import Bools, Floats, extent, stamps_on
from rasters import HAIR, Sight, look
from shapes import box, load
from support import read_target, step
from surfaces import Mesh, Seam, mesh_of, seams

SIZE = 512
FIELD = 50.0
HARDNESS = 0.9
RESOLUTIONS = (256, 512, 1024)
# The share of the square root of the surface's area: 8 texels and more at the lowest resolution.
RADIUS = 0.06
# Radii from which the camera looks; from the second, a mark is 12 pixels wide.
NEAR = 2.6
FAR = 1.0 / (6.0 / SIZE * 2.0 * np.tan(np.radians(FIELD / 2)))
# Marks that are made and looked at together. They cover at most a quarter of the surface.
BATCH = 20
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
    """What makes a model black from both sides, whatever its own states are."""
    attribs: list[RenderAttrib] = [
        ColorAttrib.make_flat((0, 0, 0, 1)),
        TextureAttrib.make_all_off(),
        LightAttrib.make_all_off(),
        MaterialAttrib.make_off(),
        ShaderAttrib.make_off(),
        AntialiasAttrib.make(AntialiasAttrib.M_none),
        TransparencyAttrib.make(TransparencyAttrib.M_none),
        AlphaTestAttrib.make(RenderAttrib.M_always, 1.0),
        CullFaceAttrib.make(CullFaceAttrib.M_cull_none),
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


class Judge:
    """Says which pixels must be marked, and which must not be.

    Args:
        mesh: the model.
        points: the middles of all marks that there are.
        texels: along an edge of the texture.
    """

    def __init__(self, mesh: Mesh, points: Floats, radius: float, texels: int) -> None:
        self._mesh = mesh
        self._points = points
        self._radius = radius
        self._texel = mesh.stretch() / texels

    def verdicts(self, sight: Sight) -> tuple[Bools, Bools]:
        """Pixels inside 0.9 of the radius of a mark; pixels beyond the radius and one texel of all marks."""
        seen = sight.triangle >= 0
        near = np.full(seen.shape, np.inf)
        for point in self._points:
            near[seen] = np.minimum(near[seen], np.linalg.norm(sight.points[seen] - point, axis=1))
        texel = np.where(seen, self._texel[sight.triangle], 0.0)
        return seen & (near < 0.9 * self._radius), near > self._radius + texel

    def count(self, view: View, red: Floats, sight: Sight, only_gaps: bool, total: Count) -> None:
        """Add what a picture shows to the total."""
        inside, outside = self.verdicts(sight)
        marked = red >= 0.5
        gaps, ghosts = inside & ~marked, outside & marked & (not only_gaps)
        total.inside += int(inside.sum())
        total.outside += int(outside.sum())
        if gaps.any() or ghosts.any():
            sure_inside, sure_outside = self._sure(view, inside, outside)
            undecided = (gaps & ~sure_inside) | (ghosts & ~sure_outside)
            gaps, ghosts = gaps & sure_inside, ghosts & sure_outside
            total.undecided += int(undecided.sum())
        total.gaps += int(gaps.sum())
        total.ghosts += int(ghosts.sum())

    def _sure(self, view: View, inside: Bools, outside: Bools) -> tuple[Bools, Bools]:
        """The verdicts that rays a hair beside the pixels' centres, in eight directions, agree with.

        The graphics card puts corners on a grid of 1/256 of a pixel, so it may see what any of these sees.
        """
        for turn in np.arange(8) * np.pi / 4:
            offset = (HAIR * np.cos(turn), HAIR * np.sin(turn))
            other_inside, other_outside = self.verdicts(
                look(self._mesh.points, view.camera, view.lens, SIZE, offset)
            )
            inside, outside = inside & other_inside, outside & other_outside
        return inside, outside


def mark_radius(model: NodePath) -> float:
    """That of all marks on a model."""
    return RADIUS * float(np.sqrt(mesh_of(model).areas.sum()))


def seams_of(stamps: StampSystem, model: NodePath, most: int) -> list[Seam]:
    """So many random seams of the model, as marks are laid out on it."""
    assert stamps.hit(model, tuple(extent(model)[0]), radius=extent(model)[1], opacity=0.0) is not None
    found = seams(mesh_of(model))
    stamps.clear_all()
    np.random.default_rng(11).shuffle(found)
    assert len(found) >= most
    return found[:most]


def look_at_marks(
    base: Any,
    stamps: StampSystem,
    model: NodePath,
    view: View,
    batch: Sequence[Seam],
    sights: dict[Any, Sight],
) -> Count:
    """Mark the model at these seams, all at once, and look at each from near and from far."""
    radius = mark_radius(model)
    for seam in batch:
        point = tuple(seam.middle)
        assert stamps.hit(model, point, radius=radius, hardness=HARDNESS, color=(1, 0, 0)) is not None
    binding = stamps.binding(model)
    assert binding is not None
    mesh = mesh_of(model)
    judge = Judge(mesh, np.array([seam.middle for seam in batch]), radius, binding.resolution)
    total = Count()
    for seam in batch:
        for distance in (NEAR, FAR):
            view.look_at(seam.middle, seam.normal, distance * radius, extent(model)[1])
            red = view.picture()
            key = (*seam.middle, distance)
            if key not in sights:
                sights[key] = look(mesh.points, view.camera, view.lens, SIZE)
            judge.count(view, red, sights[key], distance == FAR, total)
    return total


def check_seams(base: Any, scene: NodePath, name: str, most: int) -> None:
    """Look at up to so many random seams of a model at all resolutions, in one system."""
    model = load(base, scene, MODELS[name], name) if MODELS[name] else box((2.0, 2.0, 2.0))
    model.reparent_to(scene)
    model.set_state(plain_black())
    sights: dict[Any, Sight] = {}
    found = {}
    with (
        view_of(base, scene) as view,
        stamps_on(base, unwrapper="own", unwrap_at_once=1_000_000, format="rgba8") as stamps,
    ):
        for texels in RESOLUTIONS:
            model.set_tag("rtstamp-resolution", str(texels))
            chosen = seams_of(stamps, model, most)
            for start in range(0, most, BATCH):
                batch = chosen[start : start + BATCH]
                found[texels, start] = look_at_marks(base, stamps, model, view, batch, sights)
                stamps.clear_all()
    report = "\n".join(f"{name} {key}: {count}" for key, count in found.items())
    print(report)
    assert all(count.inside > 1000 and count.outside > 1000 for count in found.values()), report
    assert not any(count.gaps or count.ghosts for count in found.values()), report


@pytest.mark.profiles
def test_marks_across_the_edges_of_a_cube(base: Any, scene: NodePath) -> None:
    check_seams(base, scene, "cube", 12)


def test_marks_across_20_seams_of_a_teapot(base: Any, scene: NodePath) -> None:
    check_seams(base, scene, "teapot", 20)


@pytest.mark.full
@pytest.mark.profiles
@pytest.mark.parametrize("name", ["teapot", "panda-model", "sofia"])
def test_marks_across_200_seams(base: Any, scene: NodePath, name: str) -> None:
    check_seams(base, scene, name, 200)
