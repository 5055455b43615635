# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Dependencies on sources, for betweenness, on GPUs that each hold the whole graph.

Without weights a sweep goes by levels (`betweenness.cu`), with them along the edges of shortest paths
(`lux.algorithms.betweenness.gpu_weighted`). The sources are distributed to the GPUs of all processes, which sweep
theirs one after the other in one launch (of 0.2 seconds, then in another); nothing is exchanged. In the end each GPU
adds the scores of all for a share of the vertices, in the order of the GPUs; where they do not reach each other's
memory, CPU cores do.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.algorithms.betweenness import gpu_weighted
from lux.algorithms.betweenness.brandes import PathsOverflowError, needs_hops, needs_weights
from lux.algorithms.betweenness.source_parallel import rounded_away
from lux.algorithms.bfs import gpu
from lux.algorithms.strategy import Memory
from lux.engine.gpu import boxes, to_user_ids
from lux.engine.gpu.placement import device_selection
from lux.engine.run.statistics import Iteration
from lux.errors import ConfigurationError, LuxError
from lux.graph.construction.gpu.spread import even_points
from lux.launch.call import NULL, KernelCall, kernel
from lux.launch.memory import Scratch
from lux.launch.peer_call import Argument, Parts, PeerCall, Table, place
from lux.partition.split_points import check_parts
from lux.runtime import GpuLauncher, GpuPlan, Kernel, Launcher, Store
from perfmodel import direction

if TYPE_CHECKING:
    from lux.algorithms.betweenness.brandes import BrandesQuery
    from lux.engine.executor import Progress, Run
    from lux.graph.graph import Graph

MAX_STATISTICS_ROWS = 1024
"""Sources of a launch, at most: rows in a report, after one with the number of sources that are done."""
ROW_BYTES = 16
LOST = 2
"""Mark in a report of a weight that was lost in a sum; other numbers but 0: a score is too large for float64."""
CONTROL_BYTES = 8 * gpu.CONTROL_WORDS
ARGUMENTS = (
    "out_offsets", "out_neighbours", "in_offsets", "in_neighbours", "n_vertices", "n_edges", "sources", "n_sources",
    "scale", "endpoints", "score", "places", "vertices", "factor", "source_factor", "finished", "control", "done",
    "scratch", "report", "noted",
)  # fmt: skip
"""Arguments of `betweenness.cu`, in order; ``scratch`` is where the search's begins."""


class BrandesGpu:
    """Sources distributed to GPUs, level by level."""

    name = "gpus"

    def refusal(self, query: BrandesQuery) -> str:
        """Say why GPUs cannot do it."""
        return needs_hops(query) or why_not(query)

    def memory(self, query: BrandesQuery) -> Memory:
        """Count the edges, scores, sources and scratch memory of each GPU."""
        return _memory(query)

    def prepare(self, query: BrandesQuery) -> None:
        """Group the edges by source and by destination."""
        gpu.edges_of(query.graph)

    def run(self, query: BrandesQuery, progress: Progress | None) -> Run:
        """Sweep from all sources."""
        return run(query, gpus(query), progress)


class WeightedBrandesGpu:
    """Sources distributed to GPUs, along the edges of shortest paths."""

    name = "gpus-weighted"

    def refusal(self, query: BrandesQuery) -> str:
        """Say why GPUs cannot do it."""
        return needs_weights(query) or why_not(query)

    def memory(self, query: BrandesQuery) -> Memory:
        """Count the edges, also by weight, scores, sources and scratch memory of each GPU."""
        return _memory(query)

    def prepare(self, query: BrandesQuery) -> None:
        """Group the edges by source, by destination and by weight."""
        assert query.weight is not None
        gpu_weighted.prepare(query.graph, query.weight)

    def run(self, query: BrandesQuery, progress: Progress | None) -> Run:
        """Sweep from all sources."""
        return run(query, gpus(query), progress)


def why_not(asked: BrandesQuery) -> str:
    """Say why GPUs are not to be used; empty where they are.

    Raises
    ------
    ConfigurationError
        ``device="gpu"`` was asked for, and cannot be had.
    """
    if why := device_selection.why_not_wanted(asked.graph) or device_selection.why_not_mixed():
        return why
    why = device_selection.why_too_many(asked.graph) or _refusal(asked)
    if why and asked.device == "gpu":
        raise ConfigurationError(f"device='gpu' was asked for betweenness, but {why}")
    return why


