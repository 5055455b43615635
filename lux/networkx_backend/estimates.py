# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Estimates by which Lux answers a call or leaves it: its seconds, beside those of NetworkX.

The rates are rounded from runs on two cores. Both sides are proportional to nodes and edges, so a faster machine
changes both alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from lux.networkx_backend.conversion import converted_before

CONVERSION = 0.7e-6
"""Seconds to convert a node or an edge."""
CALL = 1.5e-3
"""Seconds of a call of Lux on a small graph."""


class Cost(NamedTuple):
    """Seconds for each node and edge, of NetworkX and of Lux; ``searches``: once for each source."""

    networkx: float
    lux: float
    searches: bool = False


PASS = Cost(0.15e-6, 0.05e-6)
COSTS = {
    "pagerank": Cost(2e-6, 0.05e-6), "hits": Cost(2e-6, 0.3e-6), "katz_centrality": Cost(5e-6, 0.1e-6),
    "eigenvector_centrality": Cost(10e-6, 0.1e-6), "core_number": Cost(1.5e-6, 0.5e-6), "k_core": Cost(2.5e-6, 1.5e-6),
    "k_shell": Cost(2.5e-6, 1.5e-6), "k_crust": Cost(2.5e-6, 1.5e-6), "k_corona": Cost(2.5e-6, 1.5e-6),
    "betweenness_centrality": Cost(0.8e-6, 0.005e-6, searches=True),
    "closeness_centrality": Cost(0.15e-6, 0.001e-6, searches=True),
    "harmonic_centrality": Cost(0.15e-6, 0.001e-6, searches=True),
    **dict.fromkeys(
        ("eccentricity", "diameter", "radius", "center", "periphery", "average_shortest_path_length", "wiener_index",
         "global_efficiency"), Cost(0.15e-6, 0.001e-6, searches=True),
    ),
    **dict.fromkeys(
        ("all_pairs_shortest_path", "all_pairs_shortest_path_length", "all_pairs_dijkstra", "all_pairs_dijkstra_path",
         "all_pairs_dijkstra_path_length"), Cost(0.2e-6, 0.15e-6, searches=True),
    ),
}  # fmt: skip
"""Costs by function; `PASS` where there is none."""


def should_run(name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool | str:
    """Return True, or a sentence that says why NetworkX is likely faster."""
    graph = args[0] if args else kwargs.get("G")
    if graph is None or not hasattr(graph, "number_of_edges"):  # a function that makes a graph
        return True
    size = len(graph) + graph.number_of_edges()
    conversion = 0.0 if converted_before(graph) else CONVERSION * size
    cost = COSTS.get(name, PASS)
    times = 1
    if cost.searches:
        sources = kwargs.get("k", args[1] if name == "betweenness_centrality" and len(args) > 1 else None)
        times = sources if isinstance(sources, int) else 1 if kwargs.get("u") is not None else len(graph)
    networkx, run = times * cost.networkx * size, CALL + times * cost.lux * size
    if conversion + run <= networkx:
        return True
    return (
        f"NetworkX would take {_seconds(networkx)}, and Lux {_seconds(conversion + run)}: {_seconds(conversion)} for "
        f"the conversion and {_seconds(run)} for the run (predicted)"
    )


def _seconds(value: float) -> str:
    """Write seconds.

    >>> _seconds(0.00123), _seconds(2.0), _seconds(0.0)
    ('0.0012 s', '2 s', '0 s')
    """
    return f"{value:.2g} s"
