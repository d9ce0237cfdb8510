"""A process of test_precise: a precise clip on what simplepbr draws, also after it made its shader anew.

Writes "done" if all is as it should be.
"""

import simplepbr
from panda3d.core import AmbientLight, Material, NodePath

from pictures import assert_same_scene, snapshot
from precise_support import HERO, boxes_at, coarse, hero_at, lay_ground
from support import make_base, screenshot
from vision_support import sees


def draw_red(card: NodePath) -> None:
    material = Material("red")
    material.set_base_color((0.8, 0.2, 0.1, 1.0))
    card.set_material(material)


def main() -> None:
    base = make_base()
    pipeline = simplepbr.init(enable_shadows=False, msaa_samples=0)
    base.render.set_light(base.render.attach_new_node(AmbientLight("light")))
    scene = base.render.attach_new_node("scene")
    with coarse(base) as vision:
        ends = boxes_at(scene, vision)
        ground = lay_ground(base, scene, draw_red)
        vision.add_viewer(hero_at(scene), view_range=50.0)
        found, seen = snapshot(scene), sees(ground.points, HERO, ends)
        vision.clip(scene, precise=True)
        sources = set()
        for change in (None, "use_occlusion_maps", "enable_fog"):
            if change is not None:
                setattr(pipeline, change, True)
            ground.check(seen)
            sources.add(base.render.get_shader())
        assert len(sources) == 3
        vision.release(scene)
        assert_same_scene(snapshot(scene), found)
        assert (screenshot(base) == ground.whole).all()
    print("done")


if __name__ == "__main__":
    main()
