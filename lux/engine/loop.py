# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Running a program: launches ahead of the answers, until the vertices (not the driver) say it is over.

Every launch reads the state that the one before wrote; once that says the run has finished, a launch leaves
everything as it is. So the driver may read late, and reading late changes no value and no iteration count.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.engine.check import compile_kernels, given_arrays, parameter_values
from lux.engine.layout import Layout
from lux.engine.step import CONTROL, Step, step
from lux.errors import ParameterError
from lux.kernels import frontier as fr
from lux.program import Edges, Program
from lux.runtime import Store

if TYPE_CHECKING:
    from lux.graph import Graph

MODELS = {"auto": 0, "pull": fr.PULL, "push": fr.PUSH}
WINDOW = 4
"""How many launches the driver stays ahead of the newest count it has read."""
SLOTS = 512
"""Iterations whose statistics are kept in a store before the driver takes them."""
WORK_PER_TASK = 50_000_000
"""With one partition: edges and vertices after which a task hands back to the driver (about 0.1 to 0.3 s)."""

Progress = Callable[[int], None]
"""Called with the number of iterations that are known to be done."""


@dataclass(frozen=True)
class Iteration:
    """What one iteration did.

    Attributes
    ----------
    model : str
        ``pull`` or ``push``.
    frontier : int
        Active vertices at its start.
    frontier_edges : int
        Their out-edges.
    seconds : np.ndarray of shape (parts,)
        Kernel time of each partition.
    """

    model: str
    frontier: int
    frontier_edges: int
    seconds: NDArray[np.float64]


@dataclass(frozen=True)
class Run:
    """A finished run: the fields' final values and how they were reached.

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
    statistics : list of Iteration
    """

    fields: dict[str, Store]
    iterations: int
    converged: bool
    seconds: float
    parts: int
    statistics: list[Iteration] = field(repr=False)


def execute(
    program: type[Program],
    graph: Graph,
    params: Mapping[str, Any],
    *,
    given: Mapping[str, Any] | None = None,
    parts: int | None = None,
    model: str = "auto",
    max_iterations: int | None = None,
    progress: Progress | None = None,
) -> Run:
    """Run ``program`` on ``graph``; see `lux.run`."""
    if model not in MODELS:
        raise ParameterError(f"model={model!r} was passed; allowed are {', '.join(MODELS)}")
    limit = 2**62 if max_iterations is None else max_iterations
    if isinstance(limit, bool) or not isinstance(limit, int | np.integer) or limit < 0:
        raise ParameterError(f"max_iter={max_iterations!r} was passed; allowed are whole numbers from 0")
    values = parameter_values(program.spec, params)
    if program.edges is Edges.OUT:
        graph = graph.reverse()
    elif program.edges is Edges.BOTH:
        graph = graph.symmetrized()
    arrays = given_arrays(program.spec, graph, given or {})
    layout = graph.layout(parts)
    push = model == "push" or (model == "auto" and program.spec.frontier)
    compile_kernels(program, graph, values)
    launches = step(program, tuple(type(v) for v in values.values()), layout.parts == 1, push)
    runner = _Runner(launches, layout, program, arrays, values, MODELS[model], int(limit), push)
    return runner.run(progress)


