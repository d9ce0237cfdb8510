"""Animated models: a mark is made on the pose of its frame, and stays on the skin from then on."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import assetcoop
import numpy as np
import pytest
from direct.actor.Actor import Actor
from panda3d.core import (
    Character,
    CharacterSlider,
    Filename,
    Geom,
    GeomNode,
    NodePath,
    PartGroup,
    Point2,
    Point3,
    ShaderAttrib,
    Thread,
)

from panda_rtstamp import StampSystem
from panda_rtstamp.core import unwrap as unwrapping
from panda_rtstamp.core.geometry import column, triangles
from pictures import PLAIN_FRAGMENT, Bools, Floats, changed, extent, geom_paths, glsl, look_from, rgb, stamps_on
from stamp_support import image_of, mask_formula
from support import compare_images, make_card, read_target, screenshot, step
from surfaces import HAIR, Mesh, look, mesh_of, texels

COOP = Path(assetcoop.__file__).parent / "bam" / "models"
MARK = (1.0, 0.0, 0.5)
SIZE = 512
# Models of the zoo are unwrapped at once, so that no frame is without marks.
SETTINGS = {"unwrapper": "own", "unwrap_at_once": 1_000_000}


@dataclass(frozen=True)
class Walker:
    """An actor to mark.

    Attributes:
        file: below Panda's models, or one of assetcoop's bams.
        anim: the animation that is played; "" if the actor has none, but sliders.
        frames: two of its frames that differ much.
        scale: brings it to about the size of a man.
        files: of its animations, where they are not in the model's own.
    """

    file: str
    anim: str
    frames: tuple[int, int]
    scale: float = 1.0
    files: tuple[tuple[str, str], ...] = ()


SKINNED = {
    "rebecca": Walker("character/rebecca.bam", "run_forward", (2, 14)),
    "sofia": Walker("character/sofia.bam", "idle", (0, 52)),
    "peter_panda": Walker("character/peter_panda.bam", "run_forward", (2, 12)),
    "panda-model": Walker("models/panda-model", "walk", (0, 15), 0.004, (("walk", "models/panda-walk4"),)),
}
# Hardware skinning drops morphs, so these are skinned by software.
WALKERS = SKINNED | {
    "ripple": Walker("models/ripple", "ripple", (12, 27), 2.0),
    "panda": Walker("models/panda", "", (0, 10), 0.15),
}
SKINNED_VERTEX = """#version 330
uniform mat4 p3d_ModelViewProjectionMatrix;
uniform mat4 p3d_TransformTable[100];
in vec4 p3d_Vertex;
in vec2 p3d_MultiTexCoord0;
in vec4 transform_weight;
in uvec4 transform_index;
out vec2 v_texcoord;
void main() {
    vec4 skinned = vec4(0.0);
    for (int i = 0; i < 4; i++) {
        skinned += transform_weight[i] * (p3d_TransformTable[transform_index[i]] * p3d_Vertex);
    }
    gl_Position = p3d_ModelViewProjectionMatrix * skinned;
    v_texcoord = p3d_MultiTexCoord0;
}
"""


def load(base: Any, scene: NodePath, walker: Walker) -> Actor:
    """The actor in front of the camera, lit by nobody."""
    bam = walker.file.endswith(".bam")
    file = Filename.from_os_specific(str(COOP / walker.file)) if bam else walker.file
    actor = Actor(file, dict(walker.files) or None)
    place(base, scene, actor, walker.scale)
    return actor


def place(base: Any, scene: NodePath, actor: Actor, scale: float) -> None:
    """Put an actor in front of the camera, at this scale, turned, lit by nobody."""
    actor.reparent_to(scene)
    actor.set_scale(scale)
    actor.set_pos_hpr((0.3, -0.2, 0.1), (25, 5, 0))
    actor.set_light_off()
    actor.set_tag("rtstamp-resolution", str(SIZE))
    center, size = extent(actor)
    look_from(base, center + Point3(-0.7, -1, 0.3) * size, center)


def set_skinning(actor: Actor, hardware: bool) -> None:
    """Let a shader draw the actor that skins it on the graphics card, or takes what the processor skinned."""
    shader = glsl(SKINNED_VERTEX, PLAIN_FRAGMENT)
    actor.set_attrib(ShaderAttrib.make(shader).set_flag(ShaderAttrib.F_hardware_skinning, hardware))


def pose(base: Any, actor: Actor, walker: Walker, frame: int) -> None:
    """Put the actor into the pose of a frame; it is drawn so."""
    if walker.anim:
        actor.pose(walker.anim, frame)
    else:
        move_sliders(actor, frame / 10)
    actor.update(force=True)
    step(base)


def move_sliders(actor: Actor, value: float) -> None:
    """Set all morphs of an actor."""
    node = actor.find("**/+Character").node()
    assert isinstance(node, Character)
    bundle = node.get_bundle(0)
    for name in slider_names(bundle):
        bundle.freeze_joint(name, value)


def slider_names(group: PartGroup) -> list[str]:
    """The names of all sliders of a character."""
    found = [group.get_name()] if isinstance(group, CharacterSlider) else []
    for child in group.get_children():
        found += slider_names(child)
    return found


def most_moved(before: Mesh, after: Mesh) -> int:
    """The triangle that goes farthest from one pose to the other; of some size, so no speck on it."""
    way = np.linalg.norm(after.points.mean(axis=1) - before.points.mean(axis=1), axis=-1)
    big = before.areas > np.median(before.areas)
    return int(np.argmax(np.where(big, way, 0.0)))


def poses(base: Any, actor: Actor, walker: Walker) -> tuple[Mesh, Mesh]:
    """The actor's triangles at its two frames; it is left at the first."""
    meshes = []
    for frame in walker.frames[::-1]:
        pose(base, actor, walker, frame)
        meshes.append(mesh_of(actor))
    return meshes[1], meshes[0]


