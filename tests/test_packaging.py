"""What `pip install` gives people: built from an sdist, as a release is, and run without the checkout."""

import runpy
import shutil
import tarfile
import zipfile
from pathlib import Path

import pytest

from support import PROFILES, ROOT, run_python

NOT_SOURCE = (".git", ".venv", "build", "dist", "out", "*.egg-info", "__pycache__", ".*_cache")
GENERATED = "panda_rtstamp/_shader_data.py"


def shader_files() -> dict[str, str]:
    """The text of each file in the checkout's shaders/, by its path there."""
    folder = ROOT / "shaders"
    paths = [path for path in folder.rglob("*") if path.is_file() and not path.name.startswith(".")]
    return {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in paths}


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


def test_the_wheel_holds_every_shader(unpacked: Path) -> None:
    sources = runpy.run_path(str(unpacked / GENERATED))["SOURCES"]
    assert sources == shader_files()
    assert sources


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
    """The doctor opens a context, and a shader is read, in a folder that knows no checkout."""
    name = min(shader_files())
    code = (
        "import panda_rtstamp, sys\n"
        "from panda_rtstamp.core.paths import read_shader_source\n"
        "from panda_rtstamp.__main__ import main\n"
        f"assert panda_rtstamp.__file__.startswith({str(unpacked)!r}), panda_rtstamp.__file__\n"
        f"assert read_shader_source({name!r}) is not None\n"
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
    wanted |= {"setup.py", "pyproject.toml", "dev.py", "LICENSE", "tests/conftest.py", "tests/support.py"}
    assert wanted <= names
    assert not {name for name in names if name.endswith(".pyc") or name.startswith("tests/out")}
    assert GENERATED not in names


def test_an_editable_install_makes_no_shader_module(tmp_path: Path) -> None:
    """A stale copy of the shaders would hide every change to them."""
    source = copy_source(tmp_path / "source")
    code = f"from setuptools.build_meta import build_editable\nbuild_editable({str(tmp_path)!r})"
    done = run_python("-c", code, cwd=source)
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        assert not [name for name in archive.namelist() if "_shader_data" in name]
    assert not list(source.rglob("_shader_data*"))
