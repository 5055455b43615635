# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Soak test, ``python -m benchmarks.soak``: memory of a process that repeats one function of Lux.

Each function has a process of its own, and is called `CALLS` times, or as often as it can be in `SECONDS`. The table
has the process's resident memory (MiB) after a tenth of the calls and after all, and what C and C++ then hold more; the
exit code is 1 if a process grew by more than `ALLOWED` MiB.
"""

from __future__ import annotations

import argparse
import ctypes
import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
from scipy import sparse

import lux
from benchmarks.machine import circumstances, clean_commit, since
from benchmarks.report import write_json
from lux.algorithms.pagerank.pagerank import PageRank

ALLOWED = 20.0
"""Maximum growth of a process, in MiB, between a tenth of the calls and the last."""
CALLS, SECONDS = 100_000, 25.0
PACKAGES = ("legate", "numpy", "numba")
SPEC = "kronecker:8"


def resident() -> float:
    """Return this process's resident memory, in MiB."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def allocated() -> float:
    """Return the bytes that C and C++ hold of glibc's ``malloc``, in MiB."""

    class Info(ctypes.Structure):
        _fields_ = [(f"n{k}", ctypes.c_size_t) for k in range(10)]

    libc = ctypes.CDLL(None)
    libc.mallinfo2.restype = Info
    info = libc.mallinfo2()
    return float(info.n7 + info.n4) / 2**20


def _weighted(graph: lux.Graph) -> lux.Graph:
    rng, (sources, destinations) = np.random.default_rng(1), graph.edge_arrays()
    return lux.from_edges(sources, destinations, weight=rng.integers(1, 9, len(sources)).astype(np.float64))


def _ratings() -> lux.Graph:
    rng = np.random.default_rng(1)
    users, items = rng.integers(0, 100, 900), rng.integers(0, 80, 900)
    return lux.from_edges(users, items, weight=rng.random(900), bipartite=True)


def runs(graph: lux.Graph) -> dict[str, Callable[[], object]]:
    """Return calls on one graph, by their names in the table."""
    ways: dict[str, dict[str, Any]] = {"": {}, ", parts=3": {"parts": 3}}
    ways |= {f", parts=3, {m}": {"parts": 3, "model": m} for m in ("pull", "push")}
    weighted, found = _weighted(graph), lux.bfs(graph, 1)
    numbers = itertools.count()
    made: dict[str, Callable[[], object]] = {}
    for said, how in ways.items():
        made |= {
            f"pagerank{said}": partial(lux.pagerank, graph, **how),
            f"bfs{said}": partial(lux.bfs, graph, 1, **how),
            f"sssp{said}": partial(lux.sssp, weighted, 1, **how),
            f"run{said}": partial(lux.run, PageRank, graph, alpha=0.85, stop=0.0, max_iter=10, **how),
        }
        if "model" not in how:
            made |= {
                f"pagerank of weights{said}": partial(lux.pagerank, weighted, **how),
                f"pagerank, personalization{said}": partial(lux.pagerank, graph, personalization={1: 1.0}, **how),
                f"components{said}": partial(lux.components, graph, **how),
                f"betweenness, k=2{said}": partial(lux.betweenness, graph, k=2, seed=1, **how),
            }
    ratings = _ratings()
    return made | {
        "factorize": lambda: lux.factorize(ratings, k=4, max_iter=2),
        "has_edges": lambda: graph.has_edges([1, 2], [2, 1]),
        "degrees": lambda: (graph.in_degrees(), graph.out_degrees()),
        "edge_arrays": graph.edge_arrays,
        "explain": lambda: lux.explain(PageRank, graph, alpha=0.85, stop=0.0, max_iter=2),
        "using": lambda: _using(graph),
        "table": lambda: lux.table(found.distances),
        "toy.path": lambda: lux.toy.path(9),
        "reverse": weighted.reverse,
        "symmetrized": weighted.symmetrized,
        "reordered": lambda: weighted.reordered("degree"),
        "to_pandas": found.to_pandas,
        "to_numpy": found.distances.to_numpy,
        "values[vertex]": lambda: found.distances[next(numbers) % graph.n_vertices],
    }


