# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Running a program: launches ahead of the answers, until the vertices (not the driver) say it is over.

Every launch reads the state that the one before wrote; once that says the run has finished, a launch leaves
everything as it is. So the driver may read late, and reading late changes no value and no iteration count.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from lux import runtime, settings
from lux.engine.blocks import why_not
from lux.engine.check import argument_kinds, compile_kernels, given_arrays, parameter_values
from lux.engine.directions import DO_A, DO_B, Directions, EstimatedTable
from lux.engine.gpu import place
from lux.engine.gpu.mixed import MixedRun
from lux.engine.gpu.moving import MovingRun
from lux.engine.gpu.parts import Loads, PartRun
from lux.engine.gpu.program import GpuRun
from lux.engine.layout import BySource, Layout, cut
from lux.engine.statistics import Iteration, Table
from lux.engine.step import Shared, Step, step, vectors
from lux.errors import ParameterError
from lux.kernels import frontier as fr
from lux.kernels.codegen import COPIES
from lux.kernels.compile import kernels
from lux.kernels.directions import ESTIMATES
from lux.partition import check_parts
from lux.program import Edges, Field, Program, Spec
from lux.runtime import Store

if TYPE_CHECKING:
    from lux.engine.balance import Decision
    from lux.graph import Graph

MODELS = {"auto": 0, "pull": fr.PULL, "push": fr.PUSH}
NO_LIMIT = 2**62
"""Iterations of a run that ends by itself."""
LAUNCHES_PER_READ = 4
"""With several partitions: launches between two looks at how far they are, each of which is read after as many launches
more. A look costs as much as a launch, and up to seven launches after the end do nothing."""
MAX_PER_TASK = 4095
"""With one partition: iterations in one task at most (odd, so that the result lies in the copy last written)."""
WORK_PER_TASK = 50_000_000
"""With one partition: edges and vertices a thread after which a task hands back to the driver (0.1 to 0.3 s)."""

Progress = Callable[[int], None]
"""Called with the number of iterations that are known to be done."""


@dataclass(frozen=True)
class Run:
    """A finished run: the fields' final values, in the order of places, and how they were reached.

    Attributes
    ----------
    fields : dict of str to Store
        The stores of shape (n_vertices,) that hold the result.
    iterations : int
    converged : bool
        False where ``max_iterations`` ended the run.
    seconds : float
        Wall-clock time of the iterations, in seconds; set-up is not in it.
    parts : int
    statistics : sequence of Iteration
    threads : int
        Threads in each partition's task.
    device : {"cpu", "gpu", "gpu+cpu"}
    loads : Loads or None
        Where GPUs gathered values from elsewhere before an iteration: how much.
    repartitions : sequence of Decision
        Looks at the partitions' seconds.
    """

    fields: dict[str, Store]
    iterations: int
    converged: bool
    seconds: float
    parts: int
    statistics: Sequence[Iteration] = field(repr=False)
    threads: int = 1
    device: str = "cpu"
    loads: Loads | None = None
    repartitions: Sequence[Decision] = ()


def execute(
    program: type[Program],
    graph: Graph,
    params: Mapping[str, Any],
    *,
    given: Mapping[str, Any] | None = None,
    parts: int | None = None,
    model: str = "auto",
    max_iterations: Any = None,
    expected: int | None = None,
    progress: Progress | None = None,
    directions: Directions | None = None,
) -> Run:
    """Run ``program`` on ``graph``; see `lux.run`.

    It is known to end after ``expected`` iterations. A search that chooses its directions by a rule that was asked for
    takes CPU cores.
    """
    limit = check_model_and_limit(model, max_iterations)
    if max_iterations is None and not program.spec.ends:
        raise ParameterError(
            f"{program.__name__} has neither a frontier nor converged(), so it never ends: pass max_iter"
        )
    values = parameter_values(program.spec, params)
    if program.edges is Edges.OUT:
        graph = graph.reverse()
    elif program.edges is Edges.BOTH:
        graph = graph.symmetrized()
    arrays = given_arrays(program.spec, graph, given or {})
    on_gpus = None if directions else _on_gpus(program, graph, arrays, values, model, limit, parts)
    if on_gpus is not None:
        if isinstance(on_gpus, MovingRun):
            on_gpus.ends_after = _ends_after(program, limit, expected)
        return on_gpus.execute(progress)
    team, layout = runs_as_team(parts), run_layout(graph, parts)
    push = model == "push" or (model == "auto" and program.spec.frontier)
    needed, needs = store_bytes(program.spec, layout, push=push), f"{program.__name__} on {layout.parts} partitions"
    expected = limit if expected is None else min(limit, expected)
    by_rows = "edges are pushed" if push else why_not(program.spec, layout, expected, needed)
    compile_kernels(program, graph, values, blocked=not by_rows)
    launches = step(program, graph.order is not None, team, layout.parts > 1, push, not by_rows)  # type: ignore[arg-type]  # a class is hashable
    runtime.check_memory(needed, needs)
    degree = graph.out_degree_store if launches.writer.wants_out_degree() else None
    given_all = (launches, layout, program, arrays, values, model, limit, push, degree, by_rows, directions)
    if team:
        return _TeamRunner(*given_all).run(progress)
    module = kernels(program, graph.order is not None, not by_rows).__name__  # type: ignore[arg-type]  # a class is hashable
    kind = argument_kinds(program, graph, values, blocked=not by_rows)
    ends_after = _ends_after(program, limit, expected)
    from lux.engine.partitioned import PartitionedRunner

    return PartitionedRunner(*given_all, body=(module, kind), ends_after=ends_after).run(progress)


