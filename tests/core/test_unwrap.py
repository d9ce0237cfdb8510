"""The unwrapper: what any atlas promises, shapes whose atlas is known, odd input, the other libraries."""

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import panda3d
import pytest
from panda3d.core import Filename, GeomNode, Loader, LoaderOptions, NodePath

from panda_rtstamp.core.geometry import column, net_matrix, triangles
from panda_rtstamp.core.unwrap import METHODS, unwrap
from unwrap_support import (
    LEAST_SIDE,
    Floats,
    Ints,
    areas,
    check_atlas,
    cube,
    densities,
    moebius_strip,
    one_part,
    rectangle,
    signed_areas,
    sphere,
    stretches,
)

OTHERS = ("uvunwrap", "xatlas")
GRIDS = (512, 1024)
MODELS = Path(panda3d.__file__).parent / "models"


def own(positions: Floats) -> Any:
    """Our atlas of triangles that are one part, checked."""
    atlas = unwrap(positions, one_part(positions), "own")
    assert atlas.method == "own"
    check_atlas(atlas, positions, grids=GRIDS)
    return atlas


def turned(positions: Floats) -> Floats:
    """The same, turned somehow in space."""
    matrix, _ = np.linalg.qr(np.random.default_rng(4).normal(size=(3, 3)))
    result: Floats = positions @ (matrix * np.sign(np.linalg.det(matrix)))
    return result


def test_cube_has_six_squares() -> None:
    for positions in (cube(), turned(cube())):
        atlas = own(positions)
        assert np.bincount(atlas.charts).tolist() == [2] * 6
        assert stretches(atlas, positions) == pytest.approx(1.0, abs=1e-4)
        assert atlas.padding == 8.0
        assert signed_areas(atlas.corners).sum() > 0.6


def test_plane_keeps_its_shape() -> None:
    positions = turned(rectangle(4.0, 1.0))
    atlas = own(positions)
    assert atlas.charts.max() == 0
    assert stretches(atlas, positions) == pytest.approx(1.0, abs=1e-4)
    sides = np.sort(np.ptp(atlas.corners.reshape(-1, 2), axis=0))
    assert sides[1] / sides[0] == pytest.approx(4.0, rel=1e-3)
    # Nothing else is there: it may fill the square from border to border.
    assert sides[1] > 0.96


def test_ball_has_few_charts_and_little_stretch() -> None:
    positions = sphere(24)
    atlas = own(positions)
    solid = areas(positions) > 1e-6
    assert np.array_equal(atlas.charts >= 0, solid)
    assert atlas.charts.max() + 1 <= 10
    # 1 / (0.9 * 0.4): what a triangle may turn away from its chart's plane.
    assert stretches(atlas, positions).max() < 1 / 0.36


def test_mirrored_mesh_runs_as_it_does_in_space() -> None:
    positions = sphere() * (-1.0, 1.0, 1.0)
    own(positions)


