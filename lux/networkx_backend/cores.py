# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Core numbers, and the subgraphs that they define."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import networkx as nx
import numpy as np

import lux
from lux.networkx_backend import one_thread, programs
from lux.networkx_backend.backend_graph import LuxGraph
from lux.networkx_backend.calls import answer, is_small, parts


def _core_numbers(graph: LuxGraph) -> dict[Any, int]:
    if (graph.sources == graph.destinations).any():
        raise nx.NetworkXNotImplemented(
            "Input graph has self loops which is not permitted; "
            "Consider using G.remove_edges_from(nx.selfloop_edges(G))."
        )
    if is_small(graph):
        return graph.by_node(one_thread.core_numbers(graph))
    degree = graph.degrees().astype(np.int32)
    found = lux.run(programs.CoreNumbers, graph.lux(), constants={"degree": degree}, parts=parts())
    return graph.by_node(found["core"].dense())


@answer
def core_number(graph: LuxGraph) -> dict[Any, int]:
    """Largest k of each node, so that it is in the k-core."""
    return _core_numbers(graph)


def _subgraph(graph: LuxGraph, keep: Callable[[Any], bool]) -> Any:
    return graph.to_networkx().subgraph(filter(keep, graph)).copy()


def _numbers(graph: LuxGraph, given: Mapping[Any, int] | None) -> Mapping[Any, int]:
    return _core_numbers(graph) if given is None else given


@answer
def k_core(graph: LuxGraph, k: int | None = None, core_number: Mapping[Any, int] | None = None) -> Any:
    """Largest subgraph in which every node has k neighbours."""
    core = _numbers(graph, core_number)
    least = max(core.values()) if k is None else k
    return _subgraph(graph, lambda node: core[node] >= least)


@answer
def k_shell(graph: LuxGraph, k: int | None = None, core_number: Mapping[Any, int] | None = None) -> Any:
    """Subgraph of the nodes whose core number is k."""
    core = _numbers(graph, core_number)
    wanted = max(core.values()) if k is None else k
    return _subgraph(graph, lambda node: core[node] == wanted)


@answer
def k_crust(graph: LuxGraph, k: int | None = None, core_number: Mapping[Any, int] | None = None) -> Any:
    """Subgraph of the nodes whose core number is at most k."""
    core = _numbers(graph, core_number)
    most = max(core.values()) - 1 if k is None else k
    return _subgraph(graph, lambda node: core[node] <= most)


@answer
def k_corona(graph: LuxGraph, k: int, core_number: Mapping[Any, int] | None = None) -> Any:
    """Subgraph of the nodes of core number k that have exactly k neighbours in the k-core."""
    core = _numbers(graph, core_number)
    inside = np.fromiter((core[node] >= k for node in graph), np.int64, len(graph))
    offsets, neighbours = graph.adjacency_arrays()
    within = np.append(0, np.cumsum(inside[neighbours]))
    counts = dict(zip(graph, (within[offsets[1:]] - within[offsets[:-1]]).tolist(), strict=True))
    return _subgraph(graph, lambda node: core[node] == k == counts[node])