def gpus(asked: BrandesQuery) -> int:
    """GPUs to be used: those that were asked for, or all that get a source where there is enough work for them."""
    if asked.parts is not None:
        return check_parts(asked.parts, asked.graph.n_vertices)
    worth = asked.graph.n_edges * len(asked.chosen) >= device_selection.WORTH_SPREADING
    return max(min(runtime.gpus(), len(asked.chosen)), 1) if worth or runtime.ranks() > 1 else 1


def _refusal(asked: BrandesQuery) -> str:
    """Say what of the query GPUs cannot do; empty if they can do all."""
    count = gpus(asked)
    if asked.weight is not None and not gpu_weighted.knows(asked):
        kind = asked.graph.property_types[asked.weight]
        return f"its weight={asked.weight!r} is {kind}, and there it adds up integers, float32 and float64: convert it"
    if asked.model != "auto":
        return f"model={asked.model!r} was, too, and there it is chosen level by level: leave model= out"
    if asked.placement == "zero-copy":
        return "placement='zero-copy' was, too, and it keeps everything in the GPU's own memory: leave placement= out"
    if count > runtime.gpus():
        return f"parts={count} is more than its {runtime.gpus()} GPUs, which each sweep their own sources: pass less"
    return ""


def _adds_up(gpus: int) -> bool:
    """Tell whether so many GPUs add up their scores, and CPU cores need not."""
    return not device_selection.why_not_side_by_side(gpus)


