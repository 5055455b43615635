# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Betweenness by weight on GPUs and CPU cores: ``python benchmarks/betweenness.py --output betweenness.json``.

Graphs are Kronecker graphs of the Graph500 with weights from 1 to 255, stored by degree. Times are milliseconds for
each source through Legate, launches included (`Result.seconds`): medians of four runs after a first one, which compiles
and brings the graph to the GPUs. On CPU cores each thread has a source of its own; runs sweep as many sources as there
are cores, and one alone.
"""

import argparse
import statistics
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

if not __package__:
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import lux
from benchmarks.graphs import WEIGHTS
from benchmarks.machine import circumstances, gpus, since
from benchmarks.report import print_figures, write_json
from lux import runtime

PACKAGES = ("legate", "numpy", "numba", "cuda-core")
SOURCES = 16
TRIALS = 4


def main() -> None:
    """Run the benchmark as the command line says."""
    options = _options()
    console, began = Console(width=None if sys.stdout.isatty() else 120), time.time()
    results: list[dict[str, Any]] = []
    kept = []
    for scale in options.scales:
        graph = lux.generate(f"kronecker:{scale}", weights=WEIGHTS).reordered("degree")
        runtime.finish()
        console.print(f"scale {scale}: {graph.n_edges:,} stored edges after {time.time() - began:.0f} s")
        roots = (
            np.random.default_rng(1).choice(np.flatnonzero(graph.dense_out_degrees()), SOURCES, replace=False).tolist()
        )
        found = {"scale": scale, "edges": graph.n_edges}
        results.append(found | _on_gpus(graph, roots, [p for p in options.parts if p <= runtime.gpus()]))
        _write(options.output, results, began)
        if scale <= options.most_on_cores:
            kept.append((graph, roots, results[-1]))
    for graph, roots, result in kept:
        result.update(_on_cores(graph, roots))
        _write(options.output, results, began)
    figures = sorted({name for result in results for name in result if name.endswith("_ms")})
    print_figures(results, "scale", figures, "for each source", console)


def _write(path: Path, results: list[dict[str, Any]], began: float) -> None:
    facts = {"gpus": gpus(), "sources": SOURCES, "results": results}
    write_json(path, circumstances(PACKAGES) | since(began) | facts)


def _run(graph: lux.Graph, device: str, sources: list[int], parts: int | None = None) -> Any:
    with lux.using(device=device):
        return lux.betweenness(graph, sources=sources, weight="weight", parts=parts)


def _on_gpus(graph: lux.Graph, roots: list[int], counts: list[int]) -> dict[str, float]:
    found = {}
    for parts in counts:
        clock = time.perf_counter()
        _run(graph, "gpu", roots[:parts], parts)
        found[f"gpu{parts}_first_ms"] = 1e3 * (time.perf_counter() - clock)
        runs = [_run(graph, "gpu", roots, parts) for _ in range(TRIALS)]
        found[f"gpu{parts}_ms"] = 1e3 * statistics.median(r.seconds for r in runs) / SOURCES
        found[f"gpu{parts}_kernel_ms"] = 1e3 * float(np.median([i.seconds.max() for r in runs for i in r.statistics]))
    if counts:
        with lux.using(device="gpu"):
            found["gpu1_paths_ms"] = 1e3 * float(np.median([lux.sssp(graph, r).seconds for r in roots]))
    return found


def _on_cores(graph: lux.Graph, roots: list[int]) -> dict[str, float]:
    alone = [_run(graph, "cpu", roots[:1]) for _ in range(TRIALS + 1)]
    each = [_run(graph, "cpu", roots[: runtime.processors()]) for _ in range(TRIALS + 1)]
    one, many = alone[-1], each[-1]
    if runtime.gpus():
        gpu = _run(graph, "gpu", roots[:1])
        if not np.allclose(gpu.scores.dense(), one.scores.dense(), rtol=1e-9, atol=1e-18):
            sys.exit("GPU and CPU cores disagree")
    return {
        "cpu_alone_ms": 1e3 * statistics.median(r.seconds for r in alone[1:]),
        "cpu_ms": 1e3 * statistics.median(r.seconds for r in each[1:]) / len(many.dense_sources),
        "threads": many.threads,
    }


def _numbers(text: str) -> list[int]:
    return [int(number) for number in text.split(",")]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Betweenness by weight on GPUs and CPU cores.")
    parser.add_argument("--scales", type=_numbers, default=[20, 22], metavar="S,S,...")
    parser.add_argument("--parts", type=_numbers, default=[1, 2, 4], metavar="P,P,...", help="numbers of GPUs")
    parser.add_argument("--most-on-cores", type=int, default=20, metavar="SCALE", help="the largest run on CPU cores")
    parser.add_argument("--output", type=Path, required=True)
    return parser.parse_args()


if __name__ == "__main__":
    main()
