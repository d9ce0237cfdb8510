"""A process of test_displays: marks on a model that simplepbr or complexpbr draws, saved as arrays.

The colours are the renderer's own: simplepbr's before its tone mapping (0..1), complexpbr's as the window has
them.
Arguments: the renderer, the file to write.
"""

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray
from panda3d.core import Material

from pictures import Bools, Floats, layered, look_from, mark_mask, rgb, see_node, stamps_on
from support import make_base, read_target, screenshot

POINT = (0.1, -0.95, 0.2)
RADIUS = 0.6
COLOR = (0.9, 0.1, 0.2)


def main(renderer: str, output: str) -> None:
    base = make_base()
    target = start(base, renderer)

    def colors() -> NDArray[Any]:
        screen = screenshot(base)
        return screen if target is None else read_target(base, target)[::-1]

    model = base.loader.load_model("models/smiley")
    model.set_tag("rtstamp-uv", "texcoord")
    model.reparent_to(base.render)
    model.set_h(20)
    material = Material("model")
    material.set_base_color((0.9, 0.7, 0.6, 1.0))
    material.set_roughness(0.6)
    model.set_material(material)
    look_from(base, (0.0, -5.0, 1.0))
    screenshot(base, frames=4)
    seen = see_node(base, model)
    arrays: dict[str, Any] = {
        "before": colors(),
        "screen": screenshot(base),
        "inner": seen.inner(0.1) & smooth(seen.distance(POINT)),
        "mark": layered((COLOR, mark_mask(seen.distance(POINT), RADIUS))),
        "full": 255.0 if target is None else 1.0,
    }
    for display in ("overlay", "wrap"):
        for look in ("paint", "tint", "glow"):
            with stamps_on(base, display=display, look=look) as stamps:
                assert stamps.hit(model, POINT, radius=RADIUS, color=COLOR) is not None
                arrays[f"{display}-{look}"] = colors()
                assert (rgb(screenshot(base)) != rgb(arrays["screen"])).any()
                stamps.clear_all()
                arrays[f"{display}-{look}-after"] = screenshot(base)
    with stamps_on(base, display="shader") as stamps:
        assert stamps.hit(model, POINT, radius=RADIUS, color=COLOR) is not None
        arrays["shader"] = screenshot(base)
    np.savez(output, **arrays)


def smooth(distance: Floats) -> Bools:
    """Pixels that are not at the formula's two bends, which linear filtering rounds off."""
    texel = 2 * np.pi / 1024
    result: Bools = (np.abs(distance - RADIUS) > texel) & (np.abs(distance - 0.1 * RADIUS) > texel)
    return result


def start(base: Any, renderer: str) -> Any:
    """Set the renderer up; the texture that holds the scene's colours, or None where the window does."""
    if renderer == "complexpbr":
        import complexpbr

        complexpbr.apply_shader(base.render, env_res=16, lut_fill=[1.0, 0.9, 0.8])
        return None
    import simplepbr

    pipeline = simplepbr.init(enable_shadows=False, msaa_samples=0)
    return pipeline._filtermgr.buffers[0].get_texture(0)


if __name__ == "__main__":
    main(*sys.argv[1:])
