# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Lux on one GPU, whole calls: ``python benchmarks/gpu.py --scales 20,22,24 --folder /dev/shm/edges``.

Graphs are Kronecker graphs of the Graph500 (edge factor 16, ids at random), made by `lux.from_edges` of the raw edges
in host memory (symmetrised, without repeats and loops) and stored by degree; both steps are timed apart.
`benchmarks/cugraph.py` reads the files in `--folder`, to measure cuGraph on the same edges and compare its answers.

A time is the whole call's by wall clock, from an idle runtime until Lux has finished and the answer is in the order of
ids: the median over the trials, of searches the median over 16 roots of each root's median; GTEPS are the harmonic mean
over the roots (`benchmarks/whole_calls.py`). First calls are listed apart: they bring the graph to the GPU and cache
data for later calls. ``launch_ms`` is `Result.seconds`, from the launch to its end on existing stores, and
``kernel_ms`` the time of iterations, levels and rounds by the kernels' own clocks. On every graph the answers for the
first root are compared with those of CPU cores.

Results name a commit; without a repository, set LUX_COMMIT.
"""

import argparse
import functools
import statistics
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

if not __package__:
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import lux
from benchmarks import whole_calls as wc
from benchmarks.agreement import DisagreementError, check
from benchmarks.machine import circumstances, clean_commit, driver, gpus, since
from benchmarks.report import write_json
from lux import runtime
from lux.graph.construction.generators import Kronecker
from lux.graph500.edge_list import stored

PACKAGES = ("legate", "numpy", "numba", "numba-cuda", "cuda-core")
TYPES = {wc.PAGERANK: np.float32, wc.PAGERANK64: np.float64}
KINDS = {
    wc.PAGERANK: ("pagerank", "float32"),
    wc.PAGERANK64: ("pagerank", "float64"),
    wc.BFS: ("bfs", ""),
    wc.COMPONENTS: ("components", ""),
    wc.SSSP: ("sssp", ""),
    wc.BETWEENNESS: ("betweenness", "float64"),
}
"""Name of each work in `benchmarks.agreement`, and its precision."""
OWN_CLOCK = (wc.PAGERANK, wc.PAGERANK64, wc.BFS, wc.SSSP, wc.BETWEENNESS)
"""Works whose kernels note the time of each iteration, level, round or source."""


class PairWeights(Kronecker):
    """Pair weights: the Graph500's edges, with a weight that depends on the two ends alone, so repeats are equal."""

    @property
    def property_types(self) -> Mapping[str, np.dtype[Any]]:
        """Edge properties and their types."""
        return {"weight": np.dtype(np.float32)}

    def _weigh(self, _lo: int, _hi: int, sources: NDArray[Any], destinations: NDArray[Any], out: NDArray[Any]) -> None:
        smaller, larger = np.minimum(sources, destinations), np.maximum(sources, destinations)
        mixed = (smaller * np.uint32(0x9E3779B1)) ^ (larger * np.uint32(0x85EBCA77))
        mixed = (mixed ^ (mixed >> np.uint32(15))) * np.uint32(0xC2B2AE3D)
        out[:] = (mixed >> np.uint32(16)) % 255 + 1


def main() -> None:
    """Run the benchmark as the command line says."""
    options = _options()
    commit = clean_commit()
    console = Console(width=None if sys.stdout.isatty() else 150)
    began, results = time.time(), []
    facts = circumstances(PACKAGES) | {"commit": commit, "gpus": gpus(), "driver": driver()}
    for scale in options.scales:
        results.append(_measure(scale, options, console))
        how = {"iterations": wc.ITERATIONS, "trials": options.trials, "device": options.device, "results": results}
        write_json(options.output, facts | since(began) | how)
        console.print(f"scale {scale} done after {time.time() - began:.0f} s")
    _show(results, console)
    console.print(f"written to {options.output}")
    if any(isinstance(said, str) for result in results for said in result["differences"].values()):
        sys.exit("an answer is wrong: see above")


def _measure(scale: int, options: argparse.Namespace, console: Console) -> dict[str, Any]:
    folder = wc.Folder(options.folder, scale)
    made = _raw_edges(scale, folder)
    with lux.using(device=options.device):
        graph, prepared = _graph(scale, folder, options.builds)
        weighted, with_weights = _graph(scale, folder, 1, weight=folder["weights"])
        degrees = graph.dense_out_degrees()
        if "roots" not in folder:
            folder["roots"] = np.random.default_rng(1).choice(np.flatnonzero(degrees), wc.ROOTS, replace=False)
        roots = folder["roots"].tolist()
        calls = _calls(graph, weighted)
        times, launches, kernels = wc.Times(runtime.finish, options.trials), {}, {}
        answers, reached, edges = {}, [], []
        for work, call in calls.items():
            searches = work in (wc.BFS, wc.SSSP, wc.BETWEENNESS)
            of_launch, of_kernels = [], []
            for result in times.take(work, call, roots if searches else ()):
                if result.device != options.device:
                    sys.exit(f"{work} has run on {result.device}, and {options.device} was asked for")
                of_launch.append(1e3 * result.seconds)
                of_kernels.append(1e3 * sum(float(i.seconds.max()) for i in result.statistics))
                answer = result.main.dense()
                answers.setdefault(work, answer)
                if work == wc.BFS:
                    reached.append(int((answer >= 0).sum()))
                    edges.append(float(degrees[answer >= 0].sum()) / 2)
            launches[work] = statistics.median(of_launch)
            if work in OWN_CLOCK:
                kernels[work] = statistics.median(of_kernels)
    differences = _differences(calls, answers, roots[0], console)
    for work, answer in answers.items():
        folder[work] = answer
    folder["reached"], folder["edges"] = np.array(reached), np.array(edges)
    folder["stored_edges"] = np.array(graph.n_edges)
    return {
        "scale": scale,
        "raw_edges": Kronecker(scale).n_edges,
        "stored_edges": graph.n_edges,
        "raw_edges_seconds": made,
        **prepared,
        **{f"weighted_{name}": seconds for name, seconds in with_weights.items()},
        "roots": roots,
        "reached": reached,
        "edges": edges,
        "first_ms": times.first_ms,
        "calls_ms": times.calls_ms,
        "launch_ms": launches,
        "kernel_ms": kernels,
        "differences": differences,
        "summary": times.summary(edges),
    }