def test_charts_keep_to_their_part() -> None:
    positions = np.concatenate([rectangle(1.0, 1.0), rectangle(1.0, 1.0) + (1.0, 0.0, 0.0)])
    assert own(positions).charts.max() == 0
    parts = np.repeat([7, -3], len(positions) // 2)
    atlas = unwrap(positions, parts, "own")
    check_atlas(atlas, positions, parts)
    assert atlas.charts.max() == 1


def test_only_corners_at_the_same_place_are_welded() -> None:
    left, right = rectangle(1.0, 1.0), rectangle(1.0, 1.0) - (1.0, 0.0, 0.0)
    right[right == 0.0] = -0.0
    assert own(np.concatenate([left, right])).charts.max() == 0
    apart = right - (1e-6, 0.0, 0.0)
    assert own(np.concatenate([left, apart])).charts.max() == 1


def test_sheet_and_its_back_are_two_charts() -> None:
    front = rectangle(1.0, 1.0)
    atlas = own(np.concatenate([front, front[:, ::-1]]))
    assert atlas.charts[: len(front)].tolist() == [0] * len(front)
    assert atlas.charts[len(front) :].tolist() == [1] * len(front)


def test_coinciding_sheets_are_two_charts() -> None:
    assert own(np.concatenate([rectangle(1.0, 1.0)] * 2)).charts.max() == 1


def test_chart_that_would_lie_on_itself_is_cut() -> None:
    angles = np.linspace(0.0, 4 * 2 * np.pi, 161)
    ramp = np.stack([np.cos(angles), np.sin(angles), angles * 0.01], axis=1)
    inner, outer = ramp * (0.5, 0.5, 1.0), ramp
    positions = np.concatenate(
        [
            np.stack([inner[:-1], outer[:-1], outer[1:]], axis=1),
            np.stack([inner[:-1], outer[1:], inner[1:]], axis=1),
        ]
    )
    atlas = own(positions)
    assert 4 <= atlas.charts.max() + 1 <= 16


def test_thin_chart_is_widened() -> None:
    positions = np.concatenate([rectangle(1.0, 1.0), rectangle(1.0, 1e-4) + (0.0, 2.0, 0.0)])
    atlas = own(positions)
    density, narrow = densities(atlas, positions)
    assert narrow[1] == pytest.approx(LEAST_SIDE, abs=1e-6)
    assert density[1] > 2 * density[0]


def test_padding_gives_way_to_many_charts() -> None:
    random = np.random.default_rng(5)
    positions = random.normal(size=(6000, 1, 3)) + 0.1 * random.normal(size=(6000, 3, 3))
    atlas = own(positions)
    assert 1.0 <= atlas.padding < 8.0
    # Triangles fill half of their boxes at best, and padding takes at most half of the rest.
    assert signed_areas(atlas.corners).sum() > 0.2


def test_triangle_without_area_lies_at_its_neighbour() -> None:
    positions = np.concatenate([rectangle(1.0, 1.0), rectangle(1.0, 1.0)[:1]])
    positions[-1, 2] = positions[-1, 1]
    atlas = own(positions)
    assert atlas.charts[-1] == -1
    place = (positions[:-1] == positions[-1, 0]).all(axis=2)
    assert (atlas.corners[:-1][place] == atlas.corners[-1, 0]).all()


def test_same_input_gives_the_same_bits() -> None:
    positions = sphere()
    one, two = (unwrap(positions.copy(), one_part(positions), "own") for _ in range(2))
    assert one.corners.tobytes() == two.corners.tobytes()
    assert one.charts.tobytes() == two.charts.tobytes()


def _soup(seed: int, count: int = 400) -> Floats:
    return np.random.default_rng(seed).normal(size=(count, 3, 3))


def _punched(value: float) -> Floats:
    positions = sphere()
    positions[::7, 1, 2] = value
    return positions


def _fan(count: int) -> Floats:
    angles = np.linspace(0.0, 6.0, count)
    blades = np.zeros((count, 3, 3))
    blades[:, 1, 2] = 1.0
    blades[:, 2, 0], blades[:, 2, 1] = np.cos(angles), np.sin(angles)
    return blades


ODD: dict[str, Floats] = {
    "nothing": np.zeros((0, 3, 3)),
    "one triangle": _soup(0, 1),
    "one sliver": np.array([[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1e-5, 0.0]]]),
    "points": np.zeros((5, 3, 3)),
    "lines": np.array([[[0.0, 0.0, 0.0], [1.0, 1.0, 1.0], [2.0, 2.0, 2.0]]] * 3),
    "points and a triangle": np.concatenate([np.zeros((5, 3, 3)), _soup(1, 1)]),
    "the same triangle": np.repeat(_soup(2, 1), 20, axis=0),
    "six blades at an edge": _fan(6),
    "forty blades at an edge": _fan(40),
    "moebius strip": moebius_strip(),
    "soup": _soup(3),
    "soup in a plane": _soup(4) * (1.0, 1.0, 0.0),
    "slivers": np.cumsum(_soup(5, 100) * (1.0, 1e-4, 1e-4), axis=1),
    "corners on a lattice": np.random.default_rng(6).integers(0, 3, (600, 3, 3)).astype(np.float64),
    "1e-6": sphere() * 1e-6,
    "1e6": sphere() * 1e6,
    "1e300": sphere() * 1e300,
    "1e-310": sphere() * 1e-310,
    "far away": sphere() + 1e7,
    "a grain beside a mountain": np.concatenate([sphere(), 1e9 * _soup(7, 1)]),
    "no numbers": _punched(np.nan),
    "infinite": _punched(np.inf),
    "nothing finite": np.full((3, 3, 3), np.nan),
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", ODD)
def test_odd_input(name: str, method: str) -> None:
    positions = ODD[name]
    if method != "own":
        pytest.importorskip(method)
    # Nothing is hidden: no overflow, no 0 / 0.
    with np.errstate(all="raise", under="ignore"):
        atlas = unwrap(positions, one_part(positions), method)
    # At 1e300 and 1e-310 areas are no numbers; what is measured here knows no scale.
    largest = np.abs(positions[np.isfinite(positions)]).max(initial=0.0)
    check_atlas(atlas, np.nan_to_num(positions / (largest or 1.0), posinf=0.0))
    lost = ~np.isfinite(positions).all(axis=(1, 2))
    assert (atlas.charts[lost] == -1).all()


def test_wrong_arguments() -> None:
    positions = cube()
    with pytest.raises(ValueError, match="method"):
        unwrap(positions, one_part(positions), "magic")
    with pytest.raises(ValueError, match="parts"):
        unwrap(positions, one_part(positions)[1:])
    with pytest.raises(ValueError, match="positions"):
        unwrap(positions.reshape(-1, 9), one_part(positions))


def test_progress_rises_to_one_and_can_stop() -> None:
    positions = sphere()
    shares: list[float] = []
    unwrap(positions, one_part(positions), "own", progress=shares.append)
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert len(shares) > 10

    def stop(share: float) -> None:
        raise KeyError(share)

    with pytest.raises(KeyError):
        unwrap(positions, one_part(positions), "own", progress=stop)


def load(file: Path) -> tuple[Floats, Ints]:
    """A model's triangles, and the Geom that each is from."""
    options = LoaderOptions(LoaderOptions.LF_no_cache)
    root = NodePath(Loader.get_global_ptr().load_sync(Filename.from_os_specific(str(file)), options))
    corners = []
    for path in root.find_all_matches("**/+GeomNode"):
        node, matrix = path.node(), net_matrix(path)
        assert isinstance(node, GeomNode)
        for geom in node.get_geoms():
            rows = column(geom.get_vertex_data(), "vertex")
            assert rows is not None
            points = rows[:, :3].astype(np.float64) @ matrix[:3, :3] + matrix[3, :3]
            corners.append(points[triangles(geom)])
    parts = np.repeat(np.arange(len(corners)), [len(each) for each in corners])
    return np.concatenate(corners), parts


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", ["teapot.egg.pz", "panda-model.egg.pz", "environment.egg.pz"])
def test_model(name: str, method: str) -> None:
    if method != "own":
        pytest.importorskip(method)
    positions, parts = load(MODELS / name)
    atlas = unwrap(positions, parts, method)
    assert atlas.method == method
    check_atlas(atlas, positions, parts, GRIDS)
    assert signed_areas(atlas.corners).sum() > 0.45
    assert atlas.padding == 8.0


@pytest.mark.full
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "name",
    ["panda", "jack", "box", "smiley", "ripple"]
    + [f"character/{who}" for who in ("rebecca", "sofia", "peter_panda", "abbot", "nobody")]
    + ["other/flyingcar", "other/vehicle", "props/parkbench", "scenes/lona", "scenes/lelycentre"],
)
def test_more_models(name: str, method: str) -> None:
    if method != "own":
        pytest.importorskip(method)
    if "/" in name:
        assets = pytest.importorskip("assetcoop")
        file = Path(assets.__file__).parent / "bam" / "models" / f"{name}.bam"
    else:
        file = MODELS / f"{name}.egg.pz"
    positions, parts = load(file)
    atlas = unwrap(positions, parts, method)
    assert atlas.method == method
    check_atlas(atlas, positions, parts, GRIDS)


