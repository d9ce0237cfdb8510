"""Skeletons, and what becomes of parts on them: a Panda3D character, and files of its animations."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from panda3d.core import (
    AnimBundle,
    AnimBundleNode,
    AnimChannelMatrixXfmTable,
    AnimGroup,
    Character,
    CharacterJoint,
    CPTA_stdfloat,
    Filename,
    Geom,
    GeomEnums,
    GeomNode,
    GeomTriangles,
    GeomVertexAnimationSpec,
    GeomVertexArrayFormat,
    GeomVertexData,
    GeomVertexFormat,
    GeomVertexWriter,
    InternalName,
    JointVertexTransform,
    LMatrix4,
    ModelRoot,
    NodePath,
    PartGroup,
    PTA_stdfloat,
    RenderState,
    SparseArray,
    Texture,
    TextureAttrib,
    TransformBlend,
    TransformBlendTable,
    TransformState,
)

from models.making.loft import Floats, Part
from models.making.pack import pack

FRAME_RATE = 60
# Between the islands of an atlas, as a share of its size.
PADDING = 0.012


@dataclass(frozen=True)
class Bone:
    """A joint: where it is in the bind pose, where all joints are turned as the model is."""

    name: str
    parent: str
    pivot: tuple[float, float, float]


class Skeleton:
    """Bones by name, parents first."""

    def __init__(self, bones: Sequence[Bone]) -> None:
        self.bones = {bone.name: bone for bone in bones}

    def pivot(self, name: str) -> Floats:
        """A joint's place in the bind pose; the model's origin for no joint."""
        return np.array(self.bones[name].pivot if name else (0, 0, 0), np.float64)

    def offset(self, name: str) -> Floats:
        """A joint's place in the bind pose, from its parent."""
        return self.pivot(name) - self.pivot(self.bones[name].parent)

    def children(self, name: str) -> list[str]:
        """The joints below one, or below none."""
        return [bone.name for bone in self.bones.values() if bone.parent == name]


def both_sides(bones: Sequence[Bone]) -> list[Bone]:
    """The bones, and for each whose name ends in .r the one on the left."""
    result = []
    for bone in bones:
        result.append(bone)
        if bone.name.endswith(".r"):
            x, y, z = bone.pivot
            result.append(Bone(_left(bone.name), _left(bone.parent), (-x, y, z)))
    return result


def _left(name: str) -> str:
    return f"{name[:-2]}.l" if name.endswith(".r") else name


def lay_out(parts: Sequence[Part]) -> list[Floats]:
    """Every part's UVs in an atlas. Islands lie down: shelves pack them better."""
    flat = [part.uv if part.size[0] >= part.size[1] else _lie_down(part) for part in parts]
    scale, offsets = pack(np.array([uv.max(axis=0) for uv in flat]), PADDING)
    return [uv * scale + offset for uv, offset in zip(flat, offsets, strict=True)]


def _lie_down(part: Part) -> Floats:
    return np.column_stack([part.uv[:, 1], part.size[0] - part.uv[:, 0]])


def write_character(
    path: Path,
    skeleton: Skeleton,
    parts: Sequence[Part],
    uvs: Sequence[Floats],
    texture: Texture,
    glow: Mapping[str, tuple[float, float, float]],
) -> None:
    """Write a character; parts of a material in `glow` make up the node glow, in the colour given there."""
    character = Character(path.stem)
    transforms = _add_joints(character, skeleton)
    state = RenderState.make(TextureAttrib.make(texture))
    for name, glows in ((path.stem, False), ("glow", True)):
        chosen = [pair for pair in zip(parts, uvs, strict=True) if (pair[0].material in glow) == glows]
        colors = [glow.get(part.material, (1.0, 1.0, 1.0)) for part, _ in chosen]
        geom = _make_geom(name, chosen, colors, transforms)
        node = GeomNode(name)
        node.add_geom(geom, RenderState.make_empty() if glows else state)
        character.add_child(node)
    root = ModelRoot(path.stem)
    root.add_child(character)
    NodePath(root).write_bam_file(Filename.from_os_specific(str(path)))


def _add_joints(character: Character, skeleton: Skeleton) -> dict[str, JointVertexTransform]:
    transforms = {}

    def add(parent: PartGroup, name: str) -> None:
        place = LMatrix4.translate_mat(*skeleton.offset(name))
        joint = CharacterJoint(character, character.get_bundle(0), parent, name, place)
        transforms[name] = JointVertexTransform(joint)
        for child in skeleton.children(name):
            add(joint, child)

    top = PartGroup(character.get_bundle(0), "<skeleton>")
    for name in skeleton.children(""):
        add(top, name)
    return transforms


