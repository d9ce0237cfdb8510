"""`python -m panda_rtstamp unwrap MODEL`: makes stamp UVs offline, so that a game need not."""

from pathlib import Path

from panda3d.core import GeomNode

from panda_rtstamp.commands.atlas import Made, check_unwrapper, make_atlas, print_atlas
from panda_rtstamp.commands.model import ENDINGS, Model, find, load, write
from panda_rtstamp.commands.output import CommandError, say
from panda_rtstamp.commands.preview import write_preview
from panda_rtstamp.commands.report import print_model, uv_sets
from panda_rtstamp.stamps import uvs
from panda_rtstamp.stamps.config import StampConfig
from panda_rtstamp.stamps.layout import by_atlas, is_usable
from panda_rtstamp.stamps.prepared import make_copies, put_copies
from panda_rtstamp.stamps.surface import uv_set_of

_PACKED = (".pz", ".gz")


def unwrap(name: str, out: str | None, preview: str | None, unwrapper: str | None, force: bool) -> int:
    """Write a copy of a model with the column `rtstamp_uv`, and say what it is like.

    Args:
        name: of the model, as for `loader.load_model`.
        out: the bam file to write; None: named like the model, see `_default_target`.
        preview: a PNG file to draw the atlas into.
        unwrapper: as StampConfig.unwrapper, which is meant by None.
        force: unwrap even what has a usable UV set, and write over the model itself.

    Returns:
        0, the exit code.

    Raises:
        CommandError: it cannot be done. The model was not changed.
    """
    config = StampConfig()
    check_unwrapper(unwrapper or config.unwrapper)
    file = find(name)
    target = _default_target(name) if out is None else Path(out)
    _check_target(target, Path(file.to_os_specific()), force)
    picture = None if preview is None else Path(preview)
    _check_preview(picture)
    model = load(name, file)
    if not model.mesh.count:
        raise CommandError(f"{name} has no triangles.")
    print(f"panda_rtstamp unwrap {name}")
    sets = uv_sets(model.mesh)
    print_model(model, sets)
    print()
    usable = [one.name for one in sets if one.usable]
    if usable and not force:
        say("nothing to do", f"games use its UV set {usable[0]!r}; --force unwraps all the same")
        return 0
    made = make_atlas(model.mesh, unwrapper, config)
    print_atlas(model.mesh, made)
    if not is_usable(model.mesh, made.corners):
        say("but", "some of it is too small beside the whole, and is unwrapped by games: split the model")
    _save(model, made, target, picture)
    asked = uv_set_of(model.root, config)
    if asked not in (None, uvs.COLUMN):
        say("but", f"the tag rtstamp-uv or the PRC variable rtstamp-uv-set tells games to use {asked!r}")
    return 0


def _default_target(name: str) -> Path:
    """Beside the model; in the current folder for one that is found along the model path."""
    path = Path(name)
    stem = path.name
    for ending in (*_PACKED, Path(stem.removesuffix(".pz").removesuffix(".gz")).suffix):
        stem = stem.removesuffix(ending)
    return (path.parent if path.is_file() else Path()) / f"{stem}.rtstamp.bam"


def _check_target(target: Path, source: Path, force: bool) -> None:
    if not target.name.endswith(ENDINGS):
        raise CommandError(f"{target} must end in .bam or .bam.pz: no other file keeps the stamp UVs.")
    if not target.parent.is_dir():
        raise CommandError(f"There is no folder {target.parent} to write {target.name} into.")
    if target.exists() and source.exists() and target.samefile(source) and not force:
        raise CommandError(f"{target} is the model itself; --force writes over it.")


def _check_preview(picture: Path | None) -> None:
    if picture is not None and picture.suffix.lower() != ".png":
        raise CommandError(f"{picture} must end in .png.")
    if picture is not None and not picture.parent.is_dir():
        raise CommandError(f"There is no folder {picture.parent} to write {picture.name} into.")


def lay_down(model: Model, made: Made) -> None:
    """Give the model's Geoms the UVs of the atlas, for good."""
    layout = by_atlas(model.mesh, made.steps)
    for path, where in zip(model.paths, model.mesh.slices, strict=True):
        node = path.node()
        assert isinstance(node, GeomNode)
        put_copies(node, make_copies(path, model.mesh, layout, where))


def _save(model: Model, made: Made, target: Path, picture: Path | None) -> None:
    lay_down(model, made)
    write(model.root, target)
    say("written", f"{target} ({target.stat().st_size / 1024:,.0f} KB)")
    if picture is not None:
        write_preview(made, picture)
        say("preview", picture)
