"""`python -m panda_rtstamp unwrap MODEL`: stamp UVs made offline, which games then use as they are."""

import base64
import json
import re
import struct
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from direct.actor.Actor import Actor
from panda3d.core import Filename, GeomNode, NodePath, PNMImage, TexturePool

from panda_rtstamp.__main__ import main
from panda_rtstamp.commands.output import Progress
from panda_rtstamp.core import unwrap as unwrapping
from panda_rtstamp.core.geometry import column, triangles
from pictures import geom_paths, world_triangles
from shapes import COOP, Floats, box, box_columns, quads
from stamp_support import system
from support import run_python, step
from surfaces import mesh_of, overlap

OWN = ("--unwrapper", "own")
# What there is to try: models of panda3d and of assetcoop.
PANDA_MODELS = (
    *("smiley", "misc/smiley", "box", "environment", "teapot", "jack"),
    *("panda-model", "panda", "ripple"),
)
COOP_MODELS = sorted(path.relative_to(COOP).as_posix() for path in COOP.rglob("*.bam"))


def save(node: NodePath, path: Path) -> Path:
    """Write a model that a test made."""
    assert node.write_bam_file(Filename.from_os_specific(str(path)))
    return path


def read(base: Any, path: Path) -> NodePath:
    """A model as a game loads it, and not what was loaded from this file before."""
    result: NodePath = base.loader.load_model(Filename.from_os_specific(str(path)), noCache=True)
    return result


def unwrap(*arguments: object) -> int:
    """Run the command in this process; its exit code."""
    return main(["unwrap", *map(str, arguments)])


def unwrap_apart(*arguments: object) -> int:
    """Run the command in a process of its own; its exit code."""
    return run_python("-m", "panda_rtstamp", "unwrap", *map(str, arguments)).returncode


def columns_of(node: NodePath, name: str) -> list[Floats]:
    """A column of all Geoms, for each corner of their triangles."""
    found: list[Floats] = []
    for path in geom_paths(node):
        holder = path.node()
        assert isinstance(holder, GeomNode)
        for geom in holder.get_geoms():
            values = column(geom.get_vertex_data(), name)
            assert values is not None
            found.append(values[triangles(geom)].astype(np.float64))
    return found


@pytest.fixture
def crate(tmp_path: Path) -> Path:
    """A box whose six faces all have the UVs 0..1."""
    return save(box((2.0, 2.0, 2.0)), tmp_path / "crate.bam")


# What is written.


def test_the_column_is_added_and_all_else_kept(base: Any, tmp_path: Path) -> None:
    model = NodePath("model")
    for name, size in (("small", 1.0), ("big", 3.0)):
        part = box((size, size, size))
        part.set_name(name)
        part.set_tag("made-by", name)
        part.set_color(size / 3.0, 0.5, 0.25, 1.0)
        part.reparent_to(model)
        part.set_pos(5.0 * size, 0.0, 0.0)
    source = save(model, tmp_path / "two.bam")
    assert unwrap(source, tmp_path / "out.bam", *OWN) == 0
    before, after = read(base, source), read(base, tmp_path / "out.bam")
    for name in ("vertex", "normal", "texcoord"):
        for kept, found in zip(columns_of(before, name), columns_of(after, name), strict=True):
            np.testing.assert_array_equal(found, kept)
    for name in ("small", "big"):
        one, two = before.find(f"**/{name}"), after.find(f"**/{name}")
        assert two.get_tag("made-by") == name
        assert two.get_state() == one.get_state()
        assert two.get_mat() == one.get_mat()
    for values in columns_of(after, "rtstamp_uv"):
        assert ((values[..., :2] >= 0.0) & (values[..., :2] <= 1.0)).all()
        assert (values[..., 2] == 1.0).all()
    assert overlap(mesh_of(after)) == 0
    assert not after.find_all_matches("**/@@*")


def test_textures_are_found_from_another_folder(base: Any, tmp_path: Path) -> None:
    picture = PNMImage(4, 4)
    picture.fill(0.25, 0.5, 0.75)
    assert picture.write(Filename.from_os_specific(str(tmp_path / "picture.png")))
    node = box((1.0, 1.0, 1.0))
    node.set_texture(TexturePool.load_texture(Filename.from_os_specific(str(tmp_path / "picture.png"))))
    (tmp_path / "elsewhere").mkdir()
    assert unwrap(save(node, tmp_path / "crate.bam"), tmp_path / "elsewhere" / "crate.bam", *OWN) == 0
    TexturePool.release_all_textures()
    texture = read(base, tmp_path / "elsewhere" / "crate.bam").find_texture("*")
    assert texture is not None
    assert texture.has_ram_image()
    assert Path(texture.get_fullpath().to_os_specific()) == tmp_path / "picture.png"


