# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Lux on one GPU: ``python benchmarks/gpu.py --scales 20,22,24``.

Kronecker graphs of the Graph500 (edge factor 16, symmetrised, without repeats and loops), stored by falling degree,
which is reported apart. A time is `Result.seconds`: launches through Legate, which allocate what they need, until the
answer lies in the GPU's memory. BFS counts the undirected edges of the component, each once (GTEPS, harmonic mean over
the roots); weights of shortest paths are whole numbers from 1 to 255. On the smallest graph all answers are compared
with those of CPU cores before anything is timed. Published figures of cuGraph 26.10 on the same kind of GPU stand
beside.

Graphs that CPU cores would make for minutes come from `benchmarks/kronecker.py`, by degree already and without weights:
``python benchmarks/kronecker.py 25 4 /dev/shm/k25.sg`` and ``--scales 20 --graphs /dev/shm/k25.sg --ranges 4``. These
are not compared with CPU cores.
"""

import argparse
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

if not __package__:
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import lux
from benchmarks.gpus import read
from benchmarks.machine import circumstances, gpus, since
from benchmarks.report import write_json
from lux import runtime

PACKAGES = ("legate", "numpy", "numba", "numba-cuda", "cuda-core")
ITERATIONS = 20
WEIGHTS = (1, 255)
ROOTS = 16
CUGRAPH = {
    "PageRank float32, ms/iteration": {20: 0.36, 22: 1.07, 24: 3.79, 25: 7.81},
    "BFS with parents, GTEPS": {20: 8.2, 22: 28, 24: 64, 25: 75},
    "components, ms": {20: 20, 22: 21, 24: 42, 25: 67},
    "shortest paths, ms": {20: 44, 22: 56, 24: 96, 25: 139},
    "betweenness from one source, ms": {20: 11, 22: 37, 24: 88, 25: 242},
}
"""cuGraph 26.10 (pylibcugraph, 32-bit ids, renumbered) on one H200, whole calls by wall clock, November 2026."""


def main() -> None:
    """Run the benchmark as the command line says."""
    options = _options()
    console = Console(width=None if sys.stdout.isatty() else 120)
    began, results = time.time(), []
    for position, scale in enumerate(options.scales):
        results.append(_measure(*_made(scale, console), options.trials, check=position == 0))
        _write(options.output, results, began)
    for path in options.graphs:
        results.append(_measure(*_from_file(path, options.ranges, console), options.trials, check=False))
        _write(options.output, results, began)
    _show(results, console)
    console.print(f"written to {options.output}")


def _made(scale: int, console: Console) -> tuple[lux.Graph, dict[str, Any]]:
    """A graph with weights, made and ordered on CPU cores; and its facts."""
    clock = time.perf_counter()
    given = lux.generate(f"kronecker:{scale}", weights=WEIGHTS)
    runtime.finish()
    generated = time.perf_counter() - clock
    graph = given.reordered("degree")
    runtime.finish()
    assert graph.order is not None
    seconds = f"{generated:.1f} s, ordered in {graph.order.seconds:.1f} s"
    console.print(f"scale {scale}: {graph.n_edges:,} stored edges in {seconds}")
    return graph, {"scale": scale, "generate_seconds": generated, "order_seconds": graph.order.seconds}


def _from_file(path: Path, ranges: int, console: Console) -> tuple[lux.Graph, dict[str, Any]]:
    """A graph of `benchmarks/kronecker.py`; and its facts."""
    clock = time.perf_counter()
    graph = read(path, ranges)
    seconds = time.perf_counter() - clock
    scale = graph.n_vertices.bit_length() - 1
    console.print(f"{path.name}: scale {scale}, {graph.n_edges:,} stored edges read in {seconds:.1f} s")
    return graph, {"scale": scale, "read_seconds": seconds, "ranges": ranges}


def _measure(graph: lux.Graph, facts: dict[str, Any], trials: int, *, check: bool) -> dict[str, Any]:
    degrees = graph.out_degrees()
    roots = np.random.default_rng(1).choice(np.flatnonzero(degrees), ROOTS, replace=False)
    if check:
        _compare(graph, int(roots[0]))
    times: dict[str, list[float]] = {"PageRank float32, ms/iteration": [], "PageRank float64, ms/iteration": []}
    kernels: dict[str, float] = {}
    for kind in (np.float32, np.float64):
        name = f"PageRank {np.dtype(kind).name}, ms/iteration"
        for _ in range(trials + 1):
            found = lux.pagerank(graph, tol=0, max_iter=ITERATIONS, dtype=kind, weight=None)
            times[name].append(1e3 * found.seconds / ITERATIONS)
        kernels[name] = 1e3 * float(np.mean([i.seconds[0] for i in found.statistics]))
    lux.bfs(graph, int(roots[0]))
    searched, teps = [], []
    for root in roots.tolist():
        best = min((lux.bfs(graph, root) for _ in range(trials)), key=lambda r: r.seconds)
        edges = float(degrees[best.distances.dense() >= 0].sum()) / 2
        searched.append(1e3 * best.seconds)
        teps.append(edges / best.seconds / 1e9)
    times["BFS with parents, ms"] = searched
    times["components, ms"] = [1e3 * lux.components(graph).seconds for _ in range(trials + 1)]
    if "weight" in graph.property_types:
        lux.sssp(graph, int(roots[0]))
        times["shortest paths, ms"] = [1e3 * lux.sssp(graph, root).seconds for root in roots.tolist()]
    lux.betweenness(graph, sources=[int(roots[0])])
    times["betweenness from one source, ms"] = [
        1e3 * lux.betweenness(graph, sources=[root]).seconds for root in roots[:4].tolist()
    ]
    # Of calls that are only repeated, the first is left out.
    summary = {n: float(np.median(v if len(v) != trials + 1 else v[1:])) for n, v in times.items()}
    summary["BFS with parents, GTEPS"] = len(teps) / sum(1 / t for t in teps)
    return facts | {
        "edges": graph.n_edges,
        "roots": roots.tolist(),
        "times": times,
        "kernel_ms": kernels,
        "summary": summary,
    }


def _compare(graph: lux.Graph, root: int) -> None:
    """End unless the GPU's answers are those of CPU cores."""
    calls: dict[str, tuple[Callable[[], Any], float]] = {
        "bfs": (lambda: lux.bfs(graph, root).distances, 0),
        "components": (lambda: lux.components(graph).labels, 0),
        "sssp": (lambda: lux.sssp(graph, root).distances, 0),
        "pagerank": (lambda: lux.pagerank(graph, tol=0, max_iter=5, weight=None).ranks, 1e-11),
        "betweenness": (lambda: lux.betweenness(graph, sources=[root]).scores, 1e-9),
    }
    for name, (call, slack) in calls.items():
        with lux.using(device="gpu"):
            on_gpu = call().dense()
        with lux.using(device="cpu"):
            on_cpu = call().dense()
        if not np.allclose(on_gpu, on_cpu, rtol=slack, atol=0 if slack == 0 else 1e-15):
            sys.exit(f"{name}: GPU and CPU cores disagree")


