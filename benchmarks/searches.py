# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Searches on GPUs: ``python benchmarks/searches.py k25.sg --ranges 2 --runs auto/2,hybrid/2 --output found.json``.

The graph is one of `benchmarks/kronecker.py`; its vertices are given random ids, as in the Graph500, so that results
must be permuted into the order of ids. A run is a strategy of `lux.bfs` and a number of GPUs. All search from the same
roots. Times are medians over the roots, in ms: of the search's launch through Legate (``search``; ``work`` and
``exchange`` are the slowest GPU's, where kernels say), and of the whole call of `lux.bfs` (``call``). TEPS are harmonic
means, and count each edge of the component once (docs/how-to/graph500.md). Distances of the first root must equal the
first run's. Results are written after each run.

Started by ``legate --launcher mpirun --ranks-per-node 2 --gpus 1 --gpu-bind 0/1``, two processes have a GPU each.
"""

import argparse
import statistics
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console

if not __package__:
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import lux
from benchmarks.gpus import parser_of
from benchmarks.machine import circumstances, gpus
from benchmarks.report import print_figures, write_json
from lux import runtime
from lux.algorithms.bfs import bfs
from lux.algorithms.bfs.query import BfsQuery
from lux.algorithms.bfs.strategies import STRATEGIES
from lux.algorithms.strategy import select
from lux.engine.executor import Run
from lux.graph.core.stored_graph import Order

LEVELS = 2**31 - 1
PACKAGES = ("legate", "numpy", "numba", "cuda-core")
FIGURES = (
    *("search_ms", "work_ms", "exchange_ms", "kernel_ms", "gteps", "call_ms", "call_gteps", "mb", "levels"),
    "prepare_seconds",
)


def read(path: Path, ranges: int, seed: int = 1) -> lux.Graph:
    """Read the graph, whose ids are internal ids in random order."""
    graph = lux.read_graph(path)
    vertices = np.random.default_rng(seed).permutation(graph.n_vertices).astype(np.uint32)
    places = np.empty_like(vertices)
    places[vertices] = np.arange(graph.n_vertices, dtype=np.uint32)
    graph.order = Order("degree", runtime.from_array(vertices), runtime.from_array(places), ranges)
    runtime.finish()
    return graph


def search(graph: lux.Graph, strategy: str, parts: int, root: int) -> Run:
    """Search from an id; also returns the kernels' own measurements."""
    query = BfsQuery(graph=graph, parts=parts, strategy=strategy, max_iter=LEVELS, source=root)
    return select(STRATEGIES, query).run(query, None)


def measure(graph: lux.Graph, strategy: str, parts: int, roots: list[int]) -> tuple[dict[str, Any], NDArray[np.int32]]:
    """Return the times of a run, and the distances of the first root."""
    began = time.perf_counter()
    bfs.prepare(graph, strategy=strategy, parts=parts, model="auto")
    runtime.finish()
    prepared = time.perf_counter()
    first = lux.bfs(graph, roots[0], strategy=strategy, parts=parts)
    set_up = time.perf_counter() - prepared
    if first.device != "gpu":
        sys.exit(f"{strategy}/{parts} has run on CPU cores")
    calls, runs = [], []
    for root in roots:
        at = time.perf_counter()
        lux.bfs(graph, root, strategy=strategy, parts=parts)
        runtime.finish()
        calls.append(time.perf_counter() - at)
        runs.append(search(graph, strategy, parts, root))
    seconds = [run.seconds for run in runs]
    edges = [sum(did.frontier_edges for did in run.statistics) // 2 for run in runs]
    loads = [run.loads for run in runs if run.loads is not None]
    exchanged = [sum(did.exchanged or 0 for did in run.statistics) for run in runs]
    found: dict[str, Any] = {
        "run": f"{strategy}/{parts}",
        "search_ms": 1e3 * statistics.median(seconds),
        "call_ms": 1e3 * statistics.median(calls),
        "kernel_ms": 1e3 * statistics.median(sum(float(i.seconds.max()) for i in run.statistics) for run in runs),
        "gteps": len(edges) / sum(t / e for t, e in zip(seconds, edges, strict=True)) / 1e9,
        "call_gteps": len(edges) / sum(t / e for t, e in zip(calls, edges, strict=True)) / 1e9,
        "mb": statistics.fmean(exchanged) / 1e6,
        "levels": statistics.fmean(run.iterations for run in runs),
        "search_seconds": seconds,
        "call_seconds": calls,
        "edges": edges,
        "levels_of_first": [[i.model, i.frontier, i.frontier_edges, i.seconds.tolist()] for i in runs[0].statistics],
        "prepare_seconds": prepared - began,
        "set_up_seconds": set_up,
    }
    if loads:
        found |= {
            "work_ms": 1e3 * statistics.median(x.work_seconds for x in loads),
            "exchange_ms": 1e3 * statistics.median(x.seconds for x in loads),
        }
    return found, first.distances.dense()


def main() -> None:
    """Run the benchmark as the command line says."""
    options = _options()
    console = Console(width=None if sys.stdout.isatty() else 150)
    graph = read(options.graph, options.ranges)
    linked = np.flatnonzero(np.diff(runtime.to_array(graph.offsets)[: graph.n_vertices + 1]))
    chosen = np.random.default_rng(2).choice(linked, options.roots, replace=False)
    assert graph.order is not None
    roots = runtime.to_array(graph.order.vertices)[chosen].tolist()
    results: list[dict[str, Any]] = []
    expected = None
    for text in options.runs:
        strategy, parts = text.split("/")
        with lux.using(device="gpu"):
            result, distances = measure(graph, strategy, int(parts), roots)
        if expected is not None and not np.array_equal(distances, expected):
            sys.exit(f"{text} finds other distances than {options.runs[0]}")
        expected = distances
        results.append(result)
        graph._layouts.pop(int(parts), None)  # noqa: SLF001  # large graphs, many layouts
        facts = {
            "gpus": gpus(),
            "graph": {"file": options.graph.name, "vertices": graph.n_vertices, "edges": graph.n_edges},
            "results": results,
        }
        if runtime.rank() == 0:
            write_json(options.output, circumstances(PACKAGES) | facts)
            print(text, f"{result['search_ms']:.3f} ms, {result['gteps']:.1f} GTEPS", flush=True)
    title = f"{options.graph.name}: {graph.n_vertices:,} vertices, {graph.n_edges:,} stored edges"
    if runtime.rank() == 0:
        print_figures(results, "run", FIGURES, title, console)
    runtime.finish()


def _options() -> argparse.Namespace:
    parser = parser_of("Searches on GPUs.", "--runs", required=True, metavar="STRATEGY/GPUS,...")
    parser.add_argument("--roots", type=int, default=8)
    return parser.parse_args()


if __name__ == "__main__":
    main()