def _ends_after(program: type[Program], limit: int, expected: int | None) -> int | None:
    """Iterations after which a run ends, where that is known."""
    most = limit if expected is None else min(limit, expected)
    return None if program.spec.frontier or most >= NO_LIMIT else most


def _on_gpus(program: type[Program], graph: Graph, *given: Any) -> GpuRun | PartRun | None:
    """The run on GPUs, or None where it takes CPU cores."""
    *inputs, parts = given
    count = place.partitions(graph, parts)
    if count == 0:
        return None
    whole = GpuRun(program, graph, *inputs)
    if place.on_one_gpu(graph, count, whole.needed):
        return whole
    if place.mixed():
        return MixedRun.shared_out(program, graph, *inputs, parts=count)
    kind = MovingRun if settings.current().loading == "kernel" else PartRun
    return kind.placed(program, graph, *inputs, parts=count, asked=parts is not None)


def check_model_and_limit(model: Any, max_iterations: Any) -> int:
    """Refuse a model and a limit of iterations that there are not; returns the limit."""
    if model not in MODELS:
        raise ParameterError(f"model={model!r} was passed; allowed are {', '.join(MODELS)}")
    limit = NO_LIMIT if max_iterations is None else max_iterations
    if isinstance(limit, bool) or not isinstance(limit, int | np.integer) or limit < 0:
        raise ParameterError(f"max_iter={max_iterations!r} was passed; allowed are whole numbers from 0")
    return int(limit)


def why(graph: Graph, asked: str, model: str, frontier: int, edges: int, before: str) -> str:
    """The part of the rule in `lux.kernels.loops.iterate` that chose an iteration's model."""
    if asked != "auto":
        return "as asked for"
    if frontier + edges > graph.n_edges // fr.PULL_ABOVE:
        return f"frontier and its edges, {frontier + edges:,}, exceed 1/{fr.PULL_ABOVE} of all edges"
    if model == "pull":
        return f"{before} before, and the frontier, {frontier:,}, exceeds 1/{fr.PUSH_BELOW} of all vertices"
    return f"frontier and its edges, {frontier + edges:,}, are within 1/{fr.PULL_ABOVE} of all edges"


def runs_as_team(parts: int | None) -> bool:
    """Whether one task holds the whole graph: where there is one process, unless several partitions are wanted."""
    return runtime.ranks() == 1 and parts in (None, 1)


def team_threads(graph: Graph, parts: int | None) -> int:
    """Threads of the task that holds the whole graph: one if a partition was asked for."""
    return graph.default_threads() if parts is None else check_parts(parts, graph.n_vertices)


def run_layout(graph: Graph, parts: int | None) -> Layout:
    """The layout that a run works on: where one task holds all, a range for each of its threads."""
    return graph.layout(team_threads(graph, parts) if runs_as_team(parts) else parts)


def prepare(graph: Graph, parts: int | None, model: str, properties: tuple[str, ...]) -> None:
    """Make what a run with a frontier needs of the graph: partitions, and edges by source unless all is pulled."""
    layout = run_layout(graph, parts)
    if model != "pull":
        layout.by_source(properties)


