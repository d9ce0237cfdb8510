"""Actors that tests mark: real models, their poses, and what is expected of a mark on them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from direct.actor.Actor import Actor
from panda3d.core import Character, CharacterSlider, Filename, NodePath, PartGroup, Point3, ShaderAttrib

from panda_rtstamp import StampSystem
from pictures import PLAIN_FRAGMENT, SKINNED_VERTEX, Bools, Floats, extent, glsl, look_from
from rasters import HAIR
from shapes import COOP
from stamp_support import image_of, mask_formula
from support import step
from surfaces import Mesh, mesh_of, texels

# Of the texture that an actor is marked on.
SIZE = 512
# Models are unwrapped at once, so that no frame is without marks, and by what is always there.
SETTINGS = {"unwrapper": "own", "unwrap_at_once": 1_000_000, "unwrap_cache": True}


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


def names(walkers: Mapping[str, Walker]) -> list[Any]:
    """The names as parameters of a test; of those that take seconds to unwrap, for the long tests only."""
    long = ("peter_panda", "panda")
    return [pytest.param(name, marks=[pytest.mark.full] if name in long else []) for name in walkers]


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


def carried(points: Floats, triangle: Any, before: Floats, after: Floats) -> Floats:
    """Points (n, 3) on triangles, in another pose of the same triangles."""
    corners, others = before[triangle], after[triangle]
    edges = np.swapaxes(corners[:, 1:] - corners[:, :1], 1, 2)
    shares = np.einsum("nij,nj->ni", np.linalg.pinv(edges), points - corners[:, 0])
    result: Floats = others[:, 0] + np.einsum("ni,nij->nj", shares, others[:, 1:] - others[:, :1])
    return result
