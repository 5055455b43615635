# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Seconds of NetworkX's functions, with its own code and with Lux: ``python -m benchmarks.networkx_backend``.

A random graph of 20,000 nodes and 200,000 edges, converted before; Zachary's karate club, on which every function of
the backend should cost no more than milliseconds; and a table of 10^7 edges, from pandas to PageRank.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd

from benchmarks.machine import circumstances, clean_commit, since
from benchmarks.report import write_json
from lux.networkx_backend.info import FUNCTIONS

ROOT = Path(__file__).resolve().parents[1]
NODES, EDGES, ROWS, USERS = 20_000, 200_000, 10_000_000, 1_000_000
LARGE: dict[str, dict[str, Any]] = {
    "pagerank": {},
    "connected_components": {},
    "betweenness_centrality": {"k": 5, "seed": 1},
    "single_source_shortest_path_length": {"source": 0},
    "single_source_dijkstra_path_length": {"source": 0},
    "katz_centrality": {"alpha": 0.005},
    "core_number": {},
    "hits": {},
}
FROM_FIRST = {"source": 0}
BETWEEN_TWO = {"source": 0, "target": 33}
FROM_TWO = {"sources": [0, 33]}
TO_FIRST = {"target": 0}
ARGUMENTS: dict[str, dict[str, Any]] = {
    **dict.fromkeys(
        ("bfs_edges", "bfs_tree", "bfs_predecessors", "bfs_successors", "generic_bfs_edges", "descendants", "ancestors",
         "single_source_shortest_path", "single_source_shortest_path_length", "predecessor", "single_source_dijkstra",
         "single_source_dijkstra_path", "single_source_dijkstra_path_length", "single_source_bellman_ford",
         "single_source_bellman_ford_path", "single_source_bellman_ford_path_length"), FROM_FIRST,
    ),
    **dict.fromkeys(
        ("has_path", "bidirectional_shortest_path", "dijkstra_path", "dijkstra_path_length", "bidirectional_dijkstra",
         "bellman_ford_path", "bellman_ford_path_length", "shortest_path", "shortest_path_length"), BETWEEN_TWO,
    ),
    **dict.fromkeys(("single_target_shortest_path", "single_target_shortest_path_length"), TO_FIRST),
    **dict.fromkeys(
        ("multi_source_dijkstra", "multi_source_dijkstra_path", "multi_source_dijkstra_path_length"), FROM_TWO
    ),
    "bfs_layers": {"sources": 0}, "node_connected_component": {"n": 0}, "is_isolate": {"n": 0}, "k_corona": {"k": 3},
    "descendants_at_distance": {"source": 0, "distance": 2}, "katz_centrality": {"alpha": 0.02},
    "eigenvector_centrality": {"max_iter": 1000}, "relabel_nodes": {"mapping": {0: "a"}},
    "betweenness_centrality_subset": {"sources": [0, 1], "targets": [32, 33]},
}  # fmt: skip
"""Arguments on the karate club, besides the graph."""
DIRECTED = {
    "weakly_connected_components", "number_weakly_connected_components", "is_weakly_connected", "is_strongly_connected",
    "in_degree_centrality", "out_degree_centrality",
}  # fmt: skip
"""Functions of directed graphs."""


def seconds(call: Callable[[], Any], runs: int) -> float:
    """Return the median seconds of a call after a first one; iterators are exhausted."""
    taken = []
    for _ in range(runs + 1):
        began = time.perf_counter()
        found = call()
        if hasattr(found, "__next__"):
            list(found)
        taken.append(time.perf_counter() - began)
    return float(np.median(taken[1:]))


def compare(graph: nx.Graph, calls: dict[str, dict[str, Any]], runs: int) -> dict[str, dict[str, float]]:
    """Return the seconds of each function with both."""
    found = {}
    for name, arguments in calls.items():
        function = getattr(nx, name)
        found[name] = {
            backend: seconds(lambda f=function, a=arguments, b=backend: f(graph, **a, backend=b), runs)
            for backend in ("networkx", "lux")
        }
        mine, theirs = found[name]["lux"], found[name]["networkx"]
        print(f"{name:40} NetworkX {1e3 * theirs:9.2f} ms   Lux {1e3 * mine:8.2f} ms   {theirs / mine:6.1f} times")
    return found


def karate(runs: int) -> dict[str, dict[str, float]]:
    """Return the seconds of every function of a graph on the karate club."""
    graph = nx.karate_club_graph()
    small = {name: ARGUMENTS.get(name, {}) for name in FUNCTIONS if name != "from_pandas_edgelist"}
    both = graph.to_directed()
    return compare(graph, {name: a for name, a in small.items() if name not in DIRECTED}, runs) | compare(
        both, {name: a for name, a in small.items() if name in DIRECTED}, runs
    )


def table() -> dict[str, float]:
    """Return the seconds from a table to a graph, and to its PageRank."""
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({end: rng.integers(0, USERS, ROWS) for end in ("source", "target")})
    began = time.perf_counter()
    graph = nx.from_pandas_edgelist(frame, backend="lux")
    made = time.perf_counter()
    nx.pagerank(graph)
    return {"graph": made - began, "pagerank": time.perf_counter() - made}


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.networkx_backend", description=__doc__.partition(":")[0]
    )
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--output", type=Path, default=ROOT / "benchmarks" / "results" / "networkx-backend.json")
    options = parser.parse_args()
    clean_commit()
    nx.config.warnings_to_ignore.add("cache")
    began = time.time()
    graph = nx.gnm_random_graph(NODES, EDGES, seed=1)
    nx.pagerank(nx.path_graph(5), backend="lux")  # Lux starts
    conversion = seconds(lambda: nx.utils.backends._load_backend("lux").convert_from_nx(graph).lux(), 3)  # noqa: SLF001
    print(f"conversion: {1e6 * conversion / EDGES:.2f} us an edge")
    document = circumstances(("networkx", "legate", "numpy", "numba"), threads=len(os.sched_getaffinity(0)))
    document["conversion"], document["edges"] = conversion, EDGES
    document["large"] = compare(graph, LARGE, options.runs)
    document["karate"] = karate(5 * options.runs)
    document["table"] = table()
    print("table of 10^7 edges: " + ", ".join(f"{name} {taken:.2f} s" for name, taken in document["table"].items()))
    write_json(options.output, document | since(began))


if __name__ == "__main__":
    main()
