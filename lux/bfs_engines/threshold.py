# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Which vertices are delegates: those with more edges than a threshold, which a rule suggests."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.runtime import Launcher

if TYPE_CHECKING:
    from lux.graph import Graph

MOST_NORMAL = 0.07
"""Share of the edges that may join normal vertices (the paper has 6.3 % at scale 33, and wants less than 10 %)."""
MOST_DELEGATES = 0.25
"""Share of the vertices with edges that may be delegates."""
CLASSES = 64


def suggest_threshold(graph: Graph) -> int:
    """A threshold of degree separation for a graph, in edges of a vertex.

    The paper (section VI-B) asks for few nn edges, which must be sent one by one, and for few delegates, of which
    every processor has rows and a bit in each mask. From the degrees alone: if vertices had their neighbours at
    random, a share ``s`` of all edges that begin at normal vertices would make a share ``s * s`` of nn edges. The
    suggestion is the largest power of two that keeps this below `MOST_NORMAL`; that is how it grows with the scale of
    a Kronecker graph, as in the paper's Fig. 7. Where so many vertices would be delegates that they are no exception
    (more than `MOST_DELEGATES` of those that have edges: lattices, roads), there are none: the suggestion is the
    largest degree, rounded up to a power of two.

    Returns
    -------
    int

    Examples
    --------
    >>> import lux
    >>> from lux.bfs_engines.degree_separated import suggest_threshold
    >>> suggest_threshold(lux.toy.star(100, directed=False)), suggest_threshold(lux.toy.grid(9, 9))
    (1, 4)
    """
    edges, vertices = _by_degree(graph)
    powers = 2 ** np.arange(CLASSES, dtype=np.uint64)
    used = np.flatnonzero(vertices)
    none = int(powers[used[-1]]) if len(used) else 1
    normal = np.cumsum(edges) / max(int(edges.sum()), 1)
    fits = np.flatnonzero(normal * normal <= MOST_NORMAL)
    chosen = int(fits[-1]) if len(fits) else 0
    delegates = vertices[chosen + 1 :].sum()
    if delegates > MOST_DELEGATES * vertices.sum():
        return none
    return min(int(powers[chosen]), none)


def _by_degree(graph: Graph) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Edges and vertices in classes of degrees: class k has those above 2^(k-1) and up to 2^k."""
    layout = graph.whole_layout()
    counts = runtime.new_store(np.int64, 2 * CLASSES, fill=0)
    _counter()(layout.parts, in_offsets=graph.offsets, offsets=layout.splits["offsets"], counts=counts)
    edges, vertices = runtime.to_array(counts).reshape(2, CLASSES)
    return edges, vertices


@functools.cache
def _counter() -> Launcher:
    def count_by_degree(_point: int, offsets: NDArray[np.int64], counts: Any) -> None:
        degrees = np.diff(offsets)
        degrees = degrees[degrees > 0]
        classes = np.frexp(degrees - 0.5)[1].clip(0)
        counts[:CLASSES] += np.bincount(classes, degrees, CLASSES).astype(np.int64)
        counts[CLASSES:] += np.bincount(classes, minlength=CLASSES)

    return Launcher(count_by_degree, inputs={"in_offsets": "offsets"}, sums={"counts": None})
