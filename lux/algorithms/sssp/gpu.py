# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Shortest paths on one GPU that holds the whole graph, in one launch (`sssp.cu`)."""

from __future__ import annotations

import functools
import math
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.algorithms.sssp.answers import finish
from lux.algorithms.sssp.threads import rows_of
from lux.algorithms.sssp.weights import may_overflow, too_long, weight_range
from lux.algorithms.strategy import Memory
from lux.codegen.cuda_functions import C_TYPES
from lux.engine.gpu.placement import device_selection
from lux.engine.run.run import Progress, Run
from lux.engine.run.statistics import Table
from lux.kernels import frontier as fr
from lux.launch.call import NULL, STATISTICS, KernelCall, kernel
from lux.launch.memory import Scratch
from perfmodel.direction import GPU_SSSP

if TYPE_CHECKING:
    from lux.algorithms.sssp.delta_stepping import SsspRun
    from lux.algorithms.sssp.query import PathQuery
    from lux.graph.graph import Graph

THREADS = 512
CONTROL_BYTES = 8192
"""Room for ``Control`` of `sssp.cu`."""
ROUNDS_NOTED = 1 << 14
PULLED = 1
"""The kind of a round that pulls; rounds of other kinds push, or look through the far vertices."""
PULLED_WIDTH = 2.0
"""Width of the buckets in mean weights where sweeps go by weight."""
PUSHED_WIDTH = 32.0
"""Width of the buckets elsewhere, in mean weights over the mean degree."""
MOST_NARROW = 1 << 30
"""Largest weight with which distances may have 32 bits."""
BUDGET, LEAST_BUDGET = 256, 1 << 18
"""Part of all edges that a round may relax without regard to order; and how many at least on sparse graphs."""


_long: weakref.WeakSet[Graph] = weakref.WeakSet()
"""Graphs some of whose distances may have been too long for 32 bits."""


class OneGpu:
    """The search of one persistent kernel on a GPU that holds the whole graph."""

    name = "gpu"

    def refusal(self, query: PathQuery) -> str:
        """Refuse models, limits, negative weights and several partitions."""
        return query.needs_bellman_ford() or device_selection.why_not_one_gpu(query.graph, query.parts)

    def memory(self, query: PathQuery) -> Memory:
        """Estimate the GPU's edges, distances, parents and scratch memory."""
        return Memory(gpu=memory_bytes(query.graph))

    def prepare(self, query: PathQuery) -> None:
        """Group the edges by source, and sort the edges for pulling by weight."""
        rows_of(query.graph)

    def run(self, query: PathQuery, progress: Progress | None) -> Run:
        """Search in one launch; distances and parents are as users see them."""
        vertex = query.graph.ids.dense(query.source)
        found = search(query.graph, vertex, query.delta, query.cutoff, progress)
        return finish(query, found.run, found.run.fields["parent"], found.orphans)


def memory_bytes(graph: Graph) -> int:
    """Estimate bytes on the GPU: edges twice (those for pulling are sorted by weight), distances, parents, scratch."""
    each = graph.property_types["weight"].itemsize
    return (
        2 * device_selection.edges_bytes(graph, each, both=False)
        + (20 + each) * graph.n_vertices
        + _scratch(graph).nbytes
    )


def distance_type(graph: Graph) -> np.dtype[Any]:
    """Return the type of distances in a search: the weights' float type, or uint32, or uint64.

    Integers have 64 bits only where some have been too long for 32, which takes half of the time (`Reach`).
    """
    kind = graph.property_types["weight"]
    if kind.kind == "f":
        return kind
    return np.dtype(np.uint64 if graph in _long or weight_range(graph).most > MOST_NARROW else np.uint32)


class Reach(NamedTuple):
    """The largest distance of a search, and the largest with which nothing can have been left out.

    Both are of the type of distances. A distance of 32 bits is not sure to be the last: a vertex behind one that is
    farther away than ``sure`` may be out of reach for this type, and `found_long` has the next search take 64 bits.
    """

    cutoff: Any
    sure: Any