@pytest.mark.parametrize(
    ("name", "animations", "animation", "frame"),
    [
        ("panda-model", {"walk": "models/panda-walk4"}, "walk", 10),
        # Its animation, of morphs, is in the model itself.
        ("ripple", None, "ripple", 27),
    ],
)
def test_animations_are_kept(
    tmp_path: Path, name: str, animations: dict[str, str] | None, animation: str, frame: int
) -> None:
    assert unwrap(name, tmp_path / "out.bam", *OWN) == 0
    found = []
    for file in (f"models/{name}", Filename.from_os_specific(str(tmp_path / "out.bam"))):
        actor = Actor(file, animations)
        rest = world_triangles(actor)
        actor.pose(animation, frame)
        actor.update(force=True)
        found.append(world_triangles(actor))
        assert np.abs(found[-1] - rest).max() > 0.01
        actor.cleanup()
        actor.remove_node()
    np.testing.assert_allclose(found[1], found[0], rtol=1e-5, atol=1e-5)


# What a game does with it.


@pytest.mark.parametrize("name", ["crate", "teapot"])
def test_games_do_not_unwrap_it(
    base: Any, scene: NodePath, crate: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    source = crate if name == "crate" else Path("teapot")
    out = crate.with_name("out.bam")
    assert unwrap(source, out, *OWN) == 0
    original = unwrapping.unwrap
    calls = []

    def counted(*args: Any, **options: Any) -> Any:
        calls.append(args)
        return original(*args, **options)

    monkeypatch.setattr(unwrapping, "unwrap", counted)
    plain = read(base, crate) if name == "crate" else base.loader.load_model("models/teapot")
    for model, count in ((read(base, out), 0), (plain, 1)):
        model.reparent_to(scene)
        with system(base, unwrapper="own", unwrap_at_once=1_000_000) as stamps:
            binding = stamps.hit(model, tuple(mesh_of(model, "vertex").points[0, 0]), radius=0.2)
            assert binding is not None
            assert binding.ready
            step(base, 2)
        assert len(calls) == count


def test_what_is_usable_is_left_alone(crate: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = crate.with_name("out.bam")
    again = crate.with_name("again.bam")
    assert unwrap(crate, out, *OWN) == 0
    capsys.readouterr()
    assert unwrap(out, again, *OWN) == 0
    assert "games use its UV set 'rtstamp_uv'" in capsys.readouterr().out
    assert not again.exists()
    assert unwrap(out, again, *OWN, "--force") == 0
    assert again.exists()


def test_a_tag_that_names_another_set(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    node = box((1.0, 1.0, 1.0))
    for tag, told in (("texcoord", 1), ("", 0)):
        node.set_tag("rtstamp-uv", tag)
        assert unwrap(save(node, tmp_path / "crate.bam"), *OWN) == 0
        assert capsys.readouterr().out.count("tells games to use 'texcoord'") == told


# Which file.


def test_beside_the_model(crate: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(crate.parent.parent)
    assert unwrap(crate, *OWN) == 0
    assert crate.with_name("crate.rtstamp.bam").is_file()


def test_in_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("box", "models/jack.egg.pz"):
        assert unwrap(name, *OWN) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["box.rtstamp.bam", "jack.rtstamp.bam"]


def test_compressed(base: Any, crate: Path) -> None:
    out = crate.with_name("out.bam.pz")
    assert unwrap(crate, out, *OWN) == 0
    assert out.read_bytes()[:1] == b"\x78"
    assert len(columns_of(read(base, out), "rtstamp_uv")) == 1


def test_the_model_itself_only_by_force(base: Any, crate: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = crate.read_bytes()
    assert unwrap(crate, crate, *OWN) == 2
    assert "--force" in capsys.readouterr().err
    assert crate.read_bytes() == before
    assert unwrap(crate, crate, *OWN, "--force") == 0
    assert len(columns_of(read(base, crate), "rtstamp_uv")) == 1
    assert list(crate.parent.iterdir()) == [crate]


def test_nothing_is_left_of_what_cannot_be_written(crate: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = crate.with_name("out.bam")
    folder.mkdir()
    assert unwrap(crate, folder, *OWN) == 2
    assert "cannot be written" in capsys.readouterr().err
    assert sorted(crate.parent.iterdir()) == [crate, folder]


# What is wrong with what was asked for.


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["no-such-model"], "There is no file no-such-model"),
        ([""], "a folder"),
        (["words.txt"], "is not a model"),
        (["broken.bam"], "is not a model"),
        (["broken.glb"], "is not a model"),
        (["panda-walk4"], "has no triangles"),
        (["crate.bam", "out.egg"], "must end in .bam or .bam.pz"),
        (["crate.bam", "nowhere/out.bam"], "There is no folder nowhere"),
        (["crate.bam", "out.bam", "--preview", "out.txt"], "must end in .png"),
        (["crate.bam", "out.bam", "--preview", "nowhere/out.png"], "There is no folder nowhere"),
    ],
)
def test_bad_input_is_one_sentence(
    crate: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    sentence: str,
) -> None:
    monkeypatch.chdir(crate.parent)
    whole = crate.read_bytes()
    Path("words.txt").write_text("no model", encoding="utf-8")
    # Cut off later, it would keep Panda3D 1.10 busy for ever.
    Path("broken.bam").write_bytes(whole[:150])
    Path("broken.glb").write_bytes(b"glTF" + bytes(20))
    before = sorted(crate.parent.iterdir())
    assert unwrap(*arguments, *OWN) == 2
    shown = capsys.readouterr()
    assert sentence in shown.err
    assert len(shown.err.strip().splitlines()) == 1
    assert shown.out == ""
    assert sorted(crate.parent.iterdir()) == before


@pytest.mark.parametrize("unwrapper", ["xatlas", "uvunwrap"])
def test_an_unwrapper_that_is_not_installed(
    crate: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], unwrapper: str
) -> None:
    monkeypatch.setitem(sys.modules, unwrapper, None)
    assert unwrap(crate, "--unwrapper", unwrapper) == 2
    assert "pip install panda-rtstamp[unwrap]" in capsys.readouterr().err
    assert list(crate.parent.iterdir()) == [crate]


@pytest.mark.parametrize("unwrapper", ["xatlas", "uvunwrap", "own"])
def test_each_unwrapper(crate: Path, capsys: pytest.CaptureFixture[str], unwrapper: str) -> None:
    if unwrapper != "own":
        pytest.importorskip(unwrapper)
    assert unwrap(crate, "--unwrapper", unwrapper) == 0
    assert row(capsys.readouterr().out, "unwrapper") == unwrapper


# The report, the bar and the picture.


def row(output: str, name: str) -> str:
    """The value in the report's line of this name."""
    lines = [line for line in output.splitlines() if line.startswith(f"  {name} ")]
    assert len(lines) == 1, output
    return lines[0].removeprefix(f"  {name}").strip()


def test_the_report(crate: Path, base: Any, capsys: pytest.CaptureFixture[str]) -> None:
    out = crate.with_name("out.bam")
    assert unwrap(crate, out, *OWN) == 0
    shown = capsys.readouterr().out
    assert row(shown, "geometry") == "12 triangles, 1 Geom, 1 GeomNode"
    assert row(shown, "size") == "2 x 2 x 2 units"
    assert row(shown, "animation") == "none"
    assert row(shown, "texcoord").split() == ["100.0%", "0.0%", "0.0%", "1", "of", "1", "not", "usable"]
    assert row(shown, "charts") == "6"
    assert row(shown, "overlap") == "0.0%"
    # Six equal squares of 2 x 2 units: their density is that of the whole.
    mesh = mesh_of(read(base, out))
    share = float((mesh.areas / mesh.texel_areas).sum())
    assert row(shown, "fill") == f"{share:.0%} of the square"
    density, _, *charts = map(float, re.findall(r"[\d.]+", row(shown, "texels a unit")))
    assert [density, *charts] == pytest.approx([1024 * np.sqrt(share / 24)] * 3, rel=1e-3)
    assert row(shown, "written").startswith(str(out))


def test_plain_lines_where_there_is_no_terminal(crate: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert unwrap(crate, *OWN) == 0
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "unwrapping 12 triangles: 0%"
    assert lines[-1] == "unwrapping 12 triangles: 100%"
    assert len(lines) <= 5


def test_a_bar_on_a_terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with Progress("working") as progress:
        progress(0.5)
    shown = capsys.readouterr().err
    assert f"\r  working [{'#' * 20}{'.' * 20}]  50%" in shown
    # It is wiped out at the end.
    assert shown.endswith("\r")
    assert shown.split("\r")[-2].strip() == ""
    assert "\n" not in shown


def test_the_preview(base: Any, crate: Path) -> None:
    out, picture = crate.with_name("out.bam"), crate.with_name("out.png")
    assert unwrap(crate, out, *OWN, "--preview", picture) == 0
    image = PNMImage(Filename.from_os_specific(str(picture)))
    assert (image.get_x_size(), image.get_y_size()) == (1024, 1024)
    # In the middle of each face a colour of its own, at its place with v upwards.
    quads_of = mesh_of(read(base, out)).uvs.reshape(6, 6, 2)
    colors = set()
    for corners in quads_of:
        u, v = (corners.min(axis=0) + corners.max(axis=0)) / 2
        colors.add(tuple(image.get_xel_val(int(u * 1024), 1023 - int(v * 1024))))
    assert len(colors) == 6
    # And nothing of them in the border, which no chart reaches.
    assert tuple(image.get_xel_val(1, 1)) == tuple(image.get_xel_val(1022, 1022)) == (24, 26, 30)
    assert (24, 26, 30) not in colors


# In a process of its own, as people run it.


def write_glb(path: Path) -> None:
    """A glTF file of one box, as panda3d-gltf loads it."""
    columns = box_columns((2.0, 2.0, 2.0))
    names = {"vertex": "POSITION", "normal": "NORMAL", "texcoord": "TEXCOORD_0"}
    blocks = [values.astype("<f4").tobytes() for values in columns.values()]
    blocks.append(quads(6).astype("<u4").tobytes())
    views, start = [], 0
    for block in blocks:
        views.append({"buffer": 0, "byteOffset": start, "byteLength": len(block)})
        start += len(block)
    accessors: list[dict[str, Any]] = [
        {"bufferView": number, "componentType": 5126, "count": 24, "type": f"VEC{values.shape[1]}"}
        for number, values in enumerate(columns.values())
    ]
    accessors[0] |= {"min": [-1.0] * 3, "max": [1.0] * 3}
    accessors.append({"bufferView": 3, "componentType": 5125, "count": 36, "type": "SCALAR"})
    attributes = {names[name]: number for number, name in enumerate(columns)}
    buffer = base64.b64encode(b"".join(blocks)).decode()
    document = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0, "name": "crate"}],
        "meshes": [{"primitives": [{"attributes": attributes, "indices": 3}]}],
        "accessors": accessors,
        "bufferViews": views,
        "buffers": [{"byteLength": start, "uri": f"data:application/octet-stream;base64,{buffer}"}],
    }
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    header = struct.pack("<4sII", b"glTF", 2, 20 + len(text)) + struct.pack("<I4s", len(text), b"JSON")
    path.write_bytes(header + text)


