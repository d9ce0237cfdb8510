"""Models on disk: found as a game finds them, loaded without a window, and written back."""

import contextlib
import sys
from dataclasses import dataclass
from pathlib import Path

from panda3d.core import (
    ConfigVariableString,
    Filename,
    GeomNode,
    Loader,
    LoaderOptions,
    NodePath,
    VirtualFileSystem,
    get_model_path,
)

from panda_rtstamp.commands.output import CommandError, captured_log, problems
from panda_rtstamp.core.geoms import drawn_once
from panda_rtstamp.stamps.below import marked_paths
from panda_rtstamp.stamps.mesh import Mesh

ENDINGS = (".bam", ".bam.pz")
_GLTF = (".gltf", ".glb")


@dataclass(frozen=True)
class Model:
    """A loaded model.

    Attributes:
        root: of the model; no scene is above it.
        paths: to its GeomNodes, each once, however often it is drawn.
        drawn: how often they are drawn together.
        mesh: the triangles of `paths`.
    """

    root: NodePath
    paths: list[NodePath]
    drawn: int
    mesh: Mesh

    @property
    def geoms(self) -> list[tuple[NodePath, int]]:
        """For each piece of the mesh the path to its GeomNode, and its number there."""
        return [(path, index) for path in self.paths for index in range(geom_node(path).get_num_geoms())]


def geom_node(path: NodePath) -> GeomNode:
    """The GeomNode at the end of a path."""
    node = path.node()
    assert isinstance(node, GeomNode)
    return node


def place(path: NodePath) -> str:
    """Where a node is, for people."""
    names = [path.get_ancestor(up).get_name() for up in reversed(range(path.get_num_nodes()))]
    return "/".join(name or "(no name)" for name in names)


def find(name: str) -> Filename:
    """The file of a model that is named as for `loader.load_model`: its ending may be left out.

    Raises:
        CommandError: there is none, neither by this path nor along the model path.
    """
    here = Path(name)
    if here.is_file():
        return Filename.from_os_specific(str(here.resolve()))
    if here.is_dir():
        raise CommandError(f"{name} is a folder and not a model.")
    files = VirtualFileSystem.get_global_ptr()
    ending = ConfigVariableString("default-model-extension").get_value()
    for candidate in dict.fromkeys((name, name + ending, *(name + other for other in ENDINGS))):
        file = Filename.from_os_specific(candidate)
        if files.resolve_filename(file, get_model_path().get_value()) and files.is_regular_file(file):
            return file
    raise CommandError(f"There is no file {name}, here or along the model path.")


def load(name: str, file: Filename) -> Model:
    """Load a model.

    Raises:
        CommandError: Panda3D cannot load it.
    """
    with captured_log() as stream:
        root = _load(file)
    said = problems(stream)
    if root is None:
        reason = f": {said[0]}" if said else "."
        raise CommandError(f"{name} is not a model that Panda3D can load{reason}")
    for line in said:
        print(line, file=sys.stderr)
    drawn = marked_paths(root, ())
    paths = drawn_once(drawn)
    return Model(root, paths, len(drawn), Mesh(root, paths))


def _load(file: Filename) -> NodePath | None:
    if f".{file.get_extension().lower()}" in _GLTF:
        # Panda's own Loader would ask assimp, which gives other names, other axes and no skin.
        with contextlib.suppress(ImportError):
            return _load_gltf(file)
    options = LoaderOptions(
        LoaderOptions.LF_search | LoaderOptions.LF_report_errors | LoaderOptions.LF_no_cache
    )
    node = Loader.get_global_ptr().load_sync(file, options)
    return None if node is None else NodePath(node)


def _load_gltf(file: Filename) -> NodePath | None:
    import gltf

    try:
        return NodePath(gltf.load_model(file))
    # Whatever it meets in a file that is no glTF.
    except Exception:
        return None


def write(root: NodePath, target: Path) -> None:
    """Write a bam file, wholly or not at all. Textures are named as they are found from there.

    Raises:
        CommandError: it cannot be written.
    """
    ending = ".bam.pz" if target.name.endswith(".pz") else ".bam"
    draft = target.with_name(f".{target.name}.part{ending}")
    try:
        with captured_log() as stream:
            written = root.write_bam_file(Filename.from_os_specific(str(draft.resolve())))
        if not written:
            reason = problems(stream)
            raise CommandError(f"{target} cannot be written{': ' + reason[0] if reason else '.'}")
        draft.replace(target)
    except OSError as error:
        raise CommandError(f"{target} cannot be written: {error}") from None
    finally:
        draft.unlink(missing_ok=True)
