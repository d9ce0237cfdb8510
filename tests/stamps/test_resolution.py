"""Big and small: a surface gets 8 texels across a mark's radius, and scale changes nothing else."""

from typing import Any

import numpy as np
import pytest
from panda3d.core import NodePath

from panda_rtstamp import ConfigError, StampConfig
from pictures import to_numpy
from stamp_support import card_points, hit_middle, image_of, mask_formula, system
from support import NotifyLog, make_card, prc, step


def wall(scene: NodePath, size: float, distance: float = 50.0, name: str = "wall") -> NodePath:
    """A card whose UVs are 0..1: n x n texels are n / size texels a unit."""
    result = make_card(size, size, name)
    result.reparent_to(scene)
    result.set_y(distance)
    return result


def warnings(notify: NotifyLog) -> list[str]:
    """What the add-on warned about since the test began."""
    return [line for line in notify.text.splitlines() if line.startswith(":rtstamp")]


@pytest.mark.parametrize(
    ("size", "radius", "resolution"),
    [
        # 256, what the distance gives, is enough.
        (2.0, 1.0, 256),
        (32.0, 1.01, 256),
        (32.0, 1.0, 256),  # 8 texels across the radius to the texel
        # The smallest power of two that has 8.
        (32.0, 0.99, 512),
        (64.0, 1.01, 512),
        (64.0, 0.99, 1024),
        (100.0, 1.0, 1024),
        (200.0, 1.0, 2048),
        (500.0, 1.0, 4096),
        (500.0, 10.0, 512),
        (511.0, 1.0, 4096),
        # The same wall in millimetres, and in kilometres.
        (0.1, 0.001, 1024),
        (1e5, 1000.0, 1024),
    ],
)
def test_enough_texels_across_the_radius(
    base: Any, scene: NodePath, size: float, radius: float, resolution: int
) -> None:
    with system(base) as stamps:
        assert hit_middle(stamps, wall(scene, size), radius=radius).resolution == resolution


@pytest.mark.parametrize(("distance", "resolution"), [(5.0, 1024), (20.0, 512), (50.0, 256)])
def test_near_marks_are_fine_whatever_their_size(
    base: Any, scene: NodePath, distance: float, resolution: int
) -> None:
    """The distance gives what there is at least."""
    with system(base) as stamps:
        assert hit_middle(stamps, wall(scene, 2.0, distance)).resolution == resolution


@pytest.mark.parametrize(
    ("own", "parent", "resolution"), [(1.0, 1.0, 256), (10.0, 1.0, 1024), (1.0, 10.0, 1024), (10.0, 0.1, 256)]
)
def test_the_scale_of_the_node_counts(
    base: Any, scene: NodePath, own: float, parent: float, resolution: int
) -> None:
    rig = scene.attach_new_node("rig")
    rig.set_scale(parent)
    node = wall(rig, 10.0, 50.0 / parent)
    node.set_scale(own)
    with system(base) as stamps:
        assert hit_middle(stamps, node).resolution == resolution


def test_all_parts_of_a_node_count(base: Any, scene: NodePath) -> None:
    """A small part has texels enough; the wall beside it on the same texture has not."""
    group = scene.attach_new_node("group")
    big = wall(group, 100.0)
    small = wall(group, 1.0, 49.0)
    with system(base, unwrapper="own") as stamps:
        binding = stamps.hit(group, (0, 50, 0))
        assert binding is not None
        # Each alone would do with 1024; both on one texture need as much at least.
        assert binding.resolution >= 1024
        stamps.clear_all()
        small.remove_node()
        big.remove_node()


def test_a_tag_wins(base: Any, scene: NodePath) -> None:
    """Who says how many texels there are to be is not told that they are few."""
    node = wall(scene, 1000.0)
    node.set_tag("rtstamp-resolution", "64")
    with system(base) as stamps:
        assert hit_middle(stamps, node).resolution == 64


def test_marks_that_are_there_keep_their_texels(base: Any, scene: NodePath, notify: NotifyLog) -> None:
    """A smaller hit on the same node has to do with them."""
    notify.allow("texels")
    node = wall(scene, 100.0)
    with system(base) as stamps:
        first = hit_middle(stamps, node, radius=10.0)
        step(base)
        assert first.resolution == 256
        assert hit_middle(stamps, node, radius=1.0) is first
        step(base)
        assert first.resolution == 256


# The limit.


@pytest.mark.parametrize("limit", [256, 512, 1024])
def test_the_limit(base: Any, scene: NodePath, notify: NotifyLog, limit: int) -> None:
    """One warning a node, which names it and says what can be done."""
    notify.allow("texels")
    node = wall(scene, 1000.0, name=f"great wall {limit}")
    with system(base, max_resolution=limit) as stamps:
        for _ in range(3):
            assert hit_middle(stamps, node).resolution == limit
            step(base)
        stamps.clear_all()
        assert hit_middle(stamps, node).resolution == limit
        said = warnings(notify)
        assert len(said) == 1
        assert f"great wall {limit}" in said[0]
        assert "max_resolution" in said[0]