def graphs(graph: lux.Graph, folder: str) -> dict[str, Callable[[], object]]:
    """Return calls that make and drop graphs."""
    rng, n = np.random.default_rng(1), graph.n_vertices
    ends = graph.edge_arrays()
    graph.write(f"{folder}/graph.lux")
    graph.save(f"{folder}/saved.lux")
    np.savetxt(f"{folder}/graph.el", np.stack(ends, axis=1), fmt="%d")

    seeds = itertools.count()
    frame = pd.DataFrame({"source": ends[0], "target": ends[1]})
    matrix, other = _matrix(n, ends), nx.DiGraph(zip(*(column.tolist() for column in ends), strict=True))

    def others() -> lux.Graph:
        return lux.from_edges(*rng.integers(0, n, (2, len(ends[0]))), n_vertices=n)

    return {
        "from_edges": lambda: lux.from_edges(*ends),
        "from_edges, others each time": others,
        "from_edges, others, pagerank": lambda: lux.pagerank(others()),
        "from_edges, others, bfs, parts=3": lambda: lux.bfs(others(), 1, parts=3),
        "from_pandas": lambda: lux.from_pandas(frame),
        "from_table": lambda: lux.from_table(frame),
        "from_scipy": lambda: lux.from_scipy(matrix),
        "from_networkx": lambda: lux.from_networkx(other),
        "generate": lambda: lux.generate(SPEC),
        "generate, others each time": lambda: lux.generate("kronecker:12", seed=next(seeds)),
        "read_graph, .lux": lambda: lux.read_graph(f"{folder}/graph.lux"),
        "read_graph, .el": lambda: lux.read_graph(f"{folder}/graph.el"),
        "load_graph": lambda: lux.load_graph(f"{folder}/saved.lux"),
        "save": lambda: graph.save(f"{folder}/saved again.lux"),
    }


def _using(graph: lux.Graph) -> object:
    with lux.using(device="cpu"):
        return lux.bfs(graph, 1)


def _matrix(n: int, ends: tuple[Any, Any]) -> Any:
    return sparse.csr_array((np.ones(len(ends[0])), ends), (n, n))


def soak(name: str, calls: int, longest: float) -> dict[str, float]:
    """Call the named function; returns the calls, MiB after a tenth of them and at the end, and seconds.

    Parameters
    ----------
    calls : int
        Calls, at most.
    longest : float
        Seconds, about, at most.
    """
    graph = lux.generate(SPEC)
    with tempfile.TemporaryDirectory() as folder:
        call = (runs(graph) | graphs(graph, folder))[name]
        for _ in range(5):  # the first ones compile and prepare
            call()
        began = time.perf_counter()
        for _ in range(tries := 10):
            call()
        calls = max(min(calls, int(longest * tries / (time.perf_counter() - began))), tries)
        began, tenth = time.perf_counter(), (0.0, 0.0)
        for done in range(1, calls + 1):
            call()
            if done == max(calls // 10, 1):
                tenth = resident(), allocated()
        facts = {"calls": calls, "tenth": tenth[0], "end": resident(), "malloc": allocated() - tenth[1]}
        return facts | {"seconds": time.perf_counter() - began}


def soak_in_process(name: str, calls: int, longest: float) -> dict[str, float]:
    """Return what `soak` finds in a process of its own, and print it."""
    command = [sys.executable, "-m", "benchmarks.soak", "--here", "--calls", str(calls), "--seconds", str(longest)]
    done = subprocess.run([*command, name], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{name} ended with exit code {done.returncode}:\n{done.stderr[-3000:]}")
    row: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    shown = "".join(f"{row[key]:8.1f}" for key in ("tenth", "end", "malloc", "seconds"))
    print(f"{name:36}{row['calls']:8}{shown}", flush=True)
    return row


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.soak", description=__doc__)
    parser.add_argument("names", nargs="*", help="functions of the table (default: all)")
    parser.add_argument("--calls", type=int, default=CALLS, help=f"of each function, at most (default: {CALLS})")
    parser.add_argument("--seconds", type=float, default=SECONDS, help=f"of each, at most (default: {SECONDS:.0f})")
    parser.add_argument("--jobs", type=int, default=1, help="functions at a time (default: 1)")
    parser.add_argument("--output", type=Path, help="a JSON file; only of a clean commit")
    parser.add_argument("--here", action="store_true", help="one function, in this process; prints JSON")
    given = parser.parse_args()
    if given.here:
        print(json.dumps(soak(given.names[0], given.calls, given.seconds)))
        return 0
    if given.output is not None:
        clean_commit()
    graph, began = lux.generate(SPEC), time.time()
    with tempfile.TemporaryDirectory() as folder:
        names = [*runs(graph), *graphs(graph, folder)]
    print(f"{'function':36}{'calls':>8}{'10 %':>8}{'100 %':>8}{'malloc':>8}{'s':>8}", flush=True)
    chosen = given.names or names
    with ThreadPoolExecutor(given.jobs) as threads:
        found = threads.map(lambda name: soak_in_process(name, given.calls, given.seconds), chosen)
        rows = dict(zip(chosen, found, strict=True))
    if given.output is not None:
        header = circumstances(PACKAGES, threads=2) | since(began)
        write_json(given.output, header | {"allowed": ALLOWED, "functions": rows})
    return int(any(row["end"] - row["tenth"] > ALLOWED for row in rows.values()))


if __name__ == "__main__":
    sys.exit(main())