def test_gltf_in_a_process_without_a_window(base: Any, tmp_path: Path) -> None:
    pytest.importorskip("gltf")
    write_glb(tmp_path / "crate.glb")
    done = run_python("-m", "panda_rtstamp", "unwrap", "crate.glb", *OWN, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    # assimp would have called it `texcoord`.
    assert "  texcoord.0 " in done.stdout
    model = read(base, tmp_path / "crate.rtstamp.bam")
    assert overlap(mesh_of(model)) == 0


def each_once(model: NodePath) -> NodePath:
    """The GeomNodes of a model, of which scenes draw the same one in many places."""
    result = NodePath("each once")
    for node in dict.fromkeys(path.node() for path in geom_paths(model)):
        result.attach_new_node(node.make_copy())
    return result


@pytest.mark.full
@pytest.mark.parametrize("unwrapper", ["own", "uvunwrap", "xatlas"])
@pytest.mark.parametrize("name", [*PANDA_MODELS, *COOP_MODELS])
def test_all_models(base: Any, tmp_path: Path, name: str, unwrapper: str) -> None:
    if unwrapper != "own":
        pytest.importorskip(unwrapper)
    source = COOP / name if name in COOP_MODELS else Path(name)
    out = tmp_path / "out.bam"
    # xatlas 0.0.11 reads beyond the end of its own arrays (Valgrind says), and has ended a run of all tests.
    run = unwrap_apart if unwrapper == "xatlas" else unwrap
    assert run(source, out, "--unwrapper", unwrapper, "--force") == 0
    mesh = mesh_of(each_once(read(base, out)))
    assert np.isfinite(mesh.uvs).all()
    assert mesh.uvs.min() >= 0.0
    assert mesh.uvs.max() <= 1.0
    assert overlap(mesh) == 0
