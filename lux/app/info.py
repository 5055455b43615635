# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Command ``lux info``: a graph's description, and its partitions."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.app import graphs, report
from lux.app.console.live import Live
from lux.app.process_memory import process_memory
from lux.engine.gpu.placement.device_selection import MEETING_BYTES
from lux.errors import GraphError, MemoryNeededError, ParameterError

if TYPE_CHECKING:
    from lux.graph.graph import Graph

VERTICES_AT_ONCE = 1 << 16
EXCHANGE = "what GPUs exchange before an iteration of PageRank: predicted, and the rates measured on each GPU"
PROCESS_MEMORY = "memory of each process at most, predicted"
FACTORS = 20
"""Value of ``k`` of `lux.factorize` in the table."""


def describe_graph(options: argparse.Namespace) -> int:
    """Print a graph's description; returns the exit code.

    Raises
    ------
    LuxError
        Raised alike on every process.
    """
    graphs.check(options)
    live = Live()
    graph = graphs.loaded(options, live)
    with live.phase("count", "counting"):
        found = report.describe(graph, graphs.name(options)) | _numbers(graph)
        found |= {"process_memory": process_memory(graph)}
        if options.parts is not None:
            found |= _partitions(graph, options.parts, options.nodes)
        if options.gpus:
            found |= {"gpu_memory": gpu_memory(graph, options.parts or 1)}
            found |= {"gpu_exchange": gpu_exchange(graph, options.parts or 1)}
        runtime.finish()
    if runtime.rank() == 0:
        if options.json:
            report.print_json(found | {"seconds": live.seconds})
        else:
            _print(found)
    return 0


def _numbers(graph: Graph) -> dict[str, Any]:
    ins, outs = graph.dense_in_degrees(), graph.dense_out_degrees()

    def spread(degrees: NDArray[Any]) -> dict[str, float]:
        return {"min": int(degrees.min()), "mean": float(degrees.mean()), "max": int(degrees.max())}

    return {
        "ids": graph.ids.describe(),
        "in_degrees": spread(ins),
        "out_degrees": spread(outs),
        "isolated": int(((ins == 0) & (outs == 0)).sum()),
        "self_loops": self_loops(graph),
        "memory_bytes": graph.memory_needed(),
    }


def self_loops(graph: Graph) -> int:
    """Count the edges from a vertex to itself, by point tasks."""
    layout, total = graph.whole_layout(), runtime.new_scalar()
    key = runtime.register(layout.points.tolist())
    splits = {name: layout.splits[name] for name in ("offsets", "edges")}
    _count_loops(layout.parts, starts=graph.offsets, sources=graph.sources, **splits, total=total, key=key)
    found = runtime.read_scalar(total)
    runtime.unregister(key)
    return found


@runtime.task(inputs={"starts": "offsets", "sources": "edges"}, sums={"total": None}, scalars={"key": int})
def _count_loops(point: int, starts: NDArray[np.int64], sources: NDArray[Any], total: NDArray[Any], key: int) -> None:
    first = runtime.context(key)[point]
    n = len(starts) - 1
    for lo in range(0, n, VERTICES_AT_ONCE):
        cut = starts[lo : lo + VERTICES_AT_ONCE + 1]
        owners = np.repeat(np.arange(first + lo, first + lo + len(cut) - 1), np.diff(cut))
        total[0] += np.count_nonzero(sources[cut[0] - starts[0] : cut[-1] - starts[0]] == owners)