def _write(path: Path, results: list[dict[str, Any]], began: float) -> None:
    facts = {
        "gpus": gpus(),
        "driver": _driver(),
        "iterations": ITERATIONS,
        "results": results,
        "cugraph": CUGRAPH,
    }
    write_json(path, circumstances(PACKAGES) | since(began) | facts)


def _driver() -> str | None:
    command = shutil.which("nvidia-smi")
    if command is None:
        return None
    asked = [command, "--query-gpu=driver_version", "--format=csv,noheader"]
    return subprocess.run(asked, capture_output=True, text=True, check=False).stdout.split("\n")[0] or None


def _show(results: list[dict[str, Any]], console: Console) -> None:
    table = Table("", *(f"scale {r['scale']}" for r in results), title="Lux on one GPU (cuGraph)")
    for name in dict.fromkeys(name for r in results for name in r["summary"]):
        row = [name]
        for r in results:
            peer, ours = CUGRAPH.get(name, {}).get(r["scale"]), r["summary"].get(name)
            row.append("" if ours is None else f"{ours:.3g}" + (f" ({peer:g})" if peer else ""))
        table.add_row(*row)
    console.print(table)


def _numbers(text: str) -> list[int]:
    return [int(number) for number in text.split(",") if number]


def _paths(text: str) -> list[Path]:
    return [Path(name) for name in text.split(",") if name]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Lux on one GPU.")
    parser.add_argument("--scales", type=_numbers, default=[20, 22, 24], metavar="S,S,...")
    parser.add_argument(
        "--graphs", type=lambda text: [Path(p) for p in text.split(",")], default=[], metavar="FILE,..."
    )
    parser.add_argument("--ranges", type=int, default=4, help="of those, as in benchmarks/kronecker.py")
    parser.add_argument("--trials", type=int, default=5)
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results" / "gpu.json")
    return parser.parse_args()


if __name__ == "__main__":
    main()