def _vertex_format() -> GeomVertexFormat:
    array = GeomVertexArrayFormat()
    array.add_column(InternalName.get_vertex(), 3, GeomEnums.NT_stdfloat, GeomEnums.C_point)
    array.add_column(InternalName.get_normal(), 3, GeomEnums.NT_stdfloat, GeomEnums.C_normal)
    array.add_column(InternalName.get_color(), 4, GeomEnums.NT_uint8, GeomEnums.C_color)
    array.add_column(InternalName.get_texcoord(), 2, GeomEnums.NT_stdfloat, GeomEnums.C_texcoord)
    blends = GeomVertexArrayFormat()
    blends.add_column(InternalName.get_transform_blend(), 1, GeomEnums.NT_uint16, GeomEnums.C_index)
    made = GeomVertexFormat()
    made.add_array(array)
    made.add_array(blends)
    animation = GeomVertexAnimationSpec()
    animation.set_panda()
    made.set_animation(animation)
    return GeomVertexFormat.register_format(made)


def _make_geom(
    name: str,
    parts: Sequence[tuple[Part, Floats]],
    colors: Sequence[tuple[float, float, float]],
    transforms: Mapping[str, JointVertexTransform],
) -> Geom:
    data = GeomVertexData(name, _vertex_format(), Geom.UH_static)
    columns = ("vertex", "normal", "color", "texcoord", "transform_blend")
    vertex, normal, color, texcoord, blend = (GeomVertexWriter(data, column) for column in columns)
    table = TransformBlendTable()
    primitive = GeomTriangles(Geom.UH_static)
    first = 0
    for (part, uv), tint in zip(parts, colors, strict=True):
        for row in range(len(uv)):
            vertex.add_data3(*part.positions[row])
            normal.add_data3(*part.normals[row])
            color.add_data4(*tint, 1)
            texcoord.add_data2(*uv[row])
            mix = TransformBlend()
            for joint, weights in part.skin.items():
                if weights[row] > 1e-3:
                    mix.add_transform(transforms[joint], weights[row])
            mix.normalize_weights()
            blend.add_data1i(table.add_blend(mix))
        for triangle in part.triangles + first:
            primitive.add_vertices(*(int(corner) for corner in triangle))
        first += len(uv)
    table.set_rows(SparseArray.lower_on(data.get_num_rows()))
    data.set_transform_blend_table(table)
    geom = Geom(data)
    geom.add_primitive(primitive)
    return geom


def write_animation(
    path: Path, character: str, skeleton: Skeleton, frames: Sequence[Mapping[str, tuple[Floats, Floats]]]
) -> None:
    """Write frames of every joint's (rotation (3, 3), translation (3,)), both relative to its parent."""
    bundle = AnimBundle(character, FRAME_RATE, len(frames))

    def add(parent: AnimGroup, name: str) -> None:
        table = AnimChannelMatrixXfmTable(parent, name)
        values = np.array([_components(*frame[name]) for frame in frames])
        # Frames may be blended: angles must not jump from 180 to -180.
        values[:, 3:] = np.unwrap(values[:, 3:], axis=0, period=360)
        for letter, column in zip("xyzhpr", values.T, strict=True):
            kept = column[:1] if np.ptp(column) < 1e-5 else column
            table.set_table(letter, CPTA_stdfloat(PTA_stdfloat([float(value) for value in kept])))
        for child in skeleton.children(name):
            add(table, child)

    top = AnimGroup(bundle, "<skeleton>")
    for name in skeleton.children(""):
        add(top, name)
    root = ModelRoot(path.stem)
    root.add_child(AnimBundleNode(character, bundle))
    NodePath(root).write_bam_file(Filename.from_os_specific(str(path)))


def _components(rotation: Floats, translation: Floats) -> list[float]:
    """X, y, z, heading, pitch and roll. Panda3D's matrices are for rows, ours for columns."""
    rows = np.eye(4)
    rows[:3, :3] = rotation.T
    rows[3, :3] = translation
    state = TransformState.make_mat(LMatrix4(*rows.flatten()))
    return [*state.get_pos(), *state.get_hpr()]
