"""Experiments on coats: layers by instancing, against copies of the model and against baked layers."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, sqrt
from time import thread_time

import numpy as np
from panda3d.core import Geom, GeomNode, LVecBase3f, NodePath, ShaderAttrib

from bench.figures import Figure, Floats
from bench.plan import Bench
from bench.report import Curve, Outcome, Row, last_rows, lines
from bench.stage import Stage
from bench.timing import Lengths, compare
from panda_rtstamp.core.anchor import address
from panda_rtstamp.core.geometry import column, indexed_triangles, triangles, with_rows
from panda_rtstamp.core.shader import load_shader
from panda_rtstamp.fur.coat import FurCoat
from panda_rtstamp.fur.config import FurConfig
from panda_rtstamp.fur.shells import FRAGMENT_SHADER, NAME, VERTEX_SHADER
from shapes import sphere

COUNTS = (4, 8, 16, 32, 64)
_PRIORITY = 2000
# Where the rivals' layers have their numbers: in an input that is of no use in a coat that does not swing,
# and in the lengths of the normals.
_BY_INPUT = "int(u_pivot.x)"
_BY_NORMAL = "int(length(p3d_Normal) - 0.5)"


def coat_of(layers: int) -> FurConfig:
    """A coat of so many layers at any distance, that does not swing."""
    return FurConfig(layers=layers, limits=(64,), bands=(), length=0.2, largest_bend=0.0)


def ours(model: NodePath, layers: int) -> FurCoat:
    """Our coat."""
    return FurCoat(model, coat_of(layers))


def copies(model: NodePath, layers: int) -> FurCoat:
    """A copy of the model for each layer, each with its number: what is done without instancing."""
    coat, shell, attrib = _taken_apart(model, layers, _BY_INPUT)
    for layer in range(layers):
        copy = shell.copy_to(model)
        copy.set_attrib(attrib.set_shader_input("u_pivot", LVecBase3f(layer), _PRIORITY), _PRIORITY)
    shell.remove_node()
    return coat


def baked(model: NodePath, layers: int) -> FurCoat:
    """One Geom that holds the vertices of all layers, as a modelling program would export them."""
    coat, shell, attrib = _taken_apart(model, layers, _BY_NORMAL)
    node = shell.node()
    assert isinstance(node, GeomNode)
    geom = node.get_geom(0)
    rows = geom.get_vertex_data().get_num_rows()
    vertices = with_rows(geom.get_vertex_data(), np.tile(np.arange(rows), layers))
    normals = column(vertices, "normal")
    assert normals is not None
    array = vertices.modify_array(0)
    stride = array.get_array_format().get_stride()
    data = np.frombuffer(array.get_handle().get_data(), np.uint8).reshape(-1, stride).copy()
    start = vertices.get_format().get_column("normal").get_start()
    scaled = normals.astype(np.float32) * np.repeat(np.arange(1, layers + 1, dtype=np.float32), rows)[:, None]
    data[:, start : start + 12] = scaled.view(np.uint8).reshape(-1, 12)
    array.modify_handle().set_data(data.tobytes())
    corners = triangles(geom)
    whole = Geom(vertices)
    whole.add_primitive(indexed_triangles((corners + rows * np.arange(layers)[:, None, None]).reshape(-1, 3)))
    node.set_geom(0, whole)
    shell.set_attrib(attrib, _PRIORITY)
    return coat


def _taken_apart(model: NodePath, layers: int, number: str) -> tuple[FurCoat, NodePath, ShaderAttrib]:
    """A coat of ours whose layers have their numbers from elsewhere, and are not instanced."""
    coat = ours(model, layers)
    shell = model.find(NAME)
    node = shell.node()
    assert isinstance(node, GeomNode)
    shader = load_shader(VERTEX_SHADER, FRAGMENT_SHADER, {"BOX": 1, "FUR_LAYER": number})
    own = node.get_geom_state(0)
    attrib, shared = own.get_attrib(ShaderAttrib), shell.get_attrib(ShaderAttrib)
    assert isinstance(attrib, ShaderAttrib)
    assert isinstance(shared, ShaderAttrib)
    node.set_geom_state(0, own.set_attrib(attrib.set_shader(shader, _PRIORITY), _PRIORITY))
    return coat, shell, shared.set_instance_count(0)


MAKERS: dict[str, Callable[[NodePath, int], FurCoat]] = {"ours": ours, "copies": copies, "baked": baked}


@dataclass
class Furry:
    """Models with coats, side by side before the camera.

    Attributes:
        name: of the case.
        maker: one of MAKERS; None: bare.
        layers: of each coat.
        models: how many.
        across: faces around each.
        far: how much farther the camera is than where they fill the picture.
    """

    name: str
    maker: Callable[[NodePath, int], FurCoat] | None
    layers: int
    models: int
    across: int
    far: float = 1.0

    def setup(self, stage: Stage) -> None:
        """See bench.timing.Case."""
        self._scene = stage.root.attach_new_node("furry")
        columns = ceil(sqrt(self.models))
        self._coats = []
        for index in range(self.models):
            model = sphere(uvs=True, across=self.across, along=self.across // 2)
            row, place = divmod(index, columns)
            model.set_pos((place - (columns - 1) / 2) * 2.6, 0, (row - (columns - 1) / 2) * 2.6)
            model.reparent_to(self._scene)
            if self.maker is not None:
                self._coats.append(self.maker(model, self.layers))
        stage.look(4.2 * columns * self.far)
        stage.step(2)

    def frame(self, index: int) -> None:
        """See bench.timing.Case."""

    def teardown(self) -> None:
        """See bench.timing.Case."""
        for coat in self._coats:
            coat.destroy()
        self._scene.remove_node()

    def memory(self, stage: Stage) -> int:
        """Bytes of all vertices and indices of one model and its coat, and of nothing else."""
        self.setup(stage)
        found: dict[int, int] = {}
        for path in self._scene.find_all_matches("**/+GeomNode"):
            node = path.node()
            assert isinstance(node, GeomNode)
            for geom in node.get_geoms():
                vertices = geom.get_vertex_data()
                arrays = [vertices.get_array(index) for index in range(vertices.get_num_arrays())]
                arrays += [primitive.get_vertices() for primitive in geom.get_primitives()]
                found |= {address(array): array.get_data_size_bytes() for array in arrays}
        self.teardown()
        return sum(found.values())


def _cases(counts: Sequence[int], models: int, across: int, far: float) -> list[Furry]:
    return [
        Furry(f"{name} {count}", maker, count, models, across, far)
        for count in counts
        for name, maker in MAKERS.items()
    ]


def _outcome(times: Mapping[str, Floats], counts: Sequence[int], what: str) -> Outcome:
    rows = last_rows(times, list(MAKERS), counts[-1], f"layers, {what}")
    return Outcome(rows, [Curve(f"A frame with {what}", "layers", "ms", lines(times, MAKERS, counts))])


def _processor_times(bench: Bench, cases: Sequence[Furry]) -> dict[str, Floats]:
    """By name, what the main thread works in each frame: the game, culling, and handing draws to the driver.

    Milliseconds, (1, frames). A driver that draws on the processor does so mostly in threads of its own.
    """
    found = {}
    for case in cases:
        bench.tell(f"processor: {case.name}")
        case.setup(bench.stage)
        times = []
        for _ in range(bench.plan.frames):
            start = thread_time()
            bench.stage.step()
            times.append((thread_time() - start) * 1e3)
        case.teardown()
        found[case.name] = np.array([times])
    return found


def _memory(bench: Bench, count: int) -> Outcome:
    """The vertices and indices of a coat of so many layers, and of its model."""
    sizes = {name: Furry(name, maker, count, 1, 64).memory(bench.stage) for name, maker in MAKERS.items()}
    outcome = Outcome()
    for rival in ("copies", "baked"):
        first, second = (sizes[name] / 1024 for name in ("ours", rival))
        share = Figure(first / second, first / second, 0.0, 1, "x")
        figures = (Figure(size, size, 0.0, 1, "KB") for size in (first, second))
        outcome.rows.append(Row(f"vertices of {count} layers", next(figures), rival, next(figures), share))
    return outcome


def coats(bench: Bench) -> Outcome:
    """Sweeps over layers: many models of few pixels, which cost the processor; a large one; the memory."""
    plan = bench.plan
    counts = COUNTS if plan.rounds > 1 else COUNTS[:2]
    lengths = Lengths(plan.sweep_rounds, 2, plan.frames)
    many, large = _cases(counts, 36, 6, 20.0), _cases(counts, 1, 64, 1.0)
    outcome = _outcome(compare(bench.stage, many, lengths, bench.tell), counts, "36 small models from afar")
    outcome += _outcome(_processor_times(bench, many), counts, "36 small models, the main thread's work")
    outcome += _outcome(compare(bench.stage, large, lengths, bench.tell), counts, "a large model")
    for count in (counts[0], counts[-1]):
        outcome += _memory(bench, count)
    return outcome
