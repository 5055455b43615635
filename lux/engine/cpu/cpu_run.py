# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Runs on CPU cores: two copies of the fields, edges in both orders, the state, and the launches on them.

Every launch reads the state of the launch before; once the state says that the run has finished, a launch changes
nothing. So the driver may read late, and reading late changes no value and no iteration count.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.codegen.cpu_writer import COPIES
from lux.codegen.direction import ESTIMATES
from lux.engine.run.directions import DO_A, DO_B, Directions, EstimatedTable
from lux.engine.run.program_launches import PartitionKernels, ProgramLaunches, TaskContext, vectors
from lux.engine.run.run import Progress, Run
from lux.engine.run.statistics import Iteration, Table, why
from lux.graph.core.partitions import cut
from lux.graph.indexes.csr_by_source import CsrBySource
from lux.graph.layout import PartitionedGraph
from lux.kernels import frontier as fr
from lux.program.fields import Field
from lux.program.program import Program
from lux.runtime import Store

if TYPE_CHECKING:
    from lux.engine.run.checkpoint import Checkpoint

MODELS = {"auto": 0, "pull": fr.PULL, "push": fr.PUSH}
MAX_PER_TASK = 4095
"""Most iterations in one task, with one partition (odd, so that the result lies in the copy last written)."""
WORK_PER_TASK = 50_000_000
"""Edges and vertices a thread after which a task hands back to the driver, with one partition (0.1 to 0.3 s)."""


class Runner:
    """Stores and arguments of one run."""

    limit: ClassVar[int]
    starts_whole: ClassVar[bool] = False
    """True if the first launch writes all fields and the progress, both copies, whole."""
    launches: ProgramLaunches | PartitionKernels

    def __init__(
        self,
        launches: ProgramLaunches | PartitionKernels,
        layout: PartitionedGraph,
        program: type[Program],
        given: dict[str, Store],
        values: dict[str, Any],
        model: str,
        max_iterations: int,
        push: bool,
        by_rows: str,
        directions: Directions | None = None,
        checkpoint: Checkpoint | None = None,
    ) -> None:
        self.checkpoint = checkpoint
        self.launches, self.spec, self.max_iterations = launches, program.spec, max_iterations
        self.model, self.by_rows, self.push = model, by_rows, push
        self.directions = directions if directions is not None and directions.by_estimates else None
        with runtime.touched_together():
            self.owned, self.a, self.b = self._field_stores(layout)
        self._values, self._fixed_stores = values, {f"given_{n}": store for n, store in given.items()}
        self._fixed_stores |= {f"own_{n}": store for n, store in self.owned.items()}
        if launches.writer.wants_out_degree():
            self._fixed_stores["out_degree"] = layout.graph.out_degree_store
        self._lay_out(layout)

    def _field_stores(self, layout: PartitionedGraph) -> tuple[dict[str, Store], dict[str, Store], dict[str, Store]]:
        """Make stores of the owned fields, and two copies of the other fields and of the progress."""
        owned = self.launches.writer.owned
        fields = [f for f in self.spec.state if f.name not in owned]
        a, b = ({f.name: self._field_store(layout, f) for f in fields} | self._progress(layout) for _ in "ab")
        return {f.name: self._field_store(layout, f) for f in self.spec.state if f.name in owned}, a, b

    def _lay_out(self, layout: PartitionedGraph) -> None:
        """Make everything that depends on the split points: ``static``, the stores of all launches, and ``shared``."""
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
            "work_limit": self._work_limit(layout),
            "queue_type": graph.id_dtype if self.spec.frontier else np.dtype(np.uint32),
            "meeting": np.zeros(1, np.int64),
            "between": np.empty(0, np.int64),
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
        self.shared = TaskContext(
            layout.points.tolist(), {n: [(a, b) for a, b in c.tolist()] for n, c in cuts.items()}, fixed
        )

    def _work_limit(self, layout: PartitionedGraph) -> int:
        """Return the work of a task: less where checkpoints are to be kept at shorter times than it takes."""
        most = WORK_PER_TASK * layout.parts
        return most if self.checkpoint is None else int(most * min(self.checkpoint.every, 1.0))

    def _add_in_edges(self, fixed: dict[str, Any]) -> None:
        names, graph = tuple(self.launches.writer.edge), self.layout.graph
        if self.by_rows:
            self.static |= {"sources": graph.sources} | {f"in_edge_{n}": graph.properties[n] for n in names}
            return
        blocks = self.layout.blocks(names)
        fixed |= blocks.values
        self.static |= {"packed": blocks.packed} | {f"in_edge_{n}": p for n, p in blocks.properties.items()}

    def _add_by_source(self, fixed: dict[str, Any]) -> CsrBySource | None:
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

    def _field_store(self, layout: PartitionedGraph, field: Field) -> Store:
        graph = layout.graph
        return self._new_store(field.numpy_dtype(graph.id_dtype), graph.n_vertices * (field.length or 1), of_graph=True)

    def _new_store(self, dtype: Any, length: int, *, of_graph: bool = False) -> Store:
        written_whole = self.starts_whole and self.checkpoint is None
        return runtime.new_store(dtype, length, of_graph=of_graph, written_whole=written_whole)

    def _progress(self, layout: PartitionedGraph) -> dict[str, Store]:
        """Make stores for a frontier, if there is one, and for the state."""
        words = (
            {"words": self._new_store(np.uint64, int(layout.word_at[-1]), of_graph=True)} if self.spec.frontier else {}
        )
        return words | {"state": self._new_store(np.int64, layout.parts * fr.STATE_COLUMNS)}

    def _next(self) -> dict[str, Store]:
        """Return the copies for a launch of ``run``, which writes ``a``."""
        copies = {f"a_{n}": s for n, s in self.a.items()} | {f"b_{n}": s for n, s in self.b.items()}
        self.a, self.b = self.b, self.a
        return copies

    def _resumed(self) -> tuple[int, dict[str, Store]]:
        """Read fields and progress from the checkpoint, if it has any.

        Returns the iterations that are done, and the newest stores: of fields, the state and the frontier. There are
        none where the run begins.
        """
        if self.checkpoint is None or (progress := self.checkpoint.progress(frontier=self.spec.frontier)) is None:
            return 0, {}
        fields = self.owned | {name: store for name, store in self.a.items() if name in self.spec.fields}
        self.checkpoint.read_fields(fields)
        state, words = progress.for_partitions(self.layout)
        control = {"state": runtime.from_array(state)}
        control |= {} if words is None else {"words": runtime.from_array(words)}
        return progress.iterations, fields | control

    def _keep(self, stores: dict[str, Store]) -> None:
        """Save the newest values of fields, the state and the frontier."""
        assert self.checkpoint is not None
        fields = {name: store for name, store in stores.items() if name in self.spec.fields}
        self.checkpoint.save_run(self.layout, fields, {name: stores[name] for name in stores.keys() - fields.keys()})

    def _why(self, model: str, frontier: int, edges: int, before: str) -> str:
        if not self.spec.frontier and self.model == "auto":
            how = f"by rows: {self.by_rows}" if self.by_rows else "by blocks of edges"
            return f"without a frontier all vertices gather, {how}"
        return why(self.layout.graph, self.model, model, frontier, edges, before)

    def _table(self, rows: NDArray[np.float64], sums: NDArray[np.float64]) -> Table:
        """Make the statistics of a run from its rows."""
        if self.directions:
            return EstimatedTable(rows, self.layout.graph, self.directions, sums)
        return Table(rows, self._why, sums)

    def _finished(
        self, state: NDArray[np.int64], seconds: float, statistics: Sequence[Iteration], threads: int, resumed: int
    ) -> Run:
        iterations, finished = int(state[fr.ITERATIONS]), int(state[fr.FINISHED])
        fields = {f.name: (self.owned | self.a)[f.name] for f in self.spec.state}
        parts = self.layout.parts // threads
        converged = finished == fr.CONVERGED
        return Run(fields, iterations, converged, seconds, parts, statistics, threads, resumed=resumed)


