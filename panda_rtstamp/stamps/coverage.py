"""How much of a surface is marked: by its area in the world, however densely its parts lie on the texture."""

import numpy as np
import numpy.typing as npt
from panda3d.core import NodePath, RenderState, SamplerState, ShaderAttrib, Texture

from panda_rtstamp.core.card import VERTEX_SHADER
from panda_rtstamp.core.geometry import Array, column
from panda_rtstamp.core.shader import load_shader
from panda_rtstamp.stamps import uvs
from panda_rtstamp.stamps.mesh import Mesh
from panda_rtstamp.stamps.surface import Surface

COVERAGE_SHADER = "rtstamp/stamps/coverage.frag"
# Texels along an edge of the target that coverage is summed up in.
SUMS = 32

Weights = npt.NDArray[np.float32]


def area_weights(surface: Surface, node: NodePath, size: int) -> Weights:
    """For each texel (size, size), row 0 at v = 0, the share of the area that it stands for: 1 in all.

    Areas are those of the bind pose, scaled as they are in the world now. Each triangle's is shared out
    evenly among the texels that it covers.

    Args:
        node: counts with what is below it, the rest of the surface does not. All zero if that is nothing.
    """
    paths = [path for _, path in surface.standing() if path == node or node.is_ancestor_of(path)]
    weights = np.zeros(size * size)
    if paths:
        mesh = Mesh(node.get_top(), paths)
        corners = _corners(mesh, paths)
        marked = np.isfinite(corners).all(axis=(1, 2))
        _share_out(weights, corners[marked], mesh.areas[marked], size)
    total = weights.sum()
    return (weights / (total if total > 0.0 else 1.0)).astype(np.float32).reshape(size, size)


def _corners(mesh: Mesh, paths: list[NodePath]) -> npt.NDArray[np.float64]:
    """The stamp UVs of all triangles, (n, 3, 2); NaN where they have none."""
    found = []
    for piece in mesh.pieces:
        values = column(piece.vertices, uvs.COLUMN)
        shape = (len(piece.triangles), 3, 2)
        if values is None or not len(piece.triangles):
            found.append(np.full(shape, np.nan))
            continue
        rows: Array = values.astype(np.float64)
        found.append(np.where(rows[:, 2:] > 0.5, rows[:, :2], np.nan)[piece.triangles])
    return np.concatenate(found)


def _share_out(
    weights: npt.NDArray[np.float64],
    corners: npt.NDArray[np.float64],
    areas: npt.NDArray[np.float64],
    size: int,
) -> None:
    covered = np.zeros(len(corners), np.int64)
    for owner, _ in uvs.covered_texels(corners, size):
        covered += np.bincount(owner, minlength=len(corners))
    for owner, texel in uvs.covered_texels(corners, size):
        weights += np.bincount(texel, areas[owner] / covered[owner], len(weights))
    # What is too small to cover a texel's centre counts for the texel that it lies in.
    small = covered == 0
    at = np.clip((corners[small].mean(axis=1) * size).astype(np.int64), 0, size - 1)
    weights += np.bincount(at[:, 1] * size + at[:, 0], areas[small], len(weights))


def weights_texture(weights: Weights) -> Texture:
    """The weights for coverage.frag, each times their number."""
    size = len(weights)
    texture = Texture("rtstamp-weights")
    texture.setup_2d_texture(size, size, Texture.T_float, Texture.F_r32)
    texture.set_minfilter(SamplerState.FT_nearest)
    texture.set_magfilter(SamplerState.FT_nearest)
    texture.set_compression(Texture.CM_off)
    texture.set_ram_image((weights * np.float32(size * size)).astype("<f4").tobytes())
    return texture


def coverage_state(
    temp: Texture, weights: Texture, share: float, intensity: float, channels: int
) -> RenderState:
    """The state of a card that sums up a surface's coverage into a target of SUMS x SUMS."""
    attrib = ShaderAttrib.make(load_shader(VERTEX_SHADER, COVERAGE_SHADER)).set_shader_inputs(
        u_temp=temp,
        u_weights=weights,
        u_share=share,
        u_intensity=intensity,
        u_channels=channels,
        u_cell=temp.get_x_size() // SUMS,
    )
    return RenderState.make(attrib)
