"""What is drawn of a mark is only where it may be: to the byte, all that passes over whole textures leave."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from panda3d.core import Filename, NodePath

from panda_rtstamp import Brush, StampConfig, StampSystem
from pictures import extent
from shapes import box, cylinder, load, sphere
from stamp_support import system
from support import NotifyLog, prc, read_target, step
from surfaces import mesh_of, random_point, seams, winding_normals

SIZE = 512

Model = Callable[[Any, NodePath], NodePath]
Options = Mapping[str, Any]


@pytest.fixture(autouse=True, scope="module")
def _unwraps_each_model_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep the atlases of these models between the tests."""
    with prc(f"rtstamp-cache-dir {Filename.from_os_specific(str(tmp_path_factory.mktemp('atlases')))}"):
        yield


def made(node: NodePath, uv_set: str = "") -> Model:
    """What puts a copy of a node into a scene, to be marked by this UV set if one is named."""

    def build(_: Any, scene: NodePath) -> NodePath:
        copy = node.copy_to(scene)
        if uv_set:
            copy.set_tag("rtstamp-uv", uv_set)
        return copy

    return build


def loaded(file: str) -> Model:
    """What loads a model into a scene."""
    return lambda base, scene: load(base, scene, file, f"scissored {file}")


def parts() -> NodePath:
    """Many small ones, each in a space of its own, uneven, mirrored and turned."""
    rng = np.random.default_rng(7)
    shapes = [box((1.0, 0.6, 0.3)), cylinder(uvs=False), sphere(uvs=False)]
    top = NodePath("parts")
    for number in range(12):
        group = top.attach_new_node("group")
        group.set_pos_hpr(*map(float, rng.uniform(-2.0, 2.0, 3)), *map(float, rng.uniform(0.0, 360.0, 3)))
        part = shapes[number % len(shapes)].copy_to(group)
        part.set_scale(*map(float, rng.uniform(0.5, 2.0, 3) * rng.choice([-1.0, 1.0])))
        part.set_hpr(*map(float, rng.uniform(0.0, 360.0, 3)))
    return top


MODELS = {
    # By its own UVs, which meet at a seam and are drawn out at the poles.
    "sphere": made(sphere(uvs=True)),
    "box": made(box((2.0, 1.0, 0.5))),
    # All six faces on the same texels.
    "shared": made(box((1.0, 1.0, 1.0)), "texcoord"),
    # In many charts, some of whose triangles are narrower than a texel.
    "cylinder": made(cylinder(uvs=False)),
    "parts": made(parts()),
    "teapot": loaded("models/teapot"),
    "panda": loaded("models/panda-model"),
    "car": loaded("other/flyingcar.bam"),
}
KINDS: dict[str, Options] = {
    "brush": {"brush": Brush("splat", rotation=30.0)},
    "normal": {"facing": True},
    "add": {"blend": "add"},
    "max": {"blend": "max"},
    "erase": {"blend": "erase"},
}


@contextmanager
def two_systems(
    base: Any, monkeypatch: pytest.MonkeyPatch, **settings: Any
) -> Iterator[tuple[StampSystem, StampSystem]]:
    """One that draws where marks may be, and one that draws whole textures."""
    with system(base, **settings) as scissored, monkeypatch.context() as patch:
        # As where users' own shaders do who knows what to all texels.
        patch.setattr(StampConfig, "has_our_shaders", False)
        with system(base, **settings) as whole:
            yield scissored, whole


def two_copies(base: Any, scene: NodePath, model: str) -> tuple[NodePath, NodePath]:
    """A model twice at one place, turned and scaled so that nothing is even."""
    node = MODELS[model](base, scene)
    node.set_pos_hpr_scale((3.1, 40.7, -2.3), (33.0, 12.0, -7.0), (1.3, 0.9, 1.1))
    node.set_tag("rtstamp-resolution", str(SIZE))
    return node, node.copy_to(scene)


def random_hits(node: NodePath, count: int, seed: int, kind: Options) -> list[dict[str, Any]]:
    """Hits on a node's surface, of several sizes, strengths and colours."""
    rng = np.random.default_rng(seed)
    mesh, size = mesh_of(node), extent(node)[1]
    towards = winding_normals(mesh.points)
    plain = {name: value for name, value in kind.items() if name != "facing"}
    found = []
    for _ in range(count):
        point = random_point(mesh, rng)
        hit = {
            "point": tuple(point),
            "radius": float(size * rng.uniform(0.02, 0.05)),
            # With a sharp edge as well.
            "hardness": float(rng.choice([0.0, 0.5, 1.0])),
            "opacity": float(rng.uniform(0.5, 1.0)),
            "color": tuple(rng.uniform(0.0, 1.0, 3)),
        }
        if "facing" in kind or "brush" in kind:
            nearest = np.linalg.norm(mesh.points.mean(axis=1) - point, axis=1).argmin()
            hit["normal"] = tuple(towards[nearest] if np.any(towards[nearest]) else (0.0, 0.0, 1.0))
        found.append(hit | plain)
    return found


