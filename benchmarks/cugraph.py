# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""cuGraph on one GPU, whole calls: ``python benchmarks/cugraph.py --folder /dev/shm/edges --into gpu.json``.

Run after `benchmarks/gpu.py`, with the same ``--folder``, on a machine with pylibcugraph and CuPy; Lux and Legate are
not needed. Edges, roots, trials and the definition of a time are the same as in gpu.py. Vertex ids have 32 bits and are
renumbered by cuGraph; its memory comes from a pool of RMM unless ``--allocator cuda`` is asked for. There are three
graphs: transposed for PageRank, with weights for shortest paths, and one for all other work; the time of each is from
raw edges in host memory to a graph. Results are pairs of id and value on the GPU, in cuGraph's order, while Lux's are
in the order of ids. Answers are compared with Lux's. The results are added as ``cugraph`` to the file that gpu.py has
written.
"""

import argparse
import functools
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

if not __package__:
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from benchmarks import whole_calls as wc
from benchmarks.agreement import DisagreementError, check
from benchmarks.machine import clean_commit, driver, gpus, installed, machine, since

PACKAGES = ("pylibcugraph-cu13", "libcugraph-cu13", "rmm-cu13", "cupy-cuda13x", "numpy")
LARGEST = float(np.finfo(np.float32).max)
NO_TOLERANCE = 1e-30
"""Tolerance that makes all iterations run; 0 selects a default of cuGraph's."""
ALLOWED = 1e-3
"""Largest relative difference from Lux's ranks and scores in float64, among values above a billionth of the largest."""


def main() -> None:
    """Run the benchmark as the command line says."""
    options = _options()
    facts = {"commit": clean_commit(), "machine": machine(1), "gpus": gpus(), "driver": driver()}
    sys.setdlopenflags(os.RTLD_LAZY)  # the library needs symbols that it never calls
    import cupy as cp
    import rmm
    from pylibcugraph import ResourceHandle

    if options.allocator == "pool":
        half = cp.cuda.runtime.memGetInfo()[0] // 2**9 * 2**8
        rmm.mr.set_current_device_resource(rmm.mr.PoolMemoryResource(rmm.mr.CudaMemoryResource(), half))
    handle = ResourceHandle()
    facts |= {"versions": installed(PACKAGES), "allocator": options.allocator, "trials": options.trials}
    began, results = time.time(), []
    for scale in options.scales:
        results.append(_measure(cp, handle, wc.Folder(options.folder, scale), scale, options))
        print(json.dumps({k: results[-1][k] for k in ("scale", "first_ms", "summary", "differences")}, indent=1))
        document = json.loads(options.into.read_text(encoding="utf-8"))
        document["cugraph"] = facts | since(began) | {"results": results}
        options.into.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    if any(isinstance(said, str) for result in results for said in result["differences"].values()):
        sys.exit("answers differ from Lux's: see above")


def _measure(cp: Any, handle: Any, folder: wc.Folder, scale: int, options: argparse.Namespace) -> dict[str, Any]:
    fence = cp.cuda.runtime.deviceSynchronize
    made = functools.partial(_graph, cp, handle, folder, scale, fence)
    plain, seconds = made(options.builds)
    transposed, of_transposed = made(1, store_transposed=True)
    weighted, of_weighted = made(1, weights=folder["weights"])
    stored = [g.number_of_edges(handle) for g in (plain, transposed, weighted)]
    roots = folder["roots"].tolist()
    times = wc.Times(fence, options.trials)
    differences: dict[str, float | str] = {}
    reached = []
    for work, call in _calls(cp, handle, plain, transposed, weighted).items():
        searches = work in (wc.BFS, wc.SSSP, wc.BETWEENNESS)
        for found in times.take(work, call, roots if searches else ()):
            vertices, values = (cp.asnumpy(column) for column in found)
            if work not in differences:
                differences[work] = _difference(work, _by_id(vertices, values), folder, roots[0])
            if work == wc.BFS:
                reached.append(int((values != np.iinfo(values.dtype).max).sum()))
    if set(stored) != {int(folder["stored_edges"])}:
        differences["stored edges"] = f"{stored}, and Lux has {int(folder['stored_edges'])}"
    if reached != folder["reached"].tolist():
        differences["reached vertices"] = f"{reached}, and Lux has {folder['reached'].tolist()}"
    return {
        "scale": scale,
        "stored_edges": stored[0],
        "graph_seconds": seconds,
        "transposed_graph_seconds": of_transposed,
        "weighted_graph_seconds": of_weighted,
        "first_ms": times.first_ms,
        "calls_ms": times.calls_ms,
        "differences": differences,
        "summary": times.summary(folder["edges"].tolist()),
    }


