"""The arena: which models it has, and how they are written."""

from collections.abc import Callable
from pathlib import Path

from panda3d.core import Filename, ModelRoot, NodePath, Texture, TexturePool, TextureStage

from models.making import buildings, bunker, props, surfaces
from models.making.mesh import lay_out, make_node
from models.making.parts import Model

MODELS: dict[str, Callable[[], Model]] = {
    "floor": props.floor,
    "wall": buildings.wall,
    "pillar": buildings.pillar,
    "crate": props.crate,
    "container": props.container,
    "bunker": bunker.bunker,
    "silo": buildings.silo,
    "barrel": props.barrel,
    "hatch": props.hatch,
    "lamp": props.lamp,
}


def make(folder: Path) -> None:
    """Write the arena's textures and models into a folder."""
    surfaces.make(folder)
    for name, build in MODELS.items():
        _write(build(), name, folder / f"{name}.bam")


def _write(model: Model, name: str, path: Path) -> None:
    """Write a model: its body, with its texture by the UV set "tile", and what glows, without a texture."""
    root = NodePath(ModelRoot(name))
    meshes = lay_out([mesh for mesh in (model.body, model.glow) if mesh is not None])
    body = root.attach_new_node(make_node(meshes[0], name))
    stage = TextureStage("tile")
    stage.set_texcoord_name("tile")
    body.set_texture(stage, _load(path.with_name(f"{model.texture}.jpg")))
    if model.glow is not None:
        root.attach_new_node(make_node(meshes[1], "glow"))
    if not root.write_bam_file(Filename.from_os_specific(str(path))):
        raise OSError(f"cannot write {path}")


def _load(path: Path) -> Texture:
    texture = TexturePool.load_texture(Filename.from_os_specific(str(path)))
    texture.set_minfilter(Texture.FT_linear_mipmap_linear)
    return texture
