"""Sections: what of a model is of one material, wherever it lies and whatever its number."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from panda3d.core import (
    Character,
    GeomEnums,
    GeomNode,
    Material,
    MaterialAttrib,
    NodePath,
    PandaNode,
    RenderState,
)

from panda_rtstamp.core.anchor import address
from panda_rtstamp.core.geoms import drawn_once, geom_node, geom_nodes
from panda_rtstamp.core.layers import state_without
from panda_rtstamp.errors import ConfigError


@dataclass(frozen=True)
class SectionKey:
    """What tells a section from the others: a material's name; a material without one; or a Geom's state."""

    name: str = ""
    material: int = 0
    state: RenderState | None = None

    def __str__(self) -> str:
        return self.name or (f"material {self.material:#x}" if self.material else str(self.state))


@dataclass(frozen=True)
class Source:
    """The Geoms of one section in one GeomNode.

    Attributes:
        path: the GeomNode.
        key: of the section.
        indices: the Geoms.
    """

    path: NodePath
    key: SectionKey
    indices: tuple[int, ...]

    @property
    def node(self) -> GeomNode:
        """The GeomNode."""
        return geom_node(self.path)

    @property
    def states(self) -> tuple[RenderState, ...]:
        """Of its Geoms, without what our other systems lay over them."""
        return tuple(state_without(self.node, index) for index in self.indices)


def find_sources(root: NodePath) -> list[Source]:
    """All that can have a coat at and below a node."""
    found: dict[tuple[int, SectionKey], Source] = {}
    for path in drawn_once(geom_nodes(root)):
        node = geom_node(path)
        above = path.get_state(root.get_parent()) if root.has_parent() else path.get_net_state()
        for index in range(node.get_num_geoms()):
            if node.get_geom(index).get_primitive_type() == GeomEnums.PT_polygons:
                key = _key_of(above, state_without(node, index))
                before = found.get((address(node), key))
                indices = (*(before.indices if before else ()), index)
                found[address(node), key] = Source(path, key, indices)
    return list(found.values())


def _key_of(above: RenderState, own: RenderState) -> SectionKey:
    attrib = above.compose(own).get_attrib(MaterialAttrib)
    material = attrib.get_material() if isinstance(attrib, MaterialAttrib) else None
    return SectionKey(state=own) if material is None else _key_of_material(material)


def _key_of_material(material: Material) -> SectionKey:
    return SectionKey(material.get_name()) if material.get_name() else SectionKey(material=address(material))


def as_key(section: Any) -> SectionKey:
    """What users name a section by. Raises ConfigError."""
    if isinstance(section, SectionKey):
        return section
    if isinstance(section, Material):
        return _key_of_material(section)
    if isinstance(section, RenderState):
        return SectionKey(state=section)
    if isinstance(section, str) and section:
        return SectionKey(section)
    raise ConfigError(
        f"section must be a material's name, a Material, a Geom's RenderState or a key, got {section!r}"
    )


def as_keys(section: Any, present: Sequence[SectionKey]) -> tuple[SectionKey, ...]:
    """One section, or several in a list or a tuple; all that are present for None.

    Raises:
        ConfigError: a wrong argument, or one that is not present.
    """
    if section is None:
        return tuple(present)
    keys = [as_key(part) for part in (section if isinstance(section, (list, tuple)) else [section])]
    for key in keys:
        if key not in present:
            there = ", ".join(map(str, present)) or "none"
            raise ConfigError(f"section must be one of the node's ({there}), got {key}")
    if not keys:
        raise ConfigError("section must name at least one, got an empty list")
    return tuple(keys)


def is_actor(node: NodePath) -> bool:
    """True if the node is, holds or belongs to an animated character."""
    if not node.find("**/+Character").is_empty():
        return True
    above: PandaNode = node.node()
    while not isinstance(above, Character) and above.get_num_parents():
        above = above.get_parent(0)
    return isinstance(above, Character)