@pytest.mark.parametrize("method", OTHERS)
def test_sheet_and_its_back_by_others(method: str) -> None:
    pytest.importorskip(method)
    front = rectangle(1.0, 1.0)
    positions = np.concatenate([front, front[:, ::-1]])
    atlas = unwrap(positions, one_part(positions), method)
    assert atlas.method == method
    check_atlas(atlas, positions)
    assert atlas.charts.max() == 1


def test_the_first_method_that_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    positions = cube()
    for name in OTHERS:
        monkeypatch.setitem(sys.modules, name, None)
    assert unwrap(positions, one_part(positions)).method == "own"
    assert unwrap(positions, one_part(positions), "xatlas").method == "own"


class Panic(BaseException):
    """As Rust's through Python: no Exception."""


def fake(**results: Any) -> Any:
    """A uvunwrap whose one mesh comes out like this."""
    job = SimpleNamespace(done=True, progress=None, cancel=lambda: None)
    job.result = lambda: SimpleNamespace(width=1, height=1, meshes=[SimpleNamespace(**results)])
    return SimpleNamespace(Mesh=lambda *arguments: None, start=lambda meshes, **options: job)


def failing(error: BaseException) -> Any:
    """A uvunwrap that raises."""

    def start(meshes: Any, **options: Any) -> Any:
        raise error

    return SimpleNamespace(Mesh=lambda *arguments: None, start=start)


