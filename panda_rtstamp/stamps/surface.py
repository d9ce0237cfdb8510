"""The geometry of a bound node: what of it can carry marks, and where on the texture its points lie.

Every Geom that can be marked gives place to a copy whose vertex data has one column more, `rtstamp_uv`. All
other arrays are shared with the original. The display draws the same copies: the CPU skins them once.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from panda3d.core import GeomNode, InternalName, NodePath

from panda_rtstamp.core.anchor import Anchor, address, instance_path
from panda_rtstamp.core.log import warn_once
from panda_rtstamp.errors import SurfaceError
from panda_rtstamp.stamps import uvs
from panda_rtstamp.stamps.atlases import Atlases
from panda_rtstamp.stamps.below import CHOOSERS, drawn_once, marked_paths, mesh_below
from panda_rtstamp.stamps.config import StampConfig
from panda_rtstamp.stamps.layout import Layout, is_usable, lay_out, read_set
from panda_rtstamp.stamps.mesh import Mesh
from panda_rtstamp.stamps.prepared import Prepared, put_back, put_copies

UV_TAG = "rtstamp-uv"
# UV units for each unit of length in an atlas that is not there yet, by the share of it that models fill.
_EXPECTED_FILL = 0.5


@dataclass
class Part:
    """One GeomNode of a surface, by one path."""

    anchor: Anchor
    prepared: Prepared


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
_all_prepared: dict[int, Prepared] = {}


class SurfaceStore:
    """Prepares nodes and puts them back."""

    def __init__(self) -> None:
        self.atlases = Atlases()
        self._prepared = _all_prepared

    def prepare(self, node: NodePath, config: StampConfig, taken: Sequence[NodePath]) -> Surface:
        """The surface of everything below `node` that is not below one of `taken`.

        Raises:
            SurfaceError: it cannot be marked. The node is as it was.
        """
        paths = marked_paths(node, taken)
        if not paths:
            raise SurfaceError(f"{node} has no geometry to mark")
        _refuse_instances(node, paths, config)
        standing: Sequence[Prepared | None] = [self._standing(path) for path in paths]
        if any(prepared is None for prepared in standing):
            mesh = Mesh(node, drawn_once(paths))
            layout = lay_out(str(node), mesh, uv_set_of(node, config), self.atlases, config)
            if layout is None:
                area = float(mesh.areas.sum())
                density = float(np.sqrt(_EXPECTED_FILL / area)) if area > 0.0 else 0.0
                return Surface([], density, ready=False)
            standing = self._lay_down(node, paths, standing, mesh, layout)
        parts = [prepared for prepared in standing if prepared is not None]
        if len({prepared.origin for prepared in parts}) > 1:
            raise _conflict(node)
        for prepared in parts:
            prepared.users += 1
        anchors = [Anchor(path) for path in paths]
        return Surface([Part(*pair) for pair in zip(anchors, parts, strict=True)], parts[0].density)

    def _standing(self, path: NodePath) -> Prepared | None:
        """What was prepared of the GeomNode for another surface, as another instance of it, and is in use."""
        node = path.node()
        assert isinstance(node, GeomNode)
        prepared = self._prepared.get(address(node))
        if prepared is not None and not prepared.stands(node):
            # The user changed the node: what is still ours goes back before it is prepared anew.
            put_back(node, prepared)
            del self._prepared[address(node)]
            return None
        return prepared

    def _lay_down(
        self,
        node: NodePath,
        paths: Sequence[NodePath],
        standing: Sequence[Prepared | None],
        mesh: Mesh,
        layout: Layout,
    ) -> Sequence[Prepared | None]:
        """Give the Geoms of `paths` their stamp UVs.

        Args:
            standing: what of them has some already.
            mesh: of the paths; a GeomNode that is drawn in several places is in it once.
        """
        if any(prepared is not None and prepared.origin != layout.origin for prepared in standing):
            raise _conflict(node)
        for path, where in zip(drawn_once(paths), mesh.slices, strict=True):
            if address(path.node()) not in self._prepared:
                self._prepared[address(path.node())] = put_copies(path, mesh, layout, where)
        return [self._prepared[address(path.node())] for path in paths]

    def restore(self, surface: Surface) -> None:
        """Put the Geoms back as they were found, where they are still ours. Idempotent."""
        for part in surface.parts:
            # Not by its path: an instance is cut off while the others go on drawing the node.
            node = part.anchor.panda_node
            part.anchor.release()
            part.prepared.users -= 1
            if part.prepared.users > 0:
                continue
            keys = [key for key, value in self._prepared.items() if value is part.prepared]
            for key in keys:
                del self._prepared[key]
            if isinstance(node, GeomNode):
                put_back(node, part.prepared)
        surface.parts = []


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
