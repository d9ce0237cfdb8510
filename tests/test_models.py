"""Our own models: fit to be marked as they come, small, and made by the script that is kept beside them."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from direct.actor.Actor import Actor
from numpy.typing import NDArray
from panda3d.core import (
    Filename,
    GeomNode,
    GeomVertexReader,
    Loader,
    LoaderOptions,
    NodePath,
    PNMImage,
    Texture,
)

from models.making import brushes
from panda_rtstamp import StampSystem
from panda_rtstamp.core.paths import brush_names, read_brush
from support import ROOT, run_python

FOLDER = ROOT / "models"
FILES = sorted(FOLDER.glob("*.bam"))
# Those with a dash in their names are animations.
MODELS = [path for path in FILES if "-" not in path.stem]
ANIMATIONS = {
    model.stem: [path for path in FILES if path.stem.startswith(f"{model.stem}-")] for model in MODELS
}
BRUSHES = sorted(FOLDER.glob("brushes/*.png"))
CHARACTERS = [name for name, animations in ANIMATIONS.items() if animations]


def load(path: Path) -> NodePath:
    options = LoaderOptions(LoaderOptions.LF_no_cache)
    node = Loader.get_global_ptr().load_sync(Filename.from_os_specific(str(path)), options)
    assert node is not None, path
    return NodePath(node)


def geom_nodes(model: NodePath) -> list[GeomNode]:
    nodes: list[Any] = [path.node() for path in model.find_all_matches("**/+GeomNode")]
    return nodes


def column(node: GeomNode, name: str) -> NDArray[np.float64]:
    """A vertex column of all Geoms of a node, a row for each vertex."""
    rows = []
    for geom in node.get_geoms():
        reader = GeomVertexReader(geom.get_vertex_data(), name)
        while not reader.is_at_end():
            rows.append(tuple(reader.get_data3()))
    return np.array(rows)


def test_they_are_small() -> None:
    """In bytes, all together: a checkout is to stay light."""
    assert len(MODELS) >= 12
    files = [*FILES, *FOLDER.glob("*.jpg"), *BRUSHES]
    assert sum(path.stat().st_size for path in files) < 2_500_000


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_a_mark_without_a_warning(base: Any, scene: NodePath, path: Path) -> None:
    """UVs are finite, inside 0..1 and overlap nowhere: the add-on finds nothing to complain about."""
    model = load(path)
    model.reparent_to(scene)
    bounds = model.get_tight_bounds()
    assert bounds is not None
    middle = (bounds[0] + bounds[1]) / 2
    size = (bounds[1] - bounds[0]).length()
    with StampSystem(base) as stamps:
        assert stamps.hit(model, middle, radius=size) is not None
        base.task_mgr.step()
        image = stamps.image(model)
        assert image is not None
        assert (image[..., 3] > 0.1).mean() > 0.2
        stamps.clear_all()


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_they_stand_on_the_ground(path: Path) -> None:
    """In metres, upwards along Z, around the origin; and no vertex is out of its mind."""
    model = load(path)
    bounds = model.get_tight_bounds()
    assert bounds is not None
    assert abs(bounds[0].z) < 0.06
    assert 0 <= bounds[1].z < 4
    for node in geom_nodes(model):
        lengths = np.linalg.norm(column(node, "normal"), axis=1)
        assert np.abs(lengths - 1).max() < 0.01


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_no_path_of_a_machine(path: Path) -> None:
    """A texture is named by its file alone, so that the folder can be copied."""
    data = path.read_bytes()
    for start in (str(ROOT).encode(), b"/home/", b"/tmp/", b"/c/", b"/Users/"):
        assert start not in data
    for texture in load(path).find_all_textures():
        assert Path(texture.get_fullpath().to_os_specific()).parent == FOLDER
        assert PNMImage(texture.get_fullpath()).is_valid()


@pytest.mark.parametrize("name", CHARACTERS)
def test_animations_move_the_character(name: str) -> None:
    """Each animation fits its character, and moves more than a tenth of a metre of it."""
    files = {path.stem: Filename.from_os_specific(str(path)) for path in ANIMATIONS[name]}
    make: Any = Actor
    actor = make(Filename.from_os_specific(str(FOLDER / f"{name}.bam")), files)
    for animation in files:
        poses = []
        for frame in range(actor.get_num_frames(animation)):
            actor.pose(animation, frame)
            actor.update(force=True)
            poses.append(posed(actor))
        moved = np.linalg.norm(np.array(poses) - poses[0], axis=-1)
        assert np.isfinite(moved).all()
        assert moved.max() > (0.01 if animation.endswith("idle") else 0.3), animation
    actor.cleanup()


def posed(actor: Any) -> NDArray[np.float64]:
    """All vertices of an actor, as they are drawn now."""
    rows = []
    for path in actor.find_all_matches("**/+GeomNode"):
        for geom in path.node().get_geoms():
            reader = GeomVertexReader(geom.get_animated_vertex_data(True), "vertex")
            while not reader.is_at_end():
                rows.append(tuple(reader.get_data3()))
    return np.array(rows)


def pixels(path: Path) -> NDArray[np.int64]:
    """A picture's channels as they are stored, (h, w, c), R G B A, top row first."""
    picture = PNMImage(Filename.from_os_specific(str(path)))
    texture = Texture()
    texture.load(picture)
    data = texture.get_ram_image_as("RGBA"[: picture.get_num_channels()]).get_data()
    flat = np.frombuffer(data, np.uint8).reshape(picture.get_y_size(), picture.get_x_size(), -1)
    return flat[::-1].astype(np.int64)