@pytest.mark.parametrize("error", [ValueError("no"), MemoryError(), Panic()])
def test_method_that_fails(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    monkeypatch.setitem(sys.modules, "uvunwrap", failing(error))
    positions = cube()
    assert unwrap(positions, one_part(positions), "uvunwrap").method == "own"


def test_interrupt_goes_through(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "uvunwrap", failing(KeyboardInterrupt()))
    positions = cube()
    with pytest.raises(KeyboardInterrupt):
        unwrap(positions, one_part(positions), "uvunwrap")


@pytest.mark.parametrize(
    "kind", ["no numbers", "on each other", "flipped", "stretched", "no charts", "right"]
)
def test_charts_that_make_no_sense_are_cut_anew(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    positions = rectangle(1.0, 1.0)
    uvs = positions[:, :, :2].copy()
    if kind == "no numbers":
        uvs[3, 1, 0] = np.nan
    elif kind == "on each other":
        uvs[:, :, 0] = np.abs(uvs[:, :, 0] - 0.5)
    elif kind == "flipped":
        uvs[3] = uvs[3, ::-1]
    elif kind == "stretched":
        uvs[:, :, 0] **= 20
    charts = np.full(3 * len(uvs), -1 if kind == "no charts" else 0)
    indices = np.arange(3 * len(uvs))
    monkeypatch.setitem(
        sys.modules, "uvunwrap", fake(corner_uvs=uvs.reshape(-1), chart=charts, indices=indices)
    )
    atlas = unwrap(positions, one_part(positions), "uvunwrap")
    check_atlas(atlas, positions)
    assert stretches(atlas, positions) == pytest.approx(1.0, abs=1e-3)


def test_results_of_a_wrong_shape(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "uvunwrap", fake(corner_uvs=[0.0], chart=[0], indices=[0]))
    positions = cube()
    assert unwrap(positions, one_part(positions), "uvunwrap").method == "own"


def test_method_that_takes_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    cancelled = []
    job = SimpleNamespace(done=False, progress=None, cancel=lambda: cancelled.append(True))
    library = SimpleNamespace(Mesh=lambda *arguments: None, start=lambda meshes, **options: job)
    monkeypatch.setitem(sys.modules, "uvunwrap", library)
    positions = cube()
    assert unwrap(positions, one_part(positions), "uvunwrap", seconds=0.05).method == "own"
    assert cancelled == [True]


def test_xatlas_is_not_begun_where_it_would_take_too_long() -> None:
    pytest.importorskip("xatlas")
    positions = sphere()
    assert unwrap(positions, one_part(positions), "xatlas", seconds=0.0).method == "own"
