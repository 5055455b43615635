# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Graphs of more than 2^31 vertices or 2^32 edges on GPUs of one process: ``python -m benchmarks.large_graphs``.

Seconds and peaks of each step: the graph is made on the GPUs, searched, its components are found, pages are ranked, and
answers are verified on CPU cores, by partition. Results name a commit; without a repository, set LUX_COMMIT.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import lux
from benchmarks.machine import circumstances, clean_commit, driver, gpus, since
from benchmarks.report import write_json
from lux import runtime
from lux.algorithms.bfs import bfs
from lux.algorithms.components import components
from lux.graph.build import build
from lux.graph.construction.generators import Kronecker, Uniform
from lux.runtime import allocations
from lux.runtime import process_memory as memory

PACKAGES = ("legate", "numpy", "numba", "cuda-core")
AGAIN = 1
"""Calls after the first; the last of them is shown."""


class Steps:
    """Steps with their seconds, the process's peak in bytes, and bytes of stores on the GPU that has most."""

    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = []

    def __call__(self, name: str, do: Callable[[], Any], again: int = 0) -> Any:
        """Do a step, and ``again`` so many times."""
        memory.forget_peak()
        seconds = []
        for _ in range(1 + again):
            done = None  # the answer before is dropped first
            began = time.perf_counter()
            done = do()
            runtime.finish()
            seconds.append(time.perf_counter() - began)
        peak, on_gpu = memory.peak_bytes(), int(allocations.placed()[0].max())
        last = {"again": seconds[-1]} if again else {}
        self.rows.append({"step": name, "first": seconds[0], **last, "host_peak": peak, "on_gpu": on_gpu})
        print(f"{name:26}{seconds[0]:10.3f} s{seconds[-1]:10.3f} s{peak / 1e9:9.1f} GB", flush=True)
        return done


def _searched(step: Steps, graph: lux.Graph, *, verified: bool) -> int:
    """Search from the first vertex with edges; returns how many were reached. The answer takes room on the GPUs."""
    source = next(vertex for vertex in range(graph.n_vertices) if len(graph.neighbors(vertex)))
    search = step("BFS", lambda: lux.bfs(graph, source), AGAIN)
    if verified:
        step("BFS is verified", lambda: bfs.verify(search))
    return int(np.count_nonzero(search.distances.dense() >= 0))


def measure(graph: str, size: str, *, verified: bool) -> dict[str, Any]:
    """Return the steps of a graph: ``kronecker`` of a scale, or ``uniform`` of so many vertices and as many edges."""
    step = Steps()
    source = Kronecker(int(size)) if graph == "kronecker" else Uniform(int(float(size)), int(float(size)))
    made = step("the graph is made", lambda: build(source, drop_loops=graph == "kronecker"))
    found: dict[str, Any] = {"graph": graph, "n_vertices": made.n_vertices, "n_edges": made.n_edges}
    with lux.using(repartition="off", device="gpu"):
        found["reached"] = _searched(step, made, verified=verified)
        labels = step("components", lambda: lux.components(made), AGAIN)
        found["components"] = labels.n_components
        if verified:
            step("components are verified", lambda: components.verify(labels))
        if graph == "kronecker":
            step("PageRank, 20 iterations", lambda: lux.pagerank(made, max_iter=20, tol=0, dtype=np.float32), AGAIN)
    return found | {"verified": verified, "steps": step.rows}


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.large_graphs", description=__doc__.partition(":")[0])
    parser.add_argument("graph", choices=["kronecker", "uniform"])
    parser.add_argument("size", help="scale of a Kronecker graph; vertices and edges of a uniform one, as 2.3e9")
    parser.add_argument("--verify", action="store_true", help="verify the answers on CPU cores")
    parser.add_argument("--output", type=Path, help="a JSON file; only of a clean commit")
    options = parser.parse_args()
    commit, began = (clean_commit() if options.output else None), time.time()
    found = measure(options.graph, options.size, verified=options.verify)
    if options.output is not None:
        header = circumstances(PACKAGES) | {"commit": commit, "gpus": gpus()[: runtime.gpus()], "driver": driver()}
        write_json(options.output, header | since(began) | found)


if __name__ == "__main__":
    main()