def test_the_ready_brushes() -> None:
    """Four, and as the package finds them."""
    names = ["bullet_hole", "crack", "scorch", "splat"]
    assert [path.stem for path in BRUSHES] == names
    assert brush_names() == names
    for path in BRUSHES:
        assert read_brush(path.stem) == path.read_bytes()
    for name in ("", "Splat", "splat.png", "../concrete", "brushes/splat"):
        assert read_brush(name) is None


@pytest.mark.parametrize("path", BRUSHES, ids=lambda path: path.stem)
def test_a_brush_fills_its_circle(path: Path) -> None:
    """256 x 256 with straight alpha, opaque somewhere, around the middle, and nothing at the border."""
    image = pixels(path)
    assert image.shape == (256, 256, 4)
    alpha = image[..., 3]
    assert alpha[4:-4, 4:-4].max() >= 240
    assert alpha.sum() == alpha[4:-4, 4:-4].sum()
    across = np.arange(256) - 127.5
    x, y = np.meshgrid(across, across)
    distance = np.hypot(x, y)
    assert alpha[distance > 124].max() == 0
    assert distance[alpha > 0].max() > 0.7 * 128
    assert np.abs([(alpha * x).sum(), (alpha * y).sum()]).max() / alpha.sum() < 0.1 * 128


@pytest.mark.parametrize("path", BRUSHES, ids=lambda path: path.stem)
def test_a_brush_has_no_fringe(path: Path) -> None:
    """Beside what is seen, an unseen texel has a colour like it: filtering mixes in no black or white."""
    image = pixels(path)
    color, seen = image[..., :3], image[..., 3] > 0
    around = np.zeros_like(seen)
    low, high = np.full_like(color, 255), np.zeros_like(color)
    for shift in np.ndindex(5, 5):
        there = np.roll(seen, np.array(shift) - 2, axis=(0, 1))
        shown = np.roll(color, np.array(shift) - 2, axis=(0, 1))
        low = np.where(there[..., None], np.minimum(low, shown), low)
        high = np.where(there[..., None], np.maximum(high, shown), high)
        around |= there
    beside = around & ~seen
    assert beside.any()
    assert (color[beside] >= low[beside]).all()
    assert (color[beside] <= high[beside]).all()


def test_the_splat_takes_any_colour() -> None:
    """It is white, with some shade: red, green and blue alike."""
    image = pixels(FOLDER / "brushes" / "splat.png")
    seen = image[image[..., 3] > 0]
    assert np.ptp(seen[:, :3], axis=1).max() == 0
    assert seen[:, :3].min() > 150
    assert np.average(seen[:, 0], weights=seen[:, 3]) > 220


def test_the_brushes_are_made_to_the_bit(tmp_path: Path) -> None:
    """Their pixels, if not the files: those depend on the PNG library."""
    brushes.make(tmp_path)
    made = sorted(tmp_path.glob("brushes/*.png"))
    assert [path.name for path in made] == [path.name for path in BRUSHES]
    for old, new in zip(BRUSHES, made, strict=True):
        np.testing.assert_array_equal(pixels(new), pixels(old))


@pytest.mark.full
def test_the_script_makes_what_is_there(tmp_path: Path) -> None:
    """The same files, with the same geometry to a tenth of a millimetre, and the same pictures."""
    done = run_python(str(FOLDER / "make.py"), "--out", str(tmp_path), timeout=600)
    assert done.returncode == 0, done.stderr
    made = sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*.*"))
    assert made == sorted(path.relative_to(FOLDER) for path in [*FILES, *FOLDER.glob("*.jpg"), *BRUSHES])
    for path in MODELS:
        for old, new in zip(geom_nodes(load(path)), geom_nodes(load(tmp_path / path.name)), strict=True):
            for name in ("vertex", "texcoord", "normal"):
                np.testing.assert_allclose(column(new, name), column(old, name), atol=1e-4)
    for picture in FOLDER.glob("*.jpg"):
        both = (picture, tmp_path / picture.name)
        images = [PNMImage(Filename.from_os_specific(str(file))) for file in both]
        colors = [np.array([tuple(image.get_average_xel())]) for image in images]
        assert images[0].get_read_x_size() == images[1].get_read_x_size()
        np.testing.assert_allclose(colors[0], colors[1], atol=0.004)
