"""Which UVs a surface's marks are laid out by: a set that the model has, or an atlas made for it."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from panda_rtstamp.core.geometry import Array
from panda_rtstamp.core.log import warn_once
from panda_rtstamp.errors import SurfaceError
from panda_rtstamp.stamps import uvs
from panda_rtstamp.stamps.atlases import Atlases, as_uvs
from panda_rtstamp.stamps.config import StampConfig
from panda_rtstamp.stamps.mesh import Mesh, triangle_areas

# UVs of triangle corners, (n, 3, 2).
Corners = npt.NDArray[np.float64]

_ADVICE = "give it a UV set within 0..1 without overlaps, or name none and it is unwrapped"


@dataclass(frozen=True)
class Layout:
    """Where a mesh's triangles lie on the texture.

    Attributes:
        corners: for each Geom, the UVs of its triangles' corners, (n, 3, 2).
        marked: for each Geom, whether it can be marked.
        set_name: of the UV set that these are; None for an atlas.
        origin: names what they are: layouts of one origin lie beside each other on the texture.
        density: UV units for each unit of length of the surface's space.
        overlaps: True if triangles share texels.
    """

    corners: list[npt.NDArray[np.float32]]
    marked: list[bool]
    set_name: str | None
    origin: str
    density: float
    overlaps: bool


def lay_out(
    name: str, mesh: Mesh, uv_set: str | None, atlases: Atlases, config: StampConfig
) -> Layout | None:
    """The layout of a mesh; None while it is being made in the background.

    Args:
        name: of the surface, for messages.
        uv_set: the UV set to use, whatever it is like; its faults are warned about once. None: the first one
            without faults, else an atlas.

    Raises:
        SurfaceError: there is nothing to lay out, or no usable UV set `uv_set`.
    """
    if not mesh.count:
        raise SurfaceError(f"{name} has no triangles to mark")
    if uv_set is not None:
        return _given_set(name, mesh, uv_set)
    for candidate in set_names(mesh):
        corners = read_set(mesh, candidate)
        if is_usable(mesh, corners):
            return _layout(mesh, corners, candidate)
    atlas = atlases.get(mesh, config)
    return None if atlas is None else by_atlas(mesh, atlas)


def preparing(mesh: Mesh, uv_set: str | None, atlases: Atlases, config: StampConfig) -> Iterator[None]:
    """Do what takes `lay_out` long, some milliseconds of it in each step: it is quick afterwards.

    An atlas is made in the background, be the mesh small or not.
    """
    if uv_set is not None:
        yield from uvs.measuring(_usable(mesh, read_set(mesh, uv_set)))
        return
    for candidate in set_names(mesh):
        corners = read_set(mesh, candidate)
        if uvs.inside(corners):
            yield from uvs.measuring(_usable(mesh, corners))
            if is_usable(mesh, corners):
                return
    atlases.get(mesh, config, background=True)


def set_names(mesh: Mesh) -> list[str]:
    """The UV sets that all Geoms with triangles have."""
    sets = [uvs.column_names(piece.vertices) for piece in mesh.pieces if len(piece.triangles)]
    return [name for name in sets[0] if all(name in others for others in sets)] if sets else []


def read_set(mesh: Mesh, name: str) -> Corners:
    """The UVs of a set for all triangles, (n, 3, 2); NaN where a Geom has no usable ones."""
    found = []
    for piece in mesh.pieces:
        values = uvs.read(piece.vertices, name) if len(piece.triangles) else None
        shape = (len(piece.triangles), 3, 2)
        found.append(np.full(shape, np.nan) if values is None else values[piece.triangles])
    return np.concatenate(found)


def _usable(mesh: Mesh, corners: npt.NDArray[np.floating]) -> Corners:
    """The UVs of triangles that have some, and an area on the model."""
    result: Corners = corners[np.isfinite(corners).all(axis=(1, 2)) & (mesh.areas > 0.0)]
    return result


def measure(mesh: Mesh, corners: Corners) -> uvs.Layout:
    """What these UVs are like. Triangles without an area on the model need none on the texture."""
    return uvs.measure(corners[mesh.areas > 0.0])


def is_usable(mesh: Mesh, corners: Corners) -> bool:
    """Whether marks that are laid out by these UVs show everywhere, and nowhere twice."""
    return uvs.inside(corners) and measure(mesh, corners).faultless


def by_atlas(mesh: Mesh, atlas: npt.NDArray[np.uint16]) -> Layout:
    """The layout by an atlas of the mesh."""
    return _layout(mesh, as_uvs(atlas), None)


def _given_set(name: str, mesh: Mesh, uv_set: str) -> Layout:
    corners = read_set(mesh, uv_set)
    usable = np.isfinite(corners).all(axis=(1, 2))
    if not usable.any():
        raise SurfaceError(f"{name} has no usable UV set {uv_set!r}: {_ADVICE}")
    layout = _layout(mesh, corners, uv_set)
    _warn(name, uv_set, layout, uvs.measure(_usable(mesh, corners)))
    return layout


def _layout(mesh: Mesh, corners: npt.NDArray[np.floating], set_name: str | None) -> Layout:
    pieces = mesh.split(corners.astype(np.float32))
    marked = [len(piece) > 0 and bool(np.isfinite(piece).all()) for piece in pieces]
    overlaps = set_name is not None and uvs.measure(_usable(mesh, corners)).overlap > 0.0
    origin = set_name or origin_of_atlas(mesh.key)
    return Layout(pieces, marked, set_name, origin, density(mesh.areas, corners), overlaps)


def origin_of_atlas(key: str) -> str:
    """The origin of layouts by the atlas for the mesh with this key."""
    return f"atlas {key}"


def density(areas: Array, corners: npt.NDArray[np.floating]) -> float:
    """UV units for each unit of length, on the whole: 0 where nothing has an area."""
    usable = np.isfinite(corners).all(axis=(1, 2))
    laid_out = np.pad(corners[usable].astype(np.float64), ((0, 0), (0, 0), (0, 1)))
    area = float(areas[usable].sum())
    return float(np.sqrt(triangle_areas(laid_out).sum() / area)) if area > 0.0 else 0.0


def _warn(name: str, uv_set: str, layout: Layout, found: uvs.Layout) -> None:
    faults = []
    unmarked = layout.marked.count(False)
    if unmarked:
        faults.append(f"{unmarked} of its Geoms have none and stay unmarked")
    if found.outside > uvs.WORST_SHARE:
        faults.append(f"{found.outside:.0%} of its triangles lie outside 0..1 and stay unmarked there")
    if found.flat > uvs.WORST_SHARE:
        faults.append(f"{found.flat:.0%} of its triangles have no area and stay unmarked")
    if found.overlap > uvs.WORST_SHARE:
        faults.append(
            f"{found.overlap:.0%} of the area is used more than once, so a mark shows in several places"
        )
    if faults:
        warn_once(f"layout {name} {faults}", f"{name}: UV set {uv_set!r}: {'; '.join(faults)}: {_ADVICE}")
