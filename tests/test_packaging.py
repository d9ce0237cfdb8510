"""What `pip install` gives people: built from an sdist, as a release is, and run without the checkout."""

import os
import runpy
import shutil
import subprocess
import sys
import tarfile
import zipfile
from importlib.metadata import version
from pathlib import Path

import pytest

from support import PROFILES, ROOT, run_python

NOT_SOURCE = (".git", ".venv", "build", "dist", "out", "*.egg-info", "__pycache__", ".*_cache")
GENERATED = "panda_rtstamp/_data.py"

FROZEN_APP = """
from panda3d.core import CardMaker, load_prc_file_data
load_prc_file_data("", "load-display p3headlessgl\\nwindow-type offscreen\\naudio-library-name null\\n")
from direct.showbase.ShowBase import ShowBase
from panda_rtstamp import StampSystem
base = ShowBase()
card = base.render.attach_new_node(CardMaker("card").generate())
card.set_pos(0, 5, 0)
stamps = StampSystem(base)
stamps.hit(card, (0.5, 5, 0.5), radius=0.3)
base.task_mgr.step()
image = stamps.image(card)
print("strongest:", image[..., 3].max() / stamps.bindings[0].alpha)
"""

FROZEN_SETUP = """
from setuptools import setup
setup(name="app", options={"build_apps": {
    "console_apps": {"app": "app.py"},
    "plugins": ["p3headlessgl"],
    "platforms": ["manylinux2014_x86_64"],
    "use_optimized_wheels": False,
}})
"""


def shader_files() -> dict[str, str]:
    """The text of each file in the checkout's shaders/, by its path there."""
    folder = ROOT / "shaders"
    paths = [path for path in folder.rglob("*") if path.is_file() and not path.name.startswith(".")]
    return {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in paths}


def brush_files() -> dict[str, bytes]:
    """The checkout's ready brushes, by name."""
    return {path.stem: path.read_bytes() for path in (ROOT / "models" / "brushes").glob("*.png")}


def copy_source(target: Path) -> Path:
    """A copy of the checkout, so that building leaves nothing in it."""
    return Path(shutil.copytree(ROOT, target, ignore=shutil.ignore_patterns(*NOT_SOURCE)))


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an sdist, and a wheel made of it."""
    folder = tmp_path_factory.mktemp("packaging")
    source = copy_source(folder / "source")
    options = ["--no-isolation", "--outdir", str(folder / "dist")]
    done = run_python("-m", "build", *options, str(source), cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "dist"


@pytest.fixture(scope="module")
def unpacked(built: Path) -> Path:
    """The wheel, unpacked as pip would do it."""
    (wheel,) = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(built / "unpacked")
    return built / "unpacked"


def test_a_checkout_has_no_generated_module() -> None:
    assert not (ROOT / GENERATED).exists()


def test_the_wheel_holds_every_shader_and_brush(unpacked: Path) -> None:
    data = runpy.run_path(str(unpacked / GENERATED))
    assert data["SHADERS"] == shader_files()
    assert data["BRUSHES"] == brush_files()
    assert data["SHADERS"]
    assert data["BRUSHES"]


def test_the_wheel_holds_the_package_and_nothing_else(unpacked: Path) -> None:
    folders = {path.name for path in unpacked.iterdir() if not path.name.endswith(".dist-info")}
    assert folders == {"panda_rtstamp"}
    assert (unpacked / "panda_rtstamp" / "py.typed").is_file()
    modules = {path.relative_to(ROOT).as_posix() for path in (ROOT / "panda_rtstamp").rglob("*.py")}
    found = {path.relative_to(unpacked).as_posix() for path in unpacked.rglob("*.py")}
    assert found == modules | {GENERATED}


def test_the_metadata(unpacked: Path) -> None:
    (metadata,) = unpacked.glob("*.dist-info/METADATA")
    lines = metadata.read_text(encoding="utf-8").splitlines()
    assert "Name: panda-rtstamp" in lines
    assert "Requires-Python: >=3.10" in lines
    assert "Requires-Dist: panda3d>=1.10.13" in lines
    assert {line for line in lines if line.startswith("Provides-Extra")} == {
        f"Provides-Extra: {extra}" for extra in ("samples", "pbr", "unwrap", "test", "dev")
    }
    assert list(metadata.parent.rglob("LICENSE"))


def test_the_wheel_works_without_a_checkout(unpacked: Path, tmp_path: Path) -> None:
    """The doctor opens a context, shader and brush are read, in a folder that knows no checkout."""
    name = min(shader_files())
    sizes = {brush: len(content) for brush, content in brush_files().items()}
    code = (
        "import panda_rtstamp, sys\n"
        "from panda_rtstamp.core.paths import brush_names, read_brush, read_shader_source\n"
        "from panda_rtstamp.__main__ import main\n"
        f"assert panda_rtstamp.__file__.startswith({str(unpacked)!r}), panda_rtstamp.__file__\n"
        f"assert read_shader_source({name!r}) is not None\n"
        f"assert {{brush: len(read_brush(brush)) for brush in brush_names()}} == {sizes!r}\n"
        "assert read_brush('none such') is None\n"
        "sys.exit(main(['doctor']))\n"
    )
    (tmp_path / "test.prc").write_text(PROFILES["compat"], encoding="utf-8")
    env = {"PYTHONPATH": str(unpacked), "PANDA_PRC_DIR": str(tmp_path)}
    done = run_python("-c", code, env=env, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_sdist_holds_what_tests_and_samples_need(built: Path) -> None:
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    wanted = {f"shaders/{name}" for name in shader_files()}
    wanted |= {f"models/brushes/{name}.png" for name in brush_files()}
    wanted |= {"setup.py", "pyproject.toml", "dev.py", "LICENSE", "tests/conftest.py", "tests/support.py"}
    assert wanted <= names
    assert not {name for name in names if name.endswith(".pyc") or name.startswith("tests/out")}
    assert GENERATED not in names


def test_an_editable_install_makes_no_data_module(tmp_path: Path) -> None:
    """A stale copy of shaders or brushes would hide every change to them."""
    source = copy_source(tmp_path / "source")
    code = f"from setuptools.build_meta import build_editable\nbuild_editable({str(tmp_path)!r})"
    done = run_python("-c", code, cwd=source)
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        assert not [name for name in archive.namelist() if name.endswith("/_data.py")]
    assert not list(source.rglob("_data.py*"))


@pytest.mark.full
@pytest.mark.skipif(sys.platform != "linux", reason="builds for Linux, and runs what it built")
def test_a_frozen_game_makes_marks(built: Path, tmp_path: Path) -> None:
    """No file of the package is there to be read."""
    (tmp_path / "app.py").write_text(FROZEN_APP, encoding="utf-8")
    (tmp_path / "setup.py").write_text(FROZEN_SETUP, encoding="utf-8")
    needs = f"--find-links {built}\npanda3d=={version('panda3d')}\nnumpy\npanda-rtstamp\n"
    (tmp_path / "requirements.txt").write_text(needs, encoding="utf-8")
    # build_apps calls pip by its name.
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = run_python("setup.py", "build_apps", cwd=tmp_path, env={"PATH": path}, timeout=900)
    assert done.returncode == 0, done.stdout + done.stderr
    program = tmp_path / "build" / "manylinux2014_x86_64" / "app"
    run = subprocess.run([program], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    assert float(run.stdout.split("strongest:")[1]) == pytest.approx(1.0, abs=0.02)
