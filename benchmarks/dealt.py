# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Factorization, and betweenness from some sources, on GPUs: ``python benchmarks/dealt.py --output dealt.json``.

Ratings are synthetic: users and items are drawn by power laws, and no pair twice. Times are seconds for each iteration
(or source) through Legate, launches included (`Result.seconds`): means over the iterations of one run, medians of three
runs of betweenness. Kernel times of betweenness are those of the busiest GPU over all sources, as many are isolated.
First runs, which compile and bring the graph to the GPUs, are left out. Factorizations run on CPU
cores as well; all results must agree. With ``--graph`` (one of `benchmarks/kronecker.py`) betweenness of 16 sources is
measured, too.
"""

import argparse
import statistics
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

if not __package__:
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import lux
from benchmarks.gpus import read
from benchmarks.machine import circumstances, clean_commit, driver, gpus, since
from benchmarks.report import write_json
from lux import runtime
from lux.algorithms.factorization.result import FactorizationResult

PACKAGES = ("legate", "numpy", "numba", "cuda-core")
USERS, ITEMS = 480_000, 18_000
USER_POWER, ITEM_POWER = 2, 3
"""Powers of the uniform random numbers that select places: the n-th has a share of about ``n ** (1 / power - 1)``."""
CPU_ITERATIONS, GPU_ITERATIONS = 2, 20
SOURCES = 16


def main() -> None:
    """Run the benchmark as the command line says."""
    options = _options()
    commit = clean_commit()
    console, began = Console(width=None if sys.stdout.isatty() else 120), time.time()
    graph = _ratings(options.ratings)
    console.print(f"{graph.n_edges:,} ratings of {graph.n_vertices:,} vertices after {time.time() - began:.0f} s")
    network = None if options.graph is None else read(options.graph, options.ranges)
    while options.after is not None and not options.after.exists():
        time.sleep(0.05)
    counts = [p for p in options.parts if p <= runtime.gpus()]
    results: list[dict[str, Any]] = []
    if network is not None:
        results.append({"what": f"betweenness, {SOURCES} sources"} | _betweenness(network, counts))
    for method in ("als", "gd"):
        name = {"als": "least squares", "gd": "gradient descent"}[method]
        results.append({"what": f"{name}, k={options.k}"} | _factorizations(graph, options.k, method, counts))
    _show(results, console)
    facts = {"commit": commit, "gpus": gpus(), "driver": driver(), "ratings": graph.n_edges, "results": results}
    write_json(options.output, circumstances(PACKAGES) | since(began) | facts)


def _ratings(count: int) -> lux.Graph:
    rng = np.random.default_rng(1)
    users = (USERS * rng.random(count) ** USER_POWER).astype(np.int64)
    items = (ITEMS * rng.random(count) ** ITEM_POWER).astype(np.int64)
    pairs = np.sort(users * ITEMS + items)
    pairs = pairs[np.diff(pairs, prepend=-1) > 0]
    users, items = np.divmod(pairs, ITEMS)
    tastes = rng.normal(size=(USERS, 4)).astype(np.float32), rng.normal(size=(ITEMS, 4)).astype(np.float32)
    values = 3 + np.einsum("ek,ek->e", tastes[0][users], tastes[1][items]) / 2
    values += rng.normal(scale=0.5, size=len(values)).astype(np.float32)
    graph = lux.from_edges(users, items, weight=np.clip(np.round(values), 1, 5).astype(np.float32), bipartite=True)
    graph.symmetrized()
    return graph


def _factorizations(graph: lux.Graph, k: int, method: str, counts: list[int]) -> dict[str, Any]:
    def run(device: str, iterations: int, parts: int | None) -> FactorizationResult:
        with lux.using(device=device):
            return lux.factorize(graph, k, method=method, max_iter=iterations, tol=0, parts=parts)

    found: dict[str, Any] = {}
    run("cpu", 1, None)
    cpu = run("cpu", CPU_ITERATIONS, None)
    found["cpu_s"], found["threads"] = cpu.seconds / len(cpu.statistics), cpu.threads
    expected = cpu.sweeps[CPU_ITERATIONS - 1].train_rmse
    for parts in counts:
        clock = time.perf_counter()
        run("gpu", 2, parts)
        found[f"gpu{parts}_first_s"] = time.perf_counter() - clock
        gpu = run("gpu", GPU_ITERATIONS, parts)
        found[f"gpu{parts}_s"] = gpu.seconds / len(gpu.statistics)
        found[f"gpu{parts}_kernel_s"] = float(np.median([s.seconds.max() for s in gpu.statistics]))
        error = gpu.sweeps[CPU_ITERATIONS - 1].train_rmse
        found[f"gpu{parts}_difference"] = abs(error / expected - 1)
        if found[f"gpu{parts}_difference"] > 1e-4:
            sys.exit(f"{method} on {parts} GPUs: an error of {error}, and CPU cores have {expected}")
    return found


def _betweenness(graph: lux.Graph, counts: list[int]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    expected = None
    for parts in counts:
        with lux.using(device="gpu"):
            runs = [lux.betweenness(graph, k=SOURCES, seed=1, parts=parts) for _ in range(4)]
        scores = runs[-1].scores.dense()
        expected = scores if expected is None else expected
        if not np.allclose(scores, expected, rtol=1e-9, atol=0):
            sys.exit(f"betweenness on {parts} GPUs has other scores")
        found[f"gpu{parts}_s"] = statistics.median(r.seconds for r in runs[1:]) / SOURCES
        kernels = [float(i.seconds.max()) for i in runs[-1].statistics]
        found[f"gpu{parts}_kernel_s"] = max(sum(kernels[part::parts]) for part in range(parts)) / SOURCES
    return found


def _show(results: list[dict[str, Any]], console: Console) -> None:
    columns = sorted({c for r in results for c in r if c.endswith("_s")})
    table = Table("ms for each iteration or source", *columns)
    for r in results:
        table.add_row(r["what"], *(f"{1e3 * r[c]:.4g}" if c in r else "" for c in columns))
    console.print(table)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Factorizations and betweenness on CPU cores and GPUs.")
    parser.add_argument("--ratings", type=int, default=22_000_000, help="to be drawn; some are drawn twice")
    parser.add_argument("--k", type=int, default=20)
    parser.add_argument("--graph", type=Path, metavar="GRAPH.sg", help="for betweenness")
    parser.add_argument("--ranges", type=int, default=4, help="as in benchmarks/kronecker.py")
    parser.add_argument("--parts", type=lambda text: [int(p) for p in text.split(",")], default=[1, 2, 4])
    parser.add_argument("--after", type=Path, metavar="FILE", help="wait for this file before measuring")
    parser.add_argument("--output", type=Path, required=True)
    return parser.parse_args()


if __name__ == "__main__":
    main()