def store_bytes(spec: Spec, layout: Layout, *, push: bool) -> int:
    """Bytes of a run's stores: fields, in two copies where needed, and edges by source if they are to be made."""
    graph = layout.graph
    copies = {f.name: 1 if spec.owned(f.name) else 2 for f in spec.state}
    fields = sum(f.numpy_dtype(graph.id_dtype).itemsize * (f.length or 1) * copies[f.name] for f in spec.state)
    per_edge = graph.id_dtype.itemsize + sum(graph.property_types[n].itemsize for n in spec.edge_properties)
    names = tuple(spec.edge_properties)
    by_source = per_edge * graph.n_edges + 10 * graph.n_vertices * layout.parts
    made = layout.has_by_source(names) or (layout.parts == 1 and not graph.directed)
    return (fields + graph.degree_dtype.itemsize) * graph.n_vertices + (by_source if push and not made else 0)


class Runner:
    """Stores and arguments of one run."""

    limit: ClassVar[int]

    def __init__(
        self,
        launches: Step,
        layout: Layout,
        program: type[Program],
        given: dict[str, Store],
        values: dict[str, Any],
        model: str,
        max_iterations: int,
        push: bool,
        out_degree: Store | None,
        by_rows: str,
        directions: Directions | None = None,
    ) -> None:
        self.launches, self.spec, self.max_iterations = launches, program.spec, max_iterations
        self.model, self.by_rows, self.push = model, by_rows, push
        self.directions = directions if directions is not None and directions.by_estimates else None
        self.owned, self.a, self.b = self._field_stores(layout)
        self._values, self._fixed_stores = values, {f"given_{n}": store for n, store in given.items()}
        self._fixed_stores |= {f"own_{n}": store for n, store in self.owned.items()}
        self._fixed_stores |= {} if out_degree is None else {"out_degree": out_degree}
        self._lay_out(layout)

    def _field_stores(self, layout: Layout) -> tuple[dict[str, Store], dict[str, Store], dict[str, Store]]:
        """Stores of the owned fields, and two copies of the others and of what says how far the run has come."""
        owned = self.launches.writer.owned
        fields = [f for f in self.spec.state if f.name not in owned]
        a, b = ({f.name: self._field_store(layout, f) for f in fields} | self._progress(layout) for _ in "ab")
        return {f.name: self._field_store(layout, f) for f in self.spec.state if f.name in owned}, a, b

    def _lay_out(self, layout: Layout) -> None:
        """Make what depends on the split points: ``static``, the stores of all launches, and ``shared``."""
        self.layout, launches, graph = layout, self.launches, layout.graph
        fixed: dict[str, Any] = {
            "n_vertices": graph.n_vertices,
            "n_edges": graph.n_edges,
            "points": layout.points,
            "queue_at": layout.queue_at,
            "word_at": layout.word_at,
            "model": ESTIMATES if self.directions else MODELS[self.model],
            "do_a": self.directions.do_a if self.directions else DO_A,
            "do_b": self.directions.do_b if self.directions else DO_B,
            "max_iterations": self.max_iterations,
            "limit": self.limit,
            "work_limit": WORK_PER_TASK * layout.parts,
            "queue_type": graph.id_dtype if self.spec.frontier else np.dtype(np.uint32),
            "meeting": np.zeros(1, np.int64),
            "threads": layout.parts if self.limit > 1 else 1,
        }
        fixed |= {f"params_{n}": v for n, v in self._values.items()}
        # A program without a frontier has no words.
        nothing = np.empty(0, np.uint64)
        fixed |= {f"{which}_bits": nothing for which in (*COPIES, "new")}
        fixed |= {f"{which}_queue": nothing.view(fixed["queue_type"]) for which in (*COPIES, "new")}
        self.static = {"in_offsets": graph.offsets} | self._fixed_stores
        if launches.writer.wants_order and graph.order is not None:
            self.static["order"] = graph.order.vertices
        self._add_in_edges(fixed)
        self.by_source = self._add_by_source(fixed)
        self.vector_cuts = {vectors(k): cut(layout.points * k) for k in self.spec.lengths.values()}
        cuts = layout.cuts | self.vector_cuts | (self.by_source.cuts if self.by_source else {})
        self.shared = Shared(
            layout.points.tolist(), {n: [(a, b) for a, b in c.tolist()] for n, c in cuts.items()}, fixed
        )

    def _add_in_edges(self, fixed: dict[str, Any]) -> None:
        names, graph = tuple(self.launches.writer.edge), self.layout.graph
        if self.by_rows:
            self.static |= {"sources": graph.sources} | {f"in_edge_{n}": graph.properties[n] for n in names}
            return
        blocks = self.layout.blocks(names)
        fixed |= blocks.values
        self.static |= {"packed": blocks.packed} | {f"in_edge_{n}": p for n, p in blocks.properties.items()}

    def _add_by_source(self, fixed: dict[str, Any]) -> BySource | None:
        names, graph = tuple(self.launches.writer.edge), self.layout.graph
        fixed["ins"] = np.empty(0, np.uint64)
        if not self.push:
            fixed |= {"out_offsets": np.empty(0, np.int64), "destinations": np.empty(0, graph.id_dtype)}
            fixed |= {f"out_edge_{n}": np.empty(0, graph.property_types[n]) for n in names}
            return None
        edges = self.layout.by_source(names)
        self.static |= {"out_offsets": edges.offsets, "destinations": edges.destinations}
        self.static |= {f"out_edge_{n}": p for n, p in edges.properties.items()}
        if edges.ins is not None:
            self.static["ins"] = edges.ins
        return edges

    @staticmethod
    def _field_store(layout: Layout, field: Field) -> Store:
        graph = layout.graph
        return runtime.new_store(field.numpy_dtype(graph.id_dtype), graph.n_vertices * (field.length or 1))

    def _progress(self, layout: Layout) -> dict[str, Store]:
        """New stores for a frontier, where there is one, and for the state."""
        words = {"words": runtime.new_store(np.uint64, int(layout.word_at[-1]))} if self.spec.frontier else {}
        return words | {"state": runtime.new_store(np.int64, layout.parts * fr.STATE_COLUMNS)}

    def _first(self) -> dict[str, Store]:
        """What ``start`` writes."""
        others = {f"other_{n}": self.b[n] for n in self.launches.writer.shared_state}
        return {f"new_{n}": s for n, s in self.a.items()} | others

    def _next(self) -> dict[str, Store]:
        """The copies for a launch of ``run``; afterwards ``a`` is what it wrote."""
        copies = {f"a_{n}": s for n, s in self.a.items()} | {f"b_{n}": s for n, s in self.b.items()}
        self.a, self.b = self.b, self.a
        return copies

    def _why(self, model: str, frontier: int, edges: int, before: str) -> str:
        if not self.spec.frontier and self.model == "auto":
            how = f"by rows: {self.by_rows}" if self.by_rows else "by blocks of edges"
            return f"without a frontier all vertices gather, {how}"
        return why(self.layout.graph, self.model, model, frontier, edges, before)

    def _table(self, rows: NDArray[np.float64]) -> Table:
        """The statistics of a run from its rows."""
        if self.directions:
            return EstimatedTable(rows, self.layout.graph, self.directions)
        return Table(rows, self._why)

    def _finished(self, state: NDArray[np.int64], seconds: float, statistics: Sequence[Iteration], threads: int) -> Run:
        iterations, finished = int(state[fr.ITERATIONS]), int(state[fr.FINISHED])
        fields = {f.name: (self.owned | self.a)[f.name] for f in self.spec.state}
        parts = self.layout.parts // threads
        return Run(fields, iterations, finished == fr.CONVERGED, seconds, parts, statistics, threads)


class _TeamRunner(Runner):
    """One task runs many iterations, with a thread for each range of the layout."""

    limit = MAX_PER_TASK

    def run(self, progress: Progress | None) -> Run:
        runtime.finish()
        key = runtime.share(self.shared)
        began = time.perf_counter()
        self.launches.start(1, **self.static, **self._first(), key=key)
        done, finished = 0, fr.RUNNING
        while finished == fr.RUNNING:
            self.launches.run(1, **self.static, **self._next(), key=key)
            ran, state = self.shared.reports.get()
            finished = int(state[fr.FINISHED])
            done += ran
            if progress is not None and ran:
                progress(done)
        seconds = time.perf_counter() - began
        runtime.unshare(key)
        parts = range(self.layout.parts)
        rows = np.stack([np.concatenate(self.shared.statistics[part] or [np.empty(0)]) for part in parts])
        return self._finished(state, seconds, self._table(rows), self.layout.parts)