def _graph(
    cp: Any,
    handle: Any,
    folder: wc.Folder,
    scale: int,
    fence: Callable[[], object],
    builds: int,
    weights: NDArray[Any] | None = None,
    **how: Any,
) -> tuple[Any, list[float]]:
    """Make a graph from raw edges in host memory, so many times; also returns the seconds of all."""
    from pylibcugraph import GraphProperties, SGGraph

    ends = [folder[name].view(np.int32) for name in ("sources", "destinations")]
    properties = GraphProperties(is_symmetric=True, is_multigraph=False)

    def make() -> Any:
        return SGGraph(
            handle,
            properties,
            *(cp.asarray(of) for of in ends),
            weight_array=None if weights is None else cp.asarray(weights),
            vertices_array=cp.arange(1 << scale, dtype=cp.int32),
            renumber=True,
            drop_self_loops=True,
            drop_multi_edges=True,
            symmetrize=True,
            **{"store_transposed": False, **how},
        )

    seconds, graph = [], None
    for _ in range(builds):
        graph = None
        took, graph = wc.timed(make, fence)
        seconds.append(took / 1e3)
    return graph, seconds


def _calls(cp: Any, handle: Any, plain: Any, transposed: Any, weighted: Any) -> dict[str, Callable[..., Any]]:
    """Return each work's function, and the positions of ids and values in its result."""
    import pylibcugraph as plc

    def pagerank() -> Any:
        given = (None,) * 4
        found = plc.pagerank(
            handle, transposed, *given, wc.ALPHA, NO_TOLERANCE, wc.ITERATIONS, False, fail_on_nonconvergence=False
        )
        assert not found[2], "all iterations were to be done"
        return found[:2]

    def bfs(root: int) -> Any:
        distances, _predecessors, vertices = plc.bfs(handle, plain, cp.array([root], cp.int32), True, -1, True, False)
        return vertices, distances

    return {
        wc.PAGERANK: pagerank,
        wc.BFS: bfs,
        wc.COMPONENTS: lambda: plc.weakly_connected_components(handle, plain, None, None, None, None, False),
        wc.SSSP: lambda root: plc.sssp(handle, weighted, root, LARGEST, True, False)[:2],
        wc.BETWEENNESS: lambda root: plc.betweenness_centrality(
            handle, plain, cp.array([root], cp.int32), None, False, False, False
        ),
    }


def _by_id(vertices: NDArray[Any], values: NDArray[Any]) -> NDArray[Any]:
    found = np.empty_like(values)
    found[vertices] = values
    return found


def _difference(work: str, found: NDArray[Any], folder: wc.Folder, root: int) -> float | str:
    """Return the largest relative difference from Lux's answer for the first root, or a description of the error."""
    expected = folder[wc.PAGERANK64 if work == wc.PAGERANK else work]
    if work in (wc.PAGERANK, wc.BETWEENNESS):
        if work == wc.BETWEENNESS:  # has its own scale, and another value at the root
            found, expected = (np.delete(of.astype(np.float64), root) for of in (found, expected))
            found, expected = found / found.sum(), expected / expected.sum()
        large = expected > 1e-9 * expected.max()
        worst = float(np.abs(found[large] / expected[large] - 1).max())
        return worst if worst <= ALLOWED else f"differs by {worst:.2g}, relative"
    if work == wc.BFS:
        found = np.where(found == np.iinfo(found.dtype).max, -1, found)
    elif work == wc.SSSP:
        found = np.where(found >= LARGEST, np.inf, found)
    try:
        return check({wc.COMPONENTS: "components"}.get(work, "distances"), "", found, expected)
    except DisagreementError as error:
        return str(error)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="cuGraph on one GPU, whole calls.")
    parser.add_argument("--scales", type=lambda text: [int(s) for s in text.split(",")], default=[20, 22, 24])
    parser.add_argument("--folder", type=Path, required=True, help="what benchmarks/gpu.py has kept")
    parser.add_argument("--trials", type=int, default=5)
    parser.add_argument("--builds", type=int, default=2, help="how often the graph for most works is made")
    parser.add_argument("--allocator", choices=("pool", "cuda"), default="pool")
    parser.add_argument("--into", type=Path, required=True, help="the JSON of benchmarks/gpu.py")
    return parser.parse_args()


if __name__ == "__main__":
    main()
