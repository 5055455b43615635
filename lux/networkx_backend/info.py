# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Facts about the backend for NetworkX, which reads them when it is imported: so nothing else is loaded here."""

from __future__ import annotations

from typing import Any

HOMES = {
    "ranking": ("pagerank", "hits", "katz_centrality", "eigenvector_centrality"),
    "connectivity": (
        "connected_components", "number_connected_components", "is_connected", "node_connected_component",
        "weakly_connected_components", "number_weakly_connected_components", "is_weakly_connected",
        "is_strongly_connected", "has_path", "descendants", "ancestors",
    ),
    "breadth_first": (
        "bfs_edges", "bfs_tree", "bfs_predecessors", "bfs_successors", "bfs_layers", "generic_bfs_edges",
        "descendants_at_distance",
    ),
    "hops": (
        "single_source_shortest_path", "single_source_shortest_path_length", "single_target_shortest_path",
        "single_target_shortest_path_length", "all_pairs_shortest_path", "all_pairs_shortest_path_length",
        "bidirectional_shortest_path", "predecessor",
    ),
    "weighted": (
        "dijkstra_path", "dijkstra_path_length", "single_source_dijkstra", "single_source_dijkstra_path",
        "single_source_dijkstra_path_length", "multi_source_dijkstra", "multi_source_dijkstra_path",
        "multi_source_dijkstra_path_length", "all_pairs_dijkstra", "all_pairs_dijkstra_path",
        "all_pairs_dijkstra_path_length", "bidirectional_dijkstra", "bellman_ford_path", "bellman_ford_path_length",
        "single_source_bellman_ford", "single_source_bellman_ford_path", "single_source_bellman_ford_path_length",
        "all_pairs_bellman_ford_path", "all_pairs_bellman_ford_path_length",
    ),
    "shortest_paths": ("shortest_path", "shortest_path_length", "average_shortest_path_length", "wiener_index"),
    "distances": (
        "closeness_centrality", "harmonic_centrality", "eccentricity", "diameter", "radius", "center", "periphery",
        "global_efficiency",
    ),
    "between": ("betweenness_centrality", "betweenness_centrality_subset"),
    "cores": ("core_number", "k_core", "k_shell", "k_crust", "k_corona"),
    "degrees": (
        "degree_centrality", "in_degree_centrality", "out_degree_centrality", "isolates", "is_isolate",
        "number_of_isolates",
    ),
    "construction": ("from_pandas_edgelist", "relabel_nodes", "convert_node_labels_to_integers"),
}  # fmt: skip
"""Functions of NetworkX by the module that answers them."""

FUNCTIONS = {name: home for home, names in HOMES.items() for name in names}

DEFAULTS = {"device": "auto", "parts": None, "precision": "float64"}
"""Configuration ``networkx.config.backends.lux``: device as in `lux.using`, parts as in `lux.run`, type of scores."""


def get_info() -> dict[str, Any]:
    """Return what NetworkX knows of the backend.

    >>> info = get_info()
    >>> info["backend_name"], "pagerank" in info["functions"], len(info["functions"]) >= 45
    ('lux', True, True)
    """
    return {
        "backend_name": "lux",
        "project": "lux-graph",
        "package": "lux",
        "short_summary": "Graph analytics on CPU cores and GPUs, in one process or several.",
        "functions": {name: {} for name in sorted(FUNCTIONS)},
        "default_config": DEFAULTS,
    }