class _Runner:
    def __init__(
        self,
        launches: Step,
        layout: Layout,
        program: type[Program],
        given: dict[str, Store],
        values: dict[str, Any],
        model: int,
        max_iterations: int,
        push: bool,
    ) -> None:
        graph, spec = layout.graph, program.spec
        self.launches, self.layout, self.spec, self.max_iterations = launches, layout, spec, max_iterations
        writer = launches.writer
        totals = max(len(writer.totals), 1)
        one = layout.parts == 1
        control = {
            "n_vertices": graph.n_vertices,
            "n_edges": graph.n_edges,
            "model": model,
            "max_iterations": max_iterations,
            "limit": SLOTS - 1 if one else 1,
            "work_limit": WORK_PER_TASK,
        }
        self.static = dict(layout.stores)
        self.static["points_array"] = self.static.pop("points")
        self.static["control"] = runtime.from_array(np.array([control[n] for n in CONTROL], np.int64))
        self.static |= layout.splits | {"in_offsets": graph.offsets, "out_degree": graph.out_degree_store}
        self.static |= {f"given_{n}": store for n, store in given.items()}
        self.static |= {f"params_{n}": v for n, v in values.items()}
        self.static |= {"totals_rows": layout.rows(totals), "statistics_rows": layout.rows(SLOTS * fr.STATISTICS_COLUMNS)}
        self.static |= {"sources": graph.sources} | {f"in_{n}": graph.properties[n] for n in writer.edge}
        self.static |= self._by_source(push)
        self.statistics_store = runtime.new_store(np.float64, layout.parts * SLOTS * fr.STATISTICS_COLUMNS, 0)
        self.a, self.b = self._buffers(totals), self._buffers(totals)

    def _by_source(self, push: bool) -> dict[str, Store]:
        names = tuple(self.launches.writer.edge)
        if not push:
            graph = self.layout.graph
            empty = {"ins_bits": np.uint64, "ins_rank": np.uint32, "out_offsets": np.int64, "destinations": graph.id_dtype}
            empty |= {f"out_{n}": graph.property_types[n] for n in names}
            return {n: runtime.from_array(np.zeros(1, t)) for n, t in empty.items()}
        edges = self.layout.by_source(names)
        stores = {"ins_bits": edges.ins_bits, "ins_rank": edges.ins_rank, "out_offsets": edges.offsets}
        stores |= {"destinations": edges.destinations} | edges.splits
        return stores | {f"out_{n}": p for n, p in edges.properties.items()}

    def _buffers(self, totals: int) -> dict[str, Store]:
        graph, layout = self.layout.graph, self.layout
        stores = {f.name: runtime.new_store(f.numpy_dtype(graph.id_dtype), graph.n_vertices) for f in self.spec.state}
        if self.spec.frontier:
            stores["queue"] = runtime.new_store(graph.id_dtype, int(layout.queue_at[-1]))
            stores["bits"] = runtime.new_store(np.uint64, int(layout.word_at[-1]))
        stores["state"] = runtime.new_store(np.int64, layout.parts * fr.STATE_COLUMNS)
        stores["totals"] = runtime.new_store(np.float64, layout.parts * totals, 0)
        return stores

    def _launch(self, slot: int) -> Store:
        """One launch; afterwards ``a`` is what it wrote."""
        ran = runtime.new_scalar()
        buffers = {f"a_{n}": s for n, s in self.a.items()} | {f"b_{n}": s for n, s in self.b.items()}
        self.launches.run(
            self.layout.parts, **self.static, **buffers, statistics=self.statistics_store, slot=slot, ran=ran
        )
        self.a, self.b = self.b, self.a
        return ran

    def run(self, progress: Progress | None) -> Run:
        parts = self.layout.parts
        runtime.check_points(parts)
        runtime.finish()
        began = time.perf_counter()
        first = {f"new_{n}": s for n, s in self.a.items()} | {f"other_{f.name}": self.b[f.name] for f in self.spec.state}
        self.launches.start(parts, **self.static, **first)
        statistics = self._one_partition(progress) if parts == 1 else self._many_partitions(progress)
        runtime.finish()
        seconds = time.perf_counter() - began
        state = runtime.to_array(self.a["state"])
        iterations, finished = int(state[fr.ITERATIONS]), int(state[fr.FINISHED])
        # With several partitions iteration k writes one copy for odd k, the other for even k.
        final = self.a if parts == 1 or (iterations - self.launched) % 2 == 0 else self.b
        fields = {f.name: final[f.name] for f in self.spec.state}
        return Run(fields, iterations, finished == fr.CONVERGED, seconds, parts, statistics)

    def _one_partition(self, progress: Progress | None) -> list[Iteration]:
        statistics: list[Iteration] = []
        finished = fr.RUNNING
        while finished == fr.RUNNING:
            ran = runtime.read_scalar(self._launch(0))
            statistics += self._take(ran)
            finished = int(runtime.to_array(self.a["state"])[fr.FINISHED])
            if progress is not None:
                progress(len(statistics))
        return statistics

    def _many_partitions(self, progress: Progress | None) -> list[Iteration]:
        statistics: list[Iteration] = []
        pending: deque[Store] = deque()
        self.launched = done = 0
        running = True
        while running:
            pending.append(self._launch(self.launched % SLOTS))
            self.launched += 1
            flush = self.launched % SLOTS == 0
            while running and pending and (flush or len(pending) > WINDOW or self.launched > self.max_iterations):
                running = runtime.read_scalar(pending.popleft()) > 0
                done += running
                if progress is not None and running:
                    progress(done)
            if flush and running:
                statistics += self._take(SLOTS)
        return statistics + self._take(done - len(statistics))

    def _take(self, count: int) -> list[Iteration]:
        """Statistics of the ``count`` iterations in the store's first slots."""
        if count == 0:
            return []
        shape = (self.layout.parts, SLOTS, fr.STATISTICS_COLUMNS)
        rows = runtime.to_array(self.statistics_store).reshape(shape)[:, :count]
        names = {fr.PULL: "pull", fr.PUSH: "push"}
        return [
            Iteration(names[int(rows[0, k, 0])], int(rows[0, k, 1]), int(rows[0, k, 2]), rows[:, k, 3].copy())
            for k in range(count)
        ]
