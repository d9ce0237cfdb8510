"""Where layers lie: read back from the graphics card, against the formula."""

from typing import Any

import numpy as np
import pytest
from direct.actor.Actor import Actor
from panda3d.core import ClockObject, LVecBase2f, NodePath, ShaderAttrib

from fur_support import STILL, biased, layer_positions, offsets, roots, shells_of
from panda_rtstamp.core.geometry import net_matrix
from panda_rtstamp.fur.coat import FurCoat
from panda_rtstamp.fur.config import FurConfig
from pictures import SKINNED_VERTEX, glsl
from shapes import grid_faces, make_geom, make_node, sphere
from support import FRAME_RATE
from walkers import WALKERS, load, pose

pytestmark = pytest.mark.profiles

PLACES = {
    "plain": {},
    "moved": {"pos": (2, -1, 3), "hpr": (30, 20, 10), "scale": (0.5, 0.5, 0.5)},
    "mirrored": {"pos": (1, 2, 3), "hpr": (40, 0, 0), "scale": (-0.7, 0.7, 0.7)},
    "stretched": {"hpr": (10, 70, 0), "scale": (0.5, 1.5, 2.0)},
    "mirrored and stretched": {"hpr": (10, 70, 0), "scale": (0.5, -1.5, 2.0)},
}


def place(node: NodePath, where: str) -> None:
    for name, values in PLACES[where].items():
        getattr(node, f"set_{name}")(*values)


@pytest.mark.parametrize("where", PLACES)
@pytest.mark.parametrize("layer", [0, 2, 5])
def test_straight(base: Any, scene: NodePath, where: str, layer: int) -> None:
    ball = sphere(uvs=True, across=16, along=8)
    ball.reparent_to(scene)
    place(ball, where)
    with FurCoat(ball, STILL):
        (shell,) = shells_of(ball)
        points, normals = roots(shell)
        with layer_positions(base, shell, layer) as found:
            expected = points + normals * 0.3 * (layer + 1) / 6
            assert np.abs(found - expected).max() < 1e-4


@pytest.mark.parametrize("where", ["plain", "mirrored"])
@pytest.mark.parametrize(("bend", "bias"), [(0.0, 0.0), (1.0, 1.0), (2.5, 0.0), (1.5, 4.0)])
def test_bent(base: Any, scene: NodePath, where: str, bend: float, bias: float) -> None:
    ball = sphere(uvs=True, across=16, along=8)
    ball.reparent_to(scene)
    place(ball, where)
    wind = np.array((0.3, -0.2, 0.1))
    config = FurConfig(
        parent=STILL, gravity=0.4, wind=tuple(wind), gust=0.7, gust_size=1.5, bend=bend, shell_bias=bias
    )
    with FurCoat(ball, config):
        (shell,) = shells_of(ball)
        points, normals = roots(shell)
        height = biased(3 / 6, bias)
        with layer_positions(base, shell, 2) as found:
            # The clock has gone on to the next frame.
            time = ClockObject.get_global_clock().get_frame_time() - 1 / FRAME_RATE
            along = points @ (wind / np.linalg.norm(wind)) / 1.5
            gust = 0.5 + 0.5 * np.sin(2 * np.pi * (0.7 * time - along))
            force = np.array((0, 0, -0.4)) + wind * gust[:, None]
            assert np.abs(found - points - offsets(normals, force, height, bend, 0.3)).max() < 1e-4


@pytest.mark.parametrize(("share", "expected"), [(0.25, 0.4), (0.5, 0.667), (0.75, 0.857)])
def test_shell_bias_moves_layers_to_the_tip(
    base: Any, scene: NodePath, share: float, expected: float
) -> None:
    ball = sphere(uvs=True, across=8, along=4)
    ball.reparent_to(scene)
    with FurCoat(ball, FurConfig(parent=STILL, layers=4, shell_bias=1.0)):
        (shell,) = shells_of(ball)
        points, normals = roots(shell)
        with layer_positions(base, shell, round(share * 4) - 1) as found:
            heights = ((found - points) * normals).sum(axis=1) / 0.3
            assert heights == pytest.approx(np.full(len(heights), expected), abs=5e-4)