def _raw_edges(scale: int, folder: wc.Folder) -> float | None:
    """Generate edges into a folder; returns seconds, or None if the edges exist already."""
    if "weights" in folder:
        return None
    began = time.perf_counter()
    tuples = stored(PairWeights(scale))
    folder["sources"], folder["destinations"] = (runtime.to_array(s) for s in (tuples.sources, tuples.destinations))
    folder["weights"] = runtime.to_array(tuples.properties["weight"])
    return time.perf_counter() - began


def _graph(scale: int, folder: wc.Folder, builds: int, **properties: Any) -> tuple[lux.Graph, dict[str, list[float]]]:
    """Make a graph from raw edges in host memory, and one stored by degree, so many times; returns seconds of all."""
    sources, destinations = folder["sources"], folder["destinations"]
    how = {"n_vertices": 1 << scale, "directed": False, "drop_loops": True, "drop_repeats": True}
    found: dict[str, list[float]] = {"graph_seconds": [], "order_seconds": []}
    for _ in range(builds):
        graph = given = None
        took, given = wc.timed(lambda: lux.from_edges(sources, destinations, **how, **properties), runtime.finish)
        found["graph_seconds"].append(took / 1e3)
        took, graph = wc.timed(functools.partial(given.reordered, "degree"), runtime.finish)
        found["order_seconds"].append(took / 1e3)
    assert graph is not None
    return graph, found


def _calls(graph: lux.Graph, weighted: lux.Graph) -> dict[str, Callable[..., Any]]:
    """Return the call of each work; searches take a root."""
    pagerank = functools.partial(lux.pagerank, graph, alpha=wc.ALPHA, tol=0, max_iter=wc.ITERATIONS)
    return {
        **{work: functools.partial(pagerank, dtype=dtype) for work, dtype in TYPES.items()},
        wc.BFS: functools.partial(lux.bfs, graph),
        wc.COMPONENTS: functools.partial(lux.components, graph),
        wc.SSSP: functools.partial(lux.sssp, weighted),
        wc.BETWEENNESS: lambda root: lux.betweenness(graph, sources=[root], normalized=False),
    }


def _differences(
    calls: dict[str, Callable[..., Any]], answers: dict[str, NDArray[Any]], root: int, console: Console
) -> dict[str, float | str]:
    """Return each answer's largest relative difference from CPU cores' (in float64), or a description of the error."""
    found: dict[str, float | str] = {}
    ranks = None
    for work, call in calls.items():
        name, precision = KINDS[work]
        with lux.using(device="cpu"):
            if name == "pagerank":
                ranks = calls[wc.PAGERANK64]().main.dense() if ranks is None else ranks
                expected = ranks
            else:
                expected = (call() if work == wc.COMPONENTS else call(root)).main.dense()
        try:
            found[work] = check(name, precision, answers[work], expected)
        except DisagreementError as error:
            found[work] = str(error)
            console.print(f"{work}: {error}")
    return found


def _show(results: list[dict[str, Any]], console: Console) -> None:
    table = Table("ms", *(f"scale {r['scale']}" for r in results), title="Lux: call (first; launch; kernels)")
    for work in results[0]["summary"]:
        row = [work]
        for r in results:
            more = [r[kind].get(work) for kind in ("first_ms", "launch_ms", "kernel_ms")]
            said = "; ".join("" if ms is None else f"{ms:.3g}" for ms in more)
            row.append(f"{r['summary'][work]:.3g}" + (f" ({said})" if any(more) else ""))
        table.add_row(*row)
    for name in ("graph_seconds", "order_seconds", "weighted_graph_seconds", "weighted_order_seconds"):
        table.add_row(name, *(", ".join(f"{s:.3g}" for s in r[name]) for r in results))
    console.print(table)


def _numbers(text: str) -> list[int]:
    return [int(number) for number in text.split(",") if number]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Lux on one GPU, whole calls.")
    parser.add_argument("--scales", type=_numbers, default=[20, 22, 24], metavar="S,S,...")
    parser.add_argument("--folder", type=Path, required=True, help="where edges and answers are kept")
    parser.add_argument("--trials", type=int, default=5)
    parser.add_argument("--builds", type=int, default=2, help="how often a graph without weights is made")
    parser.add_argument("--device", choices=("gpu", "cpu"), default="gpu", help="cpu: to try the script out")
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results" / "gpu.json")
    return parser.parse_args()


if __name__ == "__main__":
    main()