def expected_mask(mesh: Mesh, point: Floats, radius: float, hardness: float = 0.1) -> tuple[Floats, Bools]:
    """The mask that a hit makes on the texels that a mesh covers; and which texels are surely covered."""
    found = texels(mesh, SIZE)
    mask = mask_formula(np.linalg.norm(found.at(mesh.points) - point, axis=-1), radius, hardness)
    expected, clear = np.zeros((SIZE, SIZE)), np.zeros((SIZE, SIZE), bool)
    np.maximum.at(expected, (found.row, found.column), mask)
    clear[found.row, found.column] = True
    edge = found[found.margin <= HAIR]
    clear[edge.row, edge.column] = False
    return expected, clear


def check_mask(stamps: StampSystem, actor: NodePath, mesh: Mesh, point: Floats, radius: float) -> None:
    """Compare each texel's mask with the formula at the place where it lies in this pose."""
    expected, clear = expected_mask(mesh, point, radius)
    mask = image_of(stamps, actor)[..., 3]
    assert (expected[clear] > 0.5).sum() > 30
    assert np.abs(mask - expected)[clear].max() <= 1 / 255


# The pose counts.


@pytest.mark.parametrize("name", WALKERS)
def test_a_mark_is_made_on_the_pose_of_its_frame(base: Any, scene: NodePath, name: str) -> None:
    walker = WALKERS[name]
    actor = load(base, scene, walker)
    before, after = poses(base, actor, walker)
    point = before.points[most_moved(before, after)].mean(axis=0)
    radius = extent(actor)[1] / 8
    with stamps_on(base, **SETTINGS) as stamps:
        assert stamps.hit(actor, tuple(point), radius=radius) is not None
        step(base)
        mesh = mesh_of(actor)
        check_mask(stamps, actor, mesh, point, radius)
        # In the other pose the same texels lie elsewhere.
        pose(base, actor, walker, walker.frames[1])
        other, clear = expected_mask(mesh_of(actor), point, radius)
        assert np.abs(image_of(stamps, actor)[..., 3] - other)[clear].max() > 0.05
    actor.cleanup()


