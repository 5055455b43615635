# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""A vertex program on one GPU that holds the whole graph: one kernel runs it from the first to the last iteration."""

from __future__ import annotations

import functools
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.codegen import cuda_build
from lux.codegen.cuda_arguments import HOT_BYTES
from lux.codegen.cuda_writer import Writer
from lux.engine.gpu.control import CONTROL_TYPE
from lux.engine.gpu.placement import device_selection
from lux.engine.run.check import scalar_types
from lux.engine.run.progress_state import ProgressState
from lux.engine.run.run import Progress, Run
from lux.engine.run.statistics import Rows, Table, why
from lux.graph.indexes.degree_bins import most_items
from lux.kernels import frontier as fr
from lux.launch.memory import Scratch, bitmap_bytes
from lux.runtime import GpuLauncher, GpuPlan, Kernel

if TYPE_CHECKING:
    from lux.engine.run.checkpoint import Checkpoint
    from lux.graph.graph import Graph
    from lux.graph.layout import PartitionedGraph
    from lux.program.program import Program
    from lux.runtime import Store

ITERATIONS_PER_LAUNCH = 1 << 13
"""Rows of statistics that a launch has room for."""
STATIC_BYTES = 1024
"""Shared memory of a block that is not the hot table, at most."""
CHUNK = 1024
"""Edges of a chunk of a hub; equal to the constant of `iteration.cuh`."""
MODELS = {"auto": 0, "pull": fr.PULL, "push": fr.PUSH}


def of_reductions(
    writer: Writer, vertices: int, n_items: int, *, pushes: bool
) -> tuple[dict[str, int], dict[str, int]]:
    """Count the bytes of the arrays in which a kernel reduces, for `Scratch`: zero before a run, and others."""
    spec = writer.spec
    size = sum(writer.dtype(f).itemsize * spec.lengths.get(f, 1) for f in writer.reduced)
    zeroed = {"control": CONTROL_TYPE.itemsize, "partial_count": 4 * n_items}
    zeroed |= {"locks": 4 * vertices} if writer.how == "lock" else {}
    others = {
        "block_totals": 8 * 3 * MOST_BLOCKS * max(len(writer.totals), 1),
        "partial": (size + 8 * len(writer.reduced)) * n_items,
    }
    if (pushes or spec.sparse) and writer.how == "word":
        others["pend"] = 8 * vertices
    elif pushes or spec.sparse:
        others |= {f"pend_{f}": writer.pending(f).itemsize * spec.lengths.get(f, 1) * vertices for f in writer.reduced}
    return zeroed, others


