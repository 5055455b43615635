# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Lux on partitions, each on a GPU: ``python benchmarks/gpus.py GRAPH.sg --ranges 4 --runs 1/device,4/peer``.

The graph is one of `benchmarks/kronecker.py`. A run is a number of partitions and a placement, as `lux.using` takes it;
one partition in ``device`` is one launch in all, and with ``/launches`` a launch for each iteration. ``9/cores=0.1`` is
a GPU and eight CPU cores with a tenth of the edges, ``9/cores`` gives the cores the edges that do not fit the GPU,
``1/zero-copy=auto`` selects the gathering processor (``lux.using(loading=)``), and ``8/cpu`` is CPU cores alone. A time
is the iterations' time through Legate, over their number. The table also has the kernels' times of the slowest
partition, in which ``load`` is the gathering of other partitions' values (kernels count the bytes, which are compared
with |INS| times a vertex's size).
"""

import argparse
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

if not __package__:
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import lux
from benchmarks.machine import circumstances, gpus, since
from benchmarks.report import print_figures, write_json
from lux import runtime
from lux.algorithms.pagerank.pagerank import PageRank32
from lux.engine import executor
from lux.engine.gpu.parts import PartitionedGpuRun
from lux.graph.core.stored_graph import Order

PACKAGES = ("legate", "numpy", "numba", "numba-cuda", "cuda-core")
ITERATIONS = 20
PARAMETERS = {"alpha": 0.85, "stop": 0.0}
FIGURES = (
    *("pagerank_ms", "kernel_ms", "load_ms", "load_bytes", "bfs_ms", "bfs_gteps", "components_ms", "set_up_seconds"),
)


def main() -> None:
    """Run the benchmark as the command line says."""
    options = _options()
    console = Console(width=None if sys.stdout.isatty() else 150)
    began = time.time()
    graph = read(options.graph, options.ranges)
    results = []
    for text in options.runs:
        parts, placement, *how = text.split("/")
        results.append({"run": text} | _pagerank(graph, int(parts), placement, options.trials, launches=bool(how)))
        if options.searches and not how:
            results[-1] |= _searches(graph, int(parts), placement, options.trials)
        for other in [p for p in graph._layouts if p != int(parts)]:  # noqa: SLF001  # large graphs, many layouts
            del graph._layouts[other]  # noqa: SLF001
    if runtime.rank() == 0:
        title = f"{options.graph.name}: {graph.n_vertices:,} vertices, {graph.n_edges:,} stored edges"
        print_figures(results, "run", FIGURES, title, console)
        facts = {
            "gpus": gpus(),
            "ranks": runtime.ranks(),
            "graph": {"file": options.graph.name, "vertices": graph.n_vertices, "edges": graph.n_edges},
            "iterations": ITERATIONS,
            "results": results,
        }
        write_json(options.output, circumstances(PACKAGES) | since(began) | facts)


def read(path: Path, ranges: int) -> lux.Graph:
    """Read a graph of `benchmarks/kronecker.py`, whose ids are already internal ids by degree."""
    graph = lux.read_graph(path)
    same = np.arange(graph.n_vertices, dtype=np.uint32)
    graph.order = Order("degree", runtime.from_array(same), runtime.from_array(same), ranges)
    runtime.finish()
    return graph


def _pagerank(graph: lux.Graph, parts: int, placement: str, trials: int, *, launches: bool) -> dict[str, Any]:
    def run() -> executor.Run:
        if launches:
            given = (PageRank32, graph, {}, PARAMETERS, "auto", ITERATIONS, parts)
            return PartitionedGpuRun(*given, placement=placement).execute(None)
        return executor.execute(PageRank32, graph, PARAMETERS, parts=parts, max_iterations=ITERATIONS)

    with lux.using(**_where(placement), repartition="off"):
        clock = time.perf_counter()
        run()
        set_up = time.perf_counter() - clock
        runs = [run() for _ in range(trials)]
    runs.sort(key=lambda r: r.seconds)
    chosen = runs[len(runs) // 2]
    kernels = np.array([i.seconds for i in chosen.statistics])
    found: dict[str, Any] = {
        "pagerank_ms": 1e3 * chosen.seconds / ITERATIONS,
        "pagerank_all_ms": [1e3 * r.seconds / ITERATIONS for r in runs],
        "kernel_ms": 1e3 * float(kernels.max(axis=1).mean()),
        "kernel_ms_of_partitions": (1e3 * kernels.mean(axis=0)).tolist(),
        "set_up_seconds": set_up,
    }
    if "=" in placement or placement == "cores":
        found["why"] = chosen.statistics[0].why
    if not placement.startswith("cores") and chosen.loads is not None and chosen.loads.vertices:
        loads, sizes = chosen.loads, graph.layout(parts).members.sizes
        if runtime.ranks() == 1 and loads.vertices != ITERATIONS * int(sizes.sum()):
            sys.exit(f"{loads.vertices} vertices were gathered, and INS have {ITERATIONS} x {sizes.sum()}")
        nbytes = loads.nbytes / ITERATIONS
        found |= {"load_ms": 1e3 * loads.seconds / ITERATIONS, "load_bytes": nbytes, "members": sizes.tolist()}
    return found


def _where(placement: str) -> dict[str, Any]:
    """Return the settings of a run."""
    if placement == "cpu":
        return {"device": "cpu"}
    if placement.startswith("cores"):
        share = placement.partition("=")[2]
        return {"device": "gpu+cpu", "cpu_share": float(share) if share else None}
    placement, _, loading = placement.partition("=")
    return {"device": "gpu", "placement": placement, "loading": loading or "kernel"}


def _searches(graph: lux.Graph, parts: int, placement: str, trials: int) -> dict[str, Any]:
    with lux.using(**_where(placement)):
        found = [lux.bfs(graph, 1, parts=parts) for _ in range(trials + 1)][1:]
        components = [lux.components(graph, parts=parts) for _ in range(trials + 1)][1:]
    reached = found[0].distances.dense()
    edges = float(graph.dense_out_degrees()[reached >= 0].sum()) / 2
    best = float(np.median([r.seconds for r in found]))
    return {
        "bfs_ms": 1e3 * best,
        "bfs_gteps": edges / best / 1e9,
        "bfs_kernel_ms": 1e3 * sum(float(i.seconds.max()) for i in found[0].statistics),
        "components_ms": 1e3 * float(np.median([r.seconds for r in components])),
    }


def parser_of(description: str, runs: str, **how: Any) -> argparse.ArgumentParser:
    """Return the option parser for benchmarks of such a graph; ``runs`` is the option with the runs, its text split."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("graph", type=Path, metavar="GRAPH.sg")
    parser.add_argument("--ranges", type=int, required=True, help="as in benchmarks/kronecker.py")
    parser.add_argument(runs, type=lambda text: text.split(","), **how)
    parser.add_argument("--output", type=Path, required=True)
    return parser


def _options() -> argparse.Namespace:
    parser = parser_of("Lux on partitions, each on a GPU.", "--runs", required=True, metavar="P/PLACEMENT,...")
    parser.add_argument("--searches", action="store_true", help="also breadth-first search and components")
    parser.add_argument("--trials", type=int, default=5)
    return parser.parse_args()


if __name__ == "__main__":
    main()