@pytest.mark.parametrize("name", WALKERS)
def test_a_mark_stays_on_the_skin_to_the_bit(
    base: Any, scene: NodePath, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Nothing is captured, merged or laid out anew when the pose changes."""
    walker = WALKERS[name]
    actor = load(base, scene, walker)
    before, after = poses(base, actor, walker)
    point = before.points[most_moved(before, after)].mean(axis=0)
    unwraps = count_unwraps(monkeypatch)
    with stamps_on(base, **SETTINGS) as stamps:
        binding = stamps.hit(actor, tuple(point), radius=extent(actor)[1] / 8)
        assert binding is not None
        step(base)
        temp = read_target(base, binding.temp)
        geoms = geoms_of(actor)
        for frame in range(min(walker.frames), max(walker.frames) + 1, 3):
            pose(base, actor, walker, frame)
        pose(base, actor, walker, walker.frames[1])
        assert temp.any()
        assert read_target(base, binding.temp).tobytes() == temp.tobytes()
        assert stamps.capture_count == 1
        assert all(now == then for now, then in zip(geoms_of(actor), geoms, strict=True))
        # And when it is bound in another pose, it is laid out as before.
        stamps.clear_all()
        assert stamps.hit(actor, tuple(point), radius=1.0) is not None
        assert len(unwraps) <= 1
    actor.cleanup()


def count_unwraps(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """A list that gets the number of triangles of each model that is unwrapped from now on."""
    found: list[int] = []
    unwrap = unwrapping.unwrap

    def counted(positions: Any, *args: Any, **options: Any) -> Any:
        found.append(len(positions))
        return unwrap(positions, *args, **options)

    monkeypatch.setattr(unwrapping, "unwrap", counted)
    return found


def geoms_of(node: NodePath) -> list[Geom]:
    """All Geoms below a node, those of overlays left out."""
    found = []
    for path in geom_paths(node):
        geoms = path.node()
        assert isinstance(geoms, GeomNode)
        found += [geoms.get_geom(index) for index in range(geoms.get_num_geoms())]
    return found


@pytest.mark.profiles
@pytest.mark.parametrize("name", SKINNED)
def test_both_ways_of_skinning_bake_the_same(base: Any, scene: NodePath, name: str) -> None:
    walker = SKINNED[name]
    masks = []
    for hardware in (False, True):
        actor = load(base, scene, walker)
        set_skinning(actor, hardware)
        before, after = poses(base, actor, walker)
        point = before.points[most_moved(before, after)].mean(axis=0)
        with stamps_on(base, **SETTINGS) as stamps:
            assert stamps.hit(actor, tuple(point), radius=extent(actor)[1] / 8) is not None
            step(base)
            masks.append(image_of(stamps, actor)[..., 3])
        actor.cleanup()
        actor.remove_node()
    assert (masks[0] > 0.5).sum() > 30
    compare_images(masks[1], masks[0], 1 / 255, f"skinning-{name}")


# The vertex rows that an atlas gathers.


@pytest.mark.parametrize("name", WALKERS)
def test_gathered_rows_are_skinned_as_before(base: Any, scene: NodePath, name: str) -> None:
    walker = WALKERS[name]
    actor = load(base, scene, walker)
    originals = geoms_of(actor)
    with stamps_on(base, **SETTINGS) as stamps:
        assert stamps.hit(actor, extent(actor)[0]) is not None
        ours = geoms_of(actor)
        seen = []
        for frame in (*walker.frames, 7):
            pose(base, actor, walker, frame)
            for original, copy in zip(originals, ours, strict=True):
                assert copy != original
                for values, expected in zip(skinned(copy), skinned(original), strict=True):
                    assert np.array_equal(values, expected)
            seen.append(np.concatenate([skinned(geom)[0] for geom in originals]))
        # They do move.
        assert np.abs(seen[0] - seen[1]).max() > 0.0
    actor.cleanup()


def skinned(geom: Geom) -> list[Floats]:
    """Positions and normals of all triangles' corners, as the processor animates them."""
    vertices = geom.get_vertex_data().animate_vertices(True, Thread.get_current_thread())
    columns = [column(vertices, name) for name in ("vertex", "normal")]
    return [values[triangles(geom)].astype(np.float64) for values in columns if values is not None]


@pytest.mark.profiles
@pytest.mark.parametrize("hardware", [False, True])
@pytest.mark.parametrize("name", SKINNED)
def test_gathered_rows_look_as_before(base: Any, scene: NodePath, name: str, hardware: bool) -> None:
    """A mark of no opacity changes nothing, in any pose, whoever skins."""
    walker = SKINNED[name]
    actor = load(base, scene, walker)
    set_skinning(actor, hardware)
    plain = []
    for frame in walker.frames:
        pose(base, actor, walker, frame)
        plain.append(screenshot(base))
    with stamps_on(base, **SETTINGS) as stamps:
        assert stamps.hit(actor, extent(actor)[0], opacity=0.0) is not None
        for frame, expected in zip(walker.frames, plain, strict=True):
            pose(base, actor, walker, frame)
            compare_images(screenshot(base), expected, 1, f"gathered-{name}")
    assert changed(plain[1], plain[0]).sum() > 100
    actor.cleanup()


# On screen.


def to_pixel(base: Any, point: Floats) -> Floats:
    """Where a world point is in the picture: (row, column), in pixels."""
    seen = Point2()
    inside = base.cam.node().get_lens().project(base.cam.get_relative_point(base.render, Point3(*point)), seen)
    assert inside
    size = base.win.get_x_size()
    return np.array([(1 - seen[1]) / 2, (1 + seen[0]) / 2]) * size - 0.5


def carried(points: Floats, triangle: Any, before: Floats, after: Floats) -> Floats:
    """Points (n, 3) on triangles, in another pose of the same triangles."""
    corners, others = before[triangle], after[triangle]
    edges = np.swapaxes(corners[:, 1:] - corners[:, :1], 1, 2)
    shares = np.einsum("nij,nj->ni", np.linalg.pinv(edges), points - corners[:, 0])
    result: Floats = others[:, 0] + np.einsum("ni,nij->nj", shares, others[:, 1:] - others[:, :1])
    return result


def sight(base: Any, mesh: Mesh) -> tuple[Floats, Any]:
    """What each pixel of the window shows of a mesh: points (h, w, 3), and triangles; top row first."""
    found = look(mesh.points, base.cam, base.cam.node().get_lens(), base.win.get_x_size())
    return found.points[::-1], found.triangle[::-1]


def good_spot(base: Any, before: Mesh, after: Mesh, radius: float) -> Floats:
    """The point on the surface that moves farthest on screen, of those around which, in both poses, nothing
    but the skin about it is seen, and that from the front.
    """
    points, triangle = sight(base, before)
    best, way = np.zeros(0), -1.0
    for row, column_ in np.argwhere(triangle[::4, ::4] >= 0) * 4:
        number = triangle[row, column_ : column_ + 1]
        moved = carried(points[row, column_ : column_ + 1], number, before.points, after.points)[0]
        spots = [(points[row, column_], before), (moved, after)]
        if all(is_open(base, mesh, spot, int(number[0]), radius) for spot, mesh in spots):
            places = [to_pixel(base, spot) for spot, _ in spots]
            step_ = float(np.linalg.norm(places[1] - places[0]))
            if step_ > way:
                best, way = points[row, column_], step_
    assert way >= 0.0
    return best


def is_open(base: Any, mesh: Mesh, spot: Floats, triangle: int, radius: float) -> bool:
    """Whether a spot is seen from the front, with nothing else of the mesh before or about it."""
    eye = np.array(base.cam.get_pos(base.render))
    to_eye = (eye - spot) / np.linalg.norm(eye - spot)
    normals = np.cross(*(mesh.points[triangle, 1:] - mesh.points[triangle, :1]))
    near = np.linalg.norm(mesh.points.mean(axis=1) - spot, axis=-1) < 2.5 * radius
    corners = mesh.points[near]
    about = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    about = about[np.linalg.norm(about, axis=-1) > 0]
    facing = about @ to_eye / np.linalg.norm(about, axis=-1)
    if normals @ to_eye <= 0 or not len(facing) or facing.min() < 0.3:
        return False
    # Nothing of it between the eye and the spot.
    away = mesh.points.mean(axis=1) - spot
    along = away @ to_eye
    return not bool(((along > radius) & (np.linalg.norm(away - along[:, None] * to_eye, axis=-1) < 3 * radius)).any())


@pytest.mark.parametrize("name", WALKERS)
def test_a_mark_follows_the_joint_on_screen(base: Any, scene: NodePath, name: str) -> None:
    """Its centre is within a pixel of where numpy skins the point to."""
    walker = WALKERS[name]
    actor = load(base, scene, walker)
    before, after = poses(base, actor, walker)
    radius = extent(actor)[1] / 60
    point = good_spot(base, before, after, radius)
    points, triangle = sight(base, before)
    seen = np.nan_to_num(np.linalg.norm(points - point, axis=-1), nan=np.inf)
    number = triangle[np.unravel_index(np.argmin(seen), seen.shape)]
    target = carried(point[None], np.array([number]), before.points, after.points)[0]
    with stamps_on(base, **SETTINGS) as stamps:
        assert stamps.hit(actor, tuple(point), radius=radius, hardness=1.0, color=MARK) is not None
        for frame, expected in zip(walker.frames, (point, target), strict=True):
            pose(base, actor, walker, frame)
            marked = np.abs(rgb(screenshot(base)) - 255 * np.array(MARK)).max(axis=-1) <= 2.01
            assert marked.sum() > 20
            centre = np.argwhere(marked).mean(axis=0)
            assert np.linalg.norm(centre - to_pixel(base, expected)) <= 1.0
    actor.cleanup()