def gpu_memory(graph: Graph, parts: int = 1) -> list[dict[str, Any]]:
    """Return rows of algorithms' memory needs: bytes on a GPU and of zero-copy memory, and if they fit.

    The algorithms run on one GPU that holds the whole graph; on several, each with a partition (searches); or as
    vertex programs on partitions in each placement, or with some partitions on CPU cores. Graphs of ratings have a
    row for `lux.factorize` with its defaults.

    >>> import lux
    >>> [row["algorithm"] for row in gpu_memory(lux.toy.kite())]
    ['pagerank', 'bfs', 'components', 'betweenness']
    >>> for row in gpu_memory(lux.toy.kite(), parts=4)[4:]:
    ...     print(row["algorithm"])
    bfs, 4 partitions, peer
    components, 4 partitions, peer
    pagerank, 4 partitions, peer
    pagerank, 4 partitions, device
    pagerank, 4 partitions, zero-copy
    pagerank, 4 partitions, gpu+cpu (2.8% of the edges on CPU cores)
    >>> ratings = lux.from_edges([7, 7, 8], [1, 2, 1], weight=[2.0, 4.0, 3.0], bipartite=True)
    >>> [row["algorithm"] for row in gpu_memory(ratings)][4:]
    ['sssp', "betweenness, weight='weight'", 'factorize, als, k=20', 'factorize, gd, k=20']
    """
    import legate_config
    from lux.algorithms.betweenness import gpu as betweenness_gpu
    from lux.algorithms.betweenness import gpu_weighted
    from lux.algorithms.bfs import gpu as bfs_gpu
    from lux.algorithms.bfs import multi_gpu_memory
    from lux.algorithms.components import gpu as components_gpu
    from lux.algorithms.components import multi_gpu as components_multi_gpu
    from lux.algorithms.pagerank.pagerank import PageRank
    from lux.algorithms.sssp import gpu as sssp_gpu
    from lux.algorithms.sssp import multi_gpu_memory as sssp_multi_gpu_memory
    from lux.engine.gpu.parts import PartitionedGpuRun
    from lux.engine.gpu.single import GpuRun
    from lux.engine.mixed import MixedRun

    values = {"alpha": 0.85, "stop": 0.0}
    needed = {
        "pagerank": (GpuRun(PageRank, graph, {}, values, "auto", 100).memory_bytes(), 0),
        "bfs": (bfs_gpu.memory_bytes(graph), 0),
        "components": (components_gpu.memory_bytes(graph), 0),
        "betweenness": (betweenness_gpu.memory_bytes(graph), 0),
    }
    if "weight" in graph.property_types:
        needed["sssp"] = sssp_gpu.memory_bytes(graph), 0
        needed["betweenness, weight='weight'"] = gpu_weighted.memory_bytes(graph), 0
    if parts > 1:
        needed[f"bfs, {parts} partitions, peer"] = multi_gpu_memory.memory_bytes(graph, parts), 0
        needed[f"components, {parts} partitions, peer"] = components_multi_gpu.memory_bytes(graph, parts), 0
    if parts > 1 and "weight" in graph.property_types:
        needed[f"sssp, {parts} partitions, peer"] = sssp_multi_gpu_memory.memory_bytes(graph, parts), 0
    for placement in ("peer", "device", "zero-copy") if parts > 1 else ():
        run = PartitionedGpuRun(PageRank, graph, {}, values, "auto", 100, parts, placement=placement)
        needed[f"pagerank, {parts} partitions, {placement}"] = run.memory_bytes()
    if parts > max(runtime.gpus(), 1) and runtime.ranks() == 1:
        shared_out = MixedRun.with_share(PageRank, graph, {}, values, "auto", 100, parts=parts)
        how = f"gpu+cpu ({shared_out.share:.1%} of the edges on CPU cores)"
        needed[f"pagerank, {parts} partitions, {how}"] = shared_out.memory_bytes()
    needed |= _factorization(graph)
    given = legate_config.settings()
    fits = {True: "yes", False: "no" if given.fbmem_bytes else "no GPU"}
    return [
        {
            "algorithm": name,
            "MiB": round(size / 2**20, 1),
            "bytes": size,
            "zero-copy bytes": shared,
            "fits": fits[size <= given.fbmem_bytes and shared <= max(given.zcmem_bytes, 0)],
        }
        for name, (size, shared) in needed.items()
    ]


