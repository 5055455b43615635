# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
r"""Whole calls on all GPUs that Legate was given: ``python benchmarks/several_gpus.py kronecker:25 --into found.json``.

    LEGATE_CONFIG="--gpus 4 ..." python benchmarks/several_gpus.py kronecker:25 --into several.json --save k25.lux
    legate --launcher mpirun --ranks-per-node 2 --gpus 1 --gpu-bind 0/1 ... benchmarks/several_gpus.py k25.lux \
        --name kronecker:25 --into several.json

The graph is generated, with float32 weights where shortest paths are among the works, and stored by degree; or it is a
saved one. A time is the whole call's by wall clock, from an idle runtime until Lux has finished and the answer is in
the order of ids: the median of the trials, of searches over 16 roots each root's median, GTEPS their harmonic mean
(`benchmarks/whole_calls.py`). Betweenness takes 16 sources in a call. ``launch_ms`` is `Result.seconds`.

A run is added to the file, under its graph, GPUs and processes, with its commit. Its answers are compared with those
that another run on the same graph has left there, as sums: equal, but for PageRank and betweenness, which are within
1e-4 of each other.

Results name a commit; without a repository, set LUX_COMMIT.
"""

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

if not __package__:
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import lux
from benchmarks import whole_calls as wc
from benchmarks.gpu import PairWeights
from benchmarks.machine import circumstances, clean_commit, driver, gpus, since
from benchmarks.report import print_figures, write_json
from lux import runtime

PACKAGES = ("legate", "numpy", "cuda-core")
SOURCES = 16
BETWEENNESS = f"betweenness, {SOURCES} sources"
WORKS = (wc.PAGERANK, wc.BFS, wc.COMPONENTS, wc.SSSP, BETWEENNESS)
SHORT = dict(zip(("pagerank", "bfs", "components", "sssp", "betweenness"), WORKS, strict=True))
SEARCHES = (wc.BFS, wc.SSSP)


def main() -> None:
    """Run the benchmark as the command line says."""
    options = _options()
    began, commit = time.time(), clean_commit()
    with lux.using(device=options.device):
        graph, made = _graph(options)
        found = _measure(graph, [SHORT[name] for name in options.works], options)
    if runtime.rank():
        return
    here = {"graph": options.name or options.graph, "gpus": runtime.gpus(), "processes": runtime.ranks()}
    sizes = {"vertices": graph.n_vertices, "edges": graph.n_edges}
    run = {**here, "commit": commit, **sizes, "made_seconds": made, **found}
    before = json.loads(options.into.read_text()) if options.into.is_file() else {"results": []}
    others = [{"commit": before.get("commit"), **r} for r in before["results"]]
    kept = [r for r in others if any(r[key] != value for key, value in here.items())]
    facts = circumstances(PACKAGES) | since(began) | {"commit": commit, "gpus": gpus(), "driver": driver()}
    write_json(options.into, facts | {"trials": options.trials, "results": [*kept, run]})
    rows = [{"run": f"{r['graph']}, {r['gpus']} GPUs, {r['processes']} processes"} | r["summary"] for r in [*kept, run]]
    print_figures(rows, "run", (*WORKS, wc.GTEPS), "ms of a whole call", Console(width=150))
    for other in kept:
        if other["graph"] == run["graph"]:
            _compare(run, other)


def _graph(options: argparse.Namespace) -> tuple[lux.Graph, float]:
    """Generate the graph, or load it; returns it and the seconds that took."""
    began = time.perf_counter()
    if Path(options.graph).exists():
        graph = lux.load_graph(options.graph)
    else:
        name = options.graph.removeprefix("kronecker:")
        made = lux.generate(PairWeights(int(name)) if "sssp" in options.works else options.graph)
        graph = made.reordered("degree")
    runtime.finish()
    seconds = time.perf_counter() - began
    if options.save:
        graph.save(options.save)
    return graph, seconds


def _measure(graph: lux.Graph, works: list[str], options: argparse.Namespace) -> dict[str, Any]:
    degrees = graph.dense_out_degrees()
    roots = np.random.default_rng(1).choice(np.flatnonzero(degrees), wc.ROOTS, replace=False).tolist()
    pagerank = partial(
        lux.pagerank, graph, alpha=wc.ALPHA, tol=0, max_iter=wc.ITERATIONS, dtype=np.float32, weight=None
    )
    calls: dict[str, Callable[..., Any]] = {
        wc.PAGERANK: pagerank,
        wc.BFS: partial(lux.bfs, graph),
        wc.COMPONENTS: partial(lux.components, graph),
        wc.SSSP: partial(lux.sssp, graph),
        BETWEENNESS: partial(lux.betweenness, graph, sources=roots, normalized=False),
    }
    times, launches = wc.Times(runtime.finish, options.trials), {}
    sums: dict[str, float] = {}
    parts: dict[str, int] = {}
    edges: list[float] = []
    for work in works:
        began, of_launch = time.perf_counter(), []
        for result in times.take(work, calls[work], roots if work in SEARCHES else ()):
            if result.device != options.device:
                sys.exit(f"{work} has run on {result.device}")
            of_launch.append(1e3 * result.seconds)
            if work == wc.BFS or work not in sums:
                answer = result.main.dense()
                sums.setdefault(work, float(answer.sum(dtype=np.float64)))
                parts[work] = result.parts
            if work == wc.BFS:
                edges.append(float(degrees[answer >= 0].sum()) / 2)
        launches[work] = statistics.median(of_launch)
        if runtime.rank() == 0:
            print(f"{work}: {time.perf_counter() - began:.1f} s in all", flush=True)
    measured = {"first_ms": times.first_ms, "calls_ms": times.calls_ms, "launch_ms": launches}
    return {"roots": roots, "sums": sums, "parts": parts, **measured, "summary": times.summary(edges)}


def _compare(run: dict[str, Any], other: dict[str, Any]) -> None:
    """Exit if an answer is not that of another run; additions in another order make others of two works."""
    for work, value in run["sums"].items():
        expected = other["sums"].get(work, value)
        slack = 1e-4 if work in (wc.PAGERANK, BETWEENNESS) else 0.0
        if abs(value - expected) > slack * abs(expected):
            sys.exit(f"{work}: the sum of the answer is {value}, and {expected} on {other['gpus']} GPUs")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Whole calls on all GPUs that Legate was given.")
    parser.add_argument("graph", metavar="kronecker:S|FOLDER", help="what to generate, or a saved graph")
    parser.add_argument("--name", help="of a saved graph in the file, as it was generated")
    parser.add_argument("--save", help="where the graph is saved, for several processes")
    parser.add_argument("--works", type=lambda text: text.split(","), default=list(SHORT), metavar=",".join(SHORT))
    parser.add_argument("--trials", type=int, default=5)
    parser.add_argument("--device", choices=("gpu", "cpu"), default="gpu", help="cpu: to try the script out")
    parser.add_argument("--into", type=Path, required=True)
    return parser.parse_args()


if __name__ == "__main__":
    main()
