# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Traffic between processes, each with GPUs: ``benchmarks/between.py --graphs kronecker:22 --output between.json``.

It is started as ``legate --launcher mpirun --ranks-per-node 2 --gpus 1 --gpu-bind 0/1 ... benchmarks/between.py ...``.
PageRank, components by labels, shortest paths by relaxation and BFS run as vertex programs in each placement, with a
partition for each GPU. A time is the iterations' time through Legate, over their number. The table
also has the kernels' time of the slowest partition, and the bytes that were sent to the partitions of the first
process: bytes of messages, including ones to launches that find the end (``device``); ``zero-copy`` copies whole
fields, uncounted. Started in one process with several GPUs, with ``--placements peer``, it shows what they need there.
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
from lux.algorithms.bfs.bfs import BreadthFirstSearch
from lux.algorithms.components.components import SmallestLabel
from lux.algorithms.pagerank.pagerank import PageRank32
from lux.algorithms.sssp.bellman_ford import UNREACHED, ShortestPaths
from lux.engine import executor

PACKAGES = ("legate", "numpy", "numba", "numba-cuda", "cuda-core")
PROGRAMS = ("pagerank", "components", "sssp", "bfs")
ITERATIONS = 20
FIGURES = ("ms", "kernel_ms", "iterations", "moved_mb", "first_seconds")


def main() -> None:
    """Run the benchmark as the command line says."""
    options = _options()
    console = Console(width=None if sys.stdout.isatty() else 150)
    began, results = time.time(), []
    for generated in options.graphs:
        graph = _graph(generated)
        for placement in options.placements:
            for name in options.programs:
                found = _measured(graph, name, placement, options.trials)
                results.append({"run": f"{generated}, {name}, {placement}"} | found)
                if runtime.rank() == 0:
                    print(f"{time.time() - began:.1f} s: {generated}, {name}: {found['ms']:.3f} ms", flush=True)
                    facts = {"gpus": gpus(), "of_all": runtime.gpus(), "ranks": runtime.ranks(), "results": results}
                    write_json(options.output, circumstances(PACKAGES) | since(began) | facts)
    if runtime.rank() == 0:
        print_figures(results, "run", FIGURES, f"{runtime.ranks()} processes, {runtime.gpus()} GPUs", console)


def _graph(name: str) -> lux.Graph:
    """Read a saved graph, or one of `benchmarks/kronecker.py` in the order of its file, or generate one."""
    if Path(name).is_file():
        return lux.read_graph(name)
    return lux.load_graph(name) if Path(name).exists() else lux.generate(name, weights=(1, 255)).reordered("degree")


def _measured(graph: lux.Graph, name: str, placement: str, trials: int) -> dict[str, Any]:
    root = int(graph.ids.dense(int(graph.dense_out_degrees().argmax())))
    program, values, limit = {
        "pagerank": (PageRank32, {"alpha": 0.85, "stop": 0.0}, ITERATIONS),
        "components": (SmallestLabel, {}, None),
        "bfs": (BreadthFirstSearch, {"source": root}, None),
        "sssp": (ShortestPaths, {"source": root, "cutoff": UNREACHED}, None),
    }[name]

    def run() -> executor.Run:
        return executor.execute(program, graph, values, parts=runtime.gpus(), max_iterations=limit)

    with lux.using(device="gpu", placement=placement, repartition="off"):
        clock = time.perf_counter()
        run()
        first = time.perf_counter() - clock
        runs = sorted((run() for _ in range(trials)), key=lambda r: r.seconds)
    chosen = runs[len(runs) // 2]
    kernels = np.array([i.seconds for i in chosen.statistics]).max(axis=1)
    return {
        "ms": 1e3 * chosen.seconds / chosen.iterations,
        "all_ms": [1e3 * r.seconds / r.iterations for r in runs],
        "kernel_ms": 1e3 * float(kernels.mean()),
        "iterations": chosen.iterations,
        "moved_mb": getattr(chosen.loads, "moved", 0) / chosen.iterations / 1e6,
        "first_seconds": first,
    }


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="What crosses processes, each with GPUs of its own.")
    parser.add_argument("--graphs", type=lambda text: text.split(","), default=["kronecker:22"])
    parser.add_argument("--placements", type=lambda text: text.split(","), default=["device", "zero-copy"])
    parser.add_argument("--programs", type=lambda text: text.split(","), default=list(PROGRAMS))
    parser.add_argument("--trials", type=int, default=5)
    parser.add_argument("--output", type=Path, required=True)
    return parser.parse_args()


if __name__ == "__main__":
    main()