def test_each_node_is_warned_about(base: Any, scene: NodePath, notify: NotifyLog) -> None:
    notify.allow("texels")
    with system(base, max_resolution=256) as stamps:
        for name in ("wall of the north", "wall of the south"):
            hit_middle(stamps, wall(scene, 1000.0, name=name))
    said = warnings(notify)
    assert len(said) == 2
    assert "north" in said[0]
    assert "south" in said[1]


def test_the_default_limit(base: Any, scene: NodePath, notify: NotifyLog) -> None:
    notify.allow("texels")
    assert StampConfig().max_resolution == 4096
    with system(base) as stamps:
        assert hit_middle(stamps, wall(scene, 513.0, name="just too big")).resolution == 4096
        assert len(warnings(notify)) == 1


@pytest.mark.parametrize("value", [64, 128, 256, 512, 1024, 2048, 4096])
def test_limits_that_there_are(value: int) -> None:
    assert StampConfig(max_resolution=value).max_resolution == value


@pytest.mark.parametrize("value", [0, -64, 32, 100, 1000, 8192, 64.5, "big", None, True, float("nan")])
def test_limits_that_there_are_not(value: Any) -> None:
    with pytest.raises(ConfigError, match=r"max_resolution.*64.*4096") as caught:
        StampConfig(max_resolution=value)
    assert repr(value) in str(caught.value)


def test_the_limit_by_prc(base: Any, scene: NodePath, notify: NotifyLog) -> None:
    notify.allow("texels")
    with prc("rtstamp-max-resolution 512"):
        assert StampConfig().max_resolution == 512
        with system(base) as stamps:
            assert hit_middle(stamps, wall(scene, 1000.0, name="by prc")).resolution == 512
    with prc("rtstamp-max-resolution 500"), pytest.raises(ConfigError, match="max-resolution"):
        StampConfig()


# Scale changes nothing else.


def mask_at_scale(base: Any, scene: NodePath, file: str, scale: Any, radius: float) -> Any:
    """The mask of a hit at the same place of a model, at this scale of the node."""
    node = make_card(2.0, 2.0) if file == "card" else base.loader.load_model(file)
    node.reparent_to(scene)
    node.set_tag("rtstamp-resolution", "256")
    node.set_scale(scale)
    with system(base, auto_fade=False, unwrapper="own") as stamps:
        point = (0.3, 0.0, 0.2) if file == "card" else (0.3, -0.8, 0.4)
        assert stamps.hit(node, point, other=node, radius=radius, hardness=0.4) is not None
        step(base)
        mask = image_of(stamps, node)[..., 3]
    node.remove_node()
    return mask


@pytest.mark.parametrize("file", ["card", "models/smiley", "models/misc/rgbCube"])
@pytest.mark.parametrize("scale", [1e-3, 1e3])
def test_the_same_mask_at_every_scale(base: Any, scene: NodePath, scale: float, file: str) -> None:
    plain = mask_at_scale(base, scene, file, 1.0, 0.6)
    scaled = mask_at_scale(base, scene, file, scale, 0.6 * scale)
    assert (plain > 0.5).sum() > 500
    assert np.abs(scaled - plain).max() <= 2 / 255


@pytest.mark.parametrize("scale", [(1e-3, 1e-3, 3e-3), (2e3, 1e3, 1e3), (-1e-3, 1e-3, 2e-3)])
def test_a_scale_that_differs_by_direction(
    base: Any, scene: NodePath, scale: tuple[float, float, float]
) -> None:
    """The mark is round in the world, not on the model."""
    node = wall(scene, 2.0)
    node.set_tag("rtstamp-resolution", "256")
    node.set_scale(*scale)
    radius = float(np.abs(scale).min())
    with system(base, auto_fade=False) as stamps:
        assert hit_middle(stamps, node, radius=radius, hardness=0.4) is not None
        step(base)
        mask = image_of(stamps, node)[..., 3]
    linear = to_numpy(node.get_net_transform().get_mat())[:3, :3]
    distance = np.linalg.norm(card_points(2.0, 256) @ linear, axis=-1)
    assert np.abs(mask - mask_formula(distance, radius, 0.4)).max() <= 2 / 255
    assert (mask > 0.5).sum() > 500
    assert (mask == 0).sum() > 500


def test_small_parts_in_a_big_world(base: Any, scene: NodePath) -> None:
    """A node of a thousandth below a parent of a thousand, far away."""
    rig = scene.attach_new_node("rig")
    rig.set_scale(1e3)
    rig.set_pos(1e5, 2e5, 0)
    node = make_card(2.0, 2.0)
    node.reparent_to(rig)
    node.set_scale(1e-3)
    node.set_tag("rtstamp-resolution", "256")
    with system(base, auto_fade=False) as stamps:
        hit_middle(stamps, node, radius=0.6, hardness=0.4)
        step(base)
        mask = image_of(stamps, node)[..., 3]
    distance = np.linalg.norm(card_points(2.0, 256), axis=-1)
    assert np.abs(mask - mask_formula(distance, 0.6, 0.4)).max() <= 2 / 255
