"""A process of test_overlay_filters: an overlay over a filtered main scene.

Arguments: the filter (common, manager, simplepbr, simplepbr-msaa; or msaa: a window with several samples a
pixel), and whether the overlay or the filter is made first. Writes "done" if all is right.
"""

import sys
from typing import Any

import numpy as np
from panda3d.core import (
    AmbientLight,
    AntialiasAttrib,
    DirectionalLight,
    NodePath,
    TransparencyAttrib,
    load_prc_file_data,
)

from panda_rtstamp.overlay.viewport import Overlay
from pictures import glsl
from support import make_base, screenshot, step
from viewport_support import GREEN, RED, box_of, card_scene, filled, main_scene, pixel_camera

_QUAD_VERTEX = """#version 330
uniform mat4 p3d_ModelViewProjectionMatrix;
in vec4 p3d_Vertex;
in vec2 p3d_MultiTexCoord0;
out vec2 v_texcoord;
void main() {
    gl_Position = p3d_ModelViewProjectionMatrix * p3d_Vertex;
    v_texcoord = p3d_MultiTexCoord0;
}
"""
_INVERTED_FRAGMENT = """#version 330
uniform sampler2D u_source;
in vec2 v_texcoord;
out vec4 o_color;
void main() {
    o_color = vec4(1.0 - texture(u_source, v_texcoord).rgb, 1.0);
}
"""


def main(name: str, first: str) -> None:
    if name == "msaa":
        load_prc_file_data("several samples", "framebuffer-multisample 1\nmultisamples 4")
    base = make_base()
    root = base.render.attach_new_node("root")
    main_scene(base, root)
    for light in (AmbientLight("ambient"), DirectionalLight("sun")):
        path = base.render.attach_new_node(light)
        path.set_hpr(-30.0, -40.0, 0.0)
        base.render.set_light(path)
    unfiltered = screenshot(base)
    early = Overlay(base, NodePath("empty"), base.cam) if first == "overlay" else None
    held = make_filter(base, name)
    before = screenshot(base, 4)
    assert (before != unfiltered).any(axis=-1).sum() > 300, "there is no filter"
    if early is not None:
        early.hide()
        step(base)
        assert (screenshot(base) == before).all(), "an empty overlay that was there first"
        early.destroy()
    cards = card_scene()
    overlay = Overlay(base, cards, pixel_camera(cards, 256.0, 256.0))
    picture = screenshot(base, 2)
    # Neither filtered nor tone mapped.
    drawn = filled(picture, RED)
    assert box_of(drawn) == (108, 108, 148, 148)
    assert (picture[~drawn] == before[~drawn]).all(), "outside the overlay's objects"
    cards.set_transparency(TransparencyAttrib.M_alpha)
    cards.set_color((*GREEN[:3], 0.0), 1)
    assert (screenshot(base, 2)[..., :3] == before[..., :3]).all(), "wholly transparent"
    cards.get_children().detach()
    for _ in range(3):
        assert (screenshot(base) == before).all(), "an empty overlay"
    overlay.place(rect=(10, 10, 90, 90))
    assert (screenshot(base) == before).all(), "in a rect"
    overlay.destroy()
    assert (screenshot(base) == before).all(), "after it"
    del held
    print("done")


def make_filter(base: Any, name: str) -> Any:
    """What draws the main scene into buffers and the result into the window; to be held."""
    if name == "common":
        from direct.filter.CommonFilters import CommonFilters

        filters = CommonFilters(base.win, base.cam)
        assert filters.set_inverted()
        assert filters.set_bloom(size="small")
        return filters
    if name == "manager":
        from direct.filter.FilterManager import FilterManager
        from panda3d.core import Texture

        manager, source = FilterManager(base.win, base.cam), Texture()
        quad = manager.render_scene_into(colortex=source)
        assert quad is not None
        quad.set_shader(glsl(_QUAD_VERTEX, _INVERTED_FRAGMENT))
        quad.set_shader_input("u_source", source)
        return manager, quad
    base.render.set_antialias(AntialiasAttrib.M_auto)
    if name == "msaa":
        return None
    import simplepbr

    return simplepbr.init(enable_shadows=False, msaa_samples=4 if name == "simplepbr-msaa" else 0)


if __name__ == "__main__":
    np.seterr(all="raise")
    main(*sys.argv[1:])
