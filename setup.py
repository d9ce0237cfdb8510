"""Builds panda-rtstamp. A wheel has shaders and brushes in a module: frozen games read no package data."""

import re
from collections.abc import Mapping
from pathlib import Path

from setuptools import find_packages, setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent
DATA_MODULE = Path("panda_rtstamp", "_data.py")

SAMPLES = ["pillow", "panda3d-assetcoop"]
PBR = ["panda3d-simplepbr", "panda3d-gltf"]
UNWRAP = ["xatlas", "uvunwrap"]
TEST = ["pytest>=8", "build", "setuptools>=70.1", "panda3d-complexpbr", *SAMPLES, *PBR, *UNWRAP]
DEV = ["ruff", "mypy", "types-panda3d", "types-setuptools", *TEST]


def read_version() -> str:
    """`__version__` of the package, without importing it: Panda3D may not be installed yet."""
    text = (ROOT / "panda_rtstamp" / "__init__.py").read_text(encoding="utf-8")
    match = re.search(r'^__version__ = "([^"]+)"$', text, re.MULTILINE)
    if match is None:
        raise SystemExit("panda_rtstamp/__init__.py has no line __version__ = ...")
    return match.group(1)


def data_module() -> str:
    """Python source of a module that holds the shaders, by their paths below shaders/, and the brushes."""
    folder = ROOT / "shaders"
    paths = (path for path in folder.rglob("*") if path.is_file() and not path.name.startswith("."))
    shaders = {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in paths}
    brushes = {path.stem: path.read_bytes() for path in (ROOT / "models" / "brushes").glob("*.png")}
    if not shaders or not brushes:
        raise SystemExit(f"no shaders or no brushes found in {ROOT}: the source tree is incomplete")
    lines = ['"""Made by setup.py from shaders/ and models/brushes/. Do not edit."""', ""]
    lines += ["SHADERS: dict[str, str] = {", *_entries(shaders), "}", ""]
    lines += ["BRUSHES: dict[str, bytes] = {", *_entries(brushes), "}", ""]
    return "\n".join(lines)


def _entries(files: Mapping[str, str | bytes]) -> list[str]:
    return [f"    {name!r}: {content!r}," for name, content in sorted(files.items())]


class BuildWithData(build_py):
    """Adds the data module to what is built; a checkout (an editable install) reads the files themselves."""

    def run(self) -> None:
        super().run()
        if not self.editable_mode:
            target = Path(self.build_lib, DATA_MODULE)
            target.write_text(data_module(), encoding="utf-8", newline="\n")

    def get_outputs(self, include_bytecode: bool = True) -> list[str]:
        outputs: list[str] = super().get_outputs(include_bytecode)
        if not self.editable_mode:
            outputs.append(str(Path(self.build_lib, DATA_MODULE)))
        return outputs


readme = ROOT / "README.md"
setup(
    name="panda-rtstamp",
    version=read_version(),
    description="Surfaces that remember: bullet marks baked into render targets, for Panda3D",
    long_description=readme.read_text(encoding="utf-8") if readme.is_file() else "",
    long_description_content_type="text/markdown",
    author="panda_rtstamp contributors",
    license="BSD-3-Clause",
    license_files=["LICENSE"],
    keywords=["panda3d", "decals", "bullet marks", "render to texture"],
    classifiers=[
        "Development Status :: 4 - Beta",
        "Intended Audience :: Developers",
        "Operating System :: OS Independent",
        "Programming Language :: Python :: 3",
        "Topic :: Multimedia :: Graphics :: 3D Rendering",
        "Typing :: Typed",
    ],
    python_requires=">=3.10",
    packages=find_packages(include=["panda_rtstamp", "panda_rtstamp.*"]),
    package_data={"panda_rtstamp": ["py.typed"]},
    install_requires=["panda3d>=1.10.13", "numpy"],
    extras_require={"samples": SAMPLES, "pbr": PBR, "unwrap": UNWRAP, "test": TEST, "dev": DEV},
    cmdclass={"build_py": BuildWithData},
    zip_safe=False,
)
