"""The models of the games, which `models/make.py` makes."""

from pathlib import Path
from typing import Any

from panda3d.core import Filename, NodePath, get_model_path

FOLDER = Path(__file__).resolve().parents[2] / "models"


def add_to_model_path() -> None:
    """Let the models be found by their file names."""
    get_model_path().append_directory(Filename.from_os_specific(str(FOLDER)))


def load(base: Any, name: str) -> NodePath:
    """A model that does not move."""
    model: NodePath = base.loader.load_model(f"{name}.bam")
    let_glow(model)
    return model


def let_glow(model: NodePath) -> None:
    """Let the parts that are lamps, strips or eyes give light (`arena.frag`, say)."""
    for part in model.find_all_matches("**/glow"):
        part.set_shader_input("u_emission", 1)