def _memory(asked: BrandesQuery) -> Memory:
    """Count the bytes of the GPU that sweeps most sources, and of the scores where CPU cores add up those of GPUs."""
    count = gpus(asked)
    n_sources = -(-len(asked.chosen) // count)
    host = 8 * asked.graph.n_vertices * (count + 1) * runtime.ranks() if count > 1 and not _adds_up(count) else 0
    if asked.weight is None:
        return Memory(host, memory_bytes(asked.graph, n_sources), count)
    return Memory(host, gpu_weighted.memory_bytes(asked.graph.with_weight(asked.weight), n_sources), count)


def memory_bytes(graph: Graph, n_sources: int = 1) -> int:
    """Count the bytes on a GPU, without weights: edges, scores, the order, and scratch memory with its sources."""
    scores = 16 * graph.n_vertices + (0 if graph.order is None else 8 * graph.n_vertices)
    return device_selection.edges_bytes(graph, 0, both=True) + scores + _scratch(graph, n_sources).nbytes


def _scratch(graph: Graph, n_sources: int) -> Scratch:
    """Lay out ``PathScratch`` of `betweenness.cu`, then a GPU's sources.

    The search's parts come first, then numbers of paths, factors, bounds, depths and marks.
    """
    n, m = graph.n_vertices, graph.n_edges
    paths = {
        "sigma": 8 * n,
        "path_factor": 8 * n,
        "bounds": 8 * (n + 1),
        "depth": 4 * n,
        "near": n,
        "waiting": 8 * (m // 128 + 1),
        "sources": 4 * n_sources,
    }
    return Scratch({"control": CONTROL_BYTES, "done": 4}, gpu.scratch_parts(graph) | paths)


@dataclass(frozen=True)
class KernelVariant:
    """A kernel that sweeps a GPU's sources, and its arguments besides the sources.

    Attributes
    ----------
    file, name : str
        Of the kernel, whose blocks have ``threads`` threads.
    threads : int
    macros : mapping of str to object
    arguments : sequence of str
        The kernel's, in order. Those not named below are of `DistributedSources`, or in scratch memory.
    edges : mapping of name to Store
    named : mapping of argument to str
        Which of the edges an argument is.
    numbers : mapping of argument to np.generic
    scratch : Scratch
    zeroed_always : int
        Bytes at its beginning that are zero before every launch.
    """

    file: str
    name: str
    threads: int
    macros: Mapping[str, object]
    arguments: Sequence[str]
    edges: Mapping[str, Store]
    named: Mapping[str, str]
    numbers: Mapping[str, np.generic]
    scratch: Scratch
    zeroed_always: int


def by_levels(asked: BrandesQuery, n_sources: int) -> KernelVariant:
    """Sweep along edges of length 1, from so many sources on a GPU at most."""
    graph, incoming = asked.graph, gpu.arguments_of(asked.graph)
    numbers: dict[str, np.generic] = {
        "n_vertices": np.uint32(graph.n_vertices),
        "n_edges": np.int64(graph.n_edges),
        "scale": np.float64(1.0),
        "endpoints": np.uint32(asked.one > 0),
        "factor": np.float64(asked.factor),
        "source_factor": np.float64(asked.source_factor),
    }
    named = dict(zip(ARGUMENTS, map(str, incoming), strict=False))
    edges = gpu.edges_of(graph)
    if graph.order is not None:
        edges |= {"places": graph.order.places, "vertices": graph.order.vertices}
        named |= {"places": "places", "vertices": "vertices"}
    return KernelVariant(
        file="betweenness.cu",
        name="lux_betweenness",
        threads=gpu.THREADS,
        macros=direction.macros(direction.GPU_BRANDES),
        arguments=ARGUMENTS,
        edges=edges,
        named=named,
        numbers=numbers,
        scratch=_scratch(graph, n_sources),
        zeroed_always=CONTROL_BYTES,
    )


def finished_scores(
    graph: Graph, run: Run, factor: float, chosen: NDArray[np.int64], source_factor: float
) -> Store | None:
    """Put a run's scores in the order of dense ids, and scale them, on the GPU that holds them.

    None: it has no room, or cores have them; see `brandes.finished`.
    """
    scores = run.fields["score"]
    if run.device != "gpu" or not to_user_ids.fits(graph, scores, None, run.fields.values()):
        return None
    inputs, apart = {"before": scores}, len(chosen) < graph.n_vertices and factor != source_factor
    if graph.order is not None:
        inputs["places"] = graph.order.places
    if apart:
        inputs["sources"] = runtime.from_array(chosen.astype(np.uint32))
    arguments: list[str | np.generic] = [
        *("before", "places" if graph.order is not None else NULL, np.int64(graph.n_vertices), np.float64(factor)),
        *("sources" if apart else NULL, np.int64(len(chosen)), np.float64(source_factor), "after", "control"),
    ]
    after = runtime.new_store(np.float64, graph.n_vertices, touched=False)
    macros, scratch = direction.macros(direction.GPU_BRANDES), Scratch({"control": 8}, {})
    function = kernel("betweenness.cu", "lux_finish_scores", gpu.THREADS, **macros)
    KernelCall(function, arguments, inputs, {"after": after}, scratch, 0, 0, lambda *_: None).run("finish_scores")
    return after


class DistributedSources:
    """A run on some GPUs; GPU p sweeps the sources p, p + parts, p + 2 parts and so on."""

    def __init__(self, asked: BrandesQuery, parts: int) -> None:
        self.asked, self.parts = asked, parts
        self.counts = np.array([len(range(part, len(asked.chosen), parts)) for part in range(parts)])
        most = int(self.counts[0])
        self.way = by_levels(asked, most) if asked.weight is None else gpu_weighted.by_length(asked, most)
        self.sources = np.zeros((most, parts), np.uint32)
        self.sources.reshape(-1)[: len(asked.chosen)] = asked.chosen
        self.finishes = parts == 1 and asked.weight is None and runtime.ranks() == 1

    def stores(self) -> dict[str, Store]:
        """Make the stores of the launches, with the rectangles of every split."""
        n, nbytes = self.asked.graph.n_vertices, self.way.scratch.nbytes
        each = np.arange(self.parts + 1, dtype=np.int64)
        return {
            **self.way.edges,
            **({"finished": runtime.new_store(np.float64, n, touched=False)} if self.finishes else {}),
            "score": runtime.new_store(np.float64, self.parts * n, touched=False),
            "scratch": runtime.new_store(np.uint8, self.parts * nbytes, touched=False),
            "score_rows": runtime.ranges(each * n),
            "scratch_rows": runtime.ranges(each * nbytes),
        }

    def launchers(self) -> list[GpuLauncher]:
        """Make the first launch, and later ones, which continue from its state."""
        reads: dict[str, str | None] = dict.fromkeys(self.way.edges)
        score: dict[str, str | None] = {"score": "score_rows", **({"finished": None} if self.finishes else {})}
        scratch = {"scratch": "scratch_rows"}
        name, alone = "dependencies_on_gpu", self.parts == 1
        first = GpuLauncher(name, reads, score | scratch, single_point=alone)
        return [first, GpuLauncher(name, reads, {}, score | scratch, single_point=alone)]

    def plan(self, launcher: GpuLauncher, function: Kernel) -> GpuPlan:
        """Describe a launch: the kernel and its arguments at every point."""
        way, at = self.way, self.way.arguments.index
        words = np.zeros((self.parts, len(way.arguments)), np.int64)
        for name, value in {**way.numbers, "noted": np.uint32(MAX_STATISTICS_ROWS)}.items():
            words[:, at(name)] = np.frombuffer(value.tobytes().ljust(8, b"\0"), np.int64)
        words[:, at("n_sources")] = self.counts
        stores = {**way.named, "score": "score", **({"finished": "finished"} if self.finishes else {})}
        return GpuPlan(
            function,
            words,
            stores=[(at(argument), launcher.arrays.index(store)) for argument, store in stores.items()],
            scratch=launcher.arrays.index("scratch"),
            in_scratch=[(at(name), place) for name, place in way.scratch.at.items() if name in way.arguments],
            zeroed=way.scratch.zeroed,
            zeroed_always=way.zeroed_always,
            given=np.ascontiguousarray(self.sources.T).view(np.uint8),
            given_at=way.scratch.at["sources"],
            written=[(at("report"), 0)],
            report_bytes=ROW_BYTES * (MAX_STATISTICS_ROWS + 1),
        )

    def execute(self, progress: Progress | None) -> tuple[Store, list[Iteration], float]:
        """Return every GPU's scores, one after the other, statistics of every source, and seconds."""
        function = kernel(self.way.file, self.way.name, self.way.threads, **self.way.macros)
        stores, launchers = self.stores(), self.launchers()
        plans: list[tuple[GpuPlan, int]] = []
        alone, running = self.parts == 1 and runtime.ranks() == 1, True
        runtime.finish()
        done = np.zeros(self.parts, np.int64)
        rows: list[list[NDArray[np.float64]]] = [[] for _ in range(self.parts)]
        began, elapsed = time.perf_counter(), 0.0
        try:
            while done.sum() < len(self.asked.chosen):
                k = int(done.any())
                if len(plans) == k:
                    plan = self.plan(launchers[k], function)
                    plans.append((plan, runtime.register(plan)))
                    plan.register(plans[k][1])
                launchers[k](self.parts, **stores, key=plans[k][1], number=k)
                if alone:
                    plans[k][0].wait(plans[k][1])
                    runtime.all_has_run()
                else:
                    runtime.finish()
                elapsed = time.perf_counter() - began
                reports = self._reports(*plans[k])
                for part, report in enumerate(reports):
                    rows[part] += list(report[1 : 1 + int(report[0, 0]) - int(done[part])])
                    done[part] = report[0, 0]
                if self.asked.weight is not None and (reports[:, 0, 1] == LOST).any():
                    raise rounded_away(self.asked.weight)
                if reports[:, 0, 1].any():
                    raise PathsOverflowError("numbers of shortest paths are too large for float64 there")
                if progress is not None:
                    progress(int(done.sum()))
            running = False
        finally:
            if running or not alone:
                runtime.finish()
            for plan, key in plans:
                plan.unregister(key)
                runtime.unregister(key)
        found = [rows[k % self.parts][k // self.parts].tolist() for k in range(len(self.asked.chosen))]
        why = "one source after the other" if self.parts == 1 else "its GPU's next source"
        return (
            stores["finished" if self.finishes else "score"],
            [Iteration("sweep", 1, int(visited), np.array([1e-9 * ns]), why=why) for visited, ns in found],
            elapsed,
        )

    def _reports(self, plan: GpuPlan, key: int) -> NDArray[np.float64]:
        """Collect the reports of all GPUs, alike on every process, of shape (parts, rows, 2)."""
        if self.parts == 1 and runtime.ranks() == 1:
            rows = ROW_BYTES * (1 + min(len(self.asked.chosen), MAX_STATISTICS_ROWS))
            return plan.report(key, nbytes=rows).view(np.int64).reshape(1, -1, 2).astype(np.float64)
        found, error = np.full((self.parts, MAX_STATISTICS_ROWS + 1, 2), -1.0), None
        try:
            for part in range(self.parts):
                report = plan.report(key, part).view(np.int64).reshape(-1, 2)
                found[part, : len(report)] = report
        except LuxError as failed:
            error = failed
        runtime.raise_on_all_ranks(error)
        found = runtime.allreduce_max(found)
        if (found[:, 0, 0] < 0).any():
            raise ConfigurationError("Legate has grouped partitions on GPUs: start it with --min-gpu-chunk 1")
        return found


def run(asked: BrandesQuery, parts: int, progress: Progress | None) -> Run:
    """Add up every vertex's dependencies on the sources: the run's field ``score``, float64.

    Raises
    ------
    PathsOverflowError
        Numbers of paths are too large for float64.
    """
    from lux.engine.executor import Run

    if parts > 1 and runtime.ranks() == 1 and not runtime.on_distinct_gpus(parts):
        raise ConfigurationError("Legate has grouped partitions on GPUs: start it with --min-gpu-chunk 1")
    distributed = DistributedSources(asked, parts)
    scores, statistics, elapsed = distributed.execute(progress)
    finished = distributed.finishes
    if parts > 1:
        added = _added(asked, scores, parts) if _adds_up(parts) else None
        finished = added is not None
        scores = _together(asked.graph, scores, parts) if added is None else added
    how: Any = {"device": "gpu", "finished": finished}
    return Run({"score": scores}, len(statistics), True, elapsed, parts, statistics, **how)


def _added(asked: BrandesQuery, shares: Store, gpus: int) -> Store | None:
    """Add the scores of all GPUs, which have them in their memory, in the order of dense ids, and scale them.

    Returns None if there is no room for what GPUs of other processes read.
    """
    graph, n = asked.graph, asked.graph.n_vertices
    taken = None
    if runtime.ranks() > 1 and (taken := boxes.take(graph, gpus, 8 * n)) is None:
        return None
    ids = even_points(n, gpus)
    after = runtime.new_store(np.float64, n, touched=False)
    given = {
        "shares": Parts(shares, even_points(gpus * n, gpus)),
        "sources": Parts(runtime.from_array(asked.chosen.astype(np.uint32))),
    }
    if graph.order is not None:
        given |= {"places": Parts(graph.order.places), "vertices": Parts(graph.order.vertices)}
    placed = place(gpus, given, {"after": Parts(after, ids)})
    if taken is None:
        of_all = np.tile(placed.addresses["shares"], (gpus, 1))
    else:
        boxes.fill(taken, placed, "shares")
        of_all = taken.addresses
    order = [name if name in given else NULL for name in ("places", "vertices")]
    arguments: list[Argument] = [
        *(Table(of_all), np.uint32(gpus), *order, ids[:-1], np.diff(ids)),
        *(np.float64(asked.factor), "sources", np.int64(len(asked.chosen)), np.float64(asked.source_factor)),
        *("after", "control"),
    ]
    function = kernel("betweenness.cu", "lux_add_shares", gpu.THREADS, **direction.macros(direction.GPU_BRANDES))
    PeerCall(function, placed, arguments, {"control": 8}).run("add_shares", None if taken is None else taken.points)
    return after


def _together(graph: Graph, shares: Store, parts: int) -> Store:
    """Return the sum of all GPUs' scores, which CPU cores add up; each process then has all of them."""
    copies = 8 * graph.n_vertices * (parts + 1) * runtime.ranks()
    runtime.check_memory(copies, f"adding up the scores of {parts} GPUs on CPU cores")
    layout, scores = graph.whole_layout(), runtime.new_store(np.float64, graph.n_vertices)
    key = runtime.register((layout.points, parts))
    _adder()(layout.parts, shares=shares, scores=scores, vertices=layout.splits["vertices"], key=key)
    runtime.finish()
    runtime.unregister(key)
    return scores


@functools.cache
def _adder() -> Launcher:
    def add_shares(point: int, shares: Any, scores: NDArray[np.float64], key: int) -> None:
        points, parts = runtime.context(key)
        lo, hi = points[point : point + 2]
        scores[:] = 0
        for share in shares.reshape(parts, -1):
            scores += share[lo:hi]

    return Launcher(add_shares, inputs={"shares": None}, outputs={"scores": "vertices"}, scalars={"key": int})