def gpu_exchange(graph: Graph, parts: int) -> list[dict[str, Any]]:
    """Predict PageRank's exchange before an iteration on several GPUs, for each possible placement.

    Rates are measured unless they are cached. The result is empty if there is nothing to choose, or no memory to
    measure in. ``placement="auto"`` takes the fastest that fits.
    """
    from lux.algorithms.pagerank.pagerank import PageRank
    from lux.engine.gpu.parts import PartitionedGpuRun
    from lux.engine.gpu.placement import allocation_ledger, bandwidths, placement_selection

    if parts < 2 or runtime.gpus() < 2:
        return []
    values = {"alpha": 0.85, "stop": 0.0}
    names = PartitionedGpuRun.placements(parts)
    runs = {p: PartitionedGpuRun(PageRank, graph, {}, values, "auto", 100, parts, placement=p) for p in names}
    seconds, known = placement_selection.predicted(list(runs.values())), bandwidths.rates(lambda: False)
    rows: list[dict[str, Any]] = []
    if known is None:
        return rows
    for name in sorted(seconds, key=seconds.__getitem__):
        fits = allocation_ledger.fits(graph, *runs[name].memory_bytes(), parts) and runs[name].fits_host()
        taken = fits and not any(row["auto"] for row in rows)
        rows.append({"placement": name, "ms": 1e3 * seconds[name], "GB/s": known.gigabytes(name), "auto": taken})
    return rows


def _factorization(graph: Graph) -> dict[str, tuple[int, int]]:
    """Return the memory needs of `lux.factorize`; nothing without ratings or without two sides."""
    from lux.algorithms.factorization.gpu_memory import FactorPlan
    from lux.algorithms.factorization.rating_matrix import Problem
    from lux.graph.sides import Sides, sides_in_places

    if not graph.property_types:
        return {}
    try:
        sides, both = Sides(graph), graph.symmetrized()
    except (GraphError, MemoryNeededError):
        return {}
    name = "weight" if "weight" in graph.property_types else next(iter(graph.property_types))
    problem = Problem(FACTORS, 0.12, True, np.dtype(np.float32), 1)
    plans = {m: FactorPlan(both, name, sides_in_places(both, sides.of), problem, m, 1) for m in ("als", "gd")}
    return {f"factorize, {m}, k={FACTORS}": (plan.memory_bytes(), MEETING_BYTES) for m, plan in plans.items()}


def _partitions(graph: Graph, parts: int, nodes: int) -> dict[str, Any]:
    if nodes > parts:
        raise ParameterError(f"--nodes {nodes} and --parts {parts}: pass at least one partition for each node")
    layout = graph.layout(parts)
    sets, edges = layout.vertex_sets(nodes), np.diff(layout.edge_points)
    rows = zip(sets.ons.tolist(), edges.tolist(), sets.ins.tolist(), strict=True)
    return {
        "partitions": [
            {"partition": p, "vertices": ons, "edges": m, "INS": ins, "ONS": ons}
            for p, (ons, m, ins) in enumerate(rows)
        ],
        "nodes": [{"node": node, "UDS": size} for node, size in enumerate(sets.uds.tolist())],
    }


def _print(found: dict[str, Any]) -> None:
    def words(spread: dict[str, float]) -> str:
        return f"{spread['min']:,} to {spread['max']:,}, mean {spread['mean']:.2f}"

    from rich.markup import escape

    rows = {
        "graph": escape(report.graph_words(found)),
        "ids": found["ids"],
        "in-degrees": words(found["in_degrees"]),
        "out-degrees": words(found["out_degrees"]),
        "isolated": f"{found['isolated']:,} vertices",
        "self-loops": f"{found['self_loops']:,}",
        "memory": f"{found['memory_bytes'] / 2**20:,.3g} MiB for the graph",
    }
    console = report.console()
    console.print(report.key_values("lux info", rows))
    titles = {"process_memory": PROCESS_MEMORY, "partitions": "partitions", "nodes": "nodes"}
    titles |= {"gpu_memory": "memory on GPUs", "gpu_exchange": EXCHANGE}
    for name, title in titles.items():
        if found.get(name):
            console.print(report.listing(title, found[name]))