class GpuRun:
    """One run: its stores, and the kernel's arguments.

    Parameters
    ----------
    given : mapping of name to Store
        Constant fields, in the order in which the graph is stored.
    values : mapping of name to number
        Parameters.

    Attributes
    ----------
    checkpoint : Checkpoint or None
    """

    why_no_checkpoint = ""

    def __init__(
        self,
        program: type[Program],
        graph: Graph,
        given: Mapping[str, Store],
        values: Mapping[str, Any],
        model: str,
        max_iterations: int,
    ) -> None:
        self.program, self.spec, self.graph, self.model, self.limit = (
            program,
            program.spec,
            graph,
            model,
            max_iterations,
        )
        self.given, self.values = given, values
        self.checkpoint: Checkpoint | None = None
        self.writer = writer_of(program, graph, values)
        self.pushes = model == "push" or (model == "auto" and self.spec.frontier)
        self.layout: PartitionedGraph = graph.layout(1)

    def memory_bytes(self) -> int:
        """Count the bytes of the run on the GPU."""
        spec, n = self.spec, self.graph.n_vertices
        properties = sum(self.graph.property_types[e].itemsize for e in spec.edge_properties)
        fields = sum(self.itemsize(f) for f in (*self.writer.state, *self.writer.swapped, *self.writer.constant))
        pending = sum(self.writer.pending(f).itemsize * spec.lengths.get(f, 1) for f in self.writer.reduced)
        edges = device_selection.edges_bytes(self.graph, properties, both=self.pushes)
        if spec.frontier and not self.pushes and self.graph.directed:
            edges += 8 * (n + 1)
        reduced = sum(self.itemsize(f) + 8 for f in self.writer.reduced)
        beside = (12 + reduced) * most_items(n, self.graph.n_edges) + 24 * MOST_BLOCKS * max(len(self.writer.totals), 1)
        # 25: queues of vertices and of touched ones, bit sets, rows and degrees
        return edges + n * (fields + (pending if self.pushes or spec.sparse else 0) + 25) + beside

    def itemsize(self, name: str) -> int:
        """Return the bytes of a vertex in a field."""
        return self.writer.dtype(name).itemsize * self.spec.lengths.get(name, 1)

    def scratch(self, n_items: int) -> Scratch:
        """Lay out the kernel's scratch memory."""
        n, spec, writer = self.graph.n_vertices, self.spec, self.writer
        zeroed, others = of_reductions(writer, n, n_items, pushes=self.pushes)
        if spec.frontier:
            zeroed["marks"] = bitmap_bytes(n)
            others |= {"small": 8 * n, "chunks": 16 * self.chunks_length(), "front": bitmap_bytes(n)}
            others |= {"touched": 4 * n} if spec.sparse else {}
        return Scratch(zeroed, others)

    def chunks_length(self) -> int:
        """Count the chunks of a frontier's hubs: hubs of more than `CHUNK` edges have less than twice as many."""
        return 2 * self.graph.n_edges // CHUNK + 1

    def static(self) -> dict[str, Store]:
        """Return the stores that the run only reads."""
        graph, writer = self.graph, self.writer
        rows = self.layout.gpu_rows
        stores = {"in_offsets": graph.offsets, "sources": graph.sources, "items": rows.items}
        stores |= {} if rows.rows is None else {"rows": rows.rows}
        stores |= {f"in_edge_{e}": graph.properties[e] for e in writer.edge}
        if self.spec.uses("v", "out_degree") or self.spec.uses("u", "out_degree"):
            stores["out_degree"] = graph.out_degree_store
        if self.pushes:
            by_source = self.layout.by_source(tuple(writer.edge))
            stores |= {"out_offsets": by_source.offsets, "destinations": by_source.destinations}
            stores |= {f"out_edge_{e}": p for e, p in by_source.properties.items()}
        elif self.spec.frontier:
            stores["out_offsets"] = self.layout.by_source(()).offsets
        if writer.ordered and graph.order is not None:
            stores["order"] = graph.order.vertices
        return stores | {f"given_{n}": s for n, s in self.given.items()}

    def numbers(self) -> dict[str, Any]:
        """Return the kernel's arguments that are numbers."""
        graph, writer = self.graph, self.writer
        fixed: dict[str, Any] = {
            "lo": 0,
            "hi": graph.n_vertices,
            "n_vertices": graph.n_vertices,
            "n_edges": graph.n_edges,
            "n_rows": graph.n_vertices,
            "n_neighbours": graph.n_vertices,
            "limit": self._noted + 1,  # after the last iteration of a run the kernel sees that it is the last
            "max_iterations": self.limit,
            "model": MODELS[self.model],
            "n_items": self.layout.gpu_rows.n_items,
            "n_segments": self.layout.gpu_rows.n_segments,
            "chunks_length": self.chunks_length(),
            "hot": writer.hot_each(graph.n_vertices),
        }
        length = -(-graph.n_vertices // max(writer.ranges, 1))
        fixed |= {name: k * length for k, name in enumerate(writer.range_names, 1)}
        return fixed | {f"params_{n}": v for n, v in self.values.items()}

    def execute(self, progress: Progress | None) -> Run:
        """Run to the end."""
        writer, n = self.writer, self.graph.n_vertices
        kernel = kernel_of(self.program, writer)
        static = self.static()
        fields = {
            f"{copy}_{f}": runtime.new_store(writer.dtype(f), n * self.spec.lengths.get(f, 1), touched=False)
            for copy, names in (("a", writer.state), ("b", writer.swapped))
            for f in names
        }
        resumed = self._resumed(fields)
        saved = {} if self.checkpoint is None else self._saved_stores(resumed)
        scratch = self.scratch(self.layout.gpu_rows.n_items)
        memory = runtime.new_store(np.uint8, scratch.nbytes, touched=False)
        launches = _launchers(tuple(static), (*fields, *saved), resumed is not None)
        plans: list[tuple[GpuPlan, int]] = []
        finished, rows, running = fr.RUNNING, Rows(), True
        control, k = np.zeros(1, CONTROL_TYPE), 0
        runtime.finish()
        began = time.perf_counter()
        try:
            while finished == fr.RUNNING:
                if len(plans) == k:
                    plan = self._plan(launches[k], kernel, scratch, resumed)
                    plans.append((plan, runtime.register(plan)))
                    plan.register(plans[k][1])
                plan, key = plans[k]
                launches[k](1, **static, **fields, **saved, scratch=memory, key=key, number=k)
                plan.wait(key)
                control, table = self._report(plan.report(key))
                rows.append(table)
                finished, k = int(control[0]["finished"]), 1
                if self.checkpoint is not None and finished == fr.RUNNING and self.checkpoint.due():
                    self.checkpoint.save_progress(self._progress(control[0], saved), self._newest(fields, control[0]))
                if progress is not None and len(table):
                    progress(int(control[0]["iteration"]))
            seconds = time.perf_counter() - began
            running = False
            runtime.all_has_run()
        finally:
            if running:  # launches of an interrupted run read its plans
                runtime.finish()
            for plan, key in plans:
                plan.unregister(key)
                runtime.unregister(key)
        iterations, stores = int(control[0]["iteration"]), self._newest(fields, control[0])
        kept, sums = rows.kept()
        statistics = Table(kept, self._why, sums)
        before = 0 if resumed is None else resumed.iterations
        done = Run(stores, iterations, finished == fr.CONVERGED, seconds, 1, statistics, device="gpu")
        return replace(done, resumed=before)

    def _newest(self, fields: Mapping[str, Store], control: Any) -> dict[str, Store]:
        """Return the copy of each field that the last iteration wrote."""
        last = "b" if int(control["iteration"]) & 1 else "a"
        return {f: fields[f"{last if f in self.writer.swapped else 'a'}_{f}"] for f in self.writer.state}

    def _resumed(self, fields: Mapping[str, Store]) -> ProgressState | None:
        """Read fields and progress from the checkpoint, if it has any."""
        if self.checkpoint is None or (found := self.checkpoint.progress(frontier=self.spec.frontier)) is None:
            return None
        for copy in "ab":
            self.checkpoint.read_fields({n[2:]: store for n, store in fields.items() if n[0] == copy})
        return found

    def _saved_stores(self, resumed: ProgressState | None) -> dict[str, Store]:
        """Make the stores of aggregates and frontier between launches, with those of a checkpoint if it is resumed."""
        if resumed is not None:
            found = {"saved_totals": runtime.from_array(resumed.totals)}
            front = {} if resumed.frontier is None else {"saved_front": runtime.from_array(resumed.frontier)}
            return found | front
        sizes: dict[str, tuple[type, int]] = {"saved_totals": (np.float64, fr.MAX_TOTALS)}
        sizes |= {"saved_front": (np.uint64, self.graph.n_vertices // 64 + 2)} if self.spec.frontier else {}
        return {name: runtime.new_store(*size, touched=False) for name, size in sizes.items()}

    def _progress(self, control: Any, saved: Mapping[str, Store]) -> ProgressState:
        """Return the progress between two launches."""
        iterations, totals = int(control["iteration"]), runtime.to_array(saved["saved_totals"]).copy()
        totals[len(self.writer.totals) :] = 0
        front = runtime.to_array(saved["saved_front"]).copy() if "saved_front" in saved else None
        edges = int(control["active_edges"][iterations % 3])
        return ProgressState(iterations, int(control["model"]), 0, edges, totals, front)

    def _plan(
        self, launch: GpuLauncher, kernel: Kernel, scratch: Scratch, resumed: ProgressState | None = None
    ) -> GpuPlan:
        writer, members = self.writer, list(self.writer.members)
        words, numbers = np.zeros((1, len(members)), np.int64), self.numbers()
        if resumed is not None:
            numbers |= {"resumed": 1, "resumed_iteration": resumed.iterations, "resumed_model": resumed.model}
        for name, value in numbers.items():
            words[0, members.index(name)] = word_of(value, writer.members[name])
        stores = []
        for k, name in enumerate(launch.arrays):
            if name in members:
                stores.append((members.index(name), k))
                if name.startswith("a_") and name[2:] not in writer.swapped:  # one copy has both roles
                    stores.append((members.index(f"b_{name[2:]}"), k))
        return GpuPlan(
            kernel,
            words,
            struct=True,
            stores=stores,
            scratch=launch.arrays.index("scratch"),
            in_scratch=[(members.index(name), at) for name, at in scratch.at.items()],
            zeroed=scratch.zeroed,
            zeroed_always=4,  # the barrier's count of arrivals
            reported=(scratch.at["control"], CONTROL_TYPE.itemsize),
            written=[(members.index("statistics"), CONTROL_TYPE.itemsize)],
            report_bytes=CONTROL_TYPE.itemsize + 8 * fr.STATISTICS_COLUMNS * (self._noted + 1),
            cleared=CONTROL_TYPE.itemsize,
            number=members.index("number"),
        )

    @property
    def _noted(self) -> int:
        """Iterations of a launch, at most: rows of statistics in its report.

        They are fewer where the times between checkpoints are shorter than the 0.2 s that a launch takes at most.
        """
        share = 1.0 if self.checkpoint is None else min(self.checkpoint.every, 1.0)
        most = ITERATIONS_PER_LAUNCH * share
        return max(min(int(most), self.limit), 1)

    def _report(self, report: NDArray[np.uint8]) -> tuple[Any, NDArray[np.float64]]:
        """Read the control words of a launch, and its rows of statistics."""
        control = report[: CONTROL_TYPE.itemsize].view(CONTROL_TYPE)
        rows = report[CONTROL_TYPE.itemsize :].view(np.float64)
        return control, rows[: int(control[0]["ran"]) * fr.STATISTICS_COLUMNS].copy()

    def _why(self, model: str, frontier: int, edges: int, before: str) -> str:
        if not self.spec.frontier and self.model == "auto":
            return "without a frontier all vertices gather"
        return why(self.graph, self.model, model, frontier, edges, before)


MOST_BLOCKS = 4096
"""Blocks of a launch at most: room for their shares of aggregates."""


@functools.lru_cache(256)
def _launchers(
    static: tuple[str, ...], fields: tuple[str, ...], resumed: bool = False
) -> tuple[GpuLauncher, GpuLauncher]:
    """Make the first launch of a run, which reads the fields if a checkpoint had them, and the launches that go on."""
    whole = dict.fromkeys
    written = whole([*fields, "scratch"])
    name = "run_program"
    later = GpuLauncher(name, whole(static), updates=written)
    if resumed:
        return GpuLauncher(name, whole(static), outputs=whole(["scratch"]), updates=whole(fields)), later
    return GpuLauncher(name, whole(static), outputs=written), later


def word_of(value: float, kind: str) -> int:
    """Encode a number as the word that an argument of a C++ type takes."""
    return int(np.float64(value).view(np.int64)) if kind == "double" else int(value)


def writer_of(
    program: type[Program],
    graph: Graph,
    values: Mapping[str, Any],
    *,
    part: bool = False,
    local: bool = False,
    peers: int = 0,
    packed: bool = False,
    block_memory: int | None = None,
) -> Writer:
    """Make the text of a program's kernel for a graph's types and order.

    ``part``, ``local``, ``peers`` and ``packed`` are as of `Writer`; a block may have ``block_memory`` bytes of shared
    memory, by default what it may have on the GPUs of this process.
    """
    spec = program.spec
    dtypes = {f.name: f.numpy_dtype(graph.id_dtype) for f in spec.fields.values()}
    ranges = graph.dealt_ranges
    types = scalar_types(spec, graph, dtypes, values)
    given: dict[str, Any] = {"part": part, "local": local, "peers": peers, "packed": packed}
    if block_memory is None and runtime.gpus():
        block_memory = runtime.block_memory()
    if block_memory is not None:
        given["hot_bytes"] = min(HOT_BYTES, block_memory - STATIC_BYTES)
    key = (program, tuple(types.items()), graph.order is not None, ranges, tuple(given.items()))
    if key not in _writers:
        _writers[key] = Writer(spec, types, ordered=graph.order is not None, ranges=ranges, **given)
    return _writers[key]


_writers: dict[tuple[Any, ...], Writer] = {}


_kernels: dict[tuple[Any, ...], Kernel] = {}


def kernel_of(program: type[Program], writer: Writer, name: str = "") -> Kernel:
    """Compile the program's kernel, or load it from disk; by default the kernel that iterates."""
    text, name = writer.text(), name or ("lux_step" if writer.part else "lux_run")
    key = (program, text, name)
    if key not in _kernels:
        code = cuda_build.cubin(text, runtime.capability(), writer.devices())
        _kernels[key] = Kernel(code, name, writer.threads, writer.hot_bytes if writer.uses_hot else 0)
    return _kernels[key]