def check_same(
    base: Any,
    scene: NodePath,
    notify: NotifyLog,
    monkeypatch: pytest.MonkeyPatch,
    model: str,
    kind: Options | None = None,
    frames_between: int = 1,
    **settings: Any,
) -> None:
    """Five hits, three of them in one frame, leave the same texels whichever way they are drawn."""
    notify.allow("used more than once")
    nodes = two_copies(base, scene, model)
    hits = random_hits(nodes[0], 2, 1, {}) + random_hits(nodes[0], 3, 2, kind or {})
    with two_systems(base, monkeypatch, **{"auto_fade": False, "unwrapper": "own", **settings}) as both:
        for frame in (hits[:3], hits[3:4], hits[4:]):
            shoot_both(both, nodes, frame)
            step(base, frames_between)
        check_equal(base, both, nodes)


def shoot_both(both: Sequence[StampSystem], nodes: Sequence[NodePath], hits: Sequence[Options]) -> None:
    """The same hits on both copies."""
    for stamps, node in zip(both, nodes, strict=True):
        for hit in hits:
            assert stamps.hit(node, **hit) is not None


def check_equal(base: Any, both: Sequence[StampSystem], nodes: Sequence[NodePath]) -> None:
    """Both copies have the same marks, to the bit; and have some."""
    scissored, whole = (stamps.binding(node) for stamps, node in zip(both, nodes, strict=True))
    assert scissored is not None
    assert whole is not None
    found, expected = read_target(base, scissored.temp), read_target(base, whole.temp)
    differ = (found != expected).any(axis=2)
    assert expected[..., -1].max() > 0.2
    assert not differ.any(), (
        f"{differ.sum()} texels differ, by {np.abs(found - expected).max() * 255:.3f} / 255 at most: "
        f"rows and columns {np.argwhere(differ)[:8].tolist()}"
    )
    # Else nothing was compared: Primary is zero where nothing was drawn.
    drawn, all_there_is = (
        read_target(base, binding.primary).any(axis=2).sum() for binding in (scissored, whole)
    )
    assert 0 < drawn < all_there_is


def in_short(name: str) -> Any:
    """A model as the parameter of a test; only some are in the quick tests."""
    return pytest.param(name, marks=[] if name in ("box", "panda") else [pytest.mark.full])


@pytest.mark.profiles
@pytest.mark.parametrize("model", MODELS)
def test_the_same_marks(
    base: Any, scene: NodePath, notify: NotifyLog, monkeypatch: pytest.MonkeyPatch, model: str
) -> None:
    check_same(base, scene, notify, monkeypatch, model)


@pytest.mark.parametrize("format", ["r16", "rgba16f"])
@pytest.mark.parametrize("model", [in_short(model) for model in MODELS])
def test_the_same_marks_in_other_formats(
    base: Any, scene: NodePath, notify: NotifyLog, monkeypatch: pytest.MonkeyPatch, model: str, format: str
) -> None:
    check_same(base, scene, notify, monkeypatch, model, format=format)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("model", [in_short(model) for model in MODELS])
def test_the_same_marks_of_other_kinds(
    base: Any, scene: NodePath, notify: NotifyLog, monkeypatch: pytest.MonkeyPatch, model: str, kind: str
) -> None:
    check_same(base, scene, notify, monkeypatch, model, KINDS[kind])


@pytest.mark.parametrize("model", ["box", "cylinder", "teapot"])
def test_the_same_marks_on_seams(
    base: Any, scene: NodePath, monkeypatch: pytest.MonkeyPatch, model: str
) -> None:
    """Small ones with sharp edges, where charts end: texels beyond them take the nearest one's mark."""
    nodes = two_copies(base, scene, model)
    size = extent(nodes[0])[1]
    with two_systems(base, monkeypatch, auto_fade=False, unwrapper="own") as both:
        shoot_both(both, nodes, random_hits(nodes[0], 1, 3, {}))
        step(base)
        found = seams(mesh_of(nodes[0]))
        for seam in found[:: max(1, len(found) // 12)]:
            hit = {"point": tuple(seam.middle), "radius": 0.01 * size, "hardness": 1.0}
            shoot_both(both, nodes, [hit])
            step(base)
        check_equal(base, both, nodes)


def test_the_same_marks_after_a_stored_fade(
    base: Any, scene: NodePath, notify: NotifyLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By then the first ones have faded by half, where they are and nowhere else."""
    fade: Options = {"auto_fade": True, "fade_duration": 1.0}
    check_same(base, scene, notify, monkeypatch, "panda", None, 20, **fade)