def reach(graph: Graph, kind: np.dtype[Any], cutoff: float | None) -> Reach:
    """Return the reach of a search whose distances are of type ``kind``."""
    if kind.kind == "f":
        largest = kind.type(math.inf)
        return Reach(largest if cutoff is None else kind.type(cutoff), largest)
    largest, most = int(np.iinfo(kind).max), int(weight_range(graph).most)
    last = largest if kind.itemsize == 8 or most * (graph.n_vertices - 1) < largest else largest - 1 - most
    if cutoff is not None and cutoff <= last:
        return Reach(kind.type(cutoff), kind.type(largest))
    return Reach(kind.type(last), kind.type(last if last == largest else last - most))


def found_long(graph: Graph) -> None:
    """Note that some distances may have been too long for 32 bits."""
    _long.add(graph)


def query_type(kind: np.dtype[Any]) -> np.dtype[Any]:
    """Return the type of distances as users see them: 64-bit integers with -1 for "none", or floats.

    >>> query_type(np.dtype(np.uint32)), query_type(np.dtype(np.float32))
    (dtype('int64'), dtype('float32'))
    """
    return kind if kind.kind == "f" else np.dtype(np.int64)


def scratch_parts(graph: Graph) -> dict[str, int]:
    """Return the bytes of each array of `search_distances` of `sssp_search.cuh`, besides ``Control``."""
    n, m = graph.n_vertices, graph.n_edges
    queue = 8 * (m // 64 + m // 256 + 1)
    others = {"state": 8 * n} | dict.fromkeys(("stamp", "small_0", "small_1", "pile_0", "pile_1"), 4 * n)
    return others | {"large_0": queue, "large_1": queue, "hubs": 4 * (m // 256 + 2)}


def _scratch(graph: Graph) -> Scratch:
    return Scratch({"control": CONTROL_BYTES}, scratch_parts(graph))


class BucketSchedule(NamedTuple):
    """The greatest width of a bucket, and the limits of a round's work and of the rounds that pull (`sssp.cu`)."""

    width: float
    budget: int
    pull_above: int
    push_below: int


def bucket_schedule(graph: Graph, *, pulls: bool) -> BucketSchedule:
    """Choose the buckets of a search; ``pulls``: in-edges are sorted by weight, so that rounds may pull."""
    m, mean = graph.n_edges, weight_range(graph).mean or 1.0
    if pulls:
        return BucketSchedule(mean * PULLED_WIDTH, m // BUDGET, m // GPU_SSSP.pull_above, m // GPU_SSSP.push_below)
    width = mean * (PUSHED_WIDTH * graph.first_place_without_in_edges / max(m, 1))
    return BucketSchedule(width, max(m // GPU_SSSP.push_below, LEAST_BUDGET), 2**62, 0)


def bucket_width(kind: np.dtype[Any], width: float) -> Any:
    """Return the width of buckets as the type of distances has it.

    >>> bucket_width(np.dtype(np.uint32), 0.3)
    np.uint32(1)
    """
    if kind.kind == "f":
        return kind.type(min(width, float(np.finfo(kind).max) / 4))
    return kind.type(min(max(round(width), 1), int(np.iinfo(kind).max)))


def macros(weight: np.dtype[Any], distance: np.dtype[Any], written: np.dtype[Any]) -> dict[str, str]:
    """Return types for the kernels' text: of weights, and of distances in a search and in results.

    >>> macros(np.dtype(np.int32), np.dtype(np.uint32), np.dtype(np.int64))
    {'WEIGHT': 'int', 'DISTANCE': 'u32', 'SIGNED': '1'}
    """
    words = {"uint32": "u32", "uint64": "u64"}
    found = {"WEIGHT": C_TYPES[weight.name], "DISTANCE": words.get(distance.name) or C_TYPES[distance.name]}
    return found | {"SIGNED": str(int(written == np.int64))}


def linked(graph: Graph) -> int:
    """Count the places up to the last on which edges begin or end; all places of a directed graph."""
    return graph.n_vertices if graph.directed else graph.first_place_without_in_edges


def search(graph: Graph, source: int, delta: float | None, cutoff: float | None, progress: Progress | None) -> SsspRun:
    """Search from the dense id ``source``; any valid parents are returned.

    Fields are as users see them, and the run is finished, unless distances have to be looked at first.
    """
    from lux.algorithms.sssp.delta_stepping import UNREACHED, SsspRun
    from lux.algorithms.sssp.path_edges import leads_on

    n, kind, vertex = graph.n_vertices, distance_type(graph), source
    rows = rows_of(graph)
    pulls = "least" in rows
    pulled = ("in_offsets", "sources", "in_weights", "least")
    incoming: tuple[str | np.generic, ...] = pulled if pulls else (NULL,) * 4
    rows = {name: store for name, store in rows.items() if name.startswith(("out", "dest")) or name in incoming}
    chosen = bucket_schedule(graph, pulls=pulls)
    width = bucket_width(kind, chosen.width if delta is None else delta)
    limit, sure = reach(graph, kind, cutoff)
    check = False
    if kind.kind == "f":
        check = bool(limit == math.inf) and may_overflow(graph)
    elif int(weight_range(graph).most) * (n - 1) >= UNREACHED:
        if weight_range(graph).most >= UNREACHED:
            raise too_long(graph)
        check = bool(limit >= UNREACHED)
        limit = min(limit, kind.type(UNREACHED - 1))
    written, parents = (kind, graph.id_dtype) if check else (query_type(kind), graph.signed_dtype)
    fields = {
        "distance": runtime.new_store(written, n, touched=False),
        "parent": runtime.new_store(parents, n, touched=False),
    }
    moved = graph.order is not None and not check
    if graph.order is not None and moved:
        rows |= {"vertices": graph.order.vertices, "places": graph.order.places}
    elif graph.order is not None:
        source = int(graph.order.places_array[source])
    arguments: list[str | np.generic] = [
        *("out_offsets", "destinations", "out_weights"),
        *incoming,
        *(("vertices", "places") if moved else (NULL, NULL)),
        np.uint32(n),
        np.uint32(linked(graph)),
        np.uint32(source),
        width,
        limit,
        sure,
        *(np.uint64(x) for x in chosen[1:]),
        *("distance", "parent", "state", "stamp", "small_0", "small_1", "large_0", "large_1", "pile_0", "pile_1"),
        *("hubs", "control", STATISTICS),
        np.uint32(ROUNDS_NOTED),
    ]
    function = kernel("sssp.cu", "lux_sssp", THREADS, **macros(graph.property_types["weight"], kind, written))
    call = KernelCall(
        function, arguments, rows, fields, _scratch(graph), 24, 40 * ROUNDS_NOTED, _report, written=_written
    )
    (iterations, table, beyond), seconds = call.run("shortest_paths_on_gpu")
    if beyond:
        found_long(graph)
        return search(graph, vertex, delta, cutoff, progress)
    if check and leads_on(graph, fields["distance"]):
        raise too_long(graph)
    if progress is not None:
        progress(iterations)
    statistics = Table(table, lambda model, *_: why(model, pulls=pulls))
    return SsspRun(Run(fields, iterations, True, seconds, 1, statistics, device="gpu", finished=not check), 0)


def why(model: str, *, pulls: bool) -> str:
    """Say why a round was of that model."""
    if not pulls:
        return "only graphs of many edges a vertex are pulled on"
    return "the edges that wait are many" if model == "pull" else "the edges that wait are few"


def _written(control: NDArray[np.uint8]) -> int:
    return 40 * int(control.view(np.uint32)[1])


def _report(
    control: NDArray[np.uint8], statistics: NDArray[np.uint8]
) -> tuple[int, Callable[[], NDArray[np.float64]], bool]:
    """Return the rounds that were noted, what computes their rows of statistics, and whether distances are too long."""
    words = control.view(np.uint32)
    noted = statistics.view(np.int64).reshape(-1, 5)[: int(words[1])]
    return len(noted), functools.partial(_rows, noted), bool(words[4])


def _rows(noted: NDArray[np.int64]) -> NDArray[np.float64]:
    rows = np.empty((len(noted), 4), np.float64)
    rows[:, 0] = np.where(noted[:, 0] == PULLED, fr.PULL, fr.PUSH)
    rows[:, 1:3] = noted[:, 1:3]
    rows[:, 3] = np.diff(noted[:, 4], prepend=noted[:1, 4]) * 1e-9
    return rows.reshape(1, -1)
