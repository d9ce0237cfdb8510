"""The nodes that draw a coat: below each GeomNode one that shares its Geoms, and draws them many times."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from panda3d.core import (
    AlphaTestAttrib,
    BitMask32,
    BoundingBox,
    BoundingSphere,
    BoundingVolume,
    ColorBlendAttrib,
    DepthWriteAttrib,
    Geom,
    GeomNode,
    GeomTriangles,
    GeomVertexData,
    LODNode,
    LVecBase2f,
    OmniBoundingVolume,
    PandaNode,
    RenderAttrib,
    RenderState,
    ShaderAttrib,
    TextureAttrib,
    TextureStage,
    TransparencyAttrib,
)

from panda_rtstamp.core.geometry import determinant, is_posed, net_matrix, triangles, with_triangles
from panda_rtstamp.core.geoms import drawn_side, version_of
from panda_rtstamp.core.shader import load_shader
from panda_rtstamp.core.tags import OVERLAY_TAG
from panda_rtstamp.fur.config import UNIFORM, FurLook, own_fields
from panda_rtstamp.fur.inputs import Marks, Motion
from panda_rtstamp.fur.sections import Source
from panda_rtstamp.fur.skin import (
    bin_of,
    depth_test,
    fog_mode,
    keeps_rest_pose,
    skin_of,
    strand_stage,
    strand_texcoord,
    units_per_uv,
)
from panda_rtstamp.fur.strands import ACROSS, strand_texture
from panda_rtstamp.fur.vertices import COLUMN

VERTEX_SHADER = "rtstamp/fur/shell.vert"
FRAGMENT_SHADER = "rtstamp/fur/shell.frag"
NAME = "rtstamp-fur"

# Above what games use on their models, below what they use to force something on everything.
_PRIORITY = 1000
_FARTHEST = 1e9
# From what alpha on tips of strands that write depth are drawn: thinner ones would hide what shines through.
_SOLID = 0.1


def size_of(linear: Any) -> float:
    """How much larger a 3 x 3 matrix makes things. A mirror image is as large as what it mirrors."""
    return max(math.pow(abs(determinant(linear)), 1.0 / 3.0), 1e-9)


@dataclass(frozen=True)
class Shells:
    """How the coat of a section is drawn on one GeomNode.

    Attributes:
        source: where.
        look: what it is like.
        counts: the layers of each distance band, the nearest first; one where there are no bands.
        length: of strands, as a share of the size of what is drawn: a unit in its space, in the world.
        motion: of the coat.
        marks: that cut it.
    """

    source: Source
    look: FurLook
    counts: tuple[int, ...]
    length: float
    motion: Motion
    marks: Marks | None

    def defines(self, index: int) -> dict[str, object]:
        """The structure of the shader that a Geom of the section needs; `index`: in the GeomNode."""
        vertices = self.source.node.get_geom(index).get_vertex_data()
        found: dict[str, object] = {}
        if all(vertices.has_column(name) for name in (COLUMN, "tangent", "binormal")):
            found["COMBED"] = 1
        if not self._by_uvs(vertices):
            found["BOX"] = 1
        if self.marks is not None and vertices.has_column(self.marks.column):
            parts = vertices.get_format().get_column(self.marks.column).get_num_components()
            found |= {"MARKED": self.marks.column, "FLAGGED": int(parts > 2)}
        return found

    def _by_uvs(self, vertices: GeomVertexData) -> bool:
        """Whether texture coordinates say where strands stand, since no fixed places in space do."""
        return not keeps_rest_pose(vertices, self._net) and vertices.get_format().get_num_texcoords() > 0

    @property
    def _net(self) -> RenderState:
        return self.source.path.get_net_state()

    @property
    def signature(self) -> tuple[object, ...]:
        """What the node of `make` is made of: it is to be made anew where this is another. Holds no node."""
        node = self.source.node
        geoms = tuple(version_of(node.get_geom(index)) for index in self.source.indices)
        rules = own_fields()
        look = tuple(value for name, value in vars(self.look).items() if rules[name].cost != UNIFORM)
        return geoms, self.source.states, self._net, look, self.counts, self.length, self.marks

    @property
    def uniforms(self) -> dict[str, object]:
        """The fields that only shader inputs are made of, by name."""
        return {name: getattr(self.look, name) for name, rule in own_fields().items() if rule.cost == UNIFORM}

    def set_uniforms(self, node: PandaNode) -> None:
        """Bring the inputs of what `make` made up to date."""
        layers = [node] if isinstance(node, GeomNode) else node.get_children()
        for shell in layers:
            attrib = shell.get_attrib(ShaderAttrib)
            if isinstance(attrib, ShaderAttrib):
                shell.set_state(self._state(attrib.get_instance_count()))

    def make(self) -> PandaNode | None:
        """The node to be put below the source's; None where nothing is to be drawn.

        Of several bands, an LODNode chooses: for each camera, and at no cost in Python.
        """
        bands = self._bands()
        if not any(count for count, _, _ in bands):
            return None
        model = self._model()
        if len(bands) == 1:
            return self._layers(model, bands[0][0])
        choice = LODNode(NAME)
        _make_guest(choice)
        for count, near, far in bands:
            if count:
                choice.add_child(self._layers(model, count))
                choice.add_switch(far, near)
        choice.set_center(_center(model.get_bounds()))
        return choice

    def _bands(self) -> list[tuple[int, float, float]]:
        """Layers, nearest and farthest distance; neighbours with as many layers are one."""
        edges = [0.0, *self.look.bands[: len(self.counts) - 1], _FARTHEST]
        found: list[tuple[int, float, float]] = []
        for count, near, far in zip(self.counts, edges, edges[1:], strict=False):
            if found and found[-1][0] == count:
                found[-1] = (count, found[-1][1], far)
            else:
                found.append((count, near, far))
        return found

    def _model(self) -> GeomNode:
        """A GeomNode of the section's Geoms, each in its state."""
        node = GeomNode(NAME)
        node.add_geoms_from(self.source.node)
        for index in reversed(range(node.get_num_geoms())):
            if index not in self.source.indices:
                node.remove_geom(index)
        for number, own in enumerate(self.source.states):
            geom = node.get_geom(number)
            if not _is_one_draw(geom):
                # Panda draws all layers of one primitive before the next one's: inner ones over outer ones.
                node.set_geom(number, with_triangles(geom, geom.get_vertex_data(), triangles(geom)))
            node.set_geom_state(number, self._geom_state(own, number))
        return node

    def _layers(self, model: GeomNode, count: int) -> GeomNode:
        """A GeomNode that draws these Geoms so many times."""
        node = GeomNode(NAME)
        node.add_geoms_from(model)
        _make_guest(node)
        node.set_state(self._state(count))
        node.set_bounds(self._grown(model.get_bounds()))
        # Panda would test the Geoms themselves, which do not know of the layers.
        node.set_final(True)
        return node

    def _state(self, count: int) -> RenderState:
        net = self._net
        attribs: list[RenderAttrib | None] = [
            self._inputs(count, fog_mode(net)),
            TransparencyAttrib.make(TransparencyAttrib.M_premultiplied_alpha),
            ColorBlendAttrib.make(ColorBlendAttrib.M_none),
            AlphaTestAttrib.make(RenderAttrib.M_always, 1.0),
            DepthWriteAttrib.make(DepthWriteAttrib.M_on if self.look.depth_write else DepthWriteAttrib.M_off),
            depth_test(net),
        ]
        state = RenderState.make_empty()
        for attrib in attribs:
            state = state if attrib is None else state.set_attrib(attrib, _PRIORITY)
        return state

    def _inputs(self, count: int, fog: int) -> ShaderAttrib:
        values: dict[str, Any] = {f"u_{name}": value for name, value in self.uniforms.items()}
        values |= {
            "u_layers": LVecBase2f(count, 1.0 / count),
            "u_length": self.length,
            "u_least_alpha": _SOLID if self.look.depth_write else 0.0,
            "u_fog_mode": fog,
            "u_lag": self.motion.lag,
            "u_turn": self.motion.turn,
            "u_pivot": self.motion.pivot,
        }
        if self.marks is not None:
            values |= {**self.marks.inputs, "u_cut": self.marks.cut, "u_burn": self.marks.burn}
        attrib = ShaderAttrib.make().set_instance_count(count)
        for name, value in values.items():
            attrib = attrib.set_shader_input(name, value, _PRIORITY)
        return attrib

    def _geom_state(self, own: RenderState, number: int) -> RenderState:
        whole = self._net.compose(own)
        skin = skin_of(whole, own)
        index = self.source.indices[number]
        geom = self.source.node.get_geom(index)
        vertices = geom.get_vertex_data()
        by_uvs = self._by_uvs(vertices)
        shader = load_shader(VERTEX_SHADER, FRAGMENT_SHADER, self.defines(index))
        attrib = ShaderAttrib.make(shader, _PRIORITY)
        if is_posed(vertices) and keeps_rest_pose(vertices, self._net):
            # Skinned on the graphics card, vertices come as they are at rest: strands stay in their places.
            attrib = attrib.set_flag(ShaderAttrib.F_hardware_skinning, True)
        values = {
            "u_repeat": self._repeat(geom, skin.stage) if by_uvs else LVecBase2f(1.0 / self._reach),
            "u_albedo": skin.albedo,
            "u_vertex_color": int(skin.vertex_color),
            "u_skin_alpha": int(skin.alpha),
            "u_one_sided": int(drawn_side(whole) == 1),
        }
        for name, value in values.items():
            attrib = attrib.set_shader_input(name, value, _PRIORITY)
        strands = strand_texture(self.look.density, self.look.taper, self.look.variation)
        textures = TextureAttrib.make_all_off().add_on_stage(skin.stage, skin.texture)
        textures = textures.add_on_stage(strand_stage(vertices, skin.stage), strands)
        state = skin.taken
        for added in (attrib, textures, bin_of(whole)):
            state = state.set_attrib(added, _PRIORITY)
        return state

    @property
    def _reach(self) -> float:
        """How far the texture of strands reaches, in the space of the Geoms."""
        spacing: float = self.look.spacing
        return ACROSS * spacing * self.length

    def _repeat(self, geom: Geom, colored: TextureStage) -> LVecBase2f:
        """How often the texture of strands lies along u and v."""
        units = units_per_uv(geom, str(strand_texcoord(geom.get_vertex_data(), colored)))
        # Whole numbers, so that nothing is cut where UVs close around the model.
        return LVecBase2f(*(max(round(unit / self._reach), 1) for unit in units))

    def _grown(self, bounds: BoundingVolume) -> BoundingVolume:
        """Bounds, with the strands around them."""
        linear = net_matrix(self.source.path)[:3, :3]
        narrowest = max(float(np.linalg.svd(linear, compute_uv=False)[-1]), 1e-9)
        more = self.length * size_of(linear) / narrowest
        if isinstance(bounds, BoundingSphere) and not bounds.is_empty():
            return BoundingSphere(bounds.get_center(), bounds.get_radius() + more)
        if isinstance(bounds, BoundingBox) and not bounds.is_empty():
            low, high = bounds.get_min(), bounds.get_max()
            return BoundingBox(low - (more, more, more), high + (more, more, more))
        return OmniBoundingVolume()


def _is_one_draw(geom: Geom) -> bool:
    return geom.get_num_primitives() == 1 and isinstance(geom.get_primitive(0), GeomTriangles)


def _make_guest(node: PandaNode) -> None:
    """Let a node go unnoticed by collisions, by flattening, and by our other systems."""
    node.set_tag(OVERLAY_TAG, "1")
    node.set_into_collide_mask(BitMask32.all_off())
    if isinstance(node, GeomNode):
        node.set_preserved(True)


def _center(bounds: Any) -> Any:
    return (0, 0, 0) if isinstance(bounds, OmniBoundingVolume) else bounds.get_approx_center()
