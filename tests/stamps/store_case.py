"""A process of test_store: loads the files that another one saved, and writes what is seen then.

Arguments: the folder of the files, then the formats that they are of, one a file.
"""

import sys
from pathlib import Path
from typing import Any

import numpy as np

from panda_rtstamp import StampConfig, StampSystem
from panda_rtstamp.stamps.saved import Places, mesh_of
from saved_scene import Images, Scene
from support import make_base, step


def main(folder: str, *formats: str) -> None:
    base = make_base()
    scene = Scene(base, base.render.attach_new_node("scene"))
    for format in formats:
        # By an unwrapper that lays models out in another way than the one of the process that saved.
        config = StampConfig(format=format, unwrapper="xatlas", unwrap_at_once=100_000)
        with StampSystem(base, config) as stamps:
            results: Images = {}
            if format == formats[0]:
                # Marks that give way.
                assert stamps.hit(scene.box, scene.box.get_pos(), radius=2.0) is not None
                results["own layout"] = digest(stamps, scene)
            assert stamps.load(Path(folder, f"{format}.marks")) == len(scene.nodes)
            results["saved layout"] = digest(stamps, scene)
            results |= look(base, stamps, scene)
            np.savez(Path(folder, f"{format}.npz"), **results)  # type: ignore[arg-type]


def digest(stamps: StampSystem, scene: Scene) -> Any:
    """Of where the box lies on its texture."""
    binding = stamps.binding(scene.box)
    assert binding is not None
    return np.frombuffer(Places.of(mesh_of(scene.box, binding.surface)).digest, np.uint8)


def look(base: Any, stamps: StampSystem, scene: Scene) -> Images:
    """What is seen after one frame and after one second more."""
    seen: Images = {}
    for moment, frames in (("now", 1), ("later", 60)):
        step(base, frames)
        seen |= {f"{moment} {name}": image for name, image in scene.images(stamps).items()}
    return seen


if __name__ == "__main__":
    main(*sys.argv[1:])
