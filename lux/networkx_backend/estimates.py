# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Estimates by which Lux answers a call or leaves it: its seconds, beside those of NetworkX.

Lux's seconds are those of a program of the performance model, with the calibrated rates of this machine (of
``python -m lux.calibration``, named by LUX_PROFILE, or a shipped profile). NetworkX's were measured on a machine whose
interpreter takes `STEP` for a step, and are scaled to this one's.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from lux.autotune.tuning import profile_here
from lux.errors import ConfigurationError
from lux.networkx_backend.conversion import converted_before
from perfmodel import profile as profiles
from perfmodel.errors import ModelError

STEP = 30e-9
"""Seconds of a step of `interpreter` where NetworkX was measured."""
CONVERSION = 0.7e-6
"""Seconds to convert a node or an edge, there."""
ANSWER = 0.06e-6
"""Seconds to put the value of a node into a dict, there."""
DEFAULT = "epyc-2-cores"
"""Profile of machines that have none of their own."""


class Cost(NamedTuple):
    """Cost of a function.

    Attributes
    ----------
    networkx : float
        NetworkX's seconds for each node and edge.
    program : str
        Program of the performance model whose rates Lux's run has.
    passes : float
        How often the run goes over all edges.
    searches : bool
        True if ``networkx`` and ``passes`` are those of one source of many.
    answers : bool
        True if each source has a value for every node in the answer.
    """

    networkx: float
    program: str
    passes: float
    searches: bool = False
    answers: bool = False


PASS = Cost(0.15e-6, "bfs", 1.0)
SEARCHES = Cost(0.15e-6, "bfs", 0.5, searches=True)  # 256 in step take some dozen iterations of four words each
COSTS = {
    "pagerank": Cost(2e-6, "pagerank", 20), "hits": Cost(2e-6, "pagerank", 100),
    "katz_centrality": Cost(5e-6, "pagerank", 30), "eigenvector_centrality": Cost(10e-6, "pagerank", 40),
    **dict.fromkeys(("core_number", "k_core", "k_shell", "k_crust", "k_corona"), Cost(1.5e-6, "pagerank", 100)),
    "betweenness_centrality": Cost(0.8e-6, "components", 2, searches=True),
    **dict.fromkeys(
        ("closeness_centrality", "harmonic_centrality", "eccentricity", "diameter", "radius", "center", "periphery",
         "average_shortest_path_length", "wiener_index", "global_efficiency"), SEARCHES,
    ),
    **dict.fromkeys(
        ("all_pairs_shortest_path", "all_pairs_shortest_path_length"),
        Cost(0.2e-6, "bfs", 2, searches=True, answers=True),
    ),
    **dict.fromkeys(
        ("all_pairs_dijkstra", "all_pairs_dijkstra_path", "all_pairs_dijkstra_path_length",
         "all_pairs_bellman_ford_path", "all_pairs_bellman_ford_path_length"),
        Cost(0.6e-6, "sssp", 2, searches=True, answers=True),
    ),
    **dict.fromkeys(
        ("dijkstra_path", "dijkstra_path_length", "single_source_dijkstra", "single_source_dijkstra_path",
         "single_source_dijkstra_path_length", "single_source_bellman_ford", "single_source_bellman_ford_path",
         "single_source_bellman_ford_path_length"), Cost(0.6e-6, "sssp", 2),
    ),
}  # fmt: skip
"""Costs by function; `PASS` where there is none."""


def should_run(name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool | str:
    """Return True, or a sentence that says why NetworkX is likely faster."""
    graph = args[0] if args else kwargs.get("G")
    if graph is None or not hasattr(graph, "number_of_edges"):  # a function that makes a graph
        return True
    n, m, cost = len(graph), graph.number_of_edges(), COSTS.get(name, PASS)
    conversion = 0.0 if converted_before(graph) else CONVERSION * interpreter() * (n + m)
    times = 1
    if cost.searches:
        sources = kwargs.get("k", args[1] if name == "betweenness_centrality" and len(args) > 1 else None)
        times = sources if isinstance(sources, int) else 1 if kwargs.get("u") is not None else n
    networkx = times * cost.networkx * interpreter() * (n + m)
    stored = m if graph.is_directed() else 2 * m
    run = run_seconds(cost.program, times * cost.passes, n, stored)
    run += ANSWER * interpreter() * n * (times if cost.answers else 1)
    if conversion + run <= networkx:
        return True
    return (
        f"NetworkX would take {_seconds(networkx)}, and Lux {_seconds(conversion + run)}: {_seconds(conversion)} for "
        f"the conversion and {_seconds(run)} for the run (predicted)"
    )


def run_seconds(program: str, passes: float, n_vertices: int, n_edges: int) -> float:
    """Predict the seconds of a run that goes over all vertices and stored edges ``passes`` times."""
    found = profile()
    rate, workers = found.rates[program]["pull"], found.machine.workers()
    work = n_edges * rate.edge_far + n_vertices * rate.vertex_far
    return found.run_seconds + passes * work * (rate.serial + (1 - rate.serial) / workers)


@functools.cache
def profile() -> profiles.Profile:
    """Load this machine's profile: of its GPU, if it has one, or of its CPU cores."""
    for device in ("gpu", "cpu"):
        try:
            return profile_here(device, warns=False)
        except (ConfigurationError, ModelError):
            continue
    return profiles.load(DEFAULT)


@functools.cache
def interpreter() -> float:
    """Measure, in a millisecond, how many times as long as `STEP` this machine's interpreter takes for a step."""
    steps, taken, row = 2000, [], dict.fromkeys(range(256), 0)
    for _ in range(5):
        began = time.perf_counter()
        for k in range(steps):
            row[k & 255] = k
        taken.append(time.perf_counter() - began)
    return min(taken) / steps / STEP


def _seconds(value: float) -> str:
    """Write seconds.

    >>> _seconds(0.00123), _seconds(2.0), _seconds(0.0)
    ('0.0012 s', '2 s', '0 s')
    """
    return f"{value:.2g} s"
