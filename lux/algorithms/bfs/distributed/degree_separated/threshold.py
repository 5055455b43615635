# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""The choice of delegates: vertices with more edges than a threshold, which a rule suggests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime

if TYPE_CHECKING:
    from lux.graph.graph import Graph

MOST_NORMAL = 0.01
"""Share of the edges that may join normal vertices, as estimated."""
MOST_DELEGATES = 0.5
"""Share of the vertices with edges that may be delegates."""
DELEGATES_A_PROCESSOR = 4
"""Delegates for each vertex that a processor owns, at most (the paper's 4n/p)."""
CLASSES = 64


def suggest_threshold(graph: Graph, parts: int = 1) -> int:
    """Suggest a threshold of degree separation for a graph, in edges of a vertex.

    The paper (section VI-B) wants few nn edges, which must be sent one by one, and few delegates, of which every
    processor has rows and a bit in each mask. The rule sees the degrees alone: if vertices had their neighbours at
    random, a share ``s`` of all edges that begin at normal vertices would make a share ``s * s`` of nn edges (on
    Kronecker graphs of scale 16 to 18 this is a seventh to two fifths more than is counted). The suggestion is the
    largest power of two that keeps the share below `MOST_NORMAL`, raised while there are more than
    `DELEGATES_A_PROCESSOR` delegates for each vertex of a processor.

    Measured on one CPU core, on Kronecker graphs with 16 edges a vertex: searches take the least time at 8, 16 and 8
    at scales 16, 17 and 18, up to a fifth longer from 4 to 32, and a fifth to a third longer at 64. The suggestion is
    16, at scale 20 it is 32, and the suggestion goes on growing as in the paper's Fig. 7, which has 64 at scale 30.

    Where delegates would be no exception (more than `MOST_DELEGATES` of the vertices that have edges: lattices, roads,
    uniform graphs), there are none: the suggestion is the largest degree, rounded up to a power of two.

    Parameters
    ----------
    graph : Graph
    parts : int
        Number of processors.

    Returns
    -------
    int

    Examples
    --------
    >>> import lux
    >>> from lux.algorithms.bfs.distributed.degree_separated.degree_separated import suggest_threshold
    >>> suggest_threshold(lux.toy.star(100, directed=False)), suggest_threshold(lux.toy.grid(9, 9))
    (1, 4)
    """
    edges, vertices = _by_degree(graph)
    used = np.flatnonzero(vertices)
    none = int(used[-1]) if len(used) else 0
    normal, delegates = np.cumsum(edges) / max(int(edges.sum()), 1), vertices.sum() - np.cumsum(vertices)
    chosen = max(int(np.searchsorted(normal**2, MOST_NORMAL, side="right")) - 1, 0)
    while delegates[chosen] * parts > DELEGATES_A_PROCESSOR * graph.n_vertices:
        chosen += 1
    exceptions = delegates[chosen] <= MOST_DELEGATES * vertices.sum()
    return int(2 ** (min(chosen, none) if exceptions else none))


def _by_degree(graph: Graph) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Count edges and vertices in classes of degrees: class k has those above 2^(k-1) and up to 2^k."""
    layout = graph.whole_layout()
    counts = runtime.new_store(np.int64, 2 * CLASSES, fill=0)
    _count_by_degree(layout.parts, in_offsets=graph.offsets, offsets=layout.splits["offsets"], counts=counts)
    edges, vertices = runtime.to_array(counts).reshape(2, CLASSES)
    return edges, vertices


@runtime.task(inputs={"in_offsets": "offsets"}, sums={"counts": None})
def _count_by_degree(_point: int, offsets: NDArray[np.int64], counts: Any) -> None:
    degrees = np.diff(offsets)
    degrees = degrees[degrees > 0]
    classes = np.frexp(degrees - 0.5)[1].clip(0)
    counts[:CLASSES] += np.bincount(classes, degrees, CLASSES).astype(np.int64)
    counts[CLASSES:] += np.bincount(classes, minlength=CLASSES)
