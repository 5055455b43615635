# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Graphs made on GPUs: ``python benchmarks/gpu_graphs.py --scales 20,22,24,26 --output gpu-graphs.json``.

All GPUs that Legate was given may be used: LEGATE_CONFIG="--gpus 1" starts it with one, and "--gpus 2" with two.

Raw edges of the Graph500's Kronecker graphs (edge factor 16, ids at random, int32) lie in two ordinary NumPy arrays,
and, where CuPy is installed and they have room there, in two arrays in the first GPU's memory. A time is the whole of

    lux.from_edges(sources, destinations, directed=False, drop_loops=True, drop_repeats=True).reordered("degree")

by wall clock, until Lux has finished: vertices are numbered, edges symmetrised, sorted and freed of repeats, and stored
by degree, as the fastest search wants them. The first time of a size is listed with the others. The bytes are those
that Lux's stores take on the GPU that has most, at the end of a step. At the smallest scale the graph is compared,
array by array, with the one that CPU cores make.

Results name a commit; without a repository, set LUX_COMMIT.
"""

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

if not __package__:
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import lux
from benchmarks.machine import circumstances, clean_commit, driver, gpus, since
from benchmarks.report import write_json
from lux import runtime
from lux.graph.construction.generators import Kronecker
from lux.launch.call import KernelCall
from lux.launch.peer_call import PeerCall

PACKAGES = ("legate", "numpy", "cuda-core", "cupy-cuda12x", "cupy-cuda13x")
FITS_BESIDE = 26
"""Scale of the largest edge list that has room beside Lux's part of a GPU's memory."""
HOW = {"directed": False, "drop_loops": True, "drop_repeats": True}


def main() -> None:
    """Run the benchmark as the command line says."""
    options = _options()
    began, results, commit = time.time(), [], clean_commit()
    for scale in options.scales:
        sources, destinations = _raw_edges(scale)
        found: dict[str, Any] = {"scale": scale, "raw_edges": len(sources)}
        with lux.using(device="gpu"):
            most = [0]
            with _watched(most):
                found["host_seconds"] = [_timed(_maker(sources, destinations)) for _ in range(options.builds)]
            found["most_gpu_bytes"] = most[0]
            if scale <= FITS_BESIDE and (on_gpu := _on_gpu(sources, destinations)) is not None:
                found["device_seconds"] = [_timed(_maker(*on_gpu)) for _ in range(options.builds)]
                del on_gpu
            graph = _maker(sources, destinations)()
            found["n_vertices"], found["stored_edges"] = graph.n_vertices, graph.n_edges
            if scale == min(options.scales):
                found["as_on_cores"] = _as_on_cores(graph, sources, destinations)
            del graph
        results.append(found)
        print(
            scale,
            {name: np.round(found[name], 4).tolist() for name in ("host_seconds", "device_seconds") if name in found},
        )
    facts = circumstances(PACKAGES) | {"commit": commit, "gpus": gpus(), "driver": driver()}
    facts["gpus_in_use"] = runtime.gpus()
    write_json(options.output, facts | since(began) | {"builds": options.builds, "results": results})
    if not all(found.get("as_on_cores", True) for found in results):
        sys.exit("the GPU's graph is not the one that cores make")


def _raw_edges(scale: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    source, parts = Kronecker(scale), len(os.sched_getaffinity(0))
    n = source.n_edges
    u, v = np.empty(n, np.uint32), np.empty(n, np.uint32)

    def fill(k: int) -> None:
        lo, hi = n * k // parts, n * (k + 1) // parts
        source.fill(lo, hi, u[lo:hi], v[lo:hi], {})

    with ThreadPoolExecutor(parts) as threads:
        list(threads.map(fill, range(parts)))
    return u.view(np.int32), v.view(np.int32)


def _maker(sources: Any, destinations: Any) -> Callable[[], lux.Graph]:
    return lambda: lux.from_edges(sources, destinations, **HOW).reordered("degree")


def _timed(make: Callable[[], lux.Graph]) -> float:
    runtime.finish()
    began = time.perf_counter()
    graph = make()
    runtime.finish()
    took = time.perf_counter() - began
    del graph
    return took


@contextmanager
def _watched(most: list[int]) -> Iterator[None]:
    """Note the most bytes that Lux's stores take on a GPU whenever a kernel has run."""
    real = {kind: kind.run for kind in (KernelCall, PeerCall)}

    def watching(run: Any) -> Any:
        def watched(*arguments: Any) -> Any:
            found = run(*arguments)
            most[0] = max(most[0], int(runtime.allocations.placed()[0].max()))
            return found

        return watched

    try:
        for kind, run in real.items():
            kind.run = watching(run)  # type: ignore[method-assign]
        yield
    finally:
        for kind, run in real.items():
            kind.run = run  # type: ignore[method-assign]


def _on_gpu(*columns: NDArray[np.int32]) -> list[Any] | None:
    """Copy columns to the GPU by CuPy; None without it."""
    try:
        import cupy
    except ImportError:
        return None
    copies = [cupy.asarray(column) for column in columns]
    cupy.cuda.Device().synchronize()
    return copies


def _as_on_cores(graph: lux.Graph, *columns: NDArray[np.int32]) -> bool:
    assert graph.order is not None
    with lux.using(device="cpu"):
        expected = lux.from_edges(*columns, **HOW)
    made = graph.reordered("given")
    pairs = [
        (made.offsets, expected.offsets, expected.n_vertices + 1),
        (made.sources, expected.sources, expected.n_edges),
    ]
    same = all(np.array_equal(runtime.to_array(a)[:n], runtime.to_array(b)[:n]) for a, b, n in pairs)
    by_degree, ranges = np.argsort(-expected.dense_in_degrees(), kind="stable"), graph.order.ranges
    dealt = np.concatenate([by_degree[k::ranges] for k in range(ranges)])
    return same and made.ids == expected.ids and np.array_equal(runtime.to_array(graph.order.vertices), dealt)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measures how long GPUs take to make graphs.")
    parser.add_argument("--scales", type=lambda text: [int(x) for x in text.split(",")], default=[20, 22, 24])
    parser.add_argument("--builds", type=int, default=5, help="graphs made at each scale (default 5)")
    parser.add_argument("--output", type=Path, required=True)
    return parser.parse_args()


if __name__ == "__main__":
    main()
