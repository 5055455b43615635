# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""A vertex program on one GPU that holds the whole graph: one kernel runs it from the first to the last iteration."""

from __future__ import annotations

import functools
import queue
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.engine.check import scalar_types
from lux.engine.gpu import place
from lux.engine.gpu.memory import CONTROL_TYPE, Scratch, words
from lux.engine.statistics import Table
from lux.kernels import frontier as fr
from lux.kernels.cuda import build, driver
from lux.kernels.cuda.writer import HOT_BYTES, Writer
from lux.runtime import Launcher

if TYPE_CHECKING:
    from collections.abc import Callable

    from lux.engine.layout import Layout
    from lux.engine.loop import Progress, Run
    from lux.graph import Graph
    from lux.program import Program
    from lux.runtime import Store

ITERATIONS_PER_LAUNCH = 1 << 16
"""Rows of statistics that a launch has room for."""
CHUNK = 1024
"""`program.cuh` has the same."""
MODELS = {"auto": 0, "pull": fr.PULL, "push": fr.PUSH}


class GpuRun:
    """One run: its stores, and the kernel's arguments.

    Parameters
    ----------
    given : mapping of name to Store
        Constant fields, in the order in which the graph is stored.
    values : mapping of name to number
        Parameters.
    """

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
        self.writer = writer_of(program, graph, values)
        self.pushes = model == "push" or (model == "auto" and self.spec.frontier)
        self.layout: Layout = graph.layout(1)

    def needed(self) -> int:
        """Bytes that the run takes on the GPU."""
        spec, n = self.spec, self.graph.n_vertices
        properties = sum(self.graph.property_types[e].itemsize for e in spec.edge_properties)
        fields = sum(self._itemsize(f) for f in (*self.writer.state, *self.writer.swapped, *self.writer.constant))
        pending = sum(self.writer.pending(f).itemsize * spec.lengths.get(f, 1) for f in self.writer.reduced)
        edges = place.edges_bytes(self.graph, properties, both=self.pushes)
        # 24: queues of vertices and of touched ones, bit sets, rows and degrees, and items and partial results
        return edges + n * (fields + (pending if self.pushes or spec.sparse else 0) + 24)

    def _itemsize(self, name: str) -> int:
        return self.writer.dtype(name).itemsize * self.spec.lengths.get(name, 1)

    def scratch(self, n_items: int, blocks: int) -> Scratch:
        """The kernel's scratch memory."""
        n, spec, writer = self.graph.n_vertices, self.spec, self.writer
        zeroed = {"control": CONTROL_TYPE.itemsize, "partial_count": 4 * n_items}
        size = sum(writer.dtype(f).itemsize * spec.lengths.get(f, 1) for f in writer.reduced)
        others = {
            "statistics": 8 * fr.STATISTICS_COLUMNS * min(ITERATIONS_PER_LAUNCH, max(self.limit, 1)),
            "block_totals": 8 * 3 * blocks * max(len(writer.totals), 1),
            "partial": (size + 8 * len(writer.reduced)) * n_items,
        }
        if spec.frontier:
            zeroed["marks"] = words(n)
            others |= {"small": 8 * n, "chunks": 16 * self.chunks_length(), "front": words(n)}
            others |= {"touched": 4 * n} if spec.sparse else {}
        if writer.how == "lock":
            zeroed["locks"] = 4 * n
        if self.pushes or spec.sparse:
            if writer.how == "word":
                others["pend"] = 8 * n
            else:
                for f in writer.reduced:
                    others[f"pend_{f}"] = writer.pending(f).itemsize * spec.lengths.get(f, 1) * n
        return Scratch(zeroed, others)

    def chunks_length(self) -> int:
        """Room for the chunks of a frontier's hubs: those of more than `CHUNK` edges have less than twice as many."""
        return 2 * self.graph.n_edges // CHUNK + 1

    def static(self) -> dict[str, Store]:
        """Stores that the run only reads."""
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
        """The kernel's arguments that are numbers."""
        graph, writer = self.graph, self.writer
        fixed: dict[str, Any] = {
            "lo": 0,
            "hi": graph.n_vertices,
            "n_vertices": graph.n_vertices,
            "n_edges": graph.n_edges,
            "limit": ITERATIONS_PER_LAUNCH,
            "max_iterations": self.limit,
            "model": MODELS[self.model],
            "n_items": self.layout.gpu_rows.n_items,
            "chunks_length": self.chunks_length(),
            "hot": writer.hot_each(graph.n_vertices),
            "range_length": -(-graph.n_vertices // max(writer.ranges, 1)),
        }
        return fixed | {f"params_{n}": v for n, v in self.values.items()}

    def execute(self, progress: Progress | None) -> Run:
        """Run to the end."""
        from lux.engine.loop import Run

        writer, n = self.writer, self.graph.n_vertices
        kernel = kernel_of(self.program, writer)
        static = self.static()
        fields = {
            f"{copy}_{f}": runtime.new_store(writer.dtype(f), n * self.spec.lengths.get(f, 1), gpu=True)
            for copy, names in (("a", writer.state), ("b", writer.swapped))
            for f in names
        }
        scratch = self.scratch(self.layout.gpu_rows.n_items, MOST_BLOCKS)
        memory = runtime.new_store(np.uint8, scratch.nbytes, gpu=True)
        task = _Task(kernel, writer, scratch, [*static, *fields], self.numbers())
        launch = _launchers(tuple(static), tuple(fields))
        runtime.finish()
        key = runtime.share(task)
        began = time.perf_counter()
        finished, rows = fr.RUNNING, []
        control = None
        while finished == fr.RUNNING:
            launch[control is not None](1, **static, **fields, scratch=memory, key=key)
            control, table = task.reports.get()
            rows.append(table)
            finished = int(control["finished"])
            if progress is not None and len(table):
                progress(int(control["iteration"]))
        runtime.finish()
        seconds = time.perf_counter() - began
        runtime.unshare(key)
        iterations = int(control["iteration"]) if control is not None else 0
        last = "b" if iterations & 1 else "a"
        stores = {f: fields[f"{last if f in writer.swapped else 'a'}_{f}"] for f in writer.state}
        statistics = Table(np.concatenate(rows).reshape(1, -1), self._why)
        return Run(stores, iterations, finished == fr.CONVERGED, seconds, 1, statistics, device="gpu")

    def _why(self, model: str, frontier: int, edges: int, before: str) -> str:
        from lux.engine.loop import why

        if not self.spec.frontier and self.model == "auto":
            return "without a frontier all vertices gather"
        return why(self.graph, self.model, model, frontier, edges, before)


MOST_BLOCKS = 4096
"""Blocks of a launch at most: room for their shares of totals."""


class _Task:
    """What the task finds in its process; ``reports`` gets the kernel's control words and its rows of statistics."""

    def __init__(
        self, kernel: driver.Kernel, writer: Writer, scratch: Scratch, stores: list[str], numbers: Mapping[str, Any]
    ) -> None:
        members = list(writer.members)
        self.kernel, self.zeroed = kernel, scratch.zeroed
        self.block = np.zeros(len(members), np.int64)
        for name, value in numbers.items():
            at = members.index(name)
            if writer.members[name] == "double":
                self.block[at : at + 1].view(np.float64)[0] = value
            else:
                self.block[at] = int(value)
        self.first = members.index("first")
        self.from_stores = [
            (members.index(member), k)
            for k, name in enumerate(stores)
            for member in (
                [name, f"b_{name[2:]}"] if name.startswith("a_") and name[2:] not in writer.swapped else [name]
            )
        ]
        self.from_scratch = [(members.index(name), at) for name, at in scratch.at.items() if name in members]
        self.at = scratch.at
        self.started = False
        self.reports: queue.SimpleQueue[tuple[Any, NDArray[np.float64]]] = queue.SimpleQueue()

    def run(self, stream: int, addresses: tuple[int, ...]) -> None:
        """The body of the task: as many iterations as fit a launch."""
        *stores, scratch = addresses
        for member, k in self.from_stores:
            self.block[member] = stores[k]
        for member, at in self.from_scratch:
            self.block[member] = scratch + at
        self.block[self.first] = not self.started
        # The barrier's count of arrivals begins at 0 in each launch; all else is kept from one to the next.
        driver.clear(stream, scratch, 4 if self.started else self.zeroed)
        self.started = True
        self.kernel.launch(stream, self.block, struct=True)
        control = np.zeros(1, CONTROL_TYPE)
        driver.read(stream, scratch + self.at["control"], control)
        table = np.empty(int(control[0]["ran"]) * fr.STATISTICS_COLUMNS)
        if len(table):
            driver.read(stream, scratch + self.at["statistics"], table)
        self.reports.put((control[0], table))


@functools.lru_cache(256)
def _launchers(static: tuple[str, ...], fields: tuple[str, ...]) -> tuple[Launcher, Launcher]:
    """The first launch of a run, and those that go on."""

    def body() -> Callable[..., None]:
        def run_program(_point: int, stream: int, *values: int) -> None:
            runtime.shared(values[-1]).run(stream, values[:-1])

        return run_program

    whole = dict.fromkeys
    written = whole([*fields, "scratch"])
    return (
        Launcher(body(), inputs=whole(static), outputs=written, scalars={"key": int}, gpu=True),
        Launcher(body(), inputs=whole(static), updates=written, scalars={"key": int}, gpu=True),
    )


def writer_of(program: type[Program], graph: Graph, values: Mapping[str, Any]) -> Writer:
    """The text of a program's kernel for a graph's types and order."""
    spec = program.spec
    dtypes = {f.name: f.numpy_dtype(graph.id_dtype) for f in spec.fields.values()}
    ranges = graph.order.ranges if graph.order is not None and graph.order.name == "degree" else 0
    return Writer(spec, scalar_types(spec, graph, dtypes, values), ordered=graph.order is not None, ranges=ranges)


_kernels: dict[tuple[Any, ...], driver.Kernel] = {}


def kernel_of(program: type[Program], writer: Writer) -> driver.Kernel:
    """The program's kernel, compiled or loaded from disk."""
    text = writer.text()
    key = (program, text)
    if key not in _kernels:
        code = build.cubin(text, driver.capability(), writer.devices())
        _kernels[key] = driver.Kernel(code, "lux_run", writer.threads, HOT_BYTES if writer.uses_hot else 0)
    return _kernels[key]
