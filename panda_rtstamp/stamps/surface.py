"""The geometry of a bound node: what of it can carry marks, and where on the texture its points lie.

Every Geom that can be marked gives place to a copy whose vertex data has one column more, `rtstamp_uv`. All
other arrays are shared with the original. The display draws the same copies: the CPU skins them once.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from panda3d.core import GeomNode, InternalName, NodePath

from panda_rtstamp.core.anchor import Anchor, address, instance_path
from panda_rtstamp.core.geoms import drawn_once
from panda_rtstamp.core.log import warn_once
from panda_rtstamp.errors import SurfaceError
from panda_rtstamp.stamps import uvs
from panda_rtstamp.stamps.atlas_files import Corners
from panda_rtstamp.stamps.atlases import Atlases
from panda_rtstamp.stamps.below import CHOOSERS, marked_paths, mesh_below
from panda_rtstamp.stamps.config import StampConfig
from panda_rtstamp.stamps.kept import Kept, recipe_of
from panda_rtstamp.stamps.layout import is_usable, lay_out, origin_of_atlas, preparing, read_set
from panda_rtstamp.stamps.mesh import Mesh
from panda_rtstamp.stamps.prepared import Prepared, make_copies, put_back, put_copies

UV_TAG = "rtstamp-uv"
# UV units for each unit of length in an atlas that is not there yet, by the share of it that models fill.
_EXPECTED_FILL = 0.5


@dataclass(eq=False)
class Part:
    """One GeomNode of a surface, by one path."""

    anchor: Anchor
    prepared: Prepared

    @property
    def address(self) -> int:
        """Of the GeomNode, also when it is gone."""
        return self.anchor.key[0]


class Surface:
    """The prepared geometry of one bound node.

    Attributes:
        ready: False while its stamp UVs are still being made; it has no parts then.
        density: UV units for each unit of length of the node's space.
        is_atlas: its stamp UVs are none of the model's own.
        was_made: they are an atlas, of ours or one that the model was saved with.
        overlaps: triangles share texels.
        has_normals: all its vertices have.
    """

    def __init__(self, parts: list[Part], density: float, ready: bool = True) -> None:
        self.parts = parts
        self.density = density
        self.ready = ready
        self.is_atlas = any(part.prepared.is_atlas for part in parts)
        self.was_made = self.is_atlas or any(part.prepared.origin == uvs.COLUMN for part in parts)
        self.overlaps = any(part.prepared.overlaps for part in parts)
        self.has_normals = all(_has_normals(part.prepared.ours) for part in parts)

    def can_extend(self, node: NodePath, config: StampConfig, taken: Sequence[NodePath]) -> bool:
        """True if all below `node` but for `taken` can be laid out as this surface is."""
        if self.is_atlas or not self.parts:
            return not self.parts
        if uv_set_of(node, config) is not None:
            return True
        mesh = mesh_below(node, taken)
        return is_usable(mesh, read_set(mesh, self.parts[0].prepared.origin))

    @property
    def replaced(self) -> bool:
        """True if the user put other Geoms in the place of ours, which have no stamp UVs."""
        for part in self.parts:
            node = part.anchor.panda_node
            if isinstance(node, GeomNode) and not part.prepared.has_stamp_uvs(node):
                return True
        return False

    def standing(self) -> Iterator[tuple[Part, NodePath]]:
        """The parts that still are as we prepared them, and their paths."""
        for part in self.parts:
            path = part.anchor.node()
            node = None if path.is_empty() else path.node()
            if isinstance(node, GeomNode) and part.prepared.stands(node):
                yield part, path


# By the address of the GeomNode. For all systems: two may mark one model, and the last one puts it back.
_in_use: dict[int, list[Part]] = {}


class SurfaceStore:
    """Prepares nodes and puts them back."""

    def __init__(self) -> None:
        self.atlases = Atlases()
        self.kept = Kept()

    def prepare(self, node: NodePath, config: StampConfig, taken: Sequence[NodePath]) -> Surface:
        """The surface of everything below `node` that is not below one of `taken`.

        Raises:
            SurfaceError: it cannot be marked. The node is as it was.
        """
        paths = _paths_to_mark(node, taken)
        _refuse_instances(node, paths, config)
        drawn = drawn_once(paths)
        standing = [_standing(path) for path in drawn]
        made = [prepared for prepared in standing if prepared is not None]
        if len(made) < len(drawn):
            made, density = self._make(node, drawn, standing, config)
            if not made:
                return Surface([], density, ready=False)
        if len({prepared.origin for prepared in made}) > 1:
            raise _conflict(node)
        of_node = {address(path.node()): prepared for path, prepared in zip(drawn, made, strict=True)}
        parts = [Part(Anchor(path), of_node[address(path.node())]) for path in paths]
        for part in parts:
            _use(part)
        return Surface(parts, made[0].density)

    def keep(self, node: NodePath, config: StampConfig, taken: Sequence[NodePath]) -> list[Prepared] | None:
        """Make what `prepare` needs, for later, and leave the node alone.

        Returns:
            What was made, to be indexed; None while an atlas for it is being made in the background.

        Raises:
            SurfaceError: the node cannot be marked.
        """
        drawn = drawn_once(_paths_to_mark(node, taken))
        if any(address(path.node()) in _in_use for path in drawn):
            return []
        return self._make(node, drawn, [None] * len(drawn), config)[0] or None

    def preparing(self, node: NodePath, config: StampConfig) -> Iterator[None]:
        """Do what takes `keep` long, some milliseconds of it in each step. Holds no node."""
        drawn = drawn_once(marked_paths(node, []))
        uv_set = uv_set_of(node, config)
        if any(address(path.node()) in _in_use for path in drawn):
            return iter(())
        if self.kept.find(recipe_of(node, drawn, uv_set)) is not None:
            return iter(())
        mesh = Mesh(node, drawn)
        return preparing(mesh, uv_set, self.atlases, config) if mesh.count else iter(())

    def _make(
        self,
        node: NodePath,
        drawn: Sequence[NodePath],
        standing: Sequence[Prepared | None],
        config: StampConfig,
    ) -> tuple[list[Prepared], float]:
        """What each of the nodes that `drawn` leads to is to get, and the density of the layout.

        Nothing while an atlas is being made in the background; the density is what it is expected to be then.

        Args:
            standing: what some of them have.
        """
        uv_set = uv_set_of(node, config)
        # What is there for a part says nothing about the whole.
        recipe = recipe_of(node, drawn, uv_set) if standing.count(None) == len(drawn) else None
        kept = None if recipe is None else self.kept.find(recipe)
        if kept is not None:
            return kept, kept[0].density
        mesh = Mesh(node, drawn)
        layout = lay_out(str(node), mesh, uv_set, self.atlases, config)
        if layout is None:
            area = float(mesh.areas.sum())
            return [], float(np.sqrt(_EXPECTED_FILL / area)) if area > 0.0 else 0.0
        if any(prepared is not None and prepared.origin != layout.origin for prepared in standing):
            raise _conflict(node)
        made = [
            make_copies(path, mesh, layout, where) if prepared is None else prepared
            for path, prepared, where in zip(drawn, standing, mesh.slices, strict=True)
        ]
        if recipe is not None:
            self.kept.add(recipe, made)
        return made, layout.density

    def hold_atlas(self, key: str, corners: Corners) -> None:
        """Lay the geometry with this key out like that from now on."""
        self.kept.forget(origin_of_atlas(key))
        self.atlases.hold(key, corners)

    def restore(self, surface: Surface) -> None:
        """Put the Geoms back as they were found, where they are still ours. Idempotent."""
        for part in surface.parts:
            # Not by its path: an instance is cut off while the others go on drawing the node.
            node = part.anchor.panda_node
            part.anchor.release()
            part.prepared.users -= 1
            others = _in_use.get(part.address, [])
            if part in others:
                others.remove(part)
                if others:
                    continue
                del _in_use[part.address]
            if isinstance(node, GeomNode):
                put_back(node, part.prepared)
        surface.parts = []

    def destroy(self) -> None:
        """Make nothing more, and keep nothing. Idempotent."""
        self.atlases.cancel()
        self.kept.clear()


def _paths_to_mark(node: NodePath, taken: Sequence[NodePath]) -> list[NodePath]:
    paths = marked_paths(node, taken)
    if not paths:
        raise SurfaceError(f"{node} has no geometry to mark")
    return paths


def _standing(path: NodePath) -> Prepared | None:
    """What the GeomNode was given for another surface, as another instance of it, and still has."""
    node = path.node()
    assert isinstance(node, GeomNode)
    parts = _in_use.get(address(node))
    if not parts:
        return None
    prepared = parts[0].prepared
    if prepared.stands(node):
        return prepared
    # The user changed the node: what is still ours goes back before it is prepared anew.
    put_back(node, prepared)
    del _in_use[address(node)]
    return None


def _use(part: Part) -> None:
    """Let a part have its copies, put into its node unless they are there."""
    node = part.anchor.panda_node
    parts = _in_use.setdefault(part.address, [])
    if not parts and isinstance(node, GeomNode):
        put_copies(node, part.prepared)
    parts.append(part)
    part.prepared.users += 1


def _refuse_instances(node: NodePath, paths: Sequence[NodePath], config: StampConfig) -> None:
    """Raise SurfaceError where one of several instances cannot be marked without the others.

    And warn of instances that will be marked together.
    """
    if config.display == "shader" and len(instance_path(node)) > 1:
        raise SurfaceError(
            f"{node} is one of several instances, and the inputs of its own shader would reach all of them: "
            'hit a node above what they share, or use display="overlay"'
        )
    for path in paths:
        above = instance_path(path)[-1]
        if above != path and isinstance(above.node(), CHOOSERS) and config.display in ("overlay", "wrap"):
            raise SurfaceError(
                f"{path} is one of several instances, and hangs below {above} without a node between them "
                "that could show its marks alone: put one there"
            )
    if len(drawn_once(paths)) < len(paths):
        warn_once(
            f"instances {node.get_name()} {len(paths)}",
            f"{node} has parts that are drawn in several places, and marks on one show in all of them: hit "
            "the instance itself, which is marked alone",
        )


def uv_set_of(node: NodePath, config: StampConfig) -> str | None:
    """The UV set that the node's tag or the config asks for."""
    return node.get_net_tag(UV_TAG).strip() or config.uv_set


def _has_normals(node: GeomNode) -> bool:
    geoms = [node.get_geom(index) for index in range(node.get_num_geoms())]
    return all(geom.get_vertex_data().has_column(InternalName.get_normal()) for geom in geoms)


def _conflict(node: NodePath) -> SurfaceError:
    return SurfaceError(
        f"{node} shares geometry with another instance, or with another StampSystem, of which only a part is "
        "marked now or by another UV set, and a geometry can be laid out in one way only: hit the instances "
        "of a model at the same node of it"
    )