class SharedMemoryRun(Runner):
    """One task runs many iterations, with a thread for each range of the layout.

    Parameters
    ----------
    *arguments
        Arguments of `Runner`.
    arrays : sequence of np.ndarray
        Whole constant fields that have no stores, as `step` was told.
    """

    limit = MAX_PER_TASK
    starts_whole = True
    launches: ProgramLaunches

    def __init__(self, *arguments: Any, arrays: Sequence[NDArray[Any]]) -> None:
        super().__init__(*arguments)
        self.shared.arrays = arrays

    def run(self, progress: Progress | None) -> Run:
        """Launch until the run has finished."""
        runtime.finish()
        with runtime.registered(self.shared) as key:
            began = time.perf_counter()
            resumed = done = self._resume()
            launch = self.launches.run if resumed else self.launches.start
            finished = fr.RUNNING
            while finished == fr.RUNNING:
                launch(1, **self.static, **self._next(), key=key)
                launch = self.launches.run
                ran, state = self.shared.reports.get()
                finished = int(state[fr.FINISHED])
                done += ran
                if self.checkpoint is not None and finished == fr.RUNNING and self.checkpoint.due():
                    self._keep(self.owned | self.a)
                if progress is not None and ran:
                    progress(done)
            seconds = time.perf_counter() - began
        kept = [self.shared.statistics[part].kept() for part in range(self.layout.parts)]
        rows, sums = (np.concatenate(each) for each in zip(*kept, strict=True))
        return self._finished(state, seconds, self._table(rows, sums), self.layout.parts, resumed)

    def _resume(self) -> int:
        """Take the values of a checkpoint, if there is one; return the iterations that are done."""
        done, stores = self._resumed()
        if stores:
            assert self.checkpoint is not None
            self.a |= {name: store for name, store in stores.items() if name in self.a}
            self.checkpoint.read_fields({name: store for name, store in self.b.items() if name in self.spec.fields})
        return done
