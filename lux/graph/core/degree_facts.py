# SPDX-FileCopyrightText: 2026 The Lux developers
# SPDX-License-Identifier: Apache-2.0
"""Facts about the in-degrees of a graph, which every processor finds in its part of the offsets."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lux import runtime
from lux.graph.core.stored_graph import StoredGraph

_NUMBERS = 5


class DegreeFacts(NamedTuple):
    """Facts about in-degrees, in the order in which the vertices are stored.

    Attributes
    ----------
    most : int
        The largest in-degree.
    changes : int
        Vertices with another in-degree than the vertex before.
    end_of_in_edges : int
        Number of the positions up to the last that has in-edges.
    """

    most: int
    changes: int
    end_of_in_edges: int


def degree_facts(graph: StoredGraph) -> DegreeFacts:
    """Find facts about a graph's in-degrees. All processes must call this at the same place.

    >>> import lux
    >>> degree_facts(lux.toy.path(3))
    DegreeFacts(most=1, changes=1, end_of_in_edges=3)
    """
    n, parts = graph.n_vertices, min(runtime.processors(), graph.n_vertices)
    points = graph.points
    if points is None or len(points) != parts + 1:
        points = np.arange(parts + 1, dtype=np.int64) * n // parts
    facts = runtime.new_store(np.int64, _NUMBERS * parts)
    rows = runtime.ranges(np.arange(parts + 1, dtype=np.int64) * _NUMBERS)
    _find(parts, in_offsets=graph.offsets, facts=facts, offsets=runtime.ranges(points, 1), rows=rows)
    found = runtime.to_array(facts)[: _NUMBERS * parts].reshape(parts, _NUMBERS)[np.diff(points) > 0]
    most, changes, ends, first, last = found.T
    ends = np.where(ends > 0, ends + points[:-1][np.diff(points) > 0], 0)
    between = int(np.count_nonzero(first[1:] != last[:-1]))
    return DegreeFacts(int(most.max()), int(changes.sum()) + between, int(ends.max()))


@runtime.internal
@runtime.task(inputs={"in_offsets": "offsets"}, outputs={"facts": "rows"})
def _find(_point: int, in_offsets: NDArray[np.int64], facts: NDArray[np.int64]) -> None:
    degrees = np.diff(in_offsets)
    if not len(degrees):
        facts[:] = 0
        return
    facts[:3] = degrees.max(), np.count_nonzero(degrees[1:] != degrees[:-1]), 0
    facts[3:] = degrees[0], degrees[-1]
    having = np.searchsorted(in_offsets, in_offsets[-1])
    facts[2] = having if in_offsets[-1] > in_offsets[0] else 0