@pytest.mark.parametrize("where", ["plain", "mirrored", "moved"])
def test_combed(base: Any, scene: NodePath, where: str) -> None:
    u, v = (part.ravel() for part in np.meshgrid(np.linspace(0, 1, 6), np.linspace(0, 1, 6)))
    random = np.random.default_rng(3)
    lean = random.uniform(-0.6, 0.6, (36, 2))
    length = random.uniform(0.2, 1.0, 36)
    columns = {
        "vertex": np.stack([u, v, 0 * u], axis=1),
        "normal": np.tile((0.0, 0.0, 1.0), (36, 1)),
        "tangent": np.tile((1.0, 0.0, 0.0), (36, 1)),
        "binormal": np.tile((0.0, 1.0, 0.0), (36, 1)),
        "texcoord": np.stack([u, v], axis=1),
        "rtstamp_fur": np.column_stack([lean, length, np.ones(36)]),
    }
    card = make_node("combed", make_geom(columns, grid_faces(5, 5)))
    card.reparent_to(scene)
    place(card, where)
    with FurCoat(card, FurConfig(parent=STILL, gravity=0.2)):
        (shell,) = shells_of(card)
        points, _ = roots(shell)
        local = np.column_stack([lean, np.sqrt(1 - (lean**2).sum(axis=1))])
        turned = net_matrix(shell)[:3, :3]
        straight = local @ (turned / np.linalg.norm(turned, axis=1, keepdims=True))
        with layer_positions(base, shell, 3, ["COMBED"]) as found:
            expected = points + offsets(straight, (0, 0, -0.2), 4 / 6, 1.5, 0.3) * length[:, None]
            assert np.abs(found - expected).max() < 1e-4


def test_strands_do_not_grow_into_the_skin(base: Any, scene: NodePath) -> None:
    ball = sphere(uvs=True, across=16, along=8)
    ball.reparent_to(scene)
    with FurCoat(ball, FurConfig(parent=STILL, gravity=5.0, bend=0.0)):
        (shell,) = shells_of(ball)
        points, normals = roots(shell)
        with layer_positions(base, shell, 5) as found:
            assert ((found - points) * normals).sum(axis=1).min() > -1e-5


def test_outside_a_coat_the_layer_is_minus_one(base: Any, scene: NodePath) -> None:
    ball = sphere(uvs=True, across=16, along=8)
    ball.reparent_to(scene)
    with FurCoat(ball, STILL):
        (shell,) = shells_of(ball)
        points, _ = roots(shell)
        own = shell.get_attrib(ShaderAttrib)
        assert isinstance(own, ShaderAttrib)
        shell.set_attrib(own.set_shader_input("u_layers", LVecBase2f(0.0), 1000).set_instance_count(1), 1000)
        with layer_positions(base, shell, -1) as found:
            assert np.abs(found - points).max() < 1e-5


@pytest.mark.parametrize("mirrored", [False, True])
@pytest.mark.parametrize("hardware", [False, True])
def test_layers_follow_joints(base: Any, scene: NodePath, mirrored: bool, hardware: bool) -> None:
    """The graphics card skins the coat, whoever skins the base: as the processor does, within 0.2 %."""
    length = 0.2
    actor = Actor("models/panda-model", {"walk": "models/panda-walk4"})
    actor.reparent_to(scene)
    actor.set_scale(-0.005 if mirrored else 0.005, 0.005, 0.005)
    if hardware:
        shader = glsl(SKINNED_VERTEX, "#version 330\nout vec4 o;\nvoid main() { o = vec4(1.0); }\n")
        actor.set_attrib(ShaderAttrib.make(shader).set_flag(ShaderAttrib.F_hardware_skinning, True))
    with FurCoat(actor, FurConfig(parent=STILL, length=length)):
        (shell,) = shells_of(actor)
        for frame in (7, 20):
            actor.pose("walk", frame)
            with layer_positions(base, shell, 4) as places:
                points, normals = roots(shell)
                assert np.isfinite(places).any()
                assert np.nanmax(np.abs(places - points - normals * length * 5 / 6)) < 2e-3 * length
    actor.cleanup()
    actor.remove_node()


def test_morphs_move_layers(base: Any, scene: NodePath) -> None:
    """They are worked out on the processor, for the coat as for its skin."""
    walker = WALKERS["ripple"]
    actor = load(base, scene, walker)
    with FurCoat(actor, STILL):
        found = []
        for frame in walker.frames:
            pose(base, actor, walker, frame)
            (shell,) = shells_of(actor)
            with layer_positions(base, shell, 3) as places:
                points, normals = roots(shell)
                assert np.nanmax(np.abs(places - points - normals * 0.3 * 4 / 6)) < 1e-4
                found.append(places)
    assert np.nanmax(np.abs(found[0] - found[1])) > 0.1
    actor.cleanup()
    actor.remove_node()
