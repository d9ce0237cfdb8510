"""A process of test_store: loads the files that another one saved, and writes what is seen then.

Arguments: the folder of the files, then the formats that they are of, one a file.
"""

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from panda_rtstamp import StampConfig, StampSystem
from panda_rtstamp.stamps.saved import Places, mesh_of
from saved_scene import Scene
from support import make_base


def main(folder: str, *formats: str) -> None:
    base = make_base()
    scene = Scene(base, base.render.attach_new_node("scene"))
    # By an unwrapper that lays models out in another way than the one of the process that saved.
    with StampSystem(base, StampConfig(unwrapper="xatlas", unwrap_at_once=100_000)) as stamps:
        # A mark that is to give way.
        assert stamps.hit(scene.box, (0, 0, 0), other=scene.box, radius=2.0) is not None
        before = digest(stamps, scene)
        for format in formats:
            stamps.set_config(replace(stamps.config, format=format))
            assert stamps.load(Path(folder, f"{format}.marks")) == len(scene.nodes)
            layouts = {"layout before": before, "layout": digest(stamps, scene)}
            np.savez(Path(folder, f"{format}.npz"), **layouts, **scene.look(stamps))  # type: ignore[arg-type]


def digest(stamps: StampSystem, scene: Scene) -> Any:
    """Of where the box lies on its texture."""
    binding = stamps.binding(scene.box)
    assert binding is not None
    return np.frombuffer(
        Places.of(mesh_of(scene.box, binding.surface), binding.surface.was_made).digest, np.uint8
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
