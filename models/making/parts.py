"""What the arena's models are put together from."""

from dataclasses import dataclass

from models.making.mesh import Mesh, Vector, around_z, merge

# What glows, by colour.
CYAN: Vector = (0.35, 0.90, 1.0)
AMBER: Vector = (1.0, 0.62, 0.20)
WARM: Vector = (1.0, 0.84, 0.58)
RED: Vector = (1.0, 0.26, 0.14)
# Tints of the textures.
DARK: Vector = (0.34, 0.36, 0.40)
STEEL: Vector = (0.62, 0.65, 0.70)
YELLOW: Vector = (1.0, 0.74, 0.24)


@dataclass(frozen=True)
class Model:
    """A model's meshes and its texture's name."""

    body: Mesh
    texture: str
    glow: Mesh | None = None


def copies(mesh: Mesh, count: int, start: float = 0.0) -> Mesh:
    """A mesh, several times around the Z axis; start: where the first is, in degrees."""
    return merge([mesh.turned(around_z(start + 360 / count * k)) for k in range(count)])
