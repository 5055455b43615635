# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Pull or push: one decision, the three measures it is taken by, and the thresholds of each search.

CPU cores compile these functions (`lux.codegen.direction`), GPUs have them in C++ (``direction.cuh``, with the
thresholds as macros), and the model calls them.
"""

from __future__ import annotations

from typing import Generic, NamedTuple, TypeVar

Factor = TypeVar("Factor", int, float)


class Thresholds(NamedTuple, Generic[Factor]):
    """Thresholds between the two directions, as factors that the functions below explain.

    Attributes
    ----------
    pull_above : int or float
        Begin to pull where the frontier is heavier than this says.
    push_below : int or float
        Push again where it is lighter than this says. 0: the decision does not depend on the level before.
    """

    pull_above: Factor
    push_below: Factor


LUX = Thresholds(20, 18)
"""Vertex programs, and breadth-first search and shortest paths by threads. Ligra (PPoPP 2013) pulls above 1/20 of all
edges; 18 is the beta of the GAP Benchmark Suite. It counts for programs with ``done`` alone: what is unvisited late
in a search is little, and the frontier's edges lead almost only to visited vertices."""
BEAMER = Thresholds(14, 24)
"""Breadth-first search by a grid of processors: alpha and beta of Beamer, Asanovic and Patterson (SC 2012)."""
GPU_BFS = Thresholds(40, 0)
"""Breadth-first search on one GPU or several, in one launch. No published source: set with its kernel."""
GPU_BRANDES = Thresholds(4, 0)
"""Betweenness on GPUs, where pulling vertices look at all in-neighbours. No published source."""
GPU_SSSP = Thresholds(8, 64)
"""Shortest paths on GPUs: sweeps pull where waiting edges exceed 1/8 of all, until 1/64.
No published source."""
PAN = Thresholds(0.01, 0.1)
"""``direction="estimates"``: do_a and do_b of Pan et al. (IPDPS 2017) for social graphs."""
SEPARATED_CPU = Thresholds(0.5, 0.1)
"""Degree-separated search on CPU cores. On R-MAT graphs of scale 16 and 18 anything from 0.1 to 1 takes the same time
within a tenth; the second never matters there, but on graphs of many levels the last ones have small frontiers."""
SEPARATED_GPU = Thresholds(0.1, 0.01)
"""Degree-separated search on GPUs. No published source."""

DENSE_DEGREE = 8
"""Edges a vertex from which searches that hold a whole graph pull at all."""


def next_direction(pulled: bool, heavy: bool, light: bool) -> bool:  # Numba compiles it
    """Decide whether a level pulls: a search that pushed pulls once it is heavy, until it is light.

    >>> next_direction(False, True, False), next_direction(True, False, False), next_direction(True, False, True)
    (True, True, False)
    """
    return not light if pulled else heavy


def by_share(
    pulled: bool,
    vertices: float,
    edges: float,
    n_vertices: float,
    n_edges: float,
) -> bool:
    """Decide by the frontier's share of the graph, with the thresholds `LUX` (Ligra's rule).

    Parameters
    ----------
    pulled : bool
        The level before pulled, and vertices leave their in-neighbours early (``done``).
    vertices, edges : int
        In the frontier, and out of it.

    Examples
    --------
    >>> by_share(False, 1, 4, 100, 100), by_share(False, 1, 5, 100, 100), by_share(True, 6, 0, 100, 200)
    (False, True, True)
    """
    heavy = (vertices + edges) * LUX.pull_above > n_edges
    return next_direction(pulled, heavy, not heavy and vertices * LUX.push_below <= n_vertices)


def by_unreached(
    pulled: bool,
    vertices: float,
    edges: float,
    vertices_before: float,
    unreached: float,
    n_vertices: float,
    pull_above: float,
    push_below: float,
) -> bool:
    """Decide by the edges that lead from unreached vertices (Beamer's rule).

    Parameters
    ----------
    vertices, edges, vertices_before : int
        In the frontier, out of it, and in the frontier before.
    unreached : int
        Edges out of vertices that are not reached, the frontier apart.

    Examples
    --------
    >>> by_unreached(False, 3, 8, 1, 100, 1000, 14, 24), by_unreached(True, 40, 8, 50, 100, 1000, 14, 24)
    (True, False)
    """
    light = vertices < vertices_before and vertices * push_below < n_vertices
    return next_direction(pulled, edges * pull_above > unreached, light)


def by_workload(
    pulled: bool,
    forward: float,
    backward: float,
    pull_above: float,
    push_below: float,
) -> bool:
    """Decide by what either direction would look at: ``forward`` edges pushed, about ``backward`` edges pulled.

    >>> by_workload(False, 6, 10, 0.5, 0.1), by_workload(True, 2, 10, 0.5, 0.1), by_workload(True, 0.5, 10, 0.5, 0.1)
    (True, True, False)
    """
    return next_direction(pulled, forward > pull_above * backward, forward < push_below * backward)


def macros(thresholds: Thresholds[int]) -> dict[str, int]:
    """Return the thresholds as macros of CUDA C++.

    >>> macros(GPU_BFS)
    {'PULL_ABOVE': 40, 'PUSH_BELOW': 0}
    """
    return {name.upper(): value for name, value in thresholds._asdict().items()}
