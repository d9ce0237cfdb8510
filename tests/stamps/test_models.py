"""Real models, which nobody here made: a mark is where the shot went, and it fades to nothing.

Each is drawn without lights, so that paint has its own colour.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import assetcoop
import numpy as np
import pytest
from direct.actor.Actor import Actor
from panda3d.core import (
    CollisionEntry,
    CollisionHandlerQueue,
    CollisionNode,
    CollisionRay,
    CollisionTraverser,
    Filename,
    GeomNode,
    NodePath,
    Point2,
    Shader,
    ShaderAttrib,
)

from panda_rtstamp import StampSystem
from pictures import (
    PLAIN_FRAGMENT,
    SKINNED_VERTEX,
    Floats,
    Seen,
    changed,
    extent,
    flat_card,
    glsl,
    look_from,
    mark_mask,
    rgb,
    see,
    see_node,
    stamps_on,
    world_triangles,
)
from support import NotifyLog, compare_images, screenshot, step

COOP = Path(assetcoop.__file__).parent / "bam" / "models"
MARK = (1.0, 0.0, 0.5)
TOLERANCE = 2.01


@dataclass(frozen=True)
class Target:
    """A model to shoot at.

    Attributes:
        file: below Panda's models, or one of assetcoop's bams.
        eye, at: where the camera stands, and looks.
        shots: pixels, (row, column).
        radius: of the marks, as a share of the distance.
        parts: each of its parts is a target of its own, not the whole.
        coarse: it is so large that its marks have few texels, which is warned about.
        exact: the picture shows the formula, and nothing beyond the sphere; not where textures cut holes.
    """

    file: str
    eye: tuple[float, float, float]
    at: tuple[float, float, float]
    shots: tuple[tuple[int, int], ...]
    radius: float
    parts: bool = False
    coarse: bool = False
    exact: bool = False


TARGETS = {
    "smiley": Target(
        "models/smiley",
        eye=(0, -5, 1),
        at=(0, 0, 0),
        shots=((128, 128), (100, 160), (160, 90)),
        radius=0.08,
        exact=True,
    ),
    "environment": Target(
        "models/environment",
        eye=(-60, -160, 50),
        at=(0, 0, 10),
        # A trunk, and two plants, where their textures are not transparent.
        shots=((186, 236), (90, 20), (138, 212)),
        radius=0.02,
        parts=True,
    ),
    "environment-whole": Target(
        "models/environment",
        eye=(-60, -160, 50),
        at=(0, 0, 10),
        shots=((186, 236), (90, 20), (138, 212)),
        radius=0.02,
        coarse=True,
    ),
    "panda-model": Target(
        "models/panda-model",
        eye=(-1500, -1200, 700),
        at=(0, -100, 260),
        shots=((128, 128), (100, 160), (150, 110)),
        radius=0.04,
        exact=True,
    ),
    "panda": Target(
        "models/panda",
        eye=(8, -28, 8),
        at=(0, 0, 5),
        shots=((128, 128), (150, 120), (100, 124)),
        radius=0.03,
        exact=True,
    ),
    "flyingcar": Target(
        "other/flyingcar.bam",
        eye=(6, -8, 5),
        at=(0, 0, 0),
        shots=((128, 128), (120, 80), (100, 140)),
        radius=0.04,
        exact=True,
    ),
    "volcano_island": Target(
        "scenes/volcano_island.bam",
        eye=(500, -700, 350),
        at=(0, 0, 60),
        shots=((128, 128), (102, 166), (102, 115)),
        radius=0.02,
        parts=True,
    ),
}


def load(base: Any, scene: NodePath, file: str, name: str) -> NodePath:
    """A model under a name of its own, since warnings are given once for a name."""
    path = Filename.from_os_specific(str(COOP / file)) if file.endswith(".bam") else file
    model: NodePath = base.loader.load_model(path)
    model.reparent_to(scene)
    model.set_name(name)
    model.set_light_off(1)
    return model


@contextmanager
def gun(base: Any, at: NodePath) -> Iterator[Callable[[tuple[int, int]], CollisionEntry]]:
    """What gives the first entry of a ray from the camera through a pixel."""
    ray = CollisionRay()
    node = CollisionNode("gun")
    node.add_solid(ray)
    node.set_from_collide_mask(GeomNode.get_default_collide_mask())
    node.set_into_collide_mask(0)
    path = base.cam.attach_new_node(node)
    queue = CollisionHandlerQueue()
    traverser = CollisionTraverser()
    traverser.add_collider(path, queue)

    def shoot(pixel: tuple[int, int]) -> CollisionEntry:
        row, column = pixel
        width, height = base.win.get_x_size(), base.win.get_y_size()
        ray.set_from_lens(
            base.cam.node(), Point2((column + 0.5) / width * 2 - 1, 1 - (row + 0.5) / height * 2)
        )
        traverser.traverse(at)
        queue.sort_entries()
        assert queue.get_num_entries(), f"nothing was hit at {pixel}"
        return queue.get_entry(0)

    yield shoot
    path.remove_node()


def warnings(notify: NotifyLog) -> list[str]:
    """The warnings of ours that the test caused."""
    return [line for line in notify.text.splitlines() if line.startswith(":rtstamp(warning)")]


@pytest.mark.parametrize("name", TARGETS)
def test_a_mark_is_where_the_shot_went_and_fades_to_nothing(
    base: Any, scene: NodePath, notify: NotifyLog, name: str
) -> None:
    target = TARGETS[name]
    notify.allow("is so large that a mark of radius")
    model = load(base, scene, target.file, f"shot-{name}")
    look_from(base, target.eye, target.at)
    for node in model.find_all_matches("**/+GeomNode") if target.parts else [model]:
        node.set_tag("rtstamp", "")
    before = screenshot(base)
    with stamps_on(base) as stamps, gun(base, model) as shoot:
        marked = before
        for shot in target.shots:
            entry = shoot(shot)
            point = entry.get_surface_point(base.render)
            radius = target.radius * (point - base.cam.get_pos(base.render)).length()
            binding = stamps.hit_entry(entry, radius=radius, color=MARK, hardness=0.5)
            assert binding is not None
            previous, marked = marked, screenshot(base)
            texel = 1.0 / (binding.resolution * binding.surface.density)
            part = entry.get_into_node_path()
            check_mark(base, target, part, point, radius, shot, marked, previous, texel)
            # A second shot at the same place, with the overlay there by now, hits the model again.
            assert not shoot(shot).get_into_node_path().has_tag("rtstamp-overlay")
        stamps.start_fade_all(0.1)
        step(base, 7)
        assert stamps.active_count == 0
        assert screenshot(base).tobytes() == before.tobytes()
    said = warnings(notify)
    assert len(said) == target.coarse
    assert all("is so large that a mark of radius" in line for line in said)


def check_mark(
    base: Any,
    target: Target,
    part: NodePath,
    point: Any,
    radius: float,
    shot: tuple[int, int],
    picture: Any,
    before: Any,
    texel: float,
) -> None:
    """Compare with the formula where the camera sees the part that was hit."""
    # At the shot itself, the paint's own colour.
    assert np.abs(rgb(picture)[shot] - 255 * np.array(MARK)).max() <= TOLERANCE, shot
    seen = see_node(base, part)
    distance = seen.distance(point)
    assert distance[shot] < radius / 20
    if target.exact:
        inner = seen.inner(radius / 2)
        # At a seam a pixel shows texels whose middles are as far away as the diagonal of one.
        reach = np.sqrt(2) * texel
        tolerance = TOLERANCE + 255 * reach / (radius * 0.5)
        expected = (
            before + (255 * np.array([*MARK, 1]) - before) * mark_mask(distance, radius, 0.5)[..., None]
        )
        name = Path(target.file).stem
        compare_images(rgb(picture) * inner[..., None], rgb(expected) * inner[..., None], tolerance, name)
        # At a fold, an overlay on what is hidden behind it, seen edge-on, may come forward by one pixel.
        far = ~(distance < radius + reach) & (inner | ~seen.hit)
        assert not changed(picture, before)[far].any()


@pytest.mark.parametrize("file", ["models/teapot", "models/jack", "other/vehicle.bam", "models/misc/rgbCube"])
def test_a_model_without_uvs_is_marked_without_a_word(
    base: Any, scene: NodePath, notify: NotifyLog, file: str
) -> None:
    model = load(base, scene, file, f"bare-{Path(file).stem}")
    center, size = extent(model)
    look_from(base, center + (size, -size, size), center)
    before = screenshot(base)
    with stamps_on(base) as stamps:
        assert stamps.hit(model, center, radius=2 * size, hardness=0.9, color=MARK) is not None
        marked = screenshot(base)
        assert changed(marked, before).sum() > 2000
        stamps.clear_all()
        assert screenshot(base).tobytes() == before.tobytes()
    assert warnings(notify) == []


@pytest.mark.parametrize(
    ("file", "words"),
    [
        ("models/box", "100% of the area is used more than once, so a mark shows in several places"),
        ("models/panda-model", "47% of the area is used more than once"),
        ("models/smiley", "1% of its triangles lie outside 0..1 and stay unmarked there"),
        ("models/panda", "6 of its Geoms have none and stay unmarked"),
    ],
)
def test_unfit_uvs_that_are_asked_for_are_used_and_warned_about_once(
    base: Any, scene: NodePath, notify: NotifyLog, file: str, words: str
) -> None:
    name = f"unfit-{Path(file).stem}"
    models = [load(base, scene, file, name) for _ in range(2)]
    center, size = extent(models[0])
    notify.allow("give it a UV set")
    with stamps_on(base) as stamps:
        # Without being asked for they are not used, and nothing needs to be said.
        assert stamps.hit(models[0], center, radius=size) is not None
    assert warnings(notify) == []
    with stamps_on(base, uv_set="texcoord") as stamps:
        for model in models * 2:
            assert stamps.hit(model, center, radius=size) is not None
            step(base)
        stamps.clear_all()
        assert stamps.hit(models[0], center, radius=size) is not None
    said = warnings(notify)
    assert len(said) == 1
    assert name in said[0]
    assert "UV set 'texcoord'" in said[0]
    assert words in said[0]


def test_a_model_of_good_uvs_is_not_warned_about(base: Any, scene: NodePath, notify: NotifyLog) -> None:
    card = flat_card(scene, 2.0)
    with stamps_on(base) as stamps:
        assert stamps.hit(card, (0, 0, 0)) is not None
    assert warnings(notify) == []


@pytest.mark.parametrize("face", range(6))
def test_a_shot_at_any_face_of_a_box_shows(base: Any, scene: NodePath, notify: NotifyLog, face: int) -> None:
    """All six faces have the same UVs, and the mark is there wherever it was made, and nowhere else."""
    box = load(base, scene, "models/box", "box")
    box.set_pos(-0.5, -0.5, -0.5)
    way = np.eye(3)[face % 3] * (1 if face < 3 else -1)
    base.cam.node().get_lens()
    look_from(base, way * 4 + (0.001, 0.001, 0), fov=20)
    with stamps_on(base) as stamps:
        assert stamps.hit(box, tuple(way * 0.5), radius=0.3, hardness=1.0, color=MARK) is not None
        picture = screenshot(base)
    seen = see_node(base, box)
    # One texel, of which an atlas of six faces has about 380 to a unit, on each side of it is undecided.
    distance = seen.distance(way * 0.5)
    inside = seen.inner(0.1) & (distance < 0.3 - 0.0038)
    outside = seen.inner(0.1) & (distance > 0.3 + 0.0038)
    marked = np.abs(rgb(picture) - 255 * np.array(MARK)).max(axis=-1) <= TOLERANCE
    assert inside.sum() > 1000
    assert outside.sum() > 1000
    assert marked[inside].all()
    assert not marked[outside].any()


def test_one_of_many_instances_is_marked_and_no_other(base: Any, scene: NodePath, notify: NotifyLog) -> None:
    """Trees of volcano_island: 135 places of the same GeomNode."""
    notify.allow("give it a UV set")
    island = load(base, scene, "scenes/volcano_island.bam", "instances")
    trees = [path for path in island.find_all_matches("**/+GeomNode") if path.node().get_num_parents() == 135]
    assert len(trees) == 135
    chosen, other = trees[3], trees[40]
    pictures = []
    for tree in (chosen, other):
        center, size = extent_of(tree)
        look_from(base, center + (size, -size, size), center)
        pictures.append(screenshot(base))
    with stamps_on(base) as stamps:
        center, size = extent_of(chosen)
        assert stamps.hit(chosen, center, radius=size, color=MARK, hardness=1.0) is not None
        after = screenshot(base)
        assert after.tobytes() == pictures[1].tobytes()
        look_from(base, center + (size, -size, size), center)
        assert changed(screenshot(base), pictures[0]).sum() > 500


def extent_of(path: NodePath) -> tuple[Any, float]:
    """The middle and size of one instance, in the world."""
    triangles = world_triangles(path).reshape(-1, 3)
    low, high = triangles.min(axis=0), triangles.max(axis=0)
    return (low + high) / 2, float(np.linalg.norm(high - low))


# A walking bear.

# The pixel of the shot: on the foreleg, which swings.
LEG = (150, 118)
POSES = (0, 9, 18)


def walking_bear(base: Any, scene: NodePath, skinning: str) -> Actor:
    """A bear that walks, drawn by a shader that skins on the graphics card or not."""
    bear = Actor("models/panda-model", {"walk": "models/panda-walk4"})
    bear.reparent_to(scene)
    bear.set_name(f"bear-{skinning}")
    bear.set_scale(0.004)
    bear.set_h(15)
    shader: Shader = glsl(SKINNED_VERTEX, PLAIN_FRAGMENT)
    attrib = ShaderAttrib.make(shader).set_flag(ShaderAttrib.F_hardware_skinning, skinning == "hardware")
    bear.set_attrib(attrib)
    look_from(base, (-6, -4.8, 2.8), (0, -0.4, 1.04))
    return bear


def pose(base: Any, bear: Actor, frame: int) -> Floats:
    """Put the bear into a pose; its triangles there."""
    bear.pose("walk", frame)
    bear.update(force=True)
    screenshot(base)
    return world_triangles(bear)


def shoot_leg(base: Any, stamps: StampSystem, bear: Actor, seen: Seen) -> Floats:
    """Mark the leg; the point that was hit."""
    point: Floats = seen.points[LEG]
    assert stamps.hit(bear, tuple(point), radius=0.7, color=MARK, hardness=0.5) is not None
    step(base)
    return point


@pytest.mark.profiles
@pytest.mark.parametrize("skinning", ["software", "hardware"])
def test_a_mark_walks_with_the_leg(base: Any, scene: NodePath, notify: NotifyLog, skinning: str) -> None:
    notify.allow("is used more than once")
    bear = walking_bear(base, scene, skinning)
    struck = pose(base, bear, POSES[0])
    with stamps_on(base) as stamps:
        point = shoot_leg(base, stamps, bear, see(base, struck))
        places = []
        for frame in POSES:
            moved = pose(base, bear, frame)
            seen = see(base, moved)
            # Where each pixel's point was when the shot struck: there the formula holds.
            distance = np.linalg.norm(seen.on(struck) - point, axis=-1)
            full = seen.inner(0.2) & (distance < 0.33)
            assert full.sum() > 100
            picture = screenshot(base)
            off = np.abs(rgb(picture) - 255 * np.array(MARK)).max(axis=-1)
            assert off[full].max() <= TOLERANCE, frame
            places.append(np.argwhere(full).mean(axis=0))
        # And the leg did move.
        assert max(np.linalg.norm(place - places[0]) for place in places) > 5
        stamps.clear_all()


@pytest.mark.profiles
@pytest.mark.parametrize("frame", POSES)
def test_both_ways_of_skinning_give_the_same_mask(
    base: Any, scene: NodePath, notify: NotifyLog, frame: int
) -> None:
    notify.allow("is used more than once")
    images = []
    for skinning in ("software", "hardware"):
        bear = walking_bear(base, scene, skinning)
        point = see(base, pose(base, bear, frame)).points[LEG]
        with stamps_on(base) as stamps:
            assert stamps.hit(bear, tuple(point), radius=0.6, color=MARK) is not None
            step(base)
            image = stamps.image(bear)
            assert image is not None
            images.append(image)
        bear.cleanup()
    assert (images[0][..., 3] > 0.5).sum() > 1000
    compare_images(images[1], images[0], 1 / 255, f"skinning-mask-{frame}")


@pytest.mark.profiles
@pytest.mark.parametrize("skinning", ["software", "hardware"])
def test_overlays_lie_on_the_skin(base: Any, scene: NodePath, notify: NotifyLog, skinning: str) -> None:
    """A mark over all of a bear leaves no pixel of it unmarked, in any pose."""
    notify.allow("is used more than once")
    bear = walking_bear(base, scene, skinning)
    with stamps_on(base) as stamps:
        for frame in POSES:
            pose(base, bear, frame)
            stamps.clear_all()
            plain = screenshot(base)
            bear.hide()
            nothing = screenshot(base)
            bear.show()
            assert stamps.hit(bear, (0, 0, 1), radius=20.0, hardness=1.0, color=MARK) is not None
            picture = screenshot(base)
            there = changed(plain, nothing)
            assert there.sum() > 3000
            assert (rgb(picture)[there] == (255, 0, 128)).all()
            assert (rgb(picture)[~there] == rgb(nothing)[~there]).all()


@pytest.mark.full
@pytest.mark.parametrize("file", sorted(str(path.relative_to(COOP)) for path in COOP.rglob("*.bam")))
def test_every_model_can_be_shot_from_all_sides(
    base: Any, scene: NodePath, notify: NotifyLog, file: str
) -> None:
    """No error, no exception, and afterwards the picture is what it was."""
    notify.allow("give it a UV set")
    notify.allow("has no geometry to mark")
    notify.allow("drawn in several places")
    notify.allow(r"^:gobj\(error\): Texture")  # One of them names a texture on its author's disk.
    model = load(base, scene, file, f"zoo-{Path(file).stem}")
    center, size = extent(model)
    look_from(base, center + (size, -size, size / 2), center)
    before = screenshot(base)
    with stamps_on(base) as stamps:
        for way in (*np.eye(3), *-np.eye(3)):
            stamps.hit(model, center + tuple(way * size / 3), radius=size / 2, color=MARK)
            screenshot(base)
        stamps.clear_all()
        assert screenshot(base).tobytes() == before.tobytes()
    assert len(warnings(notify)) <= 1
